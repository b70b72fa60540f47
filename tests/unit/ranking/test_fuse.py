from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from trivium.ranking import fuse
from trivium.ranking.fuse import rrf, zscore
from trivium.types import ChunkId, Part, Ranking

A, B, C = ChunkId("a@0"), ChunkId("b@0"), ChunkId("c@0")


def test_a_part_says_which_list_gave_it_and_at_which_rank() -> None:
    fused = rrf([Ranking("vectors", (B, A), (0.9, 0.8)), Ranking("text", (A,), (3.0,))])

    assert fused[0].parts == (Part("text rank 1", 1 / 61), Part("vectors rank 2", 1 / 62))
    assert fused[1].parts == (Part("vectors rank 1", 1 / 61),)


def test_a_weight_multiplies_what_a_list_gives() -> None:
    fused = rrf(
        [Ranking("text", (A,), (1.0,)), Ranking("vectors", (B,), (1.0,))], weights={"vectors": 2.0}
    )

    assert [(one.chunk_id, one.score) for one in fused] == [(B, 2 / 61), (A, 1 / 61)]


def test_a_blend_gives_each_signal_a_share_by_its_weight_and_spread() -> None:
    text = {A: 4.0, B: 2.0, C: 0.0}
    vectors = {A: 0.1, B: 0.2, C: 0.9}

    signals = {"text": text, "vectors": vectors}
    blended = zscore([A, B, C], signals, weights={"text": 1.0, "vectors": 3.0})

    def deviation(values: list[float]) -> float:
        mean = sum(values) / 3
        return float((sum((one - mean) ** 2 for one in values) / 3) ** 0.5)

    spreads = {
        "text": 1 * (4.0 - 0.0) / deviation([4.0, 2.0, 0.0]),
        "vectors": 3 * (0.9 - 0.1) / deviation([0.1, 0.2, 0.9]),
    }
    share = {name: one / sum(spreads.values()) for name, one in spreads.items()}
    found = {one.chunk_id: one.score for one in blended}
    assert found[A] == pytest.approx(share["text"])
    assert found[B] == pytest.approx(share["text"] * 2 / 4 + share["vectors"] * 0.1 / 0.8)
    assert found[C] == pytest.approx(share["vectors"])


def test_a_third_signal_has_its_share_and_the_others_share_it_where_it_is_not_there() -> None:
    # Each of its own shape, so that each has a spread of its own.
    signals = {
        "text": {A: 4.0, B: 2.0, C: 0.0},
        "vectors": {A: 0.1, B: 0.2, C: 0.9},
        "instant": {A: 0.3, B: 0.9, C: 0.3},
    }
    weights = {"text": 0.1, "vectors": 0.7, "instant": 0.2}

    def spread(name: str) -> float:
        values = list(signals[name].values())
        mean = sum(values) / 3
        deviation = float((sum((one - mean) ** 2 for one in values) / 3) ** 0.5)
        return weights[name] * (max(values) - min(values)) / deviation

    def share(name: str, among: Sequence[str]) -> float:
        return spread(name) / sum(spread(one) for one in among)

    found = {one.chunk_id: one.parts for one in zscore([A, B, C], signals, weights=weights)}
    values = {part.name: part.value for part in found[B]}
    assert values == pytest.approx(
        {
            "text": share("text", list(signals)) * 2 / 4,
            "vectors": share("vectors", list(signals)) * 0.1 / 0.8,
            "instant": share("instant", list(signals)),
        }
    )
    two = {name: signals[name] for name in ("text", "vectors")}
    without = {one.chunk_id: one.score for one in zscore([A, B, C], two, weights=weights)}
    assert without[A] == pytest.approx(share("text", list(two)))
    assert without[C] == pytest.approx(share("vectors", list(two)))


def test_a_signal_without_a_weight_or_without_scores_gives_nothing() -> None:
    signals = {"text": {A: 2.0, B: 1.0}, "names": {A: 1.0, B: 5.0}, "vectors": {}}

    blended = zscore([A, B], signals, weights={"text": 1.0, "vectors": 1.0})

    assert [(one.chunk_id, one.score) for one in blended] == [(A, 1.0), (B, 0.0)]


def test_a_chunk_without_a_score_counts_as_the_lowest() -> None:
    blended = zscore([A, B, C], {"text": {A: 2.0, B: 1.0}}, weights={"text": 1.0})

    assert [(one.chunk_id, one.score) for one in blended] == [(A, 1.0), (B, 0.0), (C, 0.0)]


# 0.3 + 0.3 + 0.3 divided by 3 is not 0.3: seven such scores once divided nothing by nothing.
@pytest.mark.parametrize("score", [0.1, 0.3, 0.7, 1.1, 3.3])
def test_scores_that_are_all_alike_are_blended(score: float) -> None:
    for count in range(1, 12):
        ids = [ChunkId(f"{number:02}@0") for number in range(count)]

        blended = zscore(ids, {"text": dict.fromkeys(ids, score)}, weights={"text": 0.3})

        assert [one.score for one in blended] == [1.0] * count


def test_no_candidates_and_no_signals_give_nothing() -> None:
    assert zscore([], {"text": {}}, weights={"text": 1.0}) == []
    assert [one.parts for one in zscore([A], {}, weights={"text": 1.0})] == [()]


WEIGHTS = {"text": 0.6, "vectors": 0.3, "degree": 0.1}


def by_match(best: float, terms: int, weights: Mapping[str, float] = WEIGHTS) -> dict[str, float]:
    return fuse.by_match(weights, best=best, terms=terms, usual=2.0, power=1.5)


def test_weights_stay_where_the_best_score_for_each_term_is_the_usual_one() -> None:
    assert by_match(best=6.0, terms=3) == pytest.approx(WEIGHTS)


def test_words_gain_by_a_power_of_what_they_found_and_the_others_share_what_is_left() -> None:
    words = 0.6 * (3.0 / 2.0) ** 1.5

    found = by_match(best=9.0, terms=3)

    assert found == pytest.approx(
        {
            "text": words / (words + 0.4),
            "vectors": 0.3 / (words + 0.4),
            "degree": 0.1 / (words + 0.4),
        }
    )


def test_neither_side_is_silenced_by_what_words_found() -> None:
    least, most = by_match(best=0.0, terms=3), by_match(best=1e9, terms=1)

    assert least["text"] / least["vectors"] == pytest.approx(0.6 / 0.3 / 4)
    assert most["text"] / most["vectors"] == pytest.approx(4 * 0.6 / 0.3)


def test_a_query_without_terms_counts_as_one() -> None:
    assert by_match(best=3.0, terms=0) == by_match(best=3.0, terms=1)


def test_words_without_a_weight_gain_none() -> None:
    assert by_match(9.0, 1, {"text": 0.0, "vectors": 1.0}) == {"text": 0.0, "vectors": 1.0}
    assert by_match(9.0, 1, {}) == {}
