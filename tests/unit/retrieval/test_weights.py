"""Which weights words and vectors have: of a name, of prose, of code, and between the two."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.backends.reference.store import ReferenceBackend
from trivium.query.parse import parse
from trivium.ranking.profile import Fusion, profile
from trivium.retrieval.scope import weights_of
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import ChunkId, Gathered, Kind, Ranking

PROSE = {"text": 0.6, "vectors": 0.4}
CODE = {"text": 0.2, "vectors": 0.8}
NAME = {"text": 1.0, "vectors": 0.0}
FUSION = Fusion("zscore", weights=PROSE, code_weights=CODE, name_weights=NAME)
VIEW = profile("best").view


def chosen(
    query: str,
    found: list[str],
    fusion: Fusion = FUSION,
    *,
    is_instant: bool = False,
    best: float = 1.0,
    retrievers: tuple[str, ...] = ("text", "vectors"),
) -> dict[str, float]:
    """The weights where `found` are what each retriever found, the first scored `best`."""
    backend = ReferenceBackend()
    kinds = {"code": Kind.CODE, "doc": Kind.DOC, "record": Kind.RECORD}
    write(
        backend,
        [
            make_file(one.partition("#")[0], [Section("X", "x", kind=kinds[one.partition(":")[0]])])
            for one in dict.fromkeys(found)
        ],
    )
    ids = tuple(ChunkId(f"{one}@0") for one in found)
    scores = tuple(best / (at + 1) for at in range(len(ids)))
    rankings = tuple(Ranking(name, ids, scores) for name in retrievers)
    gathered = Gathered(rankings, ids, {}, "words", (), is_instant=is_instant)
    with backend.snapshot() as snapshot:
        return dict(weights_of(snapshot, gathered, fusion, parse(query), view=VIEW))


def test_prose_has_the_weights_of_prose() -> None:
    assert chosen("how to feed a cat", ["doc:a.md#X"]) == pytest.approx(PROSE)


def test_code_has_the_weights_of_code() -> None:
    assert chosen("how to feed a cat", ["code:a.py#X"]) == pytest.approx(CODE)


def test_where_half_is_code_the_weights_lie_half_way() -> None:
    found = chosen("how to feed a cat", ["code:a.py#X", "doc:a.md#X"])

    assert found == pytest.approx({one: (PROSE[one] + CODE[one]) / 2 for one in PROSE})


def test_a_name_has_the_weights_of_names_wherever_it_is_found() -> None:
    assert chosen("feed_cat", ["code:a.py#X"]) == NAME


def test_instant_vectors_have_weights_of_their_own_in_code_and_in_prose() -> None:
    swapped = replace(FUSION, instant_weights=CODE, instant_code_weights=PROSE)

    assert chosen("feed a cat", ["doc:a.md#X"], swapped, is_instant=True) == pytest.approx(CODE)
    assert chosen("feed a cat", ["code:a.py#X"], swapped, is_instant=True) == pytest.approx(PROSE)
    assert chosen("feed a cat", ["code:a.py#X"], swapped) == pytest.approx(CODE)


def test_without_weights_of_code_there_is_one_set_of_them() -> None:
    assert chosen("feed a cat", ["code:a.py#X"], replace(FUSION, code_weights={})) == PROSE


MATCHED = replace(FUSION, match_usual=2.0, match_power=1.5)


@pytest.mark.parametrize("best", [4.0, 6.0, 12.0])
def test_words_weigh_more_the_more_they_score_for_each_term_of_the_query(best: float) -> None:
    # "to" and "a" are no terms; "feed" comes twice and is one.
    found = chosen("feed a cat to feed dogs", ["doc:a.md#X"], MATCHED, best=best)

    words = PROSE["text"] * (best / 3 / 2.0) ** 1.5
    whole = words + PROSE["vectors"]
    assert found == pytest.approx({"text": words / whole, "vectors": PROSE["vectors"] / whole})


def test_what_words_found_moves_the_weights_of_code_as_well() -> None:
    found = chosen("feed cats", ["code:a.py#X"], MATCHED, best=8.0)

    assert found["text"] / found["vectors"] == pytest.approx(
        2**1.5 * CODE["text"] / CODE["vectors"]
    )


def test_a_name_keeps_its_weights_however_well_it_is_found() -> None:
    assert chosen("feed_cat", ["code:a.py#X"], MATCHED, best=40.0) == NAME


def test_one_retriever_alone_keeps_its_weights() -> None:
    found = chosen("feed cats", ["doc:a.md#X"], MATCHED, best=8.0, retrievers=("text",))

    assert found == PROSE
    without_words = chosen("feed cats", ["doc:a.md#X"], MATCHED, retrievers=("vectors",))
    assert without_words == PROSE


def test_a_query_of_stop_words_alone_has_weights() -> None:
    found = chosen("to be or not to be a", ["doc:a.md#X"], MATCHED, best=4.0)

    assert sum(found.values()) == pytest.approx(1.0)
