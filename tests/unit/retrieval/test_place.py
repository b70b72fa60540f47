from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from trivium.backends.base import Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.ranking.cut import Group
from trivium.ranking.profile import Boosts
from trivium.retrieval.place import by_place, with_places
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import ChunkId, Part, Scored

# a calls b, b calls c, c calls d; e is called by nobody. Each lies in a file of its own.
CALLS = {"a": ("b.md#b",), "b": ("c.md#c",), "c": ("d.md#d",), "d": (), "e": ()}
BOTH = Boosts(degree=0.5, proximity=0.3)


@pytest.fixture
def snapshot() -> Iterator[Snapshot]:
    backend = ReferenceBackend()
    write(
        backend,
        [
            make_file(f"{name}.md", [Section(name, f"text of {name}", calls=calls)])
            for name, calls in CALLS.items()
        ],
    )
    with backend.snapshot() as held:
        yield held


def chunk(name: str) -> ChunkId:
    return ChunkId(f"{name}.md#{name}@0")


def entries(scores: Mapping[str, float]) -> list[Group]:
    return [Group(Scored(chunk(name), (Part("text", score),))) for name, score in scores.items()]


def names(groups: list[Group]) -> list[str]:
    return [group.best.chunk_id.partition(".")[0] for group in groups]


def test_what_is_linked_and_near_the_best_gains_and_the_sum_decides(snapshot: Snapshot) -> None:
    groups = entries({"a": 0.10, "e": 0.09, "d": 0.08, "b": 0.07, "c": 0.06})

    found = by_place(snapshot, groups, limit=5, boosts=BOTH)

    # One edge from the file around each, and one for each end of a call.
    degrees = {"a": 2, "b": 3, "c": 3, "d": 2, "e": 1}
    distances = {"a": 0, "b": 1, "c": 2}
    expected = {
        group.best.chunk_id: group.best.score
        + 0.5 * degrees[name] / 20
        + 0.3 * (1 / (distances[name] + 1) if name in distances else 0.0)
        for name, group in zip(names(groups), groups, strict=True)
    }
    assert {one.best.chunk_id: one.best.score for one in found.groups} == pytest.approx(expected)
    assert names(found.groups) == ["a", "b", "c", "d", "e"]
    assert found.seen[chunk("b")]["seedDistance"] == 1
    assert found.seen[chunk("d")]["seedDistance"] is None
    assert found.seen[chunk("b")]["score"] == pytest.approx(0.5 * 3 / 20 + 0.3 / 2)


def test_only_the_page_is_ordered_anew(snapshot: Snapshot) -> None:
    groups = entries({"e": 0.10, "a": 0.09, "b": 0.08, "c": 0.07})

    found = by_place(snapshot, groups, limit=2, boosts=Boosts(degree=10.0))

    assert names(found.groups) == ["a", "e", "b", "c"]
    assert found.groups[2:] == groups[2:]
    assert set(found.seen) == {chunk("a"), chunk("e")}


@pytest.mark.parametrize("limit", [0, 3])
def test_a_profile_without_it_or_a_page_of_nothing_changes_nothing(
    snapshot: Snapshot, limit: int
) -> None:
    groups = entries({"e": 0.10, "a": 0.09})

    off = by_place(snapshot, groups, limit=limit, boosts=Boosts())
    nothing = by_place(snapshot, groups, limit=0, boosts=BOTH)

    assert off.groups == nothing.groups == groups
    assert off.seen == nothing.seen == {}


def test_a_node_with_twenty_edges_or_more_gains_all_of_the_degree() -> None:
    backend = ReferenceBackend()
    calls = tuple(f"x{number}" for number in range(40))
    write(backend, [make_file("hub.md", [Section("hub", "text", calls=calls)])])

    with backend.snapshot() as snapshot:
        found = by_place(snapshot, entries({"hub": 1.0}), limit=1, boosts=Boosts(degree=0.25))

    assert found.groups[0].best.score == pytest.approx(1.0 + 0.25)


def test_no_more_than_192_nodes_around_the_best_are_looked_at() -> None:
    backend = ReferenceBackend()
    # The walk goes by id: those past the first 191 are not reached.
    names_of = [f"n{number:03}" for number in range(300)]
    hub = Section("hub", "text", calls=tuple(f"{name}.md#{name}" for name in names_of))
    write(
        backend,
        [
            make_file("hub.md", [hub]),
            *(make_file(f"{name}.md", [Section(name, "text")]) for name in names_of),
        ],
    )
    page = entries({"hub": 2.0, "n000": 1.0, "n299": 0.5})

    with backend.snapshot() as snapshot:
        found = by_place(snapshot, page, limit=3, boosts=Boosts(proximity=1.0))

    assert [found.seen[one.best.chunk_id]["seedDistance"] for one in found.groups] == [0, 1, None]


def test_how_a_hit_was_reached_stays_beside_what_the_graph_said_of_its_place() -> None:
    reached = {chunk("a"): {"graph": {"score": 0.95, "via": ["contains"]}, "symbol": {"factor": 2}}}
    placed = {
        chunk("a"): {"score": 0.1, "degree": 0.2},
        chunk("b"): {"score": 0.3, "degree": 0.4},
    }

    joined = with_places(dict(reached), placed)  # type: ignore[arg-type]

    assert joined[chunk("a")] == {
        "graph": {"score": 0.95, "via": ["contains"], "degree": 0.2},
        "symbol": {"factor": 2},
    }
    assert joined[chunk("b")] == {"graph": {"score": 0.3, "degree": 0.4}}
    assert reached[chunk("a")]["graph"] == {"score": 0.95, "via": ["contains"]}
