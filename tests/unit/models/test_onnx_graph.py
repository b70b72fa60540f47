"""Graphs as exporters write them: inputs, outputs, poolings and shapes of many kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.unit.models.conftest import INT32, TURNED, sentence_model

from trivium.errors import ModelError
from trivium.models import registry
from trivium.models.base import Embedder

MakeFolder = Callable[..., Path]
RED, GREEN, BLUE = [3.0, 4.0], [0.0, 2.0], [1.0, 0.0]
TABLE = [[1.0, 1.0], RED, GREEN, BLUE]
WHOLE = [(RED[axis] + GREEN[axis]) * TURNED["sentence_embedding"][axis] for axis in range(2)]


def unit(vector: Sequence[float]) -> list[float]:
    length = sum(each * each for each in vector) ** 0.5
    return [each / length for each in vector]


def load(place: Path) -> Embedder:
    model = registry.load(f"onnx:{place}", threads=1)
    assert model is not None
    return model


def pooled(name: str) -> dict[str, object]:
    return {"1_Pooling/config.json": {f"pooling_mode_{name}": True}}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("cls_token", RED),
        ("lasttoken", GREEN),
        ("mean_tokens", [(RED[0] + GREEN[0]) / 2, (RED[1] + GREEN[1]) / 2]),
        ("max_tokens", [max(RED[0], GREEN[0]), max(RED[1], GREEN[1])]),
    ],
)
def test_tokens_become_one_vector_as_the_folder_says(
    make_folder: MakeFolder, mode: str, expected: list[float]
) -> None:
    folder = make_folder(TABLE, model=sentence_model(TABLE), files=pooled(mode))
    assert load(folder).embed_query("red green").tolist() == pytest.approx(unit(expected))


@pytest.mark.parametrize("mode", ["cls_token", "weightedmean_tokens"])
def test_a_vector_that_the_graph_gives_itself_goes_first(
    make_folder: MakeFolder, mode: str
) -> None:
    model = sentence_model(TABLE, outputs=["token_embeddings", "sentence_embedding"])
    folder = make_folder(TABLE, model=model, files=pooled(mode))
    assert load(folder).embed_query("red green").tolist() == pytest.approx(unit(WHOLE))


def test_the_output_for_pairs_of_sentences_is_no_vector_of_a_text(make_folder: MakeFolder) -> None:
    model = sentence_model(TABLE, outputs=["pooler_output", "last_hidden_state"])
    folder = make_folder(TABLE, model=model, files=pooled("cls_token"))
    assert load(folder).embed_query("red green").tolist() == pytest.approx(unit(RED))
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "weightedmean"}')
    with pytest.raises(ModelError, match=r"a vector for each token.* or set `pooling`"):
        load(folder).embed_query("red green")


@pytest.mark.parametrize(
    "inputs",
    [
        ["input_ids"],
        ["input_ids", "attention_mask"],
        ["attention_mask", "token_type_ids", "input_ids"],
        ["input_ids", "attention_mask", "position_ids"],
    ],
)
@pytest.mark.parametrize("kind", [INT32, 7])
def test_a_graph_is_fed_what_it_asks_for(
    make_folder: MakeFolder, inputs: list[str], kind: int
) -> None:
    folder = make_folder(TABLE, model=sentence_model(TABLE, inputs=inputs, kind=kind))
    assert load(folder).embed_query("red").tolist() == pytest.approx(unit(RED))


@pytest.mark.parametrize("inputs", [["tokens"], ["input_ids", "pixel_values"]])
def test_a_graph_that_asks_for_something_else_is_refused(
    make_folder: MakeFolder, inputs: list[str]
) -> None:
    # Built with the known input too, so that only the unknown one is at fault.
    named = list(dict.fromkeys(["input_ids", *inputs]))
    folder = make_folder(TABLE, model=sentence_model(TABLE, inputs=named))
    with pytest.raises(ModelError, match=f"takes {', '.join(named)}; a sentence model"):
        load(folder).embed_query("red")


@pytest.mark.parametrize("mode", ["cls_token", "lasttoken", "mean_tokens", "max_tokens"])
def test_a_graph_of_one_length_is_padded_and_padding_does_not_count(
    make_folder: MakeFolder, mode: str
) -> None:
    free = make_folder(TABLE, model=sentence_model(TABLE), files=pooled(mode))
    expected = load(free).embed_query("blue green").tolist()
    fixed = make_folder(TABLE, model=sentence_model(TABLE, shape=[1, 5]), files=pooled(mode))
    assert load(fixed).embed_query("blue green").tolist() == pytest.approx(expected)


def test_a_graph_of_one_length_cuts_there(make_folder: MakeFolder) -> None:
    model = sentence_model(TABLE, shape=[1, 2])
    folder = make_folder(TABLE, model=model, files=pooled("lasttoken"))
    assert load(folder).embed_query("red blue green").tolist() == pytest.approx(unit(BLUE))


@pytest.mark.parametrize(
    ("shape", "inputs", "said"),
    [
        ([8, "n"], ["input_ids", "attention_mask"], "one at a time"),
        ([1, 8], ["input_ids"], "no attention_mask"),
    ],
)
def test_a_shape_that_would_change_vectors_is_refused(
    make_folder: MakeFolder, shape: list[int | str], inputs: list[str], said: str
) -> None:
    folder = make_folder(TABLE, model=sentence_model(TABLE, shape=shape, inputs=inputs))
    with pytest.raises(ModelError, match=said):
        load(folder).embed_query("red")


def test_prefixes_come_from_the_prompts_of_the_folder(make_folder: MakeFolder) -> None:
    prompts = {"prompts": {"query": "blue ", "document": "green "}}
    files = {**pooled("cls_token"), "config_sentence_transformers.json": prompts}
    model = load(make_folder(TABLE, model=sentence_model(TABLE), files=files))
    assert model.embed_query("red").tolist() == pytest.approx(unit(BLUE))
    assert model.embed_documents(["red"])[0].tolist() == pytest.approx(unit(GREEN))


def test_lower_case_is_made_before_the_tokenizer(make_folder: MakeFolder) -> None:
    files = {"sentence_bert_config.json": {"do_lower_case": True}}
    model = load(make_folder(TABLE, model=sentence_model(TABLE), files=files))
    assert model.embed_query("BLUE").tolist() == pytest.approx(BLUE)


def test_a_model_below_the_folder_onnx_is_found_and_one_of_several_can_be_named(
    make_folder: MakeFolder,
) -> None:
    other = [[1.0, 1.0], GREEN, RED, BLUE]
    folder = make_folder(TABLE, model=sentence_model(other), file="onnx/model_quantized.onnx")
    make_folder(TABLE, model=sentence_model(TABLE), file="onnx/model.onnx")
    plain, named = load(folder), load(folder / "onnx" / "model_quantized.onnx")
    assert plain.embed_query("red").tolist() == pytest.approx(unit(RED))
    assert named.embed_query("red").tolist() == pytest.approx(unit(GREEN))
    assert plain.name == named.name == f"onnx:{folder.name}"
    assert plain.model_id != named.model_id


def test_weights_in_a_second_file_are_found_and_are_part_of_the_id(
    make_folder: MakeFolder,
) -> None:
    import numpy as np

    model = sentence_model(TABLE, table_file="model.onnx_data")
    folder = make_folder(TABLE, model=model, file="onnx/model.onnx")
    ids = set()
    for table in (TABLE, [[1.0, 1.0], GREEN, RED, BLUE]):
        (folder / "onnx" / "model.onnx_data").write_bytes(np.array(table, "<f4").tobytes())
        found = load(folder)
        assert found.embed_query("red").tolist() == pytest.approx(unit(table[1]))
        ids.add(found.model_id)
    assert len(ids) == 2


def test_a_named_file_that_is_not_there_is_an_error(make_folder: MakeFolder) -> None:
    folder = make_folder(TABLE)
    with pytest.raises(ModelError, match=r"Cannot read .*absent\.onnx"):
        load(folder / "absent.onnx").embed_query("red")
