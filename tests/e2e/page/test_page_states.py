"""Status, failures, hostile text, directions, phones, and what a screen reader gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.e2e.page.browsing import Server, filled, is_ready, opened, serving, soon, until


def violations(page: Any) -> list[str]:
    """What axe finds wrong, by rule and place."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    results = axe.Axe().run(page)
    return [
        f"{one['id']}: {node['target']} {node.get('failureSummary', '')}"
        for one in results.response["violations"]
        for node in one["nodes"]
    ]


def test_the_status_view_counts_what_is_there_and_names_what_was_passed_over(page: Any) -> None:
    page.goto("/?view=status")
    page.wait_for_selector(".card")
    said = page.text_content("#wide")

    assert "picture.bin" in said
    assert "1 binary" in said
    assert "100 %" in page.text_content(".cards")
    assert "python" in said
    page.click("#leave")
    page.wait_for_selector(".start")


def test_a_sync_can_be_asked_for_and_takes_in_what_is_new(page: Any, shop: Path) -> None:
    page.goto("/?view=status")
    page.wait_for_selector(".card")
    (shop / "fresh.md").write_text("# Fresh\n\nAn ocelot.\n", encoding="utf-8")

    page.click("#sync")
    until(page, "document.querySelector('#said').textContent.startsWith('Synced')")

    page.goto("/?q=ocelot")
    page.wait_for_selector(".hit h3:has-text('Fresh')")


def test_a_server_that_is_gone_is_said_and_its_return_noticed(browser: Any, tmp_path: Path) -> None:
    folder, home = filled(tmp_path / "shop"), tmp_path / "home"
    with serving([folder], home) as first:
        assert soon(lambda: is_ready(first, "shop"))
        port = int(first.address.rsplit(":", 1)[1])
        with opened(browser, first.address, width=1200, height=800) as page:
            page.goto("/?q=password")
            page.wait_for_selector(".hit")
            place = page.locator(".hit").first.bounding_box()
            first.stop()
            page.fill("#query", "retry")
            page.wait_for_selector("#notice:not([hidden])")
            assert "does not answer" in page.text_content("#notice")
            assert page.get_attribute("#state", "data-sort") == "gone"
            # The hits of the question before stay where they are, and are not taken for its own.
            assert page.locator(".hit").first.bounding_box() == place
            assert page.eval_on_selector("#page", "one => getComputedStyle(one).opacity") == "0.5"
            # Dismissed, it is tried on all the same.
            page.click("#notice .round")
            with serving([folder], home, port=port):
                page.wait_for_selector("body:not(.is-gone)")
                until(page, "document.querySelector('#said').textContent.includes('for retry')")
                page.wait_for_selector(".hit h3:has-text('retry')")


def test_a_refused_request_is_said_in_the_servers_words(page: Any) -> None:
    page.goto("/?q=password&profile=nonsense")
    page.wait_for_selector(".summary .failed")

    assert "nonsense" in page.text_content(".summary .failed")
    assert page.locator(".hit").count() == 0


def test_a_server_that_needs_a_token_is_given_it(page: Any) -> None:
    shown: list[str | None] = []

    def answer(route: Any) -> None:
        token = route.request.headers.get("authorization")
        shown.append(token)
        if token == "Bearer right":
            route.continue_()
        else:
            error = {"error": {"type": "Unauthorized", "message": "A token is needed."}}
            route.fulfill(status=401, json=error)

    page.route("**/api/**", answer)
    page.goto("/?q=password")
    page.wait_for_selector("#notice:not([hidden])")

    page.click("#notice .small")
    page.fill("#token", "right")
    page.click("dialog .main")
    page.wait_for_selector(".hit")

    assert page.locator("#notice").is_hidden()
    assert shown[0] is None
    assert shown[-1] == "Bearer right"


def test_what_is_missing_of_an_answer_is_said(page: Any) -> None:
    def without_meaning(route: Any) -> None:
        answer = route.fetch()
        data = answer.json()
        data["degraded"] = [{"stage": "vectors", "reason": "the model <b>did</b> not load"}]
        route.fulfill(response=answer, json=data)

    page.route("**/api/search*", without_meaning)
    page.goto("/?q=password")
    page.wait_for_selector(".degraded")

    assert page.text_content(".degraded") == "Meaning the model <b>did</b> not load"


INDEXING = "The folder is being indexed (3 of 9 files); this is what is there so far."


@pytest.mark.parametrize("is_empty", [True, False])
def test_an_answer_while_the_folder_is_indexed_says_so_and_is_asked_again(
    page: Any, is_empty: bool
) -> None:
    is_indexing = True

    def in_part(route: Any) -> None:
        answer = route.fetch()
        data = answer.json()
        if is_indexing:
            data["degraded"] = [
                {"stage": "sync", "reason": INDEXING},
                {"stage": "vectors", "reason": "static has embedded nothing yet"},
            ]
            if is_empty:
                data |= {"results": [], "total": 0, "next": None}
        route.fulfill(response=answer, json=data)

    page.route("**/api/search*", in_part)
    page.goto("/?q=password")
    page.wait_for_selector(".degraded")

    assert page.text_content(".degraded") == INDEXING
    said = page.text_content("#found")
    if is_empty:
        assert "Nothing found yet for password" in said
        assert "Searched so far" in said
        assert "Nothing found so far" in page.text_content("#said")
    else:
        assert " found so far by " in said
        assert " hits for password so far" in page.text_content("#said")
    is_indexing = False
    page.wait_for_selector(".degraded", state="detached")
    page.wait_for_selector(".hit")
    assert "so far" not in page.text_content("#found")


def test_the_start_page_says_that_the_folder_is_indexed(page: Any) -> None:
    def busy(route: Any) -> None:
        answer = route.fetch()
        progress = {"stage": "reading", "done": 3, "total": 9}
        route.fulfill(response=answer, json={**answer.json(), "progress": progress})

    page.route("**/api/status*", busy)
    page.goto("/")
    page.wait_for_selector(".lead")

    assert "reading 3 of 9; what is there can be searched" in page.text_content(".lead")
    assert "fresh" not in page.text_content(".lead")


def test_the_field_does_not_move_when_the_rest_of_the_head_comes(page: Any) -> None:
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    for name in ("collections", "profiles", "status"):
        page.route(f"**/api/{name}*", hold)
    page.goto("/?q=password")
    page.wait_for_selector(".hit")
    before = page.locator("#query").bounding_box()

    assert len(held) == 3
    for one in held:
        one.continue_()
    page.wait_for_selector("#state[data-sort='fresh']")
    page.wait_for_selector("#profile option", state="attached")

    assert page.locator("#query").bounding_box() == before
    assert before["x"] == page.locator(".hit").first.bounding_box()["x"]


def test_text_of_files_never_becomes_part_of_the_page(page: Any) -> None:
    for pane in ("", "explain", "graph", "related"):
        page.goto(f"/?q=zebra&pane={pane}")
        page.wait_for_selector("#state[data-sort='fresh']")
        page.wait_for_selector(".panel[aria-busy='false']")
        for at in range(page.locator(".hit").count()):
            if at:
                page.evaluate("document.querySelector('.panel').dataset.was = 'here'")
                page.locator(".hit h3 a").nth(at).focus()
                page.wait_for_selector(".panel[aria-busy='false']:not([data-was])")
            assert page.locator("#page img, #page script, .hit b").count() == 0
    page.goto("/?q=%3Cimg+src%3Dx+onerror%3D%22window.ran%3D1%22%3E")
    page.wait_for_selector(".hit, .nothing")

    assert page.evaluate("window.ran") is None
    assert page.locator("#page img").count() == 0


def test_a_file_with_a_hostile_name_is_shown_by_its_name(page: Any) -> None:
    page.goto("/?q=zebra")
    page.wait_for_selector(".hit")

    assert "<b>zebra&amp;.txt:1" in page.locator(".hit .place").all_text_contents()


def test_nothing_inline_may_run(browser: Any, server: Server) -> None:
    # A page of its own: that the browser says what it blocked is no error here.
    page = browser.new_page(base_url=server.address)
    page.goto("/")
    page.wait_for_selector(".start")
    page.evaluate(
        "const one = document.createElement('script'); one.textContent = 'window.ran = 1';"
        "window.blocked = new Promise(done => addEventListener('securitypolicyviolation', done));"
        "document.body.append(one)"
    )
    page.evaluate("window.blocked.then(() => true)")

    assert page.evaluate("window.ran") is None
    page.close()


def test_everything_comes_from_the_server_itself(browser: Any, server: Server) -> None:
    with opened(browser, server.address, width=1200, height=800) as page:
        asked: list[str] = []
        page.on("request", lambda one: asked.append(one.url))
        page.goto("/?q=password&pane=graph")
        page.wait_for_selector(".drawing")

    assert asked
    assert [one for one in asked if not one.startswith(server.address)] == []


def test_characters_that_turn_text_around_are_shown(page: Any) -> None:
    page.goto("/?q=giraffe")
    page.wait_for_selector(".code .hides")

    assert "U+202E" in page.locator(".code .hides").all_text_contents()
    assert "U+202E" in page.text_content(".hit .snippet, .code")


def test_marks_are_where_they_belong_after_characters_of_two_units(page: Any) -> None:
    page.goto("/?q=giraffe&kind=code")
    page.wait_for_selector(".hit mark")

    marked = {one.lower() for one in page.locator(".hit mark").all_text_contents()}
    assert marked == {"giraffe"}


def test_text_from_right_to_left_runs_so(page: Any) -> None:
    page.goto("/?q=%D9%83%D9%84%D9%85%D8%A9+%D8%A7%D9%84%D8%B3%D8%B1")
    page.wait_for_selector(".hit")
    direction = "one => getComputedStyle(one).direction"

    assert page.eval_on_selector("#query", direction) == "rtl"
    assert page.locator(".hit .snippet").first.evaluate(direction) == "rtl"
    assert page.locator(".hit .place").first.evaluate(direction) == "ltr"


def test_a_phone_shows_the_list_and_then_the_hit(browser: Any, server: Server) -> None:
    phone = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
    with opened(browser, server.address, **phone) as page:
        page.goto("/?q=password&pane=explain")
        page.wait_for_selector(".hit")
        assert page.locator(".detail").is_hidden()
        page.locator(".hit h3 a").first.tap()
        page.wait_for_selector(".detail #sum")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.go_back()
        page.wait_for_selector(".detail", state="hidden")
        assert page.locator(".hit").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_theme_is_the_systems_until_one_is_chosen(browser: Any, server: Server) -> None:
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    with opened(browser, server.address, width=1200, height=800, color_scheme="dark") as page:
        page.goto("/")
        page.wait_for_selector(".start")
        dark = page.evaluate(paper)
        page.click("#theme")
        light = page.evaluate(paper)
        page.reload()
        page.wait_for_selector(".start")
        assert page.evaluate(paper) == light != dark
        page.click("#theme")
        assert page.evaluate(paper) == dark


def test_two_folders_can_be_switched_between(browser: Any, tmp_path: Path) -> None:
    other = tmp_path / "attic"
    other.mkdir()
    (other / "old.md").write_text("# Old\n\nA walrus sleeps.\n", encoding="utf-8")
    with serving([filled(tmp_path / "shop"), other], tmp_path / "home") as server:
        assert soon(lambda: is_ready(server, "shop") and is_ready(server, "attic"))
        with opened(browser, server.address, width=1440, height=900) as page:
            page.goto("/?q=walrus")
            page.wait_for_selector("#collections:not([hidden])")
            page.select_option("#collection", label="attic")
            page.wait_for_selector(".hit h3:has-text('Old')")
            assert "collection=attic" in page.url
            page.wait_for_selector(".prose:has-text('sleeps')")
        phone = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
        with opened(browser, server.address, **phone) as page:
            page.goto("/?q=password&open=1&pane=graph")
            page.wait_for_selector("#collections:not([hidden])", state="attached")
            page.wait_for_selector(".drawing")
            assert page.evaluate("document.documentElement.scrollWidth") == 390
            assert page.locator("#settings").bounding_box()["x"] + 34 <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/?q=password",
        "/?q=password&pane=explain",
        "/?q=check_password&pane=graph",
        "/?q=guide&kind=doc",
        "/?q=password&pane=related&profile=rag",
        "/?q=qwrtzx&kind=doc",
        "/?view=status",
    ],
)
def test_axe_finds_nothing(browser: Any, server: Server, address: str, scheme: str) -> None:
    still = {"color_scheme": scheme, "reduced_motion": "reduce"}
    with opened(browser, server.address, width=1440, height=900, **still) as page:
        page.goto(address)
        page.wait_for_selector(".panel[aria-busy='false'], .browse, .card, .nothing")
        assert violations(page) == []


def test_axe_finds_nothing_on_a_phone_and_in_dialogs(browser: Any, server: Server) -> None:
    still = {"reduced_motion": "reduce", "has_touch": True}
    with opened(browser, server.address, width=390, height=844, **still) as page:
        page.goto("/?q=password&open=1")
        page.wait_for_selector(".panel[aria-busy='false']")
        assert violations(page) == []
        page.goto("/?q=password")
        page.wait_for_selector(".hit")
        page.click("#settings")
        assert violations(page) == []


def test_a_screen_reader_is_told_what_was_found_and_what_is_selected(page: Any) -> None:
    page.goto("/?q=password")
    page.wait_for_selector(".detail .tabs")

    said = page.text_content("#said")
    assert " hits for password. First: " in said
    assert page.locator(".hit h3").first.text_content() in said
    assert page.get_attribute("#said", "aria-live") == "polite"
    assert page.locator(".hit h3 a[aria-current='true']").count() == 1
    assert page.locator("ol#hits > li.hit").count() == page.locator(".hit").count()
    assert page.locator("[role='tab'][aria-selected='true']").text_content() == "Preview"
