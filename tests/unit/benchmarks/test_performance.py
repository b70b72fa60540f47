"""The page of figures, its curves, and what every peer is given."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import fromstring

from benchmarks.curves import panels
from benchmarks.peers.beside import NAMES, wanted_by
from benchmarks.peers.task import SHOWN, fused, words
from benchmarks.performance_page import page, picture


def asked(p50: float) -> dict[str, float]:
    return {"p50": p50, "p95": 2 * p50, "mb": 100.0, "first": 20.0}


def grown(size: int, *, bare: float, best: float) -> dict[str, Any]:
    return {
        "size": size,
        "chunks": size - 3,
        "raw": 1.0,
        "ratio": bare,
        "floor": 0.1,
        "disk": 2000.0,
        "beyond": 1500.0,
        "second": 200.0,
        "rag ranked": asked(bare),
        "rag": asked(2 * bare),
        "best": asked(best),
    }


FOUND: dict[str, Any] = {
    "machine": "2 cores",
    "cores": 2,
    "load": 3.0,
    "bandwidth": 9.5,
    "grown": [grown(10_000, bare=1.2, best=3.0), grown(100_000, bare=1.2, best=30.0)],
    "filtered": [
        {"kept": "all", "share": 1.0, "p50": 4.0, "x": 1.0},
        {"kept": "one file", "share": 0.0001, "p50": 8.0, "x": 2.0},
    ],
    "filtered million": [],
    "million taken in": [],
    "taken in": [
        {"chunks": 900, "cpu_s": 0.6, "s": 0.7},
        {"chunks": 9_000, "cpu_s": 9.0, "s": 8.0},
    ],
    "edit": {"chunks": 9_000, "ms": 80.0},
    "models": {"static": 0.02, "minilm": 3.0, "again": 0.01, "texts": 38.0, "bare": 40.0},
    "repositories": [
        {"folder": "one", "CPU s": 2.0, "its CPU s": 1.0, "x its CPU": 2.0},
        {"folder": "all", "CPU s": 2.0, "its CPU s": 1.0, "x its CPU": 2.0},
    ],
    "threads": {
        "cores": 2.0,
        "of 1 cpu": 5.0,
        "of 1 rate": 200.0,
        "of 8 cpu": 6.0,
        "of 8 rate": 220.0,
    },
    "stages": {"rag": {"open": 0.2, "retrieve": 3.0}, "best": {"retrieve": 6.0}},
    "peers": [
        {"what": "ours", "CPU ms": 2.0},
        {"what": "slow", "CPU ms": 30.0, "x ours": 15.0},
        {"what": "gone", "CPU ms": "not run", "note": "no such package"},
    ],
}


def line_of(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(f"| {start}"))


def test_a_target_is_said_to_be_met_only_where_the_figure_reaches_it() -> None:
    made = page(FOUND, picture="curves.svg")

    assert line_of(made, "ids alone, 10,000").endswith("| 1.20 ms, 1.20 x raw | met |")
    assert line_of(made, "`best` in full, 10,000").endswith("| met |")
    assert line_of(made, "`best` in full, 100,000").endswith("| **missed** |")
    assert line_of(made, "filter that keeps 0.01 %").endswith("| 2.00 x | **missed** |")
    assert line_of(made, "a query's vector, static").endswith("| 0.020 ms | met |")
    assert line_of(made, "a query's vector, MiniLM").endswith("| 3.000 ms | **missed** |")
    assert line_of(made, "MiniLM, texts").endswith("| 38.0 texts per CPU-second, 95 % | met |")
    assert line_of(made, "index: words").endswith("| 1,000 at 9,000 chunks | **missed** |")
    assert "without its model | 2 x its CPU | **missed** |" in made
    assert line_of(made, "disk beyond").endswith(
        "| 1,500, and 200 once `rag` is asked, too | met |"
    )
    assert line_of(made, "one edit visible").endswith("| 80 ms at 9,000 chunks | met |")


def test_a_million_has_targets_of_its_own() -> None:
    million = {**grown(1_000_000, bare=11.0, best=21.0), "recall": 0.94}
    million["best"] |= {"mb": 1_100.0, "first": 950.0}
    found = {
        **FOUND,
        "grown": [*FOUND["grown"], million],
        "filtered million": [FOUND["filtered"][0], {**FOUND["filtered"][1], "x": 2.1}],
        "million taken in": [{"chunks": 999_997, "cpu_s": 600.0, "s": 400.0}],
    }
    made = page(found, picture="curves.svg")

    assert line_of(made, "recall@30 of vectors, a million").endswith("| 0.940 | **missed** |")
    assert line_of(made, "memory while asking").endswith("| 1,100 MB | met |")
    assert line_of(made, "open and first query").endswith("| 950 ms | **missed** |")
    assert line_of(made, "filter that keeps 0.01 %, a million").endswith("| 2.10 x | met |")
    assert "999,997 chunks, words and structure" in made
    assert "--million" not in made


def test_what_taking_in_costs_is_listed_by_size() -> None:
    made = page(FOUND, picture="curves.svg")

    assert line_of(made, "900 ").endswith("| 0.6 | 1,500 | 0.7 |")


def test_a_peer_that_did_not_run_is_listed_with_the_reason() -> None:
    assert "| gone | not run |  | no such package |" in page(FOUND, picture="curves.svg")


def test_curves_are_drawn_for_each_measure_and_the_floor_in_grey() -> None:
    tree = fromstring(picture(FOUND))  # noqa: S314 - made just now
    lines = [one for one in tree.iter() if one.tag.endswith("polyline")]

    assert len(lines) == 8
    assert [one.get("stroke") for one in lines].count("#888888") == 1


def test_a_measure_of_nothing_leaves_its_chart_empty() -> None:
    assert "polyline" not in panels({"none": {"a": [(10.0, 0.0)]}}, floor="")


def test_what_both_retrievers_found_comes_first_and_no_more_than_are_shown() -> None:
    assert fused([1, 2, 3], [4, 2])[0] == 2
    assert len(fused(range(30), range(30, 60))) == SHOWN


def test_words_are_lower_case_and_without_signs() -> None:
    assert words("Fetch_one, or NOT?") == ["fetch_one", "or", "not"]


def test_every_peer_has_its_requirements() -> None:
    assert all(wanted_by(name) for name in NAMES)
