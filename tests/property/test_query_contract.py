"""Laws of the language of seed 001: it reads or refuses; words side by side are all needed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.errors import QuerySyntaxError
from trivium.query import grammar
from trivium.query.parse import parse

PIECES = [
    *['"', "'", "(", ")", "-", "!", "*", " ", "AND", "or", "Not", "lang:", "path:'", "f(x)", "!="],
    *[
        "foo",
        "Bar",
        "don't",
        "東京",
        "é",
        "👍",
        "\ud800",
        "\x00",
        "\u3000",
        ":",
        "+",
        "\\",
        "\u0130",
    ],
]
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join),
)
LONG = st.tuples(st.sampled_from(PIECES), st.sampled_from(PIECES)).map(
    lambda two: ("".join(two) * 5_000)[:10_000]
)
WORD = st.sampled_from(["alpha", "beta", "gamma", "delta"])
LAW = settings(deadline=None, max_examples=300)


def read(text: str) -> grammar.Query:
    return parse(text, dialect="contract")


def holds(root: grammar.Expression, words: frozenset[str]) -> bool:
    """What an expression means for a text that is a set of words."""
    match root:
        case grammar.Words(text) | grammar.Phrase(text) | grammar.Prefix(text):
            return text in words
        case grammar.Operators():
            return False
        case grammar.AllOf(children):
            return all(holds(one, words) for one in children)
        case grammar.AnyOf(children):
            return any(holds(one, words) for one in children)
        case grammar.Without(keep, drop):
            return holds(keep, words) and not holds(drop, words)


def nodes(root: grammar.Expression) -> Iterator[grammar.Expression]:
    yield root
    match root:
        case grammar.AllOf(children, also):
            for one in (*children, *also):
                yield from nodes(one)
        case grammar.AnyOf(children):
            for one in children:
                yield from nodes(one)
        case grammar.Without(keep, drop):
            yield from nodes(keep)
            yield from nodes(drop)


@LAW
@given(st.one_of(TEXTS, LONG))
def test_a_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    refused: QuerySyntaxError | None
    try:
        query = read(text)
    except QuerySyntaxError as error:
        refused = error
    else:
        refused = None
    if refused is not None:
        assert text[refused.position] in "-!nN"
        return
    assert read(text) == query
    assert "\ud800" not in query.text + query.meaning
    assert repr(query.root)
    for phrase in grammar.phrases(query):
        assert grammar.Phrase(phrase) in nodes(query.root)


@LAW
@given(
    st.lists(WORD, min_size=1, max_size=3),
    st.lists(st.sampled_from(["&&", "=>", "!=", "{", "||", "?:"]), min_size=1, max_size=3),
    st.sampled_from([" ", " OR ", " AND "]),
    st.frozensets(WORD),
    st.randoms(use_true_random=False),
)
def test_operators_change_nothing_of_what_is_found_by_words(
    wanted: list[str], typed: list[str], join: str, words: frozenset[str], chance: Random
) -> None:
    items = [*wanted, *typed]
    chance.shuffle(items)
    without = [item for item in items if item in wanted]

    assert holds(read(join.join(items)).root, words) == holds(read(join.join(without)).root, words)
    assert grammar.demands(read(join.join(items)).root) == grammar.demands(
        read(join.join(without)).root
    )


@LAW
@given(TEXTS)
def test_relaxing_leaves_no_phrase_that_is_wanted_and_drops_no_exclusion(text: str) -> None:
    try:
        query = read(text)
    except QuerySyntaxError:
        return
    softer = grammar.relaxed(query)
    if softer is None:
        assert grammar.phrases(query) == ()
        return
    assert grammar.phrases(softer) == ()
    dropped = [one.drop for one in nodes(query.root) if isinstance(one, grammar.Without)]
    assert [one.drop for one in nodes(softer.root) if isinstance(one, grammar.Without)] == dropped


@LAW
@given(
    st.lists(
        st.tuples(st.lists(WORD, min_size=1, max_size=3), st.sampled_from([" ", " AND ", " and "])),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([" OR ", " or "]),
    st.frozensets(WORD),
)
def test_or_joins_what_and_or_nothing_has_joined_before(
    branches: list[tuple[list[str], str]], operator: str, words: frozenset[str]
) -> None:
    text = operator.join(join.join(items) for items, join in branches)
    meant = any(all(item in words for item in items) for items, _ in branches)

    assert holds(read(text).root, words) == meant


@LAW
@given(
    st.lists(WORD, min_size=1, max_size=3),
    st.lists(st.tuples(st.sampled_from(["-", "!", "NOT ", "not "]), WORD), max_size=3),
    st.frozensets(WORD),
)
def test_what_is_excluded_is_never_found_and_the_rest_is_all_needed(
    wanted: list[str], unwanted: list[tuple[str, str]], words: frozenset[str]
) -> None:
    query = read(" ".join([*wanted, *(mark + word for mark, word in unwanted)]))

    allowed = not any(word in words for _, word in unwanted)
    assert holds(query.root, words) == (allowed and words.issuperset(wanted))
    assert not grammar.demands(query.root)
    assert query.meaning == " ".join(wanted)
