"""An index moved to a cluster and back: the same, and nothing embedded again."""

from __future__ import annotations

from pathlib import Path

from trivium.backends.base import Backend
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.filtering.conditions import EVERYTHING
from trivium.linker import link
from trivium.query.grammar import Words
from trivium.testing import corpus
from trivium.testing.contract import MakeBackend
from trivium.testing.filling import BODY, MODEL, ask, embed, vector_of, write
from trivium.writing.moving import move_index


def _embedded(place: Path) -> Backend:
    return EmbeddedBackend(place / "collection", store=place / "store")


def _seen(backend: Backend) -> object:
    with backend.snapshot() as snapshot:
        space = snapshot.vectors(MODEL)
        assert space is not None
        words = snapshot.text(BODY).search(ask(Words("index query")), where=EVERYTHING, depth=50)
        near = space.search(vector_of("index"), where=EVERYTHING, depth=50)
        return (
            {path: snapshot.content(path) for path in snapshot.paths()},
            [(one.model_id, one.dimension, one.coverage) for one in snapshot.spaces()],
            words.ids,
            near.ids,
        )


def test_an_index_moved_to_a_cluster_and_back_is_the_one_it_was(
    make_collection: MakeBackend, tmp_path: Path
) -> None:
    first, cluster, last = (
        _embedded(tmp_path / "one"),
        make_collection(),
        _embedded(tmp_path / "two"),
    )
    write(first, corpus.generated()[:20])
    embed(first)
    link(first)

    for source, target in ((first, cluster), (cluster, last)):
        move_index(source, target)
        link(target)
        with target.writer(wait_s=0) as writer:
            assert writer.count_pending(MODEL) == 0
        with source.snapshot() as before, target.snapshot() as after:
            assert after.contents().edges == before.contents().edges

    assert _seen(cluster) == _seen(first)
    assert _seen(last) == _seen(first)
