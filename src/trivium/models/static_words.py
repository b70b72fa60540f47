"""Text -> the numbers of a static table's entries, one for each token.

Identifiers are split as analysis splits them and folded to lower case without accents; a word
that the table lacks is cut into the longest entries it has. Runs of Chinese, Japanese or Korean
become the characters and pairs the table has. The rules belong to a table: with others its
vectors mean something else, so PREPARATION is part of every model id.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from trivium.analysis import cjk, identifiers

# Raise it when a text's tokens change, or what a repeated one counts.
PREPARATION = 1

# A token that comes n times counts n to this power. Over ten sets nDCG@10 was .412 with
# 1 + ln n, .416 at .6, .419 at .7 and .420 at .8, where code loses what prose gains.
COUNT_POWER = 0.7

_ASCII_TOKEN = re.compile(r"\w+", re.ASCII)
_TOKEN = re.compile(r"\w+")
_ACCENTS = re.compile("[\u00ad\u0300-\u036f\u200b-\u200d\u2060\ufe00-\ufe0f]+")
# Longer runs of letters are keys, hashes and data, not words.
_LONGEST_TOKEN = 256
_LONGEST_WORD = 48
_CACHE_SIZE = 200_000


def words(token: str) -> list[str]:
    """Return the folded words of one token, and its runs of CJK as they stand."""
    found: list[str] = []
    for piece in (token,) if token.isascii() else cjk.pieces(token):
        if cjk.RUN.match(piece):
            found.append(piece)
        else:
            found += [_lower(word) for word in identifiers.split(piece)]
    return found


def tokens(text: str) -> list[str]:
    """Return the runs of letters, digits and underscores, accents left out."""
    if text.isascii():
        return _ASCII_TOKEN.findall(text)
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return _TOKEN.findall(unicodedata.normalize("NFKC", plain))


def _lower(word: str) -> str:
    return word.lower() if word.isascii() else word.casefold()


class Numbering:
    """Knows a vocabulary; gives each text the numbers of its entries, repeats included."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._longest = min(_LONGEST_WORD, max(map(len, vocabulary), default=0))
        # A corpus repeats its tokens: most cost one look-up.
        self._known: dict[str, tuple[int, ...]] = {}

    def knows(self, word: str) -> bool:
        """Say whether a lower-case word is an entry of its own."""
        return word in self._vocabulary

    def numbers(self, text: str) -> list[int]:
        """Return one number for each entry found; what the vocabulary lacks is passed over."""
        known = self._known
        if len(known) > _CACHE_SIZE:
            known.clear()
        found: list[int] = []
        for token in tokens(text):
            made = known.get(token)
            if made is None:
                made = self._make(token[:_LONGEST_TOKEN])
                if len(token) <= _LONGEST_WORD:
                    known[token] = made
            found += made
        return found

    def _make(self, token: str) -> tuple[int, ...]:
        vocabulary = self._vocabulary
        found: list[int] = []
        for word in words(token):
            number = vocabulary.get(word)
            if number is not None:
                found.append(number)
            elif cjk.RUN.match(word):
                parts = [*word, *cjk.pairs(word)] if len(word) > 1 else [word]
                found += [vocabulary[part] for part in parts if part in vocabulary]
            elif len(word) <= _LONGEST_WORD:
                found += self._pieces(word)
        return tuple(found)

    def _pieces(self, word: str) -> list[int]:
        """Return the longest entry the word starts with, then that of the rest, and so on."""
        found: list[int] = []
        start = 0
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._vocabulary.get(word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                start += 1
        return found
