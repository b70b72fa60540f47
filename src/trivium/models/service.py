"""A body to post -> the body of a good answer, from a service over HTTP.

Tries again where that may help and never waits past its limits, follows no redirect (the key
would go with it), and keeps the key out of every error. Shared by the models that are served.
"""

from __future__ import annotations

import http.client
import json
import math
import random
import re
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Timer
from urllib.parse import SplitResult, urlsplit

from trivium.errors import ConfigError, ModelError
from trivium.models.pace import Pace, retry_after_s

_FIRST_WAIT_S = 0.5
_SHORTEST_S = 0.001

# What servers say of a request that will never fit. With 429 they mean a rate as well, so that
# only the first of these counts; with 5xx they say much, and the last does not count.
_TOO_LARGE = re.compile(r"too (large|long)", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context.?(length|size|window)|too (large|long|big|many (tokens|inputs|texts))"
    r"|physical batch|n_ctx|max\w* (model |input |total |batch |sequence )*(len|tokens)",
    re.IGNORECASE,
)
_TOO_MANY = re.compile(
    r"batch size|in one batch|(at most|larger than|more than|less than|exceeds?) \d"
    r"|max\w*[ _](\w+[ _]){0,4}(tokens|inputs|texts|items)",
    re.IGNORECASE,
)
_NO_MONEY = "insufficient_quota"
# Ollama, of a text for which the model gave a vector that JSON cannot say.
_NOT_A_NUMBER = re.compile(r"\bNaN\b")
_LOADING = re.compile(r"\bloading\b", re.IGNORECASE)
_LOADING_WAIT_S = 2.0
# Longer than any error, shorter than most lists of vectors.
_LONGEST_ERROR_BYTES = 16_384
_LONGEST_SAID = 2000
_LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to try, the longest single wait a server may ask for, and the longest in all.

    `loading_s` is how long to wait for a server that says it is loading the model.
    """

    attempts: int
    longest_wait_s: float
    altogether_s: float = math.inf
    loading_s: float = 0.0


class Refusal(Exception):
    """What a service said when it would not serve a request: the cause of a ModelError."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(status, said)
        self.status = status
        self.said = said

    @property
    def is_too_long(self) -> bool:
        """Whether a shorter request may be served."""
        if self.status == http.HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            return True
        if self.status == http.HTTPStatus.TOO_MANY_REQUESTS:
            return _TOO_LARGE.search(self.said) is not None
        is_ours = self.status < http.HTTPStatus.INTERNAL_SERVER_ERROR
        return _TOO_LONG.search(self.said) is not None or (
            is_ours and _TOO_MANY.search(self.said) is not None
        )

    @property
    def is_not_a_number(self) -> bool:
        """Whether the model gave no numbers for one of the texts."""
        return _NOT_A_NUMBER.search(self.said) is not None


class _TryAgain(Exception):
    """An attempt failed in a way that may pass; None leaves the wait to us."""

    def __init__(
        self, reason: str, *, wait_s: float | None = None, is_loading: bool = False
    ) -> None:
        super().__init__(reason)
        self.wait_s = wait_s
        self.is_loading = is_loading


class Service:
    """One address that JSON is posted to; `what` names it in errors."""

    def __init__(
        self,
        what: str,
        *,
        address: SplitResult,
        api_key: str | None,
        timeout_s: float,
        largest_answer_bytes: int,
        wait: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._what = what
        self._address = address
        self._target = SplitResult("", "", *address[2:]).geturl()
        self._headers = _headers(api_key)
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._largest_answer_bytes = largest_answer_bytes
        self._wait = wait
        self._chance = chance
        self._pace = Pace()

    def post(self, body: bytes, *, patience: Patience, tokens: int = 0) -> bytes:
        """Return the answer. Raises ModelError; its cause is a Refusal where asking was vain.

        `tokens` is about how many the body holds, for services that count them.
        """
        ends = time.monotonic() + patience.altogether_s
        pause_s = min(self._pace.wait_s(tokens=tokens), patience.longest_wait_s)
        if 0 < pause_s < ends - time.monotonic():
            self._wait(pause_s)
        loading = math.ceil(patience.loading_s / _LOADING_WAIT_S)
        attempt = 1
        while True:
            left_s = max(_SHORTEST_S, ends - time.monotonic())
            try:
                return self._ask(body, within_s=min(self._timeout_s, left_s))
            except _TryAgain as failure:
                if failure.is_loading and loading > 0:
                    loading -= 1
                    self._wait(_LOADING_WAIT_S)
                    continue
                # Half of it to all: many who failed together must not come back together.
                pause_s = _FIRST_WAIT_S * 2 ** (attempt - 1) * (0.5 + 0.5 * self._chance())
                if failure.wait_s is not None:
                    pause_s = failure.wait_s
                is_last = attempt == patience.attempts or pause_s > patience.longest_wait_s
                if is_last or time.monotonic() + pause_s >= ends:
                    raise self.failure(
                        f"{failure} (attempt {attempt}). Try again later, or check the "
                        "address and that the server is running"
                    ) from failure
                self._wait(pause_s)
                attempt += 1

    def failure(self, reason: str) -> ModelError:
        """Return an error that names the service."""
        return ModelError(f"The {self._what} at {self._address.netloc}: {reason}.")

    def _ask(self, body: bytes, *, within_s: float) -> bytes:
        """Return the body of a good answer; raise _TryAgain or ModelError for any other."""
        deadline = time.monotonic() + within_s
        late = f"no answer within {self._timeout_s:g} s"
        connection = self._connection(within_s)
        # The socket's own limit is per read: a header that comes byte by byte never meets it.
        guard = Timer(within_s, _hang_up, [connection])
        guard.daemon = True
        guard.start()
        try:
            connection.request("POST", self._target, body=body, headers=self._headers)
            # A response that is not closed keeps the socket open past its connection.
            with connection.getresponse() as response:
                answer = self._read(response, deadline)
        except TimeoutError as error:
            raise _TryAgain(late) from error
        except ssl.SSLCertVerificationError as error:
            raise self.failure(f"its certificate is not trusted: {error.verify_message}") from error
        except (OSError, http.client.HTTPException) as error:
            if time.monotonic() >= deadline:
                raise _TryAgain(late) from error
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise _TryAgain(f"the connection failed: {reason}") from error
        finally:
            guard.cancel()
            connection.close()
        self._check_status(response, answer)
        return answer

    def _connection(self, timeout_s: float) -> http.client.HTTPConnection:
        kind = (
            http.client.HTTPSConnection
            if self._address.scheme == "https"
            else http.client.HTTPConnection
        )
        return kind(self._address.hostname or "", self._address.port, timeout=timeout_s)

    def _read(self, response: http.client.HTTPResponse, deadline: float) -> bytes:
        """Read the body; a trickle of it is cut here."""
        pieces: list[bytes] = []
        size_bytes = 0
        while piece := response.read1(65536):
            pieces.append(piece)
            size_bytes += len(piece)
            if size_bytes > self._largest_answer_bytes:
                raise self.failure("the answer is larger than any real one")
            if time.monotonic() > deadline:
                raise TimeoutError
        # A connection that was cut in its header looks like the end of an empty answer.
        if time.monotonic() > deadline:
            raise TimeoutError
        return b"".join(pieces)

    def _check_status(self, response: http.client.HTTPResponse, answer: bytes) -> None:
        status = response.status
        headers = {name.lower(): value for name, value in response.getheaders()}
        self._pace.note(headers)
        if status == http.HTTPStatus.OK:
            # Some say it in an answer that looks well: LM Studio, gateways.
            status = _status_in(answer)
            if status == http.HTTPStatus.OK:
                return
        refusal = Refusal(status, self._masked(_plain(answer)))
        quote = self._masked(_message_of(answer))[:_LONGEST_QUOTE].rstrip(". ")
        said = f"status {status}: {quote}" if quote else f"status {status}"
        if status == http.HTTPStatus.TOO_MANY_REQUESTS or status >= 500:  # noqa: PLR2004 - 5xx
            is_in_vain = (
                status == http.HTTPStatus.NOT_IMPLEMENTED
                or refusal.is_too_long
                or refusal.is_not_a_number
                or _NO_MONEY in refusal.said
            )
            if not is_in_vain:
                is_loading = status == http.HTTPStatus.SERVICE_UNAVAILABLE and bool(
                    _LOADING.search(refusal.said)
                )
                raise _TryAgain(
                    "the model is being loaded" if is_loading else said,
                    wait_s=retry_after_s(headers),
                    is_loading=is_loading,
                )
        elif 300 <= status < 400:  # noqa: PLR2004 - 3xx
            raise self.failure(
                f"it redirects (status {status}), which is not followed. Give the final address"
            )
        elif status in (http.HTTPStatus.UNAUTHORIZED, http.HTTPStatus.FORBIDDEN):
            raise self.failure(f"it refused the API key (status {status}). Check the key")
        raise self.failure(said) from refusal

    def _masked(self, text: str) -> str:
        return text.replace(self._api_key, "***") if self._api_key else text


def _plain(answer: bytes) -> str:
    return " ".join(answer[:_LONGEST_SAID].decode("utf-8", "replace").split())


def _read(answer: bytes) -> dict[str, object]:
    """Return the fields of a JSON answer that is short enough for an error; else none."""
    if len(answer) > _LONGEST_ERROR_BYTES:
        return {}
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _status_in(answer: bytes) -> int:
    """Return the status that an answer with status 200 should have had."""
    said = _read(answer)
    error = said.get("error") or (said if said.get("object") == "error" else None)
    if error is None or said.get("data"):
        return http.HTTPStatus.OK
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 600:  # noqa: PLR2004 - 4xx and 5xx
        return code
    return http.HTTPStatus.BAD_REQUEST


def _message_of(answer: bytes) -> str:
    """Return the words of an error, without the JSON around them where that is known."""
    said = _read(answer)
    error = said.get("error")
    inner = error.get("message") if isinstance(error, dict) else error
    for words in (inner, said.get("message"), said.get("detail")):
        if isinstance(words, str):
            return " ".join(words.split())
    return _plain(answer)


def address_of(text: str) -> SplitResult | None:
    """Return the parts of an http or https address; None for one that cannot be used."""
    try:
        parts = urlsplit(text)
        is_plain = text.isascii() and text.isprintable() and " " not in text
        is_usable = is_plain and parts.scheme in ("http", "https") and bool(parts.hostname)
        is_usable = is_usable and "@" not in parts.netloc and parts.port != 0
    except ValueError:
        return None
    return parts if is_usable else None


def _hang_up(connection: http.client.HTTPConnection) -> None:
    # Taken once: the other thread may let go of it at any moment.
    open_socket = connection.sock
    if open_socket is not None:
        with suppress(OSError):
            open_socket.shutdown(socket.SHUT_RDWR)


def _headers(api_key: str | None) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if api_key is not None:
        # Checked here because http.client would print the key in its own error.
        if not api_key.isascii() or not api_key.isprintable() or not api_key:
            raise ConfigError("The API key is empty or holds characters that no key has.")
        headers["Authorization"] = f"Bearer {api_key}"
    return headers
