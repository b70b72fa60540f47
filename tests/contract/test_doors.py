"""One suite for all doors: the same question gives the same answer, in the same shape."""

from __future__ import annotations

import asyncio
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters
from pydantic.alias_generators import to_camel

import trivium
from trivium import config
from trivium.results.present import as_data

COMMAND = Path(sys.executable).parent / "trivium"
DOORS = ("python", "command line", "http", "mcp")
QUESTIONS: list[dict[str, Any]] = [
    {"query": "password"},
    {"query": "hash a password", "explain": True},
    {"query": "password", "kind": "doc", "limit": 1},
    {"query": '"reset a password" -cats', "profile": "rag"},
    {"query": "password", "filters": {"return-type": "str", "param": ["text", "other"]}},
    {"query": "password", "filters": {"returns": True, "filter": "lang:python auth"}},
    {"query": "password", "filters": {"branches": 1}},
    {"query": "password", "filters": {"lang": "pyton"}},
    {"query": "pasword hashd"},
    {"query": "pasword", "typos": False},
    {"query": "reset a pas", "as_you_type": True},
    {"query": "pwd", "synonyms": True},
    {"query": "zebra"},
    {"query": "東京"},
]
# What differs between two calls of one door.
MOVES = ("tookMs", "freshness")

Ask = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doors") / "shop"
    folder.mkdir()
    (folder / "auth.py").write_text(
        'def hash_password(text: str) -> str:\n    """Hash a password with salt."""\n'
        "    return text[::-1]\n",
        encoding="utf-8",
    )
    (folder / "guide.md").write_text(
        "# Guide\n\nHow to reset a password.\n\n## Cats\n\nA tabby has no password.\n\n"
        "## 東京\n\n東京都に住む。\n",
        encoding="utf-8",
    )
    with trivium.open(folder, settings=config.load(environ=environment(folder))) as collection:
        collection.sync()
    return folder


def environment(folder: Path) -> dict[str, str]:
    return {
        "TRIVIUM_HOME": str(folder.parent / "home"),
        "TRIVIUM_CONFIG": str(folder.parent / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }


@pytest.fixture(scope="module")
def doors(shop: Path) -> Iterator[dict[str, Ask]]:
    serve = subprocess.Popen(
        [COMMAND, "serve", str(shop), "--port", "0"],
        env=environment(shop),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert serve.stderr is not None
    try:
        address = next(line for line in serve.stderr if "http://" in line).split()[-1]
        # Until it has been through its folder, its answers rightly say so.
        while httpx.get(f"{address}/health").json()["status"] != "ok":
            time.sleep(0.05)
        yield {
            "python": lambda asked: by_python(shop, asked),
            "command line": lambda asked: by_command(shop, asked),
            "http": lambda asked: by_http(address, asked),
            "mcp": lambda asked: by_mcp(shop, asked),
        }
    finally:
        serve.kill()
        serve.communicate()


def by_python(folder: Path, asked: dict[str, Any]) -> dict[str, Any]:
    settings = config.load(environ=environment(folder))
    with trivium.open(folder, settings=settings) as collection:
        return json.loads(json.dumps(as_data(collection.search(**asked))))  # type: ignore[no-any-return]


def by_command(folder: Path, asked: dict[str, Any]) -> dict[str, Any]:
    flags: list[str] = []
    for name, value in asked.items():
        if name == "explain":
            flags.append("--explain")
        elif name == "filters":
            flags += flags_of(value)
        elif isinstance(value, bool):
            flags.append(f"--{'' if value else 'no-'}{name.replace('_', '-')}")
        elif name != "query":
            flags += [f"--{name}", str(value)]
    words = [COMMAND, "search", asked["query"], str(folder), "--json", *flags]
    done = subprocess.run(
        words, env=environment(folder), capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def flags_of(filters: dict[str, Any]) -> list[str]:
    flags: list[str] = []
    for name, given in filters.items():
        for value in given if isinstance(given, list) else [given]:
            flags += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return flags


def in_json(asked: dict[str, Any]) -> dict[str, Any]:
    return {to_camel(name): value for name, value in asked.items()}


def by_http(address: str, asked: dict[str, Any]) -> dict[str, Any]:
    answer = httpx.post(f"{address}/api/search", json=in_json(asked))
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


def by_mcp(folder: Path, asked: dict[str, Any]) -> dict[str, Any]:
    server = StdioServerParameters(
        command=str(COMMAND), args=["mcp", str(folder)], env=environment(folder)
    )

    async def talk() -> dict[str, Any]:
        async with Client(server) as client:
            result = await client.call_tool("search", in_json(asked))
            assert not result.is_error
            assert isinstance(result.structured_content, dict)
            return result.structured_content

    return asyncio.run(talk())


def still(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer without what differs from call to call, and scores."""
    kept = {key: value for key, value in answer.items() if key not in MOVES}
    kept["results"] = [
        {key: value for key, value in hit.items() if key not in ("score", "scoreBreakdown")}
        for hit in answer["results"]
    ]
    return kept


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked["query"])
@pytest.mark.parametrize("door", DOORS[1:])
def test_every_door_gives_the_answer_that_python_gives(
    doors: dict[str, Ask], door: str, asked: dict[str, Any]
) -> None:
    if door == "mcp" and asked.get("explain"):
        pytest.skip("the tool for agents has no explanation, to save their tokens")
    expected, given = doors["python"](asked), doors[door](asked)

    assert still(given) == still(expected)
    for ours, theirs in zip(expected["results"], given["results"], strict=True):
        assert math.isclose(ours["score"], theirs["score"], abs_tol=1e-5)
        assert ours.get("scoreBreakdown", {}).keys() == theirs.get("scoreBreakdown", {}).keys()
