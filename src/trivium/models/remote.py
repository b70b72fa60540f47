"""Texts -> vectors from a server that speaks the OpenAI embeddings protocol over HTTP.

Every answer is checked before it is used, and no text ever appears in an error. Needs only the
standard library.
"""

from __future__ import annotations

import base64
import json
import math
import random
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult

from trivium.errors import ConfigError, ModelError
from trivium.models.base import PROBE
from trivium.models.identity import space_id
from trivium.models.service import Patience, Refusal, Service, address_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_BASE_URL = "https://api.openai.com/v1"

# In one request: at most so many texts, and about so many tokens.
BATCH = 64
TOKENS_AT_ONCE = 16_000

# Part of every model id: raise it when the text that is sent changes.
_PREPARATION = 1

# Servers refuse more than about 8,000 tokens, and a token is seldom less than a character.
_LONGEST_TEXT = 8000
# A server that reads less gets half of a text, and half of that, down to here.
_SHORTEST_CUT = 100
# Of UTF-8. English has about 4, code 3.4, and too high a guess is better than too low a one.
_BYTES_PER_TOKEN = 3
_LARGEST_ANSWER_BYTES = 64 * 1024 * 1024
_LARGEST_NUMBER = 1e100

_NOT_EMBEDDINGS = (
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    OverflowError,
    RecursionError,
    struct.error,
)

# Indexing can wait out a busy server; a person at a search box cannot.
FOR_DOCUMENTS = Patience(attempts=5, longest_wait_s=60.0, loading_s=300.0)
FOR_QUERIES = Patience(attempts=2, longest_wait_s=2.0)


class RemoteEmbedder:
    """Embeds over HTTP; a base URL without a path gets `/v1`.

    The model id holds the address as well as the model: two servers may serve different
    weights under one name. The dimension is the server's, which is asked for another where
    `dimensions` says so; vectors of two are two spaces.
    """

    is_instant = False
    strength = 30

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str = DEFAULT_BASE_URL,
        dimensions: int | None = None,
        timeout_s: float = 30.0,
        wait: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._model = model
        self._address = _address(base_url)
        self._service = Service(
            "embedding server",
            address=self._address,
            api_key=api_key,
            timeout_s=timeout_s,
            largest_answer_bytes=_LARGEST_ANSWER_BYTES,
            wait=wait,
            chance=chance,
        )
        self._dimensions = self._dimension = dimensions
        self._asks_for_floats = True
        self._cut = self._blank = 0
        self._lock = Lock()

    @property
    def name(self) -> str:
        """What a person calls it."""
        return f"openai:{self._model}"

    @property
    def model_id(self) -> str:
        """The name of the vector space."""
        asked = [] if self._dimensions is None else [self._dimensions]
        return space_id(self.name, [self._address.geturl(), self._model, _PREPARATION, *asked])

    @property
    def dimension(self) -> int:
        """The length of a vector; asks the server if no answer has told it yet."""
        if self._dimension is None:
            return int(self._embed([PROBE], FOR_QUERIES).shape[1])
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(texts), dimension)."""
        import numpy as np

        filled = [row for row, text in enumerate(texts) if text.strip()]
        found = [
            self._embed(batch, FOR_DOCUMENTS)
            for batch in self._batches([texts[row] for row in filled])
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

    def tokens(self, text: str) -> int:
        """Return about how many tokens of a text are sent; rather more than less."""
        return -(-len(text[:_LONGEST_TEXT].encode("utf-8", "replace")) // _BYTES_PER_TOKEN)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        held = 0
        for text in texts:
            tokens = self.tokens(text)
            if batch and (len(batch) == BATCH or held + tokens > TOKENS_AT_ONCE):
                yield batch
                batch, held = [], 0
            batch.append(text)
            held += tokens
        if batch:
            yield batch

    def remarks(self) -> list[str]:
        """Return how many texts were cut or have no vector since the last time this was asked."""
        with self._lock:
            cut, blank = self._cut, self._blank
            self._cut = self._blank = 0
        said = []
        if cut:
            said.append(f"{self.name} reads no more than the start of {_texts(cut)}.")
        if blank:
            said.append(
                f"{self.name} gives no vector for {_texts(blank)}: they are found by words alone."
            )
        return said

    def _embed(
        self, texts: Sequence[str], patience: Patience, *, is_cut: bool = False
    ) -> NDArray[np.float32]:
        """Return the vectors; a request that is too long for the server is sent in halves."""
        import numpy as np

        # Half of a surrogate pair, as odd file names have, is not JSON that servers accept.
        inputs = [text[:_LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8") for text in texts]
        try:
            answer = self._post(inputs, patience)
        except ModelError as error:
            refusal = error.__cause__
            if not isinstance(refusal, Refusal):
                raise
            if refusal.is_not_a_number and len(inputs) == 1:
                return self._without_direction(inputs, patience)
            is_long = refusal.is_too_long or refusal.is_not_a_number
            shorter = _halves(inputs) if is_long else []
            if not shorter:
                raise
            if len(inputs) == 1 and not is_cut:
                with self._lock:
                    self._cut += 1
            is_cut = len(inputs) == 1
            return np.concatenate([self._embed(half, patience, is_cut=is_cut) for half in shorter])
        return self._vectors(answer, inputs, patience)

    def _post(self, inputs: Sequence[str], patience: Patience) -> bytes:
        """Send one request; a server that refuses to be asked for plain numbers is not."""
        request: dict[str, object] = {"model": self._model, "input": inputs}
        if self._asks_for_floats:
            request["encoding_format"] = "float"
        if self._dimensions is not None:
            request["dimensions"] = self._dimensions
        tokens = sum(map(self.tokens, inputs))
        try:
            body = json.dumps(request).encode()
            return self._service.post(body, patience=patience, tokens=tokens)
        except ModelError as error:
            refusal = error.__cause__
            is_format = isinstance(refusal, Refusal) and "encoding_format" in refusal.said
            if not is_format or not self._asks_for_floats:
                raise
            self._asks_for_floats = False
            return self._post(inputs, patience)

    def _vectors(
        self, answer: bytes, inputs: Sequence[str], patience: Patience
    ) -> NDArray[np.float32]:
        import numpy as np

        rows = self._rows(answer, len(inputs))
        sound = [number for number, row in enumerate(rows) if _has_direction(row)]
        if not sound:
            return self._without_direction(inputs, patience)
        lengths = {len(rows[number]) for number in sound}
        with self._lock:
            if self._dimension is None and len(lengths) == 1:
                self._dimension = next(iter(lengths))
            expected = self._dimension
            self._blank += len(rows) - len(sound)
        if expected is None or lengths != {expected}:
            remedy = "Embed everything again if the model behind the address has changed"
            if self._dimensions is not None:
                remedy = "It does not heed embedding.dimensions, or not this number: set it to 0"
            raise self._service.failure(
                f"its vectors have {sorted(lengths)} numbers, not {expected}. {remedy}"
            )
        vectors = np.zeros((len(rows), expected), np.float64)
        vectors[sound] = [rows[number] for number in sound]
        # Squares of numbers near to nothing would be nothing.
        vectors[sound] /= np.abs(vectors[sound]).max(axis=1, keepdims=True)
        vectors[sound] /= np.linalg.norm(vectors[sound], axis=1, keepdims=True)
        unit: NDArray[np.float32] = vectors.astype(np.float32)
        return unit

    def _without_direction(self, inputs: Sequence[str], patience: Patience) -> NDArray[np.float32]:
        """Return zeros for texts that the model has no vector for, if it has one for others."""
        import numpy as np

        if list(inputs) == [PROBE]:
            raise self._service.failure(
                "its vectors are zeros, or no numbers at all. The model behind the address is "
                "broken, or is none for embedding"
            )
        dimension = self._embed([PROBE], patience).shape[1]
        with self._lock:
            self._blank += len(inputs)
        return np.zeros((len(inputs), dimension), np.float32)

    def _rows(self, answer: bytes, count: int) -> list[list[float | None]]:
        """Return the vectors in the order of the texts, whatever the order they came in."""
        try:
            data = json.loads(answer)["data"]
            rows: dict[int, Any] = {
                _index_of(entry, place): _numbers(entry["embedding"])
                for place, entry in enumerate(data)
            }
            is_sound = len(data) == count and rows.keys() == set(range(count))
            is_sound = is_sound and all(_is_numbers(row) for row in rows.values())
        except _NOT_EMBEDDINGS as error:
            raise self._service.failure(
                "its answer is not a list of embeddings. Check that the address is that of its "
                "OpenAI protocol, which mostly ends with /v1"
            ) from error
        if not is_sound:
            raise self._service.failure(
                f"its answer does not hold one vector of numbers for each of {count} texts"
            )
        return [rows[index] for index in range(count)]


def _texts(count: int) -> str:
    return "1 text" if count == 1 else f"{count:,} texts"


def _address(base_url: str) -> SplitResult:
    """Return the address to post to. Raises ConfigError for one that cannot be used."""
    parts = address_of(base_url)
    if parts is None:
        raise ConfigError(
            "The address of the embedding server (embedding.base_url) must look like "
            "https://host/v1, without a name or password in it."
        )
    # The whole address is what many copy from a manual.
    path = parts.path.rstrip("/").removesuffix("/embeddings")
    path = f"{path}/embeddings" if path else "/v1/embeddings"
    return SplitResult(parts.scheme, parts.netloc, path, parts.query, "")


def _halves(texts: list[str]) -> list[list[str]]:
    """Return requests that are shorter: half of the texts each, or the first half of the one."""
    if len(texts) > 1:
        middle = len(texts) // 2
        return [texts[:middle], texts[middle:]]
    length = len(texts[0]) // 2
    return [[texts[0][:length]]] if length >= _SHORTEST_CUT else []


def _index_of(entry: dict[str, Any], place: int) -> int:
    """Return which text an entry is for: where it stands, if the server does not say."""
    index = entry.get("index")
    return place if index is None else int(index)


def _numbers(embedding: object) -> object:
    """Return a list of numbers from one, or from the base64 of 32-bit floats."""
    if not isinstance(embedding, str):
        return embedding
    blob = base64.b64decode(embedding, validate=True)
    return list(struct.unpack(f"<{len(blob) // 4}f", blob))


def _is_numbers(row: object) -> bool:
    """Whether this is a list of numbers that can be squared, or of what stands for none."""
    return (
        isinstance(row, list)
        and bool(row)
        and all(
            each is None
            or (type(each) in (int, float) and not _LARGEST_NUMBER <= abs(each) < math.inf)
            for each in row
        )
    )


def _has_direction(row: Sequence[float | None]) -> bool:
    """Whether all numbers are finite, and not all zero: NaN is null where JSON is strict."""
    return all(each is not None and math.isfinite(each) for each in row) and any(row)
