"""What every filter lets through: exactly what filtering.match says, in text and vectors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trivium.backends.base import Backend, Found, Snapshot
from trivium.filtering.conditions import ATTRIBUTES, EVERYTHING, Condition, Filter, Test
from trivium.filtering.match import attributes, matches
from trivium.query.grammar import Words
from trivium.testing import corpus
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import DIMENSION, MODEL, ask, embed, vector_of, write
from trivium.testing.promises import MakeBackend, Promises
from trivium.types import ChunkId, View

# Every document has this word in its name, so only the filter decides what is found.
_MARK = "everywhere"
_VIEW = View(name="marked", analyser="standard", fields=(("title", 1),))


def _all_ids(snapshot: Snapshot, where: Filter) -> tuple[set[ChunkId], set[ChunkId]]:
    """Return what `where` lets through in text and in vectors."""
    vectors = snapshot.vectors(MODEL)
    assert vectors is not None
    by_text = snapshot.text(_VIEW).search(ask(Words(_MARK)), where=where, depth=10_000).ids
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

    @pytest.mark.parametrize("test", list(Test))
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
    @pytest.mark.parametrize("test", list(Test))
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
