"""Folders taken in by Trivium beside semble: processor time and the clock, from nothing.

Trivium makes words, structure and instant vectors and keeps them so that kill -9 loses nothing.
semble 0.7 cuts files and indexes words; its model, which a hub would have to send, is left out
and costs nothing. By turns, each in a process of its own, imports not counted.
Run: python -m benchmarks.repositories FOLDER...
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.corpus import environment_for, settings_for
from benchmarks.measure import Row, arguments, cpu_ms, middle, report
from benchmarks.peers.beside import environment, path_of_modules
from trivium.collection import Collection

_ROUNDS = 3
_PATIENCE_S = 600
_MODEL = "static"


def main() -> None:
    """Measure and report, or be the process that takes a folder in."""
    parser = arguments(__doc__ or "")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--into", type=Path, help="take the folder in, and print what it took")
    asked = parser.parse_args()
    if asked.into is not None:
        print(json.dumps(taken_in(asked.folders[0], asked.into)))
        return
    peer = environment("semble_words", asked.cache.resolve() / "peers", patience_s=_PATIENCE_S)
    rows = [_row(folder, peer, rounds=asked.rounds) for folder in asked.folders]
    report("Folders taken in, CPU seconds", [*rows, _whole(rows)], to=asked.json)


def _row(folder: Path, peer: Path, *, rounds: int) -> dict[str, str | int | float]:
    ours = [sys.executable, "-m", "benchmarks.repositories", str(folder), "--into"]
    theirs = [str(peer), "-m", "benchmarks.peers.semble_words", str(folder)]
    taken: dict[str, list[Any]] = {"ours": [], "semble": []}
    for _ in range(rounds):
        for name, command in (("ours", ours), ("semble", theirs)):
            taken[name].append(_asked(command))
    spent = {name: middle([one["cpu_s"] for one in every]) for name, every in taken.items()}
    clock = {name: middle([one["s"] for one in every]) for name, every in taken.items()}
    chunks = taken["ours"][0]["chunks"]
    return {
        "folder": folder.resolve().name,
        "files": taken["ours"][0]["files"],
        "chunks": chunks,
        "CPU s": round(spent["ours"], 2),
        "chunks per CPU-s": round(chunks / spent["ours"]),
        "clock s": round(clock["ours"], 2),
        "semble: files": taken["semble"][0]["files"],
        "its chunks": taken["semble"][0]["chunks"],
        "its CPU s": round(spent["semble"], 2),
        "its clock s": round(clock["semble"], 2),
        "x its CPU": round(spent["ours"] / spent["semble"], 2),
    }


def _whole(rows: list[dict[str, str | int | float]]) -> Row:
    """Return the sums, and the ratio of them."""
    counted = [key for key in rows[0] if key not in {"folder", "chunks per CPU-s", "x its CPU"}]
    sums = {key: round(sum(row[key] for row in rows), 2) for key in counted}  # type: ignore[misc]
    return {
        "folder": "all",
        **sums,
        "chunks per CPU-s": round(sums["chunks"] / sums["CPU s"]),
        "x its CPU": round(sums["CPU s"] / sums["its CPU s"], 2),
    }


def _asked(command: list[str]) -> Any:  # noqa: ANN401 - JSON
    with tempfile.TemporaryDirectory(prefix="trivium-repositories-") as folder:
        done = subprocess.run(
            [*command, folder],
            capture_output=True,
            text=True,
            check=True,
            env={**environment_for(Path(folder)), "PYTHONPATH": path_of_modules()},
            timeout=_PATIENCE_S,
        )
    return json.loads(done.stdout.splitlines()[-1])


def taken_in(root: Path, home: Path) -> dict[str, float]:
    """Take a folder in from nothing, vectors of the instant model included."""
    counted: dict[str, int] = {}

    def act() -> None:
        with Collection(root, settings=settings_for(home, model=_MODEL)) as collection:
            collection.sync(yes=True)
            collection.embed()
            contents = collection.stats()
            counted.update(files=contents.files, chunks=contents.chunks)

    clock = time.perf_counter()
    cpu_s = cpu_ms(act) / 1000
    return {"cpu_s": cpu_s, "s": time.perf_counter() - clock, **counted}


if __name__ == "__main__":
    main()
