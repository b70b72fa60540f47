"""Settings -> the embedders a collection may ask, made on first use, or why there is none.

The set model embeds; the shipped one answers too, for vectors it may have left in an index
before another was set. Held by the collection.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from trivium.config import Settings
from trivium.errors import MissingExtra, ModelError
from trivium.models.base import Embedder
from trivium.models.kept import QueryVectors, RememberingEmbedder
from trivium.models.registry import load_from

_SHIPPED = "minilm"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The set model, all that may answer, and what is wrong if there is none."""

    own: Embedder | None = None
    embedders: tuple[Embedder, ...] = ()
    why_none: str = ""
    problem: MissingExtra | ModelError | None = None


NONE = Chosen()


def choose(settings: Settings, *, queries: QueryVectors) -> Chosen:
    """Return the models of a collection; one that cannot be had says why and raises nothing.

    Those that answer remember the vectors of queries in `queries`.
    """
    own: Embedder | None = None
    problem: MissingExtra | ModelError | None = None
    why_none = "no embedding model is set"
    try:
        own = load_from(settings)
    except (MissingExtra, ModelError) as error:
        why_none, problem = str(error), error
    embedders: tuple[Embedder, ...] = () if own is None else (own,)
    if settings.text("embedding.model") not in ("none", _SHIPPED):
        with suppress(MissingExtra, ModelError):
            shipped = load_from(settings, _SHIPPED)
            embedders += () if shipped is None else (shipped,)
    answering = tuple(RememberingEmbedder(one, queries) for one in embedders)
    return Chosen(own, answering, why_none, problem)
