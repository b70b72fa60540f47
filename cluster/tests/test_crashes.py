"""What a collection on a cluster is like after a writer has died in the middle of its work."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from trivium.backends.base import Batch, FileContent
from trivium.backends.opensearch.client import Client
from trivium.backends.opensearch.store import OpenSearchBackend
from trivium.backends.opensearch.write import OpenSearchWriter
from trivium.errors import BackendUnavailable, IndexUnusable, TriviumError
from trivium.filtering.conditions import EVERYTHING
from trivium.query.grammar import Words
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import BODY, MODEL, ask, embed, vectors_of, write

_NAMES = ("a", "b", "c", "d")


def _files(word: str) -> list[FileContent]:
    return [
        make_file(f"{name}.md", [Section("one", f"{word} {name}"), Section("two", word)])
        for name in _NAMES
    ]


def _found(backend: OpenSearchBackend, word: str) -> int:
    with backend.snapshot() as snapshot:
        return len(snapshot.text(BODY).search(ask(Words(word)), where=EVERYTHING, depth=99).ids)


class _Dying(OpenSearchBackend):
    """A process that dies without a word: its writer is left as it is, and its lock runs out."""

    def __init__(self, name: str, *, client: Client) -> None:
        super().__init__(name, client=client)
        self._left = ExitStack()

    def die_while_writing(self) -> OpenSearchWriter:
        return self._left.enter_context(self.writer(wait_s=0))

    def run_out(self) -> None:
        self._client.ask("DELETE", f"/{self._names.state}/_doc/lock-writer")

    def bury(self) -> None:
        with suppress(TriviumError):
            self._left.close()
        self.close()
        self.destroy(wait_s=0)


@pytest.fixture
def dying(client: Client) -> Iterator[_Dying]:
    made = _Dying(uuid.uuid4().hex, client=client)
    write(made, _files("old"))
    assert _found(made, "old") == 8
    yield made
    made.bury()


def _again(dying: _Dying, client: Client) -> OpenSearchBackend:
    """Return the same collection as another process sees it, once the lock has run out."""
    dying.run_out()
    return OpenSearchBackend(dying.name, client=client)


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Store rows by threes, and let the cluster go away after so many pieces as the list says."""
    monkeypatch.setattr("trivium.backends.opensearch.lines._MOST_ROWS", 3)
    left: list[int] = []
    stored = Client.bulk_lines

    def bulk_lines(self: Client, lines: bytes) -> None:
        if left:
            left[0] -= 1
            if left[0] < 0:
                raise BackendUnavailable("gone")
        stored(self, lines)

    monkeypatch.setattr(Client, "bulk_lines", bulk_lines)
    return left


@pytest.mark.parametrize("pieces", [0, 1, 4])
def test_a_batch_of_which_half_was_stored_is_whole_after_the_next_writer(
    dying: _Dying, client: Client, breaking: list[int], pieces: int
) -> None:
    writer = dying.die_while_writing()
    breaking.append(pieces)
    with pytest.raises(BackendUnavailable):
        writer.write(Batch(replaced=tuple(_files("new")[1:]), removed=("a.md",)))
    breaking.clear()
    assert (_found(dying, "old"), _found(dying, "new")) == (8, 0)
    other = _again(dying, client)

    with other.writer(wait_s=0):
        pass

    with other.snapshot() as snapshot:
        contents = snapshot.contents()
        assert (contents.seq, contents.files, contents.chunks) == (2, 3, 6)
        assert snapshot.content("b.md") == _files("new")[1]
        assert snapshot.content("a.md") is None
    assert (_found(other, "old"), _found(other, "new")) == (0, 6)


def test_a_batch_that_was_refused_for_a_while_goes_in_when_the_same_writer_goes_on(
    dying: _Dying, breaking: list[int]
) -> None:
    with dying.writer(wait_s=0) as writer:
        breaking.append(1)
        with pytest.raises(BackendUnavailable):
            writer.write(Batch(replaced=tuple(_files("new"))))
        breaking.clear()

    assert (_found(dying, "old"), _found(dying, "new")) == (0, 8)


def test_what_was_stored_and_never_shown_is_shown_by_the_next_writer(
    dying: _Dying, client: Client
) -> None:
    writer = dying.die_while_writing()
    writer.write(Batch(replaced=tuple(_files("new"))))
    assert (_found(dying, "old"), _found(dying, "new")) == (8, 0)
    other = _again(dying, client)

    with other.writer(wait_s=0):
        pass

    assert (_found(other, "old"), _found(other, "new")) == (0, 8)


def test_vectors_that_were_put_before_a_crash_are_not_asked_for_again(
    dying: _Dying, client: Client
) -> None:
    embed(dying)
    write(dying, [make_file("e.md", [Section("one", "late"), Section("two", "later")])])
    writer = dying.die_while_writing()
    one, other_one = writer.pending(MODEL, limit=9)
    writer.put_vectors(MODEL, [one.key], vectors_of([one.text]))
    other = _again(dying, client)

    with other.writer(wait_s=0) as next_writer:
        assert [each.key for each in next_writer.pending(MODEL, limit=9)] == [other_one.key]


def test_a_writer_whose_lock_ran_out_can_write_no_more(dying: _Dying, client: Client) -> None:
    writer = dying.die_while_writing()
    other = _again(dying, client)
    write(other, _files("new"))

    with pytest.raises(IndexUnusable):
        writer.write(Batch(replaced=tuple(_files("late"))))

    assert (_found(other, "new"), _found(other, "late")) == (8, 0)
    write(other, _files("newer"))
    assert (_found(other, "newer"), _found(other, "late")) == (8, 0)


def test_readers_wait_for_a_writer_that_is_showing_and_take_what_is_there_if_it_has_died(
    dying: _Dying, client: Client
) -> None:
    from dataclasses import replace

    from trivium.backends.opensearch.state import Register, names_of

    register = Register(client, names_of(dying.name))
    seen = register.read()
    assert seen is not None
    register.write(seen, replace(seen.state, is_settling=True, is_open=True))

    assert _found(dying, "old") == 8

    with dying.writer(wait_s=0):
        pass
    after = register.read()
    assert after is not None
    assert not after.state.is_settling
