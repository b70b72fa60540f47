"""Cases G1 to G10: reciprocal rank fusion, as every seed has it."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from trivium.ranking.fuse import rrf
from trivium.types import ChunkId, Ranking


def ranking(name: str, ids: Sequence[str]) -> Ranking:
    scores = tuple(float(-place) for place in range(len(ids)))
    return Ranking(name, tuple(ChunkId(one) for one in ids), scores)


def scores_of(*rankings: Ranking, k: int = 60) -> dict[str, float]:
    return {one.chunk_id: one.score for one in rrf(rankings, k=k)}


def test_g1_the_first_of_one_list_scores_1_by_61() -> None:
    assert scores_of(ranking("text", ["a"])) == {"a": 1 / 61}


def test_g2_the_first_of_both_lists_scores_2_by_61() -> None:
    found = scores_of(ranking("text", ["a"]), ranking("vectors", ["a"]))

    assert found == {"a": pytest.approx(2 / 61, rel=1e-15)}


def test_g3_second_in_one_list_and_first_in_the_other() -> None:
    found = scores_of(ranking("text", ["b", "a"]), ranking("vectors", ["a"]))

    assert found["a"] == pytest.approx(1 / 62 + 1 / 61, rel=1e-15)


def test_g4_the_last_of_both_lists_beats_every_chunk_of_one() -> None:
    text = [f"t{n:02}" for n in range(29)]
    vectors = [f"v{n:02}" for n in range(29)]
    found = rrf([ranking("text", [*text, "both"]), ranking("vectors", [*vectors, "both"])])

    assert found[0].chunk_id == "both"
    assert found[0].score == pytest.approx(2 / 90, rel=1e-15)
    assert found[1].score == 1 / 61


def test_g5_ranks_from_0_plus_1_and_ranks_from_1_give_the_same_scores() -> None:
    ids = [f"c{n:03}" for n in range(100)]
    found = scores_of(ranking("text", ids))

    assert [found[one] for one in ids] == [1 / (60 + from_zero + 1) for from_zero in range(100)]
    assert [found[one] for one in ids] == [1 / (60 + from_one) for from_one in range(1, 101)]


def test_g6_two_empty_lists_give_nothing() -> None:
    assert rrf([ranking("text", []), ranking("vectors", [])]) == []


def test_g7_one_list_alone_keeps_its_order() -> None:
    ids = ["c", "a", "b"]

    assert [one.chunk_id for one in rrf([ranking("text", ids), ranking("vectors", [])])] == ids


@pytest.mark.parametrize("k", [1, 1000])
def test_g8_k_is_what_is_added_to_the_rank(k: int) -> None:
    found = scores_of(ranking("text", ["a"]), ranking("vectors", ["a"]), k=k)

    assert found == {"a": pytest.approx(2 / (k + 1), rel=1e-15)}


def test_g9_a_worked_example_and_its_shares_of_the_best() -> None:
    vectors = Ranking("vectors", (ChunkId("a"), ChunkId("b"), ChunkId("c")), (0.9, 0.7, 0.5))
    text = Ranking("text", (ChunkId("b"), ChunkId("a"), ChunkId("d")), (3.0, 2.0, 1.0))
    found = scores_of(vectors, text)

    assert list(found) == ["a", "b", "c", "d"]
    assert found["a"] == found["b"] == pytest.approx(1 / 61 + 1 / 62, rel=1e-15)
    assert found["c"] == found["d"] == 1 / 63
    best = max(found.values())
    shares = [score / best for score in found.values()]
    assert shares == pytest.approx([1, 1, *[(1 / 63) / (1 / 61 + 1 / 62)] * 2], rel=1e-12)


def test_g10_equal_scores_come_in_the_order_of_their_ids_every_time() -> None:
    chance = random.Random(10)  # noqa: S311 - repeatable, not secret
    names = [f"list{n}" for n in range(20)]
    expected = [f"c{n:02}" for n in range(20)]
    for _ in range(100):
        ids = chance.sample(expected, k=20)
        chance.shuffle(names)
        found = rrf([ranking(name, [one]) for name, one in zip(names, ids, strict=True)])

        assert [one.chunk_id for one in found] == expected
