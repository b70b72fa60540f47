"""How far meaning is trusted that comes from a model of English."""

from __future__ import annotations

import pytest

from trivium.query.parse import parse
from trivium.ranking.profile import Fusion
from trivium.retrieval.scope import as_read
from trivium.types import ChunkId, Gathered, Ranking

WEIGHTS = {"text": 0.6, "vectors": 0.4}
FOUND = (ChunkId("doc:a.md#X@0"),)


def read(query: str, *, model: str = "static", words: bool = True, method: str = "zscore") -> float:
    """The weight of vectors."""
    rankings = (
        Ranking("text", FOUND if words else (), (1.0,) if words else ()),
        Ranking("vectors", FOUND, (1.0,)),
    )
    gathered = Gathered(rankings, FOUND, {}, model, ())
    made = as_read(WEIGHTS, gathered, Fusion(method, weights=WEIGHTS), parse(query))
    assert made["text"] == WEIGHTS["text"]
    return made["vectors"]


@pytest.mark.parametrize("model", ["static", "minilm"])
def test_models_of_english_have_no_say_in_japanese_and_their_whole_say_in_english(
    model: str,
) -> None:
    assert read("東京の天気", model=model) == 0.0
    assert read("weather in Tokyo", model=model) == WEIGHTS["vectors"]


def test_a_word_of_another_script_among_many_lessens_what_meaning_says() -> None:
    assert 0.0 < read("how is the name 東京 written in latin letters") < WEIGHTS["vectors"]


def test_another_model_may_know_any_language() -> None:
    assert read("東京の天気", model="multilingual") == WEIGHTS["vectors"]


def test_where_words_find_nothing_meaning_is_all_there_is() -> None:
    assert read("東京の天気", words=False) == WEIGHTS["vectors"]


def test_rankings_of_the_seeds_stay_as_they_are() -> None:
    assert read("東京の天気", method="weighted") == WEIGHTS["vectors"]
