"""The page of languages is made from the tables, so it may not differ from them."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

from trivium.parsing.code.matrix import page
from trivium.parsing.detect import languages
from trivium.types import Kind

PAGE = Path(__file__).parents[2] / "docs" / "languages.md"


def cells(text: str, *, part: str, row: str) -> dict[str, str]:
    """Return the first row called `row` after the heading `part`, by the titles of its columns."""
    lines = text[text.index(f"{part}\n") :].splitlines()
    titles = next(line for line in lines if line.startswith("| "))
    found = next(line for line in lines if line.startswith(f"| {row} |"))
    return dict(zip(_split(titles), _split(found), strict=True))


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_page_is_fresh() -> None:
    written = PAGE.read_text(encoding="utf-8")

    assert written == page(), "run: python -m trivium.parsing.code.matrix > docs/languages.md"


def test_every_table_has_its_row() -> None:
    folder = resources.files("trivium.parsing.code").joinpath("tables")
    tables = {one.name.removesuffix(".toml") for one in folder.iterdir()}
    read = {row.file_type.language for row in languages() if row.file_type.parser in tables}

    assert tables <= {row.file_type.parser for row in languages()}
    for language in read:
        assert cells(page(), part="## Code", row=language)["files"]
        assert cells(page(), part="### Facts about each symbol", row=language)


@pytest.mark.parametrize("row", languages(), ids=lambda row: row.file_type.language)
def test_every_ending_is_on_the_page(row: object) -> None:
    for ending in getattr(row, "extensions", ()):
        assert f"`.{ending}`" in page()


@pytest.mark.parametrize(
    ("language", "fact", "expected"),
    [
        ("python", "params", "yes"),
        ("python", "calls", "yes"),
        ("zig", "implements", ""),
        ("shell", "params", ""),
        ("sql", "imports", ""),
        ("haskell", "implements", "yes"),
    ],
)
def test_a_fact_is_there_when_the_table_asks_for_it(
    language: str, fact: str, expected: str
) -> None:
    assert cells(page(), part="## Code", row=language)[fact] == expected


@pytest.mark.parametrize(
    ("language", "fact", "expected"),
    [
        ("python", "generator", "yes"),
        ("dart", "awaits", "yes"),
        ("lua", "awaits", ""),
        ("haskell", "loops", ""),
        ("elixir", "aliases", ""),
        ("sql", "paramTypes", "yes"),
    ],
)
def test_so_is_a_fact_about_symbols(language: str, fact: str, expected: str) -> None:
    part = "### Facts about each symbol"

    assert cells(page(), part=part, row=language)[fact] == expected


def test_the_types_of_nodes_are_those_the_reader_gives_out() -> None:
    types = {
        language: cells(page(), part="## Code", row=language)["types of nodes"].split(", ")
        for language in ("sql", "shell", "r")
    }

    assert types["shell"] == ["function", "constant", "variable"]
    assert "table" in types["sql"]
    assert "struct" not in types["sql"]
    assert "constructor" in types["r"]
    assert "method" in types["r"]


def test_languages_without_a_table_are_listed_as_text() -> None:
    text = page()
    listed = text[text.index("### Recognised, read as text") : text.index("## Documents")]

    assert re.search(r"^\| julia \|", listed, re.MULTILINE)
    assert re.search(r"^\| shell \| `.fish`", listed, re.MULTILINE)
    assert not re.search(r"^\| python \|", listed, re.MULTILINE)


def test_every_format_of_documents_says_what_reads_it() -> None:
    for row in languages():
        if row.file_type.kind is Kind.DOC:
            assert cells(page(), part="## Documents", row=row.file_type.language)["read by"]
