"""How fast files become nodes and edges, and how many calls find what they call.

Bytes to nodes and edges in memory: decode, parse, link, no store. The peer is tree-sitter
alone over the same bytes. On Python's own standard library, and on any folders given, such as
the node_modules of a package. Run: python -m benchmarks.structure [FOLDER ...]
"""

from __future__ import annotations

import gc
import sysconfig
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.measure import Row, arguments, report, verdict
from trivium.linker import project_facts_of
from trivium.linking.resolve import link
from trivium.linking.targets import BY_NAME
from trivium.linking.world import Paths, World
from trivium.parsing.code.table import load
from trivium.parsing.detect import detect
from trivium.parsing.parse import parse
from trivium.sources.base import Raw
from trivium.sources.files import FolderSource
from trivium.types import Document, EdgeType, Kind, Node, NodeId, Parsed, Reference, Symbol

_LEAST_FILES_PER_S = 100
_KEPT_BY_A_WORKER = 20


class InMemory:
    """Parsed documents as what linking asks: a store without a store."""

    def __init__(self, parsed: Mapping[str, Parsed]) -> None:
        self._parsed = parsed
        self._nodes = {node.id: node for one in parsed.values() for node in one.nodes}
        self._named: dict[str, list[Symbol]] = {}
        for node in self._nodes.values():
            if node.kind is Kind.CODE:
                self._named.setdefault(node.name, []).append(_symbol(node))

    def symbols(self, names: Sequence[str], *, most: int) -> Mapping[str, Sequence[Symbol]]:
        return {name: self._named[name][:most] for name in names if name in self._named}

    def outline(self, path: str) -> Sequence[Symbol]:
        found = self._parsed.get(path)
        nodes = () if found is None else found.nodes
        return [_symbol(node) for node in nodes if node.kind is Kind.CODE]

    def headings(self, path: str) -> Sequence[NodeId]:
        found = self._parsed.get(path)
        nodes = () if found is None else found.nodes
        return [node.id for node in nodes if node.kind is not Kind.FILE]

    def references(self, path: str) -> tuple[Reference, ...]:
        found = self._parsed.get(path)
        return () if found is None else found.references

    def nodes(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Node]:
        return {one: self._nodes[one] for one in ids if one in self._nodes}


def _symbol(node: Node) -> Symbol:
    return Symbol(node.id, node.type, node.language, node.source.file_path)


def measure(folder: Path, *, name: str) -> Row:
    """Return what one folder gives."""
    source = FolderSource(folder, extra_ignores=("site-packages/",) if name == "stdlib" else ())
    raws = [raw for entry in source.list().entries if isinstance(raw := source.read(entry), Raw)]
    code = [raw for raw in raws if _is_code(raw)]
    started = time.process_time()
    parsed: dict[str, Parsed] = {}
    for number, raw in enumerate(code):
        parsed[raw.entry.path] = parse(Document(raw.entry.path, raw.text))
        if number % _KEPT_BY_A_WORKER == 0:
            # A worker hands its files on; we keep them all, and they are nobody's garbage.
            gc.freeze()
    read_s = time.process_time() - started
    known = InMemory(parsed)
    started = time.process_time()
    paths = Paths(parsed)
    world = World(known, paths, projects=project_facts_of(known, paths))
    edges = Counter[EdgeType]()
    sure = Counter[EdgeType]()
    resolved = 0
    for path, one in parsed.items():
        links = link(path, one.references, world=world)
        called = {(edge.source, edge.context.partition(";")[0]) for edge in links.edges}
        resolved += len(called)
        edges.update(edge.type for edge in links.edges)
        sure.update(edge.type for edge in links.edges if edge.weight > BY_NAME)
        edges.update(edge.type for edge in one.edges)
    link_s = time.process_time() - started
    bare_ms = _bare_ms(code)
    calls = sum(one.type is EdgeType.CALLS for each in parsed.values() for one in each.references)
    return {
        "folder": name,
        "files": len(parsed),
        "MB": sum(len(raw.text) for raw in code) / 1e6,
        "nodes": sum(len(one.nodes) for one in parsed.values()),
        "edges": sum(edges.values()),
        "plain": sum(bool(one.failure) for one in parsed.values()),
        "files/CPU-s": len(parsed) / (read_s + link_s),
        "read ms": 1000 * read_s / max(1, len(parsed)),
        "link ms": 1000 * link_s / max(1, len(parsed)),
        "tree-sitter ms": bare_ms,
        "ratio": 1000 * (read_s + link_s) / max(1, len(parsed)) / bare_ms if bare_ms else 0.0,
        "calls": calls,
        "call edges": edges[EdgeType.CALLS],
        "sure": sure[EdgeType.CALLS],
        "target": verdict(len(parsed) / (read_s + link_s), least=_LEAST_FILES_PER_S),
    }


def _is_code(raw: Raw) -> bool:
    file_type = detect(raw.entry.path, raw.text[:4000])
    return file_type.kind is Kind.CODE and file_type.parser != "plain"


def _bare_ms(raws: Iterable[Raw]) -> float:
    """Return what tree-sitter alone takes, a file."""
    from tree_sitter import Parser

    count = 0
    spent = 0.0
    for raw in raws:
        file_type = detect(raw.entry.path, raw.text[:4000])
        try:
            parser = Parser(load(file_type.parser).language)
        except ImportError:
            continue
        data = raw.text.encode("utf-8", "surrogatepass")
        started = time.process_time()
        parser.parse(data)
        spent += time.process_time() - started
        count += 1
    return 1000 * spent / max(1, count)


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "")
    parser.add_argument("folders", nargs="*", type=Path)
    asked = parser.parse_args()
    # As in the workers, which read all larger folders.
    gc.set_threshold(100_000, 50, 50)
    library = Path(sysconfig.get_path("stdlib"))
    rows = [measure(library, name="stdlib")]
    rows += [measure(folder, name=folder.name) for folder in asked.folders]
    report("structure", rows, to=asked.json)


if __name__ == "__main__":
    main()
