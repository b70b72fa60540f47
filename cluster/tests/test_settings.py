"""A folder whose index is kept on a cluster because the settings say so."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.backends.opensearch.client import Client
from trivium.backends.opensearch.store import OpenSearchBackend
from trivium.collection import open_collection
from trivium.errors import IndexNotFound


def _settings(home: Path, client: Client, name: str) -> config.Settings:
    environ = {
        "TRIVIUM_HOME": str(home),
        "TRIVIUM_CONFIG": str(home / "none.toml"),
        "TRIVIUM_BACKEND__KIND": "opensearch",
        "TRIVIUM_BACKEND__URLS": ",".join(client.urls),
        "TRIVIUM_BACKEND__COLLECTION": name,
    }
    return config.load(environ=environ)


def test_an_index_is_found_from_another_machine_and_is_gone_for_all_once_removed(
    client: Client, tmp_path: Path
) -> None:
    name = uuid.uuid4().hex
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "prices.md").write_text("# Prices\n\nPrices are rounded down.\n", encoding="utf-8")
    here, there = (_settings(tmp_path / one, client, name) for one in ("here", "there"))
    with pytest.raises(IndexNotFound):
        open_collection(folder, settings=here, create=False)
    try:
        first = trivium.open(folder, settings=here)
        first.sync()
        second = open_collection(folder, settings=there, create=False)
        found = second.search("rounded prices")
        changed = second.sync()
        first.close()
        second.close()
    finally:
        OpenSearchBackend(name, client=client).destroy(wait_s=0)

    assert [hit.source.file_path for hit in found.results[:1]] == ["prices.md"]
    assert found.method == "hybrid"
    assert (changed.added, changed.changed, changed.removed) == (0, 0, 0)
    with pytest.raises(IndexNotFound):
        open_collection(folder, settings=there, create=False)
