from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from trivium import config
from trivium.collection import open_collection
from trivium.doors import answers
from trivium.doors.mcp import schema
from trivium.doors.mcp.budget import fit_context
from trivium.doors.mcp.tools import offered
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


def test_the_tools_come_in_one_order_and_only_read() -> None:
    tools = offered()

    assert [tool.name for tool in tools] == ["search", "fetch", "related", "context"]
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)


def test_the_search_tool_takes_these_arguments_and_no_others() -> None:
    search = offered()[0].input_schema

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
        "cursor",
        "sort",
        "minConfidence",
        "asYouType",
        "typos",
        "synonyms",
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
        answer = present.as_data(found)
        item = answers.item_data(shop.get(found.results[0].id))
        packed = fit_context(lambda most: shop.context("tabby", max_tokens=most), max_tokens=2000)

    assert list(answer) == list(schema.ANSWER["properties"])
    copy = replace(found.results[0], is_duplicate=True)
    assert set(present.hit_data(copy)) == set(schema.HIT["properties"])
    assert list(item) == list(schema.ITEM["properties"])
    assert list(packed.data) == list(schema.CONTEXT["properties"])
    pieces = packed.data["pieces"]
    assert isinstance(pieces, list)
    of_piece = schema.CONTEXT["properties"]["pieces"]["items"]
    assert list(pieces[0]) == list(of_piece["properties"])


def test_a_server_lists_its_tools_without_loading_the_engine() -> None:
    program = f"""
import sys
from pathlib import Path
from trivium.doors.mcp.tools import Tools, offered
Tools(Path(".")).server()
offered()
loaded = [name for name in {HEAVY!r} if name in sys.modules]
sys.exit(f"loaded too early: {{loaded}}" if loaded else 0)
"""

    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stderr) == (0, "")
