"""Requests -> answers of an OpenSearch cluster, or errors of our own tree.

The only place that knows the driver. A node that is gone is passed over for the next, a cluster
that is busy is asked again after a while; everything sent here may be sent twice.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trivium.errors import (
    BackendError,
    BackendRefused,
    BackendTimeout,
    BackendUnavailable,
    IndexUnusable,
    MissingExtra,
)

if TYPE_CHECKING:
    import httpx

# What JSON gives: the shape of an answer is known where it is asked for.
Json = dict[str, Any]

_BUSY = (429, 502, 503, 504)
_NOT_FOUND, _CONFLICT, _REFUSED = 404, 409, 400
_NO_ACCESS = (401, 403)
_BLOCKS = ("cluster_block_exception", "index_create_block_exception")
_MOST_TRIES = 6
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
# One request of this size is stored in well under a second, and a node takes many at once.
_MOST_BULK_BYTES = 4_000_000
_MOST_BULK_ROWS = 2000
_PLAIN, _LINES = "application/json", "application/x-ndjson"
_MOST_GOT = 1000
_MOST_FAILURES = 5
_LEFT_ALONE_S = 5.0
_KEEP = "5m"


@dataclass(frozen=True, slots=True)
class Access:
    """How a cluster is reached: who asks, whom to trust, how long to wait for an answer."""

    user: str = ""
    password: str = ""
    api_key: str = ""
    certificates: str = ""
    is_verified: bool = True
    read_s: float = 15.0
    write_s: float = 120.0


@dataclass(frozen=True, slots=True)
class Row:
    """A document to be stored, or, without a source, to be removed.

    `version` orders what is sent: a row never takes the place of one with a higher version.
    """

    index: str
    id: str
    version: int
    source: Json | None = None


class Conflict(BackendError):
    """Another process changed the document first."""


class Gone(BackendError):
    """There is no such index."""


class Breaker:
    """Keeps a cluster that does not answer from being asked, for a while.

    Whoever searches then hears at once that it is down, and does not wait for it each time. After
    the while one request tries; if it fails, too, the next while begins.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._until = 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Let a request through, or raise BackendUnavailable; remember how it went."""
        left_s = self._until - self._clock()
        if self._failures >= _MOST_FAILURES and left_s > 0:
            raise BackendUnavailable(
                f"The cluster did not answer {self._failures} times in a row and is left alone "
                f"for {left_s:.0f} s. See that it runs.",
                retry_after_s=left_s,
            )
        try:
            yield
        except (BackendTimeout, BackendUnavailable):
            self._failures += 1
            self._until = self._clock() + _LEFT_ALONE_S
            raise
        self._failures = 0


class Client:
    """Asks one cluster, whichever of its nodes answers."""

    def __init__(
        self,
        urls: Sequence[str],
        *,
        access: Access | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        if not urls:
            raise BackendRefused("A cluster needs at least one address, such as http://host:9200.")
        access = access or Access()
        self.urls = tuple(url.rstrip("/") for url in urls)
        self._nodes = [_connected(url, access, transport) for url in self.urls]
        self._first = 0
        self._read_s = access.read_s
        self._breaker = Breaker()

    def ask(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        lines: bytes | None = None,
        params: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> Json:
        """Return the answer. Raises Gone, Conflict or an error of trivium.errors.

        It waits for as long as writing may take, if nothing else is said.
        """
        content = lines if lines is not None else (_packed(body) if body is not None else None)
        kind = _PLAIN if lines is None else _LINES
        for pause_s in _pauses():
            with self._breaker.watched():
                answer = self._send(method, path, content, kind, params, timeout_s)
            if answer.status_code in _BUSY and pause_s is not None:
                time.sleep(pause_s)
                continue
            return _read(answer, path)
        raise AssertionError("unreachable")

    def _send(
        self,
        method: str,
        path: str,
        content: bytes | None,
        kind: str,
        params: Mapping[str, str] | None,
        timeout_s: float | None,
    ) -> httpx.Response:
        import httpx

        limit = httpx.USE_CLIENT_DEFAULT if timeout_s is None else timeout_s
        error: Exception | None = None
        for _ in self._nodes:
            node = self._nodes[self._first]
            try:
                return node.request(
                    method,
                    path,
                    content=content,
                    params=params,
                    headers={"content-type": kind},
                    timeout=limit,
                )
            except (httpx.ReadTimeout, httpx.WriteTimeout, httpx.PoolTimeout) as late:
                raise BackendTimeout(
                    f"The cluster at {node.base_url} did not answer in time. Try again."
                ) from late
            except httpx.HTTPError as failed:
                error = failed
                self._first = (self._first + 1) % len(self._nodes)
        raise BackendUnavailable(
            f"The cluster at {', '.join(self.urls)} cannot be reached ({error}). "
            "See that it runs and that the address is right."
        ) from error

    def bulk(self, rows: Iterable[Row]) -> None:
        """Store rows; returns once the cluster has accepted every one of them.

        Raises BackendRefused for a row it will not take, Conflict for one that is outdated.
        """
        for some in _pieces(rows):
            self.bulk_lines(some)

    def bulk_lines(self, lines: bytes) -> None:
        """Store what `rows_as_lines` made of rows."""
        waiting = lines
        for pause_s in _pauses():
            params = {"require_alias": "true"}
            answer = self.ask("POST", "/_bulk", lines=waiting, params=params)
            if not answer["errors"]:
                return
            waiting = b"".join(_again(waiting, answer["items"]))
            if not waiting:
                return
            if pause_s is not None:
                time.sleep(pause_s)
        raise BackendUnavailable("The cluster was too busy to store all rows. Try again.")

    def put(self, index: str, key: str, source: Json, params: Mapping[str, str]) -> Json:
        """Store one document; never makes an index. Raises Conflict where `params` forbid it."""
        only = {**params, "require_alias": "true"}
        return self.ask("PUT", f"/{written(index)}/_doc/{key}", source, params=only)

    def get(self, index: str, key: str) -> Json | None:
        """Return one document as it was stored last, with its marks; None if there is none."""
        found = self.ask("GET", f"/{index}/_doc/{key}", timeout_s=self._read_s)
        return found if found.get("found") else None

    def get_all(
        self, index: str, keys: Sequence[str], *, fields: Sequence[str] | None = None
    ) -> dict[str, Json]:
        """Return documents as they were stored last, by their keys; others are left out."""
        found: dict[str, Json] = {}
        params = {} if fields is None else {"_source_includes": ",".join(fields)}
        for first in range(0, len(keys), _MOST_GOT):
            some = {"ids": list(keys[first : first + _MOST_GOT])}
            found |= self._got(f"/{index}/_mget", some, params)
        return found

    def _got(self, path: str, asked: Json, params: Mapping[str, str]) -> dict[str, Json]:
        for pause_s in _pauses():
            documents = self.ask("POST", path, asked, params=params)["docs"]
            failed = next((one["error"] for one in documents if "error" in one), None)
            if failed is None:
                return {one["_id"]: one["_source"] for one in documents if one["found"]}
            if pause_s is None:
                raise _failure(_BUSY[-1], failed, path)
            # A shard that is just being started.
            time.sleep(pause_s)
        raise AssertionError("unreachable")

    def search(self, body: Json, *, index: str = "", is_scored: bool = False) -> Json:
        """Return what one search found, whole: a shard that is missing is an error.

        `is_scored`: terms are counted over all shards first, so that scores do not depend on them.
        """
        path = f"/{index}/_search" if index else "/_search"
        params = {"allow_partial_search_results": "false"}
        if is_scored:
            params["search_type"] = "dfs_query_then_fetch"
        return _whole(self.ask("POST", path, body, params=params, timeout_s=self._read_s))

    def searches(self, bodies: Sequence[Json]) -> list[Json]:
        """Return what several searches found, asked in one request."""
        if not bodies:
            return []
        head = b'{"allow_partial_search_results":false}\n'
        lines = b"".join(head + _packed(body) + b"\n" for body in bodies)
        answer = self.ask("POST", "/_msearch", lines=lines, timeout_s=self._read_s)
        found = []
        for one in answer["responses"]:
            if "error" in one:
                raise _failure(int(one.get("status", 500)), one["error"], "/_msearch")
            found.append(_whole(one))
        return found

    def hold(self, index: str) -> str:
        """Return the id of a point in time of an index."""
        params = {"keep_alive": _KEEP}
        answer = self.ask("POST", f"/{index}/_search/point_in_time", params=params)
        if answer["_shards"]["failed"]:
            self.release([answer["pit_id"]])
            raise BackendUnavailable(f"Some shards of {index} cannot be read now. Try again.")
        return str(answer["pit_id"])

    def release(self, held: Sequence[str]) -> None:
        """Let go of points in time; ones that have expired are no matter."""
        if held:
            self.ask("DELETE", "/_search/point_in_time", {"pit_id": list(held)})

    def close(self) -> None:
        """Close all connections."""
        for one in self._nodes:
            one.close()


def written(index: str) -> str:
    """Return the alias through which an index is written: writing through it makes none."""
    return f"{index}.w"


def at(held: str, body: Json) -> Json:
    """Return a search of a point in time, which lives on for a while with each."""
    return {**body, "pit": {"id": held, "keep_alive": _KEEP}}


def _connected(url: str, access: Access, transport: httpx.BaseTransport | None) -> httpx.Client:
    try:
        import httpx
    except ImportError as error:
        raise MissingExtra("The backend opensearch", extra="opensearch") from error
    import ssl

    headers = {"authorization": f"ApiKey {access.api_key}"} if access.api_key else {}
    verify: ssl.SSLContext | bool = access.is_verified
    if access.certificates and access.is_verified:
        verify = ssl.create_default_context(cafile=access.certificates)
    try:
        return httpx.Client(
            base_url=url,
            auth=(access.user, access.password) if access.user else None,
            headers=headers,
            verify=verify,
            timeout=access.write_s,
            trust_env=False,
            transport=transport,
        )
    except httpx.InvalidURL as error:
        raise BackendRefused(f"{url} is no address of a cluster ({error}).") from error


def _pauses() -> Iterator[float | None]:
    """Yield how long to wait before each next try, longer each time; None for the last."""
    pause_s = _FIRST_PAUSE_S
    for _ in range(_MOST_TRIES - 1):
        # Jitter: many that were refused together must not come back together.
        yield pause_s * (0.5 + random.random())  # noqa: S311 - not secret
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
    yield None


def _packed(value: Json) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8, but JSON has an escape for it.
        return json.dumps(value, separators=(",", ":")).encode()


def rows_as_lines(rows: Iterable[Row]) -> bytes:
    """Return rows as the cluster takes them."""
    return b"".join(map(_line, rows))


def _line(row: Row) -> bytes:
    what = {
        "_index": row.index,
        "_id": row.id,
        "version": row.version,
        "version_type": "external_gte",
    }
    if row.source is None:
        return _packed({"delete": what}) + b"\n"
    return _packed({"index": what}) + b"\n" + _packed(row.source) + b"\n"


def pieces_of(lines: bytes) -> Iterator[bytes]:
    """Yield lines in pieces that a cluster takes at once; a row is never cut."""
    return _grouped(_rows_in(lines))


def _pieces(rows: Iterable[Row]) -> Iterator[bytes]:
    return _grouped(map(_line, rows))


def _grouped(rows: Iterable[bytes]) -> Iterator[bytes]:
    some: list[bytes] = []
    size = 0
    for one in rows:
        if some and (size + len(one) > _MOST_BULK_BYTES or len(some) >= _MOST_BULK_ROWS):
            yield b"".join(some)
            some, size = [], 0
        some.append(one)
        size += len(one)
    if some:
        yield b"".join(some)


def _rows_in(lines: bytes) -> Iterator[bytes]:
    """Yield the rows of lines: an action, with the line after it unless it removes."""
    action = b""
    for line in lines.splitlines(keepends=True):
        if action:
            yield action + line
            action = b""
        elif line.startswith(b'{"delete"'):
            yield line
        else:
            action = line


def _again(lines: bytes, items: Sequence[Json]) -> Iterator[bytes]:
    """Yield the rows that are to be sent again; raises for those that will never be taken."""
    for line, item in zip(_rows_in(lines), items, strict=True):
        (said,) = item.values()
        status = int(said["status"])
        if status in _BUSY:
            yield line
        elif "error" in said:
            raise _failure(status, said["error"], said["_id"])


def _read(answer: httpx.Response, path: str) -> Json:
    try:
        found: Json = answer.json()
    except ValueError as error:
        raise BackendError(
            f"What answers for {path} is no OpenSearch: status {answer.status_code}."
        ) from error
    if answer.is_success or (answer.status_code == _NOT_FOUND and "error" not in found):
        return found
    raise _failure(answer.status_code, found.get("error", {}), path)


def _failure(status: int, error: object, what: str) -> Exception:  # noqa: PLR0911 - one per case
    """Return the error of our tree for what the cluster said."""
    kind, said = _said(error)
    if kind in ("index_not_found_exception", "alias_not_found_exception"):
        return Gone(f"{what}: {said}")
    if status == _NOT_FOUND:
        return IndexUnusable(
            "What was being read was held too long and is gone. Ask again; the index is whole."
        )
    if status == _CONFLICT:
        return Conflict(f"{what}: {said}")
    if kind in _BLOCKS:
        return BackendRefused(
            f"The cluster does not take what is written now: {said}. See that its disks have "
            "space left, then remove the block."
        )
    if status in _NO_ACCESS:
        return BackendRefused(
            f"The cluster does not let us do this ({said}). See that the user and password or the "
            "API key are right and may read and write these indexes."
        )
    if status in _BUSY:
        return BackendUnavailable(f"The cluster cannot do this now: {said}. Try again.")
    if "time_exceeded" in kind or "Time exceeded" in said:
        return BackendTimeout(f"The cluster did not finish in time: {said}.")
    return BackendRefused(f"The cluster refused {what}: {said} ({kind}, {status}).")


def _said(error: object) -> tuple[str, str]:
    """Return the sort of an error and its words, of the cause where there is one."""
    if not isinstance(error, dict):
        return "", str(error)
    causes = error.get("root_cause") or [error]
    first = causes[0]
    return str(first.get("type", "")), str(first.get("reason", ""))


def _whole(answer: Json) -> Json:
    shards = answer["_shards"]
    if answer.get("timed_out"):
        raise BackendTimeout("The cluster answered with only a part of what it has. Try again.")
    if shards["successful"] + shards["skipped"] < shards["total"]:
        raise BackendUnavailable("Some shards of the index cannot be read now. Try again.")
    return answer
