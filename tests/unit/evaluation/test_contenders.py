"""What gives meaning to a contender: its model, and the instant one where that has a say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trivium.evaluation.bench import Bench, Contender
from trivium.evaluation.sets import Place, Sort
from trivium.models.static import static
from trivium.ranking.profile import profile
from trivium.testing.embedders import WordEmbedder

SNIPPETS = {"a": "def feed(cat): return cat", "b": "def walk(dog): return dog"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder = tmp_path / "snippets"
    (folder / "qrels").mkdir(parents=True)
    rows = [{"_id": key, "text": text, "lang": "python"} for key, text in SNIPPETS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "queries.jsonl").write_text(
        json.dumps({"_id": "q", "text": "how to feed a cat"}), encoding="utf-8"
    )
    (folder / "qrels/test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq\ta\t1\n", encoding="utf-8"
    )
    return Place(folder, Sort.RECORDS, "test")


def test_the_instant_model_stands_beside_a_slower_one_where_the_profile_asks_it() -> None:
    slow, instant = WordEmbedder("slow"), static()

    def names(contender: Contender) -> list[str]:
        return [one.name for one in contender.embedders]

    assert names(Contender("x", profile("best"), slow)) == ["slow", "static"]
    assert names(Contender("x", profile("rag"), slow)) == ["slow"]
    assert names(Contender("x", profile("best"), instant)) == ["static"]
    assert names(Contender("x", profile("best"))) == []


@pytest.mark.parametrize("strength", [1, 99])
def test_a_set_of_code_is_answered_as_the_product_would(
    place: Place, tmp_path: Path, strength: int
) -> None:
    contender = Contender("best", profile("best"), WordEmbedder("slow", strength=strength))
    bench = Bench(tmp_path / "home", [contender])

    with bench.prepared(place) as prepared:
        (question,) = prepared.questions
        answer = prepared.ask(question, contender)

    # Even where the model that is measured is the weaker one.
    assert (answer.embedder, answer.degraded) == ("slow", ())
    parts = {part.name for hit in answer.results for part in hit.parts}
    assert {"text", "vectors", "instant"} <= parts
