"""The cases of the seeds that are the shape of a door, asked of the MCP tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND
from numpy.typing import NDArray
from tests.acceptance.tools import Said, call

from trivium.collection import Collection
from trivium.testing.folders import filled

Open = Callable[..., Collection]

FILES = {
    "api/auth.py": (
        'def hash_password(text):\n    """Hash a password with salt."""\n'
        "    return text[::-1]\n\n\n"
        "@deprecated\ndef old_hash(text):\n    return hash_password(text)\n"
    ),
    "guides/reset.md": "# Reset\n\nHow to reset a password.\n\n## Cats\n\nA tabby sleeps.\n",
    "skills/hashing.md": (
        "---\nname: Hashing\ndescription: Hash a password well.\n"
        "triggers: [salt it]\n---\n\nText.\n"
    ),
}


@pytest.fixture
def shop(folder: Path, opened_on_each: Open) -> Collection:
    return filled(opened_on_each(folder, embedding__model="none"), FILES)


def test_g20_a_hit_of_xplor_has_the_keys_of_the_seed_and_its_level(shop: Collection) -> None:
    said = call(shop, "xplor", "search", query="password", limit=2)

    assert list(said.data) == ["results", "total", "method"]
    assert len(said.results) == 2
    for hit in said.results:
        assert set(hit) == {"id", "name", "type", "score", "description", "source", "level"}
        assert set(hit["source"]) == {"filePath", "startLine"}
        assert hit["level"] == 1


def test_g65_a_compact_hit_has_no_tokens_no_metadata_and_no_breakdown(shop: Collection) -> None:
    said = call(shop, "core", "search", query="password", profile="contract")

    assert said.results
    for hit in said.results:
        assert not {"tokens", "docmeta", "metadata", "scoreBreakdown", "text"} & set(hit)


@pytest.mark.parametrize(
    ("sets", "arguments"),
    [("core", {"query": "zyzzyva"}), ("core", {"query": "zyzzyva", "profile": "ember"})],
)
def test_g88_nothing_found_is_said_in_words_and_is_no_error(
    shop: Collection, sets: str, arguments: dict[str, object]
) -> None:
    said = call(shop, sets, "search", **arguments)

    assert not said.is_error
    assert said.results == []
    assert said.text.startswith('No results found for "zyzzyva".')


def test_g88_a_scan_that_finds_nothing_says_so(shop: Collection) -> None:
    said = call(shop, "xplor", "scan", query="zyzzyva")

    assert (said.is_error, said.text) == (False, "No matching nodes found.")


def test_g89_a_hit_shows_its_category_terms_link_and_whether_it_is_deprecated(
    shop: Collection,
) -> None:
    asked = {"query": "old_hash hash_password text nowhere", "profile": "ember", "kind": "code"}

    said = call(shop, "core", "search", **asked)

    old = "code:api/auth.py#old_hash"
    name = shop.name
    about = {
        hit["id"]: line
        for hit, line in zip(
            said.results,
            [line for line in said.text.splitlines() if "category" in line],
            strict=True,
        )
    }
    assert about[old] == (
        f"   category api, matched 3/4, trivium://{name}/api/auth.py#L6-L8, deprecated"
    )
    assert not about["code:api/auth.py#hash_password"].endswith("deprecated")


@pytest.mark.parametrize("has_body", [True, False])
def test_g110_include_body_adds_the_code_itself(shop: Collection, has_body: bool) -> None:
    said = call(shop, "core,graph", "code_search", query="hash_password", includeBody=has_body)

    keys = [
        "id",
        "fileId",
        "kind",
        "name",
        "signature",
        "docComment",
        "startLine",
        "endLine",
        "score",
    ]
    assert list(said.results[0]) == [*keys, *(["body"] if has_body else [])]
    if has_body:
        assert said.results[0]["body"].startswith("def hash_password")
    assert json.loads(said.text) == said.results


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"minScore": 1.1}, "minScore"),
        ({"topK": 501}, "topK"),
        ({"maxResults": 501}, "maxResults"),
        ({"bfsDepth": 11}, "bfsDepth"),
        ({"bfsDecay": 1.5}, "bfsDecay"),
        ({"searchMode": "magic"}, "searchMode"),
        ({"query": "z" * 10_001}, "query"),
        ({"deep": True}, "'deep'"),
    ],
)
@pytest.mark.parametrize("tool", ["docs_search", "code_search", "skills_search"])
def test_g111_a_tool_refuses_what_is_out_of_range(
    shop: Collection, tool: str, arguments: dict[str, object], named: str
) -> None:
    said = call(shop, "graph", tool, **{"query": "password", **arguments})

    assert said.is_error
    assert named in said.text


def test_g123_an_unknown_chunk_is_an_error_of_the_tool(shop: Collection) -> None:
    said = call(shop, "rag", "get", chunk_id="x")

    assert (said.is_error, said.text) == (True, "Chunk not found: x")


def test_g123_an_unknown_tool_and_a_missing_argument_are_errors_of_the_protocol(
    shop: Collection,
) -> None:
    assert call(shop, "rag", "delete_everything").code == METHOD_NOT_FOUND == -32601
    assert call(shop, "rag", "get").code == INVALID_PARAMS == -32602


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"query": "password", "top_k": 0}, "top_k"),
        ({"query": "password", "top_k": "many"}, "top_k"),
        ({"query": 3}, "query"),
        ({"query": "password", "topK": 3}, "Did you mean 'top_k'"),
        ({"query": "password", "filters": {"path": "a"}}, "filters.path"),
    ],
)
def test_g123_an_argument_that_does_not_fit_is_an_error_of_the_tool_that_an_agent_reads(
    shop: Collection, arguments: dict[str, object], named: str
) -> None:
    said = call(shop, "rag", "search", **arguments)

    assert (said.is_error, said.code) == (True, None)
    assert named in said.text


def test_g124_a_result_of_rag_has_the_keys_of_the_seed(shop: Collection) -> None:
    said = call(
        shop,
        "rag",
        "search",
        query="password",
        top_k=1,
        filters={"source_type": "md", "path_prefix": "guides/"},
    )

    (only,) = said.results
    assert list(only) == ["chunk_id", "score", "title", "source_path", "source_type", "snippet"]
    assert only["source_path"] == "guides/reset.md"
    assert (only["title"], only["source_type"]) == ("Reset", "md")
    assert json.loads(said.text) == said.data

    read = call(shop, "rag", "get", chunk_id=only["chunk_id"])

    assert list(read.data) == ["chunk_id", "text", "metadata"]
    assert read.data["metadata"] == {
        "title": "Reset",
        "source_path": "guides/reset.md",
        "source_type": "md",
        "chunk_index": 0,
    }


def info(collection: Collection) -> Said:
    return call(collection, "rag", "get_project_info")


@pytest.mark.usefixtures("embedder")
def test_g128_the_project_says_what_it_is_and_what_embeds_it(
    folder: Path, opened_on_each: Open
) -> None:
    collection = filled(opened_on_each(folder), FILES)
    length = collection.status().spaces[0].dimension

    said = info(collection)

    assert said.data == {
        "collection_name": folder.name,
        "document_count": len(FILES),
        "tantivy_index_dir": str(Path(collection.status().folder) / "text"),
        "embedding_provider": "local",
        "embedding_model": collection.status().model,
        "embedding_dimension": length,
    }


def test_g128_without_a_model_there_is_no_dimension(shop: Collection) -> None:
    said = info(shop)

    assert said.data["embedding_provider"] == said.data["embedding_model"] == "none"
    assert said.data["embedding_dimension"] == 0


@dataclass(slots=True)
class Resized:
    """A model whose vectors have as many numbers as a test says, always under one name."""

    dimension: int
    name: str = "resized"
    model_id: str = "resized-1"
    strength: int = 1
    is_instant: bool = False

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), self.dimension), self.dimension**-0.5, np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.embed_documents([text])[0]  # type: ignore[no-any-return]


def test_g128_a_model_of_another_dimension_is_an_error_that_says_what_to_run(
    folder: Path, opened_on_each: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Resized(4)
    monkeypatch.setattr("trivium.models.registry.load", lambda *_, **__: model)
    collection = filled(opened_on_each(folder), FILES)
    assert info(collection).data["embedding_dimension"] == 4

    model.dimension = 6
    said = call(collection, "rag", "search", query="something new")

    assert said.is_error
    assert "vectors of 6 numbers" in said.text
    assert "have 4" in said.text
    assert "trivium index" in said.text
