"""The command that measures ranking: with the settings a search would have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from trivium.doors.cli.checking import evaluate
from trivium.errors import MissingExtra
from trivium.evaluation.measure import Measure

# Without a dictionary Kyoto (京都) stands in Tokyo (東京都) as well, and there in a shorter text.
DOCUMENTS = [
    {"_id": "tokyo", "title": "", "text": "東京都"},
    {"_id": "kyoto", "title": "", "text": "京都にある古い寺と、その庭の地図"},
]


def written(folder: Path) -> Path:
    (folder / "qrels").mkdir(parents=True)
    lines = "\n".join(json.dumps(one) for one in DOCUMENTS)
    (folder / "corpus.jsonl").write_text(lines, encoding="utf-8")
    query = json.dumps({"_id": "q1", "text": "京都"})
    (folder / "queries.jsonl").write_text(query, encoding="utf-8")
    judged = "query-id\tcorpus-id\tscore\nq1\tkyoto\t1\n"
    (folder / "qrels" / "test.tsv").write_text(judged, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIVIUM_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "none")


def first_at(data: Path) -> float:
    """Return the reciprocal rank of the first good hit."""
    words = [str(data), "--search-mode", "keyword", "--json"]
    done = CliRunner().invoke(evaluate, words, catch_exceptions=False)
    assert done.exit_code == 0
    (measured,) = json.loads(done.stdout)["results"]
    return float(measured["means"][Measure.MRR_10])


def test_profiles_are_measured_with_the_dictionary_that_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = written(tmp_path / "data")

    assert first_at(data) == 1 / 2
    monkeypatch.setenv("TRIVIUM_TEXT__TOKENIZER", "japanese")
    assert first_at(data) == 1


def test_a_dictionary_that_is_not_installed_is_said_before_anything_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise MissingExtra(f"The analyser {name!r}", extra="korean")

    monkeypatch.setenv("TRIVIUM_TEXT__TOKENIZER", "korean")
    monkeypatch.setattr("trivium.profiles.analyser", missing)

    with pytest.raises(MissingExtra, match=r"trivium\[korean\]"):
        CliRunner().invoke(evaluate, [str(written(tmp_path / "data"))], catch_exceptions=False)
    assert not (tmp_path / "home").exists()
