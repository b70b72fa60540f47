"""What a page shows of a query: its headings, its path, and that settings are not pages."""

from __future__ import annotations

import pytest

from trivium.ranking.features import PAGE_SIGNS, wanted

SECRETS = "doc:docs/secrets.md#What is masked/Keys in the clear"


def value(key: str, query: str, node: str) -> float:
    return PAGE_SIGNS[key][0](wanted(query), node)


def test_words_count_in_the_path_and_in_every_heading() -> None:
    assert value("headings", "secrets masked clear passwords", SECRETS) == pytest.approx(3 / 4)


@pytest.mark.parametrize("query", ["", "how is the", "?!"])
def test_a_query_without_words_says_nothing_of_headings(query: str) -> None:
    assert value("headings", query, SECRETS) == 0.0


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (SECRETS, 0.0),
        ("note:2024-release", 0.0),
        ("skill:deploy", 0.0),
        ("file:CMakeLists.txt", -1.0),
        ("record:tools.json#3", -1.0),
    ],
)
def test_settings_and_data_are_told_from_pages(node: str, expected: float) -> None:
    assert value("data", "anything", node) == expected
