import pytest

from trivium.backends.base import Batch
from trivium.backends.reference.order import rounded
from trivium.backends.reference.store import ReferenceBackend, utc_now
from trivium.backends.reference.vectors import dot, quantise
from trivium.errors import BackendRefused, ConfigError
from trivium.filtering.conditions import EVERYTHING
from trivium.query.grammar import Words
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import BODY, MODEL, ask, embed, vector_of, vectors_of, write
from trivium.types import View


def test_the_clock_says_when_a_sync_ended_and_a_batch_does_not() -> None:
    backend = ReferenceBackend(clock=lambda: "noon")
    write(backend, [make_file("a.md", [Section("a", "text")])])
    with backend.snapshot() as before:
        assert before.contents().indexed_at == ""

    with backend.writer(wait_s=0) as writer:
        writer.record(skipped={})

    with backend.snapshot() as after:
        assert after.contents().indexed_at == "noon"


def test_the_default_clock_gives_utc() -> None:
    assert utc_now().endswith("+00:00")


def test_a_view_of_an_unknown_field_is_a_config_error() -> None:
    with ReferenceBackend().snapshot() as snapshot, pytest.raises(ConfigError, match="colour"):
        snapshot.text(View(name="v", analyser="standard", fields=(("colour", 1),)))


@pytest.mark.parametrize(("unit", "combine"), [("page", "repeat"), ("chunk", "multiply")])
def test_a_view_this_backend_does_not_have_is_refused(unit: str, combine: str) -> None:
    view = View("v", "standard", (("body", 1),), combine, unit)

    with ReferenceBackend().snapshot() as snapshot, pytest.raises(BackendRefused, match="'v'"):
        snapshot.text(view)


def test_an_empty_index_finds_nothing() -> None:
    with ReferenceBackend().snapshot() as snapshot:
        assert snapshot.text(BODY).search(ask(Words("x")), where=EVERYTHING, depth=5).ids == ()
        assert snapshot.spaces() == []


def test_touching_a_file_that_is_not_there_is_refused() -> None:
    state = make_file("a.md", [Section("a", "text")]).state

    with (
        ReferenceBackend().writer(wait_s=0) as writer,
        pytest.raises(BackendRefused, match="not in the index"),
    ):
        writer.write(Batch(touched=(state,)))


def test_vectors_of_another_length_than_the_space_are_refused() -> None:
    backend = ReferenceBackend()
    write(backend, [make_file("a.md", [Section("a", "text")])])
    embed(backend)

    with backend.writer(wait_s=0) as writer, pytest.raises(BackendRefused, match="16 dimensions"):
        writer.put_vectors(MODEL, [b"k"], vectors_of(["x"], dimension=8))
    with backend.snapshot() as snapshot:
        index = snapshot.vectors(MODEL)
        assert index is not None
        with pytest.raises(BackendRefused, match="8 dimensions"):
            index.search(vector_of("x", dimension=8), where=EVERYTHING, depth=1)


def test_more_keys_than_vectors_are_refused() -> None:
    with (
        ReferenceBackend().writer(wait_s=0) as writer,
        pytest.raises(BackendRefused, match="2 keys"),
    ):
        writer.put_vectors(MODEL, [b"a", b"b"], vectors_of(["x"]))


def test_quantising_keeps_the_largest_component_and_rounds_halves_to_even() -> None:
    kept = quantise([1.27, 0.025, 0.0, -1.27])

    assert kept.steps == (127, 2, 0, -127)
    assert kept.scale == pytest.approx(1.27 / 127)
    assert dot([1.0, 0.0, 0.0, 0.0], kept) == pytest.approx(1.27)


def test_a_vector_of_zeros_is_far_from_everything() -> None:
    assert dot([1.0, 1.0], quantise([0.0, 0.0])) == 0.0


def test_scores_are_compared_as_32_bit_floats() -> None:
    assert rounded(1.0 + 2**-30) == 1.0
    assert rounded(1.0 + 2**-23) == 1.0 + 2**-23
