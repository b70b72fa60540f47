"""A hybrid query beside other libraries, each with the same texts and the same vectors.

Makes a virtual environment for each under the cache folder, once; what cannot be installed, or
takes longer than --patience, is reported as not run. Run: python -m benchmarks.peers [--chunks N]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpus import Prepared, prepare, queries
from benchmarks.measure import Row, arguments, high, middle, report
from benchmarks.query import embedder_for, space_of
from trivium.models.minilm import minilm
from trivium.query.parse import parse

_QUERIES = 100
_HERE = Path(__file__).parent
OURS = {
    "rag texts": "Trivium, `rag`, ten texts",
    "rag": "Trivium, `rag` in full",
    "best": "Trivium, `best` in full",
}
NAMES = {
    "bm25s_numpy": "bm25s + numpy",
    "fts5_vec": "SQLite FTS5 + sqlite-vec",
    "qdrant_local": "qdrant-client, local mode",
    "lance": "LanceDB",
    "chroma": "chromadb (vectors alone)",
    "txt_ai": "txtai",
}


# What ranks by vectors alone is no peer of a hybrid query, and is listed beside them.
_NO_WORDS = frozenset({"chroma"})


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "", chunks=100_000)
    parser.add_argument("--only", nargs="*", choices=list(NAMES), default=list(NAMES))
    parser.add_argument("--patience", type=float, default=1800, help="seconds for each step")
    asked = parser.parse_args()
    title = f"Hybrid queries, {asked.chunks:,} chunks, {_QUERIES} queries"
    rows: list[Row] = []
    for row in measured(asked):
        # What is measured is kept, whatever becomes of the next.
        rows.append(row)
        report(title, rows, to=asked.json)


def measured(asked: argparse.Namespace) -> Iterator[Row]:
    """Yield a row for each way to ask Trivium and for each peer, as they are measured."""
    corpus = prepare(asked.cache, chunks=asked.chunks)
    texts = queries(corpus, count=_QUERIES)
    place = asked.cache.resolve() / "peers"
    data = place / f"data-{asked.chunks}"
    if not (data / "asked.npy").exists():
        _export(corpus, texts, data)
    ours = [_ours(what, texts, corpus, asked) for what in OURS]
    yield from ours
    fastest = float(ours[0]["CPU ms"])
    for name in asked.only:
        try:
            yield _peer(name, place, data, patience_s=asked.patience, ours=fastest)
        except (subprocess.SubprocessError, OSError, ValueError) as error:
            yield {"what": NAMES[name], "CPU ms": "not run", "note": _why(error)}


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        step = next((one for one in ("build", "ask") if one in error.cmd), "install")
        return f"{step} took longer than {error.timeout:.0f} s"
    said = getattr(error, "stderr", "") or str(error)
    return (said.strip().splitlines() or [type(error).__name__])[-1][:120]


def _export(corpus: Prepared, texts: Sequence[str], data: Path) -> None:
    """Write the texts and the vectors of all chunks that have both."""
    import numpy as np

    data.mkdir(parents=True, exist_ok=True)
    backend = corpus.backend()
    loaded = space_of(backend, minilm().model_id).load()
    assert loaded is not None
    rows = loaded[1]
    with backend.snapshot() as snapshot:
        every = {number: chunk.text for number, _, chunk, _ in snapshot.stream("1", ())}
    kept = [at for at, number in enumerate(rows.numbers.tolist()) if every.get(number)]
    vectors = rows.matrix[kept].astype(np.float32) * rows.scales[kept][:, np.newaxis]
    np.save(data / "vectors.npy", vectors)
    given = {"texts": [every[int(rows.numbers[at])] for at in kept], "queries": texts}
    (data / "texts.json").write_text(json.dumps(given), encoding="utf-8")
    made = embedder_for(texts).made
    np.save(data / "asked.npy", np.stack([made[parse(text).meaning] for text in texts]))


def _ours(
    what: str, texts: Sequence[str], corpus: Prepared, asked: argparse.Namespace
) -> dict[str, str | int | float]:
    command = [sys.executable, "-m", "benchmarks.peers.ours", what]
    command += [str(asked.cache), str(asked.chunks)]
    found = _answer(command, patience_s=asked.patience, given=json.dumps(texts))
    row = _row(OURS[what], found)
    return {**row, "disk MB": round(_size_mb(corpus.home))}


def _peer(
    name: str, place: Path, data: Path, *, patience_s: float, ours: float
) -> dict[str, str | int | float]:
    """Build a peer's index in one process and ask it in another."""
    python = environment(name, place, patience_s=patience_s)
    folder = place / f"{name}-{data.name}"
    shutil.rmtree(folder, ignore_errors=True)
    command = [str(python), "-m", f"benchmarks.peers.{name}"]
    built = _answer([*command, "build", str(data), str(folder)], patience_s=patience_s)
    found = _answer([*command, "ask", str(data), str(folder)], patience_s=patience_s)
    row = _row(NAMES[name], found)
    if name not in _NO_WORDS:
        row["x ours"] = round(float(row["CPU ms"]) / ours, 1)
    row["index CPU s"] = round(built["cpu_s"], 1)
    row["disk MB"] = round(_size_mb(folder))
    shutil.rmtree(folder, ignore_errors=True)
    return row


def _row(what: str, found: Any) -> dict[str, str | int | float]:  # noqa: ANN401 - JSON
    return {
        "what": what,
        "CPU ms": round(middle(found["cpu_ms"]), 2),
        "p95": round(high(found["cpu_ms"]), 2),
        "clock ms": round(middle(found["ms"]), 2),
        "RSS MB": round(found["rss_mb"]),
        "open + first s": round(found["first_s"], 2),
    }


def _answer(command: Sequence[str], *, patience_s: float, given: str = "") -> Any:  # noqa: ANN401 - JSON
    # A peer finds these modules by the path, and nothing of ours is installed beside it.
    env = {
        **os.environ,  # noqa: TID251
        "PYTHONPATH": path_of_modules(),
        "TOKENIZERS_PARALLELISM": "false",
        # txtai is given a function of ours in place of a model.
        "ALLOW_RESOLVE_TRANSFORM": "True",
    }
    done = subprocess.run(
        command,
        input=given,
        capture_output=True,
        text=True,
        check=True,
        env=env,
        timeout=patience_s,
    )
    return json.loads(done.stdout.splitlines()[-1])


def path_of_modules() -> str:
    """Return where a process of another environment finds these modules."""
    root = _HERE.parent.parent
    return os.pathsep.join([str(root / "src"), str(root)])


def wanted_by(name: str) -> str:
    """Return what is installed in a peer's environment."""
    lines = (_HERE / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if not line.startswith("#"))[name]


def environment(name: str, place: Path, *, patience_s: float) -> Path:
    """Return the Python of a peer's environment, made now if it is not there."""
    wanted = wanted_by(name)
    folder = place / f"env-{name}"
    python, note = folder / "bin" / "python", folder / "installed.txt"
    if not note.exists() or note.read_text(encoding="utf-8") != wanted:
        venv.create(folder, with_pip=True)
        command = [str(python), "-m", "pip", "install", "-q", "--no-input", *wanted.split()]
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=patience_s)
        note.write_text(wanted, encoding="utf-8")
    return python


def _size_mb(folder: Path) -> float:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) / 1e6
