"""Who may use a server that others can reach."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from trivium.doors.tokens import Right, Tokens, right_of
from trivium.errors import ConfigError, NotFound, UsageError


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return Tokens(tmp_path / "home")


def test_a_token_is_found_by_what_was_shown_once(tokens: Tokens) -> None:
    reader, writer = tokens.add("reader", Right.READ), tokens.add("writer", Right.WRITE)

    found = tokens.find(writer)

    assert reader != writer
    assert found is not None
    assert (found.name, found.right) == ("writer", Right.WRITE)


@pytest.mark.parametrize("given", ["", "trv_", "x" * 100_000, "é\udcff"])
def test_anything_else_is_nobodys(tokens: Tokens, given: str) -> None:
    made = tokens.add("reader", Right.READ)

    assert tokens.find(given) is None
    assert tokens.find(made[:-1]) is None
    assert tokens.find(made + "a") is None


def test_the_file_holds_no_token_and_is_for_its_owner_alone(tokens: Tokens) -> None:
    made = tokens.add("reader", Right.READ)

    assert made not in tokens.file.read_text(encoding="utf-8")
    assert stat.S_IMODE(tokens.file.stat().st_mode) == 0o600


def test_a_token_that_is_removed_lets_in_nobody_in_a_server_that_runs(tokens: Tokens) -> None:
    made = tokens.add("reader", Right.READ)
    assert tokens.find(made) is not None

    Tokens(tokens.file.parent).remove("reader")

    assert tokens.find(made) is None


def test_a_name_is_given_once_and_can_be_read(tokens: Tokens) -> None:
    tokens.add("reader", Right.READ)

    for wrong in ("reader", "", "a\nb", "x" * 61):
        with pytest.raises(UsageError):
            tokens.add(wrong, Right.READ)
    with pytest.raises(NotFound, match="There are: 'reader'"):
        tokens.remove("writer")


@pytest.mark.parametrize(
    "text",
    ["{", "[1]", '[{"name": "a"}]', '[{"name":"a","scope":"all","sha256":"","made":""}]', "{}x"],
)
def test_a_file_that_is_damaged_lets_in_nobody_and_says_so(tokens: Tokens, text: str) -> None:
    tokens.add("reader", Right.READ)
    tokens.file.write_text(text, encoding="utf-8")

    with pytest.raises(ConfigError, match=r"tokens\.json"):
        tokens.find("anything")


def test_the_hash_is_one_that_anyone_can_check(tokens: Tokens) -> None:
    import hashlib

    made = tokens.add("reader", Right.READ)

    kept = json.loads(tokens.file.read_text(encoding="utf-8"))
    assert kept[0]["sha256"] == hashlib.sha256(made.encode()).hexdigest()


def test_rights_are_named_and_each_holds_the_ones_before() -> None:
    assert [right_of(one) for one in ("read", "write", "admin")] == sorted(Right)
    with pytest.raises(UsageError, match="Did you mean 'write'"):
        right_of("wirte")
