"""What tests of seed 003 share: how its answers are read, and its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

from trivium.collection import Collection
from trivium.types import Answer

Open = Callable[..., Collection]
K = 60
K1, B = 1.2, 0.75
# Cosines and BM25 are kept as 32-bit floats.
CLOSE = 1e-5


def skill(name: str, body: str = "", **front: str) -> str:
    said = {"name": name, "description": "what it does", **front}
    return "\n".join(["---", *(f"{key}: {value}" for key, value in said.items()), "---", body, ""])


def scores(answer: Answer) -> dict[str, float]:
    return {hit.id: hit.score for hit in answer.results}


def ids(answer: Answer) -> list[str]:
    return [hit.id for hit in answer.results]


def bm25(*, documents: int, frequency: int, times: int, length: int, average: float) -> float:
    idf = math.log((documents - frequency + 0.5) / (frequency + 0.5) + 1)
    return idf * times * (K1 + 1) / (times + K1 * (1 - B + B * length / average))


# Meaning alone has it, in second place, where the best is first in words and meaning.
SECOND_OF_ONE_LIST = (1 / (K + 2)) / (1 / (K + 1) + 1 / (K + 1))
