"""Where a page ended -> the short text that asks for the next, and back.

A cursor is bound to a collection, to a question and to the state that answered it, by digests;
it holds nothing of them. One that is damaged, or of another collection or question, is refused;
of one whose state is gone the first page is shown again. Called by the engine and federation.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from trivium.errors import UsageError

AGAIN = "the index has changed since the page before: this is the first page again"

_VERSION = 1
# Version, collection, question, state, entries before the page, length of the first page.
_LAYOUT = struct.Struct(">B5s6s6sII")
_CHECK_BYTES = 4
_CHARACTERS = 40
_MARK = b"trivium cursor"
_ANEW = "leave the cursor out for the first page"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Binding:
    """What the pages of one answer share: a collection, by its name and digest, and a question."""

    name: str
    place: bytes
    asked: bytes


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the next page begins. `state` is a digest of what lies before it.

    `first` is how long the first page was: some profiles order as many entries by the graph.
    """

    state: bytes
    offset: int
    first: int


@dataclass(frozen=True, slots=True)
class Start(Generic[T]):
    """All entries in order, and where the page begins in them.

    `is_again`: it was to begin elsewhere, in a state that is gone.
    """

    listed: T
    offset: int
    first: int
    is_again: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of a page that begins anew."""
        return (AGAIN,) if self.is_again else ()


def binding(name: str, *, identity: Sequence[str], asked: object) -> Binding:
    """Bind cursors to a collection and to all that decides which entries there are."""
    return Binding(name, digest(list(identity), size=5), digest(asked, size=6))


def digest(value: object, *, size: int = 6) -> bytes:
    """Return a digest of plain values, the same in every process."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=size, person=_MARK).digest()


def write(cursor: Cursor, bound: Binding) -> str:
    """Return a cursor as text that may stand in an address."""
    body = _LAYOUT.pack(
        _VERSION, bound.place, bound.asked, cursor.state, cursor.offset, cursor.first
    )
    return base64.urlsafe_b64encode(body + _check(body)).decode("ascii")


def read(text: str | None, bound: Binding) -> Cursor | None:
    """Return the cursor of a text; None where there is none.

    Raises UsageError that says what is wrong with it.
    """
    if text is None:
        return None
    place, asked, cursor = _unpacked(text)
    if place != bound.place:
        raise UsageError(f"The cursor is of another collection than {bound.name}; {_ANEW}.")
    if asked != bound.asked:
        raise UsageError(
            "The cursor is of another question; ask the one it came with (limit may differ), "
            f"or {_ANEW}."
        )
    return cursor


def resume(
    cursor: Cursor | None,
    limit: int,
    *,
    listed: Callable[[int], T],
    state_of: Callable[[T, int], bytes | None],
) -> Start[T]:
    """Begin where the cursor says, if all before it is as it was; else at the first entry.

    `listed` orders the entries, given the length of the first page; `state_of` is the digest
    of the first so many, None if there are fewer.
    """
    if cursor is not None:
        known = listed(cursor.first)
        if state_of(known, cursor.offset) == cursor.state:
            return Start(known, cursor.offset, cursor.first)
    return Start(listed(limit), 0, limit, is_again=cursor is not None)


def _unpacked(text: str) -> tuple[bytes, bytes, Cursor]:
    try:
        whole = base64.urlsafe_b64decode(text) if _is_long(text) else b""
    except (binascii.Error, ValueError):
        whole = b""
    # Other signs can stand for the same bytes; what is not as we write it was changed.
    if base64.urlsafe_b64encode(whole).decode("ascii") != text:
        whole = b""
    body, check = whole[:-_CHECK_BYTES], whole[-_CHECK_BYTES:]
    if len(body) != _LAYOUT.size or check != _check(body):
        raise UsageError(f"The cursor is damaged: give it as an answer's next has it, or {_ANEW}.")
    version, place, asked, state, offset, first = _LAYOUT.unpack(body)
    if version != _VERSION:
        raise UsageError(f"The cursor is of another version of Trivium; {_ANEW}.")
    return place, asked, Cursor(state, offset, first)


def _is_long(text: object) -> bool:
    return isinstance(text, str) and len(text) == _CHARACTERS and text.isascii()


def _check(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECK_BYTES, person=_MARK).digest()
