"""The shipped model: the real files, as they are in this repository."""

from __future__ import annotations

import json
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from trivium.errors import MissingExtra, ModelError
from trivium.models.base import Embedder
from trivium.models.minilm import PINS, SETTINGS, minilm
from trivium.models.onnx import OnnxEmbedder

PASSAGES = [
    "Vectors are kept as eight-bit rows in one file, each with its own scale.",
    "The cat slept on the warm windowsill all afternoon.",
    "def parse_date(text): return datetime.strptime(text, '%Y-%m-%d')",
    "Bake the bread for forty minutes until the crust is brown.",
]


@pytest.fixture(scope="module")
def model() -> OnnxEmbedder:
    return minilm(threads=2)


@pytest.fixture
def shipped() -> Path:
    spec = find_spec("trivium_minilm")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(next(iter(spec.submodule_search_locations)))


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("how are embeddings stored on disk", 0),
        ("a sleeping pet", 1),
        ("convert a string to a calendar day in python", 2),
        ("recipe for a loaf", 3),
    ],
)
def test_a_question_is_nearest_to_the_passage_that_answers_it(
    model: OnnxEmbedder, query: str, best: int
) -> None:
    scores = model.embed_documents(PASSAGES) @ model.embed_query(query)
    assert int(scores.argmax()) == best


def test_vectors_have_unit_length_and_384_numbers(model: OnnxEmbedder) -> None:
    vectors = model.embed_documents(PASSAGES)
    assert vectors.shape == (len(PASSAGES), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(PASSAGES)), abs=1e-6)


def test_a_vector_does_not_depend_on_its_neighbours_or_on_threads(model: OnnxEmbedder) -> None:
    together = model.embed_documents([*PASSAGES, PASSAGES[0] * 20])
    single = minilm(threads=1)
    alone = np.stack([single.embed_documents([text])[0] for text in PASSAGES])
    assert together[: len(PASSAGES)].tobytes() == alone.tobytes()


def test_a_query_and_a_document_of_the_same_words_have_one_vector(model: OnnxEmbedder) -> None:
    assert model.embed_query("red").tobytes() == model.embed_documents(["red"])[0].tobytes()


def test_empty_text_gives_the_zero_vector_in_its_place(model: OnnxEmbedder) -> None:
    vectors = model.embed_documents(["", "bread", " \n\t"])
    assert not vectors[0].any()
    assert vectors[1].any()
    assert not vectors[2].any()
    assert not model.embed_query("  ").any()


def test_no_texts_give_no_rows(model: OnnxEmbedder) -> None:
    assert model.embed_documents([]).shape == (0, 384)


def test_text_is_cut_at_256_tokens_of_which_two_are_marks(model: OnnxEmbedder) -> None:
    words = 256 - 2
    exact, longer, shorter = (
        model.embed_query("hello " * count) for count in (words, words + 1000, words - 1)
    )
    assert exact.tobytes() == longer.tobytes()
    assert exact.tobytes() != shorter.tobytes()


@pytest.mark.parametrize(
    "text",
    ["half a pair \ud800 here", "nul \0 byte", "日本語の検索", "😀", "x" * 100_000, "[SEP] [PAD]"],
)
def test_odd_text_still_gives_a_unit_vector(model: OnnxEmbedder, text: str) -> None:
    assert float(np.linalg.norm(model.embed_query(text))) == pytest.approx(1.0, abs=1e-6)


def test_it_is_an_embedder_that_is_not_instant(model: OnnxEmbedder) -> None:
    as_embedder: Embedder = model
    assert as_embedder.name == "minilm"
    assert not as_embedder.is_instant
    assert as_embedder.strength == 20
    assert as_embedder.model_id.startswith("minilm-")
    assert len(as_embedder.model_id) == len("minilm-") + 8


def test_a_changed_byte_is_found_and_the_cure_is_named(shipped: Path, tmp_path: Path) -> None:
    shutil.copy(shipped / "tokenizer.json", tmp_path)
    blob = bytearray((shipped / "model.onnx").read_bytes())
    blob[len(blob) // 2] ^= 1
    (tmp_path / "model.onnx").write_bytes(blob)
    with pytest.raises(ModelError, match=r"model.onnx is damaged.*pip install --force-reinstall"):
        minilm(folder=tmp_path).embed_query("red")


def test_a_truncated_file_is_found(shipped: Path, tmp_path: Path) -> None:
    shutil.copy(shipped / "model.onnx", tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((shipped / "tokenizer.json").read_bytes()[:-1])
    with pytest.raises(ModelError, match=r"tokenizer.json is damaged"):
        minilm(folder=tmp_path).embed_documents(["red", "green"])


@pytest.mark.parametrize("module", ["trivium_minilm", "onnxruntime", "tokenizers"])
def test_a_missing_part_is_a_missing_extra(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as caught:
        minilm()
    assert caught.value.extra == "minilm"


def test_the_shipped_config_says_what_the_source_pins(shipped: Path) -> None:
    config = json.loads((shipped / "config.json").read_text(encoding="utf-8"))
    assert config["model_sha256"] == PINS.model_sha256
    assert config["tokenizer_sha256"] == PINS.tokenizer_sha256
    assert config["max_length"] == SETTINGS.max_length
    assert config["pooling"] == SETTINGS.pooling
    assert config["dimension"] == SETTINGS.dimension
