from __future__ import annotations

from collections.abc import Mapping

import pytest

from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.ranking.profile import Scope, profile
from trivium.retrieval.scope import where_of

CODE, PROSE, RECORDS = profile("contract").scopes
(ALL_KINDS,) = profile("best").scopes


def test_a_scope_of_all_kinds_leaves_a_filter_as_it_is() -> None:
    where = build({"kind": "code", "lang": "go"})

    assert where_of(ALL_KINDS, where) == where


@pytest.mark.parametrize(
    ("scope", "kinds"),
    [(CODE, ["code", "file"]), (PROSE, ["doc", "note", "task", "skill"]), (RECORDS, ["record"])],
)
def test_a_scope_asks_for_its_kinds(scope: Scope, kinds: list[str]) -> None:
    assert where_of(scope, EVERYTHING) == build({"kind": kinds})


def test_a_scope_none_of_whose_kinds_is_asked_for_is_left_out() -> None:
    assert where_of(PROSE, build({"kind": ["code", "record"]})) is None
    assert where_of(CODE, build({"kind": []})) is None
    assert where_of(CODE, build({"kind": ["code", "doc"]})) == build(
        {"kind": ["code", "doc"]}
    ) & build({"kind": "code"})


@pytest.mark.parametrize("kinds", [{}, {"kind": ["record", "code"]}, {"kind": ["record"]}])
def test_g64_records_are_held_to_every_filter_unless_their_mode_is_asked_for(
    kinds: Mapping[str, list[str]],
) -> None:
    asked: Filter = build({"lang": "go"}) & build(kinds)

    assert where_of(RECORDS, asked) == asked & build({"kind": "record"})
