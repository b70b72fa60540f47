from __future__ import annotations

import pytest

from trivium.parsing.detect import detect
from trivium.parsing.front import front_matter
from trivium.parsing.markdown import markdown, without_markup
from trivium.types import Document, Node, Parsed


def read(text: str, path: str = "guide/setup.md") -> Parsed:
    return markdown(Document(path, text), detect(path, text))


def sections(text: str) -> list[str]:
    return [node.id.partition("#")[2] for node in read(text).nodes if node.type == "section"]


def own_text(text: str, node: Node) -> str:
    return "".join(text[span.start : span.end] for span in node.own)


def test_a_section_is_named_by_the_path_of_its_headings() -> None:
    text = "# Guide\nIntro.\n## Install\n### From source\nmake\n## Use\n"
    nodes = read(text).nodes

    assert [node.id for node in nodes] == [
        "doc:guide/setup.md",
        "doc:guide/setup.md#Guide",
        "doc:guide/setup.md#Install",
        "doc:guide/setup.md#Install/From source",
        "doc:guide/setup.md#Use",
    ]


def test_two_titles_are_part_of_the_paths_below_them() -> None:
    assert sections("# A\n## X\n# B\n## X\n") == ["A", "A/X", "B", "B/X"]


def test_a_title_that_does_not_lead_is_part_of_the_path() -> None:
    assert sections("## First\n# A\n## X\n") == ["First", "A", "A/X"]


def test_equal_headings_are_numbered() -> None:
    assert sections("## A\n### X\n## A\n### X\n") == ["A", "A/X", "A~2", "A/X~2"]


def test_a_section_spans_its_children_but_owns_only_its_text() -> None:
    text = "pre\n# G\none\n## H\ntwo\n# Z\n"
    document, first, second, last = read(text).nodes

    assert text[first.span.start : first.span.end] == "# G\none\n## H\ntwo\n"
    assert [own_text(text, node) for node in (document, first, second, last)] == [
        "pre\n",
        "# G\none\n",
        "## H\ntwo\n",
        "# Z\n",
    ]
    assert (second.source.start_line, second.source.end_line) == (4, 5)


def test_each_section_is_contained_in_the_one_above() -> None:
    edges = read("# G\n## H\n#### Deep\n## I\n").edges

    assert [(edge.source[18:], edge.target[18:]) for edge in edges] == [
        ("", "#G"),
        ("#G", "#H"),
        ("#H", "#H/Deep"),
        ("#G", "#I"),
    ]


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n## x\n```\n",
        "```python title=a\n## x\n```\n",
        "~~~\n## x\n~~~\n",
        "````md\n```\n## x\n```\n````\n",
        "~~~\n```\n## x\n~~~\n",
        "   ```\n## x\n   ```\n",
        "- item\n\n  ```sh\n  ## x\n  ```\n",
        "1. item\n\n    ```sh\n## x\n    ```\n",
        "> ```\n> ## x\n> ```\n",
        "```\n## x\n",
        "<!-- a\n## x\n-->\n",
        "text <!-- a\n## x\n-->\n",
        "<pre>\n## x\n</pre>\n",
        "\n    ## x\n",
        "\n\t## x\n",
        "#x\n",
        "####### x\n",
        "| a | b |\n| --- | --- |\n",
        "- a\n---\n",
        "\n---\n",
        "***\n",
        "\\# x\n",
    ],
)
def test_what_only_looks_like_a_heading_does_not_split_g113(hidden: str) -> None:
    assert sections(f"## A\n{hidden}") == ["A"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Title\n=====\n\nSub\n---\n", ["Title", "Sub"]),
        ("two\nlines\n===\n", ["two lines"]),
        ("# a #\n## b ##   \n", ["a", "b"]),
        ("   # a\n", ["a"]),
        ("#\ttab\n", ["tab"]),
        ("#\n", ["untitled"]),
        ("```\n```\n# a\n", ["a"]),
        ("<!-- x -->\n# a\n", ["a"]),
        ("`<!--`\n# a\n", ["a"]),
        ("text <!-- never closed\n# a\n", ["a"]),
        ("```a`b\n# a\n", ["a"]),
        ("text\n# a\n", ["a"]),
    ],
)
def test_headings_are_found(text: str, expected: list[str]) -> None:
    assert sections(text) == expected


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("`code` and **bold** _it_", "code and bold it"),
        ("[link](http://x) ![alt](i.png)", "link alt"),
        ("snake_case_name * 2", "snake_case_name * 2"),
        ("Anchor {#id}", "Anchor"),
        ("a <b>b</b> < c", "a b < c"),
        (r"\*star\*", "*star*"),
    ],
)
def test_markup_is_not_part_of_a_name(raw: str, text: str) -> None:
    assert without_markup(raw) == text


def test_front_matter_gives_title_tags_and_domain() -> None:
    text = (
        "---\ntitle: 'T'\ntags: [a, 'b c']\ncategory: ops\n# no\nlist:\n  - x\n  - y\n---\nHello.\n"
    )
    (node,) = read(text).nodes

    assert (node.title, node.name, node.tags, node.domain) == ("T", "T", ("a", "b c"), "ops")
    assert node.metadata["list"] == ("x", "y")
    assert node.description == "Hello."
    assert own_text(text, node) == text


def test_tags_reach_every_section_and_may_be_a_list() -> None:
    nodes = read("---\ntags:\n- a\n- b\n---\n# H\n## I\n").nodes

    assert {node.tags for node in nodes} == {("a", "b")}
    assert {node.domain for node in nodes} == {"guide"}


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert front_matter("---\nnever closed\n") == ({}, 0)
    assert front_matter("\n---\na: b\n---\n") == ({}, 0)


def test_the_first_heading_wins_over_the_title_of_the_front_matter() -> None:
    assert read("---\ntitle: T\n---\n# H\n").nodes[0].title == "H"


def test_a_document_without_title_is_named_by_its_file() -> None:
    assert read("").nodes[0].name == "setup.md"
    assert read("").nodes[0].own == ()


def test_the_description_is_the_first_paragraph_of_prose() -> None:
    text = "# G\n\n![badge](x)\n\n```\ncode\n```\n\nThe **first** words\nof it.\n\nMore.\n"

    assert read(text).nodes[1].description == "The first words of it."


def test_names_keep_case_and_script() -> None:
    assert sections("# Über UNS 東京\n") == ["Über UNS 東京"]


def blocks(text: str, path: str = "guide/setup.md") -> dict[str, Node]:
    return {
        node.id.partition("#")[2]: node
        for node in read(text, path).nodes
        if node.type == "code block"
    }


def test_a_fence_is_a_child_of_its_section_and_owns_no_text() -> None:
    text = "# G\n\n## Use\nSo:\n\n```py title=x\ndef run(): ...\n```\nand\n"
    parsed = read(text)
    block = blocks(text)["Use/code-1"]

    assert block.id == "doc:guide/setup.md#Use/code-1"
    assert (block.kind, block.name, block.language) == ("doc", "Use code 1", "python")
    assert text[block.span.start : block.span.end] == "```py title=x\ndef run(): ...\n```"
    assert (block.source.start_line, block.source.end_line) == (6, 8)
    assert block.own == ()
    assert block.metadata == {"symbols": ("run",)}
    assert [edge.source for edge in parsed.edges if edge.target == block.id] == [
        "doc:guide/setup.md#Use"
    ]
    assert own_text(text, parsed.nodes[2]) == text[5:]


def test_fences_are_counted_in_each_section_and_before_the_first() -> None:
    text = "```\na\n```\n~~~\nb\n~~~\n# A\n```\nc\n```\n## B\n```\nd\n```\n"

    assert list(blocks(text)) == ["code-1", "code-2", "A/code-1", "B/code-1"]


def test_a_heading_that_is_called_like_a_fence_keeps_its_id() -> None:
    text = "## A\n```\nx\n```\n### code-1\n"

    assert sections(text) == ["A", "A/code-1"]
    assert list(blocks(text)) == ["A/code-1~2"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```\nnever closed\n", "```\nnever closed\n"),
        ("- item\n\n  ```sh\n  ls\n  ```\n", "  ```sh\n  ls\n  ```"),
        ("> ```sh\n> ls\n> ```\n> text\n", "> ```sh\n> ls\n> ```"),
        ("> ```sh\n> ls\n\nafter\n", "> ```sh\n> ls\n"),
        ("````md\n```\nx\n```\n````\n", "````md\n```\nx\n```\n````"),
    ],
)
def test_a_fence_spans_from_its_first_to_its_last_line(text: str, code: str) -> None:
    (block,) = blocks(text).values()

    assert text[block.span.start : block.span.end].rstrip() == code.rstrip()


def test_an_empty_fence_is_no_node() -> None:
    assert blocks("# A\n```\n\n```\n") == {}


def test_only_so_many_fences_of_a_document_are_nodes() -> None:
    assert len(blocks("```\nx\n```\n" * 1100)) == 1000


def test_the_anchors_a_heading_is_given_are_kept() -> None:
    nodes = read("## A {#one}\n\n<a name='two'></a>\n## B\n\n## C <a id=\"three\"></a>\n").nodes

    assert [node.metadata.get("anchors") for node in nodes[1:]] == [("one",), ("two",), ("three",)]
    assert [node.name for node in nodes[1:]] == ["A", "B", "C"]


def test_the_program_in_mdx_is_no_prose() -> None:
    text = (
        "import Tabs from '@theme/Tabs'\nimport x from './x'\n\nexport const a = {\n  b: 1,\n}\n\n"
        "<Tabs groupId='a'>\n\n{/* [[hidden]] */}\n\nThe <b>first</b> words of runServer.\n"
    )
    parsed = read(text, "a.mdx")

    assert parsed.nodes[0].description == "The first words of runServer."
    assert parsed.nodes[0].title == "<Tabs groupId='a'>"
    assert [one.name for one in parsed.references] == ["runServer"]


def test_headings_of_mdx_are_those_of_markdown() -> None:
    text = "import A from 'a'\n\n# One\n<A>\n\n## Two\n</A>\n"

    assert [node.name for node in read(text, "a.mdx").nodes[1:]] == ["One", "Two"]


def test_keywords_are_tags_where_there_are_no_tags() -> None:
    assert read("---\nkeywords: a, b\n---\nx\n").nodes[0].tags == ("a", "b")


def test_headings_without_end_become_text() -> None:
    text = "# a\n" * 30_000
    parsed = read(text)

    assert len(parsed.nodes) == 1 + 20_000
    assert parsed.nodes[-1].own[-1].end == len(text)
