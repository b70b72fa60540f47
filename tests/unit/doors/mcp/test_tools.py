from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from trivium import config
from trivium.collection import open_collection
from trivium.doors.mcp import core, schema, sets
from trivium.doors.mcp.budget import fit_context, fit_text
from trivium.doors.mcp.server import tools_of
from trivium.errors import UsageError
from trivium.results import present

HEAVY = (
    "numpy",
    "numkong",
    "tantivy",
    "onnxruntime",
    "tokenizers",
    "tree_sitter",
    "trivium.collection",
    "trivium.engine",
)


TOOLS = {
    "core": ["search", "fetch", "related", "context", "status"],
    "xplor": [
        "search",
        "query",
        "context",
        "impact",
        "callers",
        "callees",
        "traverse",
        "scan",
    ],
    "rag": ["search", "get", "get_project_info"],
    "graph": [
        "docs_search",
        "code_search",
        "notes_search",
        "tasks_search",
        "skills_search",
        "skills_recall",
        "code_search_files",
        "docs_search_files",
        "files_search",
    ],
}
_SEARCHES = ["query", "topK", "bfsDepth", "maxResults", "minScore", "bfsDecay", "searchMode"]
# Of the seeds' tools, what they take: SEMANTICS.md H1, H3 and E2.
TAKEN = {
    "xplor": [
        ["query", "limit", "deepSearch"],
        ["question", "maxTokens"],
        ["symbol", "maxTokens"],
        ["target", "maxTokens"],
        ["function", "depth", "maxTokens"],
        ["function", "depth", "maxTokens"],
        ["startNode", "query", "maxDepth", "maxNodes", "maxTokens"],
        ["query", "domain", "maxTokens"],
    ],
    "rag": [["query", "top_k", "filters"], ["chunk_id"], []],
    "graph": [
        _SEARCHES,
        [*_SEARCHES, "includeBody"],
        *[_SEARCHES] * 3,
        ["context", "topK", "minScore", "searchMode"],
        *[["query", "limit", "minScore"]] * 3,
    ],
}


@pytest.mark.parametrize("name", TOOLS)
def test_the_tools_of_a_set_come_in_one_order_and_only_read(name: str) -> None:
    tools = tools_of((name,))

    assert [tool.name for tool in tools] == TOOLS[name]
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert not tool.annotations.destructive_hint
        assert tool.output_schema is not None
        assert tool.input_schema["additionalProperties"] is False


@pytest.mark.parametrize("name", TAKEN)
def test_a_seeds_tools_take_what_the_seeds_take(name: str) -> None:
    taken = [list(tool.input_schema["properties"]) for tool in tools_of((name,))]

    assert taken == TAKEN[name]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ([], ("core",)),
        (["graph"], ("core", "graph")),
        (["graph,rag"], ("rag", "graph")),
        (["xplor", "graph"], ("xplor", "graph")),
        (["memory,graph"], ("core", "graph", "memory")),
        (["memory-read", "rag"], ("rag", "memory-read")),
    ],
)
def test_graph_and_memory_go_beside_one_of_the_others(
    given: list[str], meant: tuple[str, ...]
) -> None:
    assert sets.named(given) == meant


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("memory,memory-read", "memory-read is a part of memory"),
        ("core,rag", "core and rag both have a tool called search"),
        ("xplr", "'xplor'"),
    ],
)
def test_sets_that_cannot_be_had_are_refused_with_the_reason(given: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        sets.named([given])


def test_the_search_tool_takes_these_arguments_and_no_others() -> None:
    search = tools_of(("core",))[0].input_schema

    assert list(search["properties"]) == [
        "query",
        "limit",
        "kind",
        "filters",
        "profile",
        "mode",
        "searchMode",
        "maxTokens",
        "group",
        "expand",
        "cursor",
        "sort",
        "minConfidence",
        "asYouType",
        "typos",
        "synonyms",
        "collection",
    ]
    assert search["required"] == ["query"]
    assert search["additionalProperties"] is False


def test_the_schemas_name_the_keys_that_are_sent(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "cats.md").write_text("# Cats\n\nA tabby sleeps.\n", encoding="utf-8")
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    with open_collection(folder, settings=config.load(environ=environ)) as shop:
        shop.sync()
        found = shop.search("tabby", explain=True)
        answer = core.answer_data(found)
        read = shop.get(found.results[0].id)
        item = fit_text(
            core.item_data(shop.name, read), read.text, head="", max_tokens=None, start=0
        ).data
        packed = fit_context(lambda most: shop.context("tabby", max_tokens=most), max_tokens=2000)

    assert list(answer) == list(schema.CITED_ANSWER["properties"])
    copy = replace(found.results[0], is_duplicate=True)
    assert {*present.hit_data(copy), "url"} == set(schema.CITED_HIT["properties"])
    assert list(item) == list(schema.CITED_ITEM["properties"])
    assert list(packed.data) == list(schema.CONTEXT["properties"])
    pieces = packed.data["pieces"]
    assert isinstance(pieces, list)
    of_piece = schema.CONTEXT["properties"]["pieces"]["items"]
    assert list(pieces[0]) == list(of_piece["properties"])


def test_a_server_lists_its_tools_without_loading_the_engine() -> None:
    program = f"""
import sys
from pathlib import Path
from trivium.doors.hosting import Hosting
from trivium.doors.mcp.desk import Desk
from trivium.doors.mcp.server import Scope, Service, tools_of
Service(Desk(Hosting([Path(".")])), scope_of=lambda _: Scope()).server()
for names in ("core", "xplor", "rag", "graph"):
    tools_of((names,))
loaded = [name for name in {HEAVY!r} if name in sys.modules]
sys.exit(f"loaded too early: {{loaded}}" if loaded else 0)
"""

    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stderr) == (0, "")
