"""Collections of one cluster lend each other vectors: a text is embedded once for all of them."""

from __future__ import annotations

from trivium.backends.base import Backend
from trivium.filtering.conditions import EVERYTHING
from trivium.testing.contract import MakeBackend
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import MODEL, embed, vector_of, write

_SHARED = [Section("one", "a lion sleeps"), Section("two", "the river rises")]


def _waiting(backend: Backend) -> list[str]:
    with backend.writer(wait_s=0) as writer:
        return sorted(one.text.splitlines()[-1] for one in writer.pending(MODEL, limit=99))


def test_a_text_that_another_collection_has_a_vector_of_is_not_embedded_again(
    make_collection: MakeBackend,
) -> None:
    first, second = make_collection(), make_collection()
    write(first, [make_file("a.md", _SHARED)])
    embed(first)
    write(second, [make_file("a.md", [*_SHARED, Section("three", "only here")])])

    waiting = _waiting(second)

    with first.snapshot() as one, second.snapshot() as other:
        spaces = [snapshot.vectors(MODEL) for snapshot in (one, other)]
        assert spaces[0] is not None
        assert spaces[1] is not None
        ids = spaces[0].search(vector_of("lion"), where=EVERYTHING, depth=9).ids
        lent = spaces[1].kept(ids)
        assert {key: row.tolist() for key, row in lent.items()} == {
            key: row.tolist() for key, row in spaces[0].kept(ids).items()
        }
        assert len(ids) == len(_SHARED)
    assert waiting == ["only here"]


def test_vectors_that_are_forgotten_are_lent_by_nobody(make_collection: MakeBackend) -> None:
    first, second = make_collection(), make_collection()
    for one in (first, second):
        write(one, [make_file("a.md", _SHARED)])
        embed(one)

    with second.writer(wait_s=0) as writer:
        writer.forget_vectors(MODEL)

    assert len(_waiting(second)) == len(_SHARED)
    assert _waiting(first) == []
