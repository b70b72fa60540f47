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


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        ({"lang": "go", "type": "function"}, {}),
        ({"file": "rows", "ext": "csv", "lang": "go"}, {"file": "rows", "ext": "csv"}),
        ({"domain": "shop", "tag": "red", "type": "class"}, {"domain": "shop", "tag": "red"}),
    ],
)
def test_g64_what_only_code_has_does_not_count_where_records_alone_are_asked_for(
    filters: Mapping[str, str], kept: Mapping[str, str]
) -> None:
    found = where_of(RECORDS, build({**filters, "kind": "record"}))

    assert found == build({**kept, "kind": "record"})


@pytest.mark.parametrize("kinds", [{}, {"kind": ["record", "code"]}])
def test_g64_beside_other_kinds_records_are_held_to_every_filter(
    kinds: Mapping[str, list[str]],
) -> None:
    asked: Filter = build({"lang": "go"}) & build(kinds)

    assert where_of(RECORDS, asked) == asked & build({"kind": "record"})
