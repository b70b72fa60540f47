"""What linking knows of all the other files: their paths, outlines, bindings and projects.

Asks a Known, which a snapshot can be, and remembers a bounded number of its answers. Used by
the resolver; made by the indexer for one run of linking.
"""

from __future__ import annotations

from bisect import insort
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, TypeVar

from trivium.analysis.slugs import slugify
from trivium.linking.keys import FOLDER_STEMS, stem_of
from trivium.linking.languages import ways_of
from trivium.linking.projects import Projects
from trivium.types import EdgeType, Node, NodeId, Reference, Symbol

# A name with more definitions than this says nothing by itself.
MOST_NAMED = 64
_MOST_OUTLINES = 4096
_MOST_NAMES = 200_000
_BINDING = frozenset({EdgeType.IMPORTS, EdgeType.EXPORTS})

Outline = Mapping[str, Symbol]
Key = TypeVar("Key")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Module:
    """Where an import leads: files, and the names inside them that the path went on to."""

    paths: tuple[str, ...]
    rest: tuple[str, ...] = ()


class Known(Protocol):
    """What a World asks for; a backend's Snapshot has it."""

    def symbols(self, names: Sequence[str], *, most: int) -> Mapping[str, Sequence[Symbol]]:
        """Return the code of these exact names, at most `most` of each."""
        ...

    def outline(self, path: str) -> Sequence[Symbol]:
        """Return the code nodes of one file in order."""
        ...

    def headings(self, path: str) -> Sequence[NodeId]:
        """Return the nodes of a file but the file's own, in order."""
        ...

    def references(self, path: str) -> tuple[Reference, ...]:
        """Return what a file names."""
        ...

    def nodes(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Node]:
        """Return these nodes by their ids."""
        ...


@dataclass(slots=True)
class Bindings:
    """What the imports of one file bind.

    Names; modules that are used by their whole dotted path; modules whose names are all bound
    (`stars`); and those that are named and bind nothing (`plain`).
    """

    by_name: dict[str, Reference] = field(default_factory=dict)
    modules: dict[str, Reference] = field(default_factory=dict)
    stars: list[Reference] = field(default_factory=list)
    plain: list[Reference] = field(default_factory=list)


class Paths:
    """The paths of all files, by what imports and links name them by."""

    def __init__(self, files: Iterable[str]) -> None:
        self.all = {path for path in files if not path.endswith("/")}
        self.by_stem: defaultdict[str, list[str]] = defaultdict(list)
        self.by_module: defaultdict[str, list[str]] = defaultdict(list)
        self.folders: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self.all):
            for named in self._named(path):
                named.append(path)
        self._see_folders()

    @cached_property
    def by_slug(self) -> dict[str, list[str]]:
        """Files by the slugs of their stems, as wikilinks name them."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.all):
            found.setdefault(slugify(stem_of(path)), []).append(path)
        return found

    def change(self, *, came: Iterable[str], went: Iterable[str]) -> None:
        """Take in that some files came and some went, at the cost of these alone."""
        folders = {*self.folders}
        for path in self.all.intersection(went):
            for named in self._lists(path):
                named.remove(path)
            self.all.discard(path)
        for path in set(came) - self.all:
            for named in self._lists(path):
                insort(named, path)
            self.all.add(path)
        for folder in [one for one, paths in self.folders.items() if not paths]:
            del self.folders[folder]
        if self.folders.keys() != folders:
            self._see_folders()

    def _see_folders(self) -> None:
        self.above = _with_parents(self.folders)
        self.folders_by_name: defaultdict[str, list[str]] = defaultdict(list)
        for folder in self.folders:
            self.folders_by_name[folder.rpartition("/")[2]].append(folder)

    def _lists(self, path: str) -> list[list[str]]:
        """Return all lists that a path stands in, or is to."""
        found = self._named(path)
        if "by_slug" in vars(self):
            found.append(self.by_slug.setdefault(slugify(stem_of(path)), []))
        return found

    def _named(self, path: str) -> list[list[str]]:
        """Return the lists that a path stands in from the start."""
        stem = stem_of(path).lower()
        folder = path.rpartition("/")[0]
        found = [self.by_stem[stem], self.by_module[stem], self.folders[folder]]
        if stem in FOLDER_STEMS and folder:
            found.append(self.by_module[folder.rpartition("/")[2].lower()])
        return found


class World:
    """The other files, as linking sees them."""

    def __init__(self, known: Known, paths: Paths, *, projects: Projects) -> None:
        self._known = known
        self._paths = paths
        self.projects = projects
        self.paths = paths.all
        self.by_stem = paths.by_stem
        self.by_module = paths.by_module
        self.folders = paths.folders
        self._outlines: OrderedDict[str, Outline] = OrderedDict()
        self._bindings: OrderedDict[str, Bindings] = OrderedDict()
        self._extends: OrderedDict[str, list[Reference]] = OrderedDict()
        self._sections: OrderedDict[str, Sequence[NodeId]] = OrderedDict()
        self._named: OrderedDict[str, tuple[Symbol, ...]] = OrderedDict()
        self._near: OrderedDict[tuple[str, str], Sequence[Symbol]] = OrderedDict()
        self._modules: OrderedDict[tuple[str, str, str], Module] = OrderedDict()

    def has_folder(self, path: str) -> bool:
        """Whether any file lies in or below this folder."""
        return path in self._paths.above

    def folders_ending_in(self, tail: str) -> list[str]:
        """Return the folders of files whose path is this, or ends in it."""
        named = self._paths.folders_by_name.get(tail.rpartition("/")[2], ())
        return [one for one in named if one == tail or one.endswith(f"/{tail}")]

    def symbol(self, node_id: NodeId) -> Symbol | None:
        """Return the symbol of an id. Folders may have # in their names, so each is tried."""
        rest = node_id.partition(":")[2]
        at = rest.find("#")
        while at >= 0:
            if rest[:at] in self.paths:
                return self.outline(rest[:at]).get(rest[at + 1 :])
            at = rest.find("#", at + 1)
        return self.outline(rest).get("") if rest in self.paths else None

    def outline(self, path: str) -> Outline:
        """Return a file's symbols by their qualified names; "" is the module."""
        found = self._outlines.get(path)
        if found is not None:
            return found
        return _remembered(
            self._outlines, path, lambda: {one.qualified: one for one in self._known.outline(path)}
        )

    def bindings(self, path: str) -> Bindings:
        """Return what a file's imports and re-exports bind."""
        return _remembered(self._bindings, path, lambda: bindings_of(self._known.references(path)))

    def bases(self, symbol: Symbol) -> list[Reference]:
        """Return what a type extends."""
        found = _remembered(self._extends, symbol.path, lambda: self._bases_in(symbol.path))
        return [one for one in found if one.source == symbol.id]

    def _bases_in(self, path: str) -> list[Reference]:
        wanted = (EdgeType.EXTENDS, EdgeType.IMPLEMENTS)
        return [one for one in self._known.references(path) if one.type in wanted]

    def module(self, key: tuple[str, str, str], make: Callable[[], Module]) -> Module:
        """Return where an import of another file leads, found out once."""
        return _remembered(self._modules, key, make, most=_MOST_NAMES)

    def prefetch(self, names: Iterable[str]) -> None:
        """Ask for many names at once: one by one costs several times as much."""
        unknown = [name for name in set(names) if name not in self._named]
        if not unknown:
            return
        found = self._known.symbols(unknown, most=MOST_NAMED + 1)
        for name in unknown:
            self._named[name] = tuple(found.get(name, ()))
        while len(self._named) > _MOST_NAMES:
            self._named.popitem(last=False)

    def named(self, name: str) -> tuple[Symbol, ...]:
        """Return the code of this exact name; one more than MOST_NAMED stands for many."""
        if name not in self._named:
            self.prefetch([name])
        return self._named.get(name, ())

    def near(self, name: str, *, group: str) -> Sequence[Symbol]:
        """Return the code of this exact name in languages that can call each other."""
        return _remembered(
            self._near,
            (name, group),
            lambda: [one for one in self.named(name) if ways_of(one.language).group == group],
            most=_MOST_NAMES,
        )

    def documents(self, title: str) -> list[str]:
        """Return the files whose name is `title`, read as a slug."""
        return self._paths.by_slug.get(slugify(title), [])

    def sections(self, path: str) -> Sequence[NodeId]:
        """Return the nodes of a document in order, the whole first; none if it is code or data."""
        return _remembered(self._sections, path, lambda: self._known.headings(path))

    def path_of(self, node_id: NodeId) -> str | None:
        """Return the file of a node, or None if there is no such node."""
        node = self._known.nodes([node_id]).get(node_id)
        return None if node is None else node.source.file_path


def bindings_of(references: Iterable[Reference]) -> Bindings:
    """Return what imports bind; the first of equal names wins, re-exports only where unbound."""
    made = Bindings()
    exported: list[Reference] = []
    for one in references:
        if one.type not in _BINDING:
            continue
        if one.name == "*":
            made.stars.append(one)
        elif one.type is EdgeType.EXPORTS:
            exported.append(one)
        elif not one.name and one.alias and one.path.startswith(f"{one.alias}."):
            # `import a.b` binds a, and a.b is what it is for.
            made.modules.setdefault(one.path, one)
            made.by_name.setdefault(one.alias, replace(one, path=one.alias))
        elif one.alias or one.name:
            made.by_name.setdefault(one.alias or one.name, one)
        else:
            made.plain.append(one)
    for one in exported:
        made.by_name.setdefault(one.alias or one.name, one)
    return made


def _with_parents(folders: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for one in folders:
        folder = one
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(found)


def _remembered(
    kept: OrderedDict[Key, Made],
    key: Key,
    make: Callable[[], Made],
    *,
    most: int = _MOST_OUTLINES,
) -> Made:
    if key in kept:
        kept.move_to_end(key)
        return kept[key]
    made = kept[key] = make()
    if len(kept) > most:
        kept.popitem(last=False)
    return made
