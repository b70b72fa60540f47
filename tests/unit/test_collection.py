from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.backends.base import FileContent
from trivium.backends.embedded.lock import writer_lock
from trivium.collection import Collection, open_collection
from trivium.errors import (
    ChunkNotFound,
    ConfigError,
    FilterError,
    IndexLocked,
    IndexNotFound,
    IndexRemoved,
    IndexUnusable,
    MissingExtra,
    ModelError,
    UsageError,
)
from trivium.home import folder_of, listed, remove
from trivium.sources.base import Listing, Raw
from trivium.sources.files import FolderSource
from trivium.testing.embedders import WordEmbedder
from trivium.types import Answer
from trivium.writing.digest import Cutting, digest

Open = Callable[..., Collection]

FILES = {
    "readme.md": "# Shop\n\nA shop for cats.\n",
    "src/auth.py": "def check(token):\n    return token == 'cat'\n",
    "src2/other.py": "def other(cat):\n    return cat\n",
    "data/orders.csv": "id,pet\n1,cat\n",
}
OLD_S = 1_000_000_000


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files that are old, so that no sync takes them for just written."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (OLD_S, OLD_S))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    write(folder, FILES)
    return folder


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    """The only model there is, under the name `words`."""
    made = WordEmbedder()

    def load(name: str, **_: object) -> WordEmbedder:
        if name != "words":
            raise MissingExtra(f"The model {name!r}", extra=name)
        return made

    monkeypatch.setattr("trivium.models.registry.load", load)
    return made


@pytest.fixture
def opened(home: Path) -> Iterator[Open]:
    collections: list[Collection] = []

    def open_(folder: Path, *, create: bool = True, **flags: config.Value) -> Collection:
        environ = {"TRIVIUM_HOME": str(home), "TRIVIUM_CONFIG": str(home / "config.toml")}
        given: dict[str, config.Value] = {"embedding.model": "none"}
        given |= {key.replace("__", "."): value for key, value in flags.items()}
        settings = config.load(folder=folder, flags=given, environ=environ)
        collections.append(trivium.open(folder, settings=settings, create=create))
        return collections[-1]

    yield open_
    for collection in collections:
        collection.close()


def paths(answer: Answer) -> list[str]:
    return [hit.source.file_path for hit in answer.results]


def test_a_folder_without_an_index_is_not_found_unless_one_may_be_made(
    shop: Path, opened: Open
) -> None:
    with pytest.raises(IndexNotFound, match=f"trivium index {shop}"):
        opened(shop, create=False)

    assert opened(shop).stats().files == 0
    assert opened(shop, create=False).root == shop


def test_what_is_no_folder_cannot_be_opened(shop: Path, opened: Open) -> None:
    for wrong in (shop / "readme.md", shop / "nowhere"):
        with pytest.raises(UsageError, match="is not a folder"):
            opened(wrong)


def test_a_folder_is_searched_after_one_sync(shop: Path, opened: Open) -> None:
    collection = opened(shop)
    report = collection.sync()

    assert report.added == len(FILES)
    assert paths(collection.search("check token")) == ["src/auth.py"]


def test_a_search_can_sync_first(shop: Path, opened: Open) -> None:
    collection = opened(shop)

    assert paths(collection.search("shop")) == []
    answer = collection.search("shop", sync=True)

    assert paths(answer) == ["readme.md"]
    assert answer.freshness.dirty_files == 0


def test_a_search_that_cannot_sync_answers_from_the_last_state_and_says_so(
    shop: Path, opened: Open, home: Path
) -> None:
    collection = opened(shop)
    collection.sync()
    write(shop, {"new.md": "a brand new shop\n", "readme.md": "# Shop\n\nChanged.\n"})

    with writer_lock(folder_of(shop, home), wait_s=0):
        answer = collection.search("shop", sync=True)

    assert paths(answer) == ["readme.md"]
    assert answer.freshness.dirty_files == 2
    assert answer.degraded[0].stage == "sync"


def test_a_folder_below_an_indexed_one_uses_its_index(shop: Path, opened: Open, home: Path) -> None:
    opened(shop).sync()

    below = opened(shop / "src")

    assert below.root == shop
    assert paths(below.search("cat")) == ["src/auth.py"]
    assert len(listed(home)) == 1


def test_a_folder_below_is_limited_beside_other_filters(shop: Path, opened: Open) -> None:
    opened(shop).sync()
    below = opened(shop / "src")

    assert paths(below.search("cat", kind="doc")) == []
    assert paths(below.search("cat", filters={"lang": "python"})) == ["src/auth.py"]


def test_a_folder_of_its_own_is_preferred_to_the_one_above(shop: Path, opened: Open) -> None:
    opened(shop / "src").sync()
    opened(shop).sync()

    assert opened(shop / "src").root == shop / "src"
    assert opened(shop).root == shop


def test_the_folders_own_file_chooses_the_profile(shop: Path, opened: Open) -> None:
    write(shop, {"trivium.toml": '[search]\nprofile = "rag"\n'})
    collection = opened(shop)
    collection.sync()

    assert collection.search("cat").profile == "rag"
    assert collection.search("cat", profile="best").profile == "best"


def test_ignored_files_are_not_searched(shop: Path, opened: Open) -> None:
    write(shop, {"trivium.toml": '[files]\nignore = ["src/"]\n'})
    collection = opened(shop)
    collection.sync()

    assert paths(collection.search("check token")) == []


def test_other_settings_than_the_index_was_made_with_name_the_command(
    shop: Path, opened: Open
) -> None:
    opened(shop).sync()

    with pytest.raises(IndexUnusable, match=f"chunks 500/200.*trivium index --rebuild {shop}"):
        opened(shop, chunking__size=500)


def test_a_very_large_folder_asks_first(shop: Path, opened: Open) -> None:
    collection = opened(shop, files__ask_above=3)

    with pytest.raises(UsageError, match=r"4 files, more than 3.*--yes"):
        collection.sync()

    assert collection.sync(yes=True).added == 4
    assert collection.sync().unchanged == 4


@pytest.mark.parametrize(
    ("mode", "found"),
    [
        ("mixed", {"readme.md", "src/auth.py", "src2/other.py", "data/orders.csv"}),
        ("code", {"src/auth.py", "src2/other.py"}),
        ("prose", {"readme.md"}),
    ],
)
def test_a_mode_is_a_choice_of_kinds(shop: Path, opened: Open, mode: str, found: set[str]) -> None:
    collection = opened(shop)
    collection.sync()

    answer = collection.search("cat", mode=mode)

    assert set(paths(answer)) - {"data/orders.csv"} == found - {"data/orders.csv"}


def test_unknown_modes_filters_and_profiles_are_refused_by_name(shop: Path, opened: Open) -> None:
    collection = opened(shop)

    with pytest.raises(UsageError, match=r"'poetry'.*mixed, code, prose, records"):
        collection.search("cat", mode="poetry")
    with pytest.raises(FilterError, match=r"'langs'.*'lang'"):
        collection.search("cat", filters={"langs": "python"})
    with pytest.raises(ConfigError, match=r"'bset'.*'best'"):
        collection.search("cat", profile="bset")


def test_a_node_can_be_had_by_its_id_and_by_that_of_a_chunk(shop: Path, opened: Open) -> None:
    collection = opened(shop)
    collection.sync()
    text = "def check(token):\n    return token == 'cat'"

    node = collection.get("code:src/auth.py#check")
    chunk = collection.get("code:src/auth.py#check@0")

    assert node.text.strip() == chunk.text.strip() == text
    assert [one.id for one in node.chunks] == ["code:src/auth.py#check@0"]
    assert chunk.node == node.node
    assert node.edges


def test_an_id_that_nothing_has_is_not_found(shop: Path, opened: Open) -> None:
    with pytest.raises(ChunkNotFound, match="Chunk not found: code:nothing@0"):
        opened(shop).get("code:nothing@0")


def test_the_status_counts_what_is_there_and_what_has_changed(
    shop: Path, opened: Open, embedder: WordEmbedder
) -> None:
    collection = opened(shop, embedding__model="words")
    collection.sync()
    collection.embed()
    write(shop, {"new.md": "new\n"})
    (shop / "readme.md").unlink()

    status = collection.status()

    assert (status.name, status.root) == ("shop", str(shop))
    assert status.contents == collection.stats()
    assert (status.contents.files, status.dirty_files, status.embedded) == (4, 2, 1.0)
    assert [space.model_id for space in status.spaces] == [embedder.model_id]
    assert [view.rpartition("-")[0] for view in status.views] == ["chunk-standard"]


def test_the_status_of_an_index_that_was_removed_makes_none(
    shop: Path, opened: Open, home: Path
) -> None:
    collection = opened(shop)
    collection.sync()
    opened(shop).reset()

    with pytest.raises(IndexRemoved, match=f"trivium index {shop}"):
        collection.status()

    assert [path for kept in ("collections", "store") for path in (home / kept).iterdir()] == []


def test_a_view_is_made_when_a_profile_first_needs_it(shop: Path, opened: Open) -> None:
    collection = opened(shop)
    collection.sync()
    collection.search("cat", profile="rag")

    views = {view.rpartition("-")[0] for view in collection.status().views}
    assert views == {"chunk-standard", "chunk-simple"}

    write(shop, {"new.md": "a zebra\n"})
    collection.sync()
    assert paths(collection.search("zebra", profile="rag")) == ["new.md"]


def test_the_collections_of_a_home_are_listed_and_can_be_removed(
    tmp_path: Path, shop: Path, opened: Open, home: Path
) -> None:
    other = tmp_path / "a shop & more"
    write(other, {"a.md": "cat\n"})
    for folder in (shop, other):
        opened(folder).sync()

    assert [(one.name, one.root) for one in listed(home)] == [
        ("a shop & more", str(other)),
        ("shop", str(shop)),
    ]
    remove(other, home)
    assert [one.name for one in listed(home)] == ["shop"]
    assert (other / "a.md").exists()


def test_an_index_that_cannot_be_read_is_not_listed_and_can_be_removed(
    shop: Path, opened: Open, home: Path
) -> None:
    opened(shop).sync()
    opened(shop).close()
    (folder_of(shop, home) / "collection.db").write_bytes(b"no database" * 1000)

    assert listed(home) == []
    remove(shop, home)
    assert not folder_of(shop, home).exists()


def test_an_index_that_is_being_written_is_not_removed(
    shop: Path, opened: Open, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(shop).sync()
    # The wait is for people; here the answer is known.
    monkeypatch.setattr("trivium.home.writer_lock", lambda place, **_: writer_lock(place, wait_s=0))

    with writer_lock(folder_of(shop, home), wait_s=0), pytest.raises(IndexLocked, match=str(shop)):
        remove(shop, home)

    assert [one.name for one in listed(home)] == ["shop"]
    remove(shop.parent / "never-indexed", home)


def test_a_reset_forgets_the_index_and_leaves_the_folder(
    shop: Path, opened: Open, home: Path
) -> None:
    collection = opened(shop)
    collection.sync()

    collection.reset()

    assert listed(home) == []
    assert {name for name in FILES if (shop / name).exists()} == set(FILES)
    assert opened(shop).sync().added == len(FILES)


def test_search_without_a_model_is_by_words_and_says_why(shop: Path, opened: Open) -> None:
    collection = opened(shop)
    collection.sync()

    answer = collection.search("cat")

    assert (answer.method, answer.embedder) == ("bm25", "none")
    assert [(one.stage, one.reason) for one in answer.degraded] == [
        ("vectors", "no embedding model is set")
    ]
    assert collection.search("cat", search_mode="keyword").degraded == ()
    assert collection.embed() == 0


@pytest.mark.parametrize(
    "error", [ModelError("The model file is damaged."), MissingExtra("minilm", extra="minilm")]
)
def test_a_model_that_cannot_be_loaded_is_never_an_error_of_a_search(
    shop: Path, opened: Open, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("trivium.models.registry.load", fail)
    collection = opened(shop, embedding__model="words")
    collection.sync()

    answer = collection.search("check token")

    assert paths(answer) == ["src/auth.py"]
    assert [one.reason for one in answer.degraded] == [str(error)]
    with pytest.raises(type(error)):
        collection.embed()


def test_a_model_folder_that_is_not_there_is_no_error_of_a_search(
    tmp_path: Path, shop: Path, opened: Open
) -> None:
    collection = opened(shop, embedding__model=f"onnx:{tmp_path / 'nowhere'}")
    collection.sync()

    answer = collection.search("check token")

    assert (paths(answer)[0], answer.embedder) == ("src/auth.py", "static")
    assert "No model folder at" in answer.degraded[0].reason


def test_a_model_is_loaded_once_for_many_searches(
    shop: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[str] = []

    def load(model: str, **_: object) -> WordEmbedder:
        loads.append(model)
        return WordEmbedder()

    monkeypatch.setattr("trivium.models.registry.load", load)
    collection = opened(shop, embedding__model="words")
    collection.sync()
    collection.embed()
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(collection.search, ["cat"] * 24))

    assert loads == ["words", "static", "minilm"]
    assert {one.method for one in answers} == {"hybrid"}
    assert len({tuple((hit.id, hit.score) for hit in one.results) for one in answers}) == 1


def test_words_alone_load_no_model(
    shop: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(shop).sync()
    monkeypatch.setattr("trivium.models.registry.load", lambda *_, **__: pytest.fail("loaded"))
    collection = opened(shop, embedding__model="words")

    assert paths(collection.search("check token", search_mode="keyword")) == ["src/auth.py"]


def test_below_a_coverage_of_99_in_100_words_answer(
    shop: Path, opened: Open, embedder: WordEmbedder
) -> None:
    collection = opened(shop, embedding__model="words")
    collection.sync()
    collection.embed()
    assert collection.search("cat").method == "hybrid"
    write(shop, {"new.md": "# New\n\nanother cat\n"})
    collection.sync()

    answer = collection.search("cat")

    assert answer.method == "bm25"
    assert "words has embedded" in answer.degraded[0].reason
    assert "trivium index" in answer.degraded[0].reason
    assert answer.coverage.embedded < 0.99
    assert embedder.queries == ["cat"]


def test_the_space_of_the_model_that_is_set_is_used_and_named(
    shop: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = {name: WordEmbedder(name) for name in ("one", "two")}
    monkeypatch.setattr("trivium.models.registry.load", lambda name, **_: models.get(name))
    for name in models:
        collection = opened(shop, embedding__model=name)
        collection.sync()
        assert collection.embed() > 0

    assert len(collection.status().spaces) == 2
    for name in models:
        assert opened(shop, embedding__model=name).search("cat").embedder == name


def make_worktree(main: Path, name: str) -> Path:
    """Lay out a second worktree of the repository at `main` as git does."""
    (main / ".git" / "worktrees" / name).mkdir(parents=True)
    (main / ".git" / "worktrees" / name / "commondir").write_text("../..\n")
    worktree = main.parent / name
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {main}/.git/worktrees/{name}\n")
    return worktree


def test_worktrees_of_one_repository_embed_each_text_once(
    shop: Path, opened: Open, home: Path, embedder: WordEmbedder
) -> None:
    worktree = make_worktree(shop, "feature")
    write(worktree, {**FILES, "new.md": "# New\n\nonly here\n"})
    first = opened(shop, embedding__model="words")
    first.sync()
    embedded = first.embed()

    second = opened(worktree, embedding__model="words")
    second.sync()

    # The section, and the file by its name.
    assert second.embed() == 2
    assert len(embedder.documents) == embedded + 2
    assert second.status().embedded == 1.0
    assert len(list((home / "store").iterdir())) == 1
    assert len(listed(home)) == 2


def test_a_reset_of_one_worktree_leaves_the_vectors_of_the_other(
    shop: Path, opened: Open, embedder: WordEmbedder
) -> None:
    worktree = make_worktree(shop, "feature")
    write(worktree, FILES)
    first, second = (
        opened(shop, embedding__model="words"),
        opened(worktree, embedding__model="words"),
    )
    for collection in (first, second):
        collection.sync()
        collection.embed()
    before = second.search("cat")

    first.reset()
    after = opened(worktree, embedding__model="words").search("cat")

    assert after.method == "hybrid"
    assert after.results == before.results
    assert embedder.documents


def test_a_rename_embeds_only_the_new_name_and_a_branch_switched_back_nothing_either(
    shop: Path, opened: Open, embedder: WordEmbedder
) -> None:
    write(shop, {"guide.md": "# Guide\n\nHow to feed a cat.\n"})
    collection = opened(shop, embedding__model="words")
    collection.sync()
    collection.embed()
    texts = len(embedder.documents)

    (shop / "guide.md").rename(shop / "manual.md")
    # Only the file's own name is new.
    assert (collection.sync().added, collection.embed()) == (1, 1)

    write(shop, {"manual.md": "# Guide\n\nHow to feed two dogs.\n"})
    collection.sync()
    assert collection.embed() == 1
    write(shop, {"manual.md": "# Guide\n\nHow to feed a cat.\n"})
    collection.sync()
    assert collection.embed() == 0
    assert len(embedder.documents) == texts + 2


def test_only_what_changed_is_parsed_again(
    shop: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []

    def counted(raw: Raw, cutting: Cutting) -> FileContent:
        parsed.append(raw.entry.path)
        return digest(raw, cutting)

    monkeypatch.setattr("trivium.crew.digest", counted)
    collection = opened(shop)
    collection.sync()
    assert sorted(parsed) == sorted(FILES)

    parsed.clear()
    os.utime(shop / "readme.md", (OLD_S + 9, OLD_S + 9))
    assert collection.sync().unchanged == len(FILES)
    assert parsed == []

    write(shop, {"readme.md": "# Shop\n\nA shop for dogs and cats.\n"})
    (shop / "src2" / "other.py").unlink()
    report = collection.sync()
    assert (report.changed, report.removed) == (1, 1)
    assert parsed == ["readme.md"]


def test_a_change_that_keeps_size_and_time_is_noticed_while_the_file_is_young(
    shop: Path, opened: Open
) -> None:
    path = shop / "young.md"
    path.write_text("a cat\n")
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    collection = opened(shop)
    collection.sync()
    path.write_text("a dog\n")
    os.utime(path, ns=times)

    report = collection.sync()

    assert report.changed == 1
    assert paths(collection.search("dog")) == ["young.md"]


def test_an_export_can_be_imported_into_another_folder(
    tmp_path: Path, shop: Path, opened: Open, embedder: WordEmbedder
) -> None:
    collection = opened(shop, embedding__model="words")
    collection.sync()
    collection.embed()
    embedded = len(embedder.documents)
    collection.export(tmp_path / "shop.trivium")
    other = tmp_path / "elsewhere"
    other.mkdir()

    target = opened(other, embedding__model="words")
    target.import_(tmp_path / "shop.trivium")

    expected, found = collection.search("cat"), target.search("cat")
    assert found.results == expected.results
    assert (found.method, found.collection) == ("hybrid", "elsewhere")
    assert len(embedder.documents) == embedded


def test_a_damaged_export_changes_nothing(tmp_path: Path, shop: Path, opened: Open) -> None:
    collection = opened(shop)
    collection.sync()
    collection.export(tmp_path / "shop.trivium")
    whole = (tmp_path / "shop.trivium").read_bytes()
    (tmp_path / "shop.trivium").write_bytes(whole[:-20])
    before = collection.stats()

    with pytest.raises(UsageError, match="damaged after line"):
        collection.import_(tmp_path / "shop.trivium")

    assert collection.stats() == before
    assert paths(collection.search("check token")) == ["src/auth.py"]


def test_a_collection_is_closed_at_the_end_of_its_block(shop: Path, opened: Open) -> None:
    with opened(shop) as collection:
        collection.sync()

    assert opened(shop).stats().files == len(FILES)


def test_without_settings_they_are_read_for_the_folder(
    shop: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_HOME", str(home))
    monkeypatch.setenv("TRIVIUM_CONFIG", str(home / "config.toml"))
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "none")
    write(shop, {"trivium.toml": "[chunking]\nsize = 300\n"})

    with open_collection(shop) as collection:
        assert collection.settings.number("chunking.size") == 300
        assert collection.settings.home == home


def test_a_folder_with_an_odd_name_has_an_index(tmp_path: Path, opened: Open) -> None:
    folder = tmp_path / "..  (a) 東京\n&"
    write(folder, {"a.md": "cat\n"})
    collection = opened(folder)
    collection.sync()

    assert paths(collection.search("cat")) == ["a.md"]


def test_while_a_stronger_model_fills_in_the_shipped_one_answers(
    shop: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = {"minilm": WordEmbedder("minilm", strength=1), "big": WordEmbedder("big", strength=9)}
    monkeypatch.setattr("trivium.models.registry.load", lambda name, **_: models.get(name))
    small = opened(shop, embedding__model="minilm")
    small.sync()
    small.embed()
    big = opened(shop, embedding__model="big")

    assert big.search("cat").embedder == "minilm"
    big.embed()
    assert big.search("cat").embedder == "big"


def test_a_folder_below_an_index_uses_the_settings_of_its_root(
    shop: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_HOME", str(home))
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "none")
    write(shop, {"trivium.toml": "[chunking]\nsize = 300\n", "below/a.md": "# A\n\ncat\n"})
    with trivium.open(shop) as collection:
        collection.sync()

    with trivium.open(shop / "below") as below:
        assert {hit.source.file_path for hit in below.search("cat").results} == {"below/a.md"}


def test_a_file_that_appears_while_another_process_syncs_is_not_forgotten(
    shop: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads the folder only once it may write: a list made before would be stale by then."""
    collection = opened(shop, embedding__model="none")
    collection.sync()
    place = folder_of(shop, collection.settings.home)
    held: list[bool] = []
    honest = FolderSource.list

    def listing(
        self: FolderSource, folders: frozenset[str] | None = None, *, known: Iterable[str] = ()
    ) -> Listing:
        with suppress(IndexLocked), writer_lock(place, wait_s=0):
            held.append(False)
            return honest(self, folders, known=set(known))
        held.append(True)
        return honest(self, folders, known=set(known))

    monkeypatch.setattr(FolderSource, "list", listing)
    collection.sync()

    assert held == [True]


def test_our_own_home_below_the_folder_is_not_indexed(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_HOME", str(shop / "own home"))
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "none")
    with trivium.open(shop) as collection:
        first = collection.sync()
        second = collection.sync()

    assert first.added == len(FILES)
    assert (second.added, second.changed) == (0, 0)


def test_a_search_in_a_folder_that_is_suddenly_empty_keeps_the_index_and_says_so(
    shop: Path, opened: Open
) -> None:
    collection = opened(shop, embedding__model="none")
    collection.sync()
    for file in FILES:
        (shop / file).unlink()

    answer = collection.search("cat", sync=True)

    assert answer.results
    assert "holds no files" in answer.degraded[0].reason
    collection.sync()
    assert collection.stats().files == 0


def test_a_broken_settings_file_below_the_root_does_not_stop_a_search(
    shop: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_HOME", str(home))
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "none")
    with trivium.open(shop) as collection:
        collection.sync()
    write(shop, {"src/trivium.toml": "not = [toml"})

    with trivium.open(shop / "src") as below:
        assert below.below == "src"
        assert below.search("cat").results
