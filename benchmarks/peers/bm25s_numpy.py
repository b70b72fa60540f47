"""bm25s, memory-mapped as its guide says for large indexes, and one product of numpy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.peers.task import DEPTH, Ask, Task, fused, measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def build(task: Task, folder: Path) -> None:
    import bm25s
    import numpy as np
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    tokens = bm25s.tokenize(list(task.texts), stemmer=stemmer, show_progress=False)
    retriever = bm25s.BM25()
    retriever.index(tokens, show_progress=False)
    retriever.save(folder / "words")
    np.save(folder / "vectors.npy", task.vectors)
    (folder / "texts.json").write_text(json.dumps(task.texts), encoding="utf-8")


def opened(folder: Path) -> Ask:
    import bm25s
    import numpy as np
    import Stemmer

    retriever = bm25s.BM25.load(folder / "words", mmap=True)
    stemmer = Stemmer.Stemmer("english")
    vectors = np.load(folder / "vectors.npy")
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))

    def ask(text: str, vector: NDArray[np.float32]) -> list[str]:
        tokens = bm25s.tokenize([text], stemmer=stemmer, show_progress=False)
        by_words = retriever.retrieve(tokens, k=DEPTH, show_progress=False).documents[0]
        cosines = vectors @ vector
        near = np.argpartition(cosines, -DEPTH)[-DEPTH:]
        near = near[np.argsort(-cosines[near])]
        return [texts[one] for one in fused(by_words.tolist(), near.tolist())]

    return ask


if __name__ == "__main__":
    measure(build, opened)
