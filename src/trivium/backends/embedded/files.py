"""What one state of the record says of files: the manifest, what was skipped, their history."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from trivium.backends.base import FileContent, FileHistory, FileState, Seen, changed_at
from trivium.backends.embedded.pinned import GIVEN, Pinned
from trivium.backends.embedded.rows import (
    CHUNK_COLUMNS,
    EDGE_COLUMNS,
    EDGES,
    NODE_COLUMNS,
    NODES,
    chunk_of,
    edge_of,
    node_of,
    unpacked,
)
from trivium.types import Document, Reference


class FilesRead(Pinned):
    """The part of a snapshot that is asked about files."""

    def files(self, paths: Collection[str] | None = None) -> Mapping[str, FileState]:
        """Return the manifest, or what it has of these paths."""
        asked = "SELECT path, size_bytes, mtime_ns, sha256, masked, failure FROM files"
        if paths is None:
            rows = self._sql.execute(f"{asked} ORDER BY path")
        else:
            given = (json.dumps(list(paths)),)
            rows = self._sql.execute(f"{asked} WHERE path IN {GIVEN} ORDER BY path", given)
        return {row[0]: FileState(*row) for row in rows}

    def has_files(self, folder: str) -> bool:
        """Say whether any file lies in a folder or below it; by the index on paths."""
        # The sign after the slash ends the paths that begin with the folder's.
        first, end = (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
        row = self._sql.execute(
            "SELECT 1 FROM files WHERE path > ? AND path < ? AND path NOT LIKE '%/' LIMIT 1",
            (first, end),
        ).fetchone()
        return row is not None

    def paths(self) -> Sequence[str]:
        """Return the paths of the manifest in order."""
        return [path for (path,) in self._sql.execute("SELECT path FROM files ORDER BY path")]

    def skipped(self) -> Mapping[str, str]:
        """Return the files that were passed over, path -> reason."""
        return dict(self._sql.execute("SELECT path, reason FROM skipped ORDER BY path"))

    def in_vain(self) -> Mapping[str, Seen]:
        """Return what those of them were like that had to be read to know."""
        rows = self._sql.execute(
            "SELECT path, size_bytes, mtime_ns FROM skipped WHERE size_bytes IS NOT NULL"
        )
        return {path: Seen(size_bytes, mtime_ns) for path, size_bytes, mtime_ns in rows}

    def changed(self, paths: Sequence[str]) -> Mapping[str, float]:
        """Return when these files were changed, in seconds since 1970."""
        rows = self._sql.execute(
            "SELECT f.path, h.modified, f.mtime_ns FROM files f "  # noqa: S608
            f"LEFT JOIN history h ON h.path = f.path WHERE f.path IN {GIVEN}",
            (json.dumps(paths),),
        )
        return {path: changed_at(modified, mtime_ns) for path, modified, mtime_ns in rows}

    def content(self, path: str) -> FileContent | None:
        """Return all the index holds of one file, as it was written, or None."""
        row = self._sql.execute(
            "SELECT f.id, f.path, size_bytes, mtime_ns, sha256, masked, failure, t.text, f.refs "
            "FROM files f JOIN store.texts t ON t.key = f.text_key WHERE f.path = ?",
            (path,),
        ).fetchone()
        if row is None:
            return None
        file, state, text, refs = row[0], FileState(*row[1:7]), row[7], row[8]
        node_rows = self._sql.execute(
            f"SELECT n.id, {NODE_COLUMNS} FROM {NODES} WHERE n.file = ? ORDER BY n.place",  # noqa: S608
            (file,),
        ).fetchall()
        nodes = {one[0]: node_of(one[1:]) for one in node_rows}
        chunk_rows = self._sql.execute(
            f"SELECT c.node, {CHUNK_COLUMNS} FROM chunks c "  # noqa: S608
            "WHERE c.node IN (SELECT id FROM nodes WHERE file = ?) ORDER BY c.id",
            (file,),
        )
        chunks = tuple(
            chunk_of(one[1:], nodes[one[0]].id, text[one[2] : one[3]]) for one in chunk_rows
        )
        edges = self._sql.execute(
            f"SELECT {EDGE_COLUMNS} FROM {EDGES} WHERE e.file = ? AND e.own ORDER BY e.rowid",  # noqa: S608
            (file,),
        )
        return FileContent(
            state,
            Document(path, text),
            tuple(nodes.values()),
            tuple(map(edge_of, edges)),
            chunks,
            unpacked(refs),
        )

    def references(self, path: str) -> tuple[Reference, ...]:
        """Return what a file names, as it was written."""
        row = self._sql.execute("SELECT refs FROM files WHERE path = ?", (path,)).fetchone()
        return unpacked(row[0]) if row else ()

    def history(self, path: str) -> FileHistory | None:
        """Return what the repository knows of a file, or None."""
        row = self._sql.execute(
            "SELECT path, author, modified, churn FROM history WHERE path = ?", (path,)
        ).fetchone()
        return FileHistory(*row) if row else None

    def history_head(self) -> str:
        """Return the commit up to which history is known."""
        return self._history_head

    def count_unlinked(self) -> int:
        """Return how many files wait to be linked."""
        row = self._sql.execute("SELECT count(*) FROM files WHERE linked = 0").fetchone()
        return int(row[0])
