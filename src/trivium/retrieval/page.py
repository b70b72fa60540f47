"""Entries in order -> the hits of a page: ones whose files are there, and none twice.

Fetches no more than it shows; what is left out makes room for the next. Called by the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from trivium.analysis.minhash import Signature, likeness, signature
from trivium.analysis.words import analyser
from trivium.ranking import cut
from trivium.types import Degraded, Hit

# As alike as this two texts are one text: a copy, perhaps with a line changed.
SAME = 0.9


@dataclass(slots=True)
class Page:
    """The hits to show, and what was left out: of gone files, repeats, too little confidence.

    `end` is how many entries lie before the next page. `unsure` hits have less confidence than
    `least`, the surest of them `surest`.
    """

    hits: list[Hit] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    ghosts: int = 0
    repeats: int = 0
    end: int = 0
    unsure: int = 0
    surest: float = 0.0
    least: float | None = None

    @property
    def degraded(self) -> tuple[Degraded, ...]:
        """What to say of files that are gone."""
        if not self.gone:
            return ()
        gone = f"{len(self.gone)} file{'s are' if len(self.gone) > 1 else ' is'} gone"
        return (Degraded("files", f"{gone} since the last sync; their hits are left out."),)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of repeats, and of hits with less confidence than was asked for."""
        said = [left_out(self.repeats)] if self.repeats else []
        if self.unsure and self.least is not None:
            said.append(self._unsure(self.least))
        return tuple(said)

    def _unsure(self, least: float) -> str:
        hits = "1 hit" if self.unsure == 1 else f"{self.unsure:,} hits"
        # Cut, not rounded: 0.299 is not shown as the 0.3 that it does not reach.
        best = f"{math.floor(self.surest * 100) / 100:.2f}"
        had = f"it has {best}" if self.unsure == 1 else f"the best of them has {best}"
        if self.hits:
            return f"left out {hits} below the confidence asked for, {least:g}; {had}"
        return f"nothing reaches the confidence asked for, {least:g}: {hits} below it, {had}"


def page(
    groups: Sequence[cut.Group],
    limit: int,
    shown: Callable[[Sequence[cut.Group]], list[Hit]],
    *,
    is_there: Callable[[str], bool] | None,
    dedupe: bool = False,
    start: int = 0,
    least: float | None = None,
) -> Page:
    """Return the first `limit` hits from `start` on whose files are there.

    No ghost takes another's place. What repeats a hit of an earlier page is a repeat too. Of hits
    that have a confidence, only those that have at least `least`.
    """
    seen: list[Signature] | None = [] if dedupe else None
    if seen is not None and start:
        for hit in shown(groups[:start]):
            was_there = is_there is None or is_there(hit.node.source.file_path)
            if was_there and not _is_unsure(hit, least):
                repeats(hit, seen)
    fill = partial(_filled, groups, shown, is_there=is_there, seen=seen, least=least)
    found = fill(limit, start=start)
    if limit and found.end < len(groups) and (dedupe or least is not None):
        # Nothing of what is left may be fit to show: then this page is the last.
        ahead = fill(1, start=found.end, at_once=limit)
        if not ahead.hits:
            found.gone |= ahead.gone
            found.ghosts += ahead.ghosts
            found.repeats += ahead.repeats
            found.unsure += ahead.unsure
            found.surest = max(found.surest, ahead.surest)
            found.end = ahead.end
    return found


def _filled(
    groups: Sequence[cut.Group],
    shown: Callable[[Sequence[cut.Group]], list[Hit]],
    limit: int,
    *,
    is_there: Callable[[str], bool] | None,
    seen: list[Signature] | None,
    least: float | None,
    start: int,
    at_once: int = 1,
) -> Page:
    """Look at entries, `at_once` or as many as there is room for, until the page is full."""
    found = Page(least=least)
    at = start
    while at < len(groups) and len(found.hits) < limit:
        some = cut.page(groups[at:], limit=max(limit - len(found.hits), at_once))
        at += len(some)
        for hit in shown(some):
            path = hit.node.source.file_path
            if is_there is not None and path not in found.gone and not is_there(path):
                found.gone.add(path)
            if path in found.gone:
                found.ghosts += 1
            elif _is_unsure(hit, least):
                found.unsure += 1
                found.surest = max(found.surest, hit.confidence or 0.0)
            elif seen is not None and repeats(hit, seen):
                found.repeats += 1
            else:
                found.hits.append(hit)
    found.end = at
    return found


def _is_unsure(hit: Hit, least: float | None) -> bool:
    return least is not None and hit.confidence is not None and hit.confidence < least


def left_out(repeats: int) -> str:
    """Say how many hits are not shown because they repeat others; they count in the total."""
    hits = "1 hit that repeats" if repeats == 1 else f"{repeats:,} hits that repeat"
    return f"left out {hits} a better one"


def repeats(hit: Hit, seen: list[Signature]) -> bool:
    """Say whether a hit's text is that of an earlier one, and remember it if not."""
    made = signature(analyser("standard").terms(hit.text))
    if any(likeness(made, other) >= SAME for other in seen):
        return True
    seen.append(made)
    return False
