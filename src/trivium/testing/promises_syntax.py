"""What fields of keywords and operators promise, as analysis.fields fills them."""

from __future__ import annotations

import math

import pytest

from trivium.backends.base import Backend
from trivium.filtering.conditions import EVERYTHING
from trivium.query.grammar import (
    AllOf,
    AnyOf,
    Expression,
    Operators,
    Phrase,
    Prefix,
    Without,
    Words,
)
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import SUM, ask, write
from trivium.testing.promises import Promises
from trivium.types import Kind, View

KEYWORD, OPERATOR = 0.25, 0.05
PICKED = View(
    name="picked",
    analyser="code",
    fields=(("body", 1), ("keyword", KEYWORD), ("operator", OPERATOR)),
    combine="sum",
)
_CODE = {
    "both": "if (cacheHit && key) return a && b",
    "one": "return key",
    "none": "let x = 1 // if && return",
}
_PROSE = {"prose": "return the key && go on"}


def _view(**weights: float) -> View:
    return View("-".join(weights), "code", tuple(weights.items()), combine="sum")


def _scores(backend: Backend, root: Expression, view: View = PICKED) -> dict[str, float]:
    """Return the score of each section that matches, by its name."""
    with backend.snapshot() as snapshot:
        found = snapshot.text(view).search(ask(root), where=EVERYTHING, depth=100)
    names = [one.partition("#")[2].partition("@")[0] for one in found.ids]
    return dict(zip(names, found.scores, strict=True))


def _bm25(*, documents: int, having: int, times: int, length: int, average: float) -> float:
    idf = math.log(1 + (documents - having + 0.5) / (having + 0.5))
    return idf * times * 2.2 / (times + 1.2 * (1 - 0.75 + 0.75 * length / average))


class SyntaxPromises(Promises):
    """Keywords count beside words; operators are asked for on their own and in their field."""

    @pytest.fixture
    def code(self, backend: Backend) -> Backend:
        """Give a backend with three functions and a text."""
        functions = [
            Section(name, text, Kind.CODE, "function", "javascript") for name, text in _CODE.items()
        ]
        write(backend, [make_file("a.js", functions)])
        write(backend, [make_file("a.md", [Section(n, text) for n, text in _PROSE.items()])])
        return backend

    @pytest.mark.parametrize(
        ("root", "expected"),
        [
            (Operators("&&"), "both"),
            (Operators("&& ="), "both none"),
            (Operators("&&x||"), "both"),
            (Operators("||"), ""),
            (Operators("&"), ""),
            (Operators("key"), ""),
            (Operators(""), ""),
            (Words("&&"), ""),
            (Words("key && ="), "both one prose"),
            (Prefix("&"), ""),
            (Prefix("retu"), "both one none prose"),
            (Phrase("&&"), ""),
            (AllOf((Words("key"),), also=(Operators("&&"),)), "both one prose"),
            (AllOf((), also=(Operators("&&"),)), "both"),
            (AllOf((Words("key"), Operators("&&"))), "both"),
            (AllOf((Words("key"), Operators("x"))), "both one prose"),
            (AnyOf((Operators("&&"), Words("let"))), "both none"),
            (Without(Words("key"), Operators("&&")), "one prose"),
            (Without(Words("key"), Operators("x")), "both one prose"),
        ],
        ids=str,
    )
    def test_operators_are_found_in_their_field_alone(
        self, code: Backend, root: Expression, expected: str
    ) -> None:
        assert set(_scores(code, root)) == set(expected.split())

    def test_operators_are_scored_by_the_statistics_of_their_field(self, code: Backend) -> None:
        # ( && ) && of the first, none of the second, = of the third, and prose has none.
        lengths = (4, 0, 1, 0)
        average = sum(lengths) / len(lengths)
        once = OPERATOR * _bm25(documents=4, having=1, times=2, length=4, average=average)

        assert _scores(code, Operators("&&")) == pytest.approx({"both": once}, rel=1e-5)
        assert _scores(code, Operators("&& &&")) == pytest.approx({"both": 2 * once}, rel=1e-5)

    def test_a_keyword_counts_in_its_field_beside_the_text(self, code: Backend) -> None:
        # if return, return, let: what a comment says is no keyword, nor is a word of prose.
        lengths = {"both": 2, "one": 1}
        average = (2 + 1 + 1 + 0) / 4
        gained = {
            name: KEYWORD * _bm25(documents=4, having=2, times=1, length=length, average=average)
            for name, length in lengths.items()
        }
        in_text = _scores(code, Words("return"), _view(body=1))

        both = _scores(code, Words("return"))

        assert set(in_text) == {"both", "one", "none", "prose"}
        assert both == pytest.approx(
            {name: score + gained.get(name, 0.0) for name, score in in_text.items()}, rel=1e-5
        )

    def test_operators_add_to_what_words_score(self, code: Backend) -> None:
        words, signs = _scores(code, Words("key")), _scores(code, Operators("&&"))
        together = _scores(code, AllOf((Words("key"),), also=(Operators("&&"),), binds=False))

        assert together == pytest.approx(
            {name: score + signs.get(name, 0.0) for name, score in words.items()}, rel=1e-5
        )

    @pytest.mark.parametrize(
        ("root", "expected"),
        [
            (Phrase("if return"), ""),
            (Phrase("if"), "both"),
            (Words("if key"), "both"),
            (Words("key"), ""),
            (AllOf((Words("key"),), also=(Words("if"),)), ""),
            (Without(Words("if"), Phrase("if return")), "both"),
        ],
        ids=str,
    )
    def test_keywords_hold_no_phrases_and_no_other_words(
        self, code: Backend, root: Expression, expected: str
    ) -> None:
        assert set(_scores(code, root, _view(keyword=1))) == set(expected.split())

    @pytest.mark.parametrize(
        "root",
        [Words("key"), Phrase("a b"), Prefix("k"), AllOf((Words("key"), Operators("&&")))],
        ids=str,
    )
    def test_a_view_of_operators_alone_has_no_words(self, code: Backend, root: Expression) -> None:
        assert _scores(code, root, _view(operator=1)) == {}

    @pytest.mark.parametrize(
        ("root", "expected"),
        [
            (Operators("&&"), ""),
            (AllOf((Words("key"), Operators("&&"))), "both one prose"),
            (Without(Words("key"), Operators("&&")), "both one prose"),
        ],
        ids=str,
    )
    def test_where_no_field_has_them_operators_ask_for_nothing(
        self, code: Backend, root: Expression, expected: str
    ) -> None:
        assert set(_scores(code, root, SUM)) == set(expected.split())

    def test_a_megabyte_of_brackets_is_indexed_and_found(self, backend: Backend) -> None:
        many = Section("many", "(" * 1_000_000, Kind.CODE, "function", "go")
        write(backend, [make_file("a.go", [many]), make_file("b.go", [Section("b", "x = 1")])])

        assert set(_scores(backend, Operators("("))) == {"many"}
