"""Signatures that tell how alike two sets of terms are (case G70)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trivium.analysis import minhash
from trivium.analysis.minhash import EMPTY, HASHES, likeness, repeats, signature

SHARED = ["alpha", "beta", "gamma", "delta"]
PRIME = 2**61 - 1
FIRST_TWO_OF_ALPHA = [828182601498521108, 2070290594566192783]


def pair(shared: int, each: int, *, salt: str) -> float:
    """Estimate the likeness of two sets with so many terms in common and so many of their own."""
    common = [f"{salt} both {number}" for number in range(shared)]
    left = [f"{salt} left {number}" for number in range(each)]
    right = [f"{salt} right {number}" for number in range(each)]
    return likeness(signature(common + left), signature(common + right))


def test_g70_sets_that_share_two_thirds_are_estimated_within_a_tenth() -> None:
    estimated = likeness(signature([*SHARED, "omega"]), signature([*SHARED, "sigma"]))

    assert estimated == pytest.approx(len(SHARED) / (len(SHARED) + 2), abs=0.1)


@pytest.mark.parametrize(("shared", "each"), [(10, 10), (40, 5), (4, 1), (1, 20)])
def test_g70_the_error_over_300_pairs_is_that_of_128_independent_functions(
    shared: int, each: int
) -> None:
    true = shared / (shared + 2 * each)
    errors = [pair(shared, each, salt=str(number)) - true for number in range(300)]

    deviation = math.sqrt(true * (1 - true) / HASHES)
    assert np.mean(np.abs(errors)) <= 1.2 * math.sqrt(2 / math.pi) * deviation <= 0.1
    # No bias: the mean lies within three standard errors of 0.
    assert abs(np.mean(errors)) <= 3 * deviation / math.sqrt(len(errors))
    # Hoeffding: one estimate is wrong by .2 with a chance of 2 exp(-2 x 128 x .04) < 1e-4.
    assert np.max(np.abs(errors)) < 0.2


def test_the_order_and_number_of_terms_do_not_matter() -> None:
    assert signature(["a", "b", "a"]) == signature(iter(["b", "a"]))


def test_equal_sets_are_alike_and_sets_without_a_common_term_are_not() -> None:
    assert likeness(signature(SHARED), signature(SHARED)) == 1.0
    others = [f"other {number}" for number in range(50)]
    assert likeness(signature(SHARED), signature(others)) == 0.0


def test_no_terms_are_like_nothing_not_even_each_other() -> None:
    assert signature([]) == EMPTY
    assert likeness(EMPTY, EMPTY) == likeness(EMPTY, signature(["a"])) == 0.0


def test_any_text_is_a_term() -> None:
    assert signature(["\ud800", "\x00", "", "東京", "x" * 100_000]).values


def test_a_signature_is_the_same_on_every_machine() -> None:
    first = np.frombuffer(signature(["alpha"]).values, dtype="<u8")[:2]

    assert first.tolist() == FIRST_TWO_OF_ALPHA


def test_the_functions_are_linear_modulo_a_prime() -> None:
    terms = [0, 1, 2**32 - 1, 2**32, 2**60, PRIME - 1, 123_456_789_012_345_678]
    factors, addends = minhash._constants()
    found = minhash._functions(np.array(terms, dtype=np.uint64)).tolist()

    for term, row in zip(terms, found, strict=True):
        pairs = zip(factors.tolist(), addends.tolist(), strict=True)
        assert row == [(factor * term + addend) % PRIME for factor, addend in pairs]


def test_terms_are_taken_in_batches_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = [f"t{number}" for number in range(20)]
    whole = signature(terms)
    monkeypatch.setattr(minhash, "_ROWS", 7)

    assert signature(terms) == whole


def test_each_text_repeats_the_first_one_that_is_like_it() -> None:
    texts = [["a", "b"], ["x", "y"], ["b", "a"], [], ["y", "x"], [], ["a", "b"], ["z"]]
    signatures = [signature(terms) for terms in texts]

    assert repeats(signatures, at=0.9) == [None, None, 0, None, 1, None, 0, None]
    assert repeats([], at=0.9) == []


def test_a_chain_of_small_changes_does_not_make_its_ends_alike() -> None:
    chain = [signature(f"w{number}" for number in range(at, at + 40)) for at in (0, 8, 16)]

    assert likeness(chain[0], chain[1]) >= 0.5 > likeness(chain[0], chain[2])
    assert repeats(chain, at=0.5) == [None, 0, None]
