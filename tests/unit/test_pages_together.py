"""Pages and facets over several collections."""

from __future__ import annotations

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
@pytest.mark.parametrize("options", [{}, {"group": "none"}, {"profile": "rag"}], ids=str)
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


def test_another_order_than_that_of_relevance_is_refused(three: list[Collection]) -> None:
    with pytest.raises(UsageError, match="sort is 'path'"):
        trivium.together(*three).search("zebra", sort="path")


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
