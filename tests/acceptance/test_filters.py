"""Cases G40 to G56, G64 and G84: every filter, before ranking, on both backends.

Each case is asked of a real folder through Python, once on each backend; the last one is asked
on the command line, which has the embedded one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pygit2
import pytest

from trivium.collection import Collection
from trivium.doors.cli.main import main
from trivium.errors import FilterError
from trivium.filtering.conditions import Given
from trivium.ranking.profile import profile

Open = Callable[..., Collection]
# Every text holds this word, so that only the filter decides.
WORD = "marker"
# By the rules of risk.toml: a request, and what runs what it is given.
FLOW = 0.6 * 0.8 + 0.1


@dataclass
class Shop:
    """A folder to write to and to ask."""

    folder: Path
    collection: Collection

    def write(self, path: str, text: str) -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def names(
        self, given: Mapping[str, Given] | None = None, *, mode: str = "mixed", **more: Given
    ) -> list[str]:
        """Return the names of what is found, in order of the alphabet."""
        filters = {**(given or {}), **more}
        self.collection.sync()
        self.collection.remember()
        answer = self.collection.search(
            WORD, limit=50, filters=filters, mode=mode, search_mode="keyword"
        )
        return sorted(hit.node.name for hit in answer.results)


@pytest.fixture
def shop(folder: Path, opened_on_each: Open) -> Shop:
    return Shop(folder, opened_on_each(folder, embedding__model="none"))


def function(name: str, *, inside: str = "", before: str = "", parameters: str = "") -> str:
    return f"{before}def {name}({parameters}):\n    '''{WORD}'''\n    {inside or 'pass'}\n\n"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("js", ["in_js"]),
        ("ts", ["in_ts"]),
        ("c++", ["in_cpp"]),
        ("golang", ["in_go"]),
        (["js", "golang"], ["in_go", "in_js"]),
        ("cobol", []),
    ],
)
def test_g40_languages_go_by_their_short_names(
    shop: Shop, typed: str | list[str], found: list[str]
) -> None:
    shop.write("a.js", f"function in_js() {{ /* {WORD} */ }}\n")
    shop.write("b.ts", f"function in_ts() {{ /* {WORD} */ }}\n")
    shop.write("c.cpp", f"int in_cpp() {{ return 1; /* {WORD} */ }}\n")
    shop.write("d.go", f"package a\n\nfunc in_go() {{ /* {WORD} */ }}\n")

    assert shop.names(type="function", lang=typed) == found


def test_g41_endings_are_written_in_any_way_and_two_filters_on_them_contradict(shop: Shop) -> None:
    for name, ending in (("a", "js"), ("c", "ts"), ("d", "tsx")):
        shop.write(f"{name}.{ending}", f"function {name}() {{ /* {WORD} */ }}\n")
    shop.write("b.md", f"# b\n\n{WORD}\n")

    sorts = ["function", "section"]
    assert shop.names(type=sorts, ext=["*.js", "JS", ".Md"]) == ["a", "b"]
    assert shop.names(type=sorts, ext=".tsx", filter="ext=.ts") == []
    assert shop.names(type=sorts, ext=".tsx", filter="ext=.tsx") == ["d"]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (r"/util\.ts$/i", ["a", "b"]),
        (r"/util\.ts$/", ["b"]),
        ("UTIL.ts", ["a", "b"]),
        (r"src\util", ["b"]),
        ("util(", ["c"]),
        ("/util(/", []),
        (["/Util/", "/^lib/"], ["a", "c"]),
        ([r"/^lib/", "src/UTIL"], ["b", "c"]),
    ],
)
def test_g42_a_path_may_be_a_pattern_and_one_that_cannot_be_read_is_a_part_of_it(
    shop: Shop, typed: str | list[str], found: list[str]
) -> None:
    for name, path in (("a", "top/Util.ts"), ("b", "src/util.ts"), ("c", "lib/util(.ts")):
        shop.write(path, f"export function {name}() {{ /* {WORD} */ }}\n")

    assert shop.names(type="function", file=typed) == found


def test_g43_a_value_that_is_a_whole_path_does_not_lose_the_others(shop: Shop) -> None:
    shop.write("lib/ab/x.js", f"function x() {{ /* {WORD} */ }}\n")
    shop.write("src/longname.js", f"function long() {{ /* {WORD} */ }}\n")
    shop.write("src/other.js", f"function other() {{ /* {WORD} */ }}\n")

    assert shop.names(type="function", file=["ab", "src/longname.js"]) == ["long", "x"]


def test_g44_types_are_compared_whole_and_without_case(shop: Shop) -> None:
    shop.write("a.py", f"class Box:\n    '''{WORD}'''\n\n\n" + function("run"))

    assert shop.names(type="Function") == ["run"]
    assert shop.names(type="FunctionDeclaration") == ["run"]
    assert shop.names(type=["function", "CLASS"]) == ["Box", "run"]
    assert shop.names(type="func") == []


def test_g44_a_kind_is_a_type_where_the_profile_says_so(shop: Shop) -> None:
    shop.write("a.py", function("run"))
    shop.collection.sync()

    answer = shop.collection.search(WORD, kind="FunctionDeclaration", profile="contract")

    assert [hit.node.name for hit in answer.results] == ["run"]


def test_g45_a_signature_contains_the_value_with_its_case(shop: Shop) -> None:
    shop.write("a.py", function("foo", parameters="bar") + function("Foo"))

    assert shop.names(signature="foo") == ["foo"]
    assert shop.names(signature="foo(bar)") == ["foo"]
    assert shop.names(signature="Foo(") == ["Foo"]


def test_g46_a_parameter_is_compared_whole(shop: Shop) -> None:
    shop.write("a.py", function("foo", parameters="bar, other=1"))

    assert shop.names(param="bar") == ["foo"]
    assert shop.names(param=["zip", "other"]) == ["foo"]
    assert shop.names(param="ba") == []
    assert shop.names(param="Bar") == []


def test_g47_calls_are_compared_on_both_sides(shop: Shop) -> None:
    shop.write(
        "a.py",
        function("x", inside="fetch()") + function("fetch", inside="api.load()") + function("y"),
    )

    assert shop.names(calls="fetch") == ["fetch", "x"]
    assert shop.names(calls="Fetch") == []
    assert shop.names(calls="api.load") == shop.names(calls="load") == ["fetch"]
    assert shop.names(calls="y") == []


def test_g48_uses_are_compared_whole(shop: Shop) -> None:
    before = "from settings import config\n\n\n"
    shop.write("a.py", before + function("x", inside="return config.port") + function("y"))

    assert shop.names(uses="config") == ["x"]
    assert shop.names(uses="conf") == shop.names(uses="Config") == []


def test_an_import_of_the_file_is_one_of_all_that_is_in_it(shop: Shop) -> None:
    shop.write("a.py", "import os\n\n\n" + function("x"))
    shop.write("b.py", "import ossify\n\n\n" + function("y"))

    assert [one for one in shop.names({"import": "os"}) if one in "xy"] == ["x"]


def test_g49_types_declared_and_inferred(shop: Shop) -> None:
    shop.write(
        "a.ts",
        f"function make(): Widget {{ /* {WORD} */ return build(); }}\n"
        f"function take(one: Widget) {{ /* {WORD} */ }}\n"
        f"function hold() {{ const w = new Widget(); /* {WORD} */ }}\n"
        f"function none() {{ /* {WORD} */ }}\n",
    )

    assert shop.names(type="function", returnType="widget") == ["make"]
    assert shop.names(type="function", inferred_type="WIDG") == ["hold", "make", "take"]


def test_g50_a_command_from_a_request_is_found_by_its_risk(shop: Shop) -> None:
    shop.write(
        "a.js",
        f"function risky(req) {{ const cmd=req.body.cmd; exec(cmd) /* {WORD} */ }}\n"
        f"function safe(req) {{ return 1 /* {WORD} */ }}\n",
    )

    for name, value in (
        ("risk", "command-exec"),
        ("riskTag", "HTTP"),
        ("risk_source", "req.body"),
        ("risk-sink", "exec"),
        ("riskCategory", "command"),
        ("risk-flow", "req.body->exec"),
    ):
        assert shop.names({name: value}) == ["risky"], name
    assert shop.names(risk="command-exec", riskTag="sql") == []
    assert shop.names(risk="sql", riskTag="command-exec") == ["risky"]
    item = shop.collection.get("code:a.js#risky")
    assert item.node.metadata["riskSeverity"] == "high"
    assert item.node.metadata["riskFlowConfidence"] == (f"{FLOW:.2f}",)


def test_g51_a_sanitised_variable_is_not_found_by_its_flow(shop: Shop) -> None:
    shop.write(
        "a.js",
        f"function direct(req) {{ eval(req.query.b) /* {WORD} */ }}\n"
        f"function clean(req) {{ /* {WORD} */\n  const t = escape(req.query.x);\n"
        "  el.innerHTML = t;\n}\n",
    )

    assert shop.names(riskFlow="req.query->") == ["direct"]
    assert shop.names(riskSink="innerhtml") == ["clean"]


def test_g52_branches_are_counted_and_what_has_none_is_left_out(shop: Shop) -> None:
    inside = "\n    ".join(["if a:", "    pass", "if b:", "    pass"])
    shop.write("a.py", function("two", inside=inside) + function("none"))
    shop.write("b.md", f"# Text\n\n{WORD}\n")

    assert shop.names(branches=1) == shop.names(branches="2") == ["two"]
    assert shop.names(branches=3) == []
    assert shop.names(branchesMin=1) == ["two"]


def test_flags_take_true_only(shop: Shop) -> None:
    shop.write("a.py", function("quick", before="async ") + function("slow", inside="return 1"))

    assert shop.names({"async": True}) == ["quick"]
    assert shop.names(returns="true") == ["slow"]
    for off in (False, None, "false"):
        assert shop.names({"async": off}, type="function") == ["quick", "slow"]


def commit(folder: Path, *, author: str, when: int) -> None:
    repository = (
        pygit2.Repository(folder)
        if (folder / ".git").exists()
        else pygit2.init_repository(folder, initial_head="main")
    )
    repository.index.add_all()
    repository.index.write()
    by = pygit2.Signature(author, "x@example.com", when, 0)
    parents = [] if repository.head_is_unborn else [repository.head.target]
    repository.create_commit("HEAD", by, by, "change", repository.index.write_tree(), parents)


# 2025-01-01 and a day later.
NEW_YEAR = 1_735_689_600
DAY = 86_400


@pytest.fixture
def told(shop: Shop) -> Shop:
    return with_history(shop)


def with_history(shop: Shop) -> Shop:
    """Have Carol write a.py twice and John Smith b.py, a day later."""
    shop.write("a.py", function("early"))
    commit(shop.folder, author="Carol", when=NEW_YEAR - DAY)
    shop.write("a.py", function("carols"))
    commit(shop.folder, author="Carol", when=NEW_YEAR)
    shop.write("b.py", function("johns"))
    commit(shop.folder, author="John Smith", when=NEW_YEAR + DAY)
    shop.write("c.py", function("nobodys"))
    return shop


def test_g53_an_author_is_found_by_a_part_of_the_name_and_a_space_parts_nothing(told: Shop) -> None:
    assert told.names(author="car") == ["carols"]
    assert told.names(author="John Smith") == ["johns"]
    assert told.names(author=["carol", "smith"]) == ["carols", "johns"]
    assert told.names(chunkAuthor="SMITH") == ["johns"]
    assert told.names(churn=2) == ["carols"]


def test_g55_what_was_never_committed_is_left_out_and_the_later_date_counts(told: Shop) -> None:
    assert told.names(modifiedAfter="2025-01-01") == ["carols", "johns"]
    assert told.names(modified_since="2025-01-02") == ["johns"]
    assert told.names(modifiedAfter="2025-01-01", modifiedSince="2025-01-02") == ["johns"]
    assert told.names(modifiedSince="2025-01-01", modifiedAfter="2025-01-02") == ["johns"]
    assert told.names(modifiedAfter="2025-01-02T00:00:01Z") == []
    with pytest.raises(FilterError, match="modified-after takes a date"):
        told.names(modifiedAfter="yesterday")


def test_another_branch_finds_nothing(told: Shop) -> None:
    assert told.names(branch="main", author="carol") == ["carols"]
    assert told.names(branch=["dev", "main"], author="carol") == ["carols"]
    assert told.names(branch="dev") == told.names(branch="Main") == []


def test_g54_fields_of_records(shop: Shop) -> None:
    rows = [
        {"name": "one", "word": WORD, "service": "API gate", "at": {"city": "Oslo"}},
        {"name": "two", "word": WORD, "service": "web", "tags": ["a", "Blue"]},
        {"name": "three", "word": WORD, "service": ""},
    ]
    shop.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))

    assert shop.names(meta="service=api") == ["one"]
    assert shop.names(meta="service") == ["one", "two"]
    assert shop.names(meta="at.city=osl") == ["one"]
    assert shop.names(meta="tags=blue") == ["two"]
    assert shop.names(meta=["service=web", "at.city"]) == ["one", "two"]
    assert shop.names(meta={"service": ["api", "web"], "at": {"city": None}}) == ["one"]
    assert shop.names(metaJson='{"service": "api", "name": "one"}') == ["one"]
    assert shop.names(metaJson='{"service": "api", "name": "two"}') == []
    with pytest.raises(FilterError, match="meta-json takes a JSON object"):
        shop.names(metaJson="service=api")


def test_front_matter_holds_for_the_whole_document(shop: Shop) -> None:
    for name, status, due in (("a", "Open", "2025-01-31"), ("b", "done", "2025-03-01")):
        head = f"---\nstatus: {status}\npriority: 2\nassignee: Ann\ndue: {due}\n---\n"
        shop.write(f"{name}.md", f"{head}# {name}\n\n{WORD}\n")

    assert shop.names(status="open") == ["a"]
    assert shop.names(priority=2, assignee="ann") == ["a", "b"]
    assert shop.names(dueBefore="2025-02-01") == ["a"]
    assert shop.names(dueBefore="2025-01-31") == []
    assert shop.names(meta="assignee=an", status="done") == ["b"]


def test_g56_filters_must_all_hold_and_an_unknown_one_is_named(shop: Shop) -> None:
    shop.write("a.py", function("foo", parameters="bar") + function("baz", parameters="bar"))

    assert shop.names(param="bar", name="foo") == ["foo"]
    assert shop.names(param="bar", name="qux") == []
    assert shop.names(filter="lang:py name:baz a.py") == ["baz"]
    with pytest.raises(FilterError, match=r"Unknown filter 'langage'. Did you mean 'lang'"):
        shop.names(filter="langage:py")
    with pytest.raises(FilterError, match=r"Unknown filter 'riskTg'. Did you mean 'risk-tag'"):
        shop.names(riskTg="x")


def test_g64_records_are_not_left_out_for_what_only_code_has(shop: Shop) -> None:
    row = {"word": WORD, "service": "api"}
    shop.write("rows.jsonl", json.dumps({"name": "one", **row}) + "\n")
    shop.write("more.csv", f"name,word,service\ntwo,{WORD},web\n")

    for name, value in (("signature", "x"), ("calls", "x"), ("async", True), ("risk", "sql")):
        assert shop.names({name: value}, mode="records") == ["one", "two"]
    assert shop.names(mode="records", file="rows") == ["one"]
    assert shop.names(mode="records", ext="csv", signature="x") == ["two"]
    assert shop.names(mode="records", meta="service=web", signature="x") == ["two"]
    assert shop.names(signature="x") == []


@pytest.mark.parametrize(
    ("category", "found"),
    [
        ("all", ["a", "b", "c", "d", "e"]),
        ("api", ["a", "b"]),
        ("community", ["c", "d"]),
        ("guides", ["e"]),
        ("tutorial", ["e"]),
        ("api-docs", ["b"]),
        (["api", "guides"], ["a", "b", "e"]),
        ("none", []),
    ],
)
def test_g84_categories(shop: Shop, category: str | list[str], found: list[str]) -> None:
    domains = ("api", "api-docs", "community", "community-bloggers", "tutorial")
    for name, domain in zip("abcde", domains, strict=True):
        shop.write(f"{name}.md", f"---\ndomain: {domain}\n---\n# {name}\n\n{WORD}\n")

    assert shop.names(category=category) == found


def test_g84_a_category_is_filtered_before_ranking(shop: Shop) -> None:
    """Far more documents of another category rank higher than are ever candidates."""
    for number in range(profile("best").retrieval.depth + 20):
        text = f"---\ndomain: api\n---\n# {WORD} {number}\n\n{WORD} {WORD}\n"
        shop.write(f"{number}.md", text)
    shop.write("z.md", f"---\ndomain: tutorial\n---\n# Last\n\n{WORD} {'word ' * 300}\n")

    shop.collection.sync()
    answer = shop.collection.search(WORD, filters={"category": "guides"}, search_mode="keyword")
    assert [hit.node.name for hit in answer.results] == ["Last"]


def on_command_line(
    shop: Shop,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *arguments: str,
) -> list[str]:
    monkeypatch.setenv("TRIVIUM_HOME", str(shop.collection.settings.home))
    monkeypatch.setenv("TRIVIUM_CONFIG", "none.toml")
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "none")
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["search", WORD, str(shop.folder), "--json", *arguments])
    out = capsys.readouterr().out
    return sorted(hit["name"] for hit in json.loads(out)["results"]) if out else []


def test_g41_g43_and_g53_on_the_command_line(
    folder: Path,
    opened: Open,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = with_history(Shop(folder, opened(folder, embedding__model="none")))
    told.write("lib/ab/x.js", f"function x() {{ /* {WORD} */ }}\n")
    told.write("src/longname.js", f"function long() {{ /* {WORD} */ }}\n")
    told.collection.sync()
    told.collection.remember()

    def found(*arguments: str) -> list[str]:
        return on_command_line(told, monkeypatch, capsys, *arguments)

    assert found("--file", "ab,src/longname.js", "--type", "function") == ["long", "x"]
    assert found("--ext", "*.JS,.Md", "--type", "function") == ["long", "x"]
    assert found("--author", "John Smith") == ["johns"]
    assert found("--author", "John", "--author", "Carol") == ["carols", "johns"]
    assert found("--ext", ".tsx", "--filter", "ext=.ts") == []
    assert found("--filter", "lang:js longname", "--type", "function") == ["long"]
    assert found("--path", "/^lib,?/", "--type", "function") == ["x"]
