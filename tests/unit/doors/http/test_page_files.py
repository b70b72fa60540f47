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


def test_the_page_stays_small() -> None:
    assert sum(file.stat().st_size for file in FILES) < 196_000
    # As it is sent.
    assert sum(len(gzip.compress(file.read_bytes(), mtime=0)) for file in FILES) < 72_000
