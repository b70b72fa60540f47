"""Marked-up text -> plain text, its sentences, and the words of a name."""

from __future__ import annotations

import re

from trivium.analysis import identifiers

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)|\[!\[.*?\]\([^)]*\)\]\([^)]*\)|!\[[^\]]*\]\[[^\]]*\]")
_LINK = re.compile(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])")
_RST_LINK = re.compile(r"`([^`<]+?)\s*<[^>`]*>`_{0,2}")
_ROLE = re.compile(r":[a-z:+-]+:`~?([^`<]+)(?:<[^`]*)?`")
_DIRECTIVE = re.compile(r"^\s*\.\. [^\n]*$|^\s*:[a-z][\w -]*:[^\n]*$", re.MULTILINE)
_TAG = re.compile(r"<[^<>]{1,400}>")
_ADDRESS = re.compile(r"https?://\S+|www\.\S+")
_RULE = re.compile(r"[=~^*#+_-]{3,}")
_DOC_TAG = re.compile(r"^\s*(?:[@\\]|:param|:return|:type|:raise|Args?:|Parameters|Returns?:|>>>)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(`\[])|\n\s*\n")
_ENTITY = re.compile(r"&[a-z]+;|&#\d+;")


def plain(text: str) -> str:
    """Return prose without markup, images, addresses and code blocks."""
    for pattern in (_FENCE, _IMAGE):
        text = pattern.sub(" ", text)
    text = _LINK.sub(r"\1", text)
    text = _RST_LINK.sub(r"\1", text)
    text = _ROLE.sub(r"\1", text)
    for pattern in (_DIRECTIVE, _TAG, _ADDRESS, _RULE, _ENTITY):
        text = pattern.sub(" ", text)
    return " ".join(re.sub(r"[`*|#>]+", " ", text).split())


def first_sentence(doc: str) -> str:
    """Return the first sentence of a doc comment, before parameters and other tags."""
    lines: list[str] = []
    for line in doc.strip().splitlines():
        if _DOC_TAG.match(line) or (lines and not line.strip()):
            break
        lines.append(line.strip())
    return sentences(plain(" ".join(lines)))[0] if lines else ""


def sentences(text: str) -> list[str]:
    """Return the sentences of plain text, at least one, perhaps empty."""
    return [one.strip() for one in _SENTENCE.split(text) if one.strip()] or [""]


def name_words(name: str) -> str:
    """Return the words of a name with spaces between, in lower case."""
    words = [
        word.lower() for part in re.split(r"\W+", name) for word in identifiers.split(part) if part
    ]
    return " ".join(words)


def is_english(text: str) -> bool:
    """Say whether text is mostly letters of the Latin script and ordinary words."""
    if not text:
        return False
    letters = sum(one.isascii() and (one.isalpha() or one == " ") for one in text)
    return letters >= 0.75 * len(text)


def normal(text: str) -> str:
    """Return text as it is compared with judged text: letters and digits, lower case."""
    return re.sub(r"[\W_]+", "", text.lower())
