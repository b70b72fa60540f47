"""Who may do what, by which name and from which origin, how often."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.doors.http.conftest import BASE, PORT, Send

from trivium.doors.http.app import Rules
from trivium.doors.http.guard import Names
from trivium.doors.http.rate import Rate
from trivium.doors.tokens import Right, Tokens

JUDGE = {"query": "a", "id": "b", "relevance": 1}


class TestWithTokens:
    @pytest.fixture
    def tokens(self, tmp_path: Path) -> dict[Right | None, str]:
        kept = Tokens(tmp_path / "home")
        return {right: kept.add(right.word, right) for right in Right}

    @pytest.fixture
    def rules(self, tmp_path: Path, tokens: dict[Right, str]) -> Rules:
        assert tokens
        return Rules(Names(PORT), tokens=Tokens(tmp_path / "home"))

    @pytest.mark.parametrize(
        ("method", "address", "least"),
        [
            ("GET", "/api/search?q=password", Right.READ),
            ("GET", "/api/status", Right.READ),
            ("GET", "/metrics", Right.READ),
            ("GET", "/openapi.json", Right.READ),
            ("GET", "/api/judgements", Right.READ),
            ("POST", "/api/judgements", Right.WRITE),
            ("POST", "/api/collections/shop/sync", Right.WRITE),
            ("DELETE", "/api/collections?name=farm", Right.ADMIN),
            ("POST", "/api/collections", Right.ADMIN),
        ],
    )
    def test_each_endpoint_needs_its_right(
        self, send: Send, tokens: dict[Right, str], method: str, address: str, least: Right
    ) -> None:
        body = JUDGE if address == "/api/judgements" and method == "POST" else None
        assert send(method, address, json=body).status_code == 401
        for right, made in tokens.items():
            headers = {"Authorization": f"Bearer {made}"}
            answer = send(method, address, json=body, headers=headers)
            is_refused = (
                answer.status_code == 403 and "this needs" in answer.json()["error"]["message"]
            )
            assert is_refused == (right < least), (right, answer.text)

    def test_a_wrong_token_is_told_apart_from_none(
        self, send: Send, tokens: dict[Right, str]
    ) -> None:
        none = send("GET", "/api/status")
        wrong = send(
            "GET", "/api/status", headers={"Authorization": f"Bearer x{tokens[Right.READ]}"}
        )

        assert "needs a token" in none.json()["error"]["message"]
        assert "none of this server's" in wrong.json()["error"]["message"]
        assert "error=" not in none.headers["www-authenticate"]
        assert 'error="invalid_token"' in wrong.headers["www-authenticate"]

    @pytest.mark.parametrize(
        "header", ["", "Bearer", "Bearer ", "Basic {token}", "Bearer x{token}", "{token}"]
    )
    def test_what_is_no_token_is_401_and_says_how_to_get_one(
        self, send: Send, tokens: dict[Right, str], header: str
    ) -> None:
        given = header.format(token=tokens[Right.READ])

        refused = send("GET", "/api/status", headers={"Authorization": given})

        assert refused.status_code == 401
        assert refused.json()["error"]["type"] == "TokenNeeded"
        assert refused.headers["www-authenticate"].startswith("Bearer")

    def test_health_and_page_need_none_and_tell_nothing(self, send: Send) -> None:
        assert list(send("GET", "/health").json()) == ["status", "version"]
        assert send("GET", "/").status_code in (200, 404)

    def test_tokens_that_cannot_be_read_let_in_nobody(
        self, send: Send, tokens: dict[Right, str], tmp_path: Path
    ) -> None:
        (tmp_path / "home" / "tokens.json").write_text("{")

        headers = {"Authorization": f"Bearer {tokens[Right.ADMIN]}"}
        refused = send("GET", "/api/status", headers=headers)

        assert (refused.status_code, refused.json()["error"]["type"]) == (500, "ConfigError")
        assert str(tmp_path) not in refused.text

    def test_queries_of_others_are_for_the_administrator(
        self, send: Send, tokens: dict[Right, str]
    ) -> None:
        for right, made in tokens.items():
            data = send("GET", "/api/status", headers={"Authorization": f"bearer {made}"}).json()
            assert ("slowQueries" in data) == (right is Right.ADMIN)

    def test_the_status_says_whether_who_asks_may_write(
        self, send: Send, tokens: dict[Right, str]
    ) -> None:
        for right, made in tokens.items():
            data = send("GET", "/api/status", headers={"Authorization": f"bearer {made}"}).json()
            assert data["mayWrite"] == (right >= Right.WRITE)


class TestWithOtherNames:
    @pytest.fixture
    def rules(self) -> Rules:
        hosts = ("search.example.org", "box:8080")
        names = Names(PORT, hosts, ("https://app.example.org",), any_number=True)
        return Rules(names)

    @pytest.mark.parametrize(
        ("host", "status"),
        [
            (f"localhost:{PORT}", 200),
            ("search.example.org", 200),
            ("Search.Example.org:443", 200),
            ("box:8080", 200),
            ("box", 403),
            ("box:80", 403),
            ("192.168.1.9:7700", 200),
            ("[fe80::1]:7700", 200),
            ("evil.example", 403),
            ("search.example.org.evil.example", 403),
            ("192.168.1.9.evil.example", 403),
            ("", 403),
        ],
    )
    def test_only_names_that_were_allowed_are_answered(
        self, send: Send, host: str, status: int
    ) -> None:
        assert send("GET", "/health", headers={"Host": host}).status_code == status

    def test_a_name_that_is_not_known_is_told_which_are_and_how_it_becomes_one(
        self, send: Send
    ) -> None:
        said = send("GET", "/health", headers={"Host": "box:9"}).json()["error"]["message"]

        assert said.startswith("This server is not called 'box:9'. Ask it as localhost, ")
        assert "the number of its address" in said
        assert said.endswith("started with --allow-host box.")

    @pytest.mark.parametrize(
        ("origin", "status"),
        [
            ("https://search.example.org", 200),
            ("http://search.example.org", 200),
            ("https://app.example.org", 200),
            ("https://other.example.org", 403),
            ("https://search.example.org:1", 403),
            ("null", 403),
            ("file://", 403),
        ],
    )
    def test_only_pages_of_its_own_or_allowed_ones_may_ask(
        self, send: Send, origin: str, status: int
    ) -> None:
        headers = {"Host": "search.example.org", "Origin": origin}
        assert send("GET", "/health", headers=headers).status_code == status

    def test_an_allowed_page_is_told_that_it_may(self, send: Send) -> None:
        origin = {"Origin": "https://app.example.org"}
        asked = send(
            "OPTIONS",
            "/api/search",
            headers={
                **origin,
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization",
            },
        )

        assert asked.status_code == 200
        assert asked.headers["access-control-allow-origin"] == "https://app.example.org"
        given = send("GET", "/health", headers=origin)
        assert given.headers["access-control-allow-origin"] == "https://app.example.org"


def test_no_page_of_elsewhere_is_told_that_it_may_by_default(send: Send) -> None:
    own = send("GET", "/health", headers={"Origin": BASE})

    assert own.status_code == 200
    assert "access-control-allow-origin" not in own.headers


class TestWithARate:
    @pytest.fixture
    def rules(self) -> Rules:
        return Rules(Names(PORT), rate=0.001)

    def test_who_asks_too_often_is_told_when_to_come_again(self, send: Send) -> None:
        assert send("GET", "/health").status_code == 200
        refused = send("GET", "/health")

        assert refused.status_code == 429
        assert refused.json()["error"]["type"] == "TooManyRequests"
        assert 1 <= int(refused.headers["retry-after"]) <= 1000


def test_a_bucket_fills_again_and_each_client_has_its_own() -> None:
    clock = SimpleNamespace(now=0.0)
    rate = Rate(lambda *_: None, per_second=2.0, clock=lambda: clock.now)  # type: ignore[arg-type]

    assert [rate._wait_s("a") for _ in range(5)] == [0, 0, 0, 0, 1 / 2.0]
    assert rate._wait_s("b") == 0
    clock.now = 0.5
    assert [rate._wait_s("a") for _ in range(2)] == [0, 1 / 2.0]


def test_clients_that_are_remembered_are_bounded() -> None:
    rate = Rate(lambda *_: None, per_second=1.0)  # type: ignore[arg-type]

    for number in range(10_500):
        rate._wait_s(str(number))

    assert len(rate._buckets) == 10_000
