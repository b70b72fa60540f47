"""Prose and the code spans in it -> the names of code that they mention.

In a code span every name of three letters counts; in running text only one that no word of a
language looks like: with an inner capital, an underscore, a dot or call parentheses. Which
symbol a name means is not known here. Called by the parsers of documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trivium.parsing.detect import UNKNOWN, detect
from trivium.parsing.references import Found
from trivium.types import EdgeType

_SHORTEST = 3
_LONGEST = 200

_WORD = r"(?:[^\W\d]|\\_|\$)(?:\w|\\_|\$)*+"
# A whole chain of names; what is part of a path, an address, an option or a number is none.
_IN_TEXT = re.compile(
    rf"(?<![\w./\\@$#-])({_WORD}(?:(?:\.|::){_WORD})*+)(?![/@\\]|-\w|:\d|://)(\([^()\n]{{0,80}}\))?"
)
_IN_CODE = re.compile(
    rf"(?<![\w./\\$-])({_WORD}(?:(?:\.|::|->|\#){_WORD})*+)(?![/@\\]|-\w|://)(\()?"
)
_STRING = re.compile(r"\"[^\"]*+\"|'[^']*+'")
_SEPARATOR = re.compile(r"\.|::|->|#")
# file(s), match(es), ls(1): what parentheses hold when they are no call.
_NO_CALL = re.compile(r"\((?:e?s|ies|\d)\)")
_PLURAL = re.compile(r"[A-Z0-9]+s")
_NO_NAMES = frozenset(
    ["false", "nil", "none", "null", "self", "super", "this", "true", "undefined", "void"]
)


def in_text(running: str, *, offset: int) -> Iterator[Found]:
    """Yield the names in running text, from which code, links and markup have been blanked."""
    for match in _IN_TEXT.finditer(running):
        chain = match[1].replace("\\_", "_")
        parenthesis = match[2] or ""
        is_call = bool(parenthesis) and not _NO_CALL.fullmatch(parenthesis)
        chain = _without_emphasis(chain)
        if is_call or _looks_like_code(chain):
            yield from _mention(chain, offset + match.start(), is_call=is_call)


def in_code(code: str, *, offset: int) -> Iterator[Found]:
    """Yield the names in a code span: all of them but those in strings."""
    plain = _STRING.sub(lambda match: " " * len(match[0]), code)
    for match in _IN_CODE.finditer(plain):
        yield from _mention(match[1], offset + match.start(), is_call=bool(match[2]))


def exact(name: str, *, at: int) -> Iterator[Found]:
    """Yield a name that the text itself marks as one of code, such as `:func:` does."""
    chain = name.strip().lstrip("~!.").removesuffix("()").strip()
    if _IN_CODE.fullmatch(chain):
        yield from _mention(chain, at, is_call=True, shortest=1)


def _looks_like_code(chain: str) -> bool:
    if "." in chain or "::" in chain or "_" in chain.strip("_"):
        return True
    inner = chain[1:]
    has_capital = inner != inner.lower() and chain != chain.upper()
    return has_capital and not _PLURAL.fullmatch(chain)


def _without_emphasis(chain: str) -> str:
    """Return `name` of `_name_`: in Markdown that is emphasis."""
    is_emphasis = chain.startswith("_") and chain.endswith("_") and len(chain) > 1
    return chain.strip("_") if is_emphasis else chain


def _mention(chain: str, at: int, *, is_call: bool, shortest: int = _SHORTEST) -> Iterator[Found]:
    if len(chain) > _LONGEST:
        return
    *path, name = _SEPARATOR.split(chain)
    if len(name) < shortest or name.lower() in _NO_NAMES:
        return
    # `package.json` and `setup.py` are files, `response.json()` is not.
    if path and not is_call and detect(f"x.{name}", "") is not UNKNOWN:
        return
    yield Found(at, EdgeType.MENTIONS, name, path=".".join(path))
