"""Prose -> the few sentences that show best what it has to do with a query.

Sentences are whole; one that is longer than the room is cut between its words, and the cut is
shown. Called by results.snippet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trivium.parsing.front import text_start
from trivium.results.matching import Sought, first_mark, marked_with_phrases, matching
from trivium.results.sentences import sentences
from trivium.results.shortening import Extract, Snippet, shortened
from trivium.results.stretch import Stretch
from trivium.types import Span

# So much is shown.
_MOST = 320
_MOST_LINES = 8
_TOO_SHORT = 80
_ENDS = ".!?…\u3002\uff01\uff1f"
_NOTHING: frozenset[str] = frozenset()

Spans = Sequence[tuple[int, int]]


def prose(stretch: Stretch, sought: Sought) -> Snippet:
    """Return the few sentences that hold most of the terms; else the nearest; the first.

    A sentence that only meaning found is marked as a whole. Front matter is shown only for a
    match that the text after it lacks.
    """
    stretch = _without_front_matter(stretch, sought)
    text = stretch.text
    spans = sentences(text, is_cut=stretch.is_cut_before)
    if not spans:
        return Snippet("", (), stretch.first_line, ())
    found = _found_by_sentence(stretch, spans, sought)
    best, is_by_meaning = _best(stretch, spans, found, sought)
    piece = _piece(stretch, spans, found, best, sought)
    _share(stretch, piece, sought)
    marks, words = marked_with_phrases(text[piece.start : piece.end], sought)
    if is_by_meaning:
        first, last = max(spans[best][0], piece.start), min(spans[best][1], piece.end)
        marks = ((first - piece.start, last - piece.start),)
    line = stretch.first_line + text.count("\n", 0, piece.start)
    return Snippet(piece.of(text), piece.marked(marks), line, words)


def _without_front_matter(stretch: Stretch, sought: Sought) -> Stretch:
    """Return the text that tells more than the facts above it."""
    text = stretch.text
    start = 0 if stretch.is_cut_before or stretch.inside.start else text_start(text)
    if not start or start >= stretch.inside.end or not text[start:].strip():
        return stretch
    # What is cut at its end only is found from its start on.
    found = matching(sought.terms, sought.words_of)
    places = [place for place, _, _ in found.in_text(stretch.own)]
    if places and places[-1] < start:
        return stretch
    found.share(stretch.own, start, stretch.inside.end)
    return replace(
        stretch,
        text=text[start:],
        first_line=stretch.first_line + text.count("\n", 0, start),
        inside=Span(0, stretch.inside.end - start),
    )


def _found_by_sentence(stretch: Stretch, spans: Spans, sought: Sought) -> list[frozenset[str]]:
    """Return the wanted terms of each sentence, as far as it lies in what was found."""
    found = [_NOTHING] * len(spans)
    at = 0
    for place, _, matched in matching(sought.terms, sought.words_of).in_text(stretch.own):
        while at < len(spans) - 1 and stretch.inside.start + place >= spans[at][1]:
            at += 1
        found[at] |= matched
    return found


def _share(stretch: Stretch, piece: Extract, sought: Sought) -> None:
    """Let what is known of the text that was found be known of a piece of it."""
    inside = stretch.inside
    if inside.start <= piece.start and piece.end <= inside.end:
        found = matching(sought.terms, sought.words_of)
        found.share(stretch.own, piece.start - inside.start, piece.end - inside.start)


def _best(
    stretch: Stretch, spans: Spans, found: Sequence[frozenset[str]], sought: Sought
) -> tuple[int, bool]:
    """Return which sentence of what was found to show, and whether meaning alone chose it."""
    inside = stretch.inside
    own = [
        one for one, (start, end) in enumerate(spans) if start < inside.end and inside.start < end
    ] or [0]
    best = max(own, key=lambda one: (len(found[one]), -one))
    if found[best] or sought.nearest is None or len(own) == 1:
        # Of sentences that say nothing of it, one that is there from its start on.
        is_begun_before = not found[best] and spans[best][0] < inside.start
        return (own[1] if is_begun_before and len(own) > 1 else best), False
    near = sought.nearest([stretch.text[slice(*spans[one])] for one in own])
    return (best, False) if near is None else (own[near], True)


def _piece(
    stretch: Stretch, spans: Spans, found: Sequence[frozenset[str]], best: int, sought: Sought
) -> Extract:
    text = stretch.text
    # What lies at a cut end of the text is a part of a sentence.
    least = 1 if stretch.is_cut_before else 0
    most = len(spans) - (2 if stretch.is_cut_behind else 1)
    start, end = spans[best]
    piece = Extract(start, end, is_cut_before=best < least, is_cut_behind=best > most)
    if piece.is_cut_before or piece.is_cut_behind or end - start > _MOST:
        return shortened(text, piece, match=_first_match(stretch, piece, sought), most=_MOST)
    first, last = _widened(text, spans, found, best=best, within=range(least, most + 1))
    start, end = spans[first][0], spans[last][1]
    is_heading = first == last and end - start < _TOO_SHORT and text[end - 1] not in _ENDS
    if is_heading and last + 1 < len(spans):
        # A heading alone tells nothing: the sentence below it does, as far as it fits.
        piece = Extract(start, spans[last + 1][1], is_cut_behind=last + 1 > most)
        return shortened(text, piece, match=(start, end), most=_MOST)
    return Extract(start, end)


def _first_match(stretch: Stretch, piece: Extract, sought: Sought) -> tuple[int, int] | None:
    _share(stretch, piece, sought)
    mark = first_mark(stretch.text[piece.start : piece.end], sought.terms, sought.words_of)
    return (piece.start + mark[0], piece.start + mark[1]) if mark is not None else None


def _widened(
    text: str, spans: Spans, found: Sequence[frozenset[str]], *, best: int, within: range
) -> tuple[int, int]:
    """Return the first and last sentence around the best one that fit, those that match first."""
    first = last = best
    while True:
        room = [
            one
            for one in (first - 1, last + 1)
            if one in within
            and _fits(text, min(spans[first][0], spans[one][0]), max(spans[last][1], spans[one][1]))
        ]
        if not room:
            return first, last
        # What follows tells more than what came before.
        chosen = max(room, key=lambda one: (len(found[one]), one))
        first, last = min(first, chosen), max(last, chosen)


def _fits(text: str, start: int, end: int) -> bool:
    return end - start <= _MOST and text.count("\n", start, end) < _MOST_LINES
