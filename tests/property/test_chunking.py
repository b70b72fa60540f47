"""Chunks are slices of the document, lie in their node, and together hold all of its text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trivium.chunking.characters import cut
from trivium.chunking.chunk import chunk
from trivium.chunking.syntax import LONGEST, WHOLE, pieces
from trivium.parsing.parse import parse
from trivium.types import Document, Kind, Span

WORDS = st.sampled_from(
    ["# A\n", "## B\n", "word ", "\n", "\n\n", "```\n", "def f():\n", "    x = 1\n", "class A:\n",
     "function f() {\n", "}\n", "あ", "\t", "  ", "// c\n", "x" * 700, "é😀", "fn g() {}\n", "\x0c"]
)  # fmt: skip
TEXTS = st.lists(WORDS, max_size=40).map("".join)
PATHS = st.sampled_from(["a.md", "a.txt", "a.py", "a.ts", "a.js", "a.go", "a.rs", "A.java", "a.kt"])
CLOSERS = set(")]};,")


@given(text=st.text(max_size=300), size=st.integers(1, 50), overlap=st.integers(0, 60))
def test_windows_cover_all_but_white_space(text: str, size: int, overlap: int) -> None:
    spans = cut(text, size=size, overlap=overlap)
    covered = {at for span in spans for at in range(span.start, span.end)}

    assert all(at in covered for at, character in enumerate(text) if not character.isspace())
    assert all(0 < span.end - span.start <= size for span in spans)


@given(text=TEXTS)
def test_pieces_hold_each_line_once(text: str) -> None:
    spans = pieces(text, Span(0, len(text)))
    covered = [at for span in spans for at in range(span.start, span.end)]
    missing = {text[at] for at in range(len(text))} if not covered else set()
    left = {text[at] for at in set(range(len(text))) - set(covered)} | missing

    assert covered == sorted(set(covered))
    assert all(character.isspace() or character in CLOSERS for character in left)
    assert all(span.end - span.start <= max(WHOLE, LONGEST) for span in spans)


@given(path=PATHS, text=TEXTS, size=st.integers(1, 400), overlap=st.integers(0, 400))
def test_chunks_are_slices_that_hold_all_text(
    path: str, text: str, size: int, overlap: int
) -> None:
    document = Document(path, text)
    nodes = {node.id: node for node in parse(document).nodes}
    every = chunk(document, list(nodes.values()), size=size, overlap=overlap)
    found = [one for one in every if one.text]
    covered = {at for one in found for at in range(one.span.start, one.span.end)}

    assert all(one.text == text[one.span.start : one.span.end] for one in found)
    assert all(one.text.strip() for one in found)
    assert len({one.id for one in every}) == len(every)
    assert {one.node_id for one in every} == set(nodes)
    for one in found:
        own = nodes[one.node_id].own
        assert any(part.start <= one.span.start and one.span.end <= part.end for part in own)
        assert text.count("\n", 0, one.span.start) + 1 == one.start_line
    # Of a file, what stands between records is nothing to find: brackets and commas.
    between = {
        at
        for node in nodes.values()
        if node.kind is Kind.FILE
        for part in node.own
        for at in range(part.start, part.end)
        if not text[at].isalnum()
    }
    left = {text[at] for at in range(len(text)) if at not in covered and at not in between}
    assert all(character.isspace() or character in CLOSERS for character in left)
