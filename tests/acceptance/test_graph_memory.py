"""Cases G90 to G114 of seed 003, asked of a collection through the `graph` profiles.

How text becomes terms is tested in test_tokens, how scores spread in the unit tests of graph;
G110 and the HTTP half of G111 are about doors and tested there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from trivium.collection import Collection
from trivium.errors import QuerySyntaxError, UsageError
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write as write_to
from trivium.testing.folders import filled, write_files
from trivium.types import Answer, Kind

Open = Callable[..., Collection]

K = 60
K1, B = 1.2, 0.75
# Cosines and BM25 are kept as 32-bit floats.
CLOSE = 1e-5

SHOP = {
    "base.ts": "export class Base {\n  run() { return 1 }\n}\n",
    "util.ts": "// quokka\n\nexport function helper() { return 2 }\n",
    "shop.ts": (
        "// zebra\n\nimport { Base } from './base'\nimport { helper } from './util'\n\n"
        "export class Shop extends Base {\n  sell() { return helper() }\n}\n"
    ),
}


def skill(name: str, body: str = "", **front: str) -> str:
    said = {"name": name, "description": "what it does", **front}
    return "\n".join(["---", *(f"{key}: {value}" for key, value in said.items()), "---", body, ""])


def scores(answer: Answer) -> dict[str, float]:
    return {hit.id: hit.score for hit in answer.results}


def ids(answer: Answer) -> list[str]:
    return [hit.id for hit in answer.results]


def sparse_of(answer: Answer) -> dict[str, object]:
    """The BM25 score of each hit as it was before anything was done to it."""
    found = {}
    for hit in answer.results:
        assert hit.breakdown is not None
        sparse = hit.breakdown["sparse"]
        found[hit.id] = sparse["score"] if isinstance(sparse, dict) else None
    return found


def bm25(*, documents: int, frequency: int, times: int, length: int, average: float) -> float:
    idf = math.log((documents - frequency + 0.5) / (frequency + 0.5) + 1)
    return idf * times * (K1 + 1) / (times + K1 * (1 - B + B * length / average))


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


# Meaning alone has it, in second place, where the best is first in words and meaning.
SECOND_OF_ONE_LIST = (1 / (K + 2)) / (1 / (K + 1) + 1 / (K + 1))


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


def test_g100_each_type_of_edge_has_its_decay(folder: Path, opened_on_each: Open) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), SHOP)

    of_class = scores(collection.search("class shop", profile="graph", kind="code", limit=20))
    of_file = scores(collection.search("zebra", profile="graph", kind="code", limit=20))

    assert of_class["code:shop.ts#Shop"] == 1.0
    assert of_class["code:shop.ts#Shop.sell"] == pytest.approx(0.95)
    assert of_class["code:shop.ts"] == pytest.approx(0.95)
    assert of_class["code:base.ts#Base"] == pytest.approx(0.85)
    assert of_file == {
        "code:shop.ts": 1.0,
        "code:shop.ts#Shop": pytest.approx(0.95),
        "code:base.ts": pytest.approx(0.70),
        "code:util.ts": pytest.approx(0.70),
    }


def test_g100_decays_multiply_over_two_hops(folder: Path, opened_on_each: Open) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), SHOP)

    of_method = collection.search("sell", profile="graph", kind="code", seeds=1, bfs_depth=2)
    of_class = collection.search(
        "class shop", profile="graph", kind="code", seeds=1, bfs_depth=2, limit=20
    )

    assert scores(of_method)["code:shop.ts"] == pytest.approx(0.95 * 0.95) == 0.9025
    assert scores(of_class)["code:util.ts"] == pytest.approx(0.95 * 0.70) == 0.665


def test_g101_what_imports_a_hit_is_not_reached_from_it(folder: Path, opened_on_each: Open) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), SHOP)

    found = collection.search("quokka", profile="graph", kind="code", bfs_depth=10, min_score=0)

    assert set(ids(found)) == {"code:util.ts", "code:util.ts#helper"}


@pytest.mark.parametrize("decay", [0.8, 0.5])
def test_g102_a_decay_that_is_given_holds_for_every_edge(
    folder: Path, opened_on_each: Open, decay: float
) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), SHOP)

    def around(depth: int) -> dict[str, float]:
        answer = collection.search(
            "zebra",
            profile="graph",
            kind="code",
            bfs_decay=decay,
            bfs_depth=depth,
            min_score=0,
            limit=20,
        )
        return scores(answer)

    once = dict.fromkeys(("code:shop.ts#Shop", "code:base.ts", "code:util.ts"), decay)
    assert around(1) == {"code:shop.ts": 1.0, **once}
    twice = dict.fromkeys(
        ("code:shop.ts#Shop.sell", "code:base.ts#Base", "code:util.ts#helper"),
        pytest.approx(decay * decay),
    )
    assert around(2) == {"code:shop.ts": 1.0, **once, **twice}


@pytest.mark.parametrize(("seed", "is_kept"), [(0.6, False), (0.625, True)])
def test_g103_a_neighbour_below_the_least_score_is_not_added(
    folder: Path,
    opened_on_each: Open,
    cosines: dict[str, float],
    seed: float,
    is_kept: bool,
) -> None:
    # The document has no text of its own, and so no vector: only the graph leads to it.
    cosines["striped"] = seed
    collection = filled(opened_on_each(folder), {"a.md": "# Zebra\n\nA striped animal.\n"})

    answer = collection.search(
        "anything", profile="graph", kind="doc", search_mode="vector", min_score=0.5
    )

    expected = {"doc:a.md#Zebra": pytest.approx(seed, abs=CLOSE)}
    if is_kept:
        expected["doc:a.md"] = pytest.approx(seed * 0.8, abs=CLOSE)
    assert scores(answer) == expected


def test_g104_a_score_of_its_own_is_kept_over_a_lower_one_and_raised_by_a_higher(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines |= {"whole": 1.0, "high": 0.97, "low": 0.5}
    text = "class Shop:\n    x = ' whole '\n\n    def sell(self):\n        ' high '\n\n"
    text += "    def buy(self):\n        ' low '\n"
    collection = filled(opened_on_each(folder), {"shop.py": text})

    answer = collection.search("anything", profile="graph", kind="code", search_mode="vector")

    assert scores(answer) == {
        "code:shop.py#Shop": pytest.approx(1.0, abs=CLOSE),
        "code:shop.py#Shop.sell": pytest.approx(0.97, abs=CLOSE),
        "code:shop.py#Shop.buy": pytest.approx(0.95 * 1.0, abs=CLOSE),
        "code:shop.py": pytest.approx(0.95 * 1.0, abs=CLOSE),
    }
    types = {hit.id: hit.score_type for hit in answer.results}
    assert types == {
        "code:shop.py#Shop": "ann",
        "code:shop.py#Shop.sell": "ann",
        "code:shop.py#Shop.buy": "graph",
        "code:shop.py": "graph",
    }


def test_g105_depth_seeds_and_limit_bound_the_answer(folder: Path, opened_on_each: Open) -> None:
    sections = "".join(f"# Zebra {n}\n\nText {n}.\n\n" for n in range(4))
    collection = filled(opened_on_each(folder, embedding__model="none"), {"a.md": sections})

    def found(**options: int) -> list[str]:
        answer = collection.search("zebra", profile="graph", kind="doc", min_score=0.5, **options)  # type: ignore[arg-type]
        return [hit.score_type for hit in answer.results]

    assert found() == ["bm25", "bm25", "bm25", "bm25", "bm25"]
    assert found(bfs_depth=0, seeds=3) == ["bm25", "bm25", "bm25"]
    # The document is named by its first heading and has nothing else: it comes first.
    assert found(seeds=1) == ["bm25", "graph", "graph", "graph", "graph"]
    assert found(limit=1) == ["bm25"]


def test_g106_five_seeds_one_hop_five_results_and_four_fifths(
    folder: Path, opened_on_each: Open
) -> None:
    files = {f"{n}.txt": "zebra" for n in range(8)}
    files["z.md"] = "# Top\n\nText.\n\n## Quokka\n\nText.\n"
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    assert len(collection.search("zebra", profile="graph", kind="doc", seeds=7).results) == 5
    assert len(collection.search("zebra", profile="graph", kind="doc", limit=50).results) == 5
    more = collection.search("zebra", profile="graph", kind="doc", limit=50, seeds=7)
    assert len(more.results) == 7
    # One hop up from the section leads to the one it lies in, not to the document.
    around = collection.search("quokka", profile="graph", kind="doc", min_score=0)
    assert scores(around) == {"doc:z.md#Quokka": 1.0, "doc:z.md#Top": pytest.approx(0.8)}


def test_g106_ten_files_with_at_least_three_tenths(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines |= {"zebra": 0.9, "horse": 0.8}
    many = {f"zebras/{n:02}.txt": "text" for n in range(12)}
    collection = filled(opened_on_each(folder), {"zebra.txt": "text", "horse.txt": "text", **many})

    answer = collection.search("zebra", profile="graph-files")

    assert len(answer.results) == 10
    found = scores(answer)
    assert found["file:zebra.txt"] == pytest.approx(1.0)
    # Only meaning has it, second: below a half, above three tenths.
    assert found["file:horse.txt"] == pytest.approx(SECOND_OF_ONE_LIST)


@pytest.mark.parametrize("profile", ["graph", "graph-files", "xplor", "best"])
def test_g107_proxies_are_never_returned(folder: Path, opened_on_each: Open, profile: str) -> None:
    # A proxy stands for a node of another graph; no parser makes one, so it is written here.
    write_files(folder, {"@docs": "a zebra", "skill:own": "a zebra"})
    collection = opened_on_each(folder, embedding__model="none")
    zebra = Section("Zebra", "a zebra", kind=Kind.SKILL)
    proxy = make_file("@docs", [replace(zebra, calls=("skill:own#Zebra",))])
    own = make_file("skill:own", [replace(zebra, calls=("@docs#Zebra",))])
    write_to(collection._backend, [proxy, own])

    for query in ("zebra", "own", "docs", ""):
        found = ids(collection.search(query, profile=profile))
        assert not any(one.startswith("@") for one in found)
    by_name = ids(collection.search("zebra", profile=profile))
    assert by_name == ([] if profile == "graph-files" else ["skill:own#Zebra"])


def test_g108_a_skill_is_found_by_when_to_use_it(folder: Path, opened_on_each: Open) -> None:
    files = {
        "skills/a.md": skill("Breathing", "Text.", triggers="[panic attack]"),
        "skills/b.md": skill("Walking", "Text."),
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    for profile in ("graph", "graph-recall"):
        found = collection.search("panic", profile=profile, kind="skill")
        assert ids(found) == ["skill:breathing"]


def test_g108_a_skill_is_found_by_its_name_whatever_its_heading(
    folder: Path, opened_on_each: Open
) -> None:
    files = {"skills/a.md": skill("Breathing", "# Overview\n\nText.\n")}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    for profile in ("graph", "graph-recall"):
        found = collection.search("breathing", profile=profile, kind="skill", bfs_depth=0)
        assert ids(found) == ["skill:breathing"]


def test_g108_a_section_is_found_by_its_own_heading_not_by_its_document(
    folder: Path, opened_on_each: Open
) -> None:
    files = {"a.md": "# Zebra\n\nText.\n\n## Stripes\n\nOther text.\n"}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    def found(query: str) -> list[str]:
        return ids(collection.search(query, profile="graph", kind="doc", bfs_depth=0, min_score=0))

    assert found("stripes") == ["doc:a.md#Stripes"]
    assert set(found("zebra")) == {"doc:a.md", "doc:a.md#Zebra"}


def test_g108_code_is_found_by_the_first_2000_characters_of_its_text(
    folder: Path, opened_on_each: Open
) -> None:
    head = "def long():\n"
    line = "    other()\n"
    before = line * ((2000 - len(head)) // len(line) - 1)
    files = {"a.py": f"{head}{before}    zebra()\n{line * 3}    quokka()\n"}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    assert files["a.py"].index("zebra") < 2000 - len("zebra") < files["a.py"].index("quokka")
    assert "code:a.py#long" in ids(collection.search("zebra", profile="graph", kind="code"))
    assert collection.search("quokka", profile="graph", kind="code").results == ()


def test_g109_a_file_is_found_by_its_name_and_nothing_around_it(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines |= {"embedder": 0.4, "other": 0.9}
    files = {
        "src/lib/embedder.ts": "export function embed() {}\n",
        "src/lib/other.ts": "export const x = 1\n",
        "docs/embedder.md": "# About\n\nText.\n",
    }
    collection = filled(opened_on_each(folder), files)

    answer = collection.search("embedder.ts", profile="graph-files")

    assert ids(answer)[0] == "file:src/lib/embedder.ts"
    assert {hit.node.kind for hit in answer.results} == {Kind.FILE}
    assert not any(hit.score_type == "graph" for hit in answer.results)
    with pytest.raises(UsageError, match="bfs_depth is for profiles that spread"):
        collection.search("embedder.ts", profile="graph-files", bfs_depth=1)


def test_g109_a_file_is_found_by_what_it_offers(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines["authenticate"] = 0.9
    files = {
        "a.ts": "export function other() {}\n",
        "b.ts": "export function authenticate() {}\n",
    }
    collection = filled(opened_on_each(folder), files)

    answer = collection.search("who may log in", profile="graph-files")

    assert ids(answer)[0] == "file:b.ts"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"min_score": 1.1}, "min_score is 1.1; give 0 to 1"),
        ({"min_score": -0.1}, "min_score is -0.1; give 0 to 1"),
        ({"seeds": 501}, r"seeds \(topK\) is 501; give 1 to 500"),
        ({"seeds": 0}, r"seeds \(topK\) is 0; give 1 to 500"),
        ({"limit": 501}, "limit is 501; profile graph takes 1 to 500"),
        ({"bfs_depth": 11}, "bfs_depth is 11; give 0 to 10"),
        ({"bfs_decay": 1.1}, "bfs_decay is 1.1; give 0 to 1"),
        ({"min_score": math.nan}, "min_score is nan; give 0 to 1"),
        ({"bfs_decay": math.nan}, "bfs_decay is nan; give 0 to 1"),
    ],
)
def test_g111_what_is_out_of_range_is_refused(
    folder: Path, opened_on_each: Open, options: dict[str, float], says: str
) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), {"a.txt": "zebra"})

    with pytest.raises(UsageError, match=says):
        collection.search("zebra", profile="graph", **options)  # type: ignore[arg-type]


def test_g111_a_query_of_more_than_10000_characters_is_refused(
    folder: Path, opened_on_each: Open
) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), {"a.txt": "zebra"})

    assert ids(collection.search("zebra" + " " * 9_995, profile="graph", kind="doc"))
    with pytest.raises(QuerySyntaxError, match="10,001 characters; the most is 10,000"):
        collection.search("z" * 10_001, profile="graph")


@pytest.mark.parametrize("profile", ["graph", "best", "xplor"])
def test_g112_an_edited_and_a_removed_file_are_seen_by_the_next_search(
    folder: Path, opened_on_each: Open, profile: str
) -> None:
    files = {"a.md": "# Zebra\n\nText.\n", "b.md": "# Horse\n\nText.\n"}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    def found(query: str, *, sync: bool) -> set[str]:
        answer = collection.search(query, profile=profile, kind="doc", sync=sync)
        return {hit.source.file_path for hit in answer.results}

    assert found("zebra", sync=True) == {"a.md"}
    write_files(folder, {"a.md": "# Quokka, no longer what it was\n\nText.\n"})
    assert found("quokka", sync=True) == {"a.md"}
    assert found("zebra", sync=False) == set()

    (folder / "a.md").unlink()
    gone = collection.search("quokka", profile=profile, kind="doc")
    assert gone.results == ()
    assert "gone" in gone.degraded[-1].reason
    assert found("quokka", sync=True) == set()
    assert found("horse", sync=False) == {"b.md"}


def test_g113_methods_of_one_name_and_overloads_are_all_indexed(
    folder: Path, opened_on_each: Open
) -> None:
    text = (
        "export class Point {\n"
        "  get zebra() { return 1 }\n  set zebra(value) { this.v = value }\n}\n"
        "export class Line {\n  zebra() { return 2 }\n}\n"
        "export function stripe(a: string): void\nexport function stripe(a: number): void\n"
        "export function stripe(a: any) { return a }\n"
    )
    collection = filled(opened_on_each(folder, embedding__model="none"), {"a.ts": text})

    methods = collection.search(
        "zebra", profile="graph", filters={"type": "method"}, limit=20, min_score=0
    )
    functions = collection.search(
        "stripe", profile="graph", filters={"type": "function"}, limit=20, min_score=0
    )

    assert set(ids(methods)) == {
        "code:a.ts#Point.zebra",
        "code:a.ts#Point.zebra~2",
        "code:a.ts#Line.zebra",
    }
    assert len(functions.results) == 3
    assert {hit.node.name for hit in functions.results} == {"stripe"}


def test_g113_a_heading_inside_a_fence_is_text_of_its_section(
    folder: Path, opened_on_each: Open
) -> None:
    files = {"a.md": "# Title\n\n```sh\n## zebra\n```\n\nmore\n"}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    found = collection.search("zebra", profile="graph", kind="doc", bfs_depth=0)

    assert ids(found) == ["doc:a.md#Title"]
    assert [one.heading for one in collection.get("doc:a.md").sections] == ["Title"]


FIVE = {
    **{f"s{n}.py": f"def zebra{n}():\n    zebra()\n    helper{n}()\n" for n in range(1, 6)},
    **{f"h{n}.py": f"def helper{n}():\n    pass\n" for n in range(1, 6)},
}


def test_g114_neighbours_come_after_the_hits_of_best_and_take_no_place(
    folder: Path, opened_on_each: Open
) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), FIVE)
    options = {"profile": "best", "kind": "code", "limit": 5}

    plain = collection.search("zebra", **options)  # type: ignore[arg-type]
    around = collection.search("zebra", expand="context", **options)  # type: ignore[arg-type]

    assert len(plain.results) == 5
    assert around.results[:5] == plain.results
    added = around.results[5:]
    assert added
    assert {(hit.score, hit.score_type) for hit in added} == {(0.0, "context")}
    assert not {hit.id for hit in added} & set(ids(plain))


def test_g114_in_graph_a_near_neighbour_may_stand_before_a_far_seed(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    """The seed does so, and `graph` is the seed; `best` is there for who minds."""
    cosines |= {f"w{n}": 1 - 0.1 * n for n in range(5)}
    files = {f"{n}.txt": f"text w{n}" for n in range(1, 5)}
    files["a.md"] = "# Zebra\n\nSome w0 text.\n"
    collection = filled(opened_on_each(folder), files)

    answer = collection.search("nothing", profile="graph", kind="doc", bfs_decay=0.97, limit=5)

    seeds = [61 / (K + rank) for rank in range(1, 6)]
    assert [hit.score for hit in answer.results] == pytest.approx(
        [seeds[0], seeds[1], seeds[0] * 0.97, seeds[2], seeds[3]]
    )
    assert [hit.score_type for hit in answer.results] == ["rrf", "rrf", "graph", "rrf", "rrf"]
