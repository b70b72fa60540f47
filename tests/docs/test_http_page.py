"""The examples of the page about HTTP, asked of a real server; every endpoint has one."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.e2e.server import Server, serving, soon

from trivium.doors.http.openapi import document

PAGE = (Path(__file__).parents[2] / "docs" / "http.md").read_text(encoding="utf-8")
# A block of commands, and what stands below it as its answer.
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n```json\n(.*?)^```)?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    method: str
    address: str
    body: str | None
    answer: dict[str, object] | None
    headers: dict[str, str]


def example(line: str, answer: str | None) -> Example:
    words = iter(shlex.split(line)[1:])
    method, address, body = "", "", None
    headers: dict[str, str] = {}
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-d":
            body = next(words)
        elif word == "-H":
            name, _, value = next(words).partition(": ")
            headers[name] = value
        elif word != "-N":
            address = word.removeprefix("localhost:7700")
    shown = None if answer is None else json.loads(answer)
    return Example(method or ("GET" if body is None else "POST"), address, body, shown, headers)


def examples() -> list[Example]:
    found = []
    for commands, answer in BLOCK.findall(PAGE):
        lines = [line for line in commands.splitlines() if line.startswith("curl ")]
        found += [example(line, None) for line in lines[:-1]]
        found += [example(line, answer or None) for line in lines[-1:]]
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = tmp_path_factory.mktemp("page")
    (place / "shop" / "sub").mkdir(parents=True)
    (place / "farm").mkdir()
    (place / "shop" / "sub" / "auth.py").write_text(
        "import base64\n\ndef hash_password(text: str) -> str:\n"
        '    """Hash a password with salt."""\n'
        "    return text[::-1]\n\nclass Validator:\n"
        "    def check(self, token: str) -> bool:\n        return bool(token)\n",
        encoding="utf-8",
    )
    (place / "shop" / "guide.md").write_text(
        "# Guide\n\n## Install\n\nInstall the password tool.\n", encoding="utf-8"
    )
    with serving([place / "shop"], place / "home", "--root", str(place)) as running:
        assert soon(running.is_ready)
        assert soon(
            lambda: (
                running.client.get("/api/status").json()["unlinkedFiles"] == 0
                and running.client.get("/api/status").json()["progress"] is None
            )
        )
        yield running


def keys(value: object) -> object:
    """Return the names in some data, and nothing else."""
    if isinstance(value, dict):
        return {key: keys(one) for key, one in value.items()}
    if isinstance(value, list):
        return [keys(value[0])] if value else []
    return None


# Of these the names are the reader's own: facets, what a symbol says of itself.
OPEN = {"facets", "metadata"}


def test_each_example_is_answered_and_looks_as_shown(server: Server) -> None:
    place = server.client.get("/api/collections").json()["collections"][0]["folder"]
    farm = str(Path(place).parent / "farm")
    for one in examples():
        body = None if one.body is None else one.body.replace("/home/me/code/farm", farm)

        answer = server.client.request(one.method, one.address, content=body, headers=one.headers)

        assert answer.status_code in (200, 201), (one, answer.text)
        if one.answer is not None:
            given = answer.json()
            for data in (given, one.answer):
                for name in OPEN & set(data):
                    data[name] = None
            assert keys(given) == keys(one.answer), one.address


def test_every_endpoint_has_an_example() -> None:
    shown = {(one.method, one.address.partition("?")[0]) for one in examples()}
    for path, methods in document()["paths"].items():
        place = re.compile(re.sub(r"\{\w+\}", ".+", path) + "$")
        for method in methods:
            wanted = (method.upper(), path)
            if "/attachments" in path and "/notes/" not in path:
                # The page says that they are the same.
                continue
            is_shown = any(way == wanted[0] and place.match(where) for way, where in shown)
            assert is_shown or wanted == ("GET", "/api/search"), wanted


def test_every_status_of_the_description_is_in_the_table_of_errors() -> None:
    table = PAGE.partition("## Errors")[2]
    listed = {
        code
        for line in re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE)
        for code in line.split(", ")
    }

    assert listed - {"405"} == set(document()["components"]["responses"]) - {"500"}


def test_every_command_line_option_is_on_its_page() -> None:
    from trivium.doors.cli.serving import serve

    flags = {name for one in serve.params for name in one.opts if name.startswith("--")}
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    missing = {flag for flag in flags if flag not in page and flag not in PAGE}
    assert missing <= {"--host", "--idle"}
