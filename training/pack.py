"""Float arrays <-> a file of five to six bits a number, small enough to carry.

Each row of a matrix is cut into steps of a tenth of its standard deviation, one byte a number;
lzma then finds that most bytes are small. What is lost is 3 % of a number's usual size.
Also turns a table that was carried this way into a model file.

    python -m training.pack OUT.bin CARRIED.xz
    python -m training.pack DIRECTORY/packed.xz TEACHER_DIRECTORY
"""

from __future__ import annotations

import argparse
import io
import lzma
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

_STEP = 0.1
_LARGEST = 127
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 1, "lc": 0, "lp": 0, "pb": 0}]


def write(
    path: Path,
    arrays: dict[str, NDArray[np.float32]],
    *,
    steps: Mapping[str, float] = MappingProxyType({}),
) -> None:
    """Write matrices in steps; single rows and texts stay as they are."""
    stored: dict[str, NDArray[np.generic]] = {}
    for name, values in arrays.items():
        if values.ndim < 2:
            stored[name] = values
            continue
        # A number far out would be cut off: then the steps are larger.
        far = np.abs(values).max(axis=1) / _LARGEST
        usual = values.std(axis=1) * steps.get(name, _STEP)
        sizes = np.maximum(usual, np.maximum(far, 1e-12)).astype(np.float32)
        stored[f"{name}|steps"] = sizes
        stored[f"{name}|rows"] = np.rint(values / sizes[:, None]).astype(np.int8)
    data = io.BytesIO()
    np.savez(data, **stored)  # type: ignore[arg-type]  # names are ours
    path.write_bytes(lzma.compress(data.getvalue(), format=lzma.FORMAT_XZ, filters=_FILTERS))


def read(path: Path) -> dict[str, NDArray[np.float32]]:
    """Return what was written, matrices rounded to their steps."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes())), allow_pickle=False) as found:
        made: dict[str, NDArray[np.float32]] = {}
        for name in found.files:
            base, _, part = name.partition("|")
            if part == "rows":
                made[base] = found[name] * found[f"{base}|steps"][:, None]
            elif not part:
                made[base] = found[name]
        return made


def main() -> None:
    """Pack a teacher's folder, or unpack a carried table."""
    from training import teacher
    from trivium.models.static_table import plain_table, write_table

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("source", type=Path)
    asked = parser.parse_args()
    if asked.source.is_dir():
        write(asked.out, teacher.weights(asked.source), steps={"tokens": 0.16})
        return
    found = read(asked.source)
    words = found["words"].tobytes().decode().split("\n")
    table = plain_table(words, found["weights"], found["rows"], sizes=(64, 128, 256))
    asked.out.write_bytes(write_table(table))


if __name__ == "__main__":
    main()
