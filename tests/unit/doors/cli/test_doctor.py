"""What doctor says of the dictionary and of the model that reads again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from trivium.analysis import dictionaries
from trivium.collection import open_collection
from trivium.doors.cli.doctor import Check, examine
from trivium.errors import MissingExtra
from trivium.testing.scripted import Reply, Scripted, running


class Reranks(Scripted):
    """Gives every text the same score."""

    def answer(self, request: dict[str, Any]) -> Reply:
        scores = [{"index": at, "relevance_score": 0.5} for at in range(len(request["documents"]))]
        return Reply(body=json.dumps({"results": scores}))


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIVIUM_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "none")
    monkeypatch.setenv("TRIVIUM_RERANK__TIMEOUT_S", "1")


def check(folder: Path, name: str) -> Check:
    found = examine(folder)
    (one,) = [one for one in found.checks if one.name == name]
    assert found.is_well is one.is_well
    return one


def reranked_by(folder: Path, monkeypatch: pytest.MonkeyPatch, model: str) -> Check:
    monkeypatch.setenv("TRIVIUM_RERANK__MODEL", model)
    return check(folder, "rerank")


def test_nothing_that_is_set_is_nothing_to_check(tmp_path: Path) -> None:
    assert check(tmp_path, "rerank") == Check("rerank", is_well=True, said="none")
    assert check(tmp_path, "tokenizer").said == "default: no dictionary"


class Embeds(Scripted):
    """Gives every text the same vector."""

    def answer(self, request: dict[str, Any]) -> Reply:
        data = [{"index": at, "embedding": [0.6, 0.8]} for at in range(len(request["input"]))]
        return Reply(body=json.dumps({"data": data}))


def test_a_model_that_cannot_be_used_is_not_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check(tmp_path, "model") == Check("model", is_well=True, said="none: words only")
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", f"onnx:{tmp_path / 'nowhere'}")

    found = check(tmp_path, "model")

    assert not found.is_well
    assert found.said.startswith(f"onnx:{tmp_path / 'nowhere'} is not available: No model folder")


def test_a_service_that_embeds_is_asked_for_one_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "openai:two")
    with running(Embeds(), path="/v1") as server:
        monkeypatch.setenv("TRIVIUM_EMBEDDING__BASE_URL", server.url)
        found = check(tmp_path, "model")
    gone = check(tmp_path, "model")

    assert found.is_well
    assert found.said.startswith("openai:two (openai-two-")
    assert len(server.requests) == 1
    assert not gone.is_well
    assert "Connection refused" in gone.said


def test_the_model_that_the_index_of_the_folder_remembers_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRIVIUM_EMBEDDING__MODEL")
    folder = tmp_path / "shop"
    (folder / "below").mkdir(parents=True)
    with open_collection(folder) as collection:
        collection.use("none")

    remembered = "none: words only, which the index of this folder remembers"
    assert check(folder, "model").said == check(folder / "below", "model").said == remembered
    assert check(tmp_path, "model").said.startswith("static (static-")
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "static")
    assert check(folder, "model").said.startswith("static (static-")


def test_where_ones_own_settings_file_is_is_said(tmp_path: Path) -> None:
    own = tmp_path / "none.toml"
    assert f"your own file: {own}, not there yet\n" in examine(tmp_path).as_text()
    own.write_text("", encoding="utf-8")
    assert f"your own file: {own}\n" in examine(tmp_path).as_text()
    assert examine(tmp_path).as_data()["userFile"] == str(own)


def test_a_model_that_is_set_and_never_asked_is_said_to_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_RERANK__DEPTH", "0")

    found = reranked_by(tmp_path, monkeypatch, "onnx:nowhere")

    assert found.is_well
    assert found.said == "onnx:nowhere is left out: rerank.depth or rerank.weight is 0"


def test_a_folder_or_a_file_of_the_model_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "model"
    empty.mkdir()

    for folder, missing in ((tmp_path / "nowhere", "No model folder at"), (empty, "No model.onnx")):
        found = reranked_by(tmp_path, monkeypatch, f"onnx:{folder}")
        assert not found.is_well
        assert f"{missing} " in found.said
        assert str(folder) in found.said


def test_a_part_that_is_not_installed_is_said_with_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"no matter")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)

    found = reranked_by(tmp_path, monkeypatch, f"onnx:{folder}")

    assert not found.is_well
    assert "pip install 'trivium[minilm]'" in found.said


def test_a_service_that_answers_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(Reranks()) as server:
        found = reranked_by(tmp_path, monkeypatch, server.url)

    assert found == Check(
        "rerank", is_well=True, said=f"{server.url.removeprefix('http://')} reads again"
    )


def test_a_service_that_cannot_be_reached_is_said_not_to_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(Reranks()) as server:
        pass

    found = reranked_by(tmp_path, monkeypatch, server.url)

    assert not found.is_well
    assert "the connection failed: Connection refused" in found.said
    assert server.url.removeprefix("http://") in found.said


def test_an_unknown_model_is_named_with_the_nearest_and_no_password_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = reranked_by(tmp_path, monkeypatch, "onx:folder")
    assert not found.is_well
    assert "Did you mean 'onnx:folder'?" in found.said
    assert "secret" not in reranked_by(tmp_path, monkeypatch, "http://me:secret@host/").said


@pytest.mark.parametrize("tokenizer", ["japanese", "korean", "chinese"])
def test_a_dictionary_is_named_with_its_edition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: str
) -> None:
    monkeypatch.setenv("TRIVIUM_TEXT__TOKENIZER", tokenizer)

    found = check(tmp_path, "tokenizer")

    assert found.is_well
    assert found.said == f"{tokenizer} ({', '.join(dictionaries.edition(tokenizer))})"


def test_a_dictionary_that_is_not_installed_is_said_with_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise MissingExtra(f"The tokenizer {name!r}", extra="japanese")

    (tmp_path / "trivium.toml").write_text('[text]\ntokenizer = "japanese"\n', encoding="utf-8")
    monkeypatch.setattr("trivium.doors.cli.doctor.analyser", missing)

    found = check(tmp_path, "tokenizer")

    assert not found.is_well
    assert found.said.startswith("japanese is not available: ")
    assert "pip install 'trivium[japanese]'" in found.said
