"""Chunks -> keyword search over one view of them.

Keeps the promises of base.TextIndex; score says what a query means. Called by store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trivium.backends.base import Found
from trivium.backends.reference.inverted import invert
from trivium.backends.reference.order import Allows, rank, rounded
from trivium.backends.reference.score import matches
from trivium.filtering.conditions import Filter
from trivium.query.grammar import Query
from trivium.types import ChunkId, Ranking, Scores, View


class ReferenceText:
    """One view, counted anew from the chunks it is given."""

    def __init__(self, found: Iterable[tuple[Found, str]], *, view: View, allows: Allows) -> None:
        self._index = invert(found, view=view)
        self._allows = allows

    @property
    def is_current(self) -> bool:
        """Whether it holds the last batch: always, since it is counted from the state itself."""
        return True

    def search(self, query: Query, *, where: Filter, depth: int) -> Ranking:
        """Rank the chunks that match `query` and satisfy `where`."""
        documents = self._index.documents
        return rank(
            matches(query.root, index=self._index),
            name="text",
            depth=depth,
            allowed=lambda one: self._allows(where, documents[one].node),
        )

    def score(self, query: Query, ids: Sequence[ChunkId]) -> Scores:
        """Score exactly `ids`; those that do not match or do not exist score 0."""
        found = matches(query.root, index=self._index)
        return {one: rounded(found.get(one, 0.0)) for one in ids}

    @property
    def documents(self) -> int:
        """How many chunks or nodes the view holds."""
        return len(self._index.documents)

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many of them each term stands, in the field where it does so most."""
        fields = self._index.fields
        return {
            term: max(len(one.postings.get(term, {})) for one in fields) if fields else 0
            for term in terms
        }

    def starting(self, text: str, *, most: int) -> list[tuple[str, int]]:
        """Return terms that start with `text`, the most frequent first."""
        every = {term for field in self._index.fields for term in field.postings}
        counts = self.frequencies([term for term in every if term.startswith(text)])
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[: max(most, 0)]
