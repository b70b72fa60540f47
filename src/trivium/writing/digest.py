"""One file that was read -> what is written of it: masked, parsed, cut.

Plain functions of values, so that they run in this process or in a worker alike. Called by
the indexer. Parsers are loaded with the first file: most searches find nothing changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from trivium.backends.base import FileContent, FileState
from trivium.sources.base import Raw, Reason, Skip
from trivium.types import Document, Parsed


@dataclass(frozen=True, slots=True)
class Cutting:
    """How prose is cut into chunks."""

    size: int = 1000
    overlap: int = 200


def load_parsers() -> None:
    """Load all that `digest` needs now: a worker's first file is to take no longer than others."""
    import trivium.chunking.chunk
    import trivium.parsing.parse
    import trivium.parsing.secrets
    import trivium.sources.files  # noqa: F401 - loaded for others


def digest(raw: Raw, cutting: Cutting, *, is_apart: bool = False, gave_up: str = "") -> FileContent:
    """Turn one file that was read into what is written: mask, parse, cut.

    `is_apart` gives a skill an id of its own; `gave_up` says why its structure is not read.
    """
    from trivium.parsing.parse import parse, plainly
    from trivium.parsing.secrets import mask
    from trivium.sources.files import text_of

    if raw.data is not None:
        text = "" if gave_up else text_of(raw.entry.path, raw.data)
        if isinstance(text, Skip) or not text:
            reason = text.reason if isinstance(text, Skip) else Reason.DAMAGED
            return _nothing(raw, reason)
        raw = replace(raw, text=text, data=None)
    masked = mask(raw.text, path=raw.entry.path)
    document = Document(raw.entry.path, masked.text)
    if gave_up:
        return _content(raw, plainly(document, failure=gave_up), document, cutting, masked.count)
    return _content(raw, parse(document, is_apart=is_apart), document, cutting, masked.count)


def _nothing(raw: Raw, reason: Reason) -> FileContent:
    entry = raw.entry
    state = FileState(entry.path, entry.size_bytes, entry.mtime_ns, raw.sha256)
    return FileContent(state, Document(entry.path, ""), (), (), (), skipped=reason.value)


def _content(
    raw: Raw, parsed: Parsed, document: Document, cutting: Cutting, masked: int
) -> FileContent:
    from trivium.chunking.chunk import chunk

    entry = raw.entry
    state = FileState(
        entry.path, entry.size_bytes, entry.mtime_ns, raw.sha256, masked, parsed.failure
    )
    chunks = chunk(document, parsed.nodes, size=cutting.size, overlap=cutting.overlap)
    return FileContent(
        state, document, parsed.nodes, parsed.edges, tuple(chunks), parsed.references
    )


def folder_content(folder: str) -> FileContent:
    """Return what is written of a folder: a node without text."""
    from trivium.chunking.chunk import chunk
    from trivium.parsing.parse import folder_node

    path = folder_path(folder)
    node, edges = folder_node(folder)
    document = Document(path, "")
    chunks = tuple(chunk(document, (node,)))
    return FileContent(FileState(path, 0, 0, ""), document, (node,), edges, chunks)


def folder_path(folder: str) -> str:
    """Return a folder's path in the manifest, which ends with a slash; the root is a dot."""
    return f"{folder or '.'}/"


def folder_at(path: str) -> str:
    """Return the folder of a manifest's path."""
    return "" if path == folder_path("") else path.removesuffix("/")


def folders_of(paths: set[str]) -> set[str]:
    """Return the manifest's paths of all folders that hold these files, the root among them."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder_path(folder) not in found:
            found.add(folder_path(folder))
            folder = folder.rpartition("/")[0]
    return found
