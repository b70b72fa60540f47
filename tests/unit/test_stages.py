from __future__ import annotations

from pathlib import Path

import pytest

import trivium
from trivium import config, stages
from trivium.collection import Collection


class Enough(Exception):
    pass


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "a.md").write_text("# A\n\nA tabby.\n", encoding="utf-8")
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    made = trivium.open(tmp_path / "shop", settings=config.load(environ=environ))
    made.sync()
    return made


def test_a_search_names_its_stages_in_order(collection: Collection) -> None:
    heard: list[str] = []

    with stages.listening(heard.append):
        collection.search("tabby")

    assert heard == ["parse", "spell", "retrieve", "rerank", "page", "facets"]


def test_a_listener_can_end_a_search_where_a_stage_begins(collection: Collection) -> None:
    def listener(stage: str) -> None:
        if stage == "retrieve":
            raise Enough

    with pytest.raises(Enough), stages.listening(listener):
        collection.search("tabby")

    assert collection.search("tabby").total == 1


def test_nobody_hears_after_the_end_or_from_another_listener() -> None:
    outer: list[str] = []
    inner: list[str] = []

    with stages.listening(outer.append):
        stages.enter("one")
        with stages.listening(inner.append):
            stages.enter("two")
        stages.enter("three")
    stages.enter("four")

    assert (outer, inner) == (["one", "three"], ["two"])
