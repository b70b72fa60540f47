"""A folder with a transformer (an ONNX file and tokenizer.json) -> an Embedder.

One text per run on one thread each, so a text's vector never depends on its neighbours. The
files are read once and checked; nothing is ever fetched from a network.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivium.errors import MissingExtra, ModelError
from trivium.models.identity import space_id
from trivium.models.once import Once
from trivium.models.onnx_graph import SentenceGraph, open_graph
from trivium.models.onnx_settings import OnnxSettings, folder_of, model_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Part of every model id: raise it when the text given to the tokenizer changes.
_PREPARATION = 1

# A longer start of a text cannot matter except for very long runs of spaces or letters, and
# cutting first keeps a 50 MB line from being tokenised for its first 256 tokens.
_CHARACTERS_PER_TOKEN = 64

_TOKENIZER = "tokenizer.json"
_REMEDY = "Give a folder that holds a whole model.onnx and its tokenizer.json."


@dataclass(frozen=True, slots=True)
class Pins:
    """The sha256 that the two files must have, and what to do about a file that differs."""

    model_sha256: str
    tokenizer_sha256: str
    remedy: str


@dataclass(frozen=True, slots=True)
class _Loaded:
    graph: SentenceGraph
    tokenizer: Any
    dimension: int
    model_id: str


class OnnxEmbedder:
    """Runs a sentence transformer on ONNX Runtime; loads on first use, from any thread.

    `place` is its folder, or one of several ONNX files in it. With `pins`, or hashes in the
    settings, the model id is known without reading the files; without, it is made from whatever
    the folder holds when it is loaded.
    """

    is_instant = False

    def __init__(
        self,
        place: Path,
        *,
        name: str,
        settings: OnnxSettings,
        strength: int = 20,
        pins: Pins | None = None,
        threads: int | None = None,
    ) -> None:
        self._place = place
        self._folder = folder_of(place)
        self._name = name
        self._settings = settings
        self._strength = strength
        self._pins = _pins_of(settings) if pins is None else pins
        self._threads = usable_cores() if threads is None else max(1, threads)
        self._load = Once(self._read)

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self._name

    @property
    def strength(self) -> int:
        """Where it stands among the spaces of a collection."""
        return self._strength

    @property
    def model_id(self) -> str:
        """The name of the vector space; reads the files only if they are not pinned."""
        if self._pins is None:
            return self._load().model_id
        return self._id(self._pins.model_sha256, self._pins.tokenizer_sha256)

    @property
    def dimension(self) -> int:
        """The length of a vector; reads the files only if the settings do not say."""
        if self._settings.dimension is None:
            return self._load().dimension
        return self._settings.dimension

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text, shape (len(texts), dimension)."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        filled = [row for row, text in enumerate(texts) if text.strip()]
        prepared = [self._settings.document_prefix + texts[row] for row in filled]
        if len(prepared) <= 1 or self._threads == 1:
            for row, text in zip(filled, prepared, strict=True):
                vectors[row] = self._embed(text)
            return vectors
        self._load()
        pool = ThreadPoolExecutor(min(self._threads, len(prepared)))
        try:
            for row, vector in zip(filled, pool.map(self._embed, prepared), strict=True):
                vectors[row] = vector
        finally:
            # An interrupt must not wait for the texts that have not begun.
            pool.shutdown(cancel_futures=True)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a query, shape (dimension,); zeros for an empty one."""
        import numpy as np

        if not text.strip():
            return np.zeros(self.dimension, dtype=np.float32)
        return self._embed(self._settings.query_prefix + text)

    def _embed(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        loaded = self._load()
        start = text[: self._settings.max_length * _CHARACTERS_PER_TOKEN]
        # Half of a surrogate pair, as odd file names have, is no text for the tokenizer.
        clean = start.encode("utf-8", "replace").decode("utf-8")
        try:
            ids = loaded.tokenizer.encode(clean.lower() if self._settings.lower_case else clean).ids
        # The library raises Exception itself.
        except Exception as error:
            message = f"The tokenizer in {self._folder} failed on a text: {error}"
            raise ModelError(message) from error
        if not ids:
            return np.zeros(self.dimension, dtype=np.float32)
        return self._unit(loaded.graph.vector(ids))

    def _unit(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np

        if vector.shape != (self.dimension,):
            raise ModelError(
                f"The model in {self._folder} gave {vector.size} numbers for a text, not "
                f"{self.dimension}. Correct `dimension` or `pooling` in its config.json."
            )
        norm = float(np.linalg.norm(vector.astype(np.float64)))
        if not np.isfinite(norm) or norm == 0.0:
            raise ModelError(
                f"The model in {self._folder} gave a vector without a direction. "
                "Its files are damaged or not meant for embedding text."
            )
        unit: NDArray[np.float32] = (vector / norm).astype(np.float32)
        return unit

    def _read(self) -> _Loaded:
        require_runtime(self._name)
        if not self._folder.is_dir():
            raise ModelError(f"No model folder at {self._folder}. {self._remedy()}")
        path = self._place
        if path == self._folder:
            path = model_file(self._folder, remedy=self._remedy())
        model = self._file(path.relative_to(self._folder).as_posix())
        tokenizer_file = self._file(_TOKENIZER)
        beside = _files_beside(path)
        digests = _digest(model, beside), hashlib.sha256(tokenizer_file).hexdigest()
        if self._pins is not None:
            self._check(path, digests[0], self._pins.model_sha256)
            self._check(self._folder / _TOKENIZER, digests[1], self._pins.tokenizer_sha256)
        # By name where the weights are in a second file, which is found from there.
        session = open_session(str(path) if beside else model, path=path, remedy=self._remedy())
        tokenizer = open_tokenizer(
            tokenizer_file, path=self._folder / _TOKENIZER, remedy=self._remedy()
        )
        padding = tokenizer.token_to_id("<pad>") or tokenizer.token_to_id("[PAD]") or 0
        graph = open_graph(session, path=path, pooling=self._settings.pooling, padding=padding)
        self._limit(tokenizer, graph)
        return _Loaded(
            graph=graph,
            tokenizer=tokenizer,
            dimension=self._settings.dimension or _dimension(graph),
            model_id=self._id(*digests),
        )

    def _limit(self, tokenizer: Any, graph: SentenceGraph) -> None:  # noqa: ANN401 - loaded late
        """Cut texts at the length of the settings, or of the graph if that is less."""
        length = min(self._settings.max_length, graph.length or self._settings.max_length)
        special = tokenizer.num_special_tokens_to_add(is_pair=False)
        if length <= special:
            raise ModelError(
                f"The model in {self._folder} reads {length} tokens, and its tokenizer adds "
                f"{special} of its own: nothing of a text is left. Raise `max_length`."
            )
        tokenizer.enable_truncation(length)

    def _file(self, name: str) -> bytes:
        return read_file(self._folder / name, remedy=self._remedy())

    def _check(self, path: Path, found: str, expected: str) -> None:
        if found != expected:
            raise ModelError(
                f"{path} is damaged or is not the file it should be "
                f"(sha256 {found[:12]}..., expected {expected[:12]}...). {self._remedy()}"
            )

    def _remedy(self) -> str:
        if self._pins is not None:
            return self._pins.remedy
        return _REMEDY

    def _id(self, model_sha256: str, tokenizer_sha256: str) -> str:
        settings = self._settings
        parts: list[str | int] = [
            model_sha256,
            tokenizer_sha256,
            settings.max_length,
            settings.pooling,
            _PREPARATION,
            settings.document_prefix,
            settings.query_prefix,
        ]
        if settings.lower_case:
            parts.append("lower case")
        return space_id(self._name, parts)


def _pins_of(settings: OnnxSettings) -> Pins | None:
    """Return the hashes that a folder's own settings give for its files."""
    if not settings.model_sha256:
        return None
    remedy = "Make or fetch the folder again, or take the hashes out of its config.json."
    return Pins(settings.model_sha256.lower(), settings.tokenizer_sha256.lower(), remedy)


def _files_beside(path: Path) -> list[Path]:
    """Return the files that hold a large model's weights: model.onnx_data, model.onnx.data."""
    beside = path.parent.glob(f"{glob.escape(path.name)}?*")
    return sorted(each for each in beside if each.is_file() and "data" in each.suffix)


def _digest(model: bytes, beside: Sequence[Path]) -> str:
    """Return the sha256 of a model's file; with files beside it, that of all their hashes."""
    own = hashlib.sha256(model)
    if not beside:
        return own.hexdigest()
    every = [own.digest()]
    for path in beside:
        with path.open("rb") as file:
            every.append(hashlib.file_digest(file, "sha256").digest())
    return hashlib.sha256(b"".join(every)).hexdigest()


def _dimension(graph: SentenceGraph) -> int:
    """Return how long a vector is, by making one: graphs need not say."""
    return int(graph.vector([0]).size)


def open_session(
    model: bytes | str,
    *,
    path: Path,
    remedy: str,
) -> Any:  # noqa: ANN401 - ONNX Runtime ships no types
    """Return a session of one thread for a model's bytes, or for the name of its file."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    # Only errors: its warnings go to stderr past our logging.
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    # ONNX Runtime's errors have no common base.
    except Exception as error:
        raise ModelError(f"Cannot use {path}: {_said(error)}. {remedy}") from error


def open_tokenizer(blob: bytes, *, path: Path, remedy: str) -> Any:  # noqa: ANN401 - loaded late
    """Return the tokenizer that a file describes, with nothing padded."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(blob)
    # The library raises Exception itself.
    except Exception as error:
        raise ModelError(f"Cannot use {path}: {_said(error)}. {remedy}") from error
    # Published files often pad to a fixed length, which would change the mean.
    tokenizer.no_padding()
    return tokenizer


def _said(error: Exception) -> str:
    return str(error).rstrip(". ")


def read_file(path: Path, *, remedy: str) -> bytes:
    """Return the bytes of one of a model's files."""
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ModelError(f"Cannot read {path}: {reason}. {remedy}") from error


def require_runtime(what: str) -> None:
    """Raise MissingExtra unless the libraries that run a transformer are installed."""
    from importlib.util import find_spec

    for library in ("onnxruntime", "tokenizers"):
        if find_spec(library) is None:
            raise MissingExtra(f"The model {what!r}", extra="minilm")


def usable_cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
