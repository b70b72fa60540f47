"""What someone gives for the fields of a note, a task or a skill -> values that may be written.

Refuses what is too long, of the wrong sort, or could not be written and read again, by an error
that names the field, its limit and the nearest word that is allowed. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from unicodedata import normalize

from trivium.analysis.slugs import slugify
from trivium.errors import UsageError, unknown
from trivium.filtering.comparing import instant, number
from trivium.memory.items import (
    EPIC,
    EPIC_STATUSES,
    FIELDS,
    STATUSES,
    Field,
    Link,
    Sort,
    Value,
    field_of,
)
from trivium.types import PROXY, EdgeType, Kind

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
# Of these a text is made; the others end lines too, and come from other systems.
_LAYOUT = frozenset("\n\t")
_LINE_ENDS = frozenset("\x85\u2028\u2029")
_LONGEST_SLUG_BYTES = 180
_LONGEST_NAME_BYTES = 240
_DIGEST = 8
_LONGEST_FRONT = 100_000
# Names that some systems keep for devices, whatever their ending.
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d")
_KINDS = tuple(kind.value for kind in Kind)
_LARGEST = 2**53
_SHOWN = 60

_ACROSS = (EdgeType.REFERENCES, EdgeType.RELATED_TO)
_BETWEEN: Mapping[Kind, tuple[EdgeType, ...]] = {
    Kind.NOTE: (*_ACROSS, EdgeType.DEPENDS_ON, EdgeType.VARIANT_OF, EdgeType.CONTRADICTS),
    Kind.TASK: (EdgeType.SUBTASK_OF, EdgeType.BLOCKS, *_ACROSS),
    Kind.SKILL: (EdgeType.DEPENDS_ON, EdgeType.VARIANT_OF, *_ACROSS),
}
# Links that must not lead back to where they began.
ACYCLIC = frozenset({EdgeType.SUBTASK_OF, EdgeType.BLOCKS, EdgeType.DEPENDS_ON})


def checked(kind: Kind, given: Mapping[str, object]) -> dict[str, Value]:
    """Return the values of fields; None clears one. Raises UsageError."""
    made: dict[str, Value] = {}
    for name, value in given.items():
        field = field_of(kind, name)
        if field is None:
            names = [one.name for one in FIELDS[kind] if not one.is_stamp]
            raise UsageError(unknown(f"field of a {kind}", name, names))
        made[name] = None if value is None else _value(kind, field, value)
    if "title" in given and not made["title"]:
        raise UsageError(f"A {kind} needs a title.")
    return made


def check_status(status: str, *, type_: str) -> None:
    """Refuse a status that a task or an epic cannot have."""
    choices = EPIC_STATUSES if type_ == EPIC else STATUSES
    if status not in choices:
        raise UsageError(
            unknown(f"status of {'an epic' if type_ == EPIC else 'a task'}", status, choices)
        )


def _value(kind: Kind, field: Field, value: object) -> Value:
    if field.sort in (Sort.LIST, Sort.LINKS):
        return _list(field, value) if field.sort is Sort.LIST else _links(kind, value)
    if field.sort in (Sort.NUMBER, Sort.COUNT, Sort.SHARE):
        return _number(field, value)
    if not isinstance(value, str):
        raise UsageError(f"{field.name} must be {field.sort}, not {_shown(value)}.")
    if field.sort is Sort.BODY:
        return _text(field, value).strip("\n")
    line = _text(field, value, layout=False).strip()
    if field.sort is Sort.CHOICE:
        return _choice(field, line)
    if field.sort is Sort.DATE and line and instant(line) is None:
        raise UsageError(f"{field.name} must be {field.sort}, not {_shown(value)}.")
    return slug_in(Kind.TASK, line) if field.sort is Sort.NAME and line else line


def _choice(field: Field, line: str) -> str:
    word = re.sub(r"[\s-]+", "_", line.lower())
    # Which of them an epic may have is told where the type is known.
    choices = (*field.choices, *EPIC_STATUSES) if field.name == "status" else field.choices
    if word not in choices:
        raise UsageError(unknown(field.name, line, field.choices))
    return word


def _text(field: Field, value: str, *, layout: bool = True) -> str:
    """Return a text with its lines ended in one way. Raises UsageError for what cannot be kept."""
    text = value.replace("\r\n", "\n").replace("\r", "\n") if layout else value
    if len(text) > field.longest > 0:
        raise UsageError(
            f"{field.name} has {len(text):,} characters; at most {field.longest:,} are allowed."
        )
    for found in _CONTROL.finditer(text):
        allowed = _LAYOUT | _LINE_ENDS if field.sort is Sort.BODY else _LAYOUT
        if not layout or found[0] not in allowed:
            raise UsageError(
                f"{field.name} has the control character U+{ord(found[0]):04X} at position "
                f"{found.start() + 1}. Leave it out."
            )
    return normalize("NFC", text) if field.sort is Sort.LINE else text


def _list(field: Field, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise UsageError(f"{field.name} must be {field.sort}, not {_shown(value)}.")
    found: dict[str, None] = {}
    for one in value:
        if not isinstance(one, str):
            raise UsageError(f"{field.name} must be {field.sort}, not of {_shown(one)}.")
        entry = _text(field, one, layout=field.name == "steps").strip()
        if entry:
            found[entry] = None
    if len(found) > field.most:
        raise UsageError(
            f"{field.name} has {len(found)} entries; at most {field.most} are allowed."
        )
    return tuple(found)


def _number(field: Field, value: object) -> int | float:
    found = number(value)
    is_whole = found is not None and found.is_integer()
    least = -_LARGEST if field.name == "order" else 0
    most = 1 if field.sort is Sort.SHARE else _LARGEST
    if found is None or not least <= found <= most or (field.sort is Sort.COUNT and not is_whole):
        raise UsageError(f"{field.name} must be {field.sort}, not {_shown(value)}.")
    return int(found) if is_whole and field.sort is not Sort.SHARE else found


def _links(kind: Kind, value: object) -> tuple[Link, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise UsageError(f"links must be a list, not {_shown(value)}.")
    found: dict[Link, None] = {}
    for one in value:
        pair = (one.type, one.target) if isinstance(one, Link) else one
        match pair:
            case (str(type_), str(target)):
                found[link(kind, type_, target)] = None
            case _:
                raise UsageError(f"links must be pairs of a type and an id, not {_shown(one)}.")
    most = next(one.most for one in FIELDS[kind] if one.name == "links")
    if len(found) > most:
        raise UsageError(f"links has {len(found)} entries; at most {most} are allowed.")
    return tuple(found)


def link(kind: Kind, type_: str, target: str) -> Link:
    """Return a link from something of a kind. Raises UsageError for a type it cannot have."""
    field = next(one for one in FIELDS[kind] if one.name == "links")
    written = _text(field, target, layout=False).strip()
    graph, mark, wanted = written.removeprefix(PROXY).partition("::")
    is_proxy = written.startswith(PROXY)
    node = wanted if is_proxy else written
    sort = node.partition(":")[0]
    if (is_proxy and not (graph and mark)) or sort not in _KINDS or node == f"{sort}:":
        raise UsageError(
            f"{_shown(target)} is no id. Give one such as code:src/auth.py#login, note:why, or "
            "@shop::code:src/auth.py for a node of the collection shop."
        )
    allowed = _BETWEEN[kind] if sort == kind.value else _ACROSS
    if type_ not in allowed:
        what = f"link from a {kind} to a {sort}"
        raise UsageError(unknown(what, str(type_), [one.value for one in allowed]))
    return Link(EdgeType(type_), written)


def slug_in(kind: Kind, given: str) -> str:
    """Return the slug someone means, given as `ship-it` or `task:ship-it`. Raises UsageError.

    Files made by hand may have any name that is a name.
    """
    slug = normalize("NFC", given.strip().removeprefix(f"{kind}:"))
    is_name = slug and not _CONTROL.search(slug) and not slug.startswith(".")
    if not is_name or any(one in slug for one in "/\\") or len(_bytes(slug)) > _LONGEST_NAME_BYTES:
        raise UsageError(f"{_shown(given)} is no id of a {kind}. Give one such as {kind}:ship-it.")
    return slug


def check_file(kind: Kind, slug: str, text: str) -> None:
    """Refuse a file from elsewhere that is larger than what may be written here, or unreadable."""
    longest = max(one.longest for one in FIELDS[kind] if one.sort is Sort.BODY)
    slug_in(kind, slug)
    if len(text) > longest + _LONGEST_FRONT:
        raise UsageError(f"It has {len(text):,} characters; at most {longest:,} are allowed.")
    if _NO_TEXT.search(text):
        raise UsageError("It has zero bytes or halves of characters, and is no text.")


def file_name(given: str) -> str:
    """Return what a file beside something may be called: a plain name. Raises UsageError."""
    name = normalize("NFC", given)
    is_name = name and not _CONTROL.search(name) and not name.startswith(".")
    if not is_name or any(one in name for one in "/\\:") or len(_bytes(name)) > _LONGEST_NAME_BYTES:
        raise UsageError(f"{_shown(given)} is no name of a file. Give one such as drawing.png.")
    if _DEVICES.fullmatch(name.partition(".")[0].lower()):
        raise UsageError(f"{_shown(given)} is a name that some systems keep for themselves.")
    return name


def slugs_for(title: str) -> Iterator[str]:
    """Yield what something of this title may be called: a slug, then the same with ~2, ~3..."""
    slug = slugify(title).strip("-_")
    while len(_bytes(slug)) > _LONGEST_SLUG_BYTES:
        slug = slug[:-1]
    if _DEVICES.fullmatch(slug):
        slug = f"{slug}_"
    if not slug:
        import hashlib

        slug = hashlib.sha256(title.encode("utf-8", "replace")).hexdigest()[:_DIGEST]
    yield slug
    count = 2
    while True:
        yield f"{slug}~{count}"
        count += 1


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
