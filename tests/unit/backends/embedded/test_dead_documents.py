"""What was deleted counts in Tantivy's statistics until it is written out: when that happens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from trivium.backends.embedded import text
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.embedded.text import State, needs_rebuild
from trivium.backends.reference.store import ReferenceBackend
from trivium.filtering.conditions import EVERYTHING
from trivium.query.grammar import Words
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import BODY, ask, write
from trivium.types import View

CODE = replace(BODY, name="code", kinds=("code",))


def opened(place: Path, *views: View) -> EmbeddedBackend:
    return EmbeddedBackend(place / "index", store=place / "store", views=views or (BODY,))


def scores(backend: EmbeddedBackend | ReferenceBackend, word: str = "zebra") -> list[float]:
    with backend.snapshot() as snapshot:
        found = snapshot.text(BODY).search(ask(Words(word)), where=EVERYTHING, depth=1000)
    return list(found.scores)


def put(backend: EmbeddedBackend | ReferenceBackend, **bodies: str) -> None:
    write(backend, [make_file(f"{n}.md", [Section("s", body)]) for n, body in bodies.items()])


def dead(backend: EmbeddedBackend, view: View = BODY) -> int:
    state = backend.view(view).state()
    assert state is not None
    return state.dead


def generation(backend: EmbeddedBackend, view: View = BODY) -> str:
    state = backend.view(view).state()
    assert state is not None
    return state.generation


def test_a_small_index_is_right_as_soon_as_something_is_removed_or_replaced(
    tmp_path: Path,
) -> None:
    embedded, reference = opened(tmp_path), ReferenceBackend()
    for backend in (embedded, reference):
        put(backend, a="a zebra", b="a zebra and more words than that", c="a lion")
        put(backend, b="a lion now")
        write(backend, [], removed=["c.md"])

    assert dead(embedded) == 0
    assert scores(embedded) == pytest.approx(scores(reference), rel=1e-6)
    assert scores(embedded, "lion") == pytest.approx(scores(reference, "lion"), rel=1e-6)


def test_a_larger_one_counts_what_was_deleted_until_it_is_a_fifth_of_the_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "_SMALL", 9)
    embedded, reference = opened(tmp_path), ReferenceBackend()
    for backend in (embedded, reference):
        put(backend, **{f"n{n}": f"a zebra number{n}" for n in range(10)})
    first = generation(embedded)

    for backend in (embedded, reference):
        put(backend, n0="a lion", n1="a lion")
    # Two of ten, which is no more than a fifth: ten that have the word and twelve in all count.
    assert (dead(embedded), generation(embedded)) == (2, first)
    assert len(scores(embedded)) == len(scores(reference)) == 8
    assert scores(embedded) != pytest.approx(scores(reference), rel=1e-3)

    for backend in (embedded, reference):
        put(backend, n2="a lion")
    assert dead(embedded) == 0
    assert generation(embedded) != first
    assert scores(embedded) == pytest.approx(scores(reference), rel=1e-6)


def test_a_view_that_holds_nothing_of_what_was_deleted_stays_as_it_is(tmp_path: Path) -> None:
    embedded = opened(tmp_path, BODY, CODE)
    put(embedded, a="a zebra", b="a lion")
    before = generation(embedded), generation(embedded, CODE)

    put(embedded, a="an ant")

    assert (dead(embedded), dead(embedded, CODE)) == (0, 0)
    assert generation(embedded) != before[0]
    assert generation(embedded, CODE) == before[1]


def test_what_is_only_added_makes_nothing_anew(tmp_path: Path) -> None:
    embedded = opened(tmp_path)
    put(embedded, a="a zebra")
    before = generation(embedded)

    put(embedded, b="a lion")

    assert generation(embedded) == before


@pytest.mark.parametrize(
    ("deleted", "chunks", "views", "is_needed"),
    [
        (0, 10, 1, False),
        (1, 250, 1, True),
        (1, 251, 1, False),
        (1, 125, 2, True),
        (1, 126, 2, False),
        (200, 1000, 1, False),
        (201, 1000, 1, True),
        (51, 250, 2, True),
        (1, 0, 1, True),
    ],
)
def test_all_views_together_say_what_is_small(
    deleted: int, chunks: int, views: int, *, is_needed: bool
) -> None:
    state = State("g1", seq=1, dead=deleted, incarnation="")

    assert needs_rebuild(state, chunks=chunks, views=views) is is_needed
