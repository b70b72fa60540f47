"""Laws of keywords and operators: both backends score them alike, and any text has them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.analysis.keywords import KEYWORDS, keywords
from trivium.analysis.syntax import keywords_of, operators, operators_of
from trivium.backends.base import Backend, Snapshot
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.reference.store import ReferenceBackend
from trivium.errors import QuerySyntaxError
from trivium.filtering.conditions import EVERYTHING
from trivium.query.parse import parse
from trivium.ranking.profile import profile
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import Kind

WORDS = ["key", "cacheHit", "if", "return", "for", "co_await", "fn", "let", "x"]
SIGNS = ["&&", "->", "=>", "::", "(", ")", "{", "}", "!=", "==", ".", ";"]
BESIDE = ['"', "'", "`", "// if &&\n", "# for ->\n", "/* x */", "\n", "\\", '"""', "'a"]
LANGUAGES = ["javascript", "python", "rust", "c++", "nothing known"]
INTENTS = ["code", "prose", "path", "url", "mixed"]
LAW = settings(deadline=None, max_examples=120)


def fill(backend: Backend) -> None:
    chance = random.Random(5)  # noqa: S311 - repeatable, not secret
    for number in range(12):
        sections = [
            Section(
                f"{chance.choice(WORDS)}{number}x{place}",
                " ".join(chance.choices(WORDS * 3 + SIGNS * 3 + BESIDE, k=chance.choice((3, 60)))),
                chance.choice((Kind.CODE, Kind.CODE, Kind.CODE, Kind.DOC)),
                language=chance.choice(LANGUAGES),
            )
            for place in range(4)
        ]
        write(backend, [make_file(f"file{number}", sections)])


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Snapshot, Snapshot]]:
    place = tmp_path_factory.mktemp("fields")
    with ExitStack() as held:
        reference = ReferenceBackend()
        embedded = EmbeddedBackend(place / "collection", store=place / "store")
        held.callback(embedded.close)
        fill(reference)
        fill(embedded)
        yield held.enter_context(reference.snapshot()), held.enter_context(embedded.snapshot())


items = st.one_of(
    st.sampled_from([*WORDS, *SIGNS, "OR", "AND", "f(x)", "a->b", '"return x"', '"->"', "re*"]),
    st.sampled_from(WORDS).map(lambda word: f"-{word}"),
)


@LAW
@given(st.lists(items, min_size=1, max_size=6).map(" ".join), st.sampled_from(INTENTS))
def test_both_backends_find_and_score_the_same(
    pair: tuple[Snapshot, Snapshot], typed: str, intent: str
) -> None:
    try:
        query = parse(typed, dialect="contract")
    except QuerySyntaxError:
        return
    scope = next(one for one in profile("contract").scopes if one.view.analyser == "code")
    view = scope.asked(deep=False, intent=intent)
    expected, found = (one.text(view).search(query, where=EVERYTHING, depth=1000) for one in pair)

    scores = dict(zip(expected.ids, expected.scores, strict=True))
    assert dict(zip(found.ids, found.scores, strict=True)) == pytest.approx(scores, rel=1e-4)


def test_the_files_of_the_law_have_keywords_and_operators(pair: tuple[Snapshot, Snapshot]) -> None:
    view = profile("contract").scopes[0].asked(deep=False, intent="code")

    for typed in ("&&", "=>", "f(x)", "return", "co_await"):
        query = parse(typed, dialect="contract")
        for snapshot in pair:
            assert snapshot.text(view).search(query, where=EVERYTHING, depth=9).ids, typed


code = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from([*WORDS, *SIGNS, *BESIDE]), max_size=60).map("".join),
    st.lists(st.sampled_from([*WORDS, *SIGNS, *BESIDE]), max_size=60).map(" ".join),
)


@LAW
@given(code, st.sampled_from([*KEYWORDS, "unknown"]))
def test_what_is_picked_stands_in_the_text_and_is_of_its_kind(text: str, language: str) -> None:
    signs, words = operators_of(text, language=language), keywords_of(text, language=language)

    assert all(sign in text and len(sign) <= 4 for sign in signs)
    assert operators(" ".join(signs)) == signs
    assert keywords(language).issuperset(words)
    assert all(word in text.lower() for word in words)


@LAW
@given(st.lists(st.sampled_from([*WORDS, *SIGNS]), max_size=40), st.sampled_from([*KEYWORDS]))
def test_code_without_comments_and_strings_loses_nothing(items: list[str], language: str) -> None:
    # A sign that begins a line may begin a comment.
    text = " ".join(["x", *items])

    assert operators_of(text, language=language) == [one for one in items if one in SIGNS]
    wanted = [one for one in items if one in keywords(language)]
    assert keywords_of(text, language=language) == wanted
