from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import pytest

from trivium.backends.base import Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.ranking.cut import Group
from trivium.ranking.profile import Boosts
from trivium.retrieval.repeats import DEPTH, less_repeated
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import ChunkId, Part, Scored

LICENCE = " ".join(f"word{number}" for number in range(60))
TEXTS = {"a": LICENCE, "b": LICENCE, "c": "something else", "d": LICENCE + " more", "e": "last"}
HALF = Boosts(duplicate=0.5)


def held(texts: Mapping[str, str]) -> ReferenceBackend:
    backend = ReferenceBackend()
    write(backend, [make_file(f"{name}.md", [Section(name, text)]) for name, text in texts.items()])
    return backend


@pytest.fixture
def snapshot() -> Iterator[Snapshot]:
    with held(TEXTS).snapshot() as made:
        yield made


def entry(name: str, score: float) -> Group:
    return Group(Scored(ChunkId(f"{name}.md#{name}@0"), (Part("text", score),)))


def entries(scores: Mapping[str, float]) -> list[Group]:
    return [entry(name, score) for name, score in scores.items()]


def scores_of(groups: list[Group]) -> dict[str, float]:
    return {group.best.chunk_id.partition(".")[0]: group.best.score for group in groups}


def test_what_repeats_a_better_one_loses_a_share_and_moves_down(snapshot: Snapshot) -> None:
    groups = entries({"a": 1.0, "b": 0.9, "c": 0.6, "d": 0.5, "e": 0.1})

    found = less_repeated(snapshot, groups, boosts=HALF)

    assert scores_of(found) == pytest.approx({"a": 1.0, "c": 0.6, "b": 0.45, "d": 0.25, "e": 0.1})
    assert list(scores_of(found)) == ["a", "c", "b", "d", "e"]
    # Both repeat the first, which repeats nothing; none repeats a repeat.
    lost = {group.best.chunk_id: group.best.parts[1:] for group in found if group.best.parts[1:]}
    assert lost == {
        "b.md#b@0": (Part("repeats a.md#a", -0.45),),
        "d.md#d@0": (Part("repeats a.md#a", -0.25),),
    }


def test_without_a_share_nothing_is_asked_and_nothing_changes(snapshot: Snapshot) -> None:
    groups = entries({"a": 1.0, "b": 0.9})

    assert less_repeated(snapshot, groups, boosts=Boosts()) == groups
    assert less_repeated(snapshot, groups[:1], boosts=HALF) == groups[:1]
    assert less_repeated(snapshot, [], boosts=HALF) == []


def test_how_alike_two_texts_must_be_is_said_by_the_profile(snapshot: Snapshot) -> None:
    groups = entries({"a": 1.0, "c": 0.9, "d": 0.5})

    strict = less_repeated(snapshot, groups, boosts=Boosts(duplicate=0.5, duplicate_at=1.0))
    loose = less_repeated(snapshot, groups, boosts=Boosts(duplicate=0.5, duplicate_at=0.0))

    assert scores_of(strict)["d"] in (0.5, 0.25)
    assert scores_of(loose) == pytest.approx({"a": 1.0, "c": 0.45, "d": 0.25})


def test_a_score_below_0_becomes_lower_still(snapshot: Snapshot) -> None:
    found = less_repeated(snapshot, entries({"a": -0.1, "b": -0.2}), boosts=HALF)

    assert scores_of(found) == pytest.approx({"a": -0.1, "b": -0.3})


def test_others_keep_an_order_that_is_not_that_of_scores(snapshot: Snapshot) -> None:
    groups = entries({"c": 0.2, "a": 1.0, "b": 0.9, "e": 0.5})

    found = less_repeated(snapshot, groups, boosts=HALF)

    assert list(scores_of(found)) == ["c", "a", "e", "b"]


def test_a_chunk_that_is_gone_repeats_nothing(snapshot: Snapshot) -> None:
    groups = entries({"gone": 1.0, "lost": 0.9})

    assert less_repeated(snapshot, groups, boosts=HALF) == groups


def test_only_the_first_fifty_are_looked_at() -> None:
    texts = {f"n{number:02}": LICENCE for number in range(DEPTH + 2)}
    groups = entries({name: 1 - place / 1000 for place, name in enumerate(texts)})

    with held(texts).snapshot() as snapshot:
        found = less_repeated(snapshot, groups, boosts=HALF)

    assert DEPTH == 50
    assert list(scores_of(found))[:3] == ["n00", "n50", "n51"]
    assert sum(len(group.best.parts) == 2 for group in found) == DEPTH - 1
    for group in found:
        assert group.best.score == pytest.approx(math.fsum(one.value for one in group.best.parts))
