"""Facets: how many entries of the pool have each value; the same on every backend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from trivium.backends.base import Backend, FileHistory, Snapshot
from trivium.engine import search
from trivium.filtering.conditions import EVERYTHING, Filter, Given, build
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.profile import profile
from trivium.results.facets import FACETS, MORE, MOST_VALUES, joined, listed, shortened
from trivium.testing.filling import write_texts
from trivium.types import Answer

# A page with front matter is a document and a section, so the guide is two entries.
TEXTS = {
    "src/one.py": "def route_one(path):\n    return path\n",
    "src/two.py": "class RouteTwo:\n    pass\n",
    "cmd/main.go": "package main\n\nfunc routeThree() {}\n",
    "cmd/deep/more.go": "package deep\n\nfunc routeFour() {}\n",
    "docs/guide.md": "---\ntags: [Draft, draft, web]\n---\n# Route\n\nOne route.\n",
    "top.md": "# Route\n\nAnother route.\n",
}


@pytest.fixture
def snapshot(any_backend: Backend) -> Iterator[Snapshot]:
    write_texts(any_backend, TEXTS)
    with any_backend.snapshot() as held:
        yield held


def ask(
    snapshot: Snapshot,
    text: str,
    *,
    filters: dict[str, Given] | None = None,
    within: Filter = EVERYTHING,
    limit: int = 10,
    name: str = "best",
    min_score: float | None = None,
) -> Answer:
    options = SearchOptions(
        profile(name), limit, build(filters or {}) & within, within=within, min_score=min_score
    )
    return search(snapshot, text, options=options, given=Circumstances("shop"))


def counts(answer: Answer, facet: str) -> list[tuple[str, int]]:
    return list(answer.facets[facet].items())


def test_every_facet_is_there_and_counts_what_was_found(snapshot: Snapshot) -> None:
    answer = ask(snapshot, "route", limit=1)

    assert tuple(answer.facets) == FACETS
    every = ask(snapshot, "route", limit=100).results
    assert answer.total == len(every)
    assert answer.facets["kind"] == Counter(hit.node.kind.value for hit in every)
    assert answer.facets["type"] == Counter(hit.node.type for hit in every)
    assert answer.facets["language"] == Counter(hit.node.language for hit in every)


def test_values_come_by_count_and_then_by_name(snapshot: Snapshot) -> None:
    answer = ask(snapshot, "route")

    for facet in FACETS:
        found = counts(answer, facet)
        assert found == sorted(found, key=lambda one: (-one[1], one[0]))
    assert counts(answer, "folder") == [("cmd/", 2), ("docs/", 2), ("src/", 2)]
    assert counts(answer, "tag") == [("draft", 2), ("web", 2)]


def test_what_is_selected_of_a_facet_does_not_shrink_it_but_all_others(snapshot: Snapshot) -> None:
    whole = ask(snapshot, "route").facets
    answer = ask(snapshot, "route", filters={"lang": "go"})

    assert answer.facets["language"] == whole["language"]
    assert answer.facets["language"] == {"go": 2, "markdown": 3, "python": 2}
    assert answer.facets["folder"] == {"cmd/": 2}
    assert answer.facets["kind"] == {"code": answer.total} == {"code": 2}


@pytest.mark.parametrize("filters", [{}, {"lang": "python"}, {"lang": ["go", "python"]}])
def test_what_is_typed_holds_for_its_own_facet_whatever_is_chosen_beside_it(
    snapshot: Snapshot, filters: dict[str, Given]
) -> None:
    answer = ask(snapshot, "route lang:go", filters=filters)

    assert answer.facets["language"] == {"go": 2}
    assert ask(snapshot, "route lang:go", filters={"lang": "go"}).total == 2
    assert ask(snapshot, "route lang:go", filters={"lang": "markdown"}).total == 0


def test_types_are_counted_by_nodes_as_choosing_one_finds_them(any_backend: Backend) -> None:
    text = (
        "def route_one():\n    pass\n\n\ndef route_two():\n    pass\n\n\nclass Route:\n    pass\n"
    )
    write_texts(any_backend, {"one.py": text})
    with any_backend.snapshot() as snapshot:
        answer = ask(snapshot, "route")
        chosen = ask(snapshot, "route", filters={"type": "function"})

    assert (answer.total, answer.facets["kind"]) == (1, {"code": 1})
    assert answer.facets["type"] == {"function": 2, "class": 1}
    assert chosen.total == 2


def test_folders_that_no_filter_tells_apart_are_one(any_backend: Backend) -> None:
    write_texts(any_backend, {f"{one}.md": "# Route\n" for one in ("Docs/a", "docs/b", "docs/c")})
    with any_backend.snapshot() as snapshot:
        answer = ask(snapshot, "route")
        chosen = ask(snapshot, "route", filters={"path-prefix": "docs/"})

    assert answer.facets["folder"] == {"docs/": 3}
    assert chosen.total == 3


def test_two_selections_are_counted_each_under_the_other(snapshot: Snapshot) -> None:
    answer = ask(snapshot, "route", filters={"lang": ["go", "python"], "path-prefix": "src/"})

    assert answer.total == 2
    assert answer.facets["language"] == {"python": 2}
    assert answer.facets["folder"] == {"cmd/": 2, "src/": 2}


def test_a_selection_that_finds_nothing_still_shows_what_else_there_is(snapshot: Snapshot) -> None:
    answer = ask(snapshot, "route", filters={"tag": "none"})

    assert answer.total == 0
    assert answer.facets["tag"] == {"draft": 2, "web": 2}
    assert answer.facets["kind"] == {}


def test_a_kind_that_may_be_a_type_is_counted_as_it_is_found(snapshot: Snapshot) -> None:
    answer = ask(snapshot, "route kind:class", name="contract")

    assert {hit.node.type for hit in answer.results} == {"class"}
    assert answer.facets["type"] == {"class": answer.total}
    assert answer.facets["kind"] == {"code": answer.total}


def test_no_facet_goes_beyond_what_is_searched_at_all(snapshot: Snapshot) -> None:
    answer = ask(
        snapshot, "route", within=build({"path-prefix": "cmd/"}), filters={"lang": "python"}
    )

    assert answer.total == 0
    assert answer.facets["language"] == {"go": 2}
    below = ask(snapshot, "route", within=build({"path-prefix": "cmd/"}))
    assert below.facets["folder"] == {"cmd/deep/": 1}


def test_the_least_score_holds_for_what_is_not_selected_too(snapshot: Snapshot) -> None:
    every = ask(snapshot, "route")
    least = every.results[2].score
    answer = ask(snapshot, "route", filters={"lang": "go"}, min_score=least)

    strong = Counter(hit.node.language for hit in every.results if hit.score >= least)
    own = Counter(hit.node.language for hit in answer.results)
    assert answer.facets["language"] == strong | own


def test_five_hundred_values_may_be_selected(snapshot: Snapshot) -> None:
    many = [f"no-{number}" for number in range(499)]
    answer = ask(snapshot, "route", filters={"lang": [*many, "go"], "tag": [*many, "web"]})

    assert answer.total == 0
    assert answer.facets["language"] == {"markdown": 2}
    assert answer.facets["tag"] == {}
    assert len(answer.notes) < 20


def test_chunks_have_the_traits_that_filters_compare(snapshot: Snapshot) -> None:
    hits = ask(snapshot, "route", limit=100).results
    found = snapshot.traits([hit.chunk_id for hit in hits])

    for hit in hits:
        traits = found[hit.chunk_id]
        assert traits.path == hit.node.source.file_path
        assert (traits.kind, traits.type) == (hit.node.kind.value, hit.node.type)
        assert snapshot.lines([hit.chunk_id])[hit.chunk_id][0] == traits.line
        assert set(traits.tags) == {tag.lower() for tag in hit.node.tags}
    assert snapshot.traits([]) == {}


def test_files_are_as_old_as_their_last_commit_or_as_themselves(any_backend: Backend) -> None:
    write_texts(any_backend, TEXTS)
    with any_backend.writer(wait_s=0) as writer:
        rows = [FileHistory("top.md", "Ann", "2025-01-31T00:00:00+00:00", 3)]
        writer.put_history(rows, head="abc")
    with any_backend.snapshot() as snapshot:
        found = snapshot.changed(["top.md", "src/one.py", "gone.md"])
        written = snapshot.files()["src/one.py"].mtime_ns / 1e9

    assert found == {"top.md": 1738281600.0, "src/one.py": written}


def test_nodes_are_found_by_their_folded_names(snapshot: Snapshot) -> None:
    found = snapshot.called(["routetwo", "route_one", "nothing"], most=5)

    assert [node.name for node in found] == ["route_one", "RouteTwo"]
    assert [node.name for node in snapshot.called(["routetwo", "route_one"], most=1)] == [
        "route_one"
    ]


def test_a_long_facet_lists_the_most_frequent_and_how_many_more_there_are() -> None:
    counted = {f"v{number:02}": 100 - number for number in range(MOST_VALUES + 5)}
    found = listed(counted)

    assert list(found) == [*list(counted)[:MOST_VALUES], MORE]
    assert found[MORE] == 5
    assert MORE not in listed({"one": 1})


def test_facets_of_several_answers_are_added_up_before_they_are_cut() -> None:
    many = {f"v{number:02}": 9 for number in range(MOST_VALUES)}
    found = joined([{"tag": {**many, "rare": 5}}, {"tag": {"rare": 5}, "kind": {"doc": 1}}])

    assert found["tag"]["rare"] == 10
    assert next(iter(shortened(found)["tag"])) == "rare"
    assert shortened(found)["tag"][MORE] == 1
    assert (found["kind"], found["type"]) == ({"doc": 1}, {})
