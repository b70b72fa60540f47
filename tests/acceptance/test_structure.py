"""Acceptance cases about the graph: G29, G112 and G113."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.collection import Collection
from trivium.testing.reading import reading

Open = Callable[..., Collection]


@pytest.fixture
def chain(folder: Path, opened_on_each: Open) -> Collection:
    """A folder in which step0 is called by step1, that by step2, and so on up to step8."""
    (folder / "step0.py").write_text("def step0():\n    pass\n")
    for number in range(1, 9):
        text = f"from step{number - 1} import step{number - 1}\n\n"
        text += f"def step{number}():\n    step{number - 1}()\n"
        (folder / f"step{number}.py").write_text(text)
    collection = opened_on_each(folder, embedding__model="none")
    collection.sync()
    return collection


def test_g29_impact_goes_five_links_over_calls_and_imports(chain: Collection) -> None:
    found = chain.impact("step0").found

    assert {one.depth for one in found} == {1, 2, 3, 4, 5}
    assert {one.edge.type.value for one in found} == {"calls"}
    of_file = chain.impact("step0.py", depth=1).found
    assert {one.edge.type.value for one in of_file} == {"calls", "imports"}
    assert {one.node.name for one in found if one.node.type == "function"} == {
        f"step{number}" for number in range(1, 1 + 5)
    }


def test_g29_callers_go_three_links_by_default_and_as_many_as_asked(chain: Collection) -> None:
    assert [one.node.name for one in chain.callers("step0").found] == ["step1", "step2", "step3"]
    assert [one.node.name for one in chain.callers("step0", depth=1).found] == ["step1"]
    assert [one.node.name for one in chain.callees("step3").found] == ["step2", "step1", "step0"]


def test_g112_a_file_edited_or_removed_while_running_is_seen_by_the_next_search(
    chain: Collection,
) -> None:
    (chain.root / "step7.py").write_text("def zebra():\n    pass\n")
    assert [hit.node.name for hit in chain.search("zebra", sync=True).results][:1] == ["zebra"]

    (chain.root / "step7.py").unlink()
    gone = chain.search("zebra")
    assert gone.results == ()
    assert "gone" in gone.degraded[-1].reason
    after = chain.search("zebra", sync=True)
    assert (after.results, after.freshness.dirty_files) == ((), 0)


def test_g113_methods_and_functions_of_one_name_are_both_there() -> None:
    text = "class A:\n    @property\n    def x(self): ...\n    @x.setter\n    def x(self, v): ...\n"

    assert list(reading("a.py", text).types) == ["A", "A.x", "A.x~2"]


def test_g113_a_heading_inside_a_fence_does_not_split() -> None:
    text = "# Title\n\n```\n## x\n```\n\nmore\n"

    assert [one for one in reading("a.md", text).types.items() if one[1] == "section"] == [
        ("Title", "section")
    ]
