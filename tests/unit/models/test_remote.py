"""Embedding over HTTP, against a real server in a thread that answers from a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest

from trivium.errors import ConfigError, ModelError
from trivium.models.base import Embedder, Served
from trivium.models.remote import (
    BATCH,
    FOR_DOCUMENTS,
    FOR_QUERIES,
    TOKENS_AT_ONCE,
    RemoteEmbedder,
)
from trivium.testing.scripted import Reply, Scripted, running

KEY = "sk-not-a-real-key-0123456789"


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


def unit(vector: list[float]) -> list[float]:
    length = sum(each * each for each in vector) ** 0.5
    return [each / length for each in vector]


def answer_to(texts: list[str]) -> str:
    # Last first: a server may answer in any order, with the index of each.
    data = [
        {"index": index, "embedding": vector_of(text)}
        for index, text in reversed(list(enumerate(texts)))
    ]
    return json.dumps({"data": data})


@dataclass
class Server(Scripted):
    """A small embedding server: a text's vector is (its length, 1, 0)."""

    # A server may be asked for too much, and says so with a reply.
    limit: Callable[[list[str]], Reply | None] = lambda _: None

    def answer(self, request: dict[str, Any]) -> Reply:
        return self.limit(request["input"]) or Reply(body=answer_to(request["input"]))


@pytest.fixture
def server() -> Iterator[Server]:
    with running(Server(), path="/v1") as started:
        yield started


MakeEmbedder = Callable[..., RemoteEmbedder]


@pytest.fixture
def make(server: Server, waits: list[float]) -> MakeEmbedder:
    def make_embedder(**changes: Any) -> RemoteEmbedder:
        options = {
            "api_key": KEY,
            "base_url": server.url,
            "wait": waits.append,
            "chance": lambda: 1.0,
            **changes,
        }
        return RemoteEmbedder("small", **options)

    return make_embedder


def test_vectors_come_back_in_the_order_of_the_texts(make: MakeEmbedder) -> None:
    vectors = make().embed_documents(["a", "bbb"])
    assert vectors.dtype == np.float32
    assert vectors[0].tolist() == pytest.approx(unit(vector_of("a")))
    assert vectors[1].tolist() == pytest.approx(unit(vector_of("bbb")))


def test_the_request_names_the_model_and_carries_the_key(
    make: MakeEmbedder, server: Server
) -> None:
    make().embed_query("a question")
    assert server.paths == ["/v1/embeddings"]
    assert server.keys == [f"Bearer {KEY}"]
    assert server.requests[0]["model"] == "small"
    assert server.requests[0]["input"] == ["a question"]


def test_without_a_key_no_key_is_sent(make: MakeEmbedder, server: Server) -> None:
    make(api_key=None).embed_query("a")
    assert server.keys == [None]


def test_an_address_without_a_path_gets_the_usual_one(make: MakeEmbedder, server: Server) -> None:
    make(base_url=server.url.removesuffix("/v1")).embed_query("a")
    make(base_url=f"{server.url}/?version=2").embed_query("a")
    assert server.paths == ["/v1/embeddings", "/v1/embeddings?version=2"]


def test_many_texts_go_in_batches(make: MakeEmbedder, server: Server) -> None:
    texts = ["x" * (1 + index) for index in range(2 * BATCH + 1)]
    vectors = make().embed_documents(texts)
    assert [len(request["input"]) for request in server.requests] == [BATCH, BATCH, 1]
    assert vectors[-1].tolist() == pytest.approx(unit(vector_of(texts[-1])))


def test_long_texts_go_in_smaller_batches(make: MakeEmbedder, server: Server) -> None:
    model = make()
    text = "word " * 1000
    each = model.tokens(text)
    vectors = model.embed_documents([text] * 20)
    at_once = TOKENS_AT_ONCE // each
    assert 1 < at_once < 20
    sizes = [len(request["input"]) for request in server.requests]
    assert sizes == [at_once] * (20 // at_once) + [20 % at_once] * (20 % at_once > 0)
    assert vectors.shape == (20, 3)


def test_tokens_are_guessed_from_the_bytes_that_are_sent(make: MakeEmbedder) -> None:
    model = make()
    assert isinstance(model, Served)
    assert [model.tokens(text) for text in ("", "a", "abcd", "\u4e2d\u6587")] == [0, 1, 2, 2]
    assert model.tokens("a" * 10_000_000) == model.tokens("a" * 8000)


def too_many(most: int, status: int, said: str) -> Callable[[list[str]], Reply | None]:
    return lambda texts: Reply(status=status, body=said) if len(texts) > most else None


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (413, "batch size 64 > maximum allowed batch size 32"),
        (400, "This model's maximum context length is 512 tokens"),
        (429, "Request too large for small on tokens per min (TPM): Limit 100, Requested 200"),
        (500, "input is too large to process. increase the physical batch size"),
    ],
)
def test_a_request_that_is_too_long_for_a_server_is_sent_in_halves(
    make: MakeEmbedder, server: Server, waits: list[float], status: int, said: str
) -> None:
    server.limit = too_many(2, status, said)
    texts = ["x" * (1 + index) for index in range(5)]
    vectors = make().embed_documents(texts)
    assert [len(request["input"]) for request in server.requests] == [5, 2, 3, 1, 2]
    for text, vector in zip(texts, vectors.tolist(), strict=True):
        assert vector == pytest.approx(unit(vector_of(text)))
    assert waits == []


def test_a_text_that_is_too_long_for_a_server_is_cut(make: MakeEmbedder, server: Server) -> None:
    def limit(texts: list[str]) -> Reply | None:
        is_long = any(len(text) > 1500 for text in texts)
        return Reply(status=400, body="maximum context length exceeded") if is_long else None

    server.limit = limit
    vectors = make().embed_documents(["a", "b" * 4000])
    assert vectors[0].tolist() == pytest.approx(unit(vector_of("a")))
    assert vectors[1].tolist() == pytest.approx(unit(vector_of("b" * 1000)))


def test_cutting_has_an_end(make: MakeEmbedder, server: Server) -> None:
    server.limit = lambda _: Reply(status=413)
    with pytest.raises(ModelError, match="status 413"):
        make().embed_documents(["b" * 8000, "a"])
    assert len(server.requests) < 10


def test_another_refusal_is_not_sent_in_halves(make: MakeEmbedder, server: Server) -> None:
    server.limit = lambda _: Reply(status=404, body="no such model")
    with pytest.raises(ModelError, match="no such model"):
        make().embed_documents(["a", "b"])
    assert len(server.requests) == 1


def test_empty_texts_are_not_sent_and_become_zeros(make: MakeEmbedder, server: Server) -> None:
    model = make()
    vectors = model.embed_documents(["", "a", " \n"])
    assert server.requests[0]["input"] == ["a"]
    assert not vectors[0].any()
    assert vectors[1].any()
    assert not vectors[2].any()
    assert not model.embed_query(" ").any()


def test_the_dimension_is_asked_for_once(make: MakeEmbedder, server: Server) -> None:
    model = make()
    assert model.dimension == 3
    assert model.embed_documents([]).shape == (0, 3)
    assert len(server.requests) == 1


def test_half_a_surrogate_pair_is_sent_as_a_replacement(make: MakeEmbedder, server: Server) -> None:
    make().embed_query("odd \ud800 name")
    assert server.requests[0]["input"] == ["odd ? name"]


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_busy_server_is_asked_again_after_a_growing_wait(
    make: MakeEmbedder, server: Server, waits: list[float], status: int
) -> None:
    server.script = [Reply(status=status)] * 3
    assert make().embed_documents(["a"]).shape == (1, 3)
    assert waits == [0.5 * 2**attempt for attempt in range(3)]


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_waits_are_spread_between_half_and_all(
    make: MakeEmbedder, server: Server, waits: list[float], chance: float
) -> None:
    server.script = [Reply(status=503)] * 2
    make(chance=lambda: chance).embed_documents(["a"])
    assert waits == [0.5 * (0.5 + chance / 2), 1.0 * (0.5 + chance / 2)]


def test_an_account_without_money_is_not_asked_again(make: MakeEmbedder, server: Server) -> None:
    server.script = [Reply(status=429, body='{"error": {"code": "insufficient_quota"}}')]
    with pytest.raises(ModelError, match="insufficient_quota"):
        make().embed_documents(["a"])
    assert len(server.requests) == 1


def test_a_busy_server_may_say_when_its_limits_are_new(
    make: MakeEmbedder, server: Server, waits: list[float]
) -> None:
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "9s"}
    server.script = [Reply(status=429, headers=headers)]
    make().embed_documents(["a"])
    assert waits == [9.0]


def test_a_limit_that_is_used_up_is_waited_for_before_the_next_request(
    make: MakeEmbedder, server: Server, waits: list[float]
) -> None:
    headers = {"x-ratelimit-remaining-tokens": "3", "x-ratelimit-reset-tokens": "40s"}
    server.script = [Reply(headers=headers)]
    model = make()
    model.embed_documents(["a"])
    model.embed_documents(["four tokens"])
    assert len(server.requests) == 2
    assert len(waits) == 1
    assert 30 < waits[0] <= 40
    # A person at a search box does not wait that long.
    model.embed_query("four tokens")
    assert waits[1] == FOR_QUERIES.longest_wait_s


def test_the_server_says_how_long_to_wait_in_seconds(
    make: MakeEmbedder, server: Server, waits: list[float]
) -> None:
    server.script = [Reply(status=429, headers={"Retry-After": "7"})]
    make().embed_documents(["a"])
    assert waits == [7.0]


def test_the_server_says_how_long_to_wait_as_a_date(
    make: MakeEmbedder, server: Server, waits: list[float]
) -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    past = format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True)
    server.script = [Reply(status=503, headers={"Retry-After": each}) for each in (soon, past)]
    make().embed_documents(["a"])
    assert 0 < waits[0] <= 30
    assert waits[1] == 0.0


@pytest.mark.parametrize("header", ["soon", "nan", "inf", ""])
def test_a_wait_that_cannot_be_read_is_ours_to_choose(
    make: MakeEmbedder, server: Server, waits: list[float], header: str
) -> None:
    server.script = [Reply(status=429, headers={"Retry-After": header})]
    make().embed_documents(["a"])
    assert waits == [0.5]


def test_a_wait_longer_than_we_allow_ends_at_once(
    make: MakeEmbedder, server: Server, waits: list[float]
) -> None:
    server.script = [Reply(status=429, headers={"Retry-After": "3600"})]
    with pytest.raises(ModelError, match="status 429"):
        make().embed_documents(["a"])
    assert waits == []


def test_attempts_end_and_queries_have_fewer_of_them(make: MakeEmbedder, server: Server) -> None:
    server.script = [Reply(status=503)] * 100
    with pytest.raises(ModelError, match="Try again later"):
        make().embed_documents(["a"])
    assert len(server.requests) == FOR_DOCUMENTS.attempts
    with pytest.raises(ModelError, match="Try again later"):
        make().embed_query("a")
    assert len(server.requests) == FOR_DOCUMENTS.attempts + FOR_QUERIES.attempts


def test_a_connection_that_breaks_is_tried_again(
    make: MakeEmbedder, server: Server, waits: list[float]
) -> None:
    server.script = [Reply(hang_up=True)]
    assert make().embed_documents(["a"]).shape == (1, 3)
    assert waits == [0.5]


def test_a_server_that_does_not_answer_in_time_is_given_up(
    make: MakeEmbedder, server: Server
) -> None:
    server.script = [Reply(silent=True)] * FOR_QUERIES.attempts
    with pytest.raises(ModelError, match=r"no answer within 0\.05 s"):
        make(timeout_s=0.05).embed_query("a")


def test_nobody_listening_is_an_error_of_the_model(waits: list[float]) -> None:
    with running(Server()) as gone:
        url = gone.url
    with pytest.raises(ModelError, match="the connection failed"):
        RemoteEmbedder("small", base_url=url, wait=waits.append).embed_query("a")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_so_the_key_stays(
    make: MakeEmbedder, server: Server, status: int
) -> None:
    with running(Server()) as other:
        server.script = [Reply(status=status, headers={"Location": f"{other.url}/embeddings"})]
        with pytest.raises(ModelError, match="redirects"):
            make().embed_query("a")
        assert other.requests == []
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_said_plainly_and_not_repeated(
    make: MakeEmbedder, server: Server, status: int
) -> None:
    server.script = [Reply(status=status, body=f"bad key {KEY}")]
    with pytest.raises(ModelError, match="refused the API key") as caught:
        make().embed_query("a")
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1


def test_a_refusal_is_quoted_without_the_key(make: MakeEmbedder, server: Server) -> None:
    server.script = [Reply(status=400, body=f"no such model for {KEY}")]
    with pytest.raises(ModelError, match="status 400: no such model") as caught:
        make().embed_query("a")
    assert KEY not in str(caught.value)


def embeddings(*vectors: object) -> str:
    data = [{"index": index, "embedding": each} for index, each in enumerate(vectors)]
    return json.dumps({"data": data})


@pytest.mark.parametrize(
    "body",
    [
        "",
        "not json",
        "[]",
        "{}",
        '{"data": 3}',
        '{"data": [{"index": 0}]}',
        "[" * 100_000,
        embeddings(),
        embeddings([1.0, 2.0], [1.0, 2.0]),
        embeddings([]),
        embeddings("1,2"),
        embeddings("AAAA"),
        embeddings(""),
        embeddings(["1", "2"]),
        embeddings([True, False]),
        embeddings([1e308, 1e308]),
        embeddings([10**400]),
        '{"data": [{"index": 1e999, "embedding": [1.0]}]}',
    ],
)
def test_an_answer_that_is_not_one_vector_of_numbers_per_text_is_refused(
    make: MakeEmbedder, server: Server, body: str
) -> None:
    server.script = [Reply(body=body)]
    with pytest.raises(ModelError):
        make().embed_query("a")


def test_a_vector_near_to_nothing_has_a_direction_all_the_same(
    make: MakeEmbedder, server: Server
) -> None:
    server.script = [Reply(body=embeddings([3e-200, 4e-200]))]

    assert make().embed_query("a").tolist() == pytest.approx([3 / 5, 4 / 5])


def test_the_same_index_twice_is_refused(make: MakeEmbedder, server: Server) -> None:
    twice = [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}]
    server.script = [Reply(body=json.dumps({"data": twice}))]
    with pytest.raises(ModelError, match="one vector of numbers for each of 2 texts"):
        make().embed_documents(["a", "b"])


def test_vectors_of_two_lengths_are_refused(make: MakeEmbedder, server: Server) -> None:
    server.script = [Reply(body=embeddings([1.0, 2.0], [1.0, 2.0, 3.0]))]
    with pytest.raises(ModelError, match=r"\[2, 3\] numbers"):
        make().embed_documents(["a", "b"])


def test_a_dimension_that_changes_between_answers_is_refused(
    make: MakeEmbedder, server: Server
) -> None:
    model = make()
    model.embed_query("a")
    server.script = [Reply(body=embeddings([1.0, 2.0]))]
    with pytest.raises(ModelError, match=r"\[2\] numbers, not 3"):
        model.embed_query("b")


def test_it_is_an_embedder_with_an_id_of_model_and_address(make: MakeEmbedder) -> None:
    model: Embedder = make()
    assert model.name == "openai:small"
    assert not model.is_instant
    assert model.strength == 30
    assert model.model_id == make(api_key="another").model_id
    assert model.model_id != make(base_url="http://127.0.0.1:1/v1").model_id


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "ftp://host/v1",
        "file:///etc/passwd",
        "https://",
        "https://name:word@host/v1",
        "http://host:notaport/v1",
        "http://[::1/v1",
        "http://ho st/v1",
        "http://höst/v1",
    ],
)
def test_an_address_that_cannot_be_used_is_a_wrong_setting(url: str) -> None:
    with pytest.raises(ConfigError, match=r"embedding\.base_url"):
        RemoteEmbedder("small", base_url=url)


@pytest.mark.parametrize("key", ["", "two\nlines", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RemoteEmbedder("small", api_key=key)
    assert not key or key not in str(caught.value)
