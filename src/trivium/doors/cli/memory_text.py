"""A note, a task or a skill -> what a terminal shows of it, on one line or whole."""

from __future__ import annotations

from collections.abc import Sequence

from trivium.memory.ground import LinkState
from trivium.memory.items import FIELDS, AnyItem, Skill, Sort, Task
from trivium.results.present import one_line
from trivium.types import Kind

_LONGEST_TITLE = 80
# Shown in its own way, or not worth a line.
_NOT_FACTS = frozenset({"title", "links", "steps", "order"})


def line_of(item: AnyItem) -> str:
    """Return one line of a list: the id, what sorts it, its title and its tags, by tabs."""
    facts = []
    if isinstance(item, Task):
        facts = [item.status, item.priority, item.due or "-"]
    elif isinstance(item, Skill):
        facts = [f"used {item.usage_count}", f"{item.confidence:g}"]
    else:
        facts = [item.updated[:10]]
    title = one_line(item.title)
    if len(title) > _LONGEST_TITLE:
        title = title[:_LONGEST_TITLE] + "…"
    tags = " ".join(f"#{one_line(tag)}" for tag in item.tags)
    return "\t".join(filter(None, [one_line(item.id), *map(one_line, facts), title, tags]))


def text_of(item: AnyItem, links: Sequence[LinkState]) -> str:
    """Return all of it: its title, its facts, its links and its text."""
    kind = Kind(item.id.partition(":")[0])
    lines = [one_line(item.title), f"  {'id':<13} {one_line(item.id)}, version {item.version}"]
    text = ""
    for field in FIELDS[kind]:
        value = getattr(item, field.name)
        if field.sort is Sort.BODY:
            text = value
        elif value not in ("", (), None) and field.name not in _NOT_FACTS:
            said = ", ".join(value) if isinstance(value, tuple) else f"{value}"
            lines.append(f"  {field.name.replace('_', ' '):<13} {one_line(said)}")
    lines += [_link(one) for one in links]
    if isinstance(item, Skill) and item.steps:
        lines += ["", *(f"{number}. {step}" for number, step in enumerate(item.steps, 1))]
    return "\n".join([*lines, "", text] if text else lines)


def _link(one: LinkState) -> str:
    way = "" if one.direction == "out" else "from "
    state = {True: "  (broken: it is gone)", None: "  (not on this machine)"}.get(one.is_broken, "")
    title = f"  {one_line(one.title)}" if one.title and one.title not in one.other else ""
    return f"  {'link':<13} {way}{one.type} {one_line(one.other)}{title}{state}"
