"""/pattern/flags -> a regular expression that finds something in a path in linear time.

A pattern that cannot be read, or is too long, is none: it is then a part of a path like any
other. Used to read what a person gave, and to test it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from trivium.filtering.comparing import clean

_WRITTEN = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)
# Those of JavaScript: g, u and y say nothing about whether something is found.
_FLAGS = frozenset("imsguy")
_LONGEST = 1000
# What RE2 may use for one pattern; it gives up a larger one.
_MOST_BYTES = 4_000_000

Finds = Callable[[str], bool]


@lru_cache(maxsize=256)
def pattern(written: str) -> Finds | None:
    """Return what tells whether a path is found by /pattern/flags; None if it is no pattern."""
    found = _WRITTEN.fullmatch(written)
    if found is None or len(written) > _LONGEST or not _FLAGS.issuperset(found[2]):
        return None
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_BYTES
    options.case_sensitive = "i" not in found[2]
    options.dot_nl = "s" in found[2]
    prefix = "(?m)" if "m" in found[2] else ""
    try:
        compiled = re2.compile(prefix + clean(found[1]), options=options)
    except re2.error:
        return None
    return lambda path: compiled.search(clean(path)) is not None
