"""What a snippet marks is what analysing every word of it would find."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.analysis.words import analyser
from trivium.results.matching import Sought, held, marked
from trivium.results.prose import prose
from trivium.results.stretch import whole

_PIECES = st.sampled_from(
    (
        *("t", "T", "tie", "dying", "Tes", "test", "_", "URLs", "x", "getUser", "s", ".", " "),
        *("skies", "sky", "to", "string", "2", "ö", "oing", "HTTPServer", "! ", ". The ", "\n"),
    )
)
_TEXTS = st.lists(_PIECES, max_size=25).map("".join)
_ASKED = st.lists(
    st.sampled_from(["t", "tie", "test", "s", "user", "x", "sky", "to_string", "server", "o"]),
    min_size=1,
    max_size=4,
).map(" ".join)


@pytest.mark.parametrize("name", ["standard", "simple", "code"])
@given(text=_TEXTS, asked=_ASKED)
def test_a_text_holds_the_terms_that_its_tokens_have(name: str, text: str, asked: str) -> None:
    words_of = analyser(name)
    wanted = frozenset(words_of.terms(asked))
    tokens = re.findall(r"\w+", text)
    every = Counter(term for token in tokens for term in wanted.intersection(words_of.terms(token)))

    assert held(text, wanted, words_of) == every


@given(text=_TEXTS, asked=_ASKED)
def test_a_part_is_marked_as_if_it_were_all_there_is(text: str, asked: str) -> None:
    words_of = analyser("standard")
    sought = Sought(frozenset(words_of.terms(asked)), words_of)
    shown = prose(whole(text), sought)
    # Terms that are not asked for make another matching, which has seen no text yet.
    alone = frozenset([*sought.terms, f"no{len(text)}such"])

    assert shown.marks == marked(shown.text, alone, words_of)[0]
