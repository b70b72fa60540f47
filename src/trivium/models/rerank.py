"""What is set about reading again -> a Reranker, with how deep and how much it counts.

A reranker reads the query and a text together and says how well they fit; slower and better
than comparing vectors, so it reads only the best. Nothing is loaded before the first score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from trivium.config import Settings
from trivium.errors import ConfigError

# Whoever asks for more has lost count of what a search shows.
MOST_TEXTS = 1000

_CHOICES = "none, onnx:<folder>, http://<host>/<path> or https://<host>/<path>"


class Reranker(Protocol):
    """A query and texts -> one score per text."""

    @property
    def name(self) -> str:
        """What a person calls it."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text answers `query`: finite, higher is better, on any scale.

        A text's score does not depend on the texts beside it. Raises ModelError, or
        MissingExtra if what runs the model is not installed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Reranking:
    """Who reads again, how many of the best, and how much that counts, 0 to 1."""

    reranker: Reranker
    depth: int = 50
    weight: float = 1.0


def load_from(settings: Settings) -> Reranking | None:
    """Return what is set, or None where nothing is to be read again.

    Raises ConfigError for a model or an address that cannot be used.
    """
    reranker = load(
        settings.text("rerank.model"),
        served_name=settings.text("rerank.name"),
        api_key=settings.rerank_key,
        timeout_s=settings.real("rerank.timeout_s"),
        threads=settings.number("embedding.threads") or None,
    )
    depth, weight = settings.number("rerank.depth"), settings.real("rerank.weight")
    if reranker is None or depth == 0 or weight == 0:
        return None
    return Reranking(reranker, depth, weight)


# Kept, so that every collection of a process shares one loaded model.
@lru_cache(maxsize=8)
def load(
    model: str,
    *,
    served_name: str = "",
    api_key: str | None = None,
    timeout_s: float = 10.0,
    threads: int | None = None,
) -> Reranker | None:
    """Return the reranker that `model` names; None for `none`. Raises ConfigError."""
    kind, _, part = model.partition(":")
    if model in ("", "none"):
        return None
    if kind == "onnx" and part:
        from trivium.models.rerank_onnx import OnnxReranker

        folder = Path(part).expanduser().resolve()
        return OnnxReranker(folder, timeout_s=timeout_s, threads=threads)
    if kind.lower() in ("http", "https"):
        from trivium.models.rerank_http import HttpReranker

        return HttpReranker(model, model=served_name, api_key=api_key, timeout_s=timeout_s)
    near = get_close_matches(kind.lower(), ("none", "onnx", "http", "https"), n=1)
    hint = f" Did you mean {_written(near[0], part)!r}?" if near else ""
    raise ConfigError(f"Unknown rerank.model {model!r}.{hint} Give {_CHOICES}.")


def _written(kind: str, part: str) -> str:
    if kind == "none":
        return kind
    return f"{kind}:{part or ('<folder>' if kind == 'onnx' else '//<host>/<path>')}"
