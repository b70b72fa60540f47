"""A file of pairs -> the texts of a training: pairs taken, pairs held out, windows, phrases, words.

Reading with a teacher and training take the same arguments from here, so that both mean the same
texts. The words are counted once and kept in a file, because every later step needs their order.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training import prepare

WORDS_OF = Path("packages/minilm/trivium_minilm")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything that is read by a teacher or numbered for the student."""

    words: list[str]
    counts: NDArray[np.float64]
    pairs: list[list[str]]
    held: dict[str, list[list[str]]]
    windows: list[str]
    phrases: list[str]

    @property
    def asks(self) -> list[str]:
        """The questions of the pairs."""
        return [row[0] for row in self.pairs]

    @property
    def named(self) -> list[str]:
        """The questions, those about code with the name of its language before them."""
        return [f"{row[3]} {row[0]}" if row[3] else row[0] for row in self.pairs]

    @property
    def answers(self) -> list[str]:
        """The answers of the pairs."""
        return [row[1] for row in self.pairs]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what says which texts are meant."""
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--extra", type=Path, help="words of other scripts, made beside the pairs")
    parser.add_argument("--words", type=Path, help="the counted words; made if it is not there")
    parser.add_argument("--words-of", type=Path, default=WORDS_OF, help="a tokenizer.json's folder")
    parser.add_argument("--vocabulary", type=int, default=56_000)
    parser.add_argument("--sample", type=int, default=0, help="so many pairs; 0 means all")
    parser.add_argument("--windows", type=int, default=600_000)
    parser.add_argument("--long", type=float, default=0.0, help="share of windows of chunk length")
    parser.add_argument("--phrases", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=128, help="the most a teacher reads")


def read(asked: argparse.Namespace) -> Corpus:
    """Return the texts that the arguments mean."""
    rows = prepare.read_pairs(asked.pairs)
    words, counts = _words(rows, asked)
    taught, held = prepare.divided(rows)
    return Corpus(
        words=words,
        counts=counts,
        pairs=prepare.sampled(taught, asked.sample) if asked.sample else taught,
        held=held,
        windows=prepare.windows(taught, asked.windows, seed=1, long_share=asked.long),
        phrases=prepare.phrases(words, counts, asked.phrases, seed=2),
    )


def _words(
    rows: list[list[str]], asked: argparse.Namespace
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the vocabulary and its counts, from their file if there is one."""
    if asked.words and asked.words.is_file():
        lines = asked.words.read_text(encoding="utf-8").splitlines()
        fields = [line.split("\t") for line in lines]
        return [word for word, _ in fields], np.array([float(count) for _, count in fields])
    tokenizer = json.loads((asked.words_of / "tokenizer.json").read_text(encoding="utf-8"))
    extra = asked.extra.read_text(encoding="utf-8").split() if asked.extra else []
    words, counts = prepare.vocabulary(
        rows,
        teacher_words=tokenizer["model"]["vocab"],
        extra=extra,
        size=asked.vocabulary,
        processes=asked.processes,
    )
    if asked.words:
        lines = [f"{word}\t{count:.0f}" for word, count in zip(words, counts, strict=True)]
        asked.words.parent.mkdir(parents=True, exist_ok=True)
        asked.words.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return words, counts
