"""Notes and skills in the page: written, changed, linked, deleted; nothing typed is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.page.browsing import (
    HOSTILE,
    Server,
    catching,
    filled,
    is_ready,
    opened,
    serving,
    soon,
    until,
)
from tests.e2e.page.test_page_states import violations

from trivium.doors.tokens import Right, Tokens

NOTE = "/?view=notes&item=note:why-argon2"
EDIT = f"{NOTE}&edit=1"
TEXT = "bcrypt cuts passwords.\nSee [[Guide]].\n"


@pytest.fixture(autouse=True)
def notes(server: Server) -> Iterator[Server]:
    """The server with two notes and a skill, which are gone afterwards, as all that was written."""
    made = [
        ("notes", {"title": "Why argon2", "content": TEXT, "tags": ["security"]}),
        (
            "notes",
            {"title": "Guide", "links": [{"type": "references", "target": "note:why-argon2"}]},
        ),
        ("skills", {"title": "Release", "steps": ["Test", "Tag"], "triggers": ["ship a release"]}),
    ]
    for kind, one in made:
        assert server.client.post(f"/api/{kind}", json=one).status_code == 201
    yield server
    for kind in ("notes", "tasks", "skills"):
        for one in server.client.get(f"/api/{kind}", params={"limit": 500}).json()["results"]:
            server.client.delete(f"/api/{kind}/{one['id']}")


def note(server: Server, slug: str = "why-argon2") -> dict[str, Any]:
    found: dict[str, Any] = server.client.get(f"/api/notes/{slug}").json()
    return found


def editing(page: Any, address: str = EDIT) -> Any:
    page.goto(address)
    page.wait_for_selector("#w-text")
    return page


def saved(page: Any) -> None:
    page.click("#save")
    page.wait_for_selector(".offer:has-text('Saved')")


def test_notes_are_listed_and_narrowed_by_tag_and_title(page: Any) -> None:
    page.goto("/?view=notes")
    page.wait_for_selector(".row-of")
    assert sorted(page.locator(".row-of h2 a").all_text_contents()) == ["Guide", "Why argon2"]

    page.click(".row-of .tag:has-text('security')")
    until(page, "document.querySelectorAll('.row-of').length === 1")
    assert "label=security" in page.url
    page.click("#widen")
    page.fill("#find", "nothing like it")
    page.wait_for_selector(".none")
    page.click(".none .link:has-text('Search the texts')")
    until(page, "new URLSearchParams(location.search).get('q') === 'nothing like it'")
    assert "kind=note" in page.url
    assert "view=" not in page.url


def test_a_new_note_is_written_with_tags_and_a_link_found_by_searching(
    page: Any, notes: Server
) -> None:
    page.goto("/?view=notes")
    page.click("#new")
    page.fill("#w-title", "How passwords are checked")
    page.fill("#w-text", "First *this*, then `that`.")
    page.fill("#w-tags", "security")
    page.keyboard.press("Enter")
    page.fill("#link-search", "check_password")
    page.wait_for_selector(".offered [role='option']:has-text('check_password')")
    page.click(".offered [role='option']:has-text('check_password')")
    page.wait_for_selector(".editor [data-target]")
    assert page.locator(".editor .reading em").text_content() == "this"

    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#item-title:has-text('How passwords are checked')")

    made = note(notes, "how-passwords-are-checked")
    assert made["content"] == "First *this*, then `that`."
    assert made["tags"] == ["security"]
    assert made["links"] == [
        {"type": "references", "target": "code:src/auth.py#check_password"},
    ]
    assert "item=note%3Ahow-passwords-are-checked" in page.url
    page.wait_for_selector(".row-of:has-text('How passwords are checked')")
    page.click(".offer .link")
    page.wait_for_selector(".row-of")
    until(page, "!document.querySelector('.stock').textContent.includes('checked')")
    assert notes.client.get("/api/notes/how-passwords-are-checked").status_code == 404


def test_a_note_about_a_hit_is_linked_to_it(page: Any, notes: Server) -> None:
    page.goto("/?q=hash_password&kind=code")
    page.wait_for_selector(".detail h2:has-text('hash_password')")
    page.click("#remember")
    page.wait_for_selector(".editor [data-target='code:src/auth.py#hash_password']")

    page.fill("#w-title", "Salted")
    saved(page)

    assert note(notes, "salted")["links"] == [
        {"type": "references", "target": "code:src/auth.py#hash_password"}
    ]


def test_an_edit_changes_the_file_and_can_be_taken_back(
    page: Any, notes: Server, shop: Path
) -> None:
    editing(page)
    page.fill("#w-text", "Memory is hard.")
    saved(page)

    file = shop / ".trivium" / "notes" / "why-argon2.md"
    assert "Memory is hard." in file.read_text(encoding="utf-8")
    assert page.locator(".reads").text_content() == "Memory is hard."
    page.click(".offer .link")
    page.wait_for_selector(".reads:has-text('bcrypt')")
    assert note(notes)["content"] == TEXT.rstrip("\n") or note(notes)["content"] == TEXT


def test_what_is_typed_outlives_a_reload_and_a_step_back(page: Any, notes: Server) -> None:
    before = note(notes)
    editing(page)
    page.fill("#w-text", "Half a thou")
    page.fill("#w-tags", "half")
    page.reload()
    page.wait_for_selector("#w-text")

    assert page.input_value("#w-text") == "Half a thou"
    assert page.locator(".chips .tag").all_text_contents() == ["security", "half"]
    page.click("#shut")
    page.wait_for_selector(".warned:has-text('have not saved')")
    assert page.locator(".row-of:has-text('Why argon2') .weak-label").text_content() == "draft"
    page.click(".warned .link:has-text('Continue')")
    page.wait_for_selector("#w-text")
    assert page.input_value("#w-text") == "Half a thou"
    assert note(notes) == before


def test_a_draft_that_is_thrown_away_can_be_had_back(page: Any) -> None:
    editing(page, "/?view=notes&item=new&edit=1")
    page.fill("#w-title", "Never mind")
    page.click("#discard")
    page.wait_for_selector(".row-of")
    assert page.text_content("#new") == "New note"

    page.click(".offer .link")
    page.wait_for_selector("#w-title")

    assert page.input_value("#w-title") == "Never mind"
    page.click("#shut")
    page.wait_for_selector("#new:has-text('Unsaved note')")


def test_a_failure_says_why_and_keeps_what_was_written(page: Any, notes: Server) -> None:
    catching(page)
    editing(page)
    page.fill("#w-text", "Precious")
    page.route("**/api/notes/*", lambda route: route.abort())
    page.click("#save")
    page.wait_for_selector(".wrong:has-text('The server does not answer. What you wrote is kept.')")
    page.reload()
    page.wait_for_selector("#w-text")
    assert page.input_value("#w-text") == "Precious"
    page.unroute("**/api/notes/*")

    page.fill("#w-title", " ")
    page.click("#save")
    page.wait_for_selector(".wrong:has-text('Give it a title.')")
    page.fill("#w-title", "Why argon2")
    saved(page)

    assert note(notes)["content"].strip() == "Precious"


def test_where_the_browser_keeps_nothing_it_says_so(page: Any) -> None:
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    editing(page)

    page.fill("#w-text", "Fleeting")

    page.wait_for_selector(".kept:has-text('This browser keeps no draft')")
    page.click("#shut")
    page.click(".warned .link:has-text('Continue')")
    assert page.input_value("#w-text") == "Fleeting"


@pytest.mark.parametrize(("way", "stands"), [("mine", "Mine."), ("theirs", "Theirs.")])
def test_two_edits_of_one_text_are_shown_side_by_side_to_choose_from(
    page: Any, notes: Server, way: str, stands: str
) -> None:
    editing(page)
    page.fill("#w-text", "Mine.")
    change = {"content": "Theirs.", "tags": ["security", "new"]}
    notes.client.patch("/api/notes/why-argon2", json=change)

    page.click("#save")
    page.wait_for_selector("#conflict-title")
    shown = page.locator(".conflict pre").all_text_contents()
    assert [one.strip() for one in shown] == ["Mine.", "Theirs."]
    assert "Tags: only they changed it" in page.text_content(".conflict")
    assert note(notes)["content"].strip() == "Theirs."
    assert violations(page) == []
    page.check(f".conflict [value='{way}']")
    page.click("#settle")
    page.wait_for_selector(f".reads:has-text('{stands}')")

    assert note(notes)["content"].strip() == stands
    assert note(notes)["tags"] == ["security", "new"]
    # What was given up can be had back.
    if way == "theirs":
        page.click(".offer:has-text('Theirs stands') .link")
        page.wait_for_selector("#w-text")
        assert page.input_value("#w-text") == "Mine."


def test_both_texts_of_a_conflict_can_be_put_in_order(page: Any, notes: Server) -> None:
    editing(page)
    page.fill("#w-text", "Mine.")
    notes.client.patch("/api/notes/why-argon2", json={"content": "Theirs."})
    page.click("#save")
    page.check(".conflict [value='both']")
    page.click("#settle")
    page.wait_for_selector(".wrong:has-text('Both texts are in it now')")

    assert page.input_value("#w-text").split() == ["Mine.", "Theirs."]
    page.fill("#w-text", "Ours.")
    saved(page)
    assert note(notes)["content"].strip() == "Ours."


def test_what_was_deleted_meanwhile_can_be_saved_as_a_new_one(page: Any, notes: Server) -> None:
    editing(page)
    page.fill("#w-text", "Still here.")
    notes.client.delete("/api/notes/why-argon2")

    page.click("#save")
    page.click(".wrong .link:has-text('Save it as a new one')")
    page.wait_for_selector(".offer:has-text('Saved')")

    assert note(notes)["content"].strip() == "Still here."


def test_deleting_asks_first_says_what_breaks_and_can_be_taken_back(
    page: Any, notes: Server
) -> None:
    before = note(notes)
    page.goto(NOTE)
    page.click("#delete-item")
    assert "1 link from elsewhere will lead to nothing." in page.text_content("#dialog")
    page.click("#dialog .small")
    assert note(notes) == before

    page.click("#delete-item")
    page.click("#delete-now")
    page.wait_for_selector(".offer:has-text('Deleted Why argon2')")
    assert notes.client.get("/api/notes/why-argon2").status_code == 404
    page.click(".offer .link")
    page.wait_for_selector("#item-title:has-text('Why argon2')")

    assert note(notes)["tags"] == ["security"]


def test_links_of_a_note_are_added_and_taken_away_and_broken_ones_are_told(
    page: Any, notes: Server
) -> None:
    # Only a link of its own can be taken away; the other note also leads here, by its text.
    take = ".links-of [data-target='note:why-argon2'] .take"
    page.goto("/?view=notes&item=note:guide")
    page.wait_for_selector(take)
    page.fill("#link-search", "retry backoff")
    page.wait_for_selector(".offered [aria-selected='true']")
    page.select_option("#link-type", "related_to")
    page.focus("#link-search")
    page.keyboard.press("Enter")
    page.wait_for_selector(".offer:has-text('Linked')")
    assert [one["type"] for one in note(notes, "guide")["links"]] == ["references", "related_to"]

    page.click(take)
    page.wait_for_selector(".offer:has-text('Link taken away')")
    page.wait_for_selector(take, state="detached")
    assert [one["type"] for one in note(notes, "guide")["links"]] == ["related_to"]
    page.click(".offer .link")
    page.wait_for_selector(take)
    assert len(note(notes, "guide")["links"]) == 2
    notes.client.delete("/api/notes/why-argon2")
    page.reload()
    page.wait_for_selector(".links-of [data-target='note:why-argon2'] .weak-label")
    assert page.locator("[data-target='note:why-argon2'] .missing").count() == 1


def test_files_are_added_to_a_note_and_removed_and_both_can_be_taken_back(
    page: Any, notes: Server
) -> None:
    def names() -> list[str]:
        listed = notes.client.get("/api/notes/why-argon2/attachments").json()["results"]
        return [one["filename"] for one in listed]

    page.goto(NOTE)
    page.wait_for_selector("#add-files", state="attached")
    some = [
        {"name": "plan ü.txt", "mimeType": "text/plain", "buffer": b"one"},
        {"name": "map.png", "mimeType": "image/png", "buffer": b"\x89PNG"},
    ]
    page.set_input_files("#add-files", files=some)
    page.wait_for_selector(".offer:has-text('2 files added')")
    page.wait_for_selector(".links-of a[download='plan ü.txt']")
    assert names() == ["map.png", "plan ü.txt"]

    page.click("[aria-label='Remove map.png']")
    page.wait_for_selector(".offer:has-text('Removed map.png')")
    page.wait_for_selector(".links-of a[download='map.png']", state="detached")
    assert names() == ["plan ü.txt"]
    page.click(".offer .link")
    page.wait_for_selector(".links-of a[download='map.png']")
    assert notes.client.get("/api/notes/why-argon2/attachments/map.png").content == b"\x89PNG"

    # One of a name that is there, with something else in it, is refused in words.
    other = {"name": "map.png", "mimeType": "image/png", "buffer": b"other"}
    page.set_input_files("#add-files", files=[other])
    page.wait_for_selector("#notice:has-text('has another file map.png')")
    assert violations(page) == []


def test_a_note_says_what_leads_to_it_and_leads_on(page: Any) -> None:
    page.goto(NOTE)
    page.click(".part:has(h3:text-is('Linked from')) a:has-text('Guide')")
    page.wait_for_selector("#item-title:has-text('Guide')")
    page.go_back()
    page.wait_for_selector("#item-title:has-text('Why argon2')")


def test_a_skill_says_its_steps_and_counts_uses(page: Any, notes: Server) -> None:
    page.goto("/?view=skills&item=skill:release")
    page.wait_for_selector("ol.said")
    assert page.locator("ol.said li").all_text_contents() == ["Test", "Tag"]

    page.click("#use")
    page.wait_for_selector(".facts dd:has-text('1 time, last just now')")
    page.click("#edit-item")
    page.click("#w-steps .link")
    page.keyboard.type("Tell people")
    saved(page)

    found = notes.client.get("/api/skills/release").json()
    assert found["steps"] == ["Test", "Tag", "Tell people"]
    assert found["usageCount"] == 1


def test_text_of_notes_stays_text_while_it_is_written_and_read(page: Any) -> None:
    editing(page)
    page.fill("#w-text", f"{HOSTILE} [go](javascript:window.ran='yes')")
    page.fill("#w-title", f"Title {HOSTILE}")
    page.wait_for_selector(".editor .reading:has-text('onerror')")
    saved(page)
    page.wait_for_selector(".reads")

    assert HOSTILE in page.text_content("#item-title")
    assert page.evaluate("window.ran") is None
    assert page.locator("[href^='javascript'], .memory img, .memory script").count() == 0


@pytest.mark.parametrize("address", ["/?view=notes", NOTE, EDIT, "/?view=skills&item=new&edit=1"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, notes: Server, address: str, scheme: str) -> None:
    still = {"color_scheme": scheme, "reduced_motion": "reduce"}
    with opened(browser, notes.address, width=1280, height=800, **still) as page:
        page.goto(address)
        page.wait_for_selector("#w-text" if "edit" in address else ".row-of")
        if address == NOTE:
            page.wait_for_selector("#item-title")
        assert violations(page) == []
    phone = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
    with opened(browser, notes.address, **phone, **still) as page:
        page.goto(address)
        page.wait_for_selector("#w-text" if "edit" in address else ".row-of", state="attached")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_who_may_only_read_gets_nothing_to_write_with(browser: Any, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    kept = Tokens(home)
    writes, reads = kept.add("ana", Right.WRITE), kept.add("ben", Right.READ)
    with serving([filled(tmp_path / "shop")], home, token=writes) as server:
        assert soon(lambda: is_ready(server, "shop"))
        server.client.post("/api/notes", json={"title": "Why argon2", "content": TEXT})
        server.client.post("/api/tasks", json={"title": "Ship it"})
        with opened(browser, server.address, width=1280, height=800) as page:
            page.add_init_script(f"localStorage.setItem('trivium.token', '{reads}')")
            page.goto(NOTE)
            page.wait_for_selector(".read-only")
            page.wait_for_selector(".reads")
            until(page, "document.getElementById('edit-item') === null")
            assert page.locator("#new, #delete-item, .picker").count() == 0
            assert "bcrypt" in page.text_content(".reads")
            page.goto("/?view=tasks&item=task:ship-it")
            page.wait_for_selector(".read-only")
            page.wait_for_selector("#item-title")
            until(page, "document.getElementById('now-status') === null")
            page.focus(".task a")
            page.keyboard.press("Shift+ArrowRight")
            assert page.text_content("#said").strip() == "Read only"
            # One whose right was taken away meanwhile is told, and keeps what was typed.
            page.goto(EDIT)
            page.fill("#w-text", "Mine.")
            page.click("#save")
            page.wait_for_selector(".wrong:has-text('may read; this needs write')")
            assert page.input_value("#w-text") == "Mine."
