"""Cases G57 to G62 of seed 001: breakdowns, blends, context and what the graph says of a page."""

from __future__ import annotations

import json

import pytest
from tests.acceptance import both
from tests.acceptance.both import ChosenEmbedder, Shelf, explained, hit_of, ids, number, paths
from tests.acceptance.contract import (
    BODY_ONLY,
    COSINE,
    NINE_TENTHS,
    OPPOSITE,
    QUERY,
    WORDS,
    function,
)


def test_g57_a_breakdown_has_every_key_and_null_for_what_was_not_used(shelf: Shelf) -> None:
    collection = shelf.filled({"a.ts": function("load", "// alpha beta", exported=True)})

    (hit,) = collection.search('"alpha beta"', profile="contract", explain=True).results
    (words,) = collection.search("alpha", profile="contract", search_mode="keyword").results
    (plain,) = collection.search(
        "alpha", profile="contract", search_mode="keyword", explain=True
    ).results

    keys = [
        "selected",
        "sparse",
        "ann",
        "rrf",
        "blend",
        "symbol",
        "phrase",
        "relation",
        "graph",
        "degree",
    ]
    assert hit.breakdown is not None
    assert plain.breakdown is not None
    assert list(hit.breakdown) == list(plain.breakdown) == [*keys, "parts"]
    assert {key for key in keys if hit.breakdown[key] is None} == {
        "blend",
        "relation",
        "graph",
        "degree",
    }
    assert {key for key in keys if plain.breakdown[key] is not None} == {
        "selected",
        "sparse",
        "symbol",
    }
    assert words.breakdown is None


def test_g57_a_breakdown_is_small_however_long_ids_are(shelf: Shelf) -> None:
    deep = "/".join(["folder" * 30] * 8)
    collection = shelf.filled({f"{deep}/a.ts": function("alpha"), "b.ts": function("alpha")})
    mine = shelf.profile("place", "[boost]\nproximity = 1.0\nduplicate = 0.5\n")

    results = collection.search("alpha", profile=mine, mode="code", explain=True).results

    sizes = [len(json.dumps(hit.breakdown).encode()) for hit in results]
    assert len(sizes) >= 2
    assert max(sizes) <= 16 * 1024


def test_g58_the_type_of_a_score_says_which_lists_there_were(shelf: Shelf) -> None:
    collection = shelf.filled(WORDS)

    fused = collection.search("alpha", profile="contract")
    words = collection.search("alpha", profile="contract", search_mode="keyword")
    meaning = collection.search("alpha", profile="contract", search_mode="vector")
    no_words = collection.search("nowhere", profile="contract")

    assert {hit.score_type for hit in fused.results} == {"rrf"}
    assert {hit.score_type for hit in words.results} == {"bm25-fielded"}
    assert {hit.score_type for hit in meaning.results} == {"ann"}
    assert {hit.score_type for hit in no_words.results} == {"ann"}


@pytest.mark.parametrize(
    ("missing", "sparse_only"), [("renormalise", 1.0), ("zero", (1.0 + 0.0) / 2)]
)
def test_g59_a_blend_is_the_mean_of_the_signals_present_or_of_all(
    shelf: Shelf, missing: str, sparse_only: float
) -> None:
    # Both terms are in two of three texts of two words: the first scores twice the second.
    files = {"a.txt": "foo bar", "b.txt": "foo near", "c.txt": "bar away"}
    chosen = ChosenEmbedder({"near": NINE_TENTHS, "away": OPPOSITE, "foo": QUERY})
    far = {"a.txt": "away foo bar", "b.txt": "near foo too", "c.txt": "away bar too"}
    collection = shelf.filled({name: far[name] for name in files}, embedder=chosen)
    # What is at most orthogonal is no find of vectors, so that the first is found by words alone.
    mine = shelf.profile(
        "blend",
        f'[retrieve]\nfloor = 0\n[fuse]\nmissing = "{missing}"\n{BODY_ONLY}',
        extends="contract-blend",
    )

    answer = collection.search("foo OR bar", profile=mine, explain=True)

    first, second = hit_of(answer, "a.txt"), hit_of(answer, "b.txt")
    ratio = number(second, "sparse", "score") / number(first, "sparse", "score")
    assert ratio == pytest.approx(5 / 10, rel=1e-6)
    assert first.score == pytest.approx(sparse_only)
    assert second.score == pytest.approx((5 / 10 + (COSINE + 1) / 2) / 2, rel=1e-6)
    assert second.score == pytest.approx(0.725, abs=1e-4)
    assert first.score_type == second.score_type == "blend"
    assert all(both.parts_add_up(hit) for hit in answer.results)
    in_order = ["a.txt", "b.txt"] if missing == "renormalise" else ["b.txt", "a.txt"]
    assert paths(answer)[:2] == in_order


def calling(count: int, *, name: str = "start") -> dict[str, str]:
    called = "\n".join(f"    step{number:02}()" for number in range(count))
    imports = "\n".join(f"from steps import step{number:02}" for number in range(count))
    steps = "\n\n".join(f"def step{number:02}():\n    return {number}" for number in range(count))
    return {"steps.py": steps + "\n", "begin.py": f"{imports}\n\n\ndef {name}():\n{called}\n"}


def test_g60_of_ten_callees_four_are_added_after_the_hits(shelf: Shelf) -> None:
    collection = shelf.filled(calling(10), model="none")

    plain = collection.search("start", profile="contract", mode="code")
    answer = collection.search("start", profile="contract", mode="code", expand="context")

    primary = [hit for hit in answer.results if hit.score_type != "context"]
    added = answer.results[len(primary) :]
    assert ids(plain) == [hit.id for hit in primary] == ["code:begin.py#start"]
    assert [hit.score for hit in primary] == [hit.score for hit in plain.results]
    assert [hit.id for hit in added] == [f"code:steps.py#step{number:02}" for number in range(4)]
    assert {(hit.score, hit.score_type) for hit in added} == {(0.0, "context")}
    assert [hit.context and hit.context["reason"] for hit in added] == [
        f"call:step{number:02}" for number in range(4)
    ]
    assert {str(hit.context and hit.context["sourceId"]) for hit in added} == {
        "code:begin.py#start"
    }


def test_g60_no_more_than_forty_are_added_in_all(shelf: Shelf) -> None:
    files: dict[str, str] = {}
    for letter in "abcdefghijkl":
        one = calling(6, name="start")
        files |= {f"{letter}/{name}": text for name, text in one.items()}
    collection = shelf.filled(files, model="none")

    answer = collection.search("start", profile="contract", mode="code", limit=12, expand="context")

    added = [hit for hit in answer.results if hit.score_type == "context"]
    assert len(answer.results) - len(added) == 12
    assert len(added) == 40
    assert len({hit.id for hit in answer.results}) == 12 + 40


def test_g60_what_is_added_passes_the_filters(shelf: Shelf) -> None:
    collection = shelf.filled(calling(10), model="none")

    answer = collection.search(
        "start", profile="contract", mode="code", expand="context", filters={"file": "begin"}
    )

    assert set(paths(answer)) == {"begin.py"}


def test_g61_a_call_is_the_reason_before_a_usage_and_an_import(shelf: Shelf) -> None:
    text = "from steps import Step\n\n\ndef start(one: Step):\n    return Step(one)\n"
    collection = shelf.filled(
        {"begin.py": text, "steps.py": "class Step:\n    pass\n"}, model="none"
    )

    edges = collection.get("code:begin.py#start").edges
    answer = collection.search("start", profile="contract", mode="code", expand="context")

    (added,) = [hit for hit in answer.results if hit.id == "code:steps.py#Step"]
    types = {edge.type.value for edge in edges if edge.target == "code:steps.py#Step"}
    assert {"calls", "uses"} <= types
    assert added.context is not None
    assert added.context["reason"] == "call:Step"


LINKED = {
    "hub.py": "def hub():\n    # alpha alpha alpha\n    return 1\n",
    "near.py": "from hub import hub\n\n\ndef near():\n    # alpha\n    return hub()\n",
    "away.py": "def away():\n    # alpha\n    return 2\n",
    "other.py": "def other():\n    # alpha beta\n    return 2\n",
}


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 10])
def test_g62_the_graph_orders_a_page_anew_and_changes_none_of_its_members(
    shelf: Shelf, limit: int
) -> None:
    collection = shelf.filled(LINKED)
    mine = shelf.profile("place", "[boost]\ndegree = 0.5\nproximity = 0.3\n")
    asked = {"mode": "code", "limit": limit}

    off = collection.search("alpha", profile="contract", explain=True, **asked)  # type: ignore[arg-type]
    on = collection.search("alpha", profile=mine, explain=True, **asked)  # type: ignore[arg-type]

    assert sorted(ids(on)) == sorted(ids(off))
    assert (on.total, len(on.results)) == (off.total, min(limit, off.total))
    best, scores = off.results[0], {hit.id: hit.score for hit in off.results}
    for hit in on.results:
        distance = explained(hit, "graph")["seedDistance"]
        degree = min(1.0, len(collection.get(hit.id).edges) / 20)
        proximity = 0.0 if not isinstance(distance, int) else 1 / (distance + 1)
        assert (distance == 0) is (hit.id == best.id)
        assert number(hit, "graph", "degree") == pytest.approx(degree)
        assert number(hit, "graph", "proximity") == pytest.approx(proximity)
        assert number(hit, "graph", "score") == pytest.approx(0.5 * degree + 0.3 * proximity)
        assert hit.score == pytest.approx(scores[hit.id] + 0.5 * degree + 0.3 * proximity)
        assert both.parts_add_up(hit)
    assert [hit.score for hit in on.results] == sorted(
        (hit.score for hit in on.results), reverse=True
    )
    assert all(hit.breakdown and hit.breakdown["graph"] is None for hit in off.results)


def test_g62_what_the_best_hit_calls_comes_before_what_lies_elsewhere(shelf: Shelf) -> None:
    collection = shelf.filled(LINKED, model="none")
    mine = shelf.profile("near", "[boost]\nproximity = 1.0\n")

    off = collection.search("alpha", profile="contract", kind="function")
    on = collection.search("alpha", profile=mine, kind="function", explain=True)

    assert ids(off)[0] == "code:hub.py#hub"
    assert ids(off) != ids(on)
    assert ids(on)[:2] == ["code:hub.py#hub", "code:near.py#near"]
    distances = {hit.id: explained(hit, "graph")["seedDistance"] for hit in on.results}
    assert distances == {
        "code:hub.py#hub": 0,
        "code:near.py#near": 1,
        "code:away.py#away": None,
        "code:other.py#other": None,
    }
