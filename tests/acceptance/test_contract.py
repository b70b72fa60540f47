"""Cases G31 to G39 and G67 to G71 of seed 001, asked of both backends through `contract`.

G40 to G56 are about filters and stand with them, G57 to G64 in test_contract_explained and
test_contract_modes; G65 is about doors, G72 about several collections. G66, bundles of hits by
file over modes, is not planned: one answer is one list.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import pytest
from tests.acceptance import both
from tests.acceptance.both import ChosenEmbedder, Shelf, explained, hit_of, number, paths
from tests.acceptance.contract import (
    BODY_ONLY,
    COSINE,
    NINE_TENTHS,
    OPPOSITE,
    QUERY,
    WORDS,
    K,
    function,
)

from trivium.analysis.minhash import likeness, signature
from trivium.collection import Collection
from trivium.errors import QuerySyntaxError
from trivium.query.intent import intent
from trivium.ranking.profile import shipped
from trivium.results.explain import BREAKDOWN_KEYS
from trivium.types import Answer

ONE_DOCUMENT = math.log(4 / 3)
DEFINITION, EXPORT = 1.2, 1.1


@pytest.mark.parametrize(("combine", "kind"), [("repeat", "bm25"), ("sum", "bm25-fielded")])
def test_g31_one_term_in_one_document_scores_the_logarithm_of_four_thirds(
    shelf: Shelf, combine: str, kind: str
) -> None:
    collection = shelf.filled({"a.txt": "alpha"})
    mine = shelf.profile("single", f'[view]\ncombine = "{combine}"\n{BODY_ONLY}')

    (hit,) = collection.search("alpha", profile=mine, search_mode="keyword", explain=True).results

    assert hit.score == pytest.approx(ONE_DOCUMENT, rel=1e-6)
    sparse = explained(hit, "sparse")
    assert (sparse["type"], sparse["k1"], sparse["b"]) == (kind, 1.2, 0.75)
    assert number(hit, "sparse", "score") == hit.score
    assert explained(hit, "selected") == {"type": kind, "score": hit.score}


def test_g31_fields_are_summed_each_with_its_weight(shelf: Shelf) -> None:
    collection = shelf.filled({"a.txt": "alpha"})
    mine = shelf.profile("several", "[view.fields]\nbody = 2\nname = 3\n")

    (hit,) = collection.search("alpha", profile=mine, search_mode="keyword").results

    assert hit.node.name == "alpha"
    assert hit.score == pytest.approx(2 * ONE_DOCUMENT + 3 * ONE_DOCUMENT, rel=1e-6)


def test_g32_five_hits_unless_asked(shelf: Shelf) -> None:
    collection = shelf.filled({f"{number}.txt": "alpha" for number in range(12)})

    assert len(collection.search("alpha", profile="contract").results) == 5
    assert len(collection.search("alpha", profile="contract", limit=7).results) == 7


@pytest.mark.parametrize("search_mode", ["hybrid", "keyword", "vector"])
def test_g32_what_a_filter_leaves_is_found_behind_twelve_better_ones(
    shelf: Shelf, search_mode: str
) -> None:
    better = {f"other/{number:02}.txt": "alpha" for number in range(12)}
    wanted = {f"allowed/{number}.txt": f"{'some words more ' * 9}alpha" for number in range(2)}
    collection = shelf.filled({**better, **wanted})

    answer = collection.search(
        "alpha", profile="contract", limit=2, search_mode=search_mode, filters={"file": "allowed"}
    )

    assert sorted(paths(answer)) == sorted(wanted)


@pytest.mark.parametrize(
    ("profile", "settings", "exported", "factor"),
    [
        ("contract", "", False, DEFINITION),
        ("contract", "", True, DEFINITION * EXPORT),
        ("mine", "definition = 1.0", True, EXPORT),
        ("mine", "definition = 2.0\nexport = 3.0", True, 2.0 * 3.0),
    ],
)
def test_g33_definitions_and_exports_count_for_more_as_a_profile_says(
    shelf: Shelf, profile: str, settings: str, exported: bool, factor: float
) -> None:
    collection = shelf.filled({"a.ts": function("alpha", exported=exported)})
    shelf.profile("mine", f"[boost]\n{settings}\n")

    hit = collection.search("alpha", profile=profile, mode="code", explain=True).results[0]

    assert hit.node.name == "alpha"
    base = number(hit, "rrf", "score")
    assert base == 1 / (K + 1) + 1 / (K + 1)
    assert hit.score == pytest.approx(base * factor)
    assert number(hit, "symbol", "factor") == pytest.approx(factor)
    assert number(hit, "symbol", "boost") == pytest.approx(base * (factor - 1))
    assert explained(hit, "symbol")["export"] is exported
    assert both.parts_add_up(hit)


def test_g33_prose_is_no_symbol(shelf: Shelf) -> None:
    collection = shelf.filled({"a.md": "# alpha\n"})

    (hit,) = collection.search("alpha", profile="contract", explain=True).results

    assert hit.breakdown is not None
    assert hit.breakdown["symbol"] is None
    assert hit.score == 1 / (K + 1) + 1 / (K + 1)


@pytest.mark.parametrize(("phrases", "factor"), [(0, 1.0), (1, 1.1), (2, 1.2), (5, 1.5), (6, 1.5)])
def test_g34_each_quoted_phrase_adds_a_tenth_up_to_a_half(
    shelf: Shelf, phrases: int, factor: float
) -> None:
    pairs = [f"left{n} right{n}" for n in range(6)]
    collection = shelf.filled({"a.txt": " and ".join(pairs), "b.txt": "nothing of it"})
    query = " ".join([*(f'"{pair}"' for pair in pairs[:phrases]), "left5"])

    hit = collection.search(query, profile="contract", search_mode="keyword", explain=True)

    (only,) = hit.results
    assert only.score == pytest.approx(number(only, "sparse", "score") * factor)
    assert only.breakdown is not None
    if phrases:
        assert number(only, "phrase", "matches") == phrases
        assert number(only, "phrase", "factor") == pytest.approx(factor)
    else:
        assert only.breakdown["phrase"] is None
    assert both.parts_add_up(only)


def test_g35_a_phrase_and_then_both_boosts_of_symbols(shelf: Shelf) -> None:
    collection = shelf.filled({"a.ts": function("load", "// alpha beta", exported=True)})

    answer = collection.search('"alpha beta"', profile="contract", mode="code", explain=True)

    (hit,) = answer.results
    assert hit.score == pytest.approx((1 / (K + 1) + 1 / (K + 1)) * 1.1 * (1.2 * 1.1))
    assert hit.score == pytest.approx(0.0476066, abs=1e-7)
    assert [part.name for part in hit.parts[-2:]] == ["phrase", "symbol"]
    assert both.parts_add_up(hit)


RELATED = (
    "import { fetchAll, again, third, limit, config } from './b';\n"
    "export function load() {\n"
    "  return fetchAll(config, limit) + again() + third();\n"
    "}\n"
)


@pytest.mark.parametrize(
    ("settings", "query", "calls", "uses", "gain"),
    [
        ("call = 0.25\nuse = 0.1", "fetchAll config limit", 1, 2, 0.25 + 0.1 + 0.1),
        ("call = 0.6\nuse = 0.1", "fetchAll again third", 3, 0, 1.5),
        ("call = 0.6\nrelation_most = 0.7", "fetchAll again third", 3, 0, 0.7),
    ],
)
def test_g36_what_is_called_and_used_adds_up_to_a_limit(
    shelf: Shelf, settings: str, query: str, calls: int, uses: int, gain: float
) -> None:
    collection = shelf.filled({"a.ts": RELATED})
    mine = shelf.profile("related", f"[boost]\n{settings}\n")

    hit = collection.search(query, profile=mine, mode="code", explain=True).results[0]

    assert hit.node.name == "load"
    assert explained(hit, "relation") == {
        "calls": calls,
        "uses": uses,
        "boost": pytest.approx(gain),
    }
    without = collection.search(query, profile="contract", mode="code", explain=True).results[0]
    assert hit.score == pytest.approx(without.score + gain)
    assert both.parts_add_up(hit)


def test_g36_relations_add_nothing_unless_switched_on(shelf: Shelf) -> None:
    collection = shelf.filled({"a.ts": RELATED})

    answer = collection.search("fetchAll config limit", profile="contract", explain=True)

    assert answer.results[0].node.name == "load"
    assert [hit.breakdown and hit.breakdown["relation"] for hit in answer.results] == [
        None for _ in answer.results
    ]


@pytest.mark.parametrize("search_mode", ["hybrid", "keyword", "vector"])
@pytest.mark.parametrize(
    ("query", "excluded"),
    [
        ("alpha -gamma", {"ag.txt", "g.txt"}),
        ("alpha NOT gamma", {"ag.txt", "g.txt"}),
        ("alpha !gamma", {"ag.txt", "g.txt"}),
        ('alpha -"alpha beta"', {"ab.txt"}),
    ],
)
def test_g37_what_is_excluded_is_found_by_no_retriever(
    shelf: Shelf, query: str, excluded: set[str], search_mode: str
) -> None:
    collection = shelf.filled(WORDS)

    found = set(
        paths(collection.search(query, profile="contract", limit=20, search_mode=search_mode))
    )

    with_alpha = {"ab.txt", "ba.txt", "ag.txt"} - excluded
    assert with_alpha <= found
    assert not found & excluded
    if search_mode == "keyword":
        assert found == with_alpha


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("beta OR gamma", {"ab.txt", "ba.txt", "ag.txt", "g.txt"}),
        ("alpha beta", {"ab.txt", "ba.txt"}),
        ("alpha AND gamma", {"ag.txt"}),
        ("(beta OR xylophone) AND alpha", {"ab.txt", "ba.txt"}),
        ("alpha AND beta OR xylophone", {"ab.txt", "ba.txt", "x.txt"}),
        ("gamma xylophone", set()),
    ],
)
def test_g38_side_by_side_means_all_and_or_means_any(
    shelf: Shelf, query: str, found: set[str]
) -> None:
    collection = shelf.filled(WORDS)

    answer = collection.search(query, profile="contract", limit=20, search_mode="keyword")

    assert set(paths(answer)) == found


@pytest.mark.parametrize("query", ["-", "alpha - beta", "!(alpha AND beta)", "-(alpha beta)"])
def test_g39_an_exclusion_of_nothing_or_of_a_bracket_is_an_error(shelf: Shelf, query: str) -> None:
    collection = shelf.filled(WORDS)

    with pytest.raises(QuerySyntaxError):
        collection.search(query, profile="contract")


@pytest.mark.parametrize("query", ['"alpha beta', "(alpha beta", "alpha beta)"])
def test_g39_an_unbalanced_mark_is_read_as_any_of_the_words_and_said(
    shelf: Shelf, query: str
) -> None:
    collection = shelf.filled(WORDS)

    answer = collection.search(query, profile="contract", search_mode="keyword")

    assert set(paths(answer)) == {"ab.txt", "ba.txt", "ag.txt"}
    assert [note for note in answer.notes if note.startswith("read as plain words")]


@pytest.mark.parametrize("profile", ["best", "contract", "contract-blend"])
def test_g67_what_only_meaning_finds_is_found(shelf: Shelf, profile: str) -> None:
    chosen = ChosenEmbedder({"automobile": NINE_TENTHS, "fruit": OPPOSITE, "car": QUERY})
    collection = shelf.filled(
        {"a.txt": "automobile parked outside", "b.txt": "fruit on a table"}, embedder=chosen
    )

    answer = collection.search("my car engine", profile=profile, explain=True)

    assert paths(answer)[0] == "a.txt"
    assert number(answer.results[0], "ann", "score") == pytest.approx(COSINE, abs=1e-5)
    assert collection.search("my car engine", profile=profile, search_mode="keyword").results == ()


@pytest.mark.parametrize("profile", ["best", "contract", "contract-blend"])
def test_g68_function_words_of_a_question_need_not_be_in_the_text(
    shelf: Shelf, profile: str
) -> None:
    collection = shelf.filled(
        {"a.md": "# Logging\n\nConfigure the logger.\n", "b.md": "# Other\n\nSomething.\n"},
        model="none",
    )

    answer = collection.search("how to configure logger", profile=profile)

    assert paths(answer) == ["a.md"]


@pytest.mark.parametrize(
    ("query", "kind", "bucket"),
    [
        ("src/server/index.js", "path", "medium"),
        ("https://example.com/docs/api", "url", "high"),
        ("cacheHit && key", "code", "high"),
        ("alpha", "mixed", "low"),
    ],
)
def test_g69_the_intent_of_a_query(query: str, kind: str, bucket: str) -> None:
    found = intent(query)

    assert (found.type, found.bucket) == (kind, bucket)
    assert found.has_abstained is (bucket == "low")


def test_g69_the_intent_chooses_the_weights_of_fields(shelf: Shelf) -> None:
    collection = shelf.filled({"a.txt": "src/server/index.js"})

    (by_path,) = collection.search(
        "src/server/index.js", profile="contract", search_mode="keyword"
    ).results
    (by_words,) = collection.search(
        "src server index js", profile="contract", search_mode="keyword"
    ).results

    # name, description and body each hold the four words; a question is prose, a path is not.
    assert by_path.score == pytest.approx((2.4 + 0.9 + 0.7) * 4 * ONE_DOCUMENT, rel=1e-6)
    assert by_words.score == pytest.approx((1.2 + 2.1 + 1.7) * 4 * ONE_DOCUMENT, rel=1e-6)


# Seed 001's table: body, keyword and operator of each intent, and how many words the query has.
# An operator that stands there twice is asked for twice: / in a path.
OF_CODE = [
    ("cacheHit && return", "code", (1.0, 0.25, 0.05), len(["cache", "hit", "cachehit", "return"])),
    ("how does return work?", "prose", (1.7, 0.2, 0.05), len(["how", "does", "return", "work"])),
    (
        "src/server/index.js return",
        "path",
        (0.7, 0.2, 0.05),
        len(["src", "server", "index", "js"]) + 1,
    ),
    ("https://example.com/docs/api return", "url", (1.7, 0.2, 0.05), 5 + 1),
    ("return ?", "mixed", (1.2, 0.25, 0.05), 1),
]


def of_operators(*times: int) -> float:
    """What operators that stand so often in the one document, and in the query, score."""
    return sum(often * ONE_DOCUMENT * often * 2.2 / (often + 1.2) for often in times)


OPERATORS = {
    "code": of_operators(1),
    "prose": of_operators(1),
    "path": of_operators(2, 1),
    "url": of_operators(1, 1, 2),
    "mixed": of_operators(1),
}


@pytest.mark.parametrize("profile", ["contract", "contract-blend"])
@pytest.mark.parametrize(("query", "kind", "weights", "words"), OF_CODE)
def test_g69_the_intent_weighs_keywords_and_operators_of_code(
    shelf: Shelf,
    query: str,
    kind: str,
    weights: tuple[float, float, float],
    words: int,
    profile: str,
) -> None:
    collection = shelf.filled({"zz.py": query}, model="none")

    (hit,) = collection.search(query, profile=profile, explain=True).results

    body, keyword, operator = weights
    assert intent(query).effective == kind
    expected = body * words * ONE_DOCUMENT + keyword * ONE_DOCUMENT + operator * OPERATORS[kind]
    assert number(hit, "sparse", "score") == pytest.approx(expected, rel=1e-6)
    shown = explained(hit, "sparse")["weights"]
    assert isinstance(shown, dict)
    assert (shown["body"], shown["keyword"], shown["operator"]) == weights
    assert both.parts_add_up(hit)


def test_g69_an_operator_raises_what_holds_it_and_loses_no_hit(shelf: Shelf) -> None:
    collection = shelf.filled(
        {
            "a.js": "use(cacheHit, key)",
            "b.js": "use(cacheHit && key)",
            "c.js": "use('cacheHit && key') // cacheHit && key",
            "d.md": "Say `cacheHit && key`.\n",
            "e.js": "use(cacheHit && other)",
        },
        model="none",
    )

    answer = collection.search("cacheHit && key", profile="contract", mode="code")
    plain = collection.search("cacheHit key", profile="contract", mode="code")
    every = collection.search("cacheHit && key", profile="contract")

    assert set(paths(answer)) == set(paths(plain)) == {"a.js", "b.js", "c.js"}
    assert paths(answer).index("b.js") < paths(answer).index("a.js")
    assert set(paths(every)) == {"a.js", "b.js", "c.js", "d.md"}


def test_g69_operators_alone_find_the_code_that_holds_them(shelf: Shelf) -> None:
    collection = shelf.filled({"a.js": "a(b, c)", "b.js": "a(b && c)", "c.md": "# One && two\n"})

    (hit,) = collection.search("&&", profile="contract").results

    assert hit.source.file_path == "b.js"
    # In one of the two files of code, which have three operators each.
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    assert hit.score == pytest.approx(
        0.05 * idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / 3)), rel=1e-5
    )
    assert hit.reason == "has &&"


@pytest.mark.parametrize("query", ["return", "for"])
def test_g69_a_keyword_counts_once_more_in_code_that_uses_it(shelf: Shelf, query: str) -> None:
    used = "for x in y:\n    return x\n"
    collection = shelf.filled({"a.py": used, "b.py": "x = 'for return in y x'\n"}, model="none")

    answer = collection.search(query, profile="contract")

    assert paths(answer)[0] == "a.py"
    gained = (
        0.25 * math.log(1 + (2 - 1 + 0.5) / (1 + 0.5)) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / 1.5))
    )
    mine = shelf.profile("wordy", "[view.fields]\nbody = 1.2\n")
    alone = hit_of(collection.search(query, profile=mine), "a.py").score
    assert answer.results[0].score == pytest.approx(alone + gained, rel=1e-5)


def test_g70_signatures_tell_how_alike_two_sets_of_words_are() -> None:
    one = signature(["alpha", "beta", "gamma", "delta", "omega"])
    other = signature(["alpha", "beta", "gamma", "delta", "sigma"])

    assert likeness(one, other) == pytest.approx(4 / 6, abs=0.1)


COPIES = {
    "a.txt": "alpha " + " ".join(f"word{number}" for number in range(60)),
    "b.txt": "alpha " + " ".join(f"word{number}" for number in range(60)) + " and three words",
    "c.txt": "alpha stands in this text as well, among " + " ".join(f"x{n}" for n in range(80)),
}


def test_g70_what_repeats_a_better_hit_is_left_out_if_asked(shelf: Shelf) -> None:
    collection = shelf.filled(COPIES, model="none")

    every = collection.search("alpha", profile="contract")
    once = collection.search("alpha", profile="contract", dedupe=True)

    assert paths(every) == ["a.txt", "b.txt", "c.txt"]
    assert paths(once) == ["a.txt", "c.txt"]
    assert (every.total, once.total) == (3, 3)
    assert sum(once.facets["kind"].values()) == once.total
    assert once.notes == ("left out 1 hit that repeats a better one",)


def test_g70_being_a_repeat_takes_a_share_of_the_score_where_a_profile_says(shelf: Shelf) -> None:
    collection = shelf.filled(COPIES, model="none")
    half = shelf.profile("half", "[boost]\nduplicate = 0.5\n")
    strict = shelf.profile("strict", "[boost]\nduplicate = 0.5\nduplicate_at = 1.0\n")

    before = {hit.id: hit.score for hit in collection.search("alpha", profile="contract").results}
    answer = collection.search("alpha", profile=half, explain=True)

    assert paths(answer) == ["a.txt", "c.txt", "b.txt"]
    last = answer.results[-1]
    assert last.score == pytest.approx(before[last.id] * (1 - 0.5))
    assert last.parts[-1].name == "repeats doc:a.txt"
    assert last.parts[-1].value == pytest.approx(-0.5 * before[last.id])
    assert all(both.parts_add_up(hit) for hit in answer.results)
    assert [hit.score for hit in answer.results[:2]] == [before["doc:a.txt"], before["doc:c.txt"]]
    assert paths(collection.search("alpha", profile=strict)) == ["a.txt", "b.txt", "c.txt"]


PARITY = {
    "src/auth.ts": "import { hash } from './hash';\n"
    "/** Log a user in by password. */\n"
    "export function loginUser(name: string, password: string) {\n  return hash(password);\n}\n"
    "export class Session {\n  close() { return loginUser('a', 'b'); }\n}\n",
    "src/hash.ts": "/** Hash a password. */\nexport function hash(text: string) { return text; }\n",
    "tools/report.py": "from tools.load import load\n\n\ndef report(path):\n"
    '    """Report what load found."""\n    return load(path)\n',
    "tools/load.py": "def load(path):\n    # read a file of users\n    return open(path)\n",
    "docs/guide.md": "# Guide\n\n## Install\n\nRun pip install, then log in.\n\n"
    "## Passwords\n\nA password is hashed, see `hash`. [Install](#install)\n",
    "docs/faq.md": "# Questions\n\nWhere is a password kept? Nowhere.\n",
    "skills/review/SKILL.md": "---\nname: review\ndescription: Review a change of a login.\n---\n\n"
    "# Review\n\nLook at [[guide]] first.\n",
    "orders.jsonl": '{"id": "o1", "name": "password reset"}\n{"id": "o2", "name": "login page"}\n',
}
ASKED = (
    "password",
    "login user",
    "loginUser",
    '"hash a password"',
    "where are passwords hashed",
    "load OR install",
    "password -reset",
    "src/auth.ts",
    "review a change of a login",
    "zebra",
    "",
)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Collection]]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        folder = tmp_path_factory.mktemp("pair")
        shelves = [both.shelf_in(folder, backend, monkeypatch) for backend in both.BACKENDS]
        with shelves[0] as embedded, shelves[1] as reference:
            yield {one.backend: one.filled(PARITY) for one in (embedded, reference)}


def shown(answer: Answer) -> list[tuple[str, str, Mapping[str, list[str] | None], list[str]]]:
    """Return of each hit its id, its type, the keys of its breakdown and inside, its parts."""
    return [
        (
            hit.id,
            hit.score_type,
            {
                key: sorted(value) if isinstance(value, dict) else None
                for key, value in (hit.breakdown or {}).items()
            },
            [part.name for part in hit.parts],
        )
        for hit in answer.results
    ]


@pytest.mark.parametrize("search_mode", ["hybrid", "keyword", "vector"])
@pytest.mark.parametrize("profile", shipped())
def test_g71_both_backends_find_the_same_and_explain_it_alike(
    pair: Mapping[str, Collection], profile: str, search_mode: str
) -> None:
    found = 0
    for query in ASKED:
        embedded, reference = (
            pair[backend].search(
                query, profile=profile, search_mode=search_mode, limit=20, explain=True
            )
            for backend in both.BACKENDS
        )

        assert shown(embedded) == shown(reference), query
        assert [hit.score for hit in embedded.results] == pytest.approx(
            [hit.score for hit in reference.results], rel=1e-3, abs=1e-5
        ), query
        assert (embedded.total, embedded.method) == (reference.total, reference.method)
        for hit in embedded.results:
            assert set(hit.breakdown or ()) == set(BREAKDOWN_KEYS)
            assert both.parts_add_up(hit), (query, hit.id)
        found += len(embedded.results)
    assert found > 0


def test_g71_there_are_ten_profiles() -> None:
    assert len(shipped()) == 10
