"""A chunk -> what to show of it, with the query's words and phrases marked.

Code is shown in whole lines, prose in whole sentences, and neither is cut inside a character that
people see; marks are code-point ranges of what is shown.
"""

from __future__ import annotations

from trivium.results.lines import lines
from trivium.results.matching import Sought, marked_with_phrases
from trivium.results.prose import prose
from trivium.results.shortening import Snippet
from trivium.results.stretch import Stretch
from trivium.types import PROSE, Node

_START_CHARACTERS = 200


def is_prose(node: Node) -> bool:
    """Whether a node is written in sentences; an example in a page is not."""
    return node.kind in PROSE and node.type != "code block"


def shown(stretch: Stretch, node: Node, sought: Sought) -> Snippet:
    """Return what to show of a node's text: sentences of prose, else lines."""
    return prose(stretch, sought) if is_prose(node) else lines(stretch, sought)


def start(text: str, *, first_line: int, sought: Sought) -> Snippet:
    """Return the first 200 characters, followed by "..." if there are more (seed 004)."""
    kept = text[:_START_CHARACTERS]
    marks, words = marked_with_phrases(kept, sought)
    shown = kept + "..." if len(text) > _START_CHARACTERS else kept
    return Snippet(shown, marks, first_line, words)
