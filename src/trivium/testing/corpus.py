"""Named texts -> small files as a parser would give them, ready to be written.

Everything is fixed or comes from a seeded generator, so a test that fails fails again.
Called by the contract suite and by tests that need an index with something in it.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trivium.backends.base import FileContent, FileState
from trivium.types import (
    NO_METADATA,
    Chunk,
    ChunkId,
    Document,
    Edge,
    EdgeType,
    Kind,
    Location,
    Node,
    NodeId,
    Span,
    lines_of,
)

_CHUNK_GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Section:
    """One node to be: each paragraph of `text` becomes a chunk; `calls` names other nodes."""

    name: str
    text: str
    kind: Kind = Kind.DOC
    type: str = "section"
    language: str = ""
    domain: str = ""
    tags: tuple[str, ...] = ()
    title: str = ""
    description: str = ""
    signature: str = ""
    calls: tuple[str, ...] = ()


def make_file(
    path: str, sections: Iterable[Section], *, mtime_ns: int = 1, masked: int = 0
) -> FileContent:
    """Return a file with one node for itself and one per section, linked by `contains`."""
    sections = tuple(sections)
    text = _CHUNK_GAP.join(section.text for section in sections)
    (whole_lines,) = lines_of(text, [Span(0, len(text))])
    file_id = NodeId(path)
    file_node = Node(
        id=file_id,
        kind=Kind.FILE,
        type="file",
        name=path.rpartition("/")[2],
        source=Location(path, *whole_lines),
        span=Span(0, len(text)),
        own=_gaps(sections),
    )
    nodes, chunks, edges = [file_node], list[Chunk](), list[Edge]()
    start = 0
    for section in sections:
        node = _node(path, section, start=start, text=text)
        nodes.append(node)
        chunks += _chunks(node, text)
        edges.append(Edge(file_id, node.id, EdgeType.CONTAINS))
        edges += (Edge(node.id, NodeId(one), EdgeType.CALLS, 0.5, "call") for one in section.calls)
        start += len(section.text) + len(_CHUNK_GAP)
    digest = hashlib.sha256(text.encode()).hexdigest()
    state = FileState(path, len(text.encode()), mtime_ns, digest, masked)
    return FileContent(state, Document(path, text), tuple(nodes), tuple(edges), tuple(chunks))


def node_id(path: str, name: str) -> NodeId:
    """Return the id that `make_file` gives to a section."""
    return NodeId(f"{path}#{name}")


def chunk_id(path: str, name: str, *, number: int = 0) -> ChunkId:
    """Return the id that `make_file` gives to a paragraph of a section, counted from 0."""
    return ChunkId(f"{node_id(path, name)}@{number}")


def _gaps(sections: Sequence[Section]) -> tuple[Span, ...]:
    """Return what lies between the sections; one section alone leaves the file nothing."""
    ends = itertools.accumulate(len(section.text) + len(_CHUNK_GAP) for section in sections[:-1])
    return tuple(Span(end - len(_CHUNK_GAP), end) for end in ends)


def _node(path: str, section: Section, *, start: int, text: str) -> Node:
    span = Span(start, start + len(section.text))
    (lines,) = lines_of(text, [span])
    return Node(
        id=node_id(path, section.name),
        kind=section.kind,
        type=section.type,
        name=section.name,
        source=Location(path, *lines),
        span=span,
        own=(span,),
        description=section.description,
        tags=section.tags,
        domain=section.domain,
        language=section.language,
        title=section.title,
        metadata={"signature": section.signature} if section.signature else NO_METADATA,
    )


def _chunks(node: Node, text: str) -> list[Chunk]:
    made: list[Chunk] = []
    start = node.span.start
    for number, paragraph in enumerate(text[node.span.start : node.span.end].split(_CHUNK_GAP)):
        span = Span(start, start + len(paragraph))
        ((first, last),) = lines_of(text, [span])
        chunk_name = ChunkId(f"{node.id}@{number}")
        made.append(Chunk(chunk_name, node.id, paragraph, span, first, last))
        start = span.end + len(_CHUNK_GAP)
    return made


def small() -> tuple[FileContent, ...]:
    """Return a dozen files of code, prose, notes and Japanese, every attribute in use."""
    return tuple(
        make_file(path, sections, mtime_ns=number, masked=number % 3)
        for number, (path, sections) in enumerate(_SMALL, start=1)
    )


def generated(*, seed: int = 7, files: int = 60) -> tuple[FileContent, ...]:
    """Return about five chunks per file, from one word to hundreds, with a skewed vocabulary.

    Some sections come again word for word under other paths, so that scores tie.
    """
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    made: list[FileContent] = []
    earlier: list[Section] = []
    for number in range(files):
        sections = [_generated_section(chance, f"part{number}x{i}") for i in range(3)]
        if earlier and chance.random() < 0.3:
            sections.append(chance.choice(earlier))
        earlier += sections[:3]
        folder = chance.choice(("src", "docs", "Src/Deep", "notes"))
        ending = chance.choice((".py", ".md", ".GO", ".txt", ""))
        made.append(make_file(f"{folder}/file{number}{ending}", sections, mtime_ns=number + 1))
    return tuple(made)


def _generated_section(chance: random.Random, name: str) -> Section:
    def words(count: int) -> str:
        return " ".join(chance.choices(VOCABULARY, weights=_SKEW, k=count))

    sizes = [chance.choice((1, 4, 12, 30, 45, 80, 300)) for _ in range(chance.choice((1, 1, 2, 3)))]
    return Section(
        name=f"{chance.choice(VOCABULARY)}_{name}",
        text=_CHUNK_GAP.join(words(size) for size in sizes),
        kind=chance.choice((Kind.CODE, Kind.DOC, Kind.NOTE)),
        type=chance.choice(("function", "class", "section", "")),
        language=chance.choice(("python", "go", "")),
        domain=chance.choice(("billing", "search", "")),
        tags=tuple(chance.sample(("red", "Green", "deep blue"), k=chance.choice((0, 1, 2)))),
        title=words(2) if chance.random() < 0.5 else "",
        description=words(5) if chance.random() < 0.5 else "",
        signature=words(3) if chance.random() < 0.3 else "",
    )


_WORDS = """
    index query vector score search chunk file node edge rank parse token cache store read
    write merge segment batch writer reader snapshot fooBar HTTPServer2 parse_query open_index
    readFile running runner quickly lock thread queue buffer page table column row key value
    hash tree branch leaf root graph cosine distance nearest filter where limit depth order
    検索 全文検索 索引 ベクトル 검색 поиск naïve café x86 42 3 v2 utf8 the and of to is not for
    zebra quokka ocelot lynx heron ibis
"""
# Most used first: the chance of a word falls with its place, as in real text (Zipf, 1949).
VOCABULARY: Sequence[str] = tuple(_WORDS.split())
_SKEW = tuple(1 / (place + 1) for place in range(len(VOCABULARY)))

_CODE = Kind.CODE
_SMALL: Sequence[tuple[str, tuple[Section, ...]]] = (
    (
        "src/store.py",
        (
            Section(
                "VectorStore",
                "class VectorStore:\n    keeps unit vectors on disk and reads them back",
                _CODE,
                "class",
                "python",
                "search",
                ("storage", "Core"),
                description="Where vectors live.",
            ),
            Section(
                "put_vectors",
                "def put_vectors(keys, vectors):\n    write every vector under its key\n\n"
                "    for key in keys: store.write(key)",
                _CODE,
                "function",
                "python",
                "search",
                signature="put_vectors(keys, vectors) -> None",
                calls=("src/lock.go#acquireLock",),
            ),
        ),
    ),
    (
        "src/lock.go",
        (
            Section(
                "acquireLock",
                "func acquireLock(path string) error {\n  // wait for the writer to let go\n}",
                _CODE,
                "function",
                "go",
                "storage",
                ("core",),
            ),
        ),
    ),
    (
        "src/http/HTTPServer2.java",
        (
            Section(
                "HTTPServer2",
                "public class HTTPServer2 { void handleRequest(Request request) {} }",
                _CODE,
                "class",
                "java",
                tags=("http server",),
                description="Answers requests over HTTP.",
            ),
            Section("handleRequest", "parse the request, then answer it", _CODE, "method", "java"),
        ),
    ),
    (
        "docs/guide.md",
        (
            Section(
                "How vectors are stored",
                "A vector is stored as whole numbers and one scale. The quick brown fox reads it.",
                language="markdown",
                domain="docs",
                tags=("guide", "storage"),
                title="Guide",
            ),
            Section(
                "Searching",
                "Type words. Words side by side are alternatives; quick answers come first.\n\n"
                "A phrase in quotes must be there: the brown quick fox is not the quick brown fox.",
                language="markdown",
                domain="docs",
                title="Guide",
            ),
        ),
    ),
    (
        "docs/日本語.md",
        (
            Section(
                "検索",
                "全文検索エンジンは文書の索引を作ります。検索は速いです。",
                language="markdown",
                domain="docs",
                tags=("日本語",),
                title="日本語の手引き",
            ),
        ),
    ),
    ("docs/korean.txt", (Section("검색", "전문 검색 엔진과 vector 검색"),)),
    ("docs/русский.txt", (Section("Поиск", "Полнотекстовый поиск по документам"),)),
    (
        "notes/todo.txt",
        (
            Section(
                "todo", "merge segments when deletes pile up", Kind.TASK, "task", tags=("open",)
            ),
            Section("idea", "cache the tokens of a query", Kind.NOTE, "", domain="Billing"),
        ),
    ),
    (
        "data/rows.jsonl",
        (
            Section("row 1", '{"name": "Ada", "note": "first vector"}', Kind.RECORD, "record"),
            Section("row 2", '{"name": "Grace", "note": "quick"}', Kind.RECORD, "record"),
        ),
    ),
    ("Makefile", (Section("all", "all: test\n\ttest the quick build", _CODE, "rule", "make"),)),
    (".hidden", (Section("hidden", "quick settings with no ending"),)),
    (
        "skills/odd [name] (1).md",
        (
            Section(
                "100% *odd*",
                "a name_with.odd signs: a+b, [c], {d}, x|y, back\\slash, per_cent%",
                Kind.SKILL,
                "skill",
                tags=("a.b", "c*d"),
            ),
        ),
    ),
    ("empty.txt", (Section("empty", ""),)),
)
