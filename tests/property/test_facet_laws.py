"""What a facet counts is what choosing that value finds, whatever else is typed and chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium import indexer
from trivium.backends.base import Backend, Snapshot
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.reference.store import ReferenceBackend
from trivium.engine import search
from trivium.filtering.conditions import build
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.profile import profile
from trivium.results.facets import FACETS
from trivium.testing.embedders import WordEmbedder
from trivium.testing.filling import write_texts
from trivium.types import Answer, Hit

# Fewer chunks than any retriever gives back: no pool is cut, so every count is exact.
TEXTS = {
    "src/store.py": "class Store:\n    def open_store(self):\n        pass\n\n\nstore = Store()\n",
    "src/cache.py": "def store_in_cache(key):\n    pass\n\n\ndef drop(key):\n    pass\n",
    "Src/other.py": "def other_store():\n    return 2\n",
    "cmd/main.go": "package main\n\nfunc storeAll() {}\n\nfunc openAll() {}\n",
    "notes/store.md": "---\nkind: note\ntags: [Draft, draft]\n---\n# Store\n\nThe store is.\n",
    "notes/cache.md": "---\nkind: note\ntags: [web, draft]\n---\n# Cache\n\nNo store of mine.\n",
    "docs/guide.md": "# Guide\n\nOpen a store.\n\n## Cache\n\nA cache is a store.\n",
    "docs/api/open.md": "---\ntags: [web]\n---\n# Open\n\nOpen what is closed.\n",
    "top.md": "# Store\n\nA store at the top.\n",
}
FILTERS = {"kind": "kind", "type": "type", "language": "lang", "folder": "path-prefix"}
FILTERS["tag"] = "tag"
VALUES = {
    "kind": ["code", "doc", "note", "task"],
    "type": ["function", "section", "class", "method"],
    "language": ["python", "go", "markdown"],
    "folder": ["src/", "docs/", "cmd/", "notes/", "docs/api/"],
    "tag": ["draft", "web"],
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: what was typed, and what was chosen beside it."""

    text: str
    chosen: Mapping[str, list[str]]
    search_mode: str
    group: str | None

    def of(self, snapshot: Snapshot, **instead: list[str]) -> Answer:
        chosen = {**self.chosen, **instead}
        options = SearchOptions(
            profile("best"),
            100,
            build({FILTERS[name]: values for name, values in chosen.items()}),
            search_mode=self.search_mode,
            group=self.group,
        )
        given = Circumstances("shop", embedders=(WordEmbedder(),))
        return search(snapshot, self.text, options=options, given=given)


words = st.sampled_from(["store", "cache", "open", "-drop", "-cache", '"a store"', "sto*"])
typed = st.sampled_from(
    [
        *("kind:note", "kind:doc", "kind:code", "-kind:note", "NOT kind:code", "type:function"),
        *("lang:python", "-lang:go", "tag:draft", "-tag:web", "path:docs", "path:src/"),
        *("-path:docs", "name:store"),
    ]
)
texts = st.tuples(st.lists(words, min_size=1, max_size=2), st.lists(typed, max_size=2)).map(
    lambda some: " ".join(["store", *some[0], *some[1]])
)
chosen = st.dictionaries(st.sampled_from(FACETS), st.none(), max_size=2).flatmap(
    lambda names: st.fixed_dictionaries(
        {name: st.lists(st.sampled_from(VALUES[name]), min_size=1, max_size=2) for name in names}
    )
)
asked = st.builds(
    Asked,
    texts,
    chosen,
    st.sampled_from(["hybrid", "keyword"]),
    st.sampled_from([None, None, "file", "node", "none"]),
)


@pytest.fixture(scope="module", params=["reference", "embedded"])
def snapshot(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Snapshot]:
    with ExitStack() as held:
        backend: Backend = ReferenceBackend()
        if request.param == "embedded":
            place = tmp_path_factory.mktemp("facets")
            backend = EmbeddedBackend(place / "c", store=place / "s")
            held.callback(backend.close)
        write_texts(backend, TEXTS)
        indexer.embed(backend, WordEmbedder())
        yield held.enter_context(backend.snapshot())


def values_of(hit: Hit, facet: str) -> set[str]:
    path = hit.node.source.file_path.lower()
    return {
        "kind": {hit.node.kind.value},
        "type": {hit.node.type},
        "language": {hit.node.language},
        "folder": {path.partition("/")[0] + "/"} if "/" in path else set(),
        "tag": {tag.lower() for tag in hit.node.tags},
    }[facet]


@settings(max_examples=150, deadline=None)
@given(question=asked)
def test_choosing_a_value_instead_finds_as_many_as_it_is_counted(
    snapshot: Snapshot, question: Asked
) -> None:
    answer = question.of(snapshot)

    for facet in FACETS:
        for value, count in answer.facets[facet].items():
            assert question.of(snapshot, **{facet: [value]}).total == count, (facet, value)


@settings(max_examples=100, deadline=None)
@given(question=asked)
def test_choosing_a_value_as_well_adds_as_many_as_it_is_counted(
    snapshot: Snapshot, question: Asked
) -> None:
    answer = question.of(snapshot)

    for facet in FACETS:
        before = question.chosen.get(facet, [])
        for value, count in answer.facets[facet].items():
            both = question.of(snapshot, **{facet: [*before, value]})
            assert both.facets[facet][value] == count, (facet, value)
            if question.group != "file":
                found = [hit for hit in both.results if value.lower() in values_of(hit, facet)]
                assert len(found) == count, (facet, value)


@settings(max_examples=60, deadline=None)
@given(question=asked)
def test_what_is_not_counted_is_not_found(snapshot: Snapshot, question: Asked) -> None:
    answer = question.of(snapshot)

    for facet in ("kind", "type", "language", "tag"):
        for value in set(VALUES[facet]).difference(answer.facets[facet]):
            assert question.of(snapshot, **{facet: [value]}).total == 0, (facet, value)
