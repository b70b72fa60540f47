"""Searches to go on with: what lies near a query but not on its page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trivium.backends.base import Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.results.related import MOST, related
from trivium.testing.corpus import Section, chunk_id, make_file
from trivium.testing.filling import write
from trivium.types import ChunkId, Gathered, Hit, Kind, Ranking

NAMES = ["Tracked properties", "tracked property", "Reactive state", "Services", "Routing", "far"]


@pytest.fixture
def snapshot() -> Iterator[Snapshot]:
    backend = ReferenceBackend()
    sections = [Section(name, "text") for name in NAMES]
    more = [Section(f"Page {word}", "text") for word in "abcdefgh"]
    write(backend, [make_file("a.md", sections), make_file("b.md", more)])
    with backend.snapshot() as held:
        yield held


def near(*names: str, path: str = "a.md", cosines: list[float] | None = None) -> Gathered:
    ids = tuple(chunk_id(path, name) for name in names)
    scores = tuple(cosines or [0.9 - 0.01 * place for place in range(len(ids))])
    return Gathered((Ranking("vectors", ids, scores),), ids, {}, "words", ())


def hit(snapshot: Snapshot, name: str) -> Hit:
    found = snapshot.fetch([ChunkId(chunk_id("a.md", name))])[0]
    return Hit(found.node.id, found.chunk.id, found.node, 1.0, "rrf", (), "", (), 1, 1)


def test_what_is_near_is_suggested_nearest_first(snapshot: Snapshot) -> None:
    found = related(snapshot, [near("Services", "Routing")], [], query="injection")

    assert found == ("Services", "Routing")


def test_what_is_shown_or_says_the_same_is_not_suggested(snapshot: Snapshot) -> None:
    gathered = near("Tracked properties", "tracked property", "Reactive state", "Services")
    hits = [hit(snapshot, "Tracked properties")]

    assert related(snapshot, [gathered], hits, query="reactive states") == ("Services",)


def test_what_is_far_from_the_nearest_is_another_matter(snapshot: Snapshot) -> None:
    gathered = near("Services", "far", cosines=[0.8, 0.39])

    assert related(snapshot, [gathered], [], query="x") == ("Services",)


def test_there_are_few_suggestions_and_none_without_vectors(snapshot: Snapshot) -> None:
    many = near(*(f"Page {word}" for word in "abcdefgh"), path="b.md")
    by_words = Gathered((Ranking("text", many.pool, (1.0,) * 8),), many.pool, {}, "none", ())

    assert len(related(snapshot, [many], [], query="x")) == MOST
    assert related(snapshot, [by_words], [], query="x") == ()


def test_files_are_no_searches(snapshot: Snapshot) -> None:
    ids = (ChunkId("a.md@0"),)
    gathered = Gathered((Ranking("vectors", ids, (0.9,)),), ids, {}, "words", ())
    node = snapshot.nodes([snapshot.fetch([ChunkId(chunk_id("a.md", "far"))])[0].node.id])
    assert next(iter(node.values())).kind is Kind.DOC

    assert related(snapshot, [gathered], [], query="x") == ()
