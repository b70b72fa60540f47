"""What a reader remembers between queries never outlives the state it was read from."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.aside import Replaced, write_aside
from trivium.backends.embedded import derive, life, nodes, read
from trivium.backends.embedded.kept import Kept
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.embedded.vectors import SpaceState
from trivium.filtering.conditions import EVERYTHING
from trivium.testing.corpus import Section, chunk_id, make_file, node_id
from trivium.testing.filling import BODY, MODEL, embed, vector_of, write

OTHER = "other-16"
LONG_AGO_NS = 1_000_000_000


@pytest.fixture
def backend(tmp_path: Path) -> EmbeddedBackend:
    return EmbeddedBackend(tmp_path / "index", store=tmp_path / "store", views=(BODY,))


def state_of(backend: EmbeddedBackend, model_id: str = MODEL) -> SpaceState:
    with backend.snapshot() as snapshot:
        assert snapshot.vectors(model_id) is not None
        found = snapshot._life.space(model_id).state()
    assert found is not None
    return found


@pytest.fixture
def never_written(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Make any writing of a space fail from now on."""

    def forbid() -> None:
        monkeypatch.setattr(
            derive.Derived, "_write_space", lambda *_, **__: pytest.fail("written again")
        )

    return forbid


class TestReplaced:
    def test_a_file_that_stays_is_read_once(self, tmp_path: Path) -> None:
        place = tmp_path / "file"
        write_aside(place, b"one")
        os.utime(place, ns=(LONG_AGO_NS, LONG_AGO_NS))
        read: list[bytes] = []
        file = Replaced(place, lambda data: read.append(data) or data)  # type: ignore[func-returns-value]

        assert [file.now(), file.now()] == [b"one", b"one"]
        assert read == [b"one"]

    def test_another_file_in_its_place_is_read(self, tmp_path: Path) -> None:
        place = tmp_path / "file"
        write_aside(place, b"one")
        os.utime(place, ns=(LONG_AGO_NS, LONG_AGO_NS))
        file = Replaced(place, bytes)
        assert file.now() == b"one"

        write_aside(place, b"two")

        assert file.now() == b"two"

    def test_a_file_so_young_that_its_time_may_be_anothers_is_read_again(
        self, tmp_path: Path
    ) -> None:
        place = tmp_path / "file"
        place.write_bytes(b"one")
        file = Replaced(place, bytes)
        assert file.now() == b"one"
        found = place.stat()

        place.write_bytes(b"two")
        os.utime(place, ns=(found.st_atime_ns, found.st_mtime_ns))

        assert file.now() == b"two"

    def test_one_that_goes_is_not_there(self, tmp_path: Path) -> None:
        place = tmp_path / "file"
        write_aside(place, b"one")
        file = Replaced(place, bytes)
        assert file.now() == b"one"
        place.unlink()
        assert file.now() is None


class TestNodes:
    def test_a_node_that_changes_is_read_anew(self, backend: EmbeddedBackend) -> None:
        one = node_id("a.md", "one")
        write(backend, [make_file("a.md", [Section("one", "first words")])])
        with backend.snapshot() as snapshot:
            before = snapshot.nodes([one])[one]
            assert snapshot.nodes([one])[one] is before

        write(backend, [make_file("a.md", [Section("one", "first words, and more")], mtime_ns=2)])

        with backend.snapshot() as snapshot:
            after = snapshot.nodes([one])[one]
            assert after == snapshot.node(one)
            assert after.span != before.span

    def test_a_snapshot_keeps_its_own_while_others_read_a_newer_state(
        self, backend: EmbeddedBackend
    ) -> None:
        one = node_id("a.md", "one")
        write(backend, [make_file("a.md", [Section("one", "first words")])])
        with backend.snapshot() as older:
            before = older.nodes([one])
            write(backend, [make_file("a.md", [Section("one", "first words, more")], mtime_ns=2)])
            with backend.snapshot() as newer:
                assert newer.nodes([one]) != before
            assert older.nodes([one]) == before

    def test_no_more_are_remembered_than_there_may_be(
        self, backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(life, "_MOST_NODES", 3)
        write(backend, [make_file("a.md", [Section(f"s{n}", f"text {n}") for n in range(5)])])
        ids = [node_id("a.md", f"s{n}") for n in range(5)]
        with backend.snapshot() as snapshot:
            for one in ids:
                assert snapshot.nodes([one])[one].id == one
            assert set(snapshot.nodes(ids)) == set(ids)
            assert len(snapshot._life.nodes_of(snapshot._revision)) <= 3


class TestNames:
    def test_a_node_that_is_called_otherwise_is_read_anew(self, backend: EmbeddedBackend) -> None:
        one, two = node_id("a.md", "one"), node_id("a.md", "two")
        write(backend, [make_file("a.md", [Section("one", "first words")])])
        with backend.snapshot() as older:
            before = older.names([one, two])
            assert [named.name for named in before.values()] == ["one"]
            assert older.names([one])[one] is before[one]
            write(backend, [make_file("a.md", [Section("two", "first words")], mtime_ns=2)])

            with backend.snapshot() as newer:
                assert [named.name for named in newer.names([one, two]).values()] == ["two"]
            assert older.names([one, two]) == before

    def test_no_more_are_remembered_than_there_may_be(
        self, backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(nodes, "_MOST_NAMES", 2)
        for most in ("_MOST_TRAITS", "_MOST_IDS"):
            monkeypatch.setattr(read, most, 2)
        write(backend, [make_file("a.md", [Section(f"s{n}", f"text {n}") for n in range(5)])])
        ids = [node_id("a.md", f"s{n}") for n in range(5)]
        with backend.snapshot() as snapshot:
            for one in (*ids, *ids):
                assert snapshot.names([one])[one].id == one
                assert len(snapshot._life.read_before("names", snapshot._revision, most=9)) <= 2
            assert set(snapshot.names(ids)) == set(ids)


class TestChunks:
    @pytest.mark.parametrize("first", ["plain words", "schöne Wörter, 日本語 🙂", "a zero \0 byte"])
    def test_a_text_is_cut_where_its_letters_are_whatever_they_take(
        self, backend: EmbeddedBackend, first: str
    ) -> None:
        texts = [first, "what follows", "and the end"]
        write(
            backend,
            [make_file("a.md", [Section(f"s{n}", text) for n, text in enumerate(texts)])],
        )
        with backend.snapshot() as snapshot:
            # One by one: of the first nothing is known of the text, of the others it is.
            found = [snapshot.fetch([chunk_id("a.md", f"s{n}")]) for n in range(3)]

        assert [one.chunk.text for (one,) in found] == texts

    def test_a_chunk_of_an_empty_file_has_no_text(self, backend: EmbeddedBackend) -> None:
        write(backend, [make_file(path, [Section("s", "")]) for path in ("a.md", "b.md")])
        with backend.snapshot() as snapshot:
            # Of the second it is known that its text, which is that of the first, is plain.
            for path in ("a.md", "b.md"):
                (one,) = snapshot.fetch([chunk_id(path, "s")])
                assert one.chunk.text == ""

    def test_a_chunk_that_changes_is_read_anew(self, backend: EmbeddedBackend) -> None:
        one = chunk_id("a.md", "one")
        write(backend, [make_file("a.md", [Section("one", "first words")])])
        with backend.snapshot() as older:
            before = older.fetch([one])
            write(backend, [make_file("a.md", [Section("one", "other words")], mtime_ns=2)])

            with backend.snapshot() as newer:
                assert [found.chunk.text for found in newer.fetch([one])] == ["other words"]
            assert older.fetch([one]) == before

    def test_no_more_are_remembered_than_there_may_be(
        self, backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(read, "_MOST_CHUNKS", 2)
        write(backend, [make_file("a.md", [Section(f"s{n}", f"text {n}") for n in range(5)])])
        ids = [chunk_id("a.md", f"s{n}") for n in range(5)]
        with backend.snapshot() as snapshot:
            for one in (*ids, *ids):
                assert [found.chunk.id for found in snapshot.fetch([one])] == [one]
                assert len(snapshot._life.read_before("chunks", snapshot._revision, most=9)) <= 2
            assert [found.chunk.id for found in snapshot.fetch(ids)] == ids


class TestIds:
    def test_a_number_is_only_of_the_units_that_are_asked_for(
        self, backend: EmbeddedBackend
    ) -> None:
        write(backend, [make_file("a.md", [Section("one", "first words")])])
        with backend.snapshot() as snapshot:
            numbers = snapshot.numbers_of([chunk_id("a.md", "one")])
            asked = [*numbers.values(), 10**9]
            expected = {number: one for one, number in numbers.items()}
            for unit in ("", "chunk", "node", "", "chunk", "node"):
                assert snapshot.ids_of(asked, unit=unit) == expected

    def test_a_chunk_that_goes_is_known_to_snapshots_of_before_alone(
        self, backend: EmbeddedBackend
    ) -> None:
        write(backend, [make_file("a.md", [Section("one", "first words")])])
        with backend.snapshot() as older:
            asked = list(older.numbers_of([chunk_id("a.md", "one")]).values())
            before = older.ids_of(asked)
            write(backend, [], removed=["a.md"])

            with backend.snapshot() as newer:
                assert newer.ids_of(asked) == {}
            assert older.ids_of(asked) == before != {}


class TestPublishing:
    def test_a_space_that_has_everything_is_left_alone(
        self, backend: EmbeddedBackend, never_written: Callable[[], None]
    ) -> None:
        write(backend, [make_file("a.md", [Section("one", "first words")])])
        embed(backend)
        before = state_of(backend)
        never_written()

        with backend.writer(wait_s=0) as writer:
            writer.publish()

        assert state_of(backend) == before

    def test_vectors_of_another_model_are_noted_and_change_nothing_else(
        self, backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(backend, [make_file("a.md", [Section("one", "first"), Section("two", "second")])])
        embed(backend)
        before = state_of(backend)

        embed(backend, model_id=OTHER)

        after, other = state_of(backend), state_of(backend, OTHER)
        assert (after.base, after.delta, after.rows) == (before.base, before.delta, before.rows)
        assert after.last_vector == other.last_vector > before.last_vector
        asked: list[str] = []
        honest = derive.Derived._has_newer

        def counted(self: derive.Derived, rows: Kept, state: SpaceState, newest: int) -> bool:
            asked.append(rows.file.stem.rpartition("-")[0])
            assert state.last_vector == newest
            return honest(self, rows, state, newest)

        monkeypatch.setattr(derive.Derived, "_has_newer", counted)
        with backend.writer(wait_s=0) as writer:
            writer.publish()
        assert asked == sorted([MODEL, OTHER])

    def test_new_vectors_of_each_model_are_found_whichever_came_last(
        self, backend: EmbeddedBackend
    ) -> None:
        write(backend, [make_file("a.md", [Section("one", "first")])])
        embed(backend)
        embed(backend, model_id=OTHER)
        write(backend, [make_file("b.md", [Section("two", "second")])])
        embed(backend, model_id=OTHER)
        embed(backend)

        with backend.snapshot() as snapshot:
            for model_id in (MODEL, OTHER):
                vectors = snapshot.vectors(model_id)
                assert vectors is not None
                found = vectors.search(vector_of("x"), where=EVERYTHING, depth=9)
                assert {chunk_id("a.md", "one"), chunk_id("b.md", "two")} <= set(found.ids)

    @pytest.mark.parametrize("size", [0, 10, -8, -3])
    def test_a_file_of_vectors_that_was_cut_is_made_anew(
        self, backend: EmbeddedBackend, size: int
    ) -> None:
        write(backend, [make_file("a.md", [Section("one", "first words")])])
        embed(backend)
        base = backend.folder / "vectors" / MODEL / state_of(backend).base
        whole = base.read_bytes()
        base.write_bytes(whole[:size])
        again = EmbeddedBackend(backend.folder, store=backend.store, views=(BODY,))

        with again.writer(wait_s=0) as writer:
            writer.publish()

        assert (backend.folder / "vectors" / MODEL / state_of(again).base).read_bytes() == whole
