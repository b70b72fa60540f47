"""What HTTP says that went wrong, or is under way: no commands, and how far it is."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest
from tests.unit.doors.http.conftest import Send

from trivium.doors.hosting import Hosting
from trivium.doors.upkeep import Going
from trivium.types import Answer, Degraded


@pytest.mark.parametrize(
    "address",
    ["/api/nodes/nowhere", "/api/neighbors?id=nowhere", "/api/related?id=nowhere"],
)
def test_what_is_not_there_is_said_without_commands(send: Send, address: str) -> None:
    response = send("GET", address)

    assert response.status_code == 404
    assert "nowhere" in response.json()["error"]["message"]
    assert "trivium " not in response.text
    assert "--" not in response.text


def test_while_a_folder_is_indexed_an_answer_says_how_far_and_that_more_may_come(
    send: Send, shops: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    upkeep = shops.upkeep("shop")
    monkeypatch.setattr(upkeep, "_synced_at", None)
    monkeypatch.setattr(upkeep, "_going", Going("reading", 3, 1200))

    data = send("GET", "/api/search", params={"q": "zebra"}).json()

    assert data["degraded"][0] == {
        "stage": "sync",
        "reason": "The folder is being indexed (reading: 3 of 1,200); "
        "more may be found when that is done.",
    }


def test_a_model_that_is_not_done_is_said_to_go_on_not_to_be_run(
    send: Send, shops: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = shops.upkeep("shop").collection
    whole = collection.search

    def half(query: str, **options: object) -> Answer:
        said = "minilm has embedded 4% so far; run: trivium index /a/shop"
        answer = whole(query, **options)  # type: ignore[arg-type]
        return replace(answer, degraded=(Degraded("vectors", said),), notes=(said,))

    monkeypatch.setattr(collection, "search", half)

    data = send("GET", "/api/search", params={"q": "password"}).json()

    said = "minilm has embedded 4% so far; that goes on in the background"
    assert data["degraded"] == [{"stage": "vectors", "reason": said}]
    assert data["notes"] == [said]


def test_a_query_of_filters_alone_is_told_that_it_has_no_words(get: Send) -> None:
    data = get("/api/search", q="lang:python").json()

    assert data["results"] == []
    assert "the query has no words: give words to look for" in data["notes"]


def test_the_log_cuts_a_path_that_is_no_address_of_ours(
    send: Send, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="trivium.doors.http.access")

    send("GET", f"/{'a' * 50_000}")
    send("GET", f"/{'é' * 5_000}")

    lines = [one.getMessage() for one in caplog.records if one.name.endswith("access")]
    assert len(lines) == 2
    assert [line.split()[2].endswith("...") for line in lines] == [True, True]
    assert all(len(line.split()[2]) == 200 + len("...") for line in lines)
