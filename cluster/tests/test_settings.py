"""A folder whose index is kept on a cluster because the settings say so."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.backends.opensearch.client import Client
from trivium.backends.opensearch.store import OpenSearchBackend
from trivium.collection import Collection, open_collection
from trivium.errors import IndexNotFound
from trivium.retrieval.cursor import AGAIN
from trivium.testing.folders import write_files


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


@pytest.fixture
def zebras(client: Client, tmp_path: Path) -> Iterator[Collection]:
    name, folder = uuid.uuid4().hex, tmp_path / "zebras"
    write_files(folder, {f"p{n}.md": f"# Page {n}\n\nA zebra.\n" for n in range(6)})
    with trivium.open(folder, settings=_settings(tmp_path / "home", client, name)) as made:
        made.sync()
        yield made
    OpenSearchBackend(name, client=client).destroy(wait_s=0)


def test_a_new_time_of_a_file_begins_no_answer_again_and_a_new_text_does(
    zebras: Collection,
) -> None:
    cursor = zebras.search("zebra", limit=2).next
    os.utime(zebras.root / "p3.md", (10**9, 10**9))
    zebras.sync()
    touched = zebras.search("zebra", limit=2, cursor=cursor)
    newest = zebras.search("zebra", sort="newest").results
    (zebras.root / "p0.md").write_text("# Page 0\n\nA lion.\n", encoding="utf-8")
    zebras.sync()
    changed = zebras.search("zebra", limit=2, cursor=cursor)

    assert cursor is not None
    assert AGAIN not in touched.notes
    assert newest[-1].source.file_path == "p3.md"
    assert AGAIN in changed.notes


def test_what_answers_are_known_by_changes_with_the_index_and_not_with_each_sync(
    zebras: Collection,
) -> None:
    states = [zebras.state]
    zebras.sync()
    states.append(zebras.state)
    (zebras.root / "logo.png").write_bytes(b"\x89PNG\x00\x01")
    zebras.sync()
    states.append(zebras.state)
    zebras.reset()
    zebras.sync()
    states.append(zebras.state)

    assert states[0] == states[1]
    assert len(set(states)) == len(states) - 1
