from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from trivium.backends.base import FileContent, Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.filtering.conditions import EVERYTHING
from trivium.query.parse import parse
from trivium.ranking.features import wanted
from trivium.ranking.learned import with_signs
from trivium.ranking.profile import Profile, Scope, profile
from trivium.retrieval.gather import Asking
from trivium.retrieval.scope import Ranked, enough_for, rank_by_degree, rank_scope, where_of
from trivium.retrieval.spreading import Seeding
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import ChunkId, Edge, EdgeType, Kind, NodeId, Part, Scored

GRAPH = profile("graph")


def linked(content: FileContent, *pairs: tuple[str, str]) -> FileContent:
    edges = [Edge(NodeId(a), NodeId(b), EdgeType.REFERENCES) for a, b in pairs]
    return replace(content, edges=(*content.edges, *edges))


@pytest.fixture
def snapshot() -> Iterator[Snapshot]:
    """Two documents that are linked over a piece of code, and one that is linked with the first."""
    doc = Section("Zebra", "a zebra", kind=Kind.DOC)
    files = [
        linked(
            make_file("doc:a.md", [doc]),
            ("doc:a.md#Zebra", "code:a.py#Lion"),
            ("doc:a.md#Zebra", "doc:c.md#Cow"),
        ),
        linked(
            make_file("doc:b.md", [replace(doc, name="Horse", text="a horse")]),
            ("doc:b.md#Horse", "code:a.py#Lion"),
        ),
        make_file("doc:c.md", [replace(doc, name="Cow", text="a cow")]),
        make_file("code:a.py", [Section("Lion", "a lion", kind=Kind.CODE)]),
        make_file("@docs", [replace(doc, text="a zebra of another graph")]),
    ]
    backend = ReferenceBackend()
    write(backend, files)
    with backend.snapshot() as held:
        yield held


def scope_of(kind: str, *, among: Profile = GRAPH) -> Scope:
    return next(one for one in among.scopes if one.view.kinds == (kind,))


def ranked(
    snapshot: Snapshot, query: str, *, scope: Scope, depth: int = 1, least: float = 0.0
) -> Ranked:
    where = where_of(scope, EVERYTHING)
    assert where is not None
    expansion = scope.expansion or GRAPH.expansion
    return rank_scope(
        snapshot,
        parse(query),
        scope=scope,
        asking=Asking(scope.view, where, GRAPH.retrieval, search_mode="keyword"),
        profile=GRAPH,
        seeding=Seeding(expansion, seeds=5, depth=depth, decay=None),
        least=least,
    )


def found(made: Ranked) -> dict[str, float]:
    return {group.best.chunk_id.rpartition("@")[0]: group.best.score for group in made.groups}


@pytest.mark.parametrize("depth", [1, 10])
def test_no_way_leads_through_nodes_of_other_kinds(snapshot: Snapshot, depth: int) -> None:
    made = ranked(snapshot, "zebra", scope=scope_of("doc"), depth=depth)

    # The horse is two links away, over code; its document is not linked with anything else.
    assert found(made) == {"doc:a.md#Zebra": 1.0, "doc:c.md#Cow": pytest.approx(0.8)}


def test_a_scope_of_all_kinds_goes_through_all_of_them(snapshot: Snapshot) -> None:
    doc = scope_of("doc")
    everything = replace(doc, view=replace(doc.view, kinds=None))

    made = ranked(snapshot, "zebra", scope=everything, depth=2)

    assert found(made)["doc:b.md#Horse"] == pytest.approx(0.8 * 0.8)


@pytest.mark.parametrize(("missing", "is_kept"), [(1e-7, True), (1e-5, False)])
def test_a_score_that_only_rounding_keeps_below_the_least_is_enough(
    snapshot: Snapshot, missing: float, is_kept: bool
) -> None:
    made = ranked(snapshot, "zebra", scope=scope_of("doc"), least=1.0 + missing)
    around = ranked(snapshot, "zebra", scope=scope_of("doc"), least=0.8 + missing)

    assert bool(made.groups) is is_kept
    assert ("doc:c.md#Cow" in found(around)) is is_kept


def test_a_score_that_adds_up_to_hardly_less_than_nothing_passes_for_nothing() -> None:
    router, page, other = (
        ChunkId("code:src/router.py#match@0"),
        ChunkId("doc:README.md#Routing@0"),
        ChunkId("code:src/deep/other.py#find@0"),
    )
    scored = [
        Scored(one, (Part("text", score),))
        for one, score in ((router, 1.0), (page, 1 / 60), (other, 0.0))
    ]
    *_, last = with_signs(
        scored,
        files={router: "src/router.py", other: "src/deep/other.py"},
        asked=wanted("the router of routing"),
        learned=profile("best").learned,
    )

    # By the last bit of a sum, on either side of it.
    assert abs(last.score) < 1e-15
    assert -1e-9 < enough_for(0.0) < -1e-15


def test_proxies_are_neither_found_nor_counted_among_the_most_linked(snapshot: Snapshot) -> None:
    by_words = ranked(snapshot, "another graph", scope=scope_of("doc"))
    by_degree = rank_by_degree(snapshot, GRAPH.scopes[1], EVERYTHING, profile("xplor"))

    assert by_words.groups == []
    assert by_degree.groups
    assert not any(one.startswith("@") for one in found(by_degree))
