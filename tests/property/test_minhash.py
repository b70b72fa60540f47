"""Laws of signatures: symmetric, 1 for equal sets, and as near as 128 functions can be."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.analysis.minhash import HASHES, likeness, repeats, signature

SETS = st.sets(st.text(max_size=4), min_size=1, max_size=40)
LAW = settings(deadline=None, max_examples=150)


@LAW
@given(SETS, SETS)
def test_likeness_is_symmetric_and_a_share_of_the_functions(one: set[str], other: set[str]) -> None:
    left, right = signature(one), signature(other)

    assert likeness(left, right) == likeness(right, left)
    assert (likeness(left, right) * HASHES).is_integer()
    assert (likeness(left, right) == 1) >= (one == other)


@LAW
@given(SETS, SETS)
def test_the_signature_of_two_texts_together_is_the_least_of_both(
    one: set[str], other: set[str]
) -> None:
    both = signature(one | other)

    agreed = [likeness(both, signature(each)) for each in (one, other)]
    assert sum(agreed) >= 1


@LAW
@given(st.lists(st.sets(st.sampled_from("abcdef"), max_size=4), max_size=12))
def test_what_is_repeated_comes_earlier_and_repeats_nothing_itself(texts: list[set[str]]) -> None:
    signatures = [signature(one) for one in texts]
    found = repeats(signatures, at=0.7)

    assert len(found) == len(texts)
    for number, of in enumerate(found):
        if of is not None:
            assert of < number
            assert found[of] is None
            assert likeness(signatures[of], signatures[number]) >= 0.7
    firsts = [number for number, of in enumerate(found) if of is None and texts[number]]
    for number in firsts:
        for earlier in firsts:
            if earlier < number:
                assert likeness(signatures[earlier], signatures[number]) < 0.7
