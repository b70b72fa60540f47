"""How a query is read in the language of seed 001 (cases G37 to G39, and the demands of G67)."""

from __future__ import annotations

import pytest

from trivium.errors import ConfigError, QuerySyntaxError
from trivium.filtering.conditions import EVERYTHING, build
from trivium.query.grammar import (
    NOTHING,
    AllOf,
    AnyOf,
    Expression,
    Operators,
    Phrase,
    Prefix,
    Query,
    Without,
    Words,
    demands,
    operators,
    phrases,
    relaxed,
)
from trivium.query.parse import LONGEST_QUERY, parse

A, B, C = Words("a"), Words("b"), Words("c")
ALPHA = Words("alpha")


def read(text: str) -> Query:
    return parse(text, dialect="contract")


def beside(*children: Expression) -> AllOf:
    """What merely stands side by side."""
    return AllOf(children, binds=False)


def raised(*children: Expression, by: str) -> AllOf:
    """The same where operators raise what holds them."""
    return AllOf(children, also=(Operators(by),), binds=False)


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("alpha -gamma", Without(ALPHA, Phrase("gamma"))),
        ("alpha !gamma", Without(ALPHA, Phrase("gamma"))),
        ("alpha NOT gamma", Without(ALPHA, Phrase("gamma"))),
        ("alpha and not gamma", Without(ALPHA, Phrase("gamma"))),
        ('alpha -"alpha beta"', Without(ALPHA, Phrase("alpha beta"))),
        ("alpha !'alpha beta'", Without(ALPHA, Phrase("alpha beta"))),
        ("alpha -gam*", Without(ALPHA, Prefix("gam"))),
        ("-gamma alpha", Without(ALPHA, Phrase("gamma"))),
        ("a -b c -d", Without(beside(A, C), AnyOf((Phrase("b"), Phrase("d"))))),
        ("a (-b) c", Without(beside(A, C), Phrase("b"))),
        ("a OR b -c", AnyOf((A, Without(B, Phrase("c"))))),
        ("a -not", Without(A, Phrase("not"))),
        ("a -.env", Without(A, Phrase(".env"))),
        ("a -getUserById", Without(A, Phrase("getUserById"))),
    ],
)
def test_g37_a_mark_or_not_excludes_what_it_stands_before(text: str, root: Expression) -> None:
    query = read(text)

    assert query.root == root
    assert query.notes == ()


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("foo OR bar", AnyOf((Words("foo"), Words("bar")))),
        ("foo or bar", AnyOf((Words("foo"), Words("bar")))),
        ("foo bar", beside(Words("foo"), Words("bar"))),
        ("(a OR b) AND c", AllOf((AnyOf((A, B)), C))),
        ("(a Or b)and(c)", AllOf((AnyOf((A, B)), C))),
        ("(a OR b) c", beside(AnyOf((A, B)), C)),
        ("a AND b OR c", AnyOf((AllOf((A, B)), C))),
        ("a b OR c", AnyOf((beside(A, B), C))),
        ("a OR b c", AnyOf((A, beside(B, C)))),
        ("a b AND c", AllOf((A, B, C))),
        ("((a))", A),
        ('"a b" c', beside(Phrase("a b"), C)),
        ("'a b' c", beside(Phrase("a b"), C)),
        ("a* b", beside(Prefix("a"), B)),
    ],
)
def test_g38_items_side_by_side_are_all_needed_and_or_binds_last(
    text: str, root: Expression
) -> None:
    query = read(text)

    assert query.root == root
    assert query.notes == ()


@pytest.mark.parametrize(
    ("text", "position"), [("-", 0), ("!", 0), ("a - b", 2), ("a !", 2), ("(a -)", 3)]
)
def test_g39_a_lone_mark_is_an_error_that_says_where(text: str, position: int) -> None:
    with pytest.raises(QuerySyntaxError, match="excludes nothing") as raised:
        read(text)

    assert raised.value.position == position


@pytest.mark.parametrize(
    ("text", "position"),
    [("!(a AND b)", 0), ("-(a b)", 0), ("c NOT (a OR b)", 2), ("c not(a)", 2), ("(c -(a))", 3)],
)
def test_g39_a_bracket_cannot_be_excluded(text: str, position: int) -> None:
    with pytest.raises(QuerySyntaxError, match="Compound negation is not supported") as raised:
        read(text)

    assert raised.value.position == position


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"unbalanced', ("unbalanced",)),
        ('a "b c', ("a", "b", "c")),
        ("'tis a", ("'tis", "a")),
        ("(a OR b", ("(a", "OR", "b")),
        ("a b)", ("a", "b)")),
        (")a(", (")a(",)),
        ("(a - b", ("(a", "b")),
        ('-(a "b', ("-(a", "b")),
        ("why not", ("why", "not")),
        ("a NOT -b", ("a", "NOT", "-b")),
        ("a NOT NOT b", ("a", "NOT", "NOT", "b")),
    ],
)
def test_g39_a_typing_mistake_falls_back_to_any_of_the_words_and_says_so(
    text: str, words: tuple[str, ...]
) -> None:
    query = read(text)

    made = tuple(Words(word) for word in words)
    either = made[0] if len(made) == 1 else AnyOf(made)
    typed = operators(query)
    assert query.root == (raised(either, by=typed) if typed else either)
    assert query.meaning == text
    assert query.notes[0].startswith("read as plain words: ")


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("don't panic", beside(Words("don't"), Words("panic"))),
        ("'don't panic'", Phrase("don't panic")),
        ("dogs' tails", beside(Words("dogs'"), Words("tails"))),
        ("rock 'n' roll", beside(Words("rock"), Phrase("n"), Words("roll"))),
        ('"it\'s here"', Phrase("it's here")),
        ("'say \"hi\" now'", Phrase('say "hi" now')),
    ],
)
def test_an_apostrophe_inside_a_word_is_no_quote(text: str, root: Expression) -> None:
    assert read(text).root == root


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("f(x)", "( )"),
        ("foo(", "("),
        ("f('(')", "( ( )"),
        ("print('a b')", "( )"),
        ("--flag", "--"),
        ("a->b", "->"),
        ("a-b", "-"),
    ],
)
def test_what_looks_like_code_is_one_word_as_typed_with_its_operators_beside_it(
    text: str, typed: str
) -> None:
    query = read(text)

    assert query.root == raised(Words(text), by=typed)
    assert (query.meaning, query.notes) == (text, ())


@pytest.mark.parametrize("text", ["don't", "android", "get_user", "$x", "#a", "@b", "a\\b"])
def test_a_word_without_operators_is_a_word(text: str) -> None:
    assert read(text).root == Words(text)


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("a && b", raised(A, B, by="&&")),
        ("a != b", raised(A, B, by="!=")),
        ("a => b::c", raised(A, Words("b::c"), by="=> ::")),
        ("a AND b &&", AllOf((A, B), also=(Operators("&&"),))),
        ("a &&", raised(A, by="&&")),
        ("a && && b", raised(A, B, by="&& &&")),
        ("a -b &&", Without(raised(A, by="&&"), Phrase("b"))),
        ("a -b=c", Without(A, Phrase("b=c"))),
        ("(a -b) &&", Without(raised(A, by="&&"), Phrase("b"))),
        ("(&&) a", raised(A, by="&&")),
        ("(&& OR ||) a", raised(A, by="&& ||")),
        ("(&& -b) a", Without(raised(A, by="&&"), Phrase("b"))),
        ("a OR &&", raised(A, by="&&")),
        ("a && OR b", AnyOf((raised(A, by="&&"), B))),
        ("a OR b OR ||", raised(AnyOf((A, B)), by="||")),
        ('"a -> b"', raised(Phrase("a -> b"), by="->")),
        ('"a b" "->"', raised(Phrase("a b"), by="->")),
        ('"a **"', raised(Phrase("a **"), by="**")),
        ("a* ->", raised(Prefix("a"), by="->")),
        ("x.a*", raised(Prefix("x.a"), by=".")),
        ("a lang:c++ path:'x/y'", A),
    ],
)
def test_operators_raise_what_holds_them_and_are_never_needed(text: str, root: Expression) -> None:
    query = read(text)

    assert query.root == root
    assert query.notes == ()


@pytest.mark.parametrize(
    ("text", "typed"), [("?", "?"), ("--", "--"), ("&& OR ||", "&& ||"), ('"=>"', "=>"), ("*", "*")]
)
def test_operators_are_asked_for_by_themselves_where_nothing_else_is(text: str, typed: str) -> None:
    query = read(text)

    assert query.root == raised(by=typed)
    assert (operators(query), query.meaning, query.notes) == (typed, "", ())
    assert not demands(query.root)


@pytest.mark.parametrize("text", ["a && b", "f(x)", "a?", "-> -a", "(a", "a lang:py ::"])
def test_the_standard_dialect_asks_for_no_operators(text: str) -> None:
    assert operators(parse(text)) == ""


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("AND a", A),
        ("a AND", A),
        ("or a", A),
        ("a OR", A),
        ('"" a', A),
        ("() a", A),
        ("a -*", A),
        ("", NOTHING),
        ("@", NOTHING),
        ("()", NOTHING),
        ("and", NOTHING),
    ],
)
def test_what_asks_for_nothing_changes_nothing(text: str, root: Expression) -> None:
    query = read(text)

    assert query.root == root
    assert query.notes == ()


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("a lang:py", {"lang": ["python"]}),
        ("kind:code a", {"kind": ["code"]}),
        ("path:'my dir' a", {"path": ["my dir"]}),
        ('a AND path:"my dir"', {"path": ["my dir"]}),
        ("(a type:class)", {"type": ["class"]}),
    ],
)
def test_a_field_becomes_a_filter_and_not_a_word(text: str, fields: dict[str, list[str]]) -> None:
    query = read(text)

    assert (query.root, query.meaning, query.where) == (A, "a", build(fields))


def test_a_field_with_nothing_behind_it_is_a_word() -> None:
    assert read("(lang:)").root == raised(Words("lang:"), by=":")


def test_a_field_that_is_excluded_is_left_out_and_said() -> None:
    query = read("a -lang:py")

    assert (query.root, query.where) == (A, EVERYTHING)
    assert query.notes == ("left out lang:py: a field cannot be excluded",)


@pytest.mark.parametrize("text", ["-a", "!a", "NOT a", "(-a)"])
def test_only_exclusions_look_for_nothing_and_say_so(text: str) -> None:
    query = read(text)

    assert query.root == Without(NOTHING, Phrase("a"))
    assert query.notes == ("only exclusions: nothing to look for",)


def test_an_exclusion_as_an_alternative_is_left_out_and_said() -> None:
    query = read("a OR -b")

    assert query.root == A
    assert query.notes[0].startswith("left out: an exclusion")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [("a AND b or c", "a b c"), ("a !b", "a"), ("'x y' z*", "x y z"), ("a lang:py", "a")],
)
def test_the_meaning_is_the_text_without_operators_fields_and_exclusions(
    text: str, meaning: str
) -> None:
    assert read(text).meaning == meaning


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", False),
        ("a b -c", False),
        ("(a b) c", False),
        ("(a OR b) c", False),
        ("a lang:py", False),
        ("AND a b", False),
        ("a b AND", False),
        ("a c AND -b", False),
        ("a AND b", True),
        ("a b AND c", True),
        ('a "b c"', True),
        ("a b*", True),
        ("(a AND b) c", True),
        ("a AND b OR c", False),
        ("a && b", False),
        ("f(x)", False),
        ("a AND b &&", True),
        ('"a b" &&', True),
    ],
)
def test_g67_words_side_by_side_need_not_be_there_for_meaning_to_match(
    text: str, *, expected: bool
) -> None:
    assert demands(read(text).root) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", ()),
        ('"a b" c', ("a b",)),
        ("\"a b\" OR ('c d' e)", ("a b", "c d")),
        ('"a b" "c d" "a b"', ("a b", "c d")),
        ('a -"b c"', ()),
        ('"x y" -"b c" -d', ("x y",)),
        ("a -b", ()),
        ('"a b', ()),
    ],
)
def test_the_phrases_of_a_query_are_those_it_quotes_and_wants(
    text: str, expected: tuple[str, ...]
) -> None:
    assert phrases(read(text)) == expected


def test_the_phrases_of_the_standard_dialect_are_found_too() -> None:
    assert phrases(parse('c "a b" -"x y"')) == ("a b",)


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ('"a b" c', AllOf((C,), also=(AnyOf((A, B)),), binds=False)),
        ('"a b" AND c', AllOf((C,), also=(AnyOf((A, B)),))),
        ("\"a b\" 'c'", AnyOf((AnyOf((A, B)), AnyOf((C,))))),
        ('("a b" OR x) c', beside(AnyOf((AnyOf((A, B)), Words("x"))), C)),
        ('"a b" -"c d"', Without(AnyOf((A, B)), Phrase("c d"))),
        ('"a b" &&', raised(AnyOf((AnyOf((A, B)),)), by="&&")),
        ('"a b" c &&', AllOf((C,), (AnyOf((A, B)), Operators("&&")), binds=False)),
    ],
)
def test_a_relaxed_query_reads_phrases_as_words_and_binds_as_before(
    text: str, root: Expression
) -> None:
    softer = relaxed(read(text))

    assert softer is not None
    assert softer.root == root


def test_a_query_without_phrases_has_nothing_to_relax() -> None:
    assert relaxed(read("a b (c OR d) -e")) is None


def test_fifty_brackets_are_read_and_more_are_plain_words() -> None:
    assert read("(" * 50 + "a" + ")" * 50).root == A
    assert read("(" * 51 + "a" + ")" * 51).notes == ("read as plain words: too many brackets",)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        ")" * 10_000,
        "()" * 5_000,
        "-" * 10_000,
        "!" * 10_000,
        '"' * 10_000,
        "'" * 10_000,
        "' " * 5_000,
        "'a " * 3_333,
        "a(" * 5_000,
        "f( " * 3_333,
        "-a " * 3_333,
        "a or " * 2_000,
        "not " * 2_500,
        "lang:'" * 1_666,
        "lang:x " * 1_428,
        "東" * 10_000,
    ],
)
def test_ten_thousand_characters_of_anything_are_read(text: str) -> None:
    query = read(text)

    assert query.text == text
    # What is nested deep overflows the stack of whoever walks or prints it.
    assert repr(query.root)


@pytest.mark.parametrize("text", ["- " * 5_000, "-(" + ")" * 1, "a -() " * 1_666])
def test_what_this_dialect_refuses_is_refused_at_any_length(text: str) -> None:
    with pytest.raises(QuerySyntaxError):
        read(text)


def test_a_query_that_is_too_long_is_an_error() -> None:
    with pytest.raises(QuerySyntaxError, match="10,001"):
        read("x" * (LONGEST_QUERY + 1))


def test_an_unknown_dialect_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"'latin'. Use standard or contract"):
        parse("a", dialect="latin")
