"""trivium tune: a planted fault is mended, chance is refused, and the file says what it is."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from trivium import profiles
from trivium.doors.cli.main import trivium
from trivium.errors import ConfigError, UsageError
from trivium.evaluation.tune import MADE_BY
from trivium.testing.embedders import WordEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS = [
    *("amber", "basalt", "cedar", "delta", "ember", "fjord", "granite", "harbor", "island"),
    *("jasper", "kelp", "lagoon", "meadow", "nettle", "orchid", "pebble", "quartz", "raven"),
    *("saffron", "timber", "umber", "violet", "willow", "yarrow", "zephyr"),
]


class Noise(WordEmbedder):
    """Vectors that know nothing: a text's direction is that of its hash."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        made = [
            np.random.default_rng(list(hashlib.sha256(text.encode()).digest())).standard_normal(
                self.dimension
            )
            for text in texts
        ]
        rows = np.asarray(made, dtype=np.float32).reshape(len(texts), self.dimension)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed_documents([text])[0]
        return vector


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIVIUM_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "none")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def noisy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.models.registry.load_from", lambda *_: Noise())


def notes(tmp_path: Path) -> dict[str, str]:
    """Write three notes about each word, which say it 4, 5 and 6 times, into a folder.

    Return for each word the note that says it most: words alone tell, by a little.
    """
    folder = tmp_path / "notes"
    folder.mkdir()
    most = {}
    for number, word in enumerate(WORDS):
        for times in (4, 5, 6):
            path = f"n{number}-{times}.md"
            others = " ".join(f"other{number}{times}" for _ in range(10 - times))
            text = f"# Note\n\n{' '.join([word] * times)} {others}\n"
            (folder / path).write_text(text, encoding="utf-8")
        most[word] = path
    return most


def judged(tmp_path: Path, relevant: Mapping[str, str], **columns: Sequence[str]) -> Path:
    file = tmp_path / "judged.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["query", "relevant", *columns])
        for number, (query, path) in enumerate(relevant.items()):
            writer.writerow([query, path, *(values[number] for values in columns.values())])
    return file


def tune(*words: str | Path) -> Result:
    arguments = ["tune", *map(str, words)]
    return CliRunner().invoke(trivium, arguments, catch_exceptions=False)


@pytest.mark.usefixtures("noisy")
def test_vectors_that_know_nothing_are_weighed_next_to_nothing(tmp_path: Path) -> None:
    file = judged(tmp_path, notes(tmp_path))
    done = tune(file, "--collection", "notes", "--out", "mine.toml", "--json")
    assert done.exit_code == 0
    data = json.loads(done.stdout)
    change = data["changes"]["fuse.weights.vectors"]
    assert change["from"] == profiles.load("best", home=tmp_path).fusion.weights["vectors"]
    assert change["to"] <= 0.15
    assert data["low"] > 0
    assert data["held_out"] == 1
    assert data["before"] < 0.95
    assert data["written"] == "mine.toml"
    made = profiles.load("mine.toml", home=tmp_path)
    assert made.fusion.weights == {"text": 1 - change["to"], "vectors": change["to"]}
    text = Path("mine.toml").read_text(encoding="utf-8")
    assert text.startswith(MADE_BY)
    assert 'extends = "best"' in text
    assert "--force" not in text
    checked = CliRunner().invoke(trivium, ["profiles", "check", "mine.toml"])
    assert checked.exit_code == 0
    # What it gains is what eval measures, of the same queries.
    words = ["eval", str(file), "--collection", "notes", "--profile", "mine.toml", "--json"]
    measured = json.loads(CliRunner().invoke(trivium, words, catch_exceptions=False).stdout)
    assert measured["results"][0]["means"]["nDCG@10"] == data["fitted"]


@pytest.mark.usefixtures("noisy")
def test_tuning_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    file = judged(tmp_path, notes(tmp_path))
    words = (file, "--collection", "notes", "--out", "mine.toml", "--json")
    first, text = tune(*words).stdout, Path("mine.toml").read_bytes()
    assert (tune(*words).stdout, Path("mine.toml").read_bytes()) == (first, text)


def at_random(tmp_path: Path, seed: int) -> Path:
    """Judge by dice: what is relevant to a query has nothing to do with it."""
    chance = Random(seed)  # noqa: S311 (test data, not a secret)
    held = list(notes(tmp_path).values())
    return judged(tmp_path, {word: chance.choice(held) for word in WORDS})


@pytest.mark.usefixtures("noisy")
def test_random_judgements_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    file = at_random(tmp_path, seed=3)
    done = tune(file, "--collection", "notes", "--out", "mine.toml", "--json")
    assert done.exit_code == 1
    data = json.loads(done.stdout)
    # Numbers that fit were found, so that there was something to refuse.
    assert data["changes"]
    assert data["fitted"] > data["before"]
    assert data["low"] <= 0
    assert not data["holds"]
    assert data["written"] is None
    assert "may be chance" in done.stderr
    assert not Path("mine.toml").exists()
    forced = tune(file, "--collection", "notes", "--out", "mine.toml", "--force")
    assert forced.exit_code == 0
    assert "Written with --force: the interval holds 0" in Path("mine.toml").read_text()
    profiles.load("mine.toml", home=tmp_path)


@pytest.mark.usefixtures("noisy")
def test_queries_of_a_group_are_held_out_together(tmp_path: Path) -> None:
    groups = [f"team {number % 6}" for number in range(len(WORDS))]
    file = judged(tmp_path, notes(tmp_path), group=groups)
    data = json.loads(
        tune(file, "--collection", "notes", "--out", "mine.toml", "--folds", "6", "--json").stdout
    )
    assert data["groups"] == 6
    assert sorted(fold["queries"] for fold in data["folds"]) == [4, 4, 4, 4, 4, 5]


@pytest.mark.usefixtures("noisy")
def test_too_few_judged_queries_are_said(tmp_path: Path) -> None:
    some = dict(list(notes(tmp_path).items())[:19])
    with pytest.raises(UsageError, match="There are 19 judged queries; tuning needs at least 20"):
        tune(judged(tmp_path, some), "--collection", "notes", "--out", "mine.toml")


def test_a_profile_without_anything_to_tune_is_said(tmp_path: Path) -> None:
    file = judged(tmp_path, notes(tmp_path))
    words = ("--profile", "xplor-rrf", "--search-mode", "keyword")
    with pytest.raises(UsageError, match="has no number that could be tuned here"):
        tune(file, "--collection", "notes", "--out", "mine.toml", *words)


def test_a_file_that_tune_did_not_make_is_never_written_over(tmp_path: Path) -> None:
    Path("mine.toml").write_text("# my own\n", encoding="utf-8")
    file = judged(tmp_path, {"a": "b"})
    with pytest.raises(UsageError, match="was not made by trivium tune"):
        tune(file, "--collection", ".", "--out", "mine.toml", "--force")
    assert Path("mine.toml").read_text(encoding="utf-8") == "# my own\n"


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("mine.txt", "ends in .toml"),
        ("best.toml", "name of a shipped profile"),
        ("none/mine.toml", "is no folder"),
        ("my own.toml", "a name has up to 60 letters"),
    ],
)
def test_a_file_that_could_not_be_a_profile_is_refused_before_any_work(
    tmp_path: Path, out: str, said: str
) -> None:
    with pytest.raises((UsageError, ConfigError), match=said):
        tune(judged(tmp_path, {"a": "b"}), "--collection", ".", "--out", out)
    assert not (tmp_path / "home").exists()


@pytest.mark.usefixtures("noisy")
def test_a_profile_of_ones_own_is_extended_by_its_path(tmp_path: Path) -> None:
    text = 'extends = "best"\nname = "own"\ndescription = "mine"\n[boost]\nname = 0.5\n'
    Path("own.toml").write_text(text, encoding="utf-8")
    file = judged(tmp_path, notes(tmp_path))
    done = tune(file, "--collection", "notes", "--profile", "own.toml", "--out", "new.toml")
    assert done.exit_code == 0
    made = profiles.load("new.toml", home=tmp_path)
    assert (made.name, made.boosts.name) == ("new", 0.5)
    assert made.fusion.weights["vectors"] <= 0.15


@pytest.mark.usefixtures("noisy")
def test_a_folder_of_records_is_tuned_on_its_train_split_and_never_on_test(tmp_path: Path) -> None:
    held = notes(tmp_path)
    folder = tmp_path / "records"
    (folder / "qrels").mkdir(parents=True)
    rows = [
        {"_id": file.name, "title": "", "text": file.read_text(encoding="utf-8")}
        for file in sorted((tmp_path / "notes").iterdir())
    ]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    asked = [{"_id": path, "text": word} for word, path in held.items()]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    lines = "".join(f"{path}\t{path}\t1\n" for path in held.values())
    split = folder / "qrels" / "test.tsv"
    split.write_text(f"query-id\tcorpus-id\tscore\n{lines}", encoding="utf-8")
    with pytest.raises(UsageError, match="no split 'train' or 'dev'; there are: test"):
        tune(folder, "--out", "mine.toml")
    split.rename(folder / "qrels" / "train.tsv")
    data = json.loads(tune(folder, "--out", "mine.toml", "--json").stdout)
    assert data["changes"]["fuse.weights.vectors"]["to"] <= 0.15
    assert "boost.file" not in data["tried"]


@pytest.mark.usefixtures("noisy")
def test_repositories_are_held_out_whole(tmp_path: Path) -> None:
    repositories, annotations = tmp_path / "repos", tmp_path / "data" / "annotations"
    annotations.mkdir(parents=True)
    chance = Random(9)  # noqa: S311 (test data, not a secret)
    for name in "abcdef":
        (repositories / name).mkdir(parents=True)
        queries = []
        for number in range(12):
            words = chance.sample(WORDS, 3)
            file = f"m{number}.py"
            code = f'def f{number}():\n    """{" and ".join(words)}."""\n    return {number}\n'
            (repositories / name / file).write_text(code, encoding="utf-8")
            queries.append({"query": " ".join(words), "relevant": [file]})
        (annotations / f"{name}.json").write_text(json.dumps(queries), encoding="utf-8")
    listed = json.dumps([{"name": name, "revision": "1"} for name in "abcdef"])
    (tmp_path / "data" / "repos.json").write_text(listed, encoding="utf-8")
    data = json.loads(
        tune("data", "--repos", "repos", "--out", "mine.toml", "--folds", "6", "--json").stdout
    )
    assert data["groups"] == 6
    assert [fold["queries"] for fold in data["folds"]] == [12] * 6
    change = data["changes"]["fuse.code_weights.vectors"]
    assert change["to"] < change["from"]


def test_several_sets_are_not_tuned_at_once(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / "sets" / name / "qrels").mkdir(parents=True)
        (tmp_path / "sets" / name / "qrels" / "train.tsv").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="holds 2 sets; give one"):
        tune("sets", "--out", "mine.toml")
