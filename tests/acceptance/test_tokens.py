"""Cases G90 to G93: how text becomes terms in the graph profile, and what is found by them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.analysis.words import graph_terms
from trivium.collection import Collection

Open = Callable[..., Collection]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("XMLParser", ["xml", "parser"]),
        ("parseHTML", ["parse", "html"]),
        ("src/auth.ts::loginUser", ["src", "auth", "ts", "login", "user"]),
        ("hello-world_foo.bar", ["hello", "world", "foo", "bar"]),
    ],
)
def test_g90_names_are_split_at_case_and_punctuation(text: str, terms: list[str]) -> None:
    assert graph_terms(text) == terms


def test_g91_by_is_a_stop_word_unless_stop_words_are_off() -> None:
    assert graph_terms("getUserById") == ["get", "user", "id"]
    assert graph_terms("getUserById", stop_words=()) == ["get", "user", "by", "id"]


def test_g92_words_that_mean_something_in_code_are_kept() -> None:
    kept = ["for", "if", "not", "is", "has", "can", "do"]

    assert graph_terms(" ".join(kept)) == kept
    assert graph_terms("the a an and or but") == []


def test_g93_two_arabic_words_are_two_terms() -> None:
    assert len(graph_terms("مرحبا بالعالم")) == 2


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Поиск по исходному коду", "коду"),
        ("مرحبا بالعالم", "بالعالم"),
        ("全文検索エンジンの設計", "検索"),
    ],
)
def test_g93_every_script_is_found_and_a_cjk_query_inside_a_run(
    folder: Path, opened_on_each: Open, text: str, query: str
) -> None:
    (folder / "there.md").write_text(text + "\n", encoding="utf-8")
    (folder / "other.md").write_text("Something else\n", encoding="utf-8")
    collection = opened_on_each(folder, embedding__model="none")
    collection.sync()

    found = collection.search(query)

    assert [hit.source.file_path for hit in found.results] == ["there.md"]
