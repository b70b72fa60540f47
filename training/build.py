"""Mined pairs -> clean pairs: nothing judged, nothing twice, small enough to carry.

A pair is dropped if its question is a judged query, or if its answer is, begins like, or by
minhash is nearly a judged document. Prints how many were dropped for what, and writes
pairs.jsonl.xz and extra.txt (characters and words of other scripts, from project pages).

    python -m training.build --data DATA --judged FOLDER --megabytes 28
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import json
import lzma
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from training.licences import allowed
from training.mine import without_doc
from training.text import normal
from trivium.analysis import cjk
from trivium.analysis.minhash import Signature, likeness, signature
from trivium.models.static_words import tokens, words

_PREFIX = 120
_SHINGLE = 6
_ALIKE = 0.5
_SHORTEST = 24
_SAME_QUESTION = 3
# Enough to tell what was read; all of it would be a hundred thousand bytes more.
_DIGITS = 16


class Judged:
    """The documents and queries that must not be trained on."""

    def __init__(self, folder: Path) -> None:
        self.queries: set[str] = set()
        self.texts: set[str] = set()
        self.prefixes: set[str] = set()
        self.shingles: dict[int, list[int]] = defaultdict(list)
        self.documents: list[str] = []
        self._signatures: dict[int, Signature] = {}
        for corpus in sorted(folder.glob("*/corpus.jsonl.gz")):
            for row in _rows(corpus):
                self._document(str(row.get("text") or ""))
        for file in sorted(folder.glob("*/queries.jsonl.gz")):
            for row in _rows(file):
                for key in ("text", "rewritten"):
                    query = normal(str(row.get(key) or ""))
                    # Shorter ones are ordinary words: "confusion matrix".
                    if len(query) >= _SHORTEST:
                        self.queries.add(query)
        for file in sorted(folder.glob("*/annotations/*.json")):
            for row in json.loads(file.read_text(encoding="utf-8")):
                self.queries.add(normal(str(row.get("query") or "")))

    def _document(self, text: str) -> None:
        self._take(text)
        bare = without_doc(text) if '"""' in text or "'''" in text or "/*" in text else text
        if bare != text:
            # Pairs hold code without its doc comment, and often without its first line.
            self._take(bare)
            self._take(bare.partition("\n")[2])

    def _take(self, text: str) -> None:
        self.documents.append(text)
        plain = normal(text)
        if len(plain) >= _SHORTEST:
            self.texts.add(plain)
        if len(plain) >= _PREFIX:
            self.prefixes.add(plain[:_PREFIX])
        terms = _terms(text)
        for start in range(0, len(terms) - _SHINGLE + 1, 3):
            key = hash(tuple(terms[start : start + _SHINGLE]))
            if len(self.shingles[key]) < 5:
                self.shingles[key].append(len(self.documents) - 1)

    def reason(self, q: str, d: str) -> str:
        """Return why a pair may not be used; nothing if it may."""
        if normal(q) in self.queries:
            return "query"
        plain = normal(d)
        if plain in self.texts or (
            len(plain) >= _PREFIX and normal(d.partition("\n")[2]) in self.texts
        ):
            return "document"
        if plain[:_PREFIX] in self.prefixes:
            return "prefix"
        terms = _terms(d)
        places: Counter[int] = Counter()
        for start in range(len(terms) - _SHINGLE + 1):
            places.update(self.shingles.get(hash(tuple(terms[start : start + _SHINGLE])), ()))
        # One shingle in common is a licence header or an idiom; then minhash tells.
        close = [number for number, count in places.most_common(3) if count >= 2]
        mine = signature(_pairs(terms)) if close else None
        for number in close:
            if number not in self._signatures:
                self._signatures[number] = signature(_pairs(_terms(self.documents[number])))
            if mine is not None and likeness(mine, self._signatures[number]) >= _ALIKE:
                return "minhash"
        return ""


def _terms(text: str) -> list[str]:
    return [word for token in tokens(text[:1500]) for word in words(token)]


def _pairs(terms: list[str]) -> list[str]:
    return [f"{one} {other}" for one, other in pairwise(terms)]


def _rows(path: Path) -> Iterator[dict[str, object]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def other_scripts(pages: Path, *, characters: int, named: int) -> list[str]:
    """Return the commonest characters without spaces between, and words of other alphabets."""
    single: Counter[str] = Counter()
    word: Counter[str] = Counter()
    with pages.open(encoding="utf-8") as file:
        for line in file:
            try:
                page = json.loads(line)["page"]
            except ValueError:
                continue
            text = page["readme"] if page else ""
            if text.isascii():
                continue
            for token in set(tokens(text)):
                if token.isascii():
                    continue
                for one in words(token):
                    if cjk.RUN.match(one):
                        single.update(set(one))
                    elif not one.isascii() and len(one) > 1:
                        word[one] += 1
    return [one for one, _ in single.most_common(characters)] + [
        one for one, count in word.most_common(named) if count > 1
    ]


def refused_packages(data: Path) -> set[str]:
    """Return the packages whose licence, as it was noted, is not allowed by today's rules."""
    found = set()
    for name in ("pages.jsonl", "listed.jsonl"):
        with (data / name).open(encoding="utf-8") as file:
            for line in file:
                with contextlib.suppress(ValueError):
                    row = json.loads(line)
                    if row["page"] is not None and allowed([row["page"]["licence"]]) is None:
                        found.add(row["key"])
    return found


def write_manifest(data: Path, used: Counter[str]) -> None:
    """Write each package that gave pairs, with its version, licence, file hashes and pairs."""
    with (data / "manifest.tsv").open("w", encoding="utf-8") as out:
        print("package", "version", "licence", "sha256", "pairs", sep="\t", file=out)
        known: dict[str, str] = {}
        for name in ("pages.jsonl", "listed.jsonl"):
            with (data / name).open(encoding="utf-8") as file:
                for line in file:
                    try:
                        row = json.loads(line)
                    except ValueError:
                        continue
                    page = row["page"]
                    if page is None or row["key"] not in used:
                        continue
                    known[row["key"]] = (
                        f"{page['version']}\t{page['licence']}\t{_digest(data, page)}"
                    )
        for key in sorted(used):
            print(key, known.get(key, "\t\t"), used[key], sep="\t", file=out)


def _digest(data: Path, page: dict[str, Any]) -> str:
    """Return half the hash of the archive that was read, or of the README if none was."""
    for one in page["files"]:
        path = data / "archives" / page["source"] / one["file"]
        if path.exists():
            return hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS]
    return hashlib.sha256(page["readme"].encode()).hexdigest()[:_DIGITS]


def main() -> None:
    """Filter, drop repeats, and pack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--judged", type=Path, required=True)
    parser.add_argument("--megabytes", type=float, default=28)
    parser.add_argument("--longest", type=int, default=420)
    parser.add_argument("--preset", type=int, default=6)
    asked = parser.parse_args()
    judged = Judged(asked.judged)
    refused = refused_packages(asked.data)
    dropped: Counter[str] = Counter()
    seen: set[str] = set()
    questions: Counter[str] = Counter()
    kept: list[list[str]] = []
    for file in sorted(asked.data.glob("pairs-*.jsonl")):
        for line in file.open(encoding="utf-8"):
            try:
                q, d, kind, language, package = json.loads(line)
            except ValueError:
                continue
            if package in refused:
                dropped["licence"] += 1
                continue
            key = normal(d)[:160]
            questions[normal(q)] += 1
            if key in seen or questions[normal(q)] > _SAME_QUESTION or normal(q) == normal(d):
                dropped["repeat"] += 1
                continue
            seen.add(key)
            why = judged.reason(q, d)
            dropped[why or "kept"] += 1
            if not why:
                kept.append([q, d[: asked.longest], kind, language, package])
    # Similar texts side by side make a smaller file; who reads it shuffles anyway.
    random.Random(1).shuffle(kept)
    kept.sort(key=lambda row: row[4])
    path = asked.data / "pairs.jsonl.xz"
    lines = [json.dumps(row, ensure_ascii=False) for row in kept]
    data = lzma.compress("\n".join(lines).encode("utf-8", "replace"), preset=asked.preset)
    share = asked.megabytes * 1e6 / len(data)
    if share < 1:
        drawn = random.Random(2)
        lines = [line for line in lines if drawn.random() < share]
        data = lzma.compress("\n".join(lines).encode("utf-8", "replace"), preset=asked.preset)
    path.write_bytes(data)
    extra = other_scripts(asked.data / "pages.jsonl", characters=3000, named=1500)
    (asked.data / "extra.txt").write_text("\n".join(extra), encoding="utf-8")
    write_manifest(asked.data, Counter(row[4] for row in map(json.loads, lines)))
    kinds = Counter(f"{row[2]} {row[3]}".strip() for row in kept)
    print(json.dumps({"dropped": dropped, "kinds": kinds.most_common(60)}, indent=1))
    print(f"{len(lines)} pairs, {len(data) / 1e6:.1f} MB, {len(extra)} extra entries")


if __name__ == "__main__":
    main()
