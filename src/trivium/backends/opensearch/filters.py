"""Filters -> clauses that OpenSearch tests before it ranks, and the fields they are tested on.

What a node is found by is written beside each chunk, with what its module or document says for
all that is in the file. Only what a repository knows, and patterns, are first led to paths.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from trivium.backends.opensearch.asks import NOWHERE
from trivium.backends.opensearch.said import Json
from trivium.errors import BackendRefused
from trivium.filtering import facts
from trivium.filtering.comparing import FOLDING, Test, clean, fold, number
from trivium.filtering.conditions import ATTRIBUTES, FIELDS, Condition, Filter
from trivium.filtering.match import HISTORY, attributes, folded, satisfies
from trivium.types import Metadata, Node

# Between the name of a fact and its value: one field holds those of all facts.
_END = facts.KEY_END
# What is longer is no value anybody looks for a part of, and would be slow to look for.
_LONGEST_PATTERN = 200
_MOST_PATTERNS = 50
# Of all conditions together: a cluster takes 1,024 clauses, and the query needs most of them.
_MOST_OF_ALL = 200
_MOST_TERMS = 50_000

_TESTS = {
    name: {one.test for one in FIELDS.values() if one.attribute == name} for name in facts.FACTS
}
_EXACT = (Test.EXACT, Test.INCLUDES)
_NUMERIC = (Test.AT_LEAST, Test.BELOW)


class Known(Protocol):
    """What a filter may have to look up before it can be asked."""

    def distinct(self, field: str, start: str) -> Sequence[str]:
        """Return the values of a field of chunks that start so, each once."""
        ...

    def paths_of(self, condition: Condition) -> Sequence[str]:
        """Return the files a condition on paths or on history holds for."""
        ...


def filter_fields(node: Node, roots: Sequence[Node]) -> Json:
    """Return what filters look at of a node; `roots` speak for all that is in its file."""
    made: Json = {f"a_{name}": list(values) for name, values in attributes(node).items() if values}
    made["path"] = node.source.file_path
    tested: dict[str, list[str]] = {"facts": [], "exact": [], "numbers": [], "meta": []}
    for name, tests in _TESTS.items():
        values = _values(name, node, roots)
        if not values:
            continue
        if tests & FOLDING:
            tested["facts"] += [f"{name}{_END}{one}" for one in folded(Test.EQUALS, values)]
        if tests.intersection(_EXACT):
            tested["exact"] += [f"{name}{_END}{one}" for one in values]
        if tests.intersection(_NUMERIC):
            found = [number(one) for one in values]
            tested["numbers"] += [f"{name}{_END}{_sortable(n)}" for n in found if n is not None]
    speakers = [node, *(one for one in roots if facts.hands_down("meta", one.kind))]
    tested["meta"] = [entry for one in speakers for entry in _entries(one.metadata)]
    made |= {name: list(dict.fromkeys(values)) for name, values in tested.items() if values}
    return made


def _values(name: str, node: Node, roots: Sequence[Node]) -> tuple[str, ...]:
    found: tuple[str, ...] = ()
    if facts.is_of(name, node.kind):
        found = facts.values_of(name, node.metadata, name=node.name)
    for one in roots:
        if facts.hands_down(name, one.kind):
            found += facts.values_of(name, one.metadata)
    return found


def _entries(metadata: Metadata) -> Iterator[str]:
    """Yield each key with each text it holds, as conditions on fields compare them."""
    for name, value in metadata.items():
        for one in value if isinstance(value, tuple | list) else (value,):
            text = ("true" if one else "false") if isinstance(one, bool) else str(one)
            if text:
                yield f"{clean(name)}{_END}{fold(text)}"


def compile_filter(where: Filter, known: Known) -> list[Json]:
    """Return clauses that must all hold; none if `where` allows everything."""
    left = _MOST_OF_ALL
    made = []
    for one in where.conditions:
        most = min(left, _MOST_PATTERNS)
        left -= len(one.values) if len(one.values) <= most else 0
        made.append(_clause(one, known, most))
    return made


def _clause(condition: Condition, known: Known, most: int) -> Json:
    """Return the test of one condition, of which at most `most` values may be patterns."""
    field = condition.field
    if not condition.values:
        return NOWHERE
    if field in ATTRIBUTES:
        return _on_text(condition, f"a_{field}", "", known, most)
    if field in facts.FACTS:
        return _on_fact(condition, known, most)
    if field in HISTORY or field == "file":
        return _among("path", known.paths_of(condition))
    if field == "meta":
        return _on_meta(condition, known, most)
    made = _OTHERS.get(field)
    return made(condition) if made is not None else NOWHERE


def _on_fact(condition: Condition, known: Known, most: int) -> Json:
    name, test = condition.field, condition.test
    if test in _NUMERIC:
        return _on_number(condition)
    stored = "exact" if test in _EXACT else "facts"
    if not _TESTS[name] & (set(_EXACT) if stored == "exact" else FOLDING):
        raise BackendRefused(f"A cluster keeps nothing to test whether {name} {test.value}.")
    return _on_text(condition, stored, f"{name}{_END}", known, most)


def _on_number(condition: Condition) -> Json:
    start = f"{condition.field}{_END}"
    wanted = [float(value) for value in condition.values]
    if condition.test is Test.AT_LEAST:
        # The sign after that of the end is greater than any number that follows it.
        most = f"{condition.field}{chr(ord(_END) + 1)}"
        return {"range": {"numbers": {"gte": start + _sortable(min(wanted)), "lt": most}}}
    return {"range": {"numbers": {"gte": start, "lt": start + _sortable(max(wanted))}}}


def _on_text(condition: Condition, field: str, start: str, known: Known, most: int) -> Json:
    """Return the test of a keyword field whose values begin with `start`."""
    values = sorted(condition.values)
    if condition.test in (Test.EQUALS, Test.EXACT):
        return _among(field, [start + value for value in values])
    if len(values) > most or max(map(len, values)) > _LONGEST_PATTERN:
        there = known.distinct(field, start)
        found = [one for one in there if satisfies(condition, (one.removeprefix(start),))]
        return _among(field, found)
    if condition.test is Test.STARTS:
        return _any([{"prefix": {field: {"value": start + value}}} for value in values])
    return _any([_like(field, f"{_escaped(start)}*{_escaped(value)}*") for value in values])


def _on_sort(condition: Condition) -> Json:
    values = sorted(condition.values)
    return _any([_among("a_kind", values), _among("a_type", values)])


def _on_category(condition: Condition) -> Json:
    known = sorted({domain for some in facts.CATEGORIES.values() for domain in some})
    wanted = sorted({d for one in condition.values for d in facts.CATEGORIES.get(one, (one,))})
    made = _among("a_domain", wanted)
    if facts.GUIDES not in condition.values:
        return made
    others: Json = {
        "bool": {"filter": [{"exists": {"field": "a_domain"}}]}
        | {"must_not": [_among("a_domain", known)]}
    }
    return _any([made, others])


def _on_meta(condition: Condition, known: Known, most: int) -> Json:
    wanted = sorted(condition.values)
    if len(wanted) > most or max(map(len, wanted)) > _LONGEST_PATTERN:
        found = [
            entry
            for entry in known.distinct("meta", "")
            if any(_is_entry_of(entry, one) for one in wanted)
        ]
        return _among("meta", found)
    made = []
    for one in wanted:
        key, _, value = one.partition(_END)
        part = f"*{_escaped(value)}*" if value else "*"
        # The fields of an object count as its own.
        made += [_like("meta", f"{_escaped(key)}{_END}{part}")]
        made += [_like("meta", f"{_escaped(key)}.*{_END}{part}")]
    return _any(made)


def _is_entry_of(entry: str, wanted: str) -> bool:
    name, _, text = entry.partition(_END)
    key, _, value = wanted.partition(_END)
    return (name == key or name.startswith(f"{key}.")) and value in text


_OTHERS: Mapping[str, Callable[[Condition], Json]] = {
    "sort": _on_sort,
    "category": _on_category,
}


def _among(field: str, values: Sequence[str]) -> Json:
    """Return the test for any of the values, which may be very many."""
    if not values:
        return NOWHERE
    return _any([{"terms": {field: list(some)}} for some in _parts(values)])


def _parts(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(values), _MOST_TERMS):
        yield values[first : first + _MOST_TERMS]


def _like(field: str, pattern: str) -> Json:
    return {"wildcard": {field: {"value": pattern}}}


def _any(clauses: list[Json]) -> Json:
    if len(clauses) == 1:
        return clauses[0]
    return {"bool": {"should": clauses, "minimum_should_match": 1}}


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("*", "\\*").replace("?", "\\?")


def _sortable(value: float) -> str:
    """Return a number so that the order of texts is that of numbers."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", value + 0.0))
    flipped = bits ^ (0xFFFF_FFFF_FFFF_FFFF if bits >> 63 else 0x8000_0000_0000_0000)
    return f"{flipped:016x}"
