"""A backend and the reference, filled alike and asked alike: the same answers.

Subclass BackendParity as contract.BackendContract, with a classmethod fixture of class
scope. Order may differ only where scores are closer to each other than the tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from trivium.backends.base import Backend, Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.query.grammar import AllOf, AnyOf, Expression, Phrase, Prefix, Without, Words
from trivium.query.parse import parse
from trivium.testing import corpus
from trivium.testing.filling import MODEL, REPEAT, SUM, ask, embed, vector_of, write
from trivium.testing.promises import MakeBackend
from trivium.types import Ranking, View

TOLERANCE = 1e-3
_TYPED = """
vector index|search|zebra quokka|"index query"|"query vector score"|"検索"|"全文検索"
全文検索エンジン|fooBar|foobar|"foo bar"|HTTPServer2|http server|parse_query|"parse query"
open_index|readFile
running|run|runner|quickly|naïve|naive|café|x86|utf8|поиск|검색|42|v2|the and of|is not for
seg*|zeb*|in*|re*|検*|http* server|index AND query|index AND zebra|heron OR ibis|index -query
index NOT (query OR vector)|(heron OR ibis) AND search|"index query" vector|vector -"index query"
lock thread queue buffer|graph cosine distance nearest|index index query|where filter limit
write the merged segments|"write merge" OR "merge segment"|the AND index|-index|foo(|c++|"a b
how are vectors stored|put_vectors keys|quick brown fox|"quick brown"|handleRequest
"""
_QUERIES: tuple[Expression, ...] = (
    *(parse(typed).root for line in _TYPED.split("\n") for typed in line.split("|") if typed),
    AllOf((Words("index"), Words("search")), also=(Phrase("index query"), Prefix("qu"))),
    AllOf((Words("the"),), also=(Words("heron"),)),
    AnyOf((Phrase("query index"), Without(Words("leaf"), Prefix("ro")))),
)
_FILTERS: tuple[Filter, ...] = (
    EVERYTHING,
    build({"kind": "code", "lang": ["python", "go"]}),
    build({"path": "deep", "ext": ".md"}),
    build({"path_prefix": "src/", "tag": ["green", "red"]}),
    build({"name": "query", "domain": "search"}),
    build({"kind": []}),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """One state in two backends."""

    reference: Snapshot
    tested: Snapshot


def _fill(backend: Backend) -> None:
    """Write in several batches with a replacement and a removal, as real indexes grow."""
    generated = corpus.generated()
    gone = corpus.make_file("gone.md", [corpus.Section("gone", "index query vector " * 50)])
    older = corpus.generated(seed=8, files=10)
    write(backend, [*older, gone])
    write(backend, generated[:30])
    write(backend, [*generated[30:], *corpus.small()], removed=["gone.md"])
    kept = {one.state.path for one in generated}
    write(backend, [], removed=[one.state.path for one in older if one.state.path not in kept])
    embed(backend)
    with backend.writer(wait_s=0) as writer:
        writer.compact()
        writer.publish()


def _assert_alike(found: Ranking, expected: Ranking, *, asked: object) -> None:
    scores = dict(zip(expected.ids, expected.scores, strict=True))
    assert sorted(found.ids) == sorted(expected.ids), asked
    assert dict(zip(found.ids, found.scores, strict=True)) == pytest.approx(
        scores, rel=TOLERANCE, abs=1e-4
    ), asked
    for mine, theirs in zip(found.ids, expected.ids, strict=True):
        assert scores[mine] == pytest.approx(scores[theirs], rel=TOLERANCE, abs=1e-4), asked


def _assert_start(start: Ranking, every: Ranking, *, asked: object) -> None:
    assert start.ids == every.ids[: len(start.ids)], asked


class BackendParity:
    """Same ids in the same order, scores within the tolerance."""

    @pytest.fixture(scope="class")
    @classmethod
    def make_backend(cls) -> MakeBackend:
        """Return a function that makes a new, empty backend. To be overridden."""
        raise NotImplementedError("Override make_backend with a fixture of your own.")

    @pytest.fixture(scope="class")
    @classmethod
    def pair(cls, make_backend: MakeBackend) -> Iterator[Pair]:
        """Give both backends with the same content, compacted."""
        reference, tested = ReferenceBackend(), make_backend()
        _fill(reference)
        _fill(tested)
        with ExitStack() as stack:
            yield Pair(
                stack.enter_context(reference.snapshot()), stack.enter_context(tested.snapshot())
            )

    def test_both_hold_the_same(self, pair: Pair) -> None:
        mine, theirs = pair.tested.contents(), pair.reference.contents()

        assert (mine.files, mine.nodes, mine.edges) == (theirs.files, theirs.nodes, theirs.edges)
        assert (mine.seq, mine.chunks, mine.masked) == (theirs.seq, theirs.chunks, theirs.masked)
        assert dict(pair.tested.files()) == dict(pair.reference.files())
        assert list(pair.tested.spaces()) == list(pair.reference.spaces())

    @pytest.mark.parametrize("where", _FILTERS, ids=lambda where: str(len(where.conditions)))
    @pytest.mark.parametrize("view", [REPEAT, SUM], ids=lambda view: view.name)
    def test_words_find_the_same_in_the_same_order(
        self, pair: Pair, view: View, where: Filter
    ) -> None:
        mine, theirs = pair.tested.text(view), pair.reference.text(view)
        matched = 0
        for root in _QUERIES:
            expected = theirs.search(ask(root), where=where, depth=10_000)
            found = mine.search(ask(root), where=where, depth=10_000)
            _assert_alike(found, expected, asked=root)
            _assert_start(mine.search(ask(root), where=where, depth=5), found, asked=root)
            matched += bool(expected.ids)
        assert matched > len(_QUERIES) / 3 or where == _FILTERS[-1]

    @pytest.mark.parametrize("view", [REPEAT, SUM], ids=lambda view: view.name)
    def test_words_score_the_same(self, pair: Pair, view: View) -> None:
        mine, theirs = pair.tested.text(view), pair.reference.text(view)
        ids = theirs.search(ask(Words("index")), where=EVERYTHING, depth=100).ids
        for root in _QUERIES:
            expected = dict(theirs.score(ask(root), ids))
            assert dict(mine.score(ask(root), ids)) == pytest.approx(expected, rel=TOLERANCE), root

    @pytest.mark.parametrize("where", _FILTERS, ids=lambda where: str(len(where.conditions)))
    def test_vectors_find_the_same_in_the_same_order(self, pair: Pair, where: Filter) -> None:
        mine, theirs = pair.tested.vectors(MODEL), pair.reference.vectors(MODEL)
        assert mine is not None
        assert theirs is not None
        for text in ("index query", "zebra", "検索", "how are vectors stored", "read", ""):
            expected = theirs.search(vector_of(text), where=where, depth=10_000)
            found = mine.search(vector_of(text), where=where, depth=10_000)
            _assert_alike(found, expected, asked=text)
            _assert_start(mine.search(vector_of(text), where=where, depth=5), found, asked=text)
            scores = dict(theirs.score(vector_of(text), expected.ids))
            assert dict(mine.score(vector_of(text), expected.ids)) == pytest.approx(
                scores, rel=TOLERANCE, abs=1e-4
            )

    @pytest.mark.parametrize("view", [REPEAT, SUM], ids=lambda view: view.name)
    def test_terms_are_counted_alike(self, pair: Pair, view: View) -> None:
        terms = ["index", "queri", "zebra", "検索", "foobar", "nowhere", ""]
        mine, theirs = pair.tested.text(view), pair.reference.text(view)

        assert mine.documents == theirs.documents > 0
        assert mine.frequencies(terms) == theirs.frequencies(terms)
        assert theirs.frequencies(["index", "nowhere"])["nowhere"] == 0
        assert 0 < theirs.frequencies(["index"])["index"] <= theirs.documents

    def test_what_is_usual_for_a_query_is_the_same(self, pair: Pair) -> None:
        mine, theirs = pair.tested.vectors(MODEL), pair.reference.vectors(MODEL)
        assert mine is not None
        assert theirs is not None
        for text in ("index query", "zebra", "検索"):
            found = mine.background(vector_of(text))
            expected = theirs.background(vector_of(text))
            assert found is not None
            assert expected is not None
            assert found.count == expected.count
            assert found.mean == pytest.approx(expected.mean, abs=1e-4)
            assert found.deviation == pytest.approx(expected.deviation, abs=1e-4)
