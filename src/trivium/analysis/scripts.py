"""Text -> how much of it is written in letters that a model of English knows.

Called by retrieval, which trusts such a model by it.
"""

from __future__ import annotations

import re
import unicodedata

from trivium.analysis import cjk

_LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u02af\u1e00-\u1eff"
# Vowel signs, which would stand between the letters of a word.
_SIGN = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f]"
)
_LETTER = re.compile(r"[^\W\d_]")
# One Greek letter in an English sentence is a symbol; a character without spaces is a word.
_OTHERS = re.compile(rf"(?:(?![{_LATIN}])[^\W\d_]){{2,}}|{cjk.RUN.pattern}")
# So many times the share of other letters is lost: with a quarter of them nothing is left.
# mdn-anchors-ja and -ko, 500 queries each, weight .2 for meaning, nDCG@10: .548 and .481 with
# 1, .552 and .488 with 2, .553 and .490 with 4; no meaning at all .555 and .492.
_STEEPNESS = 4.0


def read_in_english(text: str) -> float:
    """Return 1 for text in Latin letters, less with letters of other scripts, down to 0."""
    if text.isascii():
        return 1.0
    composed = _SIGN.sub("", unicodedata.normalize("NFKC", text))
    letters = len(_LETTER.findall(composed))
    others = sum(len(_LETTER.findall(one)) for one in _OTHERS.findall(composed))
    return max(0.0, 1.0 - _STEEPNESS * others / letters) if letters else 1.0
