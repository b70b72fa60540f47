"""A folder -> how fast it is indexed and searched here, and what that takes.

Everything is measured on an index of its own, made in a folder that is gone afterwards; the
folder that is searched and its own index are not touched. Processor time unless said otherwise:
machines are rarely quiet. Called by `trivium bench`.
"""

from __future__ import annotations

import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from trivium import config, indexer
from trivium.collection import Collection, open_collection
from trivium.errors import UsageError
from trivium.models.registry import load_from

QUERIES = 50
_LONGEST_QUERY = 8
_KEYS = 12
_SERVICE = "openai:"
_NODES_READ = 500
# Each query is asked once before it is measured: files are then in the system's cache.
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Figure:
    """One number: of what, how much, in which unit, and its 95th percentile if it has one."""

    name: str
    value: float
    unit: str
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Speed:
    """All numbers of a folder, and what they were taken of."""

    root: str
    files: int
    chunks: int
    model: str
    figures: tuple[Figure, ...]


def measure(
    folder: Path,
    *,
    settings: config.Settings | None = None,
    model: str = "static",
    count: int = QUERIES,
    progress: indexer.Progress = indexer.no_progress,
) -> Speed:
    """Index a folder from nothing and ask it `count` questions made of its own words.

    Raises UsageError for a folder in which there is nothing to search, and for a model that is
    a service: measuring one would send it the whole folder.
    """
    if model.startswith(_SERVICE):
        raise UsageError(f"{model} is a service, and would be sent every text. Measure another.")
    root = folder.expanduser().resolve()
    if not root.is_dir():
        raise UsageError(f"{root} is not a folder. Give the folder that is to be measured.")
    chosen = config.load(folder=root) if settings is None else settings
    with _own(chosen, model) as own, open_collection(root, settings=own) as collection:
        taking_in = _taking_in(collection, own, progress)
        contents = collection.stats()
        texts = questions(collection, count)
        asked = _asked(collection, texts, progress)
        found = (*taking_in, _opening(root, own, texts[0]), *asked, _memory())
        return Speed(str(root), contents.files, contents.chunks, model, found)


@contextmanager
def _own(settings: config.Settings, model: str) -> Iterator[config.Settings]:
    """Give the same settings with a home that is gone afterwards, on this machine."""
    own = settings.flagged({"backend.kind": "embedded", "embedding.model": model})
    with tempfile.TemporaryDirectory(prefix="trivium-bench-") as home:
        yield replace(own, home=Path(home))


def questions(collection: Collection, count: int) -> list[str]:
    """Return `count` queries made of what the collection holds: names, and words of its texts.

    Every second is a name, the others are words that follow each other in a text. The same
    folder gives the same ones.
    """
    nodes = sorted(collection.nodes(), key=lambda one: one.id)
    chance = random.Random(0)  # noqa: S311 - not secret
    names = [one.name for one in nodes if any(map(str.isalnum, one.name))]
    some = chance.sample(nodes, min(_NODES_READ, len(nodes)))
    whole = collection.texts([one.id for one in some])
    texts = [words for _, text in sorted(whole.items()) if len(words := text.split()) > 1]
    made = []
    for number in range(count):
        if number % 2 and texts:
            words = chance.choice(texts)
            length = chance.randint(2, min(_LONGEST_QUERY, len(words)))
            start = chance.randrange(len(words) - length + 1)
            made.append(_plain(words[start : start + length]) or "the")
        else:
            made.append(_plain([chance.choice(names)]) or "the")
    return made


def _plain(words: Sequence[str]) -> str:
    """Return words that say nothing but themselves: no quotes, no filters."""
    kept = ("".join(one if one.isalnum() or one in "_." else " " for one in word) for word in words)
    return " ".join(" ".join(kept).split())


def _taking_in(
    collection: Collection, settings: config.Settings, progress: indexer.Progress
) -> list[Figure]:
    began = time.perf_counter()
    seconds = _cpu_s(lambda: collection.sync(progress=progress, yes=True))
    clock = time.perf_counter() - began
    embedding = _cpu_s(lambda: collection.embed(progress=progress, yes=True))
    contents = collection.stats()
    if not contents.chunks:
        raise UsageError(f"{collection.root} holds nothing that can be searched.")
    again = _cpu_s(collection.sync)
    texts = sum(len(one.encode(errors="replace")) for one in _texts(collection))
    disk = sum(one.stat().st_size for one in settings.home.rglob("*") if one.is_file())
    return [
        Figure("index from nothing", clock, "s of the clock"),
        Figure("index from nothing", contents.chunks / max(seconds, 1e-9), "chunks per CPU-second"),
        Figure("embed with the set model", embedding, "CPU-s"),
        Figure("sync when nothing changed", 1000 * again, "CPU-ms"),
        Figure("disk", disk / contents.chunks, "bytes per chunk"),
        Figure("disk beyond the text", (disk - texts) / contents.chunks, "bytes per chunk"),
    ]


def _texts(collection: Collection) -> Iterator[str]:
    for path in collection.paths():
        yield collection.file(path).document.text


def _opening(root: Path, settings: config.Settings, text: str) -> Figure:
    """Measure opening an index that is there, and its first search."""

    def first() -> None:
        with open_collection(root, settings=settings, create=False) as again:
            again.search(text)

    return Figure("open again and search", 1000 * _cpu_s(first), "CPU-ms")


def _asked(
    collection: Collection, texts: Sequence[str], progress: indexer.Progress
) -> list[Figure]:
    embedder = load_from(collection.settings)
    ways: list[tuple[str, Callable[[str], object]]] = [
        ("search, best", collection.search),
        ("search, rag", lambda text: collection.search(text, profile="rag")),
        ("search by words alone", lambda text: collection.search(text, search_mode="keyword")),
        ("search as you type", lambda text: collection.search(text[:_KEYS], as_you_type=True)),
        ("search below one folder", _below(collection)),
    ]
    if embedder is not None:
        ways.append(("embed a query", embedder.embed_query))
    for text in texts:
        collection.search(text)
    return [_of_each(name, ask, texts, partial(progress, name)) for name, ask in ways]


def _below(collection: Collection) -> Callable[[str], object]:
    """Return a search that is kept to the folder that holds most files."""
    folders = [path.rpartition("/")[0] for path in collection.paths()]
    most = statistics.mode(folders) if folders else ""
    kept = {"path": f"{most}/**"} if most else None
    return lambda text: collection.search(text, filters=kept)


def _of_each(
    name: str,
    ask: Callable[[str], object],
    texts: Sequence[str],
    tell: Callable[[int, int], None],
) -> Figure:
    taken = []
    for done, text in enumerate(texts, 1):
        taken.append(min(_cpu_s(partial(ask, text)) for _ in range(_ROUNDS)))
        tell(done, len(texts))
    high = statistics.quantiles(taken, n=20, method="inclusive")[-1] if len(taken) > 1 else taken[0]
    return Figure(name, 1000 * statistics.median(taken), "CPU-ms", 1000 * high)


def _memory() -> Figure:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts kilobytes, macOS bytes.
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return Figure("memory at most", used / unit, "MB")


def _cpu_s(act: Callable[[], object]) -> float:
    """Return the processor time of an act, in all threads and children that have ended."""
    before = _used_s()
    act()
    return _used_s() - before


def _used_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
