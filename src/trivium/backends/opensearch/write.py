"""Batches, links and history -> rows of the cluster: the writer of a collection there.

What a file has in other indexes stands in its own document, so that replacing it needs no
search. Rows of every view and space that is kept go along with their batch; see hand for how.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trivium.backends.base import (
    Batch,
    FileContent,
    FileHistory,
    Linked,
    Pending,
    Seen,
    Unlinked,
)
from trivium.backends.opensearch import rows
from trivium.backends.opensearch.build import build_view
from trivium.backends.opensearch.hand import Hand
from trivium.backends.opensearch.indexes import is_marked, view_key
from trivium.backends.opensearch.lines import Row
from trivium.backends.opensearch.reader import EVERY
from trivium.backends.opensearch.said import Json
from trivium.backends.opensearch.spaces import Spaces
from trivium.backends.opensearch.state import Journal, KeptView, key_of
from trivium.backends.whole import check_whole, refuse_repeats
from trivium.errors import BackendRefused
from trivium.linking.keys import offers
from trivium.types import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PASSED_OVER = "passed-over"
# Deleted documents count in scores until they are merged away, which the cluster does when it sees
# fit. In a small view they soon show, and it is quickly made anew; but not again and again, since
# those before it are kept for a while and a node takes only so many shards.
_SMALL_VIEW = 1000
_WORN_SHARE = 0.1
_MOST_DOOMED = 20
_NAMES_AT_ONCE = 5000


class OpenSearchWriter:
    """See trivium.backends.base.Writer. `views` are those that every publish sees to."""

    def __init__(self, hand: Hand, *, views: Sequence[View] = ()) -> None:
        self._hand = hand
        self._views = views
        self._spaces = Spaces(hand)
        self._has_deleted = False

    def write(self, batch: Batch) -> int:
        """Store a batch, all of it or none; return its sequence number."""
        refuse_repeats([one.state.path for one in batch.replaced], what="file")
        check_whole(batch.replaced)
        self._hand.begin()
        paths = [*batch.removed, *(one.state.path for one in batch.replaced)]
        keys = {key_of(path): path for path in paths}
        found = self._hand.get_all("files", list(keys), fields=["rows"])
        owned = {keys[key]: rows.owned_by(one) for key, one in found.items()}
        self._refuse_taken(batch, owned)
        # A new time of a file leaves what is found as it is, and the pages of an answer with it.
        seq = self._hand.state.seq + (not batch.only_touches)
        maker = _Maker(self._hand, batch, seq=seq)
        maker.replace_files(paths, owned)
        for part, key, row in self._spaces.rows_of(maker.chunks, maker.gone):
            maker.put(part, key, row)
        maker.touch(batch)
        maker.unlink(owned, batch)
        self._hand.store(maker.rows, replace(self._then(), seq=seq, views=maker.fed))
        self._has_deleted = self._has_deleted or bool(owned)
        return seq

    def _then(self) -> Journal:
        state = self._hand.state
        return Journal(0, state.seq, (), state.history_head)

    def _refuse_taken(self, batch: Batch, owned: Mapping[str, rows.Owned]) -> None:
        """Raise BackendRefused if an id of the batch belongs to a file that stays as it is."""
        nodes = {each for one in owned.values() for each in one.nodes}
        chunks = {each for one in owned.values() for each in one.chunks}
        new: dict[str, set[str]] = {
            "nodes": {str(n.id) for one in batch.replaced for n in one.nodes} - nodes,
            "chunks": {str(c.id) for one in batch.replaced for c in one.chunks} - chunks,
        }
        for part, ids in new.items():
            unknown = {key_of(one): one for one in ids}
            for key in self._hand.get_all(part, list(unknown), fields=["path"]):
                raise BackendRefused(
                    f"The id {unknown[key]} belongs to another file. Nothing was written."
                )

    def record(
        self,
        *,
        skipped: Mapping[str, str],
        in_vain: Mapping[str, Seen] | None = None,
        origin: str = "folder",
    ) -> None:
        """Remember which files were passed over, and that a sync ended now."""
        seen = {path: [one.size_bytes, one.mtime_ns] for path, one in (in_vain or {}).items()}
        source: Json = {"skipped": dict(skipped), "in_vain": seen}
        state = self._hand.state
        before = self._hand.client.get(self._hand.names.state, _PASSED_OVER)
        is_same = before is not None and before["_source"] == source and state.origin == origin
        if not is_same:
            self._hand.client.put(self._hand.names.state, _PASSED_OVER, source, {})
        counts: dict[str, int] = {}
        for reason in skipped.values():
            counts[reason] = counts.get(reason, 0) + 1
        now = datetime.now(UTC).isoformat(timespec="seconds")
        changes = state.changes + (not is_same)
        self._hand.changed(skipped=counts, indexed_at=now, origin=origin, changes=changes)

    def note(self, meta: Mapping[str, str]) -> None:
        """Make the index remember facts about itself."""
        self._hand.change(lambda state: replace(state, meta={**state.meta, **meta}))

    def put_history(self, known: Sequence[FileHistory], *, head: str, forget: bool = False) -> None:
        """Keep what the repository knows of files up to the commit `head`."""
        self._hand.begin()
        version, alias = self._hand.next_version(), self._hand.alias("history")
        made = {
            one.path: Row(
                alias,
                key_of(one.path),
                version,
                {
                    "path": one.path,
                    "author": one.author,
                    "modified": one.modified,
                    "churn": one.churn,
                },
            )
            for one in known
        }
        if forget:
            there = self._hand.live().every("history", EVERY, sort=["path"], fields=["path"])
            for one in there:
                made.setdefault(one["path"], Row(alias, key_of(one["path"]), version))
        self._hand.store(list(made.values()), replace(self._then(), history_head=head))

    def unlinked(self, *, limit: int) -> Sequence[Unlinked]:
        """Return files whose references are to be linked, oldest first."""
        if limit < 1:
            return []
        body = {
            "query": {"term": {"status": rows.WAITING}},
            "size": min(limit, 10_000),
            "sort": [{"seq": "asc"}, {"path": "asc"}],
            "_source": ["path"],
        }
        hits = self._hand.live().search("links", body)["hits"]["hits"]
        paths = [one["_source"]["path"] for one in hits]
        found = self._hand.get_all("files", [key_of(one) for one in paths], fields=["path", "refs"])
        known = {one["path"]: rows.references_of(one) for one in found.values()}
        return [Unlinked(path, known[path]) for path in paths if path in known]

    def count_unlinked(self) -> int:
        """Return how many files wait to be linked."""
        return self._hand.live().count("links", {"term": {"status": rows.WAITING}})

    def link(self, linked: Sequence[Linked]) -> None:
        """Replace the edges that came from the references of these files."""
        self._hand.begin()
        known = self._hand.get_all("links", [key_of(one.path) for one in linked])
        version = self._hand.next_version()
        made: list[Row] = []
        for one in linked:
            document = known.get(key_of(one.path))
            if document is None:
                continue
            alias = self._hand.alias("edges")
            made += _led(alias, version, one, before=document["edges"])
            source = {
                **document,
                "status": rows.LINKED,
                "mentions": sorted({*document["mentions"], *one.keys}),
                "edges": len(one.edges),
            }
            made.append(Row(self._hand.alias("links"), key_of(one.path), version, source))
        self._hand.store(made, self._then())

    def unlink(self) -> None:
        """Make every file wait to be linked again."""
        self._hand.begin()
        query = {"term": {"status": rows.LINKED}}
        found = self._hand.live().every("links", query, sort=["path"])
        version = self._hand.next_version()
        made = [_waiting(self._hand, one, version) for one in found]
        self._hand.store(made, self._then())

    def pending(
        self, model_id: str, *, limit: int, first: Sequence[str] = (), since: int = 0
    ) -> Sequence[Pending]:
        """Return texts without a vector in this space: those of the files `first`, then newest.

        Found by a field of their own, whatever `since` is.
        """
        del since
        return self._spaces.pending(model_id, limit=limit, first=first)

    def count_pending(self, model_id: str, *, since: int = 0) -> int:
        """Return how many texts have no vector in this space yet."""
        del since
        return self._spaces.count_pending(model_id)

    def blank(self, model_id: str, *, limit: int, after: bytes = b"") -> Sequence[Pending]:
        """Return texts with a vector of zeros in this space, by their keys, those after one."""
        return self._spaces.blank(model_id, limit=limit, after=after)

    def count_blank(self, model_id: str) -> int:
        """Return how many texts have a vector of zeros in this space."""
        return self._spaces.count_blank(model_id)

    def put_vectors(
        self, model_id: str, keys: Sequence[bytes], vectors: NDArray[np.float32]
    ) -> None:
        """Keep unit vectors under their keys. Raises BackendRefused for another dimension."""
        self._spaces.put(model_id, keys, vectors)

    def vector_length(self, model_id: str) -> int | None:
        """Return how long the vectors kept of a space are; None if there are none."""
        kept = self._hand.state.spaces.get(model_id)
        return None if kept is None else kept.dimension

    def forget_vectors(self, model_id: str) -> None:
        """Drop all vectors of a space."""
        self._spaces.forget(model_id)

    def publish(self) -> None:
        """Bring the text and vector indexes up to the last batch, for all readers."""
        state = self._hand.state
        wanted = {view_key(view): view for view in self._views} if state.has_parts else {}
        wanted = {key: view for key, view in wanted.items() if key not in state.views}
        late = {key: one.view for key, one in state.views.items() if one.seq < state.seq}
        self._build({**wanted, **late})
        self._hand.show()
        if self._has_deleted and len(self._hand.state.doomed) < _MOST_DOOMED:
            self._build(self._worn(share=_WORN_SHARE, most=_SMALL_VIEW))
            self._has_deleted = False

    def compact(self) -> None:
        """Write the text indexes that count deleted documents anew."""
        self._hand.show()
        self._build(self._worn())

    def _worn(self, *, share: float = 0.0, most: float = math.inf) -> dict[str, View]:
        """Return the views of at most so many documents that count more than a share of deleted."""
        found: dict[str, View] = {}
        for key, one in self._hand.state.views.items():
            told = self._hand.client.ask("GET", f"/{one.index}/_stats/docs")
            docs = told["_all"]["primaries"]["docs"]
            if docs["count"] <= most and docs["deleted"] > share * docs["count"]:
                found[key] = one.view
        return found

    def _build(self, views: Mapping[str, View]) -> None:
        hand = self._hand
        for key, view in views.items():
            version = hand.next_version()
            name = hand.names.part(hand.state.incarnation, f"view-{key}-{version}")
            live = hand.live()
            build_view(hand.client, live, view, index=name, version=version, shards=hand.shards)
            before = hand.state.views.get(key)
            doomed = dict(hand.state.doomed)
            if before is not None:
                doomed[before.index] = time.time()
            kept = KeptView(name, view, hand.state.seq, hand.shards)
            hand.changed(views={**hand.state.views, key: kept}, doomed=doomed)

    def close(self) -> None:
        """Show what was stored, and let go."""
        self._hand.close()


class _Maker:
    """Makes the rows of one batch; `chunks` are its documents of chunks, `gone` those before."""

    def __init__(self, hand: Hand, batch: Batch, *, seq: int) -> None:
        self._hand = hand
        self._seq = seq
        self._version = hand.next_version()
        self._aliases = {part: hand.alias(part) for part in hand.state.indexes(hand.names)}
        self._new = {one.state.path: one for one in batch.replaced}
        self._nodes = {each.id for one in batch.replaced for each in one.nodes}
        self._chunks = {each.id for one in batch.replaced for each in one.chunks}
        state = hand.state
        # Those that have all batches before this one; the others are made anew.
        self.fed = tuple(key for key, one in state.views.items() if one.seq == state.seq)
        self._views = [(f"view {key}", state.views[key]) for key in self.fed]
        self.rows: list[Row] = []
        self.chunks: list[Json] = []
        self.gone: set[str] = set()

    def put(self, part: str, key: str, source: Json | None = None) -> None:
        """Add a row, or the removal of one."""
        self.rows.append(Row(self._aliases[part], key, self._version, source))

    def replace_files(self, paths: Sequence[str], owned: Mapping[str, rows.Owned]) -> None:
        """Take out what files had, and put in what they have now, if they are still there."""
        keys = list(dict.fromkeys(map(key_of, paths)))
        links = self._hand.get_all("links", keys, fields=["edges"])
        for path in dict.fromkeys(paths):
            old, new = owned.get(path, rows.Owned()), self._new.get(path)
            document = links.get(key_of(path))
            self._replace_file(path, old, new)
            self._replace_links(path, document["edges"] if document is not None else 0)
            self._replace_chunks(set(old.chunks), new)

    def _replace_file(self, path: str, old: rows.Owned, new: FileContent | None) -> None:
        nodes = new.nodes if new is not None else ()
        edges = new.edges if new is not None else ()
        self.put("files", key_of(path), rows.file_document(new) if new is not None else None)
        for order, node in enumerate(nodes):
            self.put("nodes", key_of(node.id), rows.node_document(node, order))
        for gone in set(old.nodes) - self._nodes:
            self.put("nodes", key_of(gone))
        for order, edge in enumerate(edges):
            document = rows.edge_document(edge, path=path, order=order, is_own=True)
            self.put("edges", rows.edge_key(path, order, is_own=True), document)
        for order in range(len(edges), old.edges):
            self.put("edges", rows.edge_key(path, order, is_own=True))

    def _replace_links(self, path: str, led: int) -> None:
        for order in range(led):
            self.put("edges", rows.edge_key(path, order, is_own=False))
        new = self._new.get(path)
        if new is None:
            self.put("links", key_of(path))
        else:
            document = rows.link_document(path, new.references, seq=self._seq)
            self.put("links", key_of(path), document)

    def _replace_chunks(self, old: set[str], new: FileContent | None) -> None:
        for unit in rows.units_of(new) if new is not None else ():
            document = rows.chunk_document(unit)
            self.chunks.append(document)
            key = key_of(unit.chunk.id)
            self.put("chunks", key, document)
            for part, kept in self._views:
                has_marks = is_marked(kept.view, shards=kept.shards)
                row = rows.text_row(kept.view, unit, is_marked=has_marks)
                if row is not None or unit.chunk.id in old:
                    self.put(part, key, row)
        self.gone |= old
        for gone in old - self._chunks:
            for part in ("chunks", *(name for name, _ in self._views)):
                self.put(part, key_of(gone))

    def touch(self, batch: Batch) -> None:
        """Note other times of files whose content is the same."""
        changed = {one.state.path for one in batch.replaced}
        states = {key_of(one.path): one for one in batch.touched if one.path not in changed}
        found = self._hand.get_all("files", list(states))
        for key, state in states.items():
            if key not in found or state.path in batch.removed:
                raise BackendRefused(f"{state.path} is not in the index. Write it as replaced.")
            self.put("files", key, rows.touched(found[key], state))

    def unlink(self, owned: Mapping[str, rows.Owned], batch: Batch) -> None:
        """Make the files wait that name what this batch brings or takes away."""
        names: set[str] = set()
        for path in {*batch.removed, *self._new}:
            before = owned[path].offers if path in owned else frozenset()
            content = self._new.get(path)
            now = offers(path, content.nodes, content.references) if content is not None else set()
            names |= {key for key, _ in before ^ now}
        for document in self._linked_by(sorted(names)):
            if document["path"] not in self._new and document["path"] not in batch.removed:
                self.rows.append(_waiting(self._hand, document, self._version))

    def _linked_by(self, names: Sequence[str]) -> Iterator[Json]:
        seen: set[str] = set()
        live = self._hand.live()
        for first in range(0, len(names), _NAMES_AT_ONCE):
            some = list(names[first : first + _NAMES_AT_ONCE])
            tests = [{"term": {"status": rows.LINKED}}, {"terms": {"mentions": some}}]
            query: Json = {"bool": {"filter": tests}}
            for one in live.every("links", query, sort=["path"]):
                if one["path"] not in seen:
                    seen.add(one["path"])
                    yield one


def _waiting(hand: Hand, document: Json, version: int) -> Row:
    source = {**document, "status": rows.WAITING}
    return Row(hand.alias("links"), key_of(document["path"]), version, source)


def _led(alias: str, version: int, one: Linked, *, before: int) -> Iterator[Row]:
    """Yield the rows of the edges that a file's references became, in the place of those before."""
    for order, edge in enumerate(one.edges):
        document = rows.edge_document(edge, path=one.path, order=order, is_own=False)
        yield Row(alias, rows.edge_key(one.path, order, is_own=False), version, document)
    for order in range(len(one.edges), before):
        yield Row(alias, rows.edge_key(one.path, order, is_own=False), version)
