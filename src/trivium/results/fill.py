"""Steps, each some lines that could be shown, and a budget of tokens -> those to take.

Takes the step that is worth most for each token it adds, again and again. A step is worth less the
more of its file is shown, and the more it repeats what is; it adds fewer tokens where it touches
lines that are shown. Before all others comes the best hit. Pure. Called by results.context.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from trivium.results.sheet import Lines, Sheet
from trivium.types import Node

# Two texts that share fewer of their words say different things.
_ALIKE = 0.5
_FOR_NOTHING = float("inf")


class Role(StrEnum):
    """Why lines are shown."""

    HIT = "hit"
    HOLDS = "holds"
    CALLED = "called"
    IMPORTED = "imported"


class Stage(StrEnum):
    """How much of a hit a step shows: what its worth is a share of."""

    WINDOW = "window"
    CHUNK = "chunk"
    WHOLE = "whole"
    PASSAGE = "passage"
    HEAD = "head"
    AROUND = "around"


@dataclass(frozen=True, slots=True)
class Weights:
    """What steps are worth: a hit rank ** -fall, and a step the share that its stage has of that.

    `again` is what is left of a step's worth for each other hit of its file that is shown.
    Chosen by folds over the repositories of semble-dev (docs/quality.md, Tokens); what passages
    and heads are worth is a guess that costs .003 of recall at most.
    """

    fall: float = 1.0
    window: float = 1.0
    chunk: float = 0.3
    whole: float = 0.3
    passage: float = 0.1
    head: float = 0.05
    around: float = 0.03
    again: float = 0.25

    def worth(self, step: Step) -> float:
        """Return what a step is worth where nothing is shown yet."""
        shares = {
            Stage.WINDOW: self.window,
            Stage.CHUNK: self.chunk,
            Stage.WHOLE: self.whole,
            Stage.PASSAGE: self.passage,
            Stage.HEAD: self.head,
            Stage.AROUND: self.around,
        }
        return float(step.rank**-self.fall * shares[step.stage])


@dataclass(frozen=True, slots=True)
class Step:
    """Lines of a node that could be shown, and why.

    `rank` is that of the hit it belongs to, from 1. It can be taken once the step numbered
    `after` has been. `words` are those of its text where it starts something new.
    """

    path: str
    lines: Lines
    node: Node
    name: str
    rank: int
    stage: Stage
    role: Role = Role.HIT
    reason: str = ""
    after: int | None = None
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Taken:
    """The steps that were taken, in order, by their numbers, and the tokens of all pieces."""

    steps: tuple[int, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class _Run:
    """Lines that are one piece, the step it is named after, and its tokens."""

    lines: Lines
    best: Step
    tokens: int


@dataclass(frozen=True, slots=True)
class _Change:
    """A run that takes the place of those from `start` up to, not including, `end`."""

    start: int
    end: int
    run: _Run
    tokens: int


@dataclass(slots=True)
class _Page:
    """What is shown of one file so far, in order."""

    sheet: Sheet
    runs: list[_Run] = field(default_factory=list)
    hits: set[int] = field(default_factory=set)

    def change(self, step: Step) -> _Change | None:
        """Return what one more step would change; None if its lines are shown already."""
        start = bisect_left(self.runs, step.lines.first, key=lambda one: one.lines.last)
        if start < len(self.runs) and _has(self.runs[start].lines, step.lines):
            return None
        # Runs are apart from each other, so that only the next one on each side may be near.
        if start and self.sheet.is_near(self.runs[start - 1].lines, step.lines):
            start -= 1
        end, lines, best = start, step.lines, step
        while end < len(self.runs) and self._is_beside(lines, self.runs[end].lines):
            other = self.runs[end]
            lines = Lines(min(lines.first, other.lines.first), max(lines.last, other.lines.last))
            best = min(best, other.best, key=_standing)
            end += 1
        before = sum(one.tokens for one in self.runs[start:end])
        run = _Run(lines, best, self.sheet.tokens(lines, best.name))
        return _Change(start, end, run, run.tokens - before)

    def _is_beside(self, one: Lines, other: Lines) -> bool:
        first, second = sorted((one, other))
        return self.sheet.is_near(first, second)

    def take(self, step: Step) -> _Change | None:
        change = self.change(step)
        if change is not None:
            self.runs[change.start : change.end] = [change.run]
        self.hits.add(step.rank)
        return change


def fill(
    steps: Sequence[Step], sheets: Mapping[str, Sheet], *, max_tokens: int, weights: Weights
) -> Taken:
    """Take steps until no more fit, the first before all others.

    What does not fit is passed over, and smaller steps may still be taken; so is what has
    the very words of something that is shown.
    """
    return _Filling(steps, sheets, max_tokens=max_tokens, weights=weights).run()


def title(steps: Sequence[Step], lines: Lines) -> str:
    """Return the name that stands above lines: that of the best step that has any of them."""
    return min((one for one in steps if _has(lines, one.lines)), key=_standing).name


def _standing(step: Step) -> tuple[bool, int, Lines]:
    return step.role is not Role.HIT, step.rank, step.lines


def _has(one: Lines, other: Lines) -> bool:
    return one.first <= other.first and other.last <= one.last


class _Filling:
    def __init__(
        self,
        steps: Sequence[Step],
        sheets: Mapping[str, Sheet],
        *,
        max_tokens: int,
        weights: Weights,
    ) -> None:
        self._steps = steps
        self._worths = [weights.worth(step) for step in steps]
        self._pages = {path: _Page(sheet) for path, sheet in sheets.items()}
        self._left = max_tokens
        self._most = max_tokens
        self._again = weights.again
        self._taken: list[int] = []
        self._said: list[frozenset[str]] = []
        # By value for each token, highest first; a number may stand here twice, the older is stale.
        self._queue: list[tuple[float, int, int]] = []
        self._versions: defaultdict[int, int] = defaultdict(int)
        self._waiting: defaultdict[int, list[int]] = defaultdict(list)
        self._open: defaultdict[str, set[int]] = defaultdict(set)

    def run(self) -> Taken:
        for number, step in enumerate(self._steps):
            if step.after is None:
                self._offer(number)
            else:
                self._waiting[step.after].append(number)
        if self._steps and self._fits(0):
            self._take(0)
        while self._queue:
            value, number, version = heapq.heappop(self._queue)
            if version != self._versions[number]:
                continue
            now = -self._value(number)
            if self._queue and (now, number) > self._queue[0][:2] and now != value:
                heapq.heappush(self._queue, (now, number, version))
            elif now < 0 and self._fits(number):
                self._take(number)
            else:
                self._open[self._steps[number].path].discard(number)
        return Taken(tuple(self._taken), self._most - self._left)

    def _offer(self, number: int) -> None:
        self._versions[number] += 1
        self._open[self._steps[number].path].add(number)
        entry = (-self._value(number), number, self._versions[number])
        heapq.heappush(self._queue, entry)

    def _value(self, number: int) -> float:
        step = self._steps[number]
        page = self._pages[step.path]
        change = page.change(step)
        added = 0 if change is None else change.tokens
        if added <= 0:
            return _FOR_NOTHING
        others = len(page.hits) - (step.rank in page.hits)
        worth = self._worths[number] * self._again**others * self._newness(step)
        return worth / added

    def _newness(self, step: Step) -> float:
        """Return how much of a text is not in what is shown, where it is much alike."""
        if not step.words:
            return 1.0
        alike = max((_likeness(step.words, one) for one in self._said), default=0.0)
        return 1.0 - alike if alike >= _ALIKE else 1.0

    def _fits(self, number: int) -> bool:
        step = self._steps[number]
        change = self._pages[step.path].change(step)
        return change is None or change.tokens <= self._left

    def _take(self, number: int) -> None:
        step = self._steps[number]
        page = self._pages[step.path]
        change = page.take(step)
        self._left -= 0 if change is None else change.tokens
        self._taken.append(number)
        # Whatever stands in the queue for it is stale from now on.
        self._versions[number] += 1
        if step.words:
            self._said.append(step.words)
        near = self._open[step.path]
        near.discard(number)
        # What stands beside these lines may cost less now, and so come sooner.
        beside = [] if change is None else self._near(page, change.run.lines, near)
        for other in beside:
            self._offer(other)
        for other in self._waiting.pop(number, ()):
            self._offer(other)

    def _near(self, page: _Page, lines: Lines, among: set[int]) -> list[int]:
        steps = self._steps
        return sorted(one for one in among if page.sheet.is_close(lines, steps[one].lines))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard likeness of two sets of words."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0
