"""txtai's hybrid index (its own BM25, faiss) with vectors given from outside."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.peers.task import KNOWN, SHOWN, Ask, Task, measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def build(task: Task, folder: Path) -> None:
    from txtai import Embeddings

    KNOWN.update(zip(task.texts, task.vectors, strict=True))
    made = Embeddings(
        method="external", transform="benchmarks.peers.task.known", hybrid=True, content=True
    )
    made.index((number, text, None) for number, text in enumerate(task.texts))
    made.save(str(folder / "index"))


def opened(folder: Path) -> Ask:
    from txtai import Embeddings

    kept = Embeddings()
    kept.load(str(folder / "index"))

    def ask(text: str, vector: NDArray[np.float32]) -> list[Any]:
        KNOWN[text] = vector
        return list(kept.search(text, SHOWN))

    return ask


if __name__ == "__main__":
    measure(build, opened)
