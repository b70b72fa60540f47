"""The laws of ranking, for the pure stages: fuse, boost and cut."""

from __future__ import annotations

import copy
import itertools
import math
import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.ranking import boost, cut
from trivium.ranking.fuse import rrf, zscore
from trivium.types import ChunkId, Part, Ranking, Scored, Scores, best_first

IDS = [ChunkId(f"doc:{name}@{number}") for name in "abcd" for number in range(3)]

chunk_ids = st.sampled_from(IDS)
numbers = st.floats(min_value=-1e6, max_value=1e6, allow_nan=False).map(lambda one: one + 0.0)
weight = st.floats(min_value=0.0, max_value=100.0)


@st.composite
def rankings(draw: st.DrawFn) -> list[Ranking]:
    made = []
    for name in draw(st.lists(st.sampled_from(["text", "vectors", "names"]), unique=True)):
        ids = draw(st.lists(chunk_ids, unique=True))
        scores = sorted(draw(st.lists(numbers, min_size=len(ids), max_size=len(ids))), reverse=True)
        made.append(Ranking(name, tuple(ids), tuple(scores)))
    return made


@st.composite
def pools(draw: st.DrawFn) -> tuple[list[ChunkId], dict[str, dict[ChunkId, float]]]:
    ids = draw(st.lists(chunk_ids, unique=True, min_size=1))
    signals = {
        name: draw(st.dictionaries(st.sampled_from(ids), numbers))
        for name in draw(st.lists(st.sampled_from(["text", "vectors", "instant"]), unique=True))
    }
    return ids, signals


weights_of = st.fixed_dictionaries(
    {"text": weight, "vectors": weight, "instant": weight, "names": weight}
)

scored_lists = st.lists(
    st.builds(
        Scored,
        chunk_ids,
        st.lists(st.builds(Part, st.sampled_from(["text", "vectors"]), numbers), max_size=3).map(
            tuple
        ),
    ),
    unique_by=lambda one: one.chunk_id,
).map(best_first)


def is_ordered(found: Sequence[Scored]) -> bool:
    """Score down, then id up: strictly, so that no two places could be swapped."""
    keys = [(-one.score, one.chunk_id) for one in found]
    return all(first < second for first, second in itertools.pairwise(keys))


def reordered(scores: Scores) -> dict[ChunkId, float]:
    return dict(reversed(list(scores.items())))


@given(rankings(), weights_of)
def test_rrf_orders_by_score_down_then_id_up(
    found: list[Ranking], weights: Mapping[str, float]
) -> None:
    fused = rrf(found, weights=weights)

    assert is_ordered(fused)
    assert {one.chunk_id for one in fused} == {one for ranking in found for one in ranking.ids}


@given(pools(), weights_of)
def test_a_blend_orders_by_score_down_then_id_up(
    pool: tuple[list[ChunkId], dict[str, dict[ChunkId, float]]], weights: Mapping[str, float]
) -> None:
    ids, signals = pool
    blended = zscore(ids, signals, weights=weights)

    assert is_ordered(blended)
    assert sorted(one.chunk_id for one in blended) == sorted(ids)


@given(rankings(), weights_of)
def test_every_rrf_score_is_the_sum_of_its_parts(
    found: list[Ranking], weights: Mapping[str, float]
) -> None:
    for one in rrf(found, weights=weights):
        assert one.score == math.fsum(part.value for part in one.parts)
        expected = math.fsum(
            weights[ranking.name] / (60 + ranking.ids.index(one.chunk_id) + 1)
            for ranking in found
            if one.chunk_id in ranking.ids
        )
        assert one.score == expected


@given(rankings(), st.randoms(use_true_random=False), weights_of)
def test_the_order_of_the_retrievers_does_not_matter(
    found: list[Ranking], chance: random.Random, weights: Mapping[str, float]
) -> None:
    shuffled = list(found)
    chance.shuffle(shuffled)

    assert rrf(shuffled, weights=weights) == rrf(found, weights=weights)


@given(pools(), weights_of)
def test_the_order_of_dictionaries_and_ids_does_not_matter(
    pool: tuple[list[ChunkId], dict[str, dict[ChunkId, float]]], weights: Mapping[str, float]
) -> None:
    ids, signals = pool
    turned = {name: reordered(scores) for name, scores in reversed(signals.items())}

    same = zscore(ids[::-1], turned, weights=dict(reversed(list(weights.items()))))

    assert same == zscore(ids, signals, weights=weights)


@given(rankings(), pools(), weights_of)
def test_what_is_ranked_is_left_as_it_was(
    found: list[Ranking],
    pool: tuple[list[ChunkId], dict[str, dict[ChunkId, float]]],
    weights: dict[str, float],
) -> None:
    before = copy.deepcopy((found, pool, weights))

    fused = rrf(found, weights=weights)
    zscore(*pool, weights=weights)
    given_to_boost = list(fused)
    boost.exact_names(
        fused, names=dict.fromkeys(IDS, "a"), wanted=frozenset({"a"}), gain=weights["text"]
    )
    cut.page(cut.by_node(fused), limit=2)

    assert (found, pool, weights) == before
    assert fused == given_to_boost


@given(pools(), weights_of)
def test_a_blend_lies_between_0_and_1(
    pool: tuple[list[ChunkId], dict[str, dict[ChunkId, float]]], weights: Mapping[str, float]
) -> None:
    for one in zscore(*pool, weights=weights):
        assert 0 <= one.score <= 1 + 1e-12
        assert one.score == math.fsum(part.value for part in one.parts)


@given(pools(), weights_of.filter(lambda weights: weights["text"] > 0))
def test_first_in_every_signal_scores_1_and_last_in_every_signal_0(
    pool: tuple[list[ChunkId], dict[str, dict[ChunkId, float]]], weights: Mapping[str, float]
) -> None:
    ids, signals = pool
    best, worst = ChunkId("doc:best@0"), ChunkId("doc:worst@0")
    # One above and one below all others, so that there is a first and a last in each signal.
    wider = {
        name: {
            **scores,
            best: max(scores.values(), default=0.0) + 1.0,
            worst: min(scores.values(), default=0.0) - 1.0,
        }
        for name, scores in {"text": {}, **signals}.items()
    }
    found = {one.chunk_id: one.score for one in zscore([*ids, best, worst], wider, weights=weights)}

    assert found[best] == pytest.approx(1)
    assert found[worst] == 0


def naive_zscores(ids: Sequence[ChunkId], scores: Scores) -> dict[ChunkId, float]:
    present = [scores[one] for one in ids if one in scores]
    mean = sum(present) / len(present)
    deviation = math.sqrt(sum((one - mean) ** 2 for one in present) / len(present))
    if max(present) - min(present) < 1e-9 or deviation == 0:
        return dict.fromkeys(ids, 0.0)
    return {one: (scores.get(one, min(present)) - mean) / deviation for one in ids}


# Of a size that scores have, so that the naive way does not run out of digits.
plain_scores = st.integers(min_value=-1000, max_value=1000).map(lambda one: one / 64)


@given(
    st.lists(chunk_ids, unique=True, min_size=2),
    st.data(),
    st.floats(min_value=0.01, max_value=0.99),
    st.floats(min_value=0.01, max_value=0.99),
)
def test_the_order_of_a_blend_is_that_of_the_weighted_sum_of_zscores(
    ids: list[ChunkId], data: st.DataObject, share: float, beside: float
) -> None:
    of_some = st.dictionaries(st.sampled_from(ids), plain_scores, min_size=1)
    signals = {name: data.draw(of_some) for name in ("text", "vectors", "instant")}
    weights = {"text": 1 - share, "vectors": share * (1 - beside), "instant": share * beside}

    blended = [one.chunk_id for one in zscore(ids, signals, weights=weights)]

    zscores = {name: naive_zscores(ids, scores) for name, scores in signals.items()}
    naive = {one: sum(weights[name] * zscores[name][one] for name in signals) for one in ids}
    for first, second in itertools.pairwise(blended):
        assert naive[first] >= naive[second] - 1e-9


@given(st.lists(chunk_ids, unique=True, min_size=1), numbers, weights_of)
def test_equal_scores_blend_without_a_signal_to_tell_them_apart(
    ids: list[ChunkId], value: float, weights: Mapping[str, float]
) -> None:
    blended = zscore(ids, {"text": dict.fromkeys(ids, value)}, weights=weights)

    assert [one.chunk_id for one in blended] == sorted(ids)
    expected = 1.0 if value > 0 and weights["text"] > 0 else 0.0
    assert [one.score for one in blended] == [expected] * len(ids)


@given(scored_lists, st.frozensets(st.sampled_from(["apple", "banana"])), weight)
def test_a_boost_adds_one_part_and_keeps_the_others(
    found: list[Scored], wanted: frozenset[str], gain: float
) -> None:
    names = {one: "Apple" if one.startswith("doc:a") else "other" for one in IDS}
    before = {one.chunk_id: one.parts for one in found}

    boosted = boost.exact_names(found, names=names, wanted=wanted, gain=gain)

    assert is_ordered(boosted)
    assert sorted(one.chunk_id for one in boosted) == sorted(before)
    for one in boosted:
        is_wanted = gain > 0 and "apple" in wanted and one.chunk_id.startswith("doc:a")
        added = (Part("name is the query", gain),) if is_wanted else ()
        assert one.parts == before[one.chunk_id] + added


@given(scored_lists)
def test_grouping_keeps_every_chunk_once_under_its_node(found: list[Scored]) -> None:
    groups = cut.by_node(found)

    nodes = [cut.node_of(group.best.chunk_id) for group in groups]
    assert len(nodes) == len(set(nodes))
    members = [one for group in groups for one in (group.best, *group.others)]
    assert sorted(one.chunk_id for one in members) == sorted(one.chunk_id for one in found)
    for group in groups:
        assert is_ordered([group.best, *group.others])
        assert {cut.node_of(one.chunk_id) for one in group.others} <= {
            cut.node_of(group.best.chunk_id)
        }
    keys = [(-group.best.score, node) for group, node in zip(groups, nodes, strict=True)]
    assert keys == sorted(keys)


@given(scored_lists, st.integers(-2, 15), st.integers(0, 15))
def test_a_shorter_page_is_the_start_of_a_longer_one(
    found: list[Scored], limit: int, more: int
) -> None:
    groups = cut.ungrouped(found)
    short, long = cut.page(groups, limit=limit), cut.page(groups, limit=max(limit, 0) + more)

    assert len(short) == min(max(limit, 0), len(found))
    assert long[: len(short)] == short
