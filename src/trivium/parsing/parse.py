"""A Document -> its Nodes and Edges: picks the parser and survives its failures.

Never raises, whatever the text: a parser that fails is replaced by the plain one, so the text
is still found, and the reason is kept in `failure` for the indexer to count.
"""

from __future__ import annotations

from trivium.parsing.code.reader import read
from trivium.parsing.detect import PLAIN, detect
from trivium.parsing.markdown import markdown
from trivium.parsing.plain import plain
from trivium.types import Document, Parsed

_HEAD = 200


def parse(document: Document) -> Parsed:
    """Return what the document is made of."""
    file_type = detect(document.path, document.text[:_HEAD])
    if file_type.parser == PLAIN:
        return plain(document, file_type)
    try:
        if file_type.parser == "markdown":
            return markdown(document, file_type)
        return read(document, file_type)
    except Exception as error:  # noqa: BLE001 - grammars fail in ways nobody can list beforehand
        fallback = plain(document, file_type)
        return Parsed(
            fallback.nodes, failure=f"{file_type.parser}: {error or type(error).__name__}"
        )
