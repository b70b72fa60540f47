"""Judged data -> Results: indexes what is to be searched, asks every query, keeps the scores.

Indexes are kept under the home folder and brought up to date, so that only the first run
on a set pays for its embedding. Called by the command line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trivium import engine, indexer
from trivium.backends.base import FileContent, FileState
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.chunking.chunk import chunk
from trivium.errors import QuerySyntaxError, UsageError
from trivium.evaluation import datasets, measure
from trivium.evaluation.datasets import Dataset, Record, RepositoryTask
from trivium.evaluation.measure import PlaceSearch, Result
from trivium.filtering.conditions import EVERYTHING, Condition, Filter, Test
from trivium.models.base import Embedder
from trivium.ranking.profile import Profile
from trivium.sources.files import FolderSource
from trivium.types import Answer, Document, Kind, Location, Node, NodeId, Span
from trivium.writing.digest import Cutting

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Bench:
    """What evaluation works with: where indexes are kept, and how queries are asked."""

    home: Path
    profiles: Sequence[Profile]
    embedder: Embedder | None
    search_mode: str = "hybrid"
    progress: indexer.Progress = indexer.no_progress
    say: Say = print

    def open(self, name: str) -> EmbeddedBackend:
        """Return the index kept under `name`."""
        return EmbeddedBackend(
            self.home / "evaluation" / name,
            store=self.home / "evaluation" / name / "store",
            views=tuple(profile.view for profile in self.profiles),
        )

    def embed(self, backend: EmbeddedBackend) -> None:
        """Give every chunk a vector, unless only words are asked for."""
        if self.embedder is not None and self.search_mode != "keyword":
            indexer.embed(backend, self.embedder, progress=self.progress)

    def ask(
        self,
        backend: EmbeddedBackend,
        query: str,
        profile: Profile,
        *,
        limit: int,
        where: Filter = EVERYTHING,
    ) -> Answer:
        """Answer one query as the product would."""
        options = engine.SearchOptions(
            profile, limit=min(limit, profile.most), where=where, search_mode=self.search_mode
        )
        embedders = () if self.embedder is None else (self.embedder,)
        with backend.snapshot() as snapshot:
            given = engine.Circumstances("evaluation", embedders)
            try:
                return engine.search(snapshot, query, options=options, given=given)
            except QuerySyntaxError:
                # A dialect that refuses a query finds nothing by it, and is scored so.
                return engine.search(snapshot, "", options=options, given=given)


def run(
    bench: Bench,
    data: Sequence[Path],
    *,
    split: str,
    repositories: Path | None,
    collection: Path | None,
) -> list[Result]:
    """Measure every profile on every set."""
    results: list[Result] = []
    for path in data:
        if path.is_file():
            results += _on_judged(bench, path, collection)
        elif (path / "repos.json").exists():
            results += _on_repositories(bench, path, repositories)
        else:
            results += _on_records(bench, path, split)
    return results


def _on_records(bench: Bench, path: Path, split: str) -> list[Result]:
    dataset = datasets.load(path, split=split)
    backend = bench.open(f"{dataset.name}-{_fingerprint(dataset)}")
    with backend.writer(wait_s=5.0) as writer:
        with backend.snapshot() as snapshot:
            is_empty = not snapshot.contents().files
        if is_empty:
            indexer.write_all(writer, _contents(dataset))
        writer.publish()
    bench.embed(backend)
    results = []
    for profile in bench.profiles:

        def search(
            query: str, *, limit: int, within: str | None, profile: Profile = profile
        ) -> list[str]:
            where = EVERYTHING
            if within is not None:
                where = Filter((Condition("domain", Test.EQUALS, frozenset({within.lower()})),))
            answer = bench.ask(backend, query, profile, limit=limit, where=where)
            ids = (hit.node.id.partition("#")[2] for hit in answer.results)
            return list(dict.fromkeys(ids))

        results.append(measure.measure(dataset, search, profile=profile.name))
    backend.close()
    return results


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


def _on_repositories(bench: Bench, path: Path, repositories: Path | None) -> list[Result]:
    if repositories is None:
        raise UsageError(f"{path} names repositories. Say where they are with: --repos FOLDER")
    found = datasets.load_repositories(path, repositories=repositories)
    for name in found.missing:
        bench.say(f"{name}: not in {repositories}, left out")
    backends = {task.name: _index_repository(bench, task) for task in found.tasks}
    results = []
    for profile in bench.profiles:

        def search_in(task: RepositoryTask, profile: Profile = profile) -> PlaceSearch:
            def search(query: str, *, limit: int) -> list[Location]:
                answer = bench.ask(backends[task.name], query, profile, limit=limit)
                return [hit.node.source for hit in answer.results]

            return search

        results.append(measure.measure_repositories(found, search_in, profile=profile.name))
    return results


def _index_repository(bench: Bench, task: RepositoryTask) -> EmbeddedBackend:
    backend = bench.open(f"{task.name}-{task.revision[:8]}")
    indexer.sync(FolderSource(task.root), backend, cutting=Cutting(), progress=bench.progress)
    bench.embed(backend)
    return backend


def _on_judged(bench: Bench, path: Path, collection: Path | None) -> list[Result]:
    if collection is None:
        raise UsageError(f"{path} judges a folder. Say which with: --collection FOLDER")
    dataset = datasets.load_judged(path)
    root = collection.expanduser().resolve()
    backend = bench.open(f"{root.name}-{hashlib.sha256(str(root).encode()).hexdigest()[:8]}")
    indexer.sync(FolderSource(root), backend, cutting=Cutting(), progress=bench.progress)
    bench.embed(backend)
    results = []
    for profile in bench.profiles:

        def search(query: str, *, limit: int, profile: Profile = profile) -> list[list[str]]:
            answer = bench.ask(backend, query, profile, limit=limit)
            return [[hit.id, hit.node.id, hit.node.source.file_path] for hit in answer.results]

        results.append(measure.measure_names(dataset, search, profile=profile.name))
    return results
