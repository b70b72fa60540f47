from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trivium import indexer
from trivium.backends.reference.store import ReferenceBackend
from trivium.errors import UsageError
from trivium.testing.corpus import Section, make_file
from trivium.testing.embedders import WordEmbedder
from trivium.testing.filling import write
from trivium.writing.archive import read_archive, write_archive

FILES = [
    make_file(
        "a.py", [Section("find", "find cats", tags=("pets",), signature="find()", calls=("b.md",))]
    ),
    make_file("b.md", [Section("dogs", "a dog\n\nand größe 東京"), Section("cows", "a cow")]),
]
Lines = list[dict[str, Any]]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    backend = ReferenceBackend()
    write(backend, FILES)
    indexer.embed(backend, WordEmbedder())
    path = tmp_path / "docs.trivium"
    with backend.snapshot() as snapshot:
        assert write_archive(snapshot, path, header={"name": "docs"}) == 2
    return path


def lines_of(path: Path) -> Lines:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def rewrite(path: Path, lines: Lines) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def held() -> ReferenceBackend:
    """Return a backend with something in it that an import replaces, or must leave alone."""
    backend = ReferenceBackend()
    write(backend, [make_file("old.md", [Section("old", "an old cat")])])
    return backend


def read(path: Path, backend: ReferenceBackend) -> int:
    with backend.writer(wait_s=0) as writer, backend.snapshot() as snapshot:
        return read_archive(path, writer, known=snapshot.files())


def test_an_import_replaces_all_that_was_there(archive: Path) -> None:
    backend = held()

    assert read(archive, backend) == 2

    with backend.snapshot() as snapshot:
        assert [snapshot.content(one.state.path) for one in FILES] == FILES
        assert sorted(snapshot.files()) == ["a.py", "b.md"]
        assert [space.coverage for space in snapshot.spaces()] == [1.0]


def test_vectors_come_back_as_they_were(archive: Path, tmp_path: Path) -> None:
    backend = held()
    read(archive, backend)
    again = tmp_path / "again.trivium"
    with backend.snapshot() as snapshot:
        write_archive(snapshot, again, header={"name": "docs"})

    assert lines_of(again) == lines_of(archive)


def test_an_index_of_many_files_and_vectors_is_written_in_batches(tmp_path: Path) -> None:
    backend = ReferenceBackend()
    write(
        backend,
        [
            make_file(
                f"{file}.md", [Section(f"s{part}", f"text {file} {part}") for part in range(9)]
            )
            for file in range(130)
        ],
    )
    indexer.embed(backend, WordEmbedder())
    with backend.snapshot() as snapshot:
        write_archive(snapshot, tmp_path / "many.trivium", header={})
        chunks = snapshot.contents().chunks
    other = held()

    assert read(tmp_path / "many.trivium", other) == 130

    with other.snapshot() as snapshot:
        assert snapshot.contents().chunks == chunks == 9 * 130
        assert [space.coverage for space in snapshot.spaces()] == [1.0]


def test_an_export_that_cannot_be_written_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    with (
        held().snapshot() as snapshot,
        pytest.raises(UsageError, match=r"no-folder.*cannot be written"),
    ):
        write_archive(snapshot, tmp_path / "no-folder" / "x.trivium", header={})

    assert list(tmp_path.iterdir()) == []


def test_a_failed_export_leaves_the_one_before_it(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = archive.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("trivium.writing.archive.json.dumps", full)
    with (
        held().snapshot() as snapshot,
        pytest.raises(UsageError, match="No space left on device"),
    ):
        write_archive(snapshot, archive, header={})

    assert archive.read_bytes() == before
    assert list(archive.parent.iterdir()) == [archive]


def assert_refused(path: Path, message: str) -> None:
    backend = held()
    with backend.snapshot() as snapshot:
        before = snapshot.contents()

    with pytest.raises(UsageError, match=message) as caught:
        read(path, backend)

    assert str(path) in str(caught.value)
    with backend.snapshot() as snapshot:
        assert snapshot.contents() == before


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert_refused(tmp_path / "none.trivium", "There is no file")


def test_a_file_that_is_cut_off_is_refused_and_nothing_changes(archive: Path) -> None:
    whole = archive.read_bytes()
    archive.write_bytes(whole[: len(whole) // 2])

    assert_refused(archive, "damaged after line")


def test_a_file_with_bytes_changed_is_refused(archive: Path) -> None:
    whole = bytearray(archive.read_bytes())
    middle = len(whole) // 2
    whole[middle : middle + 16] = bytes(16)
    archive.write_bytes(whole)

    assert_refused(archive, "damaged after line|line [0-9]+: not what an export holds")


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8b\x08 and no more"])
def test_a_file_that_is_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.trivium"
    path.write_bytes(content)

    assert_refused(path, "no export|not an export")


def test_an_empty_archive_is_no_export(tmp_path: Path) -> None:
    path = tmp_path / "x.trivium"
    rewrite(path, [])

    assert_refused(path, "not an export this version reads.*trivium export FILE")


@pytest.mark.parametrize("header", [{"trivium": 2, "name": "docs"}, {"name": "docs"}])
def test_another_format_is_refused_with_what_to_do(archive: Path, header: dict[str, Any]) -> None:
    rewrite(archive, [header, *lines_of(archive)[1:]])

    assert_refused(archive, "not an export this version reads.*trivium export FILE")


def test_a_line_that_is_no_json_is_named(archive: Path) -> None:
    with gzip.open(archive, "at", encoding="utf-8") as file:
        file.write("{broken\n")

    assert_refused(archive, f"line {len(lines_of_text(archive))}: .*no JSON")


def lines_of_text(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return list(file)


def test_a_line_that_is_no_object_is_named(archive: Path) -> None:
    with gzip.open(archive, "at", encoding="utf-8") as file:
        file.write("[1]\n")

    assert_refused(archive, r"line \d+: .*no object")


def test_a_line_of_a_later_version_is_passed_over(archive: Path) -> None:
    rewrite(archive, [*lines_of(archive), {"something": "else"}])

    assert read(archive, held()) == 2


def _drop_text(lines: Lines) -> None:
    del lines[2]["file"]["text"]


def _file_is_a_list(lines: Lines) -> None:
    lines[2]["file"] = []


def _metadata_is_a_list(lines: Lines) -> None:
    lines[2]["file"]["nodes"][0]["metadata"] = []


def _path_is_a_number(lines: Lines) -> None:
    lines[2]["file"]["state"]["path"] = 3


def _size_is_text(lines: Lines) -> None:
    lines[2]["file"]["state"]["size_bytes"] = "3"


def _size_is_past_a_database(lines: Lines) -> None:
    lines[2]["file"]["state"]["size_bytes"] = 2**70


def _kind_is_unknown(lines: Lines) -> None:
    lines[2]["file"]["nodes"][0]["kind"] = "cat"


def _chunk_is_short(lines: Lines) -> None:
    lines[2]["file"]["chunks"][0] = ["x@0", "x", 0, 1]


def _chunk_ends_after_the_text(lines: Lines) -> None:
    lines[2]["file"]["chunks"][0][3] = 10_000


def _chunk_of_no_node(lines: Lines) -> None:
    lines[2]["file"]["chunks"][0][1] = "doc:nobody"


def _the_same_file_twice(lines: Lines) -> None:
    lines[2] = lines[1]


@pytest.mark.parametrize(
    "damage",
    [
        _drop_text,
        _file_is_a_list,
        _metadata_is_a_list,
        _path_is_a_number,
        _size_is_text,
        _size_is_past_a_database,
        _kind_is_unknown,
        _chunk_is_short,
        _chunk_ends_after_the_text,
        _chunk_of_no_node,
        _the_same_file_twice,
    ],
)
def test_a_file_that_is_not_as_it_was_written_is_named_by_its_line(
    archive: Path, damage: Callable[[Lines], None]
) -> None:
    lines = lines_of(archive)
    damage(lines)
    rewrite(archive, lines)

    assert_refused(archive, "line 3: not what an export holds")


def packed(*values: float) -> str:
    return base64.b64encode(np.array(values, "<f4").tobytes()).decode()


@pytest.mark.parametrize(
    "change",
    [
        {"vector": "!"},
        {"vector": ""},
        {"vector": packed(*[float("nan")] * 16)},
        {"vector": packed(1.0, 0.0)},
        {"vector": 3},
        {"key": "xyz"},
        {"key": None},
        {"model": "../../elsewhere"},
        {"model": ".."},
        {"model": ""},
        {"model": 7},
    ],
)
def test_a_vector_that_is_not_one_is_named_by_its_line(
    archive: Path, change: dict[str, object]
) -> None:
    lines = lines_of(archive)
    assert "vector" in lines[4]
    lines[4] |= change
    rewrite(archive, lines)

    assert_refused(archive, "line 5: not what an export holds")
