"""Files -> a backend that holds them; texts -> vectors that need no model.

What the parts of the contract suite share, and what other tests may use to get a
backend with something in it.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from trivium.backends.base import Backend, Batch, FileContent
from trivium.query.grammar import Expression, Query
from trivium.sources.base import Entry, Raw
from trivium.types import View
from trivium.writing.digest import Cutting, digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL = "words-16"
DIMENSION = 16
REPEAT = View(
    name="repeat",
    analyser="standard",
    fields=(("name", 3), ("title", 2), ("description", 2), ("tags", 1), ("body", 1)),
)
SUM = View(
    name="sum",
    analyser="standard",
    fields=(("name", 3), ("description", 2), ("body", 1)),
    combine="sum",
)
BODY = View(name="body", analyser="standard", fields=(("body", 1),))


def ask(root: Expression) -> Query:
    """Return a Query that asks for `root` and nothing else."""
    return Query(text="", root=root, meaning="")


def write(backend: Backend, files: Iterable[FileContent], *, removed: Iterable[str] = ()) -> int:
    """Write one batch, publish it and return its sequence number."""
    with backend.writer(wait_s=0) as writer:
        seq = writer.write(Batch(replaced=tuple(files), removed=tuple(removed)))
        writer.publish()
    return seq


def write_texts(backend: Backend, texts: Mapping[str, str]) -> None:
    """Write files as they are taken in from a folder: read by their names, cut, published."""
    write(
        backend,
        [
            digest(
                Raw(Entry(path, len(text), 1), text, hashlib.sha256(text.encode()).hexdigest()),
                Cutting(),
            )
            for path, text in texts.items()
        ],
    )


def embed(backend: Backend, *, model_id: str = MODEL, dimension: int = DIMENSION) -> None:
    """Give every text that has none its vector, and publish."""
    with backend.writer(wait_s=0) as writer:
        while waiting := writer.pending(model_id, limit=100):
            texts = [one.text for one in waiting]
            keys = [one.key for one in waiting]
            before = writer.count_pending(model_id)
            writer.put_vectors(model_id, keys, vectors_of(texts, dimension=dimension))
            # Else a backend that forgets vectors would be tested for ever.
            assert writer.count_pending(model_id) < before, "vectors put in are still pending"
        writer.publish()


def vectors_of(texts: Sequence[str], *, dimension: int = DIMENSION) -> NDArray[np.float32]:
    """Return unit vectors of shape (len(texts), dimension); shared words bring them nearer."""
    import numpy as np

    return np.array([_vector(text, dimension) for text in texts], np.float32)


def vector_of(text: str, *, dimension: int = DIMENSION) -> NDArray[np.float32]:
    """Return the unit vector of one text, of shape (dimension,)."""
    row: NDArray[np.float32] = vectors_of([text], dimension=dimension)[0]
    return row


def _vector(text: str, dimension: int) -> list[float]:
    # The text as a whole takes part as well: else one word's vector would be another's twin.
    total = [0.0] * dimension
    for word in [*text.lower().split(), text]:
        seed = hashlib.blake2b(word.encode(), digest_size=8).digest()
        chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
        total = [sum(pair) for pair in zip(total, _direction(chance, dimension), strict=True)]
    length = math.sqrt(math.fsum(one * one for one in total))
    return [one / length for one in total]


def _direction(chance: random.Random, dimension: int) -> list[float]:
    return [chance.gauss(0.0, 1.0) for _ in range(dimension)]
