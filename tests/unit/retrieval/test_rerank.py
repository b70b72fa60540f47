from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from trivium.backends.base import Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.errors import MissingExtra, ModelError
from trivium.models.rerank import Reranking
from trivium.ranking.cut import Group
from trivium.retrieval.rerank import Reranked, rerank
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import ChunkId, Degraded, Part, Scored

# Each text says a different number of times what is asked for.
TEXTS = {"cat": "milk", "dog": "milk milk milk", "cow": "milk milk", "hen": "corn"}


class CountingReranker:
    """Scores a text by how often it holds the query, and keeps what it was asked."""

    name = "counting"

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((query, tuple(texts)))
        if self.failure is not None:
            raise self.failure
        return [float(text.split().count(query)) for text in texts]


@pytest.fixture
def snapshot() -> Iterator[Snapshot]:
    backend = ReferenceBackend()
    write(backend, [make_file(f"{name}.md", [Section(name, text)]) for name, text in TEXTS.items()])
    with backend.snapshot() as held:
        yield held


def entry(name: str, score: float) -> Group:
    return Group(Scored(ChunkId(f"{name}.md#{name}@0"), (Part("text", score),)))


@pytest.fixture
def groups() -> list[Group]:
    """Give one entry per section, in the order of TEXTS."""
    return [entry(name, 1 - at / 10) for at, name in enumerate(TEXTS)]


def order(found: Reranked) -> list[str]:
    return [group.best.chunk_id.partition(".")[0] for group in found.groups]


def test_the_best_are_read_with_their_titles_and_change_places(
    snapshot: Snapshot, groups: list[Group]
) -> None:
    model = CountingReranker()

    found = rerank(snapshot, groups, query="milk", reranking=Reranking(model, depth=3))

    assert order(found) == ["dog", "cow", "cat", "hen"]
    assert found.degraded == ()
    assert [found.scores[group.best.chunk_id] for group in groups[:3]] == [1.0, 3.0, 2.0]
    assert [len(texts) for _, texts in model.asked] == [3]
    query, texts = model.asked[0]
    assert query == "milk"
    for text, name in zip(texts, TEXTS, strict=False):
        assert text.partition("\n")[0].endswith(name)
        assert text.endswith(TEXTS[name])


def test_how_much_it_counts_is_a_setting(snapshot: Snapshot, groups: list[Group]) -> None:
    little = Reranking(CountingReranker(), depth=4, weight=0.01)

    assert order(rerank(snapshot, groups, query="milk", reranking=little)) == list(TEXTS)


@pytest.mark.parametrize(
    "failure", [ModelError("It broke."), MissingExtra("The model 'x'", extra="minilm")]
)
def test_a_model_that_fails_leaves_the_first_order_and_says_why(
    snapshot: Snapshot, groups: list[Group], failure: Exception
) -> None:
    model = CountingReranker(failure)

    found = rerank(snapshot, groups, query="milk", reranking=Reranking(model))

    assert found.groups == groups
    assert found.degraded == (Degraded("rerank", str(failure)),)
    assert found.scores == {}


def test_without_a_model_nothing_changes(snapshot: Snapshot, groups: list[Group]) -> None:
    assert rerank(snapshot, groups, query="milk", reranking=None) == Reranked(groups)


@pytest.mark.parametrize(("query", "count", "depth"), [(" ", 4, 9), ("milk", 1, 9), ("milk", 4, 1)])
def test_a_model_is_not_asked_where_it_can_change_nothing(
    snapshot: Snapshot, groups: list[Group], query: str, count: int, depth: int
) -> None:
    model = CountingReranker()
    some = groups[:count]

    found = rerank(snapshot, some, query=query, reranking=Reranking(model, depth=depth))

    assert found == Reranked(some)
    assert model.asked == []


def test_a_chunk_that_is_gone_is_read_as_nothing(snapshot: Snapshot, groups: list[Group]) -> None:
    gone = entry("gone", 2.0)
    model = CountingReranker()

    found = rerank(snapshot, [gone, *groups], query="milk", reranking=Reranking(model, depth=3))

    assert model.asked[0][1][0] == ""
    assert order(found) == ["dog", "cat", "gone", "cow", "hen"]
