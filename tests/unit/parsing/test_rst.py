from __future__ import annotations

import pytest

from trivium.analysis.fields import own_text
from trivium.parsing.detect import FileType
from trivium.parsing.rst import rst
from trivium.testing.prose import Prose
from trivium.types import EdgeType, Kind, Reference

RST = FileType(Kind.DOC, "restructuredtext", "rst")


PROSE = Prose(rst, "guide/setup.rst", RST)
read, sections, blocks = PROSE.read, PROSE.sections, PROSE.blocks
codes, mentions = PROSE.codes, PROSE.mentions


def links(text: str) -> list[tuple[str, str, str]]:
    found = (one for one in read(text).references if one.type is EdgeType.REFERENCES)
    return [(one.path, one.name, one.of) for one in found]


def test_levels_are_told_by_the_order_of_the_marks() -> None:
    text = "=====\nGuide\n=====\n\nInstall\n-------\n\nFrom source\n~~~~~~~~~~~\n\nUse\n---\nx\n"
    nodes = read(text).nodes

    assert [node.id for node in nodes] == [
        "doc:guide/setup.rst",
        "doc:guide/setup.rst#Guide",
        "doc:guide/setup.rst#Install",
        "doc:guide/setup.rst#Install/From source",
        "doc:guide/setup.rst#Use",
    ]
    assert [node.metadata["level"] for node in nodes[1:]] == [1, 2, 3, 2]
    assert own_text(nodes[4], text) == "Use\n---\nx\n"
    assert own_text(nodes[1], text) == "=====\nGuide\n=====\n\n"
    assert (nodes[3].source.start_line, nodes[3].source.end_line) == (8, 10)


def test_the_same_mark_above_and_below_is_another_style() -> None:
    assert sections("A\n=\n\n=\nB\n=\n\nC\n=\n") == ["A", "A/B", "C"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Title\n=====", ["Title"]),
        ("Title\n====\n", ["Title"]),
        ("A\n~\n", ["A"]),
        ("Über\n----\n", ["Über"]),
        ("東京\n====\n", ["東京"]),
        ("=======\n Title\n=======\n", ["Title"]),
        ("Title *with* ``code`` and :ref:`x <y>`\n" + "=" * 40 + "\n", ["Title with code and x"]),
        (".. _a:\n\nTitle\n=====\n", ["Title"]),
        (".. _a:\nTitle\n=====\n", ["Title"]),
        ("Title\n=====\n\nText\n", ["Title"]),
        (".. note::\n\n   text\n\nTitle\n=====\n", ["Title"]),
        ("A\n==\n\nA\n==\n", ["A", "A~2"]),
    ],
)
def test_titles_are_found(text: str, expected: list[str]) -> None:
    assert sections(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Title\n==\n",
        "two\nlines\n=====\n",
        " Title\n =====\n",
        "text\n\n----\n\ntext\n",
        "::\n\n   Title\n   =====\n",
        "Example::\n\n   Title\n   =====\n\nEnd\n",
        ".. code-block:: rst\n\n   Title\n   =====\n",
        ".. note::\n\n   Title\n   =====\n",
        ".. a comment\n\n   Title\n   =====\n",
        "===== =====\nTitle B\n===== =====\na     b\n===== =====\n",
        "===== =====\na     b\n===== =====\n",
        "+-----+\n| a   |\n+=====+\n",
        "- item\n\n  Title\n  =====\n",
        ">>> x\n====\n",
        "::\n\n> quoted\n> =====\n",
    ],
)
def test_what_only_looks_like_a_title_does_not_split(text: str) -> None:
    assert sections(text) == []


def test_a_table_does_not_hide_what_follows() -> None:
    text = "== ==\na  b\n== ==\nc  d\n== ==\n\nTitle\n=====\n\n== ==\na  b\n== ==\n\nMore\n----\n"

    assert sections(text) == ["Title", "More"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            ".. code-block:: py\n   :linenos:\n\n   def run(): ...\n\n   x\n\nText\n",
            [("python", ".. code-block:: py\n   :linenos:\n\n   def run(): ...\n\n   x")],
        ),
        ("So::\n\n    a\n\n    b\n\nText\n", [("", "    a\n\n    b")]),
        ("::\n\n  a\n", [("", "  a")]),
        ("- item::\n\n    a\n\n  text\n", [("", "    a")]),
        ("So::\n\n> a\n> b\n\nText\n", [("", "> a\n> b")]),
        (">>> f(1)\n2\n\nText\n", [("python", ">>> f(1)\n2")]),
        (".. highlight:: sh\n\nSo::\n\n  ls\n", [("shell", "  ls")]),
        (".. code::\n\n  a\n", [("", ".. code::\n\n  a")]),
        (".. note::\n\n   So::\n\n      a\n\n   text\n", [("", "      a")]),
        ("So::\n\nText\n", []),
        ("So::\n", []),
        (".. code-block:: py\n\nText\n", []),
    ],
)
def test_literal_blocks_are_code_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    assert codes(text) == expected


def test_a_code_block_is_a_child_of_its_section() -> None:
    text = "Use\n===\n\n.. code-block:: py\n\n   def run(): ...\n"
    parsed = read(text)
    (block,) = blocks(text)

    assert (block.id, block.name) == ("doc:guide/setup.rst#Use/code-1", "Use code 1")
    assert (block.own, block.metadata) == ((), {"symbols": ("run",)})
    assert (block.source.start_line, block.source.end_line) == (4, 6)
    assert [(edge.source, edge.target) for edge in parsed.edges][-1] == (
        "doc:guide/setup.rst#Use",
        block.id,
    )
    assert own_text(parsed.nodes[1], text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`a <b.rst>`_", ("b.rst", "", "link")),
        ("`a <b.rst#c>`__", ("b.rst", "c", "link")),
        (":doc:`b`", ("b", "", "doc")),
        (":doc:`a </b/c>`", ("/b/c", "", "doc")),
        (":download:`a <b.zip>`", ("b.zip", "", "link")),
        (":ref:`elsewhere`", ("elsewhere", "", "ref")),
        (":ref:`text <else where>`", ("else where", "", "ref")),
        ("`a b`_\n\n.. _A B: c.rst\n", ("c.rst", "", "link")),
        ("a_ and more\n\n.. _a: b.rst\n", ("b.rst", "", "link")),
        ("a_\n\n.. _a: b_\n.. _b: c.rst\n", ("c.rst", "", "link")),
        ("a_\n\n.. _a:\n   b.rst\n", ("b.rst", "", "link")),
        ("a_\n\n.. _`a`: b.rst\n", ("b.rst", "", "link")),
        ("Use it\n======\n\n`use IT`_\n", ("", "Use it", "link")),
        (".. _x-y:\n\nUse it\n======\n\n:ref:`x-y`\n", ("", "Use it", "link")),
        (".. include:: b.rst\n", ("b.rst", "", "link")),
        (".. literalinclude:: ../b.py\n   :lines: 1-2\n", ("../b.py", "", "link")),
        (".. toctree::\n   :glob:\n\n   a\n   self\n   x/*\n", ("a", "", "doc")),
        (".. toctree::\n\n   Title <b/c>\n", ("b/c", "", "doc")),
    ],
)
def test_links_are_read(text: str, expected: tuple[str, str, str]) -> None:
    assert links(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "`a <https://x.y>`_",
        "`a <mailto:a@b.c>`_",
        "a_\n\n.. _a: https://x.y\n",
        "missing_ and `missing too`_",
        "``:doc:`a` ``",
        ".. :doc:`a`\n",
        "::\n\n  :doc:`a`\n",
        ".. image:: a.png\n   :target: b.rst\n",
        ".. raw:: html\n\n   `a <b.rst>`_\n",
        ":kbd:`a <b.rst>`",
        "a_\n\n.. _a: b_\n.. _b: a_\n",
    ],
)
def test_what_leads_out_or_is_hidden_is_no_link(text: str) -> None:
    assert links(text) == []


def test_a_link_has_its_sentence_and_line() -> None:
    text = "Title\n=====\n\nOne. See :doc:`b` for\nmore. Two.\n"
    one: Reference = read(text).references[0]

    assert (one.source, one.line, one.context) == (
        "doc:guide/setup.rst#Title",
        4,
        "See :doc:`b` for more.",
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (":func:`~a.b.run`", ["a.b.run"]),
        (":py:meth:`A.run()`", ["A.run"]),
        (":class:`text <a.B>`", ["a.B"]),
        (":mod:`!a`", ["a"]),
        ("``run(x)`` and `name`", ["run", "name"]),
        ("the getUser and max_size", ["getUser", "max_size"]),
        (".. autoclass:: a.b.Client\n   :members:\n", ["a.b.Client"]),
        (".. py:function:: a.run(x)\n\n   Does ``this_thing``.\n", ["a.run", "this_thing"]),
        (".. note:: see getUser\n", ["getUser"]),
        (".. [1] see getUser\n", ["getUser"]),
        ("== ==\na  getUser\n== ==\n", ["getUser"]),
        (":ref:`getUser` |getUser| https://x.y/getUser getUser_", []),
        (".. getUser\n", []),
        ("::\n\n  getUser\n", []),
        (">>> getUser()\n", []),
        (":kbd:`getUser`", []),
    ],
)
def test_names_are_mentioned(text: str, names: list[str]) -> None:
    assert mentions(text) == names


def test_fields_at_the_top_or_under_the_title_are_the_front_matter() -> None:
    top = read(":Author: Ana\n:Tags: a,\n   b\n\nText.\n").nodes[0]
    under = read("Title\n=====\n\n:Category: ops\n:orphan:\n\nText.\n").nodes

    assert top.metadata == {"author": "Ana", "tags": "a, b"}
    assert (top.tags, top.description, top.title) == (("a", "b"), "Text.", "Text.")
    assert under[0].metadata == {"category": "ops", "orphan": ""}
    assert (under[0].domain, under[1].description) == ("ops", "Text.")


def test_fields_further_down_are_text() -> None:
    nodes = read("Text.\n\n:a: b\n").nodes

    assert nodes[0].metadata == {}


def test_the_description_is_prose_without_markup() -> None:
    text = (
        "T\n=\n\n.. image:: x.png\n\n:a: b\n\n"
        "The *first* ``words`` of :func:`~a.run` in `x <y>`_ and z_::\n\n  code\n"
    )

    assert read(text).nodes[1].description == "The first words of run in x and z:"


def test_labels_belong_to_the_heading_below_them() -> None:
    text = ".. _one:\n.. _two:\n\nA\n=\n\n.. _three:\n\nparagraph\n\nB\n=\n"
    nodes = read(text).nodes

    assert [node.metadata.get("anchors") for node in nodes[1:]] == [("one", "two"), None]


def test_a_document_without_title_is_named_by_its_first_line_or_file() -> None:
    assert read("*Some* words\nhere\n").nodes[0].title == "Some words"
    assert read("").nodes[0].title == "setup.rst"
    assert read("").nodes[0].own == ()
