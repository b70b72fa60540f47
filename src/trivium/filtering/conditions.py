"""Which nodes may be returned, as values.

A Filter is a list of conditions that must all hold; a condition names an attribute and
the values of which one must match. Backends push these down; `match` is what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from trivium.errors import FilterError, unknown
from trivium.filtering.comparing import Test, fold
from trivium.filtering.facts import CATEGORIES, GUIDES
from trivium.filtering.fields import ATTRIBUTES, FIELDS, OF_CODE, Takes, named
from trivium.filtering.given import Given, from_object, listed, read, separated, terms
from trivium.filtering.patterns import pattern
from trivium.types import Kind

__all__ = [
    "ATTRIBUTES",
    "EVERYTHING",
    "FIELDS",
    "NOTHING",
    "PATTERN",
    "Condition",
    "Filter",
    "Given",
    "Test",
    "build",
    "fold",
    "for_records",
    "on_branch",
    "separated",
    "with_types",
    "without",
]

# Before a value of Test.FINDS that is a pattern, not a part of a path.
PATTERN = "\x1f"
_ALL = "all"
# More would be deeper than a store lets an expression be.
MOST_CONDITIONS = 100


@dataclass(frozen=True, slots=True)
class Condition:
    """One of `values` must match the attribute. No values: nothing matches."""

    field: str
    test: Test
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that must all hold."""

    conditions: tuple[Condition, ...] = ()

    def __and__(self, other: Filter) -> Filter:
        """Both filters' conditions."""
        return _joined((*self.conditions, *other.conditions))


EVERYTHING = Filter()
NOTHING = Filter((Condition("kind", Test.EQUALS, frozenset()),))


def build(wanted: Mapping[str, Given]) -> Filter:
    """Turn names and values as a person gives them into a Filter.

    None and false leave a field out; an empty list allows nothing. An unknown name raises
    FilterError, which says the nearest valid one; so does a value the filter cannot take.
    """
    values: dict[str, list[object]] = {}
    for given_name, given in wanted.items():
        name = named(given_name)
        found = listed(name, given)
        if found is not None:
            values.setdefault("path" if name == "file" else name, []).extend(found)
    if "risk-tag" in values:
        values.pop("risk", None)
    made = _joined(one for name, found in values.items() for one in _conditions(name, found))
    if len(made.conditions) > MOST_CONDITIONS:
        raise FilterError(
            f"The filters make {len(made.conditions):,} conditions; the most is {MOST_CONDITIONS}.",
            field=max(values, key=lambda name: len(values[name])),
        )
    return made


def _conditions(name: str, values: list[object]) -> Iterable[Condition]:
    field = FIELDS[name]
    if field.takes is Takes.EXPRESSION:
        return [one for value in values for one in build(terms(name, value)).conditions]
    if field.takes in (Takes.JSON, Takes.FIELDS):
        return _on_fields(name, values)
    if field.attribute == "path" and field.test is Test.CONTAINS:
        return [_on_path(values)]
    found = frozenset(text for value in values for text in read(name, value))
    if field.takes is Takes.FLAG and values and not found:
        return []
    if field.attribute == "category":
        return _on_category(found)
    return [Condition(field.attribute, field.test, found)]


def _on_fields(name: str, values: list[object]) -> list[Condition]:
    """Return one condition on all texts, and one on each key of each object."""
    is_text = FIELDS[name].takes is Takes.FIELDS
    texts = [one for one in values if is_text and not isinstance(one, Mapping)]
    found = [
        alternatives
        for one in values
        if not is_text or isinstance(one, Mapping)
        for alternatives in from_object(name, one)
    ]
    if texts or not values:
        found.append(frozenset(text for value in texts for text in read(name, value)))
    return [Condition("meta", Test.HOLDS, alternatives) for alternatives in found]


def _on_path(values: list[object]) -> Condition:
    found: set[str] = set()
    has_pattern = False
    for value in values:
        written = value.strip() if isinstance(value, str) else ""
        if pattern(written) is not None:
            found.add(PATTERN + written)
            has_pattern = True
        else:
            found.update(read("path", value))
    if has_pattern:
        return Condition("file", Test.FINDS, frozenset(found))
    return Condition("path", Test.CONTAINS, frozenset(found))


def _on_category(found: frozenset[str]) -> list[Condition]:
    if _ALL in found:
        return []
    if GUIDES in found:
        return [Condition("category", Test.EQUALS, found)]
    domains = frozenset(domain for one in found for domain in CATEGORIES.get(one, (one,)))
    return [Condition("domain", Test.EQUALS, domains)]


def on_branch(where: Filter, branch: str) -> Filter:
    """Return `where` for a folder on this branch: another one that is asked for allows nothing."""
    asked = [one for one in where.conditions if one.field == "branch"]
    rest = _joined(one for one in where.conditions if one.field != "branch")
    return rest if all(branch and branch in one.values for one in asked) else rest & NOTHING


def check_kinds(where: Filter) -> None:
    """Refuse a kind that does not exist. Raises FilterError that names the nearest."""
    known = [one.value for one in Kind]
    for condition in where.conditions:
        if condition.field != "kind" or condition.test is not Test.EQUALS:
            continue
        for value in sorted(condition.values.difference(known)):
            raise FilterError(unknown("kind", value, known), field="kind")


def for_records(where: Filter) -> Filter:
    """Return `where` without what only code has: records are not left out for lacking it."""
    return _joined(one for one in where.conditions if one.field not in {*OF_CODE, "lang", "type"})


def with_types(where: Filter) -> Filter:
    """Return `where` with kinds that may be types as well, as seed 001 calls them."""
    return _joined(
        Condition("sort", one.test, one.values | _as_types(one.values))
        if one.field == "kind" and one.values
        else one
        for one in where.conditions
    )


def without(where: Filter, is_dropped: Callable[[Condition], bool]) -> Filter:
    """Return `where` less some of its conditions."""
    return Filter(tuple(one for one in where.conditions if not is_dropped(one)))


def _as_types(values: frozenset[str]) -> frozenset[str]:
    return frozenset(text for value in values for text in read("type", value))


def _joined(conditions: Iterable[Condition]) -> Filter:
    return Filter(tuple(sorted(set(conditions), key=_key)))


def _key(condition: Condition) -> tuple[str, str, list[str]]:
    return condition.field, condition.test, sorted(condition.values)
