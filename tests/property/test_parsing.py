"""Every text becomes nodes whose own parts cover it once, for made-up and for real files."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.chunking.chunk import chunk
from trivium.parsing.parse import parse
from trivium.types import Document, EdgeType, Parsed

SAMPLES = {
    file.name: file.read_text("utf-8")
    for file in sorted((Path(__file__).parent / "samples").iterdir())
}
PATHS = st.sampled_from(["a.txt", "a.unknown", *SAMPLES])
REFUSED = ("repeats itself too much", "a line is longer than", "is a JSON object", "took too long")
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
    assert parsed.failure == "" or any(reason in parsed.failure for reason in REFUSED)
    ids = {node.id for node in parsed.nodes}
    assert len(ids) == len(parsed.nodes)
    contained = [edge.target for edge in parsed.edges if edge.type is EdgeType.CONTAINS]
    assert sorted(contained) == sorted(ids)
    others = [edge for edge in parsed.edges if edge.type is not EdgeType.CONTAINS]
    assert all(edge.source in ids and edge.target in ids for edge in others)
    assert all(one.source in ids for one in parsed.references)
    for node in parsed.nodes:
        assert node.name
        assert all(node.span.start <= own.start and own.end <= node.span.end for own in node.own)
        assert len(node.description) <= 300
        assert len(str(node.metadata.get("signature", ""))) <= 300
        assert 1 <= node.source.start_line <= node.source.end_line
    assert_covered_once(document, parsed)


@settings(max_examples=400, deadline=None)  # a grammar may take a second to load
@given(path=PATHS, text=TEXTS)
def test_any_text_is_covered_once_by_nodes_with_ids_of_their_own(path: str, text: str) -> None:
    document = Document(path, text)
    parsed = parse(document)

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


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_of_every_language_are_read_without_a_failure(name: str) -> None:
    document = Document(name, SAMPLES[name])
    parsed = parse(document)

    assert parsed.failure == ""
    # A page of the web is turned into text before it is parsed.
    assert len(parsed.nodes) > (1 if name.endswith(".html") else 2)
    assert_well_formed(document, parsed)


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_damaged_samples_are_covered_once(name: str, data: st.DataObject) -> None:
    text = SAMPLES[name]
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 60)))
        put = data.draw(st.text(max_size=5) | PIECES | st.just(text[start:end] * 2))
        text = text[:start] + put + text[end:]
    document = Document(name, text)

    assert_well_formed(document, parse(document))
