"""Small screens, keys, code in prose, filters alone, all collections and folders being read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.page.browsing import Server, filled, is_ready, opened, serving, soon, until

FAR = 120
READ_ME = (
    "# Tapir\n\n## Install the tapir\n\nFrom a clone of the tapir:\n\n"
    "    make tapir      # sets it up\n    make test       # checks it\n\n"
    "Then it runs.\n\n- a tapir in a list\n\n    goes on with words\n"
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that is served: with a long file, and code in prose."""
    folder = filled(tmp_path_factory.mktemp("corners") / "shop")
    above = "".join(f"LINE_{number} = {number}\n" for number in range(1, FAR))
    body = "def ocelot_bound() -> int:\n    return 1\n"
    below = "".join(f"REST_{number} = {number}\n" for number in range(FAR))
    (folder / "long.py").write_text(above + body + below, encoding="utf-8")
    (folder / "README.md").write_text(READ_ME, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def server(shop: Path) -> Iterator[Server]:
    """A server of two folders, the second with the same question's answer."""
    attic = shop.parent / "attic"
    attic.mkdir()
    (attic / "old.md").write_text("# Old\n\nA walrus keeps passwords.\n", encoding="utf-8")
    with serving([shop, attic], shop.parent / "home") as running:
        assert soon(lambda: is_ready(running, "shop") and is_ready(running, "attic"))
        yield running


def test_the_first_hit_is_in_view_when_a_phone_opens_it(browser: Any, server: Server) -> None:
    phone = {"width": 390, "height": 780, "has_touch": True, "is_mobile": True}
    with opened(browser, server.address, **phone) as page:
        page.goto("/?q=ocelot_bound")
        page.wait_for_selector(".hit h3:has-text('ocelot_bound')")
        page.wait_for_selector(".panel[aria-busy='false'] .row.focus", state="attached")
        page.locator(".hit h3 a").first.tap()
        page.wait_for_selector(".code .row.focus")
        until(page, "document.querySelector('.code').scrollTop > 0")
        box = page.locator(".code").bounding_box()
        row = page.locator(".code .row.focus").bounding_box()

    assert box["y"] <= row["y"] <= box["y"] + box["height"] - row["height"]


def test_the_key_to_the_field_is_not_typed_into_it(page: Any) -> None:
    page.goto("/")
    page.wait_for_selector(".start")
    until(page, "document.activeElement.id === 'query'")

    assert page.locator(".hint").is_hidden()
    page.keyboard.press("/")
    assert page.input_value("#query") == ""
    assert page.evaluate("document.activeElement.id") == "query"
    page.keyboard.type("a/b")
    assert page.input_value("#query") == "a/b"
    page.fill("#query", "")
    page.locator("#query").blur()
    assert page.locator(".hint").is_visible()


def test_code_that_is_set_in_keeps_its_lines(page: Any) -> None:
    page.goto("/?q=install+the+tapir&kind=doc")
    page.wait_for_selector(".prose .fence")
    rows = page.locator(".hit").first.locator(".snippet .set").all_text_contents()

    assert page.text_content(".prose .fence") == (
        "make tapir      # sets it up\nmake test       # checks it\n"
    )
    # What goes on in a list is none.
    assert page.locator(".prose .fence").count() == 1
    assert rows == ["    make tapir      # sets it up", "    make test       # checks it"]
    family = page.locator(".snippet .set").first.evaluate("one => getComputedStyle(one).fontFamily")
    assert "mono" in family


PART = "tapir --one\ntapir --two\n```\n\nThen it\nruns.\n\n```sh\ntapir --three"


def test_a_passage_that_begins_in_a_fence_keeps_its_lines(page: Any) -> None:
    def in_part(route: Any) -> None:
        answer = route.fetch()
        data = answer.json()
        data["results"][0] |= {"snippet": PART, "highlights": []}
        route.fulfill(response=answer, json=data)

    page.route("**/api/search*", in_part)
    page.goto("/?q=install+the+tapir&kind=doc")
    rows = page.locator(".hit").first.locator(".snippet .row")
    rows.first.wait_for()

    shown = ["tapir --one", "tapir --two", "Then it runs.", "tapir --three"]
    assert rows.all_text_contents() == shown
    assert page.locator(".hit").first.locator(".snippet .set").count() == 3


def test_a_long_query_is_cut_where_it_heads_the_page(page: Any) -> None:
    page.goto("/?q=" + "qwrtzx" * 500 + "&kind=doc")
    page.wait_for_selector(".nothing, .hit")

    longest = (
        "Math.max(...[...document.querySelectorAll('h1, h2')].map(one => one.textContent.length))"
    )
    assert page.evaluate(longest) < 120


def test_filters_without_words_are_said_to_be_so_and_can_be_looked_through(page: Any) -> None:
    page.goto("/?q=lang:typescript")
    page.wait_for_selector(".nothing")

    assert page.text_content(".nothing h2") == "The query has no words"
    assert "nothing either" not in page.text_content("#after")
    page.click(".nothing .main")
    page.wait_for_selector(".hit")
    assert "language=typescript" in page.url
    assert page.input_value("#query") == ""
    assert {one[-3:] for one in page.locator(".hit .file").all_text_contents()} == {".ts"}


def test_all_collections_are_searched_and_each_hit_asks_its_own(page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.goto("/?q=passwords")
    page.wait_for_selector("#collections:not([hidden])")
    asked.clear()
    page.select_option("#collection", label="all")
    page.wait_for_selector(".hit .tag:text-is('attic')")
    page.wait_for_selector(".hit .tag:text-is('shop')")
    page.locator(".hit:has(.tag:text-is('attic')) h3 a").first.click()
    page.wait_for_selector(".prose:has-text('walrus')")
    page.click("#tab-related")
    page.wait_for_selector(".panel.related[aria-busy='false']")
    with page.expect_response("**/api/judgements") as kept:
        page.locator(".detail .thumb").first.click()

    assert kept.value.request.post_data_json["collection"] == "attic"
    assert page.locator(".failed").count() == 0
    asked_of = {name: f"/api/{name}?id=doc%3Aold.md" for name in ("neighbors", "related")}
    for name, address in asked_of.items():
        of_hit = [one for one in asked if address in one]
        assert of_hit, name
        assert [one for one in of_hit if "collection=attic" not in one] == []
    page.reload()
    page.wait_for_selector(".detail .thumb[aria-pressed='true']")


def test_more_is_shown_while_a_folder_is_read_and_what_stays_is_not_made_again(page: Any) -> None:
    found = 1
    asked: list[int] = []

    def in_part(route: Any) -> None:
        answer = route.fetch()
        data = answer.json()
        reason = f"The folder is being indexed ({len(asked)} of 9 files)."
        asked.append(found)
        data |= {"results": data["results"][:found], "total": found, "next": None}
        data["degraded"] = [{"stage": "sync", "reason": reason}]
        route.fulfill(response=answer, json=data)

    page.route("**/api/search*", in_part)
    page.goto("/?q=password")
    page.wait_for_selector(".degraded:has-text('(0 of 9')")
    page.evaluate("document.querySelector('.hit').dataset.same = 'yes'")
    page.wait_for_selector(".degraded:has-text('(1 of 9')")

    assert page.locator(".hit[data-same]").count() == 1
    found = 2
    until(page, "document.querySelectorAll('.hit').length === 2")
    assert asked.count(1) < 4
