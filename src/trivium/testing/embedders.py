"""Embedders that need no model: one by shared words, one whose cosines a test chooses.

Repeatable on every machine, and they count what they are asked, so that a test can say what
was embedded and what was not. Called by tests in the place of a real model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trivium.errors import ModelError
from trivium.testing.filling import DIMENSION, vectors_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(slots=True)
class WordEmbedder:
    """Hashes words into unit vectors. With a `failure` it raises ModelError instead."""

    name: str = "words"
    strength: int = 1
    is_instant: bool = False
    failure: str = ""
    documents: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)

    @property
    def model_id(self) -> str:
        """The name of the space its vectors live in."""
        return f"{self.name}-{DIMENSION}"

    @property
    def dimension(self) -> int:
        """How long a vector is."""
        return DIMENSION

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text, the zero vector for an empty one."""
        self._fail_if_told()
        self.documents.extend(texts)
        vectors = vectors_of(texts)
        for row, text in enumerate(texts):
            if not text:
                vectors[row] = 0.0
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a query."""
        self._fail_if_told()
        self.queries.append(text)
        vector: NDArray[np.float32] = vectors_of([text])[0]
        return vector

    def _fail_if_told(self) -> None:
        if self.failure:
            raise ModelError(self.failure)


@dataclass(slots=True)
class CosineEmbedder(WordEmbedder):
    """Gives each text the cosine to every query that `cosines` has for a word it holds.

    The first such word counts; a text with none of them has the cosine 0. An index keeps
    components in 127 steps of the largest; the first is the largest from 0.25 up, so that
    the cosine comes back as it was chosen, but for the last digits of a float.
    """

    name: str = "cosines"
    cosines: Mapping[str, float] = field(default_factory=dict)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text, the zero vector for an empty one."""
        import numpy as np

        self._fail_if_told()
        self.documents.extend(texts)
        return np.array([self._vector(text) for text in texts], np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector that all cosines are to."""
        import numpy as np

        self._fail_if_told()
        self.queries.append(text)
        return np.array([1.0] + [0.0] * (DIMENSION - 1), np.float32)

    def _vector(self, text: str) -> list[float]:
        if not text:
            return [0.0] * DIMENSION
        words = text.split()
        cosine = next((one for word, one in self.cosines.items() if word in words), 0.0)
        others = DIMENSION - 1
        return [cosine] + [math.sqrt(max(0.0, 1 - cosine * cosine) / others)] * others
