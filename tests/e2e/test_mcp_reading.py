"""What agents read over MCP: resources, whole texts in parts, addresses to cite, and no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextResourceContents
from tests.e2e.test_mcp import call, data_of, talk, text_of

SECRET = "AKIA" + "Q3EGRZ7XW2LKPM5B"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "docs").mkdir(parents=True)
    (folder / "auth.py").write_text(
        f'KEY = "{SECRET}"\n\n\ndef hash_password(text):\n    return text[::-1]\n',
        encoding="utf-8",
    )
    (folder / "docs" / "old guide.md").write_text(
        "# Guide\n\nHow to reset a password.\n\n## Cats\n\nA tabby sleeps.\n", encoding="utf-8"
    )
    (tmp_path / "outside.md").write_text("# Outside\n\nNobody may read this.\n", encoding="utf-8")
    return folder


def read(folder: Path, uri: str) -> str:
    """Return the text of a resource, or what the error says."""

    async def conversation(client: Client) -> str:
        try:
            result = await client.read_resource(uri)
        except MCPError as error:
            return f"error {error.code}: {error}"
        (only,) = result.contents
        assert isinstance(only, TextResourceContents)
        return only.text

    return talk(folder, conversation)


def test_the_files_of_a_collection_are_resources_with_addresses(shop: Path) -> None:
    async def conversation(client: Client) -> tuple[list[str], list[str]]:
        listed = await client.list_resources()
        made = await client.list_resource_templates()
        return (
            [str(one.uri) for one in listed.resources],
            [one.uri_template for one in made.resource_templates],
        )

    addresses, templates = talk(shop, conversation)

    assert addresses == ["trivium://shop/auth.py", "trivium://shop/docs/old%20guide.md"]
    assert templates == ["trivium://{collection}/{+path}"]


def test_a_resource_is_the_text_of_the_index_whole_or_some_lines_of_it(shop: Path) -> None:
    assert read(shop, "trivium://shop/docs/old%20guide.md").startswith("# Guide\n")
    assert read(shop, "trivium://shop/auth.py#L4-L5") == (
        "def hash_password(text):\n    return text[::-1]\n"
    )
    assert SECRET not in read(shop, "trivium://shop/auth.py")


def test_a_resource_has_no_lines_beyond_its_end(shop: Path) -> None:
    said = read(shop, "trivium://shop/auth.py#L9999-L10000")

    assert said.startswith("error -32602: Resource not found:")
    assert "no line 9,999: it has 5 lines" in said


@pytest.mark.parametrize(
    "uri",
    [
        "trivium://shop/../outside.md",
        "trivium://shop/%2e%2e/outside.md",
        "trivium://shop/docs/../../outside.md",
        "trivium://shop//etc/passwd",
        "trivium://other/auth.py",
        "trivium://shop/nowhere.py",
        "trivium://shop/auth.py#top",
        "file:///etc/passwd",
    ],
)
def test_what_is_not_in_the_collection_is_no_resource(shop: Path, uri: str) -> None:
    said = read(shop, uri)

    assert said.startswith("error -32602: Resource not found:")


def test_a_folder_below_an_indexed_one_is_all_that_its_server_shows(shop: Path) -> None:
    call(shop, "search", query="password")

    async def conversation(client: Client) -> tuple[list[str], CallToolResult, CallToolResult]:
        listed = await client.list_resources()
        inside = await client.call_tool("fetch", {"id": "doc:docs/old guide.md"})
        outside = await client.call_tool("fetch", {"id": "code:auth.py#hash_password"})
        return [one.name for one in listed.resources], inside, outside

    # The same home: the index of the folder above answers.
    below = shop / "docs"
    (shop / "home").symlink_to(shop.parent / "home")
    names, inside, outside = talk(below, conversation)

    assert names == ["docs/old guide.md"]
    assert not inside.is_error
    assert (outside.is_error, text_of(outside)) == (
        True,
        "Chunk not found: code:auth.py#hash_password",
    )
    assert read(below, "trivium://shop/auth.py").startswith("error -32602: Resource not found:")


def test_search_and_fetch_give_what_hosts_cite_id_title_and_url(shop: Path) -> None:
    async def conversation(client: Client) -> tuple[CallToolResult, CallToolResult]:
        found = await client.call_tool("search", {"query": "hash password"})
        first = data_of(found)["results"][0]["id"]
        return found, await client.call_tool("fetch", {"id": first})

    found, fetched = talk(shop, conversation)

    for hit in data_of(found)["results"]:
        assert all(isinstance(hit[key], str) and hit[key] for key in ("id", "title", "url"))
    item = data_of(fetched)
    assert {"id", "title", "text", "url", "metadata"} <= set(item)
    assert item["title"] == "hash_password"
    assert item["url"] == "trivium://shop/auth.py#L4-L5"
    assert read(shop, item["url"]).rstrip("\n") == item["text"].rstrip("\n")


def test_a_long_text_is_fetched_in_parts_that_keep_the_budget(shop: Path) -> None:
    long = "".join(f"Line {number} of many.\n" for number in range(500))
    (shop / "long.txt").write_text(long, encoding="utf-8")

    async def conversation(client: Client) -> list[CallToolResult]:
        parts = []
        asked: dict[str, object] = {"id": "doc:long.txt", "maxTokens": 2000}
        while True:
            part = await client.call_tool("fetch", asked)
            parts.append(part)
            following = data_of(part)["next"]
            if following is None:
                return parts
            asked["cursor"] = following

    parts = talk(shop, conversation)

    assert len(parts) > 1
    assert "".join(data_of(part)["text"] for part in parts) == long
    for part in parts:
        written = json.dumps(data_of(part), ensure_ascii=False, separators=(",", ":"))
        assert len(written) + len(text_of(part)) <= 4 * 2000
    assert "Truncated to maxTokens" in text_of(parts[0])


def test_hits_that_a_budget_cut_off_come_with_its_cursor(shop: Path) -> None:
    for number in range(8):
        (shop / f"cat{number}.md").write_text(
            f"# Cat {number}\n\nA tabby sleeps on roof {number}.\n", encoding="utf-8"
        )

    async def conversation(client: Client) -> tuple[CallToolResult, CallToolResult, list[str]]:
        asked: dict[str, object] = {"query": "tabby", "limit": 8}
        whole = await client.call_tool("search", asked)
        cut = await client.call_tool("search", {**asked, "maxTokens": 1200})
        ids = [hit["id"] for hit in data_of(cut)["results"]]
        rest = await client.call_tool("search", {**asked, "cursor": data_of(cut)["next"]})
        return whole, cut, [*ids, *(hit["id"] for hit in data_of(rest)["results"])]

    whole, cut, together = talk(shop, conversation)

    ids = [hit["id"] for hit in data_of(whole)["results"]]
    assert 0 < len(data_of(cut)["results"]) < len(ids)
    assert together[: len(ids)] == ids
    assert f"Next page: cursor {data_of(cut)['next']}" in text_of(cut)


def test_status_says_what_is_there(shop: Path) -> None:
    async def conversation(client: Client) -> CallToolResult:
        await client.call_tool("search", {"query": "password"})
        return await client.call_tool("status", {})

    now = data_of(talk(shop, conversation))

    assert (now["name"], now["files"], now["isReady"]) == ("shop", 2, True)
    assert now["progress"] is None


def test_status_answers_before_anything_is_indexed(shop: Path) -> None:
    now = data_of(call(shop, "status"))

    assert now["name"] == "shop"
