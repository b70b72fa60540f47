"""A Jupyter notebook -> Markdown: its cells in order, what they print in short.

Reads formats 3 and 4 without any library. Pictures and pages that cells made are left out; text
that is no notebook is not touched. Called by convert().
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from trivium.sources.webpage import fence_for

_LONGEST_OUTPUT = 2000

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
# A cell that starts with one of these is in that language, whatever the kernel's is.
_MAGIC = re.compile(r"\s*%%(bash|sh|html|javascript|js|sql|R|ruby|perl|latex|markdown|cython)\b")

Json = dict[str, object]


def notebook(text: str) -> str | None:
    """Return a notebook as Markdown, None if the text is none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    cells = _cells(data)
    if cells is None:
        return None
    language = _language(data)
    pieces = [piece for cell in cells for piece in _cell(cell, language)]
    return "\n\n".join(pieces) + "\n" if pieces else ""


def _cells(data: Json) -> list[Json] | None:
    """Return the cells: of the notebook, or of its sheets in format 3; None if it has neither."""
    sheets = data.get("worksheets")
    if isinstance(sheets, list):
        found = [_list(sheet.get("cells")) for sheet in sheets if isinstance(sheet, dict)]
        return [cell for cells in found for cell in cells if isinstance(cell, dict)]
    cells = data.get("cells")
    if not isinstance(cells, list) or not any(key in data for key in ("nbformat", "metadata")):
        return None
    return [cell for cell in cells if isinstance(cell, dict)]


def _language(data: Json) -> str:
    metadata = _map(data.get("metadata"))
    for one, key in (
        (_map(metadata.get("language_info")), "name"),
        (_map(metadata.get("kernelspec")), "language"),
    ):
        if isinstance(name := one.get(key), str) and re.fullmatch(r"[\w+#-]{1,40}", name):
            return name.lower()
    return "python"


def _cell(cell: Json, language: str) -> Iterator[str]:
    kind = cell.get("cell_type")
    source = _text(cell.get("source", cell.get("input"))).strip("\n")
    if kind == "code":
        own = cell.get("language")
        yield from _code(source, own if isinstance(own, str) and own else language)
        yield from _outputs(_list(cell.get("outputs")))
    elif kind == "heading" and source.strip():
        level = cell.get("level")
        marks = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1)  # noqa: PLR2004
        yield f"{marks} {' '.join(source.split())}"
    elif source.strip():
        yield _closed(source)


def _code(source: str, language: str) -> Iterator[str]:
    if source.strip():
        magic = _MAGIC.match(source)
        fence = fence_for(source.split("\n"))
        yield f"{fence}{magic[1].lower() if magic else language}\n{source}\n{fence}"


def _outputs(outputs: Sequence[object]) -> Iterator[str]:
    """Yield what a cell printed, in one piece and not too long."""
    said = "\n".join(
        text for one in outputs if isinstance(one, dict) and (text := _output(one).strip("\n"))
    )
    said = _COLOUR.sub("", said[: 4 * _LONGEST_OUTPUT])
    if said.strip():
        short = said if len(said) <= _LONGEST_OUTPUT else said[: _LONGEST_OUTPUT - 1] + "…"
        fence = fence_for(short.split("\n"))
        yield f"{fence}output\n{short}\n{fence}"


def _output(output: Json) -> str:
    kind = output.get("output_type")
    if kind in ("error", "pyerr"):
        return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
    data = _map(output.get("data"))
    return _text(output.get("text", data.get("text/plain")))


def _closed(source: str) -> str:
    """Return Markdown with an end for a fence that has none, so that it hides no other cell."""
    fence = ""
    for line in source.split("\n"):
        found = _FENCE.match(line)
        if found is not None and not fence:
            fence = found[1]
        elif found is not None and line.strip() == line.strip()[0] * len(line.strip()):
            is_end = found[1][0] == fence[0] and len(found[1]) >= len(fence)
            fence = "" if is_end else fence
    return f"{source}\n{fence}" if fence else source


def _text(value: object) -> str:
    """Return a text that is kept whole or as a list of lines."""
    if isinstance(value, list):
        return "".join(one for one in value if isinstance(one, str))
    return value if isinstance(value, str) else ""


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _map(value: object) -> Json:
    return value if isinstance(value, dict) else {}
