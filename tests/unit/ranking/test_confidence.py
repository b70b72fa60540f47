"""Confidence as a pure function: laws that hold for any evidence."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.ranking.confidence import (
    NOTHING_RARE,
    calibrated,
    confidence,
    is_weak,
    nearness,
    rarity,
)
from trivium.types import Background, Evidence

SORTS = ("words", "instant", "transformer")
GROWING = ("coverage", "named", "strength", "known", "exact", "cosine", "nearness")
shares = st.floats(0, 1)
cosines = st.floats(-1, 1)


@st.composite
def evidence(draw: st.DrawFn) -> Evidence:
    sort = draw(st.sampled_from(SORTS))
    return Evidence(
        sort=sort,
        coverage=draw(shares),
        named=draw(st.floats(0, 50)),
        strength=draw(st.floats(0, 500)),
        known=draw(shares),
        exact=draw(st.sampled_from([0.0, 0.5, 1.0])),
        cosine=draw(cosines),
        nearness=None if sort == "words" else draw(st.floats(-50, 50)),
    )


@given(evidence())
def test_confidence_is_a_number_from_0_to_1_and_the_same_every_time(found: Evidence) -> None:
    said = confidence(found)

    assert 0 <= said <= 1
    assert said == confidence(found)


@given(evidence(), st.sampled_from(GROWING), st.floats(0, 10))
def test_more_of_any_evidence_never_lowers_it(found: Evidence, name: str, more: float) -> None:
    before = getattr(found, name)
    if before is None:
        return
    after = replace(found, **{name: before + more})

    assert confidence(after) >= confidence(found)


terms = st.text("abcdefg", min_size=1, max_size=3)


@given(
    evidence(),
    st.dictionaries(terms, st.integers(0, 40), max_size=8),
    st.sets(terms),
    st.sets(terms),
    terms,
    st.integers(1, 40),
    st.integers(1, 9),
    st.integers(0, 10_000),
)
def test_adding_to_the_query_a_term_that_the_hit_contains_never_lowers_it(
    other: Evidence,
    frequencies: dict[str, int],
    held: set[str],
    named: set[str],
    added: str,
    frequency: int,
    often: int,
    length: int,
) -> None:
    frequencies.pop(added, None)
    before = rarity(frequencies, documents=40)
    after = rarity({**frequencies, added: frequency}, documents=40)

    def made(of: dict[str, int]) -> Evidence:
        told = before if added not in of else after
        have = {one for one in held | named | {added} if of.get(one)}
        return replace(
            other,
            coverage=told.share(have),
            strength=told.strength(dict.fromkeys(have, often), length=length),
            named=told.mass(have & named),
            known=told.known,
        )

    # A sum of shares may differ from another in its last digit.
    lower = confidence(made(frequencies))
    assert confidence(made({**frequencies, added: frequency})) >= lower - 1e-12


@pytest.mark.parametrize("sort", SORTS)
def test_nothing_that_speaks_for_a_hit_is_weak(sort: str) -> None:
    nothing = Evidence(sort, 0.0, 0.0, 0.0, 0.0, 0.0, cosine=0.9, nearness=9.0)

    assert is_weak(confidence(nothing))
    assert confidence(nothing) < 0.05


@pytest.mark.parametrize("sort", SORTS)
def test_a_hit_whose_name_is_the_query_has_at_least_the_stated_confidence(sort: str) -> None:
    named = Evidence(sort, 0.0, 0.0, 0.0, 0.0, exact=1.0)

    assert confidence(named) >= calibrated().name == 0.8
    assert confidence(replace(named, exact=0.5)) < calibrated().name


@pytest.mark.parametrize("sort", SORTS)
def test_no_weight_is_negative_and_every_sort_has_the_same_ones(sort: str) -> None:
    weights = calibrated().of[sort].weights

    assert all(weight >= 0 for weight in weights.values())
    assert weights.keys() == calibrated().of["words"].weights.keys()


def test_a_hit_without_confidence_is_not_weak() -> None:
    assert not is_weak(None)
    assert is_weak(calibrated().weak - 0.01)
    assert not is_weak(calibrated().weak)


class TestRarity:
    def test_terms_tell_their_idf_and_unknown_ones_most(self) -> None:
        made = rarity({"common": 9, "rare": 1, "nowhere": 0}, documents=10)

        assert made.of["rare"] == math.log(1 + 9.5 / 1.5)
        assert made.of["nowhere"] == made.unknown == math.log(1 + 10.5 / 0.5)
        assert made.of["common"] < made.of["rare"] < made.unknown
        total = sum(made.of.values())
        assert made.known == pytest.approx((total - made.unknown) / total)
        assert made.share(["rare", "other"]) == pytest.approx(made.of["rare"] / total)

    def test_what_stands_for_a_term_counts_as_that_term(self) -> None:
        stand = {"ship": {frozenset({"vessel"}): 2, frozenset({"long", "boat"}): 1}}
        made = rarity({"ship": 0, "sail": 1}, documents=10, instead=stand)

        assert made.of["ship"] == math.log(1 + (10 - 3 + 0.5) / (3 + 0.5))
        assert made.known == 1
        assert made.share(["vessel", "sail"]) == made.share(["long", "boat", "sail"]) == 1
        assert made.share(["vessel"]) == made.share(["vessel", "ship", "long", "boat"])
        assert made.share(["long", "sail"]) == made.share(["sail"]) < 1

    def test_a_word_that_may_go_on_counts_as_far_as_it_is_typed(self) -> None:
        counts = {"hash": 1, "pass": 2}
        whole = rarity(counts, documents=10)
        made = rarity(counts, documents=10, typed={"pass": 0.25})

        total = whole.of["hash"] + whole.of["pass"]
        assert made.share(["pass"]) == pytest.approx(0.25 * whole.of["pass"] / total)
        assert made.share(["hash"]) == whole.share(["hash"])
        assert made.known == made.share(["hash", "pass"]) < whole.known == 1
        assert rarity({"s": 4}, documents=10, typed={"s": 0.0}).known == 0

    def test_a_term_tells_more_the_oftener_it_stands_and_the_shorter_the_text_is(self) -> None:
        made = rarity({"rare": 1, "common": 9}, documents=10)

        once = made.strength({"rare": 1}, length=1000)
        assert once == pytest.approx(made.of["rare"] / made.unknown / (1 + 1.2))
        assert once < made.strength({"rare": 4}, length=1000) < made.mass(["rare"])
        assert made.strength({"rare": 1}, length=4000) < once
        both = made.strength({"rare": 1, "common": 1, "other": 9}, length=1000)
        assert once < both
        assert both - once == pytest.approx(made.strength({"common": 1}, length=1000))

    def test_what_stands_for_a_term_is_as_strong_as_the_rarest_of_it(self) -> None:
        stand = {"ship": {frozenset({"long", "boat"}): 1}}
        made = rarity({"ship": 0}, documents=10, instead=stand)
        plain = rarity({"ship": 1}, documents=10)

        assert made.strength({"long": 5, "boat": 2}, length=50) == pytest.approx(
            plain.strength({"ship": 2}, length=50)
        )
        assert made.strength({"long": 5}, length=50) == 0

    def test_a_query_without_terms_is_not_covered_by_anything(self) -> None:
        assert NOTHING_RARE.share(["word"]) == NOTHING_RARE.mass(["word"]) == 0
        assert NOTHING_RARE.strength({"word": 1}, length=9) == 0
        assert rarity({}, documents=3).known == 0

    def test_deleted_documents_that_are_still_counted_do_no_harm(self) -> None:
        assert rarity({"word": 7}, documents=3).of["word"] > 0
        assert rarity({"word": 0}, documents=0).unknown > 0


class TestNearness:
    def test_a_hit_is_compared_with_the_others_alone(self) -> None:
        # 0.9 beside 0.1, 0.2 and 0.3.
        others = (0.1, 0.2, 0.3)
        every = (*others, 0.9)
        mean = sum(every) / 4
        deviation = math.sqrt(sum((one - mean) ** 2 for one in every) / 4)
        spread = sum((one - 0.2) ** 2 for one in others) / 3

        said = nearness(0.9, Background(mean, deviation, 4))

        usual = math.sqrt((3 * spread + 10 * 0.1**2) / 13)
        assert said == pytest.approx((0.9 - 0.2) / usual)

    def test_alone_there_is_nothing_to_compare_with(self) -> None:
        assert nearness(0.5, Background(0.5, 0.0, 1)) is None

    @given(cosines, cosines, st.floats(0, 1), st.integers(2, 10**6))
    def test_it_is_always_a_number(
        self, cosine: float, mean: float, deviation: float, count: int
    ) -> None:
        said = nearness(cosine, Background(mean, deviation, count))

        assert said is not None
        assert math.isfinite(said)
