"""An identifier -> its words: fooBar, foo_bar and HTTPServer2.

Splitting looks at case and digits only, so it is the same for every language. Words
come back as they were written; folding is the caller's. Called by analysis.words.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# In order: an acronym in the plural (URLs), an acronym before a capitalised word
# (XML|Parser), a capitalised or lower-case word, what is left of capitals, then digits.
_WORD = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+", re.ASCII)
_HUMP = re.compile(r"_+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def split(identifier: str) -> list[str]:
    """Split at case changes, digits and underscores: HTTPServer2 -> HTTP, Server, 2."""
    if identifier.isascii():
        return _WORD.findall(identifier)
    return _split_at(identifier, _ends_word)


def split_cased(identifier: str) -> list[str]:
    """Split at case changes and underscores but leave digits on their word: auth2 stays."""
    if identifier.isascii():
        return [word for word in _HUMP.split(identifier) if word]
    return _split_at(identifier, _starts_hump)


def _split_at(identifier: str, is_boundary: Callable[[str, str, str], bool]) -> list[str]:
    words: list[str] = []
    for piece in identifier.split("_"):
        start = 0
        for end in range(1, len(piece)):
            if is_boundary(piece[end - 1], piece[end], piece[end + 1 : end + 2]):
                words.append(piece[start:end])
                start = end
        if piece:
            words.append(piece[start:])
    return words


def _ends_word(before: str, here: str, after: str) -> bool:
    if before.isdigit() != here.isdigit():
        return True
    return here.isupper() and (not before.isupper() or after.islower())


def _starts_hump(before: str, here: str, after: str) -> bool:
    return here.isupper() and (before.islower() or (before.isupper() and after.islower()))
