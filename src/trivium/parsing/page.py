"""A document -> the blocks of its front matter, each with its key and where it stands.

So that one value can be read or changed in its place while all around it stays as it was
written. What cannot be read is named in `problems` and kept. Pure. Used for memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trivium.types import Span

_FENCE = re.compile(r"\ufeff?---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_KEY = re.compile(
    r"(?:\"([^\"\n]+)\"|'([^'\n]+)'|([^\W\d][\w .-]*)):(?:[ \t]+([^\r\n]*)|(?=\r?\n|\Z))"
)
_NOT_IN_KEY = re.compile(r"[\s_.\-]+")
# A value that begins so may go on over any lines below.
_OPENERS = ("[", "{", '"', "'", "|", ">")
_MOST_BLOCKS = 1000
_MOST_PROBLEMS = 20
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Block:
    """One key with its value, or a comment or gap, whose key is empty.

    The key is bare: `dueDate`, `due_date` and `Due-Date` are all duedate.
    """

    key: str
    span: Span


@dataclass(frozen=True, slots=True)
class Page:
    """A text, the blocks of its front matter, where that ends and where the body starts.

    Without front matter, and with one that is never closed, `front` is None.
    """

    text: str
    blocks: tuple[Block, ...]
    front: Span | None
    body: int
    problems: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether front matter begins here and never ends."""
        return self.front is None and bool(self.problems)

    def block(self, *keys: str) -> Block | None:
        """Return the last block with one of these bare keys, as readers of YAML do."""
        found = [one for one in self.blocks if one.key and one.key in keys]
        return found[-1] if found else None


def bare_key(key: str) -> str:
    """Return a key without what people write differently: case, dashes, underscores."""
    return _NOT_IN_KEY.sub("", key).lower()


def page_of(text: str) -> Page:
    """Read the front matter of a text into blocks."""
    opening = _FENCE.match(text)
    if opening is None:
        return Page(text, (), None, 0)
    closing = _END.search(text, opening.end())
    if closing is None:
        return Page(text, (), None, 0, ("The front matter is never closed by a line of ---.",))
    front = Span(opening.end(), closing.start())
    blocks, problems = _blocks(text, front)
    return Page(text, tuple(blocks), front, closing.end(), tuple(problems))


def _blocks(text: str, front: Span) -> tuple[list[Block], list[str]]:
    found: list[Block] = []
    problems: list[str] = []
    goes_on = False
    for number, line in enumerate(_LINE.finditer(text, front.start, front.end), 2):
        said = line[0].strip()
        is_deeper = line[0][:1] in " \t" or said == "-" or said.startswith("- ")
        key = None if is_deeper else _KEY.match(line[0])
        span = Span(line.start(), line.end())
        if key is not None and len(found) < _MOST_BLOCKS:
            name = bare_key(key[1] or key[2] or key[3])
            if any(one.key == name for one in found):
                problems.append(f"Line {number}: {_shown(said)} is there twice; the last counts.")
            found.append(Block(name, span))
            goes_on = (key[4] or "").startswith(_OPENERS)
        elif said and not said.startswith("#") and found and found[-1].key:
            found[-1] = Block(found[-1].key, Span(found[-1].span.start, line.end()))
            if not is_deeper and not goes_on and len(problems) < _MOST_PROBLEMS:
                problems.append(f"Line {number} cannot be read: {_shown(said)}")
        elif (is_deeper or goes_on) and found and found[-1].key:
            # A comment or a gap inside a value.
            found[-1] = Block(found[-1].key, Span(found[-1].span.start, line.end()))
        else:
            if said and not said.startswith("#") and len(problems) < _MOST_PROBLEMS:
                problems.append(f"Line {number} cannot be read: {_shown(said)}")
            found.append(Block("", span))
    return found, problems[:_MOST_PROBLEMS]


def _shown(line: str) -> str:
    return repr(line if len(line) <= _LONGEST_SHOWN else line[:_LONGEST_SHOWN] + "…")
