"""What a person sees: progress on stderr, colours where there is a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

import click

_STYLES: dict[str, dict[str, object]] = {
    "place": {"fg": "green"},
    "name": {"bold": True},
    "mark": {"fg": "yellow", "bold": True},
    "dim": {"dim": True},
}
_WIDTH = 28
_EVERY_S = 0.1


def styled(text: str, style: str) -> str:
    """Return `text` in a style; click drops it where stdout is no terminal."""
    return click.style(text, **_STYLES[style])  # type: ignore[arg-type]


class Progress:
    """A bar on stderr while something long runs; silent in a pipe."""

    def __init__(self) -> None:
        self._shows = sys.stderr.isatty()
        self._drawn_at = 0.0
        self._began: dict[str, float] = {}
        self._is_drawn = False

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Draw the bar, at most ten times a second."""
        now = time.monotonic()
        began = self._began.setdefault(stage, now)
        if not self._shows or not total or (now - self._drawn_at < _EVERY_S and done < total):
            return
        self._drawn_at = now
        filled = _WIDTH * done // total
        left = (now - began) * (total - done) / done if done else 0.0
        bar = "█" * filled + "░" * (_WIDTH - filled)
        sys.stderr.write(f"\r\x1b[2K{stage:<10} {bar} {done:,}/{total:,} {_clock(left)}")
        sys.stderr.flush()
        self._is_drawn = True

    def __enter__(self) -> Self:
        """Start."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wipe the bar."""
        if self._is_drawn:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def _clock(seconds: float) -> str:
    if seconds < 1:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02} left" if minutes else f"{rest} s left"


def say(text: str) -> None:
    """Tell the person something that is not the answer."""
    click.echo(text, err=True)
