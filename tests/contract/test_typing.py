"""Misspelt and half-typed queries are answered alike by every backend."""

from __future__ import annotations

import pytest

from trivium.backends.base import Backend
from trivium.engine import search
from trivium.options import Circumstances, SearchOptions
from trivium.query.synonyms import read
from trivium.ranking.confidence import is_weak
from trivium.ranking.profile import profile
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import Answer

_TEXTS = {
    "auth": "The password is hashed after validation.",
    "login": "Authentication needs a password, and a vessel of salt.",
    "code": "getUserProfile reads the profile of a request",
    "japanese": "全文検索エンジンは速い",
}
_SYNONYMS = read("ship, vessel", origin="words.txt")


@pytest.fixture
def filled(any_backend: Backend) -> Backend:
    files = [make_file(f"{name}.md", [Section(name, text)]) for name, text in _TEXTS.items()]
    write(any_backend, files)
    return any_backend


def _answer(backend: Backend, text: str, *, as_you_type: bool = False) -> Answer:
    options = SearchOptions(profile("best"), as_you_type=as_you_type, explain=True)
    given = Circumstances("test", synonyms=_SYNONYMS)
    with backend.snapshot() as snapshot:
        return search(snapshot, text, options=options, given=given)


def _found(answer: Answer) -> set[str]:
    return {hit.source.file_path.removesuffix(".md") for hit in answer.results}


@pytest.mark.parametrize(
    ("text", "found", "better"),
    [
        ("pasword", "auth login", "password"),
        ("validaton", "auth", "validation"),
        ("autentcation", "login", "authentication"),
        ("getUserProfle", "code", "getUserProfile"),
        ("pasword AND salt", "login", "password AND salt"),
        ("pasword -salt", "auth", "password -salt"),
        ("passwords", "auth login", ""),
        ("ship", "login", ""),
        ("zzzzzzzz", "", ""),
        ("p" * 10_000, "", ""),
    ],
)
def test_a_finished_query_is_read_as_it_was_meant(
    filled: Backend, text: str, found: str, better: str
) -> None:
    answer = _answer(filled, text)

    assert _found(answer) == set(found.split())
    assert answer.better == better
    assert answer.suggestions[:1] == ((better,) if better else ())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("pass", "auth login"),
        ("validatio", "auth"),
        ("getus", "code"),
        ("検索エ", "japanese"),
        ("p", "auth login code"),
        ("x" * 10_000, ""),
    ],
)
def test_a_query_that_is_being_typed_goes_on(filled: Backend, text: str, found: str) -> None:
    assert _found(_answer(filled, text, as_you_type=True)) == set(found.split())


def test_what_was_written_a_moment_ago_is_known_and_what_was_removed_is_not(
    filled: Backend,
) -> None:
    assert _answer(filled, "walruss").better == ""

    write(filled, [make_file("zoo.md", [Section("zoo", "a walrus")])])
    assert _answer(filled, "walruss").better == "walrus"
    assert _found(_answer(filled, "walr", as_you_type=True)) == {"zoo"}

    write(filled, [], removed=["zoo.md"])
    assert _answer(filled, "walruss").better == ""
    assert _found(_answer(filled, "walr", as_you_type=True)) == set()


def test_five_hundred_unknown_words_are_answered_and_the_answer_says_how(filled: Backend) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    text = " ".join(f"pasword{letters[n % 26]}{letters[n // 26]}" for n in range(500))

    answer = _answer(filled, text)

    assert "only the first 8 unknown words were looked up by near ones" in answer.notes


@pytest.mark.parametrize(
    ("text", "meant", "as_you_type"),
    [
        ("validatio", "validation", True),
        ("hashed valid", "hashed validation", True),
        ("ship", "vessel", False),
        ("pasword", "password", False),
    ],
)
def test_a_word_that_another_stands_for_does_not_make_a_hit_weak(
    filled: Backend, text: str, meant: str, as_you_type: bool
) -> None:
    (said, *_) = _answer(filled, text, as_you_type=as_you_type).results
    (whole, *_) = _answer(filled, meant, as_you_type=as_you_type).results

    assert said.id == whole.id
    assert said.evidence is not None
    assert said.evidence.known == said.evidence.coverage == 1
    assert not is_weak(said.confidence)


def test_the_start_of_no_word_is_still_unknown(filled: Backend) -> None:
    (hit, *_) = _answer(filled, "password zzz", as_you_type=True).results

    assert hit.evidence is not None
    assert hit.evidence.coverage < 1
