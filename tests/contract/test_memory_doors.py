"""One suite for all doors: the same story leaves the same files, whoever tells it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import httpx
import pytest
from mcp import StdioServerParameters
from tests.e2e.server import environment, serving, soon
from tests.e2e.talking import Talk, talking

import trivium
from trivium import config

COMMAND = Path(sys.executable).with_name("trivium")
FUNCTION = "code:auth.py#hash_password"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
WRITERS, EACH = 4, 6


class Door(Protocol):
    """What every door can do."""

    def create(self, kind: str, title: str, **fields: object) -> None: ...
    def update(self, kind: str, slug: str, **fields: object) -> None: ...
    def link(self, kind: str, slug: str, type_: str, target: str) -> None: ...
    def unlink(self, kind: str, slug: str, type_: str, target: str) -> None: ...
    def use(self, slug: str) -> None: ...
    def delete(self, kind: str, slug: str) -> None: ...
    def titles(self, kind: str) -> list[str]: ...


class ByPython:
    def __init__(self, folder: Path) -> None:
        settings = config.load(environ=environment(folder.parent / "home"))
        self.shop = trivium.open(folder, settings=settings)
        self.shop.sync()

    def _shelf(self, kind: str) -> Any:
        return getattr(self.shop, f"{kind}s")

    def create(self, kind: str, title: str, **fields: object) -> None:
        self._shelf(kind).create(title, **fields)

    def update(self, kind: str, slug: str, **fields: object) -> None:
        self._shelf(kind).update(slug, **fields)

    def link(self, kind: str, slug: str, type_: str, target: str) -> None:
        self._shelf(kind).link(slug, type_, target)

    def unlink(self, kind: str, slug: str, type_: str, target: str) -> None:
        self._shelf(kind).unlink(slug, target, type_=type_)

    def use(self, slug: str) -> None:
        self.shop.skills.bump(slug)

    def delete(self, kind: str, slug: str) -> None:
        self._shelf(kind).delete(slug)

    def titles(self, kind: str) -> list[str]:
        return [one.title for one in self._shelf(kind).list(sort="title").items]


class ByCommand:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [COMMAND, *words],
            cwd=self.folder,
            env=environment(self.folder.parent / "home"),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def _flags(self, fields: dict[str, object]) -> list[str]:
        found: list[str] = []
        for name, value in fields.items():
            values = value if isinstance(value, list) else [value]
            flag = name.removesuffix("s") if isinstance(value, list) else name
            for one in values:
                found += [f"--{flag.replace('_', '-')}", str(one)]
        return found

    def create(self, kind: str, title: str, **fields: object) -> None:
        self._run(kind, "add", title, *self._flags(fields))

    def update(self, kind: str, slug: str, **fields: object) -> None:
        self._run(kind, "edit", slug, *self._flags(fields))

    def link(self, kind: str, slug: str, type_: str, target: str) -> None:
        self._run(kind, "link", slug, type_, target)

    def unlink(self, kind: str, slug: str, type_: str, target: str) -> None:
        self._run(kind, "link", slug, type_, target, "--remove")

    def use(self, slug: str) -> None:
        self._run("skill", "edit", slug, "--used")

    def delete(self, kind: str, slug: str) -> None:
        self._run(kind, "delete", slug, "--yes")

    def titles(self, kind: str) -> list[str]:
        data = json.loads(self._run(kind, "list", "--sort", "title", "--json"))
        return [one["title"] for one in data["results"]]


NAMES = {"due": "dueDate", "input_hints": "inputHints", "file_patterns": "filePatterns"}


def in_json(fields: dict[str, object]) -> dict[str, object]:
    return {NAMES.get(name, name): value for name, value in fields.items()}


class ByHttp:
    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def _send(self, method: str, address: str, body: object = None, **params: str) -> Any:
        answer = self.client.request(method, address, json=body, params=params or None)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def create(self, kind: str, title: str, **fields: object) -> None:
        self._send("POST", f"/api/{kind}s", {"title": title, **in_json(fields)})

    def update(self, kind: str, slug: str, **fields: object) -> None:
        self._send("PATCH", f"/api/{kind}s/{slug}", in_json(fields))

    def link(self, kind: str, slug: str, type_: str, target: str) -> None:
        self._send("POST", f"/api/{kind}s/{slug}/links", {"type": type_, "target": target})

    def unlink(self, kind: str, slug: str, type_: str, target: str) -> None:
        self._send("DELETE", f"/api/{kind}s/{slug}/links", target=target, type=type_)

    def use(self, slug: str) -> None:
        self._send("POST", f"/api/skills/{slug}/bump")

    def delete(self, kind: str, slug: str) -> None:
        self._send("DELETE", f"/api/{kind}s/{slug}")

    def titles(self, kind: str) -> list[str]:
        found = self._send("GET", f"/api/{kind}s", sort="title")
        return [one["title"] for one in found["results"]]


class ByTool:
    def __init__(self, talk: Talk) -> None:
        self._call = talk.call

    def create(self, kind: str, title: str, **fields: object) -> None:
        text = "content" if kind == "note" else "description"
        usual: dict[str, object] = {"priority": "medium"} if kind == "task" else {}
        given = {"title": title, text: "", **usual, **in_json(fields)}
        self._call(f"{kind}s_create", given)

    def update(self, kind: str, slug: str, **fields: object) -> None:
        self._call(f"{kind}s_update", {f"{kind}Id": slug, **in_json(fields)})

    def link(self, kind: str, slug: str, type_: str, target: str) -> None:
        ends = ("fromId", "toId") if kind == "note" else (f"{kind}Id", "targetId")
        given: dict[str, object] = {ends[0]: slug, ends[1]: target, "kind": type_}
        self._call(f"{kind}s_create_link", given)

    def unlink(self, kind: str, slug: str, type_: str, target: str) -> None:
        del type_
        ends = ("fromId", "toId") if kind == "note" else (f"{kind}Id", "targetId")
        self._call(f"{kind}s_delete_link", {ends[0]: slug, ends[1]: target})

    def use(self, slug: str) -> None:
        self._call("skills_bump_usage", {"skillId": slug})

    def delete(self, kind: str, slug: str) -> None:
        self._call(f"{kind}s_delete", {f"{kind}Id": slug})

    def titles(self, kind: str) -> list[str]:
        return sorted(one["title"] for one in self._call(f"{kind}s_list", {})["results"])


def story(door: Door) -> None:
    """Write, change, link, use and delete, of every kind."""
    door.create("note", "Why argon2", content="bcrypt cuts: 72 bytes.", tags=["security", "a b"])
    door.create("note", "Why argon2", content="Again.")
    door.create("note", "Gone", content="Soon.")
    door.create("task", "Hash anew", description="All.", priority="high", due="2026-12-24")
    door.create(
        "skill",
        "Release",
        description="How.",
        steps=["Test", "Tag: it"],
        triggers=["ship it"],
        input_hints=["which"],
        file_patterns=["*.toml"],
        confidence=0.5,
    )
    door.update("note", "why-argon2", content="bcrypt cuts passwords.\n\n- one\n- two", tags=["x"])
    door.update("task", "hash-anew", status="done", assignee="ana")
    door.link("note", "why-argon2", "references", FUNCTION)
    door.link("task", "hash-anew", "related_to", "note:why-argon2")
    door.link("skill", "release", "references", FUNCTION)
    door.unlink("skill", "release", "references", FUNCTION)
    door.use("release")
    door.delete("note", "gone")
    assert door.titles("note") == ["Why argon2", "Why argon2"]
    assert door.titles("task") == ["Hash anew"]
    assert door.titles("skill") == ["Release"]


def shop_in(place: Path) -> Path:
    folder = place / "shop"
    folder.mkdir(parents=True)
    (folder / "auth.py").write_text("def hash_password(text):\n    return text\n")
    return folder


def files(folder: Path) -> dict[str, str]:
    place = folder / ".trivium"
    return {
        path.relative_to(place).as_posix(): TIME.sub("TIME", path.read_text(encoding="utf-8"))
        for path in place.rglob("*.md")
    }


def told_by_python(folder: Path) -> None:
    door = ByPython(folder)
    story(door)
    door.shop.close()


def told_by_command(folder: Path) -> None:
    story(ByCommand(folder))


def told_by_http(folder: Path) -> None:
    with serving([folder], folder.parent / "home") as running:
        assert soon(running.is_ready)
        story(ByHttp(running.client))


def told_by_tool(folder: Path) -> None:
    server = StdioServerParameters(
        command=str(COMMAND),
        args=["mcp", str(folder), "--tools", "memory"],
        env=environment(folder.parent / "home"),
    )
    with talking(server) as talk:
        story(ByTool(talk))


@pytest.mark.parametrize("tell", [told_by_command, told_by_http, told_by_tool])
def test_a_story_told_through_any_door_leaves_the_same_files(
    tmp_path: Path, tell: Callable[[Path], None]
) -> None:
    wanted, folder = shop_in(tmp_path / "python"), shop_in(tmp_path / "door")

    told_by_python(wanted)
    tell(folder)

    assert files(folder) == files(wanted)
    assert set(files(folder)) == {
        "notes/why-argon2.md",
        "notes/why-argon2~2.md",
        "tasks/hash-anew.md",
        "skills/release.md",
    }


def test_agents_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = shop_in(tmp_path)
    with serving([folder], tmp_path / "home") as running:
        assert soon(running.is_ready)
        door = ByHttp(running.client)
        door.create("note", "Log")
        door.create("skill", "Deploy")
        faults: list[object] = []

        def write(me: int) -> None:
            address = str(running.client.base_url)
            with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
                try:
                    for number in range(EACH):
                        append(client, f"{me}-{number}")
                        ByHttp(client).use("deploy")
                        ByHttp(client).create("note", "Same title", content=f"{me}-{number}")
                except Exception as error:  # noqa: BLE001 - a thread's fault is told to the test
                    faults.append(error)

        threads = [threading.Thread(target=write, args=(me,)) for me in range(WRITERS)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()

        assert faults == []
        said = {f"{me}-{number}" for me in range(WRITERS) for number in range(EACH)}
        log = running.client.get("/api/notes/log").json()["content"]
        assert sorted(log.split()) == sorted(said)
        assert running.client.get("/api/skills/deploy").json()["usageCount"] == len(said)
        same = running.client.get("/api/notes?filter=same&limit=500").json()
        assert same["total"] == len(said)
        found = running.client.get("/api/notes/search?q=3-5&limit=100").json()
        assert found["total"] >= 1


def append(client: httpx.Client, line: str) -> None:
    """Add a line to one note, as often as another was faster."""
    while True:
        note = client.get("/api/notes/log")
        body = {"content": f"{note.json()['content']}\n{line}"}
        headers = {"If-Match": note.headers["ETag"]}
        done = client.patch("/api/notes/log", json=body, headers=headers)
        if done.status_code == 200:
            return
        assert done.json()["error"]["type"] == "VersionConflict", done.text
