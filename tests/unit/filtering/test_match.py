"""Which nodes a filter lets through."""

from __future__ import annotations

import dataclasses

import pytest

from trivium.filtering.conditions import ATTRIBUTES, EVERYTHING, NOTHING, build
from trivium.filtering.match import attributes, matches
from trivium.types import Kind, Location, Node, NodeId, Span

NODE = Node(
    id=NodeId("code:Src/Auth/Login.TS#loginUser"),
    kind=Kind.CODE,
    type="function",
    name="loginUser",
    source=Location("Src/Auth/Login.TS", 1, 9),
    span=Span(0, 9),
    own=(Span(0, 9),),
    tags=("Safe", " ", "two words "),
    domain="Auth",
    language="typescript",
)
BARE = Node(
    id=NodeId("file:x"),
    kind=Kind.FILE,
    type="",
    name="",
    source=Location("", 1, 1),
    span=Span(0, 0),
    own=(),
)


def test_attributes_are_all_there_and_lower_case() -> None:
    assert attributes(NODE) == {
        "kind": ("code",),
        "type": ("function",),
        "lang": ("typescript",),
        "ext": (".ts",),
        "path": ("src/auth/login.ts",),
        "domain": ("auth",),
        "tag": ("safe", "two words"),
        "name": ("loginuser",),
    }
    assert tuple(attributes(NODE)) == ATTRIBUTES


def test_a_missing_attribute_is_empty() -> None:
    assert attributes(BARE) == {**dict.fromkeys(ATTRIBUTES, ()), "kind": ("file",)}


@pytest.mark.parametrize(
    ("path", "ext"),
    [
        ("a.tar.gz", (".gz",)),
        (".gitignore", ()),
        ("a.b/Makefile", ()),
        ("a.", ()),
        ("dir/.env.local", (".local",)),
        ("e\u0301.PY", (".py",)),
    ],
)
def test_the_extension_is_that_of_the_file_name(path: str, ext: tuple[str, ...]) -> None:
    node = dataclasses.replace(NODE, source=Location(path, 1, 1))
    assert attributes(node)["ext"] == ext


@pytest.mark.parametrize(
    "wanted",
    [
        {"kind": "code"},
        {"kind": ["doc", "CODE"]},
        {"lang": "ts"},
        {"ext": "*.ts"},
        {"path": "auth/"},
        {"file": "LOGIN"},
        {"path_prefix": "src/"},
        {"domain": "auth"},
        {"tag": "safe"},
        {"tag": "two words"},
        {"name": "user"},
        {"kind": "code", "path": ["nowhere", "login"]},
    ],
)
def test_a_node_that_satisfies_every_condition_passes(wanted: dict[str, str]) -> None:
    assert matches(build(wanted), attributes(NODE))


@pytest.mark.parametrize(
    "wanted",
    [
        {"kind": "doc"},
        {"kind": []},
        {"kind": "cod"},
        {"tag": "saf"},
        {"tag": ""},
        {"path_prefix": "auth"},
        {"name": "logout"},
        {"kind": "code", "lang": "go"},
    ],
)
def test_a_node_that_fails_one_condition_does_not_pass(wanted: dict[str, str]) -> None:
    assert not matches(build(wanted), attributes(NODE))


@pytest.mark.parametrize(
    "name", ["type", "lang", "ext", "path", "path_prefix", "domain", "tag", "name"]
)
@pytest.mark.parametrize("value", ["", "x"])
def test_missing_metadata_never_matches(name: str, value: str) -> None:
    assert not matches(build({name: value}), attributes(BARE))


def test_a_path_is_found_however_its_accents_are_written() -> None:
    node = dataclasses.replace(NODE, source=Location("re\u0301sume\u0301.md", 1, 1))
    assert matches(build({"path": "r\u00e9sum\u00e9"}), attributes(node))


@pytest.mark.parametrize("node", [NODE, BARE])
def test_everything_matches_everything_and_nothing_matches_nothing(node: Node) -> None:
    assert matches(EVERYTHING, attributes(node))
    assert not matches(NOTHING, attributes(node))
