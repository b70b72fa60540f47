from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence

import pytest

from trivium import filling, indexer
from trivium.backends.base import Batch, FileContent
from trivium.backends.reference.store import ReferenceBackend, ReferenceWriter
from trivium.errors import IndexLocked, ModelError
from trivium.indexer import Report, embed, sync, write_all
from trivium.sources.base import Entry, Listing, Raw, Reason, Skip
from trivium.testing.corpus import Section, make_file
from trivium.testing.embedders import WordEmbedder
from trivium.testing.filling import vectors_of, write
from trivium.types import NodeId
from trivium.writing.digest import Cutting, digest

SECOND_NS = 1_000_000_000


class Folder:
    """Files in memory, as a Source; `vanished` are listed and cannot be read."""

    def __init__(self, **files: str) -> None:
        self.files = files
        self.times = dict.fromkeys(files, 1)
        self.vanished: set[str] = set()
        self.skipped: tuple[Skip, ...] = ()
        self.reads: list[str] = []

    def put(self, name: str, text: str, *, mtime_ns: int) -> None:
        self.files[name] = text
        self.times[name] = mtime_ns

    def list(
        self, folders: frozenset[str] | None = None, *, known: Collection[str] = ()
    ) -> Listing:
        del folders, known
        entries = (
            Entry(name, len(text.encode()), self.times[name])
            for name, text in sorted(self.files.items())
        )
        return Listing(tuple(entries), self.skipped)

    def read(self, entry: Entry) -> Raw | Skip:
        self.reads.append(entry.path)
        if entry.path in self.vanished:
            return Skip(entry.path, Reason.VANISHED)
        text = self.files[entry.path]
        return Raw(entry, text, hashlib.sha256(text.encode()).hexdigest())


class Digests(list[str]):
    """The paths that were parsed and cut, in order."""


@pytest.fixture
def digests(monkeypatch: pytest.MonkeyPatch) -> Digests:
    done = Digests()

    def counted(raw: Raw, cutting: Cutting) -> FileContent:
        done.append(raw.entry.path)
        return digest(raw, cutting)

    monkeypatch.setattr("trivium.crew.digest", counted)
    return done


@pytest.fixture
def backend() -> ReferenceBackend:
    return ReferenceBackend()


def synced(source: Folder, backend: ReferenceBackend, *, synced_ns: int | None = None) -> Report:
    return sync(source, backend, cutting=Cutting(), synced_ns=synced_ns, wait_s=0)


def counts(report: Report) -> tuple[int, int, int, int]:
    return report.added, report.changed, report.removed, report.unchanged


def paths(backend: ReferenceBackend) -> list[str]:
    with backend.snapshot() as snapshot:
        return sorted(path for path in snapshot.files() if not path.endswith("/"))


def test_the_first_sync_takes_everything_in(backend: ReferenceBackend, digests: Digests) -> None:
    source = Folder(a="cat", b="dog")
    source.skipped = (Skip("c.bin", Reason.BINARY),)

    report = synced(source, backend)

    assert counts(report) == (2, 0, 0, 0)
    assert (report.chunks, report.skipped, report.wrote) == (2, {"c.bin": "binary"}, True)
    assert digests == ["a", "b"]
    with backend.snapshot() as snapshot:
        assert snapshot.contents().skipped == {"binary": 1}


def test_a_second_sync_reads_nothing(backend: ReferenceBackend, digests: Digests) -> None:
    source = Folder(a="cat", b="dog")
    synced(source, backend)

    report = synced(source, backend, synced_ns=10 * SECOND_NS)

    assert counts(report) == (0, 0, 0, 2)
    assert not report.wrote
    assert (source.reads, list(digests)) == (["a", "b"], ["a", "b"])


def test_an_edit_costs_one_file(backend: ReferenceBackend, digests: Digests) -> None:
    source = Folder(a="cat", b="dog")
    synced(source, backend)
    source.put("b", "cow", mtime_ns=2)

    report = synced(source, backend)

    assert counts(report) == (0, 1, 0, 1)
    assert digests == ["a", "b", "b"]
    with backend.snapshot() as snapshot:
        assert snapshot.contents().chunks == 2
        content = snapshot.content("b")
    assert content is not None
    assert content.document.text == "cow"


def test_a_rename_costs_one_file_and_a_delete_none(
    backend: ReferenceBackend, digests: Digests
) -> None:
    source = Folder(a="cat", b="dog", c="cow")
    synced(source, backend)
    source.put("d", source.files.pop("b"), mtime_ns=source.times["b"])
    del source.files["c"]

    report = synced(source, backend)

    assert counts(report) == (1, 0, 2, 1)
    assert digests == ["a", "b", "c", "d"]
    assert paths(backend) == ["a", "d"]


def test_a_file_that_was_touched_is_read_but_not_parsed_and_then_settled(
    backend: ReferenceBackend, digests: Digests
) -> None:
    source = Folder(a="cat")
    synced(source, backend)
    source.put("a", "cat", mtime_ns=2)

    assert counts(synced(source, backend)) == (0, 0, 0, 1)
    assert counts(synced(source, backend)) == (0, 0, 0, 1)

    assert digests == ["a"]
    assert source.reads == ["a", "a"]


def test_a_file_changed_within_the_tick_of_the_last_sync_is_noticed(
    backend: ReferenceBackend, digests: Digests
) -> None:
    source = Folder()
    now = 100 * SECOND_NS
    source.put("a", "cat", mtime_ns=now)
    synced(source, backend)
    source.put("a", "dog", mtime_ns=now)

    # Size and time are as before; only that it is so young tells that it must be read.
    report = synced(source, backend, synced_ns=now)

    assert counts(report) == (0, 1, 0, 0)
    assert digests == ["a", "a"]


def test_a_file_that_vanishes_before_it_is_read_is_counted_and_forgotten(
    backend: ReferenceBackend,
) -> None:
    source = Folder(a="cat", b="dog")
    synced(source, backend)
    source.put("a", "new", mtime_ns=2)
    source.put("c", "cow", mtime_ns=2)
    source.vanished = {"a", "c"}

    report = synced(source, backend)

    assert counts(report) == (0, 0, 1, 1)
    assert report.skipped == {"a": "vanished", "c": "vanished"}
    assert paths(backend) == ["b"]


def test_many_files_are_written_in_batches(
    backend: ReferenceBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "_BATCH_FILES", 2)
    monkeypatch.setattr(indexer, "_BATCH_CHARACTERS", 10)
    batches: list[int] = []
    honest = ReferenceWriter.write

    def counted(self: ReferenceWriter, batch: Batch) -> int:
        batches.append(len(batch.replaced))
        return honest(self, batch)

    monkeypatch.setattr(ReferenceWriter, "write", counted)
    synced(Folder(a="x", b="x", c="x" * 10, d="x", e="x", f="x"), backend)

    # The last one holds the folder itself.
    assert batches == [2, 1, 2, 1, 1]
    assert paths(backend) == list("abcdef")


def test_progress_goes_from_nothing_to_all(backend: ReferenceBackend) -> None:
    told: list[tuple[str, int, int]] = []

    sync(
        Folder(a="cat", b="dog"),
        backend,
        cutting=Cutting(),
        wait_s=0,
        progress=lambda *step: told.append(step),
    )

    assert told == [("listing", 0, 0), ("reading", 0, 2), ("reading", 1, 2), ("reading", 2, 2)]


def test_secrets_are_masked_before_anything_is_made_of_the_text() -> None:
    secret = "ghp_" + "a1B2" * 9
    text = f"token = '{secret}'\n"

    content = digest(Raw(Entry("a.py", len(text), 1), text, "hash"), Cutting())

    assert content.state.masked == 1
    assert secret not in content.document.text
    assert not [chunk for chunk in content.chunks if secret in chunk.text]


def test_chunks_are_cut_as_the_settings_say() -> None:
    content = digest(Raw(Entry("a.txt", 250, 1), "x" * 250, "hash"), Cutting(100, 0))

    assert [len(chunk.text) for chunk in content.chunks if chunk.text] == [100, 100, 50]
    assert [node.id for node in content.nodes] == [NodeId("file:a.txt"), NodeId("doc:a.txt")]


def test_only_one_may_write_at_a_time(backend: ReferenceBackend) -> None:
    with backend.writer(wait_s=0), pytest.raises(IndexLocked):
        synced(Folder(a="cat"), backend)


def test_every_text_is_embedded_once(backend: ReferenceBackend) -> None:
    embedder = WordEmbedder()
    synced(Folder(a="cat", b="dog"), backend)

    assert embed(backend, embedder, wait_s=0) == 2
    assert embed(backend, embedder, wait_s=0) == 0
    assert len(embedder.documents) == 2
    with backend.snapshot() as snapshot:
        assert [space.coverage for space in snapshot.spaces()] == [1.0]


def test_an_edit_embeds_only_what_is_new(backend: ReferenceBackend) -> None:
    embedder = WordEmbedder()
    source = Folder(a="cat", b="dog")
    synced(source, backend)
    embed(backend, embedder, wait_s=0)
    source.put("b", "cow", mtime_ns=2)
    synced(source, backend)

    assert embed(backend, embedder, wait_s=0) == 1


class Interrupted(WordEmbedder):
    """Gives up after its first call."""

    __slots__ = ()

    def embed_documents(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]  # noqa: ANN201
        if self.documents:
            raise ModelError("interrupted")
        return super().embed_documents(texts)


def test_what_was_embedded_before_an_interruption_is_kept(
    backend: ReferenceBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "_EMBED_AT_ONCE", 2)
    synced(Folder(a="cat", b="dog", c="cow"), backend)

    with pytest.raises(ModelError, match="interrupted"):
        embed(backend, Interrupted(), wait_s=0)

    assert embed(backend, WordEmbedder(), wait_s=0) == 1


def test_embedding_tells_how_far_it_is(
    backend: ReferenceBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "_EMBED_AT_ONCE", 2)
    monkeypatch.setattr(filling, "_PENDING", 2)
    synced(Folder(a="cat", b="dog", c="cow"), backend)
    told: list[tuple[str, int, int]] = []

    embed(backend, WordEmbedder(), wait_s=0, progress=lambda *step: told.append(step))

    assert sorted(set(told)) == [("embedding", done, 3) for done in (0, 2, 3)]


def test_publishing_is_left_to_whoever_holds_the_lock(backend: ReferenceBackend) -> None:
    with backend.writer(wait_s=0):
        filling.publish(backend, wait_s=0)


def test_files_are_written_in_batches_of_bounded_size(
    backend: ReferenceBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "_BATCH_FILES", 2)
    files = [make_file(f"{number}.md", [Section("s", "text")]) for number in range(5)]
    with backend.writer(wait_s=0) as writer:
        write_all(writer, files)
        write_all(writer, [])
    with backend.snapshot() as snapshot:
        assert snapshot.contents().seq == 3
        assert snapshot.contents().files == 5


def test_an_empty_folder_is_an_index_of_nothing(backend: ReferenceBackend) -> None:
    write(backend, [make_file("old.md", [Section("s", "text")])])

    assert counts(synced(Folder(), backend)) == (0, 0, 1, 0)
    assert paths(backend) == []


def test_a_long_sync_publishes_along_the_way(
    backend: ReferenceBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "_BATCH_FILES", 1)
    published: list[int] = []
    honest = ReferenceWriter.publish

    def counted(self: ReferenceWriter) -> None:
        with backend.snapshot() as snapshot:
            published.append(snapshot.contents().files)
        honest(self)

    monkeypatch.setattr(ReferenceWriter, "publish", counted)
    ticks = iter(range(0, 100, 4))
    sync(Folder(a="1", b="2", c="3", d="4"), backend, cutting=Cutting(), clock=lambda: next(ticks))

    # After more than one second the first time, then after more than five, and at the end.
    assert published == [1, 3, 4]


def test_a_file_read_in_vain_is_not_read_again_until_it_changes(backend: ReferenceBackend) -> None:
    class Binary(Folder):
        def read(self, entry: Entry) -> Raw | Skip:
            found = super().read(entry)
            return Skip(entry.path, Reason.BINARY) if entry.path == "b" else found

    source = Binary(a="cat", b="\0")
    first = synced(source, backend)
    source.reads.clear()

    again = synced(source, backend, synced_ns=10 * SECOND_NS)
    assert (again.skipped, source.reads) == (first.skipped, [])
    assert first.skipped == {"b": "binary"}

    source.put("b", "\0\0", mtime_ns=2)
    assert synced(source, backend, synced_ns=10 * SECOND_NS).skipped == {"b": "binary"}
    assert source.reads == ["b"]

    del source.files["b"]
    assert synced(source, backend, synced_ns=10 * SECOND_NS).skipped == {}


def test_where_no_text_is_left_nobody_waits_for_a_turn(backend: ReferenceBackend) -> None:
    embedder = WordEmbedder()
    synced(Folder(a="cat"), backend)
    embed(backend, embedder, wait_s=0)
    said: list[str] = []

    with backend.turn(embedder.model_id, wait_s=0):
        assert embed(backend, embedder, wait_s=0, say=said.append) == 0

    assert said == []


def test_who_waits_for_a_turn_says_so_once_and_ends_with_the_last_text(
    backend: ReferenceBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.filling._FOLLOW_EVERY_S", 0.0)
    embedder = WordEmbedder()
    synced(Folder(a="cat", b="dog"), backend)
    said: list[str] = []
    shown: list[tuple[str, int, int]] = []

    def other_goes_on(stage: str, done: int, total: int) -> None:
        shown.append((stage, done, total))
        with backend.writer(wait_s=0) as writer:
            (one,) = writer.pending(embedder.model_id, limit=1)
            writer.put_vectors(embedder.model_id, [one.key], vectors_of([one.text]))

    with backend.turn(embedder.model_id, wait_s=0):
        done = embed(backend, embedder, wait_s=0, say=said.append, progress=other_goes_on)

    assert (done, embedder.documents) == (0, [])
    assert shown == [("waiting", 0, 2), ("waiting", 1, 2)]
    assert len(said) == 1
    assert said[0].startswith("words is at work in another part of this process as well")


class Remarkable(WordEmbedder):
    """Has something to say."""

    __slots__ = ()

    def remarks(self) -> list[str]:
        return ["One text was cut."]


def test_what_an_embedder_remarks_is_said(backend: ReferenceBackend) -> None:
    synced(Folder(a="cat"), backend)
    said: list[str] = []

    embed(backend, Remarkable(), wait_s=0, say=said.append)

    assert said == ["One text was cut."]
