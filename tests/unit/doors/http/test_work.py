"""Calls that block: how many at once, how long, and for whom."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import Callable

import pytest
from starlette.requests import Request
from starlette.types import Message

from trivium import stages
from trivium.doors.failures import ServerBusy, TimeIsUp
from trivium.doors.http.balance import balance
from trivium.doors.http.work import WORKERS, ClientGone, Workers


def request(gone: asyncio.Event | None = None) -> Request:
    async def receive() -> Message:
        if gone is None:
            await asyncio.Event().wait()
        else:
            await gone.wait()
        return {"type": "http.disconnect"}

    return Request({"type": "http", "method": "GET", "headers": []}, receive)


def staged(reached: threading.Event, may_go_on: threading.Event) -> Callable[[], str]:
    """Work that waits in its first stage and would then go on to a second."""

    def work() -> str:
        stages.enter("first")
        reached.set()
        may_go_on.wait(60)
        stages.enter("second")
        ended.append("second")
        return "done"

    ended: list[str] = []
    work.ended = ended  # type: ignore[attr-defined]
    return work


def test_a_call_returns_what_it_returns_and_its_stages_are_measured() -> None:
    measured: list[str] = []
    workers = Workers(timeout_s=60, measured=lambda stage, _: measured.append(stage))

    def work() -> int:
        stages.enter("one")
        stages.enter("two")
        return 3

    assert asyncio.run(workers.run(request(), work)) == 3
    assert measured == ["one", "two"]
    workers.close()


def test_work_whose_time_is_up_ends_at_its_next_stage() -> None:
    workers = Workers(timeout_s=0.01)
    reached, may_go_on = threading.Event(), threading.Event()
    work = staged(reached, may_go_on)

    with pytest.raises(TimeIsUp, match=r"0\.01 seconds"):
        asyncio.run(workers.run(request(), work))
    may_go_on.set()
    workers.close()

    assert work.ended == []  # type: ignore[attr-defined]
    assert workers.inside == {"running": 0, "waiting": 0}


def test_work_whose_client_has_gone_ends_at_its_next_stage() -> None:
    workers = Workers(timeout_s=60)
    reached, may_go_on = threading.Event(), threading.Event()
    work = staged(reached, may_go_on)

    async def leave() -> None:
        gone = asyncio.Event()
        asked = asyncio.ensure_future(workers.run(request(gone), work))
        await asyncio.to_thread(reached.wait, 60)
        gone.set()
        await asked

    with pytest.raises(ClientGone):
        asyncio.run(leave())
    may_go_on.set()
    workers.close()

    assert work.ended == []  # type: ignore[attr-defined]


def test_beyond_a_number_that_wait_requests_are_told_to_come_again() -> None:
    workers = Workers(timeout_s=60, most_waiting=2)
    may_go_on = threading.Event()

    async def ask() -> list[object]:
        asked = [
            asyncio.ensure_future(workers.run(request(), lambda: may_go_on.wait(60)))
            for _ in range(WORKERS + 5)
        ]
        await asyncio.sleep(0)
        assert workers.inside == {"running": WORKERS, "waiting": 2}
        may_go_on.set()
        return list(await asyncio.gather(*asked, return_exceptions=True))

    answers = asyncio.run(ask())

    assert answers[: WORKERS + 2] == [True] * (WORKERS + 2)
    assert [type(one) for one in answers[WORKERS + 2 :]] == [ServerBusy] * 3
    workers.close()
    assert workers.inside == {"running": 0, "waiting": 0}


def test_what_still_waits_when_its_client_goes_is_never_begun() -> None:
    workers = Workers(timeout_s=60)
    may_go_on, begun = threading.Event(), []

    async def ask() -> None:
        held = [
            asyncio.ensure_future(workers.run(request(), lambda: may_go_on.wait(60)))
            for _ in range(WORKERS)
        ]
        gone = asyncio.Event()
        late = asyncio.ensure_future(workers.run(request(gone), lambda: begun.append(1)))
        await asyncio.sleep(0)
        gone.set()
        with pytest.raises(ClientGone):
            await late
        may_go_on.set()
        await asyncio.gather(*held)

    asyncio.run(ask())
    workers.close()

    assert begun == []


def test_an_error_of_the_call_is_raised_as_it_was() -> None:
    workers = Workers(timeout_s=60)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(workers.run(request(), lambda: 1 // 0))
    workers.close()


def test_a_process_hands_over_its_turns_and_looks_for_garbage_less_often_than_python_does() -> None:
    before, thresholds = sys.getswitchinterval(), gc.get_threshold()
    try:
        balance()
        assert sys.getswitchinterval() > before
        assert gc.get_threshold()[0] > thresholds[0]
        assert gc.get_freeze_count() > 0
    finally:
        sys.setswitchinterval(before)
        gc.set_threshold(*thresholds)
        gc.unfreeze()
