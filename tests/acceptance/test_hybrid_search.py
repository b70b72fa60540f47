"""Cases G115 to G130 of seed 004, asked of a collection through the `rag` profile.

G123, G124 and G128 are about doors: test_tools.py.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.collection import Collection
from trivium.testing.embedders import WordEmbedder
from trivium.testing.folders import filled, write_files
from trivium.types import Answer, Hit

Open = Callable[..., Collection]

DEPTH = 30
K = 60


def paths(answer: Answer) -> list[str]:
    return [hit.source.file_path for hit in answer.results]


def ranked(answer: Answer) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in answer.results]


def lists_of(hit: Hit) -> set[str]:
    return {part.name.partition(" ")[0] for part in hit.parts}


@pytest.mark.parametrize(
    ("length", "chunks"),
    [(0, 0), (1000, 1), (1001, 2), (1800, 2), (1801, 3), (2500, 3), (2601, 4)],
)
def test_g115_prose_is_cut_into_1000_characters_with_200_shared(
    folder: Path, opened_on_each: Open, length: int, chunks: int
) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), {"a.txt": "x" * length})

    assert collection.stats().chunks == chunks


def test_g115_the_second_chunk_starts_at_800(folder: Path, opened_on_each: Open) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), {"a.txt": "x" * 1001})

    cut = collection.get("doc:a.txt").chunks

    assert [(one.span.start, one.span.end) for one in cut] == [(0, 1000), (800, 1001)]


@pytest.mark.parametrize(("overlap", "chunks"), [(20, 4), (150, 3)])
def test_g116_characters_are_counted_and_an_overlap_past_the_size_is_none(
    folder: Path, opened_on_each: Open, overlap: int, chunks: int
) -> None:
    settings = {"chunking__size": 100, "chunking__overlap": overlap, "embedding__model": "none"}
    collection = filled(opened_on_each(folder, **settings), {"a.txt": "あ" * 300})

    cut = collection.get("doc:a.txt").chunks

    assert len(cut) == chunks
    assert max(len(one.text) for one in cut) == 100


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "# My Title\n\nbody\n", "My Title"),
        ("a.md", "## S\n\nbody\n", "S"),
        ("a.md", "", "a.md"),
        ("a.txt", "y" * 200, "y" * 100 + "..."),
    ],
)
def test_g117_a_title_is_the_heading_the_first_line_or_the_file_name(
    folder: Path, opened_on_each: Open, name: str, text: str, title: str
) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), {name: text})

    assert collection.get(f"doc:{name}").node.title == title


@pytest.mark.parametrize("word", ["word ", "あいう え "])
def test_g118_a_snippet_is_200_characters_and_three_dots(
    folder: Path, opened_on_each: Open, word: str
) -> None:
    text = word * 100
    collection = filled(opened_on_each(folder, embedding__model="none"), {"a.txt": text})

    hit = collection.search(word.split(maxsplit=1)[0], profile="rag").results[0]

    assert hit.snippet == text[:200] + "..."


def test_g118_a_short_text_is_shown_whole(folder: Path, opened_on_each: Open) -> None:
    collection = filled(
        opened_on_each(folder, embedding__model="none"), {"a.txt": "w" * 39 + " word"}
    )

    hit = collection.search("word", profile="rag").results[0]

    assert hit.snippet == "w" * 39 + " word"


@pytest.mark.usefixtures("embedder")
def test_g119_ten_results_unless_asked_and_never_more_than_both_lists_hold(
    folder: Path, opened_on_each: Open
) -> None:
    cats = {f"cat{n:02}.txt": f"cat number{n}" for n in range(50)}
    dogs = {f"dog{n:02}.txt": f"dog number{n}" for n in range(50)}
    collection = filled(opened_on_each(folder), {**cats, **dogs})

    assert len(collection.search("cat", profile="rag").results) == 10
    most = collection.search("cat", profile="rag", limit=100)
    assert DEPTH <= len(most.results) <= 2 * DEPTH
    assert most.total == len(most.results)


@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("search_mode", ["hybrid", "keyword", "vector"])
def test_g120_source_type_and_path_prefix_hold_in_both_engines_before_the_cut(
    folder: Path, opened_on_each: Open, search_mode: str
) -> None:
    # Forty files that match better than those asked for: more than either engine returns.
    better = {f"a/{n:02}.md": "tabby cat" for n in range(40)}
    wanted = {f"b/{n}.md": f"tabby cat and many other words here {n}" for n in range(5)}
    other = {f"b/{n}.txt": "tabby cat" for n in range(5)}
    collection = filled(opened_on_each(folder), {**better, **wanted, **other})

    answer = collection.search(
        "tabby cat",
        profile="rag",
        limit=60,
        search_mode=search_mode,
        filters={"source_type": "md", "path_prefix": "b/"},
    )

    assert sorted(paths(answer)) == sorted(wanted)


@pytest.mark.usefixtures("embedder")
def test_g121_a_hit_of_both_lists_stands_above_every_hit_of_one(
    folder: Path, opened_on_each: Open
) -> None:
    cats = {f"cat{n:02}.txt": f"cat number{n}" for n in range(40)}
    dogs = {f"dog{n:02}.txt": f"dog number{n}" for n in range(40)}
    collection = filled(opened_on_each(folder), {**cats, **dogs})

    results = collection.search("cat", profile="rag", limit=60).results

    in_both = [len(lists_of(hit)) == 2 for hit in results]
    assert True in in_both
    assert False in in_both
    assert in_both == sorted(in_both, reverse=True)
    assert min(hit.score for hit, both in zip(results, in_both, strict=True) if both) >= 2 / (
        K + DEPTH
    )


def test_g122_a_model_that_is_down_leaves_the_words_and_says_so(
    folder: Path, opened_on_each: Open, embedder: WordEmbedder
) -> None:
    collection = filled(opened_on_each(folder), {"a.txt": "cat", "b.txt": "dog"})
    embedder.failure = "The service at example.invalid does not answer."

    answer = collection.search("cat", profile="rag")

    words = collection.search("cat", profile="rag", search_mode="keyword")
    assert ranked(answer) == ranked(words) == [("doc:a.txt@0", 1 / (K + 1))]
    assert (answer.method, answer.embedder) == ("bm25", "none")
    assert [(one.stage, one.reason) for one in answer.degraded] == [("vectors", embedder.failure)]
    assert words.degraded == ()


def test_g125_an_export_gives_the_same_results_without_files_or_embedding(
    tmp_path: Path, opened_on_each: Open, embedder: WordEmbedder
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    files = {f"{n}.md": f"# Part {n}\n\ncat {'dog ' * n} number{n}\n" for n in range(20)}
    collection = filled(opened_on_each(folder), files)
    queries = ("cat", "dog number7", '"cat dog" -number3')
    asked = [(text, profile) for text in queries for profile in ("rag", "best")]
    before = [collection.search(text, profile=profile, explain=True) for text, profile in asked]
    embedded = len(embedder.documents)

    assert collection.export(tmp_path / "docs.trivium") == len(files)
    collection.reset()
    for file in folder.iterdir():
        file.unlink()
    again = opened_on_each(folder)
    assert again.stats().chunks == 0
    assert again.import_(tmp_path / "docs.trivium") == len(files)
    after = [again.search(text, profile=profile, explain=True) for text, profile in asked]

    assert [one.results for one in after] == [one.results for one in before]
    assert [one.method for one in after] == ["hybrid"] * len(asked)
    assert len(embedder.documents) == embedded


@pytest.mark.usefixtures("embedder")
def test_g126_a_second_sync_costs_nothing_and_changes_replace_what_was_there(
    folder: Path, opened_on_each: Open
) -> None:
    collection = filled(opened_on_each(folder), {"a.md": "old cat", "b.md": "dog", "c.md": "cow"})

    again = collection.sync()
    assert (again.added, again.changed, again.removed, again.unchanged) == (0, 0, 0, 3)

    write_files(folder, {"a.md": "young horse"})
    (folder / "b.md").unlink()
    report = collection.sync()

    assert (report.added, report.changed, report.removed, report.unchanged) == (0, 1, 1, 1)
    assert collection.stats().chunks == 2
    assert paths(collection.search("cat", profile="rag", search_mode="keyword")) == []
    assert paths(collection.search("dog", profile="rag", search_mode="keyword")) == []
    assert paths(collection.search("horse", profile="rag", search_mode="keyword")) == ["a.md"]


@pytest.mark.usefixtures("embedder")
def test_g127_two_folders_with_the_same_file_are_both_complete_and_apart(
    tmp_path: Path, opened_on_each: Open
) -> None:
    for name in ("one", "two"):
        write_files(tmp_path / name, {"same.md": "a tabby cat", f"{name}.md": "a dog"})
    collections = [opened_on_each(tmp_path / name) for name in ("one", "two")]
    reports = [collection.sync() for collection in collections]
    for collection in collections:
        collection.embed()

    assert [report.added for report in reports] == [2, 2]
    for collection in collections:
        assert paths(collection.search("tabby", profile="rag"))[0] == "same.md"

    collections[0].reset()
    left = collections[1].search("tabby", profile="rag")

    assert left.results[0].snippet == "a tabby cat"
    assert (left.method, left.coverage.embedded) == ("hybrid", 1.0)
    assert opened_on_each(tmp_path / "one").stats().files == 0


@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("query", ["foo:bar", '"foo bar', "foo(", "foo)", "foo AND", "-", "*:"])
@pytest.mark.parametrize("profile", ["rag", "best"])
def test_g129_what_looks_like_syntax_never_fails(
    folder: Path, opened_on_each: Open, query: str, profile: str
) -> None:
    collection = filled(opened_on_each(folder), {"a.md": "foo bar", "b.md": "cat"})

    by_both = collection.search(query, profile=profile)
    by_words = collection.search(query, profile=profile, search_mode="keyword")

    assert paths(by_words) == (["a.md"] if "foo" in query else [])
    assert set(paths(by_words)) <= set(paths(by_both))


def test_g130_a_japanese_word_inside_a_run_is_found_by_best_and_missed_by_rag(
    folder: Path, opened_on_each: Open
) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), {"a.md": "東京都に住む"})

    assert paths(collection.search("東京", profile="rag")) == []
    assert paths(collection.search("東京都に住む", profile="rag")) == ["a.md"]
    assert paths(collection.search("東京", profile="best")) == ["a.md"]
