from __future__ import annotations

import pytest

from trivium.doors.cli.reaching import kept_by
from trivium.errors import UsageError


def test_a_command_that_says_nothing_of_a_cluster_sets_nothing() -> None:
    assert kept_by({}, name=None, under=None) == {}


def test_a_collection_of_a_cluster_may_be_fed_below_a_place_of_its_own() -> None:
    assert kept_by({"backend.urls": ("http://one:9200",)}, name="work", under="docs") == {
        "backend.kind": "opensearch",
        "backend.collection": "work",
        "backend.urls": ("http://one:9200",),
        "backend.under": "docs",
    }


@pytest.mark.parametrize("under", ["../docs", "/docs", "docs/"])
def test_a_place_that_cannot_be_is_said_before_a_cluster_is_asked(under: str) -> None:
    with pytest.raises(UsageError, match=r"backend\.under"):
        kept_by({}, name="work", under=under)


def test_an_address_or_a_place_without_a_collection_is_refused() -> None:
    with pytest.raises(UsageError, match="--collection"):
        kept_by({"backend.urls": ("http://one:9200",)}, name=None, under=None)
    with pytest.raises(UsageError, match="--collection"):
        kept_by({}, name=None, under="docs")
