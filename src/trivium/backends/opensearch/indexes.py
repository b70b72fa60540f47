"""What each index of a collection is made with: its fields, how they are split and scored.

Terms come finished from our own analysers and are only split at spaces. An index is written
through an alias of its own, so that writing to one that has gone is an error and makes none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache

from trivium.analysis.fields import OPERATOR, PICKED, every_field
from trivium.analysis.words import edition
from trivium.backends.opensearch.client import Client, written
from trivium.backends.opensearch.said import Json
from trivium.backends.opensearch.state import key_of
from trivium.errors import BackendRefused, BackendUnavailable
from trivium.filtering.conditions import ATTRIBUTES
from trivium.types import View

# Raise when the meaning of what is indexed changes: views are then made anew.
_VERSION = 1
# Stands once in every field of every unit where fields are scored apart; see `_MARKED`.
MARK = "\x01"
# A keyword takes 32,766 bytes; what is longer cannot be filtered on and is left out.
_LONGEST_KEYWORD = 8191
_PATIENCE = "30s"
# A request line takes 4,096 bytes.
_NAMES_AT_ONCE = 30

_KEYWORD: Json = {"type": "keyword", "ignore_above": _LONGEST_KEYWORD}
_TESTED: Json = {**_KEYWORD, "doc_values": False}
_KEPT: Json = {"type": "text", "index": False, "norms": False}
_NUMBER: Json = {"type": "long", "index": False, "doc_values": False}
_SORTED: Json = {"type": "long"}
_FLAG: Json = {"type": "boolean"}

# BM25 with the number of documents and the mean length that the other backends count: over all
# units of the view, also those without the field. Lucene counts only those that have it, and of
# several shards only those that have a term of the query. So every unit has the mark, beside its
# first term where it has one: the number is then that of all, and the length is one too many in
# the mean and right in each; and there is a term that every shard has.
_MARKED: Json = {
    "type": "scripted",
    "weight_script": {
        "source": "double having = term.docFreq; "
        "return query.boost * Math.log(1.0 + (field.docCount - having + 0.5) / (having + 0.5));"
    },
    "script": {
        "source": "double average = (double) field.sumTotalTermFreq / field.docCount - 1.0; "
        "double norm = 1.2 * (0.25 + 0.75 * doc.length / Math.max(average, 0.000001)); "
        "return weight * doc.freq * 2.2 / (doc.freq + norm);"
    },
}
_ANALYSIS: Json = {
    "analyzer": {
        "spaces": {"type": "custom", "tokenizer": "whitespace"},
        "marked": {"type": "custom", "tokenizer": "whitespace", "filter": ["mark"]},
    },
    "filter": {
        "mark": {
            "type": "pattern_capture",
            "preserve_original": False,
            "patterns": [f"([^{MARK}]+)", f"({MARK})"],
        }
    },
}


def _filtered(*, listed: bool = False) -> Json:
    """Return the fields that filters look at. `listed`: their values can be listed, too."""
    kind = _KEYWORD if listed else _TESTED
    return {
        **{f"a_{name}": kind for name in ATTRIBUTES},
        "path": _KEYWORD,
        "facts": kind,
        "exact": kind,
        "numbers": kind,
        "meta": kind,
    }


_PARTS: dict[str, Json] = {
    "files": {
        "path": _KEYWORD,
        "is_folder": _FLAG,
        "size_bytes": _NUMBER,
        "mtime_ns": _NUMBER,
        "sha256": _KEPT,
        "masked": _SORTED,
        "failure": _KEPT,
        "has_failed": _FLAG,
        "references": _SORTED,
        "refs": _KEPT,
        "rows": _KEPT,
        "text": _KEPT,
    },
    "nodes": {
        "id": _KEYWORD,
        "path": _KEYWORD,
        "order": _SORTED,
        "symbol": _KEYWORD,
        "marks": _KEYWORD,
        "body": _KEPT,
        **{f"a_{name}": _KEYWORD for name in ATTRIBUTES},
    },
    "edges": {
        "path": _KEYWORD,
        "is_own": _FLAG,
        "order": _SORTED,
        "source": _KEYWORD,
        "target": _KEYWORD,
        "type": _KEYWORD,
        "weight": {"type": "double", "index": False, "doc_values": False},
        "context": _KEPT,
    },
    "chunks": {
        "id": _KEYWORD,
        "node": _KEYWORD,
        "order": _SORTED,
        "start": _NUMBER,
        "end": _NUMBER,
        "start_line": _NUMBER,
        "end_line": _NUMBER,
        "mtime_ns": _SORTED,
        "key": _KEYWORD,
        "has_text": _FLAG,
        "is_first": _FLAG,
        "text": _KEPT,
        **_filtered(listed=True),
    },
    "links": {
        "path": _KEYWORD,
        "status": _KEYWORD,
        "mentions": _TESTED,
        "seq": _SORTED,
        "edges": _NUMBER,
    },
    "history": {"path": _KEYWORD, "author": _KEPT, "modified": _KEPT, "churn": _NUMBER},
}

STATE: Json = {
    "settings": {"index": {"number_of_shards": 1, "auto_expand_replicas": "0-1"}},
    "mappings": {"enabled": False},
}


def part(name: str, *, shards: int) -> Json:
    """Return what one part of the record is made with."""
    return _index(_PARTS[name], shards=shards)


def vectors(model_id: str, *, shards: int) -> Json:
    """Return what the vectors by content are kept in, lent to other collections."""
    fields = {
        "key": _KEYWORD,
        "scale": {"type": "double", "index": False, "doc_values": False},
        "steps": {"type": "binary"},
    }
    return {**_index(fields, shards=shards), "aliases": {lent(model_id): {}}}


def lent(model_id: str) -> str:
    """Return the name under which all collections find the vectors of a model."""
    return f"trivium-vectors.{key_of(model_id)}"


def space(dimension: int, *, shards: int) -> Json:
    """Return what a vector space is made with: a row for each chunk, waiting or not.

    The score is the inner product, as the other backends compute it of what they keep.
    """
    fields = {
        "id": _KEYWORD,
        "key": _KEYWORD,
        "order": _SORTED,
        "mtime_ns": _SORTED,
        "spread": _SORTED,
        "has_text": _FLAG,
        "is_first": _FLAG,
        "is_waiting": _FLAG,
        "is_blank": _FLAG,
        "vector": {
            "type": "knn_vector",
            "dimension": dimension,
            "method": {"name": "hnsw", "engine": "lucene", "space_type": "innerproduct"},
        },
        **_filtered(),
    }
    made = _index(fields, shards=shards)
    made["settings"]["index"]["knn"] = True
    # The numbers stand among the vectors by content, at a tenth of the space.
    made["mappings"]["_source"] = {"excludes": ["vector"]}
    return made


def text(view: View, *, shards: int) -> Json:
    """Return what the text index of a view is made with."""
    fields: Json = {"id": _KEYWORD, **_filtered()}
    has_marks = is_marked(view, shards=shards)
    for name, _ in fields_of(view):
        fields[name] = {
            "type": "text",
            "analyzer": "marked" if has_marks else "spaces",
            "search_analyzer": "spaces",
            "similarity": "marked" if has_marks else "plain",
            # What is picked out of a text has no neighbours that a phrase could ask for.
            "index_options": "freqs" if name.removeprefix("t_") in PICKED else "positions",
        }
        fields[listed(name)] = {"type": "keyword", "index": False}
    made = _index(fields, shards=shards)
    made["settings"]["index"]["similarity"] = {
        "marked": _MARKED,
        "plain": {"type": "BM25", "k1": 1.2, "b": 0.75},
    }
    made["settings"]["index"]["analysis"] = _ANALYSIS
    # It is made anew from the record, never from itself.
    made["mappings"]["_source"] = {"includes": ["id"]}
    return made


def is_marked(view: View, *, shards: int) -> bool:
    """Say whether units of a view need the mark: Lucene's own statistics are faster."""
    return view.combine == "sum" or shards > 1


def _index(fields: Json, *, shards: int) -> Json:
    return {
        "settings": {
            "index": {
                "number_of_shards": shards,
                "auto_expand_replicas": "0-1",
                "refresh_interval": "-1",
            }
        },
        "mappings": {"dynamic": "strict", "properties": fields},
    }


def fields_of(view: View) -> tuple[tuple[str, float], ...]:
    """Return the text fields of a view with the weight each has when asked."""
    if view.combine == "repeat":
        return (("t", 1.0),)
    return tuple((f"t_{name}", float(weight)) for name, weight in every_field(view))


def listed(field: str) -> str:
    """Return the field that lists each term of a text field once."""
    return f"w{field[1:]}"


def words_fields(view: View) -> tuple[tuple[str, float], ...]:
    """Return the fields that words are looked for in: all but that of operators."""
    return tuple(one for one in fields_of(view) if one[0] != f"t_{OPERATOR}")


@cache
def view_key(view: View) -> str:
    """Name a view by its unit, its analyser and a hash of all it means.

    Views of other names that mean the same share an index; so do those that differ only in the
    weights of fields that are kept apart.
    """
    if view.unit not in ("chunk", "node") or view.combine not in ("repeat", "sum"):
        raise BackendRefused(
            f"The view {view.name!r} asks for unit {view.unit!r} and combine {view.combine!r}. "
            "Use unit 'chunk' or 'node' and combine 'repeat' or 'sum'."
        )
    if view.combine == "sum":
        alike = tuple((name, 1.0) for name, _ in view.fields)
        by_kind = tuple((kind, tuple((n, 1.0) for n, _ in some)) for kind, some in view.by_kind)
        view = replace(view, fields=alike, by_kind=by_kind)
    view = replace(view, name="")
    meaning = json.dumps([_VERSION, asdict(view), *edition(view.analyser)], sort_keys=True)
    return f"{view.unit}-{view.analyser}-{hashlib.sha256(meaning.encode()).hexdigest()[:8]}"


def make(client: Client, name: str, body: Json) -> None:
    """Make an index and the alias it is written through, unless it is there."""
    make_all(client, {name: body})


def make_all(client: Client, bodies: Mapping[str, Json]) -> None:
    """Make several indexes, and wait until all of them can be written."""
    for name, body in bodies.items():
        params = {"wait_for_active_shards": "0"}
        aliases = {**body.get("aliases", {}), written(name): {}}
        try:
            client.ask("PUT", f"/{name}", {**body, "aliases": aliases}, params=params)
        except BackendRefused as error:
            if "resource_already_exists_exception" not in str(error):
                raise
    # Not the status, which is yellow before the first shard of a new index has started.
    shards = sum(body["settings"]["index"]["number_of_shards"] for body in bodies.values())
    params = {"wait_for_active_shards": str(shards), "timeout": _PATIENCE}
    health = client.ask("GET", f"/_cluster/health/{','.join(bodies)}", params=params)
    if health["timed_out"]:
        raise BackendUnavailable(
            "The cluster did not find room for a new index in time. "
            "See that its nodes run and have space left on their disks."
        )


def remove(client: Client, names: Sequence[str]) -> None:
    """Remove indexes; ones that have gone are no matter."""
    for first in range(0, len(names), _NAMES_AT_ONCE):
        some = ",".join(names[first : first + _NAMES_AT_ONCE])
        client.ask("DELETE", f"/{some}", params={"ignore_unavailable": "true"})
