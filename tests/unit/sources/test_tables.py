from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from trivium.parsing.detect import FileType
from trivium.parsing.record import record
from trivium.sources import tables
from trivium.sources.base import Entry, Raw, Reason, Skip
from trivium.sources.tables import list_tables, read_table
from trivium.types import Document, Kind

SCHEMA = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT, price REAL, photo BLOB, note TEXT);
INSERT INTO orders VALUES (1, 'bücher', 9.5, x'010203', NULL), (2, 'a' || char(10) || 'b', 9e999,
  zeroblob(5), '');
CREATE VIEW cheap AS SELECT id, item AS [the "item"], id FROM orders WHERE price < 10;
CREATE VIEW endless AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
  SELECT count(*) FROM n;
CREATE TABLE empty (a);
CREATE TABLE odd (t TEXT);
INSERT INTO odd VALUES (CAST(x'ff41' AS TEXT));
CREATE VIRTUAL TABLE words USING fts5(text);
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "data").mkdir(parents=True)
    make(root / "data" / "app.db", SCHEMA)
    return root


def make(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def read(folder: Path, name: str) -> Raw | Skip:
    return read_table(folder, Entry(name, 0, 0))


def rows(folder: Path, name: str) -> list[object]:
    found = read(folder, name)
    assert isinstance(found, Raw)
    return [json.loads(line) for line in found.text.splitlines()]


def reason(folder: Path, name: str) -> Reason:
    found = read(folder, name)
    assert isinstance(found, Skip)
    assert found.path == name
    return found.reason


def test_a_table_is_listed_with_the_size_and_time_of_its_file(folder: Path) -> None:
    status = (folder / "data" / "app.db").stat()
    names = ["data/app.db:orders", "data/app.db:empty", "data/app.db:orders"]
    listing = list_tables(folder, names)

    assert listing.entries == tuple(
        Entry(name, status.st_size, status.st_mtime_ns)
        for name in ("data/app.db:empty", "data/app.db:orders")
    )
    assert listing.skipped == ()


def test_its_rows_are_lines_of_json_with_blobs_by_their_length(folder: Path) -> None:
    assert rows(folder, "data/app.db:orders") == [
        {"id": 1, "item": "bücher", "price": 9.5, "photo": "<3 bytes>", "note": None},
        {"id": 2, "item": "a\nb", "price": "inf", "photo": "<5 bytes>", "note": ""},
    ]


def test_the_entry_of_what_was_read_is_the_file_as_it_is_now(folder: Path) -> None:
    (listed,) = list_tables(folder, ["data/app.db:orders"]).entries
    found = read(folder, "data/app.db:orders")

    assert isinstance(found, Raw)
    assert found.entry == listed


def test_its_rows_are_read_as_records(folder: Path) -> None:
    found = read(folder, "data/app.db:orders")
    assert isinstance(found, Raw)
    document = Document(found.entry.path, found.text)
    parsed = record(document, FileType(Kind.RECORD, "jsonl", "record"))

    assert [node.id for node in parsed.nodes] == [
        "file:data/app.db:orders",
        "record:data/app.db:orders#1",
        "record:data/app.db:orders#2",
    ]


def test_the_hash_changes_with_the_rows_and_not_with_the_file(folder: Path) -> None:
    def digests() -> list[str]:
        found = [read(folder, f"data/app.db:{table}") for table in ("orders", "odd")]
        return [one.sha256 for one in found if isinstance(one, Raw)]

    before = digests()
    make(folder / "data" / "app.db", "UPDATE orders SET item = 'x' WHERE id = 1")
    after = digests()

    assert (before[0] == after[0], before[1] == after[1]) == (False, True)


def test_a_view_is_read_under_any_case_of_its_name(folder: Path) -> None:
    assert rows(folder, "data/app.db:CHEAP") == [{"id": 1, 'the "item"': "bücher", "id:1": 1}]


def test_an_empty_table_is_an_empty_text(folder: Path) -> None:
    assert rows(folder, "data/app.db:empty") == []


def test_text_that_is_not_utf_8_is_repaired(folder: Path) -> None:
    assert rows(folder, "data/app.db:odd") == [{"t": "\ufffdA"}]


def test_a_view_that_never_ends_is_stopped(folder: Path) -> None:
    entry = Entry("data/app.db:endless", 0, 0)

    assert read_table(folder, entry, most_steps=1_000_000) == Skip(entry.path, Reason.TOO_LARGE)
    assert read_table(folder, entry, timeout_s=0) == Skip(entry.path, Reason.TOO_LARGE)


def test_rows_past_the_limits_are_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_ROWS", 1)
    assert len(rows(folder, "data/app.db:orders")) == 1
    monkeypatch.setattr(tables, "MOST_ROWS", 50_000)
    monkeypatch.setattr(tables, "MOST_CHARACTERS", len('{"t": "?A"}\n') - 1)
    assert rows(folder, "data/app.db:odd") == []
    monkeypatch.setattr(tables, "MOST_CHARACTERS", len('{"t": "?A"}\n'))
    assert len(rows(folder, "data/app.db:odd")) == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("data/app.db:nothing", Reason.VANISHED),
        ("data/app.db:words", Reason.VANISHED),
        ("data/app.db:ord\0ers", Reason.VANISHED),
        ("data/none.db:orders", Reason.VANISHED),
        ("data/app.db/x:orders", Reason.VANISHED),
        ("data:orders", Reason.SPECIAL),
        ("data/app.db", Reason.ODD_NAME),
        (":orders", Reason.ODD_NAME),
        ("data/app.db:", Reason.ODD_NAME),
        ("../root/data/app.db:orders", Reason.ODD_NAME),
        ("/etc/passwd:orders", Reason.ODD_NAME),
        ("data/\0.db:orders", Reason.ODD_NAME),
    ],
)
def test_what_cannot_be_read_says_why(folder: Path, name: str, expected: Reason) -> None:
    assert reason(folder, name) is expected


def test_a_name_that_is_no_text_can_be_printed(folder: Path) -> None:
    listing = list_tables(folder, ["data/\udcff.db:orders"])

    assert listing.skipped == (Skip("data/\\udcff.db:orders", Reason.ODD_NAME),)


def test_no_link_is_followed(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    make(outside / "app.db", SCHEMA)
    (folder / "linked.db").symlink_to(outside / "app.db")
    (folder / "linked").symlink_to(outside)
    (folder / "inside.db").symlink_to(folder / "data" / "app.db")

    for name in ("linked.db:orders", "linked/app.db:orders", "inside.db:orders"):
        assert list_tables(folder, [name]).skipped == (Skip(name, Reason.SYMLINK_OUTSIDE),)
        assert reason(folder, name) is Reason.SYMLINK_OUTSIDE


def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe.db")

    assert reason(folder, "pipe.db:orders") is Reason.SPECIAL


def test_the_file_and_its_folder_are_left_as_they_were(folder: Path) -> None:
    file = folder / "data" / "app.db"
    make(file, "PRAGMA journal_mode = WAL; INSERT INTO empty VALUES (1)")
    before = file.read_bytes(), sorted(file.parent.iterdir())
    rows(folder, "data/app.db:empty")

    assert (file.read_bytes(), sorted(file.parent.iterdir())) == before


@pytest.mark.parametrize("name", ["odd #?%20.db", "a:b.db", "日本.db"])
def test_odd_file_names_are_found(folder: Path, name: str) -> None:
    make(folder / name, SCHEMA)

    assert len(rows(folder, f"{name}:orders")) == 2


def test_a_file_that_is_no_database_is_unreadable(folder: Path) -> None:
    (folder / "text.db").write_text("just text", encoding="utf-8")
    (folder / "empty.db").write_bytes(b"")
    (folder / "head.db").write_bytes(b"SQLite format 3\0")

    for name in ("text.db", "empty.db", "head.db"):
        assert reason(folder, f"{name}:orders") is Reason.UNREADABLE


def damaged(data: bytes) -> Iterator[bytes]:
    chance = random.Random(7)  # noqa: S311 - repeatable, not secret
    for _ in range(150):
        broken = bytearray(data)
        for _ in range(chance.choice([1, 3, 30, 300])):
            broken[chance.randrange(16, len(broken))] = chance.randrange(256)
        yield bytes(broken[: chance.choice([len(broken), len(broken) // 2])])


def test_a_damaged_database_does_no_harm(folder: Path) -> None:
    data = (folder / "data" / "app.db").read_bytes()
    seen: set[str] = set()
    for broken in damaged(data):
        (folder / "broken.db").write_bytes(broken)
        for table in ("orders", "cheap", "odd"):
            entry = Entry(f"broken.db:{table}", 0, 0)
            found = read_table(folder, entry, most_steps=1_000_000)
            seen.add("read" if isinstance(found, Raw) else found.reason)

    assert {"read", Reason.UNREADABLE} <= seen


def test_a_database_that_was_cut_short_is_not_read_as_zeros(folder: Path) -> None:
    file = folder / "data" / "app.db"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) - 1000])

    assert reason(folder, "data/app.db:orders") is Reason.UNREADABLE
