from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.parsing.parse import parse
from trivium.types import Document, Kind, Node, Parsed


def read(text: str, path: str) -> Parsed:
    """Parse a text; the file's own node is no concern here."""
    parsed = parse(Document(path, text))
    assert parsed.failure == ""
    return replace(parsed, nodes=tuple(node for node in parsed.nodes if node.kind is Kind.CODE))


def symbols(text: str, path: str = "a.ts") -> list[tuple[str, str]]:
    return [(node.id.partition("#")[2], node.type) for node in read(text, path).nodes[1:]]


def symbol(text: str, name: str, path: str = "a.ts") -> Node:
    return next(node for node in read(text, path).nodes if node.id == f"code:{path}#{name}")


@pytest.mark.parametrize("path", ["a.js", "a.jsx", "a.ts", "a.tsx"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("function f() {}\n", [("f", "function")]),
        ("async function* f() {}\n", [("f", "function")]),
        (
            "class A { constructor() {} m() {} }\n",
            [("A", "class"), ("A.constructor", "constructor"), ("A.m", "method")],
        ),
        (
            "class A { get x() {} set x(v) {} }\n",
            [("A", "class"), ("A.x", "method"), ("A.x~2", "method")],
        ),
        ("class A { static #p() {} }\n", [("A", "class"), ("A.#p", "method")]),
        ("class A { h = () => {}; n = 1; }\n", [("A", "class"), ("A.h", "method")]),
        (
            "class A { [Symbol.iterator]() {} 'a-b'() {} }\n",
            [("A", "class"), ("A.[Symbol.iterator]", "method"), ("A.a-b", "method")],
        ),
        ("const f = () => 1;\n", [("f", "function")]),
        ("export const f = async x => x;\n", [("f", "function")]),
        ("var f = function () {};\n", [("f", "function")]),
        ("const A = class { m() {} };\n", [("A", "class"), ("A.m", "method")]),
        (
            "function f() { function g() {} const h = () => 1; }\n",
            [("f", "function"), ("f.g", "function")],
        ),
        ("const MAX_SIZE = 1, small = 2;\n", [("MAX_SIZE", "constant")]),
        (
            "export const config = { a: 1, run() {} };\n",
            [("config", "constant"), ("config.run", "method")],
        ),
        ("export const store = create(() => 1);\n", [("store", "constant")]),
        ("export const n = 1; const o = {};\n", []),
        ("export default function () {}\n", [("default", "function")]),
        ("export default class { m() {} }\n", [("default", "class"), ("default.m", "method")]),
        ("export default () => 1;\n", [("default", "function")]),
        ("export default { a: 1 };\n", [("default", "constant")]),
        ("export default function named() {}\n", [("named", "function")]),
        (
            "exports.run = function () {};\nmodule.exports = () => 1;\n",
            [("run", "function"), ("default", "function")],
        ),
        ("Foo.prototype.bar = function () {};\n", [("Foo.bar", "function")]),
        (
            "function größe() {}\nconst $el = () => 1;\n",
            [("größe", "function"), ("$el", "function")],
        ),
        ("", []),
        ("// only\n/* comments */\n", []),
        ("#!/usr/bin/env node\nfunction f() {}\n", [("f", "function")]),
    ],
)
def test_symbols_are_found_in_every_dialect(
    text: str, expected: list[tuple[str, str]], path: str
) -> None:
    assert symbols(text, path) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("interface A<T> { m(): T }\n", [("A", "interface")]),
        (
            "type Id = string;\nexport enum E { A, B = 2 }\n",
            [("Id", "type"), ("E", "enum"), ("E.A", "constant"), ("E.B", "constant")],
        ),
        ("function f(a: 1): 1;\nfunction f(a: any) {}\n", [("f", "function"), ("f~2", "function")]),
        (
            "class A { m(a: 1): 1; m(a: any) {} }\n",
            [("A", "class"), ("A.m", "method"), ("A.m~2", "method")],
        ),
        ("abstract class A { abstract m(): void; }\n", [("A", "class"), ("A.m", "method")]),
        ("namespace N { export class A {} }\n", [("N", "namespace"), ("N.A", "class")]),
        ("declare function f(): void;\n", [("f", "function")]),
        ("export const a = { b: 1 } as const;\n", [("a", "constant")]),
        ("function f<T extends { a: 1 }>(x: T) {}\n", [("f", "function")]),
    ],
)
def test_types_and_overloads_are_found_in_typescript(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert symbols(text) == expected


def test_jsx_does_not_disturb_the_functions_around_it() -> None:
    text = "const App = () => <p onClick={() => 1}>{x}</p>;\nfunction B() { return <A />; }\n"

    for path in ("a.jsx", "a.tsx"):
        assert symbols(text, path) == [("App", "function"), ("B", "function")]


def test_decorators_and_doc_comments_belong_to_the_symbol() -> None:
    text = "/** A thing. */\n@Dec({ a: 1 })\nexport class A {\n  /** M. */\n  @Input() m() {}\n}\n"
    outer, inner = symbol(text, "A"), symbol(text, "A.m")

    assert text[outer.span.start : outer.span.end] == text[:-1]
    assert text[inner.span.start : inner.span.end] == "  /** M. */\n  @Input() m() {}"
    assert (outer.description, inner.description) == ("A thing.", "M.")
    assert outer.metadata["signature"] == "export class A"
    assert inner.metadata["signature"] == "m()"


def test_a_doc_comment_ends_where_its_tags_begin() -> None:
    text = "/**\n * Adds\n * numbers.\n * @param a one\n */\nexport function add(a) {}\n"

    assert symbol(text, "add").description == "Adds numbers."


def test_parameters_are_named_whatever_their_shape() -> None:
    text = "function f(this: X, a: number, b = 1, { c, d }: O, [e], ...rest: any[]) {}\n"

    assert symbol(text, "f").metadata["params"] == ("a", "b", "c", "d", "e", "rest")
    assert symbol("const f = x => x;\n", "f").metadata["params"] == ("x",)


def test_the_signature_of_an_arrow_function_ends_before_its_arrow() -> None:
    assert symbol("export const f = (a: A): B => {\n  x\n};\n", "f").metadata["signature"] == (
        "export const f = (a: A): B"
    )


def test_imports_are_kept_in_order() -> None:
    text = (
        "import a from './a';\nconst b = require('b');\n"
        "export * from '../c';\nimport d = require('d');\n"
    )

    assert read(text, "a.ts").nodes[0].metadata["imports"] == ("./a", "b", "../c", "d")


@pytest.mark.parametrize(
    ("text", "name", "exported"),
    [
        ("export function f() {}\n", "f", True),
        ("function f() {}\n", "f", False),
        ("function f() {}\nexport { f };\n", "f", True),
        ("function f() {}\nexport default f;\n", "f", True),
        ("function f() {}\nmodule.exports = { f };\n", "f", True),
        ("exports.f = () => 1;\n", "f", True),
        ("export const a = 1, f = () => 1;\n", "f", True),
        ("export class A { m() {} }\n", "A.m", True),
        ("export class A { private m() {} }\n", "A.m", False),
        ("export class A { #m() {} }\n", "A.#m", False),
        ("class A { m() {} }\n", "A.m", False),
    ],
)
def test_what_others_may_use_is_exported(text: str, name: str, exported: bool) -> None:
    assert symbol(text, name).metadata["exported"] is exported


def test_syntax_errors_still_yield_the_good_parts() -> None:
    found = symbols("function good() {}\nconst = ;\nclass Fine { m() {} }\n")

    assert {"good", "Fine", "Fine.m"} <= {name for name, _ in found}


def test_an_index_file_is_named_by_its_folder() -> None:
    assert read("", "src/auth/index.ts").nodes[0].name == "auth"
