from __future__ import annotations

import pytest

from trivium.parsing.parse import parse
from trivium.types import Document, Node, Parsed


def read(text: str) -> Parsed:
    parsed = parse(Document("a.go", text))
    assert parsed.failure == ""
    return parsed


def symbol(text: str, name: str) -> Node:
    return next(node for node in read(text).nodes if node.id == f"code:a.go#{name}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("func f() {}\n", [("f", "function")]),
        ("func (s *Server) Run() {}\n", [("Server.Run", "method")]),
        ("func (Server) Run() {}\n", [("Server.Run", "method")]),
        ("func (s *Server[K, V]) Run() {}\n", [("Server.Run", "method")]),
        ("func Map[T any, U any](x []T) []U { return nil }\n", [("Map", "function")]),
        ("type A struct { x int }\n", [("A", "struct")]),
        ("type A[T any] interface { M() }\n", [("A", "interface")]),
        ("type A int\ntype B = string\n", [("A", "type"), ("B", "type")]),
        ("type (\n\tA int\n\tB struct{}\n)\n", [("A", "type"), ("B", "struct")]),
        ("const Max = 1\nconst min = 2\n", [("Max", "constant")]),
        ("const (\n\tX = iota\n\tY\n)\n", []),
        ('var ErrX = errors.New("x")\n', [("ErrX", "variable")]),
        ("func init() {}\nfunc init() {}\n", [("init", "function"), ("init~2", "function")]),
        ("func f() { g := func() {}; type L struct{} }\n", [("f", "function")]),
        ("func Größe() {}\n", [("Größe", "function")]),
        (
            "func good() {}\nfunc bad( {\n}\n\nfunc fine() {}\n",
            [("good", "function"), ("fine", "function")],
        ),
        ("// only a comment\n", []),
    ],
)
def test_symbols_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    found = [
        (node.id.partition("#")[2], node.type) for node in read("package a\n\n" + text).nodes[1:]
    ]

    assert [one for one in found if one[0] != "bad"] == expected


def test_the_comment_above_is_the_doc() -> None:
    text = (
        "package a\n\n// Run runs\n// it.\n//go:noinline\n"
        "func Run(a, b int, rest ...string) (int, error) {\n\treturn 0, nil\n}\n"
    )
    node = symbol(text, "Run")

    assert node.description == "Run runs it."
    assert node.source.start_line == 3
    assert node.metadata["signature"] == "func Run(a, b int, rest ...string) (int, error)"
    assert node.metadata["params"] == ("a", "b", "rest")


def test_unnamed_parameters_have_no_names() -> None:
    assert symbol("package a\nfunc f(int, string) {}\n", "f").metadata["params"] == ()


def test_a_capital_exports() -> None:
    text = "package a\nfunc F() {}\nfunc f() {}\nfunc Ä() {}\n"

    assert [symbol(text, name).metadata["exported"] for name in ("F", "f", "Ä")] == [
        True,
        False,
        True,
    ]


def test_a_type_contains_its_methods_wherever_they_stand() -> None:
    edges = read("package a\nfunc (a A) M() {}\ntype A struct{}\nfunc (b B) M() {}\n").edges

    assert [(edge.source, edge.target) for edge in edges] == [
        ("code:a.go#A", "code:a.go#A.M"),
        ("code:a.go", "code:a.go#A"),
        ("code:a.go", "code:a.go#B.M"),
    ]


def test_the_module_has_the_package_comment_and_the_imports() -> None:
    module = read(
        '// Package a does it.\npackage a\n\nimport (\n\t"fmt"\n\tm "net/http"\n)\n'
    ).nodes[0]

    assert module.description == "Package a does it."
    assert module.metadata["imports"] == ("fmt", "net/http")
