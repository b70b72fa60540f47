"""How far a word and its stem begin alike, which finding words by their start relies on."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from trivium.analysis.words import analyser
from trivium.results.matching import marked

STANDARD = analyser("standard")
SUFFIXES = """s es ed ing ied ies ly er ers ation ational ization izer ness fulness ousness ment
    able ible al ical ive ize ism ist ity y ying eed eedly edly ingly ogist li""".split()  # noqa: SIM905 - reads best as words


def is_marked(word: str) -> bool:
    wanted = frozenset(STANDARD.terms(word))
    return not wanted or marked(word, wanted, STANDARD)[0] == ((0, len(word)),)


@given(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=6),
    st.lists(st.sampled_from(SUFFIXES), max_size=3).map("".join),
)
def test_every_word_is_marked_where_its_own_stem_is_wanted(stem: str, suffix: str) -> None:
    assert is_marked(stem + suffix)


def test_every_word_of_our_own_documents_is_marked_where_its_stem_is_wanted() -> None:
    docs = Path(__file__).parents[2] / "docs"
    words = {
        one for page in docs.glob("*.md") for one in re.findall(r"[A-Za-z_]+", page.read_text())
    }

    assert len(words) > 1000
    assert [one for one in sorted(words) if not is_marked(one.strip("_"))] == []
