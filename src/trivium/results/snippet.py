"""A chunk -> the lines to show, with the query's words marked.

Cuts by code points and whole lines; marks are code-point ranges of what is shown. Words
are compared through the analyser of the view that found them. Called by results.fetch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trivium.analysis import cjk
from trivium.analysis.words import Analyser

_TOKEN = re.compile(r"\w+")
_WINDOW_LINES = 6
_LONGEST_LINE = 240
_START_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Snippet:
    """What to show of a chunk: its text, the marked ranges and the line it starts on."""

    text: str
    marks: tuple[tuple[int, int], ...]
    first_line: int
    terms: tuple[str, ...]


def window(text: str, *, first_line: int, wanted: frozenset[str], words_of: Analyser) -> Snippet:
    """Return the few lines of `text` that hold most of the wanted terms, the first if none do."""
    lines = text.split("\n")
    found = [_found_in(line[:_LONGEST_LINE], wanted, words_of) for line in lines]
    start = _best_start(lines, found)
    shown = [line[:_LONGEST_LINE].rstrip() for line in lines[start : start + _WINDOW_LINES]]
    while shown and not shown[-1].strip():
        shown.pop()
    kept = "\n".join(shown)
    marks, terms = marked(kept, wanted, words_of)
    return Snippet(kept, marks, first_line + start, terms)


def start(text: str, *, first_line: int, wanted: frozenset[str], words_of: Analyser) -> Snippet:
    """Return the first 200 characters, followed by "..." if there are more (seed 004)."""
    kept = text[:_START_CHARACTERS]
    marks, terms = marked(kept, wanted, words_of)
    shown = kept + "..." if len(text) > _START_CHARACTERS else kept
    return Snippet(shown, marks, first_line, terms)


def _found_in(line: str, wanted: frozenset[str], words_of: Analyser) -> frozenset[str]:
    if not wanted:
        return frozenset()
    return wanted.intersection(words_of.terms(line))


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
    """Return the ranges of `text` that match and the wanted terms they match."""
    ranges: list[tuple[int, int]] = []
    terms: dict[str, None] = {}
    for token in _TOKEN.finditer(text):
        if cjk.has_cjk(token.group()):
            for place, matched in _marked_pairs(token.group(), wanted):
                ranges.append((token.start() + place, token.start() + place + len(matched)))
                terms[matched] = None
            continue
        matched_terms = wanted.intersection(words_of.terms(token.group()))
        if matched_terms:
            ranges.append(token.span())
            terms.update(dict.fromkeys(sorted(matched_terms)))
    return tuple(_merged(ranges)), tuple(terms)


def _marked_pairs(run: str, wanted: frozenset[str]) -> list[tuple[int, str]]:
    folded = run.lower()
    if len(folded) != len(run):
        return []
    found = [(p, folded[p : p + 2]) for p in range(len(run)) if folded[p : p + 2] in wanted]
    return found or [(p, folded[p]) for p in range(len(run)) if folded[p] in wanted]


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in ranges:
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged
