"""Reading again over HTTP, against a real server in a thread that answers from a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from trivium.errors import ConfigError, ModelError
from trivium.models.rerank import MOST_TEXTS, Reranker
from trivium.models.rerank_http import ATTEMPTS, BATCH, HttpReranker
from trivium.testing.scripted import Reply, Scripted, running

KEY = "rk-not-a-real-key-0123456789"
Shape = Callable[[list[dict[str, Any]]], object]


def cohere(scores: list[dict[str, Any]]) -> object:
    return {"id": "x", "results": [{"document": {"text": "…"}, **one} for one in scores]}


@dataclass
class Server(Scripted):
    """A small rerank server: a text's score is how many of the query's words it holds."""

    shape: Shape = cohere
    takes: str = "documents"

    def answer(self, request: dict[str, Any]) -> Reply:
        if self.takes not in request:
            # As text-embeddings-inference says it.
            said = "Failed to deserialize the JSON body into the target type: missing field"
            return Reply(status=422, body=f"{said} `{self.takes}` at line 1 column 95")
        scores = [score_of(request["query"], text) for text in request[self.takes]]
        name = "score" if self.takes == "texts" else "relevance_score"
        # Best first: a server answers in any order, with the index of each.
        order = sorted(range(len(scores)), key=lambda index: -scores[index])
        entries = [{"index": index, name: scores[index]} for index in order]
        return Reply(body=json.dumps(self.shape(entries)))


def score_of(query: str, text: str) -> float:
    return len(set(query.split()) & set(text.split())) / 8


@pytest.fixture
def server() -> Iterator[Server]:
    with running(Server(), path="/v1/rerank") as started:
        yield started


MakeReranker = Callable[..., HttpReranker]


@pytest.fixture
def make(server: Server, waits: list[float]) -> MakeReranker:
    def make_reranker(address: str | None = None, **changes: Any) -> HttpReranker:
        options = {
            "api_key": KEY,
            "model": "small",
            "wait": waits.append,
            "chance": lambda: 1.0,
            **changes,
        }
        return HttpReranker(server.url if address is None else address, **options)

    return make_reranker


TEXTS = ["green", "red blue", "red"]


def test_scores_come_back_in_the_order_of_the_texts(make: MakeReranker) -> None:
    model: Reranker = make()

    assert model.score("red blue", TEXTS) == [score_of("red blue", text) for text in TEXTS]


def test_the_request_names_the_model_asks_for_all_and_carries_the_key(
    make: MakeReranker, server: Server
) -> None:
    make().score("red", TEXTS)

    assert server.requests == [
        {"model": "small", "query": "red", "documents": TEXTS, "top_n": len(TEXTS)}
    ]
    assert server.paths == ["/v1/rerank"]
    assert server.keys == [f"Bearer {KEY}"]


def test_without_a_name_or_a_key_none_is_sent(make: MakeReranker, server: Server) -> None:
    make(model="", api_key=None).score("red", TEXTS)

    assert "model" not in server.requests[0]
    assert server.keys == [None]


def test_an_address_without_a_path_gets_the_usual_one_and_any_other_stays(
    make: MakeReranker, server: Server
) -> None:
    host = server.url.removesuffix("/v1/rerank")
    for address in (host, f"{host}/", f"{host}/a/b/?version=2"):
        make(address).score("red", TEXTS)

    assert server.paths == ["/rerank", "/rerank", "/a/b/?version=2"]


def plain(scores: list[dict[str, Any]]) -> object:
    return scores


def data(scores: list[dict[str, Any]]) -> object:
    return {"object": "list", "data": scores}


def data_of_scores(scores: list[dict[str, Any]]) -> object:
    return {"data": [{"index": one["index"], "score": one["relevance_score"]} for one in scores]}


@pytest.mark.parametrize("shape", [cohere, plain, data, data_of_scores])
def test_the_common_shapes_of_an_answer_are_read(
    make: MakeReranker, server: Server, shape: Shape
) -> None:
    server.shape = shape

    assert make().score("red", TEXTS) == [score_of("red", text) for text in TEXTS]


def test_a_server_that_wants_texts_is_asked_so_from_then_on(
    make: MakeReranker, server: Server
) -> None:
    server.takes, server.shape = "texts", plain
    model = make(model="")

    for _ in range(2):
        assert model.score("red", TEXTS) == [score_of("red", text) for text in TEXTS]
    other = {"query": "red", "texts": TEXTS, "truncate": True}
    assert server.requests[1:] == [other, other]


def test_a_server_that_wants_something_else_is_not_asked_again(
    make: MakeReranker, server: Server
) -> None:
    server.takes = "passages"

    with pytest.raises(ModelError, match=r"status 422: .*missing field `passages`"):
        make().score("red", TEXTS)
    assert len(server.requests) == 1


def test_a_server_that_cannot_make_up_its_mind_is_asked_twice(
    make: MakeReranker, server: Server
) -> None:
    server.script = [Reply(status=422, body="what of texts?")] * 9

    with pytest.raises(ModelError, match="status 422: what of texts"):
        make().score("red", TEXTS)
    assert len(server.requests) == 2


def test_many_texts_go_in_batches(make: MakeReranker, server: Server) -> None:
    texts = [("red " if index % 3 else "blue ") + str(index) for index in range(2 * BATCH + 1)]

    assert make().score("red", texts) == [score_of("red", text) for text in texts]
    assert [len(request["documents"]) for request in server.requests] == [BATCH, BATCH, 1]


def test_no_texts_are_not_asked_about_and_too_many_are_refused(
    make: MakeReranker, server: Server
) -> None:
    assert make().score("red", []) == []
    with pytest.raises(ModelError, match=f"{MOST_TEXTS + 1} texts are too many"):
        make().score("red", ["red"] * (MOST_TEXTS + 1))
    assert server.requests == []


def test_a_very_long_text_is_cut_and_odd_characters_are_replaced(
    make: MakeReranker, server: Server
) -> None:
    make().score("odd \ud800", ["x" * 1_000_000, "\udfff"])

    assert server.requests[0]["query"] == "odd ?"
    assert [len(text) for text in server.requests[0]["documents"]] == [8000, 1]


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_busy_server_is_asked_again_after_a_growing_wait(
    make: MakeReranker, server: Server, waits: list[float], status: int
) -> None:
    server.script = [Reply(status=status)] * (ATTEMPTS - 1)

    assert make().score("red", TEXTS) == [score_of("red", text) for text in TEXTS]
    assert waits == [0.5 * 2**attempt for attempt in range(ATTEMPTS - 1)]


def test_attempts_end(make: MakeReranker, server: Server) -> None:
    server.script = [Reply(status=500)] * 100

    with pytest.raises(ModelError, match=rf"status 500 \(attempt {ATTEMPTS}\)\. Try again later"):
        make().score("red", TEXTS)
    assert len(server.requests) == ATTEMPTS


def test_no_wait_reaches_past_the_time_limit(
    make: MakeReranker, server: Server, waits: list[float]
) -> None:
    server.script = [Reply(status=503, headers={"Retry-After": "2"})]

    with pytest.raises(ModelError, match="status 503"):
        make(timeout_s=2.0).score("red", TEXTS)
    assert (len(server.requests), waits) == (1, [])


def test_a_wait_longer_than_we_allow_ends_at_once(
    make: MakeReranker, server: Server, waits: list[float]
) -> None:
    server.script = [Reply(status=429, headers={"Retry-After": "3"})]

    with pytest.raises(ModelError, match="status 429"):
        make().score("red", TEXTS)
    assert waits == []


def test_a_connection_that_breaks_is_tried_again(
    make: MakeReranker, server: Server, waits: list[float]
) -> None:
    server.script = [Reply(hang_up=True)]

    assert make().score("red", TEXTS) == [score_of("red", text) for text in TEXTS]
    assert waits == [0.5]


def test_a_server_that_does_not_answer_in_time_is_given_up(
    make: MakeReranker, server: Server, waits: list[float]
) -> None:
    server.script = [Reply(silent=True)] * ATTEMPTS

    with pytest.raises(ModelError, match=r"no answer within 0\.05 s"):
        make(timeout_s=0.05).score("red", TEXTS)
    assert waits == []


def test_a_server_that_answers_byte_by_byte_is_given_up_as_well(
    make: MakeReranker, server: Server, waits: list[float]
) -> None:
    server.script = [Reply(trickles=True)] * ATTEMPTS

    with pytest.raises(ModelError, match=r"no answer within 0\.1 s"):
        make(timeout_s=0.1).score("red", TEXTS)
    assert waits == []
    assert not server.was_heard_out


def test_nobody_listening_is_an_error_of_the_model(waits: list[float]) -> None:
    with running(Server()) as gone:
        url = gone.url

    with pytest.raises(ModelError, match="the connection failed"):
        HttpReranker(url, wait=waits.append).score("red", TEXTS)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_so_the_key_stays(
    make: MakeReranker, server: Server, status: int
) -> None:
    with running(Server()) as other:
        server.script = [Reply(status=status, headers={"Location": other.url})]
        with pytest.raises(ModelError, match="redirects"):
            make().score("red", TEXTS)
        assert other.requests == []
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_a_refusal_is_said_once_and_without_the_key(
    make: MakeReranker, server: Server, status: int
) -> None:
    server.script = [Reply(status=status, body=f"not with {KEY}")]

    with pytest.raises(ModelError, match=f"The rerank server at 127.*status {status}") as caught:
        make().score("red", TEXTS)
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1


def results(*entries: object) -> str:
    return json.dumps({"results": list(entries)})


def good(index: int) -> dict[str, Any]:
    return {"index": index, "relevance_score": 0.5}


@pytest.mark.parametrize(
    "body",
    [
        "",
        "not json",
        "null",
        "3",
        '"results"',
        "{}",
        '{"results": null}',
        '{"results": {}}',
        '{"data": 3}',
        "[[0, 0.5], [1, 0.5]]",
        "[" * 100_000,
        results(),
        results(good(0)),
        results(good(0), good(0)),
        results(good(0), good(2)),
        results(good(-1), good(0)),
        results(good(0), good(1), good(2)),
        results(good(0), good(1), good(1)),
        results(good(0), {"relevance_score": 0.5}),
        results(good(0), {"index": 1}),
        results(good(0), {"index": "1", "relevance_score": 0.5}),
        results(good(0), {"index": 1.0, "relevance_score": 0.5}),
        results(good(0), {"index": True, "relevance_score": 0.5}),
        results(good(0), {"index": [1], "relevance_score": 0.5}),
        results(good(0), {"index": 1, "relevance_score": "0.5"}),
        results(good(0), {"index": 1, "relevance_score": None}),
        results(good(0), {"index": 1, "relevance_score": True}),
        results(good(0), {"index": 1, "relevance_score": [0.5]}),
        results(good(0), {"index": 1, "relevance_score": float("nan")}),
        results(good(0), {"index": 1, "relevance_score": float("inf")}),
        results(good(0), {"index": 1, "relevance_score": -float("inf")}),
        results(good(0), {"index": 1, "relevance_score": 10**400}),
        results(good(0), 7),
    ],
)
def test_an_answer_that_is_not_one_finite_score_per_text_is_refused(
    make: MakeReranker, server: Server, body: str
) -> None:
    server.script = [Reply(body=body)]

    with pytest.raises(ModelError, match=r"its answer (is not a list of scores|does not hold one)"):
        make().score("red", ["a", "b"])
    assert len(server.requests) == 1


def test_an_answer_larger_than_any_real_one_is_not_read_to_its_end(
    make: MakeReranker, server: Server
) -> None:
    server.script = [Reply(body=" " * (17 * 1024 * 1024))]

    with pytest.raises(ModelError, match="larger than any real one"):
        make().score("red", ["a"])


def test_whole_numbers_are_scores_too(make: MakeReranker, server: Server) -> None:
    server.script = [Reply(body='[{"index": 1, "score": -3}, {"index": 0, "score": 12}]')]

    assert make().score("red", ["a", "b"]) == [12.0, -3.0]


def test_its_name_is_the_model_and_the_host() -> None:
    assert HttpReranker("https://host:8080/rerank", model="small").name == "small at host:8080"
    assert HttpReranker("https://host/rerank").name == "host"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost:8080",
        "ftp://host/rerank",
        "https://",
        "https://name:word@host/rerank",
        "http://host:notaport/rerank",
        "http://[::1/rerank",
        "http://ho st/rerank",
        "http://höst/rerank",
    ],
)
def test_an_address_that_cannot_be_used_is_a_wrong_setting(address: str) -> None:
    with pytest.raises(ConfigError, match=r"rerank\.model: the address"):
        HttpReranker(address)


@pytest.mark.parametrize("key", ["", "two\nlines", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HttpReranker("https://host/rerank", api_key=key)
    assert not key or key not in str(caught.value)
