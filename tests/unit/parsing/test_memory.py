from __future__ import annotations

import pytest

from trivium.parsing.page import page_of
from trivium.parsing.parse import parse
from trivium.parsing.shelves import kind_in_memory, path_in_memory, slug_in_memory
from trivium.types import BY_ID, Document, EdgeType, Kind, Reference

TASK = """---
title: Ship it
status: todo
due: 2026-01-31
tags: [release]
epic: launch
links:
  - blocks task:other
  - references code:src/auth.py#login
  - jumps task:nowhere
version: 4
custom: kept
---

# Steps

Call `login` first, see [[other]].
"""


def test_one_file_is_one_node_with_its_fields_as_facts() -> None:
    parsed = parse(Document(".trivium/tasks/ship-it.md", TASK))

    (node,) = parsed.nodes
    assert (node.id, node.kind, node.type, node.name) == (
        "task:ship-it",
        Kind.TASK,
        "task",
        "Ship it",
    )
    assert node.metadata["status"] == "todo"
    assert node.metadata["priority"] == "medium"
    assert node.metadata["due"] == "2026-01-31"
    assert node.metadata["custom"] == "kept"
    assert not {"version", "links"} & set(node.metadata)
    assert node.tags == ("release",)
    (own,) = node.own
    assert TASK[own.start : own.end].startswith("\n# Steps")


def test_links_of_the_front_matter_and_of_the_text_are_references() -> None:
    parsed = parse(Document(".trivium/tasks/ship-it.md", TASK))

    assert {one.source for one in parsed.references} == {"task:ship-it"}
    assert (
        Reference(parsed.nodes[0].id, EdgeType.BLOCKS, "", path="task:other", of=BY_ID)
        in parsed.references
    )
    assert any(
        one.type is EdgeType.SUBTASK_OF and one.path == "task:launch" for one in parsed.references
    )
    assert any(one.of == "wikilink" and one.name == "other" for one in parsed.references)
    assert any(one.type is EdgeType.MENTIONS and one.name == "login" for one in parsed.references)
    assert not any("nowhere" in one.path for one in parsed.references)


def test_a_skills_triggers_and_steps_are_text_to_be_found() -> None:
    front = "title: Deploy\ntriggers: [ship a release]\nsteps:\n  - Tag\nusageCount: 3\n"
    text = f"---\n{front}---\n\nHow.\n"

    (node,) = parse(Document(".trivium/skills/deploy.md", text)).nodes

    found = "".join(text[own.start : own.end] for own in node.own)
    assert "ship a release" in found
    assert "Tag" in found
    assert "usageCount" not in found
    assert node.metadata["triggers"] == ("ship a release",)
    assert node.metadata["usageCount"] == 3


def test_a_title_alone_is_text_to_be_found() -> None:
    text = "---\nstatus: todo\ntitle: Ship it\n---\n"

    (node,) = parse(Document(".trivium/tasks/ship.md", text)).nodes

    assert [text[own.start : own.end] for own in node.own] == ["title: Ship it\n"]


def test_an_epic_is_a_type_of_task_and_open_at_first() -> None:
    (node,) = parse(Document(".trivium/tasks/launch.md", "---\ntype: epic\n---\n")).nodes

    assert (node.type, node.metadata["status"], node.name) == ("epic", "open", "launch")


def test_bad_front_matter_keeps_the_text_and_says_why() -> None:
    parsed = parse(Document(".trivium/notes/bad.md", "---\ntitle: a\n\nText\n"))

    assert "never closed" in parsed.failure
    assert parsed.nodes[0].id == "note:bad"
    assert parsed.nodes[0].own


@pytest.mark.parametrize(
    "path",
    [
        "notes/a.md",
        "sub/.trivium/notes/a.md",
        ".trivium/a.md",
        ".trivium/notes/deep/a.md",
        ".trivium/notes/.a.md",
        ".trivium/notes/a.txt",
        ".trivium/conflicts/a.md",
    ],
)
def test_other_files_are_no_memory(path: str) -> None:
    assert kind_in_memory(path) is None


@pytest.mark.parametrize("kind", [Kind.NOTE, Kind.TASK, Kind.SKILL])
def test_a_path_says_its_kind_and_slug(kind: Kind) -> None:
    path = path_in_memory(kind, "café")

    assert kind_in_memory(path) is kind
    assert slug_in_memory(path.replace("é", "e\u0301")) == "café"


def test_blocks_cover_the_front_matter_line_by_line() -> None:
    page = page_of(TASK)

    assert page.front is not None
    covered = "".join(TASK[one.span.start : one.span.end] for one in page.blocks)
    assert covered == TASK[page.front.start : page.front.end]
    assert [one.key for one in page.blocks] == [
        "title", "status", "due", "tags", "epic", "links", "version", "custom",
    ]  # fmt: skip
