"""The instant model beside a slower one: it scores the pool, and finds nothing of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from trivium import indexer
from trivium.backends.base import Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.backends.reference.vectors import ReferenceVectors
from trivium.errors import BackendError
from trivium.filtering.conditions import EVERYTHING
from trivium.models.base import Embedder
from trivium.query.parse import parse
from trivium.ranking.profile import Fusion, Retrieval
from trivium.ranking.signals import prepared
from trivium.retrieval.gather import Asking, gather, with_instant
from trivium.retrieval.scope import as_read
from trivium.testing.corpus import Section, make_file
from trivium.testing.embedders import CosineEmbedder, WordEmbedder
from trivium.testing.filling import REPEAT, write
from trivium.types import ChunkId, Degraded, Gathered, Ranking

ANIMALS = ("cat", "dog", "cow", "hen", "pig")
SLOW = WordEmbedder("slow", strength=20)
COSINES = {"cat": 0.3, "dog": 0.9, "cow": 0.5, "hen": 0.8, "pig": 0.7}


def instant(**changed: object) -> CosineEmbedder:
    made = CosineEmbedder("quick", is_instant=True, cosines=COSINES)
    return replace(made, **changed)  # type: ignore[arg-type]


def filled(*embedders: Embedder) -> ReferenceBackend:
    backend = ReferenceBackend()
    write(backend, [make_file(f"{one}.md", [Section(one, f"a {one}")]) for one in ANIMALS])
    for embedder in embedders:
        indexer.embed(backend, embedder)
    return backend


def asking(*embedders: Embedder, complete: bool = True, search_mode: str = "hybrid") -> Asking:
    retrieval = Retrieval(2, complete=complete)
    return Asking(REPEAT, EVERYTHING, retrieval, search_mode=search_mode, embedders=embedders)


def both(backend: ReferenceBackend, asked: Asking, query: str = "cat") -> tuple[Gathered, Gathered]:
    """What was gathered, before and after the instant model had its say."""
    with backend.snapshot() as snapshot:
        before = gather(snapshot, parse(query), asking=asked)
        return before, with_instant(snapshot, parse(query), before, asking=asked)


def test_it_scores_every_candidate_and_adds_none() -> None:
    quick = instant()

    before, after = both(filled(SLOW, quick), asking(SLOW, quick))

    assert len(before.pool) < len(ANIMALS)
    assert after.signals["instant"] == pytest.approx(
        {one: COSINES[one.partition(".")[0]] for one in before.pool}
    )
    assert after == replace(before, signals=after.signals)
    assert {**after.signals, "instant": {}} == {**before.signals, "instant": {}}


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(asking(SLOW), id="there is none"),
        pytest.param(asking(SLOW, instant(name="other")), id="it has embedded nothing"),
        pytest.param(asking(instant()), id="its own vectors are what was asked"),
        pytest.param(asking(SLOW, instant(), search_mode="keyword"), id="words alone"),
        pytest.param(asking(SLOW, instant(), complete=False), id="ranks are fused"),
    ],
)
def test_all_stays_as_it_was_where(asked: Asking) -> None:
    before, after = both(filled(SLOW, instant()), asked)

    assert after is before
    assert "instant" not in after.signals


def test_a_space_that_is_not_complete_has_no_say() -> None:
    backend = filled(SLOW, instant())
    write(backend, [make_file("owl.md", [Section("owl", "an owl")])])
    indexer.embed(backend, SLOW)

    before, after = both(backend, asking(SLOW, instant()))

    assert after is before


class Wordless(CosineEmbedder):
    """Knows no word of any query."""

    def embed_query(self, text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return np.zeros_like(super().embed_query(text))


class Longer(CosineEmbedder):
    """Gives other vectors now than it gave the index."""

    def embed_query(self, text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return np.append(super().embed_query(text), np.float32(0))


@pytest.mark.parametrize("sort", [Wordless, Longer])
def test_a_query_it_can_say_nothing_of_is_ranked_without_it(sort: type[CosineEmbedder]) -> None:
    quick = sort("quick", is_instant=True, cosines=COSINES)

    before, after = both(filled(SLOW, quick), asking(SLOW, quick))

    assert after is before


def test_a_model_that_fails_is_named_and_the_others_answer() -> None:
    before, after = both(filled(SLOW, instant()), asking(SLOW, instant(failure="damaged")))

    said = Degraded("instant", "the others answer without it: damaged")
    assert after == replace(before, degraded=(said,))


def test_an_index_that_fails_is_named_and_the_others_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    backend, asked = filled(SLOW, instant()), asking(SLOW, instant())

    def refuse(*_: object) -> Sequence[object]:
        raise BackendError("the file is gone")

    with backend.snapshot() as snapshot:
        before = gather(snapshot, parse("cat"), asking=asked)
        monkeypatch.setattr(ReferenceVectors, "score", refuse)
        after = with_instant(snapshot, parse("cat"), before, asking=asked)

    said = Degraded("instant", "the others answer without it: the file is gone")
    assert after == replace(before, degraded=(said,))


WEIGHTS = {"text": 0.1, "vectors": 0.7, "instant": 0.2}


def read(query: str, *, model: str, has_words: bool = True) -> dict[str, float]:
    found = (ChunkId("code:a.py#x@0"),)
    words = Ranking("text", found if has_words else (), (1.0,) if has_words else ())
    gathered = Gathered((words, Ranking("vectors", found, (1.0,))), found, {}, model, ())
    return dict(as_read(WEIGHTS, gathered, Fusion("zscore", weights=WEIGHTS), parse(query)))


@pytest.mark.parametrize("has_words", [True, False])
def test_it_reads_english_even_beside_a_model_that_reads_all(has_words: bool) -> None:
    assert read("weather", model="multilingual", has_words=has_words) == WEIGHTS
    silent = {**WEIGHTS, "instant": 0.0}
    assert read("東京の天気", model="multilingual", has_words=has_words) == silent


def test_two_models_of_english_are_silent_together_and_speak_where_words_find_nothing() -> None:
    assert read("東京の天気", model="minilm") == {"text": 0.1, "vectors": 0.0, "instant": 0.0}
    assert read("東京の天気", model="minilm", has_words=False) == WEIGHTS


def test_its_cosines_are_read_as_those_of_the_vectors_are() -> None:
    cosines = {ChunkId("a@0"): -0.5, ChunkId("b@0"): 0.5}
    signals = {"vectors": cosines, "instant": cosines}

    made = prepared(
        signals, retrieval=Retrieval(2, meaning="half"), fusion=Fusion("weighted", weights={})
    )

    assert made["instant"] == made["vectors"] == {"a@0": 0.25, "b@0": 0.75}


def held(snapshot: Snapshot) -> list[str]:
    return [space.model_id for space in snapshot.spaces()]


def test_a_snapshot_of_before_it_embedded_is_answered_without_it() -> None:
    backend, asked = filled(SLOW), asking(SLOW, instant())
    with backend.snapshot() as snapshot:
        indexer.embed(backend, instant())
        assert held(snapshot) == [SLOW.model_id]
        before = gather(snapshot, parse("cat"), asking=asked)

        assert with_instant(snapshot, parse("cat"), before, asking=asked) is before
