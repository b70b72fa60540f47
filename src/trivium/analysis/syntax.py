"""Code -> its keywords and its operators, without what stands in comments and strings.

Comments and strings are told by patterns, not by a parser: one pass, linear in the text, right
but for what begins or ends outside it. An operator is a run of one to four of =<>!:+-*/%&|^~.?
or a single bracket, comma or semicolon, as in seed 001. Called by analysis.fields; the dialect
of that seed and backends take the operators of queries by the same pattern.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from trivium.analysis.keywords import KEYWORDS, is_any_case, keywords

_OPERATOR = re.compile(r"[=<>!:+\-*/%&|^~.?]{1,4}|[()\[\]{},;]")
# A variable as shells and PHP write it is no keyword, whatever it is called.
_WORD = re.compile(r"\$?\w+")

# Each pattern takes what it began with to its end, or to where it can no longer go on, so that
# no part of a text is read again.
_BLOCK = r"/\*.*?(?:\*/|\Z)"
_SLASHES = rf"//[^\n]*|{_BLOCK}"
_HASH = r"#[^\n]*"
_DASHES = r"--[^\n]*"
_COMMENTS = {
    # A sign that begins a line and stands apart; #include and --name do not.
    "": rf"{_SLASHES}|^[ \t]*(?:[#;%]+|--)(?![^\s!])[^\n]*",
    "elixir": _HASH,
    "haskell": rf"{_DASHES}|\{{-.*?(?:-\}}|\Z)",
    "lua": rf"--\[\[.*?(?:\]\]|\Z)|{_DASHES}",
    "php": rf"{_SLASHES}|#(?!\[)[^\n]*",
    "python": _HASH,
    "r": _HASH,
    "ruby": _HASH,
    "shell": rf"(?<!\S){_HASH}",
    "sql": rf"{_DASHES}|{_BLOCK}",
}
_DOUBLE = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
_SINGLE = r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
_BACKTICK = r"`[^`\\]*(?:\\.[^`\\]*)*`?"
# One that does not end here may have begun before: what follows it may well be code.
_THREE = r'""".*?"""|' + r"'''.*?'''"
# Where ' also marks lifetimes, types and digits, it quotes one character at most.
_CHARACTER = r"'(?:\\[^\n]{1,9}?|[^'\\\n])'"
_SINGLE_QUOTED = frozenset(
    {"dart", "elixir", "javascript", "lua", "php", "python", "r", "ruby", "shell", "sql"}
    | {"typescript"}
)
_BACKTICK_QUOTED = frozenset({"go", "javascript", "typescript"})


def operators(text: str) -> list[str]:
    """Return the operators of `text`, whatever it is, in order: a&&b => c::d has &&, => and ::."""
    return _OPERATOR.findall(text)


def operators_of(code: str, *, language: str) -> list[str]:
    """Return the operators of a piece of code, in order."""
    return operators(_bare(code, language))


def keywords_of(code: str, *, language: str) -> list[str]:
    """Return the keywords of a piece of code, in order; those of any case in lower case."""
    known = keywords(language)
    words: list[str] = _WORD.findall(_bare(code, language))
    if is_any_case(language):
        words = [word.lower() for word in words]
    return [word for word in words if word in known]


# Both fields of a chunk are made one after the other.
@lru_cache(maxsize=1)
def _bare(code: str, language: str) -> str:
    """Return the code without its comments and strings."""
    return _beside_code(language if language in KEYWORDS else "").sub(" ", code)


@cache
def _beside_code(language: str) -> re.Pattern[str]:
    """Return the pattern of what is no code: comments and strings."""
    some = [_COMMENTS.get(language, _SLASHES), _THREE, _DOUBLE]
    some.append(_SINGLE if language in _SINGLE_QUOTED else _CHARACTER)
    if language in _BACKTICK_QUOTED:
        some.append(_BACKTICK)
    return re.compile("|".join(some), re.DOTALL | re.MULTILINE)
