"""A title -> the name it has in an id, the same for writing and for looking up. Pure."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 100
_SPACE = re.compile(r"\s+")
_NOT_IN_SLUG = re.compile(r"[^\w\-]")


def slugify(title: str) -> str:
    """Return a title as ids have it: lower case, no `.md`, spaces as dashes, no other marks."""
    name = unicodedata.normalize("NFC", title[: 4 * _LONGEST]).strip().lower()
    slug = _NOT_IN_SLUG.sub("", _SPACE.sub("-", name.removesuffix(".md").rstrip()))
    return slug[:_LONGEST]
