"""Files and surroundings of a collection, below its root as well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trivium import config
from trivium.collection import Collection, open_collection
from trivium.errors import NotFound, UsageError
from trivium.types import EdgeType


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    return config.load(environ=environ)


@pytest.fixture
def shop(tmp_path: Path, settings: config.Settings) -> Iterator[Collection]:
    folder = tmp_path / "shop"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.py").write_text(
        "def one():\n    return two()\n\n\ndef two():\n    return three()\n\n\n"
        "def three():\n    return 3\n",
        encoding="utf-8",
    )
    (folder / "sub" / "b.md").write_text("# B\n", encoding="utf-8")
    with open_collection(folder, settings=settings) as made:
        made.sync()
        made.link()
        yield made


def test_a_file_comes_with_its_text_and_only_from_where_one_looks(
    shop: Collection, settings: config.Settings
) -> None:
    assert shop.file("a.py").document.text.startswith("def one")
    with open_collection(shop.root / "sub", settings=settings) as below:
        assert below.file("sub/b.md").document.text == "# B\n"
        with pytest.raises(NotFound, match=r"No file 'a\.py'"):
            below.file("a.py")


def test_surroundings_hold_every_edge_between_their_nodes(shop: Collection) -> None:
    calls = frozenset({EdgeType.CALLS})

    near = shop.surroundings("two", types=calls)
    far = shop.surroundings("one", depth=2, types=calls)

    assert [one.node.name for one in near.found] == ["one", "three"]
    assert {(one.source[-3:], one.target[-3:]) for one in near.edges} == {
        ("one", "two"),
        ("two", "ree"),
    }
    assert [(one.node.name, one.depth) for one in far.found] == [("two", 1), ("three", 2)]
    assert not far.is_cut


def test_surroundings_that_are_cut_hold_the_nearest_and_say_so(shop: Collection) -> None:
    cut = shop.surroundings("one", depth=2, types=frozenset({EdgeType.CALLS}), limit=2)

    assert [one.node.name for one in cut.found] == ["two"]
    assert (cut.total, cut.is_cut) == (3, True)
    assert len(cut.edges) == 1
    with pytest.raises(UsageError, match="limit is 0"):
        shop.surroundings("one", limit=0)


def test_the_state_is_the_same_from_another_opening_until_something_changes(
    shop: Collection, settings: config.Settings
) -> None:
    before = shop.state
    with open_collection(shop.root, settings=settings) as other:
        assert other.state == before
        (shop.root / "c.md").write_text("# C\n", encoding="utf-8")
        other.sync()

    assert shop.state != before
