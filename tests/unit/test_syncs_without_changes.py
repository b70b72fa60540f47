"""A sync that finds nothing new leaves pages, and what answers are known by, as they are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from trivium import config
from trivium.collection import Collection, open_collection
from trivium.retrieval.cursor import AGAIN


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Collection]:
    """A collection whose files were saved just before it was synced."""
    root = tmp_path / "shop"
    root.mkdir()
    for number in range(6):
        (root / f"p{number}.md").write_text(f"# Page {number}\n\nA zebra.\n", encoding="utf-8")
    environ = {"TRIVIUM_HOME": str(tmp_path / "home"), "TRIVIUM_CONFIG": str(tmp_path / "none")}
    settings = config.load(folder=root, flags={"embedding.model": "none"}, environ=environ)
    with open_collection(root, settings=settings) as made:
        made.sync()
        yield made


def goes_on(shop: Collection, cursor: str | None) -> bool:
    return cursor is not None and AGAIN not in shop.search("zebra", limit=2, cursor=cursor).notes


def test_files_that_are_read_again_because_they_are_new_change_nothing(shop: Collection) -> None:
    state, cursor = shop.state, shop.search("zebra", limit=2).next
    report = shop.sync()

    assert (report.unchanged, report.wrote) == (6, False)
    assert shop.state == state
    assert goes_on(shop, cursor)


def test_a_new_time_of_a_file_begins_no_answer_again(shop: Collection) -> None:
    cursor = shop.search("zebra", limit=2).next
    os.utime(shop.root / "p3.md", (10**9, 10**9))
    shop.sync()

    assert goes_on(shop, cursor)
    newest = shop.search("zebra", sort="newest").results
    assert newest[-1].source.file_path == "p3.md"


def test_a_changed_file_and_one_that_is_passed_over_change_the_state(shop: Collection) -> None:
    state, cursor = shop.state, shop.search("zebra", limit=2).next
    (shop.root / "logo.png").write_bytes(b"\x89PNG\x00\x01")
    shop.sync()
    passed_over = shop.state
    assert passed_over != state
    assert goes_on(shop, cursor)

    (shop.root / "p0.md").write_text("# Page 0\n\nA lion.\n", encoding="utf-8")
    shop.sync()
    assert shop.state != passed_over
    assert not goes_on(shop, cursor)


def test_when_the_last_sync_ended_is_said_though_nothing_changed(shop: Collection) -> None:
    state = shop.state
    shop.search("zebra")
    with shop._backend.writer(wait_s=0) as writer:
        writer.note({"indexed_at": "2031-01-01T00:00:00+00:00"})

    assert shop.search("zebra", sync=False).freshness.indexed_at == "2031-01-01T00:00:00+00:00"
    assert shop.state == state
