"""A zip file from anywhere -> one that is safe to open, or why it is not.

Looks at the table of contents before anything is unpacked, so that a small file that unpacks to
a very large one is never unpacked. Called by office.py for every format that is a zip file.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

_MOST_MEMBERS = 10_000
_MOST_BYTES = 100_000_000
_MOST_XML_BYTES = 50_000_000
_LARGE_BYTES = 1_000_000
_HIGHEST_RATIO = 200
_PIECE_BYTES = 1 << 20
_ENCRYPTED_FLAG = 0x1

_XML = (".xml", ".rels", ".opf", ".ncx")
_DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY")
# Office files that need a password are no zip files but hold one under this name.
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_NAME = "EncryptedPackage".encode("utf-16-le")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file gives no text, and what to do about it, "" if nothing."""

    reason: str
    advice: str = ""


ENCRYPTED = Refusal("encrypted", "Save a copy without a password.")
DAMAGED = Refusal("damaged")
UNSAFE = Refusal("unsafe")


def opened(data: bytes, *, has_entities: bool = False) -> zipfile.ZipFile | Refusal:
    """Open a zip file that unpacks to a reasonable size and whose XML declares no entities.

    `has_entities` lets declarations pass, for formats whose reader expands none.
    """
    if data.startswith(_COMPOUND):
        return ENCRYPTED if _ENCRYPTED_NAME in data else DAMAGED
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = archive.infolist()
        if any(member.flag_bits & _ENCRYPTED_FLAG for member in members):
            return ENCRYPTED
        if _is_bomb(members):
            return UNSAFE
        if not has_entities and any(_declares(archive, member) for member in members):
            return UNSAFE
    except Exception:  # noqa: BLE001 - a damaged file fails in ways nobody can list beforehand
        return DAMAGED
    return archive


def _is_bomb(members: list[zipfile.ZipInfo]) -> bool:
    if len(members) > _MOST_MEMBERS or sum(one.file_size for one in members) > _MOST_BYTES:
        return True
    return any(
        (one.file_size > _LARGE_BYTES and one.file_size > _HIGHEST_RATIO * one.compress_size)
        or (one.file_size > _MOST_XML_BYTES and one.filename.lower().endswith(_XML))
        for one in members
    )


def _declares(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bool:
    """Whether an XML member declares a document type or an entity, in either common encoding."""
    if not member.filename.lower().endswith(_XML):
        return False
    before = b""
    with archive.open(member) as file:
        while piece := file.read(_PIECE_BYTES):
            # Without its zero bytes UTF-16 reads like ASCII.
            text = before + piece.replace(b"\0", b"")
            if any(one in text for one in _DECLARATIONS):
                return True
            before = text[-16:]
    return False
