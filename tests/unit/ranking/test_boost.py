from __future__ import annotations

import pytest

from trivium.ranking.boost import exact_names, same_file
from trivium.ranking.cut import Group
from trivium.types import ChunkId, Part, Scored

FIRST = Scored(ChunkId("code:a.py#other@0"), (Part("text", 0.9),))
SECOND = Scored(ChunkId("code:a.py#Store.find@0"), (Part("text", 0.8),))
NAMES = {FIRST.chunk_id: "other", SECOND.chunk_id: "Store.find"}


def test_a_name_that_is_asked_for_gains_a_part_and_may_move_up() -> None:
    boosted = exact_names([FIRST, SECOND], names=NAMES, wanted=frozenset({"store.find"}), gain=0.25)

    assert [one.chunk_id for one in boosted] == [SECOND.chunk_id, FIRST.chunk_id]
    assert boosted[0].parts == (Part("text", 0.8), Part("name is the query", 0.25))


def test_the_last_part_of_a_dotted_name_is_enough() -> None:
    boosted = exact_names([FIRST, SECOND], names=NAMES, wanted=frozenset({"find"}), gain=0.25)

    assert boosted[0].chunk_id == SECOND.chunk_id


def test_without_a_gain_or_a_name_asked_for_nothing_changes() -> None:
    found = [FIRST, SECOND]

    assert exact_names(found, names=NAMES, wanted=frozenset({"find"}), gain=0.0) == found
    assert exact_names(found, names=NAMES, wanted=frozenset(), gain=0.25) == found


def test_a_chunk_whose_name_is_not_known_is_left_alone() -> None:
    assert exact_names([FIRST], names={}, wanted=frozenset({"other"}), gain=0.25) == [FIRST]


def group(chunk_id: str, score: float) -> Group:
    return Group(Scored(ChunkId(chunk_id), (Part("text", score),)))


def scores(groups: list[Group]) -> dict[str, float]:
    return {one.best.chunk_id: one.best.score for one in groups}


def test_the_nodes_of_a_file_speak_for_each_other_and_do_not_crowd_the_page() -> None:
    found = [
        group("code:a.py#f@0", 0.8),
        group("code:b.py#g@0", 0.7),
        group("code:b.py#h@0", 0.6),
    ]

    ranked = same_file(found, gain=0.5, again=0.4)

    assert scores(ranked) == {
        "code:b.py#g@0": pytest.approx(0.7 + 0.5 * 0.6),
        "code:a.py#f@0": 0.8,
        "code:b.py#h@0": pytest.approx((0.6 + 0.5 * 0.7) * 0.4),
    }
    assert [one.best.chunk_id for one in ranked] == list(scores(ranked))
    assert all(
        one.best.score == pytest.approx(sum(part.value for part in one.best.parts))
        for one in ranked
    )


def test_only_the_three_best_others_of_a_file_count() -> None:
    found = [group(f"code:a.py#f{number}@0", 1.0) for number in range(6)]

    assert same_file(found, gain=0.1, again=1.0)[0].best.score == pytest.approx(1.0 + 0.1 * 3)


def test_documents_and_records_stand_alone() -> None:
    found = [
        group("doc:a.md#A@0", 0.9),
        group("doc:a.md#B@0", 0.8),
        group("record:a.jsonl#1@0", 0.7),
        group("record:a.jsonl#2@0", 0.6),
    ]

    assert same_file(found, gain=0.5, again=0.4) == found


def test_no_gain_and_nothing_lost_changes_nothing() -> None:
    found = [group("code:a.py#f@0", 0.8), group("code:a.py#g@0", 0.7)]

    assert same_file(found, gain=0.0, again=1.0) == found
