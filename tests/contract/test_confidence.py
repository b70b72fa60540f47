"""Confidence of a whole search: what it depends on, and what it does not, on every backend."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium import indexer
from trivium.backends.base import Backend, Snapshot
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.reference.store import ReferenceBackend
from trivium.engine import search
from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.models.base import Embedder
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.confidence import calibrated
from trivium.ranking.profile import profile, shipped
from trivium.results.present import as_data, as_text, footer
from trivium.testing.embedders import WordEmbedder
from trivium.testing.filling import write_texts
from trivium.types import SAMPLED, Answer, Hit

TEXTS = {
    "src/router.py": (
        '"""Routes."""\n\n\ndef match_route(path):\n    return route(path)\n\n\n'
        "def route(path):\n    return path\n"
    ),
    "src/retry.py": "def retry_later(times):\n    # wait longer each time\n    return times\n",
    "src/store.py": "class VectorStore:\n    def nearest(self, query):\n        return query\n",
    "guide.md": "# Install\n\nHow to install the router.\n\n## Proxies\n\nSet a proxy first.\n",
    "notes.md": "# Cooking\n\nBoil the noodles, then add the sauce.\n",
    "日本.md": "# 東京\n\n東京都に住む。\n",
    **{f"more/{n}.txt": f"filler text number {n} about clouds and rain\n" for n in range(20)},
}
ODD = ["", "   ", "the of and", "zzqq xxyy", "東京", "x" * 10_000, "!?", "-route", '"', "lang:go"]


def ask(
    snapshot: Snapshot,
    text: str,
    *,
    name: str = "best",
    limit: int | None = None,
    embedder: Embedder | None = None,
    least: float | None = None,
    where: Filter = EVERYTHING,
    group: str | None = None,
    sort: str = "relevance",
) -> Answer:
    options = SearchOptions(
        profile(name),
        limit,
        where=where,
        group=group,
        sort=sort,
        min_confidence=least,
        explain=True,
    )
    given = Circumstances("shop", embedders=() if embedder is None else (embedder,))
    return search(snapshot, text, options=options, given=given)


def typed(snapshot: Snapshot, text: str) -> Answer:
    options = SearchOptions(profile("best"), as_you_type=True)
    return search(snapshot, text, options=options, given=Circumstances("shop"))


def likely(hit: Hit) -> float:
    assert hit.confidence is not None
    return hit.confidence


@pytest.fixture
def snapshot(any_backend: Backend) -> Iterator[Snapshot]:
    write_texts(any_backend, TEXTS)
    indexer.embed(any_backend, WordEmbedder())
    with any_backend.snapshot() as held:
        yield held


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Snapshot, Snapshot]]:
    place: Path = tmp_path_factory.mktemp("pair")
    with ExitStack() as held:
        embedded = EmbeddedBackend(place / "index", store=place / "store")
        held.callback(embedded.close)
        made: list[Backend] = [ReferenceBackend(), embedded]
        for backend in made:
            write_texts(backend, TEXTS)
            indexer.embed(backend, WordEmbedder())
        first, second = (held.enter_context(one.snapshot()) for one in made)
        yield first, second


@pytest.mark.parametrize("embedder", [None, WordEmbedder()], ids=["words", "model"])
@pytest.mark.parametrize("query", ["install the router", "retry_later", "東京", "clouds", "noodle"])
def test_confidence_does_not_depend_on_limit(
    snapshot: Snapshot, query: str, embedder: Embedder | None
) -> None:
    every = {hit.id: hit for hit in ask(snapshot, query, limit=50, embedder=embedder).results}

    assert every
    for limit in (1, 2, 5):
        for hit in ask(snapshot, query, limit=limit, embedder=embedder).results:
            assert likely(hit) == likely(every[hit.id])


FILTERS: list[dict[str, str]] = [
    {"kind": "doc"},
    {"kind": "code"},
    {"kind": "file"},
    {"path-prefix": "src"},
    {"path-prefix": "more"},
    {"lang": "python"},
    {"ext": "md"},
]


@pytest.mark.parametrize("embedder", [None, WordEmbedder()], ids=["words", "model"])
@pytest.mark.parametrize("name", ["best", "xplor", "rag"])
def test_confidence_does_not_depend_on_filters_or_the_order(
    snapshot: Snapshot, name: str, embedder: Embedder | None
) -> None:
    compared = 0
    for query in ("install the router path", "clouds query 東京"):
        asking = partial(ask, snapshot, query, name=name, embedder=embedder, group="node")
        every = {hit.chunk_id: hit.confidence for hit in asking(limit=50).results}
        others = [asking(where=build(one)) for one in FILTERS]
        others += [asking(sort=one) for one in ("newest", "path")]
        for hit in (one for answer in others for one in answer.results):
            if every.get(hit.chunk_id) is not None:
                assert hit.confidence == pytest.approx(every[hit.chunk_id], abs=1e-6)
                compared += 1

    assert compared


words = st.sampled_from(
    "route retry later install router proxy noodles sauce clouds rain 東京 filler zzqq the".split()  # noqa: SIM905
)


@settings(max_examples=40, deadline=None)
@given(st.lists(words, min_size=1, max_size=5).map(" ".join), st.booleans())
def test_both_backends_say_the_same_and_always_a_number(
    pair: tuple[Snapshot, Snapshot], query: str, has_model: bool
) -> None:
    embedder = WordEmbedder() if has_model else None
    reference, embedded = (ask(one, query, limit=50, embedder=embedder) for one in pair)

    expected = {hit.id: likely(hit) for hit in reference.results}
    found = {hit.id: likely(hit) for hit in embedded.results}
    assert found == pytest.approx(expected, abs=1e-3)
    assert all(math.isfinite(one) and 0 <= one <= 1 for one in found.values())


@settings(max_examples=60, deadline=None)
@given(st.lists(words, min_size=1, max_size=4), st.data())
def test_a_word_more_that_the_hit_holds_never_lowers_it(
    pair: tuple[Snapshot, Snapshot], asked: list[str], data: st.DataObject
) -> None:
    _, embedded = pair
    query = " ".join(asked)
    hits = ask(embedded, query, limit=50, group="none").results
    if not hits:
        return
    hit = data.draw(st.sampled_from(hits))
    held = [one for one in re.findall(r"\w+", f"{hit.text} {hit.node.name}") if len(one) > 1]
    word = data.draw(st.sampled_from(held))
    longer = data.draw(st.sampled_from((f"{query} {word}", f"{word} {query}")))
    after = {one.id: one for one in ask(embedded, longer, limit=50, group="none").results}

    if hit.id in after:
        assert likely(after[hit.id]) >= likely(hit) - 1e-9


@pytest.mark.parametrize("query", ["retry_later", "retry later", "Proxies", "東京", "src/store.py"])
def test_what_is_said_beside_a_name_takes_nothing_from_it_if_the_hit_holds_it(
    snapshot: Snapshot, query: str
) -> None:
    named = [hit for hit in ask(snapshot, query).results if likely(hit) >= calibrated().name]

    assert named
    for hit in named:
        for word in sorted(set(re.findall(r"\b[a-z]{4,}\b", hit.text)))[:4]:
            after = {one.id: one for one in ask(snapshot, f"{query} {word}", limit=50).results}
            assert likely(after[hit.id]) >= likely(hit) - 1e-9


@pytest.mark.parametrize("embedder", [None, WordEmbedder()], ids=["words", "model"])
@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("retry_later", "code:src/retry.py#retry_later"),
        ("VectorStore", "code:src/store.py#VectorStore"),
        ("Proxies", "doc:guide.md#Proxies"),
        ("東京", "doc:日本.md#東京"),
        ("retry later", "code:src/retry.py#retry_later"),
        ("vector store", "code:src/store.py#VectorStore"),
        ("vector-store", "code:src/store.py#VectorStore"),
    ],
)
def test_an_exact_name_has_at_least_the_stated_confidence(
    snapshot: Snapshot, query: str, wanted: str, embedder: Embedder | None
) -> None:
    hits = {hit.id: hit for hit in ask(snapshot, query, embedder=embedder).results}

    assert likely(hits[wanted]) >= calibrated().name


@pytest.mark.parametrize("embedder", [None, WordEmbedder()], ids=["words", "model"])
@pytest.mark.parametrize("query", ["asdf qwerty zxcv", "zzqq", "flurb gnax"])
def test_nonsense_is_weak(snapshot: Snapshot, query: str, embedder: Embedder | None) -> None:
    answer = ask(snapshot, query, embedder=embedder)

    assert embedder is None or answer.results
    for hit, shown in zip(answer.results, as_data(answer)["results"], strict=True):  # type: ignore[call-overload]
        assert likely(hit) < calibrated().weak / 2
        assert shown["weak"] is True
    assert as_text(answer).count("(weak)") == len(answer.results)


def test_a_question_with_one_word_more_that_the_hit_holds_is_surer(snapshot: Snapshot) -> None:
    def said(query: str) -> float:
        return next(likely(hit) for hit in ask(snapshot, query).results if "notes.md" in hit.id)

    assert said("noodles") <= said("noodles sauce") <= said("noodles sauce boil")
    assert said("noodles router") < said("noodles router sauce")
    # A word that is nowhere is more of the query that the hit does not hold.
    assert said("noodles zzqq") < said("noodles")


@pytest.mark.parametrize("name", shipped())
@pytest.mark.parametrize("embedder", [None, WordEmbedder()], ids=["words", "model"])
def test_every_profile_has_confidence(
    snapshot: Snapshot, name: str, embedder: Embedder | None
) -> None:
    answer = ask(snapshot, "router", name=name, embedder=embedder)

    assert answer.results or name == "graph-recall"
    for hit in answer.results:
        assert (hit.confidence is None) == (hit.context is not None)
        assert hit.context is not None or 0 <= likely(hit) <= 1


@pytest.mark.parametrize("query", ODD, ids=lambda query: query[:12])
@pytest.mark.parametrize("embedder", [None, WordEmbedder()], ids=["words", "model"])
def test_odd_queries_have_a_defined_confidence(
    snapshot: Snapshot, query: str, embedder: Embedder | None
) -> None:
    for name in ("best", "graph", "xplor"):
        for hit in ask(snapshot, query, name=name, embedder=embedder).results:
            if not query.strip():
                # Nothing was asked, so nothing is answered.
                assert hit.confidence is None
            else:
                assert hit.confidence is None or 0 <= hit.confidence <= 1


def test_least_confidence_lets_later_hits_take_the_place_of_others(snapshot: Snapshot) -> None:
    every = ask(snapshot, "router route", limit=50).results
    least = sorted((likely(hit) for hit in every), reverse=True)[1]
    kept = [hit.id for hit in every if likely(hit) >= least]

    assert [hit.id for hit in ask(snapshot, "router route", least=least).results] == kept
    some = ask(snapshot, "router route", limit=1, least=least)
    assert [hit.id for hit in some.results] == kept[:1]
    assert ask(snapshot, "router", least=1.0).results == ()
    assert ask(snapshot, "router", least=0.0).results


def test_one_letter_that_may_go_on_is_no_name_yet(any_backend: Backend) -> None:
    texts = {"a.py": "def x(times):\n    return times\n\n\ndef xenon():\n    return 1\n"}
    write_texts(any_backend, {**TEXTS, **texts})
    with any_backend.snapshot() as snapshot:
        whole = {hit.node.name: likely(hit) for hit in ask(snapshot, "x").results}
        begun = {hit.node.name: likely(hit) for hit in typed(snapshot, "x").results}
        ended = {hit.node.name: likely(hit) for hit in typed(snapshot, "x ").results}
        name = {hit.node.name: likely(hit) for hit in typed(snapshot, "xenon").results}

    assert min(whole["x"], ended["x"], name["xenon"]) >= calibrated().name
    assert max(begun.values()) < calibrated().weak


def test_an_answer_emptied_by_its_least_confidence_says_what_was_below_it(
    snapshot: Snapshot,
) -> None:
    query = "install the router, clouds"
    every = ask(snapshot, query, limit=50).results
    best = max(likely(hit) for hit in every)
    answer = ask(snapshot, query, least=1.0)

    cut = math.floor(best * 100) / 100
    said = f"{len(every)} hits below it, the best of them has {cut:.2f}"
    assert answer.results == ()
    assert answer.suggestions == ()
    assert answer.notes == (f"nothing reaches the confidence asked for, 1: {said}",)
    assert footer(answer)[0].startswith(f"none of the best {len(every)} by words")
    assert not any(line.startswith("related") for line in footer(answer))

    kept = sorted((likely(hit) for hit in every), reverse=True)[1]
    (note,) = ask(snapshot, query, limit=50, least=kept).notes
    left = sum(likely(hit) < kept for hit in every)
    assert note.startswith(f"left out {left} hits below the confidence asked for, {kept:g}; ")


@pytest.mark.parametrize("query", ["r", "ro", "in", "install r", "fi"])
def test_one_or_two_letters_that_may_go_on_are_weak(snapshot: Snapshot, query: str) -> None:
    answer = typed(snapshot, query)

    assert answer.results
    letters = query.split()
    if len(letters) == 1:
        assert all(likely(hit) < calibrated().weak / 2 for hit in answer.results)
    else:
        finished = {hit.id: likely(hit) for hit in typed(snapshot, letters[0] + " ").results}
        assert all(likely(hit) <= finished.get(hit.id, 1.0) for hit in answer.results)


def test_the_more_of_a_word_is_typed_the_surer_is_what_it_may_become(snapshot: Snapshot) -> None:
    starts = ["in", "ins", "inst", "insta"]
    said = [
        next(likely(hit) for hit in typed(snapshot, one).results if hit.id.startswith("doc:guide"))
        for one in starts
    ]

    assert said[0] < said[1] < said[2] < said[3]


def test_letters_that_are_a_whole_name_are_sure_while_they_are_typed(any_backend: Backend) -> None:
    write_texts(any_backend, {"a.py": "def go(n):\n    return n\n", "b.py": "going = 1\n"})
    with any_backend.snapshot() as held:
        hits = {hit.id: likely(hit) for hit in typed(held, "go").results}

    assert hits.pop("code:a.py#go") >= calibrated().name
    assert all(one < calibrated().weak for one in hits.values())


def test_of_many_chunks_a_sample_tells_what_is_usual(any_backend: Backend) -> None:
    lines = {f"{n}.txt": f"text w{n} w{n % 7}\n" for n in range(SAMPLED + SAMPLED // 5)}
    write_texts(any_backend, lines)
    indexer.embed(any_backend, WordEmbedder())
    query = WordEmbedder().embed_query("text w3")

    with any_backend.snapshot() as held:
        vectors = held.vectors(WordEmbedder().model_id)
        assert vectors is not None
        found = vectors.background(query)
        scores = vectors.search(query, where=EVERYTHING, depth=10_000).scores
        assert vectors.background(0 * query) is None

    assert found is not None
    assert SAMPLED / 3 < found.count <= SAMPLED + 2
    mean = sum(scores) / len(scores)
    assert found.mean == pytest.approx(mean, abs=4 * found.deviation / math.sqrt(SAMPLED))
