"""What a context promises, on both backends: `both` gives the same files to each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.acceptance import both
from tests.acceptance.both import Shelf

from trivium.collection import Collection
from trivium.errors import UsageError
from trivium.results.context import Context, Piece
from trivium.results.fill import Role
from trivium.results.present_context import context_data, context_footer, context_text

AUTH = '''"""Who may come in."""
from store import lookup


class Guard:
    """Lets people in."""

    def check(self, password: str) -> bool:
        """Compare the hash of a password with the one on file."""
        salt = lookup("salt")
        return hashed(password, salt) == lookup("password")


def hashed(text: str, salt: str) -> str:
    """Mix a text with salt."""
    return text[::-1] + salt
'''
STORE = '''"""What is on file."""


def lookup(key: str) -> str:
    """Read one value."""
    with open(key) as file:
        return file.read()
'''
GUIDE = "# Guide\n\n## Zebra\n\nHow a zebra resets a password.\n\n## Cats\n\nA tabby sleeps.\n"
FILLER = "\n\n".join(f"def filler{n}():\n    return {n}" for n in range(40))
FILES = {
    "src/auth.py": f"{AUTH}\n\n{FILLER}\n",
    "src/store.py": STORE,
    "guide.md": GUIDE,
    "copy.md": GUIDE,
    "long.txt": "Short.\n" * 40 + "word " * 150 + "needle " + "word " * 150 + "\nEnd.\n",
}


@pytest.fixture(params=both.BACKENDS)
def shelf(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shelf]:
    with both.shelf_in(tmp_path, request.param, monkeypatch) as made:
        yield made


@pytest.fixture
def collection(shelf: Shelf) -> Collection:
    return shelf.filled(FILES, model="none")


def places(context: Context) -> list[tuple[str, int, int]]:
    return [(one.path, one.start_line, one.end_line) for one in context.pieces]


def best_of(context: Context) -> Piece:
    return min(
        context.pieces, key=lambda one: (one.nodes[0].role is not Role.HIT, one.nodes[0].rank)
    )


def test_the_best_hit_is_shown_whole_under_the_head_of_its_class(collection: Collection) -> None:
    found = collection.context("compare the hash of a password", max_tokens=150)

    first = best_of(found)
    assert first.heading == f"src/auth.py:{first.start_line}-{first.end_line}  Guard.check"
    assert first.nodes[0].id == "code:src/auth.py#Guard.check"
    assert first.nodes[0].reason.startswith("rank 1: has ")
    assert "class Guard:" in first.text
    assert 'return hashed(password, salt) == lookup("password")' in first.text
    assert first.text in FILES["src/auth.py"]


def test_what_the_best_hit_calls_is_shown_by_its_head(collection: Collection) -> None:
    found = collection.context("compare the hash", max_tokens=400, kind="code")

    shown = {one.id: one for piece in found.pieces for one in piece.nodes}
    callee = shown[next(one for one in shown if one.endswith("#lookup"))]
    assert callee.reason in {"called by Guard.check"} or callee.role is Role.HIT
    assert any('"""Read one value."""' in piece.text for piece in found.pieces)


@pytest.mark.parametrize("max_tokens", [1, 8, 15, 40, 90, 200, 1000, 20_000])
def test_what_is_printed_fits_the_tokens(collection: Collection, max_tokens: int) -> None:
    for query in ("password", "needle", "zebra", "filler3"):
        found = collection.context(query, max_tokens=max_tokens)

        printed = context_text(found) + "\n"
        assert found.tokens == sum(piece.tokens for piece in found.pieces) <= max_tokens
        assert not found.pieces or math.ceil(len(printed) / 4) <= found.tokens


def test_a_path_that_is_written_longer_for_a_reader_counts_as_it_is_written(
    collection: Collection,
) -> None:
    found = collection.context("password", max_tokens=120, place=lambda path: f"/far/away/{path}")

    assert all(one.heading.startswith(f"/far/away/{one.path}:") for one in found.pieces)
    assert math.ceil(len(context_text(found)) / 4) <= found.tokens <= 120


def test_no_line_is_shown_twice(collection: Collection) -> None:
    found = collection.context("password hash lookup filler", max_tokens=2000)

    lines = [(path, n) for path, first, last in places(found) for n in range(first, last + 1)]
    assert len(lines) == len(set(lines))
    assert len(found.pieces) > 2


def test_a_copy_is_not_shown(collection: Collection) -> None:
    found = collection.context("zebra password", max_tokens=2000)

    assert len({"guide.md", "copy.md"} & {one.path for one in found.pieces}) == 1


def test_a_line_that_is_longer_than_the_budget_is_cut_around_the_match(
    collection: Collection,
) -> None:
    found = collection.context("needle", max_tokens=50)

    (piece,) = found.pieces
    assert piece.is_cut
    assert "needle" in piece.text
    assert piece.text in FILES["long.txt"]
    assert 40 < found.tokens <= 50


def test_of_a_window_that_does_not_fit_the_lines_from_the_match_on_are_shown(
    collection: Collection,
) -> None:
    for max_tokens in (24, 30, 40):
        (piece,) = collection.context("salt lookup", max_tokens=max_tokens, limit=1).pieces

        whole = FILES["src/auth.py"].split("\n")
        assert piece.text == "\n".join(whole[piece.start_line - 1 : piece.end_line])
        assert "salt" in piece.text.split("\n")[0]
        assert not piece.is_cut


def test_what_did_not_fit_is_counted_and_named(collection: Collection) -> None:
    found = collection.context("password", max_tokens=40)
    hits = collection.search("password", limit=50).results

    shown = {one.rank for piece in found.pieces for one in piece.nodes if one.role is Role.HIT}
    assert found.left_out == len(hits) - len(shown) > 0
    assert set(found.next) <= {hit.source.file_path for hit in hits}
    assert context_footer(found)[1].startswith(f"not shown: {found.left_out} hit")


def test_filters_hold_for_all_that_is_shown(collection: Collection) -> None:
    found = collection.context("password lookup", max_tokens=5000, filters={"path": "guide"})

    assert {piece.path for piece in found.pieces} == {"guide.md"}
    assert not collection.context("password", kind="record").pieces


def test_the_same_question_gives_the_same_context(collection: Collection) -> None:
    one, other = (collection.context("password", max_tokens=300) for _ in range(2))

    assert one.pieces == other.pieces


def test_any_profile_can_rank(collection: Collection) -> None:
    for name in ("rag", "xplor", "graph", "ember"):
        found = collection.context("password", max_tokens=300, profile=name)

        assert found.answer.profile == name
        assert found.tokens <= 300


@pytest.mark.parametrize("query", ["", "quokka", "lang:python"])
def test_nothing_is_found_where_a_search_finds_nothing(collection: Collection, query: str) -> None:
    found = collection.context(query)

    assert (found.pieces, found.tokens, found.left_out, found.next) == ((), 0, 0, ())


@pytest.mark.parametrize("max_tokens", [0, -1])
def test_a_budget_below_one_is_refused(collection: Collection, max_tokens: int) -> None:
    with pytest.raises(UsageError, match=f"max_tokens is {max_tokens}; give 1 or more"):
        collection.context("password", max_tokens=max_tokens)


def test_the_data_has_every_piece_and_what_an_answer_says(collection: Collection) -> None:
    found = collection.context("compare the hash", max_tokens=200)

    data = context_data(found)
    pieces = data["pieces"]
    assert isinstance(pieces, list)
    assert [one["text"] for one in pieces] == [piece.text for piece in found.pieces]
    best = pieces[found.pieces.index(best_of(found))]
    assert best["id"] == "code:src/auth.py#Guard.check"
    assert (best["role"], best["rank"]) == ("hit", 1)
    assert (data["tokens"], data["maxTokens"]) == (found.tokens, 200)
    assert data["leftOut"] == {"hits": found.left_out, "next": list(found.next)}
    assert {"coverage", "freshness", "degraded", "notes", "method", "profile"} <= set(data)


def test_a_file_that_is_gone_is_not_shown(shelf: Shelf, collection: Collection) -> None:
    (shelf.folder / "guide.md").unlink()

    found = collection.context("zebra", max_tokens=500)

    assert {piece.path for piece in found.pieces} == {"copy.md"}
    assert [one.stage for one in found.answer.degraded if one.stage == "files"] == ["files"]


def test_the_footer_is_that_of_the_answer_but_for_its_count(collection: Collection) -> None:
    found = collection.context("password", max_tokens=4000)
    noted = replace(found, answer=replace(found.answer, notes=("a note",)))

    assert context_footer(noted)[0] == f"{len(found.pieces)} pieces, {found.tokens} of 4,000 tokens"
    assert context_footer(noted)[-1] == "a note"
