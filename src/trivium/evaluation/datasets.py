"""Files of judged queries -> frozen values.

Reads BEIR folders, folders of annotated repositories, and CSV or JSONL of one's own
queries. A bad file is a UsageError that names file, line and key; nothing is guessed.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from trivium.errors import UsageError

_Judgements = dict[str, dict[str, float]]

_QRELS_HEADER = ["query-id", "corpus-id", "score"]


@dataclass(frozen=True, slots=True)
class Record:
    """One document of a judged corpus. `scope` is the part of the corpus it belongs to."""

    id: str
    title: str
    text: str
    language: str = ""
    path: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A query and the grade of each document judged for it.

    `within`, if not None, is the `scope` a search is to be kept inside. `group` is the
    sort of query, for tables by sort.
    """

    id: str
    text: str
    relevant: Mapping[str, float]
    group: str = ""
    within: str | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A corpus and the queries of one split; `documents` is empty for one's own collection."""

    name: str
    split: str
    documents: tuple[Record, ...]
    queries: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A file that answers, relative to the folder that is indexed, and its lines if given."""

    path: str
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class RepositoryQuery:
    """A question to one repository and all the files that answer it."""

    id: str
    text: str
    targets: tuple[Target, ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class RepositoryTask:
    """The folder of a repository to index and the queries to ask of it.

    `absent` are targets that are not in the folder: they count as not found, and hint at
    a wrong revision.
    """

    name: str
    language: str
    revision: str
    root: Path
    queries: tuple[RepositoryQuery, ...]
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repositories:
    """The tasks of a set, and the names of the repositories whose folder is not there."""

    name: str
    tasks: tuple[RepositoryTask, ...]
    missing: tuple[str, ...] = ()


def load(path: Path, *, split: str) -> Dataset:
    """Read a BEIR folder: corpus and queries (.jsonl, may be .gz) and qrels/SPLIT.tsv.

    Queries for which nothing is relevant are left out: every ranking scores 0 on them.
    """
    judgements = _qrels(path, split)
    queries = tuple(
        _judged(_jsonl_in(path, "queries"), judgements, path / "qrels" / f"{split}.tsv")
    )
    if not queries:
        raise UsageError(f"{path}: no query of the split {split!r} has a relevant document")
    return Dataset(path.resolve().name, split, tuple(read_records(path)), queries)


def splits_of(path: Path) -> list[str]:
    """Return the names of the splits that a BEIR folder has judgements for."""
    return sorted(one.stem for one in (path / "qrels").glob("*.tsv") if one.is_file())


def read_records(path: Path) -> Iterator[Record]:
    """Yield the documents of a BEIR folder one at a time, in the order of the file."""
    seen: set[str] = set()
    for row in _rows(_jsonl_in(path, "corpus")):
        record = Record(
            id=row.id("_id"),
            title=row.text("title", ""),
            text=row.text("text"),
            language=row.text("lang", ""),
            path=row.text("path", ""),
            scope=row.text("scope", ""),
        )
        if record.id in seen:
            raise row.wrong("_id", f"{record.id!r} comes twice")
        seen.add(record.id)
        yield record


def load_repositories(path: Path, *, repositories: Path) -> Repositories:
    """Read a folder with repos.json and annotations/NAME.json.

    `repositories` holds one folder per repository, called by its name, at the revision
    that repos.json gives. One that is not there is listed in `missing`.
    """
    tasks, missing = [], []
    for row in _objects(path / "repos.json"):
        name = row.text("name")
        folder = repositories / name
        if not folder.is_dir():
            missing.append(name)
            continue
        tasks.append(_task(row, name, folder, path / "annotations" / f"{name}.json"))
    if not tasks:
        raise UsageError(
            f"{repositories}: none of the repositories of {path / 'repos.json'} is there"
        )
    return Repositories(path.resolve().name, tuple(tasks), tuple(missing))


def load_judged(path: Path) -> Dataset:
    """Read one's own judged queries from a .csv or .jsonl file.

    Its columns are `query`, `relevant` (ids or paths, as a JSON list or with `;` between)
    and, if wanted, `grade` (one for all of them, or one each) and `group`. Rows with the same
    query are one query, of one group.
    """
    merged: dict[str, dict[str, float]] = {}
    groups: dict[str, str] = {}
    for row in _csv_rows(path) if path.suffix == ".csv" else _rows(path):
        relevant = row.texts("relevant")
        grades = row.grades("grade", len(relevant))
        query, group = row.text("query"), row.text("group", "")
        if groups.setdefault(query, group) != group:
            raise row.wrong("group", f"is {group!r}; the same query was in {groups[query]!r}")
        merged.setdefault(query, {}).update(zip(relevant, grades, strict=True))
    if not merged:
        raise UsageError(f"{path}: has no queries")
    judged = (
        Judged(text, text, MappingProxyType(grades), groups[text])
        for text, grades in merged.items()
    )
    return Dataset(path.stem, "", (), tuple(judged))


@dataclass(frozen=True, slots=True)
class _Row:
    """One object of a file and where it stands, so that a complaint can say so."""

    place: str
    values: Mapping[str, object]

    def wrong(self, key: str, what: str) -> UsageError:
        return UsageError(f'{self.place}: "{key}" {what}')

    def text(self, key: str, default: str | None = None) -> str:
        value = self.values.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self.wrong(key, "is missing" if value is None else "must be text")
        return value

    def id(self, key: str) -> str:
        value = self.values.get(key)
        # Some BEIR sets write ids as numbers; the qrels beside them are text either way.
        return str(value) if type(value) is int else self.text(key)

    def lines(self) -> tuple[int, int] | None:
        start, end = (self.values.get(key) for key in ("start_line", "end_line"))
        if start is None and end is None:
            return None
        if type(start) is not int or type(end) is not int:
            raise self.wrong("start_line", 'and "end_line" must be whole numbers')
        return start, end

    def list(self, key: str) -> tuple[object, ...]:
        """Give what a list holds: none if it is absent, one if it is a single value.

        In a text, a list is written as JSON or with `;` between.
        """
        value = self.values.get(key)
        if isinstance(value, str) and value.startswith("["):
            value = _json(value, place=f'{self.place}: "{key}"')
        elif isinstance(value, str):
            value = [text for one in value.split(";") if (text := one.strip())]
        if value is None:
            return ()
        return tuple(value) if isinstance(value, list) else (value,)

    def texts(self, key: str) -> tuple[str, ...]:
        """Give one or more texts."""
        texts = tuple(one for one in self.list(key) if isinstance(one, str) and one)
        if not texts or len(texts) < len(self.list(key)):
            raise self.wrong(key, "must be text or a list of texts" if texts else "is missing")
        return texts

    def grades(self, key: str, count: int) -> tuple[float, ...]:
        """Give `count` numbers, 1 each if there is no grade."""
        grades = tuple(self.grade(key, one) for one in self.list(key)) or (1.0,)
        if len(grades) not in {1, count}:
            raise self.wrong(key, f"must be one number or {count}, as many as are relevant")
        return grades * count if len(grades) == 1 else grades

    def grade(self, key: str, value: object) -> float:
        """Turn `value` into a number that can be added up."""
        try:
            number = float(value) if isinstance(value, str | int | float) else math.nan
        except (ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number) or isinstance(value, bool):
            raise self.wrong(key, f"must be a number, not {value!r}")
        return number


def _qrels(path: Path, split: str) -> _Judgements:
    if split not in splits_of(path):
        there = ", ".join(splits_of(path))
        raise UsageError(f"{path}: no split {split!r}; there are: {there or 'none'}")
    file = path / "qrels" / f"{split}.tsv"
    judgements: dict[str, dict[str, float]] = {}
    for number, line in _lines(file):
        cells = line.split("\t")
        row = _Row(f"{file}, line {number}", dict(zip(_QRELS_HEADER, cells, strict=False)))
        if number == 1 and cells != _QRELS_HEADER:
            raise UsageError(f"{row.place}: is not the header {' '.join(_QRELS_HEADER)} with tabs")
        if number > 1 and line:
            grade = row.grade("score", row.text("score"))
            judgements.setdefault(row.text("query-id"), {})[row.text("corpus-id")] = grade
    return judgements


def _judged(file: Path, judgements: _Judgements, qrels: Path) -> Iterator[Judged]:
    seen: set[str] = set()
    for row in _rows(file):
        query_id = row.id("_id")
        if query_id in seen:
            raise row.wrong("_id", f"{query_id!r} comes twice")
        seen.add(query_id)
        relevant = judgements.get(query_id, {})
        if not any(grade > 0 for grade in relevant.values()):
            continue
        scope = row.text("scope", "")
        yield Judged(
            id=query_id,
            text=row.text("text"),
            relevant=MappingProxyType(dict(relevant)),
            group=row.text("kind", scope),
            within=scope if "scope" in row.values else None,
        )
    unknown = judgements.keys() - seen
    if unknown:
        raise UsageError(f'{qrels}: "query-id" {min(unknown)!r} is not in {file}')


def _task(row: _Row, name: str, folder: Path, annotations: Path) -> RepositoryTask:
    inside = PurePosixPath(row.text("benchmark_root", ""))
    root = folder / inside
    if not root.is_dir():
        raise row.wrong("benchmark_root", f"{str(inside)!r} is not a folder of {folder}")
    queries = tuple(
        RepositoryQuery(
            id=f"{name}-{number}",
            text=one.text("query"),
            targets=tuple(_targets(one, folder, inside)),
            group=one.text("category", ""),
        )
        for number, one in enumerate(_objects(annotations), start=1)
    )
    paths = {target.path for query in queries for target in query.targets}
    absent = tuple(sorted(path for path in paths if not (root / path).is_file()))
    revision = row.text("revision", "")
    return RepositoryTask(name, row.text("language", ""), revision, root, queries, absent)


def _targets(row: _Row, folder: Path, inside: PurePosixPath) -> Iterator[Target]:
    """Give `relevant` and `secondary` alike: the benchmark counts both with gain 1."""
    found = [(key, one) for key in ("relevant", "secondary") for one in row.list(key)]
    if not found:
        raise row.wrong("relevant", "is missing or empty")
    for key, one in found:
        if isinstance(one, str):
            yield Target(_within(one, folder, inside))
        elif isinstance(one, dict):
            part = _Row(f'{row.place}, in "{key}"', one)
            yield Target(_within(part.text("path"), folder, inside), part.lines())
        else:
            raise row.wrong(key, "must hold paths, or objects with path, start_line and end_line")


def _within(path: str, folder: Path, inside: PurePosixPath) -> str:
    """Turn a path from the repository's root into one from the folder to index.

    Some annotations name files from the indexed folder already; those stay as they are.
    """
    whole = PurePosixPath(path)
    if whole.is_relative_to(inside) and (folder / whole).is_file():
        return str(whole.relative_to(inside))
    return str(whole)


def _jsonl_in(path: Path, stem: str) -> Path:
    for name in (f"{stem}.jsonl.gz", f"{stem}.jsonl"):
        if (path / name).is_file():
            return path / name
    raise UsageError(f"{path}: neither {stem}.jsonl.gz nor {stem}.jsonl is there")


def _rows(file: Path) -> Iterator[_Row]:
    for number, line in _lines(file):
        if not line.strip():
            continue
        place = f"{file}, line {number}"
        value = _json(line, place=place)
        if not isinstance(value, dict):
            raise UsageError(f"{place}: must be a JSON object")
        yield _Row(place, value)


def _objects(file: Path) -> Iterator[_Row]:
    """Yield the objects of a file that is one JSON list."""
    value = _json("\n".join(line for _, line in _lines(file)), place=str(file))
    if not isinstance(value, list):
        raise UsageError(f"{file}: must be a JSON list of objects")
    for number, one in enumerate(value, start=1):
        if not isinstance(one, dict):
            raise UsageError(f"{file}, entry {number}: must be a JSON object")
        yield _Row(f"{file}, entry {number}", one)


def _json(text: str, *, place: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place} is not JSON ({error})") from error


def _csv_rows(file: Path) -> Iterator[_Row]:
    reader = csv.DictReader((f"{line}\n" for _, line in _lines(file)), strict=True)
    try:
        for key in ("query", "relevant"):
            if key not in (reader.fieldnames or ()):
                raise UsageError(f'{file}, line 1: no column "{key}"')
        for row in reader:
            # DictReader files the cells past the header under None.
            if None in row:
                raise UsageError(f"{file}, line {reader.line_num}: more cells than columns")
            yield _Row(f"{file}, line {reader.line_num}", row)
    except csv.Error as error:
        # The inner reader has counted the line that failed; the outer one has not.
        line = reader.reader.line_num
        raise UsageError(f"{file}, line {line}: is not CSV ({error})") from error


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line, read as they are asked for."""
    number = 0
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as opened:
            # Bytes, decoded a line at a time: a text file would fail a block too early.
            for number, line in enumerate(opened, start=1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                yield number, text.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}, line {number}: is not UTF-8 ({error.reason})") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UsageError(f"{file}, after line {number}: is not whole gzip ({error})") from error
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from error
