"""A collection embeds a query once, and finds its vector again when it is opened anew."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.collection import Collection
from trivium.doors.cli.main import main
from trivium.testing.embedders import WordEmbedder
from trivium.testing.folders import filled

FILES = {"a.md": "# Cat\n\nA tabby cat.\n", "b.py": "def dog():\n    pass\n"}
ASKED_IN_ANOTHER_PROCESS = """
import json, sys
import trivium
answer = trivium.open(sys.argv[1]).search("sleeping pet", profile="rag", explain=True)
print(json.dumps({
    "embedder": answer.embedder,
    "parts": [[hit.id, [part.value for part in hit.parts]] for hit in answer.results],
    "cosines": [hit.breakdown["ann"]["score"] for hit in answer.results],
    "loads": "onnxruntime" in sys.modules,
}))
"""


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    made = WordEmbedder()
    monkeypatch.setattr("trivium.models.registry.load", lambda *_, **__: made)
    return made


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[], Collection]:
    (tmp_path / "docs").mkdir()

    def open_() -> Collection:
        environ = {"TRIVIUM_HOME": str(tmp_path / "home"), "TRIVIUM_CONFIG": "none.toml"}
        settings = config.load(folder=tmp_path / "docs", environ=environ)
        return trivium.open(tmp_path / "docs", settings=settings)

    return open_


@pytest.mark.parametrize("profile", ["best", "graph", "contract", "rag"])
def test_a_query_is_embedded_once_for_all_scopes_searches_and_collections(
    opened: Callable[[], Collection], model: WordEmbedder, profile: str
) -> None:
    with opened() as first:
        filled(first, FILES)
        expected = first.search("a tabby animal", profile=profile, explain=True)
        assert model.queries == ["a tabby animal"]
        assert first.search("a tabby animal", profile=profile).embedder == "words"
    with opened() as second:
        again = second.search("a tabby animal", profile=profile, explain=True)

    assert model.queries == ["a tabby animal"]
    assert again.results == expected.results
    assert again.method == "hybrid"


def test_another_model_embeds_the_query_again(
    opened: Callable[[], Collection], model: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened() as first:
        filled(first, FILES).search("a tabby animal")
    other = WordEmbedder("other")
    monkeypatch.setattr("trivium.models.registry.load", lambda *_, **__: other)

    with opened() as second:
        second.embed()
        assert second.search("a tabby animal").embedder == "other"

    assert model.queries == other.queries == ["a tabby animal"]


def test_status_counts_what_is_kept_and_reset_forgets_it(
    opened: Callable[[], Collection], model: WordEmbedder, tmp_path: Path
) -> None:
    with opened() as collection:
        filled(collection, FILES)
        for query in ("a tabby animal", "a barking one", "a tabby animal"):
            collection.search(query)
        assert collection.status().queries == 2

        collection.reset()
        assert [*tmp_path.glob("home/**/queries.db")] == []
        assert filled(collection, FILES).status().queries == 0
        collection.search("a tabby animal")

    assert model.queries == ["a tabby animal", "a barking one", "a tabby animal"]


@pytest.mark.usefixtures("model")
def test_the_command_line_says_how_many_are_kept(
    opened: Callable[[], Collection],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with opened() as collection:
        filled(collection, FILES).search("a tabby animal")
    monkeypatch.setenv("TRIVIUM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIVIUM_CONFIG", "none.toml")

    for more in ([], ["--json"]):
        with pytest.raises(SystemExit):
            main(["status", str(tmp_path / "docs"), *more])

    said = capsys.readouterr().out
    assert "queries   1 vector kept" in said
    assert '"queriesKept": 1' in said


@pytest.mark.usefixtures("model")
def test_no_file_below_the_home_folder_holds_a_query_in_the_clear(
    opened: Callable[[], Collection], tmp_path: Path
) -> None:
    with opened() as collection:
        filled(collection, FILES).search("sk-live-4242zebra of the tabby")
        assert collection.status().queries == 1

    held = [one for one in (tmp_path / "home").rglob("*") if one.is_file()]
    assert held
    assert not [one for one in held if b"4242zebra" in one.read_bytes()]


@pytest.mark.usefixtures("model")
def test_words_alone_keep_nothing(opened: Callable[[], Collection]) -> None:
    with opened() as collection:
        filled(collection, FILES).search("a tabby animal", search_mode="keyword")

        assert collection.status().queries == 0


def test_another_process_answers_a_repeated_query_without_loading_the_model(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "minilm",
    }
    with trivium.open(folder, settings=config.load(folder=folder, environ=environ)) as collection:
        filled(collection, FILES)

    def asked() -> dict[str, object]:
        command = [sys.executable, "-c", ASKED_IN_ANOTHER_PROCESS, str(folder)]
        path = {"PYTHONPATH": ":".join(one for one in sys.path if one)}
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env={**environ, **path}
        )
        found: dict[str, object] = json.loads(done.stdout)
        return found

    first, second = asked(), asked()

    assert (first.pop("loads"), second.pop("loads")) == (True, False)
    assert first == second
    assert first["embedder"] == "minilm"
