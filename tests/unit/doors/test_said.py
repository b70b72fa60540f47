"""What doors without a command line say: no commands, and no name that is not near."""

from __future__ import annotations

import pytest

from trivium.doors import answers, failures
from trivium.doors.answers import HttpSearch
from trivium.errors import IndexNotFound, IndexUnusable, MissingExtra, TriviumError, UsageError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (IndexNotFound("/a b"), "No index for /a b."),
        (MissingExtra("/mcp", extra="mcp"), "/mcp needs an optional part."),
        (
            UsageError("Nothing is called x. Find its id with: trivium search x"),
            "Nothing is called x.",
        ),
        (
            UsageError("minilm has embedded 4% so far; run: trivium index /a"),
            "minilm has embedded 4% so far",
        ),
        (UsageError("It is large. Say --yes, or choose another."), "It is large."),
        (UsageError("3 files not searched (see: trivium status)"), "3 files not searched"),
        (UsageError("limit is 0; give 1 or more."), "limit is 0; give 1 or more."),
        (UsageError("Nothing is called trivium search."), "Nothing is called trivium search."),
    ],
)
def test_an_error_says_nothing_to_run_where_nothing_can_be_run(
    error: TriviumError, said: str
) -> None:
    assert failures.said(error) == said


def test_what_only_the_one_who_runs_the_server_can_mend_is_said_whole() -> None:
    error = IndexUnusable("It is of another version. Make it anew with: trivium index --rebuild")

    assert failures.said(error) == str(error)


@pytest.mark.parametrize(
    ("key", "meant"), [("limt", "limit"), ("colection", "collection"), ("profil", "profile")]
)
def test_a_key_that_is_nearly_right_is_told_the_right_one(key: str, meant: str) -> None:
    with pytest.raises(failures.RequestInvalid, match=f"Did you mean '{meant}'?"):
        answers.read(HttpSearch, {"query": "x", key: 1})


@pytest.mark.parametrize("key", ["banana", "zzz", "x", "", "größe", "q" * 5000])
def test_a_key_that_is_far_from_all_is_told_none(key: str) -> None:
    with pytest.raises(failures.RequestInvalid) as caught:
        answers.read(HttpSearch, {"query": "x", key: 1})

    assert "Did you mean" not in str(caught.value)
    assert "Keys: query, limit, " in str(caught.value)
