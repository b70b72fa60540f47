from __future__ import annotations

import json
from dataclasses import replace

import pytest

from trivium.results.present import (
    as_data,
    as_text,
    embedded,
    facets_lines,
    footer,
    item_data,
    label,
    printable,
    told,
)
from trivium.types import (
    Answer,
    Chunk,
    ChunkId,
    Coverage,
    Degraded,
    Edge,
    EdgeType,
    Freshness,
    Hit,
    Kind,
    Location,
    Node,
    NodeId,
    Part,
    Passage,
    Span,
)

NODE = Node(
    id=NodeId("doc:guide.md#Cats"),
    kind=Kind.DOC,
    type="section",
    name="Cats",
    source=Location("guide.md", 3, 9),
    span=Span(0, 9),
    own=(Span(0, 9),),
    tags=("pets",),
    title="Guide",
)
HIT = Hit(
    id=NODE.id,
    chunk_id=ChunkId("doc:guide.md#Cats@0"),
    node=NODE,
    score=0.75,
    score_type="blend",
    parts=(Part("text", 0.5), Part("vectors", 0.25)),
    snippet="## Cats\nA cat.",
    highlights=((3, 7), (10, 13)),
    start_line=3,
    end_line=9,
    passages=(Passage(ChunkId("doc:guide.md#Cats@1"), 0.5, 7, 9),),
    reason="has cat",
)
ANSWER = Answer(
    query="cat",
    profile="best",
    method="hybrid",
    embedder="words",
    collection="docs",
    results=(HIT,),
    total=4,
    facets={"kind": {"doc": 4}},
    coverage=Coverage(1200, {"binary": 2, "too-large": 1}, 0.123456, masked=3),
    freshness=Freshness("2026-01-31T12:00:00+00:00", 0),
    took_ms=4.25,
)


def test_an_answer_has_the_keys_of_the_contract() -> None:
    data = as_data(ANSWER)

    assert data.keys() >= {
        *("query", "profile", "method", "embedder", "collection", "results", "total"),
        *("facets", "suggestions", "coverage", "freshness", "degraded", "tookMs", "next"),
    }
    assert data["coverage"] == {
        "files": 1200,
        "skipped": {"binary": 2, "too-large": 1},
        "embedded": 0.1235,
        "maskedSecrets": 3,
    }
    assert data["freshness"] == {"indexedAt": "2026-01-31T12:00:00+00:00", "dirtyFiles": 0}
    assert json.loads(json.dumps(data)) == data
    assert data["didYouMean"] is None
    assert as_data(replace(ANSWER, better="cats"))["didYouMean"] == "cats"


def test_a_hit_has_the_keys_of_the_contract() -> None:
    (hit,) = json.loads(json.dumps(as_data(ANSWER)))["results"]

    assert hit.keys() >= {
        *("id", "kind", "type", "name", "description", "score", "scoreType", "source"),
        *("snippet", "highlights", "passages", "tags", "context"),
    }
    assert hit["source"] == {"filePath": "guide.md", "startLine": 3, "endLine": 9}
    assert hit["highlights"] == [[3, 7], [10, 13]]
    assert hit["passages"] == [
        {"id": "doc:guide.md#Cats@1", "score": 0.5, "startLine": 7, "endLine": 9}
    ]
    assert "scoreBreakdown" not in hit


def test_the_breakdown_is_there_when_it_was_asked_for() -> None:
    explained = replace(ANSWER, results=(replace(HIT, breakdown={"parts": []}),))

    (hit,) = json.loads(json.dumps(as_data(explained)))["results"]

    assert hit["scoreBreakdown"] == {"parts": []}


def test_degraded_stages_are_told_with_their_reasons() -> None:
    data = as_data(replace(ANSWER, degraded=(Degraded("vectors", "no model"),)))

    assert data["degraded"] == [{"stage": "vectors", "reason": "no model"}]


def test_text_for_a_terminal_has_place_name_id_reason_and_lines() -> None:
    assert as_text(ANSWER).split("\n") == [
        "1. guide.md:3  Cats",
        "   doc:guide.md#Cats  section, score 0.750: has cat",
        "   │ ## Cats",
        "   │ A cat.",
    ]


def test_a_place_is_written_for_its_reader_and_data_keeps_the_path_of_the_index() -> None:
    text = as_text(ANSWER, place=lambda path: f"/books/{path}")

    assert text.startswith("1. /books/guide.md:3  Cats\n   doc:guide.md#Cats  ")


def test_an_item_has_its_text_its_chunks_and_its_edges() -> None:
    chunk = Chunk(ChunkId("doc:guide.md#Cats@0"), NODE.id, "## Cats", Span(0, 7), 3, 3)
    edge = Edge(NodeId("doc:guide.md"), NODE.id, EdgeType.CONTAINS)

    data = item_data(NODE, text="## Cats", chunks=[chunk], edges=[edge])

    assert data["text"] == "## Cats"
    assert data["chunks"] == [chunk.id]
    assert data["edges"] == [
        {
            "source": edge.source,
            "target": edge.target,
            "type": "contains",
            "weight": 1.0,
            "context": "",
        }
    ]
    assert json.loads(json.dumps(data)) == data


@pytest.mark.parametrize(
    ("done", "chunks", "said"),
    [
        (0, 10, "0%"),
        (29, 100, f"29%, {100 - 29} chunks to go"),
        (986, 1000, f"98%, {1000 - 986} chunks to go"),
        (199_999, 200_000, "99%, 1 chunk to go"),
        (200_000, 200_000, "100%"),
    ],
)
def test_a_share_is_rounded_down_so_that_only_all_is_a_hundred(
    done: int, chunks: int, said: str
) -> None:
    assert embedded(done / chunks, chunks=chunks) == said


def test_explaining_adds_the_parts_and_their_sum() -> None:
    lines = as_text(ANSWER, explain=True).split("\n")

    assert lines[-3:] == [
        "   +0.5000  text",
        "   +0.2500  vectors",
        "   0.7500  = score",
    ]


def test_explaining_a_merged_hit_says_what_gave_it_its_rank_in_its_mode() -> None:
    parts = [{"name": "text rank 1", "value": 0.25}, {"name": "odd\nname", "value": -0.125}]
    own = {"mode": "code", "score": 0.125, "parts": parts}
    hit = replace(ANSWER.results[0], breakdown={"rrf": {"inMode": own}})

    lines = as_text(replace(ANSWER, results=(hit,)), explain=True).split("\n")

    assert lines[-2:] == [
        "   0.7500  = score",
        "   in code: 0.1250 = +0.2500 text rank 1, -0.1250 odd\\nname",
    ]


def test_marks_are_styled_where_they_stand() -> None:
    text = as_text(ANSWER, style=lambda text, name: f"[{text}]" if name == "mark" else text)

    assert "## [Cats]" in text
    assert "A [cat]." in text


def test_hits_are_numbered_and_set_apart() -> None:
    text = as_text(replace(ANSWER, results=(HIT, HIT)))

    assert "\n\n2. guide.md:3" in text
    assert as_text(replace(ANSWER, results=())) == ""


def test_what_would_steer_a_terminal_is_made_visible() -> None:
    assert printable("a\x1b[31mb\tc\n") == "a\\x1b[31mb\tc\n"
    assert printable("größe") == "größe"
    assert printable("a\u202eb\x9b\U000e0001") == "a\\u202eb\\x9b\\U000e0001"
    family, persian = "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u0645\u06cc\u200c\u062e"
    assert printable(f"{family}\x07{persian}") == f"{family}\\x07{persian}"


def test_a_name_with_a_line_end_stays_on_its_line() -> None:
    odd = replace(NODE, id=NodeId("doc:x#a\nb"), source=Location("x\ny\t.md", 1, 1))

    head = as_text(replace(ANSWER, results=(replace(HIT, node=odd),))).split("\n")[0]

    assert head == "1. x\\ny\\t.md:3  a\\nb"


def test_no_name_id_reason_or_part_of_a_score_can_steer_a_terminal() -> None:
    odd = replace(
        HIT,
        id=NodeId("doc:\x1b]0;x#\x1b[2J"),
        node=replace(NODE, type="\x1b[3m", source=Location("\x1b[1m.md", 1, 1)),
        parts=(Part("\x1b[4m", 0.75),),
        reason="has \x1b[5m",
        snippet="\x1b[6m",
        highlights=((0, 2),),
    )

    assert "\x1b" not in as_text(replace(ANSWER, results=(odd,)), explain=True)


def test_a_node_is_labelled_by_what_tells_it_from_its_neighbours() -> None:
    assert label(replace(NODE, id=NodeId("code:a.py#Guard.check"), name="check")) == "Guard.check"
    assert label(replace(NODE, id=NodeId("doc:guide.md"), name="Guide")) == "Guide"


def test_the_footer_says_on_one_line_how_the_answer_was_found_and_what_was_not_searched() -> None:
    assert footer(ANSWER) == [
        "1 of the best 4 by words and meaning (words) in 1,200 files, 4 ms; "
        "not searched: 2 binary, 1 too-large",
    ]


@pytest.mark.parametrize(
    ("matching", "found", "wordless"),
    [
        (4, "best 4 by words and meaning (words)", ""),
        (3, "best 4 by words and meaning (words)", "; 1 has no word of the query"),
        (1, "best 4 by words and meaning (words)", "; 3 have no word of the query"),
        (0, "nearest 4 by meaning (words)", "; none has a word of the query"),
    ],
)
def test_the_footer_says_how_many_have_no_word_of_the_query(
    matching: int, found: str, wordless: str
) -> None:
    said = footer(replace(ANSWER, matching=matching, coverage=Coverage(3, {}, 1.0)))

    assert said == [f"1 of the {found} in 3 files, 4 ms{wordless}"]


def test_many_reasons_not_to_search_are_counted_and_lead_to_where_they_are_listed() -> None:
    skipped = {"binary": 1200, "too-large": 2, "unreadable": 1}
    said = footer(replace(ANSWER, coverage=Coverage(1200, skipped, 1.0)))[0]

    assert said.endswith("4 ms; 1,203 files not searched (see: trivium status)")


def test_the_footer_tells_what_went_less_well() -> None:
    said = footer(
        replace(
            ANSWER,
            method="bm25",
            coverage=Coverage(3, {}, 0.0),
            freshness=Freshness("", 2),
            degraded=(Degraded("vectors", "no model"),),
            notes=("read as plain words",),
        )
    )

    assert said == [
        "1 of the best 4 by words in 3 files, 4 ms",
        "2 changed files are not in the index yet",
        "vectors: no model",
        "read as plain words",
    ]
    assert "1 changed file is not in the index yet" in told(
        replace(ANSWER, freshness=Freshness("", 1))
    )


def test_what_was_meant_is_said_instead_of_related_searches_and_of_which_word_is_which() -> None:
    near = "looked for near words as well: pasword ~ password"
    typed = replace(
        ANSWER,
        better="password",
        suggestions=("password", "hash"),
        notes=(near, "read as plain words"),
    )

    assert told(typed) == ["did you mean: password", "read as plain words"]
    assert told(typed, explain=True) == [
        "did you mean: password",
        near,
        "read as plain words",
    ]
    assert told(replace(typed, better="", suggestions=("hash", "salt"))) == [
        "related: hash, salt",
        near,
        "read as plain words",
    ]


def test_only_where_all_hits_are_weak_the_footer_says_so() -> None:
    weak, sure = (replace(HIT, confidence=one) for one in (0.01, 0.9))
    line = "all of these are weak: there may be no answer here"

    assert told(replace(ANSWER, results=(weak, weak))) == [line]
    for results in ((sure, weak), (HIT,), ()):
        assert line not in told(replace(ANSWER, results=results))


def test_the_footer_names_the_model_of_a_search_by_meaning_alone() -> None:
    assert "by meaning (words) in" in footer(replace(ANSWER, method="vector"))[0]


def test_facets_stand_on_a_line_each_without_the_empty_ones() -> None:
    shown = replace(
        ANSWER, facets={"kind": {"doc": 1234, "code": 2}, "tag": {}, "type": {"a\nb": 1}}
    )

    assert facets_lines(shown) == ["kind: doc 1,234, code 2", "type: a\\nb 1"]
    assert facets_lines(replace(ANSWER, facets={"tag": {}})) == []


def test_of_an_answer_without_hits_its_note_says_what_was_searched_and_nothing_counts_hits() -> (
    None
):
    searched = "searched 3 files; passed over 2 (2 binary)"
    empty = replace(ANSWER, results=(), notes=(searched, "without lang=go: 1 hit"))

    assert footer(empty) == [searched, "without lang=go: 1 hit"]
    assert footer(replace(empty, notes=()))[0].startswith("none of the best 4 by")
