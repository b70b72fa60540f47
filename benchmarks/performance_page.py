"""What `benchmarks.performance` measured -> docs/performance.md and its picture. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.curves import panels
from benchmarks.performance_targets import MILLION, targets

_FLOOR = "floor"
_HEAD = """# Performance

Written by `make performance`: the peers are of `python -m benchmarks.peers`, all else is of one run
of `python -m benchmarks.performance`. {machine}.
Processor time of the process with all its threads: other work on the machine changes it less than
the clock, and still slows memory and caches. **Compare within the run**: at its end {load:.0f}
processes were waiting for {cores} cores, and in it ONNX Runtime alone embedded {bare:.0f} texts per
CPU-second (48 in the fastest run so far): other guests slow this machine, too. What the corpora
are, and what else is measured:
[benchmarks](benchmarks.md).

"Ids alone" is a `rag` query up to its fused ranking: the snapshot, both retrievers, fusion. Raw is
Tantivy alone and one int8 scan alone; of a million, the lists alone. In full a query also fetches
texts, marks words, counts facets, says how sure it is and what else to ask. The query's vector is
at hand.
"""
_NO_MILLION = """A million chunks (`--million`) are no part of this run. Of vectors alone, in lists,
`python -m benchmarks.vast` says what they take ([benchmarks](benchmarks.md))."""
_FILTERS = "`rag` in full, a filter looked up before, CPU ms: at {chunks} chunks."
_TAKING_IN = """From nothing: words, structure and vectors of the instant model, kept so that
kill -9 loses nothing. Workers are counted."""
_MILLION_TAKEN_IN = """{chunks:,} chunks, words and structure, no vectors (these are made up and
put in afterwards): {cpu_s:,.0f} CPU seconds, {s:,.0f} by the clock, when the corpus was made."""
_REPOSITORIES = """`python -m benchmarks.repositories`: whole repositories beside semble 0.7, by
turns. Its model, which a hub would have to send, is left out and costs nothing; it cuts files,
indexes words and saves both. It makes no graph, masks no secrets and has no vectors here."""
_PEERS = """`python -m benchmarks.peers`: the same texts and vectors, an index built as each
library's guide says, top 30 of words and of vectors fused by rank, ten texts fetched; building in
one process, asking in another. "x ours" is against the first line, which does the same. What
could not be installed or took too long says so."""
_WHY = """Why targets are missed: at {chunks:,} chunks, where a search itself takes {raw:.2f} ms,
ids alone take {bare:.2f} and `best` {best:.2f}. That is Python around the retrievers; it hardly
grows with the index, and is most of a query up to 10,000 chunks. At 100,000 the pass over the
vectors is most of ids alone. What `best` takes beyond `rag` in `retrieve` are scores of what only
one retriever found and signs of files and pages. On disk the record of nodes and edges is the
largest part ([size](benchmarks.md)); from 200,000 vectors on these stand twice, in the store and in
lists, and that is what a million takes more.

Taking in costs several times what semble does without its model. In a profile of aiohttp half of
it is reading code: grammars and their queries take two fifths of that, and what they found becomes
nodes and references in Python. The rest is vectors, words, links and SQLite, about alike, and
flat. The nearest peers of a query, LanceDB and txtai, look at a part of the vectors; here every one
is compared up to 200,000, which is most of ids alone."""
_GROWTH = """![Query time, memory, disk and first query by the number of chunks]({picture})

The floor is what one pass over the int8 vectors takes at {bandwidth:.1f} GB/s, which one core read
in this run (numpy, 256 MB). From 200,000 vectors on [lists](index-format.md#vectors) are looked
at in place of all. First: an index opened in a process of its own and one query, by the clock."""
_THREADS = """`rag` in full on {cores:.0f} cores: one thread {of_1_rate:.0f} queries a second and
{of_1_cpu:.1f} CPU ms each, eight threads {of_8_rate:.0f} and {of_8_cpu:.1f}. Queries a second are
by the clock, so on a busy machine they say how much of it was left. Tantivy, the scan and SQLite
let other threads run; what is Python does not."""
_STAGES = """Mean CPU ms of the stages of a query in full at the same size, as `trivium.stages`
names them; `open` is the snapshot. `retrieve` is both retrievers, fusion and signs of files; `page`
is fetching, snippets and confidence; `facets` has what follows it: suggestions and the answer."""


def page(found: Mapping[str, Any], *, picture: str) -> str:
    """Return the page."""
    head = _HEAD.format(
        machine=found["machine"],
        load=found["load"],
        cores=found["cores"],
        bare=found["models"]["bare"],
    )
    parts = [head, "## Targets", _table(targets(found))]
    if found["grown"][-1]["size"] < MILLION:
        parts.append(_NO_MILLION)
    parts += ["## Growth", _growth_words(found, picture), _table(_growth(found["grown"]))]
    parts += ["## Filters", *_filters_at(found)]
    parts += ["## Taking in", _TAKING_IN, _table(_taking_in(found["taken in"]))]
    parts += [_MILLION_TAKEN_IN.format(**one) for one in found["million taken in"]]
    if found["repositories"]:
        parts += [_REPOSITORIES, _table(found["repositories"])]
    if found["peers"]:
        parts += ["## Peers", _PEERS, _table(found["peers"])]
    parts += ["## Threads", _threads(found["threads"])]
    parts += ["## Where the time goes", _STAGES, _table(_stages(found["stages"])), _why(found)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _filters_at(found: Mapping[str, Any]) -> list[str]:
    """Return a table for each size that filters were tried at."""
    below = [one for one in found["grown"] if one["size"] < MILLION]
    parts = [
        _FILTERS.format(chunks=f"{below[-1]['chunks']:,}"),
        _table(_filters(found["filtered"])),
    ]
    if found["filtered million"]:
        chunks = f"{found['grown'][-1]['chunks']:,}"
        parts += [f"At {chunks}:", _table(_filters(found["filtered million"]))]
    return parts


def _growth_words(found: Mapping[str, Any], picture: str) -> str:
    return _GROWTH.format(picture=picture, bandwidth=found["bandwidth"])


def _growth(grown: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "chunks": f"{one['chunks']:,}",
            "floor": f"{one['floor']:.2f}",
            "raw p50": f"{one['raw']:.2f}",
            "ids alone p50 / p95": _pair(one["rag ranked"]),
            "`rag` p50 / p95": _pair(one["rag"]),
            "`best` p50 / p95": _pair(one["best"]),
            "MB, `best`": f"{one['best']['mb']:.0f}",
            "bytes per chunk": f"{one['disk']:,.0f}",
            "first, ms": f"{one['rag']['first']:.0f}",
        }
        for one in grown
    ]


def _taking_in(rows: Sequence[Mapping[str, float]]) -> list[dict[str, Any]]:
    return [
        {
            "chunks": f"{one['chunks']:,.0f}",
            "CPU s": f"{one['cpu_s']:.1f}",
            "chunks per CPU-second": f"{one['chunks'] / one['cpu_s']:,.0f}",
            "clock s": f"{one['s']:.1f}",
        }
        for one in rows
    ]


def _pair(one: Mapping[str, float]) -> str:
    return f"{one['p50']:.2f} / {one['p95']:.2f}"


def _filters(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "kept": one["kept"],
            "share": f"{100 * one['share']:.3g} %",
            "p50": f"{one['p50']:.2f}",
            "x unfiltered": f"{one['x']:.2f}",
        }
        for one in rows
    ]


def _threads(made: Mapping[str, float]) -> str:
    return _THREADS.format(**{key.replace(" ", "_"): value for key, value in made.items()})


def _why(found: Mapping[str, Any]) -> str:
    first = found["grown"][0]
    bare, best = first["rag ranked"]["p50"], first["best"]["p50"]
    return _WHY.format(chunks=first["chunks"], raw=first["raw"], bare=bare, best=best)


def _stages(stages: Mapping[str, Mapping[str, float]]) -> list[dict[str, Any]]:
    names = list(dict.fromkeys(stage for one in stages.values() for stage in one))
    return [
        {
            "stage": stage,
            **{f"`{name}`": f"{one.get(stage, 0):.2f}" for name, one in stages.items()},
        }
        for stage in names
    ]


def picture(found: Mapping[str, Any]) -> str:
    """Return the curves."""
    every = [(float(one["chunks"]), one) for one in found["grown"]]
    taken = [(float(one["chunks"]), one["cpu_s"]) for one in found["taken in"]]

    def line(of: str, key: str) -> list[tuple[float, float]]:
        return [(count, one[of][key]) for count, one in every]

    return panels(
        {
            "CPU ms of a query, p50": {
                "best": line("best", "p50"),
                "rag": line("rag", "p50"),
                "ids alone": line("rag ranked", "p50"),
                _FLOOR: [(count, one["floor"]) for count, one in every],
            },
            "memory while asking, MB": {"best": line("best", "mb")},
            "disk, MB": {"index": [(count, count * one["disk"] / 1e6) for count, one in every]},
            "open and first query, ms": {"rag": line("rag", "first")},
            "index from nothing, CPU s": {"static vectors": taken},
        },
        floor=_FLOOR,
    )


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [columns, ["---"] * len(columns)]
    lines += [[str(row.get(key, "")) for key in columns] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
