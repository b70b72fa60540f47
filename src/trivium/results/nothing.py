"""An answer without hits -> what to say of it.

What was searched and what was passed over, which filter alone emptied it and how many hits there
were without, and which names are spelt nearly like the query. Called by the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from trivium.backends.base import Contents, Snapshot
from trivium.filtering.conditions import Condition, Filter, Test, fold, without
from trivium.results.nearest import nearest
from trivium.results.present import SEARCHED, counted, label, one_line
from trivium.results.unmatched import said_as

_WITHOUT, _NEAR = "without", "names near it:"
NO_WORDS = "the query has no words: give words to look for"
_MOST_TRIED = 8
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Emptied:
    """What found nothing. `within` is what was searched at all, `where` all conditions.

    `typed` is the query as it was written, before words were corrected.
    A query of filters alone, or of nothing at all, has no words and finds nothing anywhere.
    `count` says how many hits there are under another filter, and with or without `least`.
    """

    text: str
    where: Filter
    within: Filter
    least: float | None
    count: Callable[[Filter, float | None], int]
    has_words: bool = True
    typed: str = ""


def nothing(snapshot: Snapshot, asked: Emptied) -> tuple[str, ...]:
    """Return what to say, a line each."""
    contents = snapshot.contents()
    if not contents.files:
        return ("nothing is indexed here yet",)
    if not asked.has_words:
        return (NO_WORDS, _searched(snapshot, contents, asked.where))
    near = ", ".join(
        f"{one_line(label(node))[:_LONGEST]} in {one_line(node.source.file_path)[:_LONGEST]}"
        for node in nearest(snapshot, asked.text, within=asked.within)
        if not _is_asked_for(node.name, asked.typed or asked.text)
    )
    return (
        _searched(snapshot, contents, asked.where),
        *_relaxed(asked),
        *([f"{_NEAR} {near}"] if near else []),
    )


def is_of_nothing(note: str) -> bool:
    """Say whether a note is one of these: beside hits of other collections it tells nothing."""
    return note.startswith((f"{SEARCHED} ", f"{_WITHOUT} ", f"{_NEAR} ", NO_WORDS))


def _is_asked_for(name: str, text: str) -> bool:
    """Whether a name is what was typed, or a word of it: who typed that knows it."""
    return fold(name) in (fold(text.strip()), *map(fold, text.split()))


def _searched(snapshot: Snapshot, contents: Contents, where: Filter) -> str:
    kinds = set(snapshot.values("kind"))
    for one in where.conditions:
        if one.field == "kind" and one.test is Test.EQUALS:
            kinds &= one.values
    of_kinds = f" for {', '.join(sorted(kinds))}" if kinds else ""
    passed = sum(contents.skipped.values())
    reasons = ", ".join(f"{count:,} {why}" for why, count in sorted(contents.skipped.items()))
    over = f"; passed over {passed:,} ({reasons})" if passed else ""
    return f"{SEARCHED} {counted(contents.files, 'file')}{of_kinds}{over}"


def _relaxed(asked: Emptied) -> list[str]:
    """Return a line for each filter without which there are hits."""
    # An empty list allows nothing, as whoever gave it knows.
    fixed = asked.within.conditions
    tried = [one for one in asked.where.conditions if one not in fixed and one.values]
    found = {
        said_as(one): asked.count(_less(asked, [one]), asked.least) for one in tried[:_MOST_TRIED]
    }
    if asked.least is not None:
        found[f"min_score={asked.least:g}"] = asked.count(asked.where, None)
    if any(found.values()):
        return _lines(found)
    if len(found) <= 1:
        return [f"{_WITHOUT} {name} there is nothing either" for name in found]
    every = asked.count(_less(asked, tried), None)
    if every:
        return _lines({"all filters": every})
    return [f"{_WITHOUT} the filters there is nothing either"]


def _lines(found: Mapping[str, int]) -> list[str]:
    return [f"{_WITHOUT} {name}: {counted(hits, 'hit')}" for name, hits in found.items() if hits]


def _less(asked: Emptied, dropped: list[Condition]) -> Filter:
    return without(asked.where, lambda one: one in dropped)
