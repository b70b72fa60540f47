from __future__ import annotations

import pytest

from trivium.parsing.code import reader
from trivium.parsing.detect import FileType
from trivium.parsing.parse import folder_node, parse
from trivium.types import Document, Parsed


@pytest.mark.parametrize(
    ("path", "node_id"),
    [
        ("a.py", "code:a.py"),
        ("a.md", "doc:a.md"),
        ("a.txt", "doc:a.txt"),
        ("a.json", "file:a.json"),
        ("a.kt", "code:a.kt"),
        ("bin/tool", "file:bin/tool"),
    ],
)
def test_a_file_has_a_node_for_itself_and_one_for_its_content(path: str, node_id: str) -> None:
    nodes = parse(Document(path, "x = 1\n")).nodes

    assert nodes[0].id == f"file:{path}"
    assert nodes[0].type == "file"
    assert nodes[-1 if len(nodes) == 1 else 1].id == node_id


def test_a_file_lies_in_its_folder_and_contains_what_is_in_it() -> None:
    parsed = parse(Document("src/shop/a.py", "def f(): pass\n"))

    assert [(edge.source, edge.target) for edge in parsed.edges if edge.type == "contains"] == [
        ("file:src/shop", "file:src/shop/a.py"),
        ("file:src/shop/a.py", "code:src/shop/a.py"),
        ("code:src/shop/a.py", "code:src/shop/a.py#f"),
    ]


def test_a_file_is_known_by_what_it_exports_and_imports() -> None:
    parsed = parse(Document("a.py", "import os\n\ndef run(): ...\n"))

    assert parsed.nodes[0].metadata["exports"] == ("run",)
    assert parsed.nodes[0].metadata["imports"] == ("os",)


def test_folders_have_nodes_and_the_root_is_a_dot() -> None:
    node, edges = folder_node("src/shop")
    root, none = folder_node("")

    assert (node.id, node.type, node.name) == ("file:src/shop", "directory", "shop")
    assert [(edge.source, edge.target) for edge in edges] == [("file:src", "file:src/shop")]
    assert (root.id, none) == ("file:.", ())


def test_every_node_of_a_test_file_is_marked_so() -> None:
    nodes = parse(Document("tests/test_a.py", "def test_it(): ...\n")).nodes

    assert [node.metadata["marks"] for node in nodes] == [("test",)] * 3


def test_a_script_without_extension_is_parsed_by_its_shebang() -> None:
    nodes = parse(Document("bin/tool", "#!/usr/bin/env python\ndef run(): pass\n")).nodes

    assert [node.id for node in nodes] == ["file:bin/tool", "code:bin/tool", "code:bin/tool#run"]


def test_a_parser_that_fails_leaves_the_text_to_the_plain_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(document: Document, file_type: FileType) -> Parsed:
        raise RecursionError(f"{file_type.parser} is lost in {document.path}")

    monkeypatch.setattr(reader, "read", broken)
    parsed = parse(Document("a.py", "def f(): pass\n"))

    assert parsed.failure == "python: python is lost in a.py"
    assert [(node.id, node.type) for node in parsed.nodes] == [
        ("file:a.py", "file"),
        ("code:a.py", "module"),
    ]
    assert parsed.nodes[1].own


@pytest.mark.parametrize("suffix", ["py", "ts", "tsx", "js", "go", "rs", "java", "md"])
@pytest.mark.parametrize(
    "piece", ["(", "{", "a<", '"\n', "`${", "class A{", "function a(){", "# a\n> ", "\x00)}]", "あ"]
)
def test_a_long_run_of_one_broken_pattern_does_no_harm(suffix: str, piece: str) -> None:
    text = piece * (20_000 // len(piece))

    assert parse(Document(f"a.{suffix}", text)).nodes


def test_a_large_file_of_one_line_is_plain_text() -> None:
    text = "".join(f"function a{number}(){{}};" for number in range(5000))
    parsed = parse(Document("bundle.js", text))

    assert "longer than" in parsed.failure
    assert len(parsed.nodes) == 2


def test_functions_nested_beyond_reason_stay_in_the_text_around_them() -> None:
    depth = 100
    text = "".join(f"function f{level}() {{\n" for level in range(depth)) + "}\n" * depth
    parsed = parse(Document("a.js", text))

    assert 10 < len(parsed.nodes) < depth
    assert not parsed.failure


def test_lone_surrogates_do_not_stop_a_parser() -> None:
    parsed = parse(Document("a.py", "x = '\udcff'\ndef f(): pass\n"))

    assert parsed.failure == ""
    assert parsed.nodes[2].name == "f"
