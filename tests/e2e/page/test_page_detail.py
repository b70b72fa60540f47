"""The pane beside the list: preview, explanation, graph, related, judgements, settings."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from tests.e2e.page.browsing import Server, opened, until


def shown_score(page: Any) -> float:
    return float(page.text_content("#score"))


def test_the_preview_has_the_file_around_the_hit_with_its_lines_marked(page: Any) -> None:
    page.goto("/?q=check_password")
    page.wait_for_selector(".code .row.of-hit")

    lines = page.locator(".code .row.of-hit").all_text_contents()
    numbers = page.eval_on_selector_all(".code .row", "rows => rows.map(one => one.dataset.line)")

    assert lines[0].startswith("def check_password(")
    assert lines[-1].strip() == "return hash_password(password) == stored"
    assert numbers[0] == "1"
    assert "SALT" in page.text_content(".code")


def test_path_and_line_are_copied_and_the_editor_is_linked(page: Any, shop: Any) -> None:
    page.goto("/?q=hash_password")
    page.wait_for_selector("#edit")

    page.click("#copy")
    page.wait_for_selector("#copy:has-text('Copied')")
    copied = page.evaluate("navigator.clipboard.readText()")
    vscode = page.get_attribute("#edit", "href")
    page.click("#settings")
    page.select_option("#editors", label="JetBrains")
    page.click("dialog .main")
    page.wait_for_selector("#edit[href^='idea:']")

    whole = quote(str(shop / "src" / "auth.py"))
    assert copied == "src/auth.py:8"
    assert vscode == f"vscode://file{whole}:8"
    assert page.get_attribute("#edit", "href") == f"idea://open?file={whole}&line=8"


def test_an_editor_link_that_would_run_in_the_page_is_none(page: Any) -> None:
    page.goto("/?q=hash_password")
    page.wait_for_selector("#edit")
    page.click("#settings")
    page.fill("#editor", "javascript:alert('{path}')")
    page.click("dialog .main")
    page.wait_for_selector("#edit", state="detached")

    assert page.locator("#copy").count() == 1


@pytest.mark.parametrize("profile", ["best", "xplor", "rag", "ember", "graph"])
def test_the_parts_add_up_to_the_score(page: Any, profile: str) -> None:
    page.goto(f"/?q=hash+password&profile={profile}&pane=explain")
    page.wait_for_selector("#sum")

    said = page.locator(".parts tbody .figure").all_text_contents()
    parts = [float(one.replace("\u2212", "-")) for one in said]

    rounding = 0.00005 * (len(parts) + 1)
    assert float(page.text_content("#sum")) == pytest.approx(shown_score(page), abs=0.00011)
    assert sum(parts) == pytest.approx(shown_score(page), abs=rounding)
    assert all(page.locator(".parts tbody th").all_text_contents())


def test_the_bar_is_as_long_as_its_parts_together(page: Any) -> None:
    page.goto("/?q=hash+password&pane=explain")
    page.wait_for_selector("#sum")

    widths = page.eval_on_selector_all(
        ".gains i", "all => all.map(one => parseFloat(one.style.width))"
    )

    assert len(widths) > 1
    assert sum(widths) == pytest.approx(100, abs=0.1)


def test_another_profile_ranks_again_and_says_what_moved(page: Any) -> None:
    page.goto("/?q=hash+password&pane=explain")
    page.wait_for_selector("#sum")
    assert page.locator(".move").count() == 0

    page.select_option("#ranked-by", "rag")
    page.wait_for_selector(".moved")

    hits = page.locator(".hit").count()
    assert page.locator(".move").count() == hits
    assert page.text_content(".moved").startswith("rag against best: ")
    assert page.input_value("#profile") == "rag"
    assert parse_qs(urlsplit(page.url).query)["profile"] == ["rag"]
    page.go_back()
    page.wait_for_selector(".moved:has-text('best against rag')")


def test_the_graph_shows_callers_and_callees_and_can_be_walked(page: Any) -> None:
    page.goto("/?q=check_password&pane=graph")
    page.wait_for_selector(".drawing .dot")

    calls = page.locator(".ways section:has(h3:has-text('Calls')) .name")
    callers = page.locator(".ways section:has(h3:has-text('Called by')) .name")
    assert "hash_password" in calls.all_text_contents()
    assert "login" in callers.all_text_contents()

    page.locator(".ways [data-node$='#login']").click()
    page.wait_for_selector(".detail h2:has-text('login')")
    assert parse_qs(urlsplit(page.url).query)["at"] == ["code:src/login.py#login"]
    page.go_back()
    page.wait_for_selector(".detail h2:has-text('check_password')")


def test_edges_can_be_chosen_and_followed_two_steps(page: Any) -> None:
    page.goto("/?q=hash_password&pane=graph")
    page.wait_for_selector(".drawing .dot")
    near = page.locator(".drawing .dot").count()

    page.click("#edge-calls")
    page.wait_for_selector("#edge-calls[aria-pressed='true']")
    assert page.locator(".edge:not(.e-calls)").count() == 0
    one = page.locator(".drawing .dot").count()
    page.click("#hops-2")
    page.wait_for_selector("#hops-2[aria-pressed='true']")
    two = page.locator(".drawing .dot").count()

    assert one <= near
    assert two > one
    assert "login" in page.text_content(".ways")


def drawn(page: Any) -> tuple[int, int]:
    return page.locator(".drawing .dot").count(), page.locator(".drawing .edge").count()


def test_the_graph_says_how_many_nodes_and_links_it_draws(page: Any) -> None:
    page.goto("/?q=check_password&pane=graph&hops=2")
    page.wait_for_selector(".drawing .dot")
    nodes, links = drawn(page)
    counts = page.locator(".edges .count").all_text_contents()

    assert page.text_content("#drawn") == f"{nodes} nodes, {links} links"
    assert sum(map(int, counts)) == links
    page.click("#edge-calls")
    page.wait_for_selector("#edge-calls[aria-pressed='true']")
    nodes, links = drawn(page)
    assert page.text_content("#drawn") == f"{nodes} nodes, {links} links"
    assert page.text_content("#edge-calls .count") == str(links)


def test_a_kind_of_links_draws_as_many_as_its_chip_says(page: Any) -> None:
    page.goto("/?q=check_password&pane=graph&hops=2")
    page.wait_for_selector(".drawing .dot")
    said = dict(
        page.eval_on_selector_all(
            ".edges .chip", "all => all.map(one => [one.id, one.lastChild.textContent])"
        )
    )

    assert len(said) >= 3
    for chip, count in said.items():
        page.click(f"#{chip}")
        page.wait_for_selector(f"#{chip}[aria-pressed='true']")
        assert drawn(page)[1] == int(count), chip
        page.click(f"#{chip}")
        page.wait_for_selector(f"#{chip}[aria-pressed='false']")


BOXES = """texts => texts.filter(one => getComputedStyle(one).display !== 'none').map(one => {
  const { left, right, top, bottom, height } = one.getBoundingClientRect();
  return { left, right, top, bottom, height, words: one.textContent };
})"""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
def test_names_in_the_graph_can_be_read_and_neither_overlap_nor_are_cut(
    browser: Any, server: Server, width: int, height: int
) -> None:
    size = {"width": width, "height": height, "reduced_motion": "reduce"}
    with opened(browser, server.address, **size) as page:
        page.goto("/?q=check_password&pane=graph&hops=2&open=1")
        page.wait_for_selector(".drawing .named")
        canvas = page.locator(".canvas").bounding_box()
        boxes = page.eval_on_selector_all(".drawing .named text", BOXES)
        assert len(boxes) >= 3
        for at, one in enumerate(boxes):
            assert one["height"] >= 12
            assert canvas["x"] <= one["left"] < one["right"] <= canvas["x"] + canvas["width"]
            assert canvas["y"] <= one["top"] < one["bottom"] <= canvas["y"] + canvas["height"]
            for other in boxes[:at]:
                is_beside = one["left"] >= other["right"] or other["left"] >= one["right"]
                # Boxes of letters are higher than the letters.
                is_below = one["top"] + 3 >= other["bottom"] or other["top"] + 3 >= one["bottom"]
                assert is_beside or is_below, (one, other)


def test_a_node_of_the_picture_can_be_visited(page: Any) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto("/?q=check_password&pane=graph")
    page.wait_for_selector(".dot text:has-text('login')")

    page.locator(".dot:has(text:has-text('login')) circle").first.click()

    page.wait_for_selector(".detail h2:has-text('login')")


def test_pages_and_skills_can_be_read(page: Any) -> None:
    page.goto("/?q=guide+install&kind=doc")
    page.wait_for_selector(".prose")
    assert page.locator(".prose li strong").first.text_content() == "password"
    assert page.locator(".prose td").all_text_contents() == ["one", "two"]

    page.goto("/?q=review+a+change&kind=skill")
    page.wait_for_selector(".prose ol li")
    assert page.locator(".prose ol li").count() == 2
    page.click(".switch button:has-text('Source')")
    page.wait_for_selector(".code .row")


def test_what_is_related_is_listed(page: Any) -> None:
    page.goto("/?q=hash_password&pane=related")
    page.wait_for_selector(".nodes .node")

    assert "check_password" in page.locator(".nodes .name").all_text_contents()


def test_thumbs_are_stored_shown_again_and_taken_back(page: Any, server: Server) -> None:
    def kept() -> dict[str, int]:
        found = server.client.get("/api/judgements", params={"q": "let a person in"}).json()
        return {one["id"]: one["relevance"] for one in found["judgements"]}

    page.goto("/?q=let+a+person+in")
    page.wait_for_selector(".detail .tabs")
    hit = page.locator(".hit").first.get_attribute("data-id")
    thumb = ".hit .thumb[data-worth='1']"

    with page.expect_response(lambda one: one.request.method == "POST"):
        page.locator(thumb).first.click()
    assert kept() == {hit: 1}
    page.reload()
    page.wait_for_selector(f"{thumb}[aria-pressed='true']")
    page.locator(".hit h3 a").first.focus()
    with page.expect_response(lambda one: one.request.method == "POST"):
        page.keyboard.press("-")
    assert kept() == {hit: 0}
    with page.expect_response(lambda one: one.request.method == "POST"):
        page.keyboard.press("-")
    assert kept() == {}


def test_a_passage_of_the_same_file_is_one_click_away(page: Any) -> None:
    page.goto("/?q=password")
    page.wait_for_selector(".passage")

    page.locator(".passage").first.click()

    until(page, "new URLSearchParams(location.search).has('at')")
    page.wait_for_selector(".code .row.of-hit, .prose")
