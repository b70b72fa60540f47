"""Many collections in one process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from trivium import config
from trivium.doors.answers import Asked
from trivium.doors.hosting import Hosting
from trivium.errors import BackendUnavailable, NotFound, UsageError


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
    }
    return config.load(environ=environ)


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    made = [tmp_path / "shop", tmp_path / "farm", tmp_path / "else" / "shop"]
    for place, word in zip(made, ("tabby", "plough", "till"), strict=True):
        place.mkdir(parents=True)
        (place / "a.md").write_text(f"# A\n\nThe {word} is here.\n", encoding="utf-8")
    return made


@pytest.fixture
def hosting(folders: list[Path], settings: config.Settings) -> Iterator[Hosting]:
    made = Hosting(folders[:2], settings=settings)
    yield made
    made.close()


def found(hosting: Hosting, name: str, query: str) -> list[str]:
    upkeep = hosting.upkeep(name)
    upkeep.sync_first()
    return [hit.id for hit in upkeep.search(Asked(query, {"search_mode": "keyword"})).results]


def test_each_collection_answers_by_its_name_and_the_first_by_none(hosting: Hosting) -> None:
    assert hosting.names == ("shop", "farm")
    assert hosting.default == "shop"
    assert hosting.upkeep() is hosting.upkeep("shop")
    assert found(hosting, "shop", "tabby") == ["doc:a.md#A"]
    assert found(hosting, "farm", "plough") == ["doc:a.md#A"]
    assert found(hosting, "farm", "tabby") == []


def test_another_default_may_be_named(folders: list[Path], settings: config.Settings) -> None:
    assert Hosting(folders[:2], default="farm", settings=settings).default == "farm"
    with pytest.raises(UsageError, match="Did you mean 'farm'"):
        _ = Hosting(folders[:2], default="frm", settings=settings).default


def test_a_collection_that_is_not_there_is_told_which_ones_are(hosting: Hosting) -> None:
    with pytest.raises(NotFound, match="This server has 'shop', 'farm'"):
        hosting.upkeep("barn")


def test_a_collection_is_opened_at_its_first_use_and_once(hosting: Hosting) -> None:
    assert not hosting.is_open("farm")
    hosting.start()
    assert [one.name for one in hosting.opened()] == ["shop"]
    barrier = threading.Barrier(8)

    def opened() -> int:
        barrier.wait()
        return id(hosting.upkeep("farm"))

    with ThreadPoolExecutor(8) as threads:
        many = {one.result() for one in [threads.submit(opened) for _ in range(8)]}

    assert many == {id(hosting.upkeep("farm"))}
    assert hosting.is_open("farm")


def test_two_folders_of_one_name_are_refused(
    folders: list[Path], settings: config.Settings
) -> None:
    with pytest.raises(UsageError, match="both called 'shop'") as caught:
        _ = Hosting(folders, settings=settings).names

    assert str(caught.value).endswith(f"as in: else={folders[2]}")


def test_a_folder_can_be_given_another_name_and_answers_by_it(
    folders: list[Path], settings: config.Settings
) -> None:
    made = Hosting([folders[0], f"till={folders[2]}"], settings=settings)
    try:
        assert made.names == ("shop", "till")
        assert made.folder("till") == folders[2]
        assert found(made, "till", "till") == ["doc:a.md#A"]
        assert made.upkeep("till").search(Asked("till")).collection == "till"
    finally:
        made.close()


def test_a_folder_with_an_equals_sign_is_a_folder(
    tmp_path: Path, settings: config.Settings
) -> None:
    odd = tmp_path / "a=b"
    odd.mkdir()

    assert Hosting([odd], settings=settings).names == ("a=b",)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ([], ["shop"]),
        (["farm"], ["farm"]),
        (["farm,shop"], ["farm", "shop"]),
        (["farm", "shop", "farm"], ["farm", "shop"]),
        (["*"], ["shop", "farm"]),
        (["all"], ["shop", "farm"]),
        (["farm", "*"], ["farm", "shop"]),
    ],
)
def test_several_collections_are_named_with_commas_or_all_at_once(
    hosting: Hosting, given: list[str], names: list[str]
) -> None:
    assert list(hosting.chosen(given)) == names


@pytest.mark.parametrize("given", ["barn", "shop,barn", "", "shop,,farm", "shop,*x"])
def test_one_of_several_that_is_not_there_is_named(hosting: Hosting, given: str) -> None:
    with pytest.raises(NotFound, match="This server has 'shop', 'farm'"):
        hosting.chosen([given])


def test_a_collection_called_all_or_with_a_comma_is_meant_by_its_name(
    tmp_path: Path, settings: config.Settings
) -> None:
    odd = [tmp_path / "all", tmp_path / "a,b"]
    for place in odd:
        place.mkdir()
    made = Hosting(odd, settings=settings)

    assert made.chosen(["all"]) == ("all",)
    assert made.chosen(["a,b"]) == ("a,b",)
    assert made.chosen(["*"]) == ("all", "a,b")


def test_a_folder_given_twice_is_one_collection(
    folders: list[Path], settings: config.Settings
) -> None:
    assert Hosting([folders[0], folders[0]], settings=settings).names == ("shop",)


def test_what_is_no_folder_is_refused(tmp_path: Path, settings: config.Settings) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        _ = Hosting([tmp_path / "nowhere"], settings=settings).names
    with pytest.raises(UsageError, match="at least one folder"):
        _ = Hosting([], settings=settings).names


def test_a_folder_below_an_indexed_one_is_called_like_that(
    folders: list[Path], settings: config.Settings
) -> None:
    (folders[0] / "below").mkdir()
    first = Hosting(folders[:1], settings=settings)
    first.upkeep().sync_first()
    first.close()

    assert Hosting([folders[0] / "below"], settings=settings).names == ("shop",)


def test_a_folder_can_be_added_and_taken_away(hosting: Hosting, tmp_path: Path) -> None:
    barn = tmp_path / "barn"
    barn.mkdir()

    assert hosting.add(barn).name == "barn"
    assert hosting.add(barn) is hosting.upkeep("barn")
    assert hosting.names == ("shop", "farm", "barn")
    hosting.remove("shop")
    assert hosting.default == "farm"
    with pytest.raises(NotFound):
        hosting.upkeep("shop")
    hosting.remove("barn")
    with pytest.raises(UsageError, match="only collection"):
        hosting.remove("farm")


def test_a_folder_of_a_name_that_is_there_is_not_added(
    hosting: Hosting, folders: list[Path]
) -> None:
    with pytest.raises(UsageError, match="both called 'shop'"):
        hosting.add(folders[2])

    assert hosting.folder("shop") == folders[0]
    assert hosting.add(folders[2], name="till").name == "till"
    with pytest.raises(UsageError, match="is no name"):
        hosting.add(folders[2], name="a/b")


def test_nothing_is_opened_once_it_goes_down(hosting: Hosting) -> None:
    hosting.stop()

    with pytest.raises(BackendUnavailable, match="going down"):
        hosting.upkeep("farm")


def test_collections_share_one_model(hosting: Hosting) -> None:
    models = [hosting.upkeep(name)._collection._meaning.chosen.instant for name in hosting.names]

    assert models[0] is models[1]
