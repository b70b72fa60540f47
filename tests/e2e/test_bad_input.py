from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from trivium import config, indexer
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.collection import open_collection
from trivium.doors.cli.main import main
from trivium.errors import FilterError
from trivium.sources import files as folder_source
from trivium.sources.base import Entry, Listing, Raw, Skip
from trivium.sources.files import FolderSource
from trivium.writing.digest import Cutting

TRIVIUM = Path(sys.executable).with_name("trivium")
MEGABYTE = 1_000_000
FOUND, NOTHING_FOUND, FAILED = 0, 1, 2


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    status: int
    stdout: str
    stderr: str

    @property
    def data(self) -> dict[str, object]:
        read: dict[str, object] = json.loads(self.stdout)
        return read


Command = Callable[..., Done]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "user.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }


@pytest.fixture
def command(
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """Run the command line here; an error leaves stdout empty and says why in plain words."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str | Path) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(one) for one in arguments])
        said = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return checked(Done(ended.value.code, said.out, said.err))

    return run


def checked(done: Done) -> Done:
    assert "Traceback" not in done.stderr
    if done.status == FAILED:
        assert done.stdout == ""
        assert done.stderr.strip()
    return done


@pytest.fixture
def files(tmp_path: Path) -> Path:
    place = tmp_path / "files"
    place.mkdir()
    return place


@pytest.fixture
def notes(files: Path) -> Path:
    """A folder with something to find."""
    (files / "notes.md").write_text("# Sailing\n\nthe keel and c++ and foo(bar)\n", "utf-8")
    (files / "sum.py").write_text("def add(a, b):\n    return a + b\n", "utf-8")
    return files


def skipped(command: Command, folder: Path) -> object:
    return command("status", folder, "--json").data["skipped"]


def hits(done: Done) -> list[dict[str, Any]]:
    found = done.data["results"]
    assert isinstance(found, list)
    return found


# What a folder may hold


def test_an_empty_folder_is_indexed_and_nothing_is_found_in_it(
    command: Command, files: Path
) -> None:
    assert command("index", files).status == FOUND
    done = command("search", "anything", files)
    assert (done.status, done.stdout) == (NOTHING_FOUND, "")
    assert command("search", "anything", files, "--json").data["results"] == []


def test_one_line_of_50_megabytes_is_passed_over_as_too_large(
    command: Command, notes: Path
) -> None:
    (notes / "line.txt").write_bytes(b"word " * (10 * MEGABYTE))
    assert command("search", "keel", notes).status == FOUND
    assert skipped(command, notes) == {"too-large": 1}


def test_one_line_of_50_megabytes_is_passed_over_even_where_large_files_are_read(
    command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_FILES__MAX_BYTES", str(60 * MEGABYTE))
    (notes / "line.txt").write_bytes(b"word " * (10 * MEGABYTE))
    assert command("search", "keel", notes).status == FOUND
    assert skipped(command, notes) == {"minified": 1}


def test_a_file_that_is_no_utf_8_neither_stops_the_others_nor_is_lost_without_a_word(
    command: Command, notes: Path
) -> None:
    (notes / "latin.txt").write_bytes("caf\xe9 cr\xe8me".encode("latin-1"))
    (notes / "broken.txt").write_bytes(b"\xc3\x28 \xa0\xa1 \xe2\x28\xa1 \xf0\x28\x8c\xbc" * 20)
    assert command("search", "keel", notes).status == FOUND
    status = command("status", notes, "--json").data
    assert isinstance(status["skipped"], dict)
    assert isinstance(status["files"], int)
    everything = len(list(notes.iterdir()))
    assert status["files"] + sum(status["skipped"].values()) == everything


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_text_with_a_byte_order_mark_is_found(command: Command, files: Path, encoding: str) -> None:
    (files / "windows.txt").write_bytes("a lighthouse in Größe\n".encode(encoding))
    done = command("search", "lighthouse größe", files)
    assert done.status == FOUND
    assert "windows.txt:1" in done.stdout


def test_a_file_with_nul_bytes_is_passed_over_as_binary(command: Command, notes: Path) -> None:
    (notes / "nul.txt").write_bytes(b"before\0\0\0\x01\x02after")
    assert command("search", "keel", notes).status == FOUND
    assert skipped(command, notes) == {"binary": 1}


def test_a_path_with_a_newline_is_searched_and_printed_on_one_line(
    command: Command, files: Path
) -> None:
    odd = files / "two\nlines"
    odd.mkdir()
    (odd / "a\tb.md").write_text("# Odd\n\nlantern\n", "utf-8")
    done = command("search", "lantern", files, "--json")
    assert done.status == FOUND
    (hit,) = hits(done)
    assert hit["source"]["filePath"] == "two\nlines/a\tb.md"
    printed = command("search", "lantern", files)
    assert printed.status == FOUND
    assert "two\nlines" not in printed.stdout
    assert command("get", hit["id"], files).stdout.strip().endswith("lantern")
    assert command("search", "lantern", files, "--path", "two\nlines").status == FOUND


def test_a_name_that_is_no_text_is_counted(command: Command, notes: Path) -> None:
    try:
        (notes / os.fsdecode(b"odd\xff.md")).write_text("# Odd\n", "utf-8")
    except OSError:
        pytest.skip("this file system takes only names that are text")
    assert command("search", "keel", notes).status == FOUND
    assert skipped(command, notes) == {"odd-name": 1}


def test_links_in_a_circle_end(command: Command, notes: Path) -> None:
    (notes / "deeper").mkdir()
    (notes / "deeper" / "up").symlink_to(notes, target_is_directory=True)
    (notes / "self").symlink_to(notes / "self")
    (notes / "there").symlink_to(notes / "back")
    (notes / "back").symlink_to(notes / "there")
    done = command("search", "keel", notes, "--json")
    assert done.status == FOUND
    assert len(hits(done)) == 1


def test_a_link_out_of_the_folder_is_not_followed(
    command: Command, notes: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside.md").write_text("# Outside\n\nforbidden\n", "utf-8")
    (notes / "link.md").symlink_to(tmp_path / "outside.md")
    assert command("search", "forbidden", notes).status == NOTHING_FOUND
    assert skipped(command, notes) == {"symlink-outside": 1}


def test_a_file_that_may_not_be_read_is_counted_and_the_others_are_found(
    command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "closed.md").write_text("# Closed\n", "utf-8")
    opened = folder_source._open_beneath

    def refusing(root: Path, path: str) -> int:
        # Whoever runs the tests may be allowed everything.
        if path == "closed.md":
            raise PermissionError(13, "Permission denied", path)
        return opened(root, path)

    monkeypatch.setattr(folder_source, "_open_beneath", refusing)
    assert command("search", "keel", notes).status == FOUND
    assert skipped(command, notes) == {"unreadable": 1}


class Vanishing:
    """A folder whose files go after they were listed."""

    def __init__(self, root: Path, *gone: str) -> None:
        self._source = FolderSource(root)
        self._root = root
        self._gone = gone

    def list(
        self, folders: frozenset[str] | None = None, *, known: Collection[str] = ()
    ) -> Listing:
        listing = self._source.list(folders, known=known)
        for name in self._gone:
            (self._root / name).unlink()
        return listing

    def read(self, entry: Entry) -> Raw | Skip:
        return self._source.read(entry)


def test_a_file_deleted_between_listing_and_reading_is_counted(notes: Path, tmp_path: Path) -> None:
    backend = EmbeddedBackend(tmp_path / "index", store=tmp_path / "store")
    first = indexer.sync(Vanishing(notes, "notes.md"), backend, cutting=Cutting(), synced_ns=None)
    assert first.skipped == {"notes.md": "vanished"}
    assert first.added == 1
    (notes / "sum.py").write_text("def other(): ...\n", "utf-8")
    second = indexer.sync(Vanishing(notes, "sum.py"), backend, cutting=Cutting())
    assert second.skipped == {"sum.py": "vanished"}
    assert second.removed == 1
    with backend.snapshot() as snapshot:
        assert snapshot.contents().files == 0
    backend.close()


# What a person may ask


def test_a_query_of_10_000_characters_is_answered_and_one_more_is_refused(
    command: Command, notes: Path
) -> None:
    assert command("search", "keel " * 2000, notes).status == FOUND
    done = command("search", "k" * 10_001, notes)
    assert done.status == FAILED
    assert "10,001" in done.stderr or "10001" in done.stderr
    assert "10,000" in done.stderr or "10000" in done.stderr
    assert len(done.stderr) < 500


@pytest.mark.parametrize(
    "query",
    [
        "the of and",
        "!?;:",
        "()",
        '"',
        "'",
        "c++",
        "foo(",
        '"keel',
        'keel"',
        "-",
        "*",
        "\0",
        " ",
        "",
    ],
)
def test_an_odd_query_is_answered_or_refused_in_plain_words(
    command: Command, notes: Path, query: str
) -> None:
    done = command("search", "--", query, notes)
    assert done.status in (FOUND, NOTHING_FOUND, FAILED)
    if done.status == FAILED:
        assert done.stderr.startswith("trivium: ")
    else:
        assert ("notes.md" in done.stdout) == (done.status == FOUND) or "sum.py" in done.stdout


@pytest.mark.parametrize("query", ["c++", "foo(", '"keel', "keel AND (", "keel)", "keel OR"])
def test_code_and_unbalanced_signs_still_find_their_words(
    command: Command, notes: Path, query: str
) -> None:
    done = command("search", query, notes)
    assert done.status == FOUND
    assert "notes.md" in done.stdout


@pytest.mark.parametrize("limit", ["0", "101", "-1", "ten"])
def test_a_limit_out_of_bounds_is_refused(command: Command, notes: Path, limit: str) -> None:
    done = command("search", "keel", notes, "--limit", limit)
    assert done.status == FAILED
    assert limit in done.stderr
    assert "limit" in done.stderr


def test_the_largest_limit_is_taken(command: Command, notes: Path) -> None:
    assert command("search", "keel", notes, "--limit", "100").status == FOUND


@pytest.mark.parametrize(
    ("arguments", "wrong", "nearest"),
    [
        (["--profile", "bset"], "bset", "best"),
        (["--mode", "mixd"], "mixd", "mixed"),
        (["--search-mode", "keywrod"], "keywrod", "keyword"),
        (["--langg", "python"], "--langg", "--lang"),
    ],
)
def test_an_unknown_word_is_refused_with_the_nearest_known_one(
    command: Command, notes: Path, arguments: list[str], wrong: str, nearest: str
) -> None:
    done = command("search", "keel", notes, *arguments)
    assert done.status == FAILED
    assert wrong in done.stderr
    assert nearest in done.stderr.replace(wrong, "")


def test_an_unknown_filter_is_refused_with_the_nearest_known_one(
    environment: dict[str, str], notes: Path
) -> None:
    with open_collection(notes, settings=config.load(environ=environment)) as collection:
        collection.sync()
        with pytest.raises(FilterError, match=r"langg.*lang\b") as refused:
            collection.search("keel", filters={"langg": "python"})
    assert refused.value.field == "langg"


def test_an_id_that_is_nowhere_is_said(command: Command, notes: Path) -> None:
    assert command("index", notes).status == FOUND
    done = command("get", "doc:nowhere.md", notes)
    assert done.status == FAILED
    assert "doc:nowhere.md" in done.stderr


# Where a person may point


def test_a_folder_that_does_not_exist_is_said(command: Command, tmp_path: Path) -> None:
    for arguments in (["search", "keel"], ["index"], ["status"]):
        done = command(*arguments, tmp_path / "nowhere")
        assert done.status == FAILED
        assert "nowhere" in done.stderr


def test_a_file_instead_of_a_folder_is_said(command: Command, notes: Path) -> None:
    for arguments in (["search", "keel"], ["index"]):
        done = command(*arguments, notes / "notes.md")
        assert done.status == FAILED
        assert "notes.md" in done.stderr
        assert "folder" in done.stderr


def test_a_folder_that_was_never_indexed_names_the_command(command: Command, notes: Path) -> None:
    done = command("status", notes)
    assert done.status == FAILED
    assert f"trivium index {notes}" in done.stderr


def test_a_broken_settings_file_is_named(command: Command, notes: Path) -> None:
    (notes / "trivium.toml").write_text("[search\nprofile=", "utf-8")
    done = command("search", "keel", notes)
    assert done.status == FAILED
    assert str(notes / "trivium.toml") in done.stderr


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ('[embedding]\nbase_url = "http://example.org"\n', "embedding.base_url"),
        ('[embedding]\nmodel = "openai:x"\n', "embedding.model"),
        ("[files]\nmax_bytes = 5\n", "files.max_bytes"),
        ('[search]\nprofil = "best"\n', "search.profile"),
        ("[chunking]\nsize = 1\n", "chunking.size"),
        ('[chunking]\nsize = "big"\n', "chunking.size"),
        ("search = 1\n", "search"),
    ],
)
def test_a_folder_may_not_set_what_is_not_its_own(
    command: Command, notes: Path, written: str, named: str
) -> None:
    (notes / "trivium.toml").write_text(written, "utf-8")
    done = command("search", "keel", notes)
    assert done.status == FAILED
    assert named in done.stderr
    assert str(notes / "trivium.toml") in done.stderr


def test_an_unknown_setting_in_the_environment_is_named(
    command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_CHUNKING__SICE", "1")
    done = command("search", "keel", notes)
    assert done.status == FAILED
    assert "TRIVIUM_CHUNKING__SICE" in done.stderr
    assert "chunking.size" in done.stderr


def test_a_home_that_cannot_be_made_is_said(
    command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_HOME", str(notes / "notes.md" / "home"))
    done = command("search", "keel", notes)
    assert done.status == FAILED
    assert done.stderr.startswith("trivium: ")


def test_an_archive_that_is_none_is_said_and_changes_nothing(
    command: Command, notes: Path, tmp_path: Path
) -> None:
    assert command("index", notes).status == FOUND
    for name, data in (("noise", b"\x1f\x8bnoise" * 50), ("text", b"{}\n"), ("empty", b"")):
        archive = tmp_path / name
        archive.write_bytes(data)
        done = command("import", archive, notes)
        assert done.status == FAILED
    assert command("import", tmp_path / "nowhere", notes).status == FAILED
    assert command("search", "keel", notes).status == FOUND


# The installed command


def test_the_installed_command_keeps_errors_off_stdout(
    environment: dict[str, str], notes: Path
) -> None:
    def run(*arguments: str) -> Done:
        done = subprocess.run(
            [str(TRIVIUM), *arguments], env=environment, capture_output=True, text=True, check=False
        )
        return checked(Done(done.returncode, done.stdout, done.stderr))

    assert run("search", "keel", str(notes)).status == FOUND
    assert run("search", "nothinglikeit", str(notes)).status == NOTHING_FOUND
    assert run("search", "k" * 10_001, str(notes)).status == FAILED
    assert run("search", "keel", str(notes / "nowhere")).status == FAILED
    assert run("search").status == FAILED
    assert run("serach", "keel").status == FAILED


def test_a_search_in_a_folder_below_an_indexed_one_stays_below(
    environment: dict[str, str], notes: Path
) -> None:
    (notes / "odd (name)").mkdir()
    (notes / "odd (name)" / "deep.md").write_text("# Deep\n\nkeel\n", "utf-8")
    settings = config.load(environ=environment)
    with open_collection(notes, settings=settings) as collection:
        collection.sync()
        assert len(collection.search("keel").results) == 2
    with open_collection(notes / "odd (name)", settings=settings) as below:
        paths = [hit.source.file_path for hit in below.search("keel").results]
    assert paths == ["odd (name)/deep.md"]
