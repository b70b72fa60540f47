"""LanceDB: an index of vectors and one of words, its hybrid search with its own fusion by rank."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.peers.task import SHOWN, Ask, Task, measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NAME = "peer"


def build(task: Task, folder: Path) -> None:
    import lancedb
    import pyarrow as pa

    vectors = pa.FixedSizeListArray.from_arrays(pa.array(task.vectors.ravel()), 384)
    rows = pa.table({"vector": vectors, "text": pa.array(task.texts)})
    table = lancedb.connect(folder).create_table(_NAME, rows)
    table.create_index(metric="cosine", index_type="IVF_HNSW_SQ")
    table.create_fts_index("text")
    table.optimize()


def opened(folder: Path) -> Ask:
    import lancedb
    from lancedb.rerankers import RRFReranker

    table = lancedb.connect(folder).open_table(_NAME)
    by_rank = RRFReranker()

    def ask(text: str, vector: NDArray[np.float32]) -> list[Any]:
        asked = table.search(query_type="hybrid").vector(vector).text(text)
        return list(asked.rerank(by_rank).limit(SHOWN).select(["text"]).to_list())

    return ask


if __name__ == "__main__":
    measure(build, opened)
