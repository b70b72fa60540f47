"""A folder with a transformer (model.onnx, tokenizer.json, config.json) -> an Embedder.

One text per run on one thread each, so a text's vector never depends on its neighbours. The
files are read once, checked, and used from memory; nothing is ever fetched from a network.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivium.errors import ConfigError, MissingExtra, ModelError
from trivium.models.identity import space_id
from trivium.models.once import Once

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Part of every model id: raise it when the text given to the tokenizer changes.
_PREPARATION = 1

# A longer start of a text cannot matter except for very long runs of spaces or letters, and
# cutting first keeps a 50 MB line from being tokenised for its first 256 tokens.
_CHARACTERS_PER_TOKEN = 64

_POOLINGS = ("mean", "cls")
_TOKENS_RANK = 3


@dataclass(frozen=True, slots=True)
class OnnxSettings:
    """How a folder's model is to be used; `dimension` None means: ask the model."""

    max_length: int = 256
    pooling: str = "mean"
    dimension: int | None = None
    document_prefix: str = ""
    query_prefix: str = ""


@dataclass(frozen=True, slots=True)
class Pins:
    """The sha256 that the two files must have, and what to do about a file that differs."""

    model_sha256: str
    tokenizer_sha256: str
    remedy: str


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: Any
    tokenizer: Any
    inputs: frozenset[str]
    dimension: int
    model_id: str


class OnnxEmbedder:
    """Runs a sentence transformer on ONNX Runtime; loads on first use, from any thread.

    With `pins` the model id is known without reading the files; without, it is made from
    whatever the folder holds when it is loaded.
    """

    is_instant = False

    def __init__(
        self,
        folder: Path,
        *,
        name: str,
        settings: OnnxSettings,
        strength: int = 20,
        pins: Pins | None = None,
        threads: int | None = None,
    ) -> None:
        self._folder = folder
        self._name = name
        self._settings = settings
        self._strength = strength
        self._pins = pins
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
        ids = np.array([loaded.tokenizer.encode(clean).ids], dtype=np.int64)
        if ids.size == 0:
            return np.zeros(self.dimension, dtype=np.float32)
        feeds = {"input_ids": ids}
        if "attention_mask" in loaded.inputs:
            feeds["attention_mask"] = np.ones_like(ids)
        if "token_type_ids" in loaded.inputs:
            feeds["token_type_ids"] = np.zeros_like(ids)
        try:
            output = loaded.session.run(None, feeds)[0]
        # ONNX Runtime's errors have no common base.
        except Exception as error:
            message = f"The model in {self._folder} failed on a text: {error}"
            raise ModelError(message) from error
        return self._unit(self._pool(np.asarray(output, dtype=np.float32)))

    def _pool(self, output: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return one vector: models give it themselves, or give one per token, (1, n, d)."""
        if output.ndim == _TOKENS_RANK:
            first: NDArray[np.float32] = output[0, 0]
            mean: NDArray[np.float32] = output[0].mean(axis=0)
            return first if self._settings.pooling == "cls" else mean
        return output.reshape(-1)

    def _unit(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np

        if vector.shape != (self.dimension,):
            raise ModelError(
                f"The model in {self._folder} gave {vector.size} numbers for a text, not "
                f"{self.dimension}. Correct `dimension` or `pooling` in its config.json."
            )
        norm = float(np.linalg.norm(vector))
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
        model = self._file("model.onnx")
        tokenizer_file = self._file("tokenizer.json")
        digests = [hashlib.sha256(blob).hexdigest() for blob in (model, tokenizer_file)]
        if self._pins is not None:
            self._check("model.onnx", digests[0], self._pins.model_sha256)
            self._check("tokenizer.json", digests[1], self._pins.tokenizer_sha256)
        path = self._folder / "model.onnx"
        session = open_session(model, path=path, remedy=self._remedy())
        shape = session.get_outputs()[0].shape
        dimension = self._settings.dimension
        if dimension is None:
            dimension = shape[-1] if shape else None
        if not isinstance(dimension, int):
            raise ModelError(
                f"{path} does not say how long its vectors are. "
                "Add `dimension` to a config.json beside it."
            )
        return _Loaded(
            session=session,
            tokenizer=self._tokenizer(tokenizer_file),
            inputs=frozenset(each.name for each in session.get_inputs()),
            dimension=dimension,
            model_id=self._id(*digests),
        )

    def _tokenizer(self, blob: bytes) -> Any:  # noqa: ANN401 - its class is loaded late
        tokenizer = open_tokenizer(
            blob, path=self._folder / "tokenizer.json", remedy=self._remedy()
        )
        tokenizer.enable_truncation(self._settings.max_length)
        return tokenizer

    def _file(self, name: str) -> bytes:
        return read_file(self._folder / name, remedy=self._remedy())

    def _check(self, name: str, found: str, expected: str) -> None:
        if found != expected:
            raise ModelError(
                f"{self._folder / name} is damaged or is not the file this release was made "
                f"with (sha256 {found[:12]}..., expected {expected[:12]}...). {self._remedy()}"
            )

    def _remedy(self) -> str:
        if self._pins is not None:
            return self._pins.remedy
        return "Give a folder that holds a whole model.onnx and its tokenizer.json."

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
        return space_id(self._name, parts)


def read_settings(folder: Path) -> OnnxSettings:
    """Return what a folder's config.json says, or the defaults where it has none.

    Keys it shares with other tools' files are passed over; a wrong value is a ConfigError.
    """
    path = folder / "config.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return OnnxSettings()
    except (OSError, ValueError) as error:
        raise ConfigError(f"Cannot read {path}: {error}. Correct it or remove it.") from error
    if not isinstance(found, dict):
        raise ConfigError(f"{path} must hold one JSON object. Correct it or remove it.")
    settings = OnnxSettings(
        **{key: found[key] for key in OnnxSettings.__dataclass_fields__ if key in found}
    )
    wrong = _wrong_setting(settings)
    if wrong is not None:
        raise ConfigError(f"{path}: {wrong}.")
    return settings


def _wrong_setting(settings: OnnxSettings) -> str | None:
    """Return what is wrong with settings that came from a file, or None."""
    for key in ("max_length", "dimension"):
        value = getattr(settings, key)
        absent = key == "dimension" and value is None
        if not absent and (type(value) is not int or value < 1):
            return f"`{key}` must be a whole number above 0, not {value!r}"
    if settings.pooling not in _POOLINGS:
        return f"`pooling` must be one of {', '.join(_POOLINGS)}, not {settings.pooling!r}"
    for key in ("document_prefix", "query_prefix"):
        if not isinstance(getattr(settings, key), str):
            return f"`{key}` must be text"
    return None


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
        raise ModelError(f"Cannot use {path}: {error}. {remedy}") from error


def open_tokenizer(blob: bytes, *, path: Path, remedy: str) -> Any:  # noqa: ANN401 - loaded late
    """Return the tokenizer that a file describes, with nothing padded."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(blob)
    # The library raises Exception itself.
    except Exception as error:
        raise ModelError(f"Cannot use {path}: {error}. {remedy}") from error
    # Published files often pad to a fixed length, which would change the mean.
    tokenizer.no_padding()
    return tokenizer


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
