"""A query and a model -> which of some sentences is nearest to it in meaning.

For hits that hold none of the query's words, so that what they have to do with it can be shown.
Asks an instant model alone, and only when it is needed. Made by the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from trivium.errors import MissingExtra, ModelError
from trivium.models.base import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Nearest = Callable[[Sequence[str]], int | None]


def nearest_to(query: str, embedders: Sequence[Embedder]) -> Nearest | None:
    """Return a function that picks the nearest of some texts; None without an instant model."""
    instant = next((one for one in embedders if one.is_instant), None)
    if instant is None or not query.strip():
        return None

    @cache
    def asked() -> NDArray[np.float32]:
        return instant.embed_query(query)

    def nearest(texts: Sequence[str]) -> int | None:
        try:
            cosines = instant.embed_documents(texts) @ asked()
        except (ModelError, MissingExtra):
            # The search has said so; which lines are shown is not worth failing for.
            return None
        best = int(cosines.argmax())
        return best if cosines[best] > 0 else None

    return nearest
