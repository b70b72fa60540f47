import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from trivium.backends.opensearch.breaker import Breaker
from trivium.backends.opensearch.client import Access, Client
from trivium.backends.opensearch.lines import Row
from trivium.backends.opensearch.said import Conflict, Gone, Json
from trivium.errors import (
    BackendError,
    BackendRefused,
    BackendTimeout,
    BackendUnavailable,
    ConfigError,
    IndexUnusable,
)

Answers = Callable[[httpx.Request], httpx.Response]
_WHOLE = {"total": 3, "successful": 3, "skipped": 0, "failed": 0}
_FOUND = {"timed_out": False, "_shards": _WHOLE, "hits": {"hits": []}}


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.backends.opensearch.client.time.sleep", lambda _: None)


def _client(answers: Answers, *urls: str, access: Access | None = None) -> Client:
    return Client(urls or ("http://one",), access=access, transport=httpx.MockTransport(answers))


def _failed(status: int, kind: str, reason: str = "why") -> httpx.Response:
    cause = {"type": kind, "reason": reason}
    return httpx.Response(status, json={"error": {"root_cause": [cause], **cause}})


def _said(request: httpx.Request) -> list[Json]:
    return [json.loads(line) for line in request.content.splitlines()]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_cluster_is_asked_again(status: int) -> None:
    answers = iter([_failed(status, "busy"), httpx.Response(200, json={"ok": 1})])

    assert _client(lambda _: next(answers)).ask("GET", "/") == {"ok": 1}


def test_a_cluster_that_stays_busy_is_unavailable_after_some_tries() -> None:
    tries: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        tries.append(request.url.path)
        return _failed(429, "busy")

    with pytest.raises(BackendUnavailable):
        _client(answer).ask("GET", "/x")
    assert 1 < len(tries) < 20


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (400, "mapper_parsing_exception", BackendRefused),
        (401, "security_exception", BackendRefused),
        (403, "security_exception", BackendRefused),
        (404, "index_not_found_exception", Gone),
        (404, "search_context_missing_exception", IndexUnusable),
        (409, "version_conflict_engine_exception", Conflict),
        (403, "cluster_block_exception", BackendRefused),
        (500, "something_else", BackendRefused),
        (500, "node_not_connected_exception", BackendUnavailable),
        (503, "no_shard_available_action_exception", BackendUnavailable),
    ],
)
def test_each_failure_has_its_error(status: int, kind: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"why|held too long"):
        _client(lambda _: _failed(status, kind)).ask("GET", "/x")


def test_what_was_held_on_a_node_that_is_gone_is_not_taken_for_a_refusal() -> None:
    said = "no node found for id: OQ1djWhjS4eoznp9HA4-qg"

    with pytest.raises(BackendUnavailable, match="was lost"):
        _client(lambda _: _failed(500, "illegal_state_exception", said)).search({})


def test_lost_credentials_say_what_to_look_at() -> None:
    with pytest.raises(BackendRefused, match="password or the API key"):
        _client(lambda _: _failed(401, "security_exception")).ask("GET", "/")


def test_a_cluster_that_is_closed_for_writing_says_so_and_not_that_access_is_missing() -> None:
    with pytest.raises(BackendRefused, match="space left"):
        _client(lambda _: _failed(403, "cluster_block_exception")).ask("PUT", "/x")


def test_a_page_that_is_no_cluster_is_told_from_one() -> None:
    with pytest.raises(BackendError, match="no OpenSearch"):
        _client(lambda _: httpx.Response(200, text="<html>")).ask("GET", "/")


def test_a_node_that_is_gone_is_passed_over() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        if request.url.host == "one":
            raise httpx.ConnectError("refused")
        return httpx.Response(200, json={})

    client = _client(answer, "http://one", "http://two")
    client.ask("GET", "/")
    client.ask("GET", "/")

    assert asked == ["one", "two", "two"]


def test_a_cluster_without_a_node_that_answers_is_unavailable() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with pytest.raises(BackendUnavailable, match="http://one, http://two"):
        _client(answer, "http://one", "http://two").ask("GET", "/")


def test_a_slow_cluster_is_a_timeout_and_not_a_hang() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("slow")

    with pytest.raises(BackendTimeout):
        _client(answer).ask("GET", "/")


def test_only_the_rows_that_were_refused_for_being_too_many_are_sent_again() -> None:
    sent: list[list[Json]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(_said(request))
        assert request.url.params["require_alias"] == "true"
        busy = {"_id": "b", "status": 429, "error": {"type": "busy", "reason": "full"}}
        items = [
            {"index": {"_id": "a", "status": 201}},
            {"index": busy},
            {"delete": {"status": 404}},
        ]
        if len(sent) > 1:
            items = [{"index": {"_id": "b", "status": 201}}]
        return httpx.Response(200, json={"errors": len(sent) == 1, "items": items})

    rows = [Row("x", "a", 1, {"n": 1}), Row("x", "b", 1, {"n": 2}), Row("x", "c", 1)]
    _client(answer).bulk(rows)

    assert [len(lines) for lines in sent] == [5, 2]
    assert sent[1][0]["index"]["_id"] == "b"
    assert sent[1][1] == {"n": 2}
    assert sent[0][4]["delete"] == {
        "_index": "x", "_id": "c", "version": 1, "version_type": "external_gte",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (400, "mapper_parsing_exception", BackendRefused),
        (409, "version_conflict_engine_exception", Conflict),
        (404, "index_not_found_exception", Gone),
    ],
)
def test_a_row_that_will_never_be_taken_is_an_error(
    status: int, kind: str, error: type[Exception]
) -> None:
    item = {"_id": "a", "status": status, "error": {"type": kind, "reason": "why"}}
    answer = httpx.Response(200, json={"errors": True, "items": [{"index": item}]})

    with pytest.raises(error):
        _client(lambda _: answer).bulk([Row("x", "a", 1, {})])


def test_many_rows_go_in_several_requests_and_none_is_cut() -> None:
    sent: list[list[Json]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(_said(request))
        return httpx.Response(200, json={"errors": False, "items": []})

    _client(answer).bulk(Row("x", str(n), 1, {"text": "y" * 1_500_000}) for n in range(5))

    assert [len(lines) // 2 for lines in sent] == [2, 2, 1]
    assert [line["index"]["_id"] for lines in sent for line in lines[::2]] == list("01234")


def test_half_of_a_surrogate_pair_can_be_sent() -> None:
    sent: list[list[Json]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(_said(request))
        return httpx.Response(200, json={"errors": False, "items": []})

    _client(answer).bulk([Row("x", "a", 1, {"text": "broken \ud800"})])

    assert sent[0][1] == {"text": "broken \ud800"}


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"timed_out": True}, BackendTimeout),
        ({"_shards": {**_WHOLE, "successful": 1}}, BackendUnavailable),
    ],
)
def test_a_part_of_an_answer_is_an_error_and_not_a_shorter_one(
    changed: Json, error: type[Exception]
) -> None:
    part = {**_FOUND, **changed}
    with pytest.raises(error):
        _client(lambda _: httpx.Response(200, json=part)).search({})
    with pytest.raises(error):
        _client(lambda _: httpx.Response(200, json={"responses": [part]})).searches([{}])


def test_terms_are_counted_over_all_shards_where_scores_matter() -> None:
    asked: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        return httpx.Response(200, json=_FOUND)

    client = _client(answer)
    client.search({}, index="i", is_scored=True)
    client.search({}, index="i")

    assert asked[0].params["search_type"] == "dfs_query_then_fetch"
    assert "search_type" not in asked[1].params
    assert {url.params["allow_partial_search_results"] for url in asked} == {"false"}


@pytest.mark.parametrize(
    ("access", "sent"),
    [
        (Access(api_key="k3y"), "ApiKey k3y"),
        (Access(user="ann", password="pw"), "Basic YW5uOnB3"),
    ],
)
def test_who_asks_is_said_with_every_request(access: Access, sent: str) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers["authorization"])
        return httpx.Response(200, json={})

    _client(answer, access=access).ask("GET", "/")

    assert asked == [sent]


def test_no_address_is_refused() -> None:
    with pytest.raises(BackendRefused, match="at least one address"):
        Client([])


def test_a_cluster_that_does_not_answer_is_left_alone_for_a_while_and_then_tried_once() -> None:
    now = [0.0]
    breaker = Breaker(clock=lambda: now[0])
    tried: list[float] = []

    def ask() -> None:
        with breaker.watched():
            tried.append(now[0])
            raise BackendTimeout("slow")

    for _ in range(5):
        with pytest.raises(BackendTimeout):
            ask()
    with pytest.raises(BackendUnavailable, match="left alone") as raised:
        ask()
    assert len(tried) == 5
    now[0] += raised.value.retry_after_s
    with pytest.raises(BackendTimeout):
        ask()
    with pytest.raises(BackendUnavailable):
        ask()
    assert len(tried) == 6


def test_one_answer_makes_failures_forgotten() -> None:
    breaker = Breaker(clock=lambda: 0.0)
    for is_late in [True] * 4 + [False] + [True] * 4:
        with suppress(BackendTimeout), breaker.watched():
            if is_late:
                raise BackendTimeout("slow")

    with breaker.watched():
        pass


def test_searches_wait_for_less_long_than_writes() -> None:
    waits: list[float] = []

    def answer(request: httpx.Request) -> httpx.Response:
        waits.append(request.extensions["timeout"]["read"])
        return httpx.Response(200, json=_FOUND)

    client = _client(answer, access=Access(read_s=3.0, write_s=30.0))
    client.search({})
    client.ask("POST", "/x/_refresh")

    assert waits == [3.0, 30.0]


def test_after_a_node_that_hangs_the_next_is_asked() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        if request.url.host == "one":
            raise httpx.ReadTimeout("slow")
        return httpx.Response(200, json=_FOUND)

    client = _client(answer, "http://one", "http://two")
    with pytest.raises(BackendTimeout):
        client.search({})
    client.search({})
    client.search({})

    assert asked == ["one", "two", "two"]


@pytest.mark.parametrize(
    "url", ["host:9200", "", "ftp://host", "http://", "http:///x", "http://a:port"]
)
def test_what_is_no_address_is_refused_before_anything_is_asked(url: str) -> None:
    with pytest.raises(ConfigError, match="no address of a cluster"):
        Client([url])


def test_a_certificate_that_nobody_knows_says_which_setting_trusts_it() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")

    with pytest.raises(BackendRefused, match=r"backend\.certificates"):
        _client(answer, "https://one", "https://two").ask("GET", "/")


def test_a_file_of_certificates_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "none.pem"

    with pytest.raises(ConfigError, match=r"none\.pem"):
        Client(["https://one"], access=Access(certificates=str(missing)))


def test_a_client_that_was_closed_opens_again_when_it_is_asked() -> None:
    asked = Client(["http://one"], transport=httpx.MockTransport(lambda _: _answered()))
    asked.close()

    assert asked.ask("GET", "/") == {"ok": True}
    asked.close()


def _answered() -> httpx.Response:
    return httpx.Response(200, json={"ok": True})
