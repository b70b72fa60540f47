"""Names spelt nearly like a query are those that comparing each of them would give."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from trivium.filtering.conditions import fold
from trivium.query.spelling import edits
from trivium.results.nearest import MOST, near_names

_WORDS = ("password", "parser", "readr", "getuser", "naïve", "検索結果", "aab", "abba")
_PIECES = st.sampled_from(
    (
        "pass",
        "word",
        "wrod",
        "_",
        ".",
        "py",
        "parse",
        "r",
        "get",
        "User",
        "a",
        "b",
        "ï",
        "検索",
        " ",
    )
)
_NAMES = st.lists(_PIECES, min_size=1, max_size=5).map(lambda some: fold("".join(some)))


def _one_by_one(wanted: list[str], names: list[str]) -> list[str]:
    """Compare every name with every word, letter by letter."""
    least: dict[str, int] = {}
    for word in wanted:
        most = 2 if len(word) >= 6 else 1
        for name in names:
            for said in {name, name.rpartition(".")[0] if "." in name else name}:
                form = re.sub(r"[\W_]+", "", said)
                wrong = edits(word, form, most=most) if 3 <= len(form) <= 60 else None
                if wrong is not None:
                    least[name] = min(wrong, least.get(name, wrong))
    return sorted(least, key=lambda name: (least[name], name))[: 2 * MOST]


@given(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3), st.lists(_NAMES, unique=True))
def test_the_same_names_are_near_as_if_each_were_compared(
    wanted: list[str], names: list[str]
) -> None:
    assert near_names(wanted, names) == _one_by_one(wanted, names)


def test_names_that_came_since_are_near_though_the_list_is_as_long() -> None:
    assert near_names(["password"], ["pasword", "other"]) == ["pasword"]
    assert near_names(["password"], ["another", "passwordd"]) == ["passwordd"]


def test_a_word_without_a_name_near_it_and_no_names_at_all_give_nothing() -> None:
    assert near_names(["password"], []) == []
    assert near_names([], ["password"]) == []
    assert near_names(["é" * 10], ["password", "a"]) == []
