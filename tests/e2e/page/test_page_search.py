"""Typing, filtering, keys, the address and the back button."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.e2e.page.browsing import Server, arrived, catching, opened, until


def asked(page: Any) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def find(page: Any, query: str) -> None:
    """Type a query and wait for the whole answer to it."""
    page.fill("#query", "")
    with page.expect_response(lambda one: "/api/search" in one.url and "explain" in one.url):
        page.locator("#query").press_sequentially(query)
    page.wait_for_selector(".detail:not([hidden]) .tabs")


def names(page: Any) -> list[str]:
    found: list[str] = page.locator(".hit h3").all_text_contents()
    return found


def test_results_come_while_typing_and_the_whole_answer_after_it(page: Any) -> None:
    page.goto("/")
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.url) if "/api/search" in one.url else None)

    find(page, "hash password")

    assert names(page)[0] == "hash_password"
    assert "asYouType=true" in sent[0]
    assert "asYouType" not in sent[-1]
    assert asked(page)["q"] == ["hash password"]


def test_nonsense_is_not_said_to_be_found(page: Any) -> None:
    page.goto("/")

    find(page, "xqzzwv blorptastic")
    nonsense = page.locator(".headline p").inner_text()
    find(page, "hash password")
    words = page.locator(".headline p").inner_text()

    assert nonsense.startswith("No word of this found by words and meaning")
    assert nonsense.endswith("only near in meaning")
    assert words[0].isdigit()


def test_a_slow_answer_to_what_was_typed_before_is_not_shown(page: Any) -> None:
    catching(page)
    page.goto("/")
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/api/search?q=retry*", hold)
    page.fill("#query", "retry")
    arrived(page, held)

    find(page, "hash password")
    for one in held:
        one.abort()

    assert held
    assert names(page)[0] == "hash_password"


def test_a_hit_says_what_it_is_where_it_stands_and_how_likely_it_answers(page: Any) -> None:
    page.goto("/?q=hash_password")
    hit = page.locator(".hit").first

    assert hit.locator("h3").text_content() == "hash_password"
    assert hit.locator(".type").text_content() == "function"
    assert hit.locator(".place").text_content() == "src/auth.py:8"
    assert hit.locator("svg.k-code").count() == 1
    assert "hash_password" in hit.locator("mark").all_text_contents()
    assert hit.locator(".t-keyword").first.text_content() == "def"
    assert hit.locator(".bar").get_attribute("aria-label").startswith("confidence ")


def test_chips_narrow_the_answer_and_several_are_alternatives(page: Any) -> None:
    page.goto("/?q=password")
    page.wait_for_selector('.chip[data-value="doc"]')

    page.click('.chip[data-facet="kind"][data-value="doc"]')
    page.wait_for_selector('.chip[data-value="doc"][aria-pressed="true"]')
    until(page, "document.querySelector('.hit svg.k-code') === null")
    page.click('.chip[data-facet="kind"][data-value="skill"]')
    page.wait_for_selector(".hit svg.k-skill")

    assert asked(page)["kind"] == ["doc", "skill"]
    assert page.locator(".hit svg.k-doc").count()
    assert not page.locator(".hit svg.k-code").count()


def test_a_tag_of_a_hit_becomes_a_filter(page: Any) -> None:
    page.goto("/?q=passwords+kept")

    page.locator(".hit .tag").first.click()
    page.wait_for_selector('.chip[data-facet="tag"][aria-pressed="true"]')

    assert asked(page)["tag"] == ["handbook"]


def test_the_back_button_goes_through_questions_and_filters(page: Any) -> None:
    page.goto("/")
    find(page, "retry")
    find(page, "password")
    page.click('.chip[data-facet="kind"][data-value="doc"]')
    page.wait_for_selector('.chip[data-value="doc"][aria-pressed="true"]')

    page.go_back()
    page.wait_for_selector('.chip[data-value="doc"][aria-pressed="false"]')
    assert asked(page) == {"q": ["password"]}
    page.go_forward()
    page.wait_for_selector('.chip[data-value="doc"][aria-pressed="true"]')
    page.goto("/?q=retry")
    page.go_back()
    page.wait_for_selector('.chip[data-value="doc"][aria-pressed="true"]')

    assert page.input_value("#query") == "password"


def test_an_address_shows_the_same_again(page: Any) -> None:
    page.goto("/?q=password&kind=code&pane=explain")
    page.wait_for_selector("#sum")
    page.locator(".hit h3 a").nth(1).focus()
    until(page, "new URLSearchParams(location.search).has('hit')")
    second = page.locator(".hit.selected h3").text_content()

    page.reload()
    page.wait_for_selector("#sum")

    assert page.locator(".hit.selected h3").text_content() == second
    assert page.locator(".detail h2").text_content() == second


def test_keys_reach_everything(page: Any) -> None:
    page.goto("/?q=password")
    page.wait_for_selector(".detail .tabs")

    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "query"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    third = page.evaluate("document.activeElement.textContent")
    assert third == names(page)[2]
    page.keyboard.press("k")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.textContent") == names(page)[0]
    page.keyboard.press("Enter")
    until(page, "document.activeElement.closest('.detail') !== null")
    assert asked(page)["open"] == ["1"]
    page.keyboard.press("e")
    page.wait_for_selector("#sum")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == names(page)[0]
    page.keyboard.press("?")
    assert page.locator("dialog[open]").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    page.wait_for_selector(".start")

    assert page.input_value("#query") == ""
    assert "q" not in asked(page)


def test_the_first_step_down_leaves_the_hit_that_is_marked_already(page: Any) -> None:
    page.goto("/?q=password")
    page.wait_for_selector(".detail .tabs")
    assert page.locator(".hit.selected h3").text_content() == names(page)[0]

    page.focus("#query")
    page.keyboard.press("ArrowDown")

    assert page.locator(".hit.selected h3").text_content() == names(page)[1]
    assert page.evaluate("document.activeElement.textContent") == names(page)[1]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "query"


def test_where_no_hit_is_marked_the_first_step_down_is_to_the_first(
    browser: Any, server: Server
) -> None:
    with opened(browser, server.address, width=700, height=800) as page:
        page.goto("/?q=password")
        page.wait_for_selector(".hit")
        page.focus("#query")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.textContent") == names(page)[0]


def test_back_is_told_to_a_screen_reader(page: Any) -> None:
    page.goto("/")
    page.wait_for_selector(".start")
    find(page, "check_password")
    until(page, "document.querySelector('#said').textContent.includes('for check_password')")
    page.click("#tab-related")
    page.locator(".node").first.click()
    until(page, "new URLSearchParams(location.search).has('at')")

    page.go_back()
    until(page, "document.querySelector('#said').textContent.startsWith('check_password, ')")
    page.go_back()
    page.go_back()
    until(page, "document.querySelector('#said').textContent === 'Start page'")


UNCLIPPED = """() => {
  const one = document.activeElement;
  const held = one.closest(".hit:has(h3 a:focus-visible)") ?? one;
  const style = getComputedStyle(held);
  if (style.outlineStyle === "none") return one.id === "query" ? null : "no ring";
  const grown = parseFloat(style.outlineOffset) + parseFloat(style.outlineWidth);
  const { left, right } = held.getBoundingClientRect();
  for (let place = held.parentElement; place; place = place.parentElement) {
    if (getComputedStyle(place).overflowX === "visible") continue;
    const box = place.getBoundingClientRect();
    if (left - grown < box.left - 0.5 || right + grown > box.right + 0.5) return place.className;
  }
  return null;
}"""


def test_the_ring_around_what_has_the_focus_is_nowhere_cut(page: Any) -> None:
    page.goto("/?q=password&pane=related")
    page.wait_for_selector(".nodes .node")
    seen: dict[str, str] = {}
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.className || document.activeElement.localName")
        cut = page.evaluate(UNCLIPPED)
        if cut is not None:
            seen[name] = cut

    assert seen == {}


def test_letters_do_nothing_where_they_are_switched_off_or_written(page: Any) -> None:
    page.goto("/?q=password")
    page.wait_for_selector(".detail .tabs")
    page.click("#settings")
    page.uncheck("#letters")
    page.click("dialog .main")
    page.wait_for_selector("dialog", state="hidden")

    page.locator(".hit h3 a").first.focus()
    page.keyboard.press("e")
    page.focus("#query")
    page.keyboard.press("g")

    assert page.input_value("#query") == "passwordg"
    assert "pane" not in asked(page)


def test_a_misspelt_query_is_offered_as_it_was_meant(page: Any) -> None:
    page.goto("/?q=hash+pasword")

    page.click(".meant button")
    until(page, "document.querySelector('#query').value === 'hash password'")

    assert asked(page)["q"] == ["hash password"]


def test_an_empty_answer_says_what_was_searched_and_what_emptied_it(page: Any) -> None:
    page.goto("/?q=%22backoff%22&kind=doc")
    page.wait_for_selector(".nothing")
    said = page.text_content(".nothing")

    assert 'Nothing found for "backoff"' in said
    assert "files of shop, indexed" in said
    assert "1 binary" in said
    page.click(".nothing li button")
    page.wait_for_selector(".hit")
    assert "kind" not in asked(page)


def test_kinds_can_be_looked_through_without_a_question(page: Any) -> None:
    page.goto("/")

    page.click(".browse .chip:has-text('Skills')")
    page.wait_for_selector(".hit svg.k-skill")

    assert names(page)[0].lower().startswith("review")


def test_all_of_a_long_list_can_be_reached(page: Any, server: Server) -> None:
    whole = server.client.get("/api/search", params={"q": "password", "profile": "rag"}).json()
    page.goto("/?q=password&profile=rag&pages=2")
    page.wait_for_selector(".hit")

    assert len(names(page)) == min(whole["total"], 40)
    assert page.locator("#more-hits").count() == 0
