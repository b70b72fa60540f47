"""The signs of a file of code, one by one."""

from __future__ import annotations

import pytest

from trivium.ranking.features import (
    PAGE_SIGNS,
    SIGNS,
    Members,
    is_aside,
    own_name,
    pieces,
    place_of,
    stem_of,
    stemmed,
    wanted,
)


def sign(key: str, query: str, path: str, *members: tuple[str, float]) -> float:
    names = [own_name(name) for name, _ in members] or [""]
    found = Members(names, [score for _, score in members] or [1.0])
    return SIGNS[key][0](wanted(query), place_of(path), found)


@pytest.mark.parametrize(
    ("path", "stem", "folder"),
    [
        ("src/routing/path_router.rs", "path_router", "routing"),
        ("src/handler/mod.rs", "handler", "src"),
        ("pkg/__init__.py", "pkg", ""),
        ("index.ts", "index", ""),
        ("Builders.common.kt", "Builders", ""),
        (".bashrc", "bashrc", ""),
    ],
)
def test_index_and_mod_take_the_name_of_their_folder(path: str, stem: str, folder: str) -> None:
    assert stem_of(path) == (stem, folder)


@pytest.mark.parametrize(
    ("query", "path", "share"),
    [
        ("how the router matches a path", "path_router.rs", 1.0),
        ("the router of requests", "path_router.rs", len("router") / len("pathrouter")),
        ("parsing command line arguments", "args.py", 0.8 * 1.0),
        ("reading from the file system", "fs.rs", 0.6),
        ("open a web socket", "websocket.py", 1.0),
        ("serialisation of dates", "cache.py", 0.0),
        ("how does the code work", "work.py", 0.0),
    ],
)
def test_a_stem_counts_by_the_letters_the_query_speaks_of(
    query: str, path: str, share: float
) -> None:
    assert sign("stem", query, path) == pytest.approx(share)


def test_a_stem_of_words_run_together_counts_by_how_many_they_are() -> None:
    assert sign("stem_joined", "a type adapter factory", "TypeAdapterFactory.java") == 3 / 4
    assert sign("stem_joined", "a factory of type adapters", "TypeAdapterFactory.java") == 0


def test_a_file_called_a_symbol_of_the_query_has_the_sign() -> None:
    assert sign("stem_symbol", "where JsonReader is made", "json_reader.py") == 1
    assert sign("stem_symbol", "where a json reader is made", "json_reader.py") == 0


def test_the_last_folder_counts_as_the_stem_does() -> None:
    assert sign("folder", "queue connections", "queue/manager.php") == 1
    assert sign("folder", "queue connections", "manager.php") == 0


def test_words_are_those_of_the_path_and_of_all_names_found_in_the_file() -> None:
    found = (("Client.send", 1.0), ("Client.retry~2", 0.5))
    assert sign("words", "send retries slowly", "net/http.py", *found) == 2 / 3
    assert sign("words", "", "net/http.py", *found) == 0


def test_the_first_symbol_counts_where_the_file_defines_it() -> None:
    query = "how IntoResponse turns a Handler into bytes"
    assert sign("first_symbol", query, "a.rs", ("mod.IntoResponse", 1.0)) == 1
    assert sign("first_symbol", query, "a.rs", ("Handler", 1.0)) == 0
    assert sign("first_symbol", "plain words", "a.rs", ("words", 1.0)) == 0


def test_the_three_best_others_of_a_file_speak_for_it() -> None:
    members = (("a", 0.1), ("b", 0.9), ("c", 0.6), ("d", 0.3), ("e", 0.2))
    assert sign("others", "x", "a.py", *members) == pytest.approx((0.6 + 0.3 + 0.2) / 3)
    assert sign("others", "x", "a.py", ("b", 0.9)) == 0


def test_more_candidates_of_a_file_count_for_more_up_to_one() -> None:
    few, many = ([(f"f{number}", 0.5) for number in range(size)] for size in (2, 400))
    assert 0 < sign("count", "x", "a.py", *few) < sign("count", "x", "a.py", *many) == 1


def test_every_folder_above_a_file_speaks_against_it_up_to_six() -> None:
    assert sign("depth", "x", "a.py") == 0
    assert sign("depth", "x", "a/b/c.py") == -2 / 6
    assert sign("depth", "x", "a/" * 9 + "c.py") == -1


@pytest.mark.parametrize(
    ("path", "is_it"),
    [
        ("tests/unit/a.py", True),
        ("src/JsonReaderTest.java", True),
        ("pkg/router_test.go", True),
        ("src/app.spec.ts", True),
        ("examples/hello.py", True),
        ("lib/legacy/old.rb", True),
        ("openapi/spec.py", False),
        ("src/latest.py", False),
        ("src/contest/entry.py", False),
    ],
)
def test_tests_examples_and_legacy_code_stand_aside(path: str, is_it: bool) -> None:
    assert is_aside(path) is is_it


def test_what_stands_aside_is_not_held_against_it_where_the_query_asks_for_it() -> None:
    assert sign("aside", "parse dates", "tests/test_dates.py") == -1
    assert sign("aside", "tests that parse dates", "tests/test_dates.py") == 0
    assert sign("aside", "an example of dates", "examples/dates.py") == 0


def test_a_query_of_a_million_words_is_read_in_a_moment() -> None:
    asked = wanted("word " * 1_000_000)
    assert asked.long == ("word",)
    place, found = place_of("a/b.py"), Members(["f"], [1.0])
    assert all(-1 <= fn(asked, place, found) <= 1 for fn, _ in SIGNS.values())


def test_the_kind_of_a_page_is_no_word_of_its_headings() -> None:
    headings = PAGE_SIGNS["headings"][0]

    assert headings(wanted("delete a record"), "record:shop.jsonl#7") == 0
    assert headings(wanted("delete a record"), "record:records.jsonl#7") == 1 / 2


def test_queries_are_not_kept_in_memory_as_names_are() -> None:
    kept = [cache.cache_info().currsize for cache in (pieces, stemmed)]

    wanted("a query that nobody has asked before, nor will again")

    assert [cache.cache_info().currsize for cache in (pieces, stemmed)] == kept
