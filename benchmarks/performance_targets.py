"""What `benchmarks.performance` measured -> each target with its figure, met or missed. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.measure import verdict

MILLION = 1_000_000
# CPU ms by the number of chunks that was asked for.
_BARE = {10_000: 1.5, 100_000: 5.0, MILLION: 12.0}
_BEST = {10_000: 4.0, 100_000: 8.0, MILLION: 20.0}
_MOST_RATIO, _MOST_EDIT_MS, _MOST_DISK, _LEAST_RATE = 1.3, 100, 1600, 1200
_MOST_FILTERED, _MOST_FILTERED_MILLION = 1.5, 2.2
_MOST_MB, _MOST_FIRST_MS, _LEAST_RECALL = 1200, 900, 0.95
_LEAST_TIMES, _TIMES_OF_MOST = 3, 10
_MOST_QUERY_MS = {"static": 0.1, "minilm": 2.5, "again": 0.05}
_QUERY_NAMES = {"static": "static", "minilm": "MiniLM", "again": "one asked before"}
_LEAST_OF_BARE = 0.9
_INDEXED = 10_000
_LARGE = 100_000
_TAKEN = "index: words, structure, static vectors"

Line = dict[str, str]


def targets(found: Mapping[str, Any]) -> list[Line]:
    """Return a line for each target."""
    return [
        *(line for one in found["grown"] for line in _of_queries(one)),
        *_of_a_million(found["grown"][-1]),
        *(_of_disk(one) for one in found["grown"] if one["size"] >= _LARGE),
        *_of_filters(found),
        *_of_models(found["models"]),
        *_of_taking_in(found),
        *_of_peers(found),
    ]


def _line(what: str, target: str, measured: str, *said: str) -> Line:
    """Return a target; one of two parts may be met in part."""
    met = set(said)
    whole = next(iter(met)) if len(met) == 1 else "in part"
    return {
        "target": f"{what}: {target}",
        "measured": measured,
        "": whole if whole == "met" else f"**{whole}**",
    }


def _of_queries(one: Mapping[str, Any]) -> Iterator[Line]:
    size, bare, best, ratio = one["size"], one["rag ranked"], one["best"], one["ratio"]
    if size not in _BARE:
        return
    most = _BARE[size]
    yield _line(
        f"ids alone, {size:,} chunks",
        f"at most {most:g} ms and {_MOST_RATIO} x raw",
        f"{bare['p50']:.2f} ms, {ratio:.2f} x raw",
        verdict(bare["p50"], most=most),
        verdict(ratio, most=_MOST_RATIO),
    )
    most = _BEST[size]
    measured = f"{best['p50']:.2f} ms"
    said = verdict(best["p50"], most=most)
    yield _line(f"`best` in full, {size:,}", f"{most:g} ms", measured, said)


def _of_a_million(last: Mapping[str, Any]) -> Iterator[Line]:
    if last["size"] < MILLION:
        return
    recall, memory, first = last["recall"], last["best"]["mb"], last["best"]["first"]
    yield _line(
        "recall@30 of vectors, a million",
        f"{_LEAST_RECALL}",
        f"{recall:.3f}",
        verdict(recall, least=_LEAST_RECALL),
    )
    yield _line(
        "memory while asking `best`, a million",
        f"{_MOST_MB:,} MB",
        f"{memory:,.0f} MB",
        verdict(memory, most=_MOST_MB),
    )
    yield _line(
        "open and first query, `best`, a million",
        f"{_MOST_FIRST_MS} ms",
        f"{first:.0f} ms",
        verdict(first, most=_MOST_FIRST_MS),
    )


def _of_disk(one: Mapping[str, Any]) -> Line:
    beyond = one["beyond"]
    return _line(
        f"disk beyond the text, one int8 space, {one['size']:,}",
        f"{_MOST_DISK:,} bytes per chunk",
        f"{beyond:,.0f}, and {one['second']:,.0f} once `rag` is asked, too",
        verdict(beyond, most=_MOST_DISK),
    )


def _of_filters(found: Mapping[str, Any]) -> Iterator[Line]:
    for where, most, rows in (
        ("", _MOST_FILTERED, found["filtered"]),
        (", a million", _MOST_FILTERED_MILLION, found["filtered million"]),
    ):
        for row in rows[1:]:
            yield _line(
                f"filter that keeps {100 * row['share']:.2g} %{where}",
                f"{most} x unfiltered",
                f"{row['x']:.2f} x",
                verdict(row["x"], most=most),
            )


def _of_models(models: Mapping[str, float]) -> Iterator[Line]:
    for name, most in _MOST_QUERY_MS.items():
        took = models[name]
        said = verdict(took, most=most)
        yield _line(
            f"a query's vector, {_QUERY_NAMES[name]}", f"{most:g} ms", f"{took:.3f} ms", said
        )
    share = models["texts"] / models["bare"]
    yield _line(
        "MiniLM, texts",
        "within 10 % of ONNX Runtime alone",
        f"{models['texts']:.1f} texts per CPU-second, {100 * share:.0f} %",
        verdict(share, least=_LEAST_OF_BARE),
    )


def _of_taking_in(found: Mapping[str, Any]) -> Iterator[Line]:
    taken = min(found["taken in"], key=lambda one: abs(one["chunks"] - _INDEXED))
    rate = taken["chunks"] / taken["cpu_s"]
    yield _line(
        _TAKEN,
        f"{_LEAST_RATE:,} chunks per CPU-second",
        f"{rate:,.0f} at {taken['chunks']:,} chunks",
        verdict(rate, least=_LEAST_RATE),
    )
    if found["repositories"]:
        times = found["repositories"][-1]["x its CPU"]
        goal = "no more than semble 0.7 without its model"
        yield _line(_TAKEN, goal, f"{times:g} x its CPU", verdict(times, most=1.0))
    edit = found["edit"]
    measured = f"{edit['ms']:.0f} ms at {edit['chunks']:,} chunks"
    said = verdict(edit["ms"], most=_MOST_EDIT_MS)
    yield _line("one edit visible", f"{_MOST_EDIT_MS} ms", measured, said)


def _of_peers(found: Mapping[str, Any]) -> Iterator[Line]:
    times = sorted(one["x ours"] for one in found["peers"] if "x ours" in one)
    if not times:
        return
    best, usual = times[0], times[len(times) // 2]
    yield _line(
        "hybrid query beside peers",
        "3 x faster than the best, 10 x than most",
        f"best {best:g} x, middle {usual:g} x",
        verdict(best, least=_LEAST_TIMES),
        verdict(usual, least=_TIMES_OF_MOST),
    )
