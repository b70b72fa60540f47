"""What each kind of query finds and scores, as backends/reference/score.py defines it."""

from __future__ import annotations

import pytest

from trivium.backends.base import Backend, TextIndex
from trivium.filtering.conditions import EVERYTHING
from trivium.query.grammar import NOTHING, AllOf, AnyOf, Expression, Phrase, Prefix, Without, Words
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import BODY, ask, write
from trivium.testing.promises import Promises
from trivium.types import View

_TEXTS = {
    "fox": "the quick brown fox",
    "dog": "a brown dog, quick to bark",
    "camel": "openMap and readRow",
    "plain": "open a map",
    "japanese": "全文検索エンジンは速い",
    "mixed": "検索 engine",
    "repeated": "ping ping ping",
}


def _found(text: TextIndex, root: Expression) -> set[str]:
    """Return the names of the sections that match."""
    ids = text.search(ask(root), where=EVERYTHING, depth=100).ids
    return {one.partition("#")[2].partition("@")[0] for one in ids}


def _scores(text: TextIndex, root: Expression) -> dict[str, float]:
    found = text.search(ask(root), where=EVERYTHING, depth=100)
    return dict(zip(found.ids, found.scores, strict=True))


class QueryPromises(Promises):
    """The meaning of words, phrases, prefixes and operators."""

    @pytest.fixture
    def texts(self, backend: Backend) -> Backend:
        """Give a backend with one file per text."""
        write(backend, [make_file(f"{n}.md", [Section(n, text)]) for n, text in _TEXTS.items()])
        return backend

    @pytest.mark.parametrize(
        ("root", "expected"),
        [
            (Words("fox dog"), "fox dog"),
            (Words("FOX"), "fox"),
            (Words("foxes"), "fox"),
            (Words("open"), "camel plain"),
            (Words("openmap"), "camel"),
            (Words("open_map"), "camel plain"),
            (Words("absent"), ""),
            (Phrase("quick brown"), "fox"),
            (Phrase("brown quick"), ""),
            (Phrase("brown dog quick"), "dog"),
            (Phrase("open map"), "camel plain"),
            (Phrase("fox"), "fox"),
            (Phrase("openmap"), "camel"),
            (Phrase("openmap readrow"), ""),
            (Phrase("ping ping"), "repeated"),
            (Phrase("ping ping ping ping"), ""),
            (Prefix("bro"), "fox dog"),
            (Prefix("BRO"), "fox dog"),
            (Prefix("openm"), "camel"),
            (Prefix("zzz"), ""),
            (Prefix("b.*"), ""),
            (Prefix("barki"), "dog"),
            (Prefix("readr"), "camel"),
            (Prefix("検"), "japanese mixed"),
            (Prefix("検索エ"), "japanese"),
            (Prefix("検索ン"), ""),
            (Prefix("x" * 10_000), ""),
            (Words("検索"), "japanese mixed"),
            (Words("全文検索"), "japanese mixed"),
            (Phrase("全文検索"), "japanese"),
            (Phrase("検索エンジン"), "japanese"),
            (Phrase("索検"), ""),
            (AllOf((Words("quick"), Words("dog"))), "dog"),
            (AllOf((Words("quick"),), also=(Words("dog"),)), "fox dog"),
            (AllOf((Words("dog"), Words("camel"))), ""),
            (AnyOf((Words("fox"), Words("camel"), Words("ping"))), "fox repeated"),
            (Without(Words("quick"), Words("dog")), "fox"),
            (Without(Words("quick"), Phrase("quick brown")), "dog"),
            (Without(Words("quick"), Words("absent")), "fox dog"),
            (AllOf((Without(Words("brown"), Words("dog")), Words("quick"))), "fox"),
        ],
        ids=str,
    )
    def test_a_query_finds_what_it_means(
        self, texts: Backend, root: Expression, expected: str
    ) -> None:
        with texts.snapshot() as snapshot:
            assert _found(snapshot.text(BODY), root) == set(expected.split())

    @pytest.mark.parametrize(
        ("root", "expected"),
        [
            (Words("the of and"), ""),
            (Words("... !?"), ""),
            (Phrase("to be"), ""),
            (Prefix(""), ""),
            (NOTHING, ""),
            (AllOf(()), ""),
            (Without(NOTHING, Words("fox")), ""),
            (AllOf((Words("the"), Words("fox"))), "fox"),
            (AllOf((Words("the"), Words("of"))), ""),
            (AllOf((Words("fox"), AnyOf((Words("the"), Words("of"))))), "fox"),
            (AllOf((Words("the"),), also=(Words("fox"),)), "fox"),
            (AllOf((Words("fox"),), also=(Words("the"),)), "fox"),
            (AnyOf((Words("the"), Words("fox"))), "fox"),
            (Without(Words("fox"), Words("the")), "fox"),
        ],
        ids=str,
    )
    def test_what_has_nothing_to_look_for_is_as_if_it_had_not_been_written(
        self, texts: Backend, root: Expression, expected: str
    ) -> None:
        with texts.snapshot() as snapshot:
            assert _found(snapshot.text(BODY), root) == set(expected.split())

    def test_the_score_of_operators_is_the_sum_of_what_matches(self, texts: Backend) -> None:
        quick, dog, phrase = Words("quick"), Words("dog"), Phrase("brown dog")
        with texts.snapshot() as snapshot:
            text = snapshot.text(BODY)
            (dog_id,) = _scores(text, dog)
            single = {one: _scores(text, one)[dog_id] for one in (quick, dog, phrase)}
            total = pytest.approx(sum(single.values()), rel=1e-5)

            assert _scores(text, AllOf((quick, dog, phrase)))[dog_id] == total
            assert _scores(text, AllOf((quick,), also=(dog, phrase)))[dog_id] == total
            assert _scores(text, AnyOf((quick, dog, phrase, Words("absent"))))[dog_id] == total
            without = _scores(text, Without(dog, Words("fox")))
            assert without[dog_id] == pytest.approx(single[dog])

    def test_a_word_said_twice_counts_twice(self, texts: Backend) -> None:
        with texts.snapshot() as snapshot:
            text = snapshot.text(BODY)
            once, twice = _scores(text, Words("fox")), _scores(text, Words("fox Fox"))

        assert twice == pytest.approx({one: 2 * score for one, score in once.items()}, rel=1e-5)

    def test_words_of_less_weight_score_that_share(self, texts: Backend) -> None:
        with texts.snapshot() as snapshot:
            text = snapshot.text(BODY)
            full = _scores(text, Words("quick fox"))
            half = _scores(text, Words("quick fox", weight=0.5))

        assert half == pytest.approx({one: 0.5 * score for one, score in full.items()}, rel=1e-5)

    def test_every_prefix_scores_one_however_many_terms_and_fields_it_matches(
        self, texts: Backend
    ) -> None:
        summed = View("summed", "standard", (("name", 3), ("body", 2)), "sum")
        with texts.snapshot() as snapshot:
            for view in (BODY, summed):
                scores = _scores(snapshot.text(view), Prefix("p"))
                assert set(scores.values()) == {1.0}

    def test_a_phrase_does_not_run_from_one_field_into_the_next(self, backend: Backend) -> None:
        fields = (("name", 2), ("body", 1))
        write(backend, [make_file("a.md", [Section("alpha beta", "gamma delta")])])

        with backend.snapshot() as snapshot:
            for combine in ("repeat", "sum"):
                text = snapshot.text(View(f"by {combine}", "standard", fields, combine))
                assert _found(text, Phrase("alpha beta"))
                assert _found(text, Phrase("gamma delta"))
                assert not _found(text, Phrase("beta gamma"))
                assert not _found(text, Phrase("beta alpha"))

    def test_summed_fields_add_up_by_weight(self, backend: Backend) -> None:
        files = [
            make_file("a.md", [Section("alpha", "alpha beta")]),
            make_file("b.md", [Section("beta", "gamma alpha alpha")]),
            make_file("c.md", [Section("gamma", "nothing of that kind here")]),
        ]
        write(backend, files)
        name, body = (("name", 1),), (("body", 1),)
        summed = View("summed", "standard", (("name", 5), ("body", 2)), "sum")

        with backend.snapshot() as snapshot:
            in_name = _scores(snapshot.text(View("n", "standard", name, "sum")), Words("alpha"))
            in_body = _scores(snapshot.text(View("b", "standard", body, "sum")), Words("alpha"))
            both = _scores(snapshot.text(summed), Words("alpha"))

        assert both == pytest.approx(
            {one: 5 * in_name.get(one, 0.0) + 2 * score for one, score in in_body.items()},
            rel=1e-5,
        )

    def test_a_repeated_field_weighs_more(self, backend: Backend) -> None:
        files = [
            make_file("a.md", [Section("alpha", "beta")]),
            make_file("b.md", [Section("beta", "alpha")]),
        ]
        write(backend, files)
        view = View("named", "standard", (("name", 3), ("body", 1)))

        with backend.snapshot() as snapshot:
            found = snapshot.text(view).search(ask(Words("beta")), where=EVERYTHING, depth=9)

        assert [one.partition("#")[0] for one in found.ids] == ["b.md", "a.md"]

    def test_views_by_other_analysers_have_their_own_terms(self, texts: Backend) -> None:
        simple = View("simple", "simple", (("body", 1),))
        with texts.snapshot() as snapshot:
            assert _found(snapshot.text(simple), Words("openmap")) == {"camel"}
            assert _found(snapshot.text(simple), Words("open")) == {"plain"}
            assert _found(snapshot.text(simple), Words("the")) == {"fox"}
