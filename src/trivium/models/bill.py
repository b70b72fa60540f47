"""Texts that wait to be sent to a service -> about how many tokens, at what price.

Said before a run, and asked about where it is large, so that nobody pays unawares. Sends nothing.
Called by the collection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trivium.config import Settings
from trivium.models.base import Embedder, Served

# Of the texts that wait so many are read to tell the length of all.
SAMPLE = 4096


@dataclass(frozen=True, slots=True)
class Bill:
    """What one run would send; `price` is for a million tokens, 0 if nobody has said."""

    model: str
    texts: int
    tokens: int
    price: float
    most_tokens: int

    @property
    def is_large(self) -> bool:
        """Whether to ask before it is sent."""
        return self.tokens > self.most_tokens

    @property
    def cost(self) -> float:
        """What the service would take, in the money of the price."""
        return self.tokens * self.price / 1_000_000

    def __str__(self) -> str:
        """Say it in one line."""
        texts = "1 text" if self.texts == 1 else f"{self.texts:,} texts"
        tokens = "1 token" if self.tokens == 1 else f"{self.tokens:,} tokens"
        said = f"{self.model}: {texts} to send, about {tokens}"
        if not self.price:
            return said
        return f"{said}, about {self.cost:,.2f} (at {self.price:g} per million)"

    def refusal(self) -> str:
        """Say why nothing was sent, and how it would be."""
        return (
            f"{self}. That is more than embedding.most_tokens ({self.most_tokens:,}): nothing was "
            "sent. Say --yes, raise that setting, or choose a model that runs here."
        )


@dataclass(frozen=True, slots=True)
class Renewal:
    """A model whose vectors are of another length now: all of them have to be made anew.

    `bill` is what that would send to a service; None if it runs here.
    """

    model: str
    before: int
    now: int
    bill: Bill | None

    @property
    def is_large(self) -> bool:
        """Whether to ask before it is sent."""
        return self.bill is not None and self.bill.is_large

    def __str__(self) -> str:
        """Say it in one line."""
        said = (
            f"{self.model} gives vectors of {self.now} numbers now, those kept have "
            f"{self.before}: all have to be made anew"
        )
        return said if self.bill is None else f"{said}. {self.bill}"

    def refusal(self) -> str:
        """Say why no text was sent, and how it would be."""
        most = 0 if self.bill is None else self.bill.most_tokens
        return (
            f"{self}. That is more than embedding.most_tokens ({most:,}): no text was sent, and "
            "the vectors are kept. Say --yes, raise that setting, or choose a model that runs here."
        )


def estimate(
    embedder: Embedder, *, count: int, sample: Sequence[str], settings: Settings
) -> Bill | None:
    """Return what embedding `count` texts like `sample` would send; None if nothing is sent."""
    if not isinstance(embedder, Served) or not count or not sample:
        return None
    tokens = sum(map(embedder.tokens, sample))
    return Bill(
        model=embedder.name,
        texts=count,
        tokens=-(-tokens * count // len(sample)),
        price=settings.real("embedding.price_per_million_tokens"),
        most_tokens=settings.number("embedding.most_tokens"),
    )
