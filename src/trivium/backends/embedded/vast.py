"""A space of very many vectors -> its base in lists, made while others search and write.

Searches scan what is in no list whole, so nothing waits for this and nothing is missed. The
writer lock is held only to put the new base in place of the one it was made from. Called by
the backend.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple

from trivium.backends.embedded.lists import Lists, arranged, assign, train
from trivium.backends.embedded.scan import Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trivium.backends.embedded.vectors import Loaded, SpaceFolder

log = logging.getLogger(__name__)

# A scan of 200,000 rows takes some 4 ms of processor time, as much as all else a query does.
_VAST = 200_000
# Rows beside the lists, new and dead, that make them worth writing anew: the tail then costs
# as much as the lists that a query looks at.
_TAIL_SHARE = 0.1
# Centres are found anew once there are so many times the rows they were found for.
_GROWN = 2.0
_ROWS_AT_ONCE = 65_536

Progress = Callable[[int, int], None]
Locked = Callable[[], AbstractContextManager[None]]


def may_be_due(folder: SpaceFolder) -> bool:
    """Say whether `arrange` may have anything to do; opens no vectors and takes no turn."""
    state = folder.state()
    return folder.is_being_made or (state is not None and state.rows >= _VAST)


def is_due(loaded: Loaded) -> bool:
    """Say whether the base of a space should be put into lists, for the first time or anew."""
    # Rows of zeros alone, as a service gives that cannot embed now, have no centres.
    if loaded.state.rows < _VAST or not loaded.base.scales.any():
        return False
    if loaded.lists is None or not loaded.lists.count:
        return True
    return len(loaded.delta.numbers) + len(loaded.dead) > _TAIL_SHARE * len(loaded.base.numbers)


def arrange(folder: SpaceFolder, *, locked: Locked, progress: Progress) -> bool:
    """Put a space into lists if that is due; return whether it was done.

    `locked` holds the writer lock. One whose base another has written anew meanwhile is left
    as it is, until the next time.
    """
    # What a process that was killed left may be as large as the index.
    folder.clear()
    loaded = folder.load()
    if loaded is None or not is_due(loaded):
        return False
    made = _make(loaded, progress=progress)
    try:
        folder.prepare(made.parts(), made.lists)
        with locked():
            now = folder.load()
            if now is None or now.state.base != loaded.state.base:
                log.info("the vectors were written anew meanwhile; lists are made the next time")
                return False
            delta, dead = since(loaded, now)
            folder.adopt(now=now.state, delta=delta, dead=dead, lists=made.lists)
    finally:
        folder.clear()
    return True


class _Made(NamedTuple):
    """Rows that lived when it began, in the order they are written in, and their lists."""

    base: Rows
    delta: Rows
    places: NDArray[np.int64]
    lists: Lists

    def parts(self) -> Iterator[Rows]:
        """Yield the rows some at a time: all at once would double the memory of a process."""
        import numpy as np

        split = len(self.base.numbers)
        for start in range(0, len(self.places), _ROWS_AT_ONCE):
            places = self.places[start : start + _ROWS_AT_ONCE]
            of_base, of_delta = places < split, places >= split
            part = self.base.at(np.where(of_base, places, 0)) if split else None
            newer = self.delta.at(places[of_delta] - split)
            if part is None:
                yield newer
                continue
            part.numbers[of_delta] = newer.numbers
            part.scales[of_delta] = newer.scales
            part.matrix[of_delta] = newer.matrix
            yield part


def _make(loaded: Loaded, *, progress: Progress) -> _Made:
    """Return the living rows of a state in lists; places count on from the base into the delta."""
    import numpy as np

    _, base, delta, dead, before = loaded
    living = np.flatnonzero((base.numbers >= 0) & ~np.isin(base.numbers, dead))
    places = np.concatenate([living, len(base.numbers) + np.arange(len(delta.numbers))])
    numbers = np.concatenate([base.numbers[living], delta.numbers])
    if before is not None and before.count and _still_fits(before, len(places)):
        centres, trained = before.centres, before.trained
        of_base = _lists_of(before)[living]
    else:
        centres, trained = train(base, progress=progress), len(places)
        of_base = assign(base.matrix, centres, progress=progress)[living]
    lists = np.concatenate([of_base, assign(delta.matrix, centres)])
    written, made = arranged(numbers, lists, centres, trained=trained)
    return _Made(base, delta, places[written], made)


def _still_fits(lists: Lists, rows: int) -> bool:
    """Say whether centres that were found for fewer rows, or for more, do for so many."""
    return lists.trained / _GROWN <= rows < lists.trained * _GROWN


def _lists_of(lists: Lists) -> NDArray[np.int32]:
    """Return the list of each row of a base."""
    import numpy as np

    return np.repeat(np.arange(lists.count, dtype=np.int32), np.diff(lists.starts))


def since(before: Loaded, now: Loaded) -> tuple[Rows, NDArray[np.int64]]:
    """Return the delta and the dead beside a base that holds all that lived `before`.

    Both states are of the same base.
    """
    import numpy as np

    place = np.searchsorted(before.delta.numbers, now.delta.numbers)
    place = np.minimum(place, max(0, len(before.delta.numbers) - 1))
    is_same = np.zeros(len(now.delta.numbers), np.bool_)
    if len(before.delta.numbers):
        # A vector that was put anew has the number of the one before it.
        is_same = before.delta.numbers[place] == now.delta.numbers
        is_same &= before.delta.scales[place] == now.delta.scales
        is_same &= (before.delta.matrix[place] == now.delta.matrix).all(axis=1)
    delta = now.delta.keep(~is_same)
    gone_from_delta = np.setdiff1d(before.delta.numbers, now.delta.numbers[is_same])
    gone_from_base = np.setdiff1d(now.dead, before.dead)
    return delta, np.union1d(gone_from_base, gone_from_delta)
