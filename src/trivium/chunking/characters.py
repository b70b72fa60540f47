"""Prose -> overlapping windows of a fixed number of characters.

The rule of seed 004 to the letter, so that the `rag` profile ranks the same passages. Counts
code points, never bytes. Called by chunk().
"""

from __future__ import annotations

from trivium.types import Span


def cut(text: str, *, size: int, overlap: int) -> list[Span]:
    """Cut `text` into windows of at most `size` characters that share `overlap` with the next.

    A text that fits is one span with its white space kept; longer ones are cut into spans
    without white space at their ends. An overlap that leaves no step forward is no overlap.
    """
    if not text:
        return []
    if len(text) <= size:
        return [Span(0, len(text))]
    step = size - overlap if overlap < size else size
    starts = range(0, max(len(text) - size, 0) + step, step)
    windows = (trimmed(text, Span(start, min(start + size, len(text)))) for start in starts)
    return [window for window in windows if window.start < window.end]


def trimmed(text: str, span: Span) -> Span:
    """Return the span without the white space at its ends; empty if there is nothing else."""
    piece = text[span.start : span.end]
    start = span.start + len(piece) - len(piece.lstrip())
    return Span(start, max(start, span.start + len(piece.rstrip())))
