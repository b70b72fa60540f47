"""A folder with a cross-encoder (model.onnx, tokenizer.json) -> a Reranker on this machine.

One pair per run on one thread each, so a text's score never depends on its neighbours: padding
moves the last digits, and an 8-bit model takes its scales from the whole batch.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from trivium.errors import ModelError
from trivium.models.once import Once
from trivium.models.onnx import (
    open_session,
    open_tokenizer,
    read_file,
    require_runtime,
    usable_cores,
)
from trivium.models.onnx_settings import model_file
from trivium.models.rerank import MOST_TEXTS

LONGEST = 512
SHORTEST = 8

# A longer start of a text cannot matter except for very long runs of spaces or letters.
_CHARACTERS_PER_TOKEN = 64
_LARGEST_CONFIG_BYTES = 1_000_000

_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_REMEDY = "Give a folder that holds the model.onnx of a cross-encoder and its tokenizer.json."
_TWO_LABELS = 2


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: Any
    tokenizer: Any
    inputs: frozenset[str]
    output: str
    longest: int


class OnnxReranker:
    """Runs a sequence classifier over pairs of texts; loads on first use, from any thread.

    One label is given as it is, a logit; of two labels, the chance of the last. Reading takes
    at most `timeout_s`, after which no further text is begun and the whole call fails.
    """

    def __init__(
        self,
        folder: Path,
        *,
        timeout_s: float = 10.0,
        threads: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._timeout_s = timeout_s
        self._threads = usable_cores() if threads is None else max(1, threads)
        self._clock = clock
        self._load = Once(self._read)

    @property
    def name(self) -> str:
        """What a person calls it."""
        return f"onnx:{self._folder.name}"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text: a logit, or a chance where the model has two labels."""
        if len(texts) > MOST_TEXTS:
            raise ModelError(f"{len(texts)} texts are too many to read again; give {MOST_TEXTS}.")
        if not texts:
            return []
        read = partial(self._read_pair, self._load(), query, self._clock() + self._timeout_s)
        # The longest first: a long text begun last would keep one core busy alone.
        order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
        longest_first = [texts[index] for index in order]
        if self._threads == 1 or len(texts) == 1:
            found = [read(text) for text in longest_first]
        else:
            pool = ThreadPoolExecutor(min(self._threads, len(texts)))
            try:
                found = list(pool.map(read, longest_first))
            finally:
                # An interrupt or a failure must not wait for the texts that have not begun.
                pool.shutdown(cancel_futures=True)
        scores = dict(zip(order, found, strict=True))
        return [scores[index] for index in range(len(texts))]

    def _read_pair(self, loaded: _Loaded, query: str, deadline: float, text: str) -> float:
        import numpy as np

        if self._clock() > deadline:
            raise ModelError(
                f"The model in {self._folder} did not read all texts within "
                f"{self._timeout_s:g} s. Lower rerank.depth or raise rerank.timeout_s."
            )
        encoding = self._encode(loaded, query, text)
        ids = np.array([encoding.ids], dtype=np.int64)
        feeds = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([encoding.type_ids], dtype=np.int64),
        }
        try:
            output = loaded.session.run(
                [loaded.output], {name: feeds[name] for name in loaded.inputs}
            )[0]
        # ONNX Runtime's errors have no common base.
        except Exception as error:
            raise ModelError(f"The model in {self._folder} failed on a text: {error}") from error
        return self._one_score([float(each) for each in np.asarray(output).reshape(-1)])

    def _encode(self, loaded: _Loaded, query: str, text: str) -> Any:  # noqa: ANN401 - loaded late
        most = loaded.longest * _CHARACTERS_PER_TOKEN
        # Half of a surrogate pair, as odd file names have, is no text for the tokenizer.
        clean = [one[:most].encode("utf-8", "replace").decode("utf-8") for one in (query, text)]
        try:
            encoding = loaded.tokenizer.encode(*clean)
        # The library raises Exception itself.
        except Exception as error:
            raise ModelError(
                f"The tokenizer in {self._folder} failed on a text: {error}"
            ) from error
        if not encoding.ids:
            raise ModelError(f"The tokenizer in {self._folder} kept nothing of a text. {_REMEDY}")
        return encoding

    def _one_score(self, labels: Sequence[float]) -> float:
        if not labels or len(labels) > _TWO_LABELS:
            raise ModelError(
                f"The model in {self._folder} gave {len(labels)} numbers for a pair of texts, "
                f"not 1 or 2: it is no cross-encoder for ranking. {_REMEDY}"
            )
        if not all(math.isfinite(label) for label in labels):
            raise ModelError(
                f"The model in {self._folder} gave a score that is no finite number. "
                "Its files are damaged or not meant for ranking text."
            )
        if len(labels) == _TWO_LABELS:
            # The softmax of two labels is the logistic of their difference; tanh cannot overflow.
            return 0.5 * (1 + math.tanh((labels[1] - labels[0]) / 2))
        return labels[0]

    def _read(self) -> _Loaded:
        require_runtime(self.name)
        if not self._folder.is_dir():
            raise ModelError(f"No model folder at {self._folder}. {_REMEDY}")
        path = model_file(self._folder, remedy=_REMEDY)
        tokenizer_file = self._folder / "tokenizer.json"
        blob = read_file(tokenizer_file, remedy=_REMEDY)
        longest = self._longest()
        # By name, not by bytes: a large model keeps its weights in a second file beside it.
        session = open_session(str(path), path=path, remedy=_REMEDY)
        inputs = frozenset(each.name for each in session.get_inputs())
        if "input_ids" not in inputs or not inputs <= _INPUTS:
            raise ModelError(
                f"{path} takes {', '.join(sorted(inputs))}; a cross-encoder takes input_ids, "
                f"and may take attention_mask and token_type_ids. {_REMEDY}"
            )
        outputs = [each.name for each in session.get_outputs()]
        tokenizer = open_tokenizer(blob, path=tokenizer_file, remedy=_REMEDY)
        # Cuts the longer of the two, so that a question stays whole beside a long text.
        tokenizer.enable_truncation(longest, strategy="longest_first")
        return _Loaded(
            session=session,
            tokenizer=tokenizer,
            inputs=inputs,
            output="logits" if "logits" in outputs else outputs[0],
            longest=longest,
        )

    def _longest(self) -> int:
        """Return how many tokens a pair may have: 512, or fewer if the model takes no more."""
        path = self._folder / "config.json"
        if not path.is_file():
            return LONGEST
        blob = read_file(path, remedy=_REMEDY)
        try:
            found = json.loads(blob[:_LARGEST_CONFIG_BYTES])
        except (ValueError, RecursionError) as error:
            raise ModelError(f"Cannot read {path}: {error}. Correct it or remove it.") from error
        most = found.get("max_position_embeddings") if isinstance(found, dict) else None
        # Models that count distances instead of places write 0 or -1.
        if type(most) is not int or most <= 0:
            return LONGEST
        if most < SHORTEST:
            raise ModelError(f"{path}: {most} places leave no room for a pair of texts. {_REMEDY}")
        return min(LONGEST, most)
