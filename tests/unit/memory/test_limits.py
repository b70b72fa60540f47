from __future__ import annotations

from itertools import islice

import pytest

from trivium.errors import UsageError
from trivium.memory.items import Link
from trivium.memory.limits import checked, link, slug_in, slugs_for
from trivium.types import EdgeType, Kind


@pytest.mark.parametrize(
    ("kind", "field", "value", "said"),
    [
        (Kind.NOTE, "title", "x" * 501, "501 characters; at most 500"),
        (Kind.NOTE, "content", "x" * 1_000_001, "at most 1,000,000"),
        (Kind.TASK, "description", "x" * 500_001, "at most 500,000"),
        (Kind.NOTE, "tags", ["x" * 101], "at most 100"),
        (Kind.NOTE, "tags", [str(n) for n in range(101)], "101 entries; at most 100"),
        (Kind.SKILL, "steps", ["x" * 10_001], "at most 10,000"),
        (Kind.SKILL, "steps", [str(n) for n in range(101)], "at most 100"),
        (Kind.SKILL, "triggers", ["x" * 501], "at most 500"),
        (Kind.SKILL, "triggers", [str(n) for n in range(51)], "at most 50"),
    ],
)
def test_what_is_longer_than_seed_003_allows_is_refused(
    kind: Kind, field: str, value: object, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        checked(kind, {field: value})


def test_what_is_just_as_long_as_allowed_is_kept() -> None:
    assert checked(Kind.NOTE, {"title": "x" * 500})["title"] == "x" * 500
    assert len(str(checked(Kind.NOTE, {"content": "x" * 1_000_000})["content"])) == 1_000_000


@pytest.mark.parametrize(
    ("kind", "field", "value", "said"),
    [
        (Kind.NOTE, "title", "a\nb", "control character U\\+000A at position 2"),
        (Kind.NOTE, "title", "\x1b[31mred", "U\\+001B"),
        (Kind.NOTE, "content", "a\x00b", "U\\+0000 at position 2"),
        (Kind.NOTE, "content", "half \ud800", "U\\+D800"),
        (Kind.NOTE, "title", "   ", "needs a title"),
        (Kind.NOTE, "tags", "one", "tags must be a list of texts"),
        (Kind.NOTE, "tags", [1], "not of 1"),
        (Kind.NOTE, "colour", "red", "Unknown field of a note 'colour'.*Use title, tags"),
        (Kind.TASK, "status", "dne", "Did you mean 'done'"),
        (Kind.TASK, "priority", "hihg", "Did you mean 'high'"),
        (Kind.TASK, "due", "tomorrow", "due must be a date"),
        (Kind.TASK, "estimate", -1, "estimate must be"),
        (Kind.TASK, "order", float("nan"), "order must be"),
        (Kind.TASK, "epic", "../x", "is no id of a task"),
        (Kind.SKILL, "confidence", 1.5, "from 0 to 1"),
        (Kind.SKILL, "usage_count", 1.5, "whole number"),
        (Kind.SKILL, "usage_count", True, "whole number"),
    ],
)
def test_bad_values_are_refused_by_name(kind: Kind, field: str, value: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        checked(kind, {field: value})


def test_a_status_may_be_written_as_people_do() -> None:
    assert checked(Kind.TASK, {"status": "In progress"})["status"] == "in_progress"


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Why we hash passwords!", "why-we-hash-passwords"),
        ("../../etc/passwd", "etcpasswd"),
        ("C:\\Windows\\con", "cwindowscon"),
        ("CON", "con_"),
        ("-rf", "rf"),
        ("Füße, 日本語", "füße-日本語"),
        ("ä" * 300, "ä" * 90),
    ],
)
def test_a_title_becomes_a_name_that_every_system_can_keep(title: str, slug: str) -> None:
    assert next(slugs_for(title)) == slug


def test_a_title_without_letters_still_gets_a_name() -> None:
    one, other = next(slugs_for("🙂")), next(slugs_for("!?"))

    assert one != other
    assert one.isalnum()


def test_further_ones_of_a_title_are_numbered() -> None:
    assert list(islice(slugs_for("A"), 3)) == ["a", "a~2", "a~3"]


@pytest.mark.parametrize("given", ["", "a/b", "a\\b", ".hidden", "..", "a\0b", "x" * 300])
def test_an_id_that_could_lead_elsewhere_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="is no id of a note"):
        slug_in(Kind.NOTE, given)


def test_an_id_may_be_given_with_its_kind_or_without() -> None:
    assert slug_in(Kind.NOTE, "note:My file") == slug_in(Kind.NOTE, "My file") == "My file"


@pytest.mark.parametrize(
    ("kind", "type_", "target"),
    [
        (Kind.NOTE, "subtask_of", "note:a"),
        (Kind.TASK, "depends_on", "task:a"),
        (Kind.SKILL, "blocks", "skill:a"),
        (Kind.TASK, "blocks", "code:a.py"),
        (Kind.NOTE, "blocks", "@shop::task:a"),
    ],
)
def test_a_type_that_two_kinds_cannot_have_is_refused(kind: Kind, type_: str, target: str) -> None:
    with pytest.raises(UsageError, match=f"Unknown link from a {kind}"):
        link(kind, type_, target)


@pytest.mark.parametrize(
    "target", ["auth.py", "thing:x", "code:", "@shop", "@::code:x", "note:a\nb"]
)
def test_a_target_that_is_no_id_is_refused(target: str) -> None:
    with pytest.raises(UsageError):
        link(Kind.NOTE, "references", target)


def test_all_kinds_link_across() -> None:
    made = link(Kind.TASK, "references", "@shop::code:src/a.py#f")

    assert made == Link(EdgeType.REFERENCES, "@shop::code:src/a.py#f")
