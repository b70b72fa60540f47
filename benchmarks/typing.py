"""What misspelt, half-typed and other words cost and gain: every figure of docs/typing.md.

Times are of an index of 100,000 chunks. Quality is that of judged sets, asked as they are and
with one mistake in each query: give their folder. Run: python -m benchmarks.typing
[--data FOLDER] [--queries 300] [--only times|mistakes|weights|synonyms]
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from operator import eq
from pathlib import Path
from statistics import fmean

from benchmarks.corpus import Prepared, prepare, queries
from benchmarks.measure import Row, arguments, cpu_ms, high, middle, report, verdict
from benchmarks.query import Asker
from trivium.analysis.words import analyser
from trivium.evaluation import bench
from trivium.evaluation.bench import Bench, Contender
from trivium.evaluation.measure import Measure, Question, values_of
from trivium.evaluation.sets import Place, Sort
from trivium.filtering.conditions import EVERYTHING
from trivium.models.base import Embedder
from trivium.models.static import static
from trivium.query.parse import parse
from trivium.query.spelling import edits_allowed
from trivium.query.synonyms import abbreviations, with_synonyms
from trivium.ranking.profile import Profile, profile
from trivium.results.nearest import nearest
from trivium.retrieval.spelling import Vocabulary, spelt

_QUERIES = 200
_TYPED = 40
_MOST_AT_A_KEY_MS = 5
_MOST_PREFIX_MS = 25
_MOST_NAMES_MS = 15
_PREFIXES = ("s*", "se*", "ser*", "serv*", "re*", "a*", "parse s*")
_EMPTY = ("paswrod", "getUserPrfile", "xqzzwv blorptastic", "tokeniser.py readr")
_BEST = profile("best")
_TABLES = ("times", "mistakes", "weights", "synonyms")
# Splits are those that weights may be chosen by; nothing is chosen by the test splits.
_SETS = {
    "skills-metatool": "dev",
    "cosqa": "dev",
    "scifact": "train",
    "conala": "train",
    "csn-challenge": "test",
    "ray-docs-qa": "train",
    "cisi": "test",
    "cranfield": "test",
    "npl-vaswani": "test",
}
_WEIGHED = ("cosqa", "scifact", "ray-docs-qa")
_WEIGHTS = (0.5, 0.8, 1.0)
_WITH_CODE = ("cosqa", "conala", "csn-challenge", "scifact", "ray-docs-qa")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "", chunks=100_000)
    parser.add_argument("--data", type=Path, help="the folder of the judged sets")
    parser.add_argument("--home", type=Path, help="where indexes of judged sets are kept")
    parser.add_argument("--queries", type=int, default=300, help="so many of each set")
    parser.add_argument("--only", choices=_TABLES, help="make one table")
    asked = parser.parse_args()
    if asked.only in (None, "times"):
        corpus = prepare(asked.cache, chunks=asked.chunks)
        for title, rows in _times(corpus):
            report(f"{title}, {corpus.chunks:,} chunks, CPU ms", rows, to=asked.json)
    if asked.data is None:
        return
    home = asked.home or asked.cache / "judged"
    ready = partial(Bench, home=home, contenders=(_contender(_BEST),), limit=asked.queries)
    for name, make in (("mistakes", _mistakes), ("weights", _weights), ("synonyms", _synonyms)):
        if asked.only in (None, name):
            rows = list(make(asked.data, ready))
            report(f"{name.capitalize()}, best with static, nDCG@10", rows, to=asked.json)


def _times(corpus: Prepared) -> Iterator[tuple[str, list[Row]]]:
    texts = queries(corpus, count=_QUERIES)
    asker = Asker(corpus, [*texts, *_PREFIXES])
    yield "As you type, a key", _keys(asker, texts)
    yield "Prefixes, words alone", _prefixes(asker)
    yield "Looking for near words, beside the search", _near_words(asker, texts)
    yield "Names near a query that found nothing", _names(asker)


def _keys(asker: Asker, texts: Sequence[str]) -> list[Row]:
    """Time every third key of some queries, by how much of the last word stands there.

    And all of them once more: what is read for the first time is then remembered.
    """
    keys = [text[:end] for text in texts[:_TYPED] for end in range(1, len(text) + 1)][::3]
    for key in keys[:20]:
        asker.type(key)
    taken = [(key, cpu_ms(partial(asker.type, key))) for key in keys]
    by_length: dict[str, list[float]] = {}
    for key, spent in taken:
        length = 0 if key[-1].isspace() else len(key.split()[-1])
        by_length.setdefault(f"{min(length, 4)}", []).append(spent)
    every = [spent for _, spent in taken]
    again = [cpu_ms(partial(asker.type, key)) for key in keys]
    rows: list[Row] = []
    for name, some in [("every key", every), ("again", again), *sorted(by_length.items())]:
        met = verdict(high(some), most=_MOST_AT_A_KEY_MS) if name == "every key" else ""
        rows.append(
            {
                "letters of the last word (4: or more)": name,
                "keys": len(some),
                "p50": round(middle(some), 2),
                "p95": round(high(some), 2),
                "target": f"p95 <= {_MOST_AT_A_KEY_MS}" if met else "",
                "": met,
            }
        )
    return rows


def _prefixes(asker: Asker) -> list[Row]:
    rows: list[Row] = []
    for text in _PREFIXES:
        spent = _taken(partial(asker.ask_words, text))
        rows.append(
            {
                "query": text,
                "hits": asker.ask_words(text),
                "p50": round(spent, 2),
                "target": f"<= {_MOST_PREFIX_MS}",
                "": verdict(spent, most=_MOST_PREFIX_MS),
            }
        )
    return rows


def _near_words(asker: Asker, texts: Sequence[str]) -> list[Row]:
    """Time what a correction costs, by how many edits the misspelt word may be away.

    `right` are those that give back the query as it was, `wrong` those that give another one.
    """
    sorts: dict[str, list[tuple[str, str]]] = {"all words known": [(one, "") for one in texts]}
    for edits, name in ((1, "an unknown word, one edit"), (2, "an unknown word, two edits")):
        made = [(_misspelt(text, text, edits=edits), text) for text in texts]
        sorts[name] = [(wrong, text) for wrong, text in made if wrong is not None]
    words_of, lexicon = analyser(_BEST.view.analyser), static()
    lexicon.knows("read once")
    rows: list[Row] = []
    for name, some in sorts.items():
        spent, given = [], []
        for text, _ in some:
            with asker.backend.snapshot() as snapshot:
                known = Vocabulary(snapshot, snapshot.text(_BEST.view), words_of, lexicon)
                act = partial(spelt, parse(text), known=known, weight=_BEST.retrieval.typos)
                spent.append(cpu_ms(act))
                given.append(act().better)
        meant = [text for _, text in some]
        rows.append(
            {
                "query": name,
                "queries": len(some),
                "right": sum(map(eq, given, meant)) if any(meant) else "",
                "wrong": sum(
                    bool(one) and one != text for one, text in zip(given, meant, strict=True)
                ),
                "p50": round(middle(spent), 2),
                "p95": round(high(spent), 2),
            }
        )
    return rows


def _names(asker: Asker) -> list[Row]:
    rows: list[Row] = []
    with asker.backend.snapshot() as snapshot:
        count = len(snapshot.values("name"))
        for text in _EMPTY:
            spent = _taken(partial(nearest, snapshot, text, within=EVERYTHING))
            rows.append(
                {
                    "query": text,
                    "names": count,
                    "p50": round(spent, 2),
                    "target": f"<= {_MOST_NAMES_MS}",
                    "": verdict(spent, most=_MOST_NAMES_MS),
                }
            )
    return rows


def _taken(act: Callable[[], object]) -> float:
    act()
    return middle([cpu_ms(act) for _ in range(5)])


@cache
def _model() -> Embedder:
    """Return the instant model, whose table is then read once."""
    return static()


def _contender(way: Profile) -> Contender:
    return Contender("best", way, _model())


def _with(typos: float | None = None, *, same: float | None = None) -> Contender:
    """Return `best` with corrections of another weight, or with the list for code."""
    retrieval = _BEST.retrieval
    if typos is not None:
        retrieval = replace(retrieval, typos=typos)
    if same is not None:
        retrieval = replace(retrieval, synonyms=same, abbreviations=True)
    return _contender(replace(_BEST, retrieval=retrieval))


@dataclass(frozen=True, slots=True)
class _Set:
    """A judged set that is ready, and its questions with a mistake in each."""

    prepared: bench.Prepared
    misspelt: tuple[Question, ...]

    def scored(self, way: Contender, *, with_mistakes: bool = False) -> float:
        """Return the mean nDCG@10 of a way to answer."""
        asked = self.misspelt if with_mistakes else self.prepared.questions
        return fmean(
            values_of(self.prepared.shown(one, self.prepared.ask(one, way, limit=10)), one.gains)[
                Measure.NDCG_10
            ]
            for one in asked
        )


def _ready(data: Path, ready: Callable[[], Bench], names: Sequence[str]) -> Iterator[_Set]:
    for name in names:
        place = Place(data / name, Sort.RECORDS, _SETS[name])
        with ready().prepared(place) as prepared:
            wrong = [
                replace(one, text=_misspelt(one.text, one.id) or one.text)
                for one in prepared.questions
            ]
            yield _Set(prepared, tuple(wrong))


def _mistakes(data: Path, ready: Callable[[], Bench]) -> Iterator[Row]:
    off, on = _with(0.0), _with()
    for one in _ready(data, ready, list(_SETS)):
        yield {
            "set": f"{one.prepared.name} ({one.prepared.split})",
            "queries": len(one.misspelt),
            "as asked, off": _rounded(one.scored(off)),
            "as asked, on": _rounded(one.scored(on)),
            "with a mistake, off": _rounded(one.scored(off, with_mistakes=True)),
            "with a mistake, on": _rounded(one.scored(on, with_mistakes=True)),
        }


def _weights(data: Path, ready: Callable[[], Bench]) -> Iterator[Row]:
    for one in _ready(data, ready, _WEIGHED):
        yield {
            "set, with mistakes": f"{one.prepared.name} ({one.prepared.split})",
            **{
                f"weight {weight:g}": _rounded(one.scored(_with(weight), with_mistakes=True))
                for weight in _WEIGHTS
            },
        }


def _synonyms(data: Path, ready: Callable[[], Bench]) -> Iterator[Row]:
    words_of = analyser(_BEST.view.analyser)
    for one in _ready(data, ready, _WITH_CODE):
        widened = [
            with_synonyms(parse(question.text), abbreviations(), words_of=words_of, weight=0.5)
            for question in one.prepared.questions
        ]
        yield {
            "set": f"{one.prepared.name} ({one.prepared.split})",
            "touched": sum(bool(query.near) for query in widened),
            "without": _rounded(one.scored(_with())),
            "weight .5": _rounded(one.scored(_with(same=0.5))),
            "weight .25": _rounded(one.scored(_with(same=0.25))),
        }


def _rounded(value: float) -> str:
    return f"{value:.4f}".lstrip("0")


def _misspelt(text: str, seed: str, *, edits: int | None = None) -> str | None:
    """Return a query with a mistake made by chance in one of its words, never the first letter.

    Of `edits`, only in words that may be so many away; None if there is no such word.
    """
    # Chance that is the same everywhere, not secrecy.
    chance = random.Random(seed)  # noqa: S311
    words = text.split(" ")
    allowed = (1, 2) if edits is None else (edits,)
    places = [
        at
        for at, word in enumerate(words)
        if word.isascii() and word.islower() and edits_allowed(word) in allowed
    ]
    if not places:
        return None
    at = chance.choice(places)
    words[at] = _changed(words[at], chance, times=edits or 1)
    return " ".join(words)


def _changed(word: str, chance: random.Random, *, times: int) -> str:
    """Leave out, exchange, add or swap so many letters."""
    made = word
    while made == word:
        for _ in range(times):
            at = chance.randrange(1, len(made) - 1)
            letter = chance.choice(_LETTERS)
            made = chance.choice(
                (
                    made[:at] + made[at + 1 :],
                    made[:at] + letter + made[at + 1 :],
                    made[:at] + letter + made[at:],
                    made[:at] + made[at + 1] + made[at] + made[at + 2 :],
                )
            )
    return made


if __name__ == "__main__":
    main()
