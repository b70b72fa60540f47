"""The page on memory: what an agent sends and gets there is what it gets, in two sessions."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

import trivium

PAGE = (Path(__file__).parents[2] / "docs" / "memory.md").read_text(encoding="utf-8")
RUN = "from trivium.doors.cli.main import main; main()"
CODE = '''
def hash_password(text):
    """Passwords are hashed before they are checked."""
    return text[::-1]
'''


def sessions() -> list[list[tuple[str, dict[str, object], str]]]:
    """Return the calls of each block: the tool, what it is given, and what comes back."""
    blocks = re.findall(r"^```text\n(> .*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    found = []
    for block in blocks:
        calls = []
        for one in block.removeprefix("> ").split("\n> "):
            said, _, back = one.partition("\n")
            name, _, given = said.partition(" ")
            calls.append((name, json.loads(given), back.strip()))
        found.append(calls)
    return found


def test_the_transcript_of_the_page_is_what_happens(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "auth.py").write_text(CODE)
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", RUN, "mcp", str(folder), "--tools", "memory"],
        env={
            "TRIVIUM_HOME": str(tmp_path / "home"),
            "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
            "PYTHONPATH": str(Path(trivium.__file__).parent.parent),
        },
    )

    async def talk(calls: list[tuple[str, dict[str, object], str]]) -> None:
        async with Client(server) as client:
            for name, given, back in calls:
                result = await client.call_tool(name, given)
                data = result.structured_content
                assert data is not None, result.content
                if back.startswith("{"):
                    assert data == json.loads(back), name
                else:
                    assert [hit["id"] for hit in data["results"]] == back.splitlines(), name

    told = sessions()
    assert len(told) == 2
    for calls in told:
        asyncio.run(talk(calls))
