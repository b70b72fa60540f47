"""Pages and facets over several collections."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import trivium
from trivium import config
from trivium.backends.reference.store import ReferenceBackend
from trivium.collection import Collection
from trivium.errors import UsageError
from trivium.federation import Together
from trivium.retrieval.cursor import AGAIN
from trivium.retrieval.sorting import SORTS
from trivium.testing.folders import filled


def opened(folder: Path, home: Path) -> Collection:
    folder.mkdir(parents=True, exist_ok=True)
    environ = {"TRIVIUM_HOME": str(home), "TRIVIUM_CONFIG": str(home / "config.toml")}
    settings = config.load(folder=folder, flags={"embedding.model": "none"}, environ=environ)
    return trivium.open(folder, settings=settings, backend=ReferenceBackend())


@pytest.fixture
def three(tmp_path: Path) -> Iterator[list[Collection]]:
    """Three collections: one long, one short that repeats some of it, one that has nothing."""
    home = tmp_path / "home"
    made = [opened(tmp_path / name, home) for name in ("long", "short", "none")]
    # No two alike, and each of another length, so that no two have the same score.
    long = {
        f"p{number:03}.md": f"# P{number}\n\nzebra {f'w{number} ' * (number + 1)}\n"
        for number in range(70)
    }
    filled(made[0], long)
    filled(made[1], {name: text for name, text in long.items() if name < "p005.md"})
    filled(made[2], {"a.md": "# A\n\ncat\n"})
    yield made
    for one in made:
        one.close()


def ids(answer: trivium.Answer) -> list[tuple[str, str]]:
    return [(hit.collection, hit.id) for hit in answer.results if hit.context is None]


def paged(together: Together, *, limit: int, **options: Any) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    cursor: str | None = None
    for _ in range(100):
        answer = together.search("zebra", limit=limit, cursor=cursor, **options)
        assert AGAIN not in answer.notes
        found += ids(answer)
        cursor = answer.next
        if cursor is None:
            return found
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("limit", [1, 7, 40])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"group": "none"},
        {"profile": "rag"},
        {"sort": "newest"},
        {"sort": "path", "group": "none"},
        {"as_you_type": True, "sort": "path"},
        {"filters": {"path-prefix": "p00"}, "sort": "newest"},
    ],
    ids=str,
)
def test_pages_of_several_are_one_long_list(
    three: list[Collection], limit: int, options: dict[str, Any]
) -> None:
    together = trivium.together(*three)
    whole = together.search("zebra", limit=100, **options)
    found = paged(together, limit=limit, **options)

    assert len(found) == len(set(found)) == whole.total
    assert found == ids(whole)
    assert whole.next is None


def test_repeats_are_left_out_across_pages(three: list[Collection]) -> None:
    together = trivium.together(*three)
    whole = together.search("zebra", limit=100, dedupe=True)
    found = paged(together, limit=4, dedupe=True)

    assert found == ids(whole)
    assert len(found) < together.search("zebra", limit=100).total


def test_the_collection_is_one_more_facet(three: list[Collection]) -> None:
    answer = trivium.together(*three).search("zebra", limit=1)
    of_each = {one.name: one.search("zebra").total for one in three}

    assert answer.facets["collection"] == of_each
    assert list(answer.facets["collection"]) == ["long", "short", "none"]
    assert sum(answer.facets["kind"].values()) == answer.total


def test_a_change_in_one_of_them_starts_again(three: list[Collection]) -> None:
    together = trivium.together(*three)
    first = together.search("zebra", limit=4)
    (three[1].root / "new.md").write_text("# Zebra\n\nzebra\n", encoding="utf-8")
    three[1].sync()
    second = together.search("zebra", limit=4, cursor=first.next)

    assert AGAIN in second.notes
    assert ids(second) == ids(together.search("zebra", limit=4))


def test_cursors_of_others_are_refused(three: list[Collection]) -> None:
    together = trivium.together(*three)
    cursor = together.search("zebra", limit=2).next
    alone = three[0].search("zebra", limit=2).next

    for asked, given, said in (
        (trivium.together(*three[:2]), cursor, "another collection than long, short"),
        (three[0], cursor, "another collection than long"),
        (together, alone, "another collection"),
        (together, "A" * 40, "damaged"),
    ):
        with pytest.raises(UsageError, match=said):
            asked.search("zebra", limit=2, cursor=given)
    with pytest.raises(UsageError, match="another question"):
        together.search("zebras", limit=2, cursor=cursor)


@pytest.mark.parametrize("sort", ["relevance", "newest", "path"])
def test_no_page_is_empty_because_only_repeats_are_left(three: list[Collection], sort: str) -> None:
    together = trivium.together(*three[::-1], priorities={"short": 1})
    whole = together.search("zebra", limit=100, dedupe=True, sort=sort)
    count = len(ids(whole))
    last = together.search("zebra", limit=count, dedupe=True, sort=sort)

    assert 1 < count < whole.total
    assert (ids(last), last.next) == (ids(whole), None)
    assert last.notes == whole.notes
    assert paged(together, limit=3, dedupe=True, sort=sort) == ids(whole)


def test_pages_of_several_leave_out_what_is_less_likely(three: list[Collection]) -> None:
    together = trivium.together(*three)
    every = together.search("zebra", limit=100)
    likely = sorted({hit.confidence or 0.0 for hit in every.results})
    least = likely[len(likely) // 2]
    for sort in SORTS:
        options: dict[str, Any] = {"min_confidence": least, "sort": sort}
        found = paged(together, limit=4, **options)

        assert 0 < len(found) < every.total
        assert found == ids(together.search("zebra", limit=100, **options))
        assert set(found) == {
            (hit.collection, hit.id) for hit in every.results if (hit.confidence or 0) >= least
        }


def test_the_newest_of_all_come_first(three: list[Collection]) -> None:
    for place, one in enumerate(three[:2]):
        for number, path in enumerate(sorted(one.root.glob("*.md"))):
            # In one every third second, in the other between them, and the last ones at once.
            at = 1_000_000 + min(3 * number + place, 12)
            os.utime(path, (at, at))
        one.sync()
    together = trivium.together(*three, priorities={"short": 1})
    found = together.search("zebra", limit=100, sort="newest").results
    when = {one.name: one.changed([hit.source.file_path for hit in found]) for one in three}
    order = [
        (-when[hit.collection][hit.source.file_path], hit.collection == "long", hit.id)
        for hit in found
    ]

    assert order == sorted(order)
    assert [hit.collection for hit in found[-8:]] == ["short", "long"] * 4
    assert found[0].collection == "short"


def test_by_path_one_collection_comes_after_another(three: list[Collection]) -> None:
    found = trivium.together(*three).search("zebra", limit=100, sort="path").results
    places = [(hit.collection, hit.source.file_path, hit.start_line) for hit in found]

    assert places == sorted(places)
    assert {hit.collection for hit in found} == {"long", "short"}


def test_sorted_otherwise_hits_keep_the_scores_of_their_collections(
    three: list[Collection],
) -> None:
    found = trivium.together(*three).search("zebra", limit=100, sort="path").results
    own = {
        (one.name, hit.id): (hit.score, hit.score_type, hit.parts)
        for one in three
        for hit in one.search("zebra", limit=100).results
    }

    assert {
        (hit.collection, hit.id): (hit.score, hit.score_type, hit.parts) for hit in found
    } == own


def test_an_order_that_there_is_not_is_refused(three: list[Collection]) -> None:
    together = trivium.together(*three)
    with pytest.raises(UsageError, match="Did you mean 'newest'"):
        together.search("zebra", sort="newst")
    cursor = together.search("zebra", limit=2, sort="path").next
    with pytest.raises(UsageError, match="another question"):
        together.search("zebra", limit=2, cursor=cursor)


def test_a_selected_facet_is_not_shrunk_over_several(three: list[Collection]) -> None:
    filled(three[2], {"z.py": "def zebra():\n    return 1\n"})
    together = trivium.together(*three)
    every = together.search("zebra", limit=1)
    chosen = together.search("zebra", limit=1, filters={"lang": "python"})

    assert every.facets["language"] == {"markdown": every.total - 1, "python": 1}
    assert chosen.total == 1
    assert chosen.facets["language"] == every.facets["language"]
    assert chosen.facets["kind"] == {"code": 1}
    assert chosen.facets["collection"] == {"none": 1, "long": 0, "short": 0}


def test_several_say_once_what_was_probably_meant(three: list[Collection]) -> None:
    together = trivium.together(*three)
    answer = together.search("zebrra")

    assert answer.results
    assert answer.better == "zebra"
    assert answer.suggestions == ("zebra",)
    assert [one.reason for one in answer.degraded] == ["no embedding model is set"]


def test_what_only_one_could_not_do_has_its_name(three: list[Collection]) -> None:
    (three[1].root / "p000.md").unlink()
    answer = trivium.together(*three).search("zebra")

    assert [one.reason.partition(":")[0] for one in answer.degraded if one.stage == "files"] == [
        "short"
    ]


def test_a_word_that_one_of_them_has_is_no_mistake(tmp_path: Path) -> None:
    made = [opened(tmp_path / name, tmp_path / "home") for name in ("one", "other")]
    filled(made[0], {"a.md": "# A\n\nzebra\n"})
    filled(made[1], {"b.md": "# B\n\nzebras zebru\n"})
    answer = trivium.together(*made).search("zebru")

    assert made[0].search("zebru").better == "zebra"
    assert (answer.better, answer.suggestions) == ("", ())
    for one in made:
        one.close()


def test_each_word_is_corrected_by_those_that_know_better(tmp_path: Path) -> None:
    made = [opened(tmp_path / name, tmp_path / "home") for name in ("one", "other")]
    filled(made[0], {"a.md": "# A\n\nzebra walrus\n", "c.md": "# C\n\nzebra\n"})
    filled(made[1], {"b.md": "# B\n\npelican walruz zebro\n"})
    together = trivium.together(*made)

    # walruz is a word of the other, zebrs is nearer to one, pelcan is known to one of them only.
    assert made[0].search("zebrs walruz pelcan").better == "zebra walrus pelcan"
    assert together.search("zebrs walruz pelcan").better == "zebra walruz pelican"
    assert together.search("pelcan walruz").better == "pelican walruz"
    assert together.search("walruz").better == ""
    for one in made:
        one.close()


def test_what_is_made_of_several_corrections_is_offered_if_it_finds_something(
    tmp_path: Path,
) -> None:
    made = [opened(tmp_path / name, tmp_path / "home") for name in ("one", "other")]
    filled(made[0], {"a.md": "# A\n\nzebra\n"})
    filled(made[1], {"b.md": "# B\n\npelican\n"})
    together = trivium.together(*made)

    assert together.search("zebrs pelcan").better == "zebra pelican"
    assert together.search("zebrs AND pelcan").better == ""
    for one in made:
        one.close()


def test_without_a_model_known_words_are_still_no_mistakes(tmp_path: Path) -> None:
    made = opened(tmp_path / "one", tmp_path / "home")
    filled(made, {"a.md": "# A\n\nlogic zebra\n"})

    assert made.search("login").better == ""
    assert made.search("login", search_mode="keyword").better == ""
    assert made.search("zebrs").better == "zebra"
    made.close()


def test_a_value_that_none_of_them_lists_may_be_the_most_frequent_of_all(tmp_path: Path) -> None:
    two = [opened(tmp_path / name, tmp_path / "home") for name in ("one", "two")]
    for collection in two:
        own = {
            f"{collection.name}{number}/{page}.md": f"# {page}\n\nzebra\n"
            for number in range(20)
            for page in ("a", "b")
        }
        filled(collection, {**own, "zoo/a.md": "# A\n\nzebra\n"})
    answer = trivium.together(*two).search("zebra")
    found = trivium.together(*two).search("zebra", filters={"path-prefix": "zoo/"}).total

    assert [one.search("zebra").facets["folder"].get("zoo/") for one in two] == [None, None]
    assert answer.facets["folder"]["…"] == 21
    assert answer.counts["folder"]["zoo/"] == found == 2
    for one in two:
        one.close()
