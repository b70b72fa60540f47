"""Standard input as it comes: it may end early, and a line may be no message."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.test_mcp import GREETING, environ

LAUNCH = "from trivium.doors.cli.main import main; main()"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "a.md").write_text("# Gate\n\nThe password.\n", encoding="utf-8")
    yield folder
    # What --connect has started would wait for others.
    for file in (tmp_path / "home" / "servers").glob("*.json"):
        os.kill(int(file.stem), signal.SIGTERM)


def said_to(shop: Path, lines: list[str], *options: str) -> list[dict[str, Any]]:
    """Send all lines at once and end the input; return what came back before the process ended."""
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, "mcp", str(shop), *options],
        env=environ(shop),
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def call(number: int) -> str:
    params = {"name": "search", "arguments": {"query": "password"}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


GREETED = [json.dumps({"jsonrpc": "2.0", **one}) for one in GREETING]


@pytest.mark.parametrize("options", [(), ("--connect",)])
def test_calls_that_were_read_before_the_end_of_input_are_answered(
    shop: Path, options: tuple[str, ...]
) -> None:
    replies = said_to(shop, [*GREETED, *(call(number) for number in (10, 11, 12))], *options)

    found = {one["id"]: one for one in replies if one.get("id", 0) >= 10}
    assert sorted(found) == [10, 11, 12]
    for one in found.values():
        assert one["result"]["structuredContent"]["total"] == 1


@pytest.mark.parametrize("options", [(), ("--connect",)])
def test_an_id_used_again_before_its_answer_gets_two_answers_and_ends_nothing(
    shop: Path, options: tuple[str, ...]
) -> None:
    replies = said_to(shop, [*GREETED, call(10), call(10), call(11), call(10)], *options)

    found = [one for one in replies if one.get("id", 0) >= 10]
    assert sorted(one["id"] for one in found) == [10, 10, 10, 11]
    assert all(one["result"]["structuredContent"]["total"] == 1 for one in found)


def test_a_line_that_is_no_message_gets_an_error_and_the_next_is_answered(shop: Path) -> None:
    lines = [*GREETED, "{oops", "", '{"jsonrpc": "2.0", "id": []}', call(10)]

    replies = said_to(shop, lines)

    codes = [one["error"]["code"] for one in replies if one.get("id") is None and "error" in one]
    assert codes == [-32700, -32600]
    (last,) = (one for one in replies if one.get("id") == 10)
    assert last["result"]["structuredContent"]["total"] == 1


@pytest.mark.parametrize("options", [(), ("--connect",)])
def test_two_folders_of_one_name_are_asked_by_two(shop: Path, options: tuple[str, ...]) -> None:
    other = shop.parent / "else" / "shop"
    other.mkdir(parents=True)
    (other / "b.md").write_text("# Barn\n\nThe password.\n", encoding="utf-8")
    params = {"name": "search", "arguments": {"query": "password", "collection": "*"}}
    asked = {"jsonrpc": "2.0", "id": 10, "method": "tools/call", "params": params}

    replies = said_to(shop, [*GREETED, json.dumps(asked)], f"till={other}", *options)

    (reply,) = (one for one in replies if one.get("id") == 10)
    hits = reply["result"]["structuredContent"]["results"]
    assert {(hit["collection"], hit["name"]) for hit in hits} == {
        ("shop", "Gate"),
        ("till", "Barn"),
    }
