from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from tests.e2e.server import Server, serving, soon

from trivium import __version__
from trivium.backends.embedded.lock import writer_lock
from trivium.home import folder_of

ANSWER_KEYS = [
    "query",
    "profile",
    "method",
    "embedder",
    "collection",
    "results",
    "total",
    "facets",
    "suggestions",
    "didYouMean",
    "coverage",
    "freshness",
    "degraded",
    "notes",
    "tookMs",
    "next",
    "matching",
]


def filled(folder: Path) -> Path:
    folder.mkdir()
    (folder / "sub").mkdir()
    (folder / "sub" / "auth.py").write_text(
        'def hash_password(text: str) -> str:\n    """Hash a password with salt."""\n'
        "    return text[::-1]\n\n\nclass Validator:\n"
        "    def check(self, token: str) -> bool:\n        return bool(token)\n",
        encoding="utf-8",
    )
    (folder / "guide.md").write_text(
        "# Guide\n\nRead me.\n\n## Install\n\nInstall the password tool.\n", encoding="utf-8"
    )
    (folder / "odd\nname.md").write_text("# Odd\n\nA zebra.\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("http") / "shop")


@pytest.fixture(scope="module")
def server(shop: Path) -> Iterator[Server]:
    with serving([shop], shop.parent / "home") as running:
        assert soon(running.is_ready)
        yield running


def error_of(response: httpx.Response) -> tuple[int, str, str]:
    told = response.json()["error"]
    assert list(told) == ["type", "message"]
    return response.status_code, told["type"], told["message"]


def test_health_names_version_and_collection(server: Server) -> None:
    response = server.client.get("/health")

    assert response.status_code == 200
    assert response.json() == {"status": "ok", "version": __version__, "collection": "shop"}


def test_a_search_answers_in_the_one_shape_of_every_door(server: Server) -> None:
    response = server.ask(query="hash password", limit=5)

    assert response.status_code == 200
    assert list(response.json()) == ANSWER_KEYS
    assert response.json()["results"][0]["id"] == "code:sub/auth.py#hash_password"


def test_the_first_seeds_five_keys_are_accepted_as_they_are(server: Server) -> None:
    body = {"graphId": "shop", "query": "password", "limit": 10, "kind": "doc", "domain": None}

    assert server.ids(**body) == ["doc:guide.md#Install"]


def test_g20_fields_xplor_gives_the_first_seeds_keys_and_the_level(server: Server) -> None:
    response = server.client.post("/api/search?fields=xplor", json={"query": "hash password"})

    first = response.json()["results"][0]
    assert list(response.json()) == ["results", "total", "method"]
    assert set(first) == {"id", "name", "type", "score", "description", "source", "level"}
    assert first["level"] == 1
    assert first["source"] == {"filePath": "sub/auth.py", "startLine": 1}


def test_get_and_post_give_the_same_hits(server: Server) -> None:
    params = {"q": "password", "top": "1", "filters": '{"lang": "python"}'}

    by_get = server.client.get("/api/search", params=params).json()["results"]

    assert [hit["id"] for hit in by_get] == server.ids(
        query="password", maxResults=1, filters={"lang": ["python"]}
    )
    assert len(by_get) == 1


def test_explain_gives_parts_that_add_up_to_the_score(server: Server) -> None:
    hit = server.ask(query="password", explain=True).json()["results"][0]

    parts = hit["scoreBreakdown"]["parts"]
    assert hit["score"] == pytest.approx(sum(part["value"] for part in parts))


def test_nothing_found_is_an_answer(server: Server) -> None:
    response = server.ask(query="xyzzyplugh")

    assert response.status_code == 200
    assert response.json()["results"] == []


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("code:sub/auth.py#Validator.check", "check"),
        ("code:sub/auth.py#Validator.check@0", "check"),
        ("doc:odd\nname.md#Odd", "Odd"),
    ],
)
def test_a_node_is_found_by_its_percent_encoded_id(server: Server, wanted: str, name: str) -> None:
    response = server.client.get(f"/api/nodes/{quote(wanted, safe='')}")

    assert response.status_code == 200
    assert response.json()["name"] == name
    assert response.json()["id"] == wanted.removesuffix("@0")
    assert response.json()["text"]


def test_an_unknown_node_is_404(server: Server) -> None:
    response = server.client.get("/api/nodes/code:no.py%23no")

    assert error_of(response) == (404, "ChunkNotFound", "Chunk not found: code:no.py#no")


@pytest.mark.parametrize(
    ("body", "status", "named"),
    [
        ({"query": "cat", "limitt": 3}, 422, "'limitt'. Did you mean 'limit'"),
        ({"query": "cat", "limit": 0}, 422, "limit"),
        ({"query": "cat", "limit": "3"}, 422, "limit"),
        ({"query": "x" * 10_001}, 422, "query"),
        ({"limit": 3}, 422, "query"),
        ([], 422, "JSON object"),
        ({"query": "cat", "limit": 10_000}, 400, "limit is 10000"),
        ({"query": "cat", "topK": 3}, 400, "topK"),
        ({"query": "cat", "profile": "bset"}, 400, "'best'"),
        ({"query": "cat", "mode": "cod"}, 400, "mode"),
        ({"query": "cat", "searchMode": "magic"}, 400, "search mode"),
        ({"query": "cat", "filters": {"lnag": "go"}}, 400, "'lnag'. Did you mean 'lang'"),
        ({"query": "cat", "graphId": "other"}, 404, "'other'"),
    ],
)
def test_a_request_that_is_wrong_is_told_what_is_wrong(
    server: Server, body: object, status: int, named: str
) -> None:
    response = server.client.post("/api/search", json=body)

    assert error_of(response)[0] == status
    assert named in error_of(response)[2]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"query": NaN}', b"[" * 100_000])
def test_malformed_json_is_400(server: Server, body: bytes) -> None:
    response = server.client.post("/api/search", content=body)

    assert error_of(response)[:2] == (400, "UsageError")


@pytest.mark.parametrize(
    "query", ["q=a&q=b", "q=a&query=b", "q=a&limit=x", "q=a&fields=all", "q=a&filters=[", "limit=3"]
)
def test_a_wrong_query_string_is_refused(server: Server, query: str) -> None:
    assert error_of(server.client.get(f"/api/search?{query}"))[0] in (400, 422)


def test_a_wrong_method_is_told_the_right_ones(server: Server) -> None:
    response = server.client.put("/api/search", json={})

    assert error_of(response)[:2] == (405, "MethodNotAllowed")
    assert {"GET", "POST"} <= set(response.headers["allow"].split(", "))


def test_an_unknown_path_is_404_in_json(server: Server) -> None:
    assert error_of(server.client.get("/api/nope"))[:2] == (404, "NotFound")


def test_a_body_over_one_megabyte_is_413_by_its_announced_length(server: Server) -> None:
    response = server.ask(query="x" * 1_000_001)

    assert error_of(response)[:2] == (413, "BodyTooLarge")


def test_a_body_over_one_megabyte_is_413_without_an_announced_length(server: Server) -> None:
    response = server.client.post("/api/search", content=(b"x" * 50_000 for _ in range(21)))

    assert error_of(response)[:2] == (413, "BodyTooLarge")


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
def test_the_server_answers_to_loopback_names_with_its_port(server: Server, name: str) -> None:
    headers = {"Host": f"{name}:{server.port}"}

    assert server.client.get("/health", headers=headers).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost", "localhost:1", "127.0.0.1.evil:80"])
def test_another_host_name_is_refused(server: Server, host: str) -> None:
    response = server.client.get("/health", headers={"Host": host})

    assert error_of(response)[:2] == (403, "HostRefused")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1"])
def test_a_page_of_another_origin_is_refused(server: Server, origin: str) -> None:
    response = server.client.post(
        "/api/search", json={"query": "password"}, headers={"Origin": origin}
    )

    assert error_of(response)[:2] == (403, "OriginRefused")


def test_a_page_of_the_servers_own_origin_is_answered(server: Server) -> None:
    headers = {"Origin": f"http://127.0.0.1:{server.port}"}

    assert server.client.get("/health", headers=headers).status_code == 200


def test_many_requests_at_once_all_get_the_same_answer(server: Server) -> None:
    with ThreadPoolExecutor(16) as threads:
        asked = [threads.submit(server.ids, query="password") for _ in range(64)]

    assert {tuple(one.result()) for one in asked} == {tuple(server.ids(query="password"))}


def test_a_file_written_while_the_server_runs_is_found(server: Server, shop: Path) -> None:
    (shop / "late.md").write_text("# Late\n\nA quokka arrives.\n", encoding="utf-8")

    assert soon(lambda: server.ids(query="quokka") == ["doc:late.md#Late"])


def test_before_the_folder_is_indexed_a_search_answers_and_says_so(tmp_path: Path) -> None:
    folder, home = filled(tmp_path / "shop"), tmp_path / "home"
    place = folder_of(folder, home)
    place.mkdir(parents=True)
    with writer_lock(place, wait_s=1.0), serving([folder], home) as running:
        answer = running.ask(query="password").json()

        assert answer["results"] == []
        assert answer["degraded"][0]["stage"] == "sync"


@pytest.mark.parametrize("wish", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order(tmp_path: Path, wish: signal.Signals) -> None:
    with serving([filled(tmp_path / "shop")], tmp_path / "home") as running:
        assert running.client.get("/health").status_code == 200
        running.process.send_signal(wish)

        assert running.process.wait(timeout=60) == 0


def test_the_log_names_requests_and_never_what_was_asked(tmp_path: Path) -> None:
    with serving([filled(tmp_path / "shop")], tmp_path / "home") as running:
        running.ask(query="quokkaposted")
        running.client.get("/api/search", params={"q": "quokkagotten"})
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        running.client.post(
            "/mcp", json=message, headers={"Accept": "application/json, text/event-stream"}
        )
        running.process.terminate()
        running.process.wait(timeout=60)

    log = "".join(running.lines)
    assert "POST /api/search 200" in log
    assert "GET /api/search 200" in log
    assert "quokka" not in log
    assert "Terminating session" not in log
