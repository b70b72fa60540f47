"""Pages of one answer: they follow each other without a gap or an overlap, on every backend."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.contract.conftest import BACKENDS, made

from trivium import indexer
from trivium.backends.base import Backend, FileHistory, Snapshot
from trivium.engine import search
from trivium.errors import UsageError
from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.profile import Boosts, profile
from trivium.retrieval.cursor import AGAIN
from trivium.retrieval.sorting import SORTS
from trivium.testing.embedders import WordEmbedder
from trivium.testing.filling import write_texts
from trivium.types import Answer

WORDS = ["route", "cat", "query", "path", "store"]


def texts() -> dict[str, str]:
    """Make code and pages in which some repeat others."""
    chance = random.Random(7)  # noqa: S311 - repeatable, not secret
    made: dict[str, str] = {}
    for number in range(12):
        words = " ".join(chance.choices(WORDS, k=6))
        made[f"src/m{number}.py"] = (
            f'def route_{number}(path):\n    """{words}"""\n    return path\n\n\n'
            f"def other_{number}(route):\n    return route\n"
        )
        made[f"docs/p{number % 9}-{number}.md"] = (
            f"# Page {number % 4}\n\n{words} route\n\n## More\n\nroute {'cat ' * (number % 3)}\n"
        )
    return made


@pytest.fixture(scope="module", params=BACKENDS)
def snapshot(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Snapshot]:
    """One state of each backend, for all tests that only read."""
    with made(request.param, tmp_path_factory.mktemp("paging")) as backend:
        yield from held_by(backend)


def held_by(backend: Backend) -> Iterator[Snapshot]:
    write_texts(backend, texts())
    with backend.writer(wait_s=0) as writer:
        rows = [
            FileHistory(path, "Ann", f"2025-01-{number % 5 + 1:02}T00:00:00+00:00", 1)
            for number, path in enumerate(texts())
            if number % 3
        ]
        writer.put_history(rows, head="abc")
    indexer.embed(backend, WordEmbedder())
    with backend.snapshot() as held:
        yield held


def ask(
    snapshot: Snapshot,
    text: str = "route cat",
    *,
    name: str = "best",
    where: Filter = EVERYTHING,
    is_there: Callable[[str], bool] | None = None,
    collection: str = "shop",
    identity: str = "shop-1",
    embeds: bool = True,
    boosts: Boosts | None = None,
    **options: Any,
) -> Answer:
    chosen = profile(name) if boosts is None else replace(profile(name), boosts=boosts)
    given = Circumstances(
        collection,
        identity=identity,
        embedders=(WordEmbedder(),) if embeds else (),
        is_there=is_there,
    )
    made = SearchOptions(chosen, where=where, **options)
    return search(snapshot, text, options=made, given=given)


def ids(answer: Answer) -> list[str]:
    return [hit.chunk_id for hit in answer.results if hit.context is None]


def paged(snapshot: Snapshot, limits: Sequence[int], **options: Any) -> list[str]:
    """Return the hits of all pages, of these lengths in turn."""
    found: list[str] = []
    cursor: str | None = None
    for number in range(200):
        answer = ask(snapshot, limit=limits[number % len(limits)], cursor=cursor, **options)
        assert AGAIN not in answer.notes
        found += ids(answer)
        cursor = answer.next
        if cursor is None:
            return found
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("limits", [(1,), (3,), (7,), (2, 5, 1)], ids=str)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"group": "file"},
        {"group": "node"},
        {"group": "none"},
        {"dedupe": True},
        {"expand": "context"},
        {"dedupe": True, "group": "node", "sort": "path"},
        {"sort": "newest"},
        {"sort": "path", "group": "none"},
        {"where": build({"kind": "doc"})},
        {"search_mode": "keyword"},
        {"min_score": 0.1},
        {"min_confidence": 0.1},
        {"min_confidence": 0.1, "dedupe": True, "sort": "path"},
        {"as_you_type": True, "sort": "newest"},
        {"name": "rag"},
        {"name": "ember"},
        {"name": "contract"},
        {"name": "xplor"},
        {"name": "graph"},
    ],
    ids=str,
)
def test_all_pages_together_are_one_long_list(
    snapshot: Snapshot, limits: tuple[int, ...], options: dict[str, Any]
) -> None:
    longest = profile(options.get("name", "best")).most
    whole = ask(snapshot, limit=longest, **options)
    found = paged(snapshot, limits, **options)

    assert len(found) == len(set(found))
    if whole.next is None:
        assert sorted(found) == sorted(ids(whole))
    assert found[: len(ids(whole))] == ids(whole)
    if not options.keys() & {"dedupe", "min_confidence"}:
        assert len(found) == whole.total


@pytest.mark.parametrize("first", [1, 3, 8])
def test_a_first_page_that_the_graph_orders_stays_as_it_was(snapshot: Snapshot, first: int) -> None:
    boosts = replace(profile("best").boosts, degree=0.3, proximity=0.5)
    graph: dict[str, Any] = {"boosts": boosts, "group": "none"}
    pages = [ask(snapshot, limit=first, **graph)]
    while (cursor := pages[-1].next) is not None:
        pages.append(ask(snapshot, limit=4, cursor=cursor, **graph))
    found = [one for page in pages for one in ids(page)]

    plain = ids(ask(snapshot, limit=100, group="none"))
    assert sorted(found) == sorted(plain)
    assert found[first:] == plain[first:]
    assert sorted(found[:first]) == sorted(plain[:first])


def test_files_that_are_gone_leave_no_gap(snapshot: Snapshot) -> None:
    def is_there(path: str) -> bool:
        return not path.endswith(("3.py", "5.md", "0.md", "1.py"))

    whole = ask(snapshot, limit=100, is_there=is_there)

    assert len(ids(whole)) < ask(snapshot, limit=100).total
    for limit in (1, 2, 5):
        assert paged(snapshot, (limit,), is_there=is_there) == ids(whole)


def test_a_file_that_goes_between_two_pages_takes_no_place(snapshot: Snapshot) -> None:
    whole = ids(ask(snapshot, limit=100, group="none"))
    first = ask(snapshot, limit=4, group="none")
    gone = first.results[0].node.source.file_path
    second = ask(
        snapshot, limit=100, group="none", cursor=first.next, is_there=lambda path: path != gone
    )

    assert ids(second) == [one for one in whole[4:] if gone not in one]


def test_the_last_page_and_an_empty_one_have_no_next(snapshot: Snapshot) -> None:
    whole = ask(snapshot, limit=100)

    assert whole.next is None
    assert ask(snapshot, limit=whole.total).next is None
    assert ask(snapshot, limit=whole.total - 1).next is not None
    assert ask(snapshot, limit=0).next is None
    assert ask(snapshot, "zebra", search_mode="keyword").next is None


@pytest.mark.parametrize("dedupe", [False, True])
def test_no_page_is_empty_because_too_little_confidence_is_left(
    snapshot: Snapshot, dedupe: bool
) -> None:
    every = ask(snapshot, limit=100, dedupe=dedupe)
    likely = sorted({hit.confidence or 0.0 for hit in every.results}, reverse=True)
    for least in likely[:3]:
        options: dict[str, Any] = {"min_confidence": least, "dedupe": dedupe}
        whole = ask(snapshot, limit=100, **options)
        count = len(whole.results)

        assert 0 < count < every.total
        last = ask(snapshot, limit=count, **options)
        assert (ids(last), last.next) == (ids(whole), None)
        assert last.notes == whole.notes
        if count > 1:
            assert ask(snapshot, limit=count - 1, **options).next is not None


def test_total_and_facets_are_the_same_on_every_page(snapshot: Snapshot) -> None:
    first = ask(snapshot, limit=3)
    second = ask(snapshot, limit=2, cursor=first.next)

    assert (second.total, second.facets) == (first.total, first.facets)


@pytest.mark.parametrize(
    "other",
    [
        {"text": "route"},
        {"where": build({"lang": "python"})},
        {"group": "none"},
        {"sort": "path"},
        {"dedupe": True},
        {"min_score": 0.01},
        {"search_mode": "keyword"},
        {"name": "rag"},
    ],
    ids=str,
)
def test_a_cursor_of_another_question_is_refused(snapshot: Snapshot, other: dict[str, Any]) -> None:
    cursor = ask(snapshot, limit=3).next

    with pytest.raises(UsageError, match="another question"):
        ask(snapshot, limit=3, cursor=cursor, **other)


def test_a_cursor_of_another_collection_is_refused(snapshot: Snapshot) -> None:
    cursor = ask(snapshot, limit=3).next

    with pytest.raises(UsageError, match="another collection than shop"):
        ask(snapshot, limit=3, cursor=cursor, identity="shop-2")
    with pytest.raises(UsageError, match="another collection than store"):
        ask(snapshot, limit=3, cursor=cursor, collection="store")


def test_what_is_only_shown_otherwise_may_differ(snapshot: Snapshot) -> None:
    first = ask(snapshot, limit=3)
    second = ask(snapshot, limit=2, cursor=first.next, explain=True, expand="context")

    assert ids(second) == ids(ask(snapshot, limit=5))[3:]


def test_a_changed_index_says_so_and_starts_again(any_backend: Backend) -> None:
    write_texts(any_backend, texts())
    with any_backend.snapshot() as before:
        first = ask(before, limit=3, embeds=False)
    write_texts(any_backend, {"new.md": "# Route\n\nroute route cat\n"})
    with any_backend.snapshot() as after:
        second = ask(after, limit=4, cursor=first.next, embeds=False)
        expected = ask(after, limit=4, embeds=False)

    assert AGAIN in second.notes
    assert ids(second) == ids(expected)
    assert second.next == expected.next


def test_a_model_that_fails_on_the_second_page_starts_again(snapshot: Snapshot) -> None:
    first = ask(snapshot, limit=3)
    second = ask(snapshot, limit=3, cursor=first.next, embeds=False)

    assert AGAIN in second.notes
    assert ids(second) == ids(ask(snapshot, limit=3, embeds=False))


def test_path_sorts_by_place_and_keeps_scores(snapshot: Snapshot) -> None:
    relevant = ask(snapshot, limit=100, group="none")
    sorted_ = ask(snapshot, limit=100, group="none", sort="path")

    assert {hit.chunk_id: hit.score for hit in sorted_.results} == {
        hit.chunk_id: hit.score for hit in relevant.results
    }
    lines = snapshot.lines([hit.chunk_id for hit in sorted_.results])
    places = [
        (hit.node.source.file_path, lines[hit.chunk_id][0], hit.chunk_id) for hit in sorted_.results
    ]
    assert places == sorted(places)
    assert ids(sorted_) != ids(relevant)


def test_newest_goes_by_the_last_commit_then_by_the_file(snapshot: Snapshot) -> None:
    found = ask(snapshot, limit=100, sort="newest").results
    changed = snapshot.changed([hit.node.source.file_path for hit in found])
    order = [(-changed[hit.node.source.file_path], hit.node.id) for hit in found]

    assert order == sorted(order)
    assert len({moment for moment, _ in order}) > 2


def test_an_unknown_order_is_refused_with_the_nearest(snapshot: Snapshot) -> None:
    with pytest.raises(UsageError, match="Did you mean 'newest'"):
        ask(snapshot, sort="newst")
    for sort in SORTS:
        assert ask(snapshot, sort=sort).total
