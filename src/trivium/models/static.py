"""The file static-1.bin -> an Embedder on numpy alone, fast enough to run before an answer.

v = the sum over a text's distinct tokens of tf^.7 x weight x row, made a unit vector. The sum
is taken in whole numbers that a double holds exactly, so that it is the same, to the last bit, on
every machine and in any batch. Made by training/; the file's hash stands here, in source.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.errors import ModelError
from trivium.models.identity import space_id
from trivium.models.once import Once
from trivium.models.static_table import read_table
from trivium.models.static_words import COUNT_POWER, PREPARATION, Numbering

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = "static-1.bin"
SHA256 = "d42d122a8b766477576efe87448bcf11b0b1fd7e15236f2b8d411839d43ee93b"
DIMENSION = 256
_REMEDY = "Reinstall trivium to put it right."
_OWN_REMEDY = "Make it anew (training.tune), or set another embedding.model."
# Whole pages are chunked before they come here; more than this is no chunk, and its start
# says what it is about.
_LONGEST_TEXT = 100_000
# Steps of tf^.7, and of the largest weight x scale. However a text of 100,000 characters is made
# up, its sum of tf^.7 stays below 2^17, so no sum reaches 2^(12 + 17 + 17 + 7) = 2^53, from where
# on doubles skip whole numbers.
_COUNT_STEPS = 1 << 12
_WEIGHT_STEPS = 1 << 17


@dataclass(frozen=True, slots=True)
class _Loaded:
    numbering: Numbering
    factors: NDArray[np.float64]
    rows: NDArray[np.int8]
    model_id: str


class StaticEmbedder:
    """Looks words up in a table and adds their rows; loads on first use, from any thread.

    With `sha256` a file that differs is never used. `path` replaces the file in the package.
    """

    is_instant = True

    def __init__(self, path: Path | None = None, *, sha256: str | None = None) -> None:
        self.name = "static" if path is None else f"static:{path.name}"
        # A table that was tuned to a folder comes before the one of the package.
        self.strength = 10 if path is None else 11
        self.path = Path(__file__).parent / FILE if path is None else path
        self._sha256 = SHA256 if path is None else sha256
        self._remedy = _REMEDY if path is None else _OWN_REMEDY
        self._load = Once(self._read)

    @property
    def model_id(self) -> str:
        """The name of the space its vectors live in; known without reading a pinned file."""
        return self._id(self._sha256) if self._sha256 else self._load().model_id

    @property
    def dimension(self) -> int:
        """How long a vector is."""
        if self._sha256 and self._sha256 == SHA256:
            return DIMENSION
        return int(self._load().rows.shape[1])

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text; zeros for a text without a known token."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for number, text in enumerate(texts):
            self._embed(text, vectors[number])
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a query; zeros if no token of it is known."""
        import numpy as np

        vector = np.zeros(self.dimension, dtype=np.float32)
        self._embed(text, vector)
        return vector

    def knows(self, word: str) -> bool:
        """Say whether a lower-case word has a row of its own. Raises ModelError."""
        return self._load().numbering.knows(word)

    def _embed(self, text: str, into: NDArray[np.float32]) -> None:
        import numpy as np

        loaded = self._load()
        counted = Counter(loaded.numbering.numbers(text[:_LONGEST_TEXT]))
        if not counted:
            return
        numbers = np.fromiter(counted.keys(), dtype=np.int64, count=len(counted))
        counts = np.array([_count_factor(count) for count in counted.values()], dtype=np.float64)
        total = (counts * loaded.factors[numbers]) @ loaded.rows[numbers].astype(np.float64)
        # fsum rounds once, whatever the order: the norm is exact to the last bit, too.
        length = math.sqrt(math.fsum((total * total).tolist()))
        if length > 0.0:
            into[:] = total / length

    def _read(self) -> _Loaded:
        import numpy as np

        try:
            data = self.path.read_bytes()
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ModelError(f"Cannot read {self.path}: {reason}. {self._remedy}") from error
        digest = hashlib.sha256(data).hexdigest()
        if self._sha256 and digest != self._sha256:
            raise ModelError(
                f"{self.path} is damaged or is not the file this release was made with (sha256 "
                f"{digest[:12]}..., expected {self._sha256[:12]}...). {self._remedy}"
            )
        table = read_table(
            data, place=str(self.path), remedy=self._remedy, is_checked=bool(self._sha256)
        )
        products = table.weights.astype(np.float64) * table.scales.astype(np.float64)
        largest = float(np.abs(products).max()) or 1.0
        return _Loaded(
            numbering=Numbering({word: number for number, word in enumerate(table.words)}),
            factors=np.rint(products * (_WEIGHT_STEPS / largest)),
            rows=table.rows,
            model_id=self._id(digest),
        )

    def _id(self, digest: str) -> str:
        return space_id("static", [digest, PREPARATION, _LONGEST_TEXT])


def _count_factor(count: int) -> float:
    """Return tf^.7 in whole steps, which no rounding of a power can change."""
    if count < len(_COUNT_FACTORS):
        return _COUNT_FACTORS[count]
    return float(round(_COUNT_STEPS * count**COUNT_POWER))


_COUNT_FACTORS = [float(round(_COUNT_STEPS * count**COUNT_POWER)) for count in range(256)]


@cache
def static() -> StaticEmbedder:
    """Return the embedder of the package's own table, not yet loaded; one for the process."""
    return StaticEmbedder()
