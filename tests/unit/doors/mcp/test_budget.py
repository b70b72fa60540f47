from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.doors.answers import Data
from trivium.doors.mcp.budget import Reply, fit, fit_context, fit_text, tokens
from trivium.errors import UsageError
from trivium.results.context import Context, Piece, Shown
from trivium.results.fill import Role
from trivium.types import Answer, Coverage, Freshness, NodeId


def hit(number: int, snippet: str) -> Data:
    return {
        "id": f"doc:{number}.md",
        "source": {"filePath": f"{number}.md", "startLine": 1, "endLine": 2},
        "snippet": snippet,
        "snippetLine": 1,
        "highlights": [[0, 3], [len(snippet) - 3, len(snippet)]],
    }


def answer(*snippets: str) -> Data:
    return {
        "results": [hit(number, snippet) for number, snippet in enumerate(snippets)],
        "total": len(snippets),
        "method": "bm25",
        "degraded": [],
        "notes": [],
    }


def kept(reply: Reply) -> list[Data]:
    results = reply.data["results"]
    assert isinstance(results, list)
    return results


def test_four_characters_of_text_and_data_are_a_token_rounded_up() -> None:
    data: Data = {"é": 1}

    assert tokens(Reply(data, "ab")) == -(-(len('{"é":1}') + len("ab")) // 4)


def test_without_a_budget_nothing_is_left_out() -> None:
    data = answer("cat one", "cat two")

    assert fit(data, max_tokens=None).data == data


def test_an_answer_that_just_fits_is_whole() -> None:
    data = answer("cat " * 40, "cat " * 40)
    size = tokens(fit(data, max_tokens=None))

    assert fit(data, max_tokens=size).data == data
    assert fit(data, max_tokens=size - 1).data != data


def test_facets_and_suggestions_go_before_any_hit() -> None:
    data = {**answer("cat one", "cat two"), "facets": {"kind": {"doc": 2}}, "suggestions": ["dog"]}
    size = tokens(fit(data, max_tokens=None))
    reply = fit(data, max_tokens=size - 1)

    assert kept(reply) == data["results"]
    assert (reply.data["facets"], reply.data["suggestions"]) == ({}, [])


def test_the_places_of_other_passages_go_before_any_hit() -> None:
    data = answer("cat " * 40, "cat " * 40)
    places = [{"id": "doc:0.md@1", "startLine": 3, "endLine": 4}]
    long: Data = {**data, "results": [{**one, "passages": places} for one in kept(Reply(data, ""))]}

    reply = fit(long, max_tokens=tokens(fit(long, max_tokens=None)) - 1)

    assert [one["passages"] for one in kept(reply)] == [[], []]
    assert [one["snippet"] for one in kept(reply)] == ["cat " * 40, "cat " * 40]


def test_a_budget_that_holds_no_hit_is_an_error_since_something_was_found() -> None:
    data = answer("cat " * 40, "cat " * 40)
    empty = tokens(fit({**data, "results": []}, max_tokens=None))

    with pytest.raises(UsageError, match="with one hit"):
        fit(data, max_tokens=empty + 20)


def test_the_text_says_what_was_probably_meant() -> None:
    data = {**answer("cat one"), "didYouMean": "cats"}

    assert "Did you mean: cats" in fit(data, max_tokens=None).text.splitlines()
    assert "mean" not in fit({**data, "didYouMean": None}, max_tokens=None).text


def test_the_text_says_where_nothing_has_a_word_of_the_query() -> None:
    data = {**answer("cat one", "cat two"), "method": "hybrid"}

    for matching in (None, 1, 2):
        said = fit({**data, "matching": matching}, max_tokens=None).text
        assert said.startswith("2 of 2 results by hybrid.")
    said = fit({**data, "matching": 0}, max_tokens=None).text
    assert said.startswith("No word of the query was found; 2 of 2 nearest results.")


def test_where_there_is_little_room_only_that_nothing_matches_is_worth_it() -> None:
    for matching, is_kept in ((0, True), (2, False), (None, False)):
        data = {**answer("cat " * 40, "cat " * 40), "facets": {"kind": {"doc": 2}}}
        data |= {"matching": matching}
        small = fit(data, max_tokens=tokens(fit(data, max_tokens=None)) - 1)

        assert ("matching" in small.data) == is_kept


def test_a_cut_snippet_never_ends_inside_a_character() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    data = answer(family * 40)
    size = tokens(fit(data, max_tokens=None))
    for budget in range(size - 30, size - 1):
        (only,) = kept(fit(data, max_tokens=budget))
        assert str(only["snippet"]).replace(family, "") == ""
        assert only["snippet"]


def test_whole_hits_go_first_from_the_end_and_the_text_says_so() -> None:
    data = answer(*("cat " * 60 for _ in range(5)))
    reply = fit(data, max_tokens=tokens(fit(data, max_tokens=None)) - 30)

    assert kept(reply) == kept(Reply(data, ""))[:4]
    assert "Truncated to maxTokens: 4 of 5 hits." in reply.text


def test_the_snippet_of_the_only_hit_left_is_cut_with_its_highlights() -> None:
    snippet = "cat " * 500
    data = answer(snippet, snippet)

    reply = fit(data, max_tokens=200)

    (only,) = kept(reply)
    assert snippet.startswith(str(only["snippet"]))
    assert 0 < len(str(only["snippet"])) < len(snippet)
    assert only["highlights"] == [[0, 3]]
    assert "Truncated" in reply.text


def test_a_budget_too_small_for_any_answer_is_an_error_that_says_what_it_takes() -> None:
    with pytest.raises(UsageError, match="maxTokens is 3; this answer takes"):
        fit(answer("cat"), max_tokens=3)


@given(
    snippets=st.lists(st.text(min_size=3, max_size=400), max_size=6),
    budget=st.integers(min_value=1, max_value=600),
)
def test_a_budget_is_never_exceeded(snippets: list[str], budget: int) -> None:
    data = answer(*snippets)
    try:
        reply = fit(data, max_tokens=budget)
    except UsageError:
        return

    written = json.dumps(reply.data, ensure_ascii=False, separators=(",", ":")) + reply.text
    assert len(written) <= 4 * budget
    assert [one["id"] for one in kept(reply)] == [
        one["id"] for one in kept(Reply(data, ""))[: len(kept(reply))]
    ]


def packed(most: int, *, pieces: int) -> Context:
    """Return pieces of ten tokens each, as many as there are and fit."""
    answer = Answer(
        query="cat",
        profile="best",
        method="bm25",
        embedder="none",
        collection="shop",
        results=(),
        total=0,
        facets={},
        coverage=Coverage(files=1, skipped={}, embedded=0.0, masked=0),
        freshness=Freshness("", 0),
        degraded=(),
        notes=(),
        took_ms=1.0,
    )
    node = Shown(NodeId("doc:a.md"), Role.HIT, 1, "rank 1")
    one = Piece("a.md", 1, 1, (node,), "a.md:1", "x" * 32, tokens=10)
    shown = min(pieces, most // one.tokens)
    return Context(answer, (one,) * shown, shown * one.tokens, most, 0, ())


def test_a_context_is_packed_a_few_times_however_little_is_too_much() -> None:
    rooms: list[int] = []

    def pack(most: int) -> Context:
        rooms.append(most)
        return packed(most, pieces=40)

    whole = tokens(fit_context(pack, max_tokens=9_999))
    rooms.clear()
    reply = fit_context(pack, max_tokens=whole - 1)

    assert tokens(reply) < whole
    # Once for all there is, and once for what is one token less.
    assert rooms == [whole - 1, 40 * 10 - 1]


def test_a_small_budget_has_some_pieces_and_one_too_small_for_any_is_an_error() -> None:
    def pack(most: int) -> Context:
        return replace(packed(most, pieces=40), left_out=1)

    bare = tokens(fit_context(lambda _: packed(0, pieces=0), max_tokens=9_999))
    reply = fit_context(pack, max_tokens=2 * bare)

    pieces = reply.data["pieces"]
    assert isinstance(pieces, list)
    assert len(pieces) >= 1
    assert tokens(reply) <= 2 * bare
    with pytest.raises(UsageError, match="no piece of text fits"):
        fit_context(pack, max_tokens=bare + 2)


def test_an_answer_that_is_cut_has_no_next_page_since_hits_would_be_skipped() -> None:
    data: Data = {**answer("cat one", "cat two"), "next": "Ab12"}
    whole = fit(data, max_tokens=None)
    cut = fit(data, max_tokens=tokens(whole) - 1)

    assert whole.data["next"] == "Ab12"
    assert whole.text.endswith("\nNext page: cursor Ab12")
    assert len(kept(cut)) == 1
    assert cut.data["next"] is None
    assert "Next page" not in cut.text


def test_the_text_says_how_likely_a_hit_answers_and_whether_it_is_weak() -> None:
    def line(**more: object) -> str:
        shown = {**answer("abc"), "results": [{**hit(0, "abc"), **more}]}
        return fit(shown, max_tokens=None).text.splitlines()[1]

    assert line(confidence=0.914, weak=False).endswith("doc:0.md  91%")
    assert line(confidence=0.04, weak=True).endswith("doc:0.md  4%, weak")
    assert line(confidence=None, weak=False).endswith("doc:0.md")


def test_what_a_budget_cut_off_is_had_with_a_cursor_that_begins_after_what_is_shown() -> None:
    data: Data = {**answer("cat one", "cat two", "cat three"), "next": "Ab12"}
    whole = fit(data, max_tokens=None)
    asked: list[int] = []

    def next_after(shown: int) -> str:
        asked.append(shown)
        return "C" * 40

    cut = fit(data, max_tokens=tokens(whole) - 1, next_after=next_after)

    assert tokens(cut) < tokens(whole)
    assert asked == [len(kept(cut))] != [0]
    assert cut.data["next"] == "C" * 40
    assert cut.text.endswith(f"Next page: cursor {'C' * 40}")


def item() -> Data:
    return {"id": "doc:a.md", "edges": [{"type": "calls"}] * 9, "sections": [], "chunks": []}


@given(
    text=st.text(max_size=400),
    budget=st.integers(min_value=30, max_value=300),
)
def test_the_parts_of_a_text_keep_the_budget_and_make_up_the_whole(text: str, budget: int) -> None:
    parts: list[str] = []
    start = 0
    while True:
        try:
            reply = fit_text(item(), text, head="a.md:1", max_tokens=budget, start=start)
        except UsageError:
            # A character that takes more than the budget with all that stands around it.
            return
        assert tokens(reply) <= budget
        parts.append(str(reply.data["text"]))
        if reply.data["next"] is None:
            break
        assert f"give cursor {reply.data['next']}." in reply.text
        start = int(str(reply.data["next"]))

    assert "".join(parts) == text
