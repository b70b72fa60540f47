from __future__ import annotations

from itertools import pairwise

import pytest
from tests.unit.memory.conftest import Table

from trivium.errors import NotFound, UsageError
from trivium.memory.items import GAP, as_data
from trivium.memory.reading import stamp
from trivium.memory.tasks import Tasks


def slugs(tasks: Tasks, **wanted: object) -> list[str]:
    return [one.slug for one in tasks.list(**wanted).items]  # type: ignore[arg-type]


def test_a_task_is_at_the_end_of_its_column_with_seed_003s_defaults(tasks: Tasks) -> None:
    first, second = tasks.create("One"), tasks.create("Two")

    assert (first.status, first.priority, first.type) == ("backlog", "medium", "task")
    assert (first.order, second.order) == (GAP, 2 * GAP)


@pytest.mark.parametrize("status", ["done", "cancelled"])
def test_a_closed_task_has_the_time_of_that_until_it_is_opened_again(
    tasks: Tasks, table: Table, status: str
) -> None:
    tasks.create("Ship")
    closed = tasks.move("ship", status)
    table.clock.pass_s(5)

    assert closed.completed == stamp(table.clock.now - 5)
    assert tasks.update("ship", title="Ship it").completed == closed.completed
    assert tasks.move("ship", "todo").completed == ""


def test_moving_from_done_to_cancelled_keeps_when_it_was_completed(
    tasks: Tasks, table: Table
) -> None:
    tasks.create("Ship")
    done = tasks.move("ship", "done")
    table.clock.pass_s(5)

    assert tasks.move("ship", "cancelled").completed == done.completed


def test_tasks_are_listed_by_priority_then_due_date_with_none_last(tasks: Tasks) -> None:
    tasks.create("Low", priority="low", due="2026-01-01")
    tasks.create("Never", priority="high")
    tasks.create("Late", priority="high", due="2026-03-01")
    tasks.create("Soon", priority="high", due="2026-02-01")
    tasks.create("Now", priority="critical")

    assert slugs(tasks) == ["now", "soon", "late", "never", "low"]
    assert slugs(tasks, sort="due") == ["low", "soon", "late", "now", "never"]
    assert slugs(tasks, limit=2, offset=1) == ["soon", "late"]
    assert tasks.list(limit=2, offset=1).total == 5


def test_lists_are_filtered(tasks: Tasks) -> None:
    tasks.create("Write docs", tags=["Docs"], assignee="ana", due="2026-01-31")
    tasks.create("Ship", status="todo", priority="high")

    assert slugs(tasks, status="todo") == ["ship"]
    assert slugs(tasks, priority="medium") == ["write-docs"]
    assert slugs(tasks, tag="docs") == ["write-docs"]
    assert slugs(tasks, assignee="ana") == ["write-docs"]
    assert slugs(tasks, filter="WRITE") == ["write-docs"]
    assert slugs(tasks, due_before="2026-02-01") == ["write-docs"]
    assert slugs(tasks, due_before="2026-01-31") == []
    assert slugs(tasks, filter="%") == []


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"status": "dne"}, "Did you mean 'done'"),
        ({"sort": "colour"}, "Unknown sort"),
        ({"limit": 0}, "limit is 0"),
        ({"limit": 501}, "limit is 501"),
        ({"offset": -1}, "offset is -1"),
        ({"due_before": "soon"}, "due must be a date"),
    ],
)
def test_a_list_that_cannot_be_made_says_why(
    tasks: Tasks, wanted: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        slugs(tasks, **wanted)


def test_a_task_is_put_before_and_after_others(tasks: Tasks) -> None:
    for title in ("a", "b", "c"):
        tasks.create(title)

    tasks.reorder("c", before="a")
    assert slugs(tasks, sort="order") == ["c", "a", "b"]
    tasks.reorder("c", after="a")
    assert slugs(tasks, sort="order") == ["a", "c", "b"]
    assert tasks.get("c").order == 1.5 * GAP
    tasks.reorder("a")
    assert slugs(tasks, sort="order") == ["c", "b", "a"]
    assert tasks.reorder("a", order=5, status="todo").status == "todo"
    assert tasks.get("a").order == 5


def test_a_column_without_room_is_numbered_anew(tasks: Tasks) -> None:
    for title in ("a", "b", "c"):
        tasks.create(title)
    for _ in range(30):
        tasks.reorder("c", after="a")
        tasks.reorder("b", after="a")

    assert slugs(tasks, sort="order") == ["a", "b", "c"]
    orders = [tasks.get(slug).order for slug in ("a", "b", "c")]
    assert all(order is not None for order in orders)
    assert min(y - x for x, y in pairwise(orders) if x and y) > 1e-4


def test_many_are_moved_prioritised_and_deleted_at_once(tasks: Tasks) -> None:
    for title in ("a", "b", "c"):
        tasks.create(title)

    assert tasks.bulk_move(["a", "task:b"], "done") == 2
    assert tasks.get("b").completed
    assert tasks.bulk_move(["a", "b", "c"], "done") == 1
    assert tasks.bulk_priority(["a", "c"], "high") == 2
    assert tasks.bulk_delete(["a", "b"]) == 2
    assert slugs(tasks) == ["c"]


def test_one_unknown_among_many_and_none_is_changed(tasks: Tasks) -> None:
    tasks.create("a")

    with pytest.raises(NotFound, match="gone"):
        tasks.bulk_move(["a", "gone"], "done")
    with pytest.raises(NotFound, match="gone"):
        tasks.bulk_delete(["a", "gone"])

    assert tasks.get("a").status == "backlog"


@pytest.mark.parametrize("count", [0, 101])
def test_many_are_one_to_a_hundred(tasks: Tasks, count: int) -> None:
    with pytest.raises(UsageError, match="give 1 to 100"):
        tasks.bulk_delete([f"t{number}" for number in range(count)])


def test_an_epic_has_statuses_of_its_own_and_counts_its_tasks(tasks: Tasks) -> None:
    epic = tasks.create("Launch", type="epic")
    tasks.create("Ship", epic="task:launch")

    assert epic.status == "open"
    assert tasks.get("ship").epic == "launch"
    assert tasks.count(epic="launch") == 1
    assert slugs(tasks) == ["ship"]
    assert slugs(tasks, type="epic") == ["launch"]
    assert slugs(tasks, epic="launch") == ["ship"]
    with pytest.raises(UsageError, match="Unknown status of an epic 'review'"):
        tasks.move("launch", "review")
    with pytest.raises(UsageError, match="Unknown status of a task 'open'"):
        tasks.move("ship", "open")
    with pytest.raises(UsageError, match="no epic"):
        tasks.create("Other", epic="ship")
    with pytest.raises(NotFound):
        tasks.create("Other", epic="gone")


def test_subtasks_may_not_lead_in_a_circle(tasks: Tasks) -> None:
    for title in ("a", "b", "c"):
        tasks.create(title)
    tasks.link("a", "subtask_of", "task:b")
    tasks.link("b", "subtask_of", "task:c")

    with pytest.raises(UsageError, match="in a circle"):
        tasks.link("c", "subtask_of", "task:a")
    with pytest.raises(UsageError, match="with itself"):
        tasks.link("a", "blocks", "task:a")
    assert tasks.link("c", "related_to", "task:a").version == 2


def test_links_given_with_other_fields_are_checked_alike(tasks: Tasks) -> None:
    for title in ("a", "b"):
        tasks.create(title)
    tasks.update("a", links=[("subtask_of", "task:b")], title="A")

    assert [str(one) for one in tasks.get("a").links] == ["subtask_of task:b"]
    with pytest.raises(UsageError, match="in a circle"):
        tasks.update("b", links=[("subtask_of", "task:a")])
    with pytest.raises(NotFound, match="task:gone is not there"):
        tasks.update("b", links=[("blocks", "task:gone")])
    with pytest.raises(UsageError, match="pairs of a type and an id"):
        tasks.update("b", links=["blocks task:a"])
    assert tasks.get("b").version == 1


def test_a_task_that_becomes_an_epic_has_a_status_of_epics(tasks: Tasks) -> None:
    tasks.create("a")

    assert tasks.update("a", type="epic").status == "open"
    assert tasks.update("a", type="task").status == "backlog"


def test_a_task_as_json_has_seed_003s_names(tasks: Tasks) -> None:
    data = as_data(tasks.create("Ship", "Now", due="2026-01-31"))

    assert data["dueDate"] == "2026-01-31"
    assert data["completedAt"] is None
    assert {
        "id",
        "title",
        "description",
        "status",
        "priority",
        "tags",
        "estimate",
        "assignee",
    } <= set(data)
    assert "description" not in as_data(tasks.get("ship"), text=False)
