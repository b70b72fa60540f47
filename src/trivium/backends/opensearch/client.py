"""Requests -> answers of an OpenSearch cluster, or errors of our own tree.

The only place that knows the driver. A node that is gone is passed over for the next, a cluster
that is busy is asked again after a while; everything sent here may be sent twice.
"""

from __future__ import annotations

import random
import time
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from trivium.backends.opensearch.breaker import Breaker
from trivium.backends.opensearch.lines import Row, again, packed, pieces
from trivium.backends.opensearch.said import BUSY, NOT_FOUND, Json, failure, whole
from trivium.errors import (
    BackendError,
    BackendRefused,
    BackendTimeout,
    BackendUnavailable,
    ConfigError,
    MissingExtra,
)

if TYPE_CHECKING:
    import httpx

_MOST_TRIES = 6
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
_PLAIN, _LINES = "application/json", "application/x-ndjson"
_MOST_GOT = 1000
# What was held on a node that is gone does not come back: the reader holds it anew.
_TOO_MANY = (429,)
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
        self._connect = partial(_connected, access=access, transport=transport)
        self._nodes = list(map(self._connect, self.urls))
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
        again_on: Container[int] = BUSY,
    ) -> Json:
        """Return the answer. Raises Gone, Conflict or an error of trivium.errors.

        It waits for as long as writing may take, if nothing else is said.
        """
        content = lines if lines is not None else (packed(body) if body is not None else None)
        kind = _PLAIN if lines is None else _LINES
        for pause_s in _pauses():
            with self._breaker.watched():
                answer = self._send(method, path, content, kind, params, timeout_s)
            if answer.status_code in again_on and pause_s is not None:
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
        for _ in self.urls:
            node = self._node()
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
                # It may hang for ever: who asks next asks another.
                self._pass_over()
                raise BackendTimeout(
                    f"The cluster at {node.base_url} did not answer in time. Try again."
                ) from late
            except httpx.HTTPError as failed:
                if "CERTIFICATE_VERIFY_FAILED" in str(failed):
                    raise BackendRefused(
                        f"The certificate of {node.base_url} is not trusted ({failed}). Name the "
                        "file of the one that signed it in backend.certificates."
                    ) from failed
                error = failed
                self._pass_over()
        raise BackendUnavailable(
            f"The cluster at {', '.join(self.urls)} cannot be reached ({error}). "
            "See that it runs and that the address is right."
        ) from error

    def _pass_over(self) -> None:
        self._first = (self._first + 1) % len(self.urls)

    def bulk(self, rows: Iterable[Row]) -> None:
        """Store rows; returns once the cluster has accepted every one of them.

        Raises BackendRefused for a row it will not take, Conflict for one that is outdated.
        """
        for some in pieces(rows):
            self.bulk_lines(some)

    def bulk_lines(self, lines: bytes) -> None:
        """Store what `lines.pieces` made of rows."""
        waiting = lines
        for pause_s in _pauses():
            params = {"require_alias": "true"}
            answer = self.ask("POST", "/_bulk", lines=waiting, params=params)
            if not answer["errors"]:
                return
            waiting = b"".join(again(waiting, answer["items"]))
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
                raise failure(BUSY[-1], failed, path)
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
        return whole(
            self.ask("POST", path, body, params=params, timeout_s=self._read_s, again_on=_TOO_MANY)
        )

    def searches(self, bodies: Sequence[Json]) -> list[Json]:
        """Return what several searches found, asked in one request."""
        if not bodies:
            return []
        head = b'{"allow_partial_search_results":false}\n'
        lines = b"".join(head + packed(body) + b"\n" for body in bodies)
        answer = self.ask(
            "POST", "/_msearch", lines=lines, timeout_s=self._read_s, again_on=_TOO_MANY
        )
        found = []
        for one in answer["responses"]:
            if "error" in one:
                raise failure(int(one.get("status", 500)), one["error"], "/_msearch")
            found.append(whole(one))
        return found

    def hold(self, index: str) -> str:
        """Return the id of a point in time of an index."""
        params = {"keep_alive": _KEEP}
        path = f"/{index}/_search/point_in_time"
        answer = self.ask("POST", path, params=params, timeout_s=self._read_s)
        if answer["_shards"]["failed"]:
            self.release([answer["pit_id"]])
            raise BackendUnavailable(f"Some shards of {index} cannot be read now. Try again.")
        return str(answer["pit_id"])

    def release(self, held: Sequence[str]) -> None:
        """Let go of points in time; ones that have expired are no matter."""
        if held:
            self.ask("DELETE", "/_search/point_in_time", {"pit_id": list(held)})

    def close(self) -> None:
        """Close all connections; asking again opens them anew."""
        for one in self._nodes:
            one.close()

    def _node(self) -> httpx.Client:
        """Return what asks the node that answered last."""
        at = self._first
        if self._nodes[at].is_closed:
            self._nodes[at] = self._connect(self.urls[at])
        return self._nodes[at]


def written(index: str) -> str:
    """Return the alias through which an index is written: writing through it makes none."""
    return f"{index}.w"


def at(held: str, body: Json) -> Json:
    """Return a search of a point in time, which lives on for a while with each."""
    return {**body, "pit": {"id": held, "keep_alive": _KEEP}}


def _connected(url: str, *, access: Access, transport: httpx.BaseTransport | None) -> httpx.Client:
    try:
        import httpx
    except ImportError as error:
        raise MissingExtra("The backend opensearch", extra="opensearch") from error
    import ssl

    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError(f"{url!r} is no address of a cluster. One is such as http://host:9200.")
    headers = {"authorization": f"ApiKey {access.api_key}"} if access.api_key else {}
    verify: ssl.SSLContext | bool = access.is_verified
    try:
        if access.certificates and access.is_verified:
            verify = ssl.create_default_context(cafile=access.certificates)
    except OSError as error:
        raise ConfigError(
            f"{access.certificates} holds no certificates that can be read ({error})."
        ) from error
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
        raise ConfigError(f"{url} is no address of a cluster ({error}).") from error


def _pauses() -> Iterator[float | None]:
    """Yield how long to wait before each next try, longer each time; None for the last."""
    pause_s = _FIRST_PAUSE_S
    for _ in range(_MOST_TRIES - 1):
        # Jitter: many that were refused together must not come back together.
        yield pause_s * (0.5 + random.random())  # noqa: S311 - not secret
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
    yield None


def _read(answer: httpx.Response, path: str) -> Json:
    try:
        found: Json = answer.json()
    except ValueError as error:
        raise BackendError(
            f"What answers for {path} is no OpenSearch: status {answer.status_code}."
        ) from error
    if answer.is_success or (answer.status_code == NOT_FOUND and "error" not in found):
        return found
    raise failure(answer.status_code, found.get("error", {}), path)
