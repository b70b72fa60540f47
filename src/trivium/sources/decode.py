"""Bytes -> text with one kind of line end, or None for what is not text.

Guesses the encoding from the bytes alone: a byte order mark, then UTF-8, then UTF-16 by where
its zero bytes stand, then Windows Latin. The result never holds a lone surrogate or a zero.
"""

from __future__ import annotations

import codecs

# UTF-32 little-endian begins with the mark of UTF-16, so it is looked for first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 4096
_CONTROL = bytes(b for b in (*range(32), 127) if b not in b"\t\n\v\f\r\x1b\b")
_HIGH = bytes(range(128, 256))
# Latin text has up to 15 % accented letters; Cyrillic or Japanese in an old code page has over
# 50 % high bytes and would turn into gibberish.
_MOST_HIGH = 0.3
_MOST_CONTROL = 0.02


def decode(data: bytes) -> str | None:
    """Return the text that the bytes hold, without a byte order mark; None if they hold none.

    Line ends of Windows and old Macs become newlines.
    """
    text = _decoded(data)
    if text is None or "\0" in text:
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_binary(data: bytes) -> bool:
    """Whether bytes that do not decode are no text at all, rather than text in an odd encoding."""
    return b"\0" in data and not data.startswith(tuple(mark for mark, _ in _MARKS[1:]))


def _decoded(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            text = _strict(body, encoding=encoding)
            return _repaired(body) if text is None and encoding == "utf-8" else text
    if b"\0" in data:
        return _unmarked_utf16(data)
    text = _strict(data, encoding="utf-8")
    return _repaired(data) if text is None else text


def _strict(data: bytes, *, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _unmarked_utf16(data: bytes) -> str | None:
    """UTF-16 without a mark: in mostly Latin text every other byte is zero."""
    sample = data[:_SAMPLE_BYTES]
    pairs = len(sample) // 2
    if pairs == 0 or len(data) % 2 == 1:
        return None
    first, second = sample[0::2].count(0), sample[1::2].count(0)
    if min(first, second) > 0 or max(first, second) < pairs * 0.4:
        return None
    high, low = (sample[0::2], sample[1::2]) if first > second else (sample[1::2], sample[0::2])
    # An array of small numbers has the same zeros, but no letters beside them.
    letters = bytes(b for h, b in zip(high, low, strict=False) if h == 0)
    if _share(letters, of=_CONTROL + _HIGH) > _MOST_CONTROL + _MOST_HIGH:
        return None
    return _strict(data, encoding="utf-16-be" if first > second else "utf-16-le")


def _repaired(data: bytes) -> str | None:
    """Bytes that are not UTF-8: UTF-8 with a few bad bytes, else Windows Latin, else None."""
    if _share(data, of=_CONTROL) > _MOST_CONTROL:
        return None
    text = data.decode("utf-8", "replace")
    bad = text.count("�") - data.count("�".encode())
    high = len(data.translate(None, bytes(range(128))))
    # A character of UTF-8 beyond ASCII has two bytes or more, so this many are sound.
    if bad * 4 <= high - bad:
        return text
    if _share(data, of=_HIGH) > _MOST_HIGH:
        return None
    latin = _strict(data, encoding="cp1252")
    return data.decode("latin-1") if latin is None else latin


def _share(data: bytes, *, of: bytes) -> float:
    return 1 - len(data.translate(None, of)) / len(data) if data else 0.0
