"""The tool set `memory`, called by the SDK's own client: what agents write, link and read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from mcp import Client
from mcp_types import CallToolResult, TextContent
from tests.acceptance.tools import Only

from trivium import config
from trivium.collection import open_collection
from trivium.doors.hosting import Hosting
from trivium.doors.mcp.desk import Desk
from trivium.doors.mcp.server import Scope, Service, tools_of
from trivium.doors.upkeep import Upkeep
from trivium.memory.limits import _BETWEEN
from trivium.types import Kind

Call = Callable[..., dict[str, Any]]
SETS = ("core", "graph", "memory")
# SEMANTICS.md H3: what each takes, with * where it must be given.
SEED = {
    "notes_create": "title* content* tags",
    "notes_update": "noteId* title content tags expectedVersion",
    "notes_delete": "noteId*",
    "notes_get": "noteId*",
    "notes_list": "filter tag limit offset",
    "notes_create_link": "fromId* toId* kind* targetGraph projectId",
    "notes_delete_link": "fromId* toId* targetGraph projectId",
    "notes_list_links": "noteId*",
    "notes_find_linked": "targetId* targetGraph* kind projectId",
    "notes_add_attachment": "noteId* filePath*",
    "notes_remove_attachment": "noteId* filename*",
    "tasks_create": "title* description* priority* status tags dueDate estimate assignee order",
    "tasks_update": "taskId* title description status priority tags dueDate estimate assignee "
    "order expectedVersion",
    "tasks_delete": "taskId*",
    "tasks_get": "taskId*",
    "tasks_list": "status priority tag filter assignee limit offset",
    "tasks_move": "taskId* status* expectedVersion",
    "tasks_link": "fromId* toId* kind*",
    "tasks_create_link": "taskId* targetId* targetGraph kind* projectId",
    "tasks_delete_link": "taskId* targetId* targetGraph projectId",
    "tasks_find_linked": "targetId* targetGraph* kind projectId",
    "tasks_reorder": "taskId* order status beforeId afterId",
    "tasks_bulk_move": "taskIds* status*",
    "tasks_bulk_priority": "taskIds* priority*",
    "tasks_bulk_delete": "taskIds*",
    "tasks_add_attachment": "taskId* filePath*",
    "tasks_remove_attachment": "taskId* filename*",
    "epics_create": "title* description* status priority tags",
    "epics_update": "epicId* title description status priority tags version",
    "epics_delete": "epicId*",
    "epics_get": "epicId*",
    "epics_list": "status priority tag limit offset",
    "epics_search": "query* topK minScore searchMode",
    "epics_link_task": "epicId* taskId*",
    "epics_unlink_task": "epicId* taskId*",
    "skills_create": "title* description* steps triggers inputHints filePatterns tags source "
    "confidence",
    "skills_update": "skillId* title description steps triggers inputHints filePatterns tags "
    "source confidence expectedVersion",
    "skills_delete": "skillId*",
    "skills_get": "skillId*",
    "skills_list": "source tag filter limit offset",
    "skills_bump_usage": "skillId*",
    "skills_link": "fromId* toId* kind*",
    "skills_create_link": "skillId* targetId* targetGraph kind* projectId",
    "skills_delete_link": "skillId* targetId* targetGraph projectId",
    "skills_find_linked": "targetId* targetGraph* kind projectId",
    "skills_add_attachment": "skillId* filePath*",
    "skills_remove_attachment": "skillId* filename*",
}
# Put together here, so that nobody takes it for a real one.
SECRET = "ghp_" + "a1B2c3D4e" * 4
READ = ("get", "list", "links", "linked", "search")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "auth.py").write_text(
        'def hash_password(text):\n    """Passwords are hashed with a salt."""\n    return text\n'
    )
    (folder / "guide.md").write_text("# Guide\n\nHow to reset a password.\n")
    return folder


@pytest.fixture
def upkeep(folder: Path, tmp_path: Path) -> Iterator[Upkeep]:
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    made = Upkeep(open_collection(folder, settings=config.load(environ=environ)))
    yield made
    made.close()


def called(upkeep: Upkeep, scope: Scope, name: str, arguments: dict[str, Any]) -> CallToolResult:
    desk = Desk(cast("Hosting", Only(upkeep)), patience_s=60)
    service = Service(desk, scope_of=lambda _: scope)

    async def held() -> CallToolResult:
        # It checks what comes against the schema that the tool has.
        async with Client(service.server()) as client:
            return await client.call_tool(name, arguments)

    try:
        return asyncio.run(held())
    finally:
        service.close()


@pytest.fixture
def call(upkeep: Upkeep) -> Call:
    def call(name: str, **arguments: object) -> dict[str, Any]:
        result = called(upkeep, Scope(SETS), name, arguments)
        (text,) = result.content
        assert isinstance(text, TextContent)
        assert not result.is_error, (name, text.text)
        data = result.structured_content
        assert isinstance(data, dict)
        if name in SEED:
            # Clients of the seed read the text alone.
            assert json.loads(text.text) == data.get("results", data)
        return data

    return call


@pytest.fixture
def refused(upkeep: Upkeep) -> Callable[..., str]:
    def refused(name: str, **arguments: object) -> str:
        result = called(upkeep, Scope(SETS), name, arguments)
        (text,) = result.content
        assert isinstance(text, TextContent)
        assert result.is_error, (name, text.text)
        return text.text

    return refused


def test_the_tools_and_what_they_take_are_those_of_the_seed() -> None:
    tools = {tool.name: tool.input_schema for tool in tools_of(("memory",))}

    assert set(tools) == set(SEED)
    for name, taken in SEED.items():
        words = taken.split()
        own = [one for one in tools[name]["properties"] if one != "collection"]
        assert set(own) == {one.removesuffix("*") for one in words}, name
        required = {one.removesuffix("*") for one in words if one.endswith("*")}
        assert set(tools[name].get("required", ())) == required, name


def test_tools_that_read_say_so_and_those_that_replace_too() -> None:
    for tool in tools_of(("memory",)):
        assert tool.annotations is not None
        reads = tool.name.rpartition("_")[2] in READ and "create_link" not in tool.name
        assert tool.annotations.read_only_hint == reads, tool.name
        replaces = any(word in tool.name for word in ("update", "delete", "move", "reorder"))
        replaces = replaces or "priority" in tool.name or "unlink" in tool.name
        assert tool.annotations.destructive_hint == replaces, tool.name
        assert tool.annotations.open_world_hint is False


def test_the_types_of_links_are_those_that_memory_has() -> None:
    tools = {tool.name: tool.input_schema for tool in tools_of(("memory",))}
    for kind, name in ((Kind.NOTE, "notes"), (Kind.TASK, "tasks"), (Kind.SKILL, "skills")):
        taken = tools[f"{name}_create_link"]["properties"]["kind"]["enum"]
        assert set(taken) == {one.value for one in _BETWEEN[kind]}


def test_a_decision_is_remembered_linked_and_comes_beside_its_function(call: Call) -> None:
    made = call("notes_create", title="Why a salt", content="Rainbow tables.", tags=["security"])
    function = call("search", query="hash password", kind="code")["results"][0]["id"]
    linked = call(
        "notes_create_link",
        fromId=made["noteId"],
        toId=function,
        kind="references",
        targetGraph="code",
    )

    assert (made["noteId"], linked) == ("note:why-a-salt", {"created": True})
    later = call("search", query="how are passwords hashed", expand="context")["results"]
    assert later[0]["id"] == function
    (beside,) = [one for one in later if one["id"] == made["noteId"]]
    assert beside["context"]["sourceId"] == function, beside["context"]
    about = call("notes_find_linked", targetId=function, targetGraph="code")["results"]
    assert about == [
        {
            "noteId": "note:why-a-salt",
            "title": "Why a salt",
            "tags": ["security"],
            "kind": "references",
        }
    ]
    read = call("fetch", id=function)
    assert ("note:why-a-salt", "references") in [
        (edge["source"], edge["type"]) for edge in read["edges"]
    ]


def test_a_note_is_changed_read_listed_and_deleted(call: Call, folder: Path) -> None:
    made = call("notes_create", title="Plan", content="One.")
    changed = call("notes_update", noteId="plan", content="Two zebras.", expectedVersion=1)

    assert made == {"noteId": "note:plan", "version": 1}
    assert changed == {"noteId": "note:plan", "updated": True, "version": 2}
    assert [one["id"] for one in call("notes_search", query="zebras")["results"]] == ["note:plan"]
    read = call("notes_get", noteId="note:plan")
    assert (read["title"], read["content"], read["relations"]) == ("Plan", "Two zebras.", [])
    page = call("notes_list", filter="pla")
    assert [(one["id"], one["title"]) for one in page["results"]] == [("note:plan", "Plan")]
    assert page["total"] == 1
    assert call("notes_delete", noteId="plan") == {"noteId": "note:plan", "deleted": True}
    assert not list(folder.glob(".trivium/notes/*"))
    assert call("notes_search", query="zebras")["results"] == []


def test_nothing_is_written_to_a_version_that_is_gone(
    call: Call, refused: Callable[..., str]
) -> None:
    call("notes_create", title="Plan", content="One.")
    call("notes_update", noteId="plan", content="Two.")

    said = refused("notes_update", noteId="plan", content="Three.", expectedVersion=1)

    assert "version 2" in said
    assert call("notes_get", noteId="plan")["content"] == "Two."


def test_null_leaves_a_field_as_it_is(call: Call) -> None:
    call("tasks_create", title="Do", description="It.", priority="high", assignee="ana")

    call("tasks_update", taskId="do", title=None, assignee=None, description=None, tags=None)
    assert call("tasks_get", taskId="do")["assignee"] == "ana"
    call("tasks_update", taskId="do", assignee="")
    assert call("tasks_get", taskId="do")["assignee"] is None


def test_an_empty_text_clears_a_field_that_may_be_nothing(call: Call) -> None:
    given = {"dueDate": "2026-12-24", "estimate": 2.5, "assignee": "ana", "order": 5}
    made = call("tasks_create", title="Ship", description="", priority="low", **given)
    task = made["taskId"]

    call("tasks_update", taskId=task, estimate="", dueDate="")
    read = call("tasks_get", taskId=task)
    assert [read[name] for name in given] == [None, None, "ana", 5]
    call("tasks_update", taskId=task, assignee="", order="", estimate=1)
    read = call("tasks_get", taskId=task)
    assert [read[name] for name in given] == [None, 1, None, None]


def test_tasks_have_columns_an_order_and_relations(call: Call) -> None:
    for title, priority in (("One", "low"), ("Two", "critical"), ("Three", "high")):
        call("tasks_create", title=title, description="x", priority=priority, status="todo")
    call("tasks_link", fromId="two", toId="one", kind="subtask_of")
    call("tasks_link", fromId="three", toId="one", kind="blocks")
    call(
        "tasks_create_link",
        taskId="one",
        targetId="guide.md",
        targetGraph="docs",
        kind="references",
    )

    listed = call("tasks_list", status="todo")
    assert [one["id"] for one in listed["results"]] == ["task:two", "task:three", "task:one"]
    read = call("tasks_get", taskId="one")
    assert (read["subtasks"], read["blockedBy"]) == (["task:two"], ["task:three"])
    assert [one["target"] for one in read["crossLinks"]] == ["doc:guide.md"]
    assert call("tasks_get", taskId="three")["blocks"] == ["task:one"]
    done = call("tasks_move", taskId="one", status="done")
    assert (done["status"], bool(done["completedAt"])) == ("done", True)
    assert call("tasks_move", taskId="one", status="todo")["completedAt"] is None
    assert call("tasks_reorder", taskId="one", order=10)["order"] == 10
    assert call("tasks_reorder", taskId="one", afterId="task:two")["order"] > 10
    found = call("tasks_find_linked", targetId="guide.md", targetGraph="docs")["results"]
    assert [(one["taskId"], one["kind"], one["status"]) for one in found] == [
        ("task:one", "references", "todo")
    ]
    call("tasks_delete_link", taskId="one", targetId="doc:guide.md")
    assert call("tasks_get", taskId="one")["crossLinks"] == []


def test_many_tasks_change_at_once(call: Call, refused: Callable[..., str]) -> None:
    for title in ("One", "Two"):
        call("tasks_create", title=title, description="x", priority="low")
    both = ["one", "task:two"]

    assert call("tasks_bulk_move", taskIds=both, status="done") == {"moved": 2}
    assert call("tasks_bulk_priority", taskIds=both, priority="high") == {"updated": 2}
    assert "three" in refused("tasks_bulk_delete", taskIds=["one", "three"])
    assert call("tasks_bulk_delete", taskIds=both) == {"deleted": 2}
    assert call("tasks_list")["total"] == 0


def test_epics_gather_tasks(call: Call, refused: Callable[..., str]) -> None:
    epic = call("epics_create", title="Launch the zebra", description="All of it.")["epicId"]
    task = call("tasks_create", title="Buy a zebra", description="One.", priority="low")["taskId"]

    assert call("epics_link_task", epicId=epic, taskId=task)["linked"] is True
    (row,) = call("epics_list")["results"]
    assert (row["id"], row["taskCount"], row["status"]) == (epic, 1, "open")
    read = call("epics_get", epicId=epic)
    assert [one["id"] for one in read["tasks"]] == [task]
    assert [one["id"] for one in call("epics_search", query="zebra")["results"]] == [epic]
    assert call("epics_update", epicId=epic, status="done", version=1)["updated"] is True
    assert "version 2" in refused("epics_update", epicId=epic, status="open", version=1)
    assert call("epics_unlink_task", epicId=epic, taskId=task)["unlinked"] is True
    assert "does not belong" in refused("epics_unlink_task", epicId=epic, taskId=task)
    assert "no epic" in refused("epics_delete", epicId=task)
    assert call("epics_delete", epicId=epic) == {"epicId": epic, "deleted": True}
    assert call("tasks_list")["total"] == 1


def test_skills_are_learned_counted_linked_and_recalled(call: Call) -> None:
    call(
        "skills_create",
        title="Release",
        description="How to release.",
        steps=["Test", "Tag"],
        triggers=["ship a version"],
        inputHints=["the version"],
        filePatterns=["*.toml"],
        source="learned",
        confidence=0.5,
    )
    call("skills_create", title="Test", description="How to test.")
    call("skills_create", title="Hotfix", description="In a hurry.")
    call("skills_link", fromId="release", toId="test", kind="depends_on")
    call("skills_link", fromId="hotfix", toId="release", kind="variant_of")
    call("skills_create_link", skillId="release", targetId="code:auth.py", kind="references")

    assert call("skills_bump_usage", skillId="release")["usageCount"] == 1
    read = call("skills_get", skillId="release")
    assert (read["dependsOn"], read["variants"]) == (["skill:test"], ["skill:hotfix"])
    assert (read["steps"], read["usageCount"]) == (["Test", "Tag"], 1)
    assert [one["target"] for one in read["crossLinks"]] == ["code:auth.py"]
    assert call("skills_get", skillId="test")["dependedBy"] == ["skill:release"]
    (recalled, *_) = call("skills_recall", context="we ship a version")["results"]
    assert (recalled["id"], recalled["usageCount"]) == ("skill:release", 1)
    learned = call("skills_list", source="learned")["results"]
    assert [one["id"] for one in learned] == ["skill:release"]
    call("skills_update", skillId="release", confidence=0.9)
    assert call("skills_get", skillId="release")["confidence"] == 0.9
    found = call("skills_find_linked", targetId="auth.py", targetGraph="code")["results"]
    assert [one["skillId"] for one in found] == ["skill:release"]
    call("skills_delete_link", skillId="release", targetId="test")
    assert call("skills_get", skillId="release")["dependsOn"] == []
    assert call("skills_delete", skillId="hotfix")["deleted"] is True


def test_a_file_of_the_folder_is_kept_beside_an_item(call: Call, folder: Path) -> None:
    (folder / "plan.txt").write_text("a plan")
    call("notes_create", title="Why", content="x")

    made = call("notes_add_attachment", noteId="why", filePath="plan.txt")

    assert (made["filename"], made["mimeType"], made["size"]) == ("plan.txt", "text/plain", 6)
    assert (folder / ".trivium/attachments/notes/why/plan.txt").read_text() == "a plan"
    taken = call("notes_remove_attachment", noteId="why", filename="plan.txt")
    assert taken == {"deleted": True}
    whole = call("notes_add_attachment", noteId="why", filePath=str(folder / "plan.txt"))
    assert whole["filename"] == "plan.txt"


def test_a_file_that_searches_do_not_show_is_not_copied(
    call: Call, refused: Callable[..., str], folder: Path
) -> None:
    (folder / ".gitignore").write_text("private.txt\n")
    (folder / "private.txt").write_text("secret")
    (folder / "key.txt").write_text("token = ghp_0123456789abcdefghijABCDEFGHIJ012345\n")
    (folder / "plan.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    call("notes_create", title="Why", content="x")

    assert "in the index" in refused("notes_add_attachment", noteId="why", filePath="private.txt")
    assert "secrets" in refused("notes_add_attachment", noteId="why", filePath="key.txt")
    assert call("notes_add_attachment", noteId="why", filePath="plan.png")["size"] == 10
    kept = folder / ".trivium/attachments/notes/why"
    assert [one.name for one in kept.iterdir()] == ["plan.png"]


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "/etc/passwd",
        ".env",
        ".git/config",
        "sub/../../secret",
        "link",
        "no.txt",
        "sub",
        "through/secret",
        "a\0b",
        "",
    ],
)
def test_no_other_file_can_be_taken(
    call: Call, refused: Callable[..., str], folder: Path, path: str
) -> None:
    (folder.parent / "secret").write_text("secret")
    (folder / ".env").write_text("secret")
    (folder / "sub").mkdir()
    (folder / "link").symlink_to(folder.parent / "secret")
    (folder / "through").symlink_to(folder.parent)
    call("notes_create", title="Why", content="x")

    assert refused("notes_add_attachment", noteId="why", filePath=path)
    assert not (folder / ".trivium/attachments").exists()


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("notes_create", {"title": "x"}, "content"),
        ("notes_create", {"title": "x", "content": "y", "colour": "red"}, "Unknown key 'colour'"),
        ("notes_create", {"title": "a\x00b", "content": ""}, "control character"),
        ("notes_get", {"noteId": "nobody"}, "No note is called nobody"),
        ("notes_get", {"noteId": "../x"}, "no id of a note"),
        ("tasks_create", {"title": "x", "description": "", "priority": "huge"}, "priority"),
        ("tasks_move", {"taskId": "x", "status": "lost"}, "status"),
        ("skills_create", {"title": "x", "description": "", "confidence": 2}, "confidence"),
        ("notes_create_link", {"fromId": "a", "toId": "b", "kind": "calls"}, "kind"),
        ("tasks_bulk_move", {"taskIds": [], "status": "done"}, "taskIds"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    refused: Callable[..., str], name: str, arguments: dict[str, object], said: str
) -> None:
    assert said in refused(name, **arguments)


def test_a_link_to_another_collection_is_written_as_such(
    call: Call, refused: Callable[..., str]
) -> None:
    call("notes_create", title="Why", content="x")
    here = {"fromId": "why", "kind": "references", "toId": "code:auth.py"}

    assert call("notes_create_link", **here, projectId="shop") == {"created": True}
    (link,) = call("notes_list_links", noteId="why")["results"]
    assert (link["target"], link["broken"]) == ("code:auth.py", False)
    assert "farm" in refused("notes_create_link", **here, projectId="farm")
    assert call("notes_delete_link", fromId="why", toId="code:auth.py") == {"deleted": True}


def test_who_may_only_read_sees_and_calls_no_tool_that_writes(upkeep: Upkeep) -> None:
    reader = Scope(("core", "memory"), may_write=False)
    desk = Desk(cast("Hosting", Only(upkeep)), patience_s=60)
    service = Service(desk, scope_of=lambda _: reader)

    async def names() -> set[str]:
        async with Client(service.server()) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    try:
        shown = asyncio.run(names())
    finally:
        service.close()
    refused = called(upkeep, reader, "notes_create", {"title": "x", "content": "y"})

    (text,) = refused.content
    assert isinstance(text, TextContent)
    assert (refused.is_error, "notes_create writes" in text.text) == (True, True)
    assert {"notes_get", "tasks_list", "search"} <= shown
    assert not [one for one in shown if one.endswith(("create", "update", "delete", "link"))]
    assert not called(upkeep, reader, "notes_list", {}).is_error


def test_the_tools_that_read_are_a_set_of_their_own() -> None:
    some = {tool.name for tool in tools_of(("memory-read",))}

    assert some == {one for one in SEED if one.rpartition("_")[2] in READ}


@pytest.mark.parametrize(
    "reader",
    [Scope(("core", "memory"), may_write=False), Scope(("core", "memory-read"))],
    ids=["no right", "no tools"],
)
def test_who_may_only_read_is_shown_no_secrets(upkeep: Upkeep, call: Call, reader: Scope) -> None:
    call("notes_create", title=f"Key {SECRET}", content=f"Use {SECRET} there.", tags=["a"])

    node_id = call("notes_list")["results"][0]["id"]
    assert call("notes_get", noteId=node_id)["content"] == f"Use {SECRET} there."
    for name, given in (("notes_get", {"noteId": node_id}), ("notes_list", {})):
        result = called(upkeep, reader, name, given)
        (text,) = result.content
        assert isinstance(text, TextContent)
        assert not result.is_error
        assert isinstance(result.structured_content, dict)
        read = json.dumps(result.structured_content)
        assert (SECRET in read, SECRET in text.text) == (False, False)
        assert "[masked:github-token]" in text.text
        told = result.structured_content.get("results", result.structured_content)
        assert json.loads(text.text) == told
