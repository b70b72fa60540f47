"""How names and values become a Filter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import pytest

from trivium.errors import FilterError
from trivium.filtering import conditions
from trivium.filtering.conditions import EVERYTHING, NOTHING, Condition, Filter, build

EQUALS, CONTAINS, STARTS = conditions.Test.EQUALS, conditions.Test.CONTAINS, conditions.Test.STARTS


def one(field: str, test: conditions.Test, *values: str) -> Filter:
    return Filter((Condition(field, test, frozenset(values)),))


@pytest.mark.parametrize(
    ("name", "value", "made"),
    [
        ("kind", "Code", one("kind", EQUALS, "code")),
        ("type", " Function ", one("type", EQUALS, "function")),
        ("file", "Src\\Util", one("path", CONTAINS, "src/util")),
        ("path", "./src", one("path", CONTAINS, "src")),
        ("path_prefix", "docs/", one("path", STARTS, "docs/")),
        ("source_type", "md", one("ext", EQUALS, ".md")),
        ("domain", "Health", one("domain", EQUALS, "health")),
        ("tag", "Sleep", one("tag", EQUALS, "sleep")),
        ("name", "validate", one("name", CONTAINS, "validate")),
        ("path", "e\u0301", one("path", CONTAINS, "\u00e9")),
        ("path", "\ud800", one("path", CONTAINS, "\ufffd")),
    ],
)
def test_a_value_is_folded_as_its_attribute_is_compared(
    name: str, value: str, made: Filter
) -> None:
    assert build({name: value}) == made


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        ("js", "javascript"),
        ("TS", "typescript"),
        ("golang", "go"),
        ("cpp", "c++"),
        ("bash", "shell"),
        ("CSharp", "c#"),
        ("cobol", "cobol"),
    ],
)
def test_a_language_may_go_by_its_short_name_and_an_unknown_one_passes_through(
    typed: str, language: str
) -> None:
    assert build({"lang": typed}) == one("lang", EQUALS, language)


@pytest.mark.parametrize("typed", ["*.js", "JS", ".js", "*js", " .Js "])
def test_an_extension_may_be_written_with_or_without_star_and_dot(typed: str) -> None:
    assert build({"ext": typed}) == one("ext", EQUALS, ".js")


def test_several_values_are_alternatives() -> None:
    assert build({"kind": ["code", "doc"]}) == one("kind", EQUALS, "code", "doc")


def test_file_and_path_are_one_list() -> None:
    assert build({"file": "a", "path": ["b"]}) == one("path", CONTAINS, "a", "b")


def test_two_names_of_one_attribute_must_both_hold() -> None:
    assert build({"ext": "md", "source_type": "txt"}) == build({"ext": "md"}) & build(
        {"ext": "txt"}
    )


def test_the_same_condition_twice_is_one() -> None:
    assert build({"ext": "md", "source_type": "md"}) == build({"ext": "md"})


def test_none_leaves_a_field_out() -> None:
    assert build({"kind": None}) == build({}) == EVERYTHING


def test_an_empty_list_allows_nothing_and_is_not_left_out() -> None:
    assert build({"kind": []}) == NOTHING


@pytest.mark.parametrize(
    ("typed", "meant"), [("langauge", "lang"), ("knd", "kind"), ("tags", "tag"), ("Path", "path")]
)
def test_an_unknown_name_is_an_error_that_says_the_nearest(typed: str, meant: str) -> None:
    with pytest.raises(
        FilterError, match=f"Unknown filter '{typed}'. Did you mean '{meant}'"
    ) as raised:
        build({typed: "x"})
    assert raised.value.field == typed


@pytest.mark.parametrize("name", ["", "\x00", "東京"])
def test_a_name_like_no_other_is_an_error_all_the_same(name: str) -> None:
    with pytest.raises(FilterError, match="Filters: kind, type"):
        build({name: "x"})


@pytest.mark.parametrize("value", [7, True, [7], [None], b"ab", [["a"]]])
def test_a_value_that_is_not_text_is_an_error_that_names_the_filter(value: object) -> None:
    with pytest.raises(FilterError, match="The filter kind takes text") as raised:
        build({"kind": cast("Iterable[str]", value)})
    assert raised.value.field == "kind"
