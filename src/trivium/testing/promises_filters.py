"""What every filter lets through: exactly what filtering.match says, in text and vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.backends.base import Backend, FileContent, FileHistory, Found, Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.filtering.conditions import (
    ATTRIBUTES,
    EVERYTHING,
    FIELDS,
    Condition,
    Filter,
    Given,
    Test,
    build,
    on_branch,
    with_types,
)
from trivium.filtering.match import Surroundings, allows, attributes, is_root, matches
from trivium.query.grammar import Words
from trivium.testing import corpus
from trivium.testing.corpus import Section, make_file
from trivium.testing.described import EXAMPLES, HISTORY, MARK, described, wanted
from trivium.testing.filling import BODY, DIMENSION, MODEL, ask, embed, vector_of, write
from trivium.testing.promises import MakeBackend, Promises
from trivium.types import ChunkId, View

# Every document has this word in its name, so only the filter decides what is found.
_MARK = MARK
_VIEW = View(name="marked", analyser="standard", fields=(("title", 1),))
_BY_PATH = View(name="placed", analyser="standard", fields=(("path", 1),))
# How an attribute is tested in the text index itself.
_STORED = (Test.EQUALS, Test.CONTAINS, Test.STARTS)


def _all_ids(
    snapshot: Snapshot, where: Filter, *, view: View = _VIEW
) -> tuple[set[ChunkId], set[ChunkId]]:
    """Return what `where` lets through in text and in vectors."""
    vectors = snapshot.vectors(MODEL)
    assert vectors is not None
    by_text = snapshot.text(view).search(ask(Words(_MARK)), where=where, depth=10_000).ids
    by_vector = vectors.search(vector_of("x", dimension=DIMENSION), where=where, depth=10_000).ids
    return set(by_text), set(by_vector)


def _wanted(every: list[Found], attribute: str) -> Iterator[str]:
    """Yield whole values, their starts, middles and ends, and what no node has."""
    values = sorted({one for found in every for one in attributes(found.node)[attribute]})
    for value in values:
        yield from (value, value[:2], value[1:3], value[-2:], value + "x")
    yield from ("", "no such value", ".*", "%", "_", "a b", "\\", "(", "*", "'", '"')


class FilterPromises(Promises):
    """Conditions on every attribute, by every test."""

    @pytest.fixture
    def marked(self, make_backend: MakeBackend) -> Backend:
        """Give the small corpus, every title of which holds the mark."""
        backend = make_backend()
        files = [
            make_file(
                content.state.path,
                [
                    Section(
                        node.name,
                        content.document.text[node.span.start : node.span.end],
                        node.kind,
                        node.type,
                        node.language,
                        node.domain,
                        node.tags,
                        title=f"{_MARK} {node.title}",
                    )
                    for node in content.nodes[1:]
                ],
            )
            for content in corpus.small()
        ]
        write(backend, files)
        embed(backend)
        return backend

    @pytest.mark.parametrize("test", _STORED)
    @pytest.mark.parametrize("attribute", ATTRIBUTES)
    def test_a_condition_lets_through_what_match_says(
        self, marked: Backend, attribute: str, test: Test
    ) -> None:
        with marked.snapshot() as snapshot:
            ids = snapshot.text(_VIEW).search(ask(Words(_MARK)), where=EVERYTHING, depth=999).ids
            every = snapshot.fetch(ids)
            assert len(every) == snapshot.contents().chunks
            for wanted in _wanted(every, attribute):
                where = Filter((Condition(attribute, test, frozenset({wanted})),))
                expected = {one.chunk.id for one in every if matches(where, attributes(one.node))}
                assert _all_ids(snapshot, where) == (expected, expected), where

    def test_one_of_several_values_is_enough_and_every_condition_must_hold(
        self, marked: Backend
    ) -> None:
        code = Condition("kind", Test.EQUALS, frozenset({"code", "note"}))
        source = Condition("path", Test.STARTS, frozenset({"src/", "notes/"}))
        no_test = Condition("name", Test.CONTAINS, frozenset({"e"}))
        with marked.snapshot() as snapshot:
            every = snapshot.fetch(sorted(_all_ids(snapshot, EVERYTHING)[0]))
            for where in (Filter((code,)), Filter((code, source)), Filter((code, source, no_test))):
                expected = {one.chunk.id for one in every if matches(where, attributes(one.node))}
                assert expected
                assert _all_ids(snapshot, where) == (expected, expected)

    @pytest.mark.parametrize("attribute", ATTRIBUTES)
    def test_the_values_of_an_attribute_are_those_of_the_nodes(
        self, marked: Backend, attribute: str
    ) -> None:
        with marked.snapshot() as snapshot:
            contents = [snapshot.content(path) for path in snapshot.paths()]
            nodes = [node for one in contents if one is not None for node in one.nodes]
            expected = sorted({one for node in nodes for one in attributes(node)[attribute]})
            assert list(snapshot.values(attribute)) == expected

    def test_it_is_known_whether_a_filter_allows_anything(
        self, marked: Backend, make_backend: MakeBackend
    ) -> None:
        where = build({"kind": "note", "path": "notes/"})
        with marked.snapshot() as snapshot:
            assert snapshot.has_any(EVERYTHING)
            assert snapshot.has_any(where)
            assert not snapshot.has_any(where & build({"kind": "code"}))
            assert not snapshot.has_any(build({"tag": "no such tag"}))
        with make_backend().snapshot() as empty:
            assert not empty.has_any(EVERYTHING)
            assert list(empty.values("lang")) == []

    @pytest.mark.parametrize("attribute", ATTRIBUTES)
    @pytest.mark.parametrize("test", _STORED)
    def test_a_condition_without_values_allows_nothing(
        self, marked: Backend, attribute: str, test: Test
    ) -> None:
        empty = Condition(attribute, test, frozenset())
        other = Condition("kind", Test.EQUALS, frozenset({"doc"}))
        with marked.snapshot() as snapshot:
            assert _all_ids(snapshot, Filter((empty,))) == (set(), set())
            assert _all_ids(snapshot, Filter((other, empty))) == (set(), set())

    def test_a_path_may_hold_a_newline(self, backend: Backend) -> None:
        odd = "odd\nfolder/a\tb.md"
        write(backend, [make_file(odd, [Section("one", "text", title=_MARK)])])
        embed(backend)

        with backend.snapshot() as snapshot:
            for test, value in (
                (Test.EQUALS, odd),
                (Test.STARTS, "odd\nf"),
                (Test.CONTAINS, "r/a\tb"),
                (Test.STARTS, "odd"),
            ):
                where = Filter((Condition("path", test, frozenset({value})),))
                by_text, by_vector = _all_ids(snapshot, where)
                assert len(by_text) == len(by_vector) == 1, where

    @pytest.fixture
    def facts(self, make_backend: MakeBackend) -> Backend:
        """Give files whose nodes have every fact, with their history and vectors."""
        return _with_facts(make_backend())

    @pytest.mark.parametrize("name", sorted(FIELDS))
    def test_a_filter_lets_through_what_match_says(self, facts: Backend, name: str) -> None:
        around = _surroundings()
        with facts.snapshot() as snapshot:
            every = snapshot.fetch(sorted(_all_ids(snapshot, EVERYTHING, view=_BY_PATH)[0]))
            assert len(every) == snapshot.contents().chunks
            counts = set()
            for value in EXAMPLES[name]:
                for values in (value, [value]):
                    where = build({name: values})
                    expected = {
                        one.chunk.id
                        for one in every
                        if allows(where, one.node, around[one.node.source.file_path])
                    }
                    found = _all_ids(snapshot, where, view=_BY_PATH)
                    assert found == (expected, expected), where
                    counts.add(len(expected))
            assert name == "branch" or max(counts) > 0, "an example that nothing matches"
            assert min(counts) < len(every), "examples that everything matches"

    @pytest.mark.parametrize("value", ["code", "function", "Method", "record", "no"])
    def test_a_kind_may_be_a_type_where_that_is_asked_for(self, facts: Backend, value: str) -> None:
        where = with_types(build({"kind": value}))
        with facts.snapshot() as snapshot:
            every = snapshot.fetch(sorted(_all_ids(snapshot, EVERYTHING, view=_BY_PATH)[0]))
            expected = {one.chunk.id for one in every if allows(where, one.node)}
            assert _all_ids(snapshot, where, view=_BY_PATH) == (expected, expected)

    def test_a_branch_is_for_the_collection_to_know(self, facts: Backend) -> None:
        asked = build({"branch": "main", "kind": "code"})
        with facts.snapshot() as snapshot:
            assert _all_ids(snapshot, asked, view=_BY_PATH) == (set(), set())
            resolved = on_branch(asked, "main")
            assert resolved == build({"kind": "code"})
            assert _all_ids(snapshot, resolved, view=_BY_PATH)[0]

    @pytest.mark.parametrize(
        ("name", "found"),
        [
            ("path", "UTIL"),
            ("path-prefix", "everywhere/src"),
            ("name", "box"),
            ("tag", "first steps"),
            ("lang", "python"),
            ("calls", "fetch"),
            ("extends", "widget"),
            ("signature", "total(items"),
            ("meta", "service=api"),
            ("author", "carol"),
        ],
    )
    def test_one_of_very_many_values_is_enough(self, facts: Backend, name: str, found: str) -> None:
        many = [f"no such value {number}" for number in range(200)]
        with facts.snapshot() as snapshot:
            expected = _all_ids(snapshot, build({name: found}), view=_BY_PATH)
            assert expected[0]
            assert _all_ids(snapshot, build({name: [*many, found]}), view=_BY_PATH) == expected
            assert _all_ids(snapshot, build({name: many}), view=_BY_PATH) == (set(), set())

    def test_what_a_history_says_is_seen_as_soon_as_it_changes(self, facts: Backend) -> None:
        where = build({"churn": 50})
        with facts.snapshot() as snapshot:
            assert _all_ids(snapshot, where, view=_BY_PATH) == (set(), set())
        changed = [dataclasses.replace(one, churn=50) for one in HISTORY[:1]]
        with facts.writer(wait_s=0) as writer:
            writer.put_history(changed, head="b" * 40)
            writer.publish()

        with facts.snapshot() as snapshot:
            by_text, by_vector = _all_ids(snapshot, where, view=_BY_PATH)
            assert by_text == by_vector
            paths = {one.node.source.file_path for one in snapshot.fetch(sorted(by_text))}
            assert paths == {HISTORY[0].path}

    def test_any_filters_together_find_what_the_reference_finds(self, facts: Backend) -> None:
        around = _surroundings()
        vector = vector_of("x", dimension=DIMENSION)
        query = ask(Words(_MARK))

        @given(wanted(), st.sampled_from([1, 3, 10_000]))
        @settings(max_examples=150, deadline=None)
        def law(asked: dict[str, Given], depth: int) -> None:
            where = build(asked)
            found = tested.text(_BY_PATH).search(query, where=where, depth=depth).ids
            right = reference.text(_BY_PATH).search(query, where=where, depth=depth).ids
            assert len(found) == len(right)
            assert depth < 10_000 or set(found) == set(right)
            mine, theirs = tested.vectors(MODEL), reference.vectors(MODEL)
            assert mine is not None
            assert theirs is not None
            nearest = mine.search(vector, where=where, depth=10_000).ids
            assert set(nearest) == set(theirs.search(vector, where=where, depth=10_000).ids)
            for one in tested.fetch([*found, *nearest]):
                assert allows(where, one.node, around[one.node.source.file_path])

        with facts.snapshot() as tested, _reference().snapshot() as reference:
            law()

    def test_the_best_of_a_few_that_are_allowed_are_found_among_many(
        self, backend: Backend
    ) -> None:
        """More chunks than are scored one by one, and more still that rank before them."""
        many = [_crowd(number) for number in range(40)]
        write(backend, many)
        embed(backend)
        with backend.writer(wait_s=0) as writer:
            rows = [
                FileHistory(one.state.path, "Ann", "2025-01-01T00:00:00+00:00", number)
                for number, one in enumerate(many)
            ]
            writer.put_history(rows, head="a" * 40)
            writer.compact()
            writer.publish()
        query = ask(Words("rare"))
        with backend.snapshot() as snapshot:
            text = snapshot.text(BODY)
            every = text.search(query, where=EVERYTHING, depth=10_000)
            for least in (5, 39):
                where = build({"churn": least})
                paths = {one.path for one in rows if one.churn >= least}
                fetched = snapshot.fetch(every.ids)
                kept = [one.chunk.id for one in fetched if one.node.source.file_path in paths]
                assert len(kept) == len(paths) * _CROWD
                for depth in (1, 10, 1500):
                    found = text.search(query, where=where, depth=depth)
                    assert found.ids == tuple(kept[:depth])


_CROWD = 40


def _crowd(number: int) -> FileContent:
    """Return a file of chunks; the higher its number, the less they say of what is asked."""
    sections = [
        Section(f"part{one}", "rare " + "word " * (10 * (number // 5) + one))
        for one in range(_CROWD)
    ]
    return make_file(f"crowd/{number}.md", sections)


def _with_facts(backend: Backend) -> Backend:
    write(backend, described())
    embed(backend)
    with backend.writer(wait_s=0) as writer:
        writer.put_history(HISTORY, head="a" * 40)
        writer.publish()
    return backend


@cache
def _surroundings() -> Mapping[str, Surroundings]:
    """Return for each path what the file at it says of its nodes."""
    known = {one.path: one for one in HISTORY}
    found = {}
    for content in described():
        path = content.state.path
        roots = tuple(filter(is_root, content.nodes))
        one = known.get(path)
        found[path] = (
            Surroundings(roots, one.author, one.modified, one.churn)
            if one is not None
            else Surroundings(roots)
        )
    return found


@cache
def _reference() -> Backend:
    return _with_facts(ReferenceBackend())
