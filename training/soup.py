"""Several model files of one vocabulary -> their average, as one model file.

Each word's product of weight and row is averaged. A table means the same however its space is
turned, so each is first turned to lie as close to the first as it can (Procrustes); the average
is then better than any of them.

    python -m training.soup OUT.bin A.bin B.bin=2 C.bin
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trivium.models.static_table import Table, plain_table, read_table, write_table


def read(path: Path) -> Table:
    """Return the table of a model file."""
    return read_table(path.read_bytes(), place=str(path), remedy="Train it again.")


def whole(table: Table) -> NDArray[np.float64]:
    """Return each word's weight x row, one long in the mean."""
    product = table.rows * (table.scales * table.weights)[:, None].astype(np.float64)
    scaled: NDArray[np.float64] = product / np.linalg.norm(product, axis=1).mean()
    return scaled


def turned(rows: NDArray[np.float64], to: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows in the space of others: turned and mirrored, all angles kept."""
    left, _, right = np.linalg.svd(rows.T @ to)
    made: NDArray[np.float64] = rows @ (left @ right)
    return made


def average(tables: list[Table], shares: list[float]) -> Table:
    """Return the average, in the space of the first table."""
    first = whole(tables[0])
    total = np.zeros_like(first)
    for table, share in zip(tables, shares, strict=True):
        if table.words != tables[0].words:
            raise SystemExit("The files have different words.")
        total += share * turned(whole(table), first)
    lengths = np.maximum(np.linalg.norm(total, axis=1), 1e-9)
    rows = (total / lengths[:, None]).astype(np.float32)
    return plain_table(
        tables[0].words, lengths.astype(np.float32), rows, sizes=tables[0].sizes, version=1
    )


def main() -> None:
    """Average the files that were named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("models", nargs="+")
    asked = parser.parse_args()
    named = [one.partition("=") for one in asked.models]
    tables = [read(Path(path)) for path, _, _ in named]
    shares = [float(share or 1) for _, _, share in named]
    asked.out.write_bytes(write_table(average(tables, shares)))


if __name__ == "__main__":
    main()
