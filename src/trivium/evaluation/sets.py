"""Paths, as a person gave them -> the sets to measure, each with the split to take.

A folder of sets stands for every set in it. Also draws the few queries of a quick look, the
same every time. Called by run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from trivium.errors import UsageError
from trivium.evaluation.datasets import splits_of
from trivium.evaluation.measure import Question

_CORPORA = ("corpus.jsonl.gz", "corpus.jsonl")
# Where none is asked for: to measure, the one to report, else the one to choose by; to fit, one
# made for that. Neither takes the other's unasked.
TO_MEASURE = ("test", "dev")
TO_FIT = ("train", "dev")


class Sort(Enum):
    """What a set is made of."""

    RECORDS = auto()
    REPOSITORIES = auto()
    OWN = auto()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a set is, of what sort, and which of its splits to take, if it has such."""

    path: Path
    sort: Sort
    split: str = ""


def places(
    data: Sequence[Path],
    *,
    split: str | None,
    has_repositories: bool,
    say: Callable[[str], None],
    preferred: Sequence[str] = TO_MEASURE,
) -> list[Place]:
    """Return the sets that `data` name. `split` None is the first `preferred` that a set has.

    A set of repositories in a folder of sets is passed over, and said, if nobody said where
    the repositories are. Raises UsageError for a folder that is no set and holds none, and
    for a set that has no such split.
    """
    found: list[Place] = []
    for path in data:
        sort = _sort_of(path)
        if sort is not None:
            found.append(_place(path, sort, split, preferred))
            continue
        inside = [(one, _sort_of(one)) for one in sorted(path.iterdir()) if one.is_dir()]
        sets = [(one, sort) for one, sort in inside if sort is not None]
        if not sets:
            raise UsageError(
                f"{path} is no set and holds none: neither corpus.jsonl(.gz) nor repos.json is "
                "there or in a folder of it."
            )
        for one, sort in sets:
            if sort is Sort.REPOSITORIES and not has_repositories:
                say(f"{one.name}: left out; say where its repositories are with: --repos FOLDER")
            else:
                found.append(_place(one, sort, split, preferred))
    return _each_once(found)


def sampled(questions: Sequence[Question], limit: int | None) -> tuple[Question, ...]:
    """Return at most `limit` questions in their order, drawn by a hash of their ids."""
    if limit is None or limit >= len(questions):
        return tuple(questions)
    drawn = sorted(range(len(questions)), key=lambda at: _chance(questions[at].id))[:limit]
    return tuple(questions[at] for at in sorted(drawn))


def _chance(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()


def _sort_of(path: Path) -> Sort | None:
    if path.is_file():
        return Sort.OWN
    if (path / "repos.json").is_file():
        return Sort.REPOSITORIES
    # A folder with judgements and no corpus is a broken set, and reading it says so.
    is_set = any((path / name).is_file() for name in _CORPORA) or (path / "qrels").is_dir()
    return Sort.RECORDS if is_set else None


def _each_once(found: Sequence[Place]) -> list[Place]:
    """Drop sets named twice. Raises UsageError where two have one name: results go by name."""
    by_place = {(one.path.resolve(), one.split): one for one in found}
    by_name: dict[tuple[str, str], Path] = {}
    for (path, split), one in by_place.items():
        name = path.stem if one.sort is Sort.OWN else path.name
        other = by_name.setdefault((name, split), path)
        if other != path:
            raise UsageError(f"{other} and {path} are both called {name!r}; measure them apart.")
    return list(by_place.values())


def _place(path: Path, sort: Sort, split: str | None, preferred: Sequence[str]) -> Place:
    if sort is not Sort.RECORDS:
        return Place(path, sort)
    if split is not None:
        return Place(path, sort, split)
    there = splits_of(path)
    chosen = next((one for one in preferred if one in there), None)
    if chosen is None:
        raise UsageError(
            f"{path}: no split {' or '.join(map(repr, preferred))}; there are: "
            f"{', '.join(there) or 'none'}. Say which with: --split NAME"
        )
    return Place(path, sort, chosen)
