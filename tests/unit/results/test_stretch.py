"""What may be shown of a chunk: more than was found, but never of another part of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium import config
from trivium.backends.reference.store import ReferenceBackend
from trivium.collection import open_collection
from trivium.results.stretch import Stretch, stretches
from trivium.testing.filling import write_texts
from trivium.testing.folders import write_files
from trivium.types import ChunkId, Hit

LONG = " ".join(f"Sentence {number} goes on for a while." for number in range(70))


def stretch_of(texts: dict[str, str], chunk: str) -> Stretch:
    backend = ReferenceBackend()
    write_texts(backend, texts)
    with backend.snapshot() as snapshot:
        (made,) = stretches(snapshot, snapshot.fetch([ChunkId(chunk)])).values()
    return made


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_chunk_comes_with_what_stands_around_it(number: int) -> None:
    stretch = stretch_of({"a.md": f"# A\n\n{LONG}\n\n# B\n\nOther text.\n"}, f"doc:a.md#A@{number}")

    assert stretch.text in f"# A\n\n{LONG}\n\n"
    assert len(stretch.text) > len(stretch.own)
    assert stretch.is_cut_before == (number > 0)
    assert stretch.is_cut_behind == (number < 2)
    assert stretch.first_line == (1 if number == 0 else 3)


def test_a_node_of_one_chunk_is_all_there_is() -> None:
    stretch = stretch_of({"a.md": "# A\n\nText.\n\n# B\n\nOther.\n"}, "doc:a.md#A@0")

    assert stretch.text == stretch.own == "# A\n\nText.\n\n"
    assert not stretch.is_cut_before
    assert not stretch.is_cut_behind


def hits_of(place: Path, files: dict[str, str], query: str) -> list[Hit]:
    write_files(place / "files", files)
    environ = {"TRIVIUM_HOME": str(place / "home"), "TRIVIUM_CONFIG": str(place / "none")}
    with open_collection(place / "files", settings=config.load(environ=environ)) as collection:
        collection.sync()
        return list(collection.search(query, group="node").results)


MODULE = '''"""Weighs parcels before they are sent."""

import sys


def main() -> None:
    """Print it."""
    sys.stdout.write("done")


if __name__ == "__main__":
    main()
'''


@pytest.mark.parametrize("query", ["scales for letters and boxes", "weigh.py", "parcels main"])
def test_a_module_is_not_shown_by_how_it_is_started(tmp_path: Path, query: str) -> None:
    hits = hits_of(tmp_path, {"weigh.py": MODULE}, query)
    (module,) = [hit for hit in hits if hit.id == "code:weigh.py"]

    assert module.snippet.startswith('"""Weighs parcels')
    assert module.start_line == 1


def test_a_line_that_is_asked_for_is_shown_however_short_it_stands(tmp_path: Path) -> None:
    files = {"a.py": MODULE.replace("    main()", "    frobnicate()")}
    (module,) = [hit for hit in hits_of(tmp_path, files, "frobnicate") if hit.id == "code:a.py"]

    assert "frobnicate()" in module.snippet


def test_data_is_shown_in_whole_lines_wherever_chunks_are_cut(tmp_path: Path) -> None:
    lines = [f'key_{number} = "value {number} of some length"' for number in range(120)]
    hits = hits_of(tmp_path, {"a.ini": "\n".join(lines)}, "key_60 value 60 of some length")

    shown = [line for hit in hits for line in hit.snippet.split("\n")]
    assert shown
    assert set(shown) <= set(lines)
