"""What is said of a filter that lets nothing pass: its value, the nearest one, what there is."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pytest

from trivium.backends.base import Snapshot
from trivium.backends.reference.store import ReferenceBackend
from trivium.filtering.conditions import EVERYTHING, NOTHING, Given, build, with_types
from trivium.filtering.fields import FIELDS
from trivium.parsing import marks
from trivium.results.unmatched import unmatched
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import Kind, Metadata

SECTIONS = [
    Section("load", "text", kind=Kind.CODE, type="function", language="python", domain="api-docs"),
    Section("Box", "text", kind=Kind.CODE, type="class", language="python", tags=("draft", "old")),
    Section("Guide", "text", type="section", language="markdown", domain="docs"),
]


@pytest.fixture
def snapshot() -> Snapshot:
    backend = ReferenceBackend()
    file = make_file("src/a.py", SECTIONS)
    facts: Metadata = {"status": "open", "riskCategories": ("command",), "branches": 2}
    nodes = [dataclasses.replace(node, metadata=facts) for node in file.nodes]
    write(backend, [dataclasses.replace(file, nodes=tuple(nodes))])
    return backend.snapshot().__enter__()


def said(snapshot: Snapshot, wanted: Mapping[str, Given], *, is_empty: bool = True) -> list[str]:
    return list(unmatched(snapshot, build(wanted), is_empty=is_empty))


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        (
            "lang",
            "pyton",
            "lang 'pyton' is unknown; this collection has markdown, python; did you mean 'python'?",
        ),
        (
            "lang",
            "rubby",
            "lang 'rubby' is unknown; this collection has markdown, python; did you mean 'ruby'?",
        ),
        ("lang", "rb", "lang 'ruby' is not in this collection, which has markdown, python"),
        (
            "type",
            "fucntion",
            "type 'fucntion' is not in this collection, which has class, file, function, section; "
            "did you mean 'function'?",
        ),
        (
            "type",
            "MethodDeclaration",
            "type 'method' is not in this collection, which has class, file, function, section",
        ),
        (
            "ext",
            "pyy",
            "ext '.pyy' is not in this collection, which has .py; did you mean '.py'?",
        ),
        (
            "tag",
            "drfat",
            "tag 'drfat' is not in this collection, which has draft, old; did you mean 'draft'?",
        ),
        ("domain", "zoo", "domain 'zoo' is not in this collection, which has api-docs, docs"),
        ("kind", "skill", "kind 'skill' is not in this collection, which has code, doc, file"),
        ("status", "opne", "status 'opne' is nowhere in this collection"),
        ("path", "sorce/", "path 'sorce/' is nowhere in this collection"),
        ("path", r"/\.go$/", r"path '/\\.go$/' is nowhere in this collection"),
        ("meta", "service=api", "meta 'service=api' is nowhere in this collection"),
        ("branches", 9, "nothing in this collection passes the filter branches"),
        ("modified-after", "2025", "nothing in this collection passes the filter modified-after"),
        (
            "risk-category",
            "comand",
            "risk-category 'comand' is nowhere in this collection; did you mean 'command'?",
        ),
        (
            "risk-tag",
            "comand-exec",
            "risk-tag 'comand-exec' is nowhere in this collection; did you mean 'command-exec'?",
        ),
    ],
)
def test_a_value_that_nothing_has_is_named_with_the_nearest_and_what_there_is(
    snapshot: Snapshot, name: str, value: Given, line: str
) -> None:
    assert said(snapshot, {name: value}) == [line]


def test_one_that_is_known_and_absent_is_not_taken_for_another() -> None:
    backend = ReferenceBackend()
    write(backend, [make_file("a.js", [Section("load", "text", language="javascript")])])
    with backend.snapshot() as snapshot:
        (known,) = said(snapshot, {"lang": "java"})
        (unknown,) = said(snapshot, {"lang": "javascrip"})
    assert known == "lang 'java' is not in this collection, which has javascript"
    assert unknown.endswith("did you mean 'javascript'?")


def test_of_several_values_those_in_vain_are_named_even_if_something_is_found(
    snapshot: Snapshot,
) -> None:
    (line,) = said(snapshot, {"lang": ["python", "pyton"]}, is_empty=False)
    assert line.startswith("lang 'pyton' is unknown")
    assert said(snapshot, {"type": ["ClassDeclaration", "function"]}, is_empty=False) == []


def test_what_is_found_needs_no_words(snapshot: Snapshot) -> None:
    passed: list[Mapping[str, Given]] = [
        {"lang": "python"},
        {"status": "open"},
        {"branches": 2},
        {"tag": "old"},
    ]
    for wanted in passed:
        assert said(snapshot, wanted) == []
        assert said(snapshot, wanted, is_empty=False) == []
    assert unmatched(snapshot, EVERYTHING, is_empty=True) == ()


def test_a_mode_or_a_category_is_there_if_a_part_of_it_is(snapshot: Snapshot) -> None:
    assert said(snapshot, {"kind": ["doc", "note", "task", "skill"]}) == []
    assert said(snapshot, {"category": "api"}) == []


def test_filters_that_contradict_each_other_are_said_to(snapshot: Snapshot) -> None:
    line = "each filter lets something pass, and all of them together nothing"
    assert said(snapshot, {"lang": "markdown", "type": "class"}) == [line]
    assert said(snapshot, {"lang": "python", "type": "class"}) == []


def test_an_empty_list_is_not_explained(snapshot: Snapshot) -> None:
    assert said(snapshot, {"lang": []}) == []
    assert unmatched(snapshot, NOTHING & build({"lang": "python"}), is_empty=True) == ()


def test_where_a_kind_may_be_a_type_both_are_listed_once(snapshot: Snapshot) -> None:
    where = with_types(build({"kind": "fucntion"}))
    assert unmatched(snapshot, where, is_empty=True) == (
        "kind 'fucntion' is not in this collection, which has code, doc, file, class, function, "
        "section; did you mean 'function'?",
    )


def test_many_values_make_few_lines_and_long_ones_are_cut(snapshot: Snapshot) -> None:
    lines = said(snapshot, {"tag": [f"{number:04}" + "x" * 5000 for number in range(1000)]})

    assert lines[-1] == "nor are 997 more values of tag"
    assert len(lines) == 4
    assert all(len(line) < 200 for line in lines)


def test_the_marks_that_can_be_asked_for_are_those_that_are_given() -> None:
    given = (marks.GENERATED, marks.MINIFIED, marks.VENDORED, marks.TEST)
    assert FIELDS["marks"].choices == given


def test_of_many_paths_that_are_nowhere_it_is_said_how_many_more_there_are(
    snapshot: Snapshot,
) -> None:
    where = build({"path": [f"p{number:03}/" for number in range(500)]})

    assert unmatched(snapshot, where, is_empty=True) == (
        "path 'p000/', 'p001/', 'p002/' and 497 more are nowhere in this collection",
    )
