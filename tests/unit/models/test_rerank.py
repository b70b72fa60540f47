"""What is set becomes a reranker, or an error that names the nearest right setting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trivium import config
from trivium.errors import ConfigError
from trivium.models.rerank import load, load_from
from trivium.models.rerank_http import HttpReranker
from trivium.models.rerank_onnx import OnnxReranker


def settings(**given: str) -> config.Settings:
    """Return settings with everything about reading again from the environment."""
    environ = {f"TRIVIUM_{key.upper()}": value for key, value in given.items()}
    return config.load(environ={"TRIVIUM_HOME": "/none", "TRIVIUM_CONFIG": "/none.toml", **environ})


def test_nothing_is_read_again_unless_it_is_set() -> None:
    assert load_from(settings()) is None
    assert load_from(settings(rerank__model="none")) is None
    assert load_from(settings(rerank__model="")) is None


def test_a_folder_becomes_a_model_on_this_machine(make_pair_folder: Callable[..., Path]) -> None:
    folder = make_pair_folder()
    made = load_from(settings(rerank__model=f"onnx:{folder}", rerank__depth="7"))

    assert made is not None
    assert isinstance(made.reranker, OnnxReranker)
    assert (made.depth, made.weight) == (7, 1.0)
    assert made.reranker.score("red", ["red", "blue"]) == [-1.0, -2.0]


def test_a_folder_that_is_not_there_is_no_error_before_it_is_needed(tmp_path: Path) -> None:
    made = load_from(settings(rerank__model=f"onnx:{tmp_path / 'absent'}"))

    assert made is not None
    assert made.reranker.name == "onnx:absent"


def test_a_folder_may_start_with_a_tilde() -> None:
    made = load("onnx:~/models/small")

    assert isinstance(made, OnnxReranker)
    assert made._folder == Path("~/models/small").expanduser().resolve()


def test_an_address_becomes_a_service() -> None:
    made = load_from(
        settings(
            rerank__model="HTTPS://host/v2/rerank",
            rerank__name="small",
            rerank__weight="0.5",
            rerank__timeout_s="3",
            rerank_key="very-secret",
        )
    )

    assert made is not None
    assert isinstance(made.reranker, HttpReranker)
    assert made.reranker.name == "small at host"
    assert made.weight == 0.5
    assert made.reranker._timeout_s == 3.0
    assert made.reranker._service._headers["Authorization"] == "Bearer very-secret"


def test_the_key_of_another_service_is_not_sent() -> None:
    environ = {"TRIVIUM_RERANK__MODEL": "http://host/rerank", "OPENAI_API_KEY": "very-secret"}
    made = load_from(config.load(environ={"TRIVIUM_CONFIG": "/none.toml", **environ}))

    assert made is not None
    assert isinstance(made.reranker, HttpReranker)
    assert "Authorization" not in made.reranker._service._headers


@pytest.mark.parametrize("off", [{"rerank__depth": "0"}, {"rerank__weight": "0"}])
def test_no_depth_or_no_weight_is_nothing_to_do(off: dict[str, str]) -> None:
    assert load_from(settings(rerank__model="http://host/rerank", **off)) is None


def test_the_same_settings_share_one_model_and_others_do_not() -> None:
    one, same = load("onnx:a", timeout_s=2.0), load("onnx:a", timeout_s=2.0)

    assert one is same
    assert load("onnx:b", timeout_s=2.0) is not one
    assert load("onnx:a", timeout_s=3.0) is not one


@pytest.mark.parametrize(
    ("model", "hint"),
    [
        ("onx:folder", "Did you mean 'onnx:folder'?"),
        ("onnx", "Did you mean 'onnx:<folder>'?"),
        ("onnx:", "Did you mean 'onnx:<folder>'?"),
        ("htp://host/rerank", "Did you mean 'http://host/rerank'?"),
        ("None", "Did you mean 'none'?"),
        ("bm25", "Give none, onnx:<folder>, http://<host>/<path>"),
    ],
)
def test_an_unknown_model_is_an_error_that_names_the_nearest(model: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(model)

    assert str(caught.value).startswith(f"Unknown rerank.model {model!r}.")
    assert hint in str(caught.value)


@pytest.mark.parametrize("model", ["http:host", "https://", "http://name:word@host/"])
def test_an_address_that_cannot_be_used_is_a_wrong_setting(model: str) -> None:
    with pytest.raises(ConfigError, match=r"rerank\.model: the address"):
        load(model)
