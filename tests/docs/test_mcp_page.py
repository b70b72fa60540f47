"""The page on MCP: its three lines start a server, every tool is on it, and its calls run."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

import trivium
from trivium.doors.mcp.server import tools_of

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
SETS = ("core", "xplor", "rag", "graph", "memory")
RUN = "from trivium.doors.cli.main import main; main()"


def section(name: str) -> str:
    return PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def calls(name: str) -> list[dict[str, object]]:
    blocks = re.findall(r"^```json\n(.*?)^```", section(name), re.MULTILINE | re.DOTALL)
    return [json.loads(line) for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page") / "shop"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "auth.py").write_text(
        "import os\n\ndef hash_password(text: str) -> str:\n"
        '    """Hash a password with salt."""\n    return text[::-1]\n\n'
        "class Validator:\n    def check(self, token: str) -> bool:\n"
        "        return bool(hash_password(token))\n",
        encoding="utf-8",
    )
    (folder / "guide.md").write_text(
        "# Guide\n\n## Install\n\n### From source\n\nRun make to install the password tool.\n",
        encoding="utf-8",
    )
    return folder


@pytest.mark.parametrize("name", SETS)
def test_every_tool_and_all_it_takes_is_on_the_page(name: str) -> None:
    text = section(name)

    for tool in tools_of((name,)):
        assert f"`{tool.name}`" in text
        for argument in tool.input_schema["properties"]:
            assert f"`{argument}`" in text, (tool.name, argument)


@pytest.mark.parametrize("name", SETS)
def test_the_calls_on_the_page_run_with_the_three_lines_of_configuration(
    shop: Path, name: str
) -> None:
    block = re.search(r"^```json\n(\{\"mcpServers\".*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert block is not None
    written = block[1].replace("/home/ana/code/shop", str(shop))
    configured = json.loads(written)["mcpServers"]["trivium"]
    assert written.count("\n") == 3
    assert configured["command"] == "trivium"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", RUN, *configured["args"], "--tools", name],
        env={
            "TRIVIUM_HOME": str(shop.parent / "home"),
            "TRIVIUM_CONFIG": str(shop.parent / "none.toml"),
            "TRIVIUM_EMBEDDING__MODEL": "none",
            "PYTHONPATH": str(Path(trivium.__file__).parent.parent),
        },
    )

    async def talk() -> list[tuple[object, object]]:
        failed: list[tuple[object, object]] = []
        async with Client(server) as client:
            for call in calls(name):
                arguments = call["arguments"]
                assert isinstance(arguments, dict)
                result = await client.call_tool(str(call["name"]), arguments)
                if result.is_error:
                    failed.append((call, result.content))
        return failed

    made = [str(call["name"]) for call in calls(name)]
    listed = [tool.name for tool in tools_of((name,))]
    # What writes comes in the order that makes sense, and may come twice.
    assert made == listed if name != "memory" else set(made) == set(listed)
    assert asyncio.run(talk()) == []


def test_the_readme_configures_an_agent_in_three_lines() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    block = re.search(r"^    \{\"mcpServers\".*?\n    \}\}$", readme, re.MULTILINE | re.DOTALL)

    assert block is not None
    assert block[0].count("\n") == 2
    entry = json.loads(block[0])["mcpServers"]["trivium"]
    assert (Path(entry["command"]).name, entry["args"][0]) == ("trivium", "mcp")
