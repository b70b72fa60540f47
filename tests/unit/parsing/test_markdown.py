from __future__ import annotations

import pytest

from trivium.parsing.detect import detect
from trivium.parsing.markdown import front_matter, markdown, without_markup
from trivium.types import Document, Node, Parsed


def read(text: str, path: str = "guide/setup.md") -> Parsed:
    return markdown(Document(path, text), detect(path, text))


def sections(text: str) -> list[str]:
    return [node.id.partition("#")[2] for node in read(text).nodes[1:]]


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
