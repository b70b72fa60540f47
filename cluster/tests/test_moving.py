"""An index moved to a cluster and back: the same, and nothing embedded again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

from trivium.backends.base import Backend
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.opensearch.client import Client
from trivium.backends.opensearch.store import OpenSearchBackend
from trivium.filtering.conditions import EVERYTHING
from trivium.linker import link
from trivium.query.grammar import Words
from trivium.testing import corpus
from trivium.testing.contract import MakeBackend
from trivium.testing.filling import BODY, MODEL, ask, embed, vector_of, write
from trivium.writing.moving import move_index


def _embedded(place: Path) -> Backend:
    return EmbeddedBackend(place / "collection", store=place / "store")


def _seen(backend: Backend) -> object:
    with backend.snapshot() as snapshot:
        space = snapshot.vectors(MODEL)
        assert space is not None
        words = snapshot.text(BODY).search(ask(Words("index query")), where=EVERYTHING, depth=50)
        near = space.search(vector_of("index"), where=EVERYTHING, depth=50)
        return (
            {path: snapshot.content(path) for path in snapshot.paths()},
            [(one.model_id, one.dimension, one.coverage) for one in snapshot.spaces()],
            words.ids,
            near.ids,
        )


def test_an_index_moved_to_a_cluster_and_back_is_the_one_it_was(
    make_collection: MakeBackend, tmp_path: Path
) -> None:
    first, cluster, last = (
        _embedded(tmp_path / "one"),
        make_collection(),
        _embedded(tmp_path / "two"),
    )
    write(first, corpus.generated()[:20])
    embed(first)
    link(first)

    for source, target in ((first, cluster), (cluster, last)):
        move_index(source, target)
        link(target)
        with target.writer(wait_s=0) as writer:
            assert writer.count_pending(MODEL) == 0
        with source.snapshot() as before, target.snapshot() as after:
            assert after.contents().edges == before.contents().edges

    assert _seen(cluster) == _seen(first)
    assert _seen(last) == _seen(first)


def test_a_person_moves_a_collection_to_a_cluster_and_back_with_two_commands(
    client: Client, tmp_path: Path
) -> None:
    name = uuid.uuid4().hex
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "prices.md").write_text("# Prices\n\nPrices are rounded down.\n", encoding="utf-8")
    environ = {
        **{key: value for key, value in os.environ.items() if not key.startswith("TRIVIUM_B")},
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
    }

    def run(*words: str) -> str:
        command = [str(Path(sys.executable).with_name("trivium")), *words]
        return subprocess.run(command, env=environ, capture_output=True, check=True).stdout.decode()

    run("index", str(shop))
    urls = [word for url in client.urls for word in ("--url", url)]
    here = _found(run("search", "rounded prices", str(shop), "--json"))

    there = run("move", "shop", "--to", "opensearch", "--as", name, *urls)
    on_cluster = _found(run("search", "rounded prices", str(shop), "--json"))
    kept_in = json.loads(run("status", str(shop), "--json"))["folder"]
    listed = json.loads(run("collections", "--json"))
    (shop / "prices.md").write_text("# Prices\n\nPrices are rounded up.\n", encoding="utf-8")
    report = json.loads(run("index", str(shop), "--json"))
    back = run("move", "shop", "--to", "embedded", "--yes")
    again = _found(run("search", "rounded up", str(shop), "--json"))

    assert "1 file," in there
    assert "this machine: 1 file," in back
    assert on_cluster == here == again == ["prices.md"]
    assert kept_in.startswith(f"{name} on ")
    assert [one["backend"] for one in listed] == ["opensearch"]
    assert (report["added"], report["changed"], report["removed"]) == (0, 1, 0)
    assert OpenSearchBackend(name, client=client).meta().get("indexed_at") is None


def _found(printed: str) -> list[str]:
    return [hit["source"]["filePath"] for hit in json.loads(printed)["results"]]
