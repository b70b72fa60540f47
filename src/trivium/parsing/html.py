"""Text that was made from HTML or an office file -> its document and section nodes.

Such text has Markdown's headings, fences, code spans and links and nothing else of it: a line
of dashes or a tag in it is what the page says. sources/convert.py makes it, line for line.
"""

from __future__ import annotations

from trivium.parsing.detect import FileType
from trivium.parsing.inline import Flavour
from trivium.parsing.markdown import read
from trivium.types import Document, Parsed


def html(document: Document, file_type: FileType) -> Parsed:
    """Return the document node, then its sections and code blocks in order, and what links them."""
    return read(document, file_type, flavour=Flavour(is_converted=True))
