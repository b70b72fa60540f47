"""Metrics, the description of the endpoints, the log and the page, in process."""

from __future__ import annotations

import json
import logging
import re
from datetime import datetime
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient
from tests.unit.doors.http.conftest import PORT, Send

from trivium.doors.hosting import Hosting
from trivium.doors.http import page
from trivium.doors.http.app import Rules, build
from trivium.doors.http.guard import Names
from trivium.doors.http.metrics import Gauge, Metrics
from trivium.doors.http.noting import JsonLines, Lines
from trivium.doors.http.openapi import document

LINE = re.compile(r'^[a-z_]+(\{[a-z]+="(\\.|[^"\\\n])*"(,[a-z]+="(\\.|[^"\\\n])*")*\})? \S+$')


def test_requests_stages_and_the_size_of_the_index_are_measured(get: Send) -> None:
    get("/api/search", q="password")
    get("/api/nodes/doc:nowhere.md")
    get("/somewhere/else")

    text = get("/metrics").text

    lines = text.splitlines()
    assert all(line.startswith("# ") or LINE.match(line) for line in lines)
    assert 'trivium_requests_total{method="GET",route="/api/search",status="200"} 1' in lines
    nodes = 'trivium_requests_total{method="GET",route="/api/nodes/{id:any}",status="404"} 1'
    assert nodes in lines
    assert 'trivium_requests_total{method="GET",route="other",status="404"} 1' in lines
    assert 'trivium_stage_seconds_count{stage="retrieve"} 1' in lines
    assert 'trivium_index_files{collection="shop"} 3' in lines
    assert 'trivium_queue{state="waiting"} 0' in lines
    assert "password" not in text


def test_a_histogram_adds_up() -> None:
    metrics = Metrics()
    for seconds in (0.0005, 0.001, 0.02, 99.0):
        metrics.stage("page", seconds)

    text = metrics.text([])

    def below(limit: str) -> str:
        return f'trivium_stage_seconds_bucket{{stage="page",le="{limit}"}}'

    assert f"{below('0.001')} 2\n" in text
    assert f"{below('0.025')} 3\n" in text
    assert f"{below('10.0')} 3\n" in text
    assert f"{below('+Inf')} 4\n" in text
    assert f'trivium_stage_seconds_sum{{stage="page"}} {0.0005 + 0.001 + 0.02 + 99.0:.6f}' in text


def test_a_name_with_odd_characters_breaks_no_line() -> None:
    gauge = Gauge("odd", "Odd.", {(("collection", 'a"b\\c\nd\udcff'),): 1.0})

    assert Metrics().text([gauge]).splitlines()[-1] == 'odd{collection="a\\"b\\\\c\\nd?"} 1'


def test_every_address_is_described_and_nothing_else(shops: Hosting) -> None:
    app = build(shops, rules=Rules(Names(PORT)))
    described = {
        (path, method.upper())
        for path, methods in document()["paths"].items()
        for method in methods
    }

    served = {
        (re.sub(r":any\}", "}", route.path), method)
        for route in app.routes
        if isinstance(route, Route) and route.path.startswith(("/api/", "/health", "/metrics"))
        for method in (route.methods or set()) - {"HEAD"}
    }

    described.remove(("/openapi.json", "GET"))
    assert described == served


def test_the_description_takes_what_the_models_take() -> None:
    search = document()["paths"]["/api/search"]

    names = [one["name"] for one in search["get"]["parameters"]]
    body = search["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert {"q", "limit", "filters", "collection", "cursor", "fields"} <= set(names)
    assert set(body["properties"]) == set(names) - {"q", "fields"} | {"query"}
    assert body["required"] == ["query"]


def test_a_line_of_the_log_is_one_object_without_the_query(
    send: Send, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        send("GET", "/api/search?q=quokka")
        send("GET", "/odd%0Aplace")

    lines = [JsonLines().format(one) for one in caplog.records if one.name.endswith("access")]
    told = [json.loads(line) for line in lines]
    assert all("\n" not in line for line in lines)
    assert [(one["method"], one["path"], one["status"]) for one in told] == [
        ("GET", "/api/search", 200),
        ("GET", "/odd\\nplace", 404),
    ]
    assert "quokka" not in "".join(lines)


def test_ids_of_nodes_are_logged_at_debug_only(
    send: Send, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        send("GET", "/api/nodes/doc:quokka.md")

    access = [one for one in caplog.records if one.name.endswith("access")]
    (info,) = (one for one in access if one.levelno >= logging.INFO)
    assert "/api/nodes/{id} " in info.getMessage()
    assert any("quokka" in one.getMessage() for one in access if one.levelno == logging.DEBUG)
    ours = [one for one in caplog.records if one.name.startswith("trivium")]
    loud = [one for one in ours if one.levelno >= logging.INFO]
    assert not any("quokka" in one.getMessage() for one in loud)


def test_a_line_of_the_log_says_when_how_bad_and_from_where(
    send: Send, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        send("GET", "/health")

    (record,) = (one for one in caplog.records if one.name.endswith("access"))
    when, level, client, *rest = Lines().format(record).split(" ")
    assert datetime.strptime(when, "%Y-%m-%dT%H:%M:%S%z").tzinfo is not None
    assert (level, client) == ("INFO", "127.0.0.1")
    assert rest[:3] == ["GET", "/health", "200"]


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    (tmp_path / "index.html").write_text("<!doctype html><title>x</title>", encoding="utf-8")
    (tmp_path / "app.js").write_text("export {};", encoding="utf-8")
    (tmp_path / "notes.py").write_text("secret = 1", encoding="utf-8")
    (tmp_path / ".hidden.js").write_text("secret", encoding="utf-8")
    (tmp_path.parent / "outside.js").write_text("secret", encoding="utf-8")
    return TestClient(Starlette(routes=page.routes(tmp_path)))


def test_the_page_and_its_parts_come_with_their_types_and_a_strict_policy(
    client: TestClient,
) -> None:
    whole, part = client.get("/"), client.get("/assets/app.js")

    assert whole.headers["content-type"] == "text/html; charset=utf-8"
    assert part.headers["content-type"] == "text/javascript; charset=utf-8"
    for one in (whole, part):
        assert one.headers["content-security-policy"].startswith("default-src 'self';")
        assert "unsafe" not in one.headers["content-security-policy"]
        assert one.headers["cache-control"] == "no-cache"
        assert one.headers["x-content-type-options"] == "nosniff"


def test_a_part_of_the_page_is_not_sent_twice(client: TestClient) -> None:
    tag = client.get("/assets/app.js").headers["etag"]

    again = client.get("/assets/app.js", headers={"If-None-Match": tag})

    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "name",
    ["no.js", "notes.py", ".hidden.js", "..%2Foutside.js", "..%5Coutside.js", "%00.js", "app"],
)
def test_nothing_but_the_pages_own_files_can_be_had(client: TestClient, name: str) -> None:
    assert client.get(f"/assets/{name}").status_code == 404
