"""A phrase that nothing holds is read as its words; what is excluded or joined by AND stays."""

import pytest

from trivium.query.grammar import AllOf, AnyOf, Expression, Phrase, Without, Words, demands, relaxed
from trivium.query.parse import parse

A_B = AnyOf((Words("a"), Words("b")))


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ('"a b"', A_B),
        ('"a b" c', AnyOf((A_B, Words("c")))),
        ('"a b" AND c', AllOf((Words("c"),), also=(A_B,))),
        ('"a b" -d', Without(A_B, Phrase("d"))),
        ('("a b" OR c)', AnyOf((A_B, Words("c")))),
    ],
)
def test_phrases_become_words_and_the_rest_stays(text: str, root: Expression) -> None:
    softer = relaxed(parse(text))

    assert softer is not None
    assert softer.root == root
    assert "phrase" in softer.notes[-1]
    assert softer.meaning == parse(text).meaning


@pytest.mark.parametrize("text", ["a b", "a AND b", 'a -"b c"', "", "conf*"])
def test_a_query_without_a_needed_phrase_stays_as_it_is(text: str) -> None:
    assert relaxed(parse(text)) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", False),
        ('"a b"', True),
        ('"a b" c', True),
        ("a AND b", True),
        ("conf*", True),
        ("conf* a", False),
        ('"a b" OR "c d"', True),
        ('"a b" OR c', False),
        ('"a b" -c', True),
        ("a -c", False),
        ("", False),
    ],
)
def test_phrases_prefixes_and_what_and_joins_must_be_there(text: str, *, expected: bool) -> None:
    assert demands(parse(text).root) is expected
