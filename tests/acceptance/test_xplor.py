"""Cases G11 to G30 of seed 000, asked of a collection through the `xplor` profile.

G20 is about a door and tested there; what stands in test_skill_graph and test_structure about
G23 to G26 and G29 is asked here of whole folders, on both backends. G27 is not planned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import trivium
from trivium.collection import Collection
from trivium.errors import UsageError
from trivium.ranking.signals import linked
from trivium.results.pack import Disclosed, Level
from trivium.testing.folders import filled
from trivium.types import Answer, EdgeType

Open = Callable[..., Collection]

# Cosines and BM25 are kept as 32-bit floats.
CLOSE = 1e-5
# What every skill is linked with: the file it stands in.
OF_ITS_FILE = 1


def skill(name: str, body: str = "", **front: str) -> str:
    said = {"name": name, "description": "what it does", "domain": "calm", **front}
    lines = [f"{key}: {value}" for key, value in said.items() if value]
    return "\n".join(["---", *lines, "---", "", body, ""])


def linked_by(name: str, degree: int) -> str:
    """A skill with so many sections that link to `name` that its degree is `degree`."""
    sections = [f"## Part {n}\n\nLinks to [[{name}]].\n" for n in range(degree - OF_ITS_FILE)]
    return skill("Others", "\n".join(sections))


def scores(answer: Answer) -> dict[str, float]:
    return {hit.id: hit.score for hit in answer.results}


def ids(answer: Answer) -> list[str]:
    return [hit.id for hit in answer.results]


def degree_of(collection: Collection, node_id: str) -> int:
    return len(collection.get(node_id).edges)


def test_g11_words_meaning_and_degree_add_up_to_the_score(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines["striped"] = 0.8
    files = {
        "skills/zebra.md": skill("Zebra", "A striped animal."),
        "skills/others.md": linked_by("Zebra", 12),
    }
    collection = filled(opened_on_each(folder), files)

    answer = collection.search("zebra", profile="xplor", kind="skill", explain=True)

    first = answer.results[0]
    assert (first.id, degree_of(collection, first.id)) == ("skill:zebra", 12)
    assert {part.name: part.value for part in first.parts} == {
        "text": pytest.approx(0.6 * 1),
        "vectors": pytest.approx(0.3 * 0.8, abs=CLOSE),
        "degree": pytest.approx(0.1 * min(1, 12 / 20)),
    }
    assert first.score == pytest.approx(0.6 * 1 + 0.3 * 0.8 + 0.1 * min(1, 12 / 20), abs=CLOSE)
    assert first.score == pytest.approx(0.90, abs=CLOSE)
    assert answer.method == "hybrid"


def test_g11_a_negative_cosine_counts_as_none(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines["striped"] = -0.8
    files = {"skills/zebra.md": skill("Zebra", "A striped animal.")}
    collection = filled(opened_on_each(folder), files)

    first = collection.search("zebra", profile="xplor", kind="skill").results[0]

    assert first.score == pytest.approx(0.6 * 1 + 0.3 * 0 + 0.1 * OF_ITS_FILE / 20)


def test_g12_without_embeddings_meaning_adds_nothing_and_the_method_says_so(
    folder: Path, opened_on_each: Open
) -> None:
    files = {
        "skills/zebra.md": skill("Zebra", "A striped animal."),
        "skills/others.md": linked_by("Zebra", 12),
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    answer = collection.search("zebra", profile="xplor", kind="skill")

    assert answer.results[0].score == pytest.approx(0.6 * 1 + 0.3 * 0 + 0.1 * min(1, 12 / 20))
    assert answer.results[0].score == pytest.approx(0.66)
    assert answer.method == "bm25"
    assert [one.stage for one in answer.degraded] == ["vectors"]


@pytest.mark.parametrize("degree", [OF_ITS_FILE, 20, 200])
def test_g13_the_boost_grows_up_to_a_degree_of_20(
    folder: Path, opened_on_each: Open, degree: int
) -> None:
    files = {"skills/zebra.md": skill("Zebra"), "skills/others.md": linked_by("Zebra", degree)}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    hit = collection.search("zebra", profile="xplor", kind="skill", explain=True).results[0]

    boost = min(1, degree / 20)
    assert degree_of(collection, "skill:zebra") == degree
    assert hit.score == pytest.approx(0.6 * 1 + 0.1 * boost)
    assert hit.breakdown is not None
    assert hit.breakdown["degree"] == {"degree": degree, "boost": pytest.approx(0.1 * boost)}


def test_g13_what_is_linked_to_nothing_has_no_boost() -> None:
    # In a folder everything lies in something: no search can show a degree of 0.
    assert linked(0) == 0.0
    assert linked(20) == linked(200) == 1.0


def test_g14_an_empty_query_gives_the_most_linked_nodes_first(
    folder: Path, opened_on_each: Open
) -> None:
    files = {
        "skills/few.md": skill("Few"),
        "skills/many.md": skill("Many"),
        "skills/none.md": skill("None"),
        "skills/links.md": skill("Links", "[[Few]] and [[Many]].\n\n# More\n\n[[Many]] again.\n"),
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    answer = collection.search("", profile="xplor")
    some = collection.search("", profile="xplor", limit=2)

    degrees = [degree_of(collection, hit.id) for hit in answer.results]
    assert answer.method == "degree"
    assert degrees == sorted(degrees, reverse=True)
    assert len(set(degrees)) > 1
    assert ids(some) == ids(answer)[:2]
    of_skills = collection.search("", profile="xplor", filters={"type": "skill"})
    # Equal degrees come by id.
    assert ids(of_skills) == ["skill:links", "skill:many", "skill:few", "skill:none"]
    assert degrees[0] == degree_of(collection, "skill:links") == 4
    assert [hit.score for hit in of_skills.results] == [
        pytest.approx(0.1 * min(1, degree / 20)) for degree in (4, 3, 2, 1)
    ]


def test_g15_no_match_is_an_empty_answer(folder: Path, opened_on_each: Open) -> None:
    files = {"skills/zebra.md": skill("Zebra")}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    answer = collection.search("quokka", profile="xplor")

    assert (answer.results, answer.total) == ((), 0)


def test_g16_ten_by_default_and_never_more_than_a_hundred(
    folder: Path, opened_on_each: Open
) -> None:
    files = {f"skills/{n:03}.md": skill(f"Zebra {n:03}") for n in range(120)}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    assert len(collection.search("zebra", profile="xplor").results) == 10
    assert len(collection.search("zebra", profile="xplor", limit=100).results) == 100
    # To the doors 0 is an error; here it asks for nothing.
    assert collection.search("zebra", profile="xplor", limit=0).results == ()
    for limit in (-1, 101):
        with pytest.raises(UsageError, match=f"limit is {limit}; profile xplor takes 1 to 100"):
            collection.search("zebra", profile="xplor", limit=limit)


def test_g17_only_a_deep_search_looks_at_whole_contents(folder: Path, opened_on_each: Open) -> None:
    # Two paragraphs: the first one describes a document that says nothing of itself.
    files = {
        "skills/zebra.md": skill("Horse", f"{'Other words. ' * 40}\n\nDeep down a quokka.\n"),
        "notes.md": "# Notes\n\nOther words.\n\nDeep down a quokka.\n",
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    assert collection.search("quokka", profile="xplor").results == ()
    deep = collection.search("quokka", profile="xplor", deep_search=True)

    assert set(ids(deep)) == {"skill:horse", "doc:notes.md", "doc:notes.md#Notes"}


def test_g17_a_content_weighs_half_where_a_name_weighs_three(
    folder: Path, opened_on_each: Open
) -> None:
    # A heading is a name, 6 x 0.5, and part of the content: 7 times there is as much.
    files = {
        "a.md": f"# Quokka\n\none\n\n{'other ' * 7}\n",
        "b.md": f"# Beta\n\none\n\n{'quokka ' * 7}\n",
        "c.md": f"# Gamma\n\none\n\nother {'quokka ' * 6}\n",
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    answer = collection.search(
        "quokka", profile="xplor", deep_search=True, filters={"type": "section"}
    )

    found = scores(answer)
    assert list(found) == ["doc:a.md#Quokka", "doc:b.md#Beta", "doc:c.md#Gamma"]
    assert found["doc:a.md#Quokka"] == found["doc:b.md#Beta"] > found["doc:c.md#Gamma"]


def test_g18_a_name_outranks_a_description_and_that_a_path(
    folder: Path, opened_on_each: Open
) -> None:
    # As many words in each field of each function, so that only the weights differ.
    files = {
        "plain/one.py": 'def zebra(x):\n    """Other."""\n',
        "plain/two.py": 'def beta(x):\n    """Zebra."""\n',
        "zebra/six.py": 'def gamma(x):\n    """Other."""\n',
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    answer = collection.search("zebra", profile="xplor", filters={"type": "function"})

    by_name = [hit.node.name for hit in answer.results]
    assert by_name == ["zebra", "beta", "gamma"]
    first, second, third = (hit.score for hit in answer.results)
    assert first > second > third


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Twice at 3.0 is as much as three times at 2.0, and so on.
        (("Zebra zebra lion", "one one one"), ("Lion lion lion", "zebra zebra zebra")),
        (("Zebra one", "one one one"), ("Lion one", "zebra zebra one")),
    ],
    ids=["3.0 to 2.0, equal", "3.0 to 2.0, less"],
)
def test_g18_two_words_in_a_name_count_as_three_in_a_description(
    folder: Path, opened_on_each: Open, one: tuple[str, str], other: tuple[str, str]
) -> None:
    files = {
        f"{name}.md": f"# {heading}\n\n{text}\n"
        for name, (heading, text) in (("a", one), ("b", other))
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    answer = collection.search("zebra", profile="xplor", filters={"type": "section"})

    times = [
        3.0 * heading.lower().split().count("zebra") + 2.0 * text.split().count("zebra")
        for heading, text in (one, other)
    ]
    found = {hit.source.file_path: hit.score for hit in answer.results}
    assert (found["a.md"] == found["b.md"]) is (times[0] == times[1])
    assert (found["a.md"] < found["b.md"]) is (times[0] < times[1])


def test_g19_a_kind_and_a_domain_are_filters_and_none_is_no_filter(
    folder: Path, opened_on_each: Open
) -> None:
    files = {
        "zebra.py": "def zebra():\n    pass\n",
        "zebra.md": "# Zebra\n\nText.\n",
        "skills/one.md": skill("Zebra one", domain="calm"),
        "skills/two.md": skill("Zebra two", domain="work"),
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    code = collection.search("zebra", profile="xplor", kind="code")
    calm = collection.search("zebra", profile="xplor", filters={"domain": "calm"})
    all_of_it = collection.search("zebra", profile="xplor", filters={"domain": None})

    assert {hit.node.kind.value for hit in code.results} == {"code"}
    assert "code:zebra.py#zebra" in ids(code)
    assert ids(calm) == ["skill:zebra-one"]
    assert ids(all_of_it) == ids(collection.search("zebra", profile="xplor"))
    assert {"skill:zebra-one", "skill:zebra-two", "code:zebra.py#zebra"} < set(ids(all_of_it))


def test_g20_a_hit_has_what_the_answer_of_the_seed_has(folder: Path, opened_on_each: Open) -> None:
    files = {"src/auth.py": 'import os\n\ndef login(user):\n    """Let somebody in."""\n'}
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    answer = collection.search("login", profile="xplor", kind="code")

    hit = answer.results[0]
    assert (hit.id, hit.node.name, hit.node.type) == ("code:src/auth.py#login", "login", "function")
    assert hit.node.description == "Let somebody in."
    assert (hit.source.file_path, hit.source.start_line) == ("src/auth.py", 3)
    assert (answer.total, answer.method) == (len(answer.results), "bm25")


def test_g21_what_scores_less_than_a_hundredth_is_left_out(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    cosines |= {"striped": 0.8, "hoofed": 0.02, "winged": 0.01}
    files = {
        "skills/zebra.md": skill("Zebra", "A striped animal."),
        "skills/horse.md": skill("Horse", "A hoofed animal."),
        "skills/heron.md": skill("Heron", "A winged animal."),
    }
    collection = filled(opened_on_each(folder), files)

    answer = collection.search("zebra", profile="xplor", kind="skill")
    everything = collection.search("zebra", profile="xplor", kind="skill", min_score=0)

    degree = 0.1 * OF_ITS_FILE / 20
    assert ids(answer) == ["skill:zebra", "skill:horse"]
    assert answer.total == 2
    # A cosine this small is kept to about a thousandth: 127 steps of the largest component.
    assert 0.3 * 0.01 + degree < 0.01 < 0.3 * 0.02 + degree
    assert scores(everything) == {
        "skill:zebra": pytest.approx(0.6 * 1 + 0.3 * 0.8 + degree, abs=CLOSE),
        "skill:horse": pytest.approx(0.3 * 0.02 + degree, abs=5e-4),
        "skill:heron": pytest.approx(0.3 * 0.01 + degree, abs=5e-4),
    }


@pytest.mark.parametrize("least", [-0.1, 1.1])
def test_g21_a_least_score_is_from_0_to_1(folder: Path, opened_on_each: Open, least: float) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), {"a.md": "cat"})

    with pytest.raises(UsageError, match=r"min_score is .*; give 0 to 1"):
        collection.search("cat", profile="xplor", min_score=least)


def test_g22_the_heading_of_a_section_outranks_how_it_begins(
    folder: Path, opened_on_each: Open
) -> None:
    files = {
        "skills/a.md": skill("Alpha", "# Zebra\n\nother\n"),
        "skills/b.md": skill("Beta", "# Other\n\nzebra\n"),
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    answer = collection.search("zebra", profile="xplor", filters={"type": "skill"})

    assert ids(answer) == ["skill:alpha", "skill:beta"]
    assert answer.results[0].score > answer.results[1].score


def test_g22_two_words_in_headings_count_as_three_in_previews_and_as_two_tags(
    folder: Path, opened_on_each: Open
) -> None:
    # Six words in each of headings and previews, two tags: 1.5, 1.0 and 1.5 of each.
    files = {
        "skills/a.md": skill(
            "Alpha", "# Zebra zebra one\n\nother other other\n", tags="[red, blue]"
        ),
        "skills/b.md": skill("Beta", "# One one one\n\nzebra zebra zebra\n", tags="[red, blue]"),
        "skills/c.md": skill(
            "Gamma", "# One one one\n\nother other other\n", tags="[zebra, zebras]"
        ),
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    found = scores(collection.search("zebra", profile="xplor", filters={"type": "skill"}))

    assert 2 * 1.5 == 3 * 1.0
    assert found["skill:alpha"] == found["skill:beta"] == found["skill:gamma"]


def test_g23_a_wikilink_leads_to_the_section_and_keeps_its_sentence(
    folder: Path, opened_on_each: Open
) -> None:
    said = "Begin with [[Thought Records#use|TR]] every day."
    files = {
        "skills/reframing.md": skill("Reframing", f"First one. {said} Last one.\n"),
        "skills/records.md": skill("Thought Records", "# use\n\nWrite it down.\n"),
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    (link,) = (
        edge for edge in collection.get("skill:reframing").edges if edge.type is EdgeType.REFERENCES
    )

    assert (link.source, link.target) == ("skill:reframing", "skill:thought-records#use")
    assert link.context == said
    assert collection.check().broken == ()


def test_g24_a_broken_link_and_a_missing_description_leave_85_without_bonuses(
    folder: Path, opened_on_each: Open
) -> None:
    # Two skills of one link are both dead ends, and no cluster has a map: no bonuses.
    files = {
        "skills/a/SKILL.md": skill("Alpha", "[[Beta]] and [[Nowhere]].", type="claim"),
        "skills/b/SKILL.md": skill("Beta", "Text.", type="claim", description=""),
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    found = collection.check().skills

    assert found is not None
    assert (found.bonuses.maps, found.bonuses.links) == (0, 0)
    assert sorted(issue.flaw.value for issue in found.issues) == ["broken-link", "no-description"]
    assert found.score == 100 - 10 - 5 == 85


@pytest.mark.parametrize("broken", [10, 11])
def test_g24_eleven_broken_links_stop_at_zero(
    folder: Path, opened_on_each: Open, broken: int
) -> None:
    missing = " ".join(f"[[Nowhere {n}]]" for n in range(broken))
    files = {
        "skills/a.md": skill("Alpha", f"[[Beta]] {missing}", type="claim"),
        "skills/b.md": skill("Beta", "Text.", type="claim"),
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    checked = collection.check()

    assert len(checked.broken) == broken
    assert checked.skills is not None
    assert checked.skills.score == max(0, 100 - 10 * broken) == 0


def ring(names: Sequence[str], *, steps: int = 1, **front: str) -> dict[str, str]:
    """Skills that each link to the next ones, so many `steps` around the ring."""
    files = {}
    for at, name in enumerate(names):
        following = [names[(at + step) % len(names)] for step in range(1, steps + 1)]
        said = " and ".join(f"[[{one}]]" for one in following)
        files[f"skills/{name}.md"] = skill(name, f"See {said}.", type="claim", **front)
    return files


@pytest.mark.parametrize(
    ("skills", "dead_ends", "bonus"), [(24, 1, 9), (10, 5, 0), (10, 0, 10), (10, 2, 6)]
)
def test_g25_dead_ends_cost_the_bonus_for_links(
    folder: Path, opened_on_each: Open, skills: int, dead_ends: int, bonus: int
) -> None:
    files = ring([f"s{n}" for n in range(skills - dead_ends)])
    for n in range(dead_ends):
        files[f"skills/end{n}.md"] = skill(f"end{n}", f"See [[s{n}]].", type="claim")
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    found = collection.check().skills

    assert found is not None
    assert (found.skills, len(found.dead_ends)) == (skills, dead_ends)
    assert found.bonuses.links == round(max(0, 10 * (1 - 2 * dead_ends / skills))) == bonus


def test_g26_density_average_degree_and_coverage_of_a_folder(
    folder: Path, opened_on_each: Open
) -> None:
    # 19 skills with 3 links each, and 5 with 2 each of which one is a map of content.
    files = ring([f"s{n}" for n in range(19)], steps=3)
    files |= ring([f"t{n}" for n in range(5)], steps=2)
    files["skills/t0.md"] = skill("t0", "See [[t1]] and [[t2]].", type="moc")
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    found = collection.check().skills

    assert found is not None
    assert (found.skills, found.links) == (24, 19 * 3 + 5 * 2) == (24, 67)
    assert found.density == 67 / (24 * 23) == pytest.approx(0.1214, abs=5e-5)
    assert found.average_degree == 2 * 67 / 24 == pytest.approx(5.58, abs=5e-3)
    assert found.coverage == round(100 * 5 / 24, 1) == 20.8


LONG = "one two three four five six seven eight nine ten"
DISCLOSED = {
    f"skills/{name}.md": skill(
        f"Zebra {name}",
        f"# Use\n\nSee [[Zebra a]]. {LONG}\n\n# More\n\n{LONG}\n",
        tags="[red]",
    )
    for name in "abcde"
}


def test_g28_a_scan_shows_no_content_and_says_its_level(folder: Path, opened_on_each: Open) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), DISCLOSED)

    found = collection.scan("zebra", limit=5)

    assert len(found.nodes) == 5
    first = found.nodes[0]
    assert (first.name, first.type, first.domain) == ("Zebra a", "skill", "calm")
    assert (first.description, first.tags) == ("what it does", ("red",))
    for node in found.nodes:
        assert (node.level, node.text, node.sections, node.links) == (Level.SCAN, "", (), ())
    assert found.at_level == {0: 0, 1: 5, 2: 0, 3: 0, 4: 0}
    assert found.tokens == sum(node.tokens for node in found.nodes)


def test_g28_a_scan_is_of_one_domain_if_one_is_given(folder: Path, opened_on_each: Open) -> None:
    files = {
        "skills/a.md": skill("Zebra one", domain="calm"),
        "skills/b.md": skill("Zebra two", domain="work"),
    }
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    assert [one.name for one in collection.scan("zebra", domain="work").nodes] == ["Zebra two"]
    assert collection.scan("quokka").nodes == ()


@pytest.mark.parametrize("max_tokens", [1, 20, 60, 100, 200, 400, 800, 2000])
def test_g28_a_budget_is_never_exceeded(
    folder: Path, opened_on_each: Open, max_tokens: int
) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), DISCLOSED)

    for found in (
        collection.scan("zebra", max_tokens=max_tokens),
        collection.disclose("zebra", max_tokens=max_tokens, profile="xplor"),
    ):
        assert found.tokens == sum(node.tokens for node in found.nodes) <= max_tokens
        for node in found.nodes:
            words = sum(len(text.split()) for text in shown_of(node))
            assert node.tokens == math.ceil(words * 13 / 10)
            assert node.level is Level.FULL or node.text == ""
            assert node.level >= Level.SECTIONS or node.sections == ()
            assert node.level >= Level.LINKS or node.links == ()


def test_g28_a_budget_that_is_large_enough_shows_everything(
    folder: Path, opened_on_each: Open
) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), DISCLOSED)

    found = collection.disclose("zebra", max_tokens=100_000, profile="xplor")

    assert {node.level for node in found.nodes} == {Level.FULL}
    first = found.nodes[0]
    assert first.text == collection.get(first.id).text
    assert LONG in first.text
    assert [one.heading for one in first.sections] == ["Use", "More"]


def shown_of(node: Disclosed) -> list[str]:
    links = [f"{edge.type.value} {edge.source} {edge.target} {edge.context}" for edge in node.links]
    sections = [f"{one.heading} {one.preview}" for one in node.sections]
    said = (node.id, node.name, node.type, node.domain, node.description, *node.tags)
    return [*said, *links, *sections, node.text]


def test_g29_impact_goes_five_links_and_callers_three(folder: Path, opened_on_each: Open) -> None:
    files = {"step0.py": "def step0():\n    pass\n"}
    for n in range(1, 9):
        head = f"from step{n - 1} import step{n - 1}\n\n"
        files[f"step{n}.py"] = f"{head}def step{n}():\n    step{n - 1}()\n"
    collection = filled(opened_on_each(folder, embedding__model="none"), files)

    impact = collection.impact("step0").found
    of_the_file = collection.impact("step0.py").found

    functions = [one for one in impact if one.node.type == "function"]
    assert [(one.node.name, one.depth) for one in functions] == [
        (f"step{n}", n) for n in range(1, 1 + 5)
    ]
    assert {"calls", "imports"} <= {one.edge.type.value for one in of_the_file}
    assert max(one.depth for one in of_the_file) == 5
    callers = collection.callers("step0").found
    assert [(one.node.name, one.depth) for one in callers] == [
        (f"step{n}", n) for n in range(1, 1 + 3)
    ]


def test_g30_two_collections_keep_both_of_a_name_and_link_them(
    tmp_path: Path, opened_on_each: Open
) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "docs").mkdir()
    shop = opened_on_each(tmp_path / "shop", embedding__model="none")
    docs = opened_on_each(tmp_path / "docs", embedding__model="none")
    filled(shop, {"auth.py": "def login():\n    pass\n\ndef other():\n    pass\n"})
    filled(docs, {"guide.md": "# Login\n\nHow to.\n"})

    found = [
        collection.search("login", profile="xplor", kind=kind).results[0].node
        for collection, kind in ((shop, "code"), (docs, "doc"))
    ]
    edges = trivium.together(shop, docs).crossing()

    assert [node.id for node in found] == ["code:auth.py#login", "doc:guide.md"]
    assert [(edge.source, edge.target, edge.type) for edge in edges] == [
        ("docs/doc:guide.md", "shop/code:auth.py#login", EdgeType.CROSS_DOMAIN),
        ("docs/doc:guide.md#Login", "shop/code:auth.py#login", EdgeType.CROSS_DOMAIN),
    ]
    # Neither collection has taken anything from the other.
    assert shop.search("login", profile="xplor", kind="doc").results == ()
    assert docs.search("login", profile="xplor", kind="code").results == ()


def test_xplor_rrf_has_the_order_of_ranks_and_the_score_of_the_sum(
    folder: Path, opened_on_each: Open, cosines: dict[str, float]
) -> None:
    # Words put Zebra first; meaning has Lion first and Zebra third, if not by much.
    cosines |= {"striped": 0.7, "maned": 0.75, "hoofed": 0.72}
    files = {
        "skills/zebra.md": skill("Zebra", "A striped animal."),
        "skills/lion.md": skill("Lion", "A maned animal.", description="no zebra at all"),
        "skills/horse.md": skill("Horse", "A hoofed animal."),
    }
    collection = filled(opened_on_each(folder), files)

    by_sum = collection.search("zebra", profile="xplor", kind="skill")
    by_rank = collection.search("zebra", profile="xplor-rrf", kind="skill")

    # Lion: 2nd by words, 1st by meaning; Zebra: 1st and 3rd; Horse: only 2nd by meaning.
    assert 1 / 62 + 1 / 61 > 1 / 61 + 1 / 63 > 1 / 62
    assert ids(by_sum) == ["skill:zebra", "skill:lion", "skill:horse"]
    assert ids(by_rank) == ["skill:lion", "skill:zebra", "skill:horse"]
    assert scores(by_rank) == scores(by_sum)
