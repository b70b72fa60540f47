from __future__ import annotations

from collections.abc import Iterator

import pytest

from trivium.analysis.words import analyser
from trivium.backends.base import Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.ranking.cut import Group
from trivium.results.explain import Origin
from trivium.results.fetch import Shape, fetch
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import ChunkId, Gathered, Hit, Part, Passage, Scored

NOTHING_GATHERED = Gathered((), (), {}, "none", ())
LONG = "\n\n".join(f"cat {number}" for number in range(8))


@pytest.fixture
def snapshot() -> Iterator[Snapshot]:
    backend = ReferenceBackend()
    write(backend, [make_file("a.md", [Section("cats", LONG), Section("dogs", "a dog")])])
    with backend.snapshot() as held:
        yield held


def fetched(
    snapshot: Snapshot, groups: list[Group], *, groups_by_node: bool = True, explains: bool = False
) -> list[Hit]:
    shape = Shape(groups_by_node, "window", explains)
    origin = Origin(NOTHING_GATHERED, "blend", 60, analyser("standard"), frozenset({"cat"}))
    origins = {group.best.chunk_id: origin for group in groups}
    return fetch(snapshot, groups, origins=origins, shape=shape)


def ids_in(snapshot: Snapshot, name: str) -> list[ChunkId]:
    content = snapshot.content("a.md")
    assert content is not None
    return [chunk.id for chunk in content.chunks if name in chunk.id]


def scored(chunk_id: ChunkId, score: float = 0.5) -> Scored:
    return Scored(chunk_id, (Part("text", score),))


def test_hits_keep_the_order_they_are_given(snapshot: Snapshot) -> None:
    cat, dog = ids_in(snapshot, "cats")[0], ids_in(snapshot, "dogs")[0]

    hits = fetched(snapshot, [Group(scored(dog, 0.1)), Group(scored(cat, 0.9))])

    assert [(hit.chunk_id, hit.score) for hit in hits] == [(dog, 0.1), (cat, 0.9)]
    assert [hit.node.name for hit in hits] == ["dogs", "cats"]


def test_a_chunk_that_is_gone_is_left_out(snapshot: Snapshot) -> None:
    there, gone = ids_in(snapshot, "dogs")[0], ChunkId("gone@0")

    hits = fetched(snapshot, [Group(scored(gone)), Group(scored(there), (scored(gone),))])

    assert [(hit.chunk_id, hit.passages) for hit in hits] == [(there, ())]


def test_the_other_chunks_of_a_node_are_its_passages_five_at_most(snapshot: Snapshot) -> None:
    first, *others = ids_in(snapshot, "cats")

    (hit,) = fetched(snapshot, [Group(scored(first), tuple(scored(one, 0.2) for one in others))])

    assert len(others) == 7
    assert hit.passages == tuple(
        Passage(one, 0.2, line, line) for one, line in zip(others[:5], range(3, 13, 2), strict=True)
    )


def test_a_hit_is_a_node_or_a_chunk_as_the_profile_says(snapshot: Snapshot) -> None:
    chunk_id = ids_in(snapshot, "cats")[1]
    groups = [Group(scored(chunk_id))]

    (as_node,) = fetched(snapshot, groups)
    (as_chunk,) = fetched(snapshot, groups, groups_by_node=False)

    assert as_node.id == as_node.node.id == chunk_id.rpartition("@")[0]
    assert as_chunk.id == as_chunk.chunk_id == chunk_id
    assert as_node.source == as_node.node.source


def test_how_a_score_came_about_is_told_only_when_asked(snapshot: Snapshot) -> None:
    groups = [Group(scored(ids_in(snapshot, "cats")[0]))]

    assert fetched(snapshot, groups)[0].breakdown is None
    assert fetched(snapshot, groups, explains=True)[0].breakdown is not None


def test_nothing_chosen_is_nothing_fetched(snapshot: Snapshot) -> None:
    assert fetched(snapshot, []) == []
