"""What an embedder must offer. No code that runs; the contract tests give it meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What every model knows: the answer to it tells how long vectors are, and a text without one
# from a broken server.
PROBE = "dimension"


class Embedder(Protocol):
    """Text -> vectors of one space.

    `name` is what a person calls it (`minilm`); `model_id` names the space: vectors are
    compared only with vectors of the same id, so it changes with the weights, the
    tokenizer, the length limit, the pooling and the way text is prepared.
    `is_instant` says it may run before an answer is given (thousands of texts a second).
    `strength` orders spaces: a query uses the strongest complete one.
    """

    @property
    def name(self) -> str:
        """What a person calls it."""
        ...

    @property
    def model_id(self) -> str:
        """The name of the space its vectors live in."""
        ...

    @property
    def dimension(self) -> int:
        """How long a vector is."""
        ...

    @property
    def is_instant(self) -> bool:
        """Whether it may run before an answer is given."""
        ...

    @property
    def strength(self) -> int:
        """How good its vectors are, beside other models."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(texts), dimension).

        A text's vector does not depend on the texts beside it. Empty text gives the
        zero vector. Raises ModelError if the model cannot be loaded or fails.
        """
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a query, shape (dimension,)."""
        ...


@runtime_checkable
class Remarking(Protocol):
    """An embedder that may have something to say of the texts it was given."""

    def remarks(self) -> Sequence[str]:
        """Return what a person should know, a line each, and forget it."""
        ...


@runtime_checkable
class Served(Protocol):
    """An embedder that sends the texts to a service, which may count and charge for them."""

    def tokens(self, text: str) -> int:
        """Return about how many tokens of a text are sent; rather more than less."""
        ...


@runtime_checkable
class Knowing(Protocol):
    """A model with a list of words, which can tell a rare word from a misspelt one."""

    def knows(self, word: str) -> bool:
        """Say whether a lower-case word is on its list. Raises ModelError if it has none now."""
        ...
