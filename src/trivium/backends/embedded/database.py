"""Opens the two SQLite files of a collection as one connection.

`collection.db` is the record of one folder; `store.db`, attached as `store`, holds texts
and vectors by content. Commits go to the store first, so the record never names a text
that is not there. Driver errors leave here as errors of our own tree.
"""

from __future__ import annotations

import shlex
import shutil
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock

from trivium.backends.embedded import filters, kept
from trivium.backends.embedded.kept import MODEL
from trivium.errors import BackendError, BackendTimeout, IndexUnusable

FORMAT = 3
_BUSY_S = 30.0
_TRUNCATE_WAIT_S = 1.0
_MOST_TRIES = 5
# Rows of a large record are scattered: mapped, a look-up costs half. Bounded for each of the two
# files, since what is mapped counts as memory of the process.
_MAPPED_BYTES = 256 * 1024 * 1024
# A full disk is by far the most common cause.
_KEPT = "Nothing of this step was kept. See that the disk has space left, and try again."


@contextmanager
def translated(what: str, *, root: str = "") -> Iterator[None]:
    """Turn what SQLite and the file system raise into errors of our tree.

    `root` is the folder that was indexed, for the command that mends a damaged index.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise BackendTimeout(f"{what}: the database stayed locked. Try again.") from error
        raise BackendError(f"{what}: {error}. {_KEPT}") from error
    except sqlite3.DatabaseError as error:
        command = f"trivium index --rebuild {shlex.quote(root)}".removesuffix(" ''")
        raise IndexUnusable(
            f"{what}: the index is damaged ({error}). Make it anew with: {command}"
        ) from error
    except OSError as error:
        raise BackendError(f"{what}: {error.strerror or error}. {_KEPT}") from error


def create(folder: Path, store: Path, *, meta: dict[str, str]) -> None:
    """Make both files if they are not there; a half-made one is finished.

    Every record gets an incarnation of its own: what was derived from another is not of it.
    """
    own = {"format": str(FORMAT), "seq": "0", "incarnation": uuid.uuid4().hex}
    for tries_left in reversed(range(_MOST_TRIES)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            store.mkdir(parents=True, exist_ok=True)
            _make(store / "store.db", "store.sql", {})
            _renew(store / "store.db")
            _make(folder / "collection.db", "schema.sql", {**own, **meta})
        except (FileNotFoundError, sqlite3.OperationalError) as error:
            if not tries_left or not may_be_removed(error):
                raise
        else:
            return


def may_be_removed(error: OSError | sqlite3.OperationalError) -> bool:
    """Say whether that is what it looks like if another process removes the files just now."""
    return isinstance(error, FileNotFoundError) or "unable to open" in str(error)


def _make(path: Path, script: str, meta: dict[str, str]) -> None:
    if _is_made(path):
        # Readers take this way: they never wait for a writer's transaction.
        return
    # SQLite does not wait when two connections switch a new file to WAL at once.
    with _making(path), _connected(path, mode="rwc") as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        if not _has_tables(connection):
            for statement in _statements(_script(script)):
                connection.execute(statement)
            if meta:
                connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")


def _renew(path: Path) -> None:
    """Make a store of format 2, whose vectors stand among its rows, one of this format.

    What a model took hours for is kept whenever an index is made anew.
    """
    with _connected(path, mode="rw") as connection:
        if _version(connection):
            return
    with _making(path), _connected(Path(":memory:"), mode="memory") as connection:
        connection.execute("ATTACH ? AS store", (f"file:{quote(str(path))}?mode=rw",))
        connection.execute("BEGIN IMMEDIATE")
        is_older = not _version(connection, "store")
        if is_older:
            connection.execute("ALTER TABLE store.vectors RENAME TO older")
            for statement in _statements(_script("store.sql")):
                connection.execute(
                    statement.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS store.")
                )
            kept.take_over(connection)
            connection.execute(f"PRAGMA store.user_version = {FORMAT}")
        connection.execute("COMMIT")
        if is_older:
            connection.execute("VACUUM store")


def _version(connection: sqlite3.Connection, schema: str = "main") -> int:
    return int(connection.execute(f"PRAGMA {schema}.user_version").fetchone()[0])


def _script(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _is_made(path: Path) -> bool:
    """Say whether the tables are there: all of them come in one transaction."""
    if not path.exists():
        return False
    try:
        with _connected(path, mode="rw") as connection:
            return _has_tables(connection)
    except sqlite3.OperationalError:
        if path.exists():
            raise
        # Removed by another process just now.
        return False


def _making(path: Path) -> FileLock:
    """Return the lock under which a database file comes and goes."""
    return FileLock(path.with_suffix(".lock"), timeout=_BUSY_S)


def _has_tables(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])


@contextmanager
def _connected(path: Path, *, mode: str) -> Iterator[sqlite3.Connection]:
    address = f"file:{quote(str(path))}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, timeout=_BUSY_S, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


def _statements(sql: str) -> list[str]:
    """Split a script, since executescript would commit the open transaction."""
    statements = [""]
    for line in sql.splitlines():
        if not line.startswith("--"):
            statements[-1] += f"{line}\n"
        # A trigger has statements inside.
        if sqlite3.complete_statement(statements[-1]):
            statements.append("")
    return [statement for statement in statements if statement.strip()]


def connect(folder: Path, store: Path, *, writes: bool) -> sqlite3.Connection:
    """Open the record with the store attached. Raises IndexUnusable for another format."""
    mode = "rw" if writes else "ro"
    connection = sqlite3.connect(
        f"file:{quote(str(folder / 'collection.db'))}?mode={mode}",
        uri=True,
        timeout=_BUSY_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
        connection.execute(
            "ATTACH ? AS store", (f"file:{quote(str(store / 'store.db'))}?mode={mode}",)
        )
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA store.synchronous = FULL")
        connection.execute("PRAGMA temp_store = MEMORY")
        if not writes:
            connection.execute(f"PRAGMA main.mmap_size = {_MAPPED_BYTES}")
            connection.execute(f"PRAGMA store.mmap_size = {_MAPPED_BYTES}")
        filters.prepare(connection)
        # What is deleted is overwritten: a secret that was indexed must not stay in the file.
        connection.execute("PRAGMA main.secure_delete = ON")
        connection.execute("PRAGMA store.secure_delete = ON")
        _check_format(connection, folder)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_format(connection: sqlite3.Connection, folder: Path) -> None:
    row = connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
    found = row[0] if row else "none"
    if found != str(FORMAT):
        root = connection.execute("SELECT value FROM meta WHERE key = 'root'").fetchone()
        place = root[0] if root else str(folder)
        raise IndexUnusable(
            f"The index of {place} has format {found}; this version reads format {FORMAT}. "
            f"Make it anew with: trivium index --rebuild {shlex.quote(place)}"
        )


@dataclass(frozen=True, slots=True)
class Files:
    """Which files stand at the places of the record and of the store; None for one not there.

    A file that was removed and made anew is another one, as long as the old one is open.
    """

    record: tuple[int, int] | None
    store: tuple[int, int] | None


def files_at(folder: Path, store: Path) -> Files:
    """Say which files a connection opened now would be to."""
    return Files(_identity(folder / "collection.db"), _identity(store / "store.db"))


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def truncate_logs(connection: sqlite3.Connection) -> None:
    """Empty the write-ahead logs, which still hold what was deleted.

    One that a reader is using is left after a short wait.
    """
    connection.execute(f"PRAGMA busy_timeout = {int(_TRUNCATE_WAIT_S * 1000)}")
    for schema in ("main", "store"):
        connection.execute(f"PRAGMA {schema}.wal_checkpoint(TRUNCATE)").fetchall()
    connection.execute(f"PRAGMA busy_timeout = {int(_BUSY_S * 1000)}")


_OWN = ("text", "vectors", "writer.txt")


def remove(path: Path) -> None:
    """Remove a database file and what is derived from it, and its folder if nothing else is there.

    Whoever makes it anew waits until it is gone.
    """
    with _making(path):
        own = (one for one in path.parent.iterdir() if _is_own(one, path))
        for inside in sorted(own, key=lambda one: _turn(one, path)):
            if inside.is_dir():
                shutil.rmtree(inside, ignore_errors=True)
            else:
                inside.unlink(missing_ok=True)
        # One that somebody has begun to use again stays.
        with suppress(OSError):
            path.parent.rmdir()


def _is_own(inside: Path, path: Path) -> bool:
    """Whether a file is of the index, and not what others keep beside it."""
    is_passing = inside.suffix in (".lock", ".tmp")
    return is_passing or inside.name.startswith(f"{path.stem}.") or inside.name in _OWN


def _turn(inside: Path, path: Path) -> int:
    """Return when a file goes: logs before their database, locks at the very end."""
    if inside.suffix == ".lock":
        return 2
    return 1 if inside == path else 0


def is_sound(path: Path) -> bool:
    """Say whether SQLite can read the whole file; one that is not there is sound."""
    if not path.exists():
        return True
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=_BUSY_S)
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:
        # Locked or out of reach says nothing about what is in it.
        return True
    except sqlite3.DatabaseError:
        return False
    finally:
        connection.close()
    return bool(found[0] == "ok")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit what is done inside, or none of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def read_meta(connection: sqlite3.Connection) -> dict[str, str]:
    """Return what the collection remembers of itself."""
    return dict(connection.execute("SELECT key, value FROM meta"))


def write_meta(connection: sqlite3.Connection, values: dict[str, str]) -> None:
    """Remember `values`; part of the caller's transaction."""
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())


def count_unembedded(connection: sqlite3.Connection, model_id: str, *, since: int = 0) -> int:
    """Return how many texts of batches after `since` have no vector in a space yet."""
    row = connection.execute(
        "SELECT count(DISTINCT key) FROM chunks c WHERE c.seq > ? AND c.key <> x'' "  # noqa: S608
        f"AND NOT EXISTS (SELECT 1 FROM store.vectors v WHERE v.model = {MODEL} AND v.key = c.key)",
        (since, model_id),
    ).fetchone()
    return int(row[0])


def count_embedded(connection: sqlite3.Connection, model_id: str) -> int:
    """Return how many chunks have a vector in a space."""
    row = connection.execute(
        "SELECT count(*) FROM chunks c WHERE c.key <> x'' "  # noqa: S608
        f"AND EXISTS (SELECT 1 FROM store.vectors v WHERE v.model = {MODEL} AND v.key = c.key)",
        (model_id,),
    ).fetchone()
    return int(row[0])


def count_blank(connection: sqlite3.Connection, model_id: str) -> int:
    """Return how many texts have a vector of zeros in a space."""
    row = connection.execute(
        "SELECT count(DISTINCT c.key) FROM chunks c JOIN store.vectors v ON v.key = c.key "  # noqa: S608
        f"WHERE v.model = {MODEL} AND v.scale = 0",
        (model_id,),
    ).fetchone()
    return int(row[0])


def read_meta_of(folder: Path) -> dict[str, str]:
    """Return what the collection in `folder` remembers, whatever its format."""
    address = f"file:{quote(str(folder / 'collection.db'))}?mode=ro"
    with translated("Reading the index"):
        connection = sqlite3.connect(address, uri=True, timeout=_BUSY_S)
        try:
            return read_meta(connection)
        finally:
            connection.close()
