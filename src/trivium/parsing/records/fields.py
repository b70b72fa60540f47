"""A record -> its dotted fields, as filters and metadata have them.

Bounded whatever the record holds: so many fields, so deep, so many characters each. No value
holds a zero or half a surrogate pair, which no store could keep. Called by record.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from itertools import islice

from trivium.types import MetaValue

MOST_FIELDS = 200
_MOST_OF_A_LIST = 100
_MOST_INDEXED = 10
_DEEPEST = 12
_LONGEST_VALUE = 2000
_LONGEST_KEY = 200
_LARGEST = 2**63
_MOST_BITS = 10_000

_UNSAFE = re.compile("[\x00\ud800-\udfff]")


def dotted(fields: Mapping[str, object]) -> dict[str, MetaValue]:
    """Return the scalar values by their dotted names; null, {} and [] are left out.

    A list of scalars is a tuple of text; other lists have numbers as names, ten at most.
    """
    found: dict[str, MetaValue] = {}
    for name, value in islice(_leaves("", fields, _DEEPEST), MOST_FIELDS):
        found.setdefault(name, value)
    return found


def clean(text: str) -> str:
    """Return text that every store can keep."""
    return text if text.isascii() and "\0" not in text else _UNSAFE.sub("\ufffd", text)


def scalar(value: object) -> str | int | float | bool | None:
    """Return a value that metadata can hold; None for null, for what is no scalar or too long."""
    if isinstance(value, str):
        return clean(value[:_LONGEST_VALUE])
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        if -_LARGEST <= value < _LARGEST:
            return value
        return str(value) if value.bit_length() < _MOST_BITS else None
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    # TOML has these.
    return value.isoformat() if isinstance(value, date | time) else None


def _leaves(prefix: str, value: object, depth: int) -> Iterator[tuple[str, MetaValue]]:
    if isinstance(value, Mapping):
        for key, inner in value.items() if depth else ():
            name = clean(str(key)[:_LONGEST_KEY])
            yield from _leaves(f"{prefix}.{name}" if prefix else name, inner, depth - 1)
    elif isinstance(value, list):
        yield from _of_list(prefix, value, depth)
    elif (leaf := scalar(value)) is not None:
        yield prefix, leaf


def _of_list(prefix: str, values: Sequence[object], depth: int) -> Iterator[tuple[str, MetaValue]]:
    if any(isinstance(one, Mapping | list) for one in values):
        for number, inner in enumerate(values[:_MOST_INDEXED] if depth else ()):
            yield from _leaves(f"{prefix}.{number}", inner, depth - 1)
        return
    words = tuple(text_of(one) for one in values[:_MOST_OF_A_LIST] if one is not None)
    if words:
        yield prefix, words


def text_of(value: object) -> str:
    """Return a scalar as JSON writes it, text without quotes; "" for all else."""
    leaf = scalar(value)
    if isinstance(leaf, bool):
        return "true" if leaf else "false"
    return "" if leaf is None else str(leaf)
