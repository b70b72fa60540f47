"""Where a search is -> whoever listens: a door that measures, or ends what nobody waits for.

A listener hears the name of each stage as it begins, in the thread that asked for it, and may
raise to end the work there. Without one, entering a stage costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have `listener` hear the stages of all that is done inside, in this thread."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def enter(stage: str) -> None:
    """Say that a stage begins. Raises what the listener raises."""
    heard = _listener.get()
    if heard is not None:
        heard(stage)
