"""What a search takes beside its words, and what it makes of the odd ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.backends.base import Backend
from trivium.backends.reference.store import ReferenceBackend
from trivium.collection import Collection
from trivium.errors import ConfigError, FilterError, UsageError
from trivium.testing.embedders import CosineEmbedder
from trivium.testing.folders import filled

FILES = {
    "src/auth/login.py": "def login(password):\n    return check(password)\n",
    "src/auth/check.py": "def check(password):\n    return len(password)\n",
    "guide.md": "# Guide\n\nHow to log in with a password.\n",
    "rows.jsonl": '{"name": "one", "word": "password"}\n',
}


@pytest.fixture
def cosines(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    chosen: dict[str, float] = {}
    made = CosineEmbedder(cosines=chosen)
    monkeypatch.setattr("trivium.models.registry.load", lambda *_, **__: made)
    return chosen


@pytest.fixture(params=[lambda: None, ReferenceBackend], ids=["embedded", "reference"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Collection]:
    request.getfixturevalue("cosines")
    make: Callable[[], Backend | None] = request.param
    home = tmp_path / "home"
    environ = {"TRIVIUM_HOME": str(home), "TRIVIUM_CONFIG": str(home / "config.toml")}
    folder = tmp_path / "shop"
    folder.mkdir()
    settings = config.load(folder=folder, environ=environ)
    with trivium.open(folder, settings=settings, backend=make()) as collection:
        yield collection


@pytest.fixture
def shop(empty: Collection) -> Collection:
    return filled(empty, FILES)


def ids(collection: Collection, query: str, **options: object) -> list[str]:
    answer = collection.search(query, **options)  # type: ignore[arg-type]
    return [hit.id for hit in answer.results]


def test_folders_are_hits_like_others_and_not_gone(shop: Collection) -> None:
    answer = shop.search("auth", profile="graph-files", search_mode="keyword")

    assert "file:src/auth" in [hit.id for hit in answer.results]
    assert [one for one in answer.degraded if one.stage == "files"] == []
    assert answer.freshness.dirty_files == 0


def test_a_folder_that_is_removed_is_gone(shop: Collection) -> None:
    for file in (shop.root / "src" / "auth").iterdir():
        file.unlink()
    (shop.root / "src" / "auth").rmdir()

    assert "file:src/auth" not in ids(shop, "auth", profile="graph-files", search_mode="keyword")


def test_files_found_by_meaning_alone_score_their_cosine(
    empty: Collection, cosines: dict[str, float]
) -> None:
    cosines |= {"near": 0.8, "far": 0.2}
    filled(empty, {"near.md": "x", "far.md": "y"})

    answer = empty.search("nothing in these words", profile="graph-files")

    assert [hit.id for hit in answer.results] == ["file:near.md"]
    assert answer.results[0].score == pytest.approx(0.8, abs=1e-3)


def test_what_is_excluded_makes_room_for_what_lies_farther(
    empty: Collection, cosines: dict[str, float]
) -> None:
    cosines |= {"mouse": 0.9, "sofa": 0.5}
    files = {f"a{number:02}.txt": f"cat mouse {number}" for number in range(60)}
    files |= {f"b{number}.txt": f"cat sofa {number}" for number in range(5)}
    filled(empty, files)

    found = ids(empty, "cat -mouse", profile="rag", search_mode="vector")

    assert [one.partition(".")[0] for one in found] == [f"doc:b{number}" for number in range(5)]


def test_a_least_score_is_compared_with_the_score_that_is_shown(shop: Collection) -> None:
    every = shop.search("password", profile="contract", search_mode="keyword")
    least = every.results[1].score

    some = shop.search("password", profile="contract", search_mode="keyword", min_score=least)

    assert len({hit.node.kind for hit in every.results}) > 1
    assert [hit.id for hit in some.results] == [
        hit.id for hit in every.results if hit.score >= least
    ]
    assert ids(shop, "password", profile="contract", min_score=0.5) == []


def test_equally_linked_nodes_come_by_their_ids(empty: Collection) -> None:
    filled(empty, {"a.py": "class Guard:\n    x = 1\n\n    def check(self):\n        pass\n"})

    answer = empty.search("", profile="xplor", kind="code")

    pairs = [(-hit.score, hit.id) for hit in answer.results]
    assert pairs == sorted(pairs)


@pytest.mark.parametrize("query", ["->", "🙂", "* ? [ ]"])
def test_a_query_of_signs_is_not_an_empty_one(shop: Collection, query: str) -> None:
    assert shop.search(query, profile="xplor", search_mode="keyword").results == ()


def test_an_empty_query_with_a_filter_shows_the_best_linked_of_what_it_allows(
    shop: Collection,
) -> None:
    answer = shop.search("lang:python", profile="xplor")

    assert answer.method == "degree"
    assert {hit.node.language for hit in answer.results} == {"python"}


@pytest.mark.parametrize("value", ["a" * 1200, "あ" * 400])
@pytest.mark.parametrize("name", ["path", "name", "path-prefix"])
def test_a_long_value_of_a_filter_matches_nothing_and_breaks_nothing(
    shop: Collection, name: str, value: str
) -> None:
    assert ids(shop, "password", filters={name: value}) == []


def test_a_long_prefix_matches_nothing_and_breaks_nothing(shop: Collection) -> None:
    assert ids(shop, "a" * 1200 + "*", search_mode="keyword") == []


def test_a_type_typed_as_a_kind_is_one_in_the_language_of_seed_001(shop: Collection) -> None:
    found = ids(shop, "kind:function password", profile="contract", search_mode="keyword")

    assert found == ids(
        shop, "password", kind="function", profile="contract", search_mode="keyword"
    )
    assert len(found) == 2


def test_filters_that_only_code_has_leave_records_in_their_own_mode(shop: Collection) -> None:
    for profile in ("best", "graph", "contract", "rag"):
        options = {"mode": "records", "profile": profile, "search_mode": "keyword"}
        assert len(ids(shop, "password", filters={"lang": "go"}, **options)) == 1
        assert ids(shop, "password", filters={"lang": "go", "kind": "record"}) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"limit": 2.5}, "whole number"),
        ({"limit": True}, "whole number"),
        ({"min_score": float("nan")}, "0 or more"),
        ({"min_score": -1.0}, "0 or more"),
        ({"min_confidence": 1.5}, "0 to 1"),
        ({"min_confidence": float("nan")}, "0 to 1"),
        ({"kind": "cod"}, "Did you mean 'code'"),
        ({"mode": "prosa"}, "Did you mean 'prose'"),
        ({"profile": "x" * 300}, "profile"),
        ({"profile": "~nobody-here/x.toml"}, "profile"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    shop: Collection, options: dict[str, object], said: str
) -> None:
    with pytest.raises((UsageError, FilterError, ConfigError), match=said):
        shop.search("password", **options)  # type: ignore[arg-type]


def test_context_is_explained_with_every_key(shop: Collection) -> None:
    answer = shop.search("login", limit=1, expand="context", explain=True, search_mode="keyword")

    first, *around = answer.results
    assert around
    for hit in around:
        assert hit.breakdown is not None
        assert first.breakdown is not None
        assert set(hit.breakdown) == set(first.breakdown)
        assert hit.breakdown["selected"] == {"type": "context", "score": 0.0}


def test_views_that_mean_the_same_are_made_once(shop: Collection) -> None:
    for profile in ("xplor", "xplor-rrf"):
        shop.search("password", profile=profile, search_mode="keyword")

    assert sum(view.startswith("node-standard") for view in shop.status().views) <= 1


def test_a_misspelt_language_is_named_with_the_nearest_one(shop: Collection) -> None:
    answer = shop.search("password", filters={"lang": "pyton"})

    assert answer.results == ()
    assert answer.notes[0].endswith("did you mean 'python'?")
    assert [one for one in answer.notes if "pyton" in one][1:] == ["without lang=pyton: 4 hits"]
    assert shop.search("password", filters={"lang": "python"}).notes == ()


def test_one_that_is_typed_in_the_query_is_named_as_well(shop: Collection) -> None:
    for query, nearest in (("password lang:pyton", "python"), ("password kind:cod", "code")):
        assert f"did you mean '{nearest}'?" in " ".join(shop.search(query).notes)


def test_a_mode_of_which_there_is_nothing_is_said(shop: Collection) -> None:
    (shop.root / "rows.jsonl").unlink()
    shop.sync()

    note, searched = shop.search("password", mode="records").notes
    assert searched == "searched 3 files"
    assert note.startswith("kind 'record' is not in this collection, which has code, doc")


def test_another_branch_than_that_of_the_folder_is_named(shop: Collection) -> None:
    assert shop.search("password", filters={"branch": "next"}).notes == (
        "the folder is on no branch of git, not on 'next'",
        "searched 4 files",
    )
    git = shop.root / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")

    note, _ = shop.search("password", filters={"branch": ["next", "last"]}).notes
    assert note == "the folder is on branch 'main', not on 'last', 'next'"
    assert shop.search("password", filters={"branch": ["next", "main"]}).notes == ()


def test_a_mark_that_does_not_exist_is_refused_with_the_nearest(shop: Collection) -> None:
    with pytest.raises(FilterError, match=r"'tset'.*'test'") as refused:
        shop.search("password", filters={"marks": "tset"})
    assert refused.value.field == "marks"
