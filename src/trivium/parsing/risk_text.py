"""A symbol's text -> the code in it, and its statements, brackets and expressions.

Everything keeps its place: what is no code is blanked letter for letter, so that a position found
in the code holds in the text. Knows signs, not languages. Called by risk.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trivium.parsing.risk_rules import Family

# Of what follows a place: no argument list is read further.
LONGEST_REGION = 2000
_LONGEST_STATEMENT_LINES = 12

_COMMENTS = ("//", "/*", "#", "--", "{-", "<#", "=begin")
_BRACKET = re.compile(r"[()\[\]{};\n]")
_NESTING = re.compile(r"[()\[\]{},]")
_BLOCK_AFTER = re.compile(
    r"(?:[)>]|\b(?!(?:const|let|var|return|in|of|case|yield|await)\b)\w+)\s*\Z"
)
# Kotlin and Scala put a sign between the head of a function and its body.
_FUNCTION = re.compile(r"\s*(?:\w+\s+){0,6}(?:def|fun)\b")
_GOES_ON_AFTER = (",", "+", "-", "=", "&&", "||", ".", "(", "[", "%", "\\")
_ENDS_AFTER = ("++", "--")
_GOES_ON_BEFORE = (".", "?", ":", "+", "&&", "||")
_NEVER_BEFORE = ("..", "::", "++")


def only_code(text: str, family: Family) -> str:
    """Blank comments and strings, letter for letter, but keep what strings interpolate."""

    def blanked(match: re.Match[str]) -> str:
        dead = match[0]
        kept = _interpolated(dead, family.inside) if match.groupdict().get("live") else _blank(dead)
        if dead.startswith(_COMMENTS) or len(dead) == 1:
            return kept
        # A string leaves its ends, so that nobody takes its place for an empty one.
        mark = "`" if dead[0] == "`" else '"'
        return mark + kept[1:-1] + mark

    return family.dead.sub(blanked, text)


def _interpolated(dead: str, inside: re.Pattern[str] | None) -> str:
    """Blank a string but for the code in it."""
    kept: list[str] = []
    done = 0
    for found in inside.finditer(dead) if inside is not None else ():
        group = next(n for n, value in enumerate(found.groups(), 1) if value is not None)
        kept += [_blank(dead[done : found.start(group)]), found[group]]
        done = found.end(group)
    return "".join([*kept, _blank(dead[done:])])


def _blank(text: str) -> str:
    return " " * len(text) if "\n" not in text else re.sub(r"[^\n]", " ", text)


def statements(code: str, *, has_blocks: bool) -> Iterator[tuple[int, int]]:
    """Cut code into statements: at line ends and semicolons outside brackets, and at blocks."""
    start = depth = lines = 0
    outer: list[int] = []
    for sign in _BRACKET.finditer(code):
        at, kind = sign.start(), sign[0]
        ends = False
        if kind in "([":
            depth += 1
        elif kind in ")]":
            depth = max(0, depth - 1)
        elif kind == "{":
            ends = has_blocks and _is_block(code, start, at)
            outer.append(depth if ends else -1)
            depth = 0 if ends else depth + 1
        elif kind == "}":
            before = outer.pop() if outer else 0
            ends = before >= 0
            depth = max(0, before if ends else depth - 1)
        elif kind == ";":
            ends = depth == 0
        else:
            lines += 1
            ends = lines >= _LONGEST_STATEMENT_LINES or (
                depth == 0 and not _goes_on(code, start, at)
            )
            if lines >= _LONGEST_STATEMENT_LINES:
                depth = 0
                outer.clear()
        if ends:
            yield start, at + 1
            start, lines = at + 1, 0
    yield start, len(code)


def _is_block(code: str, start: int, at: int) -> bool:
    """Whether a brace holds statements, not the parts of a value."""
    if _BLOCK_AFTER.search(code, max(start, at - 40), at) is not None:
        return True
    before = code[max(start, at - 2) : at]
    return before.endswith(("= ", "=")) and _FUNCTION.match(code, start, at) is not None


def _goes_on(code: str, start: int, end: int) -> bool:
    """Whether a statement continues on the next line."""
    before = code[max(start, end - 200) : end].rstrip()
    after = code[end : end + 200].lstrip()
    if before.endswith(_GOES_ON_AFTER):
        return not before.endswith(_ENDS_AFTER)
    return after.startswith(_GOES_ON_BEFORE) and not after.startswith(_NEVER_BEFORE)


def commas(code: str, start: int) -> Iterator[int]:
    """Yield the commas between the arguments of a call, then the end of the call."""
    depth = 0
    end = min(len(code), start + LONGEST_REGION)
    for sign in _NESTING.finditer(code, start, end):
        if sign[0] == ",":
            if depth == 0:
                yield sign.start()
        elif sign[0] in "([{":
            depth += 1
        elif depth == 0:
            yield sign.start()
            return
        else:
            depth -= 1
    yield end


def close_of(code: str, start: int) -> int:
    """Return where a call whose arguments start here is closed."""
    *_, close = commas(code, start)
    return close


def receiver(code: str, end: int) -> int:
    """Return where the expression before a place begins."""
    at, depth = end, 0
    for at in range(end - 1, max(-1, end - LONGEST_REGION), -1):
        sign = code[at]
        if sign in ")]":
            depth += 1
        elif sign in "([":
            if depth == 0:
                return at + 1
            depth -= 1
        elif depth == 0 and not (sign.isalnum() or sign in "_.$@?!:>-\"'"):
            return at + 1
    return at
