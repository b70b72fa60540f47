"""chromadb on disk. Its local mode ranks by vectors alone: it is asked no words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.peers.task import SHOWN, Ask, Task, measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_AT_ONCE = 5000
_NAME = "peer"


def build(task: Task, folder: Path) -> None:
    import chromadb

    client = chromadb.PersistentClient(str(folder))
    made = client.create_collection(_NAME, configuration={"hnsw": {"space": "cosine"}})
    for start in range(0, len(task.texts), _AT_ONCE):
        end = min(start + _AT_ONCE, len(task.texts))
        made.add(
            ids=[str(number) for number in range(start, end)],
            embeddings=task.vectors[start:end],
            documents=list(task.texts[start:end]),
        )


def opened(folder: Path) -> Ask:
    import chromadb

    kept = chromadb.PersistentClient(str(folder)).get_collection(_NAME)

    def ask(_: str, vector: NDArray[np.float32]) -> list[Any]:
        return list(kept.query(query_embeddings=[vector], n_results=SHOWN)["documents"][0])

    return ask


if __name__ == "__main__":
    measure(build, opened)
