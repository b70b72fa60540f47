"""A chunk and its node -> the text of each field that is indexed or embedded.

The one place that says what "name" or "body" means, so that every backend indexes the
same words. Called by backends when they write.
"""

from __future__ import annotations

import hashlib
import re

from trivium.errors import ConfigError
from trivium.types import Chunk, Node, View

_FIELDS = ("name", "title", "path", "description", "tags", "signature", "file", "body")
_SEPARATORS = re.compile(r"[/\\.]+")


def check(view: View) -> None:
    """Raise ConfigError if the view names a field that does not exist."""
    for field, weight in view.fields:
        if field not in _FIELDS:
            raise ConfigError(
                f"Unknown field {field!r} in a profile. Fields: {', '.join(_FIELDS)}."
            )
        if weight < 1:
            raise ConfigError(f"The weight of field {field!r} must be a whole number from 1 up.")


def text_of(field: str, node: Node, chunk: Chunk) -> str:  # noqa: PLR0911 - one per field
    """Return the text of one field; empty if the node has none."""
    if field == "body":
        return chunk.text
    if field == "name":
        return node.name
    if field == "title":
        return node.title or node.name
    if field == "path":
        return node.source.file_path
    if field == "description":
        return node.description
    if field == "tags":
        return " ".join(node.tags)
    if field == "file":
        return file_text(node)
    signature = node.metadata.get("signature", "")
    return signature if isinstance(signature, str) else ""


def file_text(node: Node) -> str:
    """Return what a file is found by: the words of its path, its title, what it offers and takes.

    As seed 003 has it: slashes and dots are spaces; code adds its exported names and its
    imports, a document its first heading.
    """
    words = [_SEPARATORS.sub(" ", node.source.file_path).strip(), node.title]
    for key in ("exports", "imports"):
        found = node.metadata.get(key, ())
        words += found if isinstance(found, tuple) else ()
    return " ".join(filter(None, words))


def embedding_text(node: Node, chunk: Chunk) -> str:
    """Return what is embedded: a line that says where the chunk is from, then its text."""
    names = dict.fromkeys(name for name in (node.title, node.name) if name)
    return f"{': '.join(names)}\n{chunk.text}" if names else chunk.text


def text_key(text: str) -> bytes:
    """Return the key under which the vector of `text` is kept: 16 bytes of its hash."""
    # Half of a surrogate pair, as broken files and JSON hold, has no UTF-8 of its own.
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
