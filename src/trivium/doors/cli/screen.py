"""What a person sees: answers on stdout, the rest on stderr, colours where there is a terminal.

Every text that may come from a file, its name or its headings is made printable here, so
that none of it can steer the terminal. Called by every command.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn, Self

import click

from trivium.results import present
from trivium.results.present import printable

if TYPE_CHECKING:
    from trivium.results.present import Place
    from trivium.types import Answer

FOUND, NOTHING_FOUND, FAILED, INTERRUPTED = 0, 1, 2, 130

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")

_STYLES: dict[str, dict[str, object]] = {
    "place": {"fg": "green"},
    "name": {"bold": True},
    "mark": {"fg": "yellow", "bold": True},
    "dim": {"dim": True},
}
_WIDTH = 28
_EVERY_S = 0.1
# What was read or embedded is published next, and nobody counts that.
_SAVED_AFTER = ("reading", "embedding")
# JSON escapes the rest itself: control characters above ASCII, turned text, half pairs.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def styled(text: str, style: str) -> str:
    """Return `text` in a style; click drops it where stdout is no terminal."""
    return click.style(text, **_STYLES[style])  # type: ignore[arg-type]


def show(text: str) -> None:
    """Print an answer, or a part of it."""
    click.echo(printable(text))


def show_json(data: object) -> None:
    """Print an answer as one JSON document."""
    import json

    text = json.dumps(data, ensure_ascii=False, indent=2)
    click.echo(_UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", text))


def say(text: str, *, dim: bool = False) -> None:
    """Tell the person something that is not the answer."""
    click.echo(click.style(printable(text), dim=True) if dim else printable(text), err=True)


def show_answer(
    answer: Answer, place: Place, *, as_json: bool, explain: bool = False, more: Sequence[str] = ()
) -> NoReturn:
    """Print hits, say how they were found and what `more` there is to say, and end the command."""
    if as_json:
        show_json(present.as_data(answer))
    else:
        if answer.results:
            click.echo(present.as_text(answer, style=styled, explain=explain, place=place))
        else:
            say("Nothing found.")
        for line in [*present.footer(answer, explain=explain), *more]:
            say(line, dim=True)
    raise click.exceptions.Exit(FOUND if answer.results else NOTHING_FOUND)


def log_to_stderr() -> None:
    """Write what Trivium logs to stderr; other libraries stay silent."""
    import logging

    class Printable(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return printable(super().format(record))

    handler = logging.StreamHandler()
    handler.setFormatter(Printable("%(name)s: %(message)s"))
    log = logging.getLogger("trivium")
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)


class Progress:
    """A bar on stderr while something long runs; silent in a pipe."""

    def __init__(self, doing: str = "") -> None:
        self._doing = doing
        self._shows = sys.stderr.isatty()
        self._drawn_at = 0.0
        self._began: dict[str, float] = {}
        self._is_drawn = False

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Draw the bar, at most ten times a second."""
        now = time.monotonic()
        began = self._began.setdefault(stage, now)
        if not total or (now - self._drawn_at < _EVERY_S and done < total):
            return
        self._drawn_at = now
        filled = _WIDTH * done // total
        took = now - began
        left = took * (total - done) / done if done else 0.0
        rate = f"{done / took:,.0f}/s " if took >= 1 else ""
        bar = "█" * filled + "░" * (_WIDTH - filled)
        self._draw(f"{stage:<10} {bar} {done:,}/{total:,} {rate}{_clock(left)}")
        if done >= total and stage in _SAVED_AFTER:
            self._draw("saving")

    def say(self, text: str) -> None:
        """Tell the person something, where the bar is drawn otherwise."""
        self._draw("")
        say(text)

    def _draw(self, line: str) -> None:
        if self._shows:
            sys.stderr.write(f"\r\x1b[2K{line}")
            sys.stderr.flush()
            self._is_drawn = True

    def __enter__(self) -> Self:
        """Start, with a line on what is done before there is anything to count."""
        if self._doing:
            self._draw(self._doing)
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
