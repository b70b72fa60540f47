"""Every text becomes nodes whose own parts cover it once, for made-up and for real files."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.chunking.chunk import chunk
from trivium.parsing.parse import parse
from trivium.types import Document, Parsed

PATHS = st.sampled_from(
    ["a.md", "a.txt", "a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.rs", "A.java", "a.kt", "a.json"]
)
PIECES = st.sampled_from(
    ["class A", "class A:\n", "def f(a, b=1):\n", "    def g(self): pass\n", "@dec\n", "# note\n",
     "// note\n", "/** doc */\n", "export ", "default ", "function f(x) ", "const a = () => ", "{",
     "}\n", ";\n", "(", ")", "impl A ", "impl B for A {\n", "fn f(&self) {}\n", "pub ", "mod m {\n",
     "func (s *S) M() {}\n", "type T struct {}\n", "package a\n", "public void f() {}\n", "'", '"',
     "`", "```\n", "~~~\n", "<!--", "-->\n", "# A\n", "## A\n", "A\n---\n", "---\n", "    ", "\t",
     "\n", "é", "日本", "😀", "\x00", "\r", "\u2028", "MAX = 1\n", '"""doc"""\n', "x = lambda: 1\n"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=200)


def assert_covered_once(document: Document, parsed: Parsed) -> None:
    text = document.text
    owned = sorted((span.start, span.end) for node in parsed.nodes for span in node.own)
    at = 0
    for start, end in owned:
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        at = end
    assert not text[at:].strip()


def assert_well_formed(document: Document, parsed: Parsed) -> None:
    ids = {node.id for node in parsed.nodes}
    assert len(ids) == len(parsed.nodes)
    assert all(edge.source in ids and edge.target in ids for edge in parsed.edges)
    assert sorted(edge.target for edge in parsed.edges) == sorted(ids - {parsed.nodes[0].id})
    for node in parsed.nodes:
        assert node.name
        assert all(node.span.start <= own.start and own.end <= node.span.end for own in node.own)
        assert len(node.description) <= 300
        assert len(str(node.metadata.get("signature", ""))) <= 300
        assert 1 <= node.source.start_line <= node.source.end_line
    assert_covered_once(document, parsed)


@settings(max_examples=400)
@given(path=PATHS, text=TEXTS)
def test_any_text_is_covered_once_by_nodes_with_ids_of_their_own(path: str, text: str) -> None:
    document = Document(path, text)
    parsed = parse(document)

    assert parsed.failure == ""
    assert_well_formed(document, parsed)
    assert parse(document) == parsed


def standard_library() -> Iterator[Document]:
    root = Path(sysconfig.get_path("stdlib"))
    for file in sorted(root.glob("*.py"))[::4]:
        yield Document(file.name, file.read_text("utf-8"))


def test_the_standard_library_is_covered_once() -> None:
    for document in standard_library():
        parsed = parse(document)

        assert parsed.failure == "", document.path
        assert_well_formed(document, parsed)
        assert all(
            document.text[c.span.start : c.span.end] == c.text
            for c in chunk(document, parsed.nodes)
        )


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_real_files_are_covered_once(data: st.DataObject) -> None:
    text = DAMAGED[:6000]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 200)))
    path = data.draw(PATHS)
    document = Document(path, text[:start] + data.draw(st.text(max_size=5)) + text[end:])

    assert_well_formed(document, parse(document))


DAMAGED = next(one for one in standard_library() if len(one.text) > 6000).text
