"""Seed 000's tools beside search: names, arguments and what their texts hold (SEMANTICS.md H1)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.acceptance.tools import call

from trivium.collection import Collection
from trivium.testing.folders import filled

Open = Callable[..., Collection]

# Each function calls the one before it.
CHAIN = {
    f"step{n}.py": (
        f"from step{n - 1} import step{n - 1}\n\n\ndef step{n}():\n"
        f'    """Take step {n}."""\n    return step{n - 1}()\n'
        if n
        else 'def step0():\n    """Take the first step."""\n    return 1\n'
    )
    for n in range(7)
}


@pytest.fixture
def chain(folder: Path, opened_on_each: Open) -> Collection:
    collection = filled(opened_on_each(folder, embedding__model="none"), CHAIN)
    collection.link()
    return collection


def names(said_data: object) -> list[str]:
    assert isinstance(said_data, list)
    return [one["name"] for one in said_data]


def test_g29_callers_go_three_links_and_impact_five(chain: Collection) -> None:
    callers = call(chain, "xplor", "callers", function="step0")
    impact = call(chain, "xplor", "impact", target="code:step0.py#step0")

    assert names(callers.data["results"]) == ["step1", "step2", "step3"]
    reached = {one["name"]: one["depth"] for one in impact.data["results"]}
    assert reached["step5"] == 5
    assert "step6" not in reached
    assert {one["edge"]["type"] for one in impact.data["results"]} <= {"calls", "imports"}
    assert "step3" in callers.text


def test_a_symbol_may_be_named_by_its_address(chain: Collection) -> None:
    url = f"trivium://{chain.name}/step3.py#L4-L6"

    for tool, argument in (("context", "symbol"), ("impact", "target"), ("callers", "function")):
        assert call(chain, "xplor", tool, **{argument: url}).data["id"] == "code:step3.py#step3"
    assert names(call(chain, "xplor", "callees", function=url, depth=1).data["results"]) == [
        "step2"
    ]
    walk = call(chain, "xplor", "traverse", startNode=url, query="step")
    assert walk.data["entryPoint"] == "code:step3.py#step3"


def test_an_address_that_leads_nowhere_is_an_error(chain: Collection) -> None:
    said = call(chain, "xplor", "callers", function=f"trivium://{chain.name}/gone.py#L1")

    assert said.is_error
    assert "gone.py" in said.text


def test_callees_go_as_far_as_asked(chain: Collection) -> None:
    said = call(chain, "xplor", "callees", function="step6", depth=2)

    assert names(said.data["results"]) == ["step5", "step4"]


def test_context_is_a_symbol_and_all_its_links(chain: Collection) -> None:
    said = call(chain, "xplor", "context", symbol="step3")

    assert said.data["id"] == "code:step3.py#step3"
    linked = {(one["edge"]["type"], one["id"]) for one in said.data["results"]}
    assert ("calls", "code:step2.py#step2") in linked
    assert ("calls", "code:step4.py#step4") in linked
    assert said.text.startswith("step3 (function)  code:step3.py#step3  step3.py:4")


def test_query_shows_the_best_at_level_three_and_the_others_at_level_one(
    chain: Collection,
) -> None:
    said = call(chain, "xplor", "query", question="take step")

    assert [one["level"] for one in said.results] == [3, *[1] * (len(said.results) - 1)]
    assert said.results[0]["links"]
    assert all("links" not in one for one in said.results[1:])


def test_scan_is_a_line_for_each(chain: Collection) -> None:
    said = call(chain, "xplor", "scan", query="first step")

    assert "- **step0** (function): Take the first step." in said.text.splitlines()
    assert said.data["level"] == 1


def test_a_budget_cuts_a_list_and_says_so(chain: Collection) -> None:
    whole = call(chain, "xplor", "callers", function="step0")
    cut = call(chain, "xplor", "callers", function="step0", maxTokens=200)

    assert 0 < len(cut.data["results"]) < len(whole.data["results"])
    assert cut.data["total"] == len(whole.data["results"])
    assert f"Truncated to maxTokens: {len(cut.data['results'])} of 3 nodes." in cut.text


def test_an_unknown_symbol_is_an_error_in_words(chain: Collection) -> None:
    said = call(chain, "xplor", "callers", function="nobody")

    assert said.is_error
    assert "Nothing is called nobody" in said.text
