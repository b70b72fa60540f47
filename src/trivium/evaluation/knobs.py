"""A profile -> the few of its numbers that may be tuned, and the profile with others in place.

Only numbers that count when a query is asked: nothing here needs an index to be made anew.
Values are coarse on purpose: the fewer there are, the less a few queries can be fitted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from trivium.ranking.profile import Profile, Weights

# A setting gives knobs their values by key; a knob it does not name is as it was.
Setting = tuple[tuple[str, float], ...]
Tables = Mapping[str, Mapping[str, float]]
UNCHANGED: Setting = ()

_SHARES = (0.0, 0.15, 0.3, 0.5, 0.7, 0.85, 1.0)
_NAME = (0.0, 0.1, 0.25, 0.5, 1.0)
_FILE = (0.0, 0.15, 0.3, 0.5)
_AGAIN = (0.25, 0.5, 0.75, 1.0)
_TIMES = (0.5, 1.0, 2.0)
_DIGITS = 4
_MEANING = ("vectors", "instant")
# Fusions whose scores lie between 0 and 1, so that a gain means the same in each.
_SCALED = ("zscore", "blend")


@dataclass(frozen=True, slots=True)
class Circumstance:
    """What of a collection and its queries makes a number count at all."""

    has_vectors: bool
    is_instant: bool
    has_names: bool
    has_words_as_names: bool
    has_code: bool


@dataclass(frozen=True, slots=True)
class Knob:
    """A number to tune: what it is, the values to try, and the profile with one of them.

    `tables` says how a value is written in a profile's file: table -> key -> number.
    """

    key: str
    base: float
    values: tuple[float, ...]
    turned: Callable[[Profile, float], Profile]
    tables: Callable[[float], Tables]


def knobs(profile: Profile, given: Circumstance) -> tuple[Knob, ...]:
    """Return the numbers of a profile that can make a difference here."""
    found: list[Knob | None] = []
    if given.has_vectors:
        fusion = profile.fusion
        is_instant = given.is_instant and bool(fusion.instant_weights)
        found.append(_share(profile, "instant_weights" if is_instant else "weights"))
        if given.has_code:
            found.append(_share(profile, "instant_code_weights" if is_instant else "code_weights"))
        if given.has_words_as_names:
            found.append(_share(profile, "name_weights"))
    if given.has_names and (profile.fusion.method in _SCALED or profile.boosts.name):
        found.append(_boost(profile, "name", _NAME))
    if given.has_code and profile.group == "node" and profile.fusion.order == "score":
        found += [_boost(profile, "file", _FILE), _boost(profile, "again", _AGAIN)]
    return (*(one for one in found if one is not None), *_fields(profile))


def turned(profile: Profile, every: tuple[Knob, ...], setting: Setting) -> Profile:
    """Return a profile with the values of a setting in place."""
    chosen = dict(setting)
    for knob in every:
        if knob.key in chosen:
            profile = knob.turned(profile, chosen[knob.key])
    return profile


def tables(every: tuple[Knob, ...], setting: Setting) -> dict[str, dict[str, float]]:
    """Return a setting as tables of a profile's file; those of several fields are one."""
    chosen = dict(setting)
    made: dict[str, dict[str, float]] = {}
    for knob in every:
        if knob.key in chosen:
            for table, numbers in knob.tables(chosen[knob.key]).items():
                made.setdefault(table, {}).update(numbers)
    return made


def _with_base(values: tuple[float, ...], base: float) -> tuple[float, ...]:
    return tuple(sorted({*values, base}))


def _share(profile: Profile, name: str) -> Knob | None:
    """How much of words and meaning together is meaning; other signals keep their weights."""
    weights: Weights = getattr(profile.fusion, name)
    meaning = {name: weights[name] for name in _MEANING if weights.get(name)} or {"vectors": 1.0}
    whole = math.fsum(meaning.values())
    both = weights.get("text", 0.0) + math.fsum(weights.get(name, 0.0) for name in _MEANING)
    if not both:
        return None

    def split(share: float) -> dict[str, float]:
        given = {
            name: round(share * both * weight / whole, _DIGITS) for name, weight in meaning.items()
        }
        return {"text": round(both - math.fsum(given.values()), _DIGITS), **given}

    def turn(one: Profile, share: float) -> Profile:
        new = {**getattr(one.fusion, name), **split(share)}
        # Its name is one of the three tables of weights.
        return replace(one, fusion=replace(one.fusion, **{name: new}))  # type: ignore[arg-type]

    base = round(1 - weights.get("text", 0.0) / both, _DIGITS)
    return Knob(
        f"fuse.{name}.vectors",
        base,
        _with_base(_SHARES, base),
        turn,
        lambda share: {f"fuse.{name}": split(share)},
    )


def _boost(profile: Profile, name: str, values: tuple[float, ...]) -> Knob:
    base: float = getattr(profile.boosts, name)

    def turn(one: Profile, value: float) -> Profile:
        # Its name is that of a number, not of the table of kinds.
        return replace(one, boosts=replace(one.boosts, **{name: value}))  # type: ignore[arg-type]

    return Knob(
        f"boost.{name}",
        base,
        _with_base(values, base),
        turn,
        lambda value: {"boost": {name: value}},
    )


def _fields(profile: Profile) -> list[Knob]:
    """Return the weights of fields that are scored apart; the last is what they are weighed by.

    Fields that are one in the index, and those weighted by intent, are left as they are.
    """
    scope = profile.scopes[0]
    is_plain = len(profile.scopes) == 1 and not scope.intents and not scope.view.by_kind
    if not is_plain or scope.view.combine != "sum":
        return []
    return [_field(name, weight) for name, weight in scope.view.fields[:-1] if weight]


def _field(name: str, base: float) -> Knob:
    def turn(one: Profile, weight: float) -> Profile:
        scope = one.scopes[0]
        fields = tuple((key, weight if key == name else old) for key, old in scope.view.fields)
        return replace(one, scopes=(replace(scope, view=replace(scope.view, fields=fields)),))

    values = tuple(round(base * times, _DIGITS) for times in _TIMES)
    return Knob(
        f"view.fields.{name}",
        base,
        _with_base(values, base),
        turn,
        lambda weight: {"view.fields": {name: weight}},
    )
