"""The fields of notes, tasks and skills -> options of the command line, and back to values.

Called by the commands of memory.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import click

from trivium.errors import UsageError
from trivium.types import Kind

# The options of each kind, by the name of the field: what a person gives, once or repeatedly.
_ONCE: Mapping[Kind, Mapping[str, str]] = {
    Kind.NOTE: {"content": "Its text, in Markdown; - reads it from stdin."},
    Kind.TASK: {
        "description": "What is to be done, in Markdown; - reads it from stdin.",
        "status": "backlog, todo, in_progress, review, done or cancelled.",
        "priority": "critical, high, medium or low.",
        "due": "A date such as 2026-01-31.",
        "estimate": "How much work it is, a number.",
        "assignee": "Who does it.",
        "epic": "The epic it belongs to.",
        "type": "task or epic.",
    },
    Kind.SKILL: {
        "description": "What it is for, in Markdown; - reads it from stdin.",
        "source": "user or learned.",
        "confidence": "How sure it is, 0 to 1.",
    },
}
_REPEATED: Mapping[Kind, Mapping[str, str]] = {
    Kind.NOTE: {"tags": "A tag."},
    Kind.TASK: {"tags": "A tag."},
    Kind.SKILL: {
        "steps": "A step.",
        "triggers": "When it is to be used, in words.",
        "input_hints": "Something it needs to know.",
        "file_patterns": "Files it is about, as src/*.py.",
        "tags": "A tag.",
    },
}
LISTED: Mapping[Kind, Mapping[str, str]] = {
    Kind.NOTE: {},
    Kind.TASK: {
        "status": "Only this status.",
        "priority": "Only this priority.",
        "assignee": "Only what this person does.",
        "epic": "Only what belongs to this epic.",
        "type": "task (default) or epic.",
        "due_before": "Only what is due before this date.",
    },
    Kind.SKILL: {"source": "user or learned."},
}
_TEXTS = ("content", "description")


def option(name: str, said: str, *, repeated: bool) -> click.Option:
    """Return the option for a field; one that may be repeated is called by one of its entries."""
    flag = "--" + (name.removesuffix("s") if repeated else name).replace("_", "-")
    more = " Repeat for more." if repeated else ""
    return click.Option([flag, name], multiple=repeated, help=said + more)


def with_fields(command: click.Command, kind: Kind) -> None:
    """Give a command the options of a kind."""
    once = [option(name, said, repeated=False) for name, said in _ONCE[kind].items()]
    many = [option(name, said, repeated=True) for name, said in _REPEATED[kind].items()]
    command.params[-1:-1] = [*once, *many]


def given_fields(kind: Kind, fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields that something was said for; a text may come from stdin."""
    found: dict[str, object] = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in fields.items()
        if value not in (None, ())
    }
    for name in _TEXTS:
        if found.get(name) == "-":
            found[name] = sys.stdin.read()
    for name in ("estimate", "confidence"):
        if name in found:
            found[name] = _number(kind, name, str(found[name]))
    return found


def _number(kind: Kind, name: str, text: str) -> object:
    from trivium.filtering.comparing import number

    value = number(text)
    if value is None:
        raise UsageError(f"--{name} of a {kind} must be a number, not {text[:60]!r}.")
    return value
