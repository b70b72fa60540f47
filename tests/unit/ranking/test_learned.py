"""What signs add to scores, and that prose and the scale stay as they were."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.ranking.features import SIGNS, wanted
from trivium.ranking.learned import LEVEL, with_signs
from trivium.ranking.profile import Learned
from trivium.types import ChunkId, Part, Scored

ROUTER = ChunkId("code:src/router.py#Router.match@0")
OTHER = ChunkId("code:src/other.py#find@0")
DOC = ChunkId("doc:README.md#Routing@0")
FILES = {ROUTER: "src/router.py", OTHER: "src/other.py"}


def scored(**scores: float) -> list[Scored]:
    ids = {"router": ROUTER, "other": OTHER, "doc": DOC}
    return [Scored(ids[name], (Part("text", score),)) for name, score in scores.items()]


def test_the_file_that_is_called_so_comes_first_and_says_why() -> None:
    learned = Learned({"stem": 2.0})
    first, second = with_signs(
        scored(other=0.9, router=0.5), files=FILES, asked=wanted("the router"), learned=learned
    )

    # 0.5 + 2 against 0.9, moved to the old range from 0.5 to 0.9.
    factor = (0.9 - 0.5) / (2.5 - 0.9)
    assert (first.chunk_id, second.chunk_id) == (ROUTER, OTHER)
    assert first.parts == (
        Part("text", factor * 0.5),
        Part(SIGNS["stem"][1], factor * 2.0),
        Part(LEVEL, 0.5 - factor * 0.9),
    )
    assert [first.score, second.score] == pytest.approx([0.9, 0.5])


def test_the_lift_raises_the_best_code_and_nothing_else() -> None:
    learned = Learned({"stem": 2.0}, lift=0.4)
    found = with_signs(
        scored(doc=0.95, other=0.8, router=0.5),
        files=FILES,
        asked=wanted("the router"),
        learned=learned,
    )

    scores = {one.chunk_id: one.score for one in found}
    assert scores == {
        ROUTER: pytest.approx(0.8 * 1.4),
        DOC: 0.95,
        OTHER: pytest.approx(0.5),
    }


def test_prose_alone_is_given_back_as_it_was() -> None:
    given_ = scored(doc=0.7)
    learned = Learned({"stem": 1.0}, lift=0.4)
    assert with_signs(given_, files={}, asked=wanted("routing"), learned=learned) == given_


def test_a_single_node_of_code_keeps_its_score() -> None:
    given_ = scored(router=0.7)
    learned = Learned({"stem": 1.0}, lift=0.4)
    assert with_signs(given_, files=FILES, asked=wanted("router"), learned=learned) == given_


paths = st.sampled_from(["a.py", "src/router.py", "tests/test_router.py", "lib/x/mod.rs"])
names = st.sampled_from(["", "#Router", "#Router.match", "#find~2"])
candidates = st.dictionaries(
    st.tuples(paths, names), st.floats(0, 1.25), min_size=1, max_size=12
).map(lambda found: {ChunkId(f"code:{p}{n}@0"): (p, score) for (p, n), score in found.items()})


@given(found=candidates, query=st.sampled_from(["Router", "tests of routers", "", "match a"]))
def test_parts_add_up_and_scores_stay_in_the_lifted_range_in_order(
    found: dict[ChunkId, tuple[str, float]], query: str
) -> None:
    before = [Scored(one, (Part("text", score),)) for one, (_, score) in found.items()]
    files = {one: path for one, (path, _) in found.items()}
    learned = Learned(dict.fromkeys(SIGNS, 0.7), lift=0.4)

    after = with_signs(before, files=files, asked=wanted(query), learned=learned)

    lowest, highest = (end(one.score for one in before) for end in (min, max))
    assert {one.chunk_id for one in after} == set(found)
    assert after == sorted(after, key=lambda one: (-one.score, one.chunk_id))
    for one in after:
        assert one.score == math.fsum(part.value for part in one.parts)
        assert lowest - 1e-9 <= one.score <= 1.4 * highest + 1e-9
    for path in set(files.values()):
        of_file = [one for one in after if files[one.chunk_id] == path]
        was = {one.chunk_id: one.score for one in before}
        # Signs are those of the file: inside it the order stays, but for equal scores.
        for better, worse in pairwise(of_file):
            assert was[better.chunk_id] >= was[worse.chunk_id] - 1e-9
