"""The text of a query -> what it asks for: a name, code, prose, a path or an address.

Looks at the text alone. `is_name` and `names_in` are asked before fusion; `intent` is the
guess of seed 001, which chooses the weights of fields, and says how sure it is. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from trivium.analysis.cjk import has_cjk
from trivium.query.reading import FIELD_NAMES

# One token with the shape of code: a case change or underscore inside, a path, a dotted
# or double-coloned name, or a call.
_NAME = re.compile(
    r"""(?x)
    \S*[a-z0-9][A-Z]\S*       # camelCase
  | \S*\w_\w\S*               # snake_case
  | \S*\w(?:\.|::|/|\#)\w\S*  # a.b, a::b, a/b
  | \w+\(\)?                  # call(
    """
)


def is_name(text: str) -> bool:
    """Say whether `text` is one identifier or path."""
    # Looked at before the pattern: over several long words it would take time to the square.
    words = text.split()
    return len(words) == 1 and _NAME.fullmatch(words[0]) is not None


def names_in(text: str) -> frozenset[str]:
    """Return the words of a query that ask for something by name, lower case.

    A word of several counts only if it has the shape of code: in a question, "install" is a
    word like any other, not the heading Install (ray-docs-qa: .424 so, .417 otherwise).
    """
    words = [word.strip("`'.,;:?!") for word in re.findall(r"[^\s\"()]+", text)]
    names = words if len(words) == 1 else [word for word in words if is_name(word)]
    return frozenset(name.lower() for name in names if len(name) > 2)  # noqa: PLR2004 - a, i, x


class IntentType(StrEnum):
    """What a query may ask for; mixed where nothing stands out."""

    CODE = "code"
    PROSE = "prose"
    PATH = "path"
    URL = "url"
    MIXED = "mixed"


# Fields are filters, not words: path:src/auth does not ask for a path.
_FIELD = re.compile(rf'(?<!\S)[-!]?(?:{FIELD_NAMES}):(?:"[^"]*"|\'[^\']*\'|\S+)')
_URL = re.compile(r"(?i:[a-z][a-z0-9+.-]*://|www\.)[^\s/]")
_PATH = re.compile(r"(?!//)(?=[^/\\]*[/\\])(?=[\W\d_]*[^\W\d_])[\w.@~+#$*:/\\\[\]-]+")
_CODE = re.compile(r"&&|\|\||[-=]>|::|[=!<>+*/%-]=|\+\+|[{}]|;$|\[\w|\w[\[(]|\(\)")
_CASED = re.compile(r"[a-z0-9][A-Z]|[^\W_]_[^\W_]")
_SYMBOLS = re.compile(r"[#$%&*+/:<=>@\\^`{|}~\[\]]+|(?<=\w)\.+(?=\w)")
_LETTER = re.compile(r"[^\W\d_]")
_PHRASE = re.compile(r'"[^"]+"')
_AROUND = "\"'`(),;?!"
_OPERATORS = ("AND", "OR", "NOT")

_HIGH = 0.78
_MEDIUM = 0.56
_MANY_WORDS = 3
_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class Intent:
    """What a query seems to ask for, how sure that is (0 to 1), and the points of each type."""

    type: IntentType
    confidence: float
    scores: Mapping[str, int]

    @property
    def bucket(self) -> str:
        """The confidence in a word: high, medium or low."""
        if self.confidence >= _HIGH:
            return "high"
        return "medium" if self.confidence >= _MEDIUM else "low"

    @property
    def has_abstained(self) -> bool:
        """Whether the guess is too unsure to act on."""
        return self.bucket == "low"

    @property
    def effective(self) -> IntentType:
        """The type to act on."""
        return IntentType.MIXED if self.has_abstained else self.type


def intent(text: str) -> Intent:
    """Guess what `text`, as it was typed, asks for.

    With `top` points for the best type and `margin` more than for the next,

        confidence = 1 / (1 + exp(1.16 - 0.5 top - 0.34 margin))

    which lies within .007 of the five values observed in seed 001, and a margin of at most
    1 makes it mixed.
    """
    scores = _points(_FIELD.sub(" ", text))
    second, top = sorted(scores.values())[-2:]
    margin = top - second
    confidence = 1 / (1 + math.exp(1.16 - 0.5 * top - 0.34 * margin))
    best = max(scores, key=lambda one: scores[one]) if margin > 1 else IntentType.MIXED
    return Intent(
        best, confidence, MappingProxyType({one.value: count for one, count in scores.items()})
    )


def _points(text: str) -> dict[IntentType, int]:
    words = [word for word in text.split() if word not in _OPERATORS]
    bare = [word.strip(_AROUND) for word in words]
    is_url = [_URL.match(word) is not None for word in bare]
    is_path = [_PATH.fullmatch(word) is not None for word in bare]
    # getUser in src/getUser.ts is the name of a file, not a sign of code.
    rest = " ".join(
        word for word, *named in zip(words, is_url, is_path, strict=True) if not any(named)
    )
    has_many_words = sum(_LETTER.search(word) is not None for word in words) >= _MANY_WORDS
    return {
        IntentType.CODE: 2 * (_CODE.search(rest) is not None)
        + (_CASED.search(rest) is not None)
        + (len(_SYMBOLS.findall(text)) >= _SEVERAL),
        IntentType.PROSE: any(is_url)
        + 2 * has_many_words
        + (len(_PHRASE.findall(text)) >= _SEVERAL)
        + 2 * has_cjk(text),
        IntentType.PATH: 3
        * any(path and not url for path, url in zip(is_path, is_url, strict=True)),
        IntentType.URL: 4 * any(is_url),
    }
