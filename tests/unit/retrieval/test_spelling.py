"""Words that nobody wrote are looked for as the words near them that somebody did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.analysis.words import analyser
from trivium.backends.base import Backend
from trivium.backends.reference.store import ReferenceBackend
from trivium.engine import search
from trivium.errors import ModelError
from trivium.models.base import Knowing
from trivium.models.static import static
from trivium.options import Circumstances, SearchOptions
from trivium.query.grammar import AllOf, AnyOf, Query, Words
from trivium.query.parse import parse
from trivium.ranking.profile import profile
from trivium.retrieval.spelling import MOST_LOOKED_UP, Vocabulary, spelt
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import Answer

BEST = profile("best")
_TEXTS = {
    "auth": "The password is hashed after validation.",
    "login": "Authentication needs a password, and authorization a role.",
    "parser": "parsing a request and passing it on; getUserProfile reads it",
    "german": "Übersetzung und Straßenbahn",
    "radio": "tune it, and print what is heard",
}


@pytest.fixture
def backend() -> Backend:
    made = ReferenceBackend()
    write(made, [make_file(f"{name}.md", [Section(name, text)]) for name, text in _TEXTS.items()])
    return made


def _meant(backend: Backend, text: str, lexicon: Knowing | None = None) -> Query:
    with backend.snapshot() as snapshot:
        words_of = analyser(BEST.view.analyser)
        known = Vocabulary(snapshot, snapshot.text(BEST.view), words_of, lexicon)
        return spelt(parse(text), known=known, weight=0.8)


def _answer(backend: Backend, text: str, *, typos: bool = True, name: str = "best") -> Answer:
    options = SearchOptions(profile(name), typos=typos, explain=True)
    with backend.snapshot() as snapshot:
        return search(snapshot, text, options=options, given=Circumstances("test"))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("pasword", "password"),
        ("passwrod validaton", "password validation"),
        ("Authenticatoin", "Authentication"),
        # Two edits, in a word of eight letters and more.
        ("autentificaton", "autentificaton"),
        ("autentcation", "authentication"),
        ("getUserProfle", "getUserProfile"),
        ("getuserprofle", "getuserprofile"),
        ("hashd", "hashed"),
        ("Ubersetzng", "Ubersetzng"),
        # Two letters swapped rather than a stop word: then.
        ("tuen", "tune"),
        # Only another form of it stands there, which is not near.
        ("printng", "printng"),
    ],
)
def test_a_word_that_is_not_there_is_corrected_to_one_that_is(
    backend: Backend, typed: str, meant: str
) -> None:
    assert (_meant(backend, typed).better or typed) == meant


@pytest.mark.parametrize(
    ("typed", "common", "rare"),
    [
        # A letter doubled, or left out, against two that are swapped in a word that one page has.
        ("pasword", "password", "paswrod"),
        ("eror", "error", "erro"),
        ("reurn", "return", "rerun"),
        # A wrong letter in a word that is everywhere, against one left out in a rare one.
        ("pach", "path", "peach"),
    ],
)
def test_of_near_words_the_frequent_one_is_meant_though_another_mistake_is_likelier(
    typed: str, common: str, rare: str
) -> None:
    made = ReferenceBackend()
    texts = {"one": f"The {rare} of it.", **{f"p{n}": f"The {common} {n}." for n in range(30)}}
    write(made, [make_file(f"{name}.md", [Section(name, text)]) for name, text in texts.items()])

    assert _meant(made, typed).better == common


def test_of_near_words_that_are_as_frequent_the_likelier_mistake_was_made(backend: Backend) -> None:
    texts = {"one": "The batter is sweet.", "two": "The baker is sweet.", "three": "The bater."}
    write(backend, [make_file(f"{one}.md", [Section(one, text)]) for one, text in texts.items()])

    assert _meant(backend, "bakre").better == "baker"
    assert _meant(backend, "batteer").better == "batter"


def test_a_near_word_stands_beside_the_typed_one_at_less_weight_and_is_embedded_instead(
    backend: Backend,
) -> None:
    query = _meant(backend, "pasword AND role")

    either = AnyOf((Words("pasword"), Words("password", 0.8)))
    assert query.root == AllOf((either, Words("role")))
    assert query.meaning == "password role"
    assert query.near == ("pasword ~ password",)


@pytest.mark.parametrize(
    "text",
    [
        "password validation",
        '"pasword reset"',
        "name:pasword role",
        "role -pasword",
        "pasword*",
        "rolle1 pas sha265",
        "検索ンジエン",
        "wher shoud",
        "zzzzzzzz qqqq",
        "",
    ],
)
def test_what_is_known_exact_short_or_near_to_nothing_stays_as_it_is(
    backend: Backend, text: str
) -> None:
    assert _meant(backend, text) == parse(text)


def test_words_with_two_equal_neighbours_are_looked_for_as_both(backend: Backend) -> None:
    assert _meant(backend, "pasing").near == ("pasing ~ passing", "pasing ~ parsing")


def test_a_rare_word_is_a_slip_only_beside_a_much_more_frequent_one() -> None:
    backend = ReferenceBackend()
    texts = ["pasword once", *(f"password {number}" for number in range(49))]
    write(backend, [make_file(f"{n}.md", [Section(f"s{n}", t)]) for n, t in enumerate(texts)])
    assert _meant(backend, "pasword").near == ()

    write(backend, [make_file("more.md", [Section("more", "one more password")])])
    query = _meant(backend, "pasword")

    assert query.near == ("pasword ~ password",)
    assert query.better == "password"
    # Somebody wrote it, so it may be meant.
    assert query.meaning == "pasword"


def test_only_so_many_unknown_words_are_looked_up(backend: Backend) -> None:
    text = " ".join(
        f"pasword{'abcdefghij'[n % 10]}{'abcdefghij'[n // 10 % 10]}" for n in range(500)
    )

    query = _meant(backend, text)

    assert f"only the first {MOST_LOOKED_UP} unknown words were looked up" in query.notes[0]


def test_a_word_of_ten_thousand_letters_is_answered(backend: Backend) -> None:
    assert _answer(backend, "p" * 10_000).results == ()


def test_the_answer_finds_shows_and_suggests_what_was_meant(backend: Backend) -> None:
    answer = _answer(backend, "pasword hashd")

    best = answer.results[0]
    assert best.id == "auth.md#auth"
    assert best.reason.startswith("has ")
    assert "password" in best.reason
    assert best.highlights
    assert best.breakdown is not None
    sparse = best.breakdown["sparse"]
    assert isinstance(sparse, dict)
    assert sparse["near"] == ["pasword ~ password", "hashd ~ hashed"]
    assert answer.suggestions[0] == "password hashed"
    assert "looked for near words as well: pasword ~ password, hashd ~ hashed" in answer.notes


def test_a_known_query_is_answered_the_same_with_and_without(backend: Backend) -> None:
    with_typos, without = (_answer(backend, "password role", typos=one) for one in (True, False))

    assert replace(with_typos, took_ms=0) == replace(without, took_ms=0)


@pytest.mark.parametrize("name", ["xplor", "contract", "ember", "graph", "rag"])
def test_the_profiles_of_the_seeds_take_every_word_as_it_was_typed(
    backend: Backend, name: str
) -> None:
    answer = _answer(backend, "pasword", name=name)

    assert answer.suggestions == ()
    assert not any("near words" in note for note in answer.notes)
    assert _answer(backend, "pasword", typos=False).suggestions == ()


def test_a_word_that_is_one_though_nobody_wrote_it_here_is_no_mistake(backend: Backend) -> None:
    assert _meant(backend, "roles tuna").near == ("tuna ~ tune",)
    assert _meant(backend, "roles tuna", static()).near == ()
    assert _meant(backend, "pasword", static()).near == ("pasword ~ password",)


def test_a_damaged_list_of_words_is_as_none(backend: Backend) -> None:
    class Damaged:
        def knows(self, word: str) -> bool:
            raise ModelError(f"no {word}")

    assert _meant(backend, "pasword", Damaged()).near == ("pasword ~ password",)
