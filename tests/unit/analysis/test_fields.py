"""Which text stands for a field, and under which key its vector is kept."""

from __future__ import annotations

import dataclasses

import pytest

from trivium.analysis import fields
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
