import random
from collections.abc import Callable

import pytest
import tantivy

from trivium.backends.base import Found
from trivium.backends.reference import bm25
from trivium.backends.reference.inverted import Inverted, invert
from trivium.backends.reference.score import matches
from trivium.query.grammar import Expression, Phrase, Words
from trivium.testing.corpus import Section, make_file
from trivium.types import View

# Words that the simple analyser leaves as they are, so both sides see the same terms.
WORDS = tuple(f"w{number}" for number in range(30))
SKEW = tuple(1 / (place + 1) for place in range(len(WORDS)))


@pytest.mark.parametrize("length", range(41))
def test_a_length_up_to_40_is_stored_exactly(length: int) -> None:
    assert bm25.stored_length(length) == length


@pytest.mark.parametrize(
    ("length", "stored"),
    [(41, 40), (42, 42), (43, 42), (57, 56), (59, 56), (60, 60), (87, 84), (88, 88), (95, 88)],
)
def test_a_longer_length_is_rounded_down_to_four_significant_bits_above_24(
    length: int, stored: int
) -> None:
    assert bm25.stored_length(length) == stored


def test_stored_lengths_never_grow_and_fit_into_one_byte() -> None:
    stored = [bm25.stored_length(length) for length in range(100_000)]

    assert stored == sorted(stored)
    assert all(kept <= length for length, kept in enumerate(stored))
    assert len(set(stored)) <= 256


def test_a_term_in_every_document_still_tells_something() -> None:
    assert bm25.idf(documents=10, frequency=10) > 0


def random_texts(seed: int) -> list[str]:
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    # None is empty: a document without a term is not in our index, but in a bare Tantivy one.
    sizes = (1, 2, 3, 10, 39, 40, 41, 55, 100, 700)
    return [
        " ".join(chance.choices(WORDS, weights=SKEW, k=chance.choice(sizes))) for _ in range(120)
    ]


def view_of(
    texts: list[str],
    fields: tuple[tuple[str, int], ...],
    combine: str,
    *,
    names: list[str] | None = None,
) -> Inverted:
    found = []
    for number, text in enumerate(texts):
        content = make_file(f"{number:03}", [Section(names[number] if names else "-", text)])
        found.append((Found(content.chunks[0], content.nodes[1]), content.document.text))
    view = View(name="v", analyser="simple", fields=fields, combine=combine)
    return invert(found, view=view)


def tantivy_scores(
    texts: list[str],
    *,
    repeats: int,
    ask: Callable[[tantivy.Schema], tantivy.Query],
) -> dict[int, float]:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("number", stored=True, fast=True)
    builder.add_text_field("t", tokenizer_name="spaces", index_option="position")
    schema = builder.build()
    index = tantivy.Index(schema)
    spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("spaces", spaces)
    writer = index.writer(15_000_000, num_threads=1)
    for number, text in enumerate(texts):
        document = tantivy.Document()
        document.add_integer("number", number)
        for _ in range(repeats):
            document.add_text("t", text)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    hits = searcher.search(ask(schema), limit=len(texts)).hits
    return {
        int(searcher.doc(address).get_first("number") or 0): float(score) for score, address in hits
    }


def our_scores(index: Inverted, root: Expression) -> dict[int, float]:
    return {int(one.split("#")[0]): score for one, score in matches(root, index=index).items()}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("word", ["w0", "w3", "w29"])
def test_the_score_of_a_word_is_that_of_tantivy(seed: int, repeats: int, word: str) -> None:
    texts = random_texts(seed)
    theirs = tantivy_scores(
        texts,
        repeats=repeats,
        ask=lambda schema: tantivy.Query.term_query(schema, "t", word, index_option="freq"),
    )

    ours = our_scores(view_of(texts, (("body", repeats),), "repeat"), Words(word))

    assert theirs
    assert ours == pytest.approx(theirs, rel=1e-4)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("words", ["w0 w1", "w1 w0 w0", "w0 w0", "w0 w1 w0 w1", "w2 w3"])
def test_the_score_of_a_phrase_is_that_of_tantivy(seed: int, repeats: int, words: str) -> None:
    texts = random_texts(seed)
    theirs = tantivy_scores(
        texts,
        repeats=repeats,
        ask=lambda schema: tantivy.Query.phrase_query(schema, "t", [*words.split()]),
    )

    ours = our_scores(view_of(texts, (("body", repeats),), "repeat"), Phrase(words))

    assert theirs
    assert ours == pytest.approx(theirs, rel=1e-4)


def ask_for_w1(schema: tantivy.Schema) -> tantivy.Query:
    return tantivy.Query.term_query(schema, "t", "w1", index_option="freq")


def test_fields_that_are_summed_each_have_their_own_statistics_and_weight() -> None:
    bodies = [text for text in random_texts(5) if text]
    names = bodies[1:] + bodies[:1]
    in_name = tantivy_scores(names, repeats=1, ask=ask_for_w1)
    in_body = tantivy_scores(bodies, repeats=1, ask=ask_for_w1)

    ours = our_scores(view_of(bodies, (("name", 3), ("body", 1)), "sum", names=names), Words("w1"))

    assert in_name.keys() != in_body.keys()
    assert ours == pytest.approx(
        {
            number: 3 * in_name.get(number, 0.0) + in_body.get(number, 0.0)
            for number in in_name.keys() | in_body.keys()
        },
        rel=1e-4,
    )
