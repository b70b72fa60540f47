"""Model folders so small that a test can work out vectors and scores by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

VOCABULARY = {"[UNK]": 0, "red": 1, "green": 2, "blue": 3}
FLOAT, INT32, INT64, BOOL = 1, 6, 7, 9


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


# How the outputs that are not token vectors turn the sum of those, so that they can be told apart.
TURNED = {"sentence_embedding": [1.0, -1.0], "pooler_output": [-1.0, -1.0]}


def sentence_model(
    table: Sequence[Sequence[float]],
    *,
    inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids"),
    kind: int = INT64,
    shape: Sequence[int | str] = (1, "n"),
    outputs: Sequence[str] = ("last_hidden_state",),
    table_file: str = "",
) -> bytes:
    """Return an ONNX model as exporters write them: a row of `table` for each token.

    Outputs named in TURNED are the sum of the rows times those two numbers; any other is
    the rows themselves.
    """
    values = np.array(table, dtype="<f4")
    stored = _tensor("table", FLOAT, values)
    if table_file:
        stored = _tensor_beside("table", FLOAT, values, table_file)
    graph = _node("Gather", ["table", "input_ids"], "rows") + _field(2, "sentences")
    graph += _field(5, stored) + _field(5, _tensor("middle", INT64, np.array([1], dtype="<i8")))
    graph += _node("ReduceSum", ["rows", "middle"], "sum", _number("keepdims", 0))
    for name in outputs:
        if name in TURNED:
            turn = np.array(TURNED[name], dtype="<f4")
            graph += _field(5, _tensor(f"turn_{name}", FLOAT, turn))
            graph += _node("Mul", ["sum", f"turn_{name}"], name)
        else:
            graph += _node("Identity", ["rows"], name)
    for name in inputs:
        graph += _field(11, _value(name, kind, shape))
    for name in outputs:
        wide = [1, 2] if name in TURNED else [1, shape[1], 2]
        graph += _field(12, _value(name, FLOAT, wide))
    return _field(1, 9) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 18))


FolderMaker = Callable[..., Path]


@pytest.fixture
def make_folder(tmp_path: Path) -> FolderMaker:
    """Return a function that writes a folder with a word-per-token model of `table`.

    `model` replaces that model, `file` its name, and `files` are further JSON files.
    """

    def make(
        table: Sequence[Sequence[float]],
        *,
        width: int | str = 2,
        config: str | None = None,
        model: bytes | None = None,
        file: str = "model.onnx",
        files: Mapping[str, object] | None = None,
    ) -> Path:
        folder = tmp_path / "tiny"
        folder.mkdir(exist_ok=True)
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_bytes(gather_model(table, width=width) if model is None else model)
        for name, content in (files or {}).items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(json.dumps(content), encoding="utf-8")
        tokenizer = Tokenizer(WordLevel(VOCABULARY, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        tokenizer.enable_padding(length=16)
        (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")
        if config is not None:
            (folder / "config.json").write_text(config, encoding="utf-8")
        return folder

    return make


# The vector of each word is its own axis, so two words agree only if they are the same.
WORDS = ("red", "green", "blue", "black", "white")
PAIR_VOCABULARY = {word: at for at, word in enumerate(("[UNK]", "[CLS]", "[SEP]", *WORDS))}
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
BIAS = -2.0


def _node(operator: str, inputs: Sequence[str], output: str, *attributes: bytes) -> bytes:
    node = b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(4, operator)
    return _field(1, node + b"".join(_field(5, one) for one in attributes))


def _number(name: str, value: int) -> bytes:
    return _field(1, name) + _field(3, value) + _field(20, 2)


def _tensor_beside(name: str, kind: int, values: NDArray[Any], file: str) -> bytes:
    """A tensor whose values stand in another file, as models over 2 GB must have it."""
    sizes = b"".join(_field(1, size) for size in values.shape)
    place = _field(13, _field(1, "location") + _field(2, file))
    return sizes + _field(2, kind) + _field(8, name) + place + _field(14, 1)


def cross_encoder(
    *,
    inputs: Sequence[str] = INPUTS,
    weights: Sequence[Sequence[float]] = ((1.0,),),
    labels_file: str = "",
) -> bytes:
    """Return an ONNX model that counts how often a word of the first text is in the second.

    With type 0 for the tokens of the first text and 1 for those of the second, its agreement
    is the sum over words of (count in the first x count in the second); the logits are
    agreement x `weights` + BIAS, one column per label. Without `token_type_ids` it agrees
    with a text's own words, so only its shape can be tested.
    """
    table = np.zeros((len(PAIR_VOCABULARY), len(WORDS)), dtype="<f4")
    table[len(PAIR_VOCABULARY) - len(WORDS) :] = np.eye(len(WORDS))
    labels = np.array(weights, dtype="<f4")
    constants = {
        "table": (FLOAT, table),
        "labels": (FLOAT, labels),
        "bias": (FLOAT, np.full(labels.shape[1], BIAS, dtype="<f4")),
        "one": (FLOAT, np.array([1.0], dtype="<f4")),
        "middle": (INT64, np.array([1], dtype="<i8")),
        "last": (INT64, np.array([2], dtype="<i8")),
        "end": (INT64, np.array([1], dtype="<i8")),
    }
    types = "token_type_ids" if "token_type_ids" in inputs else "attention_mask"
    nodes = (
        _node("Gather", ["table", "input_ids"], "rows"),
        _node("Cast", [types], "types", _number("to", FLOAT)),
        _node("Cast", ["attention_mask"], "mask", _number("to", FLOAT)),
        _node("Sub", ["one", "types"], "not_types"),
        _node("Mul", ["not_types" if types == "token_type_ids" else "types", "mask"], "of_first"),
        _node("Mul", ["types", "mask"], "of_second"),
        _node("Unsqueeze", ["of_first", "last"], "wide_first"),
        _node("Unsqueeze", ["of_second", "last"], "wide_second"),
        _node("Mul", ["rows", "wide_first"], "first_rows"),
        _node("Mul", ["rows", "wide_second"], "second_rows"),
        _node("ReduceSum", ["first_rows", "middle"], "first", _number("keepdims", 0)),
        _node("ReduceSum", ["second_rows", "middle"], "second", _number("keepdims", 0)),
        _node("Mul", ["first", "second"], "shared"),
        _node("ReduceSum", ["shared", "end"], "agreement", _number("keepdims", 1)),
        _node("MatMul", ["agreement", "labels"], "weighted"),
        _node("Add", ["weighted", "bias"], "logits"),
    )
    graph = b"".join(nodes) + _field(2, "pairs")
    for name, (kind, values) in constants.items():
        is_beside = labels_file and name == "labels"
        made = _tensor_beside(name, kind, values, labels_file) if is_beside else b""
        graph += _field(5, made or _tensor(name, kind, values))
    for name in inputs:
        graph += _field(11, _value(name, INT64, ["n", "length"]))
    graph += _field(12, _value("logits", FLOAT, ["n", labels.shape[1]]))
    return _field(1, 9) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 18))


def pair_tokenizer() -> Tokenizer:
    """Return a tokenizer of whole words that puts [CLS] a [SEP] b [SEP] around a pair."""
    tokenizer = Tokenizer(WordLevel(PAIR_VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, PAIR_VOCABULARY[name]) for name in ("[CLS]", "[SEP]")],
    )
    # As published files have it: to be undone, or every pair would be 64 tokens long.
    tokenizer.enable_padding(length=64)
    return tokenizer


@pytest.fixture
def make_pair_folder(tmp_path: Path) -> FolderMaker:
    """Return a function that writes a folder with a cross-encoder of whole words."""

    def make(*, file: str = "model.onnx", config: str | None = None, **changes: Any) -> Path:
        folder = tmp_path / "pairs"
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(cross_encoder(**changes))
        (folder / "tokenizer.json").write_text(pair_tokenizer().to_str(), encoding="utf-8")
        if config is not None:
            (folder / "config.json").write_text(config, encoding="utf-8")
        return folder

    return make


@pytest.fixture
def waits() -> list[float]:
    """Gather the pauses a model asks for, none of which is made."""
    return []
