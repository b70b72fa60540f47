"""A record -> what people call it: an id, a name, a description, tags and a domain.

The rules, which docs/records.md repeats. Fields are compared without case, "_", "-" and spaces;
a field that is missing or blank is passed over. First the record's own fields are looked at,
then those of the part that holds them all in some formats (`fields`, `properties`...).

- id: see record.py, which knows the other records. Here: the fields that may hold one.
- name: the first of NAMES, else the first short text of a word or more, else the id.
- description: the first of DESCRIPTIONS, else "field: value" pairs. Where the names of the
  fields stand in a header far away, always pairs, so that a row is found by them.
- tags: TAGS, as a list, as text with commas, or as objects with a name.
- domain: `domain`, else `category`, else the folder, as for all files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from trivium.parsing.plain import summary_of
from trivium.parsing.records.fields import clean, text_of
from trivium.types import MetaValue

IDS = ("id", "uuid", "guid", "key", "identifier", "pk", "oid")
NAMES = (
    "name", "title", "label", "summary", "subject", "headline", "question", "heading",
    "displayname", "fullname", "caption", "message", "msg", "event", "term", "word", "prompt",
)  # fmt: skip
DESCRIPTIONS = (
    "description", "desc", "body", "text", "content", "message", "msg", "comment", "answer",
    "abstract", "summary", "details", "notes", "note", "review", "response", "definition",
)  # fmt: skip
TAGS = ("tags", "labels", "categories", "keywords", "topics")
DOMAINS = ("domain", "category")
# Where GeoJSON, fixtures, JSON:API, search engines and graph queries keep the fields.
_INNER = ("fields", "properties", "attributes", "source", "node")

_LONGEST_NAME = 100
_LONGEST_SHORT_TEXT = 80
_LONGEST_ID = 200
_LONGEST_PAIR = 100
_MOST_PAIRS = 30
_MOST_TAGS = 50
_LONGEST_FIELD = 40

_WORD = re.compile(r"[^\W\d_]{2}")
_NO_NAME = re.compile(r"\w+://\S*|[0-9a-fA-F-]{16,}|\d[\dT:.+Z -]*")
_NOT_IN_NAMES = re.compile(r"[\s_\-]+")

Fields = Mapping[str, object]


def labelled(fields: Fields) -> Fields:
    """Return the fields that the rules look at, by the names they compare, outer ones first."""
    found: dict[str, object] = {}
    for key, value in fields.items():
        found.setdefault(_compared(key), value)
    for part in _INNER:
        inner = found.get(part)
        if isinstance(inner, Mapping):
            for key, value in inner.items():
                found.setdefault(_compared(str(key)), value)
    return found


def own_id(labels: Fields) -> str:
    """Return what the record itself gives as its id, "" for none."""
    return next((one for key in IDS if (one := id_text(labels.get(key)))), "")


def id_text(value: object) -> str:
    """Return a value that can be part of an id: short, on one line, not true or false."""
    if isinstance(value, Mapping) and len(value) == 1:
        # A store of documents writes {"$oid": "..."}.
        value = value.get("$oid")
    if isinstance(value, bool) or (isinstance(value, str) and len(value) > _LONGEST_ID):
        return ""
    return " ".join(text_of(value).split())


def name_of(labels: Fields, metadata: Mapping[str, MetaValue], *, fallback: str) -> str:
    """Choose a name; never empty."""
    for key in NAMES:
        if name := _one_line(labels.get(key)):
            return name[:_LONGEST_NAME]
    return next(_short_texts(metadata), fallback)


def description_of(labels: Fields, metadata: Mapping[str, MetaValue], *, as_pairs: bool) -> str:
    """Choose a description of at most 300 characters."""
    for key in () if as_pairs else DESCRIPTIONS:
        value = labels.get(key)
        if isinstance(value, str) and (description := summary_of(clean(value[:10_000]))):
            return description
    pairs = [f"{key}: {_shown(value)}" for key, value in [*metadata.items()][:_MOST_PAIRS]]
    return summary_of("; ".join(pairs))


def tags_of(labels: Fields) -> tuple[str, ...]:
    """Return the distinct tags in order."""
    found = dict.fromkeys(tag for key in TAGS for tag in _words(labels.get(key)) if tag)
    return tuple(found)[:_MOST_TAGS]


def domain_of_record(labels: Fields) -> str:
    """Return the record's own domain, "" for none."""
    return next((one[:_LONGEST_NAME] for key in DOMAINS if (one := _one_line(labels.get(key)))), "")


def _short_texts(metadata: Mapping[str, MetaValue]) -> Iterator[str]:
    for key, value in metadata.items():
        if isinstance(value, str) and len(value) <= _LONGEST_SHORT_TEXT:
            text = _one_line(value)
            is_id = _compared(key.rpartition(".")[2]) in IDS
            if _WORD.search(text) and not _NO_NAME.fullmatch(text) and not is_id:
                yield text


def _words(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from (_one_line(part)[:_LONGEST_NAME] for part in value[:10_000].split(","))
    elif isinstance(value, list):
        for one in value[:_MOST_TAGS]:
            tag = one.get("name", one.get("title")) if isinstance(one, Mapping) else one
            yield _one_line(tag)[:_LONGEST_NAME]


def _one_line(value: object) -> str:
    return "" if isinstance(value, bool) else " ".join(text_of(value).split())


def _shown(value: MetaValue) -> str:
    text = ", ".join(value) if isinstance(value, tuple) else text_of(value)
    return " ".join(text[:_LONGEST_PAIR].split())


def _compared(key: str) -> str:
    return _folded(key[:_LONGEST_FIELD])


@lru_cache(maxsize=4096)
def _folded(key: str) -> str:
    return _NOT_IN_NAMES.sub("", key).casefold()
