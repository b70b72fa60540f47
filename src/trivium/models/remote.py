"""Texts -> vectors from a server that speaks the OpenAI embeddings protocol over HTTP.

Every answer is checked before it is used, a redirect is never followed (the key would go with
it), and neither the key nor a text ever appears in an error. Needs only the standard library.
"""

from __future__ import annotations

import http.client
import json
import math
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from trivium.errors import ConfigError, ModelError
from trivium.models.identity import space_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_BASE_URL = "https://api.openai.com/v1"
BATCH = 64

# Part of every model id: raise it when the text that is sent changes.
_PREPARATION = 1

# Servers refuse more than about 8,000 tokens, and a token is seldom less than a character.
_LONGEST_TEXT = 8000
_LARGEST_ANSWER_BYTES = 64 * 1024 * 1024
_LARGEST_NUMBER = 1e100
_FIRST_WAIT_S = 0.5


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to try, and the longest single wait a server may ask for."""

    attempts: int
    longest_wait_s: float


# Indexing can wait out a busy server; a person at a search box cannot.
FOR_DOCUMENTS = Patience(attempts=5, longest_wait_s=60.0)
FOR_QUERIES = Patience(attempts=2, longest_wait_s=2.0)


class _TryAgain(Exception):
    """An attempt failed in a way that may pass; None leaves the wait to us."""

    def __init__(self, reason: str, *, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class RemoteEmbedder:
    """Embeds over HTTP; a base URL without a path gets `/v1`.

    The model id holds the address as well as the model: two servers may serve different
    weights under one name. The dimension is the server's, asked for once if not given.
    """

    is_instant = False
    strength = 30

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str = DEFAULT_BASE_URL,
        dimension: int | None = None,
        timeout_s: float = 30.0,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._model = model
        self._address = _address(base_url)
        self._target = SplitResult("", "", *self._address[2:]).geturl()
        self._headers = _headers(api_key)
        self._api_key = api_key
        self._dimension = dimension
        self._timeout_s = timeout_s
        self._wait = wait
        self._lock = Lock()

    @property
    def name(self) -> str:
        """What a person calls it."""
        return f"openai:{self._model}"

    @property
    def model_id(self) -> str:
        """The name of the vector space."""
        return space_id(self.name, [self._address.geturl(), self._model, _PREPARATION])

    @property
    def dimension(self) -> int:
        """The length of a vector; asks the server if no answer has told it yet."""
        if self._dimension is None:
            return int(self._embed(["dimension"], FOR_QUERIES).shape[1])
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(texts), dimension)."""
        import numpy as np

        filled = [row for row, text in enumerate(texts) if text.strip()]
        found = [
            self._embed([texts[row] for row in filled[start : start + BATCH]], FOR_DOCUMENTS)
            for start in range(0, len(filled), BATCH)
        ]
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if found:
            vectors[filled] = np.concatenate(found)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a query, shape (dimension,); zeros for an empty one."""
        import numpy as np

        if not text.strip():
            return np.zeros(self.dimension, dtype=np.float32)
        vector: NDArray[np.float32] = self._embed([text], FOR_QUERIES)[0]
        return vector

    def _embed(self, texts: Sequence[str], patience: Patience) -> NDArray[np.float32]:
        # Half of a surrogate pair, as odd file names have, is not JSON that servers accept.
        inputs = [text[:_LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8") for text in texts]
        request = {"model": self._model, "input": inputs, "encoding_format": "float"}
        answer = self._ask_until_answered(json.dumps(request).encode(), patience)
        return self._vectors(answer, count=len(texts))

    def _ask_until_answered(self, body: bytes, patience: Patience) -> bytes:
        for attempt in range(1, patience.attempts + 1):
            try:
                return self._ask(body)
            except _TryAgain as failure:
                pause_s = _FIRST_WAIT_S * 2 ** (attempt - 1)
                if failure.wait_s is not None:
                    pause_s = failure.wait_s
                if attempt == patience.attempts or pause_s > patience.longest_wait_s:
                    raise self._failure(
                        f"{failure} (attempt {attempt}). Try again later, or check the "
                        "address and that the server is running"
                    ) from failure
                self._wait(pause_s)
        raise self._failure("no attempt was allowed")

    def _ask(self, body: bytes) -> bytes:
        """Return the body of a good answer; raise _TryAgain or ModelError for any other."""
        deadline = time.monotonic() + self._timeout_s
        connection = self._connection()
        try:
            connection.request("POST", self._target, body=body, headers=self._headers)
            # A response that is not closed keeps the socket open past its connection.
            with connection.getresponse() as response:
                answer = self._read(response, deadline)
        except TimeoutError as error:
            raise _TryAgain(f"no answer within {self._timeout_s:g} s") from error
        except ssl.SSLCertVerificationError as error:
            raise self._failure(
                f"its certificate is not trusted: {error.verify_message}"
            ) from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise _TryAgain(f"the connection failed: {reason}") from error
        finally:
            connection.close()
        self._check_status(response, answer)
        return answer

    def _connection(self) -> http.client.HTTPConnection:
        kind = (
            http.client.HTTPSConnection
            if self._address.scheme == "https"
            else http.client.HTTPConnection
        )
        host = self._address.hostname or ""
        return kind(host, self._address.port, timeout=self._timeout_s)

    def _read(self, response: http.client.HTTPResponse, deadline: float) -> bytes:
        """Read the body; the socket's own limit is per read, so a trickle is cut here."""
        pieces: list[bytes] = []
        size_bytes = 0
        while piece := response.read1(65536):
            pieces.append(piece)
            size_bytes += len(piece)
            if size_bytes > _LARGEST_ANSWER_BYTES:
                raise self._failure("the answer is larger than any real one")
            if time.monotonic() > deadline:
                raise TimeoutError
        return b"".join(pieces)

    def _check_status(self, response: http.client.HTTPResponse, answer: bytes) -> None:
        status = response.status
        if status == http.HTTPStatus.OK:
            return
        if status == http.HTTPStatus.TOO_MANY_REQUESTS or status >= 500:  # noqa: PLR2004 - 5xx
            wait_s = _retry_after_s(response.getheader("Retry-After"))
            raise _TryAgain(f"status {status}", wait_s=wait_s)
        if 300 <= status < 400:  # noqa: PLR2004 - 3xx
            raise self._failure(
                f"it redirects (status {status}), which is not followed. "
                "Give the final address as the base URL"
            )
        if status in (http.HTTPStatus.UNAUTHORIZED, http.HTTPStatus.FORBIDDEN):
            raise self._failure(f"it refused the API key (status {status}). Check the key")
        raise self._failure(f"status {status}: {self._excerpt(answer)}")

    def _vectors(self, answer: bytes, *, count: int) -> NDArray[np.float32]:
        import numpy as np

        rows = self._rows(answer, count)
        lengths = {len(row) for row in rows}
        with self._lock:
            if self._dimension is None and len(lengths) == 1:
                self._dimension = next(iter(lengths))
            expected = self._dimension
        if lengths != {expected}:
            raise self._failure(
                f"its vectors have {sorted(lengths)} numbers, not {expected}. "
                "Embed everything again if the model behind the address has changed"
            )
        vectors = np.array(rows, dtype=np.float64)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not norms.all():
            raise self._failure("it gave a vector of zeros, which has no direction")
        unit: NDArray[np.float32] = (vectors / norms).astype(np.float32)
        return unit

    def _rows(self, answer: bytes, count: int) -> list[list[float]]:
        """Return the vectors in the order of the texts, whatever the order they came in."""
        try:
            data = json.loads(answer)["data"]
            rows = {int(entry["index"]): entry["embedding"] for entry in data}
            is_sound = len(data) == count and rows.keys() == set(range(count))
            is_sound = is_sound and all(_is_numbers(row) for row in rows.values())
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._failure("its answer is not a list of embeddings") from error
        if not is_sound:
            raise self._failure(
                f"its answer does not hold one finite vector for each of {count} texts"
            )
        return [rows[index] for index in range(count)]

    def _excerpt(self, answer: bytes) -> str:
        text = " ".join(answer[:2000].decode("utf-8", "replace").split())
        if self._api_key:
            text = text.replace(self._api_key, "***")
        return text[:200]

    def _failure(self, reason: str) -> ModelError:
        return ModelError(f"The embedding server at {self._address.netloc}: {reason}.")


def _address(base_url: str) -> SplitResult:
    """Return the address to post to. Raises ConfigError for one that cannot be used."""
    try:
        parts = urlsplit(base_url)
        is_plain = base_url.isascii() and base_url.isprintable() and " " not in base_url
        is_usable = is_plain and parts.scheme in ("http", "https") and bool(parts.hostname)
        is_usable = is_usable and "@" not in parts.netloc and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise ConfigError(
            "The base URL of the embedding server must look like https://host/v1, "
            "without a name or password in it."
        )
    path = parts.path.rstrip("/")
    path = f"{path}/embeddings" if path else "/v1/embeddings"
    return SplitResult(parts.scheme, parts.netloc, path, parts.query, "")


def _headers(api_key: str | None) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if api_key is not None:
        # Checked here because http.client would print the key in its own error.
        if not api_key.isascii() or not api_key.isprintable() or not api_key:
            raise ConfigError("The API key is empty or holds characters that no key has.")
        headers["Authorization"] = f"Bearer {api_key}"
    return headers


def _is_numbers(row: object) -> bool:
    """Whether this is a list of numbers that can be squared; NaN and infinity are not."""
    return (
        isinstance(row, list)
        and bool(row)
        and all(type(each) in (int, float) and abs(each) < _LARGEST_NUMBER for each in row)
    )


def _retry_after_s(header: str | None) -> float | None:
    """Return the seconds a Retry-After header asks for; None if it is absent or unreadable."""
    if header is None:
        return None
    try:
        wait_s = float(header)
    except ValueError:
        try:
            wait_s = parsedate_to_datetime(header).timestamp() - time.time()
        except ValueError:
            return None
    return max(0.0, wait_s) if math.isfinite(wait_s) else None
