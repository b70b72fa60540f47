"""How many bytes an index takes on disk for each chunk, beside the text itself.

Run: python -m benchmarks.size
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from benchmarks.corpus import prepare
from benchmarks.measure import arguments, report


def main() -> None:
    """Measure and report."""
    asked = arguments(__doc__ or "", chunks=100_000).parse_args()
    corpus = prepare(asked.cache, chunks=asked.chunks)
    raw = _under(corpus.root)
    texts, vectors, store = _store(corpus.store / "store.db")
    parts = {
        "the files themselves": raw,
        "SQLite: record (nodes, edges, chunks)": _under(corpus.index, "collection.db"),
        "SQLite: texts": texts,
        "SQLite: keys, free pages, log": store - texts - vectors,
        "vectors": vectors + _under(corpus.index / "vectors"),
    }
    for view in sorted((corpus.index / "text").iterdir()):
        parts[f"Tantivy: view {view.name.rpartition('-')[0]}"] = _under(view)
    rows: list[dict[str, str | int | float]] = [
        _row(name, parts[name], corpus.chunks, raw) for name in parts
    ]
    whole = sum(size for name, size in parts.items() if name != "the files themselves")
    rows.append(_row("whole index", whole, corpus.chunks, raw))
    without = whole - parts["vectors"]
    rows.append(_row("whole index without vectors", without, corpus.chunks, raw))
    report(f"Size, {corpus.chunks:,} chunks", rows, to=asked.json)


def _row(name: str, size: int, chunks: int, raw: int) -> dict[str, str | int | float]:
    return {
        "part": name,
        "MB": round(size / 1e6, 1),
        "bytes per chunk": round(size / chunks),
        "x files": round(size / raw, 2),
    }


def _under(folder: Path, start: str = "") -> int:
    return sum(
        path.stat().st_size
        for path in folder.rglob(f"{start}*")
        if path.is_file() and not path.is_symlink()
    )


def _store(path: Path) -> tuple[int, int, int]:
    """Return the bytes of texts, of vectors, and of the files that hold both."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    texts = connection.execute("SELECT sum(length(CAST(text AS BLOB))) FROM texts").fetchone()[0]
    connection.close()
    return int(texts), _under(path.parent / "vectors"), _under(path.parent)


if __name__ == "__main__":
    main()
