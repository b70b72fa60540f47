"""The same hit, asked for in other ways: does its confidence stay what it was?

Asks each folder 40 queries of two to four words of one of its texts and 10 of its names, chosen by
chance and the same every time, with the instant model and with words alone. Then again with
filters, on other pages, in other orders; in a copy of the folder with another one beside it; and
with one word more that the hit holds.
Run: python -m benchmarks.confidence FOLDER... [--beside FOLDER]
"""

from __future__ import annotations

import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean

from benchmarks.measure import Row, arguments, report
from trivium import config
from trivium.analysis.words import analyser
from trivium.collection import Collection, open_collection
from trivium.types import Answer, Hit, Node

_TEXTS, _NAMES = 40, 10
_HITS, _WORDS = 3, 4
_LISTED = 100
_WORD = re.compile(r"(?<!\w)[A-Za-z]{3,}(?!\w)")
# Less than this is rounding.
_SAME = 1e-6
_MODES = ("hybrid", "keyword")
_SKIPPED = shutil.ignore_patterns(".git", ".venv", "node_modules", "__pycache__", ".*_cache")

Ask = Callable[..., Answer]


def main() -> None:
    """Print how far confidence moves, and how often."""
    parser = arguments(__doc__ or "")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--beside", type=Path, help="A folder on another subject.")
    chosen = parser.parse_args()
    for folder in chosen.folders:
        with opened(folder) as collection:
            queries = queries_of(collection)
            for mode in _MODES:
                asked = _asking(collection, mode)
                title = f"{folder.name}, {mode}"
                report(f"{title}: asked in another way", other_ways(asked, queries), to=chosen.json)
                report(f"{title}: a word more", word_more(asked, queries), to=chosen.json)
            if chosen.beside is not None:
                rows = _with_another_beside(collection, folder, chosen.beside, queries)
                report(f"{folder.name}, {chosen.beside.name} beside it", rows, to=chosen.json)


@contextmanager
def opened(folder: Path) -> Iterator[Collection]:
    """Index a folder in a place of its own."""
    with tempfile.TemporaryDirectory() as home:
        settings = config.load(environ={"TRIVIUM_HOME": home, "TRIVIUM_CONFIG": f"{home}/none"})
        with open_collection(folder, settings=settings) as collection:
            collection.sync()
            yield collection


def queries_of(collection: Collection) -> list[str]:
    """Return queries of words that stand in one text, and names."""
    chance = random.Random(11)  # noqa: S311 - repeatable, not secret
    nodes = sorted(collection.nodes(), key=lambda one: one.id)
    some = chance.sample(nodes, min(_TEXTS, len(nodes)))
    texts = collection.texts([one.id for one in some])
    made = [
        " ".join(chance.sample(words, min(len(words), chance.randint(2, 4))))
        for words in (_words_of(texts[one]) for one in sorted(texts))
        if words
    ]
    named = sorted({one.name for one in nodes if _WORD.fullmatch(one.name.replace("_", ""))})
    return [*made, *chance.sample(named, min(_NAMES, len(named)))]


def other_ways(ask: Ask, queries: Sequence[str]) -> list[Row]:
    """Return how far the confidence of hits lies from what it is without filters and pages."""
    moved: dict[str, list[float]] = {}
    for query in queries:
        plain = {group: _said(ask(query, limit=_LISTED, group=group)) for group in (None, "node")}
        first = ask(query, limit=10)
        others: list[tuple[str, Answer]] = [
            ("limit", ask(query, limit=2)),
            ("second page", ask(query, limit=5, cursor=ask(query, limit=5).next)),
            ("sort path", ask(query, sort="path")),
            ("sort newest", ask(query, sort="newest")),
            ("group node", ask(query, group="node", limit=_LISTED)),
            ("dedupe", ask(query, dedupe=True)),
        ]
        for node in {hit.node.id: hit.node for hit in first.results[:_HITS]}.values():
            others += [(name, ask(query, **given)) for name, given in _narrowing(node)]
        for name, answer in others:
            known = plain["node"] if name.startswith(("kind", "type")) else plain[None]
            said = _said(answer)
            moved.setdefault(name, []).extend(
                abs(said[one] - known[one]) for one in said.keys() & known.keys()
            )
    return [{"asked": name, **_spread(far)} for name, far in moved.items()]


def _narrowing(node: Node) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield filters that this node passes."""
    path = node.source.file_path
    yield "kind", {"kind": node.kind.value}
    yield "path of a file", {"filters": {"path": path}}
    if "/" in path:
        yield "path of a folder", {"filters": {"path-prefix": path.partition("/")[0]}}
    if node.language:
        yield "language", {"filters": {"lang": node.language}}


def word_more(ask: Ask, queries: Sequence[str]) -> list[Row]:
    """Return how often a word that a hit holds, added to the query, lowers its confidence.

    Where another passage of it is shown then, it is that which is judged: these stand apart.
    """
    chance = random.Random(5)  # noqa: S311 - repeatable, not secret
    changes: dict[str, list[float]] = {"same passage": [], "another passage": []}
    for query in queries:
        terms = set(analyser("standard").terms(query))
        for hit in ask(query, group="node", limit=_HITS).results:
            words = [one for one in _words_of(hit.text) if terms.isdisjoint(_terms(one))]
            for word in chance.sample(words, min(_WORDS, len(words))):
                after = _found(ask(f"{query} {word}", group="node", limit=_LISTED), hit)
                if after is None or after.confidence is None or hit.confidence is None:
                    continue
                is_same = after.chunk_id == hit.chunk_id
                shown = "same passage" if is_same else "another passage"
                changes[shown].append(after.confidence - hit.confidence)
    return [_falls(shown, found) for shown, found in changes.items() if found]


def _falls(shown: str, changes: Sequence[float]) -> Row:
    falls = [-one for one in changes if one < -_SAME]
    return {
        "shown": shown,
        "tries": len(changes),
        "lowered": len(falls),
        "in percent": 100 * len(falls) / len(changes),
        "mean change": f"{fmean(changes):+.3f}",
        "most lost": f"{max(falls, default=0.0):.3f}",
        "lost over .05": sum(one > 0.05 for one in falls),
    }


def _with_another_beside(
    collection: Collection, folder: Path, beside: Path, queries: Sequence[str]
) -> list[Row]:
    with tempfile.TemporaryDirectory() as place:
        both = Path(place) / "both"
        shutil.copytree(folder, both, ignore=_SKIPPED, symlinks=True)
        shutil.copytree(beside, both / "beside" / beside.name, ignore=_SKIPPED, symlinks=True)
        with opened(both) as wider:
            return [_beside(collection, wider, queries, mode) for mode in _MODES]


def _beside(one: Collection, other: Collection, queries: Sequence[str], mode: str) -> Row:
    moved: list[float] = []
    for query in queries:
        before = _said(_asking(one, mode)(query, limit=10))
        after = _said(_asking(other, mode)(query, limit=_LISTED))
        moved += [abs(after[hit] - before[hit]) for hit in before.keys() & after.keys()]
    return {"asked": mode, **_spread(moved)}


def _asking(collection: Collection, mode: str) -> Ask:
    def ask(query: str, **given: object) -> Answer:
        return collection.search(query, search_mode=mode, **given)  # type: ignore[arg-type]

    return ask


def _said(answer: Answer) -> dict[str, float]:
    """Return the confidence of each passage."""
    return {hit.chunk_id: hit.confidence for hit in answer.results if hit.confidence is not None}


def _found(answer: Answer, hit: Hit) -> Hit | None:
    return next((one for one in answer.results if one.id == hit.id), None)


def _words_of(text: str) -> list[str]:
    """Return the words of a text that are looked for, each once."""
    return [one for one in sorted(set(_WORD.findall(text))) if _terms(one)]


def _terms(word: str) -> list[str]:
    return analyser("standard").terms(word)


def _spread(moved: Sequence[float]) -> Row:
    return {
        "hits": len(moved),
        "moved": sum(one > _SAME for one in moved),
        "mean": f"{fmean(moved) if moved else 0.0:.4f}",
        "most": f"{max(moved, default=0.0):.3f}",
    }


if __name__ == "__main__":
    main()
