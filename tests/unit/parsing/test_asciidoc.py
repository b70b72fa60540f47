from __future__ import annotations

import pytest

from trivium.analysis.fields import own_text
from trivium.parsing.asciidoc import asciidoc
from trivium.parsing.detect import FileType
from trivium.testing.prose import Prose
from trivium.types import EdgeType, Kind

ASCIIDOC = FileType(Kind.DOC, "asciidoc", "asciidoc")


PROSE = Prose(asciidoc, "guide/setup.adoc", ASCIIDOC)
read, sections, blocks = PROSE.read, PROSE.sections, PROSE.blocks
codes, mentions = PROSE.codes, PROSE.mentions


def links(text: str) -> list[tuple[str, str]]:
    found = (one for one in read(text).references if one.type is EdgeType.REFERENCES)
    return [(one.path, one.name) for one in found]


def test_a_section_is_named_by_the_path_of_its_headings() -> None:
    text = "= Guide\n\nIntro.\n\n== Install\n\n=== From source\n\nmake\n\n== Use\nx\n"
    nodes = read(text).nodes

    assert [node.id for node in nodes] == [
        "doc:guide/setup.adoc",
        "doc:guide/setup.adoc#Guide",
        "doc:guide/setup.adoc#Install",
        "doc:guide/setup.adoc#Install/From source",
        "doc:guide/setup.adoc#Use",
    ]
    assert [node.metadata["level"] for node in nodes[1:]] == [1, 2, 3, 2]
    assert own_text(nodes[1], text) == "= Guide\n\nIntro.\n\n"
    assert (nodes[3].source.start_line, nodes[3].source.end_line) == (7, 10)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("== A ==\n", ["A"]),
        ("## A\n", ["A"]),
        ("Title\n=====\n\nSub\n---\n\nDeep\n~~~~\n", ["Title", "Sub", "Sub/Deep"]),
        ("== `code` and *bold* link:x[y]\n", ["code and bold y"]),
        (":name: Trivium\n\n== About {name} {other}\n", ["About Trivium {other}"]),
        ("[[a]]\n== A\n", ["A"]),
        ("[quote]\n____\nx\n____\n\n== A\n", ["A"]),
        ("----\nnever closed\n\n== A\n", ["A"]),
        (" literal\n====\n\n== A\n", ["A"]),
        ("////\nx\n////\n= A\n:k: v\n", ["A"]),
        ("== A\n\n== A\n", ["A", "A~2"]),
    ],
)
def test_headings_are_found(text: str, expected: list[str]) -> None:
    assert sections(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "----\n== x\n----\n",
        "....\n== x\n....\n",
        "```\n== x\n```\n",
        "```ruby\n== x\n```\n",
        "++++\n== x\n++++\n",
        "////\n== x\n////\n",
        "====\n== x\n====\n",
        "****\n== x\n****\n",
        "|===\n== x\n|===\n",
        "--\n== x\n--\n",
        "[discrete]\n== x\n",
        "text\n== x\n",
        "==x\n",
        "======= x\n",
        "// == x\n",
        "Some longer text:\n----\ncode\n----\n",
        "[source]\n--------\ncode\n--------\n",
        " == x\n",
    ],
)
def test_what_only_looks_like_a_heading_does_not_split(text: str) -> None:
    assert sections(text) == []


def test_a_block_inside_a_block_does_not_end_it() -> None:
    text = "====\n----\n====\n== x\n----\n====\n\n== A\n"

    assert sections(text) == ["A"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[source,py]\n----\ndef f(): ...\n----\n", [("python", "----\ndef f(): ...\n----")]),
        ("[,ruby]\n----\nx\n----\n", [("ruby", "----\nx\n----")]),
        ("[source%linenums,ruby]\n----\nx\n----\n", [("ruby", "----\nx\n----")]),
        ("[source, language=sh]\n----\nx\n----\n", [("shell", "----\nx\n----")]),
        ("[source,ruby]\n.Title\n----\nx\n----\n", [("ruby", "----\nx\n----")]),
        ("[#id]\n[source,ruby]\n----\nx\n----\n", [("ruby", "----\nx\n----")]),
        ("[source,ruby]\nputs 1\nputs 2\n\ntext\n", [("ruby", "puts 1\nputs 2")]),
        (":source-language: go\n\n[source]\n----\nx\n----\n", [("go", "----\nx\n----")]),
        ("----\nx\n----\n", [("", "----\nx\n----")]),
        ("....\nx\n....\n", [("", "....\nx\n....")]),
        ("```js\nx\n```\n", [("javascript", "```js\nx\n```")]),
        ("[plantuml]\n----\nx\n----\n", [("plantuml", "----\nx\n----")]),
        ("[source,ruby]\n----\n----\n", []),
        ("[source,ruby]\n----\nnever\n", [("ruby", "----\nnever")]),
        ("[source,ruby]\n\ntext\n", [("ruby", "text")]),
    ],
)
def test_listings_are_code_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    assert codes(text) == expected


def test_a_code_block_is_a_child_of_its_section() -> None:
    text = "= T\n\n== Use\n\n[source,py]\n----\ndef run(): ...\n----\n"
    parsed = read(text)
    (block,) = blocks(text)

    assert (block.id, block.name) == ("doc:guide/setup.adoc#Use/code-1", "Use code 1")
    assert (block.own, block.metadata) == ((), {"symbols": ("run",)})
    assert (block.source.start_line, block.source.end_line) == (6, 8)
    assert parsed.edges[-1].source == "doc:guide/setup.adoc#Use"
    assert own_text(parsed.nodes[2], text) == text[5:]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("xref:b.adoc[text]", ("b.adoc", "")),
        ("xref:b.adoc#c[text]", ("b.adoc", "c")),
        ("xref:b.adoc#_from_source[]", ("b.adoc", "from source")),
        ("link:../b.pdf[text]", ("../b.pdf", "")),
        ("<<b.adoc#c,text>>", ("b.adoc", "c")),
        ("<<c>>", ("", "c")),
        ("<<_from_source,text>>", ("", "from source")),
        ("[[c]]\n== Use it\n\n<<c>>", ("", "Use it")),
        ("[#c]\n== Use it\n\nxref:c[]", ("", "Use it")),
        ("[id=c]\n== Use it\n\n<<c>>", ("", "Use it")),
        ("[#_c]\n== Use it\n\n<<_c>>", ("", "Use it")),
        ("|===\n|a |xref:b.adoc[]\n|===", ("b.adoc", "")),
        ("NOTE: see xref:b.adoc[]", ("b.adoc", "")),
    ],
)
def test_links_are_read(text: str, expected: tuple[str, str]) -> None:
    assert links(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "https://x.y[z]",
        "link:https://x.y[z]",
        "`xref:b.adoc[]`",
        "----\nxref:b.adoc[]\n----",
        "// xref:b.adoc[]",
        "////\nxref:b.adoc[]\n////",
        "include::b.adoc[]",
        "image::b.png[xref:c.adoc]",
        " xref:b.adoc[] in a literal paragraph",
        "xref:[] and << >>",
        ":a: xref:b.adoc[]",
    ],
)
def test_what_leads_out_or_is_hidden_is_no_link(text: str) -> None:
    assert links(text) == []


def test_a_link_has_its_sentence_and_line() -> None:
    text = "= T\n\n== A\n\n* One. See <<b,the b>> for\nmore. Two.\n"
    one = read(text).references[0]

    assert (one.source, one.of, one.line, one.context) == (
        "doc:guide/setup.adoc#A",
        "link",
        5,
        "See <<b,the b>> for more.",
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`run`", ["run"]),
        ("`+A.check()+`", ["A.check"]),
        ("the getUser and max_size", ["getUser", "max_size"]),
        ("* item getUser\n** item run()", ["getUser", "run"]),
        ("getUser:: means this", ["getUser"]),
        (".Title of getUser\n----\nx\n----", ["getUser"]),
        ("include::getUser.adoc[]\n", []),
        ("https://x.y/getUser[z]", []),
        ("----\ngetUser\n----", []),
        (" getUser\n", []),
        ("// getUser\n", []),
    ],
)
def test_names_are_mentioned(text: str, names: list[str]) -> None:
    assert mentions(text) == names


def test_attributes_of_the_header_are_the_front_matter() -> None:
    text = (
        "// comment\n:before: 1\n= Title\nAna B <a@b.c>\nv1.0\n:tags: a, b\n:long: one \\\n  two\n"
        ":toc:\n:no!:\n// note\n:category: ops\n\nText of it.\n\n:later: x\n"
    )
    nodes = read(text).nodes

    assert nodes[0].metadata == {
        "before": "1",
        "tags": "a, b",
        "long": "one two",
        "category": "ops",
    }
    assert (nodes[0].title, nodes[0].tags, nodes[0].domain) == ("Title", ("a", "b"), "ops")
    assert nodes[1].description == "Text of it."


def test_the_description_is_prose_without_markup() -> None:
    text = "== T\n\n[.lead]\nThe *first* `words` of <<x,it>> and link:y[z].\n"

    assert read(text).nodes[1].description == "The first words of it and z."
    assert read("== T\n\n----\ncode\n----\n\nimage::x.png[]\n\nText.\n").nodes[1].description == (
        "Text."
    )


def test_a_document_without_title_is_named_by_its_first_line_or_file() -> None:
    assert read("*Some* words\nhere\n").nodes[0].title == "Some words"
    assert read("").nodes[0].title == "setup.adoc"
