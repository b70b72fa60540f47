"""A transformer folder so small that a test can work out its vectors by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

VOCABULARY = {"[UNK]": 0, "red": 1, "green": 2, "blue": 3}
FLOAT, INT64, BOOL = 1, 7, 9


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _field(number: int, value: int | str | bytes) -> bytes:
    """One protobuf field: a whole number, or a string of bytes with its length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    blob = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(blob)) + blob


def _value(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    sizes = b"".join(
        _field(1, _field(1, size) if isinstance(size, int) else _field(2, size)) for size in shape
    )
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, sizes)))


def _tensor(name: str, kind: int, values: NDArray[Any]) -> bytes:
    sizes = b"".join(_field(1, size) for size in values.shape)
    return sizes + _field(2, kind) + _field(8, name) + _field(9, values.tobytes())


def gather_model(table: Sequence[Sequence[float]], *, width: int | str) -> bytes:
    """Return an ONNX model whose output (1, n, d) is the row of `table` for each token.

    A `width` that is a name hides d: the rows then pass through an operator (Compress, here
    keeping everything) whose output has a size that only a run can tell.
    """
    values = np.array(table, dtype="<f4")
    keep = np.ones(values.shape[1], dtype=np.bool_)
    rows = "rows" if isinstance(width, str) else "tokens"
    node = _field(1, "table") + _field(1, "input_ids") + _field(2, rows) + _field(4, "Gather")
    graph = _field(1, node) + _field(2, "tiny") + _field(5, _tensor("table", FLOAT, values))
    if isinstance(width, str):
        node = _field(1, rows) + _field(1, "keep") + _field(2, "tokens") + _field(4, "Compress")
        node += _field(5, _field(1, "axis") + _field(3, 2) + _field(20, 2))
        graph += _field(1, node) + _field(5, _tensor("keep", BOOL, keep))
    for name in ("input_ids", "attention_mask", "token_type_ids"):
        graph += _field(11, _value(name, INT64, [1, "n"]))
    graph += _field(12, _value("tokens", FLOAT, [1, "n", width]))
    return _field(1, 9) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 18))


FolderMaker = Callable[..., Path]


@pytest.fixture
def make_folder(tmp_path: Path) -> FolderMaker:
    """Return a function that writes a folder with a word-per-token model of `table`."""

    def make(
        table: Sequence[Sequence[float]], *, width: int | str = 2, config: str | None = None
    ) -> Path:
        folder = tmp_path / "tiny"
        folder.mkdir(exist_ok=True)
        (folder / "model.onnx").write_bytes(gather_model(table, width=width))
        tokenizer = Tokenizer(WordLevel(VOCABULARY, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        tokenizer.enable_padding(length=16)
        (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")
        if config is not None:
            (folder / "config.json").write_text(config, encoding="utf-8")
        return folder

    return make
