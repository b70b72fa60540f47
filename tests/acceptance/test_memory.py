"""Seed 003's cases, asked of notes, tasks and skills that were written down."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.acceptance.conftest import Open
from tests.acceptance.tools import call

from trivium.collection import Collection
from trivium.types import Answer

DECAY = 0.8


@pytest.fixture
def shop(folder: Path, opened_on_each: Open) -> Collection:
    (folder / "auth.py").write_text("def login():\n    pass\n", encoding="utf-8")
    collection = opened_on_each(folder, embedding__model="none")
    collection.sync()
    return collection


def scores(answer: Answer) -> dict[str, float]:
    return {hit.id: hit.score for hit in answer.results}


def test_g94_what_is_written_changed_and_deleted_counts_at_once(shop: Collection) -> None:
    one = shop.notes.create("One", "zebra")
    two = shop.notes.create("Two", "zebra")

    def found() -> list[str]:
        return [hit.id for hit in shop.notes.search("zebra", profile="graph").results]

    assert found() == [one.id, two.id]
    shop.notes.update(two.id, content="okapi")
    assert found() == [one.id]
    shop.notes.update(one.id, content="zebra zebra")
    assert found() == [one.id]
    shop.notes.delete(one.id)
    assert found() == []


@pytest.mark.parametrize(
    ("decay", "first", "second"),
    [(None, DECAY, DECAY**2), (0.8, 0.8, 0.64), (0.9, 0.9, 0.81)],
)
def test_g102_a_link_between_notes_leaves_a_share_of_the_score(
    shop: Collection, decay: float | None, first: float, second: float
) -> None:
    for title, text in (("One", "zebra"), ("Two", "okapi"), ("Three", "tapir")):
        shop.notes.create(title, text)
    shop.notes.link("one", "references", "note:two")
    shop.notes.link("three", "related_to", "note:two")

    answer = shop.notes.search("zebra", profile="graph", bfs_depth=2, bfs_decay=decay)

    wanted = {"note:one": 1.0, "note:two": first, "note:three": second}
    assert scores(answer) == pytest.approx(wanted)


def test_g103_what_falls_below_the_least_score_is_not_walked_to(shop: Collection) -> None:
    shop.tasks.create("One", "zebra")
    shop.tasks.create("Two", "okapi")
    shop.tasks.link("one", "blocks", "task:two")

    def found(decay: float) -> list[str]:
        answer = shop.tasks.search("zebra", profile="graph", bfs_decay=decay)
        return [hit.id for hit in answer.results]

    # The first has 1, and the least score is .5.
    assert found(0.5) == ["task:one", "task:two"]
    assert found(0.49) == ["task:one"]


def test_g105_without_a_walk_only_what_matches_is_found(shop: Collection) -> None:
    shop.skills.create("One", "zebra")
    shop.skills.create("Two", "okapi", links=[("depends_on", "skill:one")])

    def found(**options: int) -> list[str]:
        answer = shop.skills.search("zebra", profile="graph", **options)
        return [hit.id for hit in answer.results]

    assert found() == ["skill:one", "skill:two"]
    assert found(bfs_depth=0) == found(limit=1) == ["skill:one"]


def test_g106_skills_are_recalled_from_a_score_of_three_tenths(shop: Collection) -> None:
    for number in range(7):
        shop.skills.create(f"Skill {number}", "x", triggers=["zebra " * (8 - number)])

    recalled = shop.skills.recall("zebra", search_mode="keyword")
    strict = shop.skills.recall("zebra", search_mode="keyword", min_score=1.0)

    assert len(recalled.results) == 5
    assert all(hit.score >= 0.3 for hit in recalled.results)
    assert len(strict.results) == 1


def test_g107_what_stands_for_a_node_elsewhere_is_never_a_hit(
    shop: Collection, folder: Path, opened_on_each: Open
) -> None:
    farm = folder.parent / "farm"
    farm.mkdir()
    (farm / "zebra.py").write_text("def zebra():\n    pass\n", encoding="utf-8")
    # On a backend of its own that no process can find by name, nobody can tell what is there.
    opened_on_each(farm, embedding__model="none").sync()
    (folder / ".trivium" / "notes").mkdir(parents=True)
    (folder / ".trivium" / "notes" / "why.md").write_text(
        '---\nlinks:\n  - "references @farm::code:zebra.py#zebra"\n---\nAbout stripes.\n',
        encoding="utf-8",
    )
    shop.sync()

    for query in ("zebra", "stripes", "farm"):
        for profile in ("graph", "best"):
            found = shop.search(query, profile=profile).results
            assert not [hit.id for hit in found if hit.id.startswith("@")]
    assert [one.target for one in shop.notes.get("why").links] == ["@farm::code:zebra.py#zebra"]


def test_g108_a_skill_that_was_written_is_found_by_its_triggers(shop: Collection) -> None:
    shop.skills.create("Breathing", "Text.", triggers=["panic attack"])
    shop.skills.create("Walking", "Text.")

    said = call(shop, "graph", "skills_recall", context="a panic attack")

    assert [one["id"] for one in said.results] == ["skill:breathing"]


@pytest.mark.parametrize(
    ("tool", "key"),
    [
        ("notes_search", "query"),
        ("tasks_search", "query"),
        ("epics_search", "query"),
        ("skills_recall", "context"),
    ],
)
@pytest.mark.parametrize("wrong", [{"minScore": 1.1}, {"topK": 501}, {"": "z" * 10_001}])
def test_g111_searches_of_memory_refuse_what_is_out_of_range(
    shop: Collection, tool: str, key: str, wrong: dict[str, object]
) -> None:
    arguments = {key: "zebra", **{name or key: value for name, value in wrong.items()}}

    said = call(shop, "graph,memory", tool, **arguments)

    assert said.is_error
    assert (next(iter(wrong)) or key) in said.text


def test_g112_a_note_edited_or_removed_by_hand_is_so_in_the_next_search(
    shop: Collection, folder: Path
) -> None:
    shop.notes.create("Why", "zebra")
    file = folder / ".trivium" / "notes" / "why.md"

    file.write_text(file.read_text(encoding="utf-8").replace("zebra", "okapi"), encoding="utf-8")
    assert shop.search("zebra", sync=True).results == ()
    assert [hit.id for hit in shop.search("okapi", sync=True).results] == ["note:why"]
    file.unlink()
    assert shop.search("okapi", sync=True).results == ()


def test_g112_what_a_tool_writes_is_in_the_index_at_once(shop: Collection) -> None:
    made = call(shop, "memory", "notes_create", title="Why", content="zebra")

    assert made.data["noteId"] == "note:why"
    # Another who has the index open: no session has a state of its own.
    assert [hit.id for hit in shop.search("zebra", sync=False).results] == ["note:why"]
