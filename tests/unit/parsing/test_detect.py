from __future__ import annotations

import pytest

from trivium.parsing.detect import UNKNOWN, FileType, detect
from trivium.types import Kind


@pytest.mark.parametrize(
    ("path", "language", "parser"),
    [
        ("a/b.py", "python", "python"),
        ("a.pyi", "python", "python"),
        ("a.ts", "typescript", "typescript"),
        ("a.d.ts", "typescript", "typescript"),
        ("a.tsx", "typescript", "tsx"),
        ("a.jsx", "javascript", "javascript"),
        ("a.mjs", "javascript", "javascript"),
        ("a.go", "go", "go"),
        ("a.rs", "rust", "rust"),
        ("A.java", "java", "java"),
        ("A.JAVA", "java", "java"),
        ("a.kt", "kotlin", "plain"),
        ("a.cpp", "c++", "plain"),
        ("a.sh", "shell", "plain"),
    ],
)
def test_code_is_known_by_its_extension(path: str, language: str, parser: str) -> None:
    assert detect(path, "") == FileType(Kind.CODE, language, parser)


@pytest.mark.parametrize(
    "path",
    ["a.md", "a.markdown", "a.mdx", "a.rst", "a.adoc", "a.txt", "README", "x/LICENSE", "CHANGELOG"],
)
def test_prose_is_a_doc(path: str) -> None:
    assert detect(path, "").kind is Kind.DOC


@pytest.mark.parametrize(
    "path", ["a.json", "a.yml", "a.toml", "a.ini", "Makefile", "Dockerfile", "Dockerfile.dev"]
)
def test_data_and_build_files_are_files(path: str) -> None:
    file_type = detect(path, "")

    assert file_type.kind is Kind.FILE
    assert file_type.language


def test_only_markdown_has_the_markdown_parser() -> None:
    assert detect("a.mdx", "").parser == "markdown"
    assert detect("a.rst", "").parser == "plain"
    assert detect("README", "").parser == "plain"


def test_a_known_extension_wins_over_a_known_stem() -> None:
    assert detect("license.py", "").language == "python"
    assert detect("README.md", "").parser == "markdown"
    assert detect("README.ja", "").kind is Kind.DOC


def test_a_whole_name_wins_over_the_extension() -> None:
    assert detect("CMakeLists.txt", "").language == "cmake"


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ("#!/usr/bin/env python3.12 -u\n", "python"),
        ("#!/usr/bin/env -S node --flag\n", "javascript"),
        ("#! /bin/bash\n", "shell"),
        ("#!/opt/ruby\n", "ruby"),
    ],
)
def test_a_file_without_extension_is_known_by_its_shebang(head: str, language: str) -> None:
    assert detect("bin/run", head).language == language


@pytest.mark.parametrize("path", ["", "a", "a.", ".", "/", "a.unheard", "a/b/"])
def test_what_nobody_knows_is_a_plain_file(path: str) -> None:
    assert detect(path, "hello") == UNKNOWN


def test_a_hidden_file_named_like_an_extension_has_none() -> None:
    assert detect(".py", "") == UNKNOWN
