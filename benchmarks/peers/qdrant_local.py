"""qdrant-client's local mode: dense and sparse vectors with its IDF, fused by itself."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from benchmarks.peers.task import DEPTH, SHOWN, Ask, Task, measure, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_AT_ONCE = 2000
_NAME = "peer"


def _sparse(text: str, *, usual: float | None) -> Any:  # noqa: ANN401 - of a library not installed here
    from qdrant_client import models

    counts = Counter(crc32(word.encode()) for word in words(text))
    length = sum(counts.values())
    values = [
        1.0 if usual is None else 2.2 * n / (n + 1.2 * (0.25 + 0.75 * length / usual))
        for n in counts.values()
    ]
    return models.SparseVector(indices=list(counts), values=values)


def build(task: Task, folder: Path) -> None:
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(folder))
    client.create_collection(
        _NAME,
        vectors_config={
            "dense": models.VectorParams(size=384, distance=models.Distance.COSINE),
        },
        sparse_vectors_config={"words": models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )
    usual = sum(len(words(text)) for text in task.texts) / len(task.texts)
    for start in range(0, len(task.texts), _AT_ONCE):
        points = [
            models.PointStruct(
                id=number,
                vector={
                    "dense": task.vectors[number].tolist(),
                    "words": _sparse(task.texts[number], usual=usual),
                },
                payload={"text": task.texts[number]},
            )
            for number in range(start, min(start + _AT_ONCE, len(task.texts)))
        ]
        client.upsert(_NAME, points)
    client.close()


def opened(folder: Path) -> Ask:
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(folder))

    def ask(text: str, vector: NDArray[np.float32]) -> list[Any]:
        made = client.query_points(
            _NAME,
            prefetch=[
                models.Prefetch(query=_sparse(text, usual=None), using="words", limit=DEPTH),
                models.Prefetch(query=vector.tolist(), using="dense", limit=DEPTH),
            ],
            query=models.FusionQuery(fusion=models.Fusion.RRF),
            limit=SHOWN,
            with_payload=True,
        )
        return list(made.points)

    return ask


if __name__ == "__main__":
    measure(build, opened)
