"""One view of a collection as a Tantivy index.

A view lives in generations: a rebuild writes a new one aside and then points to it, so
readers never see half an index. `current.json` says which generation, up to which batch
(`seq`) of which incarnation of the record, and how many dead documents it counts. One that
names another incarnation is not there. The record is SQLite; this only derives.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from trivium.analysis.fields import OPERATOR, PICKED, every_field, is_unit, split_of, texts_of
from trivium.analysis.words import analyser, edition
from trivium.aside import Replaced, write_aside
from trivium.backends.embedded.asks import Fields, compile_filter, compile_query
from trivium.errors import BackendError, IndexUnusable
from trivium.filtering.conditions import ATTRIBUTES, Filter
from trivium.filtering.match import attributes
from trivium.query.grammar import Query
from trivium.types import Chunk, Node, View

if TYPE_CHECKING:
    import tantivy

# Raise when the meaning of the indexed terms changes: old views are then made anew.
_VERSION = 3
_HEAP_BYTES = 64_000_000
_MERGE_SHARE = 0.2
# Writing this many chunks anew takes about 70 ms of processor time; a sync takes 30 to 45.
_SMALL = 250
_MOST_KNOWN = 2000
_KEPT_DAYS = 14
_MOST_VIEWS = 24
_USED = "used"
_NOTED_EVERY_S = 3600.0
# Of starts of up to so many letters, so many terms are kept in memory, for so many of them.
_SHORT_START = 6
_MOST_STARTING = 50
_MOST_STARTS = 1000
_LONG = frozenset({"body", "content", "comment", "description", "previews"})


@dataclass(frozen=True, slots=True)
class State:
    """What `current.json` says of a view."""

    generation: str
    seq: int
    dead: int
    incarnation: str


def _state_of(data: bytes) -> State | None:
    try:
        raw = json.loads(data)
        made_from = str(raw.get("incarnation", ""))
        return State(str(raw["generation"]), int(raw["seq"]), int(raw["dead"]), made_from)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


@cache
def view_key(view: View) -> str:
    """Name the folder of a view: by its unit, its analyser and a hash of all it means.

    Views of other names that mean the same share it. Weights of fields that are kept apart
    count when asked, not in what is written.
    """
    if view.combine == "sum":
        view = replace(view, fields=_alike(view.fields), by_kind=_alike_by_kind(view))
    view = replace(view, name="")
    meaning = json.dumps([_VERSION, asdict(view), *edition(view.analyser)], sort_keys=True)
    return f"{view.unit}-{view.analyser}-{hashlib.sha256(meaning.encode()).hexdigest()[:8]}"


def fields_of(view: View) -> tuple[tuple[str, float], ...]:
    """Return the Tantivy fields of a view with the weight each has when asked."""
    if view.combine == "repeat":
        return (("t", 1.0),)
    return tuple((f"t_{name}", float(weight)) for name, weight in every_field(view))


@cache
def asked_of(view: View) -> Fields:
    """Return where in a view each leaf of a query looks."""
    every = fields_of(view)
    operator = f"t_{OPERATOR}"
    picked = tuple(f"t_{name}" for name in PICKED)
    return Fields(
        words=tuple(one for one in every if one[0] != operator),
        phrases=tuple(one for one in every if one[0] not in picked),
        operators=tuple(one for one in every if one[0] == operator),
    )


def _alike(fields: tuple[tuple[str, float], ...]) -> tuple[tuple[str, float], ...]:
    return tuple((name, 1.0) for name, _ in fields)


def _alike_by_kind(view: View) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    return tuple((kind, _alike(fields)) for kind, fields in view.by_kind)


def schema_of(view: View) -> tantivy.Schema:
    """Return the schema: a number, the text fields, the attributes filters look at."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    # A signed integer: deleting by an unsigned field silently does nothing in 0.27.
    builder.add_integer_field("id", stored=False, indexed=True, fast=True)
    for name, _ in fields_of(view):
        # What is picked out of a text has no neighbours that a phrase could ask for.
        option = "freq" if name.removeprefix("t_") in PICKED else "position"
        builder.add_text_field(name, stored=False, tokenizer_name="spaces", index_option=option)
    for name in ATTRIBUTES:
        builder.add_text_field(name, stored=False, tokenizer_name="raw", index_option="basic")
    return builder.build()


class TextFolder:
    """The folder of one view: opens generations for reading, writes and swaps them."""

    def __init__(self, folder: Path, view: View, *, incarnation: str = "") -> None:
        self.folder = folder / view_key(view)
        self.view = view
        self.incarnation = incarnation
        self._schema: tantivy.Schema | None = None
        self._open: tuple[State, tantivy.Index] | None = None
        self._noted_at = 0.0
        self._starting: tuple[State | None, dict[str, list[tuple[str, int]]]] = (None, {})
        self._current = Replaced(self.folder / "current.json", _state_of)

    @property
    def schema(self) -> tantivy.Schema:
        """The schema, made once."""
        if self._schema is None:
            self._schema = schema_of(self.view)
        return self._schema

    def state(self) -> State | None:
        """Read what is current; None if the view has not been made from this record."""
        state = self._current.now()
        return state if state is not None and state.incarnation == self.incarnation else None

    def searcher(self) -> tuple[State, tantivy.Searcher] | None:
        """Return the newest state and a searcher pinned to it; None if there is none yet."""
        state = self.state()
        while state is not None:
            try:
                index = self._index(state)
                searcher = index.searcher()
            except (ValueError, OSError) as error:
                newest = self.state()
                if newest == state:
                    raise IndexUnusable(
                        f"The text index in {self.folder} cannot be read ({error}). "
                        "The next trivium index mends it."
                    ) from error
                # A writer swapped the generation and removed the old one meanwhile.
                state = newest
            else:
                self._open = (state, index)
                return state, searcher
        return None

    def starting(self, state: State) -> dict[str, list[tuple[str, int]]]:
        """Return the terms of short starts that were read from a state before, to be added to."""
        if self._starting[0] != state:
            self._starting = (state, {})
        return self._starting[1]

    def note_use(self) -> None:
        """Remember that the view was asked today, so that it is kept up to date."""
        if self._noted_at > time.time() - _NOTED_EVERY_S:
            return
        self._noted_at = time.time()
        # One that cannot be written, as on a read-only disk, is not kept up to date either.
        with suppress(OSError):
            (self.folder / _USED).touch()

    def _index(self, state: State) -> tantivy.Index:
        """Return the index of a state, the one already open where it is of its generation."""
        held = self._open
        if held is None or held[0].generation != state.generation:
            return self._open_index(self.folder / state.generation)
        if held[0] != state:
            held[1].reload()
        return held[1]

    def _open_index(self, generation: Path) -> tantivy.Index:
        import tantivy

        if not (generation / "meta.json").exists():
            raise ValueError("its files are gone")
        index = tantivy.Index(self.schema, path=str(generation), reuse=True)
        _register(index)
        return index

    def is_whole(self) -> bool:
        """Say whether the files of the current generation can be opened now."""
        held, self._open = self._open, None
        try:
            return self.searcher() is not None
        except IndexUnusable:
            return False
        finally:
            # One that is open already stays: opening starts a thread that watches the files.
            if held is not None and self._open is not None and self._open[0] == held[0]:
                self._open = held

    def save(self, state: State, *, unless_made: bool = False) -> bool:
        """Make `state` the current one, all at once; say whether it is.

        `unless_made` leaves one that is there alone: a reader's build must not take the
        place of the writer's, which may be ahead of it.
        """
        with FileLock(self.folder / "save.lock"):
            if unless_made and self.state() is not None:
                return False
            write_aside(self.folder / "current.json", json.dumps(asdict(state)).encode())
        return True

    def new_generation(self) -> Path:
        """Make an empty folder for a rebuild, of a name that no other process uses."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_aside(self.folder / "view.json", json.dumps(asdict(self.view)).encode())
        state = self.state()
        number = int(state.generation[1:].partition("-")[0]) + 1 if state else 1
        return Path(tempfile.mkdtemp(prefix=f"g{number}-", dir=self.folder))

    def sweep(self) -> None:
        """Remove generations that are no longer current, those of crashed builds included."""
        state = self.state()
        for old in self.folder.glob("g*"):
            if state is not None and old.name != state.generation:
                shutil.rmtree(old, ignore_errors=True)


def views_in(folder: Path) -> list[View]:
    """Return the views that have been made in `folder`; ones of another version are removed.

    One that a reader is still making is not among them.
    """
    views = []
    for definition in sorted(folder.glob("*/view.json")):
        if not definition.with_name("current.json").exists():
            continue
        try:
            raw = json.loads(definition.read_text(encoding="utf-8"))
            view = View(**{name: _as_tuples(value) for name, value in raw.items()})
        except (OSError, ValueError, TypeError, KeyError):
            continue
        if view_key(view) == definition.parent.name:
            views.append(view)
        else:
            shutil.rmtree(definition.parent, ignore_errors=True)
    return views


def used_last(folder: Path, keys: Iterable[str]) -> list[str]:
    """Return the views that were asked lately, at most so many; the others are removed.

    Each costs something at every sync, and is made anew in a moment when it is asked again.
    """
    oldest = time.time() - _KEPT_DAYS * 86_400
    used = {key: _used_at(folder / key) for key in keys}
    latest = sorted(used, key=lambda key: (-used[key], key))
    kept = [key for key in latest[:_MOST_VIEWS] if used[key] >= oldest]
    for key in used.keys() - kept:
        shutil.rmtree(folder / key, ignore_errors=True)
    return kept


def _used_at(folder: Path) -> float:
    for name in (_USED, "current.json"):
        with suppress(OSError):
            return (folder / name).stat().st_mtime
    return 0.0


def _as_tuples(value: object) -> Any:  # noqa: ANN401 - what JSON gives
    """Return JSON's lists as the tuples they were."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


class TextWriter:
    """Feeds one generation of a view. Nothing is visible to readers before `commit`."""

    def __init__(self, folder: TextFolder, *, fresh: bool) -> None:
        import tantivy

        self._folder = folder
        self._view = folder.view
        state = None if fresh else folder.state()
        if state is None:
            path = folder.new_generation()
            state = State(path.name, 0, 0, folder.incarnation)
        else:
            path = folder.folder / state.generation
        self.state = state
        self._path = path
        self.is_fresh = not state.seq
        with _translated(folder):
            index = tantivy.Index(folder.schema, path=str(path), reuse=not fresh)
            _register(index)
            self._writer = index.writer(_HEAP_BYTES, num_threads=1)
            # A process killed in a commit leaves files that the same commit, made again, would
            # stumble over: their names are its number.
            self._writer.garbage_collect_files()
        self._document = _Documents(self._view)

    def add(self, number: int, node: Node, chunk: Chunk, whole: str) -> None:
        """Index one chunk under its number, if it is a unit of the view."""
        if not is_unit(self._view, node, chunk):
            return
        document = self._document.of(number, node, chunk, whole)
        if document is not None:
            with _translated(self._folder):
                self._writer.add_document(document)

    def drop(self, numbers: Iterable[int]) -> None:
        """Take chunks out."""
        for number in numbers:
            self.forget(number)

    def forget(self, number: int) -> None:
        """Take out a chunk that may already be in, before it is added again."""
        with _translated(self._folder):
            self._writer.delete_documents_by_term("id", number)

    def commit(self, seq: int, *, unless_made: bool = False) -> None:
        """Make everything so far visible and say it holds all batches up to `seq`."""
        with _translated(self._folder):
            self._writer.commit()
            dead = _dead_in(self._path)
        self.state = replace(self.state, seq=seq, dead=dead)
        self._folder.save(self.state, unless_made=unless_made)

    def close(self) -> None:
        """Release Tantivy's lock; waits for merges under way."""
        # One that fails leaves the segments it would have joined: nothing is lost.
        with suppress(ValueError):
            self._writer.wait_merging_threads()


@contextmanager
def _translated(folder: TextFolder) -> Iterator[None]:
    """Turn what Tantivy raises while writing into an error of our tree."""
    try:
        yield
    except ValueError as error:
        raise BackendError(
            f"The text index in {folder.folder} could not be written: {error}. "
            "What was stored is safe; the next trivium index completes it."
        ) from error


def _dead_in(generation: Path) -> int:
    """Return how many documents Tantivy counts that are deleted. Raises ValueError.

    It joins parts of an index by itself now and then, which writes some of them out.
    """
    try:
        meta = json.loads((generation / "meta.json").read_text(encoding="utf-8"))
        deletes = [part["deletes"] for part in meta["segments"]]
        return sum(int(one["num_deleted_docs"]) for one in deletes if one is not None)
    except (OSError, KeyError, TypeError) as error:
        raise ValueError(f"its meta.json does not say what is deleted ({error})") from error


def needs_rebuild(state: State, *, chunks: int, views: int) -> bool:
    """Say whether dead documents are to be written out, so that statistics are right.

    Each of them where that is cheap for all views; else once they are a share of the chunks.
    """
    return state.dead > (0 if chunks * views <= _SMALL else _MERGE_SHARE * chunks)


class TextReader:
    """Asks one pinned searcher; scores are Tantivy's BM25."""

    def __init__(
        self, folder: TextFolder, searcher: tantivy.Searcher, view: View, *, state: State
    ) -> None:
        self._folder = folder
        self._searcher = searcher
        self._state = state
        self._analyser = analyser(view.analyser)
        # Views that differ in the weights of fields kept apart share their folder.
        self._fields = asked_of(view)
        # What is searched for is most often scored next, and compiling takes a while.
        self._compiled: tuple[Query | None, tantivy.Query | None] = (None, None)

    def best(self, query: Query, *, where: Filter, limit: int) -> list[tuple[float, int]]:
        """Return up to `limit` scores and chunk numbers, best first."""
        asked = self._compile(query)
        if asked is None or limit < 1:
            return []
        gate = compile_filter(self._folder.schema, where)
        return self._run(_gated(asked, gate), limit)

    def of(self, query: Query, numbers: Sequence[int]) -> dict[int, float]:
        """Return the scores of exactly these chunk numbers, of those that match."""
        import tantivy

        asked = self._compile(query)
        if asked is None or not numbers:
            return {}
        # A boolean of single terms: three times as fast as a term set, which reads every id.
        should, term, schema = tantivy.Occur.Should, tantivy.Query.term_query, self._folder.schema
        one_of = [(should, term(schema, "id", number)) for number in numbers]
        gate = tantivy.Query.boolean_query(one_of)
        return {number: score for score, number in self._run(_gated(asked, gate), len(numbers))}

    @property
    def documents(self) -> int:
        """How many documents there are, without the deleted."""
        return int(self._searcher.num_docs)

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many documents each term stands, in the field where it does so most.

        Tantivy counts deleted ones until it writes them out.
        """
        count = self._searcher.doc_freq
        fields = [name for name, _ in self._fields.words]
        return {term: max([count(name, term) for name in fields], default=0) for term in terms}

    def starting(self, text: str, *, most: int) -> list[tuple[str, int]]:
        """Return terms that start with `text`, the most frequent first."""
        if most < 1:
            return []
        if len(text) > _SHORT_START or most > _MOST_STARTING:
            return self._starting(text, most=most)
        # Many terms start so: with every key pressed, they would be read again.
        kept = self._folder.starting(self._state)
        if text not in kept:
            if len(kept) >= _MOST_STARTS:
                kept.clear()
            kept[text] = self._starting(text, most=_MOST_STARTING)
        return kept[text][:most]

    def _starting(self, text: str, *, most: int) -> list[tuple[str, int]]:
        counts: dict[str, int] = {}
        for field, _ in self._fields.words:
            for term, count in self._searcher.terms_with_prefix(field, text, limit=most):
                counts[term] = max(count, counts.get(term, 0))
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:most]

    def _compile(self, query: Query) -> tantivy.Query | None:
        known, compiled = self._compiled
        if known is not query:
            compiled = compile_query(self._folder.schema, self._fields, self._analyser, query.root)
            self._compiled = (query, compiled)
        return compiled

    def _run(self, asked: tantivy.Query, limit: int) -> list[tuple[float, int]]:
        hits = self._searcher.search(asked, limit=limit, count=False).hits
        numbers = self._searcher.fast_field_values("id", [address for _, address in hits])
        return [
            (float(score), int(number or 0))
            for (score, _), number in zip(hits, numbers, strict=True)
        ]


def _gated(asked: tantivy.Query, gate: tantivy.Query | None) -> tantivy.Query:
    import tantivy

    if gate is None:
        return asked
    silent = tantivy.Query.const_score_query(gate, 0.0)
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, asked), (tantivy.Occur.Must, silent)])


def _register(index: tantivy.Index) -> None:
    import tantivy

    # Terms are made by our own analysers and joined by spaces: Tantivy only splits there.
    spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("spaces", spaces)


class _Documents:
    """Makes what is indexed of a chunk. The chunks of a file share most of their short fields."""

    def __init__(self, view: View) -> None:
        self._view = view
        words_of = analyser(view.analyser)
        self._split = words_of.split
        self._picking = {name: split_of(name, words_of) for name in PICKED}
        self._values: dict[str, list[str]] = {}
        self._node: Node | None = None
        self._attributes: list[tuple[str, str]] = []

    def of(self, number: int, node: Node, chunk: Chunk, whole: str) -> tantivy.Document | None:
        """Return the document of a chunk; None for one without a term, which nothing finds."""
        import tantivy

        document = tantivy.Document()
        document.add_integer("id", number)
        repeats = self._view.combine == "repeat"
        has_terms = False
        for name, weight, text in texts_of(self._view, node, chunk, whole):
            if name in _LONG:
                values = self._terms(text)
            else:
                values = self._picked(name, text) if name in PICKED else self._known_terms(text)
            has_terms = has_terms or bool(values)
            field = "t" if repeats else f"t_{name}"
            for value in values * int(weight) if repeats else values:
                document.add_text(field, value)
        if not has_terms:
            return None
        if node is not self._node:
            self._node = node
            found = attributes(node).items()
            self._attributes = [(name, value) for name, values in found for value in values]
        for name, value in self._attributes:
            document.add_text(name, value)
        return document

    def _terms(self, text: str) -> list[str]:
        """Return the values of a field; each ends a phrase, since Tantivy leaves a gap there."""
        words, wholes = self._split(text)
        return [" ".join(words), *wholes] if words else wholes

    def _picked(self, name: str, text: str) -> list[str]:
        """Return the terms of a field without neighbours as one value: no phrase looks there."""
        _, terms = self._picking[name](text)
        return [" ".join(terms)] if terms else []

    def _known_terms(self, text: str) -> list[str]:
        known = self._values.get(text)
        if known is None:
            if len(self._values) > _MOST_KNOWN:
                self._values.clear()
            known = self._values[text] = self._terms(text)
        return known
