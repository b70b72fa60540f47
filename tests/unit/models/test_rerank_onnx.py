"""A folder with a cross-encoder becomes a reranker, or an error that says what to do about it."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.normalizers import Replace

from trivium.errors import MissingExtra, ModelError
from trivium.models.rerank import MOST_TEXTS, Reranker
from trivium.models.rerank_onnx import LONGEST, OnnxReranker

MakeFolder = Callable[..., Path]
WORDS = ("red", "green", "blue", "black", "white")
BIAS = -2.0


def logit(query: str, text: str) -> float:
    """What the tiny model answers: how often words of the query stand in the text, and BIAS."""
    asked, given = query.split(), text.split()
    return BIAS + sum(asked.count(word) * given.count(word) for word in WORDS)


def reranker(folder: Path, **changes: Any) -> OnnxReranker:
    return OnnxReranker(folder, **changes)


def test_a_score_depends_on_both_texts(make_pair_folder: MakeFolder) -> None:
    model: Reranker = reranker(make_pair_folder())
    texts = ["red green", "red red", "blue", "", "black red white"]

    assert model.score("red", texts) == [logit("red", text) for text in texts]
    assert model.score("white black", texts) == [logit("white black", text) for text in texts]
    assert logit("red", texts[1]) != logit("white black", texts[1])
    assert model.name == "onnx:pairs"


def test_of_two_labels_the_chance_of_the_last_counts(make_pair_folder: MakeFolder) -> None:
    model = reranker(make_pair_folder(weights=((-1.0, 0.5),)))

    for text in ("blue", "red", "red red red"):
        agreement = logit("red", text) - BIAS
        labels = (-agreement + BIAS, 0.5 * agreement + BIAS)
        softmax = math.exp(labels[1]) / (math.exp(labels[0]) + math.exp(labels[1]))
        assert model.score("red", [text]) == [pytest.approx(softmax)]


def test_two_labels_far_apart_do_not_overflow(make_pair_folder: MakeFolder) -> None:
    model = reranker(make_pair_folder(weights=((-1e30, 1e30),)))

    assert model.score("red", ["red", "blue"]) == [1.0, 0.5]


def test_three_labels_are_no_ranking(make_pair_folder: MakeFolder) -> None:
    model = reranker(make_pair_folder(weights=((1.0, 2.0, 3.0),)))

    with pytest.raises(ModelError, match="gave 3 numbers for a pair of texts, not 1 or 2"):
        model.score("red", ["red"])


@pytest.mark.parametrize("inputs", [("input_ids", "attention_mask")])
def test_a_model_may_do_without_types(
    make_pair_folder: MakeFolder, inputs: tuple[str, ...]
) -> None:
    model = reranker(make_pair_folder(inputs=inputs))

    # Every word is of both texts to this one: it counts the pairs of equal words.
    assert model.score("red", ["red", "blue"]) == [BIAS + 2 * 2, BIAS + 1 + 1]


def test_a_model_that_takes_something_else_is_refused_by_name(make_folder: MakeFolder) -> None:
    folder = make_folder([[1.0, 1.0]] * 4)
    whole = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(whole.replace(b"token_type_ids", b"image_patch_ix"))

    with pytest.raises(ModelError, match="takes attention_mask, image_patch_ix, input_ids;"):
        reranker(folder).score("red", ["red"])


def test_a_score_does_not_depend_on_its_neighbours_or_on_threads(
    make_pair_folder: MakeFolder,
) -> None:
    folder = make_pair_folder(weights=((0.1234567,),))
    chance = np.random.default_rng(7)
    texts = [" ".join(chance.choice(WORDS, size=chance.integers(90))) for _ in range(40)]
    alone = [reranker(folder, threads=1).score("red blue", [text])[0] for text in texts]

    assert len(set(alone)) > 10
    for threads in (1, 3):
        model = reranker(folder, threads=threads)
        assert model.score("red blue", texts) == alone
        assert model.score("red blue", texts[::-1]) == alone[::-1]
        assert model.score("red blue", texts[3:9]) == alone[3:9]


def test_the_longer_text_is_cut_and_the_question_stays_whole(make_pair_folder: MakeFolder) -> None:
    model = reranker(make_pair_folder())
    room = LONGEST - len(["[CLS]", "[SEP]", "[SEP]"]) - len(["red", "white"])
    long = "blue " * (room - 1)

    assert model.score("red white", [f"{long} white"]) == [BIAS + 1]
    assert model.score("red white", [f"{long} black white"]) == [BIAS]
    # The last word of the query is still read beside a text that is cut.
    assert model.score("red white", ["white " * (room + 50)]) == [BIAS + room]


def test_a_query_longer_than_the_model_reads_is_cut_too(make_pair_folder: MakeFolder) -> None:
    model = reranker(make_pair_folder())

    scores = model.score("red " * 5000, ["red " * 5000, "red"])

    assert BIAS + 250 * 250 < scores[0] < BIAS + 256 * 256
    assert scores[1] == BIAS + LONGEST - 4


def test_a_model_with_fewer_places_gets_shorter_pairs(make_pair_folder: MakeFolder) -> None:
    model = reranker(make_pair_folder(config='{"max_position_embeddings": 10, "layers": 2}'))

    assert model.score("red", ["red " * 50]) == [BIAS + 10 - 4]


@pytest.mark.parametrize(
    "config", ["{}", "[]", '{"max_position_embeddings": "many"}', '{"max_position_embeddings": -1}']
)
def test_a_config_that_says_nothing_of_it_leaves_the_usual_length(
    make_pair_folder: MakeFolder, config: str
) -> None:
    assert reranker(make_pair_folder(config=config)).score("red", ["red " * 900]) == [
        BIAS + LONGEST - 4
    ]


@pytest.mark.parametrize("config", ["{", "[" * 100_000, "\0"])
def test_a_config_that_cannot_be_read_is_named(make_pair_folder: MakeFolder, config: str) -> None:
    with pytest.raises(ModelError, match=r"Cannot read .*config\.json.*Correct it or remove it"):
        reranker(make_pair_folder(config=config)).score("red", ["red"])


def test_a_model_with_no_room_for_a_pair_is_an_error_of_the_model(
    make_pair_folder: MakeFolder,
) -> None:
    with pytest.raises(ModelError, match=r"config\.json: 7 places leave no room"):
        reranker(make_pair_folder(config='{"max_position_embeddings": 7}')).score("red", ["red"])


@pytest.mark.parametrize(
    "file",
    [
        "onnx/model.onnx",
        "model_quantized.onnx",
        "onnx/model_quantized.onnx",
        "onnx/model_int8.onnx",
        "onnx/model_uint8.onnx",
        "onnx/model_qint8_avx512_vnni.onnx",
        "onnx/model_quint8_avx2.onnx",
    ],
)
def test_the_model_may_lie_where_publishers_put_it(make_pair_folder: MakeFolder, file: str) -> None:
    assert reranker(make_pair_folder(file=file)).score("red", ["red"]) == [BIAS + 1]


def test_of_several_models_the_one_that_is_not_quantised_is_used(
    make_pair_folder: MakeFolder,
) -> None:
    make_pair_folder(file="model_int8.onnx", weights=((5.0,),))
    folder = make_pair_folder(file="onnx/model.onnx", weights=((1.0,),))

    assert reranker(folder).score("red", ["red"]) == [BIAS + 1]


def test_weights_in_a_second_file_are_found(make_pair_folder: MakeFolder) -> None:
    folder = make_pair_folder(file="onnx/model.onnx", labels_file="model.onnx_data")
    (folder / "onnx" / "model.onnx_data").write_bytes(np.array([3.0], dtype="<f4").tobytes())

    assert reranker(folder).score("red", ["red"]) == [BIAS + 3]


def test_no_texts_have_no_scores_and_load_nothing(tmp_path: Path) -> None:
    assert reranker(tmp_path / "absent").score("red", []) == []


def test_too_many_texts_are_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=f"{MOST_TEXTS + 1} texts are too many"):
        reranker(tmp_path / "absent").score("red", ["red"] * (MOST_TEXTS + 1))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"No model folder at .*absent.* Give a folder that"):
        reranker(tmp_path / "absent").score("red", ["red"])


def test_a_folder_without_a_model_is_named(make_pair_folder: MakeFolder) -> None:
    folder = make_pair_folder()
    (folder / "model.onnx").unlink()

    with pytest.raises(ModelError, match=r"No model\.onnx in .*pairs.* Give a folder that"):
        reranker(folder).score("red", ["red"])


def test_a_folder_without_a_tokenizer_is_named(make_pair_folder: MakeFolder) -> None:
    folder = make_pair_folder()
    (folder / "tokenizer.json").unlink()

    with pytest.raises(ModelError, match=r"Cannot read .*tokenizer\.json.* Give a folder that"):
        reranker(folder).score("red", ["red"])


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_truncated_file_is_named(make_pair_folder: MakeFolder, name: str) -> None:
    folder = make_pair_folder()
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2])

    with pytest.raises(ModelError, match=f"Cannot use .*{name}.* Give a folder that"):
        reranker(folder).score("red", ["red"])


@pytest.mark.parametrize("library", ["onnxruntime", "tokenizers"])
def test_a_missing_library_is_a_missing_extra(
    make_pair_folder: MakeFolder, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(MissingExtra, match=r"pip install 'trivium\[minilm\]'"):
        reranker(make_pair_folder()).score("red", ["red"])


@pytest.mark.parametrize("weight", [float("nan"), float("inf")])
def test_a_score_that_is_no_finite_number_is_an_error(
    make_pair_folder: MakeFolder, weight: float
) -> None:
    with pytest.raises(ModelError, match="no finite number"):
        reranker(make_pair_folder(weights=((weight,),))).score("red", ["red"])


def test_a_model_that_fails_while_running_is_an_error_of_the_model(
    make_pair_folder: MakeFolder,
) -> None:
    folder = make_pair_folder()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.add_tokens(["purple"])
    tokenizer.save(str(folder / "tokenizer.json"))

    with pytest.raises(ModelError, match="failed on a text"):
        reranker(folder).score("red", ["blue", "purple", "red"])


def test_a_tokenizer_that_keeps_nothing_is_an_error(make_pair_folder: MakeFolder) -> None:
    folder = make_pair_folder()
    plain = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer = Tokenizer(plain.model)
    tokenizer.normalizer = Replace("red", "")
    tokenizer.save(str(folder / "tokenizer.json"))

    with pytest.raises(ModelError, match="kept nothing of a text"):
        reranker(folder).score("red", ["red"])


def test_half_a_surrogate_pair_is_read_as_an_unknown_word(make_pair_folder: MakeFolder) -> None:
    model = reranker(make_pair_folder())

    assert model.score("red \ud800", ["odd \udfff red"]) == [BIAS + 1]


def clock(times: Iterator[float]) -> Callable[[], float]:
    return lambda: next(times)


def test_no_text_is_begun_after_the_time_is_over(make_pair_folder: MakeFolder) -> None:
    # The start, then one look before each text: the third comes too late.
    model = reranker(
        make_pair_folder(), timeout_s=10.0, threads=1, clock=clock(iter([0.0, 5.0, 10.0, 10.1]))
    )

    with pytest.raises(ModelError, match=r"within 10 s\. Lower rerank\.depth or raise"):
        model.score("red", ["red"] * 9)


def test_the_time_is_counted_anew_for_each_call(make_pair_folder: MakeFolder) -> None:
    model = reranker(
        make_pair_folder(), timeout_s=3.0, threads=2, clock=clock(itertools.count(0.0, 1.0))
    )

    for _ in range(5):
        assert model.score("red", ["red", "blue"]) == [BIAS + 1, BIAS]


def test_many_threads_load_the_files_once(make_pair_folder: MakeFolder) -> None:
    reads: list[str] = []

    class Counting(OnnxReranker):
        def _longest(self) -> int:
            reads.append("model")
            return super()._longest()

    model = Counting(make_pair_folder(), threads=1)
    with ThreadPoolExecutor(8) as pool:
        scores = list(pool.map(lambda _: model.score("red", ["red"]), range(8)))

    assert reads == ["model"]
    assert scores == [[BIAS + 1]] * 8


def test_a_failed_load_is_tried_again(make_pair_folder: MakeFolder) -> None:
    folder = make_pair_folder()
    model = reranker(folder)
    (folder / "model.onnx").rename(folder / "aside")
    with pytest.raises(ModelError):
        model.score("red", ["red"])
    (folder / "aside").rename(folder / "model.onnx")

    assert model.score("red", ["red"]) == [BIAS + 1]
