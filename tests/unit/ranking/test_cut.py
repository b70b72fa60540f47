from __future__ import annotations

from trivium.ranking.cut import Group, by_file, by_node, node_of, page, ungrouped
from trivium.types import ChunkId, Part, Scored, best_first


def scored(chunk_id: str, score: float) -> Scored:
    return Scored(ChunkId(chunk_id), (Part("text", score),))


def test_the_node_of_a_chunk_stands_before_the_last_at_sign() -> None:
    assert node_of(ChunkId("code:@scope/a.ts#f@12")) == "code:@scope/a.ts#f"


def test_a_node_stands_where_its_best_chunk_does_with_the_others_behind() -> None:
    a0, b0, a1 = scored("a@0", 0.5), scored("b@0", 0.7), scored("a@1", 0.9)

    assert by_node(best_first([a0, b0, a1])) == [Group(a1, (a0,)), Group(b0)]


def test_equal_scores_are_ordered_by_node_not_by_chunk() -> None:
    # As text "a#b@0" comes before "a@0": "#" sorts before "@".
    nodes = by_node(best_first([scored("a#b@0", 0.5), scored("a@0", 0.5)]))

    assert [node_of(group.best.chunk_id) for group in nodes] == ["a", "a#b"]


def test_a_file_stands_where_its_best_node_does_and_other_kinds_stand_alone() -> None:
    f0, d0, g0, g1 = (
        scored("code:a.py#f@0", 0.9),
        scored("doc:a.md@0", 0.8),
        scored("code:a.py#g@0", 0.4),
        scored("code:a.py#g@1", 0.6),
    )
    files = {one.chunk_id: "a.py" for one in (f0, g0, g1)}

    groups = by_file(by_node(best_first([f0, d0, g0, g1])), files=files)

    assert groups == [Group(f0, (g1, g0)), Group(d0)]


def test_without_grouping_every_chunk_is_an_entry() -> None:
    found = [scored("a@0", 0.5), scored("a@1", 0.4)]

    assert ungrouped(found) == [Group(found[0]), Group(found[1])]


def test_a_page_of_nothing_is_empty_and_one_past_the_end_is_all() -> None:
    groups = ungrouped([scored("a@0", 0.5), scored("b@0", 0.4)])

    assert page(groups, limit=0) == page(groups, limit=-1) == []
    assert page(groups, limit=1) == groups[:1]
    assert page(groups, limit=9) == groups
