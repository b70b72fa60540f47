"""A word that nobody wrote -> the words it may have been meant to be.

Says which words may be misspelt, how many edits lie between two words and which words are one
edit away, and writes a query as it was meant. Knows no collection: retrieval.spelling asks one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from string import ascii_lowercase

from trivium.analysis.cjk import has_cjk
from trivium.analysis.identifiers import split
from trivium.query.reading import FIELD_NAMES

_SHORTEST = 4
_SHORTEST_TWICE = 8
# Nobody misspells a longer one; it is a key or a hash.
_LONGEST = 40

# Chosen by the share of mistakes made by chance that are put right (docs/typing.md).
_LIKELIEST, _LEFT_OUT = 20.0, 5.0
_DOUBLED = re.compile(r"(.)\1+")
_TOKEN = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]+")
# What is meant exactly as it stands: quotes, fields and what is excluded; then words.
_AS_TYPED = re.compile(
    rf'-?(?:(?:{FIELD_NAMES}):)?"[^"]*"|\b(?:{FIELD_NAMES}):\S+|(?<!\S)[-!]\S+|([^\W\d_]+)'
)


def edits_allowed(word: str) -> int:
    """Return how many edits a word may be away from what was meant; 0 for one taken as it is.

    1 for 4 to 7 letters, 2 for 8 and more. Short words, numbers and text without spaces have too
    many neighbours.
    """
    if not _SHORTEST <= len(word) <= _LONGEST or not word.isalpha() or has_cjk(word):
        return 0
    return 2 if len(word) >= _SHORTEST_TWICE else 1


def parts_of(text: str) -> list[str]:
    """Return the words of `text` that may be misspelt, identifiers by their parts, lower case."""
    tokens = (one for one in _TOKEN.findall(text) if not any(map(str.isdigit, one)))
    parts = (part.lower() for token in tokens for part in split(token))
    return [part for part in parts if edits_allowed(part)]


def distance(one: str, other: str, *, most: int) -> int | None:
    """Return the edits between two words; None if above `most`.

    The first letter is hardly ever wrong: words that differ in it are never near.
    """
    return edits(one, other, most=most) if one[:1] == other[:1] else None


def edits(one: str, other: str, *, most: int) -> int | None:
    """Return how many letters were added, left out, exchanged or swapped; None if above `most`.

    Damerau (1964), no letter edited twice.
    """
    if abs(len(one) - len(other)) > most:
        return None
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for place, wanted in enumerate(other, 1):
            cost = min(
                before[place] + 1, row[place - 1] + 1, before[place - 1] + (letter != wanted)
            )
            is_swapped = (
                at > 1 and place > 1 and letter == other[place - 2] and one[at - 2] == wanted
            )
            row.append(min(cost, earlier[place - 2] + 1) if is_swapped else cost)
        if min(row) > most:
            return None
    return row[-1] if row[-1] <= most else None


def likelihood(typed: str, meant: str) -> float:
    """Return how much likelier one word was typed for another than by a wrong letter.

    Letters swapped, and ones doubled or not, are the likeliest mistakes; then ones left out.
    """
    if sorted(typed) == sorted(meant) or _DOUBLED.sub(r"\1", typed) == _DOUBLED.sub(r"\1", meant):
        return _LIKELIEST
    rest = iter(meant)
    is_left_out = len(typed) < len(meant) and all(letter in rest for letter in typed)
    return _LEFT_OUT if is_left_out else 1.0


def one_edit_away(word: str) -> Iterator[str]:
    """Yield the words one edit from a word of the letters a to z, its first letter kept."""
    for at in range(1, len(word)):
        start, letter, rest = word[:at], word[at], word[at + 1 :]
        yield start + rest
        if rest and rest[0] != letter:
            yield start + rest[0] + letter + rest[1:]
        for other in ascii_lowercase:
            if other != letter:
                yield start + other + rest
                yield start + other + letter + rest
    for other in ascii_lowercase:
        yield word + other


def is_stem_near(word: str, stem: str, *, most: int) -> bool:
    """Say whether a word, or the start of it, is so near to a stem.

    A stem is shorter than the word that was meant: autentcation is near authent.
    """
    # Each letter that the word has not is an edit: most stems are told apart by that.
    if len({*stem}.difference(word)) > most:
        return False
    lengths = range(max(len(stem) - most, 1), min(len(stem) + most, len(word)) + 1)
    return any(distance(word[:length], stem, most=most) is not None for length in lengths)


def rewritten(text: str, better: Mapping[str, str]) -> str:
    """Return a query with words, by their lower case, replaced; quotes, fields and - stay."""

    def replaced(found: re.Match[str]) -> str:
        run = found.group(1)
        if run is None:
            return found.group()
        return "".join(_cased(better.get(part.lower(), part), like=part) for part in split(run))

    return _AS_TYPED.sub(replaced, text)


def corrected(text: str, better: str) -> dict[str, str]:
    """Return which words of a query its rewritten form has otherwise, in lower case."""
    before, after = _rewritable(text), _rewritable(better)
    pairs = zip(before, after, strict=True) if len(before) == len(after) else ()
    return {one: other for one, other in pairs if one != other}


def _rewritable(text: str) -> list[str]:
    runs = (found.group(1) for found in _AS_TYPED.finditer(text))
    return [part.lower() for run in runs if run is not None for part in split(run)]


def reworded(meaning: str, better: Mapping[str, str]) -> str:
    """Return plain text with words, by their lower case, replaced."""

    def replaced(found: re.Match[str]) -> str:
        parts = split(found.group())
        return "".join(_cased(better.get(part.lower(), part), like=part) for part in parts)

    return _LETTERS.sub(replaced, meaning)


def _cased(word: str, *, like: str) -> str:
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word
