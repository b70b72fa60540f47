import json
from pathlib import Path

import pytest

from trivium import config, home, whereabouts
from trivium.collection import open_collection
from trivium.config import Settings
from trivium.errors import BackendUnavailable, ConfigError, IndexNotFound, UsageError

_NOWHERE = "http://127.0.0.1:1"


def _settings(tmp_path: Path, **environ: str) -> Settings:
    place = {"TRIVIUM_HOME": str(tmp_path / "home"), "TRIVIUM_CONFIG": str(tmp_path / "own.toml")}
    return config.load(environ={**place, **environ})


def _moved(tmp_path: Path, root: Path) -> Path:
    """Say that the index of `root` is on a cluster, and return the folder it would have here."""
    settings = _settings(tmp_path)
    folder = home.folder_of(root, settings.home)
    wanted = settings.flagged(
        {"backend.kind": "opensearch", "backend.urls": (_NOWHERE,), "backend.collection": "shop"}
    )
    whereabouts.remember(folder, root.name, root, wanted)
    return folder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / "inside").mkdir(parents=True)
    (root / "prices.md").write_text("# Prices\n\nPrices are rounded down.\n", encoding="utf-8")
    return root


def test_an_index_that_was_moved_is_looked_for_where_it_is(tmp_path: Path, shop: Path) -> None:
    folder = _moved(tmp_path, shop)

    settled = whereabouts.settled(_settings(tmp_path), folder)

    assert settled.text("backend.kind") == "opensearch"
    assert settled.texts("backend.urls") == (_NOWHERE,)
    assert settled.text("backend.collection") == "shop"
    assert settled.values["backend.urls"].origin == str(whereabouts.file_of(folder))


def test_what_was_moved_is_listed_and_found_from_the_folders_below_it(
    tmp_path: Path, shop: Path
) -> None:
    folder = _moved(tmp_path, shop)
    place = _settings(tmp_path).home

    assert home.find_root(shop / "inside", place) == shop
    assert home.listed(place) == [home.Listed("shop", str(shop), str(folder), "opensearch")]


def test_the_environment_goes_before_where_it_was_moved_and_the_users_file_does_not(
    tmp_path: Path, shop: Path
) -> None:
    folder = _moved(tmp_path, shop)
    (tmp_path / "own.toml").write_text('[backend]\nurls = ["http://own"]\n', encoding="utf-8")

    own = whereabouts.settled(_settings(tmp_path), folder)
    here = whereabouts.settled(_settings(tmp_path, TRIVIUM_BACKEND__KIND="embedded"), folder)
    other = {"TRIVIUM_BACKEND__KIND": "opensearch", "TRIVIUM_BACKEND__URLS": "http://other"}
    there = whereabouts.settled(_settings(tmp_path, **other), folder)

    assert own.texts("backend.urls") == (_NOWHERE,)
    assert here.text("backend.kind") == "embedded"
    assert there.texts("backend.urls") == ("http://other",)
    assert there.text("backend.collection") == ""


def test_no_password_is_remembered(tmp_path: Path, shop: Path) -> None:
    settings = _settings(tmp_path, TRIVIUM_CLUSTER_PASSWORD="hunter2", TRIVIUM_CLUSTER_KEY="k3y")
    folder = home.folder_of(shop, settings.home)

    whereabouts.remember(folder, "shop", shop, settings.flagged({"backend.kind": "opensearch"}))

    said = whereabouts.file_of(folder).read_text(encoding="utf-8")
    assert "hunter2" not in said
    assert "k3y" not in said


@pytest.mark.parametrize("said", ["", "[]", "{}", '{"backend": 1}', '{"backend": {}, "name": "a"}'])
def test_a_damaged_file_is_named_and_what_to_do_about_it(
    tmp_path: Path, shop: Path, said: str
) -> None:
    folder = _moved(tmp_path, shop)
    whereabouts.file_of(folder).write_text(said, encoding="utf-8")

    with pytest.raises(ConfigError, match=r"backend\.json.*Remove it"):
        whereabouts.read(folder)

    assert home.listed(_settings(tmp_path).home) == []


def test_settings_that_are_unknown_or_not_of_the_backend_are_not_taken(
    tmp_path: Path, shop: Path
) -> None:
    folder = _moved(tmp_path, shop)
    file = whereabouts.file_of(folder)
    said = json.loads(file.read_bytes())
    said["backend"] |= {"embedding.model": "none", "backend.nothing": 1}
    file.write_text(json.dumps(said), encoding="utf-8")

    found = whereabouts.read(folder)

    assert found is not None
    assert {key for key in found.values if not key.startswith("backend.")} == set()
    assert "backend.nothing" not in found.values


def test_a_move_to_a_cluster_that_does_not_answer_leaves_the_index_as_it_was(
    tmp_path: Path, shop: Path
) -> None:
    settings = _settings(tmp_path)
    with open_collection(shop, settings=settings) as collection:
        collection.sync()
        with pytest.raises(BackendUnavailable):
            collection.move({"backend.kind": "opensearch", "backend.urls": (_NOWHERE,)})

    with open_collection(shop, settings=settings, create=False) as again:
        assert [hit.source.file_path for hit in again.search("rounded").results] == ["prices.md"]
    assert whereabouts.read(home.folder_of(shop, settings.home)) is None


def test_an_index_is_not_moved_to_where_it_is(tmp_path: Path, shop: Path) -> None:
    with open_collection(shop, settings=_settings(tmp_path)) as collection:
        collection.sync()
        with pytest.raises(UsageError, match="there already"):
            collection.move({"backend.kind": "embedded"})


def test_an_index_that_was_moved_to_a_cluster_that_is_gone_is_not_made_here_instead(
    tmp_path: Path, shop: Path
) -> None:
    _moved(tmp_path, shop)

    with pytest.raises(BackendUnavailable):
        open_collection(shop, settings=_settings(tmp_path))


def test_removing_an_index_leaves_what_others_keep_beside_it(tmp_path: Path, shop: Path) -> None:
    settings = _settings(tmp_path)
    with open_collection(shop, settings=settings) as collection:
        collection.sync()
        beside = home.folder_of(shop, settings.home) / "judged.jsonl"
        beside.write_text("{}", encoding="utf-8")
        collection.reset()

    assert [one.name for one in beside.parent.iterdir()] == [beside.name]
    with pytest.raises(IndexNotFound):
        open_collection(shop, settings=settings, create=False)
