from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from trivium import stages
from trivium.doors.hosting import Hosting
from trivium.doors.mcp.desk import Desk
from trivium.doors.mcp.server import Scope, Service


@pytest.fixture
def service(tmp_path: Path) -> Service:
    return Service(Desk(Hosting([tmp_path])), scope_of=lambda _: Scope())


def test_work_that_was_cancelled_ends_where_its_next_stage_begins(service: Service) -> None:
    has_begun, may_go_on, has_ended = threading.Event(), threading.Event(), threading.Event()
    reached: list[str] = []

    def work() -> None:
        try:
            stages.enter("first")
            reached.append("first")
            has_begun.set()
            assert may_go_on.wait(60)
            stages.enter("second")
            reached.append("second")
        finally:
            has_ended.set()

    async def cancelled() -> None:
        task = asyncio.create_task(service._in_worker(work))
        await asyncio.to_thread(has_begun.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        may_go_on.set()

    asyncio.run(cancelled())
    service.close()

    assert has_ended.is_set()
    assert reached == ["first"]


def test_work_that_is_waited_for_is_done_whole(service: Service) -> None:
    def work() -> str:
        stages.enter("first")
        return "done"

    assert asyncio.run(service._in_worker(work)) == "done"
    service.close()
