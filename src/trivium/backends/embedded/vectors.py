"""One vector space of a collection as files.

A base file and a small delta, both memory-mapped: rows are int8 with one scale each. Where the
collection has most of the rows that the store keeps of the model, the base holds only whose row
stands at which place there, and that file is scanned.
`current.json` names them, the incarnation of the record, the batch (`seq`) and the last
stored vector they contain; files of another incarnation are not there. A base of very many
rows may lie in lists, which a file of its own describes; the delta is always scanned whole.
"""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trivium.aside import Replaced, write_aside, writing_aside
from trivium.backends.base import Listed
from trivium.backends.embedded.lists import Lists, unlisted
from trivium.backends.embedded.scan import Rows, empty_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAGIC = b"TRVEC1\0\0"
_KEPT_MAGIC = b"TRKEP1\0\0"
_HEADER = struct.Struct("<8sqq")
_LISTS_MAGIC = b"TRLST1\0\0"
_LISTS_HEADER = struct.Struct("<8sqqqq")
_REMEMBERED = 256
_DELTA_SHARE = 0.1
_DELTA_LEAST = 2000
# A base in lists is merged in the background; so much is too much to wait for that.
_LEFT_ALONE_SHARE = 0.5


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
    delta_rows: int = 0
    incarnation: str = ""
    lists: str = ""
    list_count: int = 0
    kept: str = ""
    kept_rows: int = 0

    @property
    def listed(self) -> Listed | None:
        """How many rows lie in lists, and how many in none; None where there are no lists."""
        if not self.list_count:
            return None
        return Listed(self.list_count, self.rows - self.delta_rows, self.delta_rows)


def _state_of(data: bytes) -> SpaceState | None:
    try:
        return SpaceState(**json.loads(data))
    except (ValueError, TypeError):
        return None


class Loaded(NamedTuple):
    """A state of a space: its base and delta rows, the dead numbers of the base, its lists.

    A base lies in the order of its numbers where it has none.
    """

    state: SpaceState
    base: Rows
    delta: Rows
    dead: NDArray[np.int64]
    lists: Lists | None = None


class SpaceFolder:
    """The files of one space: opened for reading, replaced by renaming."""

    def __init__(self, folder: Path, *, kept: Path | None = None, incarnation: str = "") -> None:
        self.folder = folder
        self._kept = kept
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
                base = self._base(state)
                delta, dead = _read(self.folder / state.delta)
                lists = self._lists(state, base)
            except (OSError, ValueError, struct.error):
                newest = self.state()
                if newest == state:
                    return None
                # Replaced between reading current.json and opening.
                state = newest
            else:
                self._open = Loaded(state, base, delta, dead, lists)
                return self._open
        return None

    def _base(self, state: SpaceState) -> Rows:
        if state.kept and self._kept is not None:
            return _read_kept(self.folder / state.base, self._kept / state.kept)
        return _read(self.folder / state.base)[0]

    def _lists(self, state: SpaceState, base: Rows) -> Lists | None:
        """Read the lists of a base. Where they are damaged, it is scanned whole."""
        if state.kept:
            return unlisted(base.numbers, state.dimension)
        if not state.lists:
            return None
        try:
            return _read_lists(self.folder / state.lists, base)
        except (OSError, ValueError, struct.error):
            if self.state() != state:
                raise
            return unlisted(base.numbers, base.matrix.shape[1])

    def is_whole(self) -> bool:
        """Say whether the files of the current state are there and undamaged, whatever is open."""
        state = self.state()
        return (
            state is not None
            and all(_is_whole(self.folder / name) for name in (state.base, state.delta))
            and self._has_rows(state)
        )

    def _has_rows(self, state: SpaceState) -> bool:
        """Say whether the file of the store that the base names is as long as it needs it."""
        if not state.kept or self._kept is None:
            return not state.kept
        try:
            size = (self._kept / state.kept).stat().st_size
        except OSError:
            return False
        return size >= state.kept_rows * state.dimension

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
        kept: str = "",
    ) -> None:
        """Write what changed aside, then make it current. A base of None stays as it is.

        Rows must come in the order of their numbers; those of a base that is `kept` lie in that
        file of the store, and the numbers of rows that are nobody's are below 0.
        """
        import numpy as np

        self.folder.mkdir(parents=True, exist_ok=True)
        before = self.state()
        delta_name = f"delta-{seq}-{last_vector}.vec"
        lists, list_count, kept_rows = "", 0, 0
        if base is None and before is not None:
            base_name, base_rows = before.base, before.base_rows
            lists, list_count = before.lists, before.list_count
            kept, kept_rows = before.kept, before.kept_rows
        else:
            base_name = f"base-{seq}-{last_vector}.vec"
            first = empty_rows(delta.matrix.shape[1]) if base is None else base
            base_rows = int((first.numbers >= 0).sum())
            if kept:
                kept_rows = len(first.numbers)
                _write_kept(self.folder / base_name, first)
            else:
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
            delta_rows=len(delta.numbers),
            incarnation=self.incarnation,
            lists=lists,
            list_count=list_count,
            kept=kept,
            kept_rows=kept_rows,
        )
        self.note(state)
        self._sweep(state)

    def _sweep(self, state: SpaceState) -> None:
        """Remove files that are not of the state that is current."""
        for pattern in ("*.vec", "*.lists"):
            for old in self.folder.glob(pattern):
                if old.name not in (state.base, state.delta, state.lists):
                    old.unlink(missing_ok=True)

    @property
    def _making(self) -> Path:
        return self.folder / "making"

    @property
    def is_being_made(self) -> bool:
        """Whether lists are being made, or were when a process died."""
        return self._making.exists()

    def clear(self) -> None:
        """Remove what a death in the middle of `prepare` has left."""
        shutil.rmtree(self._making, ignore_errors=True)

    def prepare(self, rows: Iterable[Rows], lists: Lists) -> None:
        """Write a base that lies in lists, where nobody looks for one. `rows` are its parts."""
        self.clear()
        self._making.mkdir()
        count, dimension = len(lists.order), lists.centres.matrix.shape[1]
        _write_parts(self._making / "base.vec", rows, count=count, dimension=dimension)
        _write_lists(self._making / "base.lists", lists)

    def adopt(self, *, now: SpaceState, delta: Rows, dead: NDArray[np.int64], lists: Lists) -> None:
        """Make current what was prepared, beside the delta and the dead that go with it.

        By who holds the writer lock. A death before the last step leaves files that nobody
        names, and that the next to save removes.
        """
        base_rows = len(lists.order)
        # Never the name of a file that is current: that of another base, or of another delta.
        mark = f"{now.seq}-{now.last_vector}-{base_rows}-{len(dead)}"
        state = SpaceState(
            seq=now.seq,
            last_vector=now.last_vector,
            dimension=now.dimension,
            base=f"base-{mark}.vec",
            base_rows=base_rows,
            delta=f"delta-{mark}-lists.vec",
            rows=base_rows - len(dead) + len(delta.numbers),
            delta_rows=len(delta.numbers),
            incarnation=self.incarnation,
            lists=f"base-{mark}.lists",
            list_count=lists.count,
        )
        _write(self.folder / state.delta, delta, dead)
        (self._making / "base.vec").replace(self.folder / state.base)
        (self._making / "base.lists").replace(self.folder / state.lists)
        self.note(state)
        self._sweep(state)
        self.clear()


def is_heavy(
    base: Rows, delta: Rows, dead: NDArray[np.int64], *, is_in_lists: bool = False
) -> bool:
    """Say whether the delta should be merged into the base, by who has just written it.

    That gives up lists, which the background makes again.
    """
    share = _LEFT_ALONE_SHARE if is_in_lists else _DELTA_SHARE
    return len(delta.numbers) + len(dead) > max(_DELTA_LEAST, share * len(base.numbers))


def _write(path: Path, rows: Rows, dead: NDArray[np.int64]) -> None:
    count, dimension = rows.matrix.shape
    _write_parts(path, [rows], count=count, dimension=dimension, dead=dead)


def _write_kept(path: Path, rows: Rows) -> None:
    """Write whose rows stand in the file of the store, in its order, and their scales."""
    with writing_aside(path) as file:
        file.write(_HEADER.pack(_KEPT_MAGIC, *rows.matrix.shape))
        file.write(rows.numbers.astype("<i8").data)
        file.write(rows.scales.astype("<f4").data)


def _read_kept(path: Path, kept: Path) -> Rows:
    import numpy as np

    data = path.read_bytes()
    magic, count, dimension = _HEADER.unpack(data[: _HEADER.size])
    if magic != _KEPT_MAGIC or len(data) != _HEADER.size + count * (8 + 4):
        raise ValueError(path)
    numbers = np.frombuffer(data, "<i8", count, _HEADER.size)
    scales = np.frombuffer(data, "<f4", count, _HEADER.size + numbers.nbytes)
    matrix = np.memmap(kept, np.int8, mode="r", shape=(count, dimension))
    return Rows(numbers, scales, np.asarray(matrix))


def _write_parts(
    path: Path,
    parts: Iterable[Rows],
    *,
    count: int,
    dimension: int,
    dead: NDArray[np.int64] | None = None,
) -> None:
    """Write `count` rows that come in parts, of which one at a time is in memory."""
    import numpy as np

    numbers, scales = np.empty(count, "<i8"), np.empty(count, "<f4")
    ends = _HEADER.size + count * (8 + 4)
    done = 0
    with writing_aside(path) as file:
        file.seek(ends)
        for part in parts:
            here = slice(done, done + len(part.numbers))
            numbers[here], scales[here] = part.numbers, part.scales
            file.write(np.ascontiguousarray(part.matrix).data)
            done = here.stop
        if dead is not None:
            file.write(dead.astype("<i8").data)
        file.seek(0)
        file.write(_HEADER.pack(_MAGIC, count, dimension))
        file.write(numbers.data)
        file.write(scales.data)


def _write_lists(path: Path, lists: Lists) -> None:
    import numpy as np

    count, dimension = lists.centres.matrix.shape
    with writing_aside(path) as file:
        rows = len(lists.order)
        file.write(_LISTS_HEADER.pack(_LISTS_MAGIC, rows, count, dimension, lists.trained))
        for part in (
            lists.starts.astype("<i8"),
            lists.order.astype("<i8"),
            lists.centres.scales.astype("<f4"),
            np.ascontiguousarray(lists.centres.matrix),
        ):
            file.write(part.data)


def _read_lists(path: Path, base: Rows) -> Lists:
    import numpy as np

    data = path.read_bytes()
    magic, rows, count, dimension, trained = _LISTS_HEADER.unpack(data[: _LISTS_HEADER.size])
    wanted = _LISTS_HEADER.size + 8 * (count + 1) + 8 * rows + count * (4 + dimension)
    if magic != _LISTS_MAGIC or (rows, dimension) != base.matrix.shape or len(data) != wanted:
        raise ValueError(path)
    at = _LISTS_HEADER.size
    starts = np.frombuffer(data, "<i8", count + 1, at)
    order = np.frombuffer(data, "<i8", rows, at + starts.nbytes)
    at += starts.nbytes + order.nbytes
    scales = np.frombuffer(data, "<f4", count, at)
    matrix = np.frombuffer(data, np.int8, count * dimension, at + scales.nbytes)
    is_sound = starts[0] == 0 and starts[-1] == rows and (np.diff(starts) >= 0).all()
    if not is_sound or (rows and not 0 <= order.min() <= order.max() < rows):
        raise ValueError(path)
    ascending = base.numbers[order]
    if (np.diff(ascending) <= 0).any():
        raise ValueError(path)
    centres = Rows(np.arange(count), scales, matrix.reshape(count, dimension))
    return Lists(centres, starts, order, ascending, trained)


def _is_whole(path: Path) -> bool:
    """Say whether a file is as long as its head says."""
    try:
        seen = path.stat()
        return _is_as_long_as_said(path, seen.st_size, seen.st_mtime_ns, seen.st_ino)
    except OSError:
        return False


# Every search asks, and files that are in use stay as they are.
@lru_cache(_REMEMBERED)
def _is_as_long_as_said(path: Path, size: int, _mtime_ns: int, _inode: int) -> bool:
    """Read the head of a file, once for each state that it is in. Raises OSError."""
    try:
        with path.open("rb") as file:
            magic, count, dimension = _HEADER.unpack(file.read(_HEADER.size))
    except struct.error:
        return False
    if magic == _KEPT_MAGIC:
        return bool(size == _HEADER.size + count * (8 + 4))
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
