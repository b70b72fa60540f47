"""The folders a server was started with -> a collection that is ready enough to be asked.

Nothing of the engine is imported before the first call. That call waits for the folder to be
gone through, but not for long: then what is there answers, and says so. Called by the server.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trivium.errors import NotFound

if TYPE_CHECKING:
    from trivium.doors.hosting import Hosting
    from trivium.doors.upkeep import Going, Upkeep

# Done in percent, and what is being done.
Notice = Callable[[float, str], None]

PATIENCE_S = 5.0
_LOOK_S = 0.05
# Reading a file takes longer than embedding its text with the instant model.
_READ_PERCENT = 80
_ALL = 100


@dataclass(frozen=True, slots=True)
class Desk:
    """The collections of a server, and how long those who call first wait for one.

    The time is counted from the first call of all, so that many do not wait one after another.
    """

    hosting: Hosting
    patience_s: float = PATIENCE_S
    _asked_at: dict[str, float] = field(default_factory=dict)

    def ready(
        self, name: str | None, *, only: str | None = None, waits: bool = True, notice: Notice
    ) -> Upkeep:
        """Return a collection, gone through once or as far as patience allows.

        `only` is the one collection that a connection is for. Raises NotFound for others.
        """
        if only is not None and name not in (None, only):
            raise NotFound(f"No collection {name!r} here. This connection is for {only!r}.")
        upkeep = self.hosting.upkeep(only if name is None else name)
        upkeep.start()
        if waits:
            self._wait(upkeep, notice)
        return upkeep

    def names(self, *, only: str | None) -> tuple[str, ...]:
        """Return the collections that a connection may ask."""
        return self.hosting.names if only is None else (only,)

    def holder(self, first: Upkeep, wanted: str, *, only: str | None) -> Upkeep:
        """Return the collection that has a node; the others are not waited for. See `finding`."""
        from trivium.doors import finding

        def others() -> Iterator[Upkeep]:
            for name in self.names(only=only):
                if name != first.name:
                    yield self.hosting.upkeep(name)

        return finding.holder(first, others, wanted)

    def chosen(self, given: str | None, *, only: str | None) -> tuple[str | None, ...]:
        """Return the collections that are named, of those that a connection may ask."""
        if given is None or only is not None:
            return (only if given in ("*", "all") else given,)
        return self.hosting.chosen([given])

    def _wait(self, upkeep: Upkeep, notice: Notice) -> None:
        if upkeep.is_ready:
            return
        until = self._asked_at.setdefault(upkeep.name, time.monotonic()) + self.patience_s
        last = 0.0
        notice(last, "looking for files")
        while not upkeep.wait(min(_LOOK_S, self.patience_s)):
            going = upkeep.going
            if going is not None and percent(going) > last:
                last = percent(going)
                notice(last, f"{going.stage}: {going.done:,} of {going.total:,}")
            if time.monotonic() >= until:
                return
        notice(float(_ALL), "the folder is indexed")


def percent(going: Going) -> float:
    """Return how much of a first sync is done; never less than in the stage before."""
    if going.stage == "listing" or not going.total:
        return 0.0
    share = min(1.0, going.done / going.total)
    if going.stage == "reading":
        return round(_READ_PERCENT * share, 1)
    return round(_READ_PERCENT + (_ALL - _READ_PERCENT) * share, 1)
