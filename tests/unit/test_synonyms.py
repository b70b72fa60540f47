"""Where a list of synonyms may come from, and what is wrong with a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.errors import ConfigError
from trivium.synonyms import load


def settings(folder: Path, **environ: str) -> config.Settings:
    own = {
        "TRIVIUM_HOME": str(folder.parent / "home"),
        "TRIVIUM_CONFIG": str(folder.parent / "user.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    return config.load(folder=folder, environ={**own, **environ})


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "words.txt").write_text("ship, vessel\n", encoding="utf-8")
    (folder / "fleet.md").write_text("# Fleet\n\nEvery vessel has a number.\n", encoding="utf-8")
    return folder


def test_a_folder_may_name_a_list_inside_it(shop: Path) -> None:
    (shop / "trivium.toml").write_text('[search]\nsynonyms = "words.txt"\n', encoding="utf-8")

    assert load(settings(shop), root=shop).pairs == (("ship", "vessel"), ("vessel", "ship"))


@pytest.mark.parametrize("path", ["../words.txt", "/etc/hostname", "~/words.txt", "inner/link"])
def test_a_folder_may_not_name_a_file_outside(shop: Path, path: str) -> None:
    (shop.parent / "words.txt").write_text("secret, words\n", encoding="utf-8")
    (shop / "inner").mkdir()
    (shop / "inner" / "link").symlink_to(shop.parent / "words.txt")
    (shop / "trivium.toml").write_text(f'[search]\nsynonyms = "{path}"\n', encoding="utf-8")

    with pytest.raises(ConfigError, match="is not inside the folder"):
        load(settings(shop), root=shop)


def test_a_user_may_name_any_file_and_a_relative_one_is_beside_the_settings(shop: Path) -> None:
    (shop.parent / "mine.txt").write_text("boat, ship\n", encoding="utf-8")
    (shop.parent / "user.toml").write_text('[search]\nsynonyms = "mine.txt"\n', encoding="utf-8")

    assert ("boat", "ship") in load(settings(shop), root=shop).pairs
    given = settings(shop, TRIVIUM_SEARCH__SYNONYMS=str(shop / "words.txt"))
    assert ("ship", "vessel") in load(given, root=shop).pairs


@pytest.mark.parametrize("data", ["ship, vessel".encode("utf-16"), b"caf\xe9, coffee"])
def test_a_list_in_another_encoding_is_refused_by_name(shop: Path, data: bytes) -> None:
    (shop / "words.txt").write_bytes(data)

    with pytest.raises(ConfigError, match=r"words\.txt: it is not UTF-8"):
        load(settings(shop, TRIVIUM_SEARCH__SYNONYMS=str(shop / "words.txt")), root=shop)


def test_a_list_that_starts_with_a_byte_order_mark_is_read(shop: Path) -> None:
    (shop / "words.txt").write_text("ship, vessel", encoding="utf-8-sig")

    given = settings(shop, TRIVIUM_SEARCH__SYNONYMS=str(shop / "words.txt"))
    assert ("ship", "vessel") in load(given, root=shop).pairs


def test_a_missing_file_a_pipe_and_a_huge_file_are_refused(shop: Path) -> None:
    os.mkfifo(shop / "pipe")
    (shop / "huge.txt").write_bytes(b"# nothing\n" * 200_000)
    for name, problem in (("none", "No such file"), ("pipe", "no file"), ("huge.txt", "the most")):
        with pytest.raises(ConfigError, match=problem):
            load(settings(shop, TRIVIUM_SEARCH__SYNONYMS=str(shop / name)), root=shop)


def test_a_changed_list_is_read_again(shop: Path) -> None:
    given = settings(shop, TRIVIUM_SEARCH__SYNONYMS=str(shop / "words.txt"))
    load(given, root=shop)
    (shop / "words.txt").write_text("ship, vessel, boat\n", encoding="utf-8")

    assert ("ship", "boat") in load(given, root=shop).pairs


def test_a_search_finds_by_the_users_list_and_says_so(shop: Path) -> None:
    (shop / "trivium.toml").write_text('[search]\nsynonyms = "words.txt"\n', encoding="utf-8")
    with trivium.open(shop, settings=settings(shop)) as collection:
        collection.sync()
        by_default = collection.search("ship", explain=True)
        without = collection.search("ship", synonyms=False)
        seed = collection.search("ship", profile="rag")

    hit = next(one for one in by_default.results if one.node.name == "Fleet")
    assert hit.breakdown is not None
    sparse = hit.breakdown["sparse"]
    assert isinstance(sparse, dict)
    assert sparse["near"] == ["ship = vessel"]
    assert "looked for what means the same as well: ship = vessel" in by_default.notes
    assert "fleet.md" not in {one.source.file_path for one in without.results}
    assert "fleet.md" not in {one.source.file_path for one in seed.results}
