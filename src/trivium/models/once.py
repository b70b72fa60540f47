"""Something slow to make -> the same thing made once, whichever thread asks first."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Once(Generic[Made]):
    """Makes a value at the first call and returns it ever after; one that fails is tried again."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._lock = Lock()
        self._made: tuple[Made] | None = None

    def __call__(self) -> Made:
        """Return the value."""
        made = self._made
        if made is None:
            with self._lock:
                made = self._made
                if made is None:
                    made = self._made = (self._make(),)
        return made[0]
