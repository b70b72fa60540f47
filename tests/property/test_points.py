"""Laws of keyword points: never a failure, a sum of parts, and more text never scores less."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.ranking.points import points

WORDS = st.sampled_from(["cat", "dog", "c++", "foo(", ".*", "[", "\\", "the", "other", "É"])
QUERIES = st.one_of(st.lists(WORDS, max_size=5).map(" ".join), st.text(max_size=30))
TEXTS = st.one_of(st.lists(WORDS, max_size=30).map(" ".join), st.text(max_size=200))
LAW = settings(deadline=None, max_examples=300)


@LAW
@given(QUERIES, TEXTS, TEXTS)
def test_a_score_is_the_sum_of_its_parts_and_no_more_is_found_than_was_asked(
    query: str, title: str, content: str
) -> None:
    found = points(query, title=title, content=content)

    assert found.score == math.fsum(part.value for part in found.parts)
    assert 0 <= found.matched <= found.total == len(set(query.lower().split()))
    assert all(part.value > 0 for part in found.parts)
    assert (found.score > 0) == (found.matched > 0)
    assert len({part.name for part in found.parts}) == len(found.parts)


@LAW
@given(QUERIES, TEXTS, TEXTS)
def test_text_behind_a_text_takes_no_points_away(query: str, content: str, more: str) -> None:
    short = points(query, title="", content=content)
    longer = points(query, title="", content=f"{content}\n{more}")

    assert longer.score >= short.score
    assert longer.matched >= short.matched


@LAW
@given(st.permutations(["cat", "dog", "c++"]), TEXTS)
def test_the_order_of_the_terms_matters_only_to_the_phrase(query: list[str], content: str) -> None:
    def without_phrase(terms: list[str]) -> list[tuple[str, float]]:
        parts = points(" ".join(terms), title="", content=content).parts
        return [(part.name, part.value) for part in parts if part.name != "phrase"]

    assert without_phrase(query) == without_phrase(sorted(query))
