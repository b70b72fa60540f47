"""JSON, JSON lines, CSV, YAML and TOML -> one node per record, below the node of their file.

A record's text is its slice of the document; what is left, such as a header, is the file's.
A document that holds no list of records stays one file. How a record gets its name and
description stands in records/labels.py and docs/records.md. Called by parse().
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from trivium.parsing.detect import FileType
from trivium.parsing.plain import Names, domain_of, file_name_of, plain
from trivium.parsing.records.delimited import delimited_rows
from trivium.parsing.records.fields import clean, dotted
from trivium.parsing.records.json_rows import json_lines, json_rows
from trivium.parsing.records.labels import (
    Fields,
    description_of,
    domain_of_record,
    id_text,
    labelled,
    name_of,
    own_id,
    tags_of,
)
from trivium.parsing.records.row import NOTHING, Row, Rows
from trivium.parsing.records.toml_rows import toml_rows
from trivium.parsing.records.yaml_rows import yaml_rows
from trivium.types import (
    Document,
    Edge,
    EdgeType,
    Kind,
    Location,
    Node,
    NodeId,
    Parsed,
    Span,
    lines_of,
)

_HASH = 8
_MOST_FIELD_NAMES = 100
_LONGEST_FIELD_NAME = 200
_ENDS_IN_ID = re.compile(r"[_\-\s](?:id|ID|Id)$|[a-z](?:Id|ID)$")


def record(document: Document, file_type: FileType) -> Parsed:
    """Return the file's node, then its records in order; without records the file alone."""
    found = _rows(document, file_type.language)
    rows = [*_apart(found.rows)]
    if not rows:
        file = plain(document, replace(file_type, kind=Kind.FILE))
        reason = f"{file_type.language}: {found.failure}" if found.failure else ""
        return replace(file, failure=reason)
    text, path = document.text, document.path
    spans = [Span(0, len(text)), *(row.span for row in rows)]
    lines = lines_of(text, spans)
    file_id = NodeId(f"{Kind.FILE}:{path}")
    nodes = [
        Node(
            id=file_id,
            kind=Kind.FILE,
            type="file",
            name=file_name_of(path),
            source=Location(path, *lines[0]),
            span=spans[0],
            own=tuple(_between(text, spans[1:])),
            domain=domain_of(path),
            language=file_type.language,
            metadata={"records": len(rows), "fields": _field_names(rows)},
        )
    ]
    labels = [labelled(row.fields) for row in rows]
    ids = _ids(text, rows, labels)
    for row, known, record_id, place in zip(rows, labels, ids, lines[1:], strict=True):
        metadata = dotted(row.fields)
        nodes.append(
            Node(
                id=NodeId(f"{Kind.RECORD}:{path}#{record_id}"),
                kind=Kind.RECORD,
                type="record",
                name=name_of(known, metadata, fallback=record_id),
                source=Location(path, *place),
                span=row.span,
                own=(row.span,),
                description=description_of(known, metadata, as_pairs=not found.names_in_text),
                tags=tags_of(known),
                domain=domain_of_record(known) or domain_of(path),
                language=file_type.language,
                metadata=metadata,
            )
        )
    edges = tuple(Edge(file_id, node.id, EdgeType.CONTAINS) for node in nodes[1:])
    return Parsed(tuple(nodes), edges)


def _rows(document: Document, language: str) -> Rows:
    if language == "csv":
        prefer_tabs = document.path.lower().endswith(".tsv")
        return delimited_rows(document.text, prefer_tabs=prefer_tabs)
    readers = {"json": json_rows, "jsonl": json_lines, "yaml": yaml_rows, "toml": toml_rows}
    reader = readers.get(language)
    return NOTHING if reader is None else reader(document.text)


def _apart(rows: Sequence[Row]) -> Iterator[Row]:
    """Pass on the rows that have text and fields of their own; what is not one is the file's."""
    end = 0
    for row in rows:
        if row.fields and end <= row.span.start < row.span.end:
            end = row.span.end
            yield row


def _between(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Return what lies around and between the spans, white space aside."""
    marks = [0, *(mark for span in spans for mark in (span.start, span.end)), len(text)]
    for start, end in [*pairwise(marks)][::2]:
        piece = text[start:end]
        if inner := piece.strip():
            first = start + piece.index(inner)
            yield Span(first, first + len(inner))


def _ids(text: str, rows: Sequence[Row], labels: Sequence[Fields]) -> list[str]:
    """Give each record the id it has itself, if no other has it, else a hash of its content."""
    given = [own_id(one) for one in labels]
    if not any(given):
        given = _first_fields(rows)
    counts = Counter(given)
    names = Names()
    return [
        names.unique(own if own and counts[own] == 1 else _hash(text, row))
        for own, row in zip(given, rows, strict=True)
    ]


def _first_fields(rows: Sequence[Row]) -> list[str]:
    """Return the values of a first field such as `order_id` that tells all records apart."""
    key = next(iter(rows[0].fields))
    values = [id_text(row.fields.get(key)) for row in rows]
    tells_apart = all(values) and len(set(values)) == len(values)
    return values if tells_apart and _ENDS_IN_ID.search(key) else [""] * len(rows)


def _hash(text: str, row: Row) -> str:
    try:
        content = json.dumps(row.fields, sort_keys=True, separators=(",", ":"), default=str)
    except (ValueError, RecursionError):
        content = text[row.span.start : row.span.end]
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:_HASH]


def _field_names(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the names of the records' fields in order of appearance."""
    found: dict[str, None] = {}
    for row in rows:
        if len(found) < _MOST_FIELD_NAMES:
            found.update(dict.fromkeys(clean(key[:_LONGEST_FIELD_NAME]) for key in row.fields))
    return tuple(found)[:_MOST_FIELD_NAMES]
