from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

import pytest

from trivium import indexer
from trivium.backends.base import Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.engine import search
from trivium.errors import QuerySyntaxError, UsageError
from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.models.base import Embedder
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.profile import profile
from trivium.sources.base import Entry, Raw
from trivium.testing.embedders import WordEmbedder
from trivium.testing.filling import write
from trivium.types import Answer, Degraded
from trivium.writing.digest import Cutting, digest

TEXTS = {
    "guide.md": "# Guide\n\n## Install\n\nRun pip install.\n\n## Search\n\nAsk for words.\n",
    "src/store.py": (
        "class Store:\n    def find(self, key):\n        return self.items[key]\n\n\n"
        "def find(key):\n    return key\n\n\ndef find(key, more):\n    return more\n"
    ),
    "notes.txt": "Words and meaning meet in one ranking.\n",
}
Ask = Callable[..., Answer]


@pytest.fixture(scope="module")
def snapshot() -> Iterator[Snapshot]:
    backend = ReferenceBackend(clock=lambda: "2026-01-31T12:00:00+00:00")
    contents = [
        digest(
            Raw(Entry(path, len(text), 1), text, hashlib.sha256(text.encode()).hexdigest()),
            Cutting(),
        )
        for path, text in TEXTS.items()
    ]
    write(backend, contents)
    with backend.writer(wait_s=0) as writer:
        writer.record(skipped={"x.bin": "binary", "y.bin": "binary"})
    indexer.embed(backend, WordEmbedder())
    with backend.snapshot() as held:
        yield held


@pytest.fixture
def ask(snapshot: Snapshot) -> Ask:
    def asked(
        text: str,
        *,
        name: str = "best",
        limit: int | None = None,
        where: Filter = EVERYTHING,
        search_mode: str = "hybrid",
        min_score: float | None = None,
        embedders: Sequence[Embedder] | None = None,
        group: str | None = None,
    ) -> Answer:
        options = SearchOptions(profile(name), limit, where, search_mode, min_score, group=group)
        given = Circumstances(
            "docs",
            embedders=(WordEmbedder(),) if embedders is None else embedders,
            dirty_files=2,
            degraded=(Degraded("sync", "locked"),),
        )
        return search(snapshot, text, options=options, given=given)

    return asked


def ids(answer: Answer) -> list[str]:
    return [hit.id for hit in answer.results]


def test_an_answer_says_what_was_asked_of_what_and_how(ask: Ask) -> None:
    answer = ask("install words")

    assert (answer.query, answer.profile, answer.collection) == ("install words", "best", "docs")
    assert (answer.method, answer.embedder) == ("hybrid", "words")
    assert (answer.coverage.files, answer.coverage.skipped) == (3, {"binary": 2})
    assert answer.coverage.embedded == 1.0
    assert answer.freshness.indexed_at == "2026-01-31T12:00:00+00:00"
    assert answer.freshness.dirty_files == 2
    assert answer.degraded == (Degraded("sync", "locked"),)
    assert answer.took_ms >= 0


def test_what_was_degraded_before_comes_before_what_the_search_could_not_do(ask: Ask) -> None:
    answer = ask("install", embedders=())

    assert [one.stage for one in answer.degraded] == ["sync", "vectors"]


@pytest.mark.parametrize(
    ("search_mode", "embedders", "method"),
    [
        ("hybrid", [WordEmbedder()], "hybrid"),
        ("keyword", [WordEmbedder()], "bm25"),
        ("vector", [WordEmbedder()], "vector"),
        ("hybrid", [], "bm25"),
        ("vector", [], "bm25"),
        ("hybrid", [WordEmbedder(failure="down")], "bm25"),
    ],
)
def test_the_method_is_what_was_really_done(
    ask: Ask, search_mode: str, embedders: list[Embedder], method: str
) -> None:
    answer = ask("install", search_mode=search_mode, embedders=embedders)

    assert answer.method == method
    assert ids(answer)


def test_best_finds_nodes_and_rag_finds_chunks(ask: Ask) -> None:
    assert ids(ask("install", search_mode="keyword")) == ["doc:guide.md#Install"]
    assert ids(ask("pip", search_mode="keyword", name="rag")) == ["doc:guide.md#Install@0"]


def test_a_node_with_the_name_asked_for_gets_a_part_for_it(ask: Ask) -> None:
    hits = ask("find", search_mode="keyword", group="node").results

    boosted = {
        hit.id for hit in hits if any(part.name == "name is the query" for part in hit.parts)
    }
    assert boosted == {
        "code:src/store.py#Store.find",
        "code:src/store.py#find",
        "code:src/store.py#find~2",
    }


def test_a_query_that_is_a_name_leans_on_words(ask: Ask) -> None:
    def shares(text: str) -> float:
        (hit,) = [one for one in ask(text).results if one.id == "code:src/store.py#Store.find"]
        parts = {part.name: part.value for part in hit.parts}
        return parts["text"] / (parts["text"] + parts.get("vectors", 0.0))

    assert shares("Store.find") > shares("store find")


def test_filters_typed_into_the_query_and_given_beside_it_both_hold(ask: Ask) -> None:
    assert {one.partition(":")[0] for one in ids(ask("find words kind:code"))} == {"code"}
    assert ids(ask("find words kind:code", where=build({"kind": "doc"}))) == []


def test_facets_count_the_pool_not_the_page(ask: Ask) -> None:
    answer = ask("find words", limit=1)

    assert len(answer.results) == 1
    assert answer.total > 1
    assert sum(answer.facets["kind"].values()) == answer.total
    assert set(answer.facets["kind"]) >= {"code", "doc"}


def test_a_least_score_counts_for_the_total_too(ask: Ask) -> None:
    all_of_them = ask("find words")
    cut = all_of_them.results[1].score

    answer = ask("find words", min_score=cut)

    assert ids(answer) == [hit.id for hit in all_of_them.results if hit.score >= cut]
    assert answer.total == len(answer.results)


def test_notes_of_the_query_come_with_the_answer(ask: Ask) -> None:
    assert ask('"install').notes == ("read as plain words: a quotation mark is missing",)


@pytest.mark.parametrize("limit", [-1, 101])
def test_a_limit_outside_its_range_is_refused(ask: Ask, limit: int) -> None:
    with pytest.raises(UsageError, match=f"limit is {limit}; profile best takes 1 to 100"):
        ask("install", limit=limit)


def test_an_unknown_search_mode_is_refused(ask: Ask) -> None:
    with pytest.raises(UsageError, match=r"'words'\. Did you mean 'keyword'\? Use hybrid"):
        ask("install", search_mode="words")


def test_a_query_past_10000_characters_is_refused(ask: Ask) -> None:
    with pytest.raises(QuerySyntaxError, match="10,001 characters; the most is 10,000"):
        ask("x" * 10_001)


@pytest.mark.parametrize("text", ["", "   ", "!?", "-install", "the of"])
def test_nothing_to_look_for_finds_nothing(ask: Ask, text: str) -> None:
    assert ask(text, search_mode="keyword").results == ()


def test_a_search_touches_at_most_the_profiles_depth_in_each_retriever(
    ask: Ask, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    depths: list[int] = []
    index = type(snapshot.text(profile("rag").view))
    honest = index.search

    def counted(self: object, *args: object, depth: int, **rest: object) -> object:
        depths.append(depth)
        return honest(self, *args, depth=depth, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(index, "search", counted)
    for limit in (1, 100):
        ask("install", name="rag", limit=limit)

    assert depths == [30, 30]


def test_a_phrase_must_be_there_in_what_meaning_finds_too(ask: Ask) -> None:
    assert ids(ask('"ask for words"')) == ["doc:guide.md#Search"]


def test_a_phrase_that_nothing_holds_is_read_as_words_and_said_so(ask: Ask) -> None:
    answer = ask('"words for ask"')

    assert "doc:guide.md#Search" in ids(answer)
    assert any("phrase" in note for note in answer.notes)


def test_a_filter_never_makes_a_phrase_be_read_as_words(ask: Ask) -> None:
    answer = ask('"ask for words"', where=build({"path": "notes.txt"}))

    assert ids(answer) == []
    assert not any("its words" in note for note in answer.notes)
    assert "without path=notes.txt: 1 hit" in answer.notes
