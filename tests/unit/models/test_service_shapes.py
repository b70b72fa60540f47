"""Shapes of answers that servers of embeddings are known to give, and what is made of each.

OpenAI, Ollama, llama.cpp, vLLM, LM Studio, TEI (Text Embeddings Inference), and gateways. None of
them runs here. Shapes are those of documentation and issue trackers; the wording of some errors is
made up in their manner, so no rule may hang on a whole sentence.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from trivium.errors import ModelError
from trivium.models.base import Remarking
from trivium.models.remote import FOR_DOCUMENTS, RemoteEmbedder
from trivium.testing.scripted import Reply, Scripted, running

Limit = Callable[[dict[str, Any]], Reply | None]


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


def unit(vector: list[float]) -> list[float]:
    length = sum(each * each for each in vector) ** 0.5
    return [each / length for each in vector]


def entry(index: int | None, embedding: object) -> dict[str, object]:
    found = {"object": "embedding", "embedding": embedding}
    return found if index is None else {**found, "index": index}


def listed(*entries: dict[str, object]) -> Reply:
    usage = {"prompt_tokens": 8, "total_tokens": 8}
    body = {"object": "list", "data": entries, "model": "small", "usage": usage}
    return Reply(body=json.dumps(body))


def in_base64(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def error(status: int, body: object) -> Reply:
    return Reply(status=status, body=body if isinstance(body, str) else json.dumps(body))


@dataclass
class Server(Scripted):
    """Answers as OpenAI does, save where `limit` has something else to say."""

    limit: Limit = lambda _: None

    def answer(self, request: dict[str, Any]) -> Reply:
        found = self.limit(request)
        if found is not None:
            return found
        texts = request["input"]
        return listed(*(entry(place, vector_of(text)) for place, text in enumerate(texts)))


@pytest.fixture
def server() -> Iterator[Server]:
    with running(Server(), path="/v1") as started:
        yield started


@pytest.fixture
def model(server: Server, waits: list[float]) -> RemoteEmbedder:
    return RemoteEmbedder(
        "small", base_url=server.url, wait=waits.append, chance=lambda: 1.0, timeout_s=10
    )


def only(is_so: Callable[[list[str]], bool], reply: Reply) -> Limit:
    return lambda request: reply if is_so(request["input"]) else None


OPENAI_LONG = {
    "error": {
        "message": "This model's maximum context length is 8192 tokens, however you requested "
        "10001 tokens (10001 in your prompt; 0 for the completion). Please reduce your prompt.",
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }
}
OPENAI_MANY = {
    "error": {
        "message": "Requested 453357 tokens, max 300000 tokens per request",
        "type": "max_tokens_per_request",
        "param": None,
        "code": "max_tokens_per_request",
    }
}
OLLAMA_LONG = {
    "error": {
        "message": "the input length exceeds the context length",
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }
}
VLLM_LONG = {
    "error": {
        "message": "This model's maximum context length is 512 tokens. However, you requested 1451 "
        "tokens in the input for embedding generation. Please reduce the length of the input.",
        "type": "BadRequestError",
        "param": None,
        "code": 400,
    }
}
VLLM_LONG_BEFORE = {
    "object": "error",
    "message": VLLM_LONG["error"]["message"],
    "type": "BadRequestError",
    "param": None,
    "code": 400,
}
LLAMA_LONG = {
    "error": {
        "code": 500,
        "message": "input (992 tokens) is too large to process. increase the physical batch size "
        "(current batch size: 512)",
        "type": "server_error",
    }
}
LLAMA_CONTEXT = {
    "error": {
        "code": 400,
        "message": "the request exceeds the available context size. try increasing the context "
        "size or enable context shift",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 1064,
        "n_ctx": 512,
    }
}
LLAMA_BOX = {
    "error": {
        "code": 400,
        "message": "Illegal param: prefill 744 tokens exceed n_ctx_per_seq, try increasing total "
        "context size",
        "type": "invalid_request_error",
    }
}
TEI_LONG = {
    "message": "Input validation error: `inputs` must have less than 512 tokens. Given: 1451",
    "code": 413,
    "type": "Validation",
}
TEI_MANY = {
    "message": "batch size 64 > maximum allowed batch size 32",
    "code": 422,
    "type": "Validation",
}
DASHSCOPE_MANY = {
    "error": {
        "message": "<400> InternalError.Algo.InvalidParameter: Value error, batch size is invalid, "
        "it should not be larger than 10.: input.contents",
        "type": "InvalidParameter",
        "param": None,
        "code": "InvalidParameter",
    }
}
MISTRAL_MANY = {
    "object": "error",
    "message": "Too many tokens in batch. Max is 16384 got 17555",
    "type": "invalid_request_error",
    "param": None,
    "code": None,
}
# A gateway repeats what it was told, after much of its own.
LITELLM_LONG = {
    "error": {
        "message": "litellm.BadRequestError: Hosted_vllmException - " + "x" * 400 + " "
        "litellm.ContextWindowExceededError: " + json.dumps(VLLM_LONG),
        "type": None,
        "param": None,
        "code": "400",
    }
}
NGINX_LARGE = "<html><head><title>413 Request Entity Too Large</title></head></html>"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(400, OPENAI_LONG, id="OpenAI, one text"),
        pytest.param(400, OPENAI_MANY, id="OpenAI, all texts"),
        pytest.param(400, OLLAMA_LONG, id="Ollama since 0.13.5"),
        pytest.param(400, {"error": "input length exceeds maximum context length"}, id="Ollama"),
        pytest.param(400, VLLM_LONG, id="vLLM"),
        pytest.param(400, VLLM_LONG_BEFORE, id="vLLM before 0.10"),
        pytest.param(500, LLAMA_LONG, id="llama.cpp, batch"),
        pytest.param(400, LLAMA_CONTEXT, id="llama.cpp, context"),
        pytest.param(400, LLAMA_BOX, id="llama-box"),
        pytest.param(413, TEI_LONG, id="TEI, one text"),
        pytest.param(422, TEI_MANY, id="TEI, all texts"),
        pytest.param(400, DASHSCOPE_MANY, id="DashScope"),
        pytest.param(400, MISTRAL_MANY, id="Mistral"),
        pytest.param(400, LITELLM_LONG, id="LiteLLM"),
        pytest.param(413, NGINX_LARGE, id="a proxy"),
        pytest.param(200, OLLAMA_LONG, id="status 200"),
    ],
)
def test_what_is_too_long_is_sent_in_halves_and_cut_and_that_is_said(
    server: Server, model: RemoteEmbedder, waits: list[float], status: int, body: object
) -> None:
    def is_much(texts: list[str]) -> bool:
        return len(texts) > 2 or any(len(text) > 1000 for text in texts)

    server.limit = only(is_much, error(status, body))
    texts = ["a", "bb", "c" * 4000, "dd", "e"]

    vectors = model.embed_documents(texts)

    expected = [unit(vector_of(text[:1000])) for text in texts]
    assert vectors.tolist() == [pytest.approx(one) for one in expected]
    assert waits == []
    assert isinstance(model, Remarking)
    assert model.remarks() == ["openai:small reads no more than the start of 1 text."]
    assert model.remarks() == []


def test_a_rate_that_is_spoken_of_like_a_length_is_waited_for(
    server: Server, model: RemoteEmbedder, waits: list[float]
) -> None:
    said = {
        "error": {
            "message": "Rate limit reached for small on requests per min (RPM): you may send at "
            "most 60 requests. Please try again in 1s.",
            "type": "requests",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    }
    headers = {"retry-after-ms": "1200", "retry-after": "2", "x-ratelimit-remaining-requests": "0"}
    server.script = [Reply(status=429, body=json.dumps(said), headers=headers)]

    model.embed_documents(["a", "b"])

    assert [len(request["input"]) for request in server.requests] == [2, 2]
    assert waits == [1.2]


def test_tei_that_is_overloaded_is_asked_again(
    server: Server, model: RemoteEmbedder, waits: list[float]
) -> None:
    busy = {"message": "Model is overloaded", "code": 429, "type": "Overloaded"}
    server.script = [error(429, busy)]

    assert model.embed_documents(["a"]).shape == (1, 3)
    assert waits == [0.5]


LOADING = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}


def test_llama_cpp_that_is_loading_its_model_is_waited_for_longer_than_a_busy_one(
    server: Server, model: RemoteEmbedder, waits: list[float]
) -> None:
    server.script = [error(503, LOADING)] * 20

    assert model.embed_documents(["a"]).shape == (1, 3)
    assert waits == [2.0] * 20


def test_waiting_for_a_model_to_load_has_an_end_and_a_query_hardly_waits(
    server: Server, model: RemoteEmbedder, waits: list[float]
) -> None:
    server.script = [error(503, LOADING)] * 1000

    with pytest.raises(ModelError, match="the model is being loaded"):
        model.embed_query("a")
    assert sum(waits) <= 2.0
    with pytest.raises(ModelError, match="the model is being loaded"):
        model.embed_documents(["a"])
    assert sum(waits) < FOR_DOCUMENTS.loading_s + 60


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        pytest.param(
            200,
            {"error": "Unexpected endpoint or method. (POST /v1/embeddings)"},
            "status 400: Unexpected endpoint or method",
            id="LM Studio",
        ),
        pytest.param(
            404,
            {
                "error": {
                    "message": 'model "small" not found, try pulling it first',
                    "type": "api_error",
                    "param": None,
                    "code": None,
                }
            },
            'status 404: model "small" not found, try pulling it first',
            id="Ollama",
        ),
        pytest.param(
            200,
            {"error": {"message": "No endpoints found for small.", "code": 404}},
            "status 404: No endpoints found for small",
            id="OpenRouter",
        ),
        pytest.param(
            400,
            {
                "object": "error",
                "message": "The model does not support Embeddings API",
                "type": "BadRequestError",
                "param": None,
                "code": 400,
            },
            "status 400: The model does not support Embeddings API",
            id="vLLM",
        ),
        pytest.param(
            501,
            {
                "error": {
                    "code": 501,
                    "message": "This server does not support embeddings. Start it with "
                    "`--embeddings`",
                    "type": "not_supported_error",
                }
            },
            "This server does not support embeddings",
            id="llama.cpp",
        ),
        pytest.param(200, {"embedding": []}, "mostly ends with /v1", id="Ollama's own protocol"),
        pytest.param(200, {"object": "list", "data": []}, "for each of 1 text", id="no data"),
    ],
)
def test_a_refusal_is_quoted_in_the_servers_words_and_not_tried_again(
    server: Server, model: RemoteEmbedder, status: int, body: object, said: str
) -> None:
    server.limit = lambda _: error(status, body)

    with pytest.raises(ModelError) as caught:
        model.embed_documents(["a"])

    assert said in str(caught.value)
    assert len(server.requests) == 1


def test_an_error_of_the_server_in_an_answer_with_status_200_is_tried_again(
    server: Server, model: RemoteEmbedder, waits: list[float]
) -> None:
    body = {"error": {"message": "Provider returned error", "code": 502}}
    server.script = [error(200, body)]

    assert model.embed_documents(["a"]).shape == (1, 3)
    assert waits == [0.5]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(
            400,
            {
                "detail": "The request body is not valid JSON, or some arguments were not "
                "specified properly. In particular, Value 'float' supplied for argument "
                "'encoding_format' is not valid -- accepted values are ['base64']"
            },
            id="Voyage",
        ),
        pytest.param(
            400,
            {
                "error": {
                    "message": "litellm.UnsupportedParamsError: gemini does not support "
                    "parameters: {'encoding_format': 'float'}, for model=gemini-embedding-001.",
                    "type": "None",
                    "param": None,
                    "code": "400",
                }
            },
            id="LiteLLM",
        ),
    ],
)
def test_a_server_that_will_not_be_asked_for_floats_is_asked_without(
    server: Server, model: RemoteEmbedder, status: int, body: object
) -> None:
    server.limit = lambda request: error(status, body) if "encoding_format" in request else None

    for text in ("a", "bbb"):
        assert model.embed_query(text).tolist() == pytest.approx(unit(vector_of(text)))
    assert ["encoding_format" in request for request in server.requests] == [True, False, False]


def test_numbers_in_base64_are_read(server: Server, model: RemoteEmbedder) -> None:
    server.limit = lambda request: listed(
        *(entry(place, in_base64(vector_of(text))) for place, text in enumerate(request["input"]))
    )

    vectors = model.embed_documents(["a", "bbb"])

    expected = [unit(vector_of(text)) for text in ("a", "bbb")]
    assert vectors.tolist() == [pytest.approx(one) for one in expected]


def test_without_an_index_vectors_come_in_the_order_of_the_texts(
    server: Server, model: RemoteEmbedder
) -> None:
    server.limit = lambda request: listed(
        *(
            # A server that leaves out what is 0, as protobuf does, leaves out the first.
            entry(place or None, vector_of(text))
            for place, text in enumerate(request["input"])
        )
    )
    assert model.embed_documents(["a", "bbb"])[1].tolist() == pytest.approx(unit([3.0, 1.0, 0.0]))

    server.limit = lambda request: listed(
        *(entry(None, vector_of(text)) for text in request["input"])
    )
    assert model.embed_documents(["a", "bbb"])[1].tolist() == pytest.approx(unit([3.0, 1.0, 0.0]))


NOTHING: list[list[float | None]] = [
    [None, None, None],
    [1.0, float("nan"), 0.0],
    [float("inf"), 1.0, 0.0],
    [0.0, 0.0, 0.0],
]


@pytest.mark.parametrize("nothing", NOTHING)
@pytest.mark.parametrize("texts", [["odd"], ["a", "odd", "bbb"]])
def test_one_text_without_a_vector_has_zeros_and_stops_no_other(
    server: Server, model: RemoteEmbedder, nothing: list[float], texts: list[str]
) -> None:
    server.limit = lambda request: listed(
        *(
            entry(place, nothing if text == "odd" else vector_of(text))
            for place, text in enumerate(request["input"])
        )
    )

    vectors = model.embed_documents(texts)

    assert [bool(vector.any()) for vector in vectors] == [text != "odd" for text in texts]
    assert bool(np.isfinite(vectors).all())
    assert model.remarks() == [
        "openai:small gives no vector for 1 text: they are found by words alone."
    ]


@pytest.mark.parametrize("nothing", NOTHING)
def test_a_server_that_has_no_vector_for_anything_is_an_error(
    server: Server, model: RemoteEmbedder, nothing: list[float]
) -> None:
    server.limit = lambda request: listed(
        *(entry(place, nothing) for place, _ in enumerate(request["input"]))
    )

    with pytest.raises(ModelError, match="zeros, or no numbers"):
        model.embed_documents(["a", "b", "c"])
    assert len(server.requests) == 2


OLLAMA_NAN = {
    "error": {
        "message": "failed to encode response: json: unsupported value: NaN",
        "type": "api_error",
        "param": None,
        "code": None,
    }
}


def test_ollamas_failure_to_say_nan_stops_no_other_text(
    server: Server, model: RemoteEmbedder, waits: list[float]
) -> None:
    server.limit = only(lambda texts: "odd" in texts, error(500, OLLAMA_NAN))
    texts = ["a", "bb", "odd", "cccc", "ddddd"]

    vectors = model.embed_documents(texts)

    for text, vector in zip(texts, vectors.tolist(), strict=True):
        assert vector == pytest.approx([0.0] * 3 if text == "odd" else unit(vector_of(text)))
    assert waits == []


def test_ollama_that_says_nan_of_everything_is_an_error(
    server: Server, model: RemoteEmbedder
) -> None:
    server.limit = lambda _: error(500, OLLAMA_NAN)

    with pytest.raises(ModelError, match=r"unsupported value: NaN|zeros, or no numbers"):
        model.embed_documents(["a", "b", "c", "d"])
    assert len(server.requests) < 6


def test_the_whole_address_of_a_manual_works_too(server: Server) -> None:
    model = RemoteEmbedder("small", base_url=f"{server.url}/embeddings")

    model.embed_query("a")

    assert server.paths == ["/v1/embeddings"]


def shortened(server: Server, dimensions: int) -> RemoteEmbedder:
    return RemoteEmbedder("small", base_url=server.url, dimensions=dimensions)


def test_fewer_dimensions_are_asked_for_where_they_are_set(
    server: Server, model: RemoteEmbedder
) -> None:
    server.limit = lambda request: listed(
        *(
            entry(place, vector_of(text)[: request.get("dimensions")])
            for place, text in enumerate(request["input"])
        )
    )
    short = shortened(server, 2)

    assert short.dimension == 2
    assert short.embed_query("aaa").tolist() == pytest.approx(unit([3.0, 1.0]))
    assert model.embed_query("aaa").shape == (3,)
    assert [request.get("dimensions") for request in server.requests] == [2, None]
    assert len({short.model_id, model.model_id, shortened(server, 1).model_id}) == 3


def test_a_server_that_does_not_heed_the_dimensions_is_found_out(server: Server) -> None:
    with pytest.raises(ModelError, match=r"\[3\] numbers, not 2. It does not heed embedding"):
        shortened(server, 2).embed_documents(["a"])


def test_vllms_refusal_of_other_dimensions_is_quoted(server: Server) -> None:
    message = (
        'Model "small" does not support matryoshka representation, changing output dimensions '
        "will lead to poor results."
    )
    body = {"object": "error", "message": message, "type": "BadRequestError", "code": 400}
    server.limit = lambda request: error(400, body) if "dimensions" in request else None

    with pytest.raises(ModelError, match="does not support matryoshka"):
        shortened(server, 2).embed_documents(["a", "b"])
    assert len(server.requests) == 1
