"""One suite for all doors: the same question gives the same answer, in the same shape."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import StdioServerParameters
from pydantic.alias_generators import to_camel
from tests.e2e.server import serving, soon
from tests.e2e.talking import Talk, talking

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
    {"query": "password", "sort": "path", "limit": 2},
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
    for file in folder.rglob("*"):
        # What was written just before a sync is read again by the next, and that moves cursors.
        os.utime(file, (1_700_000_000, 1_700_000_000))
    with trivium.open(folder, settings=config.load(environ=environment(folder))) as collection:
        collection.sync()
    return folder


def environment(folder: Path) -> dict[str, str]:
    return {
        "TRIVIUM_HOME": str(folder.parent / "home"),
        "TRIVIUM_CONFIG": str(folder.parent / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
        "PYTHONPATH": str(Path(trivium.__file__).parent.parent),
    }


@pytest.fixture(scope="module")
def address(shop: Path) -> Iterator[str]:
    with serving([shop], shop.parent / "home") as server:
        # Until it has been through its folder, its answers rightly say so.
        assert soon(server.is_ready)
        yield str(server.client.base_url).rstrip("/")


@pytest.fixture(scope="module")
def talk(shop: Path) -> Iterator[Talk]:
    server = StdioServerParameters(
        command=str(COMMAND), args=["mcp", str(shop)], env=environment(shop)
    )
    with talking(server) as held:
        yield held


@pytest.fixture(scope="module")
def doors(shop: Path, address: str, talk: Talk) -> dict[str, Ask]:
    return {
        "python": lambda asked: by_python(shop, asked),
        "command line": lambda asked: by_command(shop, asked),
        "http": lambda asked: by_http(address, asked),
        "mcp": lambda asked: by_mcp(talk, asked),
    }


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
            flags += [f"--{name.replace('_', '-')}", str(value)]
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


def by_mcp(talk: Talk, asked: dict[str, Any], *, tool: str = "search") -> dict[str, Any]:
    return talk.call(tool, in_json(asked))


def still(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer without what differs from call to call, and scores.

    Agents get an address with each hit, and a title also where a node has none.
    """
    beside = ("score", "scoreBreakdown", "title", "url")
    kept = {key: value for key, value in answer.items() if key not in MOVES}
    kept["results"] = [
        {key: value for key, value in hit.items() if key not in beside} for hit in answer["results"]
    ]
    return kept


@pytest.mark.parametrize("door", DOORS)
def test_every_door_leaves_out_hits_of_less_confidence_and_says_how_many(
    doors: dict[str, Ask], door: str
) -> None:
    every = doors["python"]({"query": "reset a password"})
    likely = [hit["confidence"] for hit in every["results"]]
    least = sorted(likely)[-2]
    name = "minConfidence" if door in ("http", "mcp") else "min_confidence"

    answer = doors[door]({"query": "reset a password", name: least})

    kept = [hit["confidence"] for hit in answer["results"]]
    assert kept == [one for one in likely if one >= least]
    assert any(
        note.startswith(f"left out {len(likely) - len(kept)} hit") for note in answer["notes"]
    )
    empty = doors[door]({"query": "reset a password", name: 1.0})
    said = f"nothing reaches the confidence asked for, 1: {len(likely)} hits below it"
    assert empty["results"] == empty["suggestions"] == []
    assert any(note.startswith(said) for note in empty["notes"])


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


def related_by(door: str, folder: Path, address: str, talk: Talk) -> dict[str, Any]:
    wanted, settings = "hash_password", config.load(environ=environment(folder))
    if door == "python":
        with trivium.open(folder, settings=settings) as collection:
            return json.loads(json.dumps(as_data(collection.related(wanted, limit=3))))  # type: ignore[no-any-return]
    if door == "command line":
        words = [str(COMMAND), "related", wanted, str(folder), "-n", "3", "--json"]
        done = subprocess.run(words, env=environment(folder), capture_output=True, check=True)
        return json.loads(done.stdout)  # type: ignore[no-any-return]
    if door == "http":
        found = httpx.get(f"{address}/api/related", params={"id": wanted, "limit": 3})
        return found.json()  # type: ignore[no-any-return]
    return by_mcp(talk, {"id": wanted, "limit": 3}, tool="related")


@pytest.mark.parametrize("door", DOORS[1:])
def test_every_door_finds_what_python_finds_to_be_like_a_node(
    shop: Path, address: str, talk: Talk, door: str
) -> None:
    expected, given = (related_by(one, shop, address, talk) for one in ("python", door))

    assert expected["results"][0]["id"] == "doc:guide.md#Guide"
    assert still(given) == still(expected)


def test_what_is_like_something_unknown_is_an_error_that_says_how_to_find_it(
    address: str,
) -> None:
    found = httpx.get(f"{address}/api/related", params={"id": "nothing_of_the_kind"})
    assert found.status_code == 404
    assert "Chunk not found: nothing_of_the_kind" in found.json()["error"]["message"]
    unknown = httpx.get(f"{address}/api/related", params={"id": "x", "most": "3"})
    assert unknown.status_code == 422


@pytest.mark.parametrize("door", DOORS)
def test_every_door_pages_and_takes_the_cursor_of_another(doors: dict[str, Ask], door: str) -> None:
    whole = doors["python"]({"query": "password"})["results"]
    first = doors[door]({"query": "password", "limit": 1})
    second = doors[door]({"query": "password", "limit": 1, "cursor": first["next"]})
    elsewhere = doors["python"]({"query": "password", "limit": 1, "cursor": first["next"]})

    assert [hit["id"] for hit in (*first["results"], *second["results"])] == [
        hit["id"] for hit in whole[:2]
    ]
    assert [hit["id"] for hit in elsewhere["results"]] == [whole[1]["id"]]
    assert second["facets"] == first["facets"] == doors["python"]({"query": "password"})["facets"]


@pytest.mark.parametrize(("door", "said"), [("http", "damaged"), ("command line", "damaged")])
def test_a_damaged_cursor_is_refused_with_a_reason(
    doors: dict[str, Ask], door: str, said: str
) -> None:
    with pytest.raises(AssertionError, match=said):
        doors[door]({"query": "password", "cursor": "A" * 40})
    with pytest.raises(AssertionError, match=said):
        doors["mcp"]({"query": "password", "cursor": "A" * 40})
