"""What doctor says of the dictionary and of the model that reads again."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from trivium.analysis import dictionaries
from trivium.doors.cli.doctor import Check, examine
from trivium.errors import MissingExtra
from trivium.testing.listening import listening


class Reranks(BaseHTTPRequestHandler):
    """Gives every text the same score."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        scores = [{"index": at, "relevance_score": 0.5} for at in range(len(request["documents"]))]
        blob = json.dumps({"results": scores}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(blob)))
        self.end_headers()
        self.wfile.write(blob)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


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
    with listening(Reranks) as address:
        found = reranked_by(tmp_path, monkeypatch, address)

    assert found == Check(
        "rerank", is_well=True, said=f"{address.removeprefix('http://')} reads again"
    )


def test_a_service_that_cannot_be_reached_is_said_not_to_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening(Reranks) as address:
        pass

    found = reranked_by(tmp_path, monkeypatch, address)

    assert not found.is_well
    assert "the connection failed: Connection refused" in found.said
    assert address.removeprefix("http://") in found.said


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
