from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.acceptance.tools import call

from trivium.collection import Collection
from trivium.graph.attention import attention
from trivium.results.pack import tokens
from trivium.testing.folders import filled

Open = Callable[..., Collection]

FILES = {
    "skills/therapy.md": (
        "---\nname: Therapy\ndescription: A map.\ntype: moc\ndomain: cbt\n---\n\n"
        "See [[Records]] and [[Exposure]].\n"
    ),
    "skills/records.md": (
        "---\nname: Records\ndescription: Write thoughts down.\ntype: technique\n---\n\n"
        "Zebra. See [[Sleep]].\n"
    ),
    "skills/exposure.md": "---\nname: Exposure\ndescription: Face it.\n---\n\nHorse.\n",
    "skills/sleep.md": "---\nname: Sleep\ndescription: Rest.\n---\n\nCat.\n",
}


def test_g27_attention_adds_up_what_is_known_of_a_node() -> None:
    first = attention(similarity=0.9, degree=12, type_="moc", days=0, is_domain_named=True)
    second = attention(similarity=0.5, degree=3, type_="technique", days=50, is_domain_named=False)

    assert first == pytest.approx(40 * 0.9 + 20 + 15 + 10 + 15) == pytest.approx(96)
    assert second == pytest.approx(40 * 0.5 + 2 * 3 + 5 + (10 - 0.1 * 50) + 0) == pytest.approx(36)


def test_g27_attention_is_never_more_than_100() -> None:
    most = attention(similarity=1.5, degree=99, type_="moc", days=-9, is_domain_named=True)

    assert most == 100


def test_g27_a_walk_takes_what_deserves_most_attention_next(
    folder: Path, opened_on_each: Open
) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), FILES)

    said = call(
        collection, "xplor", "traverse", startNode="skill:therapy", query="thoughts", maxNodes=3
    )

    path = said.data["path"]
    assert said.data["entryPoint"] == path[0]["id"] == "skill:therapy"
    assert path[0]["reason"] == "entry point"
    # A technique that the query is about comes before a skill that it is not about.
    assert path[1]["id"] == "skill:records"
    assert path[1]["reason"] == "clusters from skill:therapy"
    assert path[1]["score"] > path[2]["score"]
    assert said.data["telemetry"]["nodesLoaded"] == len(path) == 3


def test_g28_a_walk_keeps_its_budget_of_tokens(folder: Path, opened_on_each: Open) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), FILES)

    said = call(
        collection,
        "xplor",
        "traverse",
        startNode="skill:therapy",
        query="thoughts",
        maxTokens=300,
    )

    assert tokens(f"{said.text}\n{json.dumps(dict(said.data), ensure_ascii=False)}") <= 300
    assert said.data["path"]
    too_little = call(
        collection, "xplor", "traverse", startNode="skill:therapy", query="x", maxTokens=5
    )
    assert too_little.is_error
    assert "maxTokens is 5" in too_little.text
