from __future__ import annotations

import pytest

from trivium.parsing.parse import parse
from trivium.types import Document, Node, Parsed


def read(text: str) -> Parsed:
    parsed = parse(Document("src/a.rs", text))
    assert parsed.failure == ""
    return parsed


def symbol(text: str, name: str) -> Node:
    return next(node for node in read(text).nodes if node.id == f"code:src/a.rs#{name}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fn f() {}\n", [("f", "function")]),
        ("pub async unsafe fn f<'a, T: X>(x: &'a T) {}\n", [("f", "function")]),
        (
            "struct A;\nstruct B(u8);\nunion U { a: u8 }\n",
            [("A", "struct"), ("B", "struct"), ("U", "struct")],
        ),
        ("enum E { A, B }\n", [("E", "enum")]),
        (
            "trait T { fn a(&self); fn b() {} }\n",
            [("T", "trait"), ("T.a", "method"), ("T.b", "method")],
        ),
        ("impl A { fn new() {} }\n", [("A.new", "method")]),
        ("impl<T> fmt::Display for x::A<T> { fn fmt() {} }\n", [("A.fmt", "method")]),
        (
            "impl X for A { fn f() {} }\nimpl Y for A { fn f() {} }\n",
            [("A.f", "method"), ("A.f~2", "method")],
        ),
        ("impl<'a> T for &'a A { type X = u8; fn f() {} }\n", [("A.f", "method")]),
        (
            "mod tests { fn t() { fn u() {} } }\n",
            [("tests", "namespace"), ("tests.t", "function"), ("tests.t.u", "function")],
        ),
        ("mod other;\n", []),
        ("pub const MAX: u8 = 1;\nstatic S: u8 = 1;\n", [("MAX", "constant"), ("S", "constant")]),
        ("macro_rules! m { () => {} }\n", [("m", "macro")]),
        ("type A = u8;\n", [("A", "type")]),
        ("fn größe() {}\n", [("größe", "function")]),
        (
            "fn good() {}\nfn bad( {}\n\nfn fine() {}\n",
            [("good", "function"), ("fine", "function")],
        ),
        ("// only\n/* comments */\n", []),
    ],
)
def test_symbols_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    found = [(node.id.partition("#")[2], node.type) for node in read(text).nodes[1:]]

    assert [one for one in found if one[0] != "bad"] == expected


def test_doc_comments_and_attributes_belong_to_the_symbol() -> None:
    text = "use a;\n\n/// A point.\n/// In space.\n#[derive(Debug)]\npub struct P { x: u8 }\n"
    node = symbol(text, "P")

    assert text[node.span.start : node.span.end] == text[8:-1]
    assert node.description == "A point. In space."
    assert node.metadata["signature"] == "pub struct P"


def test_parameters_leave_out_self() -> None:
    text = "impl A { fn f(&mut self, a: u8, mut b: u8, (c, d): (u8, u8)) {} }\n"

    assert symbol(text, "A.f").metadata["params"] == ("a", "b", "c", "d")


def test_pub_exports_and_so_does_a_public_trait() -> None:
    text = "pub fn f() {}\nfn g() {}\npub trait T { fn h(); }\nimpl A { pub fn i() {} fn j() {} }\n"

    assert [
        symbol(text, name).metadata["exported"] for name in ("f", "g", "T.h", "A.i", "A.j")
    ] == [
        True,
        False,
        True,
        True,
        False,
    ]


def test_a_struct_contains_the_functions_of_its_impl_blocks() -> None:
    edges = read("struct A;\nimpl A { fn f() {} }\nimpl B { fn g() {} }\n").edges

    assert [(edge.source[13:], edge.target[13:]) for edge in edges] == [
        ("", "#A"),
        ("#A", "#A.f"),
        ("", "#B.g"),
    ]


def test_the_header_of_an_impl_block_is_the_modules_text() -> None:
    text = "impl A {\n    fn f() {}\n}\n"
    module = read(text).nodes[0]

    assert [text[own.start : own.end] for own in module.own] == ["impl A {\n", "\n}\n"]


def test_the_module_has_the_crate_doc_and_the_imports() -> None:
    module = read("//! The crate.\n\nuse std::fmt;\nextern crate serde;\n").nodes[0]

    assert module.description == "The crate."
    assert module.metadata["imports"] == ("std::fmt", "serde")
