"""Teachers so small that a test knows what they think of a word."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from packages.granite.export import FLOAT, INT64, Graph, described
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Punctuation, Sequence, Whitespace

DIMENSION = 384


def write_teacher(folder: Path, rows: Mapping[str, NDArray[np.float32]]) -> Path:
    """Write a model whose vector of a text is the mean of its words' rows; others' are small."""
    unknown = np.full(DIMENSION, 1e-3, dtype=np.float32)
    graph = Graph()
    table = graph.constant("table", np.array([unknown, *rows.values()], dtype="<f4"))
    graph.add("Gather", table, "input_ids", outputs=["last_hidden_state"])
    model = graph.model(
        "words",
        source=described("input_ids", INT64, 1, "n"),
        result=described("last_hidden_state", FLOAT, 1, "n", DIMENSION),
    )
    numbers = {word: number for number, word in enumerate(["[UNK]", *rows])}
    tokenizer = Tokenizer(WordLevel(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Sequence([Whitespace(), Punctuation()])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"dimension": DIMENSION, "max_length": 64, "pooling": "mean"}
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def unit_rows(words: list[str], seed: int) -> dict[str, NDArray[np.float32]]:
    """Return a direction for each word, by chance."""
    made = np.random.default_rng(seed).standard_normal((len(words), DIMENSION))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return dict(zip(words, made.astype(np.float32), strict=True))
