"""Whether a query is the name of a node, however that is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.query.intent import names_in
from trivium.results.naming import AMONG, WHOLE, exact
from trivium.types import Kind, Location, Node, NodeId, Span


def node(
    name: str, *, path: str = "src/core/things.py", anchor: str | None = None, title: str = ""
) -> Node:
    at = f"#{name if anchor is None else anchor}" if anchor != "" else ""
    return Node(
        id=NodeId(f"code:{path}{at}"),
        kind=Kind.CODE,
        type="function",
        name=name,
        source=Location(path, 1, 9),
        span=Span(0, 9),
        own=(Span(0, 9),),
        title=title,
    )


def said(query: str, of: Node) -> float:
    return exact(query, names_in(query), of)


@pytest.mark.parametrize("name", ["createStore", "create_store", "CreateStore", "create-store"])
@pytest.mark.parametrize("query", ["create store", "Create Store", "create-store", "createstore"])
def test_a_name_is_the_same_however_its_words_are_joined(name: str, query: str) -> None:
    assert said(query, node(name)) == WHOLE


def test_who_writes_a_name_like_code_asks_for_that_name_more_than_for_another() -> None:
    assert said("FromRequest", node("FromRequest")) == WHOLE
    assert said("`from_request()`", node("from_request")) == WHOLE
    assert said("FromRequest", node("from_request")) == AMONG
    assert said("Query", node("query!")) == AMONG


def test_digits_and_acronyms_do_not_part_a_name_from_its_words() -> None:
    assert said("oauth2 password bearer", node("OAuth2PasswordBearer")) == WHOLE
    assert said("http server 2", node("HTTPServer2")) == WHOLE


def test_what_stands_beside_a_name_is_no_part_of_it() -> None:
    assert said("create store", node("createStore", anchor="createStore~3")) == WHOLE
    assert said("get state", node("getState()")) == WHOLE
    assert said("create store", node("x", title="createStore(reducer, enhancer?)")) == WHOLE
    assert said("static files", node("Static Files { #static-files }")) == WHOLE
    assert said("job profiling", node("Ray Dashboard > Job Profiling")) == WHOLE


def test_the_end_of_a_path_is_a_name_as_it_is_typed_and_half_a_name_in_words() -> None:
    inside = node("add", path="src/api/user_routes.py", anchor="Router.add")

    for query in ("user_routes", "user_routes.py", "api/user_routes", "api.user_routes"):
        assert said(query, inside) == WHOLE
    for query in ("user routes", "api user routes", "where are user routes", "userRoutes"):
        assert said(query, inside) == AMONG
    assert said("src", inside) == said("api", inside) == 0


def test_a_name_may_be_asked_for_with_what_it_stands_in() -> None:
    inside = node("add", path="src/Web/Router/addRoute.md", anchor="Router.add", title="Adding")

    for query in ("Router.add", "Router::add()", "router add", "Router.addRoute()"):
        assert said(query, inside) == WHOLE


def test_one_word_that_is_a_file_names_the_file_more_than_what_is_in_it() -> None:
    assert said("index", node("index", path="web/index.ts", anchor="")) == WHOLE
    assert said("index", node("render", path="web/index.ts")) == AMONG


def test_a_name_of_several_words_is_found_among_others() -> None:
    assert said("how does create store work", node("createStore")) == AMONG
    assert said("where is createStore made", node("create_store")) == AMONG
    assert said("what is the query syntax", node("Query syntax")) == AMONG


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("how to install a proxy", "Install"),
        ("create a store", "createStore"),
        ("store create", "createStore"),
        ("create", "createStore"),
        ("recreate stores", "createStore"),
        ("c", "C++"),
        ("!?", "~"),
        ("", ""),
    ],
)
def test_other_words_are_no_name(query: str, name: str) -> None:
    assert said(query, node(name)) == 0


def test_a_short_name_counts_as_it_stands() -> None:
    assert said("s", node("s")) == said("C++", node("c++")) == WHOLE


def test_very_long_queries_and_names_are_answered() -> None:
    assert said("word " * 50_000, node("createStore")) == 0
    assert said("createStore", node("x" * 100_000)) == 0
    assert said("(" * 10_000, node("(" * 10_000, title="{#" * 10_000)) in (0, AMONG, WHOLE)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("createStore", "createStore"),
        ("create store", "createStore"),
        ("`create_store()`", "create_store"),
        ("Install", "Install"),
        ("Router::add", "Router.add"),
        ("src/core/things.py", "x"),
        ("things.py", "x"),
        ("東京", "東京"),
    ],
)
@pytest.mark.parametrize("asked", ["{} reducer", "reducer {}", "reducer {} getState"])
def test_words_beside_a_name_take_nothing_from_it_where_the_node_holds_them(
    query: str, name: str, asked: str
) -> None:
    text = asked.format(query)

    assert exact(query, names_in(query), node(name)) == WHOLE
    assert exact(text, names_in(text), node(name), is_held=True) == WHOLE
    assert exact(text, names_in(text), node(name), is_held=False) < WHOLE


def test_half_a_name_stays_half_beside_words_that_the_node_holds() -> None:
    for query, name in (("FromRequest", "from_request"), ("Query", "query!"), ("things", "run")):
        text = f"{query} handler"
        assert exact(query, names_in(query), node(name)) == AMONG
        assert exact(text, names_in(text), node(name), is_held=True) == AMONG
    assert exact("make store", frozenset(), node("createStore"), is_held=True) == 0


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_texts_have_an_answer(query: str, name: str) -> None:
    assert said(query, node(name)) in (0.0, AMONG, WHOLE)


@given(st.lists(st.sampled_from(("create", "store", "of", "http", "x86")), min_size=2, max_size=5))
def test_words_joined_with_underscores_are_always_the_name(words: list[str]) -> None:
    assert said(" ".join(words), node("_".join(words))) == WHOLE
