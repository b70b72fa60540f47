"""Rows name nodes by numbers, which stay theirs and go with the last row that has them."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from trivium.backends.base import Batch, Linked
from trivium.backends.embedded.rows import edge_of, edge_type, edge_values
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.errors import BackendRefused
from trivium.testing.corpus import Section, chunk_id, make_file, node_id
from trivium.testing.filling import BODY, write
from trivium.types import ChunkId, Edge, EdgeType, NodeId


@pytest.fixture
def backend(tmp_path: Path) -> EmbeddedBackend:
    return EmbeddedBackend(tmp_path / "index", store=tmp_path / "store", views=(BODY,))


def numbers(backend: EmbeddedBackend) -> dict[str, int]:
    """Return the ids that the record has numbers for."""
    connection = sqlite3.connect(backend.folder / "collection.db")
    found = dict(connection.execute("SELECT node_id, id FROM ids"))
    connection.close()
    return found


def test_an_edge_leads_to_its_node_again_when_that_is_written_anew(
    backend: EmbeddedBackend,
) -> None:
    called = node_id("b.md", "two")
    write(backend, [make_file("a.md", [Section("one", "cat", calls=(called,))])])
    write(backend, [make_file("b.md", [Section("two", "dog")])])
    before = numbers(backend)[called]
    write(backend, [make_file("b.md", [Section("new", "bird"), Section("two", "a dog")])])
    assert numbers(backend)[called] == before
    with backend.snapshot() as snapshot:
        assert snapshot.degrees([called]) == {called: 2}
        nodes = snapshot.content("b.md")
    assert nodes is not None
    assert [one.name for one in nodes.nodes] == ["b.md", "new", "two"]


def test_an_id_stays_while_an_edge_has_it_and_goes_with_that(backend: EmbeddedBackend) -> None:
    called = node_id("b.md", "two")
    write(backend, [make_file("a.md", [Section("one", "cat", calls=(called,))])])
    write(backend, [make_file("b.md", [Section("two", "dog")])])
    with backend.writer(wait_s=0) as writer:
        writer.write(Batch(removed=("b.md",)))
    assert set(numbers(backend)) == {"a.md", node_id("a.md", "one"), called}
    with backend.writer(wait_s=0) as writer:
        writer.write(Batch(removed=("a.md",)))
    assert numbers(backend) == {}


def test_an_id_that_linking_gave_up_goes(backend: EmbeddedBackend) -> None:
    write(backend, [make_file("a.md", [Section("one", "cat")])])
    own = set(numbers(backend))
    gone = Edge(node_id("a.md", "one"), NodeId("elsewhere"), EdgeType.CALLS)
    with backend.writer(wait_s=0) as writer:
        writer.link([Linked("a.md", (gone,), frozenset())])
        assert set(numbers(backend)) == {*own, "elsewhere"}
        writer.link([Linked("a.md", (), frozenset())])
    assert set(numbers(backend)) == own


@pytest.mark.parametrize("other", ["b.md#one@0", "a.md#one@00", "a.md#one@x", "a.md#one", "@0"])
def test_a_chunk_whose_id_is_not_of_its_node_and_place_is_refused(
    backend: EmbeddedBackend, other: str
) -> None:
    made = make_file("a.md", [Section("one", "cat")])
    chunks = (replace(made.chunks[0], id=ChunkId(other)),)
    with pytest.raises(BackendRefused, match="was not stored"):
        write(backend, [replace(made, chunks=chunks)])
    assert numbers(backend) == {}


def test_only_the_place_as_it_is_written_finds_a_chunk(backend: EmbeddedBackend) -> None:
    write(backend, [make_file("a.md", [Section("one", "cat\n\ndog")])])
    there = [chunk_id("a.md", "one"), chunk_id("a.md", "one", number=1)]
    odd = [ChunkId(f"a.md#one@{one}") for one in ("2", "01", "", "-1", "1 ", "9" * 30, "٣")]
    with backend.snapshot() as snapshot:
        assert list(snapshot.numbers_of([*odd, *there])) == there


@pytest.mark.parametrize("type_", list(EdgeType))
def test_an_edge_of_any_type_comes_back(type_: EdgeType) -> None:
    edge = Edge(NodeId("a"), NodeId("b"), type_, 0.5, "call")
    source, target, number, weight, context = edge_values(edge, {"a": 1, "b": 2})
    assert (source, target, edge_type(number)) == (1, 2, type_)
    assert edge_of(("a", "b", number, weight, context)) == edge


def counted(backend: EmbeddedBackend) -> tuple[list[int], list[int]]:
    """Return the totals that are kept, and the same counted."""
    connection = sqlite3.connect(backend.folder / "collection.db")
    (kept,) = connection.execute(
        "SELECT files, masked, nodes, edges, chunks, embeddable FROM totals"
    ).fetchall()
    found = [
        connection.execute(f"SELECT {what}").fetchone()[0]
        for what in (
            "count(*) FROM files WHERE path NOT LIKE '%/'",
            "coalesce(sum(masked), 0) FROM files",
            "count(*) FROM nodes",
            "count(*) FROM edges",
            "count(*) FROM chunks WHERE end > start",
            "count(*) FROM chunks WHERE key <> x''",
        )
    ]
    connection.close()
    return list(kept), found


def test_the_totals_are_what_counting_finds_whatever_comes_and_goes(
    backend: EmbeddedBackend,
) -> None:
    called = node_id("b.md", "two")
    first = make_file("a.md", [Section("one", "cat", calls=(called,)), Section("empty", "")])
    write(backend, [replace(first, state=replace(first.state, masked=3))])
    write(backend, [make_file("b.md", [Section("two", "dog")]), make_file("c.md", [])])
    kept, found = counted(backend)
    assert kept == found
    assert kept[:2] == [3, 3]
    with backend.writer(wait_s=0) as writer:
        found_by_linking = Edge(node_id("a.md", "one"), called, EdgeType.CALLS)
        writer.link([Linked("a.md", (found_by_linking,))])
    linked, found = counted(backend)
    assert linked == found
    assert linked[3] == kept[3] + 1
    write(backend, [make_file("a.md", [Section("one", "bird")])])
    kept, found = counted(backend)
    assert kept == found
    assert kept[1] == 0
    with backend.writer(wait_s=0) as writer:
        writer.write(Batch(removed=("a.md", "b.md", "c.md")))
    kept, found = counted(backend)
    assert kept == found == [0, 0, 0, 0, 0, 0]
