"""Scores of settings, query by query -> the setting to use and what it gains on queries unseen.

Coordinate search inside k-fold cross-validation: each fold's queries are judged by numbers
that were chosen without them. Searches nothing itself: what scores a setting is passed in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from trivium.errors import UsageError
from trivium.evaluation.knobs import UNCHANGED, Knob, Setting
from trivium.evaluation.significance import interval

Scores = Callable[[Setting], Sequence[float]]

LEAST_QUERIES = 20
LEAST_GROUPS = 5
_ROUNDS = 3
# What is gained by less than this on the queries a number is chosen by is taken for chance.
_LEAST_GAIN = 0.002


@dataclass(frozen=True, slots=True)
class Fold:
    """Queries that were held out: how many, the setting chosen without them, and its gain."""

    queries: int
    setting: Setting
    gain: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """The setting chosen by all queries, and what tuning gains on queries held out.

    `before`, `held_out` and `fitted` are means of the base, of tuning on queries it did not
    see, and of the setting on the very queries it was chosen by, which flatters it. `low` and
    `high` bound the 95 % interval of the gain held out. Wins, losses and ties count queries.
    """

    setting: Setting
    before: float
    held_out: float
    fitted: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int
    folds: tuple[Fold, ...]

    @property
    def gain(self) -> float:
        """What tuning gains on queries held out."""
        return self.held_out - self.before

    @property
    def holds(self) -> bool:
        """Whether the gain is more than chance: all of its interval lies above 0."""
        return self.setting != UNCHANGED and self.low > 0


def tune(
    knobs: Sequence[Knob],
    scores: Scores,
    *,
    ids: Sequence[str],
    groups: Sequence[str],
    folds: int = 5,
    say: Callable[[str], None] = lambda _: None,
) -> Tuned:
    """Choose a setting, and measure by cross-validation what choosing gains.

    `groups` say which queries belong together, one for each of `ids`: they are held out
    together, drawn together, and each group counts alike. All of one group are on their own.
    Raises UsageError if there are too few of either.
    """
    _check(ids, groups, folds)
    before = scores(UNCHANGED)
    parts = folded(ids, groups, folds)
    made: list[Fold] = []
    after = list(before)
    for number, held in enumerate(parts, 1):
        rest = sorted(set(range(len(ids))).difference(held))
        setting = climbed(knobs, scores, rest, groups)
        new = scores(setting)
        for at in held:
            after[at] = new[at]
        gain = _mean(after, held, groups) - _mean(before, held, groups)
        made.append(Fold(len(held), setting, gain))
        say(f"fold {number} of {len(parts)}: {gain:+.4f} on {len(held)} queries held out")
    every = range(len(ids))
    setting = climbed(knobs, scores, every, groups)
    changes = [new - old for old, new in zip(before, after, strict=True)]
    low, high = interval(changes, groups)
    wins, losses = sum(one > 0 for one in changes), sum(one < 0 for one in changes)
    return Tuned(
        setting=setting,
        before=_mean(before, every, groups),
        held_out=_mean(after, every, groups),
        fitted=_mean(scores(setting), every, groups),
        low=low,
        high=high,
        wins=wins,
        losses=losses,
        ties=len(changes) - wins - losses,
        folds=tuple(made),
    )


def climbed(
    knobs: Sequence[Knob], scores: Scores, among: Sequence[int], groups: Sequence[str]
) -> Setting:
    """Turn one knob after the other to its best value, until none moves, from the base on.

    A value is taken only if it gains enough; of values that gain alike the nearest to the base.
    """
    best = UNCHANGED
    value = _mean(scores(best), among, groups)
    for _ in range(_ROUNDS):
        start = best
        for knob in knobs:
            tried = [(_turned(best, knob, one), one) for one in _by_nearness(knob)]
            means = [_mean(scores(setting), among, groups) for setting, _ in tried]
            at = max(range(len(tried)), key=lambda index: means[index])
            if means[at] >= value + _LEAST_GAIN:
                best, value = tried[at][0], means[at]
        if best == start:
            break
    return best


def folded(ids: Sequence[str], groups: Sequence[str], folds: int) -> list[list[int]]:
    """Deal queries out into folds, each group whole, by a hash of names: the same every time.

    With as many folds as there are groups, or more, each is held out alone.
    """
    is_grouped = len(set(groups)) > 1
    members: dict[str, list[int]] = {}
    for at, (name, group) in enumerate(zip(ids, groups, strict=True)):
        members.setdefault(group if is_grouped else f"{name}\0{at}", []).append(at)
    # The largest first, each to the fold that has least: folds come out about equal.
    order = sorted(members, key=lambda one: (-len(members[one]), _chance(one)))
    made: list[list[int]] = [[] for _ in range(min(folds, len(members)))]
    for one in order:
        min(made, key=len).extend(members[one])
    return [sorted(part) for part in made]


def _check(ids: Sequence[str], groups: Sequence[str], folds: int) -> None:
    if len(ids) < LEAST_QUERIES:
        raise UsageError(
            f"There are {len(ids)} judged queries; tuning needs at least {LEAST_QUERIES}, and "
            "tells little before there are a hundred."
        )
    count = len(set(groups))
    if 1 < count < LEAST_GROUPS:
        raise UsageError(
            f"The queries are of {count} groups; at least {LEAST_GROUPS} are needed to tell what "
            "holds for another. Without groups they are held out one by one."
        )
    if folds < 2:  # noqa: PLR2004 - one part to choose by, one to judge by
        raise UsageError(f"folds is {folds}; give at least 2.")


def _by_nearness(knob: Knob) -> Iterable[float]:
    return sorted(knob.values, key=lambda one: (abs(one - knob.base), one))


def _turned(setting: Setting, knob: Knob, value: float) -> Setting:
    """Return a setting with one value changed; at its base a knob is not in it at all."""
    others = {key: old for key, old in setting if key != knob.key}
    if value != knob.base:
        others[knob.key] = value
    return tuple(sorted(others.items()))


def _mean(values: Sequence[float], among: Sequence[int], groups: Sequence[str]) -> float:
    """Return the mean of each group's mean."""
    of_group: dict[str, list[float]] = {}
    for at in among:
        of_group.setdefault(groups[at], []).append(values[at])
    return fmean(fmean(one) for one in of_group.values())


def _chance(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
