"""The laws of ranking for the whole read spine, on the reference backend and the embedded one."""

from __future__ import annotations

import hashlib
import json
import math
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium import indexer
from trivium.analysis.words import analyser
from trivium.backends.base import Backend, Snapshot
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.reference.store import ReferenceBackend
from trivium.engine import search
from trivium.filtering.conditions import EVERYTHING, NOTHING, Filter, build
from trivium.filtering.match import attributes, matches
from trivium.options import Circumstances, SearchOptions
from trivium.query.grammar import prefixes
from trivium.query.parse import parse
from trivium.ranking.features import PAGE_SIGNS, SIGNS
from trivium.ranking.learned import LEVEL
from trivium.ranking.profile import profile
from trivium.results.explain import BREAKDOWN_KEYS
from trivium.results.present import as_data
from trivium.results.snippet import is_prose
from trivium.sources.base import Entry, Raw
from trivium.testing.embedders import CosineEmbedder, WordEmbedder
from trivium.testing.filling import write
from trivium.types import Answer, ChunkId, Hit, Kind
from trivium.writing.digest import Cutting, digest

WORDS = ["cat", "dogs", "parseHTML", "get_user", "the", "running", "東京都", "コード", "größe", "x"]
# The last is more than any retriever of `rag` gives back.
SIZES = (0, 1, 5, 12, 45)
SMALL = range(4)
MOST_BREAKDOWN_BYTES = 16 * 1024
# Weaker than the other, so that it only has a say beside it, in code.
QUICK = CosineEmbedder(
    "quick",
    strength=0,
    is_instant=True,
    cosines={word: 0.3 + 0.06 * number for number, word in enumerate(WORDS)},
)


def texts_of(seed: int, *, size: int) -> dict[str, str]:
    """Make Markdown, plain text with long lines, and Python, from few words."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret

    def some(most: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(1, most)))

    made: dict[str, str] = {}
    for number in range(size):
        folder = chance.choice(["", "src/", "docs/"])
        form = chance.choice(["md", "txt", "py"])
        name = f"{folder}{chance.choice(['cat', 'dog', 'x'])}{number}.{form}"
        if form == "md":
            made[name] = f"# {some(2)}\n\n{some(9)}\n\n## {some(1)}\n{some(6)}\n{some(6)}\n"
        elif form == "txt":
            made[name] = f"{some(90)}\n{some(4)}\n\n{some(300)}\n"
        else:
            made[name] = f"def cat{number}():\n    return '{some(5)}'\n\n\nx = '{some(5)}'\n"
    return made


def fill(backend: Backend, texts: Mapping[str, str]) -> None:
    contents = [
        digest(
            Raw(
                Entry(path, len(text.encode()), 1),
                text,
                hashlib.sha256(text.encode()).hexdigest(),
            ),
            Cutting(),
        )
        for path, text in texts.items()
    ]
    write(backend, contents)
    for embedder in (WordEmbedder(), QUICK):
        indexer.embed(backend, embedder)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, to any index."""

    text: str
    profile: str
    search_mode: str
    where: Filter = EVERYTHING
    limit: int = 100
    min_score: float | None = None

    def of(self, snapshot: Snapshot) -> Answer:
        options = SearchOptions(
            profile=profile(self.profile),
            limit=self.limit,
            where=self.where,
            search_mode=self.search_mode,
            min_score=self.min_score,
            explain=True,
        )
        given = Circumstances("corpus", embedders=(WordEmbedder(), QUICK))
        return replace(search(snapshot, self.text, options=options, given=given), took_ms=0.0)


words = st.sampled_from([*WORDS, "CAT", "parse", "cat4", "src", "nothing", "!?", "ö"])
items = st.one_of(
    words,
    words.map(lambda one: f"-{one}"),
    st.lists(words, min_size=1, max_size=2).map(lambda some: f'"{" ".join(some)}"'),
    st.sampled_from(["AND", "OR", "NOT", "(", ")", '"', "kind:doc", "path:src", "lang:python"]),
    words.map(lambda one: f"{one[:2]}*"),
)
queries = st.lists(items, max_size=5).map(" ".join)
asked = st.builds(
    Asked,
    queries,
    st.sampled_from(["best", "rag"]),
    st.sampled_from(["hybrid", "keyword", "vector"]),
)
filters = st.dictionaries(
    st.sampled_from(["kind", "ext", "path_prefix", "path", "name", "lang", "type"]),
    st.lists(
        st.sampled_from(
            ["code", "doc", "md", ".py", "src/", "docs", "cat", "python", "function", "section"]
        ),
        max_size=2,
    ),
    max_size=2,
).map(build)


@pytest.fixture(scope="module", params=["reference", "embedded"])
def snapshots(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Snapshot]]:
    """Return the same corpora in both backends, one of each size."""
    place = tmp_path_factory.mktemp("laws")
    with ExitStack() as held:
        made = []
        for number, size in enumerate(SIZES):
            backend: Backend = ReferenceBackend()
            if request.param == "embedded":
                backend = EmbeddedBackend(place / f"c{number}", store=place / f"s{number}")
                held.callback(backend.close)
            fill(backend, texts_of(number, size=size))
            made.append(held.enter_context(backend.snapshot()))
        yield made


def ids(answer: Answer) -> list[str]:
    return [hit.id for hit in answer.results]


def terms_of(question: Asked) -> frozenset[str]:
    words_of = analyser(profile(question.profile).view.analyser)
    return frozenset(words_of.terms(parse(question.text).meaning))


def text_of(snapshot: Snapshot, chunk_id: ChunkId) -> str:
    return snapshot.fetch([chunk_id])[0].chunk.text


corpus_numbers = st.integers(0, len(SIZES) - 1)
laws = settings(max_examples=60, deadline=None)


SIGNALS = ("text", "vectors", "instant")


@laws
@given(question=asked, number=corpus_numbers)
def test_the_order_is_score_down_then_id_up_and_nothing_comes_twice(
    snapshots: list[Snapshot], question: Asked, number: int
) -> None:
    answer = question.of(snapshots[number])

    keys = [(-hit.score, hit.id) for hit in answer.results]
    assert keys == sorted(keys)
    assert len({hit.id for hit in answer.results}) == len(keys)
    assert answer.total == len(keys)
    assert sum(answer.facets["kind"].values()) == answer.total


@laws
@given(question=asked, number=corpus_numbers)
def test_the_same_question_gets_the_same_answer(
    snapshots: list[Snapshot], question: Asked, number: int
) -> None:
    assert question.of(snapshots[number]) == question.of(snapshots[number])


@laws
@given(question=asked, number=corpus_numbers)
def test_parts_add_up_to_the_score_and_the_breakdown_has_every_key(
    snapshots: list[Snapshot], question: Asked, number: int
) -> None:
    for hit in question.of(snapshots[number]).results:
        assert hit.score == math.fsum(part.value for part in hit.parts)
        assert hit.breakdown is not None
        assert tuple(hit.breakdown) == BREAKDOWN_KEYS
        assert hit.breakdown["selected"] == {"type": hit.score_type, "score": hit.score}
        parts = hit.breakdown["parts"]
        assert isinstance(parts, list)
        assert math.fsum(part["value"] for part in parts) == pytest.approx(hit.score, abs=1e-9)
        assert len(json.dumps(hit.breakdown).encode()) <= MOST_BREAKDOWN_BYTES


@laws
@given(question=asked, number=corpus_numbers, shorter=st.integers(0, 40), longer=st.integers(0, 60))
def test_a_shorter_page_is_the_start_of_a_longer_one(
    snapshots: list[Snapshot], question: Asked, number: int, shorter: int, longer: int
) -> None:
    short = replace(question, limit=shorter).of(snapshots[number])
    long = replace(question, limit=shorter + longer).of(snapshots[number])

    assert short.results == long.results[:shorter]
    assert (short.total, short.facets) == (long.total, long.facets)


@laws
@given(question=asked, number=corpus_numbers)
def test_a_limit_of_0_and_a_filter_that_allows_nothing_give_nothing(
    snapshots: list[Snapshot], question: Asked, number: int
) -> None:
    assert replace(question, limit=0).of(snapshots[number]).results == ()
    nothing = replace(question, where=NOTHING).of(snapshots[number])
    assert (nothing.results, nothing.total) == ((), 0)


@laws
@given(question=asked, number=corpus_numbers, where=filters)
def test_every_hit_satisfies_the_filter(
    snapshots: list[Snapshot], question: Asked, number: int, where: Filter
) -> None:
    typed = parse(question.text).where
    for hit in replace(question, where=where).of(snapshots[number]).results:
        assert matches(where & typed, attributes(hit.node))


def found(answer: Answer) -> set[str]:
    """What was found: files of code, of which a filter may show another node, and other nodes."""
    return {
        hit.node.source.file_path if hit.node.kind is Kind.CODE else hit.id
        for hit in answer.results
    }


@laws
@given(question=asked, number=st.sampled_from(SMALL), where=filters)
def test_a_filter_never_adds_a_hit(
    snapshots: list[Snapshot], question: Asked, number: int, where: Filter
) -> None:
    # Only where the whole corpus fits into the pool: else what was past its end moves up.
    snapshot = snapshots[number]
    assert snapshot.contents().chunks <= profile(question.profile).retrieval.depth

    some = replace(question, where=where).of(snapshot)

    assert found(some) <= found(question.of(snapshot))


@laws
@given(question=asked, number=corpus_numbers, least=st.floats(0, 1.3))
def test_a_least_score_only_cuts_the_end_off(
    snapshots: list[Snapshot], question: Asked, number: int, least: float
) -> None:
    all_of_them = question.of(snapshots[number])
    enough = replace(question, min_score=least).of(snapshots[number])

    # What stores round to 32 bits, or what is added up, may lie a hair below what it reaches.
    just = least - max(1e-6 * abs(least), 1e-12)
    assert ids(enough) == [hit.id for hit in all_of_them.results if hit.score >= just]


@laws
@given(text=queries, number=corpus_numbers, mode=st.sampled_from(["hybrid", "keyword", "vector"]))
def test_a_blend_lies_between_0_and_1_and_a_boost_comes_on_top(
    snapshots: list[Snapshot], text: str, number: int, mode: str
) -> None:
    for hit in Asked(text, "best", mode).of(snapshots[number]).results:
        best = profile("best")
        boosts = {part.name: part.value for part in hit.parts if part.name not in SIGNALS}
        if LEVEL in boosts:
            # A list with code: moved back to the range the blend had.
            said = [said for _, said in (*SIGNS.values(), *PAGE_SIGNS.values())]
            assert boosts.keys() <= {"name is the query", LEVEL, *said}
            assert -1e-9 <= hit.score <= 1 + best.boosts.name + 1e-9
            continue
        assert boosts.pop("name is the query", None) in (None, best.boosts.name)
        assert not boosts
        blend = sum(part.value for part in hit.parts if part.name in SIGNALS)
        assert -1e-12 <= blend <= 1 + 1e-12


@laws
@given(text=queries, number=corpus_numbers)
def test_highlights_are_ranges_of_the_snippet_that_hold_a_word_asked_for(
    snapshots: list[Snapshot], text: str, number: int
) -> None:
    for name in ("best", "rag"):
        question = Asked(text, name, "hybrid")
        wanted = terms_of(question)
        words_of = analyser(profile(name).view.analyser)
        asked = parse(text, dialect=profile(name).dialect)
        starts = tuple(words_of.start(one).letters for one in prefixes(asked))
        for hit in question.of(snapshots[number]).results:
            ends = [0]
            for first, last in hit.highlights:
                assert ends[-1] <= first < last <= len(hit.snippet)
                is_by_meaning = not wanted.intersection(words_of.terms(hit.snippet))
                marked = words_of.terms(hit.snippet[first:last])
                is_begun = any(term.startswith(starts) for term in marked)
                # Where no word was found, the sentence nearest in meaning is marked.
                assert is_by_meaning or is_begun or wanted.intersection(marked)
                ends.append(last)


@laws
@given(text=queries, number=corpus_numbers)
def test_best_shows_lines_or_sentences_of_the_chunk_and_rag_its_first_200_characters(
    snapshots: list[Snapshot], text: str, number: int
) -> None:
    snapshot = snapshots[number]
    for hit in Asked(text, "best", "hybrid").of(snapshot).results:
        shows = assert_sentences if is_prose(hit.node) else assert_lines
        shows(hit, text_of(snapshot, hit.chunk_id), snapshot)
    for hit in Asked(text, "rag", "hybrid").of(snapshot).results:
        whole = text_of(snapshot, hit.chunk_id)
        assert hit.snippet == (whole[:200] + "..." if len(whole) > 200 else whole)


def assert_sentences(hit: Hit, chunk: str, snapshot: Snapshot) -> None:
    """What is shown stands in the node, and begins on the line it claims."""
    del chunk
    text, first = snapshot.text_of(hit.node.id), hit.source.start_line
    shown = hit.snippet if hit.snippet in text else hit.snippet.strip("…")
    places = [at for at in range(len(text) + 1) if text.startswith(shown, at)]
    assert hit.start_line in {first + text.count("\n", 0, at) for at in places}
    assert len(hit.snippet) <= 320


def assert_lines(hit: Hit, chunk: str, snapshot: Snapshot) -> None:
    """Every line shown is a line of the chunk, at the line number it claims."""
    found = snapshot.fetch([hit.chunk_id])[0].chunk
    lines = chunk.split("\n")[hit.start_line - found.start_line :]
    shown = hit.snippet.split("\n")
    assert 1 <= len(shown) <= 6
    for line, whole in zip(shown, lines, strict=False):
        assert line == whole.rstrip() if len(whole) <= 240 else line.strip("…") in whole
    assert hit.end_line >= hit.start_line + len(shown) - 1


@laws
@given(text=words, unwanted=st.sampled_from(["cat", "dogs", "x"]), number=corpus_numbers)
def test_words_that_are_excluded_are_in_no_hit_by_words_or_by_meaning(
    snapshots: list[Snapshot], text: str, unwanted: str, number: int
) -> None:
    for name in ("best", "rag"):
        words_of = analyser(profile(name).view.analyser)
        for mode in ("hybrid", "vector"):
            answer = Asked(f"running {text} -{unwanted}", name, mode).of(snapshots[number])
            for hit in answer.results:
                body = words_of.words(text_of(snapshots[number], hit.chunk_id))
                assert not set(words_of.words(unwanted)).intersection(body)


@pytest.mark.parametrize("make", ["reference", "embedded"])
def test_the_order_in_which_files_are_written_does_not_matter(tmp_path: Path, make: str) -> None:
    texts = texts_of(3, size=20)
    answers: list[list[Answer]] = []
    for turned in (False, True):
        backend: Backend = ReferenceBackend()
        if make == "embedded":
            backend = EmbeddedBackend(tmp_path / f"c{turned}", store=tmp_path / f"s{turned}")
        fill(backend, dict(sorted(texts.items(), reverse=turned)))
        with backend.snapshot() as snapshot:
            answers.append(
                [
                    Asked(text, name, "hybrid").of(snapshot)
                    for text in ("cat", "dogs running", "parseHTML 東京")
                    for name in ("best", "rag")
                ]
            )
    assert [ids(one) for one in answers[0]] == [ids(one) for one in answers[1]]
    for first, second in zip(*answers, strict=True):
        assert scores(first) == pytest.approx(scores(second), abs=1e-6)


def scores(answer: Answer) -> list[float]:
    return [hit.score for hit in answer.results]


def test_the_seed_of_the_hash_does_not_matter(tmp_path: Path) -> None:
    told = [
        subprocess.run(
            [sys.executable, __file__, str(tmp_path / seed)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]

    assert json.loads(told[0])
    assert told[0] == told[1]


def _tell(place: Path) -> Sequence[object]:
    """Return what is answered in this process, for comparison with another one."""
    backend = EmbeddedBackend(place / "collection", store=place / "store")
    fill(backend, texts_of(3, size=20))
    told = []
    with backend.snapshot() as snapshot:
        for text in ("cat", "dogs running 東京", '"cat dogs" parse* -x'):
            for name in ("best", "rag"):
                data = as_data(Asked(text, name, "hybrid").of(snapshot))
                told.append({key: data[key] for key in ("results", "total", "facets", "method")})
    backend.close()
    return told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_tell(Path(sys.argv[1]))))
