"""How fast the instant model embeds: texts of 1,000 characters, queries, and its loading.

MiniLM (8-bit, one thread) does the same in the same run, on fewer texts. Cold is a table that has
just been loaded; warm the same texts again, whose tokens it then knows. Run: python -m
benchmarks.embedding
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.corpus import write_code, write_prose
from benchmarks.measure import arguments, cpu_ms, high, middle, report, verdict
from trivium.models.base import Embedder
from trivium.models.minilm import minilm
from trivium.models.static import StaticEmbedder

_CHARACTERS = 1000
_WORDS_ASKED = 6
_TURNS = 5
# What the issue of the model asks for.
_LEAST_TEXTS, _MOST_QUERY_US, _MOST_LOAD_MS = 3000, 100, 150
Rows = list[dict[str, str | int | float]]


def main() -> None:
    """Measure both models by turns, so that a busy spell falls on both, and report."""
    parser = arguments(__doc__ or "", chunks=4_000)
    parser.add_argument("--slow", type=int, default=100, help="texts and queries for MiniLM")
    asked = parser.parse_args()
    asked.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=asked.cache) as name:
        texts = list(_texts(Path(name), asked.chunks))
    models: dict[str, tuple[Callable[[], Embedder], int]] = {
        "static": (StaticEmbedder, len(texts)),
        "minilm": (partial(minilm, threads=1), min(asked.slow, len(texts))),
    }
    # The libraries are imported once, outside of what is timed.
    for make, _ in models.values():
        make().embed_query("warm")
    taken: dict[str, list[dict[str, float]]] = {name: [] for name in models}
    for turn in range(_TURNS):
        for name, (make, count) in models.items():
            taken[name].append(_measured(make, _part(texts, count, turn)))
    report("Embedding texts of 1,000 characters, one core", _rows(taken), to=asked.json)


def _texts(folder: Path, count: int) -> Iterator[str]:
    """Yield texts of equal length, one of code and one of prose by turns."""
    parts = []
    for kind, write in (("code", write_code), ("prose", write_prose)):
        write(folder / kind, chunks=3 * count)
        files = sorted(path for path in (folder / kind).rglob("*.*") if path.is_file())
        whole = "\n".join(path.read_text(encoding="utf-8") for path in files)
        starts = range(0, len(whole) - _CHARACTERS, _CHARACTERS)
        parts.append([whole[start : start + _CHARACTERS] for start in starts][: count // 2])
    for code, prose in zip(*parts, strict=False):
        yield code
        yield prose


def _part(texts: Sequence[str], count: int, turn: int) -> Sequence[str]:
    """Return `count` texts, other ones each turn where there are enough."""
    start = turn * count % max(1, len(texts) - count + 1)
    return texts[start : start + count]


def _measured(make: Callable[[], Embedder], texts: Sequence[str]) -> dict[str, float]:
    """Load the model, embed texts twice and queries once; return texts a second and times."""
    embedder = make()
    queries = [" ".join(text.split()[:_WORDS_ASKED]) for text in texts]
    load = cpu_ms(lambda: embedder.embed_query("load"))
    cold = cpu_ms(lambda: embedder.embed_documents(texts))
    warm = cpu_ms(lambda: embedder.embed_documents(texts))
    asked = [cpu_ms(partial(embedder.embed_query, query)) for query in queries]
    return {
        "load": load,
        "cold": 1000 * len(texts) / cold,
        "warm": 1000 * len(texts) / warm,
        "query": 1000 * middle(asked),
        "query, 95 %": 1000 * high(asked),
    }


def _rows(taken: dict[str, list[dict[str, float]]]) -> Rows:
    """Return one row for each thing measured, with the ratio of the two models."""

    def of(model: str, name: str) -> float:
        return middle([turn[name] for turn in taken[model]])

    rows: Rows = []
    for label, name, least, most in (
        ("texts per CPU-s, cold", "cold", _LEAST_TEXTS, None),
        ("texts per CPU-s, warm", "warm", None, None),
        ("query, CPU microseconds", "query", None, _MOST_QUERY_US),
        ("query, 95 %", "query, 95 %", None, None),
        ("load, CPU ms", "load", None, _MOST_LOAD_MS),
    ):
        fast, slow = of("static", name), of("minilm", name)
        is_target = least is not None or most is not None
        spread = [turn[name] for turn in taken["static"]]
        rows.append(
            {
                "what": label,
                "static": round(fast, 1),
                "least": round(min(spread), 1),
                "most": round(max(spread), 1),
                "minilm": round(slow, 1),
                "ratio": round(max(fast, slow) / min(fast, slow), 1),
                "target": f">= {least:,}" if least else f"<= {most:g}" if most else "",
                "": verdict(fast, least=least, most=most) if is_target else "",
            }
        )
    return rows


if __name__ == "__main__":
    main()
