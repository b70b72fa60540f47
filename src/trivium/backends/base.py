"""What a store must offer. No code that runs; the contract suite gives it meaning.

Reading goes through a Snapshot, which shows one state of the index however long it is
held; writing through a Writer, of which there is one at a time. Every batch has a
sequence number; text and vector indexes know which one they contain.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from trivium.filtering.comparing import instant
from trivium.filtering.conditions import Filter
from trivium.query.grammar import Query
from trivium.types import (
    Background,
    Chunk,
    ChunkId,
    Document,
    Edge,
    Kind,
    Metadata,
    Node,
    NodeId,
    Ranking,
    Reference,
    Scores,
    Symbol,
    View,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class FileState:
    """What the index knows of a file: enough to see whether it has changed."""

    path: str
    size_bytes: int
    mtime_ns: int
    sha256: str
    masked: int = 0
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a file was like when it was read in vain: it need not be read again as it is."""

    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class FileContent:
    """One file, ready to be written: it replaces what the index held for its path.

    One that turned out to hold no text says why in `skipped`, and is not to be written.
    """

    state: FileState
    document: Document
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    chunks: tuple[Chunk, ...]
    references: tuple[Reference, ...] = ()
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Unlinked:
    """A file whose references have not been led to their targets, or may lead elsewhere now."""

    path: str
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Linked:
    """The edges that a file's references became.

    `keys` are names that were looked at on the way, beside those the references name: when
    one of them comes or goes, the file is to be linked again.
    """

    path: str
    edges: tuple[Edge, ...]
    keys: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FileHistory:
    """What the repository knows of a file: who changed it last, when, and in how many commits."""

    path: str
    author: str
    modified: str
    churn: int


@dataclass(frozen=True, slots=True)
class Census:
    """How many nodes, edges and files there are of each sort."""

    kinds: Mapping[str, int]
    types: Mapping[str, int]
    languages: Mapping[str, int]
    edges: Mapping[str, int]
    marks: Mapping[str, int]
    failures: Mapping[str, str]
    references: int
    resolved: int
    unlinked: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Changes that become visible together or not at all."""

    replaced: tuple[FileContent, ...] = ()
    removed: tuple[str, ...] = ()
    touched: tuple[FileState, ...] = ()

    @property
    def only_touches(self) -> bool:
        """Whether all it brings are new times of files whose content is the same."""
        return bool(self.touched) and not self.replaced and not self.removed


@dataclass(frozen=True, slots=True)
class Listed:
    """How very many vectors are searched: in the nearest of `lists`, and in all that are in none.

    `vectors` are those in lists, `scanned` the others.
    """

    lists: int
    vectors: int
    scanned: int


@dataclass(frozen=True, slots=True)
class Space:
    """A vector space in the index and the share of chunks it covers, 0 to 1.

    One that is `listed` holds very many vectors, and finds nearly all of the nearest.
    """

    model_id: str
    dimension: int
    coverage: float
    listed: Listed | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """A text that has no vector yet, under the key its vector will be kept by."""

    key: bytes
    text: str


@dataclass(frozen=True, slots=True)
class Contents:
    """How much an index holds; chunks without text do not count.

    `origin` is where the last of it came from: folder or archive.
    """

    seq: int
    files: int
    nodes: int
    edges: int
    chunks: int
    masked: int
    skipped: Mapping[str, int]
    indexed_at: str
    origin: str = "folder"


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk with the node it belongs to."""

    chunk: Chunk
    node: Node


class TextIndex(Protocol):
    """Keyword search over one view of an index."""

    @property
    def is_current(self) -> bool:
        """Whether it holds the last batch of this snapshot's record.

        One that does not was not published yet: it finds only what earlier batches hold.
        """
        ...

    def search(self, query: Query, *, where: Filter, depth: int) -> Ranking:
        """Rank the chunks that match `query`, best first, each with its BM25 score.

        Every id returned satisfies `where`; there are at most `depth` of them; equal
        scores come in the order of their ids.
        """
        ...

    def score(self, query: Query, ids: Sequence[ChunkId]) -> Scores:
        """Score exactly `ids`: a blend needs both scores of every candidate.

        A chunk that does not match scores 0.
        """
        ...

    @property
    def documents(self) -> int:
        """How many chunks or nodes the view holds."""
        ...

    def frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Return in how many of them each term stands; where fields are apart, the most of one."""
        ...

    def starting(self, text: str, *, most: int) -> Sequence[tuple[str, int]]:
        """Return terms that start with `text`, each with how many documents have it.

        Those that most documents have come first, equal ones in the order of their letters.
        """
        ...


class VectorIndex(Protocol):
    """Search by meaning in one vector space."""

    def search(
        self, vector: NDArray[np.float32], *, where: Filter, depth: int, unit: str = "chunk"
    ) -> Ranking:
        """Rank the chunks nearest to `vector` by cosine; the same promises as for text.

        A vector of zeros has no direction: a chunk that has it is embedded, but near to
        nothing, and nothing is near to a query that has it. `unit` "chunk" ranks those with
        text, "node" the first chunk of each node.
        """
        ...

    def score(self, vector: NDArray[np.float32], ids: Sequence[ChunkId]) -> Scores:
        """Return the cosine of exactly `ids`; one without a vector, or of zeros, is left out."""
        ...

    def kept(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, NDArray[np.float32]]:
        """Return the vectors of `ids` as they are kept; one without, or of zeros, is left out."""
        ...

    def background(self, vector: NDArray[np.float32]) -> Background | None:
        """Return how near `vector` is to anything here: the mean of its cosines, and their spread.

        Over all chunks with text that have a direction; of more than types.SAMPLED vectors over
        about so many, evenly spread and the same for every query. None if there are none.
        """
        ...


class Named(NamedTuple):
    """What a node is called and what it is: enough to speak of it, at half the cost of it all."""

    id: NodeId
    kind: Kind
    type: str
    name: str
    title: str
    metadata: Metadata


class Traits(NamedTuple):
    """What a chunk's node is and where the chunk stands: enough to count and to sort by.

    All but `path` is folded, as filters compare it; what is not known is empty.
    """

    kind: str
    type: str
    language: str
    tags: tuple[str, ...]
    path: str
    line: int


def changed_at(modified: str | None, mtime_ns: int) -> float:
    """Return when a file was changed: its last commit, if there is one, else its own time."""
    committed = None if modified is None else instant(modified)
    return mtime_ns / 1e9 if committed is None else committed


class Snapshot(Protocol):
    """One state of the index, for reading."""

    def contents(self) -> Contents:
        """Count what is there."""
        ...

    def files(self, paths: Collection[str] | None = None) -> Mapping[str, FileState]:
        """Return the manifest: every file in the index by its path, or those of these paths."""
        ...

    def has_files(self, folder: str) -> bool:
        """Say whether any file lies in a folder or below it, the root being ""."""
        ...

    def paths(self) -> Sequence[str]:
        """Return the paths of the manifest in order."""
        ...

    def skipped(self) -> Mapping[str, str]:
        """Return the files that were passed over, path -> reason."""
        ...

    def in_vain(self) -> Mapping[str, Seen]:
        """Return what those of them were like that had to be read to know."""
        ...

    def text(self, view: View) -> TextIndex:
        """Return the text index of `view`, made now if it does not exist yet."""
        ...

    def spaces(self) -> Sequence[Space]:
        """Return the vector spaces that hold anything, in the order of their ids."""
        ...

    def unembedded(self, model_id: str) -> int:
        """Return how many texts have no vector in this space yet."""
        ...

    def embedded(self, model_id: str) -> float:
        """Return the share of chunks that have a vector in this space, published or not."""
        ...

    def blank(self, model_id: str) -> Mapping[str, int]:
        """Return how many chunks of which files have a vector of zeros in this space."""
        ...

    def vectors(self, model_id: str) -> VectorIndex | None:
        """Return the vector index of a space, or None if there is none."""
        ...

    def fetch(self, ids: Sequence[ChunkId]) -> list[Found]:
        """Return these chunks in the order asked for; ones that are gone are left out."""
        ...

    def lines(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, tuple[int, int]]:
        """Return the first and last line of these chunks; ones that are gone are left out."""
        ...

    def node(self, node_id: NodeId) -> Node | None:
        """Return a node, or None."""
        ...

    def text_of(self, node_id: NodeId) -> str:
        """Return the whole text of a node; empty if there is no such node."""
        ...

    def chunks_of(self, node_id: NodeId) -> Sequence[Chunk]:
        """Return a node's chunks in order; none for one without text of its own."""
        ...

    def edges_of(self, node_id: NodeId) -> Sequence[Edge]:
        """Return the edges from and to a node."""
        ...

    def edges(self, ids: Sequence[NodeId]) -> Sequence[Edge]:
        """Return the edges from and to any of these nodes, each once, in a fixed order."""
        ...

    def nodes(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Node]:
        """Return these nodes by their ids; ones that are not there are left out."""
        ...

    def names(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Named]:
        """Return what these nodes are called; ones that are not there are left out."""
        ...

    def traits(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, Traits]:
        """Return what these chunks are and where they stand; ones that are gone are left out."""
        ...

    def changed(self, paths: Sequence[str]) -> Mapping[str, float]:
        """Return when these files were changed, in seconds since 1970; unknown ones are left out.

        That is their last commit, or, of files in none, when they were written.
        """
        ...

    def called(self, names: Sequence[str], *, most: int) -> Sequence[Node]:
        """Return nodes whose folded names are these, at most `most` of all, by id."""
        ...

    def degrees(self, ids: Sequence[NodeId]) -> Mapping[NodeId, int]:
        """Return how many edges come from and lead to each of these nodes; 0 for none."""
        ...

    def most_linked(self, *, where: Filter, depth: int) -> Ranking:
        """Rank nodes by how many edges they have, most first, under their first chunks.

        The ranking is called "degree"; equal ones come in the order of their ids. Folders,
        which lead to whatever lies in them, are left out.
        """
        ...

    def texts(self, ids: Sequence[NodeId]) -> Mapping[NodeId, str]:
        """Return the own text of these nodes: what lies in no other node."""
        ...

    def allowed(self, ids: Sequence[ChunkId], *, where: Filter) -> set[ChunkId]:
        """Return those of these chunks that are there and that `where` allows."""
        ...

    def symbols(self, names: Sequence[str], *, most: int) -> Mapping[str, Sequence[Symbol]]:
        """Return the code of these exact names, at most `most` of each, by id."""
        ...

    def outline(self, path: str) -> Sequence[Symbol]:
        """Return the code nodes of one file in order."""
        ...

    def headings(self, path: str) -> Sequence[NodeId]:
        """Return the nodes of a file, the one of the file itself left out, in order."""
        ...

    def references(self, path: str) -> tuple[Reference, ...]:
        """Return what a file names, as it was written; empty if there is no such file."""
        ...

    def history(self, path: str) -> FileHistory | None:
        """Return what the repository knows of a file, or None."""
        ...

    def history_head(self) -> str:
        """Return the commit up to which history is known; empty for none."""
        ...

    def census(self) -> Census:
        """Count nodes and edges by sort."""
        ...

    def values(self, attribute: str) -> Sequence[str]:
        """Return what the nodes have of a stored attribute, folded, each once and in order."""
        ...

    def has_any(self, where: Filter) -> bool:
        """Say whether `where` allows anything at all."""
        ...

    def count_unlinked(self) -> int:
        """Return how many files wait to be linked."""
        ...

    def content(self, path: str) -> FileContent | None:
        """Return all the index holds of one file, as it was written, or None."""
        ...

    def stored_vectors(self, model_id: str) -> Iterable[tuple[bytes, NDArray[np.float32]]]:
        """Yield the vectors of this index's chunks with their keys, each key once."""
        ...


class Writer(Protocol):
    """The one process that may change the index."""

    def write(self, batch: Batch) -> int:
        """Store a batch, all of it or none; return its sequence number.

        When this returns, the batch survives the death of the process.
        """
        ...

    def record(
        self,
        *,
        skipped: Mapping[str, str],
        in_vain: Mapping[str, Seen] | None = None,
        origin: str = "folder",
    ) -> None:
        """Remember which files were passed over, path -> reason, and that a sync ended now.

        `in_vain` are those of them that had to be read to know.
        """
        ...

    def pending(
        self, model_id: str, *, limit: int, first: Sequence[str] = (), since: int = 0
    ) -> Sequence[Pending]:
        """Return texts without a vector in this space: those of the files `first`, then newest.

        Whoever knows that all up to batch `since` have one says so: a store need not look there.
        """
        ...

    def count_pending(self, model_id: str, *, since: int = 0) -> int:
        """Return how many texts have no vector in this space yet; `since` is as in `pending`."""
        ...

    def put_vectors(
        self, model_id: str, keys: Sequence[bytes], vectors: NDArray[np.float32]
    ) -> None:
        """Keep unit vectors of shape (len(keys), dimension); survives as `write` does.

        A key that has one already gets another, as soon as that is published.
        """
        ...

    def blank(self, model_id: str, *, limit: int, after: bytes = b"") -> Sequence[Pending]:
        """Return texts with a vector of zeros in this space, by their keys, those after one."""
        ...

    def count_blank(self, model_id: str) -> int:
        """Return how many texts have a vector of zeros in this space."""
        ...

    def vector_length(self, model_id: str) -> int | None:
        """Return how long the vectors kept of a space are; None if there are none."""
        ...

    def forget_vectors(self, model_id: str) -> None:
        """Drop all vectors of a space, in all that share them: their texts wait again."""
        ...

    def unlinked(self, *, limit: int) -> Sequence[Unlinked]:
        """Return files whose references are to be linked, oldest first.

        A write makes those wait that it brings, and those that name what came or went.
        """
        ...

    def count_unlinked(self) -> int:
        """Return how many files wait to be linked."""
        ...

    def link(self, linked: Sequence[Linked]) -> None:
        """Replace the edges that came from the references of these files, all or none."""
        ...

    def unlink(self) -> None:
        """Make every file wait to be linked again."""
        ...

    def put_history(self, rows: Sequence[FileHistory], *, head: str, forget: bool = False) -> None:
        """Keep what the repository knows of files up to the commit `head`.

        `forget` drops what was known before.
        """
        ...

    def note(self, meta: Mapping[str, str]) -> None:
        """Make the index remember facts about itself; survives as `write` does."""
        ...

    def publish(self) -> None:
        """Bring the text and vector indexes up to the last batch, for all readers."""
        ...

    def compact(self) -> None:
        """Drop what was deleted from the text and vector indexes, statistics included."""
        ...


@runtime_checkable
class Arranging(Protocol):
    """A backend that can be made faster behind the scenes."""

    def arrange(self, progress: Callable[[int, int], None]) -> int:
        """Put the vectors of large spaces into lists where that is due; return of how many.

        Searches and writers go on meanwhile, and find the same as before or nearly. `progress`
        may raise to end it; what is there then stays as it was.
        """
        ...


class Backend(Protocol):
    """One place an index lives, on this machine or on many."""

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Hold one state of the index for reading."""
        ...

    def writer(self, *, wait_s: float) -> AbstractContextManager[Writer]:
        """Become the writer. Raises IndexLocked if another one still is after `wait_s`."""
        ...

    @property
    def turns(self) -> int:
        """How many may embed with one model at the same time, each its part of the texts."""
        ...

    def turn(self, model_id: str, *, wait_s: float) -> AbstractContextManager[None]:
        """Be the only one who embeds with this model what the index may share with others.

        Raises IndexLocked if another one still does after `wait_s`. Ends with the process, too.
        """
        ...

    def as_it_is(self) -> Backend:
        """Return the index that is there now, and no other.

        Once that is removed, or made anew, each of its methods raises IndexRemoved and writes
        nothing: for whoever goes on for long with what was read before.
        """
        ...

    def introduce(self, meta: Mapping[str, str]) -> None:
        """Say what a new index is to remember of itself; one that is there keeps its own."""
        ...

    def meta(self) -> Mapping[str, str]:
        """Return what the index remembers of itself, and when a sync last ended."""
        ...

    def views(self) -> Sequence[str]:
        """Return the names of the text indexes that are kept up to date."""
        ...

    def destroy(self, *, wait_s: float) -> None:
        """Remove the index. Raises IndexLocked if another process still writes after `wait_s`."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...
