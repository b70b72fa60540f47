from __future__ import annotations

from dataclasses import fields
from inspect import signature

import pytest

from trivium.collection import Collection
from trivium.doors import answers
from trivium.doors.answers import Asked, HttpContext, HttpSearch, McpFetch, McpSearch
from trivium.doors.failures import RequestInvalid
from trivium.errors import UsageError
from trivium.options import SearchOptions


def asked(**given: object) -> Asked:
    return answers.read(HttpSearch, {"query": "cat", **given}).asked()


def test_a_query_alone_leaves_the_rest_to_the_collection() -> None:
    request = answers.read(McpSearch, {"query": "cat"})

    assert request.asked() == Asked("cat")


@pytest.mark.parametrize("name", answers.LIMIT_NAMES)
def test_the_limit_has_the_seeds_other_names(name: str) -> None:
    assert asked(**{name: 7}).options["limit"] == 7


def test_two_names_of_the_limit_may_agree() -> None:
    assert asked(limit=7, top_k=7).options["limit"] == 7


def test_two_names_of_the_limit_that_differ_are_refused_by_name() -> None:
    with pytest.raises(RequestInvalid, match="top and maxResults"):
        asked(top=7, maxResults=8)


@pytest.mark.parametrize("limit", [0, -1, True, "7", 1.5])
def test_g16_a_limit_that_is_no_count_is_refused(limit: object) -> None:
    with pytest.raises(RequestInvalid, match="limit"):
        asked(limit=limit)


def test_nulls_are_the_same_as_nothing() -> None:
    assert asked(limit=None, top=None, kind=None, topK=None, graphId=None) == asked()


@pytest.mark.parametrize("name", answers.SEED_NAMES)
def test_seeds_have_two_names(name: str) -> None:
    request = answers.read(HttpSearch, {"query": "x", name: 5})

    assert request.asked().options["seeds"] == 5


def test_two_names_of_one_thing_must_agree() -> None:
    with pytest.raises(RequestInvalid, match="topK and seeds"):
        answers.read(HttpSearch, {"query": "x", "topK": 5, "seeds": 6})


@pytest.mark.parametrize(
    ("key", "nearest"), [("limitt", "limit"), ("search_mode", "searchMode"), ("Kind", "kind")]
)
def test_an_unknown_key_is_named_with_the_nearest_valid_one(key: str, nearest: str) -> None:
    with pytest.raises(RequestInvalid, match=f"{key!r}. Did you mean {nearest!r}"):
        asked(**{key: 1})


def test_an_endless_unknown_key_is_not_repeated_in_full() -> None:
    with pytest.raises(RequestInvalid) as caught:
        asked(**{"x" * 100_000: 1})

    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize("given", [[], "cat", 3, None, True])
def test_a_request_must_be_an_object(given: object) -> None:
    with pytest.raises(RequestInvalid, match="must be a JSON object"):
        answers.read(HttpSearch, given)


def test_a_query_has_at_most_ten_thousand_characters() -> None:
    longest = "x" * answers.MAX_QUERY_CHARACTERS

    assert answers.read(HttpSearch, {"query": longest}).query == longest
    with pytest.raises(RequestInvalid, match="query"):
        answers.read(HttpSearch, {"query": longest + "x"})


def test_half_a_surrogate_pair_is_refused_as_text() -> None:
    with pytest.raises(RequestInvalid, match="query"):
        answers.read(HttpSearch, {"query": "\ud800"})


def test_the_domain_becomes_a_filter() -> None:
    assert asked(domain="docs", filters={"lang": ["python"]}).options["filters"] == {
        "lang": ["python"],
        "domain": "docs",
    }


def test_a_domain_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="domain is given twice"):
        asked(domain="docs", filters={"domain": "src"})


def test_values_of_a_query_string_are_read_from_text() -> None:
    given = {"query": "cat", "limit": "7", "minScore": "0.5", "explain": "true"}

    read = answers.read(HttpSearch, given, is_text=True).asked()

    assert read == Asked("cat", {"limit": 7, "min_score": 0.5, "explain": True})


def test_every_key_is_an_option_of_a_search_and_the_schema_tells_its_default() -> None:
    taken = signature(Collection.search).parameters
    beside = {"query", "collection", "collections", "domain", "max_tokens"}
    for model in (HttpSearch, McpSearch):
        told = {name: one.default for name, one in model.model_fields.items() if name not in beside}
        assert told == {name: taken[name].default for name in told}
    # A server decides itself when to look at the folder.
    assert set(taken) - {"self", "query", "sync"} == set(HttpSearch.model_fields) - beside


def test_every_option_of_a_search_reaches_the_engine() -> None:
    taken = set(signature(Collection.search).parameters)
    own = {one.name for one in fields(SearchOptions)}

    # These are made into a filter, or into what is known of the index.
    assert taken - {"self", "query", "sync", "kind", "filters", "mode", "rerank"} == own - {
        "where",
        "within",
    }


def test_what_packs_an_answer_takes_each_key_that_may_be_sent_to_it() -> None:
    taken = set(signature(Collection.context).parameters)

    assert set(HttpContext.model_fields) - {"collection"} <= taken


@pytest.mark.parametrize("score", ["nan", "inf"])
def test_a_least_score_must_be_a_number(score: str) -> None:
    with pytest.raises(RequestInvalid, match="minScore"):
        answers.read(HttpSearch, {"query": "cat", "minScore": score}, is_text=True)


def test_the_agents_door_takes_a_budget_and_the_http_door_does_not() -> None:
    assert answers.read(McpSearch, {"query": "cat", "maxTokens": 500}).max_tokens == 500
    with pytest.raises(RequestInvalid, match="maxTokens"):
        asked(maxTokens=500)


def test_a_fetch_takes_an_id_and_no_limit() -> None:
    assert answers.read(McpFetch, {"id": "code:a.py#f"}).id == "code:a.py#f"
    with pytest.raises(RequestInvalid, match="'top'"):
        answers.read(McpFetch, {"id": "code:a.py#f", "top": 3})


def test_a_collection_may_be_called_a_graph_as_the_first_seed_does() -> None:
    for name in ("collection", "graphId"):
        assert answers.read(HttpSearch, {"query": "cat", name: "shop"}).collection == "shop"
    with pytest.raises(RequestInvalid, match="collection and graphId mean the same"):
        answers.read(HttpSearch, {"query": "cat", "collection": "shop", "graphId": "other"})


@pytest.mark.parametrize(
    "value",
    ["a", 2, 1.5, True, False, None, ["a", 2], [], {"service": "api", "at": {"city": ["Oslo"]}}],
)
def test_a_filter_takes_text_numbers_flags_and_objects(value: object) -> None:
    assert asked(filters={"riskTag": value}).options["filters"] == {"riskTag": value}


@pytest.mark.parametrize("value", [[["a"]], [None], [{}]])
def test_a_list_of_what_is_no_value_is_refused(value: object) -> None:
    with pytest.raises(RequestInvalid, match="filters"):
        asked(filters={"lang": value})
