"""A folder becomes an embedder, or an error that says what to do about it."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from tokenizers import Tokenizer
from tokenizers.normalizers import Replace
from tokenizers.processors import TemplateProcessing

from trivium.errors import MissingExtra, ModelError
from trivium.models.once import Once
from trivium.models.onnx import OnnxEmbedder, Pins, usable_cores
from trivium.models.onnx_settings import OnnxSettings, read_settings

MakeFolder = Callable[..., Path]
RED, GREEN, BLUE = [3.0, 4.0], [0.0, 2.0], [1.0, 0.0]
TABLE = [[1.0, 1.0], RED, GREEN, BLUE]


def embedder(folder: Path, **changes: Any) -> OnnxEmbedder:
    return OnnxEmbedder(folder, name="tiny", settings=OnnxSettings(**changes))


def unit(vector: list[float]) -> list[float]:
    length = sum(each * each for each in vector) ** 0.5
    return [each / length for each in vector]


def test_a_text_is_the_unit_mean_of_its_tokens(make_folder: MakeFolder) -> None:
    vector = embedder(make_folder(TABLE)).embed_query("red green")
    mean = [(RED[0] + GREEN[0]) / 2, (RED[1] + GREEN[1]) / 2]
    assert vector.tolist() == pytest.approx(unit(mean))


def test_a_model_may_speak_through_its_first_token(make_folder: MakeFolder) -> None:
    vector = embedder(make_folder(TABLE), pooling="cls").embed_query("red green")
    assert vector.tolist() == pytest.approx(unit(RED))


def test_text_past_the_longest_length_is_left_out(make_folder: MakeFolder) -> None:
    short = embedder(make_folder(TABLE), max_length=2)
    assert short.embed_query("blue blue green").tolist() == pytest.approx(unit(BLUE))


def test_prefixes_are_put_before_documents_and_queries(make_folder: MakeFolder) -> None:
    model = embedder(
        make_folder(TABLE), pooling="cls", document_prefix="green ", query_prefix="blue "
    )
    assert model.embed_documents(["red"])[0].tolist() == pytest.approx(unit(GREEN))
    assert model.embed_query("red").tolist() == pytest.approx(unit(BLUE))


def test_the_dimension_is_the_models_where_settings_do_not_say(make_folder: MakeFolder) -> None:
    assert embedder(make_folder(TABLE)).dimension == len(RED)


def test_a_model_that_hides_its_dimension_is_asked_for_a_vector(make_folder: MakeFolder) -> None:
    model = embedder(make_folder(TABLE, width="d"))
    assert model.dimension == len(BLUE)
    assert model.embed_query("blue").tolist() == pytest.approx(BLUE)


def test_a_wrong_dimension_is_an_error(make_folder: MakeFolder) -> None:
    with pytest.raises(ModelError, match="gave 2 numbers for a text, not 5"):
        embedder(make_folder(TABLE), dimension=5).embed_query("red")


@pytest.mark.parametrize("row", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_a_vector_without_a_direction_is_an_error(
    make_folder: MakeFolder, row: list[float]
) -> None:
    with pytest.raises(ModelError, match="without a direction"):
        embedder(make_folder([row] * 4)).embed_query("red")


def test_a_model_that_fails_while_running_is_an_error_of_the_model(
    make_folder: MakeFolder,
) -> None:
    with pytest.raises(ModelError, match="failed on a text"):
        embedder(make_folder(TABLE[:2])).embed_documents(["red", "blue", "green"])


def test_text_of_which_the_tokenizer_keeps_nothing_is_like_empty_text(
    make_folder: MakeFolder,
) -> None:
    folder = make_folder(TABLE)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.normalizer = Replace("red", "")
    tokenizer.save(str(folder / "tokenizer.json"))
    assert embedder(folder).embed_documents(["red", "blue"]).tolist() == [[0.0, 0.0], BLUE]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"No model folder at .*absent.* Give a folder that"):
        embedder(tmp_path / "absent").embed_query("red")


@pytest.mark.parametrize(
    ("name", "said"),
    [("model.onnx", "No model.onnx in "), ("tokenizer.json", "Cannot read .*tokenizer.json")],
)
def test_a_missing_file_is_named(make_folder: MakeFolder, name: str, said: str) -> None:
    folder = make_folder(TABLE)
    (folder / name).unlink()
    with pytest.raises(ModelError, match=f"{said}.* Give a folder that"):
        embedder(folder).embed_query("red")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_truncated_file_is_named(make_folder: MakeFolder, name: str) -> None:
    folder = make_folder(TABLE)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match=f"Cannot use .*{name}.* Give a folder that"):
        embedder(folder).embed_query("red")


@pytest.mark.parametrize("library", ["onnxruntime", "tokenizers"])
def test_a_missing_library_is_a_missing_extra(
    make_folder: MakeFolder, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match=r"pip install 'trivium\[minilm\]'"):
        embedder(make_folder(TABLE)).embed_query("red")


def test_a_pinned_file_that_differs_is_not_used(make_folder: MakeFolder) -> None:
    pins = Pins(model_sha256="0" * 64, tokenizer_sha256="0" * 64, remedy="Fetch it again.")
    model = OnnxEmbedder(make_folder(TABLE), name="tiny", settings=OnnxSettings(), pins=pins)
    with pytest.raises(ModelError, match=r"model.onnx is damaged or .* Fetch it again\."):
        model.embed_query("red")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_folder_may_say_the_hashes_of_its_own_files(make_folder: MakeFolder, name: str) -> None:
    folder = make_folder(TABLE)
    hashes = {
        f"{file.partition('.')[0]}_sha256": hashlib.sha256((folder / file).read_bytes()).hexdigest()
        for file in ("model.onnx", "tokenizer.json")
    }
    (folder / "config.json").write_text(json.dumps(hashes), encoding="utf-8")
    settings = read_settings(folder)
    assert OnnxEmbedder(folder, name="tiny", settings=settings).embed_query("red").any()
    with (folder / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(ModelError, match=f"{name} is damaged or .* Make or fetch the folder"):
        OnnxEmbedder(folder, name="tiny", settings=settings).embed_query("red")


def test_only_unknown_words_have_the_vector_of_the_unknown_token(make_folder: MakeFolder) -> None:
    vector = embedder(make_folder(TABLE)).embed_query("\u4e2d\u6587 zzz")
    assert vector.tolist() == pytest.approx(unit(TABLE[0]))


def test_a_text_of_ten_megabytes_is_cut_before_the_tokenizer_sees_it(
    make_folder: MakeFolder,
) -> None:
    seen: list[int] = []

    class Watching:
        def __init__(self, tokenizer: Any) -> None:
            self._tokenizer = tokenizer

        def encode(self, text: str) -> Any:
            seen.append(len(text))
            return self._tokenizer.encode(text)

    model = embedder(make_folder(TABLE), max_length=4)
    loaded = model._load()
    model._load = Once(lambda: replace(loaded, tokenizer=Watching(loaded.tokenizer)))
    vector = model.embed_documents(["blue " * 2_000_000])[0]
    assert vector.tolist() == pytest.approx(BLUE)
    assert seen == [4 * 64]


def test_a_length_that_leaves_no_room_for_the_text_is_an_error(make_folder: MakeFolder) -> None:
    folder = make_folder(TABLE)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.post_processor = TemplateProcessing(
        single="[UNK] $A [UNK]", special_tokens=[("[UNK]", 0)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    with pytest.raises(ModelError, match="reads 2 tokens, and its tokenizer adds 2"):
        embedder(folder, max_length=2).embed_query("red")
    assert embedder(folder, max_length=3).embed_query("red").any()


def test_a_pinned_id_is_known_without_any_file(tmp_path: Path) -> None:
    pins = Pins(model_sha256="a" * 64, tokenizer_sha256="b" * 64, remedy="")
    settings = OnnxSettings(dimension=2)
    model = OnnxEmbedder(tmp_path / "absent", name="tiny", settings=settings, pins=pins)
    assert model.model_id.startswith("tiny-")
    assert model.dimension == 2


def test_the_id_changes_with_everything_that_changes_vectors(make_folder: MakeFolder) -> None:
    folder = make_folder(TABLE)
    plain = OnnxSettings()
    every = [
        plain,
        replace(plain, max_length=128),
        replace(plain, pooling="cls"),
        replace(plain, document_prefix="passage: "),
        replace(plain, query_prefix="query: "),
        replace(plain, lower_case=True),
    ]
    ids = [OnnxEmbedder(folder, name="tiny", settings=each).model_id for each in every]
    make_folder([*TABLE[:3], [5.0, 5.0]])
    ids.append(OnnxEmbedder(folder, name="tiny", settings=plain).model_id)
    assert len(set(ids)) == len(ids)


def test_many_threads_load_the_files_once(make_folder: MakeFolder) -> None:
    reads: list[str] = []

    class Counting(OnnxEmbedder):
        def _file(self, name: str) -> bytes:
            reads.append(name)
            return super()._file(name)

    model = Counting(make_folder(TABLE), name="tiny", settings=OnnxSettings())
    together = Barrier(8)

    def ask(_: int) -> bytes:
        together.wait()
        return model.embed_query("red").tobytes()

    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(ask, range(8)))
    assert sorted(reads) == ["model.onnx", "tokenizer.json"]
    assert all(vector == vectors[0] for vector in vectors)


def test_a_failed_load_is_tried_again(make_folder: MakeFolder) -> None:
    folder = make_folder(TABLE)
    model = embedder(folder)
    (folder / "model.onnx").rename(folder / "aside")
    with pytest.raises(ModelError):
        model.embed_query("red")
    (folder / "aside").rename(folder / "model.onnx")
    assert model.embed_query("blue").tolist() == pytest.approx(BLUE)


def test_usable_cores_are_those_this_process_may_run_on() -> None:
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)
