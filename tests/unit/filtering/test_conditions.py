"""How names and values become a Filter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import pytest

from trivium.errors import FilterError
from trivium.filtering import conditions
from trivium.filtering.conditions import (
    EVERYTHING,
    NOTHING,
    Condition,
    Filter,
    build,
    check_kinds,
    for_records,
    on_branch,
    separated,
    with_types,
)
from trivium.filtering.facts import KEY_END
from trivium.filtering.given import MOST_VALUES

EQUALS, CONTAINS, STARTS = conditions.Test.EQUALS, conditions.Test.CONTAINS, conditions.Test.STARTS
EXACT, INCLUDES, HOLDS = conditions.Test.EXACT, conditions.Test.INCLUDES, conditions.Test.HOLDS
# Python writes no number of more than 4,300 digits.
HUGE = 10**9000
AT_LEAST, BELOW, FINDS = conditions.Test.AT_LEAST, conditions.Test.BELOW, conditions.Test.FINDS


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


@pytest.mark.parametrize("name", ["riskTag", "risk_tag", "risk-tag"])
def test_a_name_may_be_written_in_three_ways(name: str) -> None:
    assert build({name: "Exec"}) == one("risk-tag", CONTAINS, "exec")


@pytest.mark.parametrize(
    ("name", "value", "made"),
    [
        ("signature", " Foo(a, B) ", one("signature", INCLUDES, "Foo(a, B)")),
        ("param", "Bar", one("param", EXACT, "Bar")),
        ("import", "./Widgets", one("import", EXACT, "./Widgets")),
        ("throws", "TypeError", one("throws", CONTAINS, "typeerror")),
        ("branches", 2, one("branches", AT_LEAST, "2.0")),
        ("loopsMin", "2", one("loops", AT_LEAST, "2.0")),
        ("churn", 1.5, one("churn", AT_LEAST, "1.5")),
        ("async", True, one("async", EQUALS, "true")),
        ("returns", "Yes", one("returns", EQUALS, "true")),
        ("modified-after", "1970-01-02", one("modified", AT_LEAST, "86400.0")),
        ("modified-since", "1970-01-01T01:00:00+01:00", one("modified", AT_LEAST, "0.0")),
        ("due-before", "1971", one("due", BELOW, f"{365 * 86400.0}")),
        ("priority", 1, one("priority", EQUALS, "1")),
        ("type", "FunctionDeclaration", one("type", EQUALS, "functiondeclaration", "function")),
        ("meta", "Key = A Value", one("meta", HOLDS, f"Key{KEY_END}a value")),
        ("meta", "Key", one("meta", HOLDS, "Key")),
        ("category", "api", one("domain", EQUALS, "api", "api-docs")),
        ("category", ["all", "api"], EVERYTHING),
        ("category", "guides", one("category", EQUALS, "guides")),
        ("author", "John Smith", one("author", CONTAINS, "john smith")),
    ],
)
def test_a_value_becomes_what_its_filter_compares_with(
    name: str, value: conditions.Given, made: Filter
) -> None:
    assert build({name: value}) == made


@pytest.mark.parametrize("value", [None, False, [False], "false", "No", 0])
def test_a_flag_that_says_no_is_left_out(value: conditions.Given) -> None:
    assert build({"async": value}) == EVERYTHING


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("branches", "many"),
        ("branches", True),
        ("churn", "nan"),
        ("churn", "1e999"),
        ("churn", 10**400),
        ("modified-after", "soon"),
        ("modified-after", "2025-13"),
        ("modified-after", True),
        ("async", "perhaps"),
        ("async", 2),
        ("async", {"a": 1}),
        ("meta", "=value"),
        ("meta", 7),
        ("meta", {"a": object()}),
        ("meta-json", "[]"),
        ("meta-json", "{"),
        ("meta-json", "[" * 100_000),
        ("filter", 7),
        ("filter", "filter:a"),
        ("priority", True),
        ("status", {"a": 1}),
        ("path", 7),
    ],
)
def test_a_value_a_filter_cannot_take_is_an_error_that_names_it(name: str, value: object) -> None:
    with pytest.raises(FilterError, match=f"^The filter {name} takes ") as raised:
        build({name: cast("conditions.Given", value)})
    assert raised.value.field == name
    assert len(str(raised.value)) < 200


def test_an_object_too_deep_is_an_error_and_not_a_crash() -> None:
    deep: dict[str, object] = {}
    for _ in range(5000):
        deep = {"a": deep}
    with pytest.raises(FilterError, match="The filter meta takes"):
        build({"meta": deep})


def test_more_values_than_anyone_types_are_an_error() -> None:
    build({"calls": ["a"] * MOST_VALUES})
    with pytest.raises(FilterError, match="the most is 1,000"):
        build({"calls": ["a"] * (MOST_VALUES + 1)})


@pytest.mark.parametrize("name", ["churn", "async", "priority", "modified-after", "kind"])
def test_a_number_too_large_to_be_written_is_an_error_and_not_a_crash(name: str) -> None:
    for value in (HUGE, [HUGE]):
        with pytest.raises(FilterError, match=f"The filter {name} takes .* so large a number"):
            build({name: value})
    with pytest.raises(FilterError, match="The filter meta takes"):
        build({"meta": {"a": HUGE}})


def test_more_conditions_than_a_store_can_join_are_an_error() -> None:
    with pytest.raises(FilterError, match="make 101 conditions; the most is 100"):
        build({"meta": {f"key{number}": 1 for number in range(101)}})
    with pytest.raises(FilterError, match="make 200 conditions"):
        build({"filter": [f"name:{number}" for number in range(200)]})


def test_the_keys_of_an_object_must_all_match_and_lists_are_alternatives() -> None:
    made = build({"meta": {"a": ["X", 2], "b": {"c": None, "d": True}}})

    assert made == (
        one("meta", HOLDS, f"a{KEY_END}x", f"a{KEY_END}2")
        & one("meta", HOLDS, "b.c")
        & one("meta", HOLDS, f"b.d{KEY_END}true")
    )


def test_a_tag_of_risk_wins_over_a_risk() -> None:
    assert build({"risk": "a", "riskTag": "b"}) == build({"riskTag": "b"})
    assert build({"risk": "a", "riskTag": None}) == build({"riskTag": "a"})


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("lang:js ext=.ts src", {"lang": "js", "ext": ".ts", "path": "src"}),
        ("lang:js lang:ts", {"lang": ["js", "ts"]}),
        ("ext:.ts,.js", {"ext": [".ts", ".js"]}),
        ("author:\"John Smith\" 'my docs'", {"author": "John Smith", "path": "my docs"}),
        (r"path:/a\.ts$/ signature=f(a,b)", {"path": r"/a\.ts$/", "signature": "f(a,b)"}),
        ("a/b=c", {"path": "a/b=c"}),
        ("riskTag:x", {"risk-tag": "x"}),
        ('it"s', {"path": 'it"s'}),
        ("", {}),
    ],
)
def test_an_expression_is_filters_in_one_text(
    written: str, meant: dict[str, conditions.Given]
) -> None:
    assert build({"filter": written}) == build(meant)


def test_an_expression_must_hold_beside_the_other_filters() -> None:
    assert build({"ext": ".tsx", "filter": ["ext:.ts", "lang:ts"]}) == (
        build({"ext": ".tsx"}) & build({"ext": ".ts"}) & build({"lang": "ts"})
    )


def test_an_unknown_name_in_an_expression_is_named() -> None:
    with pytest.raises(FilterError, match=r"Unknown filter 'lagn'. Did you mean 'lang'"):
        build({"filter": "lagn:js"})


@pytest.mark.parametrize(
    ("name", "value", "values"),
    [
        ("file", "ab,src/longname.js", ["ab", "src/longname.js"]),
        ("ext", "*.js, JS,.Md", ["*.js", "JS", ".Md"]),
        ("path", "/a{1,2}/", ["/a{1,2}/"]),
        ("path", "/a{1,2}(/", ["/a{1", "2}(/"]),
        ("signature", "f(a, b)", ["f(a, b)"]),
        ("author", "Smith, John", ["Smith, John"]),
        ("meta", "a=b,c", ["a=b,c"]),
        ("kind", ",", [","]),
    ],
)
def test_a_comma_parts_values_where_none_could_hold_one(
    name: str, value: str, values: list[str]
) -> None:
    assert separated(name, value) == values


def test_a_pattern_and_a_part_of_a_path_are_one_list() -> None:
    made = build({"file": "/A.b/i", "path": "Src\\x"})

    assert made == one("file", FINDS, f"{conditions.PATTERN}/A.b/i", "src/x")


def test_on_its_branch_a_filter_is_what_is_left_and_on_another_it_allows_nothing() -> None:
    asked = build({"branch": ["dev", "main"], "kind": "code"})

    assert on_branch(asked, "main") == build({"kind": "code"})
    for other in ("", "Main", "x"):
        assert on_branch(asked, other) == build({"kind": "code"}) & NOTHING


def test_for_records_only_what_code_has_is_left_out() -> None:
    kept: dict[str, conditions.Given] = {
        "path": "a",
        "ext": "b",
        "meta": "c",
        "status": "e",
        "churn": 1,
    }
    of_code: dict[str, conditions.Given] = {
        "calls": "x",
        "riskFlow": "y",
        "async": True,
        "lang": "go",
        "type": "class",
    }

    assert for_records(build({**kept, **of_code})) == build(kept)


def test_a_kind_may_be_a_type_as_well() -> None:
    assert with_types(build({"kind": "Code", "lang": "go"})) == (
        one("sort", EQUALS, "code") & build({"lang": "go"})
    )
    assert with_types(NOTHING) == NOTHING


def test_a_kind_that_does_not_exist_is_an_error_that_says_the_nearest() -> None:
    check_kinds(build({"kind": ["Code", " doc "]}))
    with pytest.raises(FilterError, match=r"Unknown kind 'cod'. Did you mean 'code'"):
        check_kinds(build({"kind": ["code", "cod"]}))
