"""How a typed query is read, and that no typing mistake is an error."""

from __future__ import annotations

import pytest

from trivium.errors import QuerySyntaxError
from trivium.filtering.conditions import EVERYTHING, build
from trivium.query.grammar import NOTHING, AllOf, AnyOf, Expression, Phrase, Prefix, Without, Words
from trivium.query.parse import LONGEST_QUERY, parse

A, B, C = Words("a"), Words("b"), Words("c")


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("a", A),
        ("a b", AnyOf((A, B))),
        ("a OR b", AnyOf((A, B))),
        ("a AND b", AllOf((A, B))),
        ("a AND b AND c", AllOf((A, B, C))),
        ("a b AND c", AllOf((B, C), also=(A,))),
        ("a AND b OR c", AnyOf((AllOf((A, B)), C))),
        ("(a OR b) AND c", AllOf((AnyOf((A, B)), C))),
        ("(a OR b)AND(c)", AllOf((AnyOf((A, B)), C))),
        ('"a b"', Phrase("a b")),
        ('"a b" c', AllOf((Phrase("a b"),), also=(C,))),
        ('c "a b"', AllOf((Phrase("a b"),), also=(C,))),
        ('c "x y" AND b', AllOf((Phrase("x y"), B), also=(C,))),
        ("a*", Prefix("a")),
        ("a**", Prefix("a")),
        ('"a*"', Phrase("a*")),
    ],
)
def test_words_phrases_operators_and_brackets_are_read(text: str, root: Expression) -> None:
    query = parse(text)
    assert query.root == root
    assert query.notes == ()


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("a -b", Without(A, Phrase("b"))),
        ("a NOT b", Without(A, Phrase("b"))),
        ("a AND NOT b", Without(A, Phrase("b"))),
        ('a -"b c"', Without(A, Phrase("b c"))),
        ("a -b*", Without(A, Prefix("b"))),
        ("a -b -c", Without(A, AnyOf((Phrase("b"), Phrase("c"))))),
        ("a -(b c)", Without(A, AnyOf((Phrase("b"), Phrase("c"))))),
        ("a NOT(b c)", Without(A, AnyOf((Phrase("b"), Phrase("c"))))),
        ("a AND (NOT b)", Without(A, Phrase("b"))),
        ("a NOT (b -c)", Without(A, Without(Phrase("b"), Phrase("c")))),
        ("a -b AND c", Without(AllOf((C,), also=(A,)), Phrase("b"))),
    ],
)
def test_what_is_excluded_is_taken_from_what_is_asked(text: str, root: Expression) -> None:
    assert parse(text).root == root


def test_an_excluded_name_is_excluded_as_a_whole_and_not_by_each_of_its_words() -> None:
    assert parse("a -getUserById").root == Without(A, Phrase("getUserById"))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("how are vectors stored", "how are vectors stored"),
        ('find "the thing" now', "find the thing now"),
        ("a AND b OR c", "a b c"),
        ("auth* lang:py", "auth"),
        ("a -b", "a"),
        ("a NOT (b OR c) d", "a d"),
        ("a -(b c*)", "a"),
        ('a -"b c"', "a"),
        ("lang:py", ""),
        ("-a", ""),
    ],
)
def test_the_meaning_is_the_text_without_operators_fields_and_exclusions(
    text: str, meaning: str
) -> None:
    assert parse(text).meaning == meaning


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("a lang:py", {"lang": ["python"]}),
        ("lang:py a lang:go", {"lang": ["python", "go"]}),
        ('path:"my dir/x" a', {"path": ["my dir/x"]}),
        ("a path:app/(group)/x.tsx", {"path": ["app/(group)/x.tsx"]}),
        ("(kind:code a)", {"kind": ["code"]}),
        ("(type:class OR tag:x) a", {"type": ["class"], "tag": ["x"]}),
        ("name:validate a", {"name": ["validate"]}),
    ],
)
def test_a_field_becomes_a_filter_and_not_a_word(text: str, fields: dict[str, list[str]]) -> None:
    query = parse(text)
    assert query.where == build(fields)
    assert query.root == A
    assert query.meaning == "a"


def test_a_query_without_fields_filters_nothing() -> None:
    assert parse("a").where == EVERYTHING


@pytest.mark.parametrize(
    "text", ["a -lang:py", "a NOT path:test", 'a -path:"x y"', "a NOT (lang:py)"]
)
def test_a_field_that_is_excluded_is_left_out_and_said(text: str) -> None:
    query = parse(text)
    assert (query.root, query.where) == (A, EVERYTHING)
    assert "cannot be excluded" in query.notes[0]


def test_a_field_without_a_value_is_left_out_and_said() -> None:
    query = parse('a lang:"" path:" "')
    assert (query.root, query.where) == (A, EVERYTHING)
    assert [note.split(":")[0] for note in query.notes] == ["left out lang", "left out path"]


@pytest.mark.parametrize(
    "text",
    [
        "foo:bar",
        "name:",
        "C++",
        "c#",
        ".net",
        "a/b/c.py",
        "--flag",
        "f(x)",
        "foo(",
        "foo()",
        "foo(bar, baz)",
        'print("hello world")',
        "f(a,(b))",
        "arr[0]",
        "x->y",
        "std::vector<int>",
        "https://x.y/z?q=1",
        "don't",
        "foo東京bar",
        "a\x00b",
    ],
)
def test_case_129_what_looks_like_code_is_one_word_as_typed(text: str) -> None:
    query = parse(text)
    assert query.root == Words(text)
    assert (query.meaning, query.where, query.notes) == (text, EVERYTHING, ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('a"b', ("a", "b")),
        ('"a b', ("a", "b")),
        ('a "b c" d"', ("a", "b", "c", "d")),
        ('lang:"x', ("lang:", "x")),
        ('a -"b', ("a", "-", "b")),
        ("(a b", ("(a", "b")),
        ("a) b", ("a)", "b")),
        ("(a OR b", ("(a", "OR", "b")),
        ("a b)", ("a", "b)")),
        ("a NOT", ("a", "NOT")),
        ("(a NOT) b", ("(a", "NOT)", "b")),
        ("a NOT NOT b", ("a", "NOT", "NOT", "b")),
        ("a NOT -b", ("a", "NOT", "-b")),
        ("a NOT (NOT b)", ("a", "NOT", "(NOT", "b)")),
    ],
)
def test_case_129_a_typing_mistake_makes_plain_words_and_says_so(
    text: str, words: tuple[str, ...]
) -> None:
    query = parse(text)
    assert query.root == AnyOf(tuple(Words(word) for word in words if word != "-"))
    assert query.meaning == text
    assert query.where == EVERYTHING
    assert len(query.notes) == 1
    assert query.notes[0].startswith("read as plain words: ")


@pytest.mark.parametrize(
    "text", ["", "   ", "?!", "*", "**", '""', '" "', "()", "( )", "AND", "OR", "👍", "-"]
)
def test_a_query_of_nothing_asks_for_nothing(text: str) -> None:
    query = parse(text)
    assert (query.root, query.meaning, query.where, query.notes) == (NOTHING, "", EVERYTHING, ())


@pytest.mark.parametrize("text", ['"', '-"', '"""'])
def test_a_lone_quotation_mark_asks_for_nothing_and_says_so(text: str) -> None:
    query = parse(text)
    assert query.root == NOTHING
    assert query.notes == ("read as plain words: a quotation mark is missing",)


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ('"" a', A),
        ("() a", A),
        ("a AND", A),
        ("AND a", A),
        ("a OR", A),
        ("OR a", A),
        ("(a OR) b", AnyOf((A, B))),
        ("a && b", AnyOf((A, B))),
        ("- a", A),
        ("((f(x)))", Words("f(x)")),
        ("(a OR f(x))", AnyOf((A, Words("f(x)")))),
        ("a AND lang:py b", AllOf((A,), also=(B,))),
    ],
)
def test_what_asks_for_nothing_changes_nothing(text: str, root: Expression) -> None:
    query = parse(text)
    assert query.root == root
    assert query.notes == ()


@pytest.mark.parametrize("text", ["-a", "NOT a", "-1", '-"a b"', "-a -b", "-(a b)", "(-a)"])
def test_only_exclusions_look_for_nothing_and_say_so(text: str) -> None:
    query = parse(text)
    assert isinstance(query.root, Without)
    assert query.root.keep == NOTHING
    assert query.notes == ("only exclusions: nothing to look for",)


@pytest.mark.parametrize("text", ["a OR -b", "-b OR a", "(-b OR a)"])
def test_an_exclusion_as_an_alternative_is_left_out_and_said(text: str) -> None:
    query = parse(text)
    assert query.root == A
    assert query.notes[0].startswith("left out: an exclusion")


def test_fifty_brackets_are_read_and_more_are_plain_words() -> None:
    assert parse("(" * 50 + "a" + ")" * 50).root == A
    assert parse("(" * 51 + "a" + ")" * 51).notes == ("read as plain words: too many brackets",)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        ")" * 10_000,
        "()" * 5_000,
        '"' * 10_000,
        '"' * 9_999,
        "a(" * 5_000,
        "f( " * 3_333,
        "-a " * 3_333,
        "-(" * 5_000,
        "a OR " * 2_000,
        "NOT " * 2_500,
        'lang:"' * 1_666,
        "*" * 10_000,
        "東" * 10_000,
        "e\u0301" * 5_000,
    ],
)
def test_ten_thousand_characters_of_anything_are_read(text: str) -> None:
    query = parse(text)
    assert query.text == text
    # What is nested deep overflows the stack of whoever walks or prints it.
    assert repr(query.root)


def test_a_query_that_is_too_long_is_an_error_that_says_by_how_much() -> None:
    assert parse("x" * LONGEST_QUERY).root == Words("x" * LONGEST_QUERY)
    with pytest.raises(QuerySyntaxError, match=r"10,001 characters; the most is 10,000") as raised:
        parse("x" * (LONGEST_QUERY + 1))
    assert raised.value.position == LONGEST_QUERY


def test_half_a_surrogate_pair_is_replaced_so_that_the_query_can_be_printed() -> None:
    query = parse("a \ud800b")
    assert query.text == "a \ufffdb"
    assert query.meaning.encode()


@pytest.mark.parametrize("space", ["\t", "\n", "\u3000", "\u00a0"])
def test_any_white_space_parts_words(space: str) -> None:
    assert parse(f"a{space}b").root == AnyOf((A, B))


def test_in_a_text_of_more_than_twelve_words_quotes_only_help() -> None:
    words = [f"w{number}" for number in range(12)]

    assert isinstance(parse(" ".join([*words[:11], '"a b"'])).root, AllOf)
    assert parse(" ".join([*words, '"a b"'])).root == AnyOf((*map(Words, words), Phrase("a b")))


def test_prefixes_and_phrases_side_by_side_count_once_and_not_by_the_thousand() -> None:
    same = parse("seg* " * 1500)
    many = parse(" ".join(f"word{number}*" for number in range(900)))

    assert same.root == AnyOf((Prefix("seg"),))
    assert same.notes == ()
    assert isinstance(many.root, AnyOf)
    assert len(many.root.children) == 64
    assert any("first 64" in note for note in many.notes)


def test_what_stands_in_two_brackets_counts_in_both() -> None:
    asked = parse("(alpha AND seg*) OR (beta AND seg*)")

    assert isinstance(asked.root, AnyOf)
    assert all(
        Prefix("seg") in one.children for one in asked.root.children if hasattr(one, "children")
    )
    assert len(asked.root.children) == 2
