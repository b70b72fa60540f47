from __future__ import annotations

import asyncio

from starlette.types import Receive, Scope, Send

from trivium.doors.http.life import Life


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def nothing(scope: Scope, receive: Receive, send: Send) -> None:
    del scope, receive, send


async def never() -> dict[str, object]:
    return {}


async def unsent(message: object) -> None:
    del message


def test_a_server_is_over_when_nobody_has_asked_for_so_long() -> None:
    clock = Clock()
    life = Life(nothing, idle_s=10, clock=clock)

    clock.now += 9
    assert not life.is_over
    asyncio.run(life({"type": "http"}, never, unsent))
    clock.now += 9
    assert not life.is_over
    clock.now += 1
    assert life.is_over


def test_a_server_is_not_over_while_a_request_is_under_way() -> None:
    clock = Clock()
    seen = []

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive, send
        clock.now += 60
        seen.append(life.is_over)

    life = Life(slow, idle_s=10, clock=clock)
    asyncio.run(life({"type": "http"}, never, unsent))

    assert seen == [False]


def test_without_a_limit_it_is_never_over() -> None:
    clock = Clock()
    life = Life(nothing, idle_s=None, clock=clock)

    clock.now += 1e9

    assert not life.is_over
