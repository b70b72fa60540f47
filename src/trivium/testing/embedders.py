"""An embedder that needs no model: words that are shared bring two texts nearer.

Repeatable on every machine, and it counts what it is asked, so that a test can say what
was embedded and what was not. Called by tests in the place of a real model.
"""

from __future__ import annotations

from collections.abc import Sequence
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

    @property
    def is_instant(self) -> bool:
        """Whether it may run before an answer is given."""
        return False

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
