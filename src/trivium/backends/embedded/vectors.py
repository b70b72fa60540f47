"""One vector space of a collection as files that are scanned whole.

A base file and a small delta, both memory-mapped: rows are int8 with one scale each.
`current.json` names them, the incarnation of the record, the batch (`seq`) and the last
stored vector they contain; files of another incarnation are not there.
The scan is exact: its int8 estimate has a known error, and all rows within that error
of the cut are scored again with whole-number arithmetic, so every machine agrees.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trivium.backends.embedded.aside import Replaced, write_aside
from trivium.backends.quantise import to_int8, to_int16

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

_MAGIC = b"TRVEC1\0\0"
_HEADER = struct.Struct("<8sqq")
_DELTA_SHARE = 0.1
_DELTA_LEAST = 2000
# Below this share of allowed rows, picking them out beats scanning past the others.
_GATHER_SHARE = 0.05
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class SpaceState:
    """What `current.json` says of a space."""

    seq: int
    last_vector: int
    dimension: int
    base: str
    base_rows: int
    delta: str
    rows: int
    incarnation: str = ""


def _state_of(data: bytes) -> SpaceState | None:
    try:
        return SpaceState(**json.loads(data))
    except (ValueError, TypeError):
        return None


class Rows(NamedTuple):
    """Chunk numbers (n), scales (n) and int8 rows (n, dimension)."""

    numbers: NDArray[np.int64]
    scales: NDArray[np.float32]
    matrix: NDArray[np.int8]

    def keep(self, mask: NDArray[np.bool_]) -> Rows:
        """Return the rows where `mask` holds."""
        return Rows(self.numbers[mask], self.scales[mask], self.matrix[mask])


class Loaded(NamedTuple):
    """A state of a space: its base and delta rows and the dead numbers of the base."""

    state: SpaceState
    base: Rows
    delta: Rows
    dead: NDArray[np.int64]


def empty_rows(dimension: int) -> Rows:
    """Return no rows."""
    import numpy as np

    return Rows(np.empty(0, np.int64), np.empty(0, np.float32), np.empty((0, dimension), np.int8))


def joined(parts: Sequence[Rows]) -> Rows:
    """Return the rows of all parts in the order of their numbers, each from the first part."""
    import numpy as np

    numbers, first = np.unique(np.concatenate([part.numbers for part in parts]), return_index=True)
    scales = np.concatenate([part.scales for part in parts])
    matrix = np.concatenate([part.matrix for part in parts])
    return Rows(numbers, scales[first], matrix[first])


def rows_of(found: Sequence[tuple[int, float, bytes]], dimension: int) -> Rows:
    """Return rows as they are kept in SQLite: number, scale, int8 bytes."""
    import numpy as np

    matrix = np.frombuffer(b"".join(blob for _, _, blob in found), np.int8)
    return Rows(
        np.array([number for number, _, _ in found], np.int64),
        np.array([scale for _, scale, _ in found], np.float32),
        matrix.reshape(-1, dimension),
    )


class SpaceFolder:
    """The files of one space: opened for reading, replaced by renaming."""

    def __init__(self, folder: Path, *, incarnation: str = "") -> None:
        self.folder = folder
        self.incarnation = incarnation
        self._open: Loaded | None = None
        self._current = Replaced(folder / "current.json", _state_of)

    @property
    def is_open(self) -> bool:
        """Whether its rows have been asked for."""
        return self._open is not None

    def state(self) -> SpaceState | None:
        """Read what is current; None if the space has not been made from this record."""
        try:
            state = self._current.now()
        except OSError:
            return None
        return state if state is not None and state.incarnation == self.incarnation else None

    def load(self) -> Loaded | None:
        """Return what is current. None where nothing is, or where it is damaged.

        The writer makes a damaged space anew; until then it is not there.
        """
        state = self.state()
        while state is not None:
            held = self._open
            if held is not None and held.state == state:
                return held
            try:
                base, _ = _read(self.folder / state.base)
                delta, dead = _read(self.folder / state.delta)
            except (OSError, ValueError, struct.error):
                newest = self.state()
                if newest == state:
                    return None
                # Replaced between reading current.json and opening.
                state = newest
            else:
                self._open = Loaded(state, base, delta, dead)
                return self._open
        return None

    def is_whole(self) -> bool:
        """Say whether the files of the current state are there and undamaged, whatever is open."""
        state = self.state()
        return state is not None and all(
            _is_whole(self.folder / name) for name in (state.base, state.delta)
        )

    def note(self, state: SpaceState) -> None:
        """Make a state current that is of the same files."""
        write_aside(self.folder / "current.json", json.dumps(asdict(state)).encode())

    def save(
        self,
        *,
        seq: int,
        last_vector: int,
        base: Rows | None,
        delta: Rows,
        dead: NDArray[np.int64],
    ) -> None:
        """Write what changed aside, then make it current. A base of None is kept.

        Rows must come in the order of their numbers.
        """
        import numpy as np

        self.folder.mkdir(parents=True, exist_ok=True)
        before = self.state()
        delta_name = f"delta-{seq}-{last_vector}.vec"
        if base is None and before is not None:
            base_name, base_rows = before.base, before.base_rows
        else:
            base_name = f"base-{seq}-{last_vector}.vec"
            first = empty_rows(delta.matrix.shape[1]) if base is None else base
            base_rows = len(first.numbers)
            _write(self.folder / base_name, first, np.empty(0, np.int64))
        _write(self.folder / delta_name, delta, dead)
        dimension = delta.matrix.shape[1]
        rows = base_rows - len(dead) + len(delta.numbers)
        state = SpaceState(
            seq=seq,
            last_vector=last_vector,
            dimension=dimension,
            base=base_name,
            base_rows=base_rows,
            delta=delta_name,
            rows=rows,
            incarnation=self.incarnation,
        )
        self.note(state)
        for old in self.folder.glob("*.vec"):
            if old.name not in (base_name, delta_name):
                old.unlink(missing_ok=True)


def is_heavy(base: Rows, delta: Rows, dead: NDArray[np.int64]) -> bool:
    """Say whether the delta should be merged into the base."""
    return len(delta.numbers) + len(dead) > max(_DELTA_LEAST, _DELTA_SHARE * len(base.numbers))


def _write(path: Path, rows: Rows, dead: NDArray[np.int64]) -> None:
    import numpy as np

    count, dimension = rows.matrix.shape
    head = _HEADER.pack(_MAGIC, count, dimension)
    parts = (
        head,
        rows.numbers.astype("<i8").tobytes(),
        rows.scales.astype("<f4").tobytes(),
        np.ascontiguousarray(rows.matrix).tobytes(),
        dead.astype("<i8").tobytes(),
    )
    write_aside(path, b"".join(parts))


def _is_whole(path: Path) -> bool:
    """Say whether a file is as long as its head says; reads no more than that."""
    try:
        with path.open("rb") as file:
            magic, count, dimension = _HEADER.unpack(file.read(_HEADER.size))
            size = path.stat().st_size
    except (OSError, struct.error):
        return False
    dead = size - _HEADER.size - count * (8 + 4 + dimension)
    return bool(magic == _MAGIC and min(count, dimension, dead) >= 0 and dead % 8 == 0)


def _read(path: Path) -> tuple[Rows, NDArray[np.int64]]:
    import numpy as np

    raw = np.memmap(path, np.uint8, mode="r")
    magic, count, dimension = _HEADER.unpack(raw[: _HEADER.size].tobytes())
    numbers_end = _HEADER.size + 8 * count
    scales_end = numbers_end + 4 * count
    matrix_end = scales_end + count * dimension
    if magic != _MAGIC or len(raw) < matrix_end:
        raise ValueError(path)
    numbers = np.frombuffer(raw[_HEADER.size : numbers_end].tobytes(), "<i8")
    scales = np.frombuffer(raw[numbers_end:scales_end].tobytes(), "<f4")
    # A plain array: a memmap runs Python code whenever a part of it is taken.
    matrix = np.asarray(raw)[scales_end:matrix_end].view(np.int8).reshape(count, dimension)
    dead = np.frombuffer(raw[matrix_end:].tobytes(), "<i8")
    return Rows(numbers, scales, matrix), dead


class SpaceReader:
    """Scans one pinned state of a space."""

    def __init__(self, base: Rows, delta: Rows, dead: NDArray[np.int64]) -> None:
        self._base = base
        self._delta = delta
        self._dead = dead
        self._scans: tuple[bytes, dict[int, _Scan]] = (b"", {})

    @property
    def dimension(self) -> int:
        """How long a vector is."""
        return int(self._base.matrix.shape[1])

    @property
    def count(self) -> int:
        """How many chunks have a vector here."""
        return len(self._base.numbers) - len(self._dead) + len(self._delta.numbers)

    def best(
        self, vector: NDArray[np.float32], *, limit: int, allowed: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the numbers and cosines of the best rows and all that tie with the last.

        `allowed` are sorted chunk numbers, or None for all.
        """
        import numpy as np

        numbers: list[NDArray[np.int64]] = []
        cosines: list[NDArray[np.float64]] = []
        scans = self._scans_of(vector)
        for part, (rows, dead) in enumerate(self._parts()):
            found = np.empty(0, np.int64)
            if limit > 0 and allowed is not None and _are_few(allowed, rows):
                found = _nearest_of_few(rows, vector, limit=limit, dead=dead, allowed=allowed)
            elif limit > 0:
                if part not in scans:
                    scans[part] = _scan(rows, vector)
                found = _within_error(scans[part], limit, _mask(rows, dead, allowed))
            numbers.append(rows.numbers[found])
            cosines.append(exact_cosines(rows, found, vector))
        if not numbers:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        every, scores = np.concatenate(numbers), np.concatenate(cosines)
        if len(scores) > limit:
            cut = np.partition(scores, -limit)[-limit]
            kept = scores >= cut
            every, scores = every[kept], scores[kept]
        return every, scores

    def _scans_of(self, vector: NDArray[np.float32]) -> dict[int, _Scan]:
        """Return the passes that were made for a query: it asks again under other filters."""
        asked = vector.tobytes()
        if self._scans[0] != asked:
            self._scans = (asked, {})
        return self._scans[1]

    def _parts(self) -> list[tuple[Rows, NDArray[np.int64] | None]]:
        """Return the parts that hold rows, each with the numbers that are dead in it."""
        parts = ((self._base, self._dead), (self._delta, None))
        return [(rows, dead) for rows, dead in parts if len(rows.numbers)]

    def sample(self, most: int) -> Rows:
        """Return about `most` rows that have a direction, evenly spread; all where they are few."""
        import numpy as np

        every = max(1, len(self._base.numbers) + len(self._delta.numbers))
        found = [empty_rows(self.dimension)]
        for rows, dead in self._parts():
            length = len(rows.numbers)
            # Whole numbers only: so each step lies inside, whatever the lengths.
            taken = min(length, -(-length * most // every))
            at = np.arange(taken, dtype=np.int64) * length // taken
            if dead is not None and len(dead):
                at = at[~np.isin(rows.numbers[at], dead)]
            at = at[rows.scales[at] > 0]
            found.append(Rows(rows.numbers[at], rows.scales[at], rows.matrix[at]))
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
        import numpy as np

        for rows, dead in self._parts():
            found = _positions(rows.numbers, wanted)
            if dead is not None and len(dead):
                found = found[~np.isin(rows.numbers[found], dead)]
            yield rows, found[rows.scales[found] > 0]


def _positions(numbers: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where in `numbers` the wanted ones stand; both ascend, without repeats."""
    import numpy as np

    at = np.searchsorted(numbers, wanted)
    inside = at < len(numbers)
    at = at[inside]
    found: NDArray[np.int64] = at[numbers[at] == wanted[inside]]
    return found


def _are_few(allowed: NDArray[np.int64], rows: Rows) -> bool:
    return len(allowed) < _GATHER_SHARE * len(rows.numbers)


def _nearest_of_few(
    rows: Rows,
    vector: NDArray[np.float32],
    *,
    limit: int,
    dead: NDArray[np.int64] | None,
    allowed: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return positions that are certain to include the `limit` nearest of the allowed rows."""
    import numpy as np

    at = _positions(rows.numbers, allowed)
    if dead is not None and len(dead):
        at = at[~np.isin(rows.numbers[at], dead)]
    if not len(at):
        return at
    picked = Rows(rows.numbers[at], rows.scales[at], rows.matrix[at])
    return at[_within_error(_scan(picked, vector), limit, None)]


def _mask(
    rows: Rows, dead: NDArray[np.int64] | None, allowed: NDArray[np.int64] | None
) -> NDArray[np.bool_] | None:
    """Return which rows are alive and allowed; None for all of them."""
    import numpy as np

    mask = None
    if allowed is not None:
        mask = np.isin(rows.numbers, allowed, assume_unique=True)
    if dead is not None and len(dead):
        alive = ~np.isin(rows.numbers, dead, assume_unique=True)
        mask = alive if mask is None else mask & alive
    return mask


class _Scan(NamedTuple):
    """An estimate of every row's cosine, and how far it may be off."""

    estimate: NDArray[np.float32]
    off: float


def _scan(rows: Rows, vector: NDArray[np.float32]) -> _Scan:
    """Pass over all rows once."""
    import numkong
    import numpy as np

    coarse, (scale,) = to_int8(vector[np.newaxis])
    dots = np.asarray(numkong.cdist(coarse, rows.matrix, metric="dot"))[0]
    estimate = dots.astype(np.float32)
    estimate *= rows.scales
    estimate *= scale
    # A vector of zeros, as a text of unknown words alone has, is near to nothing.
    estimate[rows.scales == 0] = -np.inf
    # A stored row is at most a unit vector, so the estimate is off by no more than the
    # length of what rounding took from the query; float32 adds a hair.
    return _Scan(estimate, float(np.linalg.norm(vector - coarse[0] * scale)) * 1.01 + 1e-5)


def _within_error(scan: _Scan, limit: int, mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """Return the positions of rows that may be among the `limit` nearest that `mask` lets pass."""
    import numpy as np

    estimate, off = scan
    if mask is not None:
        estimate = np.where(mask, estimate, np.float32(-np.inf))
    if limit >= len(estimate):
        found = np.arange(len(estimate))
    else:
        found = np.flatnonzero(estimate >= _below_cut(estimate, limit) - 2 * off)
        likely = estimate[found]
        found = found[likely >= float(np.partition(likely, -limit)[-limit]) - 2 * off]
    kept: NDArray[np.int64] = found[estimate[found] > -np.inf]
    return kept


def _below_cut(estimate: NDArray[np.float32], limit: int) -> float:
    """Return no more than the `limit`-th highest estimate, and little less.

    So many blocks have a best that is at least this: what lies below need not be sorted.
    """
    import numpy as np

    blocks = len(estimate) // _BLOCK
    if blocks < limit:
        return float(np.partition(estimate, -limit)[-limit])
    best = estimate[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    return float(np.partition(best, -limit)[-limit])


def exact_cosines(
    rows: Rows, at: NDArray[np.int64], vector: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Score rows against the query in whole numbers: the same on every machine."""
    import numpy as np

    fine, scale = to_int16(vector)
    # Doubles hold these whole numbers and all their sums exactly, and are added side by side.
    dots = np.einsum("ij,j->i", rows.matrix[at].astype(np.float64), fine.astype(np.float64))
    cosines: NDArray[np.float64] = dots * rows.scales[at].astype(np.float64) * np.float64(scale)
    return cosines
