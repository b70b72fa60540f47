"""SQLite with FTS5 and sqlite-vec, int8 as its guide says for less memory and time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.peers.task import DEPTH, Ask, Task, fused, measure, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _connected(folder: Path) -> Any:  # noqa: ANN401 - of a library not installed here
    # Not by sqlite3, which many Pythons have without extensions.
    import apsw
    import sqlite_vec

    connection = apsw.Connection(str(folder / "peer.db"))
    connection.enable_load_extension(True)  # noqa: FBT003 - its only argument
    connection.load_extension(sqlite_vec.loadable_path())
    connection.execute("PRAGMA mmap_size = 1000000000")
    return connection


def _as_int8(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    import numpy as np

    # One scale for all, since sqlite-vec knows none of single rows.
    made: NDArray[np.int8] = np.clip(np.rint(vectors * (127 / 0.35)), -127, 127).astype(np.int8)
    return made


def build(task: Task, folder: Path) -> None:
    connection = _connected(folder)
    connection.execute("BEGIN")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, tokenize='porter unicode61')")
    connection.execute(
        "CREATE VIRTUAL TABLE vectors USING vec0(v int8[384] distance_metric=cosine)"
    )
    connection.executemany(
        "INSERT INTO words (rowid, text) VALUES (?, ?)", enumerate(task.texts, 1)
    )
    rows = enumerate(_as_int8(task.vectors), 1)
    connection.executemany(
        "INSERT INTO vectors (rowid, v) VALUES (?, vec_int8(?))",
        ((number, row.tobytes()) for number, row in rows),
    )
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.execute("COMMIT")
    connection.close()


def opened(folder: Path) -> Ask:
    connection = _connected(folder)

    def ask(text: str, vector: NDArray[np.float32]) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in words(text))
        by_words = connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH)
        ).fetchall()
        near = connection.execute(
            "SELECT rowid FROM vectors WHERE v MATCH vec_int8(?) AND k = ? ORDER BY distance",
            (_as_int8(vector).tobytes(), DEPTH),
        ).fetchall()
        best = fused([one for (one,) in by_words], [one for (one,) in near])
        texts = dict(
            connection.execute(
                f"SELECT rowid, text FROM words WHERE rowid IN ({','.join('?' * len(best))})",  # noqa: S608
                best,
            )
        )
        return [texts[one] for one in best]

    return ask


if __name__ == "__main__":
    measure(build, opened)
