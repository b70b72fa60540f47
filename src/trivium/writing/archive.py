"""An index <-> one portable file: JSON lines, compressed.

Holds texts, nodes, edges, chunks and vectors, so that an import needs neither the folder
nor a model. Plain data: reading one runs nothing. The first line says what it is.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
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
    Span,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
_BATCH = 128
_VECTORS_AT_ONCE = 1024

# What json.loads gives back: untrusted until it has become one of our own values.
Line = dict[str, Any]


def write_archive(snapshot: Snapshot, path: Path, *, header: Mapping[str, str]) -> int:
    """Write everything to `path`, aside first; return how many files it holds."""
    temporary = path.with_name(path.name + ".tmp")
    count = 0
    with gzip.open(temporary, "wt", encoding="utf-8", compresslevel=6) as out:
        out.write(json.dumps({"trivium": FORMAT, **header}) + "\n")
        for file_path in snapshot.files():
            content = snapshot.content(file_path)
            if content is not None:
                out.write(json.dumps({"file": _file_line(content)}, ensure_ascii=False) + "\n")
                count += 1
        for space in snapshot.spaces():
            for key, vector in snapshot.stored_vectors(space.model_id):
                line = {"model": space.model_id, "key": key.hex(), "vector": _packed(vector)}
                out.write(json.dumps(line) + "\n")
    temporary.replace(path)
    return count


def read_archive(path: Path, writer: Writer, *, known: Mapping[str, FileState]) -> int:
    """Replace what `writer` holds by the archive; return how many files it has.

    Raises UsageError, naming the line, for a file that is not an archive.
    """
    seen: set[str] = set()
    contents: list[FileContent] = []
    vectors: list[tuple[str, bytes, str]] = []
    for number, line in _lines(path):
        try:
            if "file" in line:
                content = _file_of(line["file"])
                seen.add(content.state.path)
                contents.append(content)
            elif "vector" in line:
                vectors.append((line["model"], bytes.fromhex(line["key"]), line["vector"]))
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(
                f"{path}, line {number}: not what an export holds ({error})."
            ) from error
        if len(contents) >= _BATCH:
            writer.write(Batch(tuple(contents)))
            contents = []
        if len(vectors) >= _VECTORS_AT_ONCE:
            _put(writer, vectors)
            vectors = []
    writer.write(Batch(tuple(contents), removed=tuple(one for one in known if one not in seen)))
    _put(writer, vectors)
    writer.record(skipped={})
    writer.publish()
    return len(seen)


def _lines(path: Path) -> Iterator[tuple[int, Line]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                line = json.loads(text)
                if not isinstance(line, dict) or (number == 1 and line.get("trivium") != FORMAT):
                    raise UsageError(
                        f"{path} is not an export this version reads. "
                        "Make one with: trivium export FILE"
                    )
                yield number, line
    except FileNotFoundError as error:
        raise UsageError(f"There is no file {path}.") from error
    except (OSError, EOFError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UsageError(f"{path} is damaged or not an export: {error}.") from error


def _file_line(content: FileContent) -> Line:
    return {
        "state": asdict(content.state),
        "text": content.document.text,
        "nodes": [{**asdict(node), "metadata": dict(node.metadata)} for node in content.nodes],
        "edges": [asdict(edge) for edge in content.edges],
        "chunks": [
            [one.id, one.node_id, one.span.start, one.span.end, one.start_line, one.end_line]
            for one in content.chunks
        ],
    }


def _file_of(line: Line) -> FileContent:
    state = FileState(**line["state"])
    text = str(line["text"])
    chunks = tuple(
        Chunk(ChunkId(chunk_id), NodeId(node_id), text[a:b], Span(a, b), first, last)
        for chunk_id, node_id, a, b, first, last in line["chunks"]
    )
    edges = tuple(
        Edge(
            NodeId(edge["source"]),
            NodeId(edge["target"]),
            EdgeType(edge["type"]),
            float(edge["weight"]),
            str(edge["context"]),
        )
        for edge in line["edges"]
    )
    nodes = tuple(_node_of(raw) for raw in line["nodes"])
    return FileContent(state, Document(state.path, text), nodes, edges, chunks)


def _node_of(raw: Line) -> Node:
    metadata = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in raw["metadata"].items()
    }
    return Node(
        id=NodeId(raw["id"]),
        kind=Kind(raw["kind"]),
        type=raw["type"],
        name=raw["name"],
        source=Location(**raw["source"]),
        span=Span(**raw["span"]),
        own=tuple(Span(**one) for one in raw["own"]),
        description=raw["description"],
        tags=tuple(raw["tags"]),
        domain=raw["domain"],
        language=raw["language"],
        title=raw["title"],
        metadata=metadata,
    )


def _packed(vector: NDArray[np.float32]) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def _put(writer: Writer, vectors: list[tuple[str, bytes, str]]) -> None:
    import numpy as np

    for model_id in dict.fromkeys(model for model, _, _ in vectors):
        of_model = [(key, packed) for model, key, packed in vectors if model == model_id]
        rows = np.stack([np.frombuffer(base64.b64decode(packed), "<f4") for _, packed in of_model])
        writer.put_vectors(model_id, [key for key, _ in of_model], rows.astype(np.float32))
