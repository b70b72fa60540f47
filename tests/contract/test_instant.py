"""In code the instant model has a say beside a slower one; the same on every backend."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from trivium import indexer
from trivium.backends.base import Backend, Snapshot
from trivium.engine import search
from trivium.models.base import Embedder
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.profile import Profile, profile
from trivium.testing.embedders import CosineEmbedder, WordEmbedder
from trivium.testing.filling import write_texts
from trivium.types import Answer

CODE = {
    "src/alpha.py": "def alpha(value):\n    return fetch(value)\n",
    "src/beta.py": "def beta(value):\n    return fetch(value)\n",
    "src/gamma.py": "def gamma(value):\n    return store(value)\n",
}
PROSE = {
    "alpha.md": "# Alpha\n\nThey fetch the alpha value.\n",
    "beta.md": "# Beta\n\nThey fetch the beta value.\n",
}
# Without signs of files, so that the order is that of the blend.
PLAIN = replace(profile("best"), learned=replace(profile("best").learned, weights={}, pages={}))
WITHOUT = replace(PLAIN, fusion=replace(PLAIN.fusion, code_weights={"text": 0.1, "vectors": 0.72}))
QUESTION = "how to fetch a value"


def slow() -> CosineEmbedder:
    """Knows no difference between the two that fetch."""
    return CosineEmbedder("slow", strength=20, cosines={"fetch(value)": 0.6})


def quick(*, failure: str = "") -> CosineEmbedder:
    """Prefers what is called beta."""
    cosines = {"beta(value):": 0.9, "alpha(value):": 0.3, "beta": 0.9, "alpha": 0.3}
    return CosineEmbedder("quick", is_instant=True, cosines=cosines, failure=failure)


@pytest.fixture
def code(any_backend: Backend) -> Backend:
    write_texts(any_backend, CODE)
    return any_backend


@pytest.fixture
def snapshot(code: Backend) -> Iterator[Snapshot]:
    for embedder in (slow(), quick()):
        indexer.embed(code, embedder)
    with code.snapshot() as held:
        yield held


def ask(
    snapshot: Snapshot, embedders: Sequence[Embedder], text: str = QUESTION, by: Profile = PLAIN
) -> Answer:
    given = Circumstances("shop", embedders=embedders)
    options = SearchOptions(by, 10, explain=True)
    return replace(search(snapshot, text, options=options, given=given), took_ms=0.0)


def files(answer: Answer) -> list[str]:
    return [hit.node.source.file_path for hit in answer.results]


def part_names(answer: Answer) -> set[str]:
    return {part.name for hit in answer.results for part in hit.parts}


def test_it_decides_between_what_the_slower_one_cannot_tell_apart(snapshot: Snapshot) -> None:
    alone, both = ask(snapshot, [slow()]), ask(snapshot, [slow(), quick()])

    assert files(alone)[0] == "src/alpha.py"
    assert files(both)[0] == "src/beta.py"
    assert both.embedder == "slow"
    assert sorted(files(both)) == sorted(files(alone))
    assert both.degraded == ()


def test_its_part_has_a_name_of_its_own_and_the_parts_add_up(snapshot: Snapshot) -> None:
    for by in (PLAIN, profile("best")):
        answer = ask(snapshot, [slow(), quick()], by=by)

        assert "instant" in part_names(answer)
        for hit in answer.results:
            assert hit.score == pytest.approx(math.fsum(part.value for part in hit.parts))
    beta = ask(snapshot, [slow(), quick()]).results[0]
    values = {part.name: part.value for part in beta.parts}
    assert beta.breakdown is not None
    assert beta.breakdown["blend"] == {
        "score": pytest.approx(beta.score),
        "sparsePart": pytest.approx(values["text"]),
        "annPart": pytest.approx(values["vectors"]),
        "instantPart": pytest.approx(values["instant"]),
    }


def test_only_beside_a_slower_model_do_signs_of_files_count_less(snapshot: Snapshot) -> None:
    best, asked = profile("best"), "fetch a value in alpha"
    silent = replace(best, learned=replace(best.learned, slower=0.0))
    as_much = replace(best, learned=replace(best.learned, slower=1.0))
    both = [slow(), quick()]

    assert files(ask(snapshot, both, asked, by=as_much))[0] == "src/alpha.py"
    assert files(ask(snapshot, both, asked, by=silent))[0] == "src/beta.py"
    for others in ([quick()], []):
        said = ask(snapshot, others, asked, by=silent)
        assert said.results == ask(snapshot, others, asked, by=as_much).results


def test_where_it_has_no_vectors_its_weight_counts_for_nothing(code: Backend) -> None:
    indexer.embed(code, slow())
    with code.snapshot() as snapshot:
        found = ask(snapshot, [slow(), quick()])

        expected = ask(snapshot, [slow()], by=WITHOUT)
    assert found.degraded == ()
    assert files(found) == files(expected)
    assert [hit.score for hit in found.results] == pytest.approx(
        [hit.score for hit in expected.results]
    )


def test_a_table_that_cannot_be_read_is_named_and_costs_no_answer(snapshot: Snapshot) -> None:
    found = ask(snapshot, [slow(), quick(failure="static-1.bin is damaged")])

    assert [(one.stage, one.reason) for one in found.degraded] == [
        ("instant", "the others answer without it: static-1.bin is damaged")
    ]
    assert found.results == ask(snapshot, [slow()]).results


@pytest.mark.parametrize("text", ["値を取得する", "fetch_value", ""])
def test_it_is_not_asked_of_other_scripts_names_and_nothing(snapshot: Snapshot, text: str) -> None:
    instant = quick()

    answer = ask(snapshot, [slow(), instant], text)

    assert instant.queries == []
    assert "instant" not in part_names(answer)


def test_set_itself_it_gives_the_vectors_and_is_asked_once(snapshot: Snapshot) -> None:
    instant = quick()

    answer = ask(snapshot, [instant])

    assert (answer.embedder, instant.queries) == ("quick", [QUESTION])
    assert "instant" not in part_names(answer)


def test_prose_is_ranked_without_it_and_does_not_load_it(any_backend: Backend) -> None:
    write_texts(any_backend, PROSE)
    for embedder in (slow(), quick()):
        indexer.embed(any_backend, embedder)
    instant = quick()
    with any_backend.snapshot() as snapshot:
        answer = ask(snapshot, [slow(), instant])

        assert answer == ask(snapshot, [slow()])
    assert instant.queries == []


@pytest.mark.parametrize("name", ["rag", "xplor", "contract", "ember", "graph"])
def test_rankings_of_the_seeds_do_not_ask_it(snapshot: Snapshot, name: str) -> None:
    instant = quick()

    ask(snapshot, [WordEmbedder("other"), slow(), instant], by=profile(name))

    assert instant.queries == []
