from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from trivium import indexer
from trivium.backends.base import Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.backends.reference.text import ReferenceText
from trivium.backends.reference.vectors import ReferenceVectors
from trivium.errors import BackendUnavailable, IndexUnusable, ModelError
from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.models.base import Embedder
from trivium.query.parse import parse
from trivium.ranking.profile import Retrieval
from trivium.retrieval.gather import Asking, gather
from trivium.testing.corpus import Section, make_file
from trivium.testing.embedders import WordEmbedder
from trivium.testing.filling import REPEAT, write
from trivium.types import Degraded, Gathered, Ranking

FILES = [make_file(f"{name}.md", [Section(name, f"a {name}")]) for name in ("cat", "dog", "cow")]
# One more is more than the hundredth part that a space may lack.
MANY = [
    make_file(f"{number}.md", [Section(f"n{number}", f"a cat {number}")]) for number in range(9)
]


@pytest.fixture
def backend() -> ReferenceBackend:
    made = ReferenceBackend()
    write(made, FILES)
    return made


@pytest.fixture
def snapshot(backend: ReferenceBackend) -> Iterator[Snapshot]:
    indexer.embed(backend, WordEmbedder())
    with backend.snapshot() as held:
        yield held


def gathered(
    snapshot: Snapshot,
    text: str,
    *,
    embedders: Sequence[Embedder] = (),
    where: Filter = EVERYTHING,
    search_mode: str = "hybrid",
    why: str = "",
    depth: int = 10,
    needs_all_scores: bool = True,
) -> Gathered:
    return gather(
        snapshot,
        parse(text),
        asking=Asking(
            view=REPEAT,
            where=where,
            retrieval=Retrieval(depth, complete=needs_all_scores),
            search_mode=search_mode,
            embedders=embedders,
            why_no_embedder=why,
        ),
    )


def names(found: Gathered) -> list[str]:
    return [ranking.name for ranking in found.rankings]


def test_words_and_meaning_are_both_asked(snapshot: Snapshot) -> None:
    found = gathered(snapshot, "cat", embedders=[WordEmbedder()])

    assert names(found) == ["text", "vectors"]
    assert (found.embedder, found.degraded) == ("words", ())
    assert list(found.pool) == sorted(found.pool)


def test_every_candidate_is_scored_by_every_signal_for_a_blend(snapshot: Snapshot) -> None:
    found = gathered(snapshot, "cat", embedders=[WordEmbedder()])

    assert len(found.rankings[0].ids) == 1
    assert len(found.pool) == 3
    assert [set(scores) for scores in found.signals.values()] == [set(found.pool)] * 2
    assert sorted(found.signals["text"].values())[:2] == [0.0, 0.0]


def test_what_one_retriever_found_past_the_depth_of_the_other_is_scored_too(
    snapshot: Snapshot,
) -> None:
    # A vector of the start of a word lies anywhere: here it is nearest to another chunk.
    found = gathered(snapshot, "co* zzz", embedders=[WordEmbedder()], depth=1)

    assert [len(ranking.ids) for ranking in found.rankings] == [1, 1]
    assert len(found.pool) == 2
    assert [set(scores) for scores in found.signals.values()] == [set(found.pool)] * 2


def test_a_fusion_by_rank_asks_for_no_more_scores(snapshot: Snapshot) -> None:
    found = gathered(snapshot, "cat", embedders=[WordEmbedder()], needs_all_scores=False)

    assert set(found.signals["text"]) == set(found.rankings[0].ids)


def test_words_alone_ask_no_model(snapshot: Snapshot) -> None:
    embedder = WordEmbedder()

    found = gathered(snapshot, "cat", embedders=[embedder], search_mode="keyword")

    assert (names(found), found.embedder, found.degraded) == (["text"], "none", ())
    assert embedder.queries == []


def test_meaning_alone_asks_no_words(snapshot: Snapshot) -> None:
    found = gathered(snapshot, "cat", embedders=[WordEmbedder()], search_mode="vector")

    assert names(found) == ["vectors"]


@pytest.mark.parametrize("search_mode", ["hybrid", "vector"])
def test_words_answer_where_meaning_cannot_be_had(snapshot: Snapshot, search_mode: str) -> None:
    found = gathered(snapshot, "cat", why="no model is installed", search_mode=search_mode)

    assert names(found) == ["text"]
    assert found.degraded == (Degraded("vectors", "no model is installed"),)


def test_without_a_reason_it_says_that_no_model_is_set(snapshot: Snapshot) -> None:
    found = gathered(snapshot, "cat")

    assert found.degraded == (Degraded("vectors", "no embedding model is set"),)


def test_a_model_that_has_embedded_nothing_says_what_to_run(snapshot: Snapshot) -> None:
    found = gathered(snapshot, "cat", embedders=[WordEmbedder("other")])

    (only,) = found.degraded
    assert only.reason == "other has embedded nothing yet; run: trivium index"


def test_a_space_that_is_not_complete_is_not_used(backend: ReferenceBackend) -> None:
    embedder = WordEmbedder()
    indexer.embed(backend, embedder)
    write(backend, MANY)
    with backend.snapshot() as snapshot:
        found = gathered(snapshot, "cat", embedders=[embedder])

    assert names(found) == ["text"]
    (only,) = found.degraded
    assert only.reason == f"words has embedded {3 / 12:.0%} so far; run: trivium index"
    assert embedder.queries == []


def test_the_strongest_complete_space_is_used_and_named(backend: ReferenceBackend) -> None:
    weak, strong = WordEmbedder("weak", strength=1), WordEmbedder("strong", strength=2)
    for embedder in (weak, strong):
        indexer.embed(backend, embedder)
    with backend.snapshot() as snapshot:
        assert gathered(snapshot, "cat", embedders=[weak, strong]).embedder == "strong"

    write(backend, MANY)
    indexer.embed(backend, weak)
    with backend.snapshot() as snapshot:
        found = gathered(snapshot, "cat", embedders=[weak, strong])

    assert (found.embedder, found.degraded) == ("weak", ())


def test_a_model_that_fails_leaves_the_next_one(backend: ReferenceBackend) -> None:
    weak, strong = WordEmbedder("weak", strength=1), WordEmbedder("strong", strength=2)
    for embedder in (weak, strong):
        indexer.embed(backend, embedder)
    strong.failure = "The model is damaged."
    with backend.snapshot() as snapshot:
        assert gathered(snapshot, "cat", embedders=[strong, weak]).embedder == "weak"
        alone = gathered(snapshot, "cat", embedders=[strong])

    assert alone.degraded == (Degraded("vectors", "The model is damaged."),)


def test_a_query_whose_vector_is_nothing_is_answered_by_words(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = WordEmbedder()
    zero = embedder.embed_query("cat") * 0
    monkeypatch.setattr(WordEmbedder, "embed_query", lambda *_: zero)

    found = gathered(snapshot, "cat", embedders=[embedder])

    assert found.degraded == (Degraded("vectors", "words knows none of the words of this query"),)


def test_a_model_that_cannot_even_say_what_it_is_leaves_the_words(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(_: object) -> str:
        raise ModelError("No model folder at /models.")

    monkeypatch.setattr(WordEmbedder, "model_id", property(unreadable))

    found = gathered(snapshot, "cat", embedders=[WordEmbedder()])

    assert names(found) == ["text"]
    assert found.degraded == (Degraded("vectors", "No model folder at /models."),)


def test_a_model_whose_vectors_have_another_length_now_asks_for_a_rebuild(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    longer = WordEmbedder().embed_query("cat").repeat(2)
    monkeypatch.setattr(WordEmbedder, "embed_query", lambda *_: longer)

    with pytest.raises(IndexUnusable, match=r"^words gives vectors of 32 numbers; .* have 16\."):
        gathered(snapshot, "cat", embedders=[WordEmbedder()])


def test_points_for_a_title_are_given_to_the_heading_of_a_section(
    backend: ReferenceBackend,
) -> None:
    files = [
        Section("Routing", "some words", title="Guide"),
        Section("Models", "some words", title="Guide"),
        Section("main", "some words", title="Guide", type="document"),
    ]
    write(backend, [make_file("guide.md", files)])
    view = replace(REPEAT, unit="node")
    asking = Asking(view=view, where=EVERYTHING, retrieval=Retrieval(10, words="points"))

    with backend.snapshot() as snapshot:
        found = {
            word: gather(snapshot, parse(f"{word} words"), asking=asking).points
            for word in ("routing", "guide")
        }

    titled = {
        word: [one for one, parts in points.items() if any(part.name == "title" for part in parts)]
        for word, points in found.items()
    }
    assert titled == {"routing": ["guide.md#Routing@0"], "guide": ["guide.md#main@0"]}


@pytest.mark.parametrize("text", ["", "kind:doc", "-cat", "!?"])
def test_a_query_without_words_asks_no_model_and_misses_none(snapshot: Snapshot, text: str) -> None:
    embedder = WordEmbedder()

    found = gathered(snapshot, text, embedders=[embedder])

    assert (found.pool, found.degraded, embedder.queries) == ((), (), [])


def test_filters_hold_for_every_retriever(snapshot: Snapshot) -> None:
    found = gathered(
        snapshot, "cat dog cow", embedders=[WordEmbedder()], where=build({"path": "dog"})
    )

    assert [len(ranking.ids) for ranking in found.rankings] == [1, 1]


@pytest.mark.parametrize("search_mode", ["hybrid", "vector"])
def test_an_excluded_word_holds_for_meaning_too(snapshot: Snapshot, search_mode: str) -> None:
    found = gathered(snapshot, "cow -dog", embedders=[WordEmbedder()], search_mode=search_mode)

    assert len(found.pool) == 2
    assert not [one for one in found.pool if "dog" in one]
    assert len(found.rankings[-1].scores) == 2


@pytest.mark.parametrize("search_mode", ["hybrid", "vector"])
def test_of_a_phrase_that_few_hold_meaning_compares_these_and_no_others(
    backend: ReferenceBackend, monkeypatch: pytest.MonkeyPatch, search_mode: str
) -> None:
    write(backend, MANY)
    indexer.embed(backend, WordEmbedder())
    asked: list[int] = []
    search = ReferenceVectors.search

    def noted(*given: object, depth: int, **more: object) -> Ranking:
        asked.append(depth)
        return search(*given, depth=depth, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(ReferenceVectors, "search", noted)
    with backend.snapshot() as held:
        few = gathered(
            held, '"cat 7" cow', embedders=[WordEmbedder()], search_mode=search_mode, depth=3
        )
        assert asked == []
        many = gathered(
            held, '"a cat" cow', embedders=[WordEmbedder()], search_mode=search_mode, depth=3
        )
        assert asked[:1] == [3]

    assert [one.rpartition("#")[2] for one in few.rankings[-1].ids] == ["n7@0"]
    assert 0 < few.rankings[-1].scores[0] < 1
    assert len(many.rankings[-1].ids) == 3


def _broken(*_: object, **__: object) -> Ranking:
    raise BackendUnavailable("a shard is missing")


@pytest.mark.parametrize(
    ("index", "left", "said"),
    [
        (ReferenceVectors, "text", Degraded("vectors", "words alone answer: a shard is missing")),
        (ReferenceText, "vectors", Degraded("text", "meaning alone answers: a shard is missing")),
    ],
)
def test_a_part_of_the_store_that_fails_is_told_and_the_other_answers(
    snapshot: Snapshot,
    monkeypatch: pytest.MonkeyPatch,
    index: type,
    left: str,
    said: Degraded,
) -> None:
    monkeypatch.setattr(index, "search", _broken)

    found = gathered(snapshot, "cat", embedders=[WordEmbedder()])

    assert [one.name for one in found.rankings] == [left]
    assert found.rankings[0].ids
    assert said in found.degraded


@pytest.mark.parametrize("search_mode", ["keyword", "hybrid"])
def test_a_store_of_which_nothing_answers_is_an_error(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch, search_mode: str
) -> None:
    monkeypatch.setattr(ReferenceVectors, "search", _broken)
    monkeypatch.setattr(ReferenceText, "search", _broken)

    with pytest.raises(BackendUnavailable):
        gathered(snapshot, "cat", embedders=[WordEmbedder()], search_mode=search_mode)
