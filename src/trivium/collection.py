"""What open() returns: one collection's searches, syncs and look-ups.

Holds no logic of its own: it finds the place of a folder's index, and hands each call to
the engine, the indexer or the backend. Safe to use from many threads.
"""

from __future__ import annotations

import logging
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from trivium import config, engine, indexer, linker, profiles
from trivium.alike import alike
from trivium.analysis.words import analyser
from trivium.asked import FilterValues, Place, other_branch, where_of, within_of
from trivium.backends.base import (
    Backend,
    Census,
    Contents,
    FileContent,
    FileHistory,
    Snapshot,
    Space,
)
from trivium.backends.registry import open_backend
from trivium.errors import (
    BackendError,
    ChunkNotFound,
    ConfigError,
    IndexNotFound,
    IndexUnusable,
    NotFound,
    UsageError,
    unknown,
)
from trivium.folder import Folder, fingerprint
from trivium.graph.walk import Direction
from trivium.home import find_root, folder_of, listed, memory_places, store_of
from trivium.lookups import (
    CALLS,
    DEPENDS,
    Checked,
    FileFacts,
    Surroundings,
    Walking,
    checked,
    files_of,
    find,
    related,
    sections_of,
    surroundings,
)
from trivium.meaning import Filling, Meaning
from trivium.models.base import Knowing
from trivium.models.chosen import NONE, Chosen, best_first
from trivium.models.kept import QueryVectors
from trivium.models.rerank import load_from as load_reranking
from trivium.models.static import static
from trivium.opened import OpenedFiles
from trivium.options import Circumstances, SearchOptions
from trivium.query.synonyms import NO_SYNONYMS
from trivium.ranking.profile import Profile
from trivium.ranking.profile import profile as shipped_profile
from trivium.sources.git import branch_of
from trivium.synonyms import load as load_synonyms
from trivium.types import (
    Answer,
    Chunk,
    ChunkId,
    Degraded,
    Edge,
    EdgeType,
    Node,
    NodeId,
)

if TYPE_CHECKING:
    from trivium.memory.kinds import Notes, Skills
    from trivium.memory.memory import LinkedItem, Memory
    from trivium.memory.tasks import Tasks
    from trivium.models.bill import Bill, Renewal
    from trivium.parsing.skills import SectionPreview
    from trivium.results.context import Context
    from trivium.results.pack import Pack
    from trivium.results.relations import Relations
    from trivium.sources.blame import Share
    from trivium.traversal import Path as Walked

log = logging.getLogger(__name__)

# What a search does not need is imported where it is used: every command starts with this module.

# Enough for 8,000 tokens of a few lines each.
_HITS_TO_PACK = 50


@dataclass(frozen=True, slots=True)
class Item:
    """A node with its whole text, its chunks, its edges and its sections.

    `history` is what the repository knows of its file, if there is one.
    """

    node: Node
    text: str
    chunks: tuple[Chunk, ...]
    edges: tuple[Edge, ...]
    sections: tuple[SectionPreview, ...] = ()
    history: FileHistory | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """What a collection holds and how it was made; `queries` is how many it remembers.

    `embedded` is the share of chunks that the model has embedded, `problem` why it cannot,
    `blank` how many chunks of which files a service gave no vector for.
    """

    name: str
    root: str
    folder: str
    contents: Contents
    spaces: tuple[Space, ...]
    views: tuple[str, ...]
    dirty_files: int
    model: str
    embedded: float
    census: Census
    branch: str
    filling: Filling | None = None
    queries: int = 0
    problem: str = ""
    blank: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Traversed:
    """A walk over the graph, and what is shown of the nodes that it took."""

    path: Walked
    pack: Pack


class Collection:
    """A named index of one folder."""

    def __init__(
        self,
        root: Path,
        *,
        settings: config.Settings,
        below: str = "",
        file: str = "",
        backend: Backend | None = None,
    ) -> None:
        self.root = root
        self.name = root.name or "root"
        self.settings = settings
        self._place = Place(root, below, file)
        self._folder = folder_of(root, settings.home)
        self._queries = QueryVectors(
            self._folder / "queries.db", most=settings.number("embedding.queries_kept")
        )
        meta = {"root": str(root), "name": self.name, "fingerprint": fingerprint(settings)}
        self._backend = backend or open_backend(
            settings,
            folder=self._folder,
            store=store_of(root, settings.home),
            meta=meta,
            views=(self._tokenized(shipped_profile("best")).view,),
        )
        self._backend.introduce(meta)
        self._kept = Folder(root, settings=settings, backend=self._backend)
        self._lexicon = static()
        self._opened = OpenedFiles(self._folder / "opened.db")
        self._meaning = Meaning(settings, self._backend, queries=self._queries, opened=self._opened)

    @property
    def identity(self) -> str:
        """What tells it from every other collection, also from one of the same name."""
        return self._folder.name

    @property
    def state(self) -> str:
        """What changes whenever the index does, by whichever process; not with each sync."""
        meta = self._backend.meta()
        with self._backend.snapshot() as snapshot:
            spaces = [f"{one.model_id}:{one.coverage:.6f}" for one in snapshot.spaces()]
        kept = (meta.get(one, "") for one in ("incarnation", "revision", "seq"))
        return " ".join((*kept, *sorted(spaces)))

    @property
    def below(self) -> str:
        """The folder below the root that searches are limited to; empty for all of it."""
        return self._place.below

    @property
    def is_indexed(self) -> bool:
        """Whether a sync has ended here, and nobody has removed what it brought."""
        return self._kept.is_indexed()

    def sync(
        self,
        *,
        progress: indexer.Progress = indexer.no_progress,
        yes: bool = False,
        wait_s: float = 5.0,
        keeps_if_empty: bool = False,
        folders: frozenset[str] | None = None,
        links: int | None = None,
    ) -> indexer.Report:
        """Bring the index up to date with the folder; only what changed costs anything.

        `folders` are those in which something may have changed; None is all. `links` is how
        many files are linked at most; the others wait for the next time. A folder that is
        suddenly empty, as an unmounted disk is, keeps its index if `keeps_if_empty`; the
        answers then say so.
        """
        # What is missing is said before anything is done.
        self.profile("best")
        return self._kept.sync(
            progress=progress,
            yes=yes,
            wait_s=wait_s,
            keeps_if_empty=keeps_if_empty,
            folders=folders,
            links=links,
            instant=self._meaning.chosen.instant,
        )

    def refresh(
        self, *, progress: indexer.Progress = indexer.no_progress, yes: bool = False
    ) -> None:
        """Take in what changed, without waiting; where that fails, the last state answers.

        The answers then say so, and how many files have changed.
        """
        self.profile("best")
        self._kept.refresh(progress=progress, yes=yes, instant=self._meaning.chosen.instant)

    def remember(self, *, should_stop: Callable[[], bool] = lambda: False) -> int:
        """Take in what the folder's repository knows of its files; return for how many."""
        if not self.root.is_dir():
            return 0
        return indexer.remember(self._backend, self.root, should_stop=should_stop)

    def authors(self, wanted: str) -> list[Share]:
        """Return who wrote the lines of a node, and how many each; reads the file's history."""
        from trivium.sources.blame import authors

        with self._backend.snapshot() as snapshot:
            source = find(snapshot, wanted).source
        return authors(
            self.root, source.file_path, first_line=source.start_line, last_line=source.end_line
        )

    def use(self, model: str) -> None:
        """Have a model give meaning from now on; the collection remembers it.

        A setting of the user goes before what is remembered. Raises ConfigError for an unknown
        name, MissingExtra or ModelError if it cannot be had.
        """
        self._meaning.use(model)

    def embed(
        self,
        *,
        progress: indexer.Progress = indexer.no_progress,
        say: Callable[[str], None] = log.info,
        yes: bool = False,
        retries: bool = False,
    ) -> int:
        """Give every chunk a vector of the set model; return how many texts were embedded.

        What was opened most goes first, then the newest files. Can be interrupted and goes on
        where it stopped; shares the work with other processes that do the same, and embeds
        nothing that they do. `say` gets what a person should know of it, a line each. With
        `retries`, a service is given the texts again for which it had no vector before. Raises
        ModelError or MissingExtra if the model cannot be had, and
        UsageError before anything is sent to a service if that is more than settings allow and
        not `yes`.
        """
        return self._meaning.embed(progress, say=say, yes=yes, retries=retries)

    def renewal(self) -> Renewal | None:
        """Say whether the set model gives vectors of another length now; forgets nothing.

        Asks a service for the vector of one word, unless it has made none here yet. Raises
        ModelError or MissingExtra if the model cannot be had.
        """
        return self._meaning.renewal()

    def renew(self, *, yes: bool = False) -> None:
        """Forget the vectors of the set model if it gives others now, of another length.

        Raises as `embed` does, and then forgets nothing.
        """
        self._meaning.renew(yes=yes)

    def bill(self, *, renews: bool = False, retries: bool = False) -> Bill | None:
        """Return what embedding now would send to a service; None if nothing. Sends nothing.

        With `renews`, the word that `renew` sends is counted too; with `retries`, the texts
        that `embed` sends again.
        """
        return self._meaning.bill(renews=renews, retries=retries)

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        profile: str | None = None,
        kind: str | Sequence[str] | None = None,
        filters: FilterValues | None = None,
        mode: str = "mixed",
        search_mode: str = "hybrid",
        min_score: float | None = None,
        explain: bool = False,
        sync: bool = False,
        deep_search: bool = False,
        seeds: int | None = None,
        bfs_depth: int | None = None,
        bfs_decay: float | None = None,
        expand: str = "none",
        dedupe: bool = False,
        group: str | None = None,
        rerank: bool = True,
        cursor: str | None = None,
        sort: str = "relevance",
        min_confidence: float | None = None,
        as_you_type: bool = False,
        typos: bool = True,
        synonyms: bool | None = None,
    ) -> Answer:
        """Answer `query` with the best hits.

        `profile` is a name or the path of a file. `deep_search` looks at whole contents where
        a profile does not (xplor); `seeds`, `bfs_depth` and `bfs_decay` are for profiles that
        spread over the graph; `expand="context"` adds what the hits call and import after
        them; `dedupe` leaves out what repeats a better hit; `group` says what is one hit:
        a "file" of code, a "node", or each chunk ("none"); `rerank=False` leaves the model of
        `rerank.model` out; `cursor` is the `next` of the page before; `sort` "newest" or "path"
        orders what was found, without regard to scores; `min_confidence` leaves out hits that
        answer less likely, 0 to 1.

        `as_you_type` lets the last word go on and asks words alone, for a search with every
        key pressed; `typos=False` takes each word as it was typed; `synonyms` also looks for
        words that mean the same, and the short forms of code; None is what the profile says.

        `sync=True` first takes in what changed in the folder; if another process is
        writing, the answer comes from the last state and counts the dirty files, as it
        does after a `sync` that found the index locked.
        """
        if sync:
            self.refresh()
        elif "memory" in vars(self):
            # What was written while another process held the index.
            self.memory.ground.catch_up()
        behind = self._kept.behind
        chosen = self.profile(profile)
        options = SearchOptions(
            profile=chosen,
            limit=limit,
            where=where_of(
                self._place, kind=kind, filters=filters, mode=mode, dialect=chosen.dialect
            ),
            within=within_of(self._place, mode=mode),
            search_mode=search_mode,
            min_score=min_score,
            explain=explain,
            deep_search=deep_search,
            seeds=seeds,
            bfs_depth=bfs_depth,
            bfs_decay=bfs_decay,
            expand=expand,
            dedupe=dedupe,
            group=group,
            cursor=cursor,
            sort=sort,
            min_confidence=min_confidence,
            typos=typos,
            as_you_type=as_you_type,
            synonyms=synonyms,
        )
        is_words_alone = search_mode == "keyword" or as_you_type
        meaning = NONE if is_words_alone else self._meaning.chosen
        given = Circumstances(
            collection=self.name,
            embedders=meaning.embedders,
            preferred=self._meaning.preferred if meaning.own is not None else "",
            why_no_embedder=meaning.why_none,
            advice=f"trivium index {shlex.quote(str(self.root))}",
            dirty_files=behind.files,
            degraded=(*behind.degraded, *_stood_in_for(meaning)),
            notes=other_branch(self._place, filters),
            reranking=load_reranking(self.settings) if rerank and not as_you_type else None,
            identity=self.identity,
            now=time.time(),
            synonyms=(
                NO_SYNONYMS if synonyms is False else load_synonyms(self.settings, root=self.root)
            ),
        )
        # Without a model there is its list of words: read when a word is in no document.
        knowing = meaning.instant if isinstance(meaning.instant, Knowing) else self._lexicon
        given = replace(given, lexicon=knowing)
        with self._backend.snapshot() as snapshot:
            given = replace(given, is_there=self._is_there(snapshot))
            answer = engine.search(snapshot, query, options=options, given=given)
        own = meaning.own
        is_named = any(one.stage == "vectors" for one in answer.degraded)
        is_asked = own is not None and own.name == self._meaning.preferred
        if own is None or not is_asked or is_named or answer.embedder in {own.name, "none"}:
            return answer
        said = f"{own.name} has yet to embed, {answer.embedder} answers; run: {given.advice}"
        return replace(answer, notes=(*answer.notes, said))

    def profile(self, given: str | None = None) -> Profile:
        """Return the profile that is asked for or set; a folder may only name one, not a file."""
        setting = self.settings.values["search.profile"]
        name = given or str(setting.value)
        is_folders = given is None and setting.origin == str(self.root / "trivium.toml")
        if is_folders and name not in profiles.names(self.settings.home):
            known = profiles.names(self.settings.home)
            raise ConfigError(unknown("profile", name, known))
        found = self._tokenized(profiles.load(name, home=self.settings.home))
        # Here, where it can be said: a dictionary that is not installed stops no worker.
        profiles.check_dictionaries(found)
        return found

    def _tokenized(self, found: Profile) -> Profile:
        return profiles.tokenized(found, self.settings.text("text.tokenizer"))

    @property
    def notes(self) -> Notes:
        """Notes: what people and agents want to remember."""
        return self.memory.notes

    @property
    def tasks(self) -> Tasks:
        """Tasks and epics: what is to be done."""
        return self.memory.tasks

    @property
    def skills(self) -> Skills:
        """Skills that people and agents write down: how things are done."""
        return self.memory.skills

    @cached_property
    def memory(self) -> Memory:
        """Notes, tasks and skills together, and what is common to them."""
        from trivium.memory.ground import Ground
        from trivium.memory.memory import Memory

        ground = Ground(
            self._backend,
            search=self.search,
            sync=lambda folders: self.sync(folders=folders),
            elsewhere=partial(_elsewhere, self.settings),
        )
        is_users = self.settings.text("memory.place") == "user"
        places = memory_places(self.root, self.settings.home, is_users=is_users)
        return Memory(places, self._folder / "memory.db", ground=ground)

    def find_linked(self, wanted: str, *, type: str | None = None) -> list[LinkedItem]:
        """Return the notes, tasks and skills that link to a node, or `@name::id` of another."""
        return self.memory.find_linked(wanted, type_=type)

    def recall(
        self,
        context: str,
        *,
        limit: int | None = None,
        min_score: float = 0.3,
        search_mode: str = "hybrid",
        explain: bool = False,
    ) -> Answer:
        """Return the skills for what someone is about to do, told in a sentence or two."""
        return self.skills.recall(
            context, limit=limit, min_score=min_score, search_mode=search_mode, explain=explain
        )

    def get(self, wanted: str) -> Item:
        """Return a node, by its id or the id of one of its chunks. Raises ChunkNotFound.

        Counts as opening its file: what is opened most is embedded first.
        """
        found = self._item(wanted)
        self._opened.note(found.node.source.file_path)
        return found

    def _item(self, wanted: str) -> Item:
        with self._backend.snapshot() as snapshot:
            node_id = NodeId(wanted)
            node = snapshot.node(node_id)
            if node is None:
                found = snapshot.fetch([ChunkId(wanted)])
                if not found:
                    raise ChunkNotFound(wanted)
                only = found[0]
                return Item(only.node, only.chunk.text, (only.chunk,), ())
            return Item(
                node,
                snapshot.text_of(node_id),
                tuple(snapshot.chunks_of(node_id)),
                tuple(snapshot.edges_of(node_id)),
                sections_of(snapshot, node),
                snapshot.history(node.source.file_path),
            )

    def file(self, path: str) -> FileContent:
        """Return a file as it was taken in, secrets masked. Raises NotFound."""
        below = f"{self.below}/" if self.below else ""
        with self._backend.snapshot() as snapshot:
            found = snapshot.content(path) if path.startswith(below) else None
        if found is None:
            raise NotFound(f"No file {path[:1000]!r} is in the index of {self.name}.")
        return found

    def nodes(self) -> Iterator[Node]:
        """Return every node of the collection, file by file."""
        with self._backend.snapshot() as snapshot:
            for path in snapshot.paths():
                content = snapshot.content(path)
                yield from () if content is None else content.nodes

    def paths(self, below: str = "") -> list[str]:
        """Return the paths of all files, or of those below a folder of the root."""
        inside = "" if below in ("", ".") else f"{below}/"
        with self._backend.snapshot() as snapshot:
            return [
                path
                for path in snapshot.paths()
                if path.startswith(inside) and not path.endswith("/")
            ]

    def texts(self, ids: Sequence[str]) -> Mapping[NodeId, str]:
        """Return the whole texts of nodes; unlike `get` this opens none of them."""
        with self._backend.snapshot() as snapshot:
            return snapshot.texts([NodeId(one) for one in ids])

    def files(self, paths: Sequence[str]) -> Mapping[str, FileFacts]:
        """Return what is known of files; one that is not indexed is left out."""
        with self._backend.snapshot() as snapshot:
            return files_of(snapshot, paths)

    def traverse(
        self,
        start: str,
        query: str,
        *,
        max_depth: int = 3,
        max_nodes: int = 8,
        max_tokens: int | None = 6000,
    ) -> Traversed:
        """Walk from a node to what deserves attention for a query, and show as much as fits."""
        from trivium.results.pack import Material, pack
        from trivium.traversal import Question, traverse

        near = self.search(query, profile="xplor", limit=self.profile("xplor").most)
        similar = {hit.node.id: hit.score for hit in near.results}
        with self._backend.snapshot() as snapshot:
            asked = Question(query, similar, time.time())
            path = traverse(snapshot, start, asked, max_depth=max_depth, max_nodes=max_nodes)
            found = [
                Material(
                    one.node,
                    tuple(snapshot.edges_of(one.node.id)),
                    sections_of(snapshot, one.node),
                    snapshot.text_of(one.node.id),
                )
                for one in path.taken
            ]
        packed = pack(found, total=self.stats().nodes, max_tokens=max_tokens)
        return Traversed(path, packed)

    def scan(
        self,
        query: str,
        *,
        domain: str | None = None,
        limit: int = 20,
        max_tokens: int | None = None,
    ) -> Pack:
        """Return what matches by what it says of itself, never its text: a cheap look round."""
        from trivium.results.pack import Level, Material, pack

        answer = self.search(query, profile="xplor", limit=limit, filters={"domain": domain})
        found = [Material(hit.node) for hit in answer.results]
        return pack(found, total=self.stats().nodes, max_tokens=max_tokens, most=Level.SCAN)

    def disclose(
        self, query: str, *, max_tokens: int = 6000, limit: int = 10, profile: str | None = None
    ) -> Pack:
        """Return the best hits node by node, each at the highest level of detail that fits."""
        from trivium.results.pack import Material, pack

        answer = self.search(query, profile=profile, limit=limit)
        found = []
        for hit in answer.results:
            # It may be gone since: others may write meanwhile.
            with suppress(ChunkNotFound):
                one = self._item(hit.node.id)
                found.append(Material(one.node, one.edges, one.sections, one.text))
        return pack(found, total=self.stats().nodes, max_tokens=max_tokens)

    def context(
        self,
        query: str,
        *,
        max_tokens: int = 4000,
        limit: int | None = None,
        profile: str | None = None,
        kind: str | Sequence[str] | None = None,
        filters: FilterValues | None = None,
        mode: str = "mixed",
        search_mode: str = "hybrid",
        sync: bool = False,
        rerank: bool = True,
        place: Callable[[str], str] = str,
    ) -> Context:
        """Return the most useful text for `query` that fits into `max_tokens`, in pieces.

        Tokens are characters / 4, rounded up, headings included. `limit` is how many hits are
        looked at, 50 if nothing is said; `place` writes a path for the reader, in headings; the
        other arguments are those of a search.
        """
        from trivium.results.context import context_of

        if max_tokens < 1:
            raise UsageError(f"max_tokens is {max_tokens}; give 1 or more.")
        most = self.profile(profile).most
        answer = self.search(
            query,
            limit=min(_HITS_TO_PACK, most) if limit is None else limit,
            profile=profile,
            kind=kind,
            filters=filters,
            mode=mode,
            search_mode=search_mode,
            sync=sync,
            expand="context",
            rerank=rerank,
        )
        with self._backend.snapshot() as snapshot:
            return context_of(snapshot, answer, max_tokens=max_tokens, place=place)

    def _is_there(self, snapshot: Snapshot) -> Callable[[str], bool] | None:
        """Return what tells whether a file still stands in the folder; None where none is."""
        is_here = snapshot.contents().origin == "folder" and not self._kept.behind.is_empty
        return self._kept.is_there if is_here and self.root.is_dir() else None

    def related(self, wanted: str, *, limit: int = 10) -> Answer:
        """Return what is like a node: near in meaning, linked with it or with the same.

        What is nearly the same text is marked as a duplicate. The node is given by its id, the id
        of one of its chunks, its path, or a name that only it has. Raises NotFound.
        """
        chosen = self._meaning.chosen
        preferred = self._meaning.preferred if chosen.own is not None else ""
        behind = self._kept.behind
        with self._backend.snapshot() as snapshot:
            found = alike(
                snapshot,
                find(snapshot, wanted),
                view=self.profile("best").view,
                embedders=best_first(chosen.embedders, preferred=preferred),
                limit=limit,
                where=self._place.where,
                collection=self.name,
                is_there=self._is_there(snapshot),
            )
        return replace(
            found,
            freshness=replace(found.freshness, dirty_files=behind.files),
            degraded=(*behind.degraded, *found.degraded),
        )

    def callers(self, wanted: str, *, depth: int = 3) -> Relations:
        """Return what calls a function, by its id or name, and what calls that."""
        return self._related(wanted, Walking(CALLS, Direction.IN, depth))

    def callees(self, wanted: str, *, depth: int = 3) -> Relations:
        """Return what a function calls, and what that calls."""
        return self._related(wanted, Walking(CALLS, Direction.OUT, depth))

    def impact(
        self, wanted: str, *, depth: int = 5, types: frozenset[EdgeType] = DEPENDS
    ) -> Relations:
        """Return what may break when a node changes: what depends on it or on what it contains."""
        return self._related(wanted, Walking(types, Direction.IN, depth, with_contents=True))

    def neighbors(
        self,
        wanted: str,
        *,
        depth: int = 1,
        types: frozenset[EdgeType] | None = None,
        direction: str = "both",
    ) -> Relations:
        """Return what a node is linked with, whichever way."""
        return self._related(wanted, Walking(types, Direction(direction), depth))

    def surroundings(
        self,
        wanted: str,
        *,
        depth: int = 1,
        types: frozenset[EdgeType] | None = None,
        limit: int = 200,
    ) -> Surroundings:
        """Return a node, what it is linked with, and all edges between these: a small graph."""
        with self._backend.snapshot() as snapshot:
            walking = Walking(types, Direction.BOTH, depth)
            return surroundings(snapshot, wanted, walking, limit=limit)

    def _related(self, wanted: str, walking: Walking) -> Relations:
        with self._backend.snapshot() as snapshot:
            return related(snapshot, wanted, walking)

    def check(self) -> Checked:
        """Look at how links and skills are kept: what leads nowhere, and a score for the skills."""
        with self._backend.snapshot() as snapshot:
            return checked(snapshot)

    def link(self, *, progress: indexer.Progress = indexer.no_progress) -> int:
        """Lead what waits to be linked to its targets; return how many files that were."""
        return linker.link(self._backend, progress=progress)

    def status(self) -> Status:
        """Say what the collection holds and how far it is behind its folder.

        Raises IndexRemoved if another process has removed it.
        """
        # Looking makes no index where none is any more.
        there = self._backend.as_it_is()
        dirty = self._kept.dirty_files(there) if self.root.is_dir() else 0
        with there.snapshot() as snapshot:
            filling = self._meaning.filling(snapshot)
            # One count of each: what is stored, for the model that fills in.
            spaces = tuple(
                one
                if filling is None or one.model_id != filling.model_id
                else replace(one, coverage=filling.embedded)
                for one in snapshot.spaces()
            )
            covered = self._meaning.coverage(spaces)
            return Status(
                filling=filling,
                name=self.name,
                root=str(self.root),
                folder=str(self._folder),
                contents=snapshot.contents(),
                spaces=spaces,
                views=tuple(there.views()),
                dirty_files=dirty,
                model=self._meaning.model,
                embedded=covered if filling is None else filling.embedded,
                census=snapshot.census(),
                branch=branch_of(self.root),
                queries=self._queries.count(),
                problem=self._meaning.problem,
                blank=self._meaning.blank(snapshot),
            )

    def changed(self, paths: Sequence[str]) -> Mapping[str, float]:
        """Return when these files were changed last, in seconds since 1970, as far as is known."""
        with self._backend.snapshot() as snapshot:
            return snapshot.changed(paths)

    def skipped(self) -> Mapping[str, str]:
        """Return the files that were passed over, path -> reason."""
        with self._backend.snapshot() as snapshot:
            return snapshot.skipped()

    def stats(self) -> Contents:
        """Count what the collection holds."""
        with self._backend.snapshot() as snapshot:
            return snapshot.contents()

    def frequencies(self, words: Sequence[str], *, profile: str | None = None) -> dict[str, int]:
        """Return in how many chunks each lower-case word stands, whatever its ending."""
        view = self.profile(profile).view
        stem = analyser(view.analyser).stem
        with self._backend.snapshot() as snapshot:
            counts = snapshot.text(view).frequencies([stem(word) for word in words])
        return {word: counts[stem(word)] for word in words}

    def export(self, path: str | Path) -> int:
        """Write the whole index to one file; return how many files it holds."""
        from trivium.writing.archive import write_archive

        with self._backend.snapshot() as snapshot:
            return write_archive(snapshot, Path(path), header={"name": self.name})

    def import_(self, path: str | Path) -> int:
        """Replace the index by an exported one; needs neither the files nor a model."""
        from trivium.writing.archive import read_archive

        with self._backend.writer(wait_s=5.0) as writer:
            with self._backend.snapshot() as snapshot:
                known = snapshot.files()
            count = read_archive(Path(path), writer, known=known)
        indexer.embed_instantly(self._backend, self._meaning.chosen.instant)
        linker.link(self._backend)
        return count

    def reset(self) -> None:
        """Forget everything: the index is removed, the folder itself is not touched."""
        self._backend.destroy(wait_s=5.0)
        self.memory.desk.catalog.forget()
        self._queries.forget()
        self._opened.forget()

    def close(self) -> None:
        """Let go of open files."""
        self._backend.close()

    def __enter__(self) -> Self:
        """Use as a context manager that closes at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def _elsewhere(
    settings: config.Settings, name: str, ids: Sequence[NodeId]
) -> frozenset[NodeId] | None:
    """Return which ids are in the collection of a name; None if there is none."""
    root = next((one.root for one in listed(settings.home) if one.name == name), None)
    if root is None:
        return None
    with (
        suppress(IndexUnusable, NotFound, BackendError),
        open_collection(root, settings=settings, create=False) as other,
        other._backend.snapshot() as snapshot,  # noqa: SLF001 - one of the same class
    ):
        return frozenset(snapshot.nodes(ids))
    return None


def _stood_in_for(meaning: Chosen) -> tuple[Degraded, ...]:
    """Say that the model that is set cannot be had, where another answers in its place."""
    if meaning.problem is None or not meaning.embedders:
        return ()
    return (Degraded("vectors", str(meaning.problem)),)


def open_collection(
    path: str | Path,
    *,
    settings: config.Settings | None = None,
    create: bool = True,
    backend: Backend | None = None,
    file: str = "",
) -> Collection:
    """Return the collection of a folder, made on first use.

    `backend` keeps the index elsewhere than in `$TRIVIUM_HOME`. `file` is the name of the only
    file in the folder that searches look at; empty for all of them.

    A folder below one that is indexed uses that index, limited to the folder. Raises
    IndexNotFound if there is none and `create` is false, UsageError if it is no folder.
    """
    folder = Path(path).expanduser().resolve()
    known = config.load() if settings is None else settings
    root = find_root(folder, known.home)
    is_elsewhere = known.text("backend.kind") != "embedded"
    if root is None and not create and folder.is_dir() and not is_elsewhere:
        raise IndexNotFound(str(folder))
    # The root of an index may have gone since; a folder below it must be there.
    if root != folder and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder. Give the folder that is to be searched.")
    root = folder if root is None else root
    # An index is made with the settings of its root, not of a folder below it.
    settings = config.load(folder=root) if settings is None else settings
    below = folder.relative_to(root).as_posix() if folder != root else ""
    only = (Path(below) / file).as_posix() if file else ""
    made = Collection(root, settings=settings, below=below, file=only, backend=backend)
    if is_elsewhere and not create and not made.is_indexed:
        made.close()
        raise IndexNotFound(str(folder))
    return made
