"""A query and texts -> their scores from a rerank service over HTTP.

Speaks what Cohere, Jina, vLLM and LiteLLM agree on, and the dialect of text-embeddings-inference.
Every answer is checked before it is used. Needs only the standard library.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Sequence
from urllib.parse import SplitResult

from trivium.errors import ConfigError, ModelError
from trivium.models.rerank import MOST_TEXTS
from trivium.models.service import Patience, Refusal, Service, address_of

# text-embeddings-inference refuses more than 32 texts at once unless it is told otherwise.
BATCH = 32
ATTEMPTS = 3

# The services cut texts to what their model reads; this only keeps the request small.
_LONGEST_TEXT = 8000
# Services may send every text back, and JSON may write a character as \uXXXX twice.
_LARGEST_ANSWER_BYTES = 16 * 1024 * 1024
_LONGEST_WAIT_S = 2.0
_UNPROCESSABLE = 422


class HttpReranker:
    """Posts to one address; an address without a path gets `/rerank`.

    All requests and waits of one call together take at most `timeout_s`.
    """

    def __init__(
        self,
        address: str,
        *,
        model: str = "",
        api_key: str | None = None,
        timeout_s: float = 10.0,
        wait: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._address = _address(address)
        self._model = model
        self._timeout_s = timeout_s
        self._service = Service(
            "rerank server",
            address=self._address,
            api_key=api_key,
            timeout_s=timeout_s,
            largest_answer_bytes=_LARGEST_ANSWER_BYTES,
            wait=wait,
            chance=chance,
        )
        self._takes_texts = False

    @property
    def name(self) -> str:
        """What a person calls it: the model, where one is named, and the host."""
        host = self._address.netloc
        return f"{self._model} at {host}" if self._model else host

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, on the service's own scale."""
        if len(texts) > MOST_TEXTS:
            raise ModelError(f"{len(texts)} texts are too many to read again; give {MOST_TEXTS}.")
        deadline = time.monotonic() + self._timeout_s
        scores: list[float] = []
        for start in range(0, len(texts), BATCH):
            batch = [_clean(text) for text in texts[start : start + BATCH]]
            scores += self._scores(self._ask(_clean(query), batch, deadline), count=len(batch))
        return scores

    def _ask(self, query: str, texts: Sequence[str], deadline: float) -> bytes:
        """Ask, and ask once more in the other dialect if the service says it wants `texts`."""
        try:
            return self._post(query, texts, deadline)
        except ModelError as error:
            if self._takes_texts or not _wants_texts(error.__cause__):
                raise
            self._takes_texts = True
            return self._post(query, texts, deadline)

    def _post(self, query: str, texts: Sequence[str], deadline: float) -> bytes:
        request: dict[str, object] = {"query": query}
        if self._takes_texts:
            request |= {"texts": texts, "truncate": True}
        else:
            request |= {"documents": texts, "top_n": len(texts)}
        if self._model:
            request["model"] = self._model
        left_s = deadline - time.monotonic()
        patience = Patience(ATTEMPTS, _LONGEST_WAIT_S, altogether_s=left_s)
        return self._service.post(json.dumps(request).encode(), patience=patience)

    def _scores(self, answer: bytes, *, count: int) -> list[float]:
        """Return the scores in the order of the texts, whatever the order they came in."""
        try:
            entries = _entries(json.loads(answer))
            found = {entry["index"]: _number(entry) for entry in entries}
            is_sound = len(entries) == count and all(type(index) is int for index in found)
            is_sound = is_sound and found.keys() == set(range(count))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._service.failure("its answer is not a list of scores") from error
        if not is_sound or not all(math.isfinite(score) for score in found.values()):
            raise self._service.failure(
                f"its answer does not hold one finite score for each of {count} texts"
            )
        return [found[index] for index in range(count)]


def _wants_texts(cause: BaseException | None) -> bool:
    if not isinstance(cause, Refusal):
        return False
    return cause.status == _UNPROCESSABLE and "texts" in cause.said


def _address(text: str) -> SplitResult:
    parts = address_of(text)
    if parts is None:
        raise ConfigError(
            "rerank.model: the address of a rerank server must look like "
            "https://host/v1/rerank, without a name or password in it."
        )
    path = "/rerank" if parts.path in ("", "/") else parts.path
    return SplitResult(parts.scheme, parts.netloc, path, parts.query, "")


def _entries(answer: object) -> list[dict[str, object]]:
    """Return the list of scores, which some services put under a name."""
    if isinstance(answer, dict):
        answer = answer["results"] if "results" in answer else answer["data"]
    if not isinstance(answer, list) or not all(isinstance(entry, dict) for entry in answer):
        raise TypeError
    return answer


def _number(entry: dict[str, object]) -> float:
    score = entry["relevance_score"] if "relevance_score" in entry else entry["score"]
    # Not bool, which is an int; a whole number may be too large for a float.
    if type(score) is int:
        return float(score) if abs(score) < 1 << 1000 else math.inf
    if type(score) is float:
        return score
    raise TypeError


def _clean(text: str) -> str:
    # Half of a surrogate pair, as odd file names have, is not JSON that servers accept.
    return text[:_LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8")
