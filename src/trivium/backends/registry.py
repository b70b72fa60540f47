"""Settings -> the store an index is kept in: a folder on this machine, or a cluster.

Another backend than the one of this machine is imported only where it is asked for. Called by
the collection.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.backends.base import Backend
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.config import Settings
from trivium.errors import ConfigError
from trivium.types import View

if TYPE_CHECKING:
    from trivium.backends.opensearch.client import Client


def open_backend(
    settings: Settings,
    *,
    folder: Path,
    store: Path,
    meta: Mapping[str, str],
    views: tuple[View, ...],
) -> Backend:
    """Return the store of the index that would be in `folder` on this machine.

    Raises ConfigError for a cluster without an address.
    """
    if settings.text("backend.kind") == "embedded":
        return EmbeddedBackend(folder, store=store, meta=meta, views=views)
    from trivium.backends.opensearch.store import OpenSearchBackend

    return OpenSearchBackend(
        name_on_cluster(settings, folder),
        client=reach(settings),
        meta=meta,
        views=views,
        shards=settings.number("backend.shards"),
        closes_client=True,
    )


def name_on_cluster(settings: Settings, folder: Path) -> str:
    """Return what the index that would be in `folder` on this machine is called on a cluster."""
    return settings.text("backend.collection") or folder.name


def reach(settings: Settings) -> Client:
    """Return what asks the cluster that settings name. Raises ConfigError, MissingExtra."""
    from trivium.backends.opensearch.client import Access, Client

    urls = settings.texts("backend.urls")
    if not urls:
        raise ConfigError(
            "backend.kind is opensearch, but backend.urls names no node of the cluster. "
            "Set TRIVIUM_BACKEND__URLS, such as http://127.0.0.1:9200."
        )
    access = Access(
        user=settings.text("backend.user"),
        password=settings.cluster_password,
        api_key=settings.cluster_key,
        certificates=settings.text("backend.certificates"),
    )
    return Client(urls, access=access)
