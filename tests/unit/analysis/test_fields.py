"""Which text stands for a field, and under which key its vector is kept."""

from __future__ import annotations

import dataclasses

import pytest

from trivium.analysis import fields
from trivium.analysis.words import analyser
from trivium.errors import ConfigError
from trivium.parsing.parse import parse
from trivium.types import Chunk, ChunkId, Document, Kind, Location, Node, NodeId, Span, View

NODE = Node(
    id=NodeId("code:a/b.py#run"),
    kind=Kind.CODE,
    type="function",
    name="run",
    source=Location("a/b.py", 1, 2),
    span=Span(0, 9),
    own=(Span(0, 9),),
    description="Runs it.",
    tags=("fast", "safe"),
    title="Runner",
    metadata={"signature": "run(x)"},
)
CHUNK = Chunk(ChunkId("code:a/b.py#run@0"), NODE.id, "def run(x)", Span(0, 9), 1, 2)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("name", "run"),
        ("title", "Runner"),
        ("path", "a/b.py"),
        ("description", "Runs it."),
        ("tags", "fast safe"),
        ("signature", "run(x)"),
        ("body", "def run(x)"),
    ],
)
def test_each_field_has_its_text(field: str, text: str) -> None:
    assert fields.text_of(field, NODE, CHUNK) == text


def test_keywords_and_operators_are_picked_out_of_code_by_its_language() -> None:
    node = dataclasses.replace(NODE, language="python")
    chunk = dataclasses.replace(CHUNK, text="def run(x):\n    return x >= 1  # if\n")

    assert fields.text_of("keyword", node, chunk) == "def return"
    assert fields.text_of("operator", node, chunk) == "( ) : >="


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.CODE])
@pytest.mark.parametrize("field", fields.PICKED)
def test_only_code_has_keywords_and_operators(field: str, kind: Kind) -> None:
    node = dataclasses.replace(NODE, kind=kind)

    assert fields.text_of(field, node, dataclasses.replace(CHUNK, text="if (a && b)")) == ""


def test_a_view_of_nodes_has_the_keywords_and_operators_of_all_its_own_text() -> None:
    whole = "if a:\n    def inner(): pass\n    return a >= 1\n"
    inner = whole.index("def"), whole.index(" pass") + len(" pass")
    own = (Span(0, inner[0]), Span(inner[1], len(whole)))
    node = dataclasses.replace(NODE, language="python", own=own)
    chunk = dataclasses.replace(CHUNK, text="if a:")
    picked = (("keyword", 1.0), ("operator", 1.0))
    view = View("nodes", "code", picked, combine="sum", unit="node")

    texts = {name: text for name, _, text in fields.texts_of(view, node, chunk, whole)}

    assert texts == {"keyword": "if return", "operator": ": >="}


def test_keywords_and_operators_have_no_neighbours() -> None:
    words_of = analyser("code")

    assert fields.split_of("keyword", words_of)("if co_await") == (
        [],
        ["if", "co", "await", "coawait"],
    )
    assert fields.split_of("operator", words_of)("&& x ->") == ([], ["&&", "->"])
    assert fields.split_of("body", words_of)("if x && y") == (["if", "x", "y"], [])


@pytest.mark.parametrize("field", fields.PICKED)
def test_fields_that_are_scored_by_themselves_need_a_view_that_does_so(field: str) -> None:
    view = View("mine", "code", (("body", 1), (field, 1)), combine="sum")

    fields.check(view)
    with pytest.raises(ConfigError, match=f"{field!r} is scored by itself"):
        fields.check(dataclasses.replace(view, combine="repeat"))


def test_a_node_without_a_title_goes_by_its_name() -> None:
    assert fields.text_of("title", dataclasses.replace(NODE, title=""), CHUNK) == "run"


@pytest.mark.parametrize("metadata", [{}, {"signature": 3}])
def test_a_missing_or_odd_signature_is_empty(metadata: dict[str, str | int]) -> None:
    node = dataclasses.replace(NODE, metadata=dict(metadata))
    assert fields.text_of("signature", node, CHUNK) == ""


def test_what_is_embedded_starts_with_where_the_chunk_is_from() -> None:
    assert fields.embedding_text(NODE, CHUNK) == "Runner: run\ndef run(x)"


@pytest.mark.parametrize("title", ["", "run"])
def test_a_title_that_says_nothing_new_is_left_out(title: str) -> None:
    node = dataclasses.replace(NODE, title=title)
    assert fields.embedding_text(node, CHUNK) == "run\ndef run(x)"


def test_a_view_of_known_fields_is_accepted() -> None:
    fields.check(View("best", "standard", (("name", 3), ("body", 1))))


@pytest.mark.parametrize("wrong", [("nmae", 1), ("name", 0)])
def test_a_view_with_an_unknown_field_or_no_weight_is_an_error(wrong: tuple[str, int]) -> None:
    with pytest.raises(ConfigError, match=wrong[0]):
        fields.check(View("best", "standard", (wrong,)))


def test_equal_texts_share_a_key_of_16_bytes_and_others_do_not() -> None:
    assert fields.text_key("a") == fields.text_key("a") != fields.text_key("b")
    assert len(fields.text_key("")) == 16


def test_a_text_with_half_a_surrogate_pair_has_a_key() -> None:
    assert fields.text_key("\ud800") != fields.text_key("\udc00")


def test_a_file_is_found_by_its_path_its_names_and_its_imports() -> None:
    code, *_ = parse(Document("src/lib/store.py", "import os\n\ndef save(): ...\n")).nodes
    page, *_ = parse(Document("docs/guide.md", "# The guide\n\ntext\n")).nodes

    assert fields.file_text(code) == "src lib store py save os"
    assert fields.file_text(page) == "docs guide md The guide"
