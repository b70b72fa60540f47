from __future__ import annotations

import pytest

from trivium.parsing.detect import detect
from trivium.parsing.plain import (
    LONGEST_SUMMARY,
    Names,
    domain_of,
    module_name_of,
    plain,
    summary_of,
    title_of,
)
from trivium.types import Document, Location, Node, Span


def one_node(path: str, text: str) -> Node:
    parsed = plain(Document(path, text), detect(path, text))
    assert parsed.edges == ()
    (node,) = parsed.nodes
    return node


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# My Title\ntext", "My Title"),
        ("## S", "S"),
        ("text first\n# Later", "Later"),
        ("# Closed ##", "Closed"),
        ("#nospace", "#nospace"),
        ("\n\n  first line \nsecond", "first line"),
        ("", "notes.txt"),
        (" \n\t\n", "notes.txt"),
        ("x" * 100, "x" * 100),
        ("x" * 200, "x" * 100 + "..."),
        ("あ" * 200, "あ" * 100 + "..."),
    ],
)
def test_the_title_is_the_first_heading_or_line_or_the_file_name_g117(
    text: str, title: str
) -> None:
    assert title_of(text, "notes.txt") == title


def test_a_text_file_is_one_document() -> None:
    node = one_node("notes/today.txt", "Buy milk.\nAnd bread.\n\nLater.\n")

    assert (node.id, node.type, node.title) == ("doc:notes/today.txt", "document", "Buy milk.")
    assert node.description == "Buy milk. And bread."
    assert node.domain == "notes"
    assert node.source == Location("notes/today.txt", 1, 4)
    assert node.own == (Span(0, 29),)


def test_a_data_file_is_one_file_node() -> None:
    node = one_node("a.json", "{}")

    assert (node.id, node.type, node.name, node.domain) == ("file:a.json", "file", "a.json", "")


def test_code_without_a_parser_is_one_module() -> None:
    node = one_node("src/main.kt", "fun main() {}")

    assert (node.id, node.type, node.name) == ("code:src/main.kt", "module", "main")
    assert node.language == "kotlin"


def test_an_empty_file_owns_no_text() -> None:
    node = one_node("a.txt", " \n")

    assert node.own == ()
    assert node.name == "a.txt"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/auth/validate.ts", "validate"),
        ("src/auth/index.ts", "auth"),
        ("src/geo/mod.rs", "geo"),
        ("pkg/__init__.py", "pkg"),
        ("index.js", "index"),
        ("src/mod.py", "mod"),
        ("a/b.test.ts", "b.test"),
        ("a/.eslintrc", ".eslintrc"),
    ],
)
def test_a_module_is_named_by_its_stem_or_by_the_folder_it_stands_for(path: str, name: str) -> None:
    assert module_name_of(path) == name


def test_the_domain_is_the_first_folder() -> None:
    assert (domain_of("a/b/c.md"), domain_of("c.md")) == ("a", "")


def test_a_long_summary_ends_with_a_sentence_or_a_word() -> None:
    sentences = summary_of("One sentence here. " * 50)
    words = summary_of("word " * 200)
    unbroken = summary_of("x" * 1000)

    assert sentences.endswith("here.")
    assert words.endswith("word…")
    assert max(map(len, (sentences, words, unbroken))) == len(unbroken) == LONGEST_SUMMARY


def test_equal_names_are_numbered_in_order() -> None:
    names = Names()

    assert [names.unique("a") for _ in range(3)] == ["a", "a~2", "a~3"]


def test_a_name_that_looks_numbered_is_not_given_twice() -> None:
    names = Names()
    given = [names.unique(name) for name in ("a~2", "a", "a", "a", "a~2", "a")]

    assert len(set(given)) == len(given)
