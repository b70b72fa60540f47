"""Filters, and the collection they are asked of -> what to say of those that let nothing pass.

A misspelt language would otherwise look like a question without an answer. Says the value, the
nearest one that is there, and what there is. Called by the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from trivium.backends.base import Snapshot
from trivium.filtering.conditions import PATTERN, Condition, Filter, Test
from trivium.filtering.facts import KEY_END
from trivium.filtering.given import declared
from trivium.types import Kind

_MOST_SAID = 3
_MOST_LISTED = 12
# Comparing words costs their length squared, and the sender may be anyone.
_LONGEST = 60
_MOST_COMPARED = 2000
_ALIKE = 0.6

# What nodes have of these is stored, so what there is can be said. A sort is a kind or a type.
_STORED = {
    **{name: (name,) for name in ("kind", "type", "lang", "ext", "domain", "tag")},
    "sort": ("kind", "type"),
}
# One value of a person may be several of these: a mode is some kinds, a category some domains.
_TOGETHER = frozenset({"kind", "domain"})
# What a person calls an attribute that has another name.
_NAMES = {"sort": "kind", "file": "path", "modified": "modified-after", "due": "due-before"}
_NUMBERS = frozenset({Test.AT_LEAST, Test.BELOW})


def unmatched(snapshot: Snapshot, where: Filter, *, is_empty: bool) -> tuple[str, ...]:
    """Return what to say of filters that let nothing pass; `is_empty`: nothing was found.

    Where something was found, only one of several values can have been in vain.
    """
    said: list[str] = []
    for one in where.conditions:
        if one.field in _STORED and one.test is Test.EQUALS:
            said += _of_values(snapshot, one) if is_empty or len(one.values) > 1 else ()
        elif is_empty and one.values and not snapshot.has_any(Filter((one,))):
            said.append(_of_condition(one))
    # An empty list allows nothing, as whoever gave it knows.
    is_asked = len(where.conditions) > 1 and all(one.values for one in where.conditions)
    if is_empty and is_asked and not said and not snapshot.has_any(where):
        said.append("each filter lets something pass, and all of them together nothing")
    return tuple(said)


def _of_values(snapshot: Snapshot, condition: Condition) -> list[str]:
    """Return a line for each value that no node has."""
    field = condition.field
    here = list(dict.fromkeys(one for name in _STORED[field] for one in snapshot.values(name)))
    asked = {one for one in condition.values if declared(one) not in condition.values}
    missing = sorted(asked.difference(here))
    if field in _TOGETHER and len(missing) < len(asked):
        return []
    name = _NAMES.get(field, field)
    said = [_of_value(name, one, here=here, known=_known(field)) for one in missing[:_MOST_SAID]]
    more = len(missing) - _MOST_SAID
    return [*said, f"nor are {more:,} more values of {name}"] if more > 0 else said


def _of_value(name: str, value: str, *, here: Sequence[str], known: Sequence[str]) -> str:
    shown = value[:_LONGEST]
    said = f"{name} {shown!r} is not in this collection, which has"
    if known and value not in known:
        said = f"{name} {shown!r} is unknown; this collection has"
    listed = ", ".join(here[:_MOST_LISTED]) or "none"
    more = f" and {len(here) - _MOST_LISTED:,} more" if len(here) > _MOST_LISTED else ""
    # Whoever asks for Java where there is none does not mean JavaScript.
    near = "" if value in known else _nearest(shown, here) or _nearest(shown, known)
    return f"{said} {listed}{more}{_hint(near)}"


def said_as(condition: Condition) -> str:
    """Return a filter as a person would write it: lang=go, path=src/ or modified-after."""
    name = _NAMES.get(condition.field, condition.field)
    if condition.test in _NUMBERS:
        return name
    written = _written(condition)
    more = f" and {len(written) - _MOST_SAID:,} more" if len(written) > _MOST_SAID else ""
    return f"{name}={','.join(written[:_MOST_SAID])}{more}"


def _written(condition: Condition) -> list[str]:
    values = sorted(condition.values)
    return [one.removeprefix(PATTERN).replace(KEY_END, "=")[:_LONGEST] for one in values]


def _of_condition(condition: Condition) -> str:
    """Return a line on a filter by what is not stored apart, so that only it can be named."""
    name = _NAMES.get(condition.field, condition.field)
    if condition.test in _NUMBERS:
        return f"nothing in this collection passes the filter {name}"
    written = _written(condition)
    shown = ", ".join(repr(one) for one in written[:_MOST_SAID])
    near = _nearest(written[0], _known(condition.field)) if len(written) == 1 else ""
    more = len(written) - _MOST_SAID
    shown = f"{shown} and {more:,} more" if more > 0 else shown
    is_ = "is" if len(written) == 1 else "are"
    return f"{name} {shown} {is_} nowhere in this collection{_hint(near)}"


def _hint(near: str) -> str:
    return f"; did you mean {near!r}?" if near else ""


def _known(field: str) -> Sequence[str]:
    """Return all the values there can be, in any collection; nothing where that is unknown."""
    # Off the way to a fast start: only filters that find nothing need these.
    from trivium.parsing.detect import languages
    from trivium.parsing.risk_rules import categories, tags

    if field == "lang":
        return sorted({one.file_type.language for one in languages()})
    if field == "kind":
        return [one.value for one in Kind]
    return {"risk-tag": tags, "risk-category": categories}.get(field, list)()


def _nearest(value: str, choices: Sequence[str]) -> str:
    near = get_close_matches(value, choices[:_MOST_COMPARED], n=1, cutoff=_ALIKE)
    return near[0] if near and near[0] != value else ""
