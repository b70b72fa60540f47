"""Settings -> the embedders a collection may ask, made on first use, or why there is none.

The set model embeds. Before it does, the instant one of the package stands in, so that the
first answer knows meaning; and the shipped ones answer for vectors they left in an index before
another was set. Held by the collection.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from trivium.config import Settings
from trivium.errors import ConfigError, MissingExtra, ModelError
from trivium.models.base import Embedder
from trivium.models.kept import QueryVectors, RememberingEmbedder
from trivium.models.registry import load_from

_INSTANT = "static"
_SHIPPED = (_INSTANT, "minilm")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The set model, the instant one, all that may answer, and what is wrong with the set one."""

    own: Embedder | None = None
    instant: Embedder | None = None
    embedders: tuple[Embedder, ...] = ()
    why_none: str = ""
    problem: ConfigError | MissingExtra | ModelError | None = None


NONE = Chosen()


def best_first(embedders: Iterable[Embedder], *, preferred: str) -> list[Embedder]:
    """Order models: the one that someone asked for, then the stronger ones."""
    return sorted(embedders, key=lambda one: (one.name != preferred, -one.strength))


def choose(settings: Settings, model: str, *, queries: QueryVectors) -> Chosen:
    """Return the models of a collection; one that cannot be had says why and raises nothing.

    Those that answer remember the vectors of queries in `queries`. An instant one need not where
    it is the set one; beside a slow one it does, so that a query asked again reads no file.
    """
    if model == "none":
        return Chosen(why_none="no embedding model is set")
    own: Embedder | None = None
    problem: ConfigError | MissingExtra | ModelError | None = None
    try:
        own = load_from(settings, model)
        if own is not None and own.is_instant:
            # A table of the user's is read here, so that the shipped one can stand in for it.
            _ = own.model_id
    except (ConfigError, MissingExtra, ModelError) as error:
        own, problem = None, error
    embedders: tuple[Embedder, ...] = () if own is None else (own,)
    for name in _SHIPPED:
        if name != model:
            with suppress(MissingExtra, ModelError):
                shipped = load_from(settings, name)
                embedders += () if shipped is None else (shipped,)
    is_own = own is not None and own.is_instant
    instant = own if is_own else next((one for one in embedders if one.is_instant), None)
    answering = tuple(
        one if one.is_instant and is_own else RememberingEmbedder(one, queries) for one in embedders
    )
    return Chosen(own, instant, answering, str(problem or ""), problem)
