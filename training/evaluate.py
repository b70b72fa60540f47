"""A model file and folders of judged queries -> nDCG@10 of its vectors, alone and with BM25.

Every document is one vector (title and the first 1,200 characters, as a first chunk would be)
and the metric is trivium's own; `--alpha` adds the z-scores of plain BM25 over both top 100s.
Choose by the train and dev splits (--choose) and by pairs of packages that were not trained on
(--held PAIRS: reciprocal rank among up to 4,000 answers); the test splits are for the report.

    python -m training.evaluate MODEL.bin... --judged FOLDER [--alpha .4]
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trivium.evaluation.datasets import Dataset, load
from trivium.evaluation.metrics import ndcg
from trivium.models.static import StaticEmbedder

SETS = {
    "cosqa": "test",
    "csn-challenge": "test",
    "conala": "test",
    "scifact": "test",
    "cranfield": "test",
    "ray-docs-qa": "test",
    "mdn-anchors-en": "test",
    "skills-metatool": "dev",
    "cisi": "test",
    "npl-vaswani": "test",
}
CHOOSING = {"cosqa": "dev", "conala": "train", "scifact": "train", "ray-docs-qa": "train"}
_FIRST = 1200
_TOP = 100
_MOST_QUERIES = 1000
_MOST_PAIRS = 4000


class Judgement:
    """One set: its texts, and BM25's scores once they are asked for."""

    def __init__(self, folder: Path, split: str, cache: Path) -> None:
        data: Dataset = load(folder, split=split)
        self.name = f"{folder.name}/{split}"
        self.ids = [one.id for one in data.documents]
        self.texts = [f"{one.title}\n{one.text[:_FIRST]}".strip() for one in data.documents]
        self.full = [f"{one.title}\n{one.text}".strip() for one in data.documents]
        self.queries = list(data.queries)
        if split == "train":
            self.queries = self.queries[:_MOST_QUERIES]
        scopes = np.array([one.scope for one in data.documents])
        self.masks = {
            within: scopes == within for within in {one.within for one in self.queries} if within
        }
        self._cache = cache / f"bm25-{folder.name}-{split}.pickle"

    def dense(self, embedder: Any, size: int | None = None) -> NDArray[np.float32]:
        """Return the cosine of each query with each document; -2 outside its scope."""
        documents = embedder.embed_documents(self.texts)[:, :size]
        queries = np.array([embedder.embed_query(one.text) for one in self.queries])[:, :size]
        if size is not None:
            documents = documents / np.maximum(
                np.linalg.norm(documents, axis=1, keepdims=True), 1e-9
            )
            queries = queries / np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-9)
        return self._scoped(queries @ documents.T, -2.0)

    def words(self) -> NDArray[np.float32]:
        """Return BM25 (k1 1.2, b .75, the standard analyser) of each query and document."""
        if self._cache.exists():
            scores: NDArray[np.float32] = pickle.loads(self._cache.read_bytes())  # noqa: S301 - ours
            return scores
        scores = self._scoped(_bm25(self.full, [one.text for one in self.queries]), -1.0)
        self._cache.write_bytes(pickle.dumps(scores))
        return scores

    def _scoped(self, scores: NDArray[np.float32], least: float) -> NDArray[np.float32]:
        for number, query in enumerate(self.queries):
            if query.within:
                scores[number, ~self.masks[query.within]] = least
        return scores

    def score(self, scores: NDArray[np.float32]) -> float:
        """Return the mean nDCG@10 of the orders that scores give."""
        total = 0.0
        for number, query in enumerate(self.queries):
            best = np.argsort(-scores[number], kind="stable")[:10]
            total += ndcg([self.ids[at] for at in best], gains=query.relevant, k=10)
        return total / len(self.queries)


def blend(
    dense: NDArray[np.float32], words: NDArray[np.float32], alpha: float
) -> NDArray[np.float32]:
    """Return alpha x z(dense) + (1 - alpha) x z(words) over the union of both top 100s."""
    blended = np.full(dense.shape, -1e9, dtype=np.float32)
    for number in range(len(dense)):
        tops = [
            np.argpartition(-one[number], min(_TOP, one.shape[1] - 1))[:_TOP]
            for one in (dense, words)
        ]
        union = np.unique(np.concatenate(tops))
        parts = [
            (one - one.mean()) / (one.std() + 1e-9)
            for one in (dense[number, union], words[number, union])
        ]
        blended[number, union] = alpha * parts[0] + (1 - alpha) * parts[1]
    return blended


def _bm25(texts: Sequence[str], queries: Sequence[str]) -> NDArray[np.float32]:
    from scipy import sparse  # type: ignore[import-untyped]

    from trivium.analysis.words import analyser

    terms = analyser("standard").terms
    numbers: dict[str, int] = {}
    rows, columns, values = [], [], []
    lengths = []
    for row, text in enumerate(texts):
        found = terms(text)
        lengths.append(len(found))
        counts: dict[int, int] = {}
        for term in found:
            number = numbers.setdefault(term, len(numbers))
            counts[number] = counts.get(number, 0) + 1
        rows += [row] * len(counts)
        columns += list(counts)
        values += list(counts.values())
    tf = np.array(values, dtype=np.float64)
    length = np.array(lengths, dtype=np.float64)
    held = np.bincount(columns, minlength=len(numbers))
    idf = np.log(1 + (len(texts) - held + 0.5) / (held + 0.5))
    norm = 1.2 * (0.25 + 0.75 * length / max(length.mean(), 1e-9))
    weight = idf[columns] * tf * 2.2 / (tf + norm[rows])
    matrix = sparse.csr_matrix((weight, (rows, columns)), shape=(len(texts), len(numbers)))
    asked = sparse.lil_matrix((len(queries), len(numbers)))
    for row, text in enumerate(queries):
        for term in set(terms(text)):
            if term in numbers:
                asked[row, numbers[term]] = 1.0
    scores: NDArray[np.float32] = np.asarray((asked.tocsr() @ matrix.T).todense(), dtype=np.float32)
    return scores


def held_out(path: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Return questions and answers of the packages that training holds out, by group."""
    from training.prepare import group_of, is_held, read_pairs

    rows = read_pairs(path)
    packages = {name: number for number, name in enumerate(sorted({row[4] for row in rows}))}
    found: dict[str, tuple[list[str], list[str]]] = {}
    for row in rows:
        asks, answers = found.setdefault(group_of(row), ([], []))
        if is_held(packages[row[4]]) and len(asks) < _MOST_PAIRS:
            asks.append(row[0])
            answers.append(row[1])
    return {name: pair for name, pair in sorted(found.items()) if len(pair[0]) >= 20}


def reciprocal_rank(embedder: Any, asks: Sequence[str], answers: Sequence[str]) -> float:
    """Return the mean of 1 / the rank of each question's own answer among all."""
    scores = embedder.embed_documents(asks) @ embedder.embed_documents(answers).T
    ranks = (scores > scores.diagonal()[:, None]).sum(axis=1) + 1
    return float((1.0 / ranks).mean())


def judgements(folder: Path, cache: Path, *, choose: bool) -> list[Judgement]:
    """Read the sets to choose by, or those to report."""
    splits = CHOOSING if choose else SETS
    return [Judgement(folder / name, split, cache) for name, split in splits.items()]


def main() -> None:
    """Print one line for each model, and for each way to rank."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--judged", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("/tmp"))  # noqa: S108 - a cache
    parser.add_argument("--choose", action="store_true")
    parser.add_argument("--alpha", type=float, action="append", default=[])
    parser.add_argument("--size", type=int, action="append", default=[])
    parser.add_argument("--held", type=Path, help="pairs.jsonl.xz")
    asked = parser.parse_args()
    held = held_out(asked.held) if asked.held else {}
    sets = judgements(asked.judged, asked.cache, choose=asked.choose)
    print("model".ljust(28), *(one.name.split("/")[0][:9].rjust(9) for one in sets), "     mean")

    def line(label: str, scores: list[float]) -> None:
        print(
            label.ljust(28),
            *(f"{one:9.3f}" for one in scores),
            f"{np.mean(scores):9.4f}",
            flush=True,
        )

    if asked.alpha:
        line("bm25", [one.score(one.words()) for one in sets])
    for path in asked.models:
        embedder = StaticEmbedder(path)
        dense = [one.dense(embedder) for one in sets]
        line(path.stem, [one.score(scores) for one, scores in zip(sets, dense, strict=True)])
        for name, (asks, answers) in held.items():
            print(f"   held {name} {reciprocal_rank(embedder, asks, answers):.4f}", end="")
        if held:
            print(flush=True)
        for alpha in asked.alpha:
            blended = [
                blend(scores, one.words(), alpha) for one, scores in zip(sets, dense, strict=True)
            ]
            line(
                f"{path.stem} z {alpha}",
                [one.score(s) for one, s in zip(sets, blended, strict=True)],
            )
        for size in asked.size:
            line(
                f"{path.stem} first {size}", [one.score(one.dense(embedder, size)) for one in sets]
            )


if __name__ == "__main__":
    main()
