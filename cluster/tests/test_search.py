"""A folder searched on a cluster and on this machine: the same answers, explained alike."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.backends.base import Backend
from trivium.collection import Collection
from trivium.testing.contract import MakeBackend
from trivium.types import Answer

_ROOT = Path(__file__).parents[2]
_SEARCHED = ("src/trivium/filtering", "src/trivium/query", "docs")
_QUERIES = (
    "compile_filter",
    "how are filters compared",
    "fold lower case accents",
    '"query language"',
    "satisfies AND condition",
    "instant date seconds -year",
    "class Filter",
    "which fields can be searched",
    "risk tags of code",
    "phrase*",
)
_SHARED_OF_TEN = 0.95


@dataclass(frozen=True, slots=True)
class Pair:
    """One folder in two places."""

    cluster: Collection
    embedded: Collection


def _opened(folder: Path, home: Path, backend: Backend | None) -> Collection:
    environ = {"TRIVIUM_HOME": str(home), "TRIVIUM_CONFIG": str(home / "config.toml")}
    settings = config.load(folder=folder, environ=environ)
    made = trivium.open(folder, settings=settings, backend=backend)
    made.sync()
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("searched")
    for one in _SEARCHED:
        for file in sorted((_ROOT / one).glob("*.*"))[:8]:
            target = made / one / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    return made


@pytest.fixture(scope="class")
def pair(
    folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
    make_lasting_collection: MakeBackend,
) -> Iterator[Pair]:
    homes = [tmp_path_factory.mktemp(name) for name in ("one", "other")]
    made = Pair(
        _opened(folder, homes[0], make_lasting_collection()), _opened(folder, homes[1], None)
    )
    yield made
    made.cluster.close()
    made.embedded.close()


def _ids(answer: Answer) -> list[str]:
    return [hit.id for hit in answer.results]


class TestTheSameFolder:
    def test_the_same_is_found_in_the_same_order(self, pair: Pair) -> None:
        shared = []
        for query in _QUERIES:
            mine = pair.cluster.search(query, limit=10)
            theirs = pair.embedded.search(query, limit=10)
            assert theirs.results, query
            assert mine.method == theirs.method
            assert mine.degraded == theirs.degraded
            common = set(_ids(mine)) & set(_ids(theirs))
            shared.append(len(common) / len(theirs.results))

        assert sum(shared) / len(shared) >= _SHARED_OF_TEN, dict(zip(_QUERIES, shared, strict=True))

    def test_every_score_is_explained_by_the_same_parts(self, pair: Pair) -> None:
        for query in _QUERIES:
            mine = pair.cluster.search(query, limit=3, explain=True)
            theirs = pair.embedded.search(query, limit=3, explain=True)
            assert _ids(mine) == _ids(theirs), query
            for one, other in zip(mine.results, theirs.results, strict=True):
                assert one.breakdown is not None
                assert other.breakdown is not None
                assert one.breakdown.keys() == other.breakdown.keys()
                assert [part.name for part in one.parts] == [part.name for part in other.parts]
                assert one.score == pytest.approx(other.score, rel=1e-3, abs=1e-3)

    def test_a_filter_and_a_lookup_give_the_same(self, pair: Pair) -> None:
        for filters in ({"lang": "python"}, {"path": "docs/"}, {"param": "value"}):
            mine = pair.cluster.search("filter", filters=filters, limit=10)
            theirs = pair.embedded.search("filter", filters=filters, limit=10)
            assert theirs.results, filters
            assert set(_ids(mine)) == set(_ids(theirs))
        assert pair.cluster.status().contents.nodes == pair.embedded.status().contents.nodes
        assert pair.cluster.status().contents.edges == pair.embedded.status().contents.edges

    def test_what_changes_in_the_folder_is_found_and_what_goes_is_not(
        self, pair: Pair, folder: Path
    ) -> None:
        new = folder / "docs" / "walrus.md"
        new.write_text("# Walrus\n\nThe walrus lies on the ice.\n", encoding="utf-8")
        pair.cluster.sync()
        found = pair.cluster.search("walrus ice", limit=3)
        new.unlink()
        pair.cluster.sync()
        gone = pair.cluster.search("walrus ice", limit=3)

        assert found.results[0].source.file_path == "docs/walrus.md"
        assert all(hit.source.file_path != "docs/walrus.md" for hit in gone.results)
