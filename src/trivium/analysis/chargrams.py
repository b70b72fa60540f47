"""Two names -> how alike they are written, by the runs of three characters they share.

Forgives typing mistakes, plurals and the case and separators of identifiers. Costs the
same whatever is asked: a name of more than 48 characters is like itself only. Used to
raise names that nearly match a query.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

_LONGEST = 48
_SIZE = 3
# So that the first and the last character count for more than those between.
_START, _END = "\x02", "\x03"
_SEPARATORS = str.maketrans("", "", "_- ")


def likeness(one: str, other: str) -> float:
    """Return 2 x shared / all runs of three characters (Dice), 0 to 1; 0 if either is empty."""
    if max(len(one), len(other)) > _LONGEST:
        return float(one == other)
    left, right = _grams(one), _grams(other)
    shared = (left & right).total()
    return 2 * shared / (left.total() + right.total()) if shared else 0.0


def _grams(name: str) -> Counter[str]:
    folded = unicodedata.normalize("NFC", name).casefold().translate(_SEPARATORS)
    if not folded:
        return Counter()
    marked = f"{_START}{folded}{_END}"
    return Counter(marked[start : start + _SIZE] for start in range(len(marked) - _SIZE + 1))
