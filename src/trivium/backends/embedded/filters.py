"""Filters -> SQL on `nodes`, for all that SQLite and a function of ours can test.

Columns are tested in SQL. Metadata is narrowed in SQL to the rows that may match, and what is
left is tested by `holds`, which means what filtering.match means. Called by the snapshot.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from trivium.backends.embedded.asks import TAG_MARK, is_compiled
from trivium.filtering import facts
from trivium.filtering.comparing import FOLDING
from trivium.filtering.conditions import ATTRIBUTES, Condition, Filter, Test
from trivium.filtering.match import HISTORY, folded, history_values, satisfies
from trivium.types import Kind

_HOLDS = "trivium_holds"
# A longer chain of alternatives would be deeper than SQLite lets an expression be.
_MOST_SPELT = 20
_METADATA = "$[8]"
_NAME = "$[2]"
_NOTHING = "$[99]"
# Many rows have the same list of parameters, visibility or path.
_MOST_REMEMBERED = 4096
_LONGEST_REMEMBERED = 300

_AMONG = "IN (SELECT value FROM json_each(?))"
_BY_PATH = f"SELECT id FROM files WHERE {_HOLDS}(?, json_array(path))"  # noqa: S608 - our own
_BY_HISTORY = (
    "SELECT hf.id FROM files hf JOIN history h ON h.path = hf.path "  # noqa: S608 - our own
    f"WHERE {_HOLDS}(?, json_array(h.author, h.modified, h.churn))"
)

_MODULES = (
    f"files rf CROSS JOIN ids ri ON ri.node_id = '{Kind.CODE}:' || rf.path "
    "CROSS JOIN nodes r ON r.id = ri.id"
)
_IS_ROOT = (
    "(SELECT node_id FROM ids WHERE id = r.id) = "
    "r.a_kind || ':' || (SELECT path FROM files WHERE id = r.file)"
)

Clause = tuple[str, list[str]]


def prepare(connection: sqlite3.Connection) -> None:
    """Give a connection what the conditions of `where_sql` call."""
    connection.create_function(_HOLDS, 2, holds, deterministic=True)


def where_sql(where: Filter) -> Clause:
    """Return an SQL condition on nodes `n` and its parameters."""
    clauses = [_clause(one) for one in where.conditions]
    text = " AND ".join(f"({sql})" for sql, _ in clauses) or "1"
    return text, [value for _, values in clauses for value in values]


def values(connection: sqlite3.Connection, attribute: str) -> list[str]:
    """Return what the nodes have of one of ATTRIBUTES, each once and in order."""
    column = f"a_{ATTRIBUTES[ATTRIBUTES.index(attribute)]}"
    rows = connection.execute(f"SELECT DISTINCT {column} FROM nodes")  # noqa: S608 - our own
    found = {str(row[0]) for row in rows if row[0]}
    if attribute == "tag":
        found = {tag for tags in found for tag in tags.split(TAG_MARK) if tag}
    return sorted(found)


def needs_rows(where: Filter) -> bool:
    """Say whether a condition looks at what the text index does not have."""
    return not all(map(is_compiled, where.conditions))


def _clause(condition: Condition) -> Clause:
    field = condition.field
    if not condition.values:
        return "0", []
    if field in ATTRIBUTES:
        return _on_column(condition)
    if field == "meta" or field in facts.FACTS:
        return _on_metadata(condition)
    if field in HISTORY:
        return f"n.file IN ({_BY_HISTORY})", [_written(condition)]
    made = _OTHERS.get(field)
    return made(condition) if made is not None else ("0", [])


def _on_sort(condition: Condition) -> Clause:
    wanted = json.dumps(sorted(condition.values))
    return f"n.a_kind {_AMONG} OR n.a_type {_AMONG}", [wanted, wanted]


def _on_file(condition: Condition) -> Clause:
    return f"n.file IN ({_BY_PATH})", [_written(condition)]


def _on_column(condition: Condition) -> Clause:
    # The column name is one of ATTRIBUTES, never what a user typed.
    column = f"n.a_{condition.field}"
    values = sorted(condition.values)
    if condition.field == "tag":
        after = TAG_MARK if condition.test is Test.EQUALS else ""
        before = "" if condition.test is Test.CONTAINS else TAG_MARK
        values = [f"{before}{value}{after}" for value in values]
    elif condition.test is Test.EQUALS:
        return f"{column} {_AMONG}", [json.dumps(values)]
    if len(values) > _MOST_SPELT:
        return f"{column} IS NOT NULL AND {_HOLDS}(?, json_array({column}))", [_written(condition)]
    is_start = condition.test is Test.STARTS and condition.field != "tag"
    return _any(values, f"instr({column}, ?) {'= 1' if is_start else '> 0'}")


def _on_category(condition: Condition) -> Clause:
    known = sorted({domain for some in facts.CATEGORIES.values() for domain in some})
    wanted = sorted({d for one in condition.values for d in facts.CATEGORIES.get(one, (one,))})
    sql = f"n.a_domain {_AMONG}"
    if facts.GUIDES not in condition.values:
        return sql, [json.dumps(wanted)]
    return f"{sql} OR n.a_domain NOT {_AMONG}", [json.dumps(wanted), json.dumps(known)]


_OTHERS: Mapping[str, Callable[[Condition], Clause]] = {
    "sort": _on_sort,
    "file": _on_file,
    "category": _on_category,
}


def _on_metadata(condition: Condition) -> Clause:
    field = condition.field
    own = _kinds("n", [kind for kind in Kind if facts.is_of(field, kind)])
    sql, values = _row(condition, "n", own)
    speaks = [kind for kind in Kind if kind is not Kind.FILE and facts.hands_down(field, kind)]
    if not speaks:
        return sql, values
    root, more = _row(condition, "r", _kinds("r", speaks))
    if speaks == [Kind.CODE]:
        # Modules are few among the nodes of code: each file is asked for its own.
        files = f"SELECT r.file FROM {_MODULES} WHERE {root}"  # noqa: S608
    else:
        files = f"SELECT r.file FROM nodes r WHERE {root} AND {_IS_ROOT}"  # noqa: S608
    return f"({sql}) OR n.file IN ({files})", [*values, *more]


def _kinds(table: str, kinds: Sequence[Kind]) -> str:
    if len(kinds) == len(Kind):
        return "1"
    return f"{table}.a_kind IN ({', '.join(repr(kind.value) for kind in kinds)})"


def _row(condition: Condition, table: str, kinds: str) -> Clause:
    """Return what a row's own metadata must be: cheap tests that only narrow, then `holds`."""
    body = f"{table}.body"
    if condition.field == "meta":
        wanted = sorted({value.partition(facts.KEY_END)[0] for value in condition.values})
        starts = [f'"{_escaped(key)}{end}' for key in wanted for end in ('":', ".")]
        is_short = len(starts) <= _MOST_SPELT
        keys, values = _any(starts, f"instr({body}, ?) > 0") if is_short else ("1", [])
        given = f"json_extract({body}, '{_METADATA}')"
    else:
        names = facts.FACTS[condition.field].keys
        keys, values = _any([f'"{name}":' for name in names], f"instr({body}, ?) > 0")
        paths = ", ".join(f"'{_METADATA}.{name}'" for name in names)
        # Of several paths SQLite makes one list, in which each value keeps its type. A name that
        # is not looked at would make each row another one to be tested.
        name = _NAME if condition.field == "calls" else _NOTHING
        given = f"json_extract({body}, '{name}', {paths})"
    text, needles = _needles(condition, body)
    test, last = f"{_HOLDS}(?, {given})", [_written(condition)]
    if condition.test is Test.INCLUDES and len(condition.values) <= _MOST_SPELT:
        # Text alone can be tested here, at a tenth of the cost.
        (name,) = facts.FACTS[condition.field].keys
        path = f"{body}, '{_METADATA}.{name}'"
        plain, some = _any(sorted(condition.values), f"instr(json_extract({path}), ?) > 0")
        test = f"CASE json_type({path}) WHEN 'text' THEN {plain} ELSE {test} END"
        last = [*some, *last]
    return f"{kinds} AND ({keys}) AND ({text}) AND {test}", [*values, *needles, *last]


def _needles(condition: Condition, body: str) -> Clause:
    """Return a test of the whole text of a row that every match passes."""
    values = sorted(condition.values)
    if len(values) > _MOST_SPELT or "" in values:
        return "1", []
    if condition.test in (Test.EXACT, Test.INCLUDES):
        return _any(map(_escaped, values), f"instr({body}, ?) > 0")
    if condition.test not in FOLDING or not all(map(str.isascii, values)):
        return "1", []
    # SQLite folds ASCII only: a row that holds more is left to `holds`.
    sql, needles = _any(map(_escaped, values), f"instr(lower({body}), ?) > 0")
    return f"{sql} OR length({body}) < length(CAST({body} AS BLOB))", needles


def _any(values: Iterable[str], test: str) -> Clause:
    """Return the test for any of a few values."""
    values = list(values)
    return " OR ".join([test] * len(values)), values


def _escaped(value: str) -> str:
    """Return text as it stands between the quotes of stored JSON."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


def _written(condition: Condition) -> str:
    return json.dumps([condition.field, condition.test.value, sorted(condition.values)])


@lru_cache(maxsize=256)
def _read(written: str) -> Condition:
    field, test, values = json.loads(written)
    return Condition(field, Test(test), frozenset(values))


def holds(written: str, given: str | None) -> bool:
    """Say whether a condition holds for what SQL took out of a row, as JSON."""
    if given is None:
        return False
    if len(given) > _LONGEST_REMEMBERED:
        return _is_held(written, given)
    return _is_held_again(written, given)


def _is_held(written: str, given: str) -> bool:
    condition = _read(written)
    found = json.loads(given)
    if not found:
        return False
    field = condition.field
    if field == "meta":
        return any(facts.holds_field(found, wanted) for wanted in condition.values)
    if field == "tag":
        return satisfies(condition, tuple(found[0].split(TAG_MARK)[1:-1]))
    if field == "file" or field in ATTRIBUTES:
        return satisfies(condition, tuple(found))
    if field in HISTORY:
        return satisfies(condition, history_values(field, *found))
    name, *values = found
    pairs = zip(facts.FACTS[field].keys, values, strict=True)
    metadata = {key: value for key, value in pairs if value is not None}
    known = facts.values_of(field, metadata, name=name or "")
    return satisfies(condition, folded(condition.test, known))


_is_held_again = lru_cache(maxsize=_MOST_REMEMBERED)(_is_held)
