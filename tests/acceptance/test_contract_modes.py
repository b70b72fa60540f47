"""Cases G63 and G64 of seed 001: code, prose and records ranked apart and fused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.acceptance import both
from tests.acceptance.both import Shelf, explained, ids
from tests.acceptance.contract import (
    K,
    function,
)

MIXED = {
    "a.ts": function("alpha"),
    "b.ts": function("beta", "// alpha"),
    "one.txt": "alpha",
    "two.txt": "alpha and some more words",
    "rows.jsonl": '{"id": "r1", "name": "alpha"}\n{"id": "r2", "name": "alpha again"}\n',
}


@pytest.mark.parametrize(
    ("settings", "weights"),
    [
        ("", {"code": 1.0, "prose": 1.0, "records": 1.0}),
        (
            "[scopes.prose]\nweight = 2\n[scopes.records]\nweight = 0.5\n",
            {"code": 1.0, "prose": 2.0, "records": 0.5},
        ),
        ("[scopes.prose]\nweight = 0\n", {"code": 1.0, "records": 1.0}),
    ],
)
def test_g63_modes_are_fused_by_rank_with_a_weight_each(
    shelf: Shelf, settings: str, weights: Mapping[str, float]
) -> None:
    collection = shelf.filled(MIXED)
    mine = shelf.profile("weighed", settings)

    mixed = collection.search("alpha", profile=mine, limit=50)
    alone = {
        mode: ids(collection.search("alpha", profile="contract", limit=50, mode=mode))
        for mode in weights
    }

    expected = {
        found: weight / (K + rank)
        for mode, weight in weights.items()
        for rank, found in enumerate(alone[mode], 1)
    }
    assert {hit.id: hit.score for hit in mixed.results} == pytest.approx(expected)
    assert ids(mixed) == sorted(expected, key=lambda one: (-expected[one], one))
    assert {hit.score_type for hit in mixed.results} == {"rrf"}
    assert all(both.parts_add_up(hit) for hit in mixed.results)


@pytest.mark.parametrize("search_mode", ["hybrid", "keyword"])
def test_g63_a_breakdown_shows_rank_and_weight_in_each_mode_and_what_gave_the_rank(
    shelf: Shelf, search_mode: str
) -> None:
    collection = shelf.filled(MIXED)
    weights = {"code": 1.0, "prose": 2.0, "records": 0.5}
    mine = shelf.profile("weighed", "[scopes.prose]\nweight = 2\n[scopes.records]\nweight = 0.5\n")
    modes_of = {"code": "code", "file": "code", "doc": "prose", "record": "records"}

    asked = {"limit": 50, "search_mode": search_mode, "explain": True}
    answer = collection.search("alpha", profile=mine, **asked)  # type: ignore[arg-type]

    places: dict[str, list[int]] = {mode: [] for mode in weights}
    for hit in answer.results:
        own = modes_of[hit.node.kind]
        modes, in_mode = explained(hit, "rrf")["modes"], explained(hit, "rrf")["inMode"]
        assert isinstance(modes, dict)
        assert isinstance(in_mode, dict)
        rank = modes[own]["rank"]
        places[own].append(rank)
        expected = {
            mode: {"rank": None, "weight": weight, "rrf": 0.0} for mode, weight in weights.items()
        }
        expected[own] = {"rank": rank, "weight": weights[own], "rrf": weights[own] / (K + rank)}
        assert modes == expected
        assert sum(one["rrf"] for one in modes.values()) == hit.score
        assert {part.name: part.value for part in hit.parts} == {
            f"{mode} rank {rank}, weight {weight:g}"
            if mode == own
            else f"{mode} has no rank for it, weight {weight:g}": modes[mode]["rrf"]
            for mode, weight in weights.items()
        }
        assert in_mode["mode"] == own
        assert sum(part["value"] for part in in_mode["parts"]) == pytest.approx(in_mode["score"])
        alone = collection.search("alpha", profile="contract", mode=own, **asked)  # type: ignore[arg-type]
        assert in_mode["score"] == pytest.approx(alone.results[rank - 1].score)
        assert alone.results[rank - 1].id == hit.id
    assert places == {mode: list(range(1, len(found) + 1)) for mode, found in places.items()}
    assert all(places.values())


def test_g64_records_are_not_left_out_for_what_only_code_has(shelf: Shelf) -> None:
    collection = shelf.filled({**MIXED, "more.csv": "id,name\nr3,alpha\n"})

    def found(mode: str, **filters: str) -> list[str]:
        answer = collection.search(
            "alpha", profile="contract", limit=50, mode=mode, filters=filters
        )
        return sorted(ids(answer))

    every = ["record:more.csv#r3", "record:rows.jsonl#r1", "record:rows.jsonl#r2"]
    assert found("records") == every
    assert found("records", lang="typescript", type="function") == every
    assert found("records", file="rows", lang="typescript") == every[1:]
    assert found("records", ext="csv", lang="typescript") == every[:1]
    assert found("records", file="elsewhere") == []


def test_g64_where_more_than_records_is_asked_for_filters_hold_for_all(shelf: Shelf) -> None:
    collection = shelf.filled(MIXED)

    answer = collection.search(
        "alpha", profile="contract", limit=50, filters={"lang": "typescript"}
    )

    assert {hit.node.language for hit in answer.results} == {"typescript"}
