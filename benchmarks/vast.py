"""Very many vectors: what lists save, what they miss, and what they cost to make.

The vectors are synthetic: groups of groups with sizes as uneven as those of topics, a spread
that falls from one direction to the next as in learned spaces, and queries of which half lie
near a row and half between two groups, where nothing is near. Recall is against the same rows
scanned whole. A filter is a list of chunk numbers at hand; finding those is the record's part.
With --texts, vectors are those of the static model for pieces of the files below some folders,
and queries two to six words of such a piece: far from everything, and so hard to find for.
Run: python -m benchmarks.vast [--vectors 200000 1000000] [--dimensions 256 384] [--texts FOLDER]
With --faiss, as many lists of faiss-cpu are asked as well, with as many looked at as find as much.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.corpus import settings_for
from benchmarks.measure import Row, arguments, cpu_ms, high, middle, report, resident_mb, verdict
from trivium.backends.embedded import vast
from trivium.backends.embedded.lists import how_many
from trivium.backends.embedded.scan import Rows, empty_rows
from trivium.backends.embedded.spaces import SpaceReader
from trivium.backends.embedded.vectors import SpaceFolder
from trivium.backends.quantise import to_int8
from trivium.models.registry import load_from

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SEED = 7
_QUERIES = 200
_TOP = 30
# What the profile `best` asks for, with the slack of a search.
_LIMIT = 108
_AT_ONCE = 50_000
_PIECE = 300
_MOST_BYTES = 400_000
_MOST_WORDS = 12
_EMBED_AT_ONCE = 256
_TOPICS = 64
_GROUP_ROWS = 150
_SHARES = {"none": None, "50 %": 0.5, "10 %": 0.1, "1 %": 0.01, "0.01 %": 0.0001}
_LEAST_RECALL = 0.95
_MOST_MB = 1200
_MOST_OPEN_MS = 900


class Synthetic:
    """Unit vectors in groups; the same for the same count, dimension and seed."""

    def __init__(self, count: int, dimension: int) -> None:
        import numpy as np

        self._chance = np.random.default_rng(_SEED)
        self._count, self._dimension = count, dimension
        # Directions matter less and less, as the singular values of learned spaces do.
        self._spread = (np.arange(1, dimension + 1) ** -0.35).astype(np.float32)
        self._spread /= np.linalg.norm(self._spread)
        topics = self._noise(_TOPICS)
        groups = max(1, count // _GROUP_ROWS)
        self._centres = topics[self._chance.integers(_TOPICS, size=groups)]
        self._centres = _unit(self._centres + 1.2 * self._noise(groups))
        sizes = self._chance.pareto(1.3, groups) + 0.2
        self._shares = sizes / sizes.sum()

    def _noise(self, count: int) -> NDArray[np.float32]:
        """Return vectors of length about 1 in every direction, some more than others."""
        import numpy as np

        made: NDArray[np.float32] = self._chance.standard_normal(
            (count, self._dimension), np.float32
        )
        return made * self._spread

    def rows(self) -> Rows:
        """Return all vectors as they are kept; chunk numbers come in no order of the groups."""
        import numpy as np

        matrix = np.empty((self._count, self._dimension), np.int8)
        scales = np.empty(self._count, np.float32)
        for start in range(0, self._count, _AT_ONCE):
            size = min(_AT_ONCE, self._count - start)
            group = self._chance.choice(len(self._centres), size, p=self._shares)
            some = _unit(self._centres[group] + 1.1 * self._noise(size))
            matrix[start : start + size], scales[start : start + size] = to_int8(some)
        return Rows(np.arange(1, self._count + 1), scales, matrix)

    def queries(self, rows: Rows) -> NDArray[np.float32]:
        """Return vectors near a row, and as many between two groups."""
        import numpy as np

        half = _QUERIES // 2
        at = self._chance.choice(len(rows.numbers), half, replace=False)
        near = rows.matrix[at].astype(np.float32) * rows.scales[at][:, np.newaxis]
        near = _unit(near + 0.8 * self._noise(half))
        pairs = self._centres[self._chance.choice(len(self._centres), (half, 2), p=self._shares)]
        between = _unit(pairs.sum(axis=1) + 0.5 * self._noise(half))
        return np.concatenate([near, between])


class Texts:
    """Vectors of the static model, of pieces of files, in the order of a fixed chance."""

    def __init__(self, folders: Sequence[Path], *, most: int, home: Path) -> None:
        import numpy as np

        files = sorted(file for folder in folders for file in folder.rglob("*") if file.is_file())
        pieces: dict[str, None] = {}
        for text in filter(None, map(_text, files)):
            pieces.update(dict.fromkeys(_pieces(text)))
        order = np.random.default_rng(_SEED).permutation(len(pieces))[:most]
        every = list(pieces)
        self._texts = [every[at] for at in order]
        model = load_from(settings_for(home), "static")
        assert model is not None
        self._model = model

    @property
    def count(self) -> int:
        """How many pieces there are."""
        return len(self._texts)

    def rows(self) -> Rows:
        """Return the vectors of all pieces as they are kept."""
        import numpy as np

        made = [
            to_int8(self._model.embed_documents(self._texts[start : start + _EMBED_AT_ONCE]))
            for start in range(0, self.count, _EMBED_AT_ONCE)
        ]
        matrix = np.concatenate([some for some, _ in made])
        scales = np.concatenate([some for _, some in made])
        return Rows(np.arange(1, self.count + 1), scales, matrix)

    def queries(self, rows: Rows) -> NDArray[np.float32]:
        """Return the vectors of some words each, from the middle of a piece."""
        del rows
        asked: list[str] = []
        for text in self._texts:
            words = [word for word in text.split() if word.isalpha() and len(word) > 2]
            if len(words) > _MOST_WORDS:
                middle_ = len(words) // 2
                asked.append(" ".join(words[middle_ : middle_ + 2 + len(asked) % 5]))
            if len(asked) == _QUERIES:
                break
        vectors = self._model.embed_documents(asked)
        return _unit(vectors[vectors.any(axis=1)])


def _text(file: Path) -> str:
    """Return the text of a file; empty if it has none."""
    try:
        return file.read_bytes()[:_MOST_BYTES].decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _pieces(text: str) -> list[str]:
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]


def allowed_of(count: int) -> dict[str, NDArray[np.int64] | None]:
    """Return the chunk numbers that filters of each share allow; None for all."""
    import numpy as np

    chance = np.random.default_rng(_SEED)
    return {
        name: None if share is None else np.flatnonzero(chance.random(count) < share) + 1
        for name, share in _SHARES.items()
    }


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    made: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return made


def asked(
    reader: SpaceReader, queries: NDArray[np.float32], allowed: NDArray[np.int64] | None
) -> tuple[list[list[int]], list[float]]:
    """Return the numbers of the best rows of each query, and the processor time of each in ms."""
    import numpy as np

    found, took = [], []
    for query in queries:
        started = time.process_time_ns()
        numbers, cosines = reader.best(query, limit=_LIMIT, allowed=allowed)
        took.append((time.process_time_ns() - started) / 1e6)
        found.append(numbers[np.lexsort((numbers, -cosines))][:_TOP].tolist())
    return found, took


def recall(found: Sequence[Sequence[int]], exact: Sequence[Sequence[int]]) -> float:
    """Return which share of the exact best were found, over all queries."""
    there = sum(len(set(one) & set(all_)) for one, all_ in zip(found, exact, strict=True))
    return there / max(1, sum(map(len, exact)))


def opened(place: Path) -> None:
    """Open a space and ask it, as a new process does; print what that took as JSON."""
    import numpy as np

    queries = np.load(place / "queries.npy")
    started = time.perf_counter()
    first = cpu_ms(lambda: asked(_reader(place), queries[:1], None))
    wall = 1000 * (time.perf_counter() - started)
    # Held, since what it maps counts only as long as it does.
    reader = _reader(place)
    asked(reader, queries, None)
    resident, own = resident_mb()
    assert reader.count
    print(json.dumps({"first": first, "wall": wall, "resident": resident, "own": own}))


def _reader(place: Path) -> SpaceReader:
    loaded = SpaceFolder(place / "space").load()
    assert loaded is not None
    return SpaceReader(*loaded[1:])


@dataclass(frozen=True, slots=True)
class Measured:
    """Rows of the tables: for each filter, of the lists, and of faiss if that was asked for."""

    queries: list[Row]
    cost: Row
    peer: list[Row]


def measured(made: Synthetic | Texts, *, cache: Path, has_peer: bool) -> Measured:
    """Make a space, and ask it before and after it lies in lists."""
    import numpy as np

    place = cache / "vast"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    rows = made.rows()
    count, dimension = rows.matrix.shape
    queries, filters = made.queries(rows), allowed_of(count)
    np.save(place / "queries.npy", queries)
    folder = SpaceFolder(place / "space")
    none = np.empty(0, np.int64)
    folder.save(seq=1, last_vector=1, base=rows, delta=empty_rows(dimension), dead=none)
    exact = {name: asked(_reader(place), queries, allowed) for name, allowed in filters.items()}
    build = cpu_ms(
        lambda: vast.arrange(folder, locked=nullcontext, progress=lambda _done, _total: None)
    )
    listed = {name: asked(_reader(place), queries, allowed) for name, allowed in filters.items()}
    state = folder.state()
    assert state is not None
    child = subprocess.run(
        [sys.executable, "-m", "benchmarks.vast", "--open", str(place)],
        check=True,
        capture_output=True,
        text=True,
    )
    shutil.rmtree(place)
    peer = []
    if has_peer:
        least = recall(listed["none"][0], exact["none"][0])
        peer.append(faiss_peer(rows, queries, exact["none"][0], least=least))
    size = f"{count:,} x {dimension}"
    cost = _cost(size, build, state.list_count, json.loads(child.stdout))
    lines = [_line(size, name, listed[name], exact[name]) for name in filters]
    return Measured(lines, cost, peer)


def faiss_peer(
    rows: Rows, queries: NDArray[np.float32], exact: Sequence[Sequence[int]], *, least: float
) -> Row:
    """Return what as many lists of faiss take to find as much, each with 8 bits a number."""
    import faiss
    import numpy as np

    faiss.omp_set_num_threads(1)
    lists = how_many(len(rows.numbers))
    index = faiss.index_factory(rows.matrix.shape[1], f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)

    def floats(at: slice | NDArray[np.int64]) -> NDArray[np.float32]:
        made: NDArray[np.float32] = rows.matrix[at] * rows.scales[at][:, np.newaxis]
        return made

    def build() -> None:
        index.train(floats(slice(None, None, max(1, len(rows.numbers) // (32 * lists)))))
        for start in range(0, len(rows.numbers), _AT_ONCE):
            index.add(floats(slice(start, start + _AT_ONCE)))

    build_ms, share, took = cpu_ms(build), 0.0, [0.0]
    while share < least and index.nprobe < lists:
        index.nprobe *= 2
        found, took = [], []
        for query in queries:
            started = time.process_time_ns()
            places = index.search(query[np.newaxis], 2 * _TOP)[1][0]
            near = floats(places) @ query
            found.append(rows.numbers[places[np.argsort(-near)[:_TOP]]].tolist())
            took.append((time.process_time_ns() - started) / 1e6)
        share = recall(found, exact)
    return {
        "vectors": f"{len(rows.numbers):,} x {rows.matrix.shape[1]}",
        "lists": lists,
        "looked at": int(index.nprobe),
        "build CPU s": build_ms / 1000,
        "p50 ms": middle(took),
        "p95": high(took),
        f"recall@{_TOP}": f"{share:.3f}",
    }


Asked = tuple[list[list[int]], list[float]]


def _line(size: str, name: str, listed: Asked, exact: Asked) -> Row:
    share = recall(listed[0], exact[0])
    return {
        "vectors": size,
        "filter": name,
        "whole p50 ms": middle(exact[1]),
        "whole p95": high(exact[1]),
        "lists p50 ms": middle(listed[1]),
        "lists p95": high(listed[1]),
        f"recall@{_TOP}": f"{share:.3f}",
        "target": verdict(share, least=_LEAST_RECALL),
    }


def _cost(size: str, build_ms: float, lists: int, child: Mapping[str, float]) -> Row:
    return {
        "vectors": size,
        "lists": lists,
        "build CPU s": build_ms / 1000,
        "open + first query CPU ms": child["first"],
        "wall ms": child["wall"],
        "time": verdict(child["wall"], most=_MOST_OPEN_MS),
        "resident MB": child["resident"],
        "of its own MB": child["own"],
        "memory": verdict(child["resident"], most=_MOST_MB),
    }


def main() -> None:
    """Measure each size and report."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--vectors", type=int, nargs="+", default=[200_000, 1_000_000])
    parser.add_argument("--dimensions", type=int, nargs="+", default=[256, 384])
    parser.add_argument("--texts", type=Path, nargs="+", help="folders whose texts to embed")
    parser.add_argument("--faiss", action="store_true", help="ask faiss-cpu as well, if installed")
    parser.add_argument("--open", type=Path, help="only ask a space that is there")
    given = parser.parse_args()
    if given.open is not None:
        opened(given.open)
        return
    every: Iterator[Synthetic | Texts] = (
        Synthetic(count, dimension) for count in given.vectors for dimension in given.dimensions
    )
    if given.texts:
        most = max(given.vectors)
        every = iter([Texts(given.texts, most=most, home=given.cache / "vast-home")])
    found = [measured(made, cache=given.cache, has_peer=given.faiss) for made in every]
    lines = [line for one in found for line in one.queries]
    report("very many vectors, CPU time of a query", lines, to=given.json)
    report("very many vectors, cost of lists", [one.cost for one in found], to=given.json)
    if given.faiss:
        peers = [line for one in found for line in one.peer]
        report("the same found with faiss", peers, to=given.json)


if __name__ == "__main__":
    main()
