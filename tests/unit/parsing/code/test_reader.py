from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.parsing.code.layout import Placed, own_spans, territories
from trivium.parsing.code.offsets import Offsets
from trivium.parsing.parse import parse
from trivium.testing.reading import reading
from trivium.types import Document, Kind, Span

PATHS = ("a.py", "a.js", "a.ts", "a.tsx")

PIECES = (
    "def f(a, b=1):\n", "    return g(a).h[0]\n", "class A(B, metaclass=C):\n", "    x: int\n",
    "import a.b as c\n", "from . import *\n", "@d(1)\n", "# note\n", '"""doc"""\n', "x, y = z\n",
    "export const f = async (a) => { await g(a); };\n", "class A extends B { #x = 1; m() {} }\n",
    "import a, { b as c } from './d';\n", "/* note */\n", "export default { m() {} };\n", "`${a}`",
    "é = 'ü😀'\n", "if (", "]", "}", "(", "\n", "   ", "=>", "<A/>", "\t",
)  # fmt: skip


def same_text(document: Document) -> None:
    """Check the law of nodes: own texts cover the document and never overlap."""
    nodes = [node for node in parse(document).nodes if node.kind is Kind.CODE]
    owned = sorted((span.start, span.end) for node in nodes for span in node.own)
    at = 0
    for start, end in owned:
        assert start >= at
        assert not document.text[at:start].strip()
        at = end
    assert not document.text[at:].strip()
    for node in nodes:
        assert all(node.span.start <= span.start <= span.end <= node.span.end for span in node.own)


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=60, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12))
def test_any_text_is_read_and_all_of_it_is_somebodys(path: str, pieces: list[str]) -> None:
    same_text(Document(path, "".join(pieces)))


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=40, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12))
def test_references_and_edges_start_at_nodes_of_the_document(path: str, pieces: list[str]) -> None:
    parsed = parse(Document(path, "".join(pieces)))
    ids = {node.id for node in parsed.nodes}
    lines = "".join(pieces).count("\n") + 1

    assert {one.source for one in parsed.references} <= ids
    assert all(0 <= one.line <= lines for one in parsed.references)
    assert len(ids) == len(parsed.nodes)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "x = (a" + "".join(f"\n .b{i}(y{i % 31})" for i in range(n)) + ")\n",
        lambda n: "".join(f"[{i}, " for i in range(n)),
        lambda n: "".join(f"f{i}(\n" for i in range(n)),
    ],
)
def test_text_nested_beyond_reason_stays_plain(make: Callable[[int], str]) -> None:
    parsed = parse(Document("a.py", make(40_000)))

    assert [node.kind for node in parsed.nodes if node.own] == [Kind.CODE]


@pytest.mark.parametrize(
    "text",
    ["[" * 1_000_000, "#" * 1_000_000, "a." * 500_000, "\n" * 1_000_000, '"' * 1_000_000],
)
@pytest.mark.parametrize("path", ["a.py", "a.ts"])
def test_a_megabyte_of_one_thing_does_no_harm(path: str, text: str) -> None:
    parsed = parse(Document(path, text))

    assert len(parsed.nodes) <= 2


def test_a_long_chain_of_calls_costs_no_more_than_its_length() -> None:
    links = 2_000
    text = "x = a" + "".join(f".b{n}()" for n in range(links)) + "\n"
    found = reading("a.py", text)

    assert sum(len(one.path) for one in found.parsed.references) < 200 * links


def test_symbols_are_bounded_and_their_text_is_not_lost() -> None:
    text = "".join(f"K{n} = {n * 7919}\n" for n in range(20_500))
    nodes = [node for node in parse(Document("a.py", text)).nodes if node.kind is Kind.CODE]

    assert len(nodes) == 20_001
    assert sum(span.end - span.start for node in nodes for span in node.own) >= len(
        text.replace("\n", "")
    )


def test_places_share_out_the_text() -> None:
    places = [Placed(0, Span(2, 10), -1), Placed(1, Span(4, 6), 0), Placed(2, Span(12, 14), -1)]

    assert [tuple(one) for one in territories(places)] == [
        (0, -1),
        (2, 0),
        (4, 1),
        (6, 0),
        (10, -1),
        (12, 2),
        (14, -1),
    ]


def test_the_text_of_what_is_held_stays_with_its_parent() -> None:
    spans = [Span(0, 10), Span(2, 4), Span(6, 8)]

    assert own_spans("x" * 10, spans, [-1, 0, 0], is_held=[False, True, False]) == [
        (Span(0, 6), Span(8, 10)),
        (),
        (Span(6, 8),),
    ]


@given(st.text(max_size=600), st.data())
def test_offsets_go_both_ways(text: str, data: st.DataObject) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    offsets = Offsets(text, raw)
    points = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))

    assert [offsets.at(byte) for byte in offsets.bytes_before(points)] == points
