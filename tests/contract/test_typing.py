"""Misspelt and half-typed queries are answered alike by every backend."""

from __future__ import annotations

import pytest

from trivium.backends.base import Backend
from trivium.engine import search
from trivium.filtering.conditions import EVERYTHING, Filter, build
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


def _answer(
    backend: Backend, text: str, *, as_you_type: bool = False, where: Filter = EVERYTHING
) -> Answer:
    options = SearchOptions(profile("best"), where=where, as_you_type=as_you_type, explain=True)
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


def test_a_prefix_finds_all_that_starts_so_and_what_has_most_of_it_first(
    any_backend: Backend,
) -> None:
    texts = {
        "a": "A sextant and a compass.",
        "b": "The server and the service of a server.",
        "c": "Servers.",
        "d": "A compass.",
        "e": "A servant.",
    }
    write(any_backend, [make_file(f"{n}.md", [Section(n, text)]) for n, text in texts.items()])

    answer = _answer(any_backend, "se*")

    assert _found(answer) == {"a", "b", "c", "e"}
    # What has most of the words comes first, not the first file.
    assert answer.results[0].source.file_path == "b.md"
    assert _found(_answer(any_backend, "se* AND compass")) == {"a"}
    assert _found(_answer(any_backend, "compass -se*")) == {"d"}
    assert _found(_answer(any_backend, "se*", as_you_type=True)) == {"a", "b", "c", "e"}


def test_what_a_prefix_found_is_marked_and_no_weak_hit(filled: Backend) -> None:
    (hit,) = _answer(filled, "validat*").results

    assert [hit.snippet[first:last] for first, last in hit.highlights] == ["validation"]
    assert hit.breakdown is not None
    assert "validat* = valid" in str(hit.breakdown)
    assert not is_weak(hit.confidence)


@pytest.mark.parametrize(
    ("text", "filters", "better"),
    [
        ("pasword", {}, "password"),
        ("pasword", {"path": "auth"}, "password"),
        ("pasword", {"path": "code"}, ""),
        ("pasword profile", {"path": "code"}, ""),
        ("pasword profle", {"path": "code"}, "pasword profile"),
        ("pasword AND zzzzzzzz", {}, ""),
        ("pasword AND profle", {}, ""),
        ("pasword zzzzzzzz", {}, "password zzzzzzzz"),
        ("pasword path:code", {}, ""),
    ],
)
def test_only_a_correction_that_finds_something_is_offered(
    filled: Backend, text: str, filters: dict[str, str], better: str
) -> None:
    answer = _answer(filled, text, where=build(filters))

    assert answer.better == better
    assert answer.suggestions[:1] == ((better,) if better else ())


def test_a_filter_does_not_decide_which_words_are_looked_for(filled: Backend) -> None:
    every = _answer(filled, "pasword")
    fewer = _answer(filled, "pasword", where=build({"path": "code"}))

    assert [note for note in every.notes if "near words" in note] == [
        note for note in fewer.notes if "near words" in note
    ]


def test_what_is_shown_at_a_key_is_whole_lines_and_sentences(any_backend: Backend) -> None:
    long = "Nobody reads this first sentence, which is here to be long. " * 6
    write(any_backend, [make_file("a.md", [Section("a", long + "The password is checked.")])])

    (hit,) = _answer(any_backend, "passw", as_you_type=True).results

    assert hit.snippet.endswith("The password is checked.")
    assert "..." not in hit.snippet


def test_nothing_found_at_a_key_names_no_names(filled: Backend) -> None:
    whole = _answer(filled, "japanase AND zzzzzzzz")
    typed = _answer(filled, "japanase AND zzzzzzzz", as_you_type=True)

    assert not whole.results
    assert not typed.results
    assert any(note.startswith("names near it") for note in whole.notes)
    assert not any(note.startswith("names near it") for note in typed.notes)
