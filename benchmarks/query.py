"""How much processor time and memory a query takes, beside Tantivy and numkong themselves.

The peer asks the same Tantivy index for the same terms and scans the same int8 rows, top
30 each, with nothing around it; both run in turn on every query. The model is left out: a
query's vector is at hand. Run: python -m benchmarks.query [--profiling]
"""

from __future__ import annotations

import cProfile
import json
import pstats
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.corpus import Prepared, prepare, queries, vectors_of
from benchmarks.measure import arguments, cpu_ms, high, middle, report, resident_mb, verdict
from trivium.analysis.words import analyser
from trivium.backends.embedded.kept import folder_of
from trivium.backends.embedded.spaces import SpaceReader
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.embedded.text import fields_of
from trivium.backends.embedded.vectors import Loaded, SpaceFolder
from trivium.engine import search
from trivium.engine.ranking import entries, ranked
from trivium.engine.understanding import understood
from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.models.minilm import minilm
from trivium.options import Circumstances, SearchOptions
from trivium.query.parse import parse
from trivium.ranking.profile import profile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_QUERIES = 200
_TOP = 30
_MOST_RATIO = 1.3
_MOST_MB = 350
_BARE = "rag, ids alone"


@dataclass(frozen=True, slots=True)
class InstantEmbedder:
    """Hands out vectors that were made before."""

    made: Mapping[str, NDArray[np.float32]]
    model_id: str
    name: str = "instant"
    dimension: int = 384
    is_instant: bool = True
    strength: int = 1

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector made for `text`."""
        return self.made[text]

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors made for `texts`, and one of them all for other texts: sentences."""
        import numpy as np

        other = next(iter(self.made.values()))
        return np.stack([self.made.get(text, other) for text in texts])


def embedder_for(texts: Sequence[str]) -> InstantEmbedder:
    """Return an embedder with a vector near one of the centres for each query."""
    keys = [parse(text).meaning.encode().ljust(16, b".")[::-1] for text in texts]
    made = zip((parse(text).meaning for text in texts), vectors_of(keys), strict=True)
    return InstantEmbedder(dict(made), minilm().model_id)


class Asker:
    """Answers queries as a collection does, one snapshot each."""

    def __init__(self, corpus: Prepared, texts: Sequence[str]) -> None:
        self.backend: EmbeddedBackend = corpus.backend()
        self._given = Circumstances(collection="bench", embedders=(embedder_for(texts),))

    def type(self, text: str, name: str = "best") -> int:
        """Search for a query that is still being typed; return how many hits came back."""
        options = SearchOptions(profile=profile(name), as_you_type=True)
        with self.backend.snapshot() as snapshot:
            return len(search(snapshot, text, options=options, given=self._given).results)

    def ask_words(self, text: str) -> int:
        """Search by words alone; return how many hits there are, shown or not."""
        options = SearchOptions(profile=profile("best"), search_mode="keyword")
        with self.backend.snapshot() as snapshot:
            return search(snapshot, text, options=options, given=self._given).total

    def ask(self, text: str, name: str, where: Filter = EVERYTHING) -> int:
        """Search with a profile; return how many hits came back."""
        options = SearchOptions(profile=profile(name), where=where)
        with self.backend.snapshot() as snapshot:
            return len(search(snapshot, text, options=options, given=self._given).results)

    def rank(self, text: str, name: str, *, shown: int = 0) -> int:
        """Ask both retrievers and fuse what they found; return how many were found.

        Of the best `shown` the texts are fetched, and nothing else is made of them.
        """
        options = SearchOptions(profile=profile(name))
        with self.backend.snapshot() as snapshot:
            question = understood(snapshot, text, options=options, given=self._given)
            made, _ = ranked(
                snapshot, question.query, question.where, question.options, self._given
            )
            found = entries(made, question.options)
            snapshot.fetch([one.best.chunk_id for one in found[:shown]])
            return len(found)


class RawText:
    """Tantivy with nothing around it: terms that are ready, one query, the best ids."""

    def __init__(self, corpus: Prepared, name: str, texts: Sequence[str]) -> None:
        import tantivy

        view = profile(name).view
        backend = corpus.backend()
        with backend.snapshot() as snapshot:
            snapshot.text(view)
        folder = backend.view(view)
        state = folder.state()
        assert state is not None
        self._schema = folder.schema
        self._fields = fields_of(view)
        index = tantivy.Index(self._schema, path=str(folder.folder / state.generation), reuse=True)
        self._searcher = index.searcher()
        terms_of = analyser(view.analyser).terms
        self._terms = {text: Counter(terms_of(parse(text).meaning)) for text in texts}

    def ask(self, text: str) -> list[int | float | bool | str | None]:
        """Return the ids of the best documents."""
        import tantivy

        term_query, boosted = tantivy.Query.term_query, tantivy.Query.boost_query
        clauses = []
        for term, count in self._terms[text].items():
            for field, weight in self._fields:
                made = term_query(self._schema, field, term, index_option="freq")
                by = count * weight
                clauses.append((tantivy.Occur.Should, made if by == 1.0 else boosted(made, by)))
        asked = tantivy.Query.boolean_query(clauses)
        hits = self._searcher.search(asked, limit=_TOP, count=False).hits
        return list(self._searcher.fast_field_values("id", [address for _, address in hits]))


def space_of(backend: EmbeddedBackend, model_id: str) -> SpaceFolder:
    """Return the folder of a space of an index."""
    return SpaceFolder(
        backend.folder / "vectors" / model_id,
        kept=folder_of(backend.store),
        incarnation=backend.meta().get("incarnation", ""),
    )


class RawScan:
    """numkong with nothing around it: one pass over the int8 rows, the best positions."""

    def __init__(self, corpus: Prepared, made: Mapping[str, NDArray[np.float32]]) -> None:
        self._rows = loaded_of(corpus).base
        self._made = made

    def ask(self, text: str) -> NDArray[np.int64]:
        """Return the chunk numbers of the nearest rows, best first."""
        import numkong
        import numpy as np

        vector = self._made[text]
        coarse = np.rint(vector * (127 / np.abs(vector).max())).astype(np.int8)
        dots = np.asarray(numkong.cdist(coarse[np.newaxis], self._rows.matrix, metric="dot"))[0]
        scores = dots.astype(np.float32) * self._rows.scales
        best = np.argpartition(scores, -_TOP)[-_TOP:]
        return self._rows.numbers[best[np.argsort(-scores[best])]]


class RawLists:
    """The vectors of a large corpus with nothing around them: its lists, the best positions."""

    def __init__(self, corpus: Prepared, made: Mapping[str, NDArray[np.float32]]) -> None:
        loaded = loaded_of(corpus)
        self._reader = SpaceReader(loaded.base, loaded.delta, loaded.dead, loaded.lists)
        self._whole = SpaceReader(loaded.base, loaded.delta, loaded.dead)
        self._made = made

    def ask(self, text: str) -> NDArray[np.int64]:
        """Return the chunk numbers of the nearest rows that the lists give."""
        return self._reader.best(self._made[text], limit=_TOP, allowed=None)[0]

    def recall(self, text: str) -> float:
        """Return how many of the nearest rows of all the lists give, as a share."""
        exact, _ = self._whole.best(self._made[text], limit=_TOP, allowed=None)
        return len({*self.ask(text).tolist()}.intersection(exact.tolist())) / len(exact)


def raw_vectors(corpus: Prepared, made: Mapping[str, NDArray[np.float32]]) -> RawScan | RawLists:
    """Return the vectors alone as they are looked at: in lists, or all of them."""
    lists = loaded_of(corpus).lists
    has_lists = lists is not None and lists.count > 0
    return RawLists(corpus, made) if has_lists else RawScan(corpus, made)


def loaded_of(corpus: Prepared) -> Loaded:
    """Return the vectors of a corpus as they lie on disk."""
    loaded = space_of(corpus.backend(), minilm().model_id).load()
    assert loaded is not None
    return loaded


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "", chunks=100_000)
    parser.add_argument("--profiling", action="store_true", help="print where time goes instead")
    parser.add_argument("--memory-only", metavar="PROFILE", help="only open, ask and print memory")
    asked = parser.parse_args()
    corpus = prepare(asked.cache, chunks=asked.chunks)
    texts = queries(corpus, count=_QUERIES)
    if asked.memory_only:
        _print_memory(corpus, texts, asked.memory_only)
    elif asked.profiling:
        _print_profile(corpus, texts)
    else:
        rows = _times(corpus, texts)
        title = f"Query, {corpus.chunks:,} chunks, CPU ms over {_QUERIES} queries"
        report(title, rows, to=asked.json)
        memory = [_memory_of(asked, name) for name in ("rag", "best")]
        report(f"Memory while querying {corpus.chunks:,} chunks, MB", memory, to=asked.json)


def _times(corpus: Prepared, texts: Sequence[str]) -> list[dict[str, str | int | float]]:
    asker = Asker(corpus, texts)
    made = {text: embedder_for(texts).made[parse(text).meaning] for text in texts}
    scan = RawScan(corpus, made)
    rag, best = RawText(corpus, "rag", texts), RawText(corpus, "best", texts)
    where = {
        "kind": build({"kind": "code"}),
        "lang": build({"lang": "python"}),
        "path (contains)": build({"path": "part003"}),
    }
    acts: dict[str, Callable[[str], object]] = {
        "raw Tantivy, rag's index": rag.ask,
        "raw Tantivy, best's index": best.ask,
        "raw int8 scan": scan.ask,
        _BARE: partial(asker.rank, name="rag"),
        "rag": partial(asker.ask, name="rag"),
        "best": partial(asker.ask, name="best"),
    }
    for name, filtered in where.items():
        acts[f"rag, filter {name}"] = partial(asker.ask, name="rag", where=filtered)
    taken = in_turn(acts, texts)
    scans = taken["raw int8 scan"]
    rows: list[dict[str, str | int | float]] = []
    for name, spent in taken.items():
        row: dict[str, str | int | float] = {
            "what": name,
            "p50": round(middle(spent), 3),
            "p95": round(high(spent), 3),
        }
        if not name.startswith("raw"):
            text_peer = taken[f"raw Tantivy, {name.partition(',')[0]}'s index"]
            peer = [text + scanned for text, scanned in zip(text_peer, scans, strict=True)]
            row["p50 of raw sum"] = round(middle(peer), 3)
            ratio = middle(spent) / middle(peer)
            row["ratio"] = round(ratio, 2)
            row["target"] = f"<= {_MOST_RATIO}" if name == _BARE else ""
            row[""] = verdict(ratio, most=_MOST_RATIO) if name == _BARE else ""
        rows.append(row)
    return rows


def in_turn(
    acts: Mapping[str, Callable[[str], object]], texts: Sequence[str]
) -> dict[str, list[float]]:
    """Time every act on every query; no two acts in a row ask the same.

    Else the second would find in the processor's cache what the first had read.
    """
    for text in texts[:20]:
        for act in acts.values():
            act(text)
    taken = {name: [0.0] * len(texts) for name in acts}
    apart = len(texts) // len(acts)
    for turn in range(len(texts)):
        for number, (name, act) in enumerate(acts.items()):
            place = (turn + number * apart) % len(texts)
            taken[name][place] = cpu_ms(partial(act, texts[place]))
    return taken


def _memory_of(asked: object, name: str) -> dict[str, str | int | float]:
    """Measure in a process that only opens and asks."""
    command = [sys.executable, "-m", "benchmarks.query", "--memory-only", name]
    command += ["--cache", str(getattr(asked, "cache", "")), "--chunks"]
    command += [str(getattr(asked, "chunks", ""))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return {
        "profile": name,
        "resident": round(found["resident"], 1),
        "of it not backed by files": round(found["anonymous"], 1),
        "before opening": round(found["before"], 1),
        "target": f"<= {_MOST_MB}",
        "": verdict(found["resident"], most=_MOST_MB),
    }


def _print_memory(corpus: Prepared, texts: Sequence[str], name: str) -> None:
    before, _ = resident_mb()
    asker = Asker(corpus, texts)
    for text in texts:
        asker.ask(text, name)
    resident, anonymous = resident_mb()
    print(json.dumps({"before": before, "resident": resident, "anonymous": anonymous}))


def _print_profile(corpus: Prepared, texts: Sequence[str]) -> None:
    asker = Asker(corpus, texts)
    cases = {"rag": EVERYTHING, "best": EVERYTHING, "rag kind": build({"kind": "code"})}
    for name, where in cases.items():
        ranking = name.partition(" ")[0]
        for text in texts[:20]:
            asker.ask(text, ranking, where)
        watch = cProfile.Profile()
        watch.enable()
        for text in texts:
            asker.ask(text, ranking, where)
        watch.disable()
        print(f"\n== {name}, {len(texts)} queries")
        pstats.Stats(watch).sort_stats("tottime").print_stats(22)


if __name__ == "__main__":
    main()
