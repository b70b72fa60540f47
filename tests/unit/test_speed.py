from pathlib import Path

import pytest

from trivium import config, speed
from trivium.collection import open_collection
from trivium.config import Settings
from trivium.errors import UsageError


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    place = {"TRIVIUM_HOME": str(tmp_path / "home"), "TRIVIUM_CONFIG": str(tmp_path / "none.toml")}
    return config.load(environ=place)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "README.md").write_text("# Shop\n\nPrices are rounded down.\n", encoding="utf-8")
    (root / "src" / "prices.py").write_text(
        'def round_down(price):\n    """Leave the cents out."""\n    return int(price)\n',
        encoding="utf-8",
    )
    return root


def test_a_folder_is_measured_and_neither_it_nor_its_index_is_touched(
    shop: Path, settings: Settings
) -> None:
    before = {one: one.read_bytes() for one in shop.rglob("*") if one.is_file()}

    found = speed.measure(shop, settings=settings, count=4)

    assert {one: one.read_bytes() for one in shop.rglob("*") if one.is_file()} == before
    assert not settings.home.exists()
    assert (found.files, found.model) == (2, "static")
    searches = [one for one in found.figures if one.name.startswith("search")]
    assert [one.name for one in searches][:2] == ["search, best", "search, rag"]
    assert all(one.high is not None and 0 < one.value <= one.high for one in searches)
    assert all(one.value >= 0 for one in found.figures)


def test_the_disk_is_that_of_the_index_of_its_own(shop: Path, settings: Settings) -> None:
    found = speed.measure(shop, settings=settings, count=2)

    disk = {one.name: one.value for one in found.figures if one.name.startswith("disk")}
    texts = sum(one.stat().st_size for one in shop.rglob("*") if one.is_file())
    share = texts / found.chunks
    assert disk["disk"] - disk["disk beyond the text"] == pytest.approx(share)


def test_questions_are_made_of_the_folder_and_the_same_each_time(
    shop: Path, settings: Settings
) -> None:
    with open_collection(shop, settings=settings) as collection:
        collection.sync()
        first, second = (speed.questions(collection, 20) for _ in range(2))
        held = " ".join(one.read_text(encoding="utf-8") for one in shop.rglob("*.*"))
        found = [collection.search(one).total for one in first]

    assert first == second
    assert len(first) == 20
    assert all(
        word in f"{held} shop src README.md prices.py" for one in first for word in one.split()
    )
    assert all(found)


def test_a_service_is_not_sent_a_folder_to_measure_it(shop: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match="is a service"):
        speed.measure(shop, settings=settings, model="openai:anything")


def test_a_folder_with_nothing_in_it_is_not_measured(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "empty").mkdir()

    with pytest.raises(UsageError, match="nothing that can be searched"):
        speed.measure(tmp_path / "empty", settings=settings)
    with pytest.raises(UsageError, match="is not a folder"):
        speed.measure(tmp_path / "gone", settings=settings)
