"""Fitting confidence: weights, and how sure they may be of sets they have not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from training.calibrate import Floats, Hits, brier, fit, left_out, likely, reliability, softened

COUNT = 400
COPIES = 3


def drawn(strengths: Sequence[Sequence[float]], *, seed: int = 5) -> Hits:
    """Return hits of as many sets, in each of which every sign tells another amount."""
    chance = np.random.default_rng(seed)
    sets, signs, right = [], [], []
    for number, strength in enumerate(strengths):
        found = chance.uniform(0, 2, (COUNT, len(strength)))
        said = 1 / (1 + np.exp(-((found - 1) @ np.array(strength))))
        sets += [f"set {number}"] * COUNT
        signs.append(found)
        right.append((chance.uniform(size=COUNT) < said).astype(float))
    every = len(sets)
    return Hits(
        np.vstack(signs),
        np.concatenate(right),
        np.full(every, 1 / every),
        np.full(every, 1 / every),
        np.array(sets),
        np.array(["real"] * every),
        np.ones(every, dtype=bool),
        tuple(f"sign {number}" for number in range(len(strengths[0]))),
    )


def overstated(said: Floats, hits: Hits) -> float:
    """Return how far what was said lies from the middle beyond what was right."""
    far = np.where(said > 0.5, said - hits.right, hits.right - said)
    return float(far.mean())


def test_a_fit_finds_what_tells_and_gives_no_weight_below_0() -> None:
    hits = drawn([(3.0, 0.0)] * COPIES)
    tells, nothing, intercept = fit(hits)

    assert tells == pytest.approx(3.0, abs=0.5)
    assert intercept == pytest.approx(-3.0, abs=0.6)
    assert 0 <= nothing < 0.4
    against = replace(hits, signs=-hits.signs)
    assert (fit(against)[:-1] >= 0).all()


def test_a_fit_ends_in_the_same_place_wherever_it_starts() -> None:
    hits = drawn([(2.0, 0.0), (4.0, 0.0)])

    assert fit(hits, start=np.array([5.0, 1.0, 2.0])) == pytest.approx(fit(hits), abs=1e-4)


def test_where_all_sets_are_alike_a_softened_fit_is_the_fit() -> None:
    hits = drawn([(3.0, 0.0)] * 6)

    assert softened(hits) == pytest.approx(fit(hits), rel=0.1, abs=0.1)


def test_where_sets_differ_a_softened_fit_overstates_less_on_one_it_has_not_seen() -> None:
    hits = drawn(np.random.default_rng(3).normal(0.5, 2.0, (6, 4)).tolist())
    plain, soft = left_out(hits, fitted=fit), left_out(hits)

    assert overstated(soft, hits) < overstated(plain, hits)
    assert brier(soft, hits.right, hits.weight) < brier(plain, hits.right, hits.weight)


def test_a_set_does_not_take_part_in_what_is_said_of_it() -> None:
    hits = drawn([(3.0, 0.0)] * 3)
    is_last = hits.sets == "set 2"
    turned = np.where(is_last, 1 - hits.right, hits.right)
    other = replace(hits, right=turned)

    assert left_out(other)[is_last] == pytest.approx(left_out(hits)[is_last])
    assert likely(hits.signs, softened(other)) != pytest.approx(likely(hits.signs, softened(hits)))


def test_reliability_counts_every_hit_once() -> None:
    hits = drawn([(3.0, 0.0)] * COPIES)
    rows = reliability(left_out(hits), hits)

    assert sum(count for _, count, _, _ in rows) == COPIES * COUNT
    assert all(0 <= right <= 1 for *_, right in rows)
