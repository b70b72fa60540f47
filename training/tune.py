"""A folder of one's own and the shipped table -> a table tuned to that folder, if it is better.

Pairs are mined from the folder (doc comment -> code, heading -> section), a fifth of its files
is held out, and the table is trained on the rest with numpy alone: InfoNCE inside batches,
Adagrad on the rows that a batch touches. Frequent words that the table lacks get rows of their
own, which start as the sum of their pieces. Prints what was gained on the files held out, and
writes nothing that is worse.

    python -m training.tune FOLDER --out tuned.bin [--judged BEIR_FOLDER]

Use the result with `embedder = "static:/path/tuned.bin"`.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.evaluate import Judgement
from training.mine import Miner, Pair, is_source
from training.soup import read, whole
from training.text import name_words
from trivium.errors import TriviumError
from trivium.models.static import FILE, StaticEmbedder
from trivium.models.static_table import Table, plain_table, write_table
from trivium.models.static_words import COUNT_POWER, Numbering, tokens, words
from trivium.sources.base import Raw
from trivium.sources.files import FolderSource

Floats = NDArray[np.float32]
SHIPPED = Path(__file__).parents[1] / "src" / "trivium" / "models" / FILE
# A table for a handful of pairs would only learn them by heart.
FEWEST_PAIRS, FEWEST_FILES = 200, 10
_MOST_PAIRS = 60_000
_MOST_HELD = 4000
_SECONDS_A_FILE = 2.0
_LONGEST_ANSWER = 480
_TEMPERATURE = 0.05
_DROPPED = 0.15
# How much a row moves when it is first met; rows are one long in the mean.
_RATE = 0.01
_NEW_WORDS, _FEWEST_USES = 4000, 5
_SHARES = (0.25, 0.5, 0.75, 1.0)
_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Split:
    """Pairs to train on, to choose by, and to report; no file is in two of them."""

    train: list[Pair]
    choose: list[Pair]
    report: list[Pair]


@dataclass(frozen=True, slots=True)
class Gain:
    """What a score was and is over the same questions, and where 95 % of redraws end up."""

    before: float
    after: float
    low: float
    high: float

    def __str__(self) -> str:
        return (
            f"{self.before:.3f} -> {self.after:.3f} "
            f"({self.after - self.before:+.3f}, 95 %: {self.low:+.3f} to {self.high:+.3f})"
        )


def mined(folder: Path) -> list[Pair]:
    """Return the pairs of a folder's files, ignored files left out; the package is the file."""
    source = FolderSource(folder)
    title = name_words(folder.resolve().name)
    found: list[Pair] = []
    for entry in source.list().entries:
        if len(found) >= _MOST_PAIRS:
            break
        if not is_source(entry.path, entry.size_bytes):
            continue
        raw = source.read(entry)
        if isinstance(raw, Raw) and raw.text:
            miner = Miner(entry.path, cap=400, seconds=_SECONDS_A_FILE, title=title)
            miner.read(entry.path, raw.text)
            found += miner.pairs
    seen: set[tuple[str, str]] = set()
    distinct = []
    for pair in found:
        key = (pair.q.lower(), pair.d[:200].lower())
        if key not in seen:
            seen.add(key)
            distinct.append(pair._replace(d=pair.d[:_LONGEST_ANSWER]))
    return distinct


def split(pairs: Sequence[Pair]) -> Split:
    """Hold out a fifth of the files to report on, and a tenth to choose by."""
    parts: dict[str, list[Pair]] = {"train": [], "choose": [], "report": []}
    for pair in pairs:
        drawn = hashlib.sha256(pair.package.encode("utf-8", "replace")).digest()[0]
        parts["report" if drawn < 51 else "choose" if drawn < 77 else "train"].append(pair)
    return Split(**parts)


def with_new_words(table: Table, pairs: Sequence[Pair]) -> tuple[list[str], Floats]:
    """Return the words and weighted rows, and those of frequent words the table lacks."""
    known = set(table.words)
    counts = Counter(
        word
        for pair in pairs
        for token in tokens(f"{pair.q} {pair.d}")
        for word in words(token)
        if word not in known and 3 < len(word) <= 30 and word.isascii() and not word.isdigit()
    )
    new = [word for word, count in counts.most_common(_NEW_WORDS) if count >= _FEWEST_USES]
    rows = whole(table).astype(np.float32)
    numbering = Numbering({word: number for number, word in enumerate(table.words)})
    sums = [rows[numbering.numbers(word)].sum(axis=0) for word in new]
    return [*table.words, *new], np.vstack([rows, *sums])


class Bags:
    """Texts as the numbers of their entries and what each counts."""

    def __init__(self, texts: Sequence[str], numbering: Numbering) -> None:
        self._bags = []
        for text in texts:
            counts = Counter(numbering.numbers(text))
            numbers = np.fromiter(counts, dtype=np.int64, count=len(counts))
            factors = np.array([n**COUNT_POWER for n in counts.values()], dtype=np.float32)
            self._bags.append((numbers, factors))

    def __len__(self) -> int:
        return len(self._bags)

    def matrix(
        self, chosen: Sequence[int] | NDArray[np.int64], drawn: np.random.Generator | None = None
    ) -> tuple[NDArray[np.int64], Floats]:
        """Return the entries that occur, and how much each counts in each chosen text."""
        bags = [self._bags[at] for at in chosen]
        flat = np.concatenate([numbers for numbers, _ in bags])
        factors = np.concatenate([factors for _, factors in bags])
        if drawn is not None:
            factors = factors * (drawn.random(len(factors)) >= _DROPPED)
        entries, places = np.unique(flat, return_inverse=True)
        made = np.zeros((len(bags), len(entries)), dtype=np.float32)
        made[np.repeat(np.arange(len(bags)), [len(numbers) for numbers, _ in bags]), places] = (
            factors
        )
        return entries, made

    def vectors(self, rows: Floats) -> Floats:
        """Return the unit vector of each text."""
        made = np.zeros((len(self), rows.shape[1]), dtype=np.float32)
        for start in range(0, len(self), 256):
            chosen = range(start, min(len(self), start + 256))
            entries, counts = self.matrix(chosen)
            made[start : start + 256] = _unit(counts @ rows[entries])[0]
        return made


def _unit(vectors: Floats) -> tuple[Floats, Floats]:
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return vectors / lengths, lengths


def slopes(asks: Floats, answers: Floats, barred: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the slope of symmetric InfoNCE for sums of rows, by question and by answer."""
    ask, ask_lengths = _unit(asks)
    answer, answer_lengths = _unit(answers)
    scores = ask @ answer.T / _TEMPERATURE
    scores[barred] = -1e4
    wanted = np.eye(len(scores), dtype=np.float32)
    by_ask = np.exp(scores - scores.max(axis=1, keepdims=True))
    by_ask /= by_ask.sum(axis=1, keepdims=True)
    by_answer = np.exp(scores - scores.max(axis=0, keepdims=True))
    by_answer /= by_answer.sum(axis=0, keepdims=True)
    slope = (by_ask + by_answer - 2 * wanted) / (2 * len(scores) * _TEMPERATURE)
    of_ask, of_answer = slope @ answer, slope.T @ ask
    return (
        (of_ask - ask * (of_ask * ask).sum(axis=1, keepdims=True)) / ask_lengths,
        (of_answer - answer * (of_answer * answer).sum(axis=1, keepdims=True)) / answer_lengths,
    )


def trained(
    start: Floats,
    pairs: Sequence[Pair],
    numbering: Numbering,
    *,
    steps: int,
    batch: int = 256,
    sizes: Sequence[int] = (64, 128, 256),
    seed: int = 1,
) -> Floats:
    """Return the rows after so many steps; half of a batch are neighbours in their files."""
    drawn = np.random.default_rng(seed)
    rows = start.copy()
    asks = Bags([pair.q for pair in pairs], numbering)
    answers = Bags([pair.d for pair in pairs], numbering)
    same_ask = np.array([hash(pair.q.lower()) for pair in pairs])
    same_answer = np.array([hash(pair.d[:200].lower()) for pair in pairs])
    squares = np.full(len(rows), 1e-12, dtype=np.float64)
    half = min(batch, len(pairs)) // 2
    shares = {size: (0.15, 0.3)[at] if at < 2 else 1.0 for at, size in enumerate(sizes[-3:])}
    for step in range(steps):
        runs = drawn.integers(0, max(1, len(pairs) - 8), max(1, half // 8))
        chosen = np.unique(
            np.concatenate(
                [drawn.integers(0, len(pairs), half), (runs[:, None] + np.arange(8)).ravel()]
            )
            % len(pairs)
        )
        barred = same_ask[chosen][:, None] == same_ask[chosen]
        barred |= same_answer[chosen][:, None] == same_answer[chosen]
        np.fill_diagonal(barred, val=False)
        parts = [bags.matrix(chosen, drawn) for bags in (asks, answers)]
        sums = [counts @ rows[entries] for entries, counts in parts]
        total = [np.zeros_like(one) for one in sums]
        for size, share in shares.items():
            for whole_slope, slope in zip(
                total, slopes(sums[0][:, :size], sums[1][:, :size], barred), strict=True
            ):
                whole_slope[:, :size] += share * slope
        rate = _RATE * (1.0 - step / steps)
        for (entries, counts), slope in zip(parts, total, strict=True):
            moved = counts.T @ slope
            squares[entries] += np.square(moved, dtype=np.float64).mean(axis=1)
            rows[entries] -= (rate / np.sqrt(squares[entries]))[:, None].astype(np.float32) * moved
    return rows


def ranks(rows: Floats, pairs: Sequence[Pair], numbering: Numbering) -> NDArray[np.float64]:
    """Return the rank of each question's own answer among all answers."""
    asks = Bags([pair.q for pair in pairs], numbering).vectors(rows)
    answers = Bags([pair.d for pair in pairs], numbering).vectors(rows)
    scores = asks @ answers.T
    found: NDArray[np.float64] = (scores > scores.diagonal()[:, None]).sum(axis=1) + 1.0
    return found


def gain(before: NDArray[np.float64], after: NDArray[np.float64]) -> Gain:
    """Return the means of two scores of the same questions and a paired bootstrap interval."""
    differences = after - before
    drawn = np.random.default_rng(7)
    means = [
        differences[drawn.integers(0, len(differences), len(differences))].mean()
        for _ in range(_DRAWS)
    ]
    low, high = np.percentile(means, [2.5, 97.5])
    return Gain(float(before.mean()), float(after.mean()), float(low), float(high))


def ndcg(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return nDCG@10 of ranks of the one right answer."""
    return np.where(found <= 10, 1.0 / np.log2(found + 1.0), 0.0)


def tabled(listed: Sequence[str], rows: Floats, sizes: Sequence[int]) -> Table:
    """Return rows of any length as a table of unit rows and their weights."""
    unit, lengths = _unit(rows)
    return plain_table(listed, lengths[:, 0].astype(np.float32), unit, sizes=sizes)


def tune(folder: Path, start: Path, *, steps: int) -> tuple[Table, Gain, Gain]:
    """Return the tuned table and its gains on files held out: reciprocal rank and nDCG@10."""
    pairs = mined(folder)
    files = len({pair.package for pair in pairs})
    if len(pairs) < FEWEST_PAIRS or files < FEWEST_FILES:
        raise SystemExit(
            f"{folder} gives {len(pairs)} pairs of {files} files: at least {FEWEST_PAIRS} pairs of "
            f"{FEWEST_FILES} files are needed. Pairs come from doc comments, headings and lists."
        )
    parts = split(pairs)
    if min(len(parts.train), len(parts.choose), len(parts.report)) < 10:
        raise SystemExit(f"Nearly all pairs of {folder} are in one file: none can be held out.")
    table = read(start)
    listed, rows = with_new_words(table, parts.train)
    numbering = Numbering({word: number for number, word in enumerate(listed)})
    print(
        f"{len(pairs)} pairs of {files} files: {len(parts.train)} to train on, "
        f"{len(parts.choose)} to choose by, {len(parts.report)} held out; "
        f"{len(listed) - len(table.words)} new words",
        flush=True,
    )
    made = trained(rows, parts.train, numbering, steps=steps, sizes=table.sizes)
    choose, report = parts.choose[:_MOST_HELD], parts.report[:_MOST_HELD]
    mixes = {share: rows + share * (made - rows) for share in _SHARES}
    scores = {share: (1 / ranks(mix, choose, numbering)).mean() for share, mix in mixes.items()}
    share = max(scores, key=lambda one: scores[one])
    # The shipped table as it is, with its own words, is what the tuned one has to beat.
    shipped = Numbering({word: number for number, word in enumerate(table.words)})
    before = ranks(whole(table).astype(np.float32), report, shipped)
    tuned = tabled(listed, mixes[share], table.sizes)
    after = ranks(whole(tuned).astype(np.float32), report, numbering)
    print(f"took {share:.0%} of the way, as the files to choose by say")
    return tuned, gain(1 / before, 1 / after), gain(ndcg(before), ndcg(after))


def main() -> None:
    """Tune, report, and write what is better."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, default=SHIPPED)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--judged", type=Path, help="a BEIR folder to score before and after")
    parser.add_argument("--split", default="test")
    parser.add_argument("--force", action="store_true", help="write a worse table, too")
    asked = parser.parse_args()
    began = time.monotonic()
    try:
        table, rank_gain, ndcg_gain = tune(asked.folder, asked.start, steps=asked.steps)
    except TriviumError as error:
        raise SystemExit(str(error)) from error
    print(f"held-out files, reciprocal rank {rank_gain}")
    print(f"held-out files, nDCG@10 {ndcg_gain}")
    print(f"{time.monotonic() - began:.0f} s")
    if rank_gain.after <= rank_gain.before and not asked.force:
        raise SystemExit("The tuned table is no better: nothing was written (--force writes it).")
    asked.out.write_bytes(write_table(table))
    if asked.judged:
        judged = Judgement(asked.judged, asked.split, asked.out.parent)
        for path in (asked.start, asked.out):
            score = judged.score(judged.dense(StaticEmbedder(path)))
            print(f"{judged.name} nDCG@10 {score:.3f} with {path.name}")


if __name__ == "__main__":
    main()
