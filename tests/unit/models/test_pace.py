"""Headers of many services become one answer: how long to wait."""

from __future__ import annotations

import time

import pytest

from trivium.models.pace import Pace, retry_after_s


def limits(kind: str, left: object, reset: str) -> dict[str, str]:
    return {f"x-ratelimit-remaining-{kind}": str(left), f"x-ratelimit-reset-{kind}": reset}


@pytest.fixture
def now() -> list[float]:
    return [100.0]


@pytest.fixture
def pace(now: list[float]) -> Pace:
    return Pace(clock=lambda: now[0])


def test_a_service_that_says_nothing_is_not_waited_for(pace: Pace) -> None:
    pace.note({})
    assert pace.wait_s(tokens=10**9) == 0.0


def test_no_request_left_means_waiting_for_new_ones(pace: Pace, now: list[float]) -> None:
    pace.note(limits("requests", 0, "1m30s"))
    assert pace.wait_s(tokens=0) == pytest.approx(90)
    now[0] += 60
    assert pace.wait_s(tokens=0) == pytest.approx(30)
    now[0] += 60
    assert pace.wait_s(tokens=0) == 0.0


def test_tokens_are_waited_for_only_if_the_request_needs_more(pace: Pace) -> None:
    pace.note(limits("tokens", 500, "20ms"))
    assert pace.wait_s(tokens=500) == 0.0
    assert pace.wait_s(tokens=501) == pytest.approx(0.02)


def test_the_longer_of_two_waits_counts(pace: Pace) -> None:
    pace.note({**limits("requests", 0, "2s"), **limits("tokens", 0, "7s")})
    assert pace.wait_s(tokens=1) == pytest.approx(7)


def test_a_later_answer_replaces_an_earlier_one(pace: Pace) -> None:
    pace.note(limits("requests", 0, "1h"))
    pace.note(limits("requests", 59, "1h"))
    assert pace.wait_s(tokens=1) == 0.0


@pytest.mark.parametrize("reset", ["", "soon", "nan", "inf", "5x", "1s later", "s", "9" * 400])
def test_a_time_that_cannot_be_read_is_no_wait(pace: Pace, reset: str) -> None:
    pace.note(limits("requests", 0, reset))
    assert pace.wait_s(tokens=1) == 0.0


def test_plain_numbers_are_seconds_or_a_moment_of_the_clock(pace: Pace) -> None:
    pace.note(limits("requests", 0, "12"))
    assert pace.wait_s(tokens=1) == pytest.approx(12)
    pace.note(limits("requests", 0, str(time.time() + 30)))
    assert 0 < pace.wait_s(tokens=1) <= 30


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "whenever"}, None),
        (limits("requests", 0, "6m0s"), 360.0),
        ({**limits("requests", 0, "1s"), **limits("tokens", 0, "4s")}, 4.0),
        # What is left has not stopped this request: the wait is ours to choose.
        (limits("tokens", 10, "4s"), None),
        (limits("requests", 0, "?"), None),
    ],
)
def test_a_busy_service_says_when_to_come_back(
    headers: dict[str, str], expected: float | None
) -> None:
    assert retry_after_s(headers) == expected
