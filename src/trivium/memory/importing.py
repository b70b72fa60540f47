"""An Obsidian vault, a folder of AGENTS.md, CLAUDE.md and SKILL.md, or JSON -> memory.

Files come in as they are, with where they came from added to their front matter, and the files
they show or bring along beside them. Nothing that is there is replaced unless that is asked for,
and then it is kept as a conflict copy. What is left out is named, with the reason.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from trivium.errors import NotFound, SourceError, TriviumError, UsageError, unknown
from trivium.memory import front, limits
from trivium.memory.attached import MOST
from trivium.memory.attached import MOST_BYTES as MOST_FILE_BYTES
from trivium.memory.crossing import AGENTS, GUIDES, JSON, SKILL, VAULT, Taken, checked_form
from trivium.memory.files import read_file
from trivium.memory.items import FIELDS, Sort
from trivium.memory.origin import origin_of, with_origin, without_those
from trivium.parsing.shelves import ENDING, FOLDERS
from trivium.types import Kind

if TYPE_CHECKING:
    from trivium.memory.memory import Memory

_VAULT_FOLDER = ".obsidian"
# Where programs that help with code keep what they are told, though hidden.
_SHOWN = frozenset({".claude", ".agents", ".codex", ".gemini", ".cursor", ".github"})
_NEVER = frozenset({"node_modules", "__pycache__"})
_MOST_FOUND = 200_000
_MOST_JSON_BYTES = 2_000_000_000
_EMBED = re.compile(
    r"!\[\[([^\[\]|#\n]{1,400})(?:[#|][^\[\]\n]*)?\]\]|!\[[^\]\n]{0,400}\]\(([^()\s]{1,400})\)"
)


@dataclass(frozen=True, slots=True)
class _Piece:
    """One file to be taken in, where it comes from, and the files beside it."""

    kind: Kind
    path: str
    text: str
    name: str
    files: tuple[str, ...] = ()


def take_in(
    memory: Memory, source: Path, *, form: str | None = None, replace: bool = False
) -> Taken:
    """Take in what a folder or a file holds; what it is, is seen by what is in it.

    Raises UsageError for a form there is none of, NotFound for a source that is not there.
    """
    if not source.exists():
        raise NotFound(f"{source} is not there.")
    chosen = _form_of(source) if form is None else checked_form(form)
    if (chosen == JSON) == source.is_dir():
        raise UsageError(f"{source} is {'a folder' if source.is_dir() else 'no folder'}.")
    taken = Taken()
    taking = _Taking(memory, source, taken, replace=replace)
    if chosen == JSON:
        taking.json()
    else:
        taking.pieces(_vault(source, taken) if chosen == VAULT else _agents(source, taken))
    for kind in FOLDERS:
        of_kind = f"{kind}:"
        slugs = [one.removeprefix(of_kind) for one in taken.ids if one.startswith(of_kind)]
        if slugs:
            memory.ground.take_in(kind, slugs)
    return taken


class _Taking:
    def __init__(self, memory: Memory, source: Path, taken: Taken, *, replace: bool) -> None:
        self._memory = memory
        self._source = source
        self._taken = taken
        self._replace = replace
        self._known: dict[tuple[Kind, str], str] | None = None

    def pieces(self, pieces: Iterator[_Piece]) -> None:
        for one in pieces:
            title = PurePosixPath(one.path).name.removesuffix(ENDING)
            shown = title if one.kind is Kind.NOTE else ""
            text = with_origin(one.text, one.path, title=shown, files=one.files)
            slug = self._slug_from(one.kind, one.path) or self._free(one.kind, one.name)
            if self._put(one.path, one.kind, slug, text):
                for path in one.files:
                    self._attach(one.kind, slug, path)

    def json(self) -> None:
        """Take in what an export has written, or a list of items by their fields."""
        if self._source.stat().st_size > _MOST_JSON_BYTES:
            raise UsageError(f"{self._source} is too large.")
        try:
            data = json.loads(self._source.read_text(encoding="utf-8"))
            items = data["items"] if isinstance(data, dict) else data
        except (ValueError, KeyError, OSError, RecursionError) as error:
            raise UsageError(
                f"{self._source} cannot be read as exported memory: {error}."
            ) from error
        if not isinstance(items, list):
            raise UsageError(f"{self._source} has no list of items.")
        for number, one in enumerate(items, 1):
            where = f"item {number}"
            try:
                if not isinstance(one, dict):
                    raise UsageError("It is no object.")
                self._item(where, one)
            except TriviumError as error:
                self._taken.left_out[where] = str(error)

    def _item(self, where: str, item: Mapping[str, object]) -> None:
        kinds = {kind.value: kind for kind in FOLDERS}
        kind = kinds.get(str(item.get("kind")))
        if kind is None:
            raise UsageError(unknown("kind", str(item.get("kind"))[:60], list(kinds)))
        text = item.get("file")
        if text is None:
            text = self._written(kind, item)
        if not isinstance(text, str):
            raise UsageError("file must be text.")
        given = str(item.get("slug") or "")
        title = str(front.read(kind, "", text).values["title"])
        slug = limits.slug_in(kind, given) if given else self._free(kind, title)
        if not self._put(where, kind, slug, text):
            return
        files = item.get("attachments")
        for one in files if isinstance(files, list) else ():
            if isinstance(one, dict) and isinstance(one.get("data"), str):
                try:
                    data = base64.b64decode(one["data"], validate=True)
                except binascii.Error as error:
                    raise UsageError(f"A file of {where} is not base64.") from error
                self._memory.desk.attach(kind, slug, str(one.get("filename")), data)

    def _written(self, kind: Kind, item: Mapping[str, object]) -> str:
        """Return the file of something that is given by its fields."""
        given: dict[str, object] = {}
        for one in FIELDS[kind]:
            value = item.get(one.json)
            if one.sort is Sort.LINKS and isinstance(value, list):
                value = [
                    (link.get("type"), link.get("target")) if isinstance(link, dict) else link
                    for link in value
                ]
            if value is not None:
                given[one.name] = value
        now = self._memory.desk.now()
        values = {"created": now, "updated": now, **limits.checked(kind, given)}
        if "title" not in given:
            raise UsageError(f"A {kind} needs a title.")
        return front.fresh(kind, values)

    def _put(self, where: str, kind: Kind, slug: str, text: str) -> bool:
        """Write a file; return whether it is there now."""
        try:
            done = self._memory.desk.put(kind, slug, text, replace=self._replace)
        except TriviumError as error:
            self._taken.left_out[where] = str(error)
            return False
        if done:
            self._taken.ids.append(f"{kind}:{slug}")
        else:
            self._taken.same += 1
        return True

    def _attach(self, kind: Kind, slug: str, path: str) -> None:
        place = self._source / path
        try:
            kept = read_file(place)
            if kept is None:
                raise NotFound("It cannot be read.")
            self._memory.desk.attach(kind, slug, place.name, kept.data)
        except TriviumError as error:
            self._taken.left_out[path] = str(error)

    def _slug_from(self, kind: Kind, path: str) -> str | None:
        """Return the slug of what came from here before."""
        if self._known is None:
            self._known = {}
            for one in FOLDERS:
                for slug in self._memory.desk.files.listed(one):
                    kept = self._memory.desk.files.read(one, slug)
                    found = None if kept is None or kept.text is None else origin_of(kept.text)
                    if found is not None:
                        self._known[one, found.path] = slug
        return self._known.get((kind, path))

    def _free(self, kind: Kind, name: str) -> str:
        return next(
            slug for slug in limits.slugs_for(name) if not self._memory.desk.is_there(kind, slug)
        )


def _form_of(source: Path) -> str:
    if source.is_file():
        return JSON
    if (source / _VAULT_FOLDER).is_dir():
        return VAULT
    names = (SKILL, *GUIDES)
    return AGENTS if any(path.name in names for path in _walked(source)) else VAULT


def _walked(source: Path) -> Iterator[Path]:
    """Yield the plain files of a folder, in order; nothing hidden, nothing behind a link."""
    count = 0
    for folder, names, files in os.walk(source):
        names[:] = sorted(
            one for one in names if one not in _NEVER and (not one.startswith(".") or one in _SHOWN)
        )
        for name in sorted(files):
            count += 1
            if count > _MOST_FOUND:
                raise UsageError(f"{source} has more than {_MOST_FOUND:,} files.")
            path = Path(folder) / name
            if not name.startswith(".") and not path.is_symlink() and path.is_file():
                yield path


def _text(path: Path, shown: str, taken: Taken) -> str | None:
    try:
        kept = read_file(path)
    except SourceError as error:
        taken.left_out[shown] = str(error)
        return None
    text = None if kept is None else kept.text
    if text is None:
        taken.left_out[shown] = "It cannot be read as UTF-8."
    return text


def _vault(source: Path, taken: Taken) -> Iterator[_Piece]:
    """Yield each Markdown file as a note, with the pictures and other files that it shows."""
    found = {path.relative_to(source).as_posix(): path for path in _walked(source)}
    others = {path: place for path, place in found.items() if not path.endswith(ENDING)}
    by_name: dict[str, list[str]] = {}
    for path in others:
        by_name.setdefault(PurePosixPath(path).name, []).append(path)
    used: set[str] = set()
    for path, place in found.items():
        if not path.endswith(ENDING):
            continue
        text = _text(place, path, taken)
        if text is None:
            continue
        files = _shown_in(text, path, others, by_name)
        used.update(files)
        yield _Piece(Kind.NOTE, path, text, place.name.removesuffix(ENDING), files)
    for path in others:
        if path not in used:
            taken.left_out[path] = "No note shows it."


def _shown_in(
    text: str, path: str, others: Mapping[str, Path], by_name: Mapping[str, list[str]]
) -> tuple[str, ...]:
    """Return the files that a note shows, as the editor of vaults finds them; one of each name."""
    folder = PurePosixPath(path).parent
    found: dict[str, str] = {}
    for match in _EMBED.finditer(text):
        wanted = (match[1] or match[2]).strip()
        near = (folder / wanted).as_posix()
        named = by_name.get(PurePosixPath(wanted).name, [])
        path_of = next((one for one in (wanted, near) if one in others), None)
        if path_of is None and len(named) == 1:
            path_of = named[0]
        if path_of is not None and _is_small(others[path_of]):
            found.setdefault(PurePosixPath(path_of).name, path_of)
    return tuple(found.values())[:MOST]


def _is_small(place: Path) -> bool:
    try:
        return place.stat().st_size <= MOST_FILE_BYTES
    except OSError:
        # Gone since it was found.
        return False


def _agents(source: Path, taken: Taken) -> Iterator[_Piece]:
    """Yield each SKILL.md as a skill with the files of its folder, and each guide as a note."""
    found = {path.relative_to(source).as_posix(): path for path in _walked(source)}
    for path, place in found.items():
        name = place.name
        if name not in (SKILL, *GUIDES):
            continue
        text = _text(place, path, taken)
        if text is None:
            continue
        folder = PurePosixPath(path).parent.as_posix()
        if name == SKILL:
            own = without_those(text)
            title = str(front.read(Kind.SKILL, "", own).values["title"])
            called = title or place.parent.name
            files = _beside(path, found, taken)
            yield _Piece(Kind.SKILL, path, own, called, files)
        else:
            where = "" if folder == "." else f" {folder}"
            yield _Piece(Kind.NOTE, path, text, f"{name.removesuffix(ENDING)}{where}")


def _beside(path: str, found: Mapping[str, Path], taken: Taken) -> tuple[str, ...]:
    """Return the files of a skill's folder; those in folders of their own by their names."""
    folder = PurePosixPath(path).parent.as_posix()
    prefix = "" if folder == "." else f"{folder}/"
    names: dict[str, str] = {}
    for other, place in found.items():
        if other == path or not other.startswith(prefix) or folder == ".":
            continue
        is_other = any(
            f"{parent.as_posix()}/{SKILL}" in found
            for parent in PurePosixPath(other).parents
            if parent.as_posix().startswith(prefix)
        )
        if is_other:
            continue
        if place.name in names or len(names) >= MOST or not _is_small(place):
            taken.left_out[other] = f"{MOST} files of other names and 10 MB are kept at most."
        else:
            names[place.name] = other
    return tuple(names.values())
