"""What every vector space promises: the same laws as text, and spaces that do not mix."""

from __future__ import annotations

import pytest

from trivium.analysis.fields import embedding_text, text_key
from trivium.backends.base import Backend, Batch, Snapshot, VectorIndex
from trivium.errors import IndexLocked
from trivium.filtering.conditions import EVERYTHING, NOTHING, build
from trivium.testing.corpus import Section, chunk_id, make_file
from trivium.testing.filling import (
    DIMENSION,
    MODEL,
    embed,
    vector_of,
    vectors_of,
    write,
)
from trivium.testing.promises import Promises
from trivium.types import ChunkId

_ASKED = ("vector index", "zebra", "検索", "read the file quickly")


def _space(snapshot: Snapshot, model_id: str = MODEL) -> VectorIndex:
    found = snapshot.vectors(model_id)
    assert found is not None
    return found


class VectorPromises(Promises):
    """Laws of vector search, and how vectors come into an index."""

    def test_vectors_are_searched_to_the_depth_asked_for_and_in_order(self, large: Backend) -> None:
        with large.snapshot() as snapshot:
            vectors = _space(snapshot)
            for asked in map(vector_of, _ASKED):
                every = vectors.search(asked, where=EVERYTHING, depth=10_000)
                assert len(every.ids) == len(set(every.ids)) == snapshot.contents().chunks
                pairs = [(-score, one) for one, score in zip(every.ids, every.scores, strict=True)]
                assert pairs == sorted(pairs)
                for depth in (0, 1, 2, 10, 100):
                    some = vectors.search(asked, where=EVERYTHING, depth=depth)
                    assert some.ids == every.ids[:depth]
                    assert some.scores == pytest.approx(every.scores[:depth], abs=1e-6)

    def test_the_cosine_is_that_of_the_vectors_put_in(self, large: Backend) -> None:
        with large.snapshot() as snapshot:
            for words in _ASKED:
                found = _space(snapshot).search(vector_of(words), where=EVERYTHING, depth=20)
                for one, score in zip(snapshot.fetch(found.ids), found.scores, strict=True):
                    theirs = vector_of(embedding_text(one.node, one.chunk))
                    # int8 keeps each component to 1/254 of the largest.
                    assert score == pytest.approx(float(theirs @ vector_of(words)), abs=0.02)

    def test_score_of_vectors_agrees_with_search_and_leaves_out_what_has_none(
        self, large: Backend
    ) -> None:
        with large.snapshot() as snapshot:
            vectors = _space(snapshot)
            found = vectors.search(vector_of("index"), where=EVERYTHING, depth=50)
            scores = vectors.score(vector_of("index"), (*found.ids, ChunkId("no such chunk")))
            nothing = vectors.score(vector_of("index"), ())

        assert dict(scores) == pytest.approx(
            dict(zip(found.ids, found.scores, strict=True)), abs=1e-6
        )
        assert dict(nothing) == {}

    def test_vectors_come_back_as_they_are_kept(self, large: Backend) -> None:
        with large.snapshot() as snapshot:
            vectors = _space(snapshot)
            asked = vector_of("index")
            found = vectors.search(asked, where=EVERYTHING, depth=50)
            kept = vectors.kept((*found.ids, ChunkId("no such chunk")))
            nothing = vectors.kept(())

        cosines = {one: float(vector @ asked) for one, vector in kept.items()}
        scores = dict(zip(found.ids, found.scores, strict=True))
        assert cosines == pytest.approx(scores, abs=1e-4)
        assert dict(nothing) == {}

    def test_a_filter_keeps_order_and_scores_of_vectors(self, large: Backend) -> None:
        where = build({"lang": "go", "kind": ["code", "doc"]})
        with large.snapshot() as snapshot:
            every = _space(snapshot).search(vector_of("index"), where=EVERYTHING, depth=10_000)
            some = _space(snapshot).search(vector_of("index"), where=where, depth=10_000)
            allowed = [
                one.chunk.id
                for one in snapshot.fetch(every.ids)
                if one.node.language == "go" and one.node.kind in ("code", "doc")
            ]
            few = _space(snapshot).search(vector_of("index"), where=where, depth=3)
            none = _space(snapshot).search(vector_of("index"), where=NOTHING, depth=3)

        assert list(some.ids) == allowed
        assert few.ids == some.ids[:3]
        assert none.ids == ()

    def test_texts_that_are_the_same_share_a_vector_and_come_by_id(self, backend: Backend) -> None:
        for name in ("m", "c", "x", "a"):
            write(backend, [make_file(f"{name}.md", [Section("twin", "the same text")])])
        with backend.writer(wait_s=0) as writer:
            assert writer.count_pending(MODEL) == 1
        embed(backend)

        with backend.snapshot() as snapshot:
            found = _space(snapshot).search(vector_of("same"), where=EVERYTHING, depth=3)

        assert found.ids == tuple(chunk_id(f"{name}.md", "twin") for name in "acm")

    def test_texts_after_a_batch_that_is_done_are_those_without_a_vector(
        self, backend: Backend
    ) -> None:
        write(backend, [make_file("a.md", [Section("a", "words")])])
        embed(backend)
        with backend.writer(wait_s=0) as writer:
            done = writer.write(Batch((make_file("b.md", [Section("b", "words")]),)))
            writer.put_vectors(
                MODEL, [one.key for one in writer.pending(MODEL, limit=9)], vector_of("b")[None]
            )
            writer.write(Batch((make_file("c.md", [Section("c", "other words")]),)))
            waiting = writer.pending(MODEL, limit=9, since=done)
            assert [one.text for one in waiting] == [
                one.text for one in writer.pending(MODEL, limit=9)
            ]
            assert len(waiting) == writer.count_pending(MODEL, since=done) == 1
            assert writer.count_pending(MODEL, since=done - 1) == 1

    def test_a_chunk_whose_vector_is_zeros_is_embedded_and_never_found(
        self, backend: Backend
    ) -> None:
        names = ("word", "other", "emoji")
        write(backend, [make_file(f"{name}.md", [Section(name, name)]) for name in names])
        with backend.writer(wait_s=0) as writer:
            waiting = writer.pending(MODEL, limit=99)
            vectors = vectors_of([one.text for one in waiting])
            for row, one in enumerate(waiting):
                vectors[row] *= "emoji" not in one.text
            writer.put_vectors(MODEL, [one.key for one in waiting], vectors)
            writer.publish()
            assert writer.count_pending(MODEL) == 0

        with backend.snapshot() as snapshot:
            (space,) = snapshot.spaces()
            index = _space(snapshot)
            # One that points away from both: what is near to nothing must not come before it.
            away = -(vectors[0] + vectors[1] + vectors[2])
            found = index.search(away, where=EVERYTHING, depth=99)
            first = index.search(away, where=EVERYTHING, depth=1)
            scores = index.score(away, [chunk_id(f"{name}.md", name) for name in names])
            share = snapshot.embedded(MODEL)

        expected = {chunk_id(f"{name}.md", name) for name in ("word", "other")}
        assert (space.coverage, share) == (1.0, 1.0)
        assert set(found.ids) == set(scores) == expected
        assert first.ids == found.ids[:1]
        assert max(found.scores) < 0.0

    def test_a_vector_that_is_put_again_takes_the_place_of_the_one_before(
        self, backend: Backend
    ) -> None:
        # The first are published at once, those after them are added: both can be replaced.
        for name in ("first", "second"):
            write(backend, [make_file(f"{name}{copy}.md", [Section(name, name)]) for copy in "ab"])
            with backend.writer(wait_s=0) as writer:
                (one,) = writer.pending(MODEL, limit=99)
                writer.put_vectors(MODEL, [one.key], vectors_of([one.text]) * 0)
                writer.publish()
        with backend.snapshot() as snapshot:
            blank = snapshot.blank(MODEL)
            assert snapshot.blank("unknown") == {}

        with backend.writer(wait_s=0) as writer:
            waiting = writer.blank(MODEL, limit=99)
            assert list(writer.blank(MODEL, limit=1)) == list(waiting[:1])
            assert list(writer.blank(MODEL, limit=9, after=waiting[0].key)) == list(waiting[1:])
            assert writer.count_blank(MODEL) == 2
            writer.put_vectors(
                MODEL, [one.key for one in waiting], vectors_of([one.text for one in waiting])
            )
            writer.publish()
            assert (writer.count_blank(MODEL), writer.count_pending(MODEL)) == (0, 0)
            assert list(writer.blank(MODEL, limit=99)) == []

        names = [f"{name}{copy}" for name in ("first", "second") for copy in "ab"]
        assert dict(blank) == dict.fromkeys((f"{name}.md" for name in names), 1)
        with backend.snapshot() as snapshot:
            (space,) = snapshot.spaces()
            found = _space(snapshot).search(vector_of("first"), where=EVERYTHING, depth=99)
            scores = _space(snapshot).score(vector_of(waiting[0].text), found.ids)
            assert snapshot.blank(MODEL) == {}
        assert space.coverage == 1.0
        assert sorted(found.ids) == [chunk_id(f"{name}.md", name[:-1]) for name in names]
        assert max(scores.values()) == pytest.approx(1.0, abs=0.02)

    def test_nothing_is_near_to_a_query_of_zeros(self, small: Backend) -> None:
        with small.snapshot() as snapshot:
            index = _space(snapshot)
            every = index.search(vector_of("index"), where=EVERYTHING, depth=99).ids
            nothing = vector_of("index") * 0

            assert index.search(nothing, where=EVERYTHING, depth=99).ids == ()
            assert index.score(nothing, every) == {}

    def test_an_unknown_model_has_no_vectors(self, small: Backend) -> None:
        with small.snapshot() as snapshot:
            assert snapshot.vectors("unknown") is None
            assert [one.model_id for one in snapshot.spaces()] == [MODEL]

    def test_an_empty_index_has_no_spaces(self, backend: Backend) -> None:
        with backend.snapshot() as snapshot:
            assert list(snapshot.spaces()) == []
            assert snapshot.vectors(MODEL) is None

    def test_what_is_pending_has_the_key_of_its_text_and_goes_when_it_has_a_vector(
        self, backend: Backend
    ) -> None:
        content = make_file("a.md", [Section("one", "first\n\nsecond\n\nthird\n\nfourth")])
        write(backend, [content])
        node = content.nodes[1]
        expected = {text_key(embedding_text(node, chunk)) for chunk in content.chunks}

        with backend.writer(wait_s=0) as writer:
            waiting = writer.pending(MODEL, limit=99)
            assert {one.key for one in waiting} == expected
            assert all(text_key(one.text) == one.key for one in waiting)
            assert len(writer.pending(MODEL, limit=3)) == 3
            assert list(writer.pending(MODEL, limit=0)) == []
            assert writer.count_pending(MODEL) == 4

            writer.put_vectors(MODEL, [waiting[0].key], vectors_of([waiting[0].text]))
            assert writer.count_pending(MODEL) == 3
            assert {one.key for one in writer.pending(MODEL, limit=99)} == expected - {
                waiting[0].key
            }
            writer.publish()

        with backend.snapshot() as snapshot:
            (space,) = snapshot.spaces()
            found = _space(snapshot).search(vector_of("x"), where=EVERYTHING, depth=99)
        assert (space.model_id, space.dimension) == (MODEL, DIMENSION)
        assert space.coverage == pytest.approx(1 / 4)
        assert len(found.ids) == 1

    def test_the_newest_files_are_embedded_first(self, backend: Backend) -> None:
        for age, name in enumerate(("old", "middle", "new"), start=1):
            write(backend, [make_file(f"{name}.md", [Section(name, "text")], mtime_ns=age)])

        with backend.writer(wait_s=0) as writer:
            waiting = writer.pending(MODEL, limit=99)

        assert [one.text.splitlines()[0] for one in waiting] == ["new", "middle", "old"]

    def test_what_is_stored_counts_as_embedded_before_it_is_published(
        self, backend: Backend
    ) -> None:
        write(backend, [make_file("a.md", [Section("a", "one"), Section("b", "two")])])
        with backend.snapshot() as snapshot:
            assert snapshot.embedded(MODEL) == 0.0
        with backend.writer(wait_s=0) as writer:
            one = writer.pending(MODEL, limit=1)[0]
            writer.put_vectors(MODEL, [one.key], vectors_of([one.text]))
        with backend.snapshot() as snapshot:
            assert snapshot.embedded(MODEL) == pytest.approx(1 / 2)

    def test_vectors_that_are_forgotten_are_pending_again_and_may_have_another_length(
        self, small: Backend
    ) -> None:
        embed(small, model_id="other-8", dimension=8)
        with small.writer(wait_s=0) as writer:
            assert (writer.vector_length(MODEL), writer.vector_length("none")) == (DIMENSION, None)
            writer.forget_vectors(MODEL)
            assert writer.vector_length(MODEL) is None
            assert writer.count_pending(MODEL) > 0
            assert writer.count_pending("other-8") == 0
        with small.snapshot() as snapshot:
            assert snapshot.vectors(MODEL) is None
            assert [space.model_id for space in snapshot.spaces()] == ["other-8"]

        embed(small, dimension=8)

        with small.snapshot() as snapshot:
            found = _space(snapshot).search(
                vector_of("index", dimension=8), where=EVERYTHING, depth=99
            )
            spaces = {one.model_id: (one.dimension, one.coverage) for one in snapshot.spaces()}
        assert spaces[MODEL] == (8, 1.0)
        assert len(found.ids) > 0

    def test_one_at_a_time_embeds_with_a_model(self, backend: Backend) -> None:
        with backend.turn(MODEL, wait_s=0):
            with pytest.raises(IndexLocked), backend.turn(MODEL, wait_s=0):
                pass
            with backend.turn("other-8", wait_s=0), backend.writer(wait_s=0):
                pass
        with backend.turn(MODEL, wait_s=0):
            pass

    def test_coverage_is_whole_when_nothing_is_pending_and_falls_with_new_text(
        self, small: Backend
    ) -> None:
        with small.snapshot() as snapshot:
            (space,) = snapshot.spaces()
            before = snapshot.contents().chunks
        assert space.coverage == 1.0

        write(small, [make_file("new.md", [Section("new", "one\n\ntwo")])])

        with small.snapshot() as snapshot:
            (space,) = snapshot.spaces()
        assert space.coverage == pytest.approx(before / (before + 2))

    def test_a_text_that_comes_back_still_has_its_vector(self, backend: Backend) -> None:
        content = make_file("a.md", [Section("a", "text")])
        write(backend, [content])
        embed(backend)
        moved = make_file("b.md", [Section("a", "text")])

        write(backend, [moved], removed=["a.md"])

        with backend.writer(wait_s=0) as writer:
            assert writer.count_pending(MODEL) == 0
        with backend.snapshot() as snapshot:
            found = _space(snapshot).search(vector_of("text"), where=EVERYTHING, depth=9)
        assert found.ids == (chunk_id("b.md", "a"),)

    def test_stored_vectors_are_those_of_the_chunks_that_are_there_each_key_once(
        self, backend: Backend
    ) -> None:
        kept = [make_file(f"{name}.md", [Section("twin", "the same text")]) for name in "ab"]
        gone = make_file("gone.md", [Section("gone", "other text")])
        write(backend, [*kept, gone])
        embed(backend)
        write(backend, [], removed=["gone.md"])
        text = embedding_text(kept[0].nodes[1], kept[0].chunks[0])

        with backend.snapshot() as snapshot:
            stored = list(snapshot.stored_vectors(MODEL))
            none = list(snapshot.stored_vectors("unknown"))

        assert [key for key, _ in stored] == [text_key(text)]
        assert stored[0][1] == pytest.approx(vector_of(text), abs=0.01)
        assert none == []

    def test_two_spaces_do_not_mix(self, small: Backend) -> None:
        with small.writer(wait_s=0) as writer:
            assert writer.count_pending("other-8") > 0
        embed(small, model_id="other-8", dimension=8)

        with small.snapshot() as snapshot:
            wide = _space(snapshot).search(vector_of("quick"), where=EVERYTHING, depth=5)
            asked = vector_of("quick", dimension=8)
            narrow = _space(snapshot, "other-8").search(asked, where=EVERYTHING, depth=5)
            spaces = [(one.model_id, one.dimension, one.coverage) for one in snapshot.spaces()]

        assert spaces == [("other-8", 8, 1.0), (MODEL, DIMENSION, 1.0)]
        assert len(wide.ids) == len(narrow.ids) == 5
        assert wide.scores != narrow.scores

    def test_a_batch_does_not_wait_for_vectors(self, backend: Backend) -> None:
        with backend.writer(wait_s=0) as writer:
            content = make_file("a.md", [Section("a", "text")])
            writer.write(Batch(replaced=(content,)))
            writer.publish()

        with backend.snapshot() as snapshot:
            assert [one.chunk for one in snapshot.fetch([chunk_id("a.md", "a")])] == list(
                content.chunks
            )
