"""Notes: their hits, their text to be read, and links that lead from one to the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.e2e.page.browsing import until

NOTES = {
    "garden/tomatoes.md": (
        "---\ntitle: Growing tomatoes\ntags: [garden]\nlinks:\n  - soil\nrelated: '[[Compost]]'\n"
        "---\n# Growing tomatoes\n\n"
        "Tomatoes want warmth. See [[soil]] and [the plan](watering.md),\n"
        "![A bed](bed.png) [seeds](https://example.org/seeds).\n"
        "Never [this](javascript:window.ran=1).\n\n"
        "## Illness\n\n### Blight\n\nBurn the leaves, never on the [[compost|compost heap]].\n"
        "After [[Frost dates]] none are left. See [[no such note]].\n"
    ),
    "garden/soil.md": "---\ntitle: Soil\n---\nLoose, with much humus. Feed it with [[compost]].\n",
    "garden/watering.md": "---\ntitle: Watering plan\n---\nIn the morning. Back to [[tomatoes]].\n",
    "garden/compost.md": "---\ntitle: Compost\ntags: [kitchen]\n---\nTwo thirds brown, one raw.\n",
    "almanac/frost-dates.md": "# Frost dates\n\nThe last frost comes in the middle of May.\n",
    "kitchen/bread.md": (
        "# Bread\n\n| step | hours |\n|---|---|\n| rise<br>slowly | 5 |\n| proof | [[soil]] 12 |\n"
    ),
}
TOMATOES = "/?q=tomatoes&hit=doc%3Agarden%2Ftomatoes.md"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of notes in the place of the shop."""
    folder = tmp_path_factory.mktemp("notes") / "shop"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def at(page: Any) -> list[str]:
    return parse_qs(urlsplit(page.url).query).get("at", [])


def read(page: Any) -> None:
    page.goto(TOMATOES)
    page.wait_for_selector(".prose:has-text('Blight')")


def test_a_hit_of_a_note_shows_its_text_and_not_its_front_matter(page: Any) -> None:
    page.goto("/?q=tomatoes")
    page.wait_for_selector(".hit .snippet")

    shown = page.locator(".hit .snippet").all_text_contents()

    assert "Growing tomatoes" in page.locator(".hit h3").all_text_contents()
    assert [one for one in shown if "title:" in one or "tags:" in one] == []
    assert any(one.startswith("Tomatoes want warmth") for one in shown)
    assert "Tomatoes" in page.locator(".hit mark").all_text_contents()


def test_a_snippet_of_a_table_or_with_links_has_no_signs_between_its_words(page: Any) -> None:
    page.goto("/?q=bread+rise+proof+hours")
    page.wait_for_selector(".hit:has(h3:has-text('Bread')) .snippet")

    shown = page.locator(".hit:has(h3:has-text('Bread')) .snippet").first.text_content()

    assert "rise slowly · 5" in " ".join(shown.split())
    assert "[[" not in shown
    assert "|" not in shown


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (".prose :text-is('soil')", "doc:garden/soil.md"),
        (".prose :text-is('the plan')", "doc:garden/watering.md"),
        (".prose :text-is('compost heap')", "doc:garden/compost.md"),
        (".facts :text-is('soil')", "doc:garden/soil.md"),
        (".facts :text-is('Compost')", "doc:garden/compost.md"),
        (".facts :text-is('Watering plan')", "doc:garden/watering.md"),
    ],
)
def test_a_link_of_a_note_leads_to_the_node_in_the_page(page: Any, words: str, target: str) -> None:
    read(page)

    page.click(words)
    until(page, "new URLSearchParams(location.search).has('at')")
    page.wait_for_selector(".detail h2:not(:has-text('tomatoes'))")

    assert at(page) == [target]
    page.go_back()
    page.wait_for_selector(".detail h2:has-text('Growing tomatoes')")


def test_a_link_that_is_linked_far_down_is_looked_for_by_its_name(page: Any) -> None:
    read(page)

    page.click(".prose :text-is('Frost dates')")
    page.wait_for_selector(".detail h2:has-text('Frost dates')")

    assert at(page) == ["doc:almanac/frost-dates.md"]


def test_a_link_that_leads_nowhere_says_so(page: Any) -> None:
    read(page)

    page.click(".prose :text-is('no such note')")
    page.wait_for_selector(".prose .missing:text-is('no such note')")

    assert page.text_content("#said") == "Nothing here is called no such note"
    assert at(page) == []


def test_links_out_of_the_folder_open_beside_it_and_none_runs(page: Any) -> None:
    read(page)

    out = page.locator(".prose a[target='_blank']")

    assert out.all_text_contents() == ["seeds"]
    # A picture is its words, and leads nowhere.
    assert page.locator(".prose :text-is('A bed')").evaluate("one => one.localName") == "span"
    assert out.get_attribute("rel") == "noopener noreferrer"
    assert page.locator("[href^='javascript']").count() == 0
    page.click(".prose p:has-text('Never this')", position={"x": 2, "y": 2})
    assert page.evaluate("window.ran") is None


def test_a_note_says_what_links_to_it(page: Any) -> None:
    page.goto("/?q=compost&hit=doc%3Agarden%2Fcompost.md")
    page.wait_for_selector(".facts dt:text-is('linked from')")

    said = page.locator(".facts dt:text-is('linked from') + dd").text_content()

    assert said.split(", ") == sorted(
        ["Growing tomatoes", "Illness / Blight", "Soil"], key=said.index
    )
