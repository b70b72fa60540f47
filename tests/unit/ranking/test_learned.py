"""What signs add to scores, and that the scale and prose by itself stay as they were."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.ranking.features import PAGE_SIGNS, SIGNS, wanted
from trivium.ranking.learned import LEVEL, with_signs
from trivium.ranking.profile import Learned
from trivium.types import ChunkId, Part, Scored, best_first

ROUTER = ChunkId("code:src/router.py#Router.match@0")
OTHER = ChunkId("code:src/other.py#find@0")
DOC = ChunkId("doc:README.md#Routing@0")
FILES = {ROUTER: "src/router.py", OTHER: "src/other.py"}


def scored(**scores: float) -> list[Scored]:
    ids = {"router": ROUTER, "other": OTHER, "doc": DOC}
    return [Scored(ids[name], (Part("text", score),)) for name, score in scores.items()]


def test_signs_can_count_less_all_alike() -> None:
    learned = Learned({"stem": 0.8}, {"page": 0.4}, slower=0.5)

    assert learned.times(learned.slower) == Learned({"stem": 0.4}, {"page": 0.2}, slower=0.5)


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


def test_a_page_is_ranked_beside_code_by_its_headings() -> None:
    learned = Learned({"stem": 0.5}, {"page": 0.2, "headings": 0.6})
    found = with_signs(
        scored(router=0.6, doc=0.5, other=0.4),
        files=FILES,
        asked=wanted("routing"),
        learned=learned,
    )

    # "routing" is no letter of router, but stands in the heading: 0.5 + 0.2 + 0.6 against 0.6.
    factor = (0.6 - 0.4) / (1.3 - 0.4)
    assert [one.chunk_id for one in found] == [DOC, ROUTER, OTHER]
    assert found[0].parts == (
        Part("text", factor * 0.5),
        Part(PAGE_SIGNS["page"][1], factor * 0.2),
        Part(PAGE_SIGNS["headings"][1], factor * 0.6),
        Part(LEVEL, 0.4 - factor * 0.4),
    )


def test_a_page_that_says_nothing_of_the_query_gives_way_to_the_file_that_is_called_so() -> None:
    learned = Learned({"stem": 2.0}, {"page": 0.2, "headings": 0.6})
    found = with_signs(
        scored(doc=0.9, router=0.5), files=FILES, asked=wanted("the router"), learned=learned
    )
    assert [one.chunk_id for one in found] == [ROUTER, DOC]


def test_prose_alone_is_given_back_as_it_was() -> None:
    given_ = scored(doc=0.7)
    learned = Learned({"stem": 1.0}, {"page": 1.0, "headings": 1.0})
    assert with_signs(given_, files={}, asked=wanted("routing"), learned=learned) == given_


def test_a_single_node_of_code_keeps_its_score() -> None:
    given_ = scored(router=0.7)
    learned = Learned({"stem": 1.0})
    assert with_signs(given_, files=FILES, asked=wanted("router"), learned=learned) == given_


def test_signs_tell_apart_what_the_blend_cannot() -> None:
    learned = Learned({"stem": 2.0})
    found = with_signs(
        scored(other=0.5, router=0.5), files=FILES, asked=wanted("the router"), learned=learned
    )
    assert [one.chunk_id for one in found] == [ROUTER, OTHER]
    assert [one.score for one in found] == pytest.approx([0.5, 0.0])


paths = st.sampled_from(["a.py", "src/router.py", "tests/test_router.py", "lib/x/mod.rs"])
names = st.sampled_from(["", "#Router", "#Router.match", "#find~2"])
sorts = st.sampled_from(["code", "doc", "file", "record", "note"])
candidates = st.dictionaries(
    st.tuples(sorts, paths, names), st.floats(0, 1.25), min_size=1, max_size=12
).map(lambda found: {ChunkId(f"{s}:{p}{n}@0"): (p, score) for (s, p, n), score in found.items()})


@given(found=candidates, query=st.sampled_from(["Router", "tests of routers", "", "match a"]))
def test_parts_add_up_and_scores_stay_in_their_range_in_order(
    found: dict[ChunkId, tuple[str, float]], query: str
) -> None:
    before = best_first(Scored(one, (Part("text", score),)) for one, (_, score) in found.items())
    files = {one: path for one, (path, _) in found.items() if one.startswith("code:")}
    learned = Learned(dict.fromkeys(SIGNS, 0.7), dict.fromkeys(PAGE_SIGNS, 0.7))

    after = with_signs(before, files=files, asked=wanted(query), learned=learned)

    lowest, highest = (end(one.score for one in before) for end in (min, max))
    if lowest == highest:
        lowest, highest = 0.0, highest or 1.0
    assert {one.chunk_id for one in after} == set(found)
    assert after == sorted(after, key=lambda one: (-one.score, one.chunk_id))
    for one in after:
        assert one.score == math.fsum(part.value for part in one.parts)
        assert lowest - 1e-9 <= one.score <= highest + 1e-9
    for path in set(files.values()):
        of_file = [one for one in after if files.get(one.chunk_id) == path]
        was = {one.chunk_id: one.score for one in before}
        # Signs are those of the file: inside it the order stays, but for equal scores.
        for better, worse in pairwise(of_file):
            assert was[better.chunk_id] >= was[worse.chunk_id] - 1e-9
