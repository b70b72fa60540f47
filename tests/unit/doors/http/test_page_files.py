"""The files of the web page, read as text: all there, nothing inline, nothing from elsewhere."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

import trivium

FOLDER = Path(trivium.__file__).parent / "doors" / "http" / "page"
FILES = sorted(FOLDER.iterdir())
TEXTS = {file.name: file.read_text(encoding="utf-8") for file in FILES}
ASSET = re.compile(r"/assets/([\w.-]+)")
LATER = re.compile(r"\bimport\(\"/assets/[\w.-]+\"\)")
# Names of languages, not places that are asked for anything.
NAMESPACES = ("http://www.w3.org/2000/svg",)
# Whatever turns a string into part of the page, or into a program.
PARSES = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment"
    r"|srcdoc|\beval\(|new Function|setTimeout\(\s*[\"'`]"
)


def asked_for() -> set[str]:
    return {name for text in TEXTS.values() for name in ASSET.findall(text)}


def test_everything_that_is_asked_for_is_there() -> None:
    assert asked_for() <= set(TEXTS)


def test_every_file_is_asked_for() -> None:
    assert set(TEXTS) - asked_for() == {"index.html"}


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_nothing_comes_from_another_address(name: str) -> None:
    text = TEXTS[name]
    for one in NAMESPACES:
        text = text.replace(one, "")

    assert re.findall(r"(?:https?:|[\"'(])//[a-z0-9-]+\.[a-z]{2,}", text) == []


def test_the_page_has_nothing_inline() -> None:
    page = TEXTS["index.html"]

    assert re.findall(r"\s(?:style|on[a-z]+)=", page) == []
    assert re.findall(r"<style|<script(?![^>]*\ssrc=)", page) == []


@pytest.mark.parametrize("name", sorted(name for name in TEXTS if name.endswith(".js")))
def test_no_module_parses_a_string_as_a_page_or_a_program(name: str) -> None:
    assert PARSES.findall(TEXTS[name]) == []


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_file_is_no_longer_than_can_be_read(name: str) -> None:
    assert len(TEXTS[name].splitlines()) <= 400


def loaded(*first: str, but: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the files that come with some, one leading to the next, without those that have come.

    What is imported when somebody opens it does not come with the file that opens it.
    """
    found: set[str] = set()
    left = list(first)
    while left:
        name = left.pop()
        if name not in found | but:
            found.add(name)
            left += ASSET.findall(LATER.sub("", TEXTS[name]))
    return frozenset(found)


def size(names: frozenset[str], *, as_sent: bool = False) -> int:
    read = [(FOLDER / name).read_bytes() for name in names]
    return sum(len(gzip.compress(one, mtime=0)) if as_sent else len(one) for one in read)


def test_the_page_stays_small() -> None:
    page = loaded("index.html")

    assert size(page) < 200_000
    assert size(page, as_sent=True) < 73_000


def test_what_memory_loads_when_it_is_opened_stays_small() -> None:
    page = loaded("index.html")
    reading = loaded("memory.js", but=page)
    late = ("dragging.js", "moving.js", "acting.js", "editor.js", "many.js")
    writing = loaded(*late, but=page | reading)

    assert page | reading | writing == set(TEXTS)
    assert size(reading) < 61_000
    assert size(writing) < 52_000
    assert size(reading, as_sent=True) < 24_000
    assert size(writing, as_sent=True) < 19_000
