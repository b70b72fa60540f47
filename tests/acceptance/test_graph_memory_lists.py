"""Cases G90 to G99 of seed 003: words, scores and two lists fused, through the `graph` profiles."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.acceptance.graph_memory import (
    CLOSE,
    SECOND_OF_ONE_LIST,
    K,
    Open,
    bm25,
    ids,
    scores,
    skill,
)

from trivium.ranking.confidence import is_weak
from trivium.testing.folders import filled, write_files
from trivium.types import Answer


def sparse_of(answer: Answer) -> dict[str, object]:
    """The BM25 score of each hit as it was before anything was done to it."""
    found = {}
    for hit in answer.results:
        assert hit.breakdown is not None
        sparse = hit.breakdown["sparse"]
        found[hit.id] = sparse["score"] if isinstance(sparse, dict) else None
    return found


@pytest.mark.parametrize(
    ("name", "queries"),
    [
        ("XMLParser", ["xml", "parser", "XMLParser"]),
        ("parseHTML", ["html", "parse"]),
        ("hello_world_foo_bar", ["hello", "bar", "hello-world_foo.bar"]),
    ],
)
def test_g90_a_name_is_found_by_each_of_its_words(
    folder: Path, opened_on_each: Open, name: str, queries: list[str]
) -> None:
    files = {"a.py": f"def {name}():\n    pass\n", "b.py": "def other():\n    pass\n"}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    for query in queries:
        found = collection.search(query, profile="graph", kind="code", bfs_depth=0)
        assert f"code:a.py#{name}" in ids(found)
        assert "code:b.py#other" not in ids(found)
    assert collection.search("xm", profile="graph", bfs_depth=0).results == ()


def test_g91_by_is_found_in_a_profile_that_keeps_every_word(
    folder: Path, opened_on_each: Open, tmp_path: Path
) -> None:
    own = tmp_path / "every-word.toml"
    own.write_text('extends = "graph"\nname = "every-word"\n\n[view]\nanalyser = "graph-all"\n')
    files = {"a.py": "def getUserById():\n    pass\n"}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    assert ids(collection.search("user", profile="graph", kind="code"))
    assert collection.search("by", profile="graph", kind="code").results == ()
    found = collection.search("by", profile=str(own), kind="code")
    assert "code:a.py#getUserById" in ids(found)


@pytest.mark.parametrize("word", ["for", "if", "not", "is", "has", "can", "do"])
def test_g92_words_that_mean_something_in_code_are_found(
    folder: Path, opened_on_each: Open, word: str
) -> None:
    collection = filled(
        opened_on_each(folder, embedding__model="none"), {"a.txt": f"x {word} y", "b.txt": "x y"}
    )

    assert ids(collection.search(word, profile="graph", kind="doc")) == ["doc:a.txt"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Поиск по исходному коду", "коду"),
        ("مرحبا بالعالم", "بالعالم"),
        ("全文検索エンジンの設計", "検索"),
    ],
)
def test_g93_every_script_is_found_in_the_profile_of_the_seed(
    folder: Path, opened_on_each: Open, text: str, query: str
) -> None:
    files = {"there.txt": text, "other.txt": "Something else"}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    assert ids(collection.search(query, profile="graph", kind="doc")) == ["doc:there.txt"]


def test_g94_what_is_added_removed_and_changed_changes_the_scores_of_the_rest(
    folder: Path, opened_on_each: Open
) -> None:
    collection = opened_on_each(folder, embedding__model="none")

    def raw() -> dict[str, object]:
        collection.sync()
        answer = collection.search("zebra", profile="graph", kind="skill", explain=True)
        return sparse_of(answer)

    # Of each skill the name, one word, and the description, two words.
    write_files(folder, {"skills/a.md": skill("Ant", description="striped zebra")})
    write_files(folder, {"skills/b.md": skill("Bee", description="striped animal")})
    alone = bm25(documents=2, frequency=1, times=1, length=3, average=3)
    assert raw() == {"skill:ant": pytest.approx(alone)}

    write_files(folder, {"skills/c.md": skill("Cow", description="another zebra")})
    both = bm25(documents=3, frequency=2, times=1, length=3, average=3)
    assert raw() == {"skill:ant": pytest.approx(both), "skill:cow": pytest.approx(both)}

    (folder / "skills/a.md").unlink()
    assert raw() == {"skill:cow": pytest.approx(alone)}

    write_files(folder, {"skills/c.md": skill("Cow", description="zebra zebra zebra zebra")})
    longer = bm25(documents=2, frequency=1, times=4, length=5, average=(5 + 3) / 2)
    assert raw() == {"skill:cow": pytest.approx(longer)}


def test_g94_what_is_taken_in_twice_is_there_once(folder: Path, opened_on_each: Open) -> None:
    collection = opened_on_each(folder, embedding__model="none")
    files = {"skills/a.md": skill("Ant", description="striped zebra")}
    nodes = filled(collection, files).stats().nodes
    before = collection.search("zebra", profile="graph", kind="skill", explain=True)

    write_files(folder, {"skills/a.md": files["skills/a.md"] + "\n"})
    collection.sync()
    again = collection.search("zebra", profile="graph", kind="skill", explain=True)

    assert collection.stats().nodes == nodes
    assert ids(again) == ids(before) == ["skill:ant"]


def test_g95_the_score_of_a_worked_example(folder: Path, opened_on_each: Open) -> None:
    files = {
        "skills/a.md": skill("JWT tokens", description="for auth"),
        "skills/b.md": skill("Database", description="configuration"),
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    answer = collection.search("auth", profile="graph", kind="skill", explain=True)

    score = bm25(documents=2, frequency=1, times=1, length=4, average=(4 + 2) / 2)
    assert score == pytest.approx(0.60997, abs=5e-6)
    assert sparse_of(answer) == {"skill:jwt-tokens": pytest.approx(score, rel=1e-6)}


@pytest.mark.parametrize("query", ["", "  ", "the of and", "?!"])
def test_g96_nothing_is_found_by_words_that_are_none(
    folder: Path, opened_on_each: Open, query: str
) -> None:
    files = {"a.txt": "the cat and the dog", "b.txt": "of all the cats"}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    answer = collection.search(query, profile="graph", search_mode="keyword")

    assert (answer.results, answer.total) == ((), 0)


def test_g96_stop_words_alone_are_answered_by_meaning(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines |= {"cat": 0.9, "dog": 0.8}
    collection = filled(opened_on_each(folder), {"a.txt": "the dog", "b.txt": "the cat"})

    answer = collection.search("the of and", profile="graph", kind="doc")

    assert scores(answer) == {
        "doc:b.txt": pytest.approx(1.0),
        "doc:a.txt": pytest.approx((1 / 62) / (1 / 61)),
    }


def single_list(kind: str, word: str, other: str) -> dict[str, str]:
    """Two files of a kind: one has the word zebra, and the other not."""
    if kind == "code":
        return {
            "a.py": f"def zebra():\n    x {word} y\n",
            "b.py": f"def horse():\n    x {other} y\n",
        }
    if kind == "skill":
        return {
            "skills/a.md": skill("Zebra", f"{word} text"),
            "skills/b.md": skill("Horse", f"{other} text"),
        }
    return {"a.txt": f"zebra {word}", "b.txt": f"horse {other}"}


@pytest.mark.parametrize(
    ("kind", "profile", "keeps"),
    [
        ("doc", "graph", False),
        ("skill", "graph", False),
        ("skill", "graph-recall", True),
        ("code", "graph", True),
    ],
)
def test_g97_the_second_of_one_list_is_cut_at_a_half_and_kept_at_three_tenths(
    folder: Path,
    opened_on_each: Open,
    cosines: dict[str, float],
    kind: str,
    profile: str,
    keeps: bool,
) -> None:
    cosines |= {"striped": 0.9, "hoofed": 0.8}
    collection = filled(opened_on_each(folder), single_list(kind, "striped", "hoofed"))
    options = {"profile": profile, "kind": kind, "bfs_depth": 0}

    by_default = collection.search("zebra", **options)  # type: ignore[arg-type]
    at_three_tenths = collection.search("zebra", min_score=0.3, **options)  # type: ignore[arg-type]
    at_a_half = collection.search("zebra", min_score=0.5, **options)  # type: ignore[arg-type]

    assert pytest.approx(0.4919, abs=5e-5) == SECOND_OF_ONE_LIST
    found = {hit.node.name.lower(): hit.score for hit in at_three_tenths.results}
    first = "zebra striped" if kind == "doc" else "zebra"
    second = "horse hoofed" if kind == "doc" else "horse"
    assert found[first] == pytest.approx(1.0)
    assert found[second] == pytest.approx(SECOND_OF_ONE_LIST)
    assert second not in {hit.node.name.lower() for hit in at_a_half.results}
    assert (second in {hit.node.name.lower() for hit in by_default.results}) is keeps


def test_g98_without_a_word_found_the_62nd_is_kept_and_the_63rd_cut(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines |= {f"w{n}": 0.95 - 0.005 * n for n in range(70)}
    files = {f"{n:02}.txt": f"text w{n}" for n in range(70)}
    collection = filled(opened_on_each(folder), files)

    answer = collection.search("zebra", profile="graph", kind="doc", seeds=500, limit=500)

    assert [hit.score for hit in answer.results] == [
        pytest.approx(61 / (K + rank)) for rank in range(1, 63)
    ]
    assert ids(answer) == [f"doc:{n:02}.txt" for n in range(62)]
    assert 61 / (K + 62) == 0.5 > 61 / (K + 63)
    # What says that no word was found: every score comes from meaning alone.
    names = {part.name.partition(" ")[0] for hit in answer.results for part in hit.parts}
    assert names == {"vectors"}
    # And that none of them answers, although the best has the highest score there can be.
    assert answer.results[0].score == 1.0
    assert all(is_weak(hit.confidence) for hit in answer.results)
    held = collection.search("text w0", profile="graph", kind="doc", limit=1)
    assert not is_weak(held.results[0].confidence)


def test_g99_words_alone_ask_no_model_and_are_shared_out_by_their_best(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines |= {"horse": 0.9, "zebra": 0.1}
    files = {"a.txt": "zebra zebra", "b.txt": "zebra and horse", "c.txt": "horse"}
    collection = filled(opened_on_each(folder), files)

    answer = collection.search(
        "zebra", profile="graph", kind="doc", search_mode="keyword", min_score=0, explain=True
    )

    raw = sparse_of(answer)
    best = raw["doc:a.txt"]
    assert isinstance(best, float)
    assert scores(answer) == {
        one: pytest.approx(score / best) for one, score in raw.items() if isinstance(score, float)
    }
    assert ids(answer) == ["doc:a.txt", "doc:b.txt"]
    assert (answer.method, answer.embedder, answer.degraded) == ("bm25", "none", ())


def test_g99_meaning_alone_is_a_cosine_and_its_cut_absolute(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines |= {"lion": 0.7, "horse": 0.51, "heron": 0.49}
    files = {"a.txt": "lion", "b.txt": "horse", "c.txt": "heron zebra"}
    collection = filled(opened_on_each(folder), files)

    answer = collection.search("zebra", profile="graph", kind="doc", search_mode="vector")

    assert scores(answer) == {
        "doc:a.txt": pytest.approx(0.7, abs=CLOSE),
        "doc:b.txt": pytest.approx(0.51, abs=CLOSE),
    }
    assert answer.method == "vector"
