"""One state of a space -> the rows nearest to a query, and the vectors of chunks.

Made by a snapshot of what SpaceFolder.load returned. Few rows that a filter allows are picked
out; of a base in lists the nearest are looked at; all else is scanned whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trivium.backends.embedded.lists import Gate, Lists, probe
from trivium.backends.embedded.scan import (
    Rows,
    Scan,
    empty_rows,
    exact_cosines,
    joined,
    nearest,
    positions,
    scan,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

# Below this share of allowed rows, picking them out beats scanning past the others.
_GATHER_SHARE = 0.05
_FEWER = 4
# Whoever asks for more than this share has to look at most lists.
_PROBE_SHARE = 0.03


class SpaceReader:
    """Searches one pinned state of a space."""

    def __init__(
        self, base: Rows, delta: Rows, dead: NDArray[np.int64], lists: Lists | None = None
    ) -> None:
        self._base = base
        self._delta = delta
        self._dead = dead
        self._lists = lists
        self._scans: tuple[bytes, dict[int, Scan]] = (b"", {})

    @property
    def dimension(self) -> int:
        """How long a vector is."""
        return int(self._base.matrix.shape[1])

    @property
    def count(self) -> int:
        """How many chunks have a vector here."""
        return sum(len(part.ascending) for part in self._parts()) - len(self._dead)

    def best(
        self, vector: NDArray[np.float32], *, limit: int, allowed: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the numbers and cosines of the best rows and all that tie with the last.

        `allowed` are sorted chunk numbers, or None for all. Of a base in lists, the best are
        those of the lists that were looked at.
        """
        import numpy as np

        numbers: list[NDArray[np.int64]] = []
        cosines: list[NDArray[np.float64]] = []
        scans, parts = self._scans_of(vector), self._parts()
        is_few = allowed is not None and len(allowed) < _GATHER_SHARE * self.count
        floor = -np.inf
        for number, part in enumerate(parts):
            found = part.nearest(
                vector, limit=limit, allowed=allowed, is_few=is_few, scans=scans, number=number
            )
            if number in scans:
                # What an estimate puts this far below the best before it is none of the best.
                found = found[scans[number].estimate[found] >= floor - scans[number].off]
            numbers.append(part.rows.numbers[found])
            cosines.append(exact_cosines(part.rows, found, vector))
            if 0 < limit <= len(found):
                floor = max(floor, float(np.partition(cosines[-1], -limit)[-limit]))
        if not numbers:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        every, scores = np.concatenate(numbers), np.concatenate(cosines)
        if len(scores) > limit:
            cut = np.partition(scores, -limit)[-limit]
            kept = scores >= cut
            every, scores = every[kept], scores[kept]
        return every, scores

    def _scans_of(self, vector: NDArray[np.float32]) -> dict[int, Scan]:
        """Return the passes that were made for a query: it asks again under other filters."""
        asked = vector.tobytes()
        if self._scans[0] != asked:
            self._scans = (asked, {})
        return self._scans[1]

    def _parts(self) -> list[_Part]:
        """Return the parts that hold rows."""
        import numpy as np

        nothing = np.empty(0, np.int64)
        parts = (
            _Part(self._base, self._dead, self._lists),
            _Part(self._delta, nothing, None),
        )
        return [part for part in parts if len(part.rows.numbers)]

    def sample(self, most: int) -> Rows:
        """Return about `most` rows that have a direction, evenly spread; all where they are few.

        They are the same however the rows lie: in a base or a delta, in lists or in the store.
        """
        import numpy as np

        parts = self._parts()
        found = [empty_rows(self.dimension)]
        # Each part ascends: merging them takes a fraction of what finding the unique ones does.
        every = np.sort(
            np.concatenate([found[0].numbers, *(one.ascending for one in parts)]), kind="stable"
        )
        every = every[np.diff(every, prepend=-1) > 0]
        # Whole numbers only: so each step lies inside, whatever the lengths.
        taken = min(len(every), most)
        wanted = every[np.arange(taken) * len(every) // max(1, taken)]
        found += [part.rows.at(part.living(part.positions(wanted))) for part in parts]
        return joined(found)

    def of(self, vector: NDArray[np.float32], wanted: NDArray[np.int64]) -> dict[int, float]:
        """Return the cosines of exactly these chunk numbers, where they have a vector.

        They must ascend, without repeats.
        """
        scores: dict[int, float] = {}
        for rows, found in self._those(wanted):
            cosines = exact_cosines(rows, found, vector)
            scores.update(zip(rows.numbers[found].tolist(), cosines.tolist(), strict=True))
        return scores

    def kept(self, wanted: NDArray[np.int64]) -> dict[int, NDArray[np.float32]]:
        """Return the vectors of exactly these chunk numbers, where they have one."""
        import numpy as np

        vectors: dict[int, NDArray[np.float32]] = {}
        for rows, found in self._those(wanted):
            made = rows.matrix[found].astype(np.float32) * rows.scales[found][:, np.newaxis]
            vectors.update(zip(rows.numbers[found].tolist(), made, strict=True))
        return vectors

    def _those(self, wanted: NDArray[np.int64]) -> Iterator[tuple[Rows, NDArray[np.int64]]]:
        """Yield where the living rows of these chunk numbers stand that are not of zeros."""
        for part in self._parts():
            yield part.rows, part.living(part.positions(wanted))


class _Part(NamedTuple):
    """The base or the delta: rows, the numbers that are dead in it, and the lists it lies in."""

    rows: Rows
    dead: NDArray[np.int64]
    lists: Lists | None

    @property
    def ascending(self) -> NDArray[np.int64]:
        """The numbers of chunks that have a row, dead ones among them."""
        return self.rows.numbers if self.lists is None else self.lists.ascending

    def positions(self, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where these chunk numbers stand, which ascend."""
        if self.lists is None:
            return positions(self.rows.numbers, wanted)
        return self.lists.positions(wanted)

    def living(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of these places whose row is not dead, and not of zeros."""
        import numpy as np

        if len(self.dead):
            at = at[~np.isin(self.rows.numbers[at], self.dead)]
        return at[self.rows.scales[at] > 0]

    def nearest(
        self,
        vector: NDArray[np.float32],
        *,
        limit: int,
        allowed: NDArray[np.int64] | None,
        is_few: bool,
        scans: dict[int, Scan],
        number: int,
    ) -> NDArray[np.int64]:
        """Return positions that include the `limit` nearest rows; in lists, most of them.

        Where few are `allowed`, these alone are looked at. A pass over all rows is kept among
        `scans` under the part's `number`.
        """
        import numpy as np

        rows, lists, count = self.rows, self.lists, len(self.rows.numbers)
        if allowed is not None and is_few:
            at = self.living(self.positions(allowed))
            return at[nearest(scan(rows.at(at), vector), limit=limit, mask=None)] if len(at) else at
        if lists is not None and lists.count and limit < _PROBE_SHARE * count:
            gate = Gate.of(lists.ascending, allowed, self.dead)
            return probe(rows, lists, vector, limit=limit, gate=gate)
        mask = None
        if allowed is not None:
            mask = _among(rows.numbers, allowed)
        if len(self.dead):
            alive = ~np.isin(rows.numbers, self.dead, assume_unique=True)
            mask = alive if mask is None else mask & alive
        if number not in scans:
            scans[number] = scan(rows, vector)
        return nearest(scans[number], limit=limit, mask=mask)


def _among(numbers: NDArray[np.int64], allowed: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say which numbers are among the allowed, which ascend."""
    import numpy as np

    if len(numbers) * _FEWER < len(allowed):
        # To look up a few takes a tenth of the time of a table of all that are allowed.
        at = np.minimum(np.searchsorted(allowed, numbers), len(allowed) - 1)
        found: NDArray[np.bool_] = allowed[at] == numbers
        return found
    return np.isin(numbers, allowed, assume_unique=True)
