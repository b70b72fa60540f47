from __future__ import annotations

from trivium.ranking.boost import exact_names
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
