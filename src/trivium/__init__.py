"""Search a folder by words, meaning and structure: one ranking that explains itself.

import trivium

shop = trivium.open("~/code/shop")
shop.sync()
answer = shop.search("where are passwords hashed", limit=10)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivium.errors import TriviumError
from trivium.types import Answer, Hit, Node

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trivium.backends.base import Backend
    from trivium.collection import Collection
    from trivium.config import Settings
    from trivium.federation import Together

__version__ = "0.1.0"
__all__ = ["Answer", "Hit", "Node", "TriviumError", "__version__", "open", "together"]


def open(
    path: str | Path = ".",
    *,
    settings: Settings | None = None,
    create: bool = True,
    backend: Backend | None = None,
) -> Collection:
    """Return the collection of a folder, made on first use.

    `backend` keeps the index elsewhere than in the folder of this machine's indexes.
    """
    # Imported here: `import trivium` stays light for programs that search later or never.
    from trivium.collection import open_collection

    return open_collection(path, settings=settings, create=create, backend=backend)


def together(*collections: Collection, priorities: Mapping[str, int] | None = None) -> Together:
    """Return several collections that are searched as one; their hits are fused by rank."""
    from trivium.federation import Together

    return Together(collections, priorities=priorities)
