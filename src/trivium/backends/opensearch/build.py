"""The record of a collection -> a text index of one view, made from nothing.

For a view that is asked for the first time, one that missed batches, and one that is to be rid
of what was deleted. Called by snapshots and by the writer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from trivium.backends.opensearch import indexes
from trivium.backends.opensearch.client import Client, written
from trivium.backends.opensearch.lines import Row
from trivium.backends.opensearch.reader import EVERY, Reader
from trivium.backends.opensearch.rows import Unit, chunk_of, node_of, text_row
from trivium.backends.opensearch.said import Json
from trivium.backends.opensearch.state import key_of
from trivium.types import View

# Files come with their whole texts.
_FILES_AT_ONCE = 100
_NOT_FILTERED = frozenset(
    "id node order start end start_line end_line mtime_ns key has_text is_first text".split()  # noqa: SIM905 - a list of words reads best as words
)


def build_view(
    client: Client, reader: Reader, view: View, *, index: str, version: int, shards: int
) -> None:
    """Make the index of a view and fill it with what the reader sees."""
    indexes.make(client, index, indexes.text(view, shards=shards))
    has_marks = indexes.is_marked(view, shards=shards)
    client.bulk(
        Row(written(index), key_of(unit.chunk.id), version, row)
        for unit in units(reader)
        if (row := text_row(view, unit, is_marked=has_marks)) is not None
    )
    client.ask("POST", f"/{index}/_refresh")


def units(reader: Reader) -> Iterator[Unit]:
    """Yield every chunk with its node, its document's text and what filters look at."""
    files = reader.every(
        "files", EVERY, sort=["path"], fields=["path", "text"], page=_FILES_AT_ONCE
    )
    some: list[Json] = []
    for one in files:
        some.append(one)
        if len(some) == _FILES_AT_ONCE:
            yield from _units_of(reader, some)
            some = []
    yield from _units_of(reader, some)


def _units_of(reader: Reader, files: list[Json]) -> Iterator[Unit]:
    texts = {one["path"]: one["text"] for one in files}
    paths = sorted(texts)
    found = reader.having("nodes", "path", paths, sort=["id"], fields=["id", "path", "body"])
    nodes = {node.id: node for node in map(node_of, found)}
    chunks = reader.having("chunks", "path", paths, sort=["path", "order"])
    for path, several in groupby(chunks, key=lambda one: one["path"]):
        for one in several:
            fields = {name: value for name, value in one.items() if name not in _NOT_FILTERED}
            chunk = chunk_of(one)
            yield Unit(
                chunk, nodes[chunk.node_id], texts[path], fields, one["order"], one["mtime_ns"]
            )
