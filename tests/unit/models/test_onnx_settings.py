"""The files that other tools leave in a model's folder become settings, or an error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.errors import ConfigError, ModelError
from trivium.models.onnx_settings import OnnxSettings, folder_of, model_file, read_settings

MakeFolder = Callable[..., Path]
TABLE = [[1.0, 1.0], [3.0, 4.0], [0.0, 2.0], [1.0, 0.0]]

MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {
        "idx": 2,
        "name": "2",
        "path": "2_Normalize",
        "type": "sentence_transformers.models.Normalize",
    },
]
DENSE = {"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"}


def pooling(*modes: str, **more: object) -> dict[str, object]:
    known = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "lasttoken")
    every = (*known, "weightedmean_tokens")
    named: dict[str, object] = {f"pooling_mode_{each}": each in modes for each in every}
    return {"word_embedding_dimension": 384, **named, **more}


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes JSON files into a folder."""

    def write(files: dict[str, object]) -> Path:
        for name, content in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
        return tmp_path

    return write


Put = Callable[[dict[str, object]], Path]


def test_settings_are_read_from_the_folder(make_folder: MakeFolder) -> None:
    folder = make_folder(TABLE, config='{"pooling": "cls", "max_length": 9, "layers": 6}')
    assert read_settings(folder) == OnnxSettings(pooling="cls", max_length=9)


def test_a_folder_without_settings_has_the_defaults(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == OnnxSettings(max_length=256, pooling="mean")


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ("{", "Cannot read"),
        ("[]", "one JSON object"),
        ('{"max_length": 0}', "max_length"),
        ('{"max_length": true}', "max_length"),
        ('{"dimension": "384"}', "dimension"),
        ('{"pooling": "median"}', "pooling"),
        ('{"lower_case": 1}', "lower_case"),
        ('{"model_sha256": "00"}', "go together"),
        ('{"query_prefix": 3}', "query_prefix"),
    ],
)
def test_wrong_settings_are_refused_by_name(
    make_folder: MakeFolder, config: str, complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        read_settings(make_folder(TABLE, config=config))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("cls_token", "cls"),
        ("mean_tokens", "mean"),
        ("max_tokens", "max"),
        ("lasttoken", "last"),
        # Of unit length, the sum is the mean, whatever it was divided by.
        ("mean_sqrt_len_tokens", "mean"),
        ("weightedmean_tokens", "none"),
    ],
)
def test_pooling_is_read_as_sentence_transformers_writes_it(
    put: Put, mode: str, expected: str
) -> None:
    folder = put({"modules.json": MODULES, "1_Pooling/config.json": pooling(mode)})
    assert read_settings(folder).pooling == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [("cls", "cls"), (["mean"], "mean"), ("lasttoken", "last"), (["cls", "mean"], "none")],
)
def test_pooling_is_read_in_its_newer_form(put: Put, written: object, expected: str) -> None:
    folder = put({"1_Pooling/config.json": {"pooling_mode": written}})
    assert read_settings(folder).pooling == expected


def test_several_poolings_at_once_must_be_in_the_graph(put: Put) -> None:
    folder = put({"1_Pooling/config.json": pooling("cls_token", "mean_tokens")})
    assert read_settings(folder).pooling == "none"


def test_layers_after_the_pooling_must_be_in_the_graph(put: Put) -> None:
    steps = [*MODULES[:2], DENSE]
    folder = put({"modules.json": steps, "1_Pooling/config.json": pooling("mean_tokens")})
    assert read_settings(folder).pooling == "none"


def test_our_own_pooling_goes_before_that_of_other_tools(put: Put) -> None:
    folder = put(
        {"config.json": {"pooling": "last"}, "1_Pooling/config.json": pooling("cls_token")}
    )
    assert read_settings(folder).pooling == "last"


def test_a_prefix_that_is_not_to_count_must_be_in_the_graph(put: Put) -> None:
    files: dict[str, object] = {
        "1_Pooling/config.json": pooling("mean_tokens", include_prompt=False)
    }
    assert read_settings(put(files)).pooling == "mean"
    files["config_sentence_transformers.json"] = {"prompts": {"query": "Represent: "}}
    assert read_settings(put(files)).pooling == "none"


@pytest.mark.parametrize(
    ("content", "document", "query"),
    [
        ({}, "", ""),
        ({"prompts": {}}, "", ""),
        ({"prompts": None}, "", ""),
        ({"prompts": {"query": "query: ", "passage": "passage: "}}, "passage: ", "query: "),
        ({"prompts": {"query": "q: ", "document": "d: ", "passage": "p: "}}, "d: ", "q: "),
        ({"prompts": {"s": "s: "}, "default_prompt_name": "s"}, "s: ", "s: "),
        ({"prompts": {"s": "s: ", "query": ""}, "default_prompt_name": "s"}, "s: ", ""),
        ({"prompts": {"query": "q: "}, "default_prompt_name": None}, "", "q: "),
    ],
)
def test_prefixes_are_the_prompts_of_sentence_transformers(
    put: Put, content: object, document: str, query: str
) -> None:
    settings = read_settings(put({"config_sentence_transformers.json": content}))
    assert (settings.document_prefix, settings.query_prefix) == (document, query)


ROBERTA = {"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"sentence_bert_config.json": {"max_seq_length": 128}}, 128),
        (
            {
                "sentence_bert_config.json": {"max_seq_length": None},
                "tokenizer_config.json": {"model_max_length": 384},
            },
            384,
        ),
        ({"tokenizer_config.json": {"model_max_length": int(1e30)}}, 2048),
        ({"tokenizer_config.json": {"model_max_length": 1e30}}, 256),
        ({"config.json": {"model_type": "bert", "max_position_embeddings": 512}}, 512),
        ({"config.json": ROBERTA}, 512),
        ({"config.json": ROBERTA, "sentence_bert_config.json": {"max_seq_length": 514}}, 512),
        ({"config.json": {"model_type": "qwen3", "max_position_embeddings": 32768}}, 2048),
        ({"config.json": {"max_length": 4096}}, 4096),
        # Of a transformer's own settings this one is about writing text.
        ({"config.json": {"model_type": "bert", "max_length": 20}}, 256),
    ],
)
def test_the_length_is_the_least_that_the_files_allow(
    put: Put, files: dict[str, object], expected: int
) -> None:
    assert read_settings(put(files)).max_length == expected


def test_a_model_that_wants_lower_case_gets_it(put: Put) -> None:
    assert read_settings(put({"sentence_bert_config.json": {"do_lower_case": True}})).lower_case


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("modules.json", {"a": 1}),
        ("modules.json", [1]),
        ("modules.json", [{"type": "x"}]),
        ("modules.json", [{"type": "x.Pooling", "path": "../elsewhere"}]),
        ("modules.json", [{"type": "x.Pooling", "path": "/etc"}]),
        ("1_Pooling/config.json", [1]),
        ("config_sentence_transformers.json", {"prompts": ["a"]}),
        ("config_sentence_transformers.json", {"prompts": {"query": 3}}),
        ("sentence_bert_config.json", 3),
        ("tokenizer_config.json", "x" * 1_000_001),
    ],
)
def test_a_file_that_makes_no_sense_is_named(put: Put, name: str, content: object) -> None:
    with pytest.raises(ConfigError, match=name):
        read_settings(put({name: content}))


def test_deeply_nested_settings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[" * 200_000, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"modules\.json"):
        read_settings(tmp_path)


@pytest.mark.parametrize(
    "names",
    [
        ["model.onnx", "onnx/model_quantized.onnx"],
        ["onnx/model.onnx", "onnx/model_int8.onnx"],
        ["onnx/model_quantized.onnx", "model_int8.onnx"],
        ["onnx/model_qint8_avx512_vnni.onnx", "onnx/model_O3.onnx"],
        ["encoder.onnx"],
    ],
)
def test_the_first_model_in_order_is_used(tmp_path: Path, names: list[str]) -> None:
    (tmp_path / "onnx").mkdir()
    for name in names:
        (tmp_path / name).touch()
    assert model_file(tmp_path, remedy="") == tmp_path / names[0]


def test_several_models_of_unknown_names_have_to_be_named(tmp_path: Path) -> None:
    for name in ("one.onnx", "two.onnx"):
        (tmp_path / name).touch()
    with pytest.raises(ModelError, match=r"several models: one\.onnx, two\.onnx"):
        model_file(tmp_path, remedy="")


def test_the_folder_of_a_file_is_the_one_with_the_tokenizer(make_folder: MakeFolder) -> None:
    folder = make_folder(TABLE, file="onnx/model_int8.onnx")
    assert folder_of(folder) == folder
    assert folder_of(folder / "onnx" / "model_int8.onnx") == folder
    assert folder_of(folder / "model.onnx") == folder
