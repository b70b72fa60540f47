from __future__ import annotations

from trivium.chunking.chunk import chunk
from trivium.parsing.parse import parse
from trivium.types import Chunk, Document


def chunks_of(path: str, text: str, *, size: int = 1000, overlap: int = 200) -> list[Chunk]:
    """Return the chunks that have text."""
    return [one for one in every_chunk_of(path, text, size=size, overlap=overlap) if one.text]


def every_chunk_of(path: str, text: str, *, size: int = 1000, overlap: int = 200) -> list[Chunk]:
    document = Document(path, text)
    return chunk(document, parse(document).nodes, size=size, overlap=overlap)


def test_chunks_are_numbered_within_their_node() -> None:
    found = chunks_of("a.md", "# A\n" + "x" * 1200 + "\n# B\nshort\n")

    assert [one.id for one in found] == ["doc:a.md#A@0", "doc:a.md#A@1", "doc:a.md#B@0"]
    assert [one.node_id for one in found] == ["doc:a.md#A", "doc:a.md#A", "doc:a.md#B"]


def test_lines_count_from_one_and_both_ends_belong() -> None:
    found = chunks_of("a.py", "import os\n\n\ndef f():\n    pass\n\n\nx = 1\n")

    assert [(one.id, one.start_line, one.end_line) for one in found] == [
        ("code:a.py@0", 1, 1),
        ("code:a.py@1", 8, 8),
        ("code:a.py#f@0", 4, 5),
    ]


def test_size_and_overlap_are_for_prose() -> None:
    prose = chunks_of("a.txt", "x" * 300, size=100, overlap=20)
    code = chunks_of("a.py", "x = 1\n" * 50, size=100, overlap=20)

    assert len(prose) == len(range(0, 300 - 20, 100 - 20))
    assert len(code) == 1


def test_code_without_a_parser_is_cut_at_line_ends_too() -> None:
    text = "val x = 1\n" * 400
    found = chunks_of("a.kt", text)

    assert len(found) > 1
    assert "\n".join(one.text for one in found) + "\n" == text


def test_a_piece_of_closing_brackets_alone_is_no_chunk() -> None:
    found = chunks_of("a.js", "class A {\n  m() {}\n}\n")

    assert [one.text for one in found] == ["class A {", "  m() {}"]


def test_an_empty_file_has_no_chunks_with_text() -> None:
    assert chunks_of("a.md", "") == chunks_of("a.py", " \n") == []


def test_a_node_without_text_of_its_own_has_one_empty_chunk() -> None:
    found = every_chunk_of("a.py", "class A:\n    x = 1\n")

    assert {one.node_id for one in found if not one.text} == {"file:a.py", "code:a.py"}
    assert all(one.id == f"{one.node_id}@0" for one in found if not one.text)
