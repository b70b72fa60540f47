"""The board of tasks: its columns, moving by pointer and by keys, filters, and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from tests.e2e.page.browsing import HOSTILE, Server, catching, opened, until
from tests.e2e.page.test_page_states import violations

BOARD = "/?view=tasks"
LATE = (date.today() - timedelta(days=3)).isoformat()
TASKS: tuple[dict[str, Any], ...] = (
    {"title": "Launch", "type": "epic", "description": "All of it."},
    {"title": "Write the terms", "dueDate": "2199-01-31", "tags": ["legal"]},
    {"title": "Search by colour"},
    {"title": "Retry payments", "status": "todo", "priority": "critical", "dueDate": LATE},
    {"title": "Ship it", "status": "todo", "epic": "launch", "assignee": "ana"},
    {"title": f"Zebra {HOSTILE}", "status": "done"},
)


@pytest.fixture(autouse=True)
def tasks(server: Server) -> Iterator[Server]:
    """The server with some tasks, which are gone afterwards."""
    for one in TASKS:
        assert server.client.post("/api/tasks", json=one).status_code == 201
    yield server
    for kind in ("task", "epic"):
        found = server.client.get("/api/tasks", params={"type": kind, "limit": 500}).json()
        for one in found["results"]:
            server.client.delete(f"/api/tasks/{one['id']}")


def column(page: Any, status: str) -> list[str]:
    titles = page.locator(f"[data-status='{status}'] .task h3").all_text_contents()
    return [str(one) for one in titles]


def status_of(server: Server, slug: str) -> str:
    return str(server.client.get(f"/api/tasks/{slug}").json()["status"])


def shown(page: Any) -> Any:
    page.goto(BOARD)
    page.wait_for_selector(".task")
    return page


def test_a_task_stands_in_the_column_of_its_status_with_what_is_known_of_it(page: Any) -> None:
    shown(page)

    assert column(page, "backlog") == ["Write the terms", "Search by colour"]
    assert column(page, "todo") == ["Retry payments", "Ship it"]
    assert page.locator(".column h2").all_text_contents() == [
        "Backlog2",
        "To do2",
        "In progress0",
        "Review0",
        "Done1",
        "Cancelled0",
    ]
    late = page.locator(".task:has-text('Retry payments')")
    assert late.locator(".urgency").text_content() == "Critical"
    assert "overdue" in late.locator(".due.late").text_content()
    assert page.locator(".task:has-text('Write the terms') .due").text_content() == "Jan 31, 2199"
    assert page.locator(".task:has-text('Ship it') .about").text_content() == "Launchana"


def test_the_board_is_reached_from_the_head_and_by_a_key_and_left_again(page: Any) -> None:
    page.goto("/?q=password")
    page.wait_for_selector(".hit")
    page.click("#memory")
    page.wait_for_selector(".task")
    page.go_back()
    page.wait_for_selector(".hit")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("m")
    page.wait_for_selector(".task")
    page.click("#leave")
    page.wait_for_selector(".hit")

    assert page.input_value("#query") == "password"
    assert "view=" not in page.url


def test_shift_and_an_arrow_move_a_task_to_the_next_column_and_undo_brings_it_back(
    page: Any, tasks: Server
) -> None:
    shown(page)
    page.focus(".task:has-text('Search by colour') a")

    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_selector(".offer:has-text('Moved to To do')")

    assert status_of(tasks, "search-by-colour") == "todo"
    assert column(page, "todo")[-1] == "Search by colour"
    assert page.evaluate("document.activeElement.textContent") == "Search by colour"
    assert page.text_content("#said") == "Moved to To do"
    page.keyboard.press("Control+z")
    until(
        page,
        "document.querySelector('[data-status=backlog] .tasks').textContent.includes('colour')",
    )
    assert status_of(tasks, "search-by-colour") == "backlog"


def test_shift_and_up_put_a_task_before_the_one_above(page: Any, tasks: Server) -> None:
    shown(page)
    page.focus(".task:has-text('Ship it') a")

    page.keyboard.press("Shift+ArrowUp")
    page.wait_for_selector(".offer:has-text('Moved')")

    assert column(page, "todo") == ["Ship it", "Retry payments"]
    listed = tasks.client.get("/api/tasks", params={"status": "todo", "sort": "order"}).json()
    assert [one["title"] for one in listed["results"]] == ["Ship it", "Retry payments"]
    assert page.text_content("#said") == "Place 1 of 2 tasks"


def test_arrows_go_from_task_to_task_and_enter_opens_one(page: Any) -> None:
    shown(page)
    page.focus(".task:has-text('Write the terms') a")

    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "Search by colour"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") == "Ship it"
    # Columns without tasks are passed over.
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent").startswith("Zebra")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_selector("#item-title")
    assert "item=task" in page.url
    page.keyboard.press("Escape")
    page.wait_for_selector(".opened", state="hidden")
    assert page.evaluate("document.activeElement.closest('.task') !== null")


def test_a_task_is_dragged_between_two_others(page: Any, tasks: Server) -> None:
    shown(page)
    card = page.locator(".task:has-text('Search by colour')").bounding_box()
    over = page.locator(".task:has-text('Ship it')").bounding_box()

    page.mouse.move(card["x"] + 30, card["y"] + 12)
    page.mouse.down()
    page.mouse.move(over["x"] + 20, over["y"] + 30, steps=6)
    page.mouse.move(over["x"] + 20, over["y"] + 4, steps=3)
    assert page.locator(".ghost").count() == 1
    page.mouse.up()
    page.wait_for_selector(".offer:has-text('Moved to To do')")

    assert column(page, "todo") == ["Retry payments", "Search by colour", "Ship it"]
    assert status_of(tasks, "search-by-colour") == "todo"
    # The click that ends it opens nothing.
    assert "item=" not in page.url
    assert page.locator(".ghost, .gap").count() == 0


def test_a_drag_that_is_given_up_changes_nothing(page: Any, tasks: Server) -> None:
    shown(page)
    card = page.locator(".task:has-text('Search by colour')").bounding_box()

    page.mouse.move(card["x"] + 30, card["y"] + 12)
    page.mouse.down()
    page.mouse.move(card["x"] + 500, card["y"] + 40, steps=5)
    assert page.locator(".ghost").count() == 1
    page.keyboard.press("Escape")
    page.mouse.up()

    assert page.locator(".ghost, .gap, .dragged").count() == 0
    assert column(page, "backlog") == ["Write the terms", "Search by colour"]
    assert status_of(tasks, "search-by-colour") == "backlog"


def test_a_move_that_fails_is_told_and_the_task_goes_back(page: Any) -> None:
    catching(page)
    shown(page)
    error = {"error": {"type": "StoreFailed", "message": "The disk is full."}}
    page.route("**/reorder*", lambda route: route.fulfill(status=502, json=error))
    page.focus(".task:has-text('Search by colour') a")

    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_selector("#notice:has-text('The disk is full.')")
    until(page, "document.querySelectorAll('[data-status=backlog] .task').length === 2")

    assert column(page, "backlog") == ["Write the terms", "Search by colour"]


def test_two_moves_in_a_row_are_both_made(page: Any, tasks: Server) -> None:
    shown(page)
    page.focus(".task:has-text('Search by colour') a")

    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_selector(".offer:has-text('Moved to In progress')")

    assert status_of(tasks, "search-by-colour") == "in_progress"


def test_a_task_that_somebody_changed_meanwhile_is_not_moved(page: Any, tasks: Server) -> None:
    shown(page)
    address = "/api/tasks/search-by-colour"
    assert tasks.client.patch(address, json={"title": "Search by hue"}).status_code == 200
    page.focus(".task:has-text('Search by colour') a")

    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_selector(".offer:has-text('Somebody changed it')")
    page.wait_for_selector("[data-status=backlog] .task:has-text('Search by hue')")

    assert status_of(tasks, "search-by-colour") == "backlog"
    page.focus(".task:has-text('Search by hue') a")
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_selector(".offer:has-text('Moved to To do')")
    assert status_of(tasks, "search-by-colour") == "todo"


def test_several_tasks_are_changed_at_once_and_as_they_were_again(page: Any, tasks: Server) -> None:
    def facts() -> dict[str, tuple[str, str]]:
        listed = tasks.client.get("/api/tasks", params={"limit": 500}).json()["results"]
        return {one["title"]: (one["status"], one["priority"]) for one in listed}

    before = facts()
    shown(page)
    page.click("#choose")
    page.check(".task:has-text('Retry payments') input")
    page.check(".task:has-text('Write the terms') input")
    page.wait_for_selector(".many:has-text('2 tasks chosen')")

    page.select_option("#chosen-status", "review")
    page.wait_for_selector(".offer:has-text('2 tasks: Review')")
    until(page, "document.querySelectorAll('[data-status=review] .task').length === 2")
    assert {title for title, one in facts().items() if one[0] == "review"} == {
        "Retry payments",
        "Write the terms",
    }
    page.click(".offer .link")
    until(page, "document.querySelectorAll('[data-status=review] .task').length === 0")
    assert facts() == before
    page.wait_for_selector(".many:has-text('2 tasks chosen')")
    page.select_option("#chosen-priority", "low")
    page.wait_for_selector(".offer:has-text('2 tasks: Low')")
    assert [one[1] for one in facts().values()].count("low") == 2

    page.click("#delete-chosen")
    page.click("#delete-now")
    page.wait_for_selector(".offer:has-text('2 tasks deleted')")
    page.wait_for_selector(".task:has-text('Retry payments')", state="detached")
    assert len(facts()) == len(before) - 2
    page.click(".offer .link")
    page.wait_for_selector(".task:has-text('Retry payments')")
    assert facts().keys() == before.keys()
    page.click("#chosen-done")
    page.wait_for_selector("#choose")
    assert page.locator(".task input").count() == 0


def test_filters_are_in_the_address_and_the_back_button_undoes_them(page: Any) -> None:
    shown(page)

    page.select_option("#only-epic", label="Launch")
    until(page, "document.querySelectorAll('.task').length === 1")
    assert "epic=launch" in page.url
    page.go_back()
    until(page, "document.querySelectorAll('.task').length === 5")
    page.click("#find")
    page.keyboard.type("payments")
    until(page, "document.querySelectorAll('.task').length === 1")
    page.keyboard.type("!")
    page.wait_for_selector(".none")
    page.keyboard.press("Backspace")
    until(page, "document.querySelectorAll('.task').length === 1")
    assert "find=payments" in page.url
    page.reload()
    page.wait_for_selector(".task:has-text('Retry payments')")
    assert page.input_value("#find") == "payments"
    page.select_option("#only-due", "late")
    page.select_option("#only-priority", "low")
    page.wait_for_selector(".none:has-text('No task has what was chosen')")
    page.click("#widen")
    until(page, "document.querySelectorAll('.task').length === 5")


def test_an_epic_shows_its_tasks_and_how_many_are_done(page: Any) -> None:
    page.goto("/?view=epics")
    page.click(".task:has-text('Launch')")
    page.wait_for_selector(".part h3:text-is('Tasks: 0 of 1 done')")

    page.click(".part .link:has-text('Show them on the board')")
    page.wait_for_selector(".task:has-text('Ship it')")

    assert page.locator(".task").count() == 1


def test_what_is_written_elsewhere_comes_to_the_board_by_itself(page: Any, tasks: Server) -> None:
    page.clock.install()
    shown(page)

    tasks.client.post("/api/tasks", json={"title": "From an agent", "status": "review"})
    page.clock.run_for(16_000)
    page.wait_for_selector("[data-status='review'] .task:has-text('From an agent')")


def test_text_of_tasks_stays_text(page: Any) -> None:
    shown(page)
    page.click(".task.over")
    page.wait_for_selector("#item-title")

    assert HOSTILE in page.text_content("#item-title")
    assert page.evaluate("window.ran") is None
    assert page.locator(".memory img, .memory script").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_board_and_in_a_task(
    browser: Any, tasks: Server, scheme: str
) -> None:
    still = {"color_scheme": scheme, "reduced_motion": "reduce"}
    with opened(browser, tasks.address, width=1280, height=800, **still) as page:
        shown(page)
        page.click("#choose")
        page.check(".task:has-text('Retry payments') input")
        page.wait_for_selector(".many:has-text('1 task chosen')")
        assert violations(page) == []
        page.click("#chosen-done")
        page.wait_for_selector("#choose")
        assert violations(page) == []
        page.click(".task:has-text('Retry payments')")
        page.wait_for_selector("#item-title")
        assert violations(page) == []


def test_on_a_phone_the_board_goes_beyond_the_edge_and_a_task_covers_it(
    browser: Any, tasks: Server
) -> None:
    phone = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
    with opened(browser, tasks.address, reduced_motion="reduce", **phone) as page:
        shown(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert page.evaluate(
            "(b => b.scrollWidth > b.clientWidth)(document.querySelector('.board'))"
        )
        assert violations(page) == []
        page.tap(".task:has-text('Write the terms')")
        page.wait_for_selector("#item-title")
        assert page.locator(".opened").bounding_box()["width"] == 390
        page.select_option("#now-status", "review")
        page.wait_for_selector(".offer:has-text('Status: Review')")
        assert status_of(tasks, "write-the-terms") == "review"
        assert violations(page) == []
        page.tap("#shut")
        page.wait_for_selector("[data-status='review'] .task:has-text('Write the terms')")


def middle(page: Any, title: str) -> tuple[float, float]:
    box = page.locator(f".task:has-text('{title}')").bounding_box()
    return (box["x"] + 60, box["y"] + box["height"] / 2)


def test_a_finger_that_rests_on_a_task_drags_it(browser: Any, tasks: Server) -> None:
    phone = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
    with opened(browser, tasks.address, reduced_motion="reduce", **phone) as page:
        page.clock.install()
        shown(page)
        session = page.context.new_cdp_session(page)

        def touch(kind: str, *points: tuple[float, float]) -> None:
            at = [{"x": x, "y": y} for x, y in points]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

        # How long a finger rests is told by the page's clock, which stands still until it is moved.
        page.clock.pause_at(datetime.fromtimestamp(page.evaluate("Date.now()") / 1000 + 1))
        # A finger that moves at once scrolls, and drags nothing.
        start, above = middle(page, "Search by colour"), middle(page, "Write the terms")
        touch("touchStart", start)
        touch("touchMove", above)
        page.clock.run_for(1000)
        assert page.locator(".ghost").count() == 0
        touch("touchEnd")
        start, above = middle(page, "Search by colour"), middle(page, "Write the terms")
        touch("touchStart", start)
        page.clock.run_for(1000)
        page.wait_for_selector(".ghost")
        page.clock.resume()
        touch("touchMove", (start[0], start[1] - 20))
        touch("touchMove", (above[0], above[1] - 20))
        touch("touchEnd")
        page.wait_for_selector(".offer:has-text('Moved')")

        assert column(page, "backlog") == ["Search by colour", "Write the terms"]


def test_when_the_server_is_back_the_board_is_there(page: Any) -> None:
    page.route("**/api/tasks*", lambda route: route.abort())
    page.goto(BOARD)
    page.wait_for_selector("#notice:has-text('The server does not answer')")

    page.unroute("**/api/tasks*")
    page.wait_for_selector(".task")

    assert page.locator("#notice").is_hidden()


def test_closing_a_task_keeps_the_filters(page: Any) -> None:
    page.goto("/?view=tasks&priority=critical&due=late")
    page.click(".task:has-text('Retry payments')")
    page.wait_for_selector("#item-title")

    page.click("#shut")
    page.wait_for_selector(".opened", state="hidden")

    assert "priority=critical" in page.url
    assert "due=late" in page.url


def test_a_view_that_there_is_not_is_the_start_page(page: Any) -> None:
    page.goto("/?view=nothing")
    page.wait_for_selector(".start")
    assert "view" not in page.url
