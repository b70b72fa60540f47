from __future__ import annotations

import pytest

from trivium.analysis.slugs import slugify
from trivium.parsing.detect import detect
from trivium.parsing.links import Sentences, blanked, local
from trivium.parsing.markdown import markdown
from trivium.types import Document, EdgeType, Reference


def references(text: str, path: str = "guide/setup.md") -> list[Reference]:
    parsed = markdown(Document(path, text), detect(path, text))
    return [one for one in parsed.references if one.type is EdgeType.REFERENCES]


def targets(text: str) -> list[tuple[str, str]]:
    return [(one.path, one.name) for one in references(text)]


@pytest.mark.parametrize(
    ("text", "path", "name"),
    [
        ("[a](b.md)", "b.md", ""),
        ("[a](../b.md#Use)", "../b.md", "Use"),
        ("[a](#use-it)", "", "use-it"),
        ("[a](/docs/b)", "/docs/b", ""),
        ("[a](b%20c.md#d%C3%A9)", "b c.md", "dé"),
        ("[a](b.md?raw=1#c)", "b.md", "c"),
        ('[a](b.md "Title (x)")', "b.md", ""),
        ("[a](b.md 'Title')", "b.md", ""),
        ("[a](<b c.md>)", "b c.md", ""),
        ("[a](b(1).md)", "b(1).md", ""),
        (r"[a](b\_c.md)", "b_c.md", ""),
        ("[a\nb](c.md)", "c.md", ""),
        ("[![badge](x.svg)](b.md)", "b.md", ""),
        ("[a [b] c](d.md)", "d.md", ""),
        ("[a](src/app.py:12)", "src/app.py:12", ""),
        ("[a](app.py:12)", "app.py:12", ""),
        ("[[1]](b.md)", "b.md", ""),
        ("see <b.md>", "b.md", ""),
        ("see <../src/app.py>", "../src/app.py", ""),
        ('<a class="x" href="b.md#c">d</a>', "b.md", "c"),
        ("> quoted [a](b.md)", "b.md", ""),
        ("- [ ] [a](b.md)", "b.md", ""),
        ("| x | [a](b.md) |", "b.md", ""),
        ("# Heading [a](b.md)", "b.md", ""),
        ("<!-- x --> [a](b.md)", "b.md", ""),
    ],
)
def test_a_link_names_a_file_and_an_anchor(text: str, path: str, name: str) -> None:
    (one,) = references(text)

    assert (one.path, one.name, one.alias, one.of) == (path, name, "", "link")


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://x.y/z.md)",
        "[a](//x.y/z.md)",
        "[a](mailto:a@b.c)",
        "[a](C:\\x.md)",
        "<https://x.y/z.md>",
        "[a]()",
        "[a](#)",
        "[a](b%00.md)",
        "![a](b.md)",
        "![a][b]\n\n[b]: c.md",
        "[a] (b.md)",
        r"\[a](b.md)",
        "[a](b c.md)",
        "[a](b.md",
        "`[a](b.md)`",
        "``[a](b.md) ` ``",
        "```\n[a](b.md)\n```",
        "~~~\n[a](b.md)",
        "> ```\n> [a](b.md)\n> ```",
        "    [a](b.md)",
        "<!-- [a](b.md) -->",
        "<!--\n[a](b.md)\n-->",
        "x <!-- [a](b.md)\n-->",
        "<pre>\n[a](b.md)\n</pre>",
        "---\na: '[a](b.md)'\n---\n",
        "<br/> <Menu.Item> <div>",
        "[a][missing]",
        "[^1]: note.md",
        "[a](x" + "y" * 3000 + ")",
    ],
)
def test_what_leads_out_or_is_no_link_is_no_reference(text: str) -> None:
    assert references(text) == []


@pytest.mark.parametrize(
    "use", ["[text][Id]", "[text][ id ]", "[id][]", "[id]", "[Id] is here", "[a **b**][id]"]
)
def test_links_by_reference_take_their_target_from_the_definition(use: str) -> None:
    text = f"{use}\n\n[id]: <../b c.md#d> 'Title'\n[id]: other.md\n"

    assert targets(text) == [("../b c.md", "d")]


def test_a_definition_may_stand_before_its_use_and_in_another_section() -> None:
    text = "[id]: b.md\n\n# A\n\nSee [id].\n"
    (one,) = references(text)

    assert (one.source, one.path, one.line) == ("doc:guide/setup.md#A", "b.md", 5)


def test_a_definition_in_a_fence_defines_nothing() -> None:
    assert references("[id]\n\n```\n[id]: b.md\n```\n") == []


def test_a_link_belongs_to_its_section_once() -> None:
    text = "[a](x.md) [b](x.md)\n\n# A\n[c](x.md)\n"

    assert [(one.source, one.line) for one in references(text)] == [
        ("doc:guide/setup.md", 1),
        ("doc:guide/setup.md#A", 4),
    ]


def test_a_link_to_a_named_place_here_names_its_heading() -> None:
    assert targets("[a](#x)\n\n## Use it {#x}\n") == [("", "Use it")]


def test_a_wikilink_has_target_anchor_alias_and_sentence_g23() -> None:
    text = "# A\nFirst one. Try  a\n[[Thought Records#use|TR]] when sad! Last.\n"
    (one,) = references(text)

    assert (one.name, one.path, one.alias, one.of) == ("Thought Records", "#use", "TR", "wikilink")
    assert slugify(one.name) == "thought-records"
    assert one.context == "Try a [[Thought Records#use|TR]] when sad!"
    assert one.line == 3


@pytest.mark.parametrize(
    ("text", "name", "path", "alias"),
    [
        ("[[a]]", "a", "", ""),
        ("[[ a b ]]", "a b", "", ""),
        ("[[a|b c]]", "a", "", "b c"),
        ("[[a#b]]", "a", "#b", ""),
        ("[[a#b#c]]", "a", "#b#c", ""),
        ("[[#b]]", "", "#b", ""),
        ("[[a#^block]]", "a", "#^block", ""),
        ("![[a]]", "a", "", ""),
        ("[[folder/a.md]]", "folder/a.md", "", ""),
        (r"| x | [[a\|b]] |", "a", "", "b"),
        ("[[東京]]", "東京", "", ""),
    ],
)
def test_wikilinks_are_read(text: str, name: str, path: str, alias: str) -> None:
    (one,) = references(text)

    assert (one.name, one.path, one.alias, one.of) == (name, path, alias, "wikilink")


@pytest.mark.parametrize(
    "text",
    [
        "`[[a]]`",
        "```\n[[a]]\n```",
        "<!-- [[a]] -->",
        "<!--\n[[a]]\n-->",
        "[[]]",
        "[[|a]]",
        "[[a\nb]]",
        "[[a]",
        r"\[[a]]",
        "![[a.png]]",
        "[[1, 2], [3, 4]]",
        "    [[a]]",
    ],
)
def test_what_is_hidden_or_broken_is_no_wikilink(text: str) -> None:
    assert references(text) == []


def test_wikilinks_in_the_front_matter_count() -> None:
    text = "---\nup: '[[Home]]'\nrelated:\n  - \"[[A|b]]\"\n  - [[C]]\n---\n# X\n"

    assert [(one.source, one.name, one.line, one.context) for one in references(text)] == [
        ("doc:guide/setup.md", "Home", 2, "up: '[[Home]]'"),
        ("doc:guide/setup.md", "A", 4, '"[[A|b]]"'),
        ("doc:guide/setup.md", "C", 5, "[[C]]"),
    ]


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("One. Two [a](x.md) three. Four.", "Two [a](x.md) three."),
        ("Is it? See [a](x.md)! Yes.", "See [a](x.md)!"),
        ("Use e.g. this [a](x.md) or that.", "Use e.g. this [a](x.md) or that."),
        ("Read [a. B](x.md) now. Then.", "Read [a. B](x.md) now."),
        ("Call `a. B` in [a](x.md).", "Call `a. B` in [a](x.md)."),
        ("- one [a](x.md)\n- two", "one [a](x.md)"),
        ("1. one\n2. two [a](x.md)", "two [a](x.md)"),
        ("- [x] done [a](x.md)", "done [a](x.md)"),
        ("> quoted\n> and [a](x.md)", "quoted and [a](x.md)"),
        ("## Head [a](x.md)\nText", "Head [a](x.md)"),
        ("これは。ここに[a](x.md)ある。次。", "ここに[a](x.md)ある。"),
        ("a\n\nb [a](x.md)\n\nc", "b [a](x.md)"),
    ],
)
def test_the_context_is_the_sentence_around_the_link(text: str, context: str) -> None:
    assert references(text)[0].context == context


def test_of_an_endless_sentence_the_context_is_what_is_near() -> None:
    (one,) = references("word " * 5000 + "[a](x.md)" + " more" * 5000)

    assert "word [a](x.md) more" in one.context
    assert len(one.context) <= 600 + 300
    assert set(one.context.split()) == {"word", "[a](x.md)", "more"}


def test_a_section_has_only_so_many_links() -> None:
    text = "".join(f"[a]({number}.md) " for number in range(1500))

    assert len(references(text)) == 1000


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("a.md#b", ("a.md", "b")),
        (" a.md ", ("a.md", "")),
        ("", None),
        ("javascript:x", None),
        (r"\\host\share", None),
    ],
)
def test_a_target_is_a_file_and_an_anchor(target: str, place: tuple[str, str] | None) -> None:
    assert local(target) == place


def test_blanking_keeps_the_length() -> None:
    assert blanked("abcdef", [(4, 5), (1, 3), (2, 3), (1, 2)]) == "a  d f"


def test_a_sentence_is_found_around_a_place() -> None:
    prose = "One. Two! Three"
    span = Sentences(prose, offset=10).around(prose.index("Two"), prose.index("!"))

    assert prose[span.start - 10 : span.end - 10] == "Two! "
