# ruff: noqa: E501 - each file of the folder stands on one line
"""The graph, history, tables, office files and checks through the installed command."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

FILES = {
    "shop/cart.py": "from shop.store import save\n\n\ndef buy(item):\n    return save(item)\n",
    "shop/store.py": "def save(item):\n    return check(item)\n\n\ndef check(item):\n    return item\n",
    "docs/guide.md": "# Guide\n\nCall `save()`; see [the cart](../shop/cart.py) and [none](gone.md).\n",
    "skills/tea/SKILL.md": "---\nname: Tea\ndescription: Make tea.\ntype: technique\n---\n# Tea\n\n"
    "Boil water, see [[Coffee]].\n",
    "skills/coffee/SKILL.md": "---\nname: Coffee\ndescription: Make coffee.\ntype: technique\n---\n"
    "# Coffee\n\nLike [[Tea]], but [[Nobody]].\n",
    "people.jsonl": '{"id": 7, "name": "Ada", "address": {"city": "Rome"}}\n',
}


class User:
    """A person with a folder and the installed command."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "project"
        for name, text in FILES.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        self.environment = {
            "PATH": os.defpath,
            "TRIVIUM_HOME": str(tmp_path / "home"),
            "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
            "TRIVIUM_EMBEDDING__MODEL": "none",
            "HOME": str(tmp_path),
        }

    def run(self, *words: str, status: int = 0, **more: str) -> str:
        command = [str(Path(sys.executable).parent / "trivium"), *words]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment | more,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == status, done.stderr
        return done.stdout

    def ask(self, *words: str, status: int = 0, **more: str) -> Any:
        return json.loads(self.run(*words, "--json", status=status, **more))


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


def test_callers_callees_and_impact_are_told_by_name(user: User) -> None:
    callers = user.ask("graph", "callers", "check", ".")
    callees = user.ask("graph", "callees", "shop/cart.py", ".", status=1)
    impact = user.ask("graph", "impact", "shop/store.py", ".")

    assert [(one["name"], one["depth"]) for one in callers["results"]] == [("save", 1), ("buy", 2)]
    assert callers["results"][0]["edge"]["context"] == "line 2"
    assert callees["results"] == []
    assert {"code:shop/cart.py", "code:shop/cart.py#buy"} <= {
        one["id"] for one in impact["results"]
    }
    assert "shop/store.py:1  save  calls: line 2" in user.run("graph", "callers", "check", ".")


def test_neighbours_can_be_limited_to_a_type_and_a_direction(user: User) -> None:
    words = ("graph", "neighbors", "doc:docs/guide.md#Guide", ".", "--type")

    assert [one["id"] for one in user.ask(*words, "mentions")["results"]] == [
        "code:shop/store.py#save"
    ]
    assert [one["id"] for one in user.ask(*words, "references")["results"]] == ["code:shop/cart.py"]
    user.run(*words, "references", "--direction", "in", status=1)


def test_get_shows_metadata_sections_and_edges(user: User) -> None:
    user.run("index")

    function = user.ask("get", "code:shop/store.py#save", ".")
    skill = user.ask("get", "skill:tea", ".")
    record = user.ask("get", "record:people.jsonl#7", ".")
    folder = user.ask("get", "file:shop", ".")

    assert function["metadata"]["calls"] == ["check"]
    assert {edge["type"] for edge in function["edges"]} == {
        "calls", "contains", "exports", "mentions"
    }  # fmt: skip
    assert skill["sections"] == [
        {"heading": "Tea", "preview": "Boil water, see [[Coffee]].", "level": 1}
    ]
    assert (record["name"], record["metadata"]["address.city"]) == ("Ada", "Rome")
    assert folder["type"] == "directory"


def test_check_finds_what_leads_nowhere_and_scores_the_skills(user: User) -> None:
    found = user.ask("check", ".", status=1)

    assert [link["target"] for link in found["brokenLinks"]] == ["gone.md", "[[Nobody]]"]
    broken = [one for one in found["skills"]["issues"] if one["type"] == "broken-link"]
    assert [one["cost"] for one in broken] == [10]
    assert "that lead nowhere" in user.run("check", ".", status=1)


def test_tables_that_are_named_are_records(user: User) -> None:
    with closing(sqlite3.connect(user.folder / "app.db")) as database:
        database.execute("CREATE TABLE orders (id INTEGER, item TEXT)")
        database.execute("INSERT INTO orders VALUES (12, 'okapi blanket')")
        database.commit()

    found = user.ask("search", "okapi", ".", TRIVIUM_RECORDS__TABLES="app.db:orders")

    assert [hit["id"] for hit in found["results"]] == ["record:app.db:orders#12"]


def test_status_counts_by_sort(user: User) -> None:
    user.run("index")
    status = user.ask("status")

    assert status["kinds"]["skill"] == 4
    assert status["edgeTypes"]["calls"] == 2
    assert (status["unlinkedFiles"], status["readAsPlainText"], status["dirtyFiles"]) == (0, 0, 0)
