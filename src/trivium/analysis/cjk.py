"""Runs of text written without spaces -> overlapping pairs of characters.

Chinese, Japanese and Korean, and beside them Thai, Lao, Burmese and Khmer. Needs no
dictionary: a query of two or more characters finds every place where they stand side by
side. Han characters, which are often words, come one by one as well. Called by
analysis.words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# Han with its extensions; Hiragana, and Katakana with the voice and long-vowel marks.
IDEOGRAPHS = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
_HANGUL = "\uac00-\ud7a3"
_SOUTHERN = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u1089\u1780-\u17d3"
_RANGES = f"{_SOUTHERN}{IDEOGRAPHS}{_KANA}{_HANGUL}"
_HAN = re.compile(f"[{IDEOGRAPHS}]")
RUN = re.compile(f"[{_RANGES}]+")
_PIECES = re.compile(f"([{_RANGES}]+)")
# What the dictionary of a language takes.
SCRIPTS: Mapping[str, re.Pattern[str]] = {
    "japanese": re.compile(f"([{IDEOGRAPHS}{_KANA}]+)"),
    "korean": re.compile(f"([{_HANGUL}]+)"),
    "chinese": re.compile(f"([{IDEOGRAPHS}]+)"),
}


def has_cjk(text: str) -> bool:
    """Say whether any character is of a script written without spaces."""
    return RUN.search(text) is not None


def pieces(text: str, script: re.Pattern[str] = _PIECES) -> list[str]:
    """Split `text` where its script changes between these, or the one given, and any other."""
    return [piece for piece in script.split(text) if piece]


def pairs(run: str) -> list[str]:
    """Return the overlapping two-character slices of `run`; a lone character is itself."""
    if len(run) < 2:  # noqa: PLR2004 - a pair needs two
        return [run]
    return [run[start : start + 2] for start in range(len(run) - 1)]


def singles(run: str) -> list[str]:
    """Return the Han characters of `run`, one by one; none for a lone one, which is its own pair.

    nDCG@10 of plain BM25, 300 queries each: cmrc2018-zh dev .966 -> .981, jaquad-ja train
    .914 -> .927. With kana too .930, for twice the terms.
    """
    return _HAN.findall(run) if len(run) > 1 else []
