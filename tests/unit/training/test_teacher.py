"""The exported models' weights come back as floats under one set of names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from packages.granite.export import BLOCK, DIMENSION, LAYERS, Blocks, Encoder, Source
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from training import teacher, vectors

WORDS = {"[UNK]": 0, "open": 1, "the": 2, "file": 3, "door": 4, "close": 5}
SIZES = {
    "qkv": (3 * DIMENSION, DIMENSION),
    "ao": (DIMENSION, DIMENSION),
    "f1": (4 * DIMENSION, DIMENSION),
    "f2": (DIMENSION, 4 * DIMENSION),
}


def chance_source() -> Source:
    drawn = np.random.default_rng(5)

    def blocks(rows: int, columns: int) -> Blocks:
        steps = drawn.integers(-127, 128, (rows, columns), dtype=np.int8)
        scales = drawn.uniform(2e-4, 1e-3, (rows, columns // BLOCK)).astype("<f4")
        return Blocks(steps, scales)

    def vector(*shape: int, middle: float = 0.0) -> NDArray[np.float32]:
        return drawn.normal(middle, 0.1, shape).astype("<f4")

    matrices = {"word_emb": blocks(len(WORDS), DIMENSION)}
    vectors_ = {
        "pos_emb": vector(514, DIMENSION),
        "type_emb": vector(2, DIMENSION),
        "emb_ln.w": vector(DIMENSION, middle=1.0),
        "emb_ln.b": vector(DIMENSION),
    }
    for layer in range(LAYERS):
        for name, (rows, columns) in SIZES.items():
            matrices[f"l{layer}.{name}.w"] = blocks(rows, columns)
            vectors_[f"l{layer}.{name}.b"] = vector(rows)
        for name in ("aln", "fln"):
            vectors_[f"l{layer}.{name}.w"] = vector(DIMENSION, middle=1.0)
            vectors_[f"l{layer}.{name}.b"] = vector(DIMENSION)
    return Source(matrices, vectors_, b"")


@pytest.fixture(scope="module")
def source() -> Source:
    return chance_source()


@pytest.fixture(scope="module")
def folder(source: Source, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("granite")
    (made / "model.onnx").write_bytes(Encoder(source, is_quantised=True).model())
    tokenizer = Tokenizer(WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(made / "tokenizer.json"))
    settings = '{"pooling": "cls", "dimension": 384, "max_length": 64}'
    (made / "config.json").write_text(settings, encoding="utf-8")
    return made


def test_steps_times_scales_are_the_weights_inputs_first(source: Source, folder: Path) -> None:
    found = teacher.weights(folder)
    for layer in (0, LAYERS - 1):
        ours, theirs = f"encoder.layer.{layer}", f"l{layer}"
        for name, stored in (
            ("attention.self", "qkv"),
            ("attention.output.dense", "ao"),
            ("intermediate.dense", "f1"),
            ("output.dense", "f2"),
        ):
            wanted = source.matrices[f"{theirs}.{stored}.w"].values().T
            assert np.array_equal(found[f"{ours}.{name}.weight"], wanted)
            assert np.array_equal(
                found[f"{ours}.{name}.bias"], source.vectors[f"{theirs}.{stored}.b"]
            )
    assert np.array_equal(found["tokens"], source.matrices["word_emb"].values())
    assert found["cls"].tolist() == [1.0]


def test_the_encoder_in_torch_agrees_with_the_exported_model(folder: Path) -> None:
    pytest.importorskip("torch", reason="the encoder of a GPU needs torch, no requirement here")
    texts = ["open the file", "door", "close the door the open file", "open"]
    ours = teacher.encode(texts, folder=folder, device="cpu").astype(np.float32)
    theirs = vectors.open_teacher(folder, max_length=64).embed_documents(texts)
    assert (ours * theirs).sum(axis=1) == pytest.approx(np.ones(4), abs=0.01)
    assert float(ours[0] @ ours[1]) < 0.99
