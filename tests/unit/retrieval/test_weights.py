"""Which weights words and vectors have: of a name, of prose, of code, and between the two."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.backends.reference.store import ReferenceBackend
from trivium.query.parse import parse
from trivium.ranking.profile import Fusion
from trivium.retrieval.scope import weights_of
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import ChunkId, Gathered, Kind, Ranking

PROSE = {"text": 0.6, "vectors": 0.4}
CODE = {"text": 0.2, "vectors": 0.8}
NAME = {"text": 1.0, "vectors": 0.0}
FUSION = Fusion("zscore", weights=PROSE, code_weights=CODE, name_weights=NAME)


def chosen(
    query: str, found: list[str], fusion: Fusion = FUSION, *, is_instant: bool = False
) -> dict[str, float]:
    """The weights where `found` are the best of both retrievers."""
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
    scores = tuple(float(len(ids) - at) for at in range(len(ids)))
    rankings = tuple(Ranking(name, ids, scores) for name in ("text", "vectors"))
    gathered = Gathered(rankings, ids, {}, "words", (), is_instant=is_instant)
    with backend.snapshot() as snapshot:
        return dict(weights_of(snapshot, gathered, fusion, parse(query)))


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


def test_few_words_have_weights_of_their_own_in_prose_and_not_in_code() -> None:
    short = replace(FUSION, instant_weights=PROSE, instant_code_weights=CODE)
    short = replace(short, instant_short_weights=NAME)

    assert chosen("a cat and dogs", ["doc:a.md#X"], short, is_instant=True) == pytest.approx(NAME)
    assert chosen("a cat", ["code:a.py#X"], short, is_instant=True) == pytest.approx(CODE)
    longer = chosen("how to feed a cat", ["doc:a.md#X"], short, is_instant=True)
    assert longer == pytest.approx(PROSE)


def test_without_weights_of_code_there_is_one_set_of_them() -> None:
    assert chosen("feed a cat", ["code:a.py#X"], replace(FUSION, code_weights={})) == PROSE
