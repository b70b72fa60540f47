"""Is a query a name or a path rather than words? Pure; asked by the engine before fusion."""

from __future__ import annotations

import re

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
