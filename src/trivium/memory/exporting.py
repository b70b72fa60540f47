"""Memory -> JSON, or a folder of Markdown: a vault, or SKILL.md files for other programs.

What was brought in goes back to where it came from, as it was if nobody changed it. No file that
is there is replaced by another unless that is asked for, and none outside the folder is written.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from trivium.errors import NotFound, SourceError, UsageError
from trivium.memory.attached import attachment_data
from trivium.memory.crossing import AGENTS, JSON, MARK, SKILL, Given, checked_form
from trivium.memory.items import AnyItem, Skill, as_data
from trivium.memory.origin import for_others, origin_of
from trivium.parsing.plain import summary_of
from trivium.parsing.shelves import ENDING, FOLDERS
from trivium.types import Kind

if TYPE_CHECKING:
    from trivium.memory.memory import Memory

_FORMAT = 1
_LONGEST_SAID = 1024
_LONGEST_PATH = 1000


@dataclass(frozen=True, slots=True)
class _Out:
    """A file of memory with what it holds."""

    item: AnyItem
    kind: Kind
    text: str


def give_out(memory: Memory, target: Path, *, form: str, replace: bool = False) -> Given:
    """Write all of memory to a file or a folder. Raises UsageError, SourceError."""
    given = Given()
    if checked_form(form) == JSON:
        rows = [_row(memory, one) for one in _all(memory, given)]
        data = {"format": MARK, "version": _FORMAT, "items": rows}
        text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
        _write(target.parent, target.name, text.encode(), given, replace=replace)
        return given
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target} is no folder.")
    for one in _all(memory, given):
        _one(memory, target, one, form, given, replace=replace)
    return given


def _all(memory: Memory, given: Given) -> Iterator[_Out]:
    desk = memory.desk
    for kind in FOLDERS:
        for slug in sorted(desk.files.listed(kind)):
            try:
                kept = desk.files.read(kind, slug)
                text = None if kept is None else kept.text
                found = None if text is None else _Out(desk.peek(kind, slug), kind, text)
            except (SourceError, NotFound) as error:
                given.left_out[f"{kind}:{slug}"] = str(error)
                continue
            if found is None:
                given.left_out[f"{kind}:{slug}"] = "It is not UTF-8."
            else:
                yield found


def _row(memory: Memory, one: _Out) -> dict[str, object]:
    attached = memory.desk.attached
    files = [
        {
            **attachment_data(file),
            "data": base64.b64encode(attached.read(one.kind, one.item.slug, file.name)).decode(),
        }
        for file in attached.list(one.kind, one.item.slug)
    ]
    more = {"attachments": files} if files else {}
    return {**as_data(one.item), "file": one.text, **more}


def _one(
    memory: Memory, target: Path, one: _Out, form: str, given: Given, *, replace: bool
) -> None:
    origin = origin_of(one.text)
    slug, attached = one.item.slug, memory.desk.attached
    if origin is not None and _is_safe(origin.path) and origin.path.endswith(ENDING):
        path, text, places = origin.path, origin.text, origin.files
    else:
        path, text, places = _usual(one, form), one.text, ()
        if form == AGENTS and isinstance(one.item, Skill):
            text = for_others(text, name=slug, description=_said(one.item))
    if form == AGENTS and one.kind is not Kind.SKILL and origin is None:
        given.left_out[one.item.id] = "Only skills, and what came from such a folder, go there."
        return
    if not _write(target, path, text.encode(), given, replace=replace):
        return
    known = {PurePosixPath(place).name: place for place in places if _is_safe(place)}
    for file in attached.list(one.kind, slug):
        usual = (PurePosixPath(path).parent / "attachments" / slug / file.name).as_posix()
        if form == AGENTS:
            usual = (PurePosixPath(path).parent / file.name).as_posix()
        place = known.get(file.name, usual)
        _write(target, place, attached.read(one.kind, slug, file.name), given, replace=replace)


def _usual(one: _Out, form: str) -> str:
    """Return where something goes that came from nowhere else."""
    if form == AGENTS:
        return f"{one.item.slug}/{SKILL}"
    folder = "" if one.kind is Kind.NOTE else f"{FOLDERS[one.kind].title()}/"
    return f"{folder}{one.item.slug}{ENDING}"


def _said(skill: Skill) -> str:
    """Return one line on what a skill is for and when to use it."""
    parts: Sequence[str] = (summary_of(skill.description), *skill.triggers)
    return " ".join(" ".join(filter(None, parts)).split())[:_LONGEST_SAID] or skill.title


def _is_safe(path: str) -> bool:
    """Whether a path that a file names leads nowhere but below a folder."""
    parts = PurePosixPath(path).parts
    return bool(
        path
        and len(path) <= _LONGEST_PATH
        and path.isprintable()
        and not path.startswith("/")
        and not any(one in path for one in "\\:")
        and not any(part in ("..", ".git") for part in parts)
    )


def _write(folder: Path, path: str, data: bytes, given: Given, *, replace: bool) -> bool:
    """Write a file whole or not at all; return whether it is there now."""
    place = folder / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.parent.resolve().is_relative_to(folder.resolve()) or place.is_symlink():
            given.left_out[path] = "A link stands in its way."
            return False
        if place.exists():
            if place.read_bytes() == data:
                given.same += 1
                return True
            if not replace:
                given.left_out[path] = "Another file is there. It can be replaced by: --replace"
                return False
        aside = place.with_name(f".{place.name[:100]}.{os.getpid()}.part")
        try:
            aside.write_bytes(data)
            aside.replace(place)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        given.left_out[path] = f"It cannot be written: {error.strerror}."
        return False
    given.paths.append(path)
    return True
