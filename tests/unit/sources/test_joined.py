from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from trivium.sources.base import Raw
from trivium.sources.files import FolderSource
from trivium.sources.joined import JoinedSource


@pytest.fixture
def source(tmp_path: Path) -> JoinedSource:
    (tmp_path / "data").mkdir()
    (tmp_path / "notes.txt").write_text("a note\n")
    with closing(sqlite3.connect(tmp_path / "data" / "app.db")) as database:
        database.execute("CREATE TABLE orders (id INTEGER, item TEXT)")
        database.execute("INSERT INTO orders VALUES (1, 'tea')")
        database.commit()
    return JoinedSource(FolderSource(tmp_path), tables=("data/app.db:orders", "data/app.db:none"))


def test_tables_stand_among_the_files(source: JoinedSource) -> None:
    listing = source.list()

    assert [entry.path for entry in listing.entries] == [
        "data/app.db:none",
        "data/app.db:orders",
        "notes.txt",
    ]


def test_rows_are_read_as_json_lines_and_files_as_they_are(source: JoinedSource) -> None:
    found = {entry.path: source.read(entry) for entry in source.list().entries}

    orders, notes = found["data/app.db:orders"], found["notes.txt"]
    assert isinstance(orders, Raw)
    assert isinstance(notes, Raw)
    assert orders.text == '{"id": 1, "item": "tea"}\n'
    assert notes.text == "a note\n"
    assert not isinstance(found["data/app.db:none"], Raw)


def test_only_tables_of_the_folders_that_were_looked_at_are_listed(source: JoinedSource) -> None:
    known = {"notes.txt", "data/app.db:orders"}

    at_top = source.list(frozenset({""}), known=known)
    in_data = source.list(frozenset({"data"}), known=known)

    assert [entry.path for entry in at_top.entries] == ["notes.txt"]
    assert "data/app.db:orders" in [entry.path for entry in in_data.entries]
