"""Searches to go on with: what lies near a query but not on its page."""

from __future__ import annotations

import dataclasses

import pytest

from trivium.backends.base import FileContent, Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.results.related import MOST, related
from trivium.testing.corpus import Section, chunk_id, make_file
from trivium.testing.filling import write
from trivium.types import ChunkId, Gathered, Hit, Kind, Ranking

NAMES = ["Tracked properties", "tracked property", "Reactive state", "Services", "Routing", "far"]
PAGES = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
# Near enough to be looked at, too far for a heading to sum up what was asked.
LOOSELY = 0.6


def symbol(name: str, *, type: str = "function") -> Section:
    return Section(name, f"text of {name}", kind=Kind.CODE, type=type)


def opened(*files: FileContent) -> Snapshot:
    backend = ReferenceBackend()
    write(backend, list(files))
    return backend.snapshot().__enter__()


@pytest.fixture
def snapshot() -> Snapshot:
    sections = [Section(name, f"text of {name}") for name in NAMES]
    more = [Section(f"Page {word}", f"text of {word}") for word in PAGES]
    return opened(make_file("a.md", sections), make_file("b.md", more))


def near(*names: str, path: str = "a.md", cosines: list[float] | None = None) -> Gathered:
    ids = tuple(chunk_id(path, name) for name in names)
    scores = tuple(cosines or [0.9 - 0.01 * place for place in range(len(ids))])
    return Gathered((Ranking("vectors", ids, scores),), ids, {}, "words", ())


def hit(snapshot: Snapshot, name: str) -> Hit:
    found = snapshot.fetch([ChunkId(chunk_id("a.md", name))])[0]
    return Hit(found.node.id, found.chunk.id, found.node, 1.0, "rrf", (), "", (), 1, 1)


def test_what_is_near_is_suggested_nearest_first(snapshot: Snapshot) -> None:
    found = related(snapshot, [near("Services", "Routing")], [], query="injection")

    assert found == ("Services", "Routing")


def test_what_is_shown_or_says_the_same_is_not_suggested(snapshot: Snapshot) -> None:
    gathered = near("Tracked properties", "tracked property", "Reactive state", "Services")
    hits = [hit(snapshot, "Tracked properties")]

    assert related(snapshot, [gathered], hits, query="reactive states") == ("Services",)


def test_what_is_far_from_the_nearest_is_another_matter(snapshot: Snapshot) -> None:
    gathered = near("Services", "far", cosines=[0.8, 0.39])

    assert related(snapshot, [gathered], [], query="x") == ("Services",)


def test_there_are_few_suggestions_and_none_without_vectors(snapshot: Snapshot) -> None:
    many = near(*(f"Page {word}" for word in PAGES), path="b.md")
    by_words = Gathered(
        (Ranking("text", many.pool, (1.0,) * len(PAGES)),), many.pool, {}, "none", ()
    )

    assert len(related(snapshot, [many], [], query="x")) == MOST
    assert related(snapshot, [by_words], [], query="x") == ()


def test_files_are_no_searches(snapshot: Snapshot) -> None:
    ids = (ChunkId("a.md@0"),)
    gathered = Gathered((Ranking("vectors", ids, (0.9,)),), ids, {}, "words", ())
    node = snapshot.nodes([snapshot.fetch([ChunkId(chunk_id("a.md", "far"))])[0].node.id])
    assert next(iter(node.values())).kind is Kind.DOC

    assert related(snapshot, [gathered], [], query="x") == ()


def among(*names: str, query: str = "cache", **metadata: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return what is suggested where these functions are near, all about the query."""
    file = make_file("a.py", [symbol(name) for name in names])
    nodes = tuple(dataclasses.replace(node, metadata=metadata) for node in file.nodes)
    gathered = near(*names, path="a.py")
    return related(opened(dataclasses.replace(file, nodes=nodes)), [gathered], [], query=query)


@pytest.mark.parametrize(
    "name",
    [
        *("_cache_key", "__cache_key__", "_Cache.key_of", "test_cache_is_kept", "TestCacheKeeps"),
        *("cache", "is_cache", "<lambda cache>", "#cache_key"),
    ],
)
def test_a_name_that_nobody_types_is_not_suggested(name: str) -> None:
    assert among("cache_size", name) == ("cache_size",)


@pytest.mark.parametrize("mark", ["test", "generated", "vendored", "minified"])
def test_what_stands_in_a_marked_file_is_not_suggested(mark: str) -> None:
    assert among("cache_size") == ("cache_size",)
    assert among("cache_size", marks=(mark,)) == ()


def test_what_others_may_not_use_is_not_suggested() -> None:
    assert among("cache_size", visibility="public") == ("cache_size",)
    assert among("cache_size", visibility="private") == ()


@pytest.mark.parametrize("type_", ["constant", "module", "constructor", "field"])
def test_only_what_is_asked_for_by_name_is_suggested(type_: str) -> None:
    snapshot = opened(make_file("a.py", [symbol("cache_size", type=type_)]))

    assert related(snapshot, [near("cache_size", path="a.py")], [], query="cache") == ()


def test_a_type_may_have_a_name_of_one_word() -> None:
    names = ["LockOne", "LockTwo", "Lock"]
    for type_, is_found in (("class", True), ("function", False)):
        snapshot = opened(make_file("a.py", [symbol(name, type=type_) for name in names]))
        gathered = near("Lock", "LockOne", "LockTwo", path="a.py")

        assert ("Lock" in related(snapshot, [gathered], [], query="mutex")) is is_found


@pytest.mark.parametrize("query", ["cache size", "size cache", "sizes of caches", "CacheSize"])
def test_neither_the_query_nor_its_words_in_another_order_are_suggested(query: str) -> None:
    assert among("cache_size", "cache_entry", query=query) == ("cache_entry",)


def test_what_differs_in_case_and_separators_is_suggested_once() -> None:
    assert among("cache_key", "cacheKey", "CacheKey", "Cache_Keys", "cachekey") == ("cache_key",)


def test_a_symbol_must_be_about_what_its_neighbours_are_about() -> None:
    names = ["blue_lock", "red_lock", "lock_green", "grey_wall"]

    assert among(*names, query="mutex") == ("blue_lock", "red_lock", "lock_green")
    assert among(*names[1:], query="mutex") == ()


def test_a_word_that_is_as_common_farther_off_is_no_topic() -> None:
    near_by = [f"{colour}_lock" for colour in ("red", "blue", "green")]
    others = [f"{letter}{letter}{letter}_{letter}oor" for letter in "abcdefghijklmnopq"]
    farther = [f"{letter}{letter}{letter}_lock" for letter in "abcdefghijklmnopqrst"]

    assert among(*near_by, *others, query="mutex") == ("red_lock", "blue_lock", "green_lock")
    assert among(*near_by, *others, *farther, query="mutex") == ()


def test_a_heading_sums_up_its_text_where_that_is_very_near(snapshot: Snapshot) -> None:
    gathered = near("Tracked properties", "Reactive state", cosines=[0.9, 0.9 * LOOSELY])

    assert related(snapshot, [gathered], [], query="signals") == ("Tracked properties",)
    found = related(snapshot, [gathered], [], query="state machine")
    assert found == ("Tracked properties", "Reactive state")


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("4.2 Locking a file", "Locking a file"),
        ("3. Locking a file (with care)", "Locking a file"),
        ("Locks", "Store Locks"),
        ("What it is", None),
        ("lock <name>", None),
        ("lock a|b ID", None),
        ("Locking " + "very " * 12 + "long", None),
    ],
)
def test_a_heading_is_shown_as_a_person_would_type_it(heading: str, shown: str | None) -> None:
    sections = [Section(heading, "text", title="Store: how it works")]
    found = related(opened(make_file("a.md", sections)), [near(heading)], [], query="what is held")

    assert found == (() if shown is None else (shown,))
