"""Cases G73 to G88 of seed 002, asked of both backends through `ember`.

G84 asks by `domain`, which is the category of a document: its first folder or its front matter.
G89, what a result shows beside its title, is about doors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NoReturn

import pytest
from tests.acceptance import both
from tests.acceptance.both import ChosenEmbedder, Shelf, explained, hit_of, ids, number, paths

from trivium.collection import Collection
from trivium.errors import IndexUnusable, ModelError
from trivium.testing.embedders import WordEmbedder
from trivium.types import Answer, Hit

WORDS, MEANING = 0.6, 0.4
PHRASE, TITLE, ONCE, ALL = 50, 15, 2, 20
FAR = "x" * 600

# Vectors by their cosine with that of a query. Whole numbers of which 127 is the largest are
# kept exactly; the cosines are those of the cases to the fourth digit.
VECTORS: Mapping[str, tuple[int, ...]] = {
    "query": (127, 0, 0, 0, 0),
    "same": (127, 0, 0, 0, 0),
    "eighty": (127, 95, 7, 0, 0),
    "sixty": (96, 127, 16, 0, 0),
    "fifty": (74, 127, 17, 3, 1),
    "eleven": (15, 127, 47, 5, 2),
    "ten": (13, 127, 24, 5, 1),
    "orthogonal": (0, 127, 0, 0, 0),
    "opposite": (-127, 0, 0, 0, 0),
}


def cosine(name: str) -> float:
    return VECTORS[name][0] / math.sqrt(sum(one * one for one in VECTORS[name]))


def embedder(query: str = "foo bar") -> ChosenEmbedder:
    """Give a document the vector its first line names, and `query` that of a query."""
    return ChosenEmbedder({**VECTORS, query.split(maxsplit=1)[0]: VECTORS["query"]})


def document(vector: str, content: str, *, title: str = "Heading") -> str:
    """Write a document whose vector is the one named; the name is a word of its title."""
    return f"# {vector} {title}\n\n{content}\n"


def with_points(points: int) -> str:
    """Return a content that has so many points for foo bar: all terms, far apart, no phrase."""
    assert points > ALL
    times, odd = divmod(points - ALL, ONCE)
    assert not odd
    return "foo " * (times - 1) + FAR + " bar"


def search(collection: Collection, query: str, **options: object) -> Answer:
    return collection.search(query, profile="ember", kind="doc", explain=True, **options)  # type: ignore[arg-type]


def points_of(hit: Hit) -> Mapping[str, float]:
    found = explained(hit, "sparse")["points"]
    assert isinstance(found, dict)
    return found


def signals_of(hit: Hit) -> set[str]:
    return {part.name for part in hit.parts}


def test_g73_forty_points_and_a_cosine_of_sixty_hundredths_are_48(shelf: Shelf) -> None:
    files = {
        "both.md": document("sixty", with_points(40)),
        "words.md": document("orthogonal", with_points(50)),
        "meaning.md": document("eighty", "nothing of it"),
    }
    collection = shelf.filled(files, embedder=embedder())

    answer = search(collection, "foo bar")

    first = answer.results[0]
    assert paths(answer)[0] == "both.md"
    assert first.score == pytest.approx(WORDS * 40 + MEANING * 100 * cosine("sixty"), rel=1e-6)
    assert first.score == pytest.approx(48, abs=0.01)
    assert signals_of(first) == {"text", "vectors"}
    assert answer.method == "hybrid"
    assert both.parts_add_up(first)


def test_g74_a_side_that_is_missing_counts_nothing(shelf: Shelf) -> None:
    files = {
        "words.md": document("orthogonal", with_points(50)),
        "meaning.md": document("eighty", "nothing of it"),
    }
    collection = shelf.filled(files, embedder=embedder())

    answer = search(collection, "foo bar")

    words, meaning = hit_of(answer, "words.md"), hit_of(answer, "meaning.md")
    assert words.score == pytest.approx(WORDS * 50) == pytest.approx(30)
    assert signals_of(words) == {"text"}
    assert meaning.score == pytest.approx(MEANING * 100 * cosine("eighty"), rel=1e-6)
    assert meaning.score == pytest.approx(32, abs=0.01)
    assert signals_of(meaning) == {"vectors"}
    assert paths(answer) == ["meaning.md", "words.md"]


def test_g75_the_order_is_that_of_the_sums(shelf: Shelf) -> None:
    # 50 for the phrase, 20 for all terms, 9 for four characters between, 15 and 2 x 3.
    hundred = document("orthogonal", "foo bar", title="Foo")
    files = {
        "hundred.md": hundred,
        "fifty.md": document("fifty", "nothing of it"),
        "twenty.md": document("orthogonal", "foo " * 10),
    }
    collection = shelf.filled(files, embedder=embedder())

    answer = search(collection, "foo bar")

    first, second, third = answer.results
    assert paths(answer) == ["hundred.md", "fifty.md", "twenty.md"]
    assert number(first, "sparse", "score") == PHRASE + TITLE + 3 * ONCE + ALL + 9 == 100
    assert first.score == pytest.approx(WORDS * 100) == pytest.approx(60)
    assert second.score == pytest.approx(MEANING * 100 * cosine("fifty"), rel=1e-6)
    assert second.score == pytest.approx(20, abs=0.01)
    assert third.score == pytest.approx(WORDS * 20) == pytest.approx(12)


def test_g76_a_cosine_is_1_of_the_same_0_of_the_orthogonal_and_minus_1_of_the_opposite(
    shelf: Shelf,
) -> None:
    names = ("same", "orthogonal", "opposite")
    files = {f"{name}.md": document(name, "text") for name in names}
    collection = shelf.filled(files, embedder=embedder())

    # A profile that has no floor shows them all.
    answer = collection.search("foo bar", profile="contract", search_mode="vector")

    assert paths(answer) == [f"{name}.md" for name in names]
    assert [hit.score for hit in answer.results] == pytest.approx([1.0, 0.0, -1.0], abs=1e-6)


def test_g76_a_text_or_a_query_without_a_vector_is_near_nothing(shelf: Shelf) -> None:
    files = {"same.md": document("same", "text"), "none.md": document("unknown", "text")}
    collection = shelf.filled(files, embedder=embedder())

    answer = collection.search("foo", profile="contract", search_mode="vector")
    without = search(collection, "unheard")

    assert {hit.source.file_path: hit.score for hit in answer.results}.get(
        "none.md", 0.0
    ) == pytest.approx(0.0)
    assert hit_of(answer, "same.md").score == pytest.approx(1.0, abs=1e-6)
    assert without.results == ()
    assert [one.stage for one in without.degraded] == ["vectors"]


def test_g76_a_query_of_another_length_than_the_documents_is_an_error(shelf: Shelf) -> None:
    collection = shelf.filled({"same.md": document("same", "text")}, embedder=embedder())
    shelf.model_is(Renamed({"foo": (1, 0, 0, 0, 0, 0)}, other_id=embedder().model_id))
    again = reopened(collection)

    with pytest.raises(IndexUnusable, match=r"vectors of 6 numbers; those of the index have 5"):
        search(again, "foo")


class Renamed(ChosenEmbedder):
    """A model that took another's name."""

    def __init__(self, chosen: Mapping[str, tuple[int, ...]], *, other_id: str) -> None:
        super().__init__(chosen)
        self.other_id = other_id

    @property
    def model_id(self) -> str:
        return self.other_id


def reopened(collection: Collection) -> Collection:
    """Return a collection of the same index that has not loaded its model yet."""
    return type(collection)(
        collection.root, settings=collection.settings, backend=collection._backend
    )


def test_g77_a_cosine_of_a_tenth_is_dropped_and_more_is_kept(shelf: Shelf) -> None:
    files = {f"{name}.md": document(name, "text") for name in ("ten", "eleven")}
    collection = shelf.filled(files, embedder=embedder())

    answer = search(collection, "foo bar")

    assert cosine("ten") == 0.1
    assert paths(answer) == ["eleven.md"]
    assert answer.results[0].score == pytest.approx(MEANING * 100 * 0.11, abs=0.001)


@pytest.mark.parametrize("fails", ["loading", "asking"])
def test_g78_without_its_model_words_answer_and_the_answer_says_so(
    shelf: Shelf, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = WordEmbedder()
    collection = shelf.filled({"a.md": "# A\n\nfoo\n"}, embedder=model)
    why = "The model cannot be read."
    if fails == "asking":
        model.failure = why
    else:
        monkeypatch.setattr(both.LOADS_A_MODEL, refusing(ModelError(why)))
        collection = reopened(collection)

    answer = search(collection, "foo")

    assert ids(answer) == ["doc:a.md#A"]
    assert answer.results[0].score == pytest.approx(WORDS * (PHRASE + ONCE))
    assert (answer.method, answer.embedder) == ("bm25", "none")
    assert [(one.stage, one.reason) for one in answer.degraded] == [("vectors", why)]


def refusing(error: Exception) -> object:
    def load(*_: object, **__: object) -> NoReturn:
        raise error

    return load


def test_g79_keyword_search_loads_no_model(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = shelf.filled({"a.md": "# A\n\nfoo\n"})
    monkeypatch.setattr(both.LOADS_A_MODEL, refusing(AssertionError("A model was loaded.")))
    again = reopened(collection)

    answer = search(again, "foo", search_mode="keyword")

    assert ids(answer) == ["doc:a.md#A"]
    assert answer.degraded == ()
    with pytest.raises(AssertionError, match="A model was loaded"):
        search(again, "foo")


@pytest.mark.parametrize("query", ["c++", "foo(", "foo)", "a[b", "*", "\\", "foo(.*", "(?P<"])
def test_g80_no_query_is_a_regular_expression(shelf: Shelf, query: str) -> None:
    collection = shelf.filled({"a.md": "# A\n\nc++ and foo(.*) and a[b\n"}, model="none")

    answer = search(collection, query)

    assert paths(answer) == (["a.md"] if query in ("c++", "foo(", "a[b") else [])


def test_g81_a_text_with_the_phrase_has_the_bonus_of_all_terms_too(shelf: Shelf) -> None:
    collection = shelf.filled(
        {"a.md": "# A\n\nfoo bar\n", "b.md": "# B\n\nbar foo\n"}, model="none"
    )

    answer = search(collection, "foo bar")

    assert paths(answer) == ["a.md", "b.md"]
    near = (500 - len("foo ")) // 50
    assert points_of(answer.results[0]) == {
        "phrase": PHRASE,
        "occurrences": 2 * ONCE,
        "all terms": ALL,
        "proximity": near,
    }
    assert points_of(answer.results[1]) == {
        "occurrences": 2 * ONCE,
        "all terms": ALL,
        "proximity": near,
    }


@pytest.mark.parametrize(
    ("query", "content", "proximity"),
    [
        ("foo foobar", "foobar", 10),
        ("foo bar", f"foo {'x' * 45}bar", 9),
        ("foo bar", f"foo {'x' * 495} bar", 0),
        ("foo bar", f"foo {'x' * 900} bar", 0),
    ],
)
def test_g82_the_closer_terms_start_the_more_they_gain(
    shelf: Shelf, query: str, content: str, proximity: int
) -> None:
    collection = shelf.filled({"a.md": f"# A\n\n{content}\n"}, model="none")

    (hit,) = search(collection, query).results

    assert points_of(hit).get("proximity", 0) == proximity


@pytest.mark.parametrize(
    ("query", "content", "points"),
    [
        ("foo", "one foo here", PHRASE + ONCE),
        ("foo bar", "foo " * 4, None),
        ("foo bar", "foo " * 9, None),
        ("foo bar", "foo " * 10, 10 * ONCE),
        ("foo bar", f"foo {FAR} bar", 2 * ONCE + ALL),
    ],
)
def test_g83_one_term_needs_twenty_points_and_two_need_ten(
    shelf: Shelf, query: str, content: str, points: int | None
) -> None:
    collection = shelf.filled({"a.md": f"# A\n\n{content}\n"}, model="none")

    answer = search(collection, query)

    expected = [] if points is None else [pytest.approx(WORDS * points)]
    assert [hit.score for hit in answer.results] == expected


@pytest.mark.parametrize("search_mode", ["hybrid", "keyword", "vector"])
def test_g84_a_category_is_chosen_before_anything_is_ranked(shelf: Shelf, search_mode: str) -> None:
    # More than either list holds, all of them better than what is asked for.
    better = {f"guides/{number:03}.md": document("same", "foo bar") for number in range(205)}
    wanted = {"api/one.md": document("eleven", f"foo {FAR} bar")}
    other = {"community/two.md": document("same", "foo bar")}
    collection = shelf.filled({**better, **wanted, **other}, embedder=embedder())

    def found(domain: str | None) -> set[str]:
        answer = search(
            collection,
            "foo bar",
            limit=500,
            search_mode=search_mode,
            filters=None if domain is None else {"domain": domain},
        )
        return {hit.node.domain for hit in answer.results}

    assert found("api") == {"api"}
    assert found("community") == {"community"}
    assert found("guides") == {"guides"}
    assert found("elsewhere") == set()
    assert "guides" in found(None)


def test_g85_five_results_unless_asked(shelf: Shelf) -> None:
    files = {f"{number}.md": document("same", "foo bar") for number in range(12)}
    collection = shelf.filled(files, embedder=embedder())

    assert len(search(collection, "foo bar").results) == 5
    assert len(search(collection, "foo bar", limit=11).results) == 11


def test_g85_each_list_is_read_past_the_limit(shelf: Shelf) -> None:
    # Eighth by words and eighth by meaning, and the best of all by both.
    words = {f"w{n}.md": document("orthogonal", with_points(50)) for n in range(7)}
    meaning = {f"m{n}.md": document("eighty", "nothing of it") for n in range(7)}
    files = {**words, **meaning, "both.md": document("sixty", with_points(40))}
    collection = shelf.filled(files, embedder=embedder())

    answer = search(collection, "foo bar")

    assert (paths(answer)[0], len(answer.results)) == ("both.md", 5)
    assert answer.total == len(files)
    longer = search(collection, "foo bar", limit=15)
    assert ids(longer)[:5] == ids(answer)


def test_g86_a_title_is_the_heading_of_the_section_not_of_its_document(shelf: Shelf) -> None:
    text = "# guides\n\nsome words\n\n## Routing\n\nmore words\n\n## Models\n\nother words\n"
    collection = shelf.filled({"a.md": text}, model="none")

    by_heading = search(collection, "routing words")
    by_document = search(collection, "guides words")

    first = by_heading.results[0]
    assert (first.id, points_of(first)["title"]) == ("doc:a.md#Routing", TITLE)
    assert [hit.id for hit in by_document.results if "title" in points_of(hit)] == [
        "doc:a.md#guides"
    ]


def test_g87_a_vector_is_made_of_the_title_and_the_first_thousand_characters(
    shelf: Shelf,
) -> None:
    start = "word " * 120
    texts = {"a.txt": f"Title\n{start}foo", "b.txt": f"Title\n{start}bar"}
    texts["long.txt"] = "Long\n" + "y" * 2000
    model = WordEmbedder()
    collection = shelf.filled(texts, embedder=model)

    assert texts["a.txt"][:500] == texts["b.txt"][:500]
    assert f"Title\n{texts['a.txt']}" in model.documents
    assert f"Title\n{texts['b.txt']}" in model.documents
    assert f"Long\n{texts['long.txt'][:1000]}" in model.documents
    scores = {
        hit.source.file_path: hit.score
        for hit in collection.search("foo", profile="contract", search_mode="vector").results
    }
    assert scores["a.txt"] != pytest.approx(scores["b.txt"], abs=0.01)


def test_g88_nothing_found_is_an_answer(shelf: Shelf) -> None:
    collection = shelf.filled({"a.md": "# A\n\nfoo\n"}, model="none")

    answer = search(collection, "nowhere")

    assert (answer.results, answer.total) == ((), 0)
