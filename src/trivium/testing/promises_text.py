"""What every text index promises: depth, order, and that score and search agree."""

from __future__ import annotations

import pytest

from trivium.backends.base import Backend
from trivium.filtering.conditions import EVERYTHING, NOTHING, build
from trivium.query.grammar import AllOf, AnyOf, Expression, Phrase, Prefix, Without, Words
from trivium.testing.corpus import Section, chunk_id, make_file
from trivium.testing.filling import BODY, REPEAT, SUM, ask, write
from trivium.testing.promises import MakeBackend, Promises
from trivium.types import ChunkId, Kind, View

DEPTHS = (1, 2, 3, 7, 50, 10_000)
ASKED: tuple[Expression, ...] = (
    Words("index"),
    Words("vector index score zebra"),
    Phrase("index query"),
    Prefix("seg"),
    AllOf((Words("query"), Words("vector")), also=(Words("zebra"),)),
    AnyOf((Words("heron"), Words("検索"))),
    Without(Words("query"), Words("index")),
)


class TextPromises(Promises):
    """Laws that hold for every query."""

    def test_a_text_index_is_current_once_published(self, backend: Backend) -> None:
        with backend.snapshot() as snapshot:
            assert snapshot.text(BODY).is_current
        for number in range(3):
            write(backend, [make_file(f"{number}.md", [Section("one", "a text")])])
            with backend.snapshot() as snapshot:
                assert snapshot.text(BODY).is_current
                assert snapshot.text(SUM).is_current

    @pytest.mark.parametrize("view", [REPEAT, SUM], ids=lambda view: view.name)
    def test_a_depth_of_zero_finds_nothing(self, large: Backend, view: View) -> None:
        with large.snapshot() as snapshot:
            found = snapshot.text(view).search(ask(Words("index")), where=EVERYTHING, depth=0)

        assert (found.ids, found.scores) == ((), ())

    @pytest.mark.parametrize("view", [REPEAT, SUM, BODY], ids=lambda view: view.name)
    def test_a_shorter_depth_is_the_start_of_a_longer_one(self, large: Backend, view: View) -> None:
        with large.snapshot() as snapshot:
            text = snapshot.text(view)
            for root in ASKED:
                every = text.search(ask(root), where=EVERYTHING, depth=DEPTHS[-1])
                assert every.ids, root
                for depth in DEPTHS:
                    some = text.search(ask(root), where=EVERYTHING, depth=depth)
                    assert some.ids == every.ids[:depth], (root, depth)
                    assert some.scores == pytest.approx(every.scores[:depth]), (root, depth)

    def test_a_filter_keeps_the_order_and_the_scores_of_what_it_allows(
        self, large: Backend
    ) -> None:
        where = build({"lang": "python"})
        with large.snapshot() as snapshot:
            text = snapshot.text(REPEAT)
            for root in ASKED:
                every = text.search(ask(root), where=EVERYTHING, depth=10_000)
                some = text.search(ask(root), where=where, depth=10_000)
                allowed = {
                    one.chunk.id
                    for one in snapshot.fetch(every.ids)
                    if one.node.language == "python"
                }
                expected = [
                    (one, score)
                    for one, score in zip(every.ids, every.scores, strict=True)
                    if one in allowed
                ]
                assert list(some.ids) == [one for one, _ in expected], root
                assert some.scores == pytest.approx([score for _, score in expected]), root

    def test_a_filter_that_allows_nothing_finds_nothing(self, large: Backend) -> None:
        with large.snapshot() as snapshot:
            for root in ASKED:
                found = snapshot.text(REPEAT).search(ask(root), where=NOTHING, depth=10)
                assert found.ids == ()

    @pytest.mark.parametrize("view", [REPEAT, SUM], ids=lambda view: view.name)
    def test_scores_fall_and_equal_ones_come_by_id_without_repeats(
        self, large: Backend, view: View
    ) -> None:
        with large.snapshot() as snapshot:
            for root in ASKED:
                found = snapshot.text(view).search(ask(root), where=EVERYTHING, depth=10_000)
                pairs = [(-score, one) for one, score in zip(found.ids, found.scores, strict=True)]
                assert pairs == sorted(set(pairs)), root
                assert min(found.scores) > 0

    def test_twins_come_by_id_whatever_the_order_they_were_written_in(
        self, backend: Backend
    ) -> None:
        names = ("m", "c", "x", "a", "k")
        for name in names:
            write(backend, [make_file(f"{name}.md", [Section("twin", "the same text")])])

        with backend.snapshot() as snapshot:
            text = snapshot.text(REPEAT)
            for depth in range(1, len(names) + 1):
                found = text.search(ask(Words("same")), where=EVERYTHING, depth=depth)
                expected = [chunk_id(f"{name}.md", "twin") for name in sorted(names)]
                assert list(found.ids) == expected[:depth]

    @pytest.mark.parametrize("view", [REPEAT, SUM, BODY], ids=lambda view: view.name)
    def test_score_agrees_with_search_and_is_zero_where_nothing_matches(
        self, large: Backend, view: View
    ) -> None:
        with large.snapshot() as snapshot:
            text = snapshot.text(view)
            matching = text.search(ask(Prefix("a")), where=EVERYTHING, depth=10_000).ids
            for root in ASKED:
                found = text.search(ask(root), where=EVERYTHING, depth=10_000)
                expected = dict.fromkeys(matching, 0.0)
                expected.update(zip(found.ids, found.scores, strict=True))
                scores = text.score(ask(root), tuple(expected))
                assert dict(scores) == pytest.approx(expected, rel=1e-6), root

    def test_score_gives_exactly_the_ids_asked_for(self, small: Backend) -> None:
        known = chunk_id("docs/guide.md", "Searching")
        unknown = ChunkId("no such chunk")

        with small.snapshot() as snapshot:
            text = snapshot.text(REPEAT)
            scores = text.score(ask(Words("words")), (known, unknown))
            nothing = text.score(ask(Words("words")), ())

        assert scores[known] > 0
        assert scores[unknown] == 0
        assert set(scores) == {known, unknown}
        assert dict(nothing) == {}

    def test_other_kinds_are_not_in_a_view_of_some_kinds_nor_in_its_statistics(
        self, make_backend: MakeBackend
    ) -> None:
        only_docs = View("docs", "standard", (("body", 1),), kinds=("doc",))
        docs = [
            make_file("a.md", [Section("a", "a vector here and there")]),
            make_file("b.md", [Section("b", "no such thing")]),
        ]
        code = make_file("c.py", [Section(n, "vector code", Kind.CODE, "function") for n in "cdef"])
        mixed, alone = make_backend(), make_backend()
        write(mixed, [*docs, code])
        write(alone, docs)

        with mixed.snapshot() as one, alone.snapshot() as other:
            found = one.text(only_docs).search(ask(Words("vector")), where=EVERYTHING, depth=9)
            expected = other.text(BODY).search(ask(Words("vector")), where=EVERYTHING, depth=9)
            code_score = one.text(only_docs).score(ask(Words("vector")), [chunk_id("c.py", "c")])

        assert found.ids == expected.ids == (chunk_id("a.md", "a"),)
        assert found.scores == pytest.approx(expected.scores)
        assert list(code_score.values()) == [0.0]

    def test_statistics_after_replacing_and_compacting_are_those_of_a_fresh_index(
        self, make_backend: MakeBackend
    ) -> None:
        texts = [f"vector number {'vector ' * number}and more" for number in range(8)]
        final = [make_file(f"{n}.md", [Section(f"n{n}", text)]) for n, text in enumerate(texts)]
        worn, fresh = make_backend(), make_backend()
        write(fresh, final)
        write(worn, [make_file("gone.md", [Section("gone", "vector " * 100)])])
        for _ in range(3):
            write(
                worn, [make_file(one.state.path, [Section("old", "vector old")]) for one in final]
            )
        write(worn, final, removed=["gone.md"])
        with worn.writer(wait_s=0) as writer:
            writer.compact()
            writer.publish()

        with worn.snapshot() as one, fresh.snapshot() as other:
            found = one.text(REPEAT).search(ask(Words("vector")), where=EVERYTHING, depth=99)
            expected = other.text(REPEAT).search(ask(Words("vector")), where=EVERYTHING, depth=99)

        assert found.ids == expected.ids
        assert found.scores == pytest.approx(expected.scores, rel=1e-3)

    @pytest.mark.parametrize("view", [REPEAT, SUM, BODY], ids=lambda view: view.name)
    def test_a_frequency_is_the_number_of_documents_that_have_a_term(
        self, backend: Backend, view: View
    ) -> None:
        bodies = ("password reset", "password password", "passport", "nothing of the kind")
        write(backend, [make_file(f"{n}.md", [Section(f"s{n}", b)]) for n, b in enumerate(bodies)])

        with backend.snapshot() as snapshot:
            counts = snapshot.text(view).frequencies(["password", "passport", "pasword"])

        assert dict(counts) == {"password": 2, "passport": 1, "pasword": 0}

    def test_terms_that_start_alike_come_by_frequency_then_by_letters(
        self, backend: Backend
    ) -> None:
        bodies = ("pasta password", "password passport", "pass the salt", "pear")
        write(backend, [make_file(f"{n}.md", [Section(f"s{n}", b)]) for n, b in enumerate(bodies)])

        with backend.snapshot() as snapshot:
            text = snapshot.text(BODY)
            expected = [("password", 2), ("pass", 1), ("passport", 1), ("pasta", 1)]
            assert [*text.starting("pas", most=9)] == expected
            assert [*text.starting("pas", most=2)] == expected[:2]
            assert [*text.starting("pas", most=0)] == []
            assert [*text.starting("q", most=9)] == []

    def test_new_terms_are_known_once_published_and_old_ones_gone_once_compacted(
        self, backend: Backend
    ) -> None:
        write(backend, [make_file("a.md", [Section("a", "walrus")])])
        write(backend, [make_file("a.md", [Section("a", "penguin")])])
        with backend.writer(wait_s=0) as writer:
            writer.compact()
            writer.publish()

        with backend.snapshot() as snapshot:
            text = snapshot.text(BODY)
            assert dict(text.frequencies(["walrus", "penguin"])) == {"walrus": 0, "penguin": 1}
            assert [*text.starting("wal", most=9)] == []
