"""Answers that come late: nothing is sent twice, lost, or shown over what was asked for later."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.page.browsing import (
    Server,
    arrived,
    catching,
    filled,
    is_ready,
    serving,
    soon,
    until,
)

GUIDE = "/?view=notes&item=note:guide"


@pytest.fixture(autouse=True)
def caught(page: Any) -> None:
    """Each test holds requests of an open page back."""
    catching(page)


@pytest.fixture
def notes(server: Server) -> Iterator[Server]:
    """The server with a note that leads to two others; all are gone afterwards."""
    client = server.client
    links = [{"type": "references", "target": one} for one in ("note:soil", "note:compost")]
    for one in ({"title": "Soil"}, {"title": "Compost"}, {"title": "Guide", "links": links}):
        assert client.post("/api/notes", json=one).status_code == 201
    yield server
    for one in client.get("/api/notes", params={"limit": 500}).json()["results"]:
        client.delete(f"/api/notes/{one['id']}")


@contextmanager
def held(page: Any, place: str, method: str = "GET") -> Iterator[list[Any]]:
    """Hold the requests for a place back; they go on, in order, at the end."""
    kept: list[Any] = []

    def hold(route: Any) -> None:
        if route.request.method == method:
            kept.append(route)
        else:
            route.continue_()

    page.route(place, hold)
    yield kept
    for one in kept:
        one.continue_()
    page.unroute(place, hold)


def targets(server: Server) -> list[str]:
    links = server.client.get("/api/notes/guide").json()["links"]
    return [str(one["target"]) for one in links]


def test_who_opened_a_hit_by_keys_stays_in_its_pane_when_its_text_comes(page: Any) -> None:
    page.goto("/?q=password&kind=code")
    page.wait_for_selector("#state[data-sort='fresh']")
    page.wait_for_selector(".panel[aria-busy='false']")
    with held(page, "**/api/file*") as kept:
        page.locator(".hit h3 a").nth(1).focus()
        page.keyboard.press("Enter")
        arrived(page, kept)
        # Long enough under way, an empty pane takes the place of the last one.
        page.wait_for_selector(".panel[aria-busy='true']")
        assert page.evaluate("document.activeElement.closest('.detail') !== null")
    page.wait_for_selector(".panel[aria-busy='false']")

    assert page.evaluate("document.activeElement.closest('.detail') !== null")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.closest('.hit.selected') !== null")


def test_a_note_that_is_saved_twice_by_keys_is_made_once(page: Any, notes: Server) -> None:
    page.goto("/?view=notes&item=new&edit=1")
    page.fill("#w-title", "Watering")
    with held(page, "**/api/notes*", "POST") as kept:
        page.keyboard.press("Control+Enter")
        arrived(page, kept)
        page.keyboard.press("Control+Enter")
    page.wait_for_selector("#item-title:has-text('Watering')")

    listed = notes.client.get("/api/notes", params={"filter": "Watering"}).json()
    assert listed["total"] == 1


def test_two_links_taken_away_at_once_are_both_gone_and_nobody_else_is_blamed(
    page: Any, notes: Server
) -> None:
    page.goto(GUIDE)
    page.wait_for_selector(".links-of [data-target='note:soil'] button")
    with held(page, "**/api/notes/*/links*", "DELETE") as kept:
        page.dblclick(".links-of [data-target='note:soil'] button")
        page.click(".links-of [data-target='note:compost'] button")
        arrived(page, kept)
    page.wait_for_selector(".links-of [data-target='note:soil']", state="detached")
    page.wait_for_selector(".links-of [data-target='note:compost']", state="detached")

    assert targets(notes) == []
    assert "taken away" in page.text_content(".offer")
    assert page.locator("#notice").is_hidden()
    page.click(".offer .link")
    page.wait_for_selector(".links-of [data-target='note:compost']")
    assert targets(notes) == ["note:compost"]


def test_what_is_typed_to_link_to_stays_when_the_pane_is_painted_again(
    page: Any, notes: Server
) -> None:
    page.goto(GUIDE)
    page.wait_for_selector(".links-of [data-target='note:soil'] button")
    with held(page, "**/api/notes/*/links*") as kept:
        page.click(".links-of [data-target='note:soil'] button")
        arrived(page, kept)
        page.fill("#link-search", "hash_password")
        page.select_option("#link-type", "related_to")
        page.focus("#link-search")
    page.wait_for_selector(".links-of [data-target='note:soil']", state="detached")

    assert page.input_value("#link-search") == "hash_password"
    assert page.evaluate("document.activeElement.id") == "link-search"
    page.wait_for_selector(".offered [aria-selected='true']:has-text('hash_password')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".offer:has-text('Linked')")
    made = notes.client.get("/api/notes/guide").json()["links"][-1]
    assert made == {"type": "related_to", "target": "code:src/auth.py#hash_password"}


def test_of_two_ways_to_show_a_page_the_last_that_was_chosen_is_shown(page: Any) -> None:
    page.goto("/?q=guide+install&kind=doc")
    page.wait_for_selector(".reading .prose")
    with held(page, "**/api/file*") as kept:
        page.click(".switch button:has-text('Source')")
        arrived(page, kept)
        page.evaluate("document.querySelector('.reading').dataset.was = 'here'")
        page.click(".switch button:has-text('Read')")
        page.wait_for_selector(".reading:not([data-was])")
    until(page, "new Promise(done => setTimeout(() => done(true)))")
    assert page.locator(".code").count() == 0
    page.click(".switch button:has-text('Source')")
    page.wait_for_selector(".code .row")


def test_a_thumb_that_is_pressed_before_the_kept_ones_come_counts(
    page: Any, server: Server
) -> None:
    def kept_of() -> list[int]:
        found = server.client.get("/api/judgements", params={"q": "retry backoff"}).json()
        return [one["relevance"] for one in found["judgements"]]

    thumb = ".hit .thumb[data-worth='1']"
    with held(page, "**/api/judgements?*") as kept:
        page.goto("/?q=retry+backoff")
        page.wait_for_selector(thumb)
        arrived(page, kept)
        # Answered before the thumb, and heard of after it.
        answers = [one.fetch() for one in kept]
        with page.expect_response(lambda one: one.request.method == "POST"):
            page.locator(thumb).first.click()
        for one, answer in zip(kept, answers, strict=True):
            one.fulfill(response=answer)
        kept.clear()
        # They are read again, with it.
        arrived(page, kept)
    assert kept_of() == [1]
    page.locator(f"{thumb}[aria-pressed='true']").first.click()
    page.wait_for_selector(f"{thumb}[aria-pressed='true']", state="detached")
    until(page, "document.getElementById('said').textContent.startsWith('Taken back')")

    assert kept_of() == []


def test_who_has_gone_on_is_not_led_away_by_a_link_that_is_still_looked_for(
    page: Any, notes: Server
) -> None:
    change = {"content": "After [[Nothing of the kind]] comes [[Guide]]."}
    assert notes.client.patch("/api/notes/soil", json=change).status_code == 200
    page.goto("/?view=notes&item=note:soil")
    page.wait_for_selector(".reads .link")
    with held(page, "**/api/search*") as kept:
        page.click(".reads .link:has-text('Nothing of the kind')")
        arrived(page, kept)
        page.click(".row-of:has-text('Compost') a")
        page.wait_for_selector("#item-title:has-text('Compost')")
        guide = {"id": "note:guide", "kind": "note", "title": "Nothing of the kind"}
        with page.expect_response("**/api/search*"):
            kept.pop().fulfill(json={"results": [{**guide, "name": "Nothing of the kind"}]})
    until(page, "new Promise(done => setTimeout(() => done(true)))")

    assert "item=note%3Acompost" in page.url


@pytest.mark.usefixtures("notes")
def test_who_has_gone_on_in_the_list_stays_there_when_the_pane_comes(page: Any) -> None:
    page.goto("/?view=notes")
    with held(page, "**/api/notes/*/links*") as kept:
        page.focus(".row-of:has-text('Soil') a")
        page.keyboard.press("Enter")
        arrived(page, kept)
        page.focus(".row-of:has-text('Compost') a")
    page.wait_for_selector("#item-title:has-text('Soil')")
    assert page.evaluate("document.activeElement.textContent") == "Compost"

    # Who waits is led to what was opened.
    page.keyboard.press("Enter")
    page.wait_for_selector("#item-title:has-text('Compost')")
    until(page, "document.activeElement.id === 'item-title'")


def test_the_status_of_the_collection_that_was_chosen_last_is_shown(
    page: Any, tmp_path: Path
) -> None:
    attic = tmp_path / "attic"
    attic.mkdir()
    (attic / "old.md").write_text("# Old\n\nA walrus.\n", encoding="utf-8")
    with serving([filled(tmp_path / "shop"), attic], tmp_path / "home") as both:
        assert soon(lambda: is_ready(both, "shop") and is_ready(both, "attic"))
        page.goto(f"{both.address}/?view=status&collection=shop")
        page.wait_for_selector("#wide h1:text-is('shop')")
        page.wait_for_selector("#collections:not([hidden])")
        with held(page, "**/api/status?collection=attic") as kept:
            page.select_option("#collection", "attic")
            arrived(page, kept)
            page.go_back()
            with page.expect_response("**/api/status?collection=attic"):
                kept.pop().continue_()
            until(page, "new Promise(done => setTimeout(() => done(true), 100))")

        assert page.text_content("#wide h1") == "shop"


def test_profiles_that_come_after_the_hits_can_be_chosen_in_the_pane(page: Any) -> None:
    with held(page, "**/api/profiles*") as kept:
        page.goto("/?q=hash+password&pane=explain")
        page.wait_for_selector("#sum")
        arrived(page, kept)
        assert page.locator("#ranked-by option").count() == 0

    page.select_option("#ranked-by", "rag")
    page.wait_for_selector(".moved")


@pytest.mark.usefixtures("notes")
def test_a_pane_that_comes_late_does_not_cover_what_is_written(page: Any) -> None:
    page.goto(GUIDE)
    page.wait_for_selector(".links-of [data-target='note:soil'] .take")
    with held(page, "**/api/neighbors*") as kept:
        page.click(".links-of [data-target='note:soil'] .take")
        arrived(page, kept)
        page.click("#edit-item")
        page.fill("#w-text", "Begun.")
        with page.expect_response("**/api/neighbors*"):
            kept.pop().continue_()
    until(page, "new Promise(done => setTimeout(() => done(true), 100))")

    assert page.input_value("#w-text") == "Begun."


def test_what_was_typed_while_a_new_note_was_saved_stays_a_draft_of_it_for_who_has_left(
    page: Any, notes: Server
) -> None:
    page.goto("/?view=notes&item=new&edit=1")
    page.fill("#w-title", "Watering")
    with held(page, "**/api/notes*", "POST") as kept:
        page.keyboard.press("Control+Enter")
        arrived(page, kept)
        page.fill("#w-text", "In the morning.")
        page.click("#shut")
        page.wait_for_selector(".row-of")
    page.wait_for_selector(".row-of:has-text('Watering') .weak-label:text-is('draft')")
    assert page.locator("#notice").is_hidden()
    assert notes.client.get("/api/notes/watering").json()["content"] == ""

    page.click(".row-of:has-text('Watering') a")
    page.click(".warned .link:has-text('Continue')")
    assert page.input_value("#w-text") == "In the morning."
