"""A folder of very many small files: does memory stay bounded, and does a change stay cheap?

Writes a tree of source files that import and call each other, indexes it without a model, edits
one file and syncs again; the last row is the whole command `trivium search` after an edit. Peak
memory is that of this process and its workers.
Run: python -m benchmarks.scale [--files 200000] [--cache FOLDER]
"""

from __future__ import annotations

import os
import resource
import shutil
import sys
import time
from pathlib import Path

from benchmarks.corpus import environment_for, settings_for
from benchmarks.measure import Row, arguments, child_ms, report
from trivium.collection import Collection

_PER_FOLDER = 100


def text_of(number: int) -> str:
    """Return a file that defines two functions, and calls one of the file before."""
    before = max(0, number - 1)
    return (
        f"from folder{before // _PER_FOLDER}.file{before} import step{before}\n\n"
        f"LIMIT{number} = {number}\n\n\n"
        f"def step{number}(value: int) -> int:\n"
        f'    """Add {number} to a value, word{number % 977} word{number % 131}."""\n'
        f"    return step{before}(value) + LIMIT{number}\n\n\n"
        f"def check{number}(value: int) -> bool:\n"
        f"    return step{number}(value) > 0\n"
    )


def write(folder: Path, files: int) -> None:
    """Write the tree, unless it is there."""
    if (folder / ".whole").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(files):
        place = folder / f"folder{number // _PER_FOLDER}"
        if number % _PER_FOLDER == 0:
            place.mkdir(parents=True)
        (place / f"file{number}.py").write_text(text_of(number), encoding="utf-8")
    (folder / ".whole").write_text("", encoding="utf-8")


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--files", type=int, default=200_000)
    asked = parser.parse_args()
    folder = asked.cache / f"scale-{asked.files}"
    asked.cache.mkdir(parents=True, exist_ok=True)
    write(folder, asked.files)
    home = asked.cache / f"scale-home-{asked.files}"
    shutil.rmtree(home, ignore_errors=True)
    rows: list[Row] = []
    with Collection(folder, settings=settings_for(home)) as collection:
        rows.append(_timed("first sync and link", lambda: collection.sync(yes=True)))
        rows.append(_timed("sync, nothing changed", collection.sync))
        edited = folder / "folder0" / "file7.py"
        edited.write_text(text_of(7) + "\n\ndef added():\n    pass\n", encoding="utf-8")
        one = frozenset({"folder0"})
        rows.append(_timed("one edit, whole folder listed", collection.sync))
        edited.write_text(text_of(7), encoding="utf-8")
        rows.append(_timed("one edit, its folder listed", lambda: collection.sync(folders=one)))
        status = collection.stats()
    edited.write_text(text_of(7) + "\n\ndef added_again():\n    pass\n", encoding="utf-8")
    rows.append(_timed("one edit, trivium search in a new process", lambda: _search(folder, home)))
    edited.write_text(text_of(7), encoding="utf-8")
    report("scale", rows, to=asked.json)
    print(
        f"{status.files:,} files, {status.nodes:,} nodes, {status.edges:,} edges, "
        f"{status.chunks:,} chunks"
    )


def _search(folder: Path, home: Path) -> None:
    command = [str(Path(sys.executable).with_name("trivium")), "search", "added_again", str(folder)]
    child_ms(command, environment=environment_for(home))


def _timed(what: str, act: object) -> Row:
    assert callable(act)
    wall, used = time.perf_counter(), _cpu_s()
    act()
    return {
        "step": what,
        "wall s": time.perf_counter() - wall,
        "CPU s": _cpu_s() - used,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "peak MB of a worker": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }


def _cpu_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main()
