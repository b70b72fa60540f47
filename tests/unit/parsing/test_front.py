from __future__ import annotations

import pytest

from trivium.parsing.front import first_text, front_matter, unquoted, words
from trivium.types import MetaValue


def values(front: str) -> dict[str, MetaValue]:
    return dict(front_matter(f"---\n{front}---\ntext\n")[0])


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("a: b\n", {"a": "b"}),
        ("A-b: c\n", {"a-b": "c"}),
        ("a:\n", {"a": ""}),
        ("a: 'it''s'\n", {"a": "it's"}),
        ("a: ''\n", {"a": ""}),
        ('a: "say \\"x\\" \\u00e9\\n"\n', {"a": 'say "x" é\n'}),
        ('a: "\\ud800"\n', {"a": "�"}),
        ('"a b": c\n', {"a b": "c"}),
        ("date created: today\n", {"date created": "today"}),
        ("a: b # comment\n", {"a": "b"}),
        ("a: 'b # c' # comment\n", {"a": "b # c"}),
        ("a: http://x.y/#z\n", {"a": "http://x.y/#z"}),
        ("a: 1\nb: true\n", {"a": "1", "b": "true"}),
        ("# a: b\n\nc: d\n", {"c": "d"}),
        ("a: b: c\n", {"a": "b: c"}),
        ("no key here\na: b\n", {"a": "b"}),
    ],
)
def test_texts_are_read_as_they_are_written(front: str, expected: dict[str, MetaValue]) -> None:
    assert values(front) == expected


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("a: [x, y]\n", ("x", "y")),
        ("a: ['x, y', \"z\"]\n", ("x, y", "z")),
        ("a: [x,\n  y,\n]\n", ("x", "y")),
        ("a: [] # none\n", ()),
        ("a: [[[Home]], b]\n", ("[[Home]]", "b")),
        ("a:\n- x\n- 'y'\n", ("x", "y")),
        ("a:\n  - x # no\n  # no\n\n  - y\n", ("x", "y")),
        ("a:\n  - long\n    item\n  - y\n", ("long item", "y")),
        ("a:\n  - name: x\n    url: y\n", ("name: x url: y",)),
        ("a:\n  - |\n    two\n    lines\n", ("two\nlines",)),
    ],
)
def test_lists_are_read_in_both_styles(front: str, expected: MetaValue) -> None:
    assert values(front)["a"] == expected


def test_a_wikilink_alone_is_no_list() -> None:
    assert values("up: [[Home]]\n") == {"up": "[[Home]]"}


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("a: |\n  x\n    y\n\n  z\nb: c\n", {"a": "x\n  y\n\nz", "b": "c"}),
        ("a: >-\n  x\n  y\n\n  z\nb: c\n", {"a": "x y\nz", "b": "c"}),
        ("a: x\n  goes on\nb: c\n", {"a": "x goes on", "b": "c"}),
        ('a: "x\n  goes on"\nb: c\n', {"a": "x goes on", "b": "c"}),
        ("a: 'never closed\nb: c\n", {"a": "never closed", "b": "c"}),
        ("a: [never, closed\nb: c\n", {"a": ("never", "closed"), "b": "c"}),
    ],
)
def test_values_go_on_over_lines(front: str, expected: dict[str, MetaValue]) -> None:
    assert values(front) == expected


def test_maps_are_read_one_level_deep() -> None:
    front = "a:\n  b: c\n  d:\n    - e\n    - f\n  g: |\n    h\ni: {j: k, l: 'm, n'}\n"

    assert values(front) == {
        "a.b": "c",
        "a.d": ("e", "f"),
        "a.g": "h",
        "i.j": "k",
        "i.l": "m, n",
    }


def test_nothing_in_it_is_executed_or_followed() -> None:
    front = "a: !!python/object/apply:os.system ['x']\nb: &x y\nc: *x\n"

    assert values(front) == {
        "a": "!!python/object/apply:os.system ['x']",
        "b": "&x y",
        "c": "*x",
    }


def test_the_text_starts_after_the_closing_line() -> None:
    text = "---\na: b\n...\ntext\n"

    assert text[front_matter(text)[1] :] == "text\n"


def test_there_is_an_end_to_keys_and_values() -> None:
    many = values("".join(f"k{number}: v\n" for number in range(3000)))
    long = values("a: " + "x" * 20_000 + "\nb:\n" + "- y\n" * 3000)

    assert len(many) == 1000
    assert (len(str(long["a"])), len(words(long["b"]))) == (10_000, 1000)


def test_words_are_cut_at_commas() -> None:
    assert words("a, 'b c',, d") == ("a", "b c", "d")
    assert words(("a, b",)) == ("a, b",)


def test_the_first_key_with_a_text_counts() -> None:
    assert first_text({"a": "", "b": ("x",), "c": "y"}, "a", "b", "c") == "y"
    assert first_text({}, "a") == ""


def test_quotes_that_do_not_match_stay() -> None:
    assert unquoted("'a\"") == "'a\""
    assert unquoted("'") == "'"
