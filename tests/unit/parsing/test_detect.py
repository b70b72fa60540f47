from __future__ import annotations

import pytest

from trivium.parsing.detect import HEAD, UNKNOWN, FileType, detect
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
        ("a.kt", "kotlin", "kotlin"),
        ("a.c", "c", "c"),
        ("a.h", "c", "c"),
        ("a.cpp", "c++", "cpp"),
        ("a.hpp", "c++", "cpp"),
        ("a.cs", "c#", "csharp"),
        ("a.rb", "ruby", "ruby"),
        ("a.php", "php", "php"),
        ("a.swift", "swift", "swift"),
        ("a.scala", "scala", "scala"),
        ("a.lua", "lua", "lua"),
        ("a.ex", "elixir", "elixir"),
        ("a.hs", "haskell", "haskell"),
        ("a.lhs", "haskell", "plain"),
        ("a.zig", "zig", "zig"),
        ("a.sql", "sql", "sql"),
        ("a.dart", "dart", "dart"),
        ("a.R", "r", "r"),
        ("a.sh", "shell", "bash"),
        ("a.zsh", "shell", "bash"),
        (".bashrc", "shell", "bash"),
        ("a.fish", "shell", "plain"),
        ("a.vue", "vue", "plain"),
        ("a.jl", "julia", "plain"),
    ],
)
def test_code_is_known_by_its_extension(path: str, language: str, parser: str) -> None:
    assert detect(path, "") == FileType(Kind.CODE, language, parser)


@pytest.mark.parametrize(
    "path",
    [
        *("a.md", "a.markdown", "a.mdx", "a.rst", "a.adoc", "a.html", "a.txt"),
        *("a.ipynb", "a.pdf", "a.docx", "a.pptx", "a.xlsx", "a.epub"),
        *("README", "x/LICENSE", "CHANGELOG"),
    ],
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


@pytest.mark.parametrize(
    ("path", "parser"),
    [
        ("a.mdx", "markdown"),
        ("a.rst", "rst"),
        ("a.adoc", "asciidoc"),
        ("a.asciidoc", "asciidoc"),
        ("a.htm", "html"),
        ("a.xhtml", "html"),
        ("a.ipynb", "markdown"),
        ("a.pdf", "markdown"),
        ("a.docx", "markdown"),
        ("README", "plain"),
        ("a.txt", "plain"),
    ],
)
def test_every_format_of_prose_has_its_parser(path: str, parser: str) -> None:
    assert detect(path, "").parser == parser


@pytest.mark.parametrize("path", ["a.jsonl", "a.ndjson", "a.csv", "a.tsv"])
def test_files_of_rows_are_records(path: str) -> None:
    file_type = detect(path, "")

    assert (file_type.kind, file_type.parser) == (Kind.RECORD, "record")


@pytest.mark.parametrize("path", ["a.json", "a.yaml", "a.yml", "a.toml"])
def test_data_that_may_be_records_stays_a_file_until_it_is_read(path: str) -> None:
    file_type = detect(path, "")

    assert (file_type.kind, file_type.parser) == (Kind.FILE, "record")


LICENCE = (
    "/*\n" + " * This class of software comes with a public: template of promises.\n" * 60 + " */\n"
)


@pytest.mark.parametrize(
    "text",
    [
        "namespace a {\n",
        "namespace a::b\n{\n",
        "  class Server;\n",
        "class EXPORT Server final : public Base {\n",
        "class Server\n{\n",
        "struct Server : Base {\n",
        "template <class T> struct A;\n",
        "struct A {\n public:\n  int a;\n};\n",
        "enum class Colour { red };\n",
        "using Name = int;\n",
        "#include <vector>\n",
        "void run(std::size_t n);\n",
    ],
)
def test_a_header_that_only_cpp_can_read_is_cpp(text: str) -> None:
    assert detect("a.h", LICENCE + text) == FileType(Kind.CODE, "c++", "cpp")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#pragma once\n#include <stdint.h>\nstruct point { int x : 3; };\n",
        '#ifdef __cplusplus\nextern "C" {\n#endif\nint run(void);\n',
        "int class = 1, namespace = 2;\nint template(int public);\n",
        "struct a\n{\n  int b;\n};\n",
        "// a class of: things\nint run(void);\n",
    ],
)
def test_every_other_header_is_c(text: str) -> None:
    assert detect("a.h", LICENCE + text) == FileType(Kind.CODE, "c", "c")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#import <Foundation/Foundation.h>\n@implementation A\n@end\n", "objective-c"),
        ("// A view.\n\n@interface A : NSObject\n@end\n", "objective-c"),
        ("/* function */\n#include <stdio.h>\nint main() {}\n", "objective-c"),
        ("", "objective-c"),
        ("function y = f(x)\n  y = x;\nend\n", "matlab"),
        ("% Plots a wave.\nx = 0:0.1:1;\nplot(x)\n", "matlab"),
        ("classdef A < handle\nend\n", "matlab"),
        ("clear all\nx = rand(3);\n", "matlab"),
    ],
)
def test_m_is_objective_c_or_matlab_by_its_text(text: str, language: str) -> None:
    assert detect("a.m", text).language == language


@pytest.mark.parametrize(
    "pattern", ["a.", "#", "[", "\n", " ", "class ", "x = ", "namespace\n", "\t\n"]
)
@pytest.mark.parametrize("path", ["a.h", "a.m", "a"])
def test_a_large_head_costs_no_more_than_its_first_part(path: str, pattern: str) -> None:
    text = pattern * (2**20 // len(pattern))

    assert detect(path, text) == detect(path, text[:HEAD])


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


def test_a_table_of_a_database_is_read_as_json_lines() -> None:
    assert detect("data/app.db:orders", "") == detect("orders.jsonl", "")
    assert detect("data/App.SQLITE3:orders.old", "") == UNKNOWN
