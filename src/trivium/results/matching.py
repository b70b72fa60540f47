"""A text and terms -> where in it they stand, and phrases with them.

Words are compared through the analyser of the view that found them; marks are code-point ranges.
Called for what is shown of hits, and for how sure they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from trivium.analysis import cjk, identifiers
from trivium.analysis.starts import starts_of_all
from trivium.analysis.words import Analyser

Marks = tuple[tuple[int, int], ...]

_TOKEN = re.compile(r"\w+")
# Letters, digits and underscores in lower case, all else as spaces: as long as the text.
_FOLDED = {code: chr(code).lower() if _TOKEN.match(chr(code)) else " " for code in range(128)}
_CONSONANTS = frozenset("bcdfghjklmnpqrstvwxz")
# Tokens of the hits of a query; a long text may have more.
_MOST_KNOWN = 20_000
_MOST_SEEN = 64


@dataclass(frozen=True, slots=True)
class Sought:
    """What a snippet is to show: terms as the analyser makes them, and phrases as they stand.

    `nearest` tells which of some sentences is nearest in meaning, for a text that holds none of
    the terms.
    """

    terms: frozenset[str]
    words_of: Analyser
    phrases: tuple[str, ...] = ()
    nearest: Callable[[Sequence[str]], int | None] | None = None


class Matching:
    """Finds the tokens of texts that hold terms of one query; each token is analysed once."""

    __slots__ = ("_alone", "_known", "_parted", "_seen", "_starts", "_wanted", "_words_of")

    def __init__(self, wanted: frozenset[str], words_of: Analyser) -> None:
        self._wanted = wanted
        self._words_of = words_of
        self._known: dict[str, frozenset[str]] = {}
        starts = starts_of_all(wanted)
        # Most texts have no identifier that is parted by underscores.
        self._parted = frozenset(one for one in starts if "_" in one)
        self._starts = starts - self._parted
        # A consonant is no stem of a word: it is all of it, or of a part of an identifier.
        self._alone = _CONSONANTS & wanted - starts_of_all(wanted - _CONSONANTS)
        # A text is looked through for its lines, and again for all that it holds.
        self._seen: dict[str, list[tuple[int, str, frozenset[str]]]] = {}

    def in_text(self, text: str) -> list[tuple[int, str, frozenset[str]]]:
        """Return where each token that matches starts, the token, and the terms it holds."""
        if not self._wanted:
            return []
        seen = self._seen.get(text)
        if seen is not None:
            return seen
        known = self._known
        if len(known) > _MOST_KNOWN:
            known.clear()
        found = []
        for first, last in self._likely(text):
            token = text[first:last]
            matched = known.get(token)
            if matched is None:
                matched = known[token] = self._wanted.intersection(self._words_of.terms(token))
            if matched:
                found.append((first, token, matched))
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        self._seen[text] = found
        return found

    def share(self, text: str, start: int, end: int) -> None:
        """Know of a part of a text what is known of all of it, unless that cuts a token."""
        part = text[start:end]
        whole = self._seen.get(text)
        if whole is None or part in self._seen:
            return
        if _is_inside_word(text, start) or _is_inside_word(text, end):
            return
        self._seen[part] = [
            (first - start, token, matched)
            for first, token, matched in whole
            if start <= first < end
        ]

    def _likely(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokens stand that may hold a wanted term, in order.

        Folding may change any letter that is not ASCII, so there every token is looked at.
        """
        if not text.isascii():
            return [token.span() for token in _TOKEN.finditer(text)]
        folded = text.translate(_FOLDED)
        places: set[int] = set()
        for start in self._starts | self._parted if "_" in folded else self._starts:
            is_alone = start in self._alone
            place = folded.find(start)
            while place >= 0:
                # Between two small letters no word begins, nor a part of an identifier.
                is_inside = text[place].islower() and text[place - 1 : place].islower()
                if not is_inside and not (is_alone and text[place + 1 : place + 2].islower()):
                    places.add(place)
                place = folded.find(start, place + 1)
        spans: list[tuple[int, int]] = []
        last = 0
        for place in sorted(places):
            if place < last or folded[place] == " ":
                continue
            first = folded.rfind(" ", last, place) + 1 or last
            last = folded.find(" ", place)
            last = len(text) if last < 0 else last
            spans.append((first, last))
        return spans


def _is_inside_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and bool(
        _TOKEN.match(text[place - 1]) and _TOKEN.match(text[place])
    )


@lru_cache(8)
def matching(wanted: frozenset[str], words_of: Analyser) -> Matching:
    """Return what finds these terms; it remembers the texts of a query."""
    return Matching(wanted, words_of)


def marked_with_phrases(text: str, sought: Sought) -> tuple[Marks, tuple[str, ...]]:
    """Mark terms, and phrases from their first word to their last."""
    marks, words = marked(text, sought.terms, sought.words_of)
    spans = [found.span() for phrase in sought.phrases for found in _phrase(phrase).finditer(text)]
    # One of nothing but the, of and the like was not looked for.
    whole = [one for one in spans if any(first < one[1] and one[0] < last for first, last in marks)]
    return (tuple(_merged(sorted([*marks, *whole]))), words) if whole else (marks, words)


@lru_cache(64)
def _phrase(phrase: str) -> re.Pattern[str]:
    words = _TOKEN.findall(phrase)
    # Nothing stands for a phrase of no words.
    pattern = r"\W+".join(map(re.escape, words)) if words else r"(?!)"
    return re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE)


def marked(text: str, wanted: frozenset[str], words_of: Analyser) -> tuple[Marks, tuple[str, ...]]:
    """Return the ranges of `text` that match, and a word of it for each term that does."""
    ranges: list[tuple[int, int]] = []
    words: list[str] = []
    seen: frozenset[str] = frozenset()
    for at, token, matched in matching(wanted, words_of).in_text(text):
        for first, last, found in _places(token, matched, words_of):
            ranges.append((at + first, at + last))
            words += _words(token[first:last], found - seen, words_of)
            seen |= found
    return tuple(_merged(ranges)), tuple(words)


def first_mark(text: str, wanted: frozenset[str], words_of: Analyser) -> tuple[int, int] | None:
    """Return the first range that `marked` would."""
    # Between two tokens is something else, so no range goes from one into the next.
    for at, token, matched in matching(wanted, words_of).in_text(text):
        ranges = [(at + first, at + last) for first, last, _ in _places(token, matched, words_of)]
        return _merged(ranges)[0]
    return None


def _words(word: str, terms: frozenset[str], words_of: Analyser) -> list[str]:
    """Return the word, or those parts of an identifier, that hold the terms."""
    if not terms:
        return []
    if word.islower() and word.isalpha():
        return [word]
    parts = dict.fromkeys(identifiers.split(word))
    return [part for part in parts if terms.intersection(words_of.terms(part))] or [word]


def _places(
    token: str, matched: frozenset[str], words_of: Analyser
) -> list[tuple[int, int, frozenset[str]]]:
    """Return where in a token its matched terms stand, left to right, and which they are."""
    if not matched:
        return []
    places: list[tuple[int, int, frozenset[str]]] = []
    at = 0
    for piece in cjk.pieces(token) if cjk.has_cjk(token) else ():
        found = matched.intersection(words_of.terms(piece))
        if cjk.RUN.match(piece):
            places += [
                (at + first, at + last, terms)
                for first, last, terms in _joined(_inside(piece, found, words_of))
            ]
        elif found:
            places.append((at, at + len(piece), found))
        at += len(piece)
    # An analyser that keeps runs whole matches whole tokens.
    return places or [(0, len(token), matched)]


def _inside(run: str, wanted: frozenset[str], words_of: Analyser) -> list[tuple[int, int, str]]:
    """Return where in a run the wanted words of the dictionary stand, or else the wanted pairs."""
    units = words_of.units(run) if words_of.units is not None and wanted else []
    found = sorted((one.start, one.end, one.term) for one in units if one.term in wanted)
    return found or _pairs(run, wanted)


def _joined(
    places: list[tuple[int, int, str]],
) -> list[tuple[int, int, frozenset[str]]]:
    """Return pairs that share a letter as the one word they are of, with all their terms."""
    joined: list[tuple[int, int, frozenset[str]]] = []
    for first, last, term in places:
        if joined and first < joined[-1][1]:
            start, end, terms = joined[-1]
            joined[-1] = (start, max(end, last), terms | {term})
        else:
            joined.append((first, last, frozenset({term})))
    return joined


def _pairs(run: str, wanted: frozenset[str]) -> list[tuple[int, int, str]]:
    found = [(at, at + 2, run[at : at + 2]) for at in range(len(run) - 1)]
    found = [pair for pair in found if pair[2] in wanted]
    return found or [(at, at + 1, one) for at, one in enumerate(run) if one in wanted]


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in ranges:
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def held(text: str, wanted: frozenset[str], words_of: Analyser) -> dict[str, int]:
    """Return the wanted terms that `text` holds, and in how many of its words."""
    # Not a Counter, which takes three times as long for a few.
    counts: dict[str, int] = {}
    for _, _, matched in matching(wanted, words_of).in_text(text):
        for term in matched:
            counts[term] = counts.get(term, 0) + 1
    return counts
