"""Clean pairs and judged code -> how much of it looks known all the same, and the score without.

Looser than the filter: a document counts as known if its doc comment's first sentence is some
pair's question, or if the first 60 letters and digits of its bare code are some pair's.

    python -m training.probe MODEL.bin --pairs pairs.jsonl.xz --judged FOLDER
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np

from training.evaluate import SETS, Judgement
from training.mine import without_doc
from training.prepare import read_pairs
from training.text import first_sentence, normal
from trivium.evaluation.metrics import ndcg
from trivium.models.static import StaticEmbedder

_DOC = re.compile(r'"""(.*?)"""|/\*\*?(.*?)\*/', re.DOTALL)
_START = 60


def known(text: str, asks: set[str], starts: set[str]) -> bool:
    """Say whether a document looks like something that was trained on."""
    found = _DOC.search(text)
    said = first_sentence(found[1] or found[2] or "") if found else ""
    if len(normal(said)) >= 15 and normal(said) in asks:
        return True
    bare = normal(without_doc(text))
    return len(bare) >= _START and bare[:_START] in starts


def main() -> None:
    """Print counts and scores for the two sets of code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--judged", type=Path, required=True)
    asked = parser.parse_args()
    rows = read_pairs(asked.pairs)
    asks = {normal(row[0]) for row in rows if row[3]}
    starts = {normal(row[1])[:_START] for row in rows if row[3]}
    embedder = StaticEmbedder(asked.model)
    for name in ("cosqa", "csn-challenge"):
        judged = Judgement(asked.judged / name, SETS[name], Path())
        seen = {
            one
            for one, text in zip(judged.ids, judged.full, strict=True)
            if known(text, asks, starts)
        }
        scores = judged.dense(embedder)
        everything, clean = [], []
        for number, query in enumerate(judged.queries):
            best = np.argsort(-scores[number], kind="stable")[:10]
            value = ndcg([judged.ids[at] for at in best], gains=query.relevant, k=10)
            everything.append(value)
            if not seen & {one for one, gain in query.relevant.items() if gain > 0}:
                clean.append(value)
        print(
            f"{name}: {len(seen)} of {len(judged.ids)} documents look known; "
            f"nDCG@10 {np.mean(everything):.3f}, over the {len(clean)} of {len(everything)} "
            f"queries without such an answer {np.mean(clean):.3f}"
        )


if __name__ == "__main__":
    main()
