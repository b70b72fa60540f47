"""What a service says in its headers -> how long to wait before the next request.

Knows Retry-After and the x-ratelimit headers, which say how many requests and tokens are left and
when there are new ones. Whoever waits sets the limit; nothing here sleeps. Held by the service.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from threading import Lock

_LIMITS = ("requests", "tokens")
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

# Some services give the moment instead of the time until then.
_FIRST_MOMENT = 1e9


class Pace:
    """Remembers what is left of a service's limits; may be asked from any thread."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        # Limit -> how many are left, and when there are new ones.
        self._left: dict[str, tuple[float, float]] = {}

    def note(self, headers: Mapping[str, str]) -> None:
        """Remember what an answer says of the limits; `headers` have small names."""
        for limit in _LIMITS:
            left = _number(headers.get(f"x-ratelimit-remaining-{limit}"))
            reset_s = _duration_s(headers.get(f"x-ratelimit-reset-{limit}"))
            if left is not None and reset_s is not None:
                with self._lock:
                    self._left[limit] = (left, self._clock() + reset_s)

    def wait_s(self, *, tokens: int) -> float:
        """Return how long to wait before a request of about this many tokens."""
        needed = {"requests": 1, "tokens": tokens}
        with self._lock:
            ready = [at for limit, (left, at) in self._left.items() if left < needed[limit]]
        return max(0.0, max(ready, default=0.0) - self._clock())


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a busy service asks for; None if it does not, or not readably."""
    exact = _number(headers.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    asked = headers.get("retry-after")
    if asked is not None:
        return _seconds_or_date(asked)
    used_up = [
        reset_s
        for limit in _LIMITS
        if _number(headers.get(f"x-ratelimit-remaining-{limit}")) == 0
        and (reset_s := _duration_s(headers.get(f"x-ratelimit-reset-{limit}"))) is not None
    ]
    return max(used_up, default=None)


def _seconds_or_date(text: str) -> float | None:
    seconds = _number(text)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _duration_s(text: str | None) -> float | None:
    """Return the seconds of `1m30s`, `20ms`, plain seconds, or a moment of the clock."""
    seconds = _number(text)
    if seconds is not None:
        return seconds if seconds < _FIRST_MOMENT else max(0.0, seconds - time.time())
    parts = _DURATION.findall(text or "")
    if not parts or "".join(f"{amount}{unit}" for amount, unit in parts) != text:
        return None
    return sum(float(amount) * _SECONDS[unit] for amount, unit in parts)


def _number(text: str | None) -> float | None:
    """Return a number of at least 0, or None; a service may send anything."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return max(0.0, value) if math.isfinite(value) else None
