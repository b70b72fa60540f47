"""A Context -> JSON data, or text for people and agents: a heading for each piece, and its lines.

What the text takes is never more than `tokens` says; notes on it are not part of it. Called by
the doors.
"""

from __future__ import annotations

from trivium.results.context import Context, Piece
from trivium.results.present import (
    Data,
    Style,
    as_data,
    counted,
    not_searched,
    one_line,
    plain,
    printable,
    told,
)

# Of an answer's data, what a context says of its own, or does not show.
_OWN = ("results", "total", "matching", "facets", "suggestions", "didYouMean", "next")


def context_data(context: Context) -> Data:
    """Return a context as plain data with camelCase keys."""
    of_answer = {key: one for key, one in as_data(context.answer).items() if key not in _OWN}
    return {
        **of_answer,
        "maxTokens": context.max_tokens,
        "tokens": context.tokens,
        "pieces": [_piece_data(piece) for piece in context.pieces],
        "leftOut": {"hits": context.left_out, "next": list(context.next)},
    }


def context_text(context: Context, *, style: Style = plain) -> str:
    """Return the pieces with their headings, a blank line between two."""
    return "\n\n".join(
        f"{style(piece.heading, 'place')}\n{printable(piece.text)}" for piece in context.pieces
    )


def context_footer(context: Context) -> list[str]:
    """Return what a person should know about how the text was chosen, a line each."""
    pieces = counted(len(context.pieces), "piece")
    said = [f"{pieces}, {context.tokens:,} of {counted(context.max_tokens, 'token')}"]
    if not context.answer.results:
        said = []
    if context.left_out:
        paths = ", ".join(map(one_line, context.next))
        said.append(f"not shown: {counted(context.left_out, 'hit')}, first in {paths}")
    # No line counts hits that are listed: here they are not.
    passed = not_searched(context.answer) if context.answer.results else ""
    return [*said, *filter(None, [passed]), *told(context.answer)]


def _piece_data(piece: Piece) -> Data:
    best = piece.nodes[0]
    return {
        "path": piece.path,
        "startLine": piece.start_line,
        "endLine": piece.end_line,
        "id": best.id,
        "role": best.role.value,
        "rank": best.rank,
        "reason": best.reason,
        "nodes": [
            {"id": one.id, "role": one.role.value, "rank": one.rank, "reason": one.reason}
            for one in piece.nodes
        ],
        "heading": piece.heading,
        "text": piece.text,
        "tokens": piece.tokens,
        "isCut": piece.is_cut,
    }
