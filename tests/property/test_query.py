"""Laws of reading a query: it never fails, and what is excluded is never looked for."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.filtering.conditions import EVERYTHING
from trivium.query.grammar import NOTHING, AllOf, AnyOf, Expression, Phrase, Prefix, Without, Words
from trivium.query.parse import parse

PIECES = [
    *['"', "(", ")", "-", "*", " ", "AND", "OR", "NOT", "name:", "lang:", 'path:"', "f(x)", "&&"],
    *["foo", "Bar", "東京", "é", "👍", "\ud800", "\x00", "\u3000", ":", "'", "+", "\\"],
]
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join),
)
WANTED = st.sampled_from(["alpha", "beta", "gamma"])
UNWANTED = st.sampled_from(["omega", "psi", "chi"])
LAW = settings(deadline=None, max_examples=300)


@st.composite
def queries(draw: st.DrawFn, depth: int = 2) -> str:
    """A query that follows the grammar; only words of UNWANTED are excluded."""
    asked = st.one_of(
        WANTED,
        WANTED.map("{}*".format),
        st.tuples(WANTED, WANTED).map(lambda two: f'"{two[0]} {two[1]}"'),
        *([queries(depth=depth - 1).map("({})".format)] if depth else []),
    )
    items = draw(st.lists(asked, min_size=1, max_size=3))
    joined = draw(st.sampled_from([" ", " AND ", " OR "])).join(items)
    excluded = st.one_of(
        UNWANTED.map(" -{}".format),
        UNWANTED.map(" NOT {}".format),
        UNWANTED.map(' -"the {}"'.format),
        UNWANTED.map(" -({} OR chi*)".format),
        UNWANTED.map(" NOT ({} (psi AND chi))".format),
    )
    return joined + "".join(draw(st.lists(excluded, max_size=2)))


def leaves(root: Expression, *, dropped: bool = False) -> Iterator[tuple[str, bool]]:
    """Every text that is looked for or, with True, excluded."""
    match root:
        case Words(text) | Phrase(text) | Prefix(text):
            yield text, dropped
        case AnyOf(children):
            for child in children:
                yield from leaves(child, dropped=dropped)
        case AllOf(children, also):
            for child in (*children, *also):
                yield from leaves(child, dropped=dropped)
        case Without(keep, drop):
            yield from leaves(keep, dropped=dropped)
            yield from leaves(drop, dropped=True)


def groups(root: Expression) -> Iterator[tuple[Expression, ...]]:
    """The children of every AnyOf and AllOf below the root."""
    match root:
        case AnyOf(children) if children:
            yield children
            for child in children:
                yield from groups(child)
        case AllOf(children, also):
            yield (*children, *also)
            for child in (*children, *also):
                yield from groups(child)
        case Without(keep, drop):
            yield from groups(keep)
            yield from groups(drop)
        case _:
            return


@LAW
@given(TEXTS)
def test_no_text_within_the_length_fails(text: str) -> None:
    query = parse(text)
    assert parse(text) == query
    assert "\ud800" not in query.text + query.meaning


@LAW
@given(TEXTS)
def test_nothing_stands_only_for_the_whole_query_or_what_exclusions_are_taken_from(
    text: str,
) -> None:
    for children in groups(parse(text).root):
        assert NOTHING not in children
        assert len(children) > 1


@LAW
@given(queries())
def test_the_meaning_holds_no_word_that_is_excluded(text: str) -> None:
    query = parse(text)
    assert query.notes == ()
    for word in ("omega", "psi", "chi", "the", "AND", "OR", "NOT"):
        assert word not in query.meaning.split()


@LAW
@given(queries())
def test_every_word_is_looked_for_or_excluded_as_it_was_typed(text: str) -> None:
    found = list(leaves(parse(text).root))
    asked = {word for leaf, dropped in found if not dropped for word in leaf.split()}
    excluded = {word for leaf, dropped in found if dropped for word in leaf.split()}
    assert asked <= {"alpha", "beta", "gamma"}
    assert excluded <= {"omega", "psi", "chi", "the"}
    for word in ("alpha", "beta", "gamma", "omega", "psi", "chi"):
        assert (word in text) == (word in asked | excluded)


@LAW
@given(queries())
def test_a_query_in_brackets_means_the_same(text: str) -> None:
    plain, bracketed = parse(text), parse(f"({text})")
    assert (bracketed.root, bracketed.meaning) == (plain.root, plain.meaning)


@LAW
@given(queries(), st.sampled_from(["lang:py", 'path:"a b"', "kind:code"]))
def test_a_field_before_or_after_changes_the_filter_and_nothing_else(text: str, typed: str) -> None:
    plain, before, after = parse(text), parse(f"{typed} {text}"), parse(f"{text} {typed}")
    assert before.root == after.root == plain.root
    assert before.meaning == after.meaning == plain.meaning
    assert before.where == after.where != EVERYTHING


@LAW
@given(st.lists(WANTED, min_size=1, max_size=5))
def test_plain_words_are_their_own_meaning(words: list[str]) -> None:
    text = " ".join(words)
    assert parse(text).meaning == text
    assert [leaf for leaf, _ in leaves(parse(text).root)] == words
