"""Failures in a row -> a while in which nobody asks: see Breaker. Used by the client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from trivium.errors import BackendTimeout, BackendUnavailable

_MOST_FAILURES = 5
_LEFT_ALONE_S = 5.0


class Breaker:
    """Keeps a cluster that does not answer from being asked, for a while.

    Whoever searches then hears at once that it is down, and does not wait for it each time. After
    the while one request tries; if it fails, too, the next while begins.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._until = 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Let a request through, or raise BackendUnavailable; remember how it went."""
        left_s = self._until - self._clock()
        if self._failures >= _MOST_FAILURES and left_s > 0:
            raise BackendUnavailable(
                f"The cluster did not answer {self._failures} times in a row and is left alone "
                f"for {left_s:.0f} s. See that it runs.",
                retry_after_s=left_s,
            )
        try:
            yield
        except (BackendTimeout, BackendUnavailable):
            self._failures += 1
            self._until = self._clock() + _LEFT_ALONE_S
            raise
        self._failures = 0
