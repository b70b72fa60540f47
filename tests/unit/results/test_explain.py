from __future__ import annotations

from dataclasses import replace

from trivium.analysis.words import analyser
from trivium.results.explain import BREAKDOWN_KEYS, Origin, breakdown, reason
from trivium.types import ChunkId, Gathered, Part, Ranking, Scored

A, B = ChunkId("doc:a.md@0"), ChunkId("doc:b.md@0")
GATHERED = Gathered(
    rankings=(Ranking("text", (A,), (3.5,)), Ranking("vectors", (B, A), (0.9, 0.4))),
    pool=(A, B),
    signals={"text": {A: 3.5, B: 0.0}, "vectors": {A: 0.4, B: 0.9}},
    embedder="words",
    degraded=(),
)


def origin(score_type: str) -> Origin:
    return Origin(GATHERED, score_type, 60, analyser("standard"))


RRF = Scored(A, (Part("text rank 1", 1 / 61), Part("vectors rank 2", 1 / 62)))


def test_every_key_of_the_contract_is_there_and_null_where_unused() -> None:
    shown = breakdown(Scored(ChunkId("x@0"), ()), origin("context"), {})

    assert set(shown) == {
        *("selected", "sparse", "ann", "rrf", "blend", "symbol"),
        *("phrase", "relation", "graph", "degree", "parts"),
    }
    assert tuple(shown) == BREAKDOWN_KEYS
    assert {key for key, value in shown.items() if value is not None} == {"selected", "parts"}


def test_a_score_that_is_summed_over_fields_names_them_with_their_weights() -> None:
    weights = {"body": 1.0, "keyword": 0.25, "operator": 0.05}
    summed = replace(origin("rrf"), sparse_type="bm25-fielded", weights=weights)

    shown = breakdown(RRF, summed, {})["sparse"]
    single = breakdown(RRF, origin("rrf"), {})["sparse"]

    assert shown == {
        "type": "bm25-fielded",
        "score": 3.5,
        "k1": 1.2,
        "b": 0.75,
        "weights": weights,
    }
    assert single == {"type": "bm25", "score": 3.5, "k1": 1.2, "b": 0.75}


def test_a_fusion_by_rank_shows_ranks_and_what_each_gave() -> None:
    shown = breakdown(RRF, origin("rrf"), {})

    assert shown["rrf"] == {
        "k": 60,
        "sparseRank": 1,
        "annRank": 2,
        "sparseRrf": 1 / 61,
        "annRrf": 1 / 62,
        "score": RRF.score,
    }
    assert shown["sparse"] == {"type": "bm25", "score": 3.5, "k1": 1.2, "b": 0.75}
    assert shown["ann"] == {"score": 0.4, "source": "words"}
    assert shown["blend"] is None


def test_a_list_that_does_not_hold_the_chunk_has_no_rank() -> None:
    shown = breakdown(Scored(B, (Part("vectors rank 1", 1 / 61),)), origin("rrf"), {})

    assert shown["rrf"] == {
        "k": 60,
        "sparseRank": None,
        "annRank": 1,
        "sparseRrf": None,
        "annRrf": 1 / 61,
        "score": 1 / 61,
    }


def test_a_blend_shows_its_shares_and_the_boost_for_a_name() -> None:
    parts = (Part("text", 0.3), Part("name is the query", 0.25))
    shown = breakdown(Scored(A, parts), origin("blend"), {})

    assert shown["blend"] == {"score": 0.3, "sparsePart": 0.3, "annPart": 0.0}
    assert shown["symbol"] == {"name": True, "boost": 0.25}
    assert shown["parts"] == [
        {"name": "text", "value": 0.3},
        {"name": "name is the query", "value": 0.25},
    ]


def test_the_reason_names_words_meaning_and_name() -> None:
    named = Scored(A, (*RRF.parts, Part("name is the query", 0.25)))

    assert reason(named, GATHERED, words=["cat", "dog"]) == (
        "its name is asked for; has cat, dog; means something similar (0.40)"
    )


def test_the_reason_names_five_words_at_most() -> None:
    told = reason(Scored(A, (Part("text rank 1", 1 / 61),)), GATHERED, words=list("abcdefg"))

    assert told == "has a, b, c, d, e"


def test_words_that_are_not_in_the_text_are_in_its_name_or_path() -> None:
    told = reason(Scored(A, (Part("text", 0.3),)), GATHERED, words=[])

    assert told == "its name or path matches"


def test_a_chunk_that_no_part_speaks_for_is_one_of_the_rest() -> None:
    assert reason(Scored(B, ()), GATHERED, words=[]) == "nearest of the rest"


def merged(score_type: str) -> Origin:
    modes = {"code": 1.0, "prose": 2.0}
    fused = {B: Scored(B, (Part("text", 5.0),)), A: RRF}
    return replace(origin(score_type), fused=fused, mode="prose", modes=modes)


def test_where_modes_were_merged_each_shows_its_rank_and_weight() -> None:
    best = Scored(A, (Part("prose rank 2, weight 2", 2 / 62),))
    shown = breakdown(best, merged("rrf"), {})

    assert shown["selected"] == {"type": "rrf", "score": 2 / 62}
    assert shown["rrf"] == {
        "k": 60,
        "sparseRank": 1,
        "annRank": 2,
        "sparseRrf": 1 / 61,
        "annRrf": 1 / 62,
        "score": RRF.score,
        "modes": {
            "code": {"rank": None, "weight": 1.0, "rrf": 0.0},
            "prose": {"rank": 2, "weight": 2.0, "rrf": 2 / (60 + 2)},
        },
        "inMode": {
            "mode": "prose",
            "score": RRF.score,
            "parts": [{"name": part.name, "value": part.value} for part in RRF.parts],
        },
    }


def test_where_only_modes_were_fused_by_rank_the_lists_have_none() -> None:
    shown = breakdown(Scored(A, (Part("prose rank 2, weight 2", 2 / 62),)), merged("bm25"), {})

    ranks = shown["rrf"]
    assert isinstance(ranks, dict)
    assert {key for key, value in ranks.items() if value is None} == {
        *("sparseRank", "annRank", "sparseRrf", "annRrf", "score")
    }


def test_words_that_tell_little_are_named_only_where_there_are_no_others() -> None:
    scored = Scored(A, (Part("text rank 1", 1 / 61),))
    assert reason(scored, GATHERED, words=["is", "Keep", "out"]) == "has Keep"
    assert reason(scored, GATHERED, words=["is", "out"]) == "has is, out"
