from __future__ import annotations

import pytest

from trivium.errors import UsageError
from trivium.memory.front import changed, fresh, read
from trivium.memory.items import Link
from trivium.types import EdgeType, Kind

BY_HAND = """---
# mine
title:   Why argon2   # not bcrypt
aliases: [hashing]
custom:
  nested: yes
tags:
- security
- passwords

version: 3
---
Body, as it stands.
"""


def test_a_new_file_has_its_fields_in_order_and_its_text_below() -> None:
    text = fresh(
        Kind.TASK, {"title": "Ship: it", "status": "todo", "order": 1000.0, "description": "Now."}
    )

    assert text == ('---\ntitle: "Ship: it"\nstatus: todo\norder: 1000\nversion: 1\n---\n\nNow.\n')


def test_changing_one_key_leaves_every_other_byte_as_it_was() -> None:
    text = changed(Kind.NOTE, BY_HAND, {"title": "Why scrypt"}, version=4)

    before = BY_HAND.replace("title:   Why argon2   # not bcrypt", "title: Why scrypt")
    assert text == before.replace("version: 3", "version: 4")


def test_changing_the_text_leaves_the_front_matter_as_it_was() -> None:
    text = changed(Kind.NOTE, BY_HAND, {"content": "Another."}, version=3)

    assert text == BY_HAND.replace("Body, as it stands.\n", "\nAnother.\n")


def test_a_file_keeps_the_line_ends_it_has() -> None:
    text = changed(Kind.NOTE, BY_HAND.replace("\n", "\r\n"), {"tags": ("a", "b")}, version=4)

    assert "\n" not in text.replace("\r\n", "")
    assert read(Kind.NOTE, "x", text).values["tags"] == ("a", "b")


def test_a_file_without_front_matter_gets_one_above_its_text() -> None:
    text = changed(Kind.NOTE, "# Heading\n\nText.\n", {"tags": ("a",)}, version=2)

    assert text == "---\ntags: [a]\nversion: 2\n---\n\n# Heading\n\nText.\n"
    assert read(Kind.NOTE, "slug", text).values["title"] == "Heading"


def test_a_byte_order_mark_stays_first() -> None:
    text = changed(Kind.NOTE, "\ufeff---\ntitle: a\n---\nText", {"title": "b"}, version=2)

    assert text == "\ufeff---\ntitle: b\nversion: 2\n---\nText"


def test_a_field_is_changed_under_the_key_that_the_file_has_for_it() -> None:
    text = changed(Kind.TASK, "---\nDue_Date: 2026-01-01\n---\n", {"due": "2026-02-02"}, version=1)

    assert text.startswith("---\nDue_Date: 2026-02-02\n")


def test_a_value_that_is_cleared_takes_its_lines_along() -> None:
    text = changed(Kind.NOTE, BY_HAND, {"tags": ()}, version=3)

    assert "tags" not in text
    assert "- security" not in text
    assert "nested: yes" in text


def test_a_description_in_the_front_matter_stays_there() -> None:
    text = "---\ntitle: Deploy\ndescription: old\n---\n\n# Instructions\n"

    made = changed(Kind.SKILL, text, {"description": "new"}, version=2)

    assert "description: new\n" in made
    assert made.endswith("---\n\n# Instructions\n")
    assert read(Kind.SKILL, "deploy", made).values["description"] == "new"


def test_front_matter_that_is_never_closed_is_reported_and_not_written_to() -> None:
    text = "---\ntitle: a\n\nText\n"

    assert "never closed" in read(Kind.NOTE, "a", text).problems[0]
    assert read(Kind.NOTE, "a", text).values["content"] == text.strip("\n")
    with pytest.raises(UsageError, match="never closed"):
        changed(Kind.NOTE, text, {"title": "b"}, version=2)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("just words", "cannot be read"),
        ("title: again", "twice"),
        ("version: many", "version must be"),
        ("links: [jumps note:x]", "link from a note to a note 'jumps'"),
        ("links: [related_to nothing]", "is no id"),
    ],
)
def test_what_cannot_be_read_is_reported_and_kept(line: str, said: str) -> None:
    text = f"---\ntitle: a\n{line}\n---\nText\n"

    assert said in " ".join(read(Kind.NOTE, "a", text).problems)
    assert line in changed(Kind.NOTE, text, {"tags": ("x",)}, version=9).replace(
        "version: 9", "version: many"
    )


def test_a_status_of_someones_own_is_reported_and_shown() -> None:
    reading = read(Kind.TASK, "a", "---\ntitle: a\nstatus: doing\nestimate: long\n---\n")

    assert reading.values["status"] == "doing"
    assert "estimate" not in reading.values
    assert len(reading.problems) == 2


def test_links_are_read_with_their_types() -> None:
    links = ("blocks task:a", "references code:src/a b.py#f", "@shop::code:x.py")
    text = "".join(["---\nlinks:\n", *(f"  - {one}\n" for one in links), "---\n"])

    values = read(Kind.TASK, "t", text).values

    assert values["links"] == (
        Link(EdgeType.BLOCKS, "task:a"),
        Link(EdgeType.REFERENCES, "code:src/a b.py#f"),
        Link(EdgeType.REFERENCES, "@shop::code:x.py"),
    )
