"""Cleaned pairs -> everything training needs: vocabulary, token numbers, teacher vectors.

The vocabulary is the teacher's own words and the words that most packages use; characters of
Chinese, Japanese and Korean and words of other scripts come from a list made beside the pairs.
Each row starts as the teacher's vector of its word, turned to 256 numbers by PCA, and its
weight as a / (a + p), p being the word's share of all words (SIF).
"""

from __future__ import annotations

import json
import lzma
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.text import sentences
from trivium.models.static_words import COUNT_POWER, Numbering, tokens, words

DIMENSION = 256
_SIF = 1e-3
_PARTS = 56
_PHRASES = 50_000
_CORPUS_KINDS = ("wordnet",)
GROUPS = ("python", "code", "prose", "readme", "wordnet")
# How many of each a sample has: between the shares of the runs that follow the teachers and of
# those that tell pairs apart.
_SAMPLED = dict(zip(GROUPS, (0.36, 0.24, 0.2, 0.14, 0.06), strict=True))
_README_KINDS = frozenset({"summary", "brief", "keywords", "operation", "tool", "what", "item"})


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts as numbers: those of text i are numbers[starts[i]:starts[i + 1]]."""

    starts: NDArray[np.int64]
    numbers: NDArray[np.int32]
    factors: NDArray[np.float32]


def read_pairs(path: Path) -> list[list[str]]:
    """Return the rows [q, d, kind, language, package] of a file, compressed or not."""
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def group_of(row: Sequence[str]) -> str:
    """Return which of the GROUPS a pair belongs to."""
    _, _, kind, language, _ = row
    if language:
        return "python" if language == "python" else "code"
    if kind == "wordnet":
        return "wordnet"
    return "readme" if kind in _README_KINDS else "prose"


def is_held(package: int) -> bool:
    """Say whether the pairs of a package, by its place among all, are kept from training."""
    return package % 50 == 7


def _counted(rows: Sequence[list[str]]) -> tuple[Counter[str], dict[str, int]]:
    """Count words, and the packages that use each; rows come ordered by package."""
    counts: Counter[str] = Counter()
    users: dict[str, set[str]] = defaultdict(set)
    for q, d, kind, _, package in rows:
        found = [word for token in tokens(f"{q} {d}") for word in words(token)]
        counts.update(found)
        user = f"{package} {q[:2]}" if kind in _CORPUS_KINDS else package
        for word in set(found):
            if len(users[word]) < 64:
                users[word].add(user)
    return counts, {word: len(packages) for word, packages in users.items()}


def in_parallel(function: Any, rows: Sequence[Any], processes: int, *more: Any) -> list[Any]:
    """Return the function's results for equal slices of the rows, in order.

    The slices are the same however many processes there are, and so is what is made of them.
    """
    size = max(1, math.ceil(len(rows) / _PARTS))
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    if processes <= 1:
        return [function(part, *more) for part in parts]
    with ProcessPoolExecutor(processes) as pool:
        futures = [pool.submit(function, part, *more) for part in parts]
        return [future.result() for future in futures]


def vocabulary(
    rows: Sequence[list[str]],
    *,
    teacher_words: Iterable[str],
    extra: Iterable[str],
    size: int,
    processes: int,
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the entries and how often each occurs in the pairs."""
    counts: Counter[str] = Counter()
    users: dict[str, int] = Counter()
    for part, used in in_parallel(_counted, rows, processes):
        counts.update(part)
        for word, packages in used.items():
            users[word] += packages
    entries: dict[str, None] = {}
    for word in teacher_words:
        plain = word.removeprefix("##").lower()
        is_piece = word.startswith("##")
        if re.fullmatch(r"[^\W_]+", plain) and (not is_piece or len(plain) > 2):
            entries[plain] = None
    for word in extra:
        entries[word] = None
    wanted = (word for word in sorted(users, key=lambda word: (-users[word], word)))
    for word in wanted:
        if len(entries) >= size:
            break
        # Long numbers and single uses are noise.
        if users[word] >= 2 and len(word) <= 30 and not (word.isdigit() and len(word) > 4):
            entries[word] = None
    listed = list(entries)[:size]
    return listed, np.array([counts[word] for word in listed], dtype=np.float64)


def _numbered(texts: Sequence[str], listed: Sequence[str]) -> list[tuple[list[int], list[float]]]:
    numbering = Numbering({word: number for number, word in enumerate(listed)})
    made = []
    for text in texts:
        counts = Counter(numbering.numbers(text))
        made.append((list(counts), [count**COUNT_POWER for count in counts.values()]))
    return made


def numbered(texts: Sequence[str], listed: Sequence[str], processes: int) -> Texts:
    """Return the distinct entries of each text, each with what its count counts."""
    parts = in_parallel(_numbered, texts, processes, listed)
    made = [one for part in parts for one in part]
    lengths = np.array([len(numbers) for numbers, _ in made], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    flat = np.fromiter((n for numbers, _ in made for n in numbers), dtype=np.int32)
    factors = np.fromiter((f for _, each in made for f in each), dtype=np.float32)
    return Texts(starts, flat, factors)


def windows(
    rows: Sequence[list[str]], count: int, seed: int, *, long_share: float = 0.0
) -> list[str]:
    """Return `count` sentences, lines and runs of them drawn from the documents.

    A share of them are as long as a chunk: a document and the next one of its package.
    """
    drawn = random.Random(seed)
    found: list[str] = []
    order = list(range(len(rows)))
    for _ in range(20):
        drawn.shuffle(order)
        for number in order:
            _, d, _, language, package = rows[number]
            parts = d.splitlines() if language else sentences(d)
            joiner = "\n" if language else " "
            text = ""
            if long_share and drawn.random() < long_share:
                after = rows[(number + 1) % len(rows)]
                if after[3:] == [language, package]:
                    text = f"{d}{joiner}{after[1]}"
            elif len(parts) > 1:
                start = drawn.randrange(len(parts))
                text = joiner.join(parts[start : start + drawn.randint(1, 3)])
            if len(text) > 30:
                found.append(text)
            if len(found) >= count:
                return found
    return found


def divided(
    rows: Sequence[list[str]], *, most: int = 4_000
) -> tuple[list[list[str]], dict[str, list[list[str]]]]:
    """Return the pairs to train on, and at most so many of each group of the packages held out."""
    packages = {name: number for number, name in enumerate(sorted({row[4] for row in rows}))}
    taught: list[list[str]] = []
    held: dict[str, list[list[str]]] = {name: [] for name in GROUPS}
    for row in rows:
        kept = held[group_of(row)] if is_held(packages[row[4]]) else taught
        kept.append(row)
    return taught, {name: pairs[:most] for name, pairs in held.items()}


def sampled(rows: Sequence[list[str]], count: int, *, seed: int = 7) -> list[list[str]]:
    """Return `count` pairs, each group by its share; a smaller sample is the start of a larger one.

    A group that is used up leaves its share to the rest.
    """
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    taken: Counter[str] = Counter()
    places: list[tuple[float, int]] = []
    for number in order:
        group = group_of(rows[number])
        taken[group] += 1
        places.append((taken[group] / _SAMPLED[group], number))
    return [rows[number] for _, number in sorted(places)[:count]]


def phrases(listed: Sequence[str], counts: NDArray[np.float64], count: int, seed: int) -> list[str]:
    """Return `count` phrases of one to eight words, half of them drawn evenly.

    What the teacher makes of them says what each word adds, and how much it weighs. Fewer are the
    start of more.
    """
    made: list[str] = []
    while len(made) < count:
        drawn = np.random.default_rng([seed, len(made)])
        made += _phrases(listed, counts, _PHRASES, drawn)
    return made[:count]


def _phrases(
    listed: Sequence[str], counts: NDArray[np.float64], count: int, drawn: np.random.Generator
) -> list[str]:
    chosen = [at for at, word in enumerate(listed) if word.isascii() and word.isalpha()]
    usual = np.sqrt(counts[chosen] + 1.0)
    usual /= usual.sum()
    lengths = drawn.integers(1, 9, count)
    total = int(lengths.sum())
    evenly = drawn.integers(0, len(chosen), total)
    often = drawn.choice(len(chosen), total, p=usual)
    picked = np.where(drawn.random(total) < 0.5, evenly, often)
    ends = np.cumsum(lengths)
    return [
        " ".join(listed[chosen[at]] for at in picked[end - length : end])
        for end, length in zip(ends, lengths, strict=True)
    ]


def initial(
    listed: Sequence[str],
    counts: NDArray[np.float64],
    vectors: NDArray[np.float32],
    texts: NDArray[np.float32],
    *,
    seed: int = 1,
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return rows, log weights, and the mean and projection that turn a teacher's vectors.

    The directions kept are those in which the teacher's texts differ most, not its words.
    """
    drawn = np.random.default_rng(seed)
    is_latin = np.array([word.isascii() for word in listed])
    sample = texts[:: max(1, len(texts) // 100_000)].astype(np.float64)
    mean = sample.mean(axis=0)
    _, directions = np.linalg.eigh((sample - mean).T @ (sample - mean))
    projection = directions[:, ::-1][:, :DIMENSION]
    projection = projection * np.sign(projection[np.abs(projection).argmax(0), range(DIMENSION)])
    rows = (vectors - vectors[is_latin].mean(axis=0, dtype=np.float64)) @ projection
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    # The teacher knows little beyond Latin: such words start apart from each other.
    others = drawn.standard_normal((int((~is_latin).sum()), DIMENSION))
    rows[~is_latin] = others / np.linalg.norm(others, axis=1, keepdims=True)
    share = (counts + 1.0) / (counts.sum() + len(counts))
    weights = np.log(_SIF / (_SIF + share))
    return (
        rows.astype(np.float32),
        weights.astype(np.float32),
        mean.astype(np.float32),
        projection.astype(np.float32),
    )
