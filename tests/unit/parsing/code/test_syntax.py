"""A program becomes a tree in bounded time, or is refused."""

from __future__ import annotations

import pytest

from trivium.parsing.code import syntax
from trivium.parsing.code.syntax import Unreadable, tree_of
from trivium.parsing.code.table import load

VARIED = "".join(f"<<E{number}\n" for number in range(10_000)).encode()


def test_a_parse_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "_LONGEST_MICROS", 1000)
    monkeypatch.setattr(syntax, "_parsers", syntax._Parsers())

    with pytest.raises(Unreadable, match="took too long"):
        tree_of(VARIED, load("bash"))


def test_what_was_given_up_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    table = load("bash")
    expected = str(tree_of(b"echo a\n", table).root_node)
    monkeypatch.setattr(syntax, "_LONGEST_MICROS", 1000)
    monkeypatch.setattr(syntax, "_parsers", syntax._Parsers())

    with pytest.raises(Unreadable):
        tree_of(VARIED, table)

    assert str(tree_of(b"echo a\n", table).root_node) == expected


@pytest.mark.parametrize("size", [1024, 2000, 8000, 8192, 8192 + 4000, 100_000])
@pytest.mark.parametrize("pattern", [b"->", b"a<", b"[", b"{ (", b"a.", b"#", b"\n", b"if x\n"])
def test_a_text_that_repeats_itself_is_refused(pattern: bytes, size: int) -> None:
    data = (pattern * size)[:size]

    with pytest.raises(Unreadable, match="repeats itself"):
        tree_of(data, load("go"))


def test_what_repeats_itself_is_refused_behind_a_program_too() -> None:
    program = "".join(f"def f{n}(a, b{n}):\n    return a * {n}\n" for n in range(300)).encode()
    start = len(program) // 8192 * 8192

    with pytest.raises(Unreadable, match=f"near byte {start + 8192}"):
        tree_of(program + b"(" * 20_000, load("python"))


@pytest.mark.parametrize(
    "text",
    [
        "=" * 1000,
        "".join(f"    0x{n:02x}, 0x00, 0x00, 0x00,\n" for n in range(256)),
        "".join(f"assert f({n}) == {n}\n" for n in range(500)),
        "from __future__ import annotations\n\n\n" + "# ----------------------\n" * 20,
    ],
)
def test_short_and_regular_texts_are_read(text: str) -> None:
    assert tree_of(text.encode(), load("python")).root_node.end_byte > 0


def test_a_tree_that_is_too_deep_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = b"a" + b"".join(b".b%d()" % n for n in range(20_000))
    lines = chain.replace(b"99()", b"99(\n)")
    monkeypatch.setattr(syntax, "_LONGEST_LINE", len(lines))

    with pytest.raises(Unreadable, match="nested more than"):
        tree_of(lines, load("javascript"))


def test_a_large_flat_program_is_not_too_deep() -> None:
    program = "".join(f"function f{n}() {{ return a.b{n}() }}\n" for n in range(4000)).encode()

    assert tree_of(program, load("javascript")).root_node.child_count == 4000


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("kotlin", "class A { val x = 1 }\n"),
        ("kotlin", "val f = suspend { run() }\n"),
        ("c", "typedef int (CALLBACK *f)(int a);\n"),
    ],
)
def test_what_a_grammar_cannot_read_is_repaired_at_its_length(table: str, text: str) -> None:
    tree = tree_of(text.encode(), load(table))

    assert not tree.root_node.has_error
    assert tree.root_node.end_byte == len(text)
