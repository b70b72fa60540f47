"""A chunk -> what to show of it, with the query's words and phrases marked.

Code is cut by whole lines, prose by whole sentences, and neither inside a character that people
see; marks are code-point ranges of what is shown. Words are compared through the analyser of
the view that found them. Called by results.fetch.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from trivium.analysis import cjk, identifiers
from trivium.analysis.graphemes import boundary
from trivium.analysis.starts import starts_of_all
from trivium.analysis.words import Analyser
from trivium.parsing.front import text_start
from trivium.results.sentences import sentences
from trivium.types import PROSE, Node

_TOKEN = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")
# Letters, digits and underscores in lower case, all else as spaces: as long as the text.
_FOLDED = {code: chr(code).lower() if _TOKEN.match(chr(code)) else " " for code in range(128)}
_WINDOW_LINES = 6
_LONGEST_LINE = 240
_LEAD_IN = 60
# So much of prose is shown, if sentences end there.
_PROSE_CHARACTERS = 320
_TOO_SHORT = 80
_LONGEST_WORD = 60
# A list without marks is one sentence to us.
_PROSE_LINES = 8
_START_CHARACTERS = 200
_NOTHING: frozenset[str] = frozenset()
_CONSONANTS = frozenset("bcdfghjklmnpqrstvwxz")
# Tokens of the hits of a query; a long text may have more.
_MOST_KNOWN = 20_000
_MOST_SEEN = 64


@dataclass(frozen=True, slots=True)
class Snippet:
    """What to show of a chunk: its text, the marked ranges and the line it starts on.

    `words` are those that matched, as they stand in the text, one for each term.
    """

    text: str
    marks: tuple[tuple[int, int], ...]
    first_line: int
    words: tuple[str, ...]


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


def is_prose(node: Node) -> bool:
    """Whether a node is written in sentences; an example in a page is not."""
    return node.kind in PROSE and node.type != "code block"


def shown(
    text: str, *, first_line: int, sought: Sought, is_prose: bool, is_cut: bool = False
) -> Snippet:
    """Return what to show of a text: sentences of prose, else lines."""
    if is_prose:
        return prose(text, first_line=first_line, sought=sought, is_cut=is_cut)
    return window(text, first_line=first_line, sought=sought)


def prose(text: str, *, first_line: int, sought: Sought, is_cut: bool = False) -> Snippet:
    """Return the few sentences of `text` that hold most of the terms; else the nearest; the first.

    A sentence that only meaning found is marked as a whole. A text that `is_cut` from a longer
    one may start inside a word, which is not shown. Front matter is shown only for a match that
    the text after it lacks.
    """
    after = 0 if is_cut else _after_front_matter(text, sought)
    line = first_line + text.count("\n", 0, after)
    return _sentences_of(text[after:], first_line=line, sought=sought, is_cut=is_cut)


def _sentences_of(text: str, *, first_line: int, sought: Sought, is_cut: bool) -> Snippet:
    spans = sentences(text)
    if not spans:
        return Snippet("", (), first_line, ())
    found = _found_by_sentence(text, spans, sought)
    best = max(range(len(spans)), key=lambda one: (len(found[one]), -one))
    marks_all = False
    if not found[best] and sought.nearest is not None and len(spans) > 1:
        near = sought.nearest([text[start:end] for start, end in spans])
        best, marks_all = (best, False) if near is None else (near, True)
    first, last = _widened(spans, found, best)
    start, end = spans[first][0], spans[last][1]
    if end - start > _PROSE_CHARACTERS:
        start, end = _within(text, start, end, sought)
    elif end - start < _TOO_SHORT and last + 1 < len(spans):
        # A heading alone tells nothing: the sentence below it does, as far as it fits.
        end = _last_word(text, start, spans[last + 1][1])
    if is_cut and start == spans[0][0]:
        start = _first_word(text, start, end, sought)
    kept = "\n".join(text[start:end].split("\n")[:_PROSE_LINES]).rstrip()
    _matching(sought.terms, sought.words_of).share(text, start, start + len(kept))
    marks, words = _marked_with_phrases(kept, sought)
    if marks_all:
        marks = (_shared(spans[best], (start, start + len(kept))),)
    return Snippet(kept, marks, first_line + text.count("\n", 0, start), words)


def _after_front_matter(text: str, sought: Sought) -> int:
    """Return where the text starts that tells more than the facts above it, or 0."""
    start = text_start(text)
    if not text[start:].strip():
        return 0
    matching = _matching(sought.terms, sought.words_of)
    places = [place for place, _, _ in matching.in_text(text)] if start else []
    if places and places[-1] < start:
        return 0
    matching.share(text, start, len(text))
    return start


def _found_by_sentence(
    text: str, spans: Sequence[tuple[int, int]], sought: Sought
) -> list[frozenset[str]]:
    """Return the wanted terms of each sentence."""
    found = [_NOTHING] * len(spans)
    at = 0
    for place, _, matched in _matching(sought.terms, sought.words_of).in_text(text):
        while at < len(spans) - 1 and place >= spans[at][1]:
            at += 1
        found[at] |= matched
    return found


def _widened(
    spans: Sequence[tuple[int, int]], found: Sequence[frozenset[str]], best: int
) -> tuple[int, int]:
    """Return the first and last sentence around the best one that fit, those that match first."""
    first = last = best
    while True:
        sides = [one for one in (first - 1, last + 1) if 0 <= one < len(spans)]
        room = [
            one
            for one in sides
            if max(spans[last][1], spans[one][1]) - min(spans[first][0], spans[one][0])
            <= _PROSE_CHARACTERS
        ]
        if not room:
            return first, last
        # What follows tells more than what came before.
        chosen = max(room, key=lambda one: (len(found[one]), one))
        first, last = min(first, chosen), max(last, chosen)


def _within(text: str, start: int, end: int, sought: Sought) -> tuple[int, int]:
    """Return the part of one long sentence that starts shortly before its first match."""
    _matching(sought.terms, sought.words_of).share(text, start, end)
    marks, _ = marked(text[start:end], sought.terms, sought.words_of)
    first = start + marks[0][0] if marks and marks[0][1] > _PROSE_CHARACTERS else start
    begin = max(start, first - _LEAD_IN)
    if begin > start:
        # From the start of a word, if there is one before the match.
        begin = text.find(" ", begin, first) + 1 or boundary(text, begin)
    return begin, _last_word(text, begin, end)


def _first_word(text: str, start: int, end: int, sought: Sought) -> int:
    """Return where the second word starts, if it is not far and the first was not asked for."""
    found = _SPACE.search(text, start, min(end, start + _LONGEST_WORD))
    if found is None or found.end() >= end:
        return start
    is_asked_for = marked(text[start : found.start()], sought.terms, sought.words_of)[0]
    return start if is_asked_for else found.end()


def _last_word(text: str, start: int, end: int) -> int:
    """Return where the last word ends that fits, of what is shown from `start` on."""
    most = start + _PROSE_CHARACTERS
    if end <= most:
        return end
    at_word = text.rfind(" ", start + _PROSE_CHARACTERS // 2, most)
    return at_word if at_word > 0 else boundary(text, most)


def _shared(one: tuple[int, int], shown: tuple[int, int]) -> tuple[int, int]:
    """Return where in what is shown a range of the text lies."""
    start, end = max(one[0], shown[0]), min(one[1], shown[1])
    return start - shown[0], end - shown[0]


def _marked_with_phrases(
    text: str, sought: Sought
) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
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


def window(text: str, *, first_line: int, sought: Sought) -> Snippet:
    """Return the few lines of `text` that hold most of the wanted terms, the first if none do."""
    wanted, words_of = sought.terms, sought.words_of
    lines = text.split("\n")
    start = _best_start(lines, _found_by_line(text, lines, wanted, words_of))
    shown = [_shortened(line, wanted, words_of) for line in lines[start : start + _WINDOW_LINES]]
    while shown and not shown[-1].strip():
        shown.pop()
    kept = "\n".join(shown)
    marks, words = _marked_with_phrases(kept, sought)
    return Snippet(kept, marks, first_line + start, words)


def start(text: str, *, first_line: int, sought: Sought) -> Snippet:
    """Return the first 200 characters, followed by "..." if there are more (seed 004)."""
    kept = text[:_START_CHARACTERS]
    marks, words = _marked_with_phrases(kept, sought)
    shown = kept + "..." if len(text) > _START_CHARACTERS else kept
    return Snippet(shown, marks, first_line, words)


def _shortened(line: str, wanted: frozenset[str], words_of: Analyser) -> str:
    """Return the line, or the part of a long one that starts shortly before the first match."""
    if len(line) <= _LONGEST_LINE:
        return line.rstrip()
    marks, _ = marked(line, wanted, words_of)
    first = marks[0][0] if marks and marks[0][1] > _LONGEST_LINE else 0
    start = max(0, first - _LEAD_IN)
    # From the start of a word, if there is one before the match.
    start = line.find(" ", start, first) + 1 or boundary(line, start) if start else 0
    return line[start : boundary(line, start + _LONGEST_LINE)].rstrip()


def _found_by_line(
    text: str, lines: list[str], wanted: frozenset[str], words_of: Analyser
) -> list[frozenset[str]]:
    """Return the wanted terms of each line."""
    matching = _matching(wanted, words_of)
    if not text.isascii():
        return [
            frozenset().union(*[matched for _, _, matched in matching.in_text(line)])
            for line in lines
        ]
    found = [_NOTHING] * len(lines)
    line, end = 0, len(lines[0])
    # Where lines end is counted up to the next match only: most lines have none.
    for at, _, matched in matching.in_text(text):
        while at > end:
            line += 1
            end += 1 + len(lines[line])
        found[line] |= matched
    return found


class _Matching:
    """Finds the tokens of texts that hold terms of one query; each token is analysed once."""

    __slots__ = ("_alone", "_known", "_seen", "_starts", "_wanted", "_words_of")

    def __init__(self, wanted: frozenset[str], words_of: Analyser) -> None:
        self._wanted = wanted
        self._words_of = words_of
        self._known: dict[str, frozenset[str]] = {}
        self._starts = starts_of_all(wanted)
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
        for start in self._starts:
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
def _matching(wanted: frozenset[str], words_of: Analyser) -> _Matching:
    return _Matching(wanted, words_of)


def _best_start(lines: list[str], found: list[frozenset[str]]) -> int:
    """Return where the window with most distinct terms starts; the earliest wins a tie."""
    best, best_score = 0, (0, 0)
    for place in range(len(lines)):
        if place and not found[place]:
            # A better window starts on a line that matches.
            continue
        inside = found[place : place + _WINDOW_LINES]
        distinct: set[str] = set().union(*inside)
        score = (len(distinct), sum(map(len, inside)))
        if score > best_score:
            best, best_score = place, score
    # A line of lead-in tells where the match stands; blank ones tell nothing.
    if best > 0 and best_score[0] and lines[best - 1].strip():
        best -= 1
    while best < len(lines) - 1 and not lines[best].strip():
        best += 1
    return best


def marked(
    text: str, wanted: frozenset[str], words_of: Analyser
) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """Return the ranges of `text` that match, and a word of it for each term that does."""
    ranges: list[tuple[int, int]] = []
    words: list[str] = []
    seen: frozenset[str] = frozenset()
    for at, token, matched in _matching(wanted, words_of).in_text(text):
        for first, last, found in _places(token, matched, words_of):
            ranges.append((at + first, at + last))
            words += _words(token[first:last], found - seen, words_of)
            seen |= found
    return tuple(_merged(ranges)), tuple(words)


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


def held(text: str, wanted: frozenset[str], words_of: Analyser) -> Counter[str]:
    """Return the wanted terms that `text` holds, and in how many of its words."""
    found = _matching(wanted, words_of).in_text(text)
    return Counter(chain.from_iterable([matched for _, _, matched in found]))
