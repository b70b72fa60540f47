"""What views of whole nodes promise: each node once, by all its text, under its first chunk."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.backends.base import Backend
from trivium.filtering.conditions import EVERYTHING, build
from trivium.query.grammar import Words
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import MODEL, SUM, ask, embed, vector_of, write
from trivium.testing.promises import Promises
from trivium.types import Chunk, ChunkId, Kind, Span, View

NODES = View(
    name="nodes",
    analyser="standard",
    fields=(("name", 2), ("body", 1)),
    unit="node",
    by_kind=((Kind.FILE, (("path", 1),)),),
)


def _with_a_file(backend: Backend, path: str, *sections: Section) -> None:
    """Write a file whose own node has an empty chunk, as those of real files have."""
    made = make_file(path, sections)
    empty = Chunk(ChunkId(f"{path}@0"), made.nodes[0].id, "", Span(0, 0), 1, 1)
    write(backend, [replace(made, chunks=(empty, *made.chunks))])


def _found(backend: Backend, words: str, *, view: View = NODES) -> tuple[str, ...]:
    with backend.snapshot() as snapshot:
        return snapshot.text(view).search(ask(Words(words)), where=EVERYTHING, depth=10).ids


class UnitPromises(Promises):
    """Laws of units: what a view counts as one thing to find."""

    def test_a_node_is_found_once_by_the_words_of_all_its_chunks(self, backend: Backend) -> None:
        _with_a_file(backend, "a.md", Section("one", "cat\n\ndog\n\ncat dog bird"))

        assert _found(backend, "bird") == ("a.md#one@0",)
        assert _found(backend, "cat dog") == ("a.md#one@0",)

    def test_a_node_without_text_is_found_by_its_name_but_not_where_chunks_are_ranked(
        self, backend: Backend
    ) -> None:
        _with_a_file(backend, "zebra.md", Section("one", "cat"))

        assert _found(backend, "zebra") == ("zebra.md@0",)
        assert _found(backend, "zebra", view=replace(NODES, unit="chunk")) == ()

    def test_some_fields_are_those_of_one_kind(self, backend: Backend) -> None:
        _with_a_file(backend, "folder/a.md", Section("one", "cat"))

        assert _found(backend, "folder") == ("folder/a.md@0",)

    def test_no_more_of_a_field_counts_than_its_most(self, backend: Backend) -> None:
        _with_a_file(backend, "a.md", Section("one", "cat and a dog"))
        view = replace(NODES, most=(("body", len("cat and")),))

        assert _found(backend, "cat", view=view) == ("a.md#one@0",)
        assert _found(backend, "dog", view=view) == ()

    def test_a_file_that_changes_or_goes_takes_its_nodes_along(self, backend: Backend) -> None:
        _with_a_file(backend, "a.md", Section("one", "cat\n\ndog"))
        assert _found(backend, "dog") == ("a.md#one@0",)
        _with_a_file(backend, "a.md", Section("one", "cat\n\nbird"))

        assert (_found(backend, "dog"), _found(backend, "bird")) == ((), ("a.md#one@0",))
        write(backend, [], removed=["a.md"])
        assert _found(backend, "bird") == ()

    def test_vectors_rank_nodes_by_their_first_chunks(self, backend: Backend) -> None:
        _with_a_file(backend, "a.md", Section("one", "cat\n\ndog"), Section("two", "bird"))
        embed(backend)

        with backend.snapshot() as snapshot:
            space = snapshot.vectors(MODEL)
            assert space is not None
            nodes = space.search(vector_of("dog"), where=EVERYTHING, depth=10, unit="node")
            chunks = space.search(vector_of("dog"), where=EVERYTHING, depth=10)
            files = space.search(
                vector_of("dog"), where=build({"kind": "file"}), depth=10, unit="node"
            )

        assert set(nodes.ids) == {"a.md@0", "a.md#one@0", "a.md#two@0"}
        assert set(chunks.ids) == {"a.md#one@0", "a.md#one@1", "a.md#two@0"}
        assert files.ids == ("a.md@0",)

    def test_a_file_has_a_vector_of_what_it_is_found_by_and_comes_last(
        self, backend: Backend
    ) -> None:
        _with_a_file(backend, "folder/a.md", Section("one", "cat"))

        with backend.writer(wait_s=0) as writer:
            waiting = [one.text for one in writer.pending(MODEL, limit=10)]

        assert waiting == ["one\ncat", "folder a md"]

    @pytest.mark.parametrize("weight", [0.5, 2.0])
    def test_weights_of_fields_that_are_summed_count_when_asked(
        self, backend: Backend, weight: float
    ) -> None:
        _with_a_file(backend, "a.md", Section("zebra", "x"), Section("y", "cat"))
        once = replace(SUM, fields=(("name", 1.0), ("body", 1.0)))
        other = replace(SUM, fields=(("name", weight), ("body", 1.0)))

        with backend.snapshot() as snapshot:
            plain, weighted = (
                snapshot.text(view).search(ask(Words("zebra")), where=EVERYTHING, depth=5)
                for view in (once, other)
            )

        assert weighted.ids == plain.ids
        assert weighted.scores == pytest.approx([weight * one for one in plain.scores], rel=1e-6)
