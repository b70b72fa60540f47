"""Where a file came from is put into it and taken out again without a trace."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trivium.memory import front
from trivium.memory.origin import for_others, origin_of, with_origin, without_those
from trivium.types import Kind

LINES = st.sampled_from(
    [
        "---",
        "---\r",
        "title: Plan",
        "title: My Note",
        "name: x",
        "tags: [a, b]",
        "tags:",
        "  - a",
        "# comment",
        "",
        "text",
        "...",
        "trivial: yes",
        "# made by trivium",
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(LINES, max_size=9).map("\n".join))
PATHS = st.sampled_from(["My Note.md", "A/B c/My Note.md", 'odd "quotes" ü.md'])


@given(TEXTS, PATHS, st.sampled_from([(), ("a/b.png",), ("b.png", "ü x.pdf")]))
@example("---\n---\n", "a.md", ())
@example("\ufeff# Head\r\n", "a.md", ())
@example("---\nnever: closed\n", "a.md", ())
@example("---\ntitle: My Note\n---\n", "My Note.md", ())
@example("---\n# made by trivium\n---", "My Note.md", ())
def test_what_comes_out_is_what_went_in(text: str, path: str, files: tuple[str, ...]) -> None:
    title = path.rpartition("/")[2].removesuffix(".md")

    marked = with_origin(text, path, title=title, files=files)

    found = origin_of(marked)
    assert found is not None
    assert (found.path, found.files, found.text) == (path, files, text)


def test_a_note_is_called_after_its_file_unless_it_says_otherwise() -> None:
    plain = with_origin("# Heading\n\nText.\n", "A/My Note.md", title="My Note")
    named = with_origin("---\ntitle: Own\n---\nText.\n", "A/My Note.md", title="My Note")

    assert front.read(Kind.NOTE, "x", plain).values["title"] == "My Note"
    assert front.read(Kind.NOTE, "x", plain).values["content"] == "# Heading\n\nText."
    assert front.read(Kind.NOTE, "x", named).values["title"] == "Own"


def test_a_title_that_was_changed_since_stays() -> None:
    marked = with_origin("Text.\n", "My Note.md", title="My Note")
    changed = front.changed(Kind.NOTE, marked, {"title": "Better"}, version=2)

    found = origin_of(changed)

    assert found is not None
    assert front.read(Kind.NOTE, "x", found.text).values["title"] == "Better"


def test_a_file_that_came_from_nowhere_has_no_origin() -> None:
    assert origin_of("---\ntitle: x\n---\n") is None
    assert origin_of("text") is None
    assert origin_of("---\ntrivium-path: [broken\n---\n") is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_other_programs_want_of_a_skill_is_added_and_taken_away(end: str) -> None:
    text = end.join(("---", "title: Ship it", "steps: [a]", "---", "", "How to ship.", ""))

    shown = for_others(text, name="ship-it", description='Ships: "it".')

    assert f'name: "ship-it"{end}' in shown
    assert without_those(shown) == text
    assert without_those(text) == text
