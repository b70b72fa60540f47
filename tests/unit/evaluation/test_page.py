"""The report: one page that needs nothing else, whatever the texts in it hold."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest

from trivium.evaluation.measure import Measure, Result, Score
from trivium.evaluation.moves import Listed, Move, Moves, Side
from trivium.evaluation.page import page
from trivium.evaluation.run import Outcome, comparisons
from trivium.types import Part

HOSTILE = (
    "</td></table><script>alert(1)</script><img src=http://evil.example/x onerror=y>"
    "\"'><style>*{}</style>&amp;\x1b[31m\u202e\x00"
)
VOID = {"meta", "br", "line", "circle"}


@dataclass
class Seen(HTMLParser):
    """The elements of a page, and whether each was closed in order."""

    open: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str | None]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def seen(text: str) -> Seen:
    found = Seen()
    found.feed(text)
    found.close()
    assert not found.open
    return found


def scored(profile: str, value: float, *, name: str = "one") -> Result:
    score = Score("q1", HOSTILE, dict.fromkeys(Measure, value), seconds=0.0)
    return Result(name, profile, "test", (score,))


def hit(rank: int, text: str, *, grade: float | None = None) -> Listed:
    part = Part(f"part {text}", 0.125)
    return Listed(rank, text, f"label {text}", f"{text}:1-2", 0.5, (part,), text, text, grade, "")


def outcome(text: str) -> Outcome:
    found = hit(3, text, grade=2.0)
    sides = (
        Side("old", 1.0, (hit(1, text), found), (found, None)),
        Side("new", 0.25, (), (None, None)),
    )
    move = Move(text, text, text, ((text, 2.0), ("lost.md", 1.0)), *sides)
    results = (scored("old", 1.0, name=text), scored("new", 0.25, name=text))
    moved = Moves(text, "test", "old", "new", (move,), ())
    return Outcome(results, tuple(comparisons(results)), (moved,))


def test_hostile_texts_are_shown_and_make_no_element() -> None:
    plain, hostile = seen(page(outcome("plain"))), seen(page(outcome(HOSTILE)))
    assert hostile.tags == plain.tags
    assert not {"script", "img", "link", "iframe", "object", "a"} & set(hostile.tags)
    assert any("<script>alert(1)</script>" in text for text in hostile.texts)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", page(outcome(HOSTILE)))


def test_the_page_asks_for_nothing_from_elsewhere() -> None:
    text = page(outcome("plain"))
    names = {name for name, _ in seen(text).attributes}
    assert not {"src", "href", "srcset", "action", "data"} & names
    assert not any(name.startswith("on") for name in names)
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_light_and_dark_have_the_same_colours_to_give() -> None:
    text = page(outcome("plain"))
    light, dark = text.split("prefers-color-scheme: dark", 1)
    names = set(re.findall(r"(--\w+):", light))
    assert names == set(re.findall(r"(--\w+):", dark))
    assert names == set(re.findall(r"var\((--\w+)\)", text))


def luminance(colour: str) -> float:
    """Return the relative luminance of #rrggbb, as WCAG 2 defines it."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1])
@pytest.mark.parametrize("front", ["front", "quiet", "good", "bad"])
@pytest.mark.parametrize("back", ["back", "card", "found"])
def test_every_text_can_be_read_on_every_ground(scheme: int, front: str, back: str) -> None:
    block = page(outcome("plain")).split("prefers-color-scheme: dark", 1)[scheme]
    colours = dict(re.findall(r"--(\w+): (#\w{6})", block))
    low, high = sorted(luminance(colours[name]) for name in (front, back))
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_the_page_shows_scores_differences_both_lists_and_why() -> None:
    text = " ".join(seen(page(outcome("plain"))).texts)
    assert "1.0000" in text
    assert "-0.7500" in text
    assert "0 / 0 / 1" in text
    assert "Queries that got worse most" in text
    assert "None got better." in text
    assert "Nothing was found." in text
    assert "not found" in text
    assert "+0.1250" in text
    assert "part plain" in text
    assert "grade 2" in text


def test_one_profile_alone_shows_what_it_did_worst_on() -> None:
    side = Side("old", 0.25, (hit(1, "x"),), (None,))
    move = Move("q1", "how so", "", (("a.md", 1.0),), side, side)
    moved = Moves("one", "test", "old", "old", (move,), ())
    text = page(Outcome((scored("old", 0.25),), (), (moved,)))
    assert "Queries it did worst on" in text
    assert "Differences" not in text
    assert text.count("label x") == 1


def test_an_interval_of_no_difference_at_all_can_be_drawn() -> None:
    results = (scored("old", 0.5), scored("new", 0.5))
    found = seen(page(Outcome(results, tuple(comparisons(results)))))
    assert found.tags.count("svg") == 1
    assert "nan" not in " ".join(value or "" for _, value in found.attributes)


def test_of_very_many_relevant_documents_the_first_found_are_shown_and_the_rest_counted() -> None:
    names = tuple((f"d{number}", 1.0) for number in range(500))
    found = tuple(None if at < 490 else hit(at - 489, f"x{at}") for at in range(500))
    side = Side("old", 0.25, (), found)
    move = Move("q1", "how so", "", names, side, side)
    moved = Moves("one", "test", "old", "old", (move,), ())
    text = page(Outcome((scored("old", 0.25),), (), (moved,)))
    assert "and 480 more that are relevant" in text
    assert text.index("<bdi>d490</bdi>") < text.index("<bdi>d0</bdi>")


def test_what_is_judged_not_relevant_does_not_stand_out() -> None:
    side = Side("old", 0.0, (hit(1, "x", grade=0.0),), (None,))
    move = Move("q1", "how so", "", (("a.md", 1.0),), side, side)
    text = page(Outcome((), (), (Moves("one", "test", "old", "old", (move,), ()),)))
    assert '<span class="quiet">grade 0</span>' in text
    assert '<li class="found">' not in text
