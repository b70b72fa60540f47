"""Queries -> answers, packs of text and walks: what ranks, for one collection.

What is not needed by a search is imported where it is used: every command starts here.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trivium import engine
from trivium.alike import alike
from trivium.asked import FilterValues, other_branch, where_of, within_of
from trivium.collection.keeping import Keeping
from trivium.collection.looking import Looking
from trivium.errors import ChunkNotFound, UsageError
from trivium.lookups import find, sections_of
from trivium.models.base import Knowing
from trivium.models.chosen import NONE, Chosen, best_first
from trivium.models.rerank import load_from as load_reranking
from trivium.options import Circumstances, SearchOptions
from trivium.query.synonyms import NO_SYNONYMS
from trivium.synonyms import load as load_synonyms
from trivium.types import Answer, Degraded

if TYPE_CHECKING:
    from trivium.results.context import Context
    from trivium.results.pack import Pack
    from trivium.traversal import Path as Walked

# Enough for 8,000 tokens of a few lines each.
_HITS_TO_PACK = 50


@dataclass(frozen=True, slots=True)
class Traversed:
    """A walk over the graph, and what is shown of the nodes that it took."""

    path: Walked
    pack: Pack


class Asking(Looking, Keeping):
    """What a collection answers."""

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
        else:
            self._catch_up()
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
        meaning = NONE if options.is_words_alone else self._meaning.chosen
        given = self._given(options, meaning)
        given = replace(
            given,
            notes=other_branch(self._place, filters),
            reranking=load_reranking(self.settings) if rerank and not as_you_type else None,
        )
        with self._backend.snapshot() as snapshot:
            given = replace(given, is_there=self._is_there(snapshot))
            answer = engine.search(snapshot, query, options=options, given=given)
        return self._with_stand_in_named(answer, meaning, advice=given.advice)

    def _given(self, options: SearchOptions, meaning: Chosen) -> Circumstances:
        """Return what is known of the index, and what a search may use."""
        behind = self._kept.behind
        return Circumstances(
            collection=self.name,
            embedders=meaning.embedders,
            preferred=self._meaning.preferred if meaning.own is not None else "",
            why_no_embedder=meaning.why_none,
            advice=f"trivium index {shlex.quote(str(self.root))}",
            dirty_files=behind.files,
            degraded=(*behind.degraded, *_stood_in_for(meaning)),
            identity=self.identity,
            now=time.time(),
            synonyms=(
                NO_SYNONYMS
                if options.synonyms is False
                else load_synonyms(self.settings, root=self.root)
            ),
            # Without a model there is its list of words: read when a word is in no document.
            lexicon=meaning.instant if isinstance(meaning.instant, Knowing) else self._lexicon,
        )

    def _with_stand_in_named(self, answer: Answer, meaning: Chosen, *, advice: str) -> Answer:
        """Say that the model that was asked for has yet to embed, where another answers."""
        own = meaning.own
        is_named = any(one.stage == "vectors" for one in answer.degraded)
        is_asked = own is not None and own.name == self._meaning.preferred
        if own is None or not is_asked or is_named or answer.embedder in {own.name, "none"}:
            return answer
        said = f"{own.name} has yet to embed, {answer.embedder} answers; run: {advice}"
        return replace(answer, notes=(*answer.notes, said))

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

    def _catch_up(self) -> None:
        """Take in what was written here while another process held the index."""


def _stood_in_for(meaning: Chosen) -> tuple[Degraded, ...]:
    """Say that the model that is set cannot be had, where another answers in its place."""
    if meaning.problem is None or not meaning.embedders:
        return ()
    return (Degraded("vectors", str(meaning.problem)),)
