from __future__ import annotations

from trivium.memory.rules import Base, merged, version_of

BASE = Base(sha256="a", version=3, updated="", text="")


def test_a_file_that_was_last_seen_as_it_is_has_the_version_it_had() -> None:
    assert version_of(BASE, sha256="a", written=1) == 3


def test_a_file_edited_by_hand_is_the_next_version_though_nobody_counted_up() -> None:
    assert version_of(BASE, sha256="b", written=3) == 4
    assert version_of(BASE, sha256="b", written=1) == 4


def test_a_file_from_elsewhere_keeps_a_higher_version() -> None:
    assert version_of(BASE, sha256="b", written=9) == 9


def test_a_file_never_seen_has_the_version_it_says() -> None:
    assert version_of(None, sha256="b", written=2) == 2


def test_fields_that_only_one_side_changed_are_both_kept() -> None:
    result = merged(
        {"title": "a", "content": "x"}, {"title": "a", "content": "hand"}, {"title": "b"}
    )

    assert result.changes == {"title": "b"}
    assert result.unseen == ()


def test_a_field_that_both_changed_is_told() -> None:
    result = merged({"content": "x"}, {"content": "hand"}, {"content": "api"})

    assert result.unseen == ("content",)


def test_a_field_that_both_changed_alike_is_no_change_any_more() -> None:
    result = merged({"content": "x"}, {"content": "same"}, {"content": "same"})

    assert result.changes == {}
    assert result.unseen == ()


def test_clearing_what_is_not_there_changes_nothing() -> None:
    assert merged({}, {"tags": ()}, {"tags": None, "due": ""}).changes == {}


def test_zero_is_a_value() -> None:
    assert merged({}, {}, {"estimate": 0}).changes == {"estimate": 0}
