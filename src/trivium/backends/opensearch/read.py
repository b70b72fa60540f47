"""One state of a collection on a cluster, for reading.

Made by OpenSearchBackend.snapshot. All of it is read at points in time that belong together; what
costs a look through a whole index is kept for as long as the state is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from trivium.analysis.fields import FIRST, check, own_text
from trivium.backends.base import (
    Census,
    Contents,
    FileContent,
    FileHistory,
    FileState,
    Found,
    Named,
    Seen,
    Space,
    Traits,
    changed_at,
)
from trivium.backends.opensearch import rows
from trivium.backends.opensearch.filters import compile_filter
from trivium.backends.opensearch.indexes import view_key
from trivium.backends.opensearch.reader import EVERY, Reader, counted, sources, total
from trivium.backends.opensearch.said import Json
from trivium.backends.opensearch.search import OpenSearchText, OpenSearchVectors
from trivium.backends.opensearch.state import KeptView
from trivium.filtering.comparing import clean
from trivium.filtering.conditions import Condition, Filter
from trivium.filtering.match import HISTORY, history_values, satisfies
from trivium.types import (
    Chunk,
    ChunkId,
    Document,
    Edge,
    Node,
    NodeId,
    Ranking,
    Reference,
    Symbol,
    View,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LINKED_AT_ONCE = 500
_NAMES_AT_ONCE = 200
_MOST_FEW = 10_000
_EDGE_ORDER = ["source", "target", "type", "path", "is_own", "order"]
_NOT_WAITING: Json = {"term": {"is_waiting": False}}
_WAITING: Json = {"term": {"is_waiting": True}}
_EMBEDDABLE: Json = {"bool": {"must_not": [{"term": {"key": ""}}]}}

Build = Callable[[View], KeptView]


class OpenSearchSnapshot:
    """See trivium.backends.base.Snapshot.

    `build` makes a view of this state that is not there yet.
    """

    def __init__(self, reader: Reader, *, build: Build, passed_over: Callable[[], Json]) -> None:
        self._reader = reader
        self._build = build
        self._passed_over = passed_over
        self._texts_of: dict[View, OpenSearchText] = {}

    @property
    def seq(self) -> int:
        """The number of the last batch in it."""
        return self._reader.state.shown

    def contents(self) -> Contents:
        """Count what is there; once for each state."""
        return self._reader.remembered("contents", self._count)

    def _count(self) -> Contents:
        state = self._reader.state
        files, nodes, edges, chunks = self._reader.searches(
            [
                (
                    "files",
                    {
                        **counted({"term": {"is_folder": False}}),
                        "aggs": {"masked": {"sum": {"field": "masked"}}},
                    },
                ),
                ("nodes", counted()),
                ("edges", counted()),
                ("chunks", counted({"term": {"has_text": True}})),
            ]
        )
        return Contents(
            seq=state.shown,
            files=total(files),
            nodes=total(nodes),
            edges=total(edges),
            chunks=total(chunks),
            masked=int(files["aggregations"].get("masked", {"value": 0})["value"]),
            skipped=dict(sorted(state.skipped.items())),
            indexed_at=state.indexed_at,
            origin=state.origin,
        )

    def files(self, paths: Collection[str] | None = None) -> Mapping[str, FileState]:
        """Return the manifest, or what it has of these paths."""
        fields = rows.FILE_FIELDS
        if paths is None:
            found = self._reader.every("files", EVERY, sort=["path"], fields=fields)
        else:
            found = self._reader.having("files", "path", [*paths], sort=["path"], fields=fields)
        return {one["path"]: rows.state_of(one) for one in found}

    def has_files(self, folder: str) -> bool:
        """Say whether any file lies in a folder or below it."""
        tests: list[Json] = [{"term": {"is_folder": False}}]
        if folder:
            tests.append({"prefix": {"path": f"{folder}/"}})
        return self._reader.count("files", {"bool": {"filter": tests}}) > 0

    def paths(self) -> Sequence[str]:
        """Return the paths of the manifest in order."""
        return self._reader.remembered("paths", self._all_paths)

    def _all_paths(self) -> list[str]:
        found = self._reader.every("files", EVERY, sort=["path"], fields=["path"])
        return [one["path"] for one in found]

    def skipped(self) -> Mapping[str, str]:
        """Return the files that were passed over, path -> reason."""
        return dict(sorted(self._passed_over().get("skipped", {}).items()))

    def in_vain(self) -> Mapping[str, Seen]:
        """Return what those of them were like that had to be read to know."""
        found = self._passed_over().get("in_vain", {})
        return {path: Seen(*seen) for path, seen in found.items()}

    def text(self, view: View) -> OpenSearchText:
        """Return the text index of `view`, made now if it does not exist yet."""
        if view not in self._texts_of:
            self._texts_of[view] = self._text(view)
        return self._texts_of[view]

    def _text(self, view: View) -> OpenSearchText:
        check(view)
        key = view_key(view)
        part = f"view {key}"
        kept = self._reader.made.get(key) or self._reader.state.views.get(key)
        if kept is None and self._reader.has("chunks"):
            kept = self._reader.made[key] = self._build(view)
            self._reader.add(part, kept.index)
        return OpenSearchText(
            self._reader,
            part,
            view,
            known=self,
            is_current=kept is None or kept.seq >= self.seq,
            is_spread=kept is not None and kept.shards > 1,
        )

    def spaces(self) -> Sequence[Space]:
        """Return the vector spaces that hold anything, in the order of their ids."""
        return self._reader.remembered("spaces", self._find_spaces)

    def _find_spaces(self) -> list[Space]:
        models = sorted(self._reader.state.spaces.items())
        asked = [
            (f"space {model}", counted(query)) for model, _ in models for query in (EVERY, _WAITING)
        ]
        counts = [total(one) for one in self._reader.searches(asked)]
        found = []
        for (model_id, kept), every, waiting in zip(models, counts[::2], counts[1::2], strict=True):
            if every > waiting:
                found.append(Space(model_id, kept.dimension, (every - waiting) / every))
        return found

    def unembedded(self, model_id: str) -> int:
        """Return how many texts have no vector in this space yet."""
        if model_id in self._reader.state.spaces:
            return self._keys(f"space {model_id}", _WAITING)
        return self._keys("chunks", _EMBEDDABLE)

    def _keys(self, part: str, query: Json) -> int:
        return self._reader.remembered(
            ("keys", part), lambda: sum(1 for _ in self._reader.distinct(part, "key", query=query))
        )

    def embedded(self, model_id: str) -> float:
        """Return the share of chunks that have a vector in this space."""
        shares = {one.model_id: one.coverage for one in self.spaces()}
        return shares.get(model_id, 0.0)

    def blank(self, model_id: str) -> dict[str, int]:
        """Return how many chunks of which files have a vector of zeros in this space."""
        query = {"term": {"is_blank": True}}
        return dict(self._reader.distinct(f"space {model_id}", "path", query=query))

    def vectors(self, model_id: str) -> OpenSearchVectors | None:
        """Return the vector index of a space, or None."""
        if model_id not in {one.model_id for one in self.spaces()}:
            return None
        dimension = self._reader.state.spaces[model_id].dimension
        return OpenSearchVectors(self._reader, model_id, dimension=dimension, known=self)

    def fetch(self, ids: Sequence[ChunkId]) -> list[Found]:
        """Return these chunks in the order asked for; ones that are gone are left out."""
        chunks = self._reader.known("chunks by id", ids, self._read_chunks)
        nodes = self.nodes(list({one.node_id for one in chunks.values()}))
        return [
            Found(chunks[one], nodes[chunks[one].node_id])
            for one in ids
            if one in chunks and chunks[one].node_id in nodes
        ]

    def _read_chunks(self, ids: Sequence[ChunkId]) -> dict[ChunkId, Chunk]:
        return {one.id: one for one in map(rows.chunk_of, self._chunks(ids))}

    def _chunks(
        self, ids: Sequence[ChunkId], *, fields: Sequence[str] | None = None
    ) -> Iterator[Json]:
        return self._reader.having("chunks", "id", ids, sort=["id"], fields=fields)

    def lines(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, tuple[int, int]]:
        """Return the first and last line of these chunks; ones that are gone are left out."""
        found = self._chunks(ids, fields=["id", "start_line", "end_line"])
        return {ChunkId(one["id"]): (one["start_line"], one["end_line"]) for one in found}

    def node(self, node_id: NodeId) -> Node | None:
        """Return a node, or None."""
        return self.nodes([node_id]).get(node_id)

    def nodes(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Node]:
        """Return these nodes by their ids; ones that are not there are left out."""
        return self._reader.known("nodes by id", ids, self._read_nodes)

    def _read_nodes(self, ids: Sequence[NodeId]) -> dict[NodeId, Node]:
        return {one.id: one for one in map(rows.node_of, self._nodes("id", ids))}

    def _nodes(self, field: str, values: Sequence[str]) -> Iterator[Json]:
        fields = ["id", "path", "body"]
        return self._reader.having("nodes", field, values, sort=["id"], fields=fields)

    def names(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Named]:
        """Return what these nodes are called; ones that are not there are left out."""
        return {one: rows.named(node) for one, node in self.nodes(ids).items()}

    def text_of(self, node_id: NodeId) -> str:
        """Return the whole text of a node."""
        node = self.node(node_id)
        if node is None:
            return ""
        text = self._document_texts([node]).get(node.source.file_path, "")
        return text[node.span.start : node.span.end]

    def texts(self, ids: Sequence[NodeId]) -> Mapping[NodeId, str]:
        """Return the own text of these nodes: what lies in no other node."""
        nodes = self.nodes(ids)
        texts = self._document_texts(list(nodes.values()))
        return {
            one: own_text(node, texts[node.source.file_path])
            for one, node in nodes.items()
            if node.source.file_path in texts
        }

    def _document_texts(self, nodes: Sequence[Node]) -> dict[str, str]:
        paths = sorted({node.source.file_path for node in nodes})
        found = self._reader.having("files", "path", paths, sort=["path"], fields=["path", "text"])
        return {one["path"]: one["text"] for one in found}

    def chunks_of(self, node_id: NodeId) -> Sequence[Chunk]:
        """Return a node's chunks in order; none for one without text of its own."""
        query = {"bool": {"filter": [{"term": {"node": node_id}}, {"term": {"has_text": True}}]}}
        return [rows.chunk_of(one) for one in self._reader.every("chunks", query, sort=["order"])]

    def edges_of(self, node_id: NodeId) -> Sequence[Edge]:
        """Return the edges from and to a node."""
        return self.edges([node_id])

    def edges(self, ids: Sequence[NodeId]) -> Sequence[Edge]:
        """Return the edges from and to any of these nodes, each once, in a fixed order."""
        found: dict[tuple[str, bool, int], Json] = {}
        for first in range(0, len(ids), _MOST_FEW):
            some = list(ids[first : first + _MOST_FEW])
            ends = [{"terms": {"source": some}}, {"terms": {"target": some}}]
            query = {"bool": {"should": ends, "minimum_should_match": 1}}
            for one in self._reader.every("edges", query, sort=_EDGE_ORDER):
                found[one["path"], one["is_own"], one["order"]] = one
        made = [rows.edge_of(one) for one in found.values()]
        return sorted(made, key=lambda one: (one.source, one.target, one.type))

    def traits(self, ids: Sequence[ChunkId]) -> Mapping[ChunkId, Traits]:
        """Return what these chunks are and where they stand; ones that are gone are left out."""
        fields = ["id", "path", "start_line", "a_kind", "a_type", "a_lang", "a_tag"]
        found = self._chunks(ids, fields=fields)
        return {ChunkId(one["id"]): rows.traits_of(one) for one in found}

    def changed(self, paths: Sequence[str]) -> Mapping[str, float]:
        """Return when these files were changed, in seconds since 1970."""
        there = self._reader.having(
            "files", "path", paths, sort=["path"], fields=["path", "mtime_ns"]
        )
        known = self._reader.having("history", "path", paths, sort=["path"])
        modified = {one["path"]: one["modified"] for one in known}
        return {
            one["path"]: changed_at(modified.get(one["path"]), one["mtime_ns"]) for one in there
        }

    def called(self, names: Sequence[str], *, most: int) -> Sequence[Node]:
        """Return nodes whose folded names are these, at most `most` of all, by id."""
        if most < 1:
            return []
        found = sorted(map(rows.node_of, self._nodes("a_name", names)), key=lambda one: one.id)
        return found[:most]

    def degrees(self, ids: Sequence[NodeId]) -> Mapping[NodeId, int]:
        """Return how many edges come from and lead to each of these nodes; 0 for none."""
        found = dict.fromkeys(ids, 0)
        for first in range(0, len(ids), _LINKED_AT_ONCE):
            some = list(ids[first : first + _LINKED_AT_ONCE])
            for end in ("source", "target"):
                query = {"terms": {end: some}}
                for node_id, count in self._reader.distinct("edges", end, query=query):
                    found[NodeId(node_id)] += count
        return found

    def most_linked(self, *, where: Filter, depth: int) -> Ranking:
        """Rank nodes by how many edges they have, under their first chunks."""
        found: list[tuple[int, ChunkId]] = []
        for some in self._by_degree(max(depth, _LINKED_AT_ONCE)):
            if len(found) >= depth:
                break
            tests = [*compile_filter(where, self), {"terms": {"id": [one for _, one in some]}}]
            query = {"bool": {"filter": tests, "must_not": [{"term": {"a_type": "directory"}}]}}
            there = self._reader.every("chunks", query, sort=["id"], fields=["id"])
            kept = {one["id"] for one in there}
            found += [pair for pair in some if pair[1] in kept]
        best = found[: max(0, depth)]
        return Ranking("degree", tuple(one for _, one in best), tuple(float(n) for n, _ in best))

    def _by_degree(self, size: int) -> Iterator[list[tuple[int, ChunkId]]]:
        """Yield the first chunks of nodes, most linked first, so many at a time."""
        degrees = self._reader.remembered("degrees", self._all_degrees)
        ordered = sorted(degrees, key=lambda one: (-degrees[one], one))
        linked = [(degrees[one], ChunkId(one + FIRST)) for one in ordered]
        for first in range(0, len(linked), size):
            yield linked[first : first + size]
        rest = self._reader.every(
            "chunks", {"term": {"is_first": True}}, sort=["node"], fields=["id", "node"]
        )
        some: list[tuple[int, ChunkId]] = []
        for one in rest:
            if one["node"] not in degrees:
                some.append((0, ChunkId(one["id"])))
            if len(some) == size:
                yield some
                some = []
        yield some

    def _all_degrees(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for end in ("source", "target"):
            counts.update(dict(self._reader.distinct("edges", end)))
        return counts

    def allowed(self, ids: Sequence[ChunkId], *, where: Filter) -> set[ChunkId]:
        """Return those of these chunks that are there and that `where` allows."""
        tests = compile_filter(where, self)
        found: set[ChunkId] = set()
        for first in range(0, len(ids), _MOST_FEW):
            some = {"terms": {"id": list(ids[first : first + _MOST_FEW])}}
            query = {"bool": {"filter": [some, *tests]}}
            there = self._reader.every("chunks", query, sort=["id"], fields=["id"])
            found.update(ChunkId(one["id"]) for one in there)
        return found

    def symbols(self, names: Sequence[str], *, most: int) -> Mapping[str, Sequence[Symbol]]:
        """Return the code of these exact names, at most `most` of each, by id."""
        wanted = list(dict.fromkeys(names))
        found: dict[str, list[Symbol]] = {}
        for first in range(0, len(wanted) if most > 0 else 0, _NAMES_AT_ONCE):
            some = wanted[first : first + _NAMES_AT_ONCE]
            asked = [("nodes", _of_symbol(name, most)) for name in some]
            for name, answer in zip(some, self._reader.searches(asked), strict=True):
                if several := [_symbol(one) for one in sources(answer)]:
                    found[name] = several
        return found

    def outline(self, path: str) -> Sequence[Symbol]:
        """Return the code nodes of one file in order."""
        return [_symbol(one) for one in self._in_file("nodes", path) if "symbol" in one]

    def headings(self, path: str) -> Sequence[NodeId]:
        """Return the nodes of a file, the one of the file itself left out, in order."""
        found = self._in_file("nodes", path)
        return [NodeId(one["id"]) for one in found if one["a_kind"] != ["file"]]

    def _in_file(self, part: str, path: str) -> list[Json]:
        return list(self._reader.every(part, {"term": {"path": path}}, sort=["order"]))

    def _file(self, path: str) -> Json | None:
        answer = self._reader.search("files", {"query": {"term": {"path": path}}, "size": 1})
        return next(iter(sources(answer)), None)

    def references(self, path: str) -> tuple[Reference, ...]:
        """Return what a file names, as it was written."""
        found = self._file(path)
        return () if found is None else rows.references_of(found)

    def history(self, path: str) -> FileHistory | None:
        """Return what the repository knows of a file, or None."""
        found = self._reader.having("history", "path", [path], sort=["path"])
        return next((FileHistory(**one) for one in found), None)

    def history_head(self) -> str:
        """Return the commit up to which history is known."""
        return self._reader.state.history_head

    def count_unlinked(self) -> int:
        """Return how many files wait to be linked."""
        return self._reader.count("links", {"term": {"status": rows.WAITING}})

    def census(self) -> Census:
        """Count nodes and edges by sort; once for each state."""
        return self._reader.remembered("census", self._census)

    def _census(self) -> Census:
        is_file: Json = {"term": {"a_kind": "file"}}
        failed = self._reader.every(
            "files", {"term": {"has_failed": True}}, sort=["path"], fields=["path", "failure"]
        )
        summed = {"size": 0, "aggs": {"references": {"sum": {"field": "references"}}}}
        named = self._reader.search("files", summed)["aggregations"]
        return Census(
            kinds=dict(self._reader.distinct("nodes", "a_kind")),
            types=dict(self._reader.distinct("nodes", "a_type")),
            languages=dict(self._reader.distinct("nodes", "a_lang", query=is_file)),
            edges=dict(self._reader.distinct("edges", "type")),
            marks=dict(self._reader.distinct("nodes", "marks")),
            failures={one["path"]: one["failure"] for one in failed},
            references=int(named.get("references", {"value": 0})["value"]),
            resolved=self._reader.count("edges", {"term": {"is_own": False}}),
            unlinked=self.count_unlinked(),
        )

    def values(self, attribute: str) -> Sequence[str]:
        """Return what the nodes have of a stored attribute, folded, each once and in order."""
        return self._reader.remembered(
            ("values", attribute),
            lambda: [value for value, _ in self._reader.distinct("nodes", f"a_{attribute}")],
        )

    def distinct(self, field: str, start: str) -> Sequence[str]:
        """Return the values of a field of chunks that start so: for filters."""
        return self._reader.remembered(
            ("distinct", field, start),
            lambda: [value for value, _ in self._reader.distinct("chunks", field, start=start)],
        )

    def paths_of(self, condition: Condition) -> Sequence[str]:
        """Return the files a condition on paths or on history holds for: for filters."""
        return self._reader.remembered(("paths of", condition), lambda: self._find_paths(condition))

    def _find_paths(self, condition: Condition) -> list[str]:
        if condition.field not in HISTORY:
            return [one for one in self.paths() if satisfies(condition, (clean(one),))]
        known = self._reader.remembered("history", self._all_history)
        return [
            one.path
            for one in known
            if satisfies(
                condition, history_values(condition.field, one.author, one.modified, one.churn)
            )
        ]

    def _all_history(self) -> list[FileHistory]:
        return [FileHistory(**one) for one in self._reader.every("history", EVERY, sort=["path"])]

    def has_any(self, where: Filter) -> bool:
        """Say whether `where` allows anything at all."""
        query: Json = {"bool": {"filter": compile_filter(where, self)}}
        answer = self._reader.search("chunks", {"query": query, "size": 1, "_source": False})
        return bool(answer["hits"]["hits"])

    def content(self, path: str) -> FileContent | None:
        """Return all the index holds of one file, as it was written, or None."""
        found = self._file(path)
        if found is None:
            return None
        own = {"bool": {"filter": [{"term": {"path": path}}, {"term": {"is_own": True}}]}}
        edges = self._reader.every("edges", own, sort=["order"])
        return FileContent(
            rows.state_of(found),
            Document(path, found["text"]),
            tuple(map(rows.node_of, self._in_file("nodes", path))),
            tuple(map(rows.edge_of, edges)),
            tuple(map(rows.chunk_of, self._in_file("chunks", path))),
            rows.references_of(found),
        )

    def stored_vectors(self, model_id: str) -> Iterator[tuple[bytes, NDArray[np.float32]]]:
        """Yield the vectors of this index's chunks with their keys, each key once."""
        part = f"space {model_id}"
        keys = [key for key, _ in self._reader.distinct(part, "key", query=_NOT_WAITING)]
        found = self._reader.having(f"vectors {model_id}", "key", keys, sort=["key"])
        for one in found:
            yield bytes.fromhex(one["key"]), rows.vector_of(one)


def _of_symbol(name: str, most: int) -> Json:
    return {
        "query": {"term": {"symbol": name}},
        "size": min(most, _MOST_FEW),
        "sort": [{"id": "asc"}],
        "_source": ["id", "path", "a_type", "a_lang"],
        "track_total_hits": False,
    }


def _symbol(document: Json) -> Symbol:
    first = {name: (document.get(f"a_{name}") or [""])[0] for name in ("type", "lang")}
    return Symbol(NodeId(document["id"]), first["type"], first["lang"], document["path"])
