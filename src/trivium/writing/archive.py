"""An index <-> one portable file: JSON lines, compressed.

Holds texts, nodes, edges, chunks and vectors, so that an import needs neither the folder
nor a model. Plain data: reading one runs nothing, and it is read to its end before
anything is written. The first line says what it is.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivium.backends.base import Batch, FileContent, FileState, Snapshot, Writer
from trivium.errors import UsageError
from trivium.types import (
    Chunk,
    ChunkId,
    Document,
    Edge,
    EdgeType,
    Kind,
    Location,
    Node,
    NodeId,
    Reference,
    Span,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
_BATCH = 128
_VECTORS_AT_ONCE = 1024
# What a database can hold of a whole number, its sign aside.
_BITS = 63
# A space's id becomes the name of a folder: one from outside may not lead anywhere else.
_SPACE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

# What json.loads gives back: untrusted until it has become one of our own values.
Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Stored:
    """A vector, the key it is kept by and the space it belongs to."""

    model_id: str
    key: bytes
    vector: NDArray[np.float32]


def write_archive(snapshot: Snapshot, path: Path, *, header: Mapping[str, str]) -> int:
    """Write everything to `path`, aside first; return how many files it holds.

    Raises UsageError if the file cannot be written.
    """
    temporary = path.with_name(path.name + ".tmp")
    try:
        with gzip.open(temporary, "wt", encoding="utf-8", compresslevel=6) as out:
            count = 0
            for line in _written(snapshot, header):
                out.write(json.dumps(line) + "\n")
                count += "file" in line and not line["file"]["state"]["path"].endswith("/")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
    return count


def _written(snapshot: Snapshot, header: Mapping[str, str]) -> Iterator[Line]:
    yield {"trivium": FORMAT, **header}
    for file_path in snapshot.files():
        content = snapshot.content(file_path)
        if content is not None:
            yield {"file": _file_line(content)}
    for space in snapshot.spaces():
        for key, vector in snapshot.stored_vectors(space.model_id):
            yield {"model": space.model_id, "key": key.hex(), "vector": _packed(vector)}


def read_archive(path: Path, writer: Writer, *, known: Mapping[str, FileState]) -> int:
    """Replace what `writer` holds by the archive; return how many files it has.

    Raises UsageError, naming the line, for a file that is not an archive; then nothing
    has been written.
    """
    seen = _checked(path)
    contents: list[FileContent] = []
    vectors: list[_Stored] = []
    for _, record in _records(path):
        if isinstance(record, FileContent):
            contents.append(record)
        else:
            vectors.append(record)
        if len(contents) >= _BATCH:
            writer.write(Batch(tuple(contents)))
            contents = []
        if len(vectors) >= _VECTORS_AT_ONCE:
            _put(writer, vectors)
            vectors = []
    writer.write(Batch(tuple(contents), removed=tuple(one for one in known if one not in seen)))
    _put(writer, vectors)
    writer.record(skipped={}, origin="archive")
    writer.publish()
    # Folders stand among the files, and are not counted with them.
    return sum(not one.endswith("/") for one in seen)


def _checked(path: Path) -> set[str]:
    """Read the archive to its end and return the paths it holds."""
    seen: set[str] = set()
    sizes: dict[str, int] = {}
    for number, record in _records(path):
        if isinstance(record, FileContent):
            if record.state.path in seen:
                raise _refusal(path, number, f"{record.state.path} is there twice")
            seen.add(record.state.path)
        elif sizes.setdefault(record.model_id, record.vector.size) != record.vector.size:
            raise _refusal(path, number, "a vector is longer or shorter than those before")
    return seen


def _records(path: Path) -> Iterator[tuple[int, FileContent | _Stored]]:
    for number, line in _lines(path):
        try:
            if "file" in line:
                yield number, _file_of(line["file"])
            elif "vector" in line:
                yield number, _stored_of(line)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise _refusal(path, number, str(error)) from error


def _lines(path: Path) -> Iterator[tuple[int, Line]]:
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                line = json.loads(text)
                if not isinstance(line, dict):
                    raise _refusal(path, number, "it is no object")
                if number == 1 and line.get("trivium") != FORMAT:
                    raise _no_export(path)
                yield number, line
    except FileNotFoundError as error:
        raise UsageError(f"There is no file {path}.") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise _refusal(path, number, "it is no JSON") from error
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise UsageError(
            f"{path} is damaged after line {number}, or no export: {error}."
        ) from error
    if number == 0:
        raise _no_export(path)


def _refusal(path: Path, number: int, problem: str) -> UsageError:
    return UsageError(f"{path}, line {number}: not what an export holds ({problem}).")


def _no_export(path: Path) -> UsageError:
    return UsageError(
        f"{path} is not an export this version reads. Make one with: trivium export FILE"
    )


def _file_line(content: FileContent) -> Line:
    return {
        "state": asdict(content.state),
        "text": content.document.text,
        "nodes": [_node_line(node) for node in content.nodes],
        "edges": [asdict(edge) for edge in content.edges],
        "references": [_reference_line(one) for one in content.references],
        "chunks": [
            [one.id, one.node_id, one.span.start, one.span.end, one.start_line, one.end_line]
            for one in content.chunks
        ],
    }


def _node_line(node: Node) -> Line:
    # asdict would copy the metadata, which may be of a kind that cannot be copied.
    plain = {one.name: getattr(node, one.name) for one in fields(node)}
    return {
        **plain,
        "source": asdict(node.source),
        "span": asdict(node.span),
        "own": [asdict(one) for one in node.own],
        "metadata": dict(node.metadata),
    }


def _file_of(line: Line) -> FileContent:
    raw = line["state"]
    state = FileState(
        path=_text(raw["path"]),
        size_bytes=_number(raw["size_bytes"]),
        mtime_ns=_number(raw["mtime_ns"]),
        sha256=_text(raw["sha256"]),
        masked=_number(raw["masked"]),
        failure=_text(raw["failure"]),
    )
    text = _text(line["text"])
    nodes = tuple(_node_of(raw) for raw in line["nodes"])
    own = {node.id for node in nodes}
    chunks = tuple(_chunk_of(raw, text) for raw in line["chunks"])
    for chunk in chunks:
        if chunk.node_id not in own:
            raise ValueError(f"chunk {chunk.id} belongs to no node of {state.path}")
    edges = tuple(_edge_of(raw) for raw in line["edges"])
    # An export of an earlier version has none.
    references = tuple(_reference_of(raw) for raw in line.get("references", ()))
    return FileContent(state, Document(state.path, text), nodes, edges, chunks, references)


def _chunk_of(raw: list[Any], text: str) -> Chunk:
    chunk_id, node_id, *numbers = raw
    start, end, first, last = map(_number, numbers)
    if not 0 <= start <= end <= len(text):
        raise ValueError(f"chunk {chunk_id} does not lie in its file")
    return Chunk(
        ChunkId(_text(chunk_id)),
        NodeId(_text(node_id)),
        text[start:end],
        Span(start, end),
        first,
        last,
    )


def _edge_of(raw: Line) -> Edge:
    return Edge(
        NodeId(_text(raw["source"])),
        NodeId(_text(raw["target"])),
        EdgeType(raw["type"]),
        float(raw["weight"]),
        _text(raw["context"]),
    )


def _reference_line(one: Reference) -> list[object]:
    return [
        one.source, one.type.value, one.name, one.path, one.alias, one.of, one.line, one.context,
    ]  # fmt: skip


def _reference_of(raw: list[Any]) -> Reference:
    source, type_, name, path, alias, of, line, context = raw
    return Reference(
        NodeId(_text(source)),
        EdgeType(type_),
        _text(name),
        _text(path),
        _text(alias),
        _text(of),
        _number(line),
        _text(context),
    )


def _node_of(raw: Line) -> Node:
    source = raw["source"]
    return Node(
        id=NodeId(_text(raw["id"])),
        kind=Kind(raw["kind"]),
        type=_text(raw["type"]),
        name=_text(raw["name"]),
        source=Location(
            _text(source["file_path"]), _number(source["start_line"]), _number(source["end_line"])
        ),
        span=_span_of(raw["span"]),
        own=tuple(_span_of(one) for one in raw["own"]),
        description=_text(raw["description"]),
        tags=tuple(_text(one) for one in raw["tags"]),
        domain=_text(raw["domain"]),
        language=_text(raw["language"]),
        title=_text(raw["title"]),
        metadata={
            key: tuple(_text(one) for one in value) if isinstance(value, list) else value
            for key, value in raw["metadata"].items()
        },
    )


def _span_of(raw: Line) -> Span:
    return Span(_number(raw["start"]), _number(raw["end"]))


def _stored_of(line: Line) -> _Stored:
    import numpy as np

    model_id = _text(line["model"])
    if not _SPACE_ID.fullmatch(model_id):
        raise ValueError(f"{model_id!r} cannot name a vector space")
    vector = np.frombuffer(base64.b64decode(line["vector"], validate=True), "<f4")
    if not vector.size or not np.isfinite(vector).all():
        raise ValueError("a vector is empty or has a part that is no number")
    return _Stored(model_id, bytes.fromhex(line["key"]), vector.astype(np.float32))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value.bit_length() > _BITS:
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _packed(vector: NDArray[np.float32]) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def _put(writer: Writer, vectors: list[_Stored]) -> None:
    import numpy as np

    for model_id in dict.fromkeys(one.model_id for one in vectors):
        of_model = [one for one in vectors if one.model_id == model_id]
        rows = np.stack([one.vector for one in of_model])
        writer.put_vectors(model_id, [one.key for one in of_model], rows)
