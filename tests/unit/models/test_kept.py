"""Vectors of queries are kept by hash; whatever happens to the file, a query gets its vector."""

from __future__ import annotations

import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from trivium.errors import ModelError
from trivium.models.kept import QueryVectors, RememberingEmbedder, query_key
from trivium.testing.embedders import CosineEmbedder, WordEmbedder

MOST = 1000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "queries.db"


def asked_by(model: WordEmbedder, file: Path, *, most: int = MOST) -> RememberingEmbedder:
    """Return what a process that has just begun asks."""
    return RememberingEmbedder(model, QueryVectors(file, most=most))


def test_a_query_is_embedded_once(file: Path) -> None:
    model = WordEmbedder()
    asked = asked_by(model, file)

    first, second = asked.embed_query("a cat"), asked.embed_query("a cat")

    assert model.queries == ["a cat"]
    assert first.tobytes() == second.tobytes() == WordEmbedder().embed_query("a cat").tobytes()


def test_another_process_finds_the_same_vector_to_the_last_bit(file: Path) -> None:
    expected = asked_by(WordEmbedder(), file).embed_query("a cat").tobytes()
    model = WordEmbedder()

    found = asked_by(model, file).embed_query("a cat")

    assert model.queries == []
    assert found.tobytes() == expected
    assert found.dtype == np.dtype(np.float32)


def test_another_query_or_another_model_is_embedded(file: Path) -> None:
    asked_by(WordEmbedder("one"), file).embed_query("a cat")
    same, other = WordEmbedder("one"), WordEmbedder("two")

    for query in ("a cat", "a cat ", "A cat"):
        asked_by(same, file).embed_query(query)
    asked_by(other, file).embed_query("a cat")

    assert same.queries == ["a cat ", "A cat"]
    assert other.queries == ["a cat"]


def test_no_name_of_a_model_runs_into_its_query() -> None:
    assert query_key("a", "b c") != query_key("a b", "c")
    assert query_key('a", "b', "c") != query_key("a", 'b", "c')


def test_what_else_an_embedder_offers_is_passed_on(file: Path) -> None:
    model = WordEmbedder("words", strength=7)
    asked = asked_by(model, file)

    assert (asked.name, asked.model_id) == ("words", model.model_id)
    assert (asked.strength, asked.is_instant) == (7, False)
    assert asked.embed_documents(["a", "a"]).shape == (2, asked.dimension)
    assert model.documents == ["a", "a"]


@pytest.mark.parametrize("asks", [1, 2])
def test_a_kept_vector_cannot_be_changed_by_whoever_gets_it(file: Path, asks: int) -> None:
    asked = asked_by(WordEmbedder(), file)
    asked.embed_query("a cat")
    asked = asked if asks == 1 else asked_by(WordEmbedder(), file)

    with pytest.raises(ValueError, match="read-only"):
        asked.embed_query("a cat")[0] = 1.0


def test_the_file_is_its_owners_and_holds_no_query_in_the_clear(file: Path) -> None:
    secret = "sk-live-4242zebra"
    asked_by(WordEmbedder(), file).embed_query(f"who uses {secret}")

    assert [one.name for one in file.parent.iterdir()] == ["queries.db"]
    held = file.read_bytes()
    assert held
    assert not any(word.encode() in held for word in ("who", "uses", secret, "zebra"))
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "damage", [b"", b"not a database at all", b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_damaged_file_is_passed_over_and_made_anew(file: Path, damage: bytes) -> None:
    asked_by(WordEmbedder(), file).embed_query("a cat")
    file.write_bytes(damage)
    model = WordEmbedder()

    found = asked_by(model, file).embed_query("a cat")
    again = WordEmbedder()

    assert model.queries == ["a cat"]
    assert asked_by(again, file).embed_query("a cat").tobytes() == found.tobytes()
    assert again.queries == []


def test_a_vector_that_changed_in_the_file_is_not_used(file: Path) -> None:
    expected = asked_by(WordEmbedder(), file).embed_query("a cat").tobytes()
    with sqlite3.connect(file) as opened:
        opened.execute("UPDATE queries SET vector = zeroblob(length(vector))")
    opened.close()
    model = WordEmbedder()

    assert asked_by(model, file).embed_query("a cat").tobytes() == expected
    assert model.queries == ["a cat"]


def test_a_row_of_another_query_is_not_taken_for_it(file: Path) -> None:
    asked_by(WordEmbedder(), file).embed_query("a cat")
    wanted = query_key(WordEmbedder().model_id, "a dog")
    with sqlite3.connect(file) as opened:
        opened.execute("UPDATE queries SET key = ?", (wanted,))
    opened.close()
    model = WordEmbedder()

    asked_by(model, file).embed_query("a dog")

    assert model.queries == ["a dog"]


def test_where_nothing_can_be_written_memory_has_to_do(file: Path) -> None:
    # A folder in its place: nobody can write that, whoever runs the test.
    file.mkdir()
    model = WordEmbedder()
    asked = asked_by(model, file)

    assert asked.embed_query("a cat").tobytes() == asked.embed_query("a cat").tobytes()
    assert model.queries == ["a cat"]
    assert list(file.iterdir()) == []


def test_the_folder_of_a_collection_is_not_made_for_it(tmp_path: Path) -> None:
    kept = QueryVectors(tmp_path / "gone" / "queries.db", most=MOST)
    asked = RememberingEmbedder(WordEmbedder(), kept)

    asked.embed_query("a cat")

    assert kept.count() == 0
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_another_process_holds_is_not_waited_for_long(file: Path) -> None:
    asked_by(WordEmbedder(), file).embed_query("a cat")
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    model = WordEmbedder()

    found = asked_by(model, file).embed_query("a cat")
    holder.execute("ROLLBACK")
    holder.close()

    assert model.queries == ["a cat"]
    # In use is not damaged: what was kept is still there.
    assert asked_by(model, file).embed_query("a cat").tobytes() == found.tobytes()
    assert model.queries == ["a cat"]


def test_only_the_last_are_kept_and_what_is_asked_again_is_one_of_them(file: Path) -> None:
    kept = QueryVectors(file, most=10)
    for number in range(50):
        RememberingEmbedder(WordEmbedder(), kept).embed_query(f"query {number}")
        asked_by(WordEmbedder(), file, most=10).embed_query("often")
    model = WordEmbedder()
    later = asked_by(model, file, most=10)

    assert 5 <= kept.count() <= 10
    for query in ("often", "query 49", "query 48", "query 0"):
        later.embed_query(query)
    assert model.queries == ["query 0"]


def test_what_is_asked_often_is_embedded_once_however_many_come_between(file: Path) -> None:
    often = WordEmbedder()
    for number in range(50):
        asked_by(often, file, most=10).embed_query("often")
        asked_by(WordEmbedder(), file, most=10).embed_query(f"query {number}")

    assert often.queries == ["often"]


def test_memory_is_bounded(file: Path) -> None:
    model = WordEmbedder()
    asked = asked_by(model, file, most=0)
    queries = [f"query {number}" for number in range(300)]
    for query in queries:
        asked.embed_query(query)
    model.queries.clear()

    asked.embed_query(queries[-1])
    asked.embed_query(queries[0])

    assert model.queries == [queries[0]]


def test_none_are_kept_where_the_setting_says_so_and_the_old_ones_go(file: Path) -> None:
    asked_by(WordEmbedder(), file).embed_query("a cat")
    model = WordEmbedder()

    asked_by(model, file, most=0).embed_query("a cat")

    assert model.queries == ["a cat"]
    assert not file.exists()


def test_what_is_forgotten_is_embedded_again(file: Path) -> None:
    model, kept = WordEmbedder(), QueryVectors(file, most=MOST)
    RememberingEmbedder(model, kept).embed_query("a cat")

    kept.forget()

    assert (kept.count(), file.exists()) == (0, False)
    RememberingEmbedder(model, kept).embed_query("a cat")
    assert model.queries == ["a cat", "a cat"]


def test_a_failure_is_not_remembered(file: Path) -> None:
    model = WordEmbedder(failure="The model is away.")
    asked = asked_by(model, file)
    with pytest.raises(ModelError):
        asked.embed_query("a cat")

    model.failure = ""

    assert asked.embed_query("a cat").any()


def test_several_at_once_never_get_the_vector_of_another_query(file: Path) -> None:
    queries = [f"query {number}" for number in range(20)]
    expected = {query: WordEmbedder().embed_query(query).tobytes() for query in queries}

    def ask(start: int) -> list[bool]:
        turned = queries[start:] + queries[:start]
        return [
            asked_by(WordEmbedder(), file).embed_query(query).tobytes() == expected[query]
            for query in turned
        ]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(0, 16, 2)))

    assert all(all(one) for one in found)
    assert QueryVectors(file, most=MOST).count() > 0


@pytest.mark.parametrize("query", ["\ud800 half a pair", "東京", "a" * 10_000])
def test_any_text_can_be_a_query(file: Path, query: str) -> None:
    model = CosineEmbedder()
    for _ in range(2):
        asked_by(model, file).embed_query(query)

    assert model.queries == [query]


@pytest.mark.parametrize("column", ["vector = 'text'", "digest = 3", "vector = 1.5"])
def test_a_row_that_is_no_vector_is_passed_over(file: Path, column: str) -> None:
    asked_by(WordEmbedder(), file).embed_query("a cat")
    with sqlite3.connect(file) as kept:
        kept.execute(f"UPDATE queries SET {column}")  # noqa: S608 - the three above
    kept.close()
    model = WordEmbedder()

    found = asked_by(model, file).embed_query("a cat")

    assert model.queries == ["a cat"]
    assert found.tobytes() == WordEmbedder().embed_query("a cat").tobytes()
