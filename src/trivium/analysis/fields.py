"""A node and its chunk -> the text of one field, and the text that is embedded.

Says which text stands for a field of a view and how it becomes terms, so that every backend
indexes and embeds the same. Called by backends when they write, and when they ask.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial

from trivium.analysis import syntax
from trivium.analysis.words import Analyser, Split
from trivium.errors import ConfigError
from trivium.types import Chunk, Kind, Node, View

FIRST = "@0"
OPERATOR = "operator"
# Fields that are picked out of a text: what was apart stands side by side in them, so they hold
# no phrases.
PICKED = ("keyword", OPERATOR)

Weighted = tuple[tuple[str, float], ...]

_SEPARATORS = re.compile(r"[/\\.]+")
_COMMENT = re.compile(r"^[ \t]*(?://+|\#+|--|;+|/?\*+/?|%+)[!/*]*(.*)$", re.MULTILINE)
_MOST_COMMENTED = 20_000


def check(view: View) -> None:
    """Raise ConfigError if a view names a field that does not exist or no field at all."""
    named = [name for name, _ in every_field(view)]
    if not named:
        raise ConfigError("A profile needs at least one field.")
    for name in (*named, *(name for name, _ in view.most)):
        if name not in FIELDS:
            known = ", ".join(FIELDS)
            raise ConfigError(f"Unknown field {name!r} in a profile. Fields: {known}.")
        if name in PICKED and view.combine != "sum":
            raise ConfigError(f"The field {name!r} is scored by itself: it needs combine = 'sum'.")
    for name, weight in every_field(view):
        if weight <= 0 or (view.combine == "repeat" and weight != int(weight)):
            what = "a whole number from 1 up" if view.combine == "repeat" else "above 0"
            raise ConfigError(f"The weight of field {name!r} must be {what}.")


@cache
def every_field(view: View) -> Weighted:
    """Return all fields of a view, each once, with those that only some kinds have."""
    found = dict(view.fields)
    for _, only in view.by_kind:
        for name, weight in only:
            found.setdefault(name, weight)
    return tuple(found.items())


@cache
def fields_of(view: View, kind: str) -> Weighted:
    """Return the fields that nodes of a kind have in a view; those of the kind come first."""
    own = dict(dict(view.by_kind).get(kind, ()))
    return (*own.items(), *((name, weight) for name, weight in view.fields if name not in own))


def is_unit(view: View, node: Node, chunk: Chunk) -> bool:
    """Say whether a view indexes this chunk: each with text, or the first of each node."""
    if view.kinds is not None and node.kind.value not in view.kinds:
        return False
    return chunk.id.endswith(FIRST) if view.unit == "node" else bool(chunk.text)


def texts_of(view: View, node: Node, chunk: Chunk, whole: str) -> Iterator[tuple[str, float, str]]:
    """Yield what a view indexes of a chunk: field, weight, text. `whole` is its document's text."""
    most = dict(view.most)
    for name, weight in fields_of(view, node.kind.value):
        of = chunk
        if view.unit == "node" and (name == "body" or name in PICKED):
            of = replace(chunk, text=own_text(node, whole))
        text = _spanned(node, whole) if name == "content" else text_of(name, node, of)
        yield name, weight, text[: most[name]] if name in most else text


def split_of(name: str, words_of: Analyser) -> Split:
    """Return what makes terms of the text of a field: words side by side, and terms apart."""
    if name == OPERATOR:
        return lambda text: ([], syntax.operators(text))
    if name in PICKED:
        return lambda text: ([], words_of.terms(text))
    return words_of.split


def text_of(name: str, node: Node, chunk: Chunk) -> str:
    """Return the text of one field of a chunk; empty if the node has none."""
    return FIELDS[name](node, chunk)


def file_text(node: Node) -> str:
    """Return what a file is found by: the words of its path, its title, what it offers and takes.

    As seed 003 has it: slashes and dots are spaces; code adds its exported names and its
    imports, a document its first heading.
    """
    words = [_SEPARATORS.sub(" ", node.source.file_path).strip(), node.title]
    for key in ("exports", "imports"):
        words += _several(node, key)
    return " ".join(filter(None, words))


def embedding_text(node: Node, chunk: Chunk) -> str:
    """Return what is embedded: a line that says where the chunk is from, then its text.

    Of a file that is what it is found by; other nodes without text of their own have none.
    """
    if not chunk.text:
        return file_text(node) if node.type == "file" else ""
    names = dict.fromkeys(name for name in (node.title, node.name) if name)
    return f"{': '.join(names)}\n{chunk.text}" if names else chunk.text


def text_key(text: str) -> bytes:
    """Return the key under which the vector of `text` is kept: 16 bytes of its hash."""
    # Half of a surrogate pair, as broken files and JSON hold, has no UTF-8 of its own.
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


def embedding_key(node: Node, chunk: Chunk) -> bytes:
    """Return the key of a chunk's vector; empty if there is nothing to embed."""
    text = embedding_text(node, chunk)
    return text_key(text) if text else b""


def own_text(node: Node, whole: str) -> str:
    """Return the text of a node that lies in no other; `whole` is its document's text."""
    return "".join([whole[part.start : part.end] for part in node.own])


def _spanned(node: Node, whole: str) -> str:
    """Return the text of a node with all that lies in it; a file's is that of its content."""
    return "" if node.kind is Kind.FILE else whole[node.span.start : node.span.end]


def _signature(node: Node, _: Chunk) -> str:
    found = node.metadata.get("signature", "")
    return found if isinstance(found, str) else ""


def _comments(node: Node, chunk: Chunk) -> str:
    """Return the comments of code: lines that begin with the sign of one, whatever language."""
    if node.kind is not Kind.CODE:
        return ""
    return " ".join(_COMMENT.findall(chunk.text[:_MOST_COMMENTED]))


def _picked(pick: Callable[..., list[str]], node: Node, chunk: Chunk) -> str:
    """Return what `pick` finds in code, side by side; prose and records have none."""
    return " ".join(pick(chunk.text, language=node.language)) if node.kind is Kind.CODE else ""


def _several(node: Node, key: str) -> tuple[str, ...]:
    found = node.metadata.get(key, ())
    return found if isinstance(found, tuple) else (str(found),)


def _listed(key: str) -> Callable[[Node, Chunk], str]:
    return lambda node, _: " ".join(_several(node, key))


FIELDS: dict[str, Callable[[Node, Chunk], str]] = {
    "name": lambda node, _: node.name,
    "title": lambda node, _: node.title or node.name,
    "path": lambda node, _: node.source.file_path,
    "description": lambda node, _: node.description,
    "tags": lambda node, _: " ".join(node.tags),
    "signature": _signature,
    "comment": _comments,
    "keyword": partial(_picked, syntax.keywords_of),
    "operator": partial(_picked, syntax.operators_of),
    "triggers": _listed("triggers"),
    "headings": _listed("headings"),
    "previews": _listed("previews"),
    "file": lambda node, _: file_text(node),
    "body": lambda _, chunk: chunk.text,
    # Only views of whole nodes have it: there it is the node's text with all that lies in it.
    "content": lambda _, chunk: chunk.text,
}
