"""Vectors found by the graph of neighbours, as above 20,000 rows: nearly those found one by one."""

from __future__ import annotations

import pytest

from trivium.backends.base import Backend
from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.testing import corpus
from trivium.testing.contract import MakeBackend
from trivium.testing.filling import MODEL, embed, vector_of, write

_ASKED = ("vector index", "zebra", "検索", "read the file quickly", "lock thread")


@pytest.fixture(scope="class")
def filled(make_lasting_collection: MakeBackend) -> Backend:
    backend = make_lasting_collection()
    write(backend, corpus.generated())
    embed(backend)
    return backend


def _found(
    backend: Backend, *, where: Filter, depth: int = 50
) -> list[tuple[tuple[str, ...], tuple[float, ...]]]:
    with backend.snapshot() as snapshot:
        space = snapshot.vectors(MODEL)
        assert space is not None
        rankings = [space.search(vector_of(one), where=where, depth=depth) for one in _ASKED]
    return [(one.ids, one.scores) for one in rankings]


class TestNeighbours:
    @pytest.mark.parametrize(
        "where",
        [EVERYTHING, build({"lang": "python"}), build({"kind": "code", "tag": ["green", "red"]})],
        ids=["all", "one language", "few"],
    )
    def test_the_graph_finds_what_comparing_one_by_one_does(
        self, filled: Backend, monkeypatch: pytest.MonkeyPatch, where: Filter
    ) -> None:
        exact = _found(filled, where=where)
        monkeypatch.setattr("trivium.backends.opensearch.search._EXACT", 0)
        near = _found(filled, where=where)

        for (mine, scores), (theirs, right) in zip(near, exact, strict=True):
            assert len(theirs) > 5
            assert len(mine) == len(theirs)
            assert len(set(mine) & set(theirs)) >= 0.95 * len(theirs)
            assert scores[0] == pytest.approx(right[0], abs=1e-5)
            assert list(scores) == sorted(scores, reverse=True)
