"""Judged sets -> indexes that are ready to be asked, and their questions.

Indexes are kept under the home folder and brought up to date, so that only the first run
on a set pays for its embedding. Called by run and by tune.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trivium import engine, indexer, linker
from trivium.backends.base import Backend, FileContent, FileState
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.chunking.chunk import chunk
from trivium.errors import QuerySyntaxError, UsageError
from trivium.evaluation import datasets
from trivium.evaluation.datasets import Dataset, Record, RepositoryTask
from trivium.evaluation.measure import (
    DEPTH,
    Question,
    Shown,
    questions_of,
    questions_to,
    targets_at,
)
from trivium.evaluation.sets import Place, Sort, sampled
from trivium.filtering.conditions import EVERYTHING, Condition, Filter, Test
from trivium.models.base import Embedder
from trivium.models.static import static
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.profile import Profile
from trivium.sources.files import FolderSource
from trivium.types import Answer, ChunkId, Document, Hit, Kind, Location, Node, NodeId, Span
from trivium.writing.digest import Cutting

Say = Callable[[str], None]
NamesOf = Callable[[Question, Hit], tuple[str, ...]]
# As in the product, whichever model is measured.
_LEXICON = static()


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to answer that is measured: a profile, what gives meaning, the search mode."""

    name: str
    profile: Profile
    embedder: Embedder | None = None
    search_mode: str = "hybrid"

    @property
    def embedders(self) -> tuple[Embedder, ...]:
        """What gives meaning, and the instant model where it has a say beside that."""
        if self.embedder is None:
            return ()
        is_beside = self.profile.fusion.asks_instant and not self.embedder.is_instant
        return (self.embedder, _instant()) if is_beside else (self.embedder,)


@cache
def _instant() -> Embedder:
    """Return the model of the package, whose table is then read once."""
    return static()


@dataclass(frozen=True, slots=True)
class Bench:
    """What evaluation works with: where indexes are kept, and who is to answer.

    `repositories` is where those of a set are laid out, `collection` the folder that one's own
    queries ask, `limit` how many queries of a set are asked; None is all.
    """

    home: Path
    contenders: Sequence[Contender]
    repositories: Path | None = None
    collection: Path | None = None
    limit: int | None = None
    progress: indexer.Progress = indexer.no_progress
    say: Say = print

    @contextmanager
    def prepared(self, place: Place) -> Iterator[Prepared]:
        """Index a set, embed it with every model that will be asked, and give its questions."""
        with ExitStack() as opened:
            if place.sort is Sort.RECORDS:
                yield self._records(place, opened)
            elif place.sort is Sort.REPOSITORIES:
                yield self._repositories(place.path, opened)
            else:
                yield self._own(place.path, opened)

    def _records(self, place: Place, opened: ExitStack) -> Prepared:
        dataset = datasets.load(place.path, split=place.split)
        backend = self._open(f"{dataset.name}-{_fingerprint(dataset)}", opened)
        with backend.writer(wait_s=5.0) as writer:
            with backend.snapshot() as snapshot:
                is_empty = not snapshot.contents().files
            if is_empty:
                indexer.write_all(writer, _contents(dataset))
            writer.publish()
        self._embed(backend)
        questions = sampled(questions_of(dataset), self.limit)
        # Not what follows the first #: the folder may be called C#.
        before = len(f"record:{dataset.name}#")

        def record_id(_: Question, hit: Hit) -> tuple[str, ...]:
            return (hit.node.id[before:],)

        return Prepared(dataset.name, place.split, questions, {"": backend}, record_id, place.sort)

    def _repositories(self, path: Path, opened: ExitStack) -> Prepared:
        if self.repositories is None:
            raise UsageError(f"{path} names repositories. Say where they are with: --repos FOLDER")
        found = datasets.load_repositories(path, repositories=self.repositories)
        for name in found.missing:
            self.say(f"{name}: not in {self.repositories}, left out")
        questions = sampled(questions_to(found), self.limit)
        asked = {question.fold for question in questions}
        backends = {
            task.name: self._repository(task, opened) for task in found.tasks if task.name in asked
        }
        return Prepared(found.name, "", questions, backends, _targets, Sort.REPOSITORIES)

    def _repository(self, task: RepositoryTask, opened: ExitStack) -> EmbeddedBackend:
        backend = self._open(f"{task.name}-{task.revision[:8]}", opened)
        self._sync(task.root, backend)
        return backend

    def _own(self, path: Path, opened: ExitStack) -> Prepared:
        if self.collection is None:
            raise UsageError(f"{path} judges a folder. Say which with: --collection FOLDER")
        dataset = datasets.load_judged(path)
        root = self.collection.expanduser().resolve()
        if not root.is_dir():
            raise UsageError(f"{root} is not a folder. Give the folder that the queries ask.")
        name = f"{root.name}-{hashlib.sha256(str(root).encode()).hexdigest()[:8]}"
        backend = self._open(name, opened)
        self._sync(root, backend)
        self._say_what_is_absent(dataset, backend)
        questions = sampled(questions_of(dataset), self.limit)
        return Prepared(dataset.name, "", questions, {"": backend}, _names, Sort.OWN)

    def _say_what_is_absent(self, dataset: Dataset, backend: EmbeddedBackend) -> None:
        """Say which judged names nothing in the folder bears: a path may be mistyped."""
        judged = sorted({name for query in dataset.queries for name in query.relevant})
        with backend.snapshot() as snapshot:
            others = sorted(set(judged).difference(snapshot.paths()))
            nodes = snapshot.nodes([NodeId(name) for name in others])
            chunks = {one.chunk.id for one in snapshot.fetch([ChunkId(name) for name in others])}
        absent = [name for name in others if name not in nodes and name not in chunks]
        if absent:
            self.say(
                f"{dataset.name}: {len(absent)} of {len(judged)} judged names are not in the "
                f"folder and cannot be found, such as {absent[0]!r}"
            )

    def _open(self, name: str, opened: ExitStack) -> EmbeddedBackend:
        """Return the index kept under `name`."""
        folder = self.home / "evaluation" / name
        views = tuple(dict.fromkeys(one.profile.view for one in self.contenders))
        backend = EmbeddedBackend(folder, store=folder / "store", views=views)
        return opened.enter_context(closing(backend))

    def _sync(self, root: Path, backend: EmbeddedBackend) -> None:
        indexer.sync(FolderSource(root), backend, cutting=Cutting(), progress=self.progress)
        # Links between files count in some profiles, as they do in a search.
        linker.link(backend, progress=self.progress)
        self._embed(backend)

    def _embed(self, backend: EmbeddedBackend) -> None:
        """Give every chunk a vector of each model that is asked."""
        embedders = {
            embedder.model_id: embedder
            for one in self.contenders
            if one.search_mode != "keyword"
            for embedder in one.embedders
        }
        for embedder in embedders.values():
            indexer.embed(backend, embedder, progress=self.progress)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A set that is indexed: its questions, and the index that each `fold` of them asks."""

    name: str
    split: str
    questions: tuple[Question, ...]
    backends: Mapping[str, Backend]
    names_of: NamesOf
    sort: Sort

    def ask(self, question: Question, contender: Contender, *, limit: int = DEPTH) -> Answer:
        """Answer one question as the product would."""
        options, given = asking(question, contender, limit=limit)
        with self.backends[question.fold].snapshot() as snapshot:
            try:
                return engine.search(snapshot, question.text, options=options, given=given)
            except QuerySyntaxError:
                # A dialect that refuses a query finds nothing by it, and is scored so.
                return engine.search(snapshot, "", options=options, given=given)

    def shown(self, question: Question, answer: Answer) -> list[Shown]:
        """Return the hits of an answer as a judge sees them; of records each counts once."""
        seen: set[tuple[str, ...]] = set()
        shown = []
        for hit in answer.results:
            names = self.names_of(question, hit)
            is_repeat = self.sort is Sort.RECORDS and names in seen
            shown.append(Shown(names, hit.snippet, is_repeat))
            seen.add(names)
        return shown


def asking(
    question: Question, contender: Contender, *, limit: int = DEPTH
) -> tuple[SearchOptions, Circumstances]:
    """Return what is said beside a question, and what is known of the index it is asked of."""
    profile, asked = contender.profile, contender.embedder
    options = SearchOptions(
        profile,
        limit=min(limit, profile.most),
        where=_inside(question.within),
        search_mode=contender.search_mode,
    )
    given = Circumstances(
        "evaluation",
        contender.embedders,
        preferred="" if asked is None else asked.name,
        lexicon=_LEXICON,
    )
    return options, given


def _inside(within: str | None) -> Filter:
    if within is None:
        return EVERYTHING
    return Filter((Condition("domain", Test.EQUALS, frozenset({within.lower()})),))


def _targets(question: Question, hit: Hit) -> tuple[str, ...]:
    return targets_at(hit.node.source, question.targets)


def _names(_: Question, hit: Hit) -> tuple[str, ...]:
    return (hit.id, hit.node.id, hit.node.source.file_path)


def _contents(dataset: Dataset) -> Iterator[FileContent]:
    """Make one document of each record, as if it had been a file of its own."""
    for record in dataset.documents:
        document = Document(record.path or record.id, record.text)
        node = _node(dataset.name, record, document)
        state = FileState(record.id, len(record.text), 0, "")
        yield FileContent(state, document, (node,), (), tuple(chunk(document, (node,))))


def _node(name: str, record: Record, document: Document) -> Node:
    whole = Span(0, len(document.text))
    return Node(
        id=NodeId(f"record:{name}#{record.id}"),
        kind=Kind.RECORD,
        type="record",
        name=record.title,
        source=Location(document.path, 1, document.text.count("\n") + 1),
        span=whole,
        own=(whole,),
        domain=record.scope,
        language=record.language,
        title=record.title,
    )


def _fingerprint(dataset: Dataset) -> str:
    seen = hashlib.sha256()
    for record in dataset.documents:
        seen.update(f"{record.id}\0{record.title}\0{record.text}\0".encode())
    return seen.hexdigest()[:8]
