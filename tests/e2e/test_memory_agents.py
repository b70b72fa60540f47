"""Agents with real clients: a decision is remembered beside its code, and two write at once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters
from tests.e2e.server import COMMAND, environment, serving, soon

FUNCTION = "code:auth.py#hash_password"
EACH = 8
CODE = '''
def hash_password(text):
    """Make a password safe to keep."""
    return text[::-1]


def greet(name):
    """Say hello."""
    return f"Hello {name}"
'''

Tool = Callable[..., dict[str, Any]]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "auth.py").write_text(CODE)
    return folder


def in_session(shop: Path, talk: Callable[[Tool], None]) -> None:
    """Start a server for one agent, and let it talk; the server ends with it."""
    server = StdioServerParameters(
        command=str(COMMAND),
        args=["mcp", str(shop), "--tools", "memory,graph"],
        env=environment(shop.parent / "home"),
    )

    async def held() -> None:
        async with Client(server) as client:
            loop = asyncio.get_running_loop()

            def tool(name: str, **given: object) -> dict[str, Any]:
                calling = client.call_tool(name, given)
                result = asyncio.run_coroutine_threadsafe(calling, loop).result()
                assert not result.is_error, (name, result.content)
                data: dict[str, Any] | None = result.structured_content
                assert data is not None
                return data

            await asyncio.to_thread(talk, tool)

    asyncio.run(held())


def test_a_decision_is_remembered_and_comes_with_the_code_it_is_about(shop: Path) -> None:
    def remember(tool: Tool) -> None:
        made = tool(
            "notes_create", title="Why argon2", content="The other one cuts after 72 bytes."
        )
        (function,) = [
            hit["id"] for hit in tool("search", query="hash_password", kind="code")["results"]
        ][:1]
        assert function == FUNCTION
        linked = tool("notes_create_link", fromId=made["noteId"], toId=function, kind="references")
        assert linked == {"created": True}

    def ask(tool: Tool) -> None:
        found = tool("search", query="make a password safe", expand="context")["results"]
        assert [hit["id"] for hit in found][:2] == [FUNCTION, "note:why-argon2"]
        assert found[1]["context"]["sourceId"] == FUNCTION
        # Not by its own words, which have nothing to do with the question.
        alone = tool("search", query="make a password safe", kind="note")["results"]
        assert alone == []
        (about,) = tool("notes_find_linked", targetId=FUNCTION, targetGraph="code")["results"]
        assert (about["noteId"], about["kind"]) == ("note:why-argon2", "references")

    in_session(shop, remember)
    in_session(shop, ask)


@pytest.mark.parametrize(
    "change", [lambda file: file.write_text(CODE.replace("hash_password", "hashed")), Path.unlink]
)
def test_a_target_that_was_renamed_or_deleted_shows_as_broken_through_every_door(
    shop: Path, change: Callable[[Path], object]
) -> None:
    def write(tool: Tool) -> None:
        made = tool("notes_create", title="Why argon2", content="It is slow.")
        tool("notes_create_link", fromId=made["noteId"], toId=FUNCTION, kind="references")
        (link,) = tool("notes_list_links", noteId="why-argon2")["results"]
        assert (link["target"], link["broken"]) == (FUNCTION, False)
        change(shop / "auth.py")
        (link,) = tool("notes_list_links", noteId="why-argon2")["results"]
        assert (link["target"], link["broken"]) == (FUNCTION, True)
        read = tool("notes_get", noteId="why-argon2")
        assert (read["brokenLinks"], read["relations"][0]["broken"]) == ([FUNCTION], True)

    in_session(shop, write)
    with serving([shop], shop.parent / "home") as running:
        assert soon(running.is_ready)
        assert running.client.get("/api/notes/why-argon2").json()["brokenLinks"] == [FUNCTION]
        (link,) = running.client.get("/api/notes/why-argon2/links").json()["links"]
        assert link["broken"] is True
    shown = subprocess.run(
        [COMMAND, "note", "show", "why-argon2", "--json"],
        cwd=shop,
        env=environment(shop.parent / "home"),
        capture_output=True,
        check=True,
    )
    assert json.loads(shown.stdout)["links"][0]["broken"] is True


def test_an_agent_over_stdio_and_one_over_http_write_at_once_and_lose_nothing(shop: Path) -> None:
    faults: list[BaseException] = []

    def told(me: str, write: Callable[[str], None]) -> None:
        try:
            for number in range(EACH):
                write(f"{me}-{number}")
        except BaseException as error:  # noqa: BLE001 - a thread's fault is told to the test
            faults.append(error)

    with serving([shop], shop.parent / "home") as running:
        assert soon(running.is_ready)
        client = running.client
        assert client.post("/api/notes", json={"title": "Log"}).status_code == 201
        assert client.post("/api/skills", json={"title": "Deploy"}).status_code == 201

        def by_http(line: str) -> None:
            appended(client, line)
            assert client.post("/api/skills/deploy/bump").status_code == 200
            body = {"title": "Same title", "content": line}
            assert client.post("/api/notes", json=body).status_code == 201

        def by_tools(tool: Tool) -> None:
            def write(line: str) -> None:
                note = tool("notes_get", noteId="log")
                # Whoever names no version changes what the file says then, field by field.
                tool("notes_update", noteId="log", tags=[*note["tags"], line])
                tool("skills_bump_usage", skillId="deploy")
                tool("notes_create", title="Same title", content=line)

            other = threading.Thread(target=told, args=("http", by_http))
            other.start()
            told("tool", write)
            other.join()

        in_session(shop, by_tools)
        assert faults == []
        lines = {f"{me}-{number}" for me in ("http", "tool") for number in range(EACH)}
        log = client.get("/api/notes/log").json()
        assert set(log["content"].split()) == {f"http-{number}" for number in range(EACH)}
        assert log["tags"] == [f"tool-{number}" for number in range(EACH)]
        assert client.get("/api/skills/deploy").json()["usageCount"] == len(lines)
        assert client.get("/api/notes?filter=same&limit=500").json()["total"] == len(lines)
        texts = (shop / ".trivium" / "notes").glob("same-title*.md")
        assert {text.read_text().split()[-1] for text in texts} == lines
        for line in ("http-3", "tool-5"):
            assert client.get(f"/api/notes/search?q={line}").json()["total"] >= 1
    assert not (shop / ".trivium" / "conflicts").exists()


def appended(client: httpx.Client, line: str) -> None:
    """Add a line to a note, as often as another was faster."""
    while True:
        note = client.get("/api/notes/log")
        body = {"content": f"{note.json()['content']}\n{line}"}
        done = client.patch("/api/notes/log", json=body, headers={"If-Match": note.headers["ETag"]})
        if done.status_code == 200:
            return
        assert done.json()["error"]["type"] == "VersionConflict", done.text
