"""A number of chunks -> a folder of files and its index, kept in a cache folder.

Half the chunks are code (Python's standard library, copies of it with words exchanged),
half are Markdown (a word chain learnt from its docstrings). Vectors are random around
centres and stored under the id of the real model. The same Python gives the same files.
"""

from __future__ import annotations

import json
import keyword
import random
import re
import shutil
import sys
import sysconfig
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import cpu_ms
from trivium import config
from trivium.backends.base import Writer
from trivium.backends.embedded.database import FORMAT
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.embedded.text import view_key
from trivium.collection import Collection
from trivium.folder import CONTENT_VERSION
from trivium.home import folder_of
from trivium.models.minilm import minilm
from trivium.ranking.profile import profile
from trivium.sources.base import Entry, Raw
from trivium.writing.digest import Cutting, digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Raise when the files or the index differ from what an older cache holds.
_VERSION = 2
PROFILES = ("best", "rag")
DIMENSION = 384
_CENTRES = 256
_SPREAD = 0.8
_EXCHANGED_PERCENT = 15
_LONGEST_SOURCE = 300_000
_WORD = re.compile(r"[a-z]{5,}")
_PROSE_WORD = re.compile(r"[A-Za-z][A-Za-z_.'-]*[A-Za-z]|[a-z]")
_DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
_VECTORS_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """A folder of files with its index."""

    root: Path
    home: Path
    chunks: int
    characters: int
    # What taking it in took, without vectors: CPU seconds and the clock's.
    taken: tuple[float, float]

    @property
    def index(self) -> Path:
        """Where the index lives."""
        return folder_of(self.root, self.home)

    @property
    def store(self) -> Path:
        """Where texts and vectors live."""
        return self.home / "store" / self.index.name

    def backend(self) -> EmbeddedBackend:
        """Open the index below the collection."""
        return EmbeddedBackend(self.index, store=self.store, views=(profile("best").view,))

    def environment(self, model: str) -> dict[str, str]:
        """Return what a child process must have set to use this index."""
        return {"TRIVIUM_HOME": str(self.home), "TRIVIUM_EMBEDDING__MODEL": model}


def settings_for(home: Path, *, model: str = "none") -> config.Settings:
    """Return settings that read nothing of this machine's."""
    return config.load(environ=environment_for(home, model=model))


def environment_for(home: Path, *, model: str = "none") -> dict[str, str]:
    """Return the variables that make a process read nothing of this machine's."""
    return {
        "TRIVIUM_HOME": str(home),
        "TRIVIUM_CONFIG": str(home / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": model,
    }


def prepare(cache: Path, *, chunks: int) -> Prepared:
    """Return the corpus of `chunks` chunks, made and indexed if it is not in the cache."""
    place = cache.resolve() / f"corpus-{chunks}"
    note = place / "ready.json"
    of_files = {"version": _VERSION, "python": sys.version}
    of_index = [FORMAT, CONTENT_VERSION, *(view_key(profile(name).view) for name in PROFILES)]
    try:
        found = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = {}
    if {key: found.get(key) for key in of_files} != of_files:
        print(f"making a corpus of {chunks:,} chunks in {place} (once)", file=sys.stderr)
        found = {**of_files, "characters": _written(place, chunks)}
        note.write_text(json.dumps(found), encoding="utf-8")
    if found.get("index") != of_index:
        print(f"making an index of {chunks:,} chunks in {place} (once)", file=sys.stderr)
        found |= {**_indexed(place, found), "index": of_index}
        note.write_text(json.dumps(found), encoding="utf-8")
    return _prepared(place, found)


def _written(place: Path, chunks: int) -> int:
    """Write the files; return their characters."""
    shutil.rmtree(place, ignore_errors=True)
    characters = write_code(place / "files" / "code", chunks=chunks // 2)
    return characters + write_prose(place / "files" / "prose", chunks=chunks - chunks // 2)


def _indexed(place: Path, known: Mapping[str, Any]) -> dict[str, Any]:
    """Index the files; return how many chunks they have and what taking them in took."""
    root, home = place / "files", place / "home"
    shutil.rmtree(home, ignore_errors=True)
    with Collection(root, settings=settings_for(home)) as collection:
        clock = time.perf_counter()
        cpu_s = cpu_ms(lambda: collection.sync(yes=True)) / 1000
        taken = (cpu_s, time.perf_counter() - clock)
        count = collection.stats().chunks
    found = {"chunks": count, "taken": taken}
    backend = _prepared(place, {**known, **found}).backend()
    with backend.writer(wait_s=5.0) as writer:
        _put_vectors(writer)
        writer.publish()
    backend.arrange(lambda _done, _total: None)
    with backend.snapshot() as snapshot:
        for name in PROFILES:
            snapshot.text(profile(name).view)
    backend.close()
    return found


def _prepared(place: Path, known: Mapping[str, Any]) -> Prepared:
    cpu_s, clock_s = known["taken"]
    return Prepared(
        place / "files",
        place / "home",
        chunks=known["chunks"],
        characters=known["characters"],
        taken=(cpu_s, clock_s),
    )


def write_code(folder: Path, *, chunks: int) -> int:
    """Write Python files until they make about `chunks` chunks; return the characters."""
    sources = list(_library())
    vocabulary = sorted({word for text in sources[:200] for word in _WORD.findall(text)})
    left, characters, copy = chunks, 0, 0
    while left > 0:
        for number, source in enumerate(sources):
            text = _varied(source, copy, vocabulary) if copy else source
            left -= _write(folder / f"copy{copy}" / f"module{number:04}.py", text)
            characters += len(text)
            if left <= 0:
                break
        copy += 1
    return characters


def write_prose(folder: Path, *, chunks: int) -> int:
    """Write Markdown files until they make about `chunks` chunks; return the characters."""
    chain = _chain(_library())
    # Chance that is the same everywhere, not secrecy.
    chance = random.Random(7)  # noqa: S311
    left, characters, number = chunks, 0, 0
    while left > 0:
        text = "\n\n".join(_section(chain, chance, place) for place in range(chance.randint(2, 30)))
        left -= _write(folder / f"part{number // 100:03}" / f"page{number:05}.md", text)
        characters += len(text)
        number += 1
    return characters


def _library() -> Iterator[str]:
    """Yield the sources of the standard library, always in the same order."""
    library = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(library.rglob("*.py")):
        if "site-packages" in path.parts or path.stat().st_size > _LONGEST_SOURCE:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if text.strip():
            yield text


def _varied(text: str, copy: int, vocabulary: Sequence[str]) -> str:
    def exchanged(match: re.Match[str]) -> str:
        word = match[0]
        draw = zlib.crc32(f"{copy}:{word}".encode())
        if draw % 100 >= _EXCHANGED_PERCENT or keyword.iskeyword(word):
            return word
        return vocabulary[draw // 100 % len(vocabulary)]

    return _WORD.sub(exchanged, text)


@dataclass(frozen=True, slots=True)
class _Chain:
    """The words of the docstrings, and for each the words that followed it."""

    words: Sequence[str]
    following: Mapping[str, Sequence[str]]

    def walk(self, chance: random.Random, length: int) -> list[str]:
        """Return words as they might follow each other."""
        word = chance.choice(self.words)
        made = [word]
        while len(made) < length:
            word = chance.choice(self.following.get(word) or self.words)
            made.append(word)
        return made


def _chain(sources: Iterator[str]) -> _Chain:
    following: dict[str, list[str]] = {}
    for source in sources:
        words = _PROSE_WORD.findall(" ".join(_DOCSTRING.findall(source)))
        for word, after in pairwise(words):
            following.setdefault(word, []).append(after)
    return _Chain(list(following), following)


def _section(chain: _Chain, chance: random.Random, place: int) -> str:
    title = " ".join(chain.walk(chance, 3)).title()
    paragraphs = [
        " ".join(chain.walk(chance, chance.randint(30, 110))).capitalize() + "."
        for _ in range(chance.randint(1, 4))
    ]
    return "\n\n".join([f"{'#' if place == 0 else '##'} {title}", *paragraphs])


def _write(path: Path, text: str) -> int:
    """Write a file and return how many chunks the indexer makes of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    raw = Raw(Entry(path.name, len(text), 0), text, "")
    return len(digest(raw, Cutting()).chunks)


def _put_vectors(writer: Writer) -> None:
    model_id = minilm().model_id
    while pending := writer.pending(model_id, limit=_VECTORS_AT_ONCE):
        keys = [one.key for one in pending]
        writer.put_vectors(model_id, keys, vectors_of(keys))


def vectors_of(keys: Sequence[bytes]) -> NDArray[np.float32]:
    """Return a unit vector for each key: one of the centres, and noise."""
    import numpy as np

    centres = np.random.default_rng(0).standard_normal((_CENTRES, DIMENSION))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    made = np.empty((len(keys), DIMENSION), np.float32)
    for at, key in enumerate(keys):
        noise = np.random.default_rng(int.from_bytes(key, "big")).standard_normal(DIMENSION)
        noise *= _SPREAD / np.linalg.norm(noise)
        row = centres[key[0]] + noise
        made[at] = row / np.linalg.norm(row)
    return made


def queries(prepared: Prepared, *, count: int) -> list[str]:
    """Return queries of two to six words that stand in the files, a quarter as questions."""
    chance = random.Random(11)  # noqa: S311 - as above
    files = sorted(prepared.root.rglob("*.*"))
    made: list[str] = []
    while len(made) < count:
        text = chance.choice(files).read_text(encoding="utf-8")
        words = [word for word in _PROSE_WORD.findall(text) if len(word) > 1]
        if len(words) < 20:
            continue
        start = chance.randrange(len(words) - 10)
        nearby = words[start : start + 10]
        chosen = chance.sample(nearby, chance.randint(2, 6))
        made.append(("how does the " if len(made) % 4 == 0 else "") + " ".join(chosen))
    return made
