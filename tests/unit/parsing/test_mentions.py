from __future__ import annotations

import pytest

from trivium.parsing.detect import detect
from trivium.parsing.markdown import markdown
from trivium.parsing.mentions import exact
from trivium.types import Document, EdgeType, Reference


def references(text: str) -> list[Reference]:
    parsed = markdown(Document("a.md", text), detect("a.md", text))
    return [one for one in parsed.references if one.type is EdgeType.MENTIONS]


def mentions(text: str) -> list[str]:
    return [".".join(filter(None, (one.path, one.name))) for one in references(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`run`", ["run"]),
        ("`Validator.check()`", ["Validator.check"]),
        ("`Validator.check(x, y)`", ["Validator.check"]),
        ("`a::b::run`", ["a.b.run"]),
        ("`this->client->get()`", ["this.client.get"]),
        ("`Foo#bar`", ["Foo.bar"]),
        ("`raise ValueError`", ["raise", "ValueError"]),
        ("`open('name', mode)`", ["open", "mode"]),
        ("``has ` tick``", ["has", "tick"]),
        ("`x` and `ab`", []),
        ("`--max-tokens`", []),
        ("`foo-bar`", []),
        ("`src/app/main.py`", []),
        ("`setup.py`", []),
        ("`package.json`", []),
        ("`response.json()`", ["response.json"]),
        ("`https://example.com/thing`", []),
        ("`true`, `None`", []),
        ("`@decorator`", ["decorator"]),
        ("`über_name`", ["über_name"]),
    ],
)
def test_every_name_in_a_code_span_counts(text: str, names: list[str]) -> None:
    assert mentions(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the getUser function", ["getUser"]),
        ("an HTTPServer here", ["HTTPServer"]),
        ("set max_size to 3", ["max_size"]),
        (r"set max\_size to 3", ["max_size"]),
        ("MAX_SIZE", ["MAX_SIZE"]),
        ("call parse() or run(x, 1) first", ["parse", "run"]),
        ("via Validator.check or config.load().", ["Validator.check", "config.load"]),
        ("std::vector", ["std.vector"]),
        ("**getUser** and *getItem*", ["getUser", "getItem"]),
        ("[getUser](x.md)", ["getUser"]),
        ("## Heading with getUser", ["getUser"]),
        ("| getUser | x |", ["getUser"]),
        ("plain words with a Capital and HTTP", []),
        ("the IDs and URLs", []),
        ("_emphasis_ and __strong__", []),
        ("file(s) and match(es) and printf(3)", []),
        ("e.g. this, i.e. that, U.S.A. too", []),
        ("see README.md and setup.py", []),
        ("https://x.y/getUser and www.x.y/getUser", []),
        ("mail first.last@example.com", []),
        ("a path/to/getUser/x", []),
        ("version 1.2.3 of v1.2", []),
        ("<div className='getUser'>x</div>", []),
        ("[x](getUser.md) [[getUser]]", []),
        ("<!-- getUser -->", []),
        ("```\ngetUser\n```", []),
        ("    getUser", []),
        ("[id]: getUser.md\n\n[id]", []),
        ("---\na: getUser\n---\n", []),
        ("at line app.py:12", []),
    ],
)
def test_in_running_text_only_what_looks_like_code_counts(text: str, names: list[str]) -> None:
    assert mentions(text) == names


def test_a_name_is_mentioned_once_by_each_section() -> None:
    text = "`run` and `run`\n\n# A\n`run`, a.run()\n\n`run`\n"

    assert [(one.source, one.path, one.name, one.line) for one in references(text)] == [
        ("doc:a.md", "", "run", 1),
        ("doc:a.md#A", "", "run", 4),
        ("doc:a.md#A", "a", "run", 4),
    ]


def test_a_mention_has_no_context() -> None:
    assert references("Use `run` now.")[0].context == ""


def test_a_section_mentions_only_so_many_names() -> None:
    text = " ".join(f"`name{number}`" for number in range(300))

    assert len(mentions(text)) == 200


def test_names_of_unreasonable_length_are_none() -> None:
    assert mentions("`" + "a." * 150 + "run`" + " `" + "x" * 300 + "`") == []


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("~a.b.run", ("a.b", "run")),
        ("!run()", ("", "run")),
        ("x", ("", "x")),
        ("no name", None),
        ("", None),
    ],
)
def test_what_the_text_marks_as_a_name_is_one(name: str, found: tuple[str, str] | None) -> None:
    assert [(one.path, one.name) for one in exact(name, at=0)] == ([found] if found else [])
