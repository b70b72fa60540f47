"""A query that is still being typed finds what its last word may become."""

from __future__ import annotations

import pytest

from trivium.backends.base import Backend
from trivium.backends.reference.store import ReferenceBackend
from trivium.engine import search
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.profile import profile
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import Answer

_TEXTS = {
    "auth": "The password is hashed after validation.",
    "guide": "A passport is checked by the server.",
    "code": "getUserProfile reads the profile",
    "japanese": "全文検索エンジンは速い",
}


@pytest.fixture
def backend() -> Backend:
    made = ReferenceBackend()
    write(made, [make_file(f"{name}.md", [Section(name, text)]) for name, text in _TEXTS.items()])
    return made


def _answer(backend: Backend, text: str, *, as_you_type: bool = True, limit: int = 10) -> Answer:
    options = SearchOptions(profile("best"), as_you_type=as_you_type, limit=limit)
    with backend.snapshot() as snapshot:
        return search(snapshot, text, options=options, given=Circumstances("test"))


def _found(backend: Backend, text: str) -> set[str]:
    return {hit.source.file_path for hit in _answer(backend, text).results}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p", "auth guide code"),
        ("pass", "auth guide"),
        ("passw", "auth"),
        ("passw ", ""),
        ("checked passw", "auth guide"),
        ("val", "auth"),
        ("valida", "auth"),
        ("validatio", "auth"),
        ("VALIDAT", "auth"),
        ("getus", "code"),
        ("getUserPro", "code"),
        ("検", "japanese"),
        ("検索エ", "japanese"),
        ("checked AND passw", ""),
        ("checked AND passp", "guide"),
        ("(passw", "auth"),
        ('"passw', "auth"),
        ("lang:p", ""),
        ("", ""),
        ("   ", ""),
        ("p" * 10_000, ""),
    ],
)
def test_the_last_word_may_go_on_unless_a_space_follows(
    backend: Backend, text: str, expected: str
) -> None:
    assert _found(backend, text) == {f"{one}.md" for one in expected.split()}


def test_every_start_of_a_word_finds_it(backend: Backend) -> None:
    for length in range(1, len("validation") + 1):
        assert "auth.md" in _found(backend, "validation"[:length])


def test_the_word_as_it_stands_comes_before_those_it_may_become() -> None:
    backend = ReferenceBackend()
    texts = {"long": "password here", "short": "pass here"}
    write(
        backend, [make_file(f"{name}.md", [Section("one", text)]) for name, text in texts.items()]
    )

    first = _answer(backend, "pass").results[0]

    assert first.source.file_path == "short.md"


def test_the_answer_has_its_usual_shape_and_no_model_is_asked(backend: Backend) -> None:
    answer = _answer(backend, "passw")

    assert (answer.method, answer.embedder, answer.total) == ("bm25", "none", 1)
    assert answer.results[0].highlights
    assert answer.results[0].reason == "has password"
    assert answer.coverage.files == len(_TEXTS)


def test_a_shorter_page_is_the_start_of_a_longer_one(backend: Backend) -> None:
    every = [hit.id for hit in _answer(backend, "p").results]
    for limit in range(len(every)):
        assert [hit.id for hit in _answer(backend, "p", limit=limit).results] == every[:limit]


def test_without_it_the_last_word_is_a_word(backend: Backend) -> None:
    assert _answer(backend, "passp", as_you_type=False).results == ()


def test_prefixes_in_text_without_spaces_score_by_what_stands_there() -> None:
    backend = ReferenceBackend()
    texts = {
        "a": "全文検索エンジンは速い。長い文章が続くのでここでは一度だけ",
        "b": "検索エンジン、検索エンジン",
    }
    write(backend, [make_file(f"{name}.md", [Section(name, text)]) for name, text in texts.items()])
    answer = _answer(backend, "検索エ*", as_you_type=False)

    assert [hit.source.file_path for hit in answer.results] == ["b.md", "a.md"]


@pytest.mark.parametrize("text", ["_*", "&*", "zzz*", "p" * 200 + "*"])
def test_a_prefix_of_no_word_still_finds_nothing(backend: Backend, text: str) -> None:
    assert not _answer(backend, text, as_you_type=False).results
