from __future__ import annotations

import pytest

from trivium.parsing import parse as parse_module
from trivium.parsing.detect import FileType
from trivium.parsing.parse import parse
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
def test_the_first_node_is_the_file_itself(path: str, node_id: str) -> None:
    assert parse(Document(path, "x = 1\n")).nodes[0].id == node_id


def test_a_script_without_extension_is_parsed_by_its_shebang() -> None:
    nodes = parse(Document("bin/tool", "#!/usr/bin/env python\ndef run(): pass\n")).nodes

    assert [node.id for node in nodes] == ["code:bin/tool", "code:bin/tool#run"]


def test_a_parser_that_fails_leaves_the_text_to_the_plain_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(document: Document, file_type: FileType) -> Parsed:
        raise RecursionError(f"{file_type.parser} is lost in {document.path}")

    monkeypatch.setattr(parse_module, "read", broken)
    parsed = parse(Document("a.py", "def f(): pass\n"))

    assert parsed.failure == "python: python is lost in a.py"
    assert [(node.id, node.type) for node in parsed.nodes] == [("code:a.py", "module")]
    assert parsed.nodes[0].own


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
    assert len(parsed.nodes) == 1


def test_functions_nested_beyond_reason_stay_in_the_text_around_them() -> None:
    depth = 100
    text = "".join(f"function f{level}() {{\n" for level in range(depth)) + "}\n" * depth
    parsed = parse(Document("a.js", text))

    assert 10 < len(parsed.nodes) < depth
    assert not parsed.failure


def test_lone_surrogates_do_not_stop_a_parser() -> None:
    parsed = parse(Document("a.py", "x = '\udcff'\ndef f(): pass\n"))

    assert parsed.failure == ""
    assert parsed.nodes[1].name == "f"
