"""Names in settings become embedders, or an error that names the nearest one."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from trivium.errors import ConfigError, MissingExtra, ModelError
from trivium.models import registry
from trivium.models.minilm import minilm

MakeFolder = Callable[..., Path]


def test_no_model_is_none() -> None:
    assert registry.load("none") is None


def test_static_is_the_table_in_the_package_and_needs_no_reading_to_be_named() -> None:
    model = registry.load("static")

    assert model is not None
    assert (model.name, model.is_instant, model.dimension) == ("static", True, 256)


def test_a_table_of_ones_own_is_named_by_its_file_and_comes_before_the_shipped_one(
    tmp_path: Path,
) -> None:
    own, shipped = registry.load(f"static:{tmp_path / 'tuned.bin'}"), registry.load("static")

    assert own is not None
    assert shipped is not None
    assert (own.name, own.strength > shipped.strength) == ("static:tuned.bin", True)


def test_minilm_is_the_shipped_model() -> None:
    model = registry.load("minilm", threads=1)
    assert model is not None
    assert model.model_id == minilm().model_id


def test_a_folder_is_a_model_named_after_it(make_folder: MakeFolder) -> None:
    folder = make_folder([[1.0, 1.0], [3.0, 4.0]], config='{"pooling": "cls"}')
    model = registry.load(f"onnx:{folder}")
    assert model is not None
    assert model.name == f"onnx:{folder.name}"
    assert model.model_id.startswith(f"onnx-{folder.name}-")
    assert model.embed_query("red").tolist() == pytest.approx([3 / 5, 4 / 5])


def test_another_model_in_the_folder_is_another_space(make_folder: MakeFolder) -> None:
    ids = set()
    for row in ([1.0, 0.0], [0.0, 1.0]):
        model = registry.load(f"onnx:{make_folder([row] * 4)}")
        assert model is not None
        ids.add(model.model_id)
    assert len(ids) == 2


def test_a_model_is_one_for_all_collections_of_a_process(make_folder: MakeFolder) -> None:
    folder = make_folder([[1.0, 0.0]] * 4)
    for name in ("static", "minilm", f"onnx:{folder}"):
        assert registry.load(name) is registry.load(name)


def test_a_folder_that_is_not_there_fails_when_it_is_used(tmp_path: Path) -> None:
    model = registry.load(f"onnx:{tmp_path / 'absent'}")
    assert model is not None
    with pytest.raises(ModelError, match="No model folder"):
        model.embed_query("red")


def test_a_served_model_keeps_colons_in_its_name() -> None:
    model = registry.load("openai:nomic:v1.5", base_url="http://127.0.0.1:1/v1")
    assert model is not None
    assert model.name == "openai:nomic:v1.5"


def test_a_served_model_needs_a_key_or_an_address() -> None:
    with pytest.raises(ConfigError, match=r"OPENAI_API_KEY.*embedding\.base_url"):
        registry.load("openai:text-embedding-3-small")
    assert registry.load("openai:text-embedding-3-small", api_key="k") is not None


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("minlm", "'minilm'"),
        ("MiniLM", "'minilm'"),
        ("statik", "'static'"),
        ("non", "'none'"),
        ("opanai:small", "'openai:small'"),
        ("onyx:./folder", "'onnx:./folder'"),
        ("openai", "'openai:<model>'"),
        ("onnx:", "'onnx:<folder>'"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(wrong: str, right: str) -> None:
    with pytest.raises(ConfigError) as caught:
        registry.load(wrong)
    assert f"Did you mean {right}?" in str(caught.value)


def test_a_server_by_its_name_is_answered_with_how_to_have_it() -> None:
    with pytest.raises(ConfigError, match=r"'openai:nomic-embed-text', with its.*base_url") as said:
        registry.load("ollama:nomic-embed-text")
    assert "http://localhost:11434/v1" in str(said.value)


def test_a_name_like_no_other_is_answered_with_the_list() -> None:
    with pytest.raises(ConfigError, match="The models are: none, static, minilm") as caught:
        registry.load("zzzzzz")
    assert "Did you mean" not in str(caught.value)


def test_a_missing_library_is_a_missing_extra(
    make_folder: MakeFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra):
        registry.load("minilm")
    with pytest.raises(MissingExtra):
        registry.load(f"onnx:{make_folder([[1.0, 1.0]])}")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Return a function that makes a package with one model look installed."""

    def install(name: str, value: str) -> None:
        entry = EntryPoint(name=name, value=value, group=registry.GROUP)

        def found(*, group: str) -> EntryPoints:
            return EntryPoints([entry]).select(group=group)

        monkeypatch.setattr(importlib.metadata, "entry_points", found)

    return install


def test_another_package_can_add_a_model(installed: Callable[[str, str], None]) -> None:
    installed("theirs", "trivium.models.minilm:minilm")
    model = registry.load("theirs")
    assert model is not None
    assert model.name == "minilm"
    with pytest.raises(ConfigError, match="Did you mean 'theirs'"):
        registry.load("theris")


def test_another_package_cannot_replace_a_model_of_ours(
    installed: Callable[[str, str], None],
) -> None:
    installed("none", "trivium.models.minilm:minilm")
    assert registry.load("none") is None


@pytest.mark.parametrize("value", ["no_such_package_here:make", "trivium.models.minilm:absent"])
def test_a_model_that_cannot_be_imported_is_named(
    installed: Callable[[str, str], None], value: str
) -> None:
    installed("theirs", value)
    with pytest.raises(ModelError, match="'theirs' cannot be loaded"):
        registry.load("theirs")
