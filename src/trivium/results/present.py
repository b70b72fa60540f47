"""An Answer -> the one JSON shape of every door, or text for a terminal.

Keys and their order are those of the public contract; nothing is decided here. Called by
the doors.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from trivium.ranking.confidence import is_weak
from trivium.types import Answer, Chunk, Edge, Evidence, Hit, Node

if TYPE_CHECKING:
    from trivium.backends.base import FileHistory, Listed
    from trivium.parsing.skills import SectionPreview

# JSON as Python has it; a door serialises it.
Data = dict[str, object]
Style = Callable[[str, str], str]
# The path of a file in the index -> how to write it for this reader.
Place = Callable[[str], str]

_WHOLE_PERCENT = 100
# Enough to tell every chunk from the next, and too few to show that 0.29 * 100 is below 29.
_DIGITS = 9
# Line ends and tabs; and what joins letters of Persian, and the persons of a family, or parts them.
_KEPT = "\n\t\u200c\u200d"
# How a note begins that says what an answer without hits was looked for in.
SEARCHED = "searched"
_MOST_REASONS = 2
_NEAR_WORDS = "looked for near words as well: "
_LAST_OF_ONE_BYTE, _LAST_OF_TWO_BYTES = 0xFF, 0xFFFF


def as_data(answer: Answer) -> Data:
    """Return the answer as plain data with camelCase keys."""
    return {
        "query": answer.query,
        "profile": answer.profile,
        "method": answer.method,
        "embedder": answer.embedder,
        "collection": answer.collection,
        "results": [hit_data(hit) for hit in answer.results],
        "total": answer.total,
        "facets": {name: dict(counts) for name, counts in answer.facets.items()},
        "suggestions": list(answer.suggestions),
        "didYouMean": answer.better or None,
        "coverage": {
            "files": answer.coverage.files,
            "skipped": dict(answer.coverage.skipped),
            "embedded": round(answer.coverage.embedded, 4),
            "maskedSecrets": answer.coverage.masked,
        },
        "freshness": {
            "indexedAt": answer.freshness.indexed_at,
            "dirtyFiles": answer.freshness.dirty_files,
        },
        "degraded": [{"stage": one.stage, "reason": one.reason} for one in answer.degraded],
        "notes": list(answer.notes),
        "tookMs": answer.took_ms,
        "next": answer.next,
        "matching": answer.matching,
    }


def hit_data(hit: Hit) -> Data:
    """Return one hit as plain data."""
    data: Data = {
        "id": hit.id,
        "chunkId": hit.chunk_id,
        "kind": hit.node.kind.value,
        "type": hit.node.type,
        "name": hit.node.name,
        "title": hit.node.title,
        "description": hit.node.description,
        "language": hit.node.language,
        "score": hit.score,
        "scoreType": hit.score_type,
        "confidence": hit.confidence,
        "weak": is_weak(hit.confidence),
        "source": source_data(hit.node),
        "snippet": hit.snippet,
        "snippetLine": hit.start_line,
        "highlights": [list(mark) for mark in hit.highlights],
        "reason": hit.reason,
        "passages": [
            {
                "id": one.id,
                "score": one.score,
                "startLine": one.start_line,
                "endLine": one.end_line,
            }
            for one in hit.passages
        ],
        "tags": list(hit.node.tags),
        "context": None if hit.context is None else dict(hit.context),
    }
    if hit.is_duplicate:
        data["duplicate"] = True
    if hit.collection:
        data["collection"] = hit.collection
    if hit.breakdown is not None:
        data["scoreBreakdown"] = dict(hit.breakdown)
        if hit.evidence is not None:
            data["evidence"] = evidence_data(hit.evidence)
    return data


def evidence_data(evidence: Evidence) -> Data:
    """Return what a confidence is made of as plain data."""
    return {
        "sort": evidence.sort,
        "coverage": evidence.coverage,
        "named": evidence.named,
        "strength": evidence.strength,
        "known": evidence.known,
        "exact": evidence.exact,
        "cosine": evidence.cosine,
        "nearness": evidence.nearness,
    }


def source_data(node: Node) -> Data:
    """Return where a node stands as plain data."""
    return {
        "filePath": node.source.file_path,
        "startLine": node.source.start_line,
        "endLine": node.source.end_line,
    }


def item_data(
    node: Node,
    *,
    text: str,
    chunks: Sequence[Chunk],
    edges: Sequence[Edge],
    sections: Sequence[SectionPreview] = (),
    history: FileHistory | None = None,
) -> Data:
    """Return a node with its whole text, its sections, chunks and edges as plain data."""
    metadata = dict(node.metadata)
    if history is not None:
        metadata |= {
            "lastAuthor": history.author,
            "lastModified": history.modified,
            "churn": history.churn,
        }
    return {
        "id": node.id,
        "kind": node.kind.value,
        "type": node.type,
        "name": node.name,
        "title": node.title,
        "description": node.description,
        "domain": node.domain,
        "language": node.language,
        "source": source_data(node),
        "tags": list(node.tags),
        "metadata": metadata,
        "sections": [
            {"heading": one.heading, "preview": one.preview, "level": one.level} for one in sections
        ],
        "chunks": [one.id for one in chunks],
        "edges": [edge_data(one) for one in edges],
        "text": text,
    }


def edge_data(edge: Edge) -> Data:
    """Return an edge as plain data."""
    return {
        "source": edge.source,
        "target": edge.target,
        "type": edge.type.value,
        "weight": round(edge.weight, 4),
        "context": edge.context,
    }


def plain(text: str, style: str) -> str:
    """Leave text as it is, whatever the style."""
    del style
    return text


def as_text(
    answer: Answer, *, style: Style = plain, explain: bool = False, place: Place = str
) -> str:
    """Return the hits for a terminal: place, name, id, reason, and the lines that matched."""
    blocks = [
        _hit_text(number, hit, style, explain=explain, place=place)
        for number, hit in enumerate(answer.results, 1)
    ]
    return "\n\n".join(blocks)


def _hit_text(number: int, hit: Hit, style: Style, *, explain: bool, place: Place) -> str:
    path = hit.node.source.file_path
    shown = f"{hit.collection}/{path}" if hit.collection else place(path)
    where = f"{one_line(shown)}:{hit.start_line}"
    head = f"{number}. {style(where, 'place')}  {style(one_line(label(hit.node)), 'name')}"
    scored = "context" if hit.context is not None else f"score {hit.score:.3f}"
    if hit.confidence is not None:
        weak = " (weak)" if is_weak(hit.confidence) else ""
        scored = f"{scored}, confidence {hit.confidence:.2f}{weak}"
    about = f"{hit.id}  {hit.node.type}, {scored}: {hit.reason}"
    body = textwrap.indent(_marked(hit.snippet, hit.highlights, style), "   │ ", lambda _: True)
    lines = [head, style(f"   {one_line(about)}", "dim"), body]
    if explain and hit.context is None:
        lines += [f"   {part.value:+.4f}  {one_line(part.name)}" for part in hit.parts]
        lines.append(f"   {hit.score:.4f}  = score")
        lines += _in_mode(hit)
    return "\n".join(lines)


def _in_mode(hit: Hit) -> list[str]:
    """Return the line on what put a hit at its rank in its mode, where modes were merged."""
    ranks = (hit.breakdown or {}).get("rrf")
    own = ranks.get("inMode") if isinstance(ranks, dict) else None
    if own is None:
        return []
    parts = ", ".join(f"{part['value']:+.4f} {one_line(part['name'])}" for part in own["parts"])
    return [f"   in {own['mode']}: {own['score']:.4f} = {parts}"]


def label(node: Node) -> str:
    """Return the name that tells a node from its neighbours: Guard.check, Install/From source."""
    return node.id.partition("#")[2] or node.name


def _marked(text: str, marks: Sequence[tuple[int, int]], style: Style) -> str:
    shown: list[str] = []
    at = 0
    for first, last in marks:
        shown += [printable(text[at:first]), style(printable(text[first:last]), "mark")]
        at = last
    shown.append(printable(text[at:]))
    return "".join(shown)


def printable(text: str) -> str:
    """Make control characters visible: an index may hold text that would steer a terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _KEPT else _code(char) for char in text)


def _code(char: str) -> str:
    point = ord(char)
    if point > _LAST_OF_TWO_BYTES:
        return f"\\U{point:08x}"
    return f"\\u{point:04x}" if point > _LAST_OF_ONE_BYTE else f"\\x{point:02x}"


def one_line(text: str) -> str:
    """Make a name printable on one line: those of files may hold line ends."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def embedded(share: float, *, chunks: int) -> str:
    """Say how many of the chunks have a vector; nothing less than all of them is 100%."""
    percent = math.floor(round(share * _WHOLE_PERCENT, _DIGITS))
    missing = chunks - round(share * chunks)
    return f"{percent}%, {counted(missing, 'chunk')} to go" if share and missing else f"{percent}%"


def in_lists(found: Listed | None) -> str:
    """Say how very many vectors are searched; nothing of a space that is scanned whole."""
    if found is None:
        return ""
    whole = f", {found.scanned:,} scanned in full" if found.scanned else ""
    return f", {found.vectors:,} vectors in {found.lists:,} lists{whole}"


def filling(model: str, share: float, texts: int, seconds: float | None) -> str:
    """Say how much a model has embedded and has yet to, and how long that takes, if known."""
    percent = math.floor(round(share * _WHOLE_PERCENT, _DIGITS))
    if not texts:
        return f"{model} {percent}%, to be published by the next search or index"
    left = f"{model} {percent}%, {counted(texts, 'text')} to go"
    if seconds is None:
        return left
    minutes = math.ceil(seconds / 60)
    return f"{left}, about {minutes} min" if minutes > 1 else f"{left}, a minute at most"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 file, 1,200 files."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def footer(answer: Answer, *, explain: bool = False) -> list[str]:
    """Return what a person should know about how the answer was found, a line each.

    Ordinarily one or two: how it was found, with what was not searched, and related searches.
    More only where something went less well, or was asked for with `explain`.
    """
    notes = told(answer, explain=explain)
    if not answer.results and any(note.startswith(f"{SEARCHED} ") for note in answer.notes):
        # A note says what was searched and passed over.
        return notes
    count = sum(hit.context is None for hit in answer.results)
    shown = "none" if answer.total and not answer.results else count
    by = f"best {answer.total} by {_means(answer)}"
    if answer.method == "hybrid" and answer.matching == 0:
        by = f"nearest {answer.total} by meaning ({answer.embedder})"
    files = counted(answer.coverage.files, "file")
    found = f"{shown} of the {by} in {files}, {answer.took_ms:.0f} ms"
    return ["; ".join(filter(None, (found, wordless(answer), not_searched(answer)))), *notes]


def wordless(answer: Answer) -> str:
    """Return how many of those found have no word of the query; nothing where all have one."""
    if answer.matching is None or answer.matching == answer.total:
        return ""
    if not answer.matching:
        return "none has a word of the query"
    without = answer.total - answer.matching
    return f"{without:,} {'has' if without == 1 else 'have'} no word of the query"


def not_searched(answer: Answer) -> str:
    """Return how many files were passed over, by reason while there are few of those."""
    skipped = answer.coverage.skipped
    if not skipped:
        return ""
    if len(skipped) > _MOST_REASONS:
        return f"{counted(sum(skipped.values()), 'file')} not searched (see: trivium status)"
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(skipped.items()))
    return f"not searched: {reasons}"


def told(answer: Answer, *, explain: bool = False) -> list[str]:
    """Return all but how an answer was found: what it lacks, and what to look for next."""
    said: list[str] = []
    asked = [hit for hit in answer.results if hit.context is None]
    if asked and all(is_weak(hit.confidence) for hit in asked):
        said.append("all of these are weak: there may be no answer here")
    dirty = answer.freshness.dirty_files
    if dirty:
        is_ = "is" if dirty == 1 else "are"
        said.append(f"{counted(dirty, 'changed file')} {is_} not in the index yet")
    if answer.better:
        said.append(f"did you mean: {one_line(answer.better)}")
    elif answer.suggestions:
        said.append(f"related: {', '.join(map(one_line, answer.suggestions))}")
    said += [f"{one.stage}: {one.reason}" for one in answer.degraded]
    # What was meant is said already; which word stands for which is an explanation.
    is_said = bool(answer.better) and not explain
    return said + [note for note in answer.notes if not (is_said and note.startswith(_NEAR_WORDS))]


def facets_lines(answer: Answer) -> list[str]:
    """Return the facets a line each: kind: code 12, doc 3."""
    return [
        f"{name}: {', '.join(f'{one_line(value)} {count:,}' for value, count in counts.items())}"
        for name, counts in answer.facets.items()
        if counts
    ]


def _means(answer: Answer) -> str:
    if answer.method == "hybrid":
        return f"words and meaning ({answer.embedder})"
    if answer.method == "degree":
        return "links"
    return f"meaning ({answer.embedder})" if answer.method == "vector" else "words"
