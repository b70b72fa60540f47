from __future__ import annotations

import pytest

from trivium.parsing.parse import parse
from trivium.types import Document, Node, Parsed


def read(text: str) -> Parsed:
    parsed = parse(Document("src/A.java", text))
    assert parsed.failure == ""
    return parsed


def symbol(text: str, name: str) -> Node:
    return next(node for node in read(text).nodes if node.id == f"code:src/A.java#{name}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A {}\n", [("A", "class")]),
        (
            "class A { A() {} A(int x) {} }\n",
            [("A", "class"), ("A.A", "constructor"), ("A.A~2", "constructor")],
        ),
        (
            "class A { void f() {} void f(int x) {} }\n",
            [("A", "class"), ("A.f", "method"), ("A.f~2", "method")],
        ),
        (
            "class A { static class B { void g() {} } }\n",
            [("A", "class"), ("A.B", "class"), ("A.B.g", "method")],
        ),
        (
            "interface I { void f(); default void g() {} }\n",
            [("I", "interface"), ("I.f", "method"), ("I.g", "method")],
        ),
        ("enum E { X { void q() {} }; void m() {} }\n", [("E", "enum"), ("E.m", "method")]),
        (
            "record R(int a) { R { } int b() { return a; } }\n",
            [("R", "class"), ("R.R", "constructor"), ("R.b", "method")],
        ),
        ("@interface Ann { int v(); }\n", [("Ann", "interface")]),
        (
            "class A { Object f() { return new B() { void anon() {} }; } }\n",
            [("A", "class"), ("A.f", "method")],
        ),
        (
            "class A<T extends B<T>> { <U> U f(U u) { return u; } }\n",
            [("A", "class"), ("A.f", "method")],
        ),
        ("class Größe { void über() {} }\n", [("Größe", "class"), ("Größe.über", "method")]),
        ("class A { static final int MAX = 1; }\n", [("A", "class")]),
        (
            "class A { void f() { class L { void g() {} } } }\n",
            [("A", "class"), ("A.f", "method"), ("A.f.L", "class"), ("A.f.L.g", "method")],
        ),
        ("", []),
        ("// only\n/* comments */\n", []),
    ],
)
def test_symbols_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(n.id.partition("#")[2], n.type) for n in read(text).nodes[1:]] == expected


def test_syntax_errors_still_yield_the_good_parts() -> None:
    found = read("class A { void good() {} void bad( { } }\nclass B { void fine() {} }\n").nodes

    assert {"good", "fine"} <= {node.name for node in found}


def test_annotations_and_javadoc_belong_to_the_symbol() -> None:
    text = (
        "/** The A. */\n@Deprecated\npublic class A {\n"
        "    /** Does f. */\n    @Override\n    public void f() {}\n}\n"
    )
    outer, inner = symbol(text, "A"), symbol(text, "A.f")

    assert outer.span.start == 0
    assert text[inner.span.start : inner.span.end].startswith("    /** Does f. */\n")
    assert (outer.description, inner.description) == ("The A.", "Does f.")
    assert outer.metadata["signature"] == "public class A"
    assert inner.metadata["signature"] == "public void f()"


def test_parameters_are_named() -> None:
    text = "class A { void f(final int a, @X List<String> b, String... rest) {} }\n"

    assert symbol(text, "A.f").metadata["params"] == ("a", "b", "rest")


def test_public_exports_and_so_does_a_public_interface() -> None:
    text = "public class A { public void f() {} void g() {} public interface I { void h(); } }\n"

    assert [symbol(text, name).metadata["exported"] for name in ("A.f", "A.g", "A.I.h")] == [
        True,
        False,
        True,
    ]


def test_imports_are_kept() -> None:
    module = read("package x;\nimport java.util.List;\nimport static java.util.Map.*;\n").nodes[0]

    assert module.metadata["imports"] == ("java.util.List", "java.util.Map")
