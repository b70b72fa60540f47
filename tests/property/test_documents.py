"""Every document becomes nodes whose own parts cover it once, whatever its markup."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.parsing.asciidoc import asciidoc
from trivium.parsing.detect import FileType
from trivium.parsing.html import html
from trivium.parsing.markdown import markdown
from trivium.parsing.rst import rst
from trivium.types import Document, Kind, Parsed

Parser = Callable[[Document, FileType], Parsed]

PARSERS: dict[str, Parser] = {
    "a.md": markdown,
    "a.mdx": markdown,
    "a.rst": rst,
    "a.adoc": asciidoc,
    "a.html": html,
}
PIECES = st.sampled_from(
    ["# A\n", "## B\n", "= A\n", "== B\n", "A\n=\n", "=====\nTitle\n=====\n", "B\n---\n",
     "---\n", "```py\n", "```\n", "~~~\n", "----\n", "....\n", "====\n", "|===\n", "::\n\n",
     "x::\n\n", "--\n", "   code\n", "\tcode\n", ".. code-block:: py\n\n", ".. note::\n",
     ".. _a:\n", ".. x\n", "..\n", "[source,py]\n", "[[a]]\n", ":a: b\n", "// x\n", "////\n",
     "[[a#b|c]]", "[a](b.md)", "[a][b]", "[b]: c.md\n", "<!--", "-->", "<a href='x'>", "`a.b()`",
     "``a``", ":func:`~a.b`", "`a <b>`_", "a_ ", "<<a,b>>", "xref:a.adoc[b]", ">>> a\n", "== ==\n",
     "- item\n", "> quote\n", "| a\n", "def f():\n", "text. More", "\n", "\n\n", " ", "é",
     "日本。", "😀", "\x00", "\u2028", "\\", "*", "_", "\r"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=300)

REAL = """---
title: A page
tags: [one, "two"]
---
# Setup

See [the guide](guide.md#use), [[Notes#x|here]] and `Client.get()`. More words.

```python
def run(): ...
```

.. code-block:: python

   def run(): ...

Title
=====

Text with ``code``, :doc:`other` and xref:page.adoc#part[there]::

   literal

== Section

[source,ruby]
----
puts 1
----
"""


def assert_lawful(document: Document, parsed: Parsed) -> None:
    text = document.text
    ids = [node.id for node in parsed.nodes]
    assert len(set(ids)) == len(ids)
    assert sorted(edge.target for edge in parsed.edges) == sorted(ids[1:])
    assert {edge.source for edge in parsed.edges} <= set(ids)
    at = 0
    for start, end in sorted((one.start, one.end) for node in parsed.nodes for one in node.own):
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        at = end
    assert not text[at:].strip()
    last_line = text.count("\n") + 1
    by_id = {node.id: node for node in parsed.nodes}
    for edge in parsed.edges:
        outer, inner = by_id[edge.source].span, by_id[edge.target].span
        assert outer.start <= inner.start <= inner.end <= outer.end
    for node in parsed.nodes:
        assert node.name
        assert node.own == () if node.type == "code block" else True
        assert all(node.span.start <= own.start and own.end <= node.span.end for own in node.own)
        assert 1 <= node.source.start_line <= node.source.end_line <= last_line
    for one in parsed.references:
        assert one.source in by_id
        assert 1 <= one.line <= last_line
        assert one.name or one.path
        assert one.context == " ".join(one.context.split())


@settings(max_examples=600)
@given(path=st.sampled_from(sorted(PARSERS)), text=TEXTS)
def test_any_text_is_covered_once(path: str, text: str) -> None:
    document = Document(path, text)
    file_type = FileType(Kind.DOC, "x", "x")
    parsed = PARSERS[path](document, file_type)

    assert_lawful(document, parsed)
    assert PARSERS[path](document, file_type) == parsed


@settings(max_examples=200)
@given(data=st.data())
def test_a_damaged_page_is_covered_once(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(REAL)))
    end = data.draw(st.integers(start, min(len(REAL), start + 60)))
    path = data.draw(st.sampled_from(sorted(PARSERS)))
    text = REAL[:start] + data.draw(TEXTS)[:20] + REAL[end:]
    document = Document(path, text)

    assert_lawful(document, PARSERS[path](document, FileType(Kind.DOC, "x", "x")))


# What takes the square of the length takes minutes for this, and a second where it does not.
@pytest.mark.timeout(30)
@pytest.mark.parametrize("path", [path for path in sorted(PARSERS) if path != "a.mdx"])
@pytest.mark.parametrize(
    "piece",
    [
        *("[[", "](", "`", "``a ", "*", "<", "=", "a.", "\n", "---\n", "=\n", "==\na\n==\n"),
        *("[a](b) ", "<!--", "a_ ", "[a]: b\n", ".. a::\n", "----\n", "[#a]\n", "<<a,"),
        *("xref:a(", ":a: b\n"),
    ],
)
def test_a_long_run_of_one_piece_does_no_harm(path: str, piece: str) -> None:
    document = Document(path, "[a]: b\n\n" + piece * (300_000 // len(piece)))
    parsed = PARSERS[path](document, FileType(Kind.DOC, "x", "x"))

    assert parsed.nodes[-1].span.end <= len(document.text)
    assert sum(own.end - own.start for node in parsed.nodes for own in node.own) > 0
