from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.parsing.parse import parse
from trivium.types import Document, EdgeType, Kind, Node, Parsed

PATH = "pkg/a.py"


def read(text: str) -> Parsed:
    """Parse a text; the file's own node and its edges are no concern here."""
    parsed = parse(Document(PATH, text))
    assert parsed.failure == ""
    nodes = tuple(node for node in parsed.nodes if node.kind is Kind.CODE)
    edges = tuple(edge for edge in parsed.edges if not edge.source.startswith("file:"))
    return replace(parsed, nodes=nodes, edges=edges)


def symbols(text: str) -> list[tuple[str, str]]:
    return [(node.id.partition("#")[2], node.type) for node in read(text).nodes[1:]]


def symbol(text: str, name: str) -> Node:
    return next(node for node in read(text).nodes if node.id == f"code:{PATH}#{name}")


def text_of(text: str, node: Node) -> str:
    return text[node.span.start : node.span.end]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(): pass\n", [("f", "function")]),
        ("async def f(): pass\n", [("f", "function")]),
        ("class A: pass\n", [("A", "class")]),
        (
            "class A:\n    def __init__(self): pass\n    def m(self): pass\n",
            [("A", "class"), ("A.__init__", "constructor"), ("A.m", "method")],
        ),
        (
            "class A:\n    class B:\n        def m(self): pass\n",
            [("A", "class"), ("A.B", "class"), ("A.B.m", "method")],
        ),
        (
            "def f():\n    def g():\n        class C: pass\n",
            [("f", "function"), ("f.g", "function"), ("f.g.C", "class")],
        ),
        (
            "@overload\ndef f(a): ...\n@overload\ndef f(b): ...\ndef f(c): pass\n",
            [("f", "function"), ("f~2", "function"), ("f~3", "function")],
        ),
        (
            "class A:\n  @property\n  def x(self): ...\n  @x.setter\n  def x(self, v): ...\n",
            [("A", "class"), ("A.x", "method"), ("A.x~2", "method")],
        ),
        (
            "if sys:\n    def f(): pass\nelse:\n    def f(): pass\n",
            [("f", "function"), ("f~2", "function")],
        ),
        ("try:\n    class A: pass\nexcept E:\n    A = None\n", [("A", "class")]),
        (
            "MAX = 1\n_MIN: int = 2\nlower = 3\nMixed = 4\n",
            [("MAX", "constant"), ("_MIN", "constant")],
        ),
        ("def f():\n    LOCAL = 1\n", [("f", "function")]),
        ("add = lambda a, b: a + b\n", [("add", "function")]),
        ("def größe(): pass\nclass 点: pass\n", [("größe", "function"), ("点", "class")]),
        ("def f[T](x: T) -> T: ...\nclass A[T]: ...\n", [("f", "function"), ("A", "class")]),
        ("def f():\n\tdef g():\n\t\tpass\n", [("f", "function"), ("f.g", "function")]),
        ("type Pair = tuple[int, int]\n", [("Pair", "type")]),
        ("class A: pass\nclass A: pass\n", [("A", "class"), ("A~2", "class")]),
        ("", []),
        ("# only\n# comments\n", []),
        ('"""Only a docstring."""\n', []),
    ],
)
def test_symbols_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert symbols(text) == expected


def test_syntax_errors_still_yield_the_good_parts() -> None:
    text = "def good(): pass\n\ndef bad(x):\n    x = = 1\n\nclass Fine:\n    def m(self): pass\n"

    assert {"good", "Fine", "Fine.m"} <= {name for name, _ in symbols(text)}


def test_decorators_and_comments_above_belong_to_the_symbol() -> None:
    text = "# far\n\n# near\n@one\n# between\n@two(1)\ndef f(): pass  # end\ny = 2\n"
    node = symbol(text, "f")

    assert text_of(text, node) == "# near\n@one\n# between\n@two(1)\ndef f(): pass  # end"
    assert (node.source.start_line, node.source.end_line) == (3, 7)


def test_a_trailing_comment_of_the_line_before_stays_there() -> None:
    text = "x = 1  # about x\ndef f(): pass\n"

    assert text_of(text, symbol(text, "f")) == "def f(): pass"


def test_a_method_starts_with_its_indentation() -> None:
    text = "class A:\n    # about m\n    def m(self): pass\n"

    assert text_of(text, symbol(text, "A.m")) == "    # about m\n    def m(self): pass"


def test_a_class_owns_what_its_methods_leave() -> None:
    text = "class A:\n    x = 1\n    def m(self): pass\n    y = 2\n"
    node = symbol(text, "A")

    assert [text[one.start : one.end] for one in node.own] == [
        "class A:\n    x = 1\n",
        "\n    y = 2",
    ]


def test_offsets_count_code_points() -> None:
    text = "s = '日本語 😀'\n\ndef f():\n    return 'é'\n" + "# ü\n" * 200 + "class A: pass\n"

    assert text_of(text, symbol(text, "f")) == "def f():\n    return 'é'"
    assert text_of(text, symbol(text, "A")).endswith("class A: pass")


def test_the_signature_is_one_line_without_the_body() -> None:
    text = "@dec\nasync def f(\n    a: int,\n    *, b: str = 'x',\n) -> dict[str, int]:\n    pass\n"

    assert symbol(text, "f").metadata["signature"] == (
        "async def f( a: int, *, b: str = 'x', ) -> dict[str, int]"
    )
    assert symbol("class A(B, metaclass=M):\n    x = 1\n", "A").metadata["signature"] == (
        "class A(B, metaclass=M)"
    )


def test_a_signature_has_at_most_300_characters() -> None:
    text = f"def f({', '.join(f'name{n}' for n in range(100))}): pass\n"

    assert len(str(symbol(text, "f").metadata["signature"])) <= 300


def test_parameters_are_names_without_the_receiver() -> None:
    text = "class A:\n    def m(self, a, b: int, /, c=1, *args: int, d: str = '', **kw): pass\n"

    assert symbol(text, "A.m").metadata["params"] == ("a", "b", "c", "args", "d", "kw")


def test_the_doc_is_the_first_paragraph_of_the_docstring() -> None:
    text = 'def f():\n    r"""Does it\n    well.\n\n    And more."""\n'

    assert symbol(text, "f").description == "Does it well."
    assert symbol(text, "f").metadata["doc"] == "Does it well."


def test_without_a_docstring_the_comment_above_is_the_doc() -> None:
    assert symbol("# Does it.\n# noqa: X\ndef f(): pass\n", "f").description == "Does it."


def test_the_module_has_the_imports_and_its_own_docstring() -> None:
    text = '# x\n"""The module."""\nimport os.path, sys as s\nfrom . import x\nfrom ..y import z\n'
    module = read(text).nodes[0]

    assert module.metadata["imports"] == ("os.path", "sys", ".", "..y")
    assert module.description == "The module."
    assert (module.name, module.type, module.domain) == ("a", "module", "pkg")


def test_a_licence_is_no_description() -> None:
    assert read("# Copyright 2020 X\n\nx = 1\n").nodes[0].description == ""


@pytest.mark.parametrize(
    ("text", "name", "exported"),
    [
        ("def f(): pass\n", "f", True),
        ("def _f(): pass\n", "_f", False),
        ("class A:\n    def m(self): pass\n", "A.m", True),
        ("class A:\n    def _m(self): pass\n", "A._m", False),
        ("class A:\n    def __len__(self): pass\n", "A.__len__", True),
        ("class _A:\n    def m(self): pass\n", "_A.m", False),
        ("def f():\n    def g(): pass\n", "f.g", False),
        ("__all__ = ['g']\ndef f(): pass\n", "f", False),
        ("__all__ = ('_f',)\ndef _f(): pass\n", "_f", True),
    ],
)
def test_what_others_may_use_is_exported(text: str, name: str, exported: bool) -> None:
    assert symbol(text, name).metadata["exported"] is exported


def test_the_module_contains_the_class_and_the_class_its_methods() -> None:
    edges = read("class A:\n    def m(self): pass\nclass A:\n    def m(self): pass\n").edges
    contains = [edge for edge in edges if edge.type is EdgeType.CONTAINS]

    assert [(edge.source[10:], edge.target[10:]) for edge in contains] == [
        (".py", ".py#A"),
        (".py#A", ".py#A.m"),
        (".py", ".py#A~2"),
        (".py#A~2", ".py#A.m~2"),
    ]
