"""What every writer and snapshot promise: whole batches, nothing stale, states that hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.backends.base import Backend, Batch, FileContent, Snapshot
from trivium.errors import BackendRefused, IndexLocked, IndexRemoved
from trivium.filtering.conditions import EVERYTHING
from trivium.query.grammar import Words
from trivium.testing import corpus
from trivium.testing.corpus import Section, chunk_id, make_file, node_id
from trivium.testing.filling import BODY, MODEL, ask, embed, vector_of, write
from trivium.testing.promises import Promises
from trivium.types import ChunkId, Edge, EdgeType, NodeId


def _found(snapshot: Snapshot, words: str) -> tuple[ChunkId, ...]:
    return snapshot.text(BODY).search(ask(Words(words)), where=EVERYTHING, depth=99).ids


def _near(snapshot: Snapshot) -> set[ChunkId]:
    vectors = snapshot.vectors(MODEL)
    assert vectors is not None
    return set(vectors.search(vector_of("x"), where=EVERYTHING, depth=9_999).ids)


def _plain(edges: object) -> list[str]:
    assert isinstance(edges, list | tuple)
    return sorted(map(repr, edges))


_OLD = make_file(
    "a.md", [Section("old", "ancient words", calls=("b.md#kept",)), Section("both", "x")]
)
_NEW = make_file("a.md", [Section("new", "modern words"), Section("both", "x y")], mtime_ns=2)
_OTHER = make_file("b.md", [Section("kept", "other words")])


class WritingPromises(Promises):
    """How content comes in, is replaced and goes."""

    def test_an_empty_index_holds_nothing(self, backend: Backend) -> None:
        with backend.snapshot() as snapshot:
            contents = snapshot.contents()
            assert (contents.seq, contents.files, contents.nodes, contents.chunks) == (0, 0, 0, 0)
            assert dict(snapshot.files()) == {}
            assert _found(snapshot, "words") == ()
            assert snapshot.fetch([ChunkId("none")]) == []
            assert dict(snapshot.lines([ChunkId("none")])) == {}

    def test_nodes_are_called_what_they_come_back_with(self, backend: Backend) -> None:
        files = corpus.small()
        write(backend, files)

        nodes = {one.id: one for content in files for one in content.nodes}
        with backend.snapshot() as snapshot:
            found = snapshot.names([*nodes, NodeId("none")])
            assert found.keys() == nodes.keys()
            for one, named in found.items():
                node = nodes[one]
                assert named == (
                    node.id, node.kind, node.type, node.name, node.title, dict(node.metadata),
                )  # fmt: skip

    def test_the_lines_of_chunks_are_those_they_come_back_with(self, backend: Backend) -> None:
        files = corpus.small()
        write(backend, files)

        ids = [one.id for content in files for one in content.chunks]
        with backend.snapshot() as snapshot:
            expected = {
                one.chunk.id: (one.chunk.start_line, one.chunk.end_line)
                for one in snapshot.fetch(ids)
            }
            assert dict(snapshot.lines([*ids, ChunkId("none")])) == expected

    def test_what_was_written_comes_back_as_it_was(self, backend: Backend) -> None:
        files = corpus.small()
        write(backend, files)

        with backend.snapshot() as snapshot:
            assert snapshot.content("never there.md") is None
            for content in files:
                assert snapshot.content(content.state.path) == content
                assert snapshot.files()[content.state.path] == content.state
                assert [
                    one.chunk for one in snapshot.fetch([c.id for c in content.chunks])
                ] == list(content.chunks)
                for node in content.nodes:
                    assert snapshot.node(node.id) == node
                    whole = content.document.text[node.span.start : node.span.end]
                    assert snapshot.text_of(node.id) == whole
                    own = [one for one in content.chunks if one.node_id == node.id and one.text]
                    assert list(snapshot.chunks_of(node.id)) == own

    def test_contents_counts_what_is_there(self, backend: Backend) -> None:
        files = corpus.small()
        write(backend, files)

        with backend.snapshot() as snapshot:
            contents = snapshot.contents()

        assert contents.files == len(files)
        assert contents.nodes == sum(len(one.nodes) for one in files)
        assert contents.edges == sum(len(one.edges) for one in files)
        assert contents.chunks == sum(bool(chunk.text) for one in files for chunk in one.chunks)
        assert contents.masked == sum(one.state.masked for one in files)

    def test_edges_are_found_from_both_ends(self, backend: Backend) -> None:
        write(backend, [_OLD, _OTHER])
        call = Edge(node_id("a.md", "old"), node_id("b.md", "kept"), EdgeType.CALLS, 0.5, "call")
        held = Edge(NodeId("b.md"), node_id("b.md", "kept"), EdgeType.CONTAINS)

        with backend.snapshot() as snapshot:
            assert call in snapshot.edges_of(node_id("a.md", "old"))
            assert _plain(snapshot.edges_of(node_id("b.md", "kept"))) == _plain([call, held])
            assert _plain(snapshot.edges_of(NodeId("b.md"))) == _plain([held])
            assert list(snapshot.edges_of(NodeId("none"))) == []

    def test_fetch_keeps_the_order_asked_for_and_leaves_out_what_is_gone(
        self, small: Backend
    ) -> None:
        ids = [one.id for content in corpus.small() for one in content.chunks][::-2]

        with small.snapshot() as snapshot:
            found = snapshot.fetch([ids[0], ChunkId("gone"), *ids[1:]])

        assert [one.chunk.id for one in found] == ids
        assert all(one.node.id == one.chunk.node_id for one in found)

    def test_a_replaced_file_leaves_nothing_old(self, backend: Backend) -> None:
        write(backend, [_OLD, _OTHER])
        embed(backend)
        write(backend, [_NEW])
        embed(backend)

        with backend.snapshot() as snapshot:
            assert _found(snapshot, "ancient") == ()
            assert _found(snapshot, "modern") == (chunk_id("a.md", "new"),)
            assert _near(snapshot) == {one.id for one in (*_NEW.chunks, *_OTHER.chunks)}
            assert snapshot.fetch([chunk_id("a.md", "old")]) == []
            assert snapshot.node(node_id("a.md", "old")) is None
            assert snapshot.text_of(node_id("a.md", "old")) == ""
            assert list(snapshot.chunks_of(node_id("a.md", "old"))) == []
            assert list(snapshot.edges_of(node_id("a.md", "old"))) == []
            assert len(snapshot.edges_of(node_id("b.md", "kept"))) == 1
            assert snapshot.text_of(node_id("a.md", "both")) == "x y"
            assert snapshot.content("a.md") == _NEW

    def test_a_removed_file_vanishes(self, backend: Backend) -> None:
        write(backend, [_OLD, _OTHER])
        embed(backend)
        write(backend, [], removed=["a.md", "never there.md"])

        with backend.snapshot() as snapshot:
            contents = snapshot.contents()
            assert (contents.files, contents.nodes, contents.chunks, contents.edges) == (1, 2, 1, 1)
            assert set(snapshot.files()) == {"b.md"}
            assert _found(snapshot, "words") == (chunk_id("b.md", "kept"),)
            assert _near(snapshot) == {chunk_id("b.md", "kept")}
            assert snapshot.content("a.md") is None
            assert snapshot.node(NodeId("a.md")) is None
            assert list(snapshot.edges_of(NodeId("a.md"))) == []

    def test_some_files_are_asked_for_by_their_paths(self, backend: Backend) -> None:
        deep = make_file("deep/er/c.md", [Section("c", "words")])
        write(backend, [_OLD, _OTHER, deep])
        with backend.snapshot() as snapshot:
            assert set(snapshot.files(["a.md", "never there.md"])) == {"a.md"}
            assert snapshot.files(["a.md"])["a.md"] == snapshot.files()["a.md"]
            assert snapshot.files([]) == {}
            found = {one: snapshot.has_files(one) for one in ("", "deep", "deep/er", "dee", "a.md")}
        assert found == {"": True, "deep": True, "deep/er": True, "dee": False, "a.md": False}

        write(backend, [], removed=["deep/er/c.md"])
        with backend.snapshot() as snapshot:
            assert not snapshot.has_files("deep")
            assert snapshot.has_files("")

    def test_a_file_written_twice_is_counted_once(self, backend: Backend) -> None:
        for _ in range(3):
            write(backend, [_OLD])

        with backend.snapshot() as snapshot:
            contents = snapshot.contents()
            assert (contents.files, contents.nodes) == (1, len(_OLD.nodes))
            assert (contents.chunks, contents.edges) == (len(_OLD.chunks), len(_OLD.edges))
            assert _found(snapshot, "ancient") == (chunk_id("a.md", "old"),)

    def test_touching_changes_what_is_known_of_a_file_and_not_its_content(
        self, backend: Backend
    ) -> None:
        write(backend, [_OLD])
        touched = replace(_OLD.state, mtime_ns=77)
        with backend.writer(wait_s=0) as writer:
            writer.write(Batch(touched=(touched,)))
            writer.publish()

        with backend.snapshot() as snapshot:
            assert dict(snapshot.files()) == {"a.md": touched}
            assert _found(snapshot, "ancient") == (chunk_id("a.md", "old"),)

    def test_a_batch_that_only_touches_keeps_the_number_of_the_one_before(
        self, backend: Backend
    ) -> None:
        write(backend, [_OLD, _OTHER])
        with backend.writer(wait_s=0) as writer:
            touched = writer.write(Batch(touched=(replace(_OLD.state, mtime_ns=77),)))
            writer.publish()
        with backend.snapshot() as snapshot:
            assert touched == snapshot.contents().seq == 1
            assert snapshot.files(["a.md"])["a.md"].mtime_ns == 77

        again = replace(_OTHER.state, mtime_ns=78)
        with backend.writer(wait_s=0) as writer:
            assert writer.write(Batch(replaced=(_NEW,), touched=(again,))) == 2
            writer.publish()

        with backend.snapshot() as snapshot:
            assert _found(snapshot, "modern") == (chunk_id("a.md", "new"),)
            assert snapshot.contents().seq == 2

    def test_the_sequence_number_grows_by_one_with_every_batch(self, backend: Backend) -> None:
        numbers = [write(backend, [_OLD]), write(backend, [_NEW]), write(backend, [])]

        with backend.snapshot() as snapshot:
            assert numbers == [1, 2, 3]
            assert snapshot.contents().seq == 3

    @pytest.mark.parametrize(
        "broken",
        [
            (_OTHER, replace(_NEW, nodes=(*_NEW.nodes, _NEW.nodes[1]))),
            (_OTHER, replace(_NEW, chunks=(*_NEW.chunks, _NEW.chunks[0]))),
            (_OTHER, _NEW, make_file("c.md", [Section("c", "text")]), _NEW),
            (_OTHER, _NEW, replace(_NEW, state=replace(_NEW.state, path="copy.md"))),
            (_OTHER, replace(_NEW, nodes=_NEW.nodes[:1])),
        ],
        ids=[
            "a node twice in a file",
            "a chunk twice in a file",
            "a file twice",
            "a node in two files",
            "a chunk of no node",
        ],
    )
    def test_a_batch_that_cannot_be_kept_whole_leaves_nothing(
        self, backend: Backend, broken: tuple[FileContent, ...]
    ) -> None:
        write(backend, [_OLD])
        with backend.writer(wait_s=0) as writer:
            with pytest.raises(BackendRefused):
                writer.write(Batch(replaced=broken))
            writer.publish()
            seq = writer.write(Batch())
            writer.publish()

        with backend.snapshot() as snapshot:
            assert seq == 2
            assert dict(snapshot.files()) == {"a.md": _OLD.state}
            assert snapshot.contents().chunks == len(_OLD.chunks)
            assert _found(snapshot, "other modern") == ()
            assert _found(snapshot, "ancient") == (chunk_id("a.md", "old"),)
            assert snapshot.node(node_id("b.md", "kept")) is None

    def test_a_node_of_another_file_cannot_be_taken_over(self, backend: Backend) -> None:
        write(backend, [_OLD])
        thief = replace(_OLD, state=replace(_OLD.state, path="thief.md"))

        with backend.writer(wait_s=0) as writer, pytest.raises(BackendRefused):
            writer.write(Batch(replaced=(thief,)))

        with backend.snapshot() as snapshot:
            assert set(snapshot.files()) == {"a.md"}

    def test_a_snapshot_shows_its_state_while_others_write(self, backend: Backend) -> None:
        write(backend, [_OLD])
        with backend.snapshot() as held:
            before = held.contents()
            write(backend, [_NEW, _OTHER])

            assert held.contents() == before
            assert dict(held.files()) == {"a.md": _OLD.state}
            assert [one.chunk.text for one in held.fetch([chunk_id("a.md", "old")])] == [
                "ancient words"
            ]
            assert held.fetch([chunk_id("b.md", "kept")]) == []
            assert held.node(node_id("a.md", "new")) is None

    def test_a_snapshot_taken_later_shows_what_is_new_while_an_older_one_is_held(
        self, backend: Backend
    ) -> None:
        write(backend, [_OLD])
        with backend.snapshot() as held:
            write(backend, [_NEW, _OTHER])
            with backend.snapshot() as later:
                assert later.contents().files == 2
                assert _found(later, "ancient") == ()
                assert _found(later, "modern") == (chunk_id("a.md", "new"),)
                assert held.contents().files == 1

    def test_a_published_batch_is_seen_by_a_new_snapshot(self, backend: Backend) -> None:
        with backend.writer(wait_s=0) as writer:
            for number in range(3):
                content = make_file(f"{number}.md", [Section("s", f"word{number} shared")])
                writer.write(Batch(replaced=(content,)))
                writer.publish()
                with backend.snapshot() as snapshot:
                    assert len(_found(snapshot, "shared")) == number + 1

    def test_a_view_made_before_a_batch_knows_the_batch_afterwards(self, backend: Backend) -> None:
        write(backend, [_OLD])
        with backend.snapshot() as snapshot:
            assert _found(snapshot, "ancient")

        write(backend, [_NEW])

        with backend.snapshot() as snapshot:
            assert _found(snapshot, "modern")
            assert not _found(snapshot, "ancient")

    def test_there_is_one_writer_at_a_time(self, backend: Backend) -> None:
        with backend.writer(wait_s=0):
            with pytest.raises(IndexLocked), backend.writer(wait_s=0):
                pass
            with backend.snapshot() as snapshot:
                assert snapshot.contents().seq == 0

        assert write(backend, [_OLD]) == 1

    def test_an_index_as_it_is_is_over_once_it_is_removed(self, backend: Backend) -> None:
        write(backend, [_OLD])
        same = backend.as_it_is()
        write(same, [_NEW])
        backend.destroy(wait_s=0)

        for use in (lambda: same.writer(wait_s=0), same.snapshot, lambda: same.turn("m", wait_s=0)):
            with pytest.raises(IndexRemoved), use():
                pass
        write(backend, [_OLD])

        with pytest.raises(IndexRemoved), same.writer(wait_s=0):
            pass
        with backend.snapshot() as snapshot:
            assert _found(snapshot, "ancient")
            assert not _found(snapshot, "modern")

    def test_a_writer_that_fails_lets_go(self, backend: Backend) -> None:
        with pytest.raises(ZeroDivisionError), backend.writer(wait_s=0):
            raise ZeroDivisionError

        assert write(backend, [_OLD]) == 1

    def test_what_was_passed_over_is_counted_by_reason_until_the_next_sync(
        self, backend: Backend
    ) -> None:
        with backend.writer(wait_s=0) as writer:
            writer.record(skipped={"a.bin": "binary", "b.bin": "binary", "c.log": "too large"})
        with backend.snapshot() as snapshot:
            first = snapshot.contents()
        with backend.writer(wait_s=0) as writer:
            writer.record(skipped={"c.log": "too large"})
        with backend.snapshot() as snapshot:
            second = snapshot.contents()

        assert dict(first.skipped) == {"binary": 2, "too large": 1}
        assert dict(second.skipped) == {"too large": 1}
        assert first.indexed_at != ""
        assert first.seq == second.seq == 0
