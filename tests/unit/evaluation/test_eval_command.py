"""The command that measures ranking: with the settings a search would have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from trivium.doors.cli.checking import evaluate
from trivium.errors import MissingExtra, UsageError
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


# Three texts of one word each; a name counts more by `best` than by `rag`.
SMALL = {
    "a": ("apple", "pear pear pear"),
    "b": ("pear", "apple apple apple and other words that make it longer"),
    "c": ("plum", "plum"),
}


def small(folder: Path, *, splits: tuple[str, ...] = ("test",)) -> Path:
    (folder / "qrels").mkdir(parents=True)
    lines = [{"_id": key, "title": t, "text": x} for key, (t, x) in SMALL.items()]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    queries = [{"_id": f"q{key}", "text": title} for key, (title, _) in SMALL.items()]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
    judged = "".join(f"q{key}\t{key}\t1\n" for key in SMALL)
    for split in splits:
        text = f"query-id\tcorpus-id\tscore\n{judged}"
        (folder / "qrels" / f"{split}.tsv").write_text(text, encoding="utf-8")
    return folder


def run(*words: str | Path) -> str:
    done = CliRunner().invoke(evaluate, [str(one) for one in words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_several_profiles_are_compared_with_the_first_query_by_query(tmp_path: Path) -> None:
    data = small(tmp_path / "data")
    words = ("--search-mode", "keyword", "--profile", "best", "--profile", "rag")
    found = json.loads(run(data, *words, "--json"))
    assert [one["profile"] for one in found["results"]] == ["best", "rag"]
    best, rag = ([score["nDCG@10"] for score in one["scores"]] for one in found["results"])
    (compared,) = [one for one in found["comparisons"] if one["measure"] == "nDCG@10"]
    assert (compared["before"], compared["after"]) == ("best", "rag")
    changes = [after - before for before, after in zip(best, rag, strict=True)]
    assert compared["difference"] == pytest.approx(sum(changes) / 3)
    assert compared["wins"] == sum(change > 0 for change in changes)
    assert compared["losses"] == sum(change < 0 for change in changes)
    assert compared["low"] <= compared["difference"] <= compared["high"]
    assert "rag - best" in run(data, *words)


def test_the_queries_that_moved_are_shown_with_parts_that_add_up(tmp_path: Path) -> None:
    data = small(tmp_path / "data")
    report = tmp_path / "report.html"
    words = ("--search-mode", "keyword", "--profile", "xplor", "--profile", "best")
    found = json.loads(run(data, *words, "--json", "--report", report))
    (moved,) = found["moves"]
    shown = [move for key in ("worse", "better") for move in moved[key]]
    hits = [hit for move in shown for side in ("before", "after") for hit in move[side]["first"]]
    assert hits
    for hit in hits:
        assert sum(part["value"] for part in hit["parts"]) == pytest.approx(hit["score"])
    assert report.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_one_profile_alone_is_shown_with_the_queries_it_did_worst_on(tmp_path: Path) -> None:
    data = written(tmp_path / "data")
    found = json.loads(run(data, "--search-mode", "keyword", "--json"))
    (moved,) = found["moves"]
    (worst,) = moved["worse"]
    assert worst["query"] == "京都"
    assert worst["after"]["relevant"][0]["rank"] == 2
    assert found["comparisons"] == []


def test_a_folder_of_sets_is_measured_set_by_set_with_the_split_each_has(tmp_path: Path) -> None:
    small(tmp_path / "data" / "one", splits=("test", "train"))
    small(tmp_path / "data" / "two", splits=("dev",))
    found = json.loads(run(tmp_path / "data", "--search-mode", "keyword", "--json"))
    assert [(one["set"], one["split"]) for one in found["results"]] == [
        ("one", "test"),
        ("two", "dev"),
    ]


def test_a_split_that_a_set_does_not_have_is_said_with_those_it_has(tmp_path: Path) -> None:
    data = small(tmp_path / "data", splits=("dev", "train"))
    with pytest.raises(UsageError, match="no split 'test'; there are: dev, train"):
        run(data, "--search-mode", "keyword", "--split", "test")


@pytest.mark.parametrize("split", ["../qrels/test", "", "qrels/../test", "*"])
def test_a_split_is_a_name_and_never_a_path(tmp_path: Path, split: str) -> None:
    with pytest.raises(UsageError, match="there are: test"):
        run(small(tmp_path / "data"), "--search-mode", "keyword", "--split", split)


def test_a_quick_look_asks_the_same_few_queries_every_time(tmp_path: Path) -> None:
    data = small(tmp_path / "data")
    words = ("--search-mode", "keyword", "--limit-queries", "2", "--json")
    first, second = (
        [score["id"] for score in json.loads(run(data, *words))["results"][0]["scores"]]
        for _ in range(2)
    )
    assert first == second
    assert len(first) == 2


def test_parts_of_a_search_without_a_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--parts takes a hybrid search apart"):
        run(small(tmp_path / "data"), "--parts")


def test_two_profiles_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("a.toml", "b.toml"):
        text = 'extends = "best"\nname = "mine"\ndescription = "x"\n'
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = ("--profile", tmp_path / "a.toml", "--profile", tmp_path / "b.toml")
    with pytest.raises(UsageError, match="Two profiles are called 'mine'"):
        run(small(tmp_path / "data"), *files)


def test_a_report_that_cannot_be_written_is_said_before_anything_is_measured(
    tmp_path: Path,
) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        run(small(tmp_path / "data"), "--report", tmp_path / "none" / "report.html")
    assert not (tmp_path / "home").exists()


def test_several_models_are_compared_and_named(tmp_path: Path) -> None:
    data = small(tmp_path / "data")
    found = json.loads(run(data, "--model", "static", "--model", "none", "--json"))
    assert [one["profile"] for one in found["results"]] == ["best static", "best none"]


def test_a_search_that_cannot_be_made_as_asked_is_said(tmp_path: Path) -> None:
    words = [str(small(tmp_path / "data")), "--search-mode", "vector"]
    done = CliRunner().invoke(evaluate, words, catch_exceptions=False)
    assert "data, best: 3 of 3 queries: vectors: no embedding model is set" in done.stderr


def test_ones_own_queries_are_asked_of_a_folder_and_found_by_path(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "fruit.md").write_text("# Fruit\n\nApples and pears.\n", encoding="utf-8")
    (folder / "stone.md").write_text("# Stone\n\nGranite and slate.\n", encoding="utf-8")
    judged = tmp_path / "judged.csv"
    judged.write_text("query,relevant\ngranite,stone.md\npears,fruit.md\n", encoding="utf-8")
    words = (judged, "--collection", folder, "--search-mode", "keyword", "--json")
    (measured,) = json.loads(run(*words))["results"]
    assert measured["means"]["success@1"] == 1
    assert measured["means"]["recall@500tokens"] == 1


def test_judged_names_that_nothing_bears_are_said(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "fruit.md").write_text("# Fruit\n\nApples and pears.\n", encoding="utf-8")
    judged = tmp_path / "judged.csv"
    judged.write_text(
        "query,relevant\npears,fruit.md;doc:fruit.md#Fruit;friut.md\n", encoding="utf-8"
    )
    words = [str(judged), "--collection", str(folder), "--search-mode", "keyword"]
    done = CliRunner().invoke(evaluate, words, catch_exceptions=False)
    assert "judged: 1 of 3 judged names are not in the folder" in done.stderr
    assert "'friut.md'" in done.stderr


def test_a_collection_that_is_no_folder_is_said(tmp_path: Path) -> None:
    judged = tmp_path / "judged.csv"
    judged.write_text("query,relevant\npears,fruit.md\n", encoding="utf-8")
    with pytest.raises(UsageError, match="is not a folder"):
        run(judged, "--collection", tmp_path / "none", "--search-mode", "keyword")


def test_a_folder_of_any_name_is_a_set(tmp_path: Path) -> None:
    data = small(tmp_path / "C# & co")
    (measured,) = json.loads(run(data, "--search-mode", "keyword", "--json"))["results"]
    assert measured["means"]["recall@10"] == 1
