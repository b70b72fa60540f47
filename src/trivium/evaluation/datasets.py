"""Files of judged queries -> frozen values.

Reads BEIR folders, folders of annotated repositories, and CSV or JSONL of one's own
queries. A bad file is a UsageError that names file, line and key; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from trivium.errors import UsageError
from trivium.evaluation.rows import Row, csv_rows, lines, objects, rows

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
    for row in rows(_jsonl_in(path, "corpus")):
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
    for row in objects(path / "repos.json"):
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
    query are one query, of one group; one with nothing above 0 is left out.
    """
    merged: dict[str, dict[str, float]] = {}
    groups: dict[str, str] = {}
    for row in csv_rows(path) if path.suffix == ".csv" else rows(path):
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
        # Without a good hit, every ranking has 0.
        if any(grade > 0 for grade in grades.values())
    )
    return Dataset(path.stem, "", (), tuple(judged))


def _qrels(path: Path, split: str) -> _Judgements:
    if split not in splits_of(path):
        there = ", ".join(splits_of(path))
        raise UsageError(f"{path}: no split {split!r}; there are: {there or 'none'}")
    file = path / "qrels" / f"{split}.tsv"
    judgements: dict[str, dict[str, float]] = {}
    for number, line in lines(file):
        cells = line.split("\t")
        row = Row(f"{file}, line {number}", dict(zip(_QRELS_HEADER, cells, strict=False)))
        if number == 1 and cells != _QRELS_HEADER:
            raise UsageError(f"{row.place}: is not the header {' '.join(_QRELS_HEADER)} with tabs")
        if number > 1 and line:
            grade = row.grade("score", row.text("score"))
            judgements.setdefault(row.text("query-id"), {})[row.text("corpus-id")] = grade
    return judgements


def _judged(file: Path, judgements: _Judgements, qrels: Path) -> Iterator[Judged]:
    seen: set[str] = set()
    for row in rows(file):
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


def _task(row: Row, name: str, folder: Path, annotations: Path) -> RepositoryTask:
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
        for number, one in enumerate(objects(annotations), start=1)
    )
    paths = {target.path for query in queries for target in query.targets}
    absent = tuple(sorted(path for path in paths if not (root / path).is_file()))
    revision = row.text("revision", "")
    return RepositoryTask(name, row.text("language", ""), revision, root, queries, absent)


def _targets(row: Row, folder: Path, inside: PurePosixPath) -> Iterator[Target]:
    """Give `relevant` and `secondary` alike: the benchmark counts both with gain 1."""
    found = [(key, one) for key in ("relevant", "secondary") for one in row.list(key)]
    if not found:
        raise row.wrong("relevant", "is missing or empty")
    for key, one in found:
        if isinstance(one, str):
            yield Target(_within(one, folder, inside))
        elif isinstance(one, dict):
            part = Row(f'{row.place}, in "{key}"', one)
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
