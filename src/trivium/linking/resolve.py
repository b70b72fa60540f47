"""One file's references -> edges.

A name is looked for where the language looks: around it, in its file, in what is imported,
in its folder. Only then does its being the one of that name anywhere count, with less weight
and a word about it; a name that several have leads to each of them, with less still, and one
that many have to none. Languages that cannot call each other are never linked. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from trivium.linking.documents import document_targets, mention_targets
from trivium.linking.imports import NOWHERE, module_of
from trivium.linking.keys import folder_key, wanted
from trivium.linking.languages import Ways, ways_of
from trivium.linking.reach import Reach, Winding
from trivium.linking.targets import AMBIGUOUS, BY_NAME, BY_TYPE, OVERLOAD, SURE, Target
from trivium.linking.world import MOST_NAMED, Bindings, Module, World, bindings_of
from trivium.types import BY_ID, LOCAL, Edge, EdgeType, NodeId, Reference, Symbol

HOLDERS = frozenset({"class", "interface", "struct", "enum", "trait", "type", "namespace"})
_TYPES = HOLDERS - {"namespace"}
_CALLABLE = frozenset({"function", "method", "constructor", "macro"})
_MOST_CANDIDATES = 5
_SOURCE_ROOT = re.compile(r"(?:^|/)src/[\w-]+/(?:java|kotlin|scala)/")
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
_MOST_HOPS = 4
_FOLDERS_REMEMBERED = 4096
_MOST_BASES = 16
_LINKS = frozenset({EdgeType.REFERENCES, EdgeType.CLUSTERS})
_MODULES = frozenset({EdgeType.IMPORTS, EdgeType.EXPORTS})


@dataclass(frozen=True, slots=True)
class Links:
    """The edges of a file, and the names looked at on the way that its references do not name."""

    edges: tuple[Edge, ...]
    keys: frozenset[str]


def link(path: str, references: Sequence[Reference], *, world: World) -> Links:
    """Return the edges that the references of one file become, each once."""
    return _File(path, references, world).links()


class _File:
    """One file being linked."""

    def __init__(self, path: str, references: Sequence[Reference], world: World) -> None:
        self._path = path
        self._references = references
        self._world = world
        self._outline = world.outline(path)
        module = self._outline.get("")
        self._ways: Ways = ways_of(module.language if module is not None else "")
        self._bindings: Bindings = bindings_of(references)
        self._own_bases: dict[NodeId, list[Reference]] = {}
        for one in references:
            if one.type in _BASES:
                self._own_bases.setdefault(one.source, []).append(one)
        self._keys: set[str] = set()
        self._modules: dict[tuple[str, str], Module] = {}
        self._bound_names: dict[str, list[Target] | None] = {}
        self._reached: Reach | None = None
        # Files import each other in circles, and by many ways.
        self._visited: set[tuple[str, str]] = set()
        self._open: set[tuple[NodeId, str]] = set()
        self._types: dict[str, list[Target]] = {}

    def links(self) -> Links:
        found: dict[tuple[NodeId, NodeId, EdgeType], Edge] = {}
        for reference in self._references:
            for target in self._targets(reference):
                if target.id == reference.source and reference.type is not EdgeType.CALLS:
                    continue
                key = (reference.source, target.id, reference.type)
                edge = Edge(*key, weight=target.weight, context=_context(reference, target))
                before = found.get(key)
                if before is None or edge.weight > before.weight:
                    found[key] = edge
        keys = self._keys if self._reached is None else self._keys | self._reached.keys()
        return Links(tuple(found.values()), frozenset(keys))

    def _targets(self, reference: Reference) -> list[Target]:
        if reference.type in _LINKS or reference.of == BY_ID:
            return document_targets(reference, path=self._path, world=self._world)
        if reference.type is EdgeType.MENTIONS:
            return mention_targets(reference, world=self._world)
        if reference.type in _MODULES:
            return self._imported(reference)
        if reference.type is EdgeType.CALLS:
            return self._with_overloads(self._called(reference))
        return self._typed(reference)

    # Imports

    def _module(self, path: str, name: str, *, importer: str) -> Module:
        if importer != self._path:
            return self._world.module(
                (importer, path, name), lambda: self._look_up(path, name, importer)
            )
        key = (path, name)
        if key not in self._modules:
            self._modules[key] = self._look_up(path, name, importer)
        return self._modules[key]

    def _look_up(self, path: str, name: str, importer: str) -> Module:
        if self._ways.style == "named":
            return self._named_module(path, name)
        if self._ways.style == "rust" and self._is_inside(path, name, importer):
            rest = [*path.split("::")[1:], *([name] if name not in ("", "*") else [])]
            return Module((importer,), tuple(rest))
        return module_of(path, name=name, importer=importer, ways=self._ways, world=self._world)

    def _is_inside(self, path: str, name: str, importer: str) -> bool:
        """Whether `super` means the file itself, as it does in a module that stands in it."""
        steps = path.split("::")
        if steps[0] != "super" or "super" in steps[1:]:
            return False
        outline = self._world.outline(importer)
        if not any(one.type == "namespace" for one in outline.values()):
            return False
        first = steps[1] if len(steps) > 1 else name
        return first in ("", "*") or first in outline

    def _named_module(self, path: str, name: str) -> Module:
        """Find a module that is named in code, wherever its file is."""
        whole = ".".join(filter(None, (path, name)))
        for one in self._near(whole.rpartition(".")[2]):
            if one.qualified == whole or _plain(one.qualified) == whole:
                return Module((one.path,), (one.qualified,))
        return NOWHERE

    def _imported(self, reference: Reference) -> list[Target]:
        if not reference.path:
            return []
        module = self._module(reference.path, reference.name, importer=self._path)
        if len(module.paths) > 1:
            # All files of a folder are meant, and those to come.
            self._keys |= {folder_key(path.rpartition("/")[0]) for path in module.paths}
        found = []
        for path in module.paths:
            symbol = self._world.outline(path).get("")
            target = symbol.id if symbol is not None else NodeId(f"file:{path}")
            found.append(Target(target, SURE))
        return found

    def _bound(self, name: str) -> list[Target] | None:
        """Return what an import binds `name` to; None if none does, [] if it is somebody else's."""
        if name not in self._bound_names:
            self._visited = set()
            self._bound_names[name] = self._find_bound(name)
        return self._bound_names[name]

    def _find_bound(self, name: str) -> list[Target] | None:
        reference = self._bindings.by_name.get(name)
        if reference is not None:
            return self._through(reference, importer=self._path, hops=0)
        bringing = self._bindings.stars
        if self._ways.includes:
            bringing = [*bringing, *self._bindings.plain]
        if name.startswith("_") and self._ways.language == "python":
            return None
        try:
            symbol = self._reach(bringing).find(name)
        except Winding:
            return self._behind_all(bringing, name)
        return None if symbol is None else [Target(symbol.id, SURE)]

    def _reach(self, bringing: Sequence[Reference]) -> Reach:
        if self._reached is None:
            self._reached = Reach(
                bringing,
                self._path,
                world=self._world,
                leads=lambda star, importer: self._module(star.path, "*", importer=importer),
                most_hops=_MOST_HOPS,
            )
        return self._reached

    def _behind_all(self, bringing: Sequence[Reference], name: str) -> list[Target] | None:
        for star in bringing:
            found = self._behind(star, name, importer=self._path, hops=0)
            if found:
                return found
        return None

    def _through(self, reference: Reference, *, importer: str, hops: int) -> list[Target]:
        """Follow one import to the symbol or module it binds, over re-exports if need be."""
        if importer != self._path:
            # Where another file's import leads decides where ours does.
            self._keys |= wanted(reference)
        if not reference.path:
            # One of its own, exported under another name.
            return self._in_file(importer, reference.name, hops=hops + 1)
        module = self._module(reference.path, reference.name, importer=importer)
        if not module.paths:
            return []
        inside = ".".join(module.rest)
        if not inside and self._ways.has_file_per_type:
            name = reference.name or reference.path.rpartition(self._ways.separator)[2]
            found = self._in_files(module.paths, name, hops=_MOST_HOPS)
            if found:
                return found
        if not inside:
            return [Target(NodeId(f"code:{path}"), SURE) for path in module.paths]
        return self._in_files(module.paths, inside, hops=hops)

    def _behind(self, star: Reference, name: str, *, importer: str, hops: int) -> list[Target]:
        if name.startswith("_") and self._ways.language == "python":
            return []
        if importer != self._path:
            self._keys |= wanted(star)
        module = self._module(star.path, "*", importer=importer)
        return self._in_files(module.paths, ".".join((*module.rest, name)), hops=hops)

    def _in_files(self, paths: Iterable[str], wanted: str, *, hops: int) -> list[Target]:
        for path in paths:
            found = self._in_file(path, wanted, hops=hops)
            if found:
                return found
        return []

    def _in_file(self, path: str, wanted: str, *, hops: int) -> list[Target]:
        outline = self._world.outline(path)
        if wanted in outline:
            return [Target(outline[wanted].id, SURE)]
        if hops >= _MOST_HOPS or (path, wanted) in self._visited:
            return []
        self._visited.add((path, wanted))
        first, _, rest = wanted.partition(".")
        bindings = self._world.bindings(path)
        reference = bindings.by_name.get(first)
        found: list[Target] = []
        if reference is not None:
            found = self._through(reference, importer=path, hops=hops + 1)
        else:
            for star in bindings.stars:
                found = found or self._behind(star, first, importer=path, hops=hops + 1)
        if not rest or not found:
            return found if not rest else []
        return self._member(found[0], rest, weight=SURE)

    # Members

    def _member(self, of: Target, name: str, *, weight: float) -> list[Target]:
        """Return a member of a type or module, from its bases if it has none of its own."""
        symbol = self._world.symbol(of.id)
        if symbol is None:
            return []
        if not symbol.qualified:
            self._visited = set()
            found = self._in_file(symbol.path, name, hops=0)
            return [Target(one.id, min(weight, one.weight), one.note) for one in found]
        found = self._inherited(symbol, name, weight=weight)
        return [replace(one, note=one.note or of.note) for one in found]

    def _inherited(self, symbol: Symbol, name: str, *, weight: float) -> list[Target]:
        waiting, seen = [(symbol, Target(symbol.id, weight))], {symbol.id}
        while waiting and len(seen) <= _MOST_BASES:
            one, way = waiting.pop(0)
            own = self._own_member(one, name)
            if own is not None:
                # No surer than the least sure step on the way.
                return [min(own, replace(way, id=own.id), key=lambda target: target.weight)]
            self._keys.add(_plain(one.qualified).rpartition(".")[2])
            for base in self._bases(one):
                found, step = base
                if found.id not in seen:
                    seen.add(found.id)
                    surest = min(way, step, key=lambda target: target.weight)
                    waiting.append((found, surest))
        return []

    def _own_member(self, symbol: Symbol, name: str) -> Target | None:
        """Return a member that stands with its type or, where that may be, in another file."""
        whole = f"{symbol.qualified}.{name}"
        found = self._world.outline(symbol.path).get(whole)
        if found is not None:
            return Target(found.id, SURE)
        if not self._ways.has_parts:
            return None
        folder = symbol.path.rpartition("/")[0] if self._ways.is_folder_scope else None
        last = name.rpartition(".")[2]
        near = [one for one in self._near(last, folder=folder) if one.qualified == whole]
        if not near:
            return None
        # Two types of one name in different places are hardly parts of one.
        types = {
            one.path
            for one in self._near(symbol.qualified.rpartition(".")[2])
            if one.qualified == symbol.qualified
        }
        is_one = folder is not None or len(types) <= 1
        return Target(near[0].id, SURE if is_one else BY_NAME, "" if is_one else "by name")

    def _bases(self, symbol: Symbol) -> Iterator[tuple[Symbol, Target]]:
        own = symbol.path == self._path
        references = self._own_bases.get(symbol.id, ()) if own else self._world.bases(symbol)
        for one in references:
            self._keys.add(one.name)
            found = self._typed(one) if own else self._elsewhere(one, symbol.path)
            for target in found:
                base = self._world.symbol(target.id) if target.weight >= BY_NAME else None
                if base is not None:
                    yield base, target

    def _elsewhere(self, reference: Reference, path: str) -> list[Target]:
        """Resolve the base of a type that stands in another file, as that file sees it."""
        key = (reference.source, f"{reference.path}.{reference.name}")
        if key in self._open:
            return []
        self._open.add(key)
        try:
            return self._as_seen_from(reference, path)
        finally:
            self._open.discard(key)

    def _as_seen_from(self, reference: Reference, path: str) -> list[Target]:
        outline = self._world.outline(path)
        if reference.name in outline and not reference.path:
            return [Target(outline[reference.name].id, SURE)]
        bindings = self._world.bindings(path)
        first = reference.path.partition(".")[0] or reference.name
        if first in bindings.by_name:
            found = self._through(bindings.by_name[first], importer=path, hops=0)
            if found and reference.path:
                return self._member(found[0], reference.name, weight=SURE)
            return found
        return self._by_name(reference.name, _TYPES)

    # Calls

    def _called(self, reference: Reference) -> list[Target]:
        if not reference.path:
            return self._with_definitions(self._called_bare(reference))
        steps = (
            self._by_self,
            self._by_evidence,
            self._by_binding,
            self._by_local,
            self._by_neighbour,
            self._by_type_name,
        )
        if reference.alias == LOCAL:
            # A variable: only its type could tell, and nothing shows that.
            return self._method_by_name(reference.name)
        for step in steps:
            found = step(reference)
            if found is not None:
                return self._with_definitions(found)
        return self._method_by_name(reference.name)

    def _with_overloads(self, found: list[Target]) -> list[Target]:
        """Lead to each overload of what is called: which one is meant, the arguments decide."""
        made = []
        for target in found:
            symbol = self._world.symbol(target.id)
            qualified = "" if symbol is None else symbol.qualified
            outline = {} if symbol is None else self._world.outline(symbol.path)
            if "~" in qualified or f"{qualified}~2" not in outline:
                made.append(target)
                continue
            several = [qualified]
            while (another := f"{qualified}~{len(several) + 1}") in outline:
                several.append(another)
            weight, note = min(target.weight, OVERLOAD), f"one of {len(several)} overloads"
            made += [
                Target(outline[one].id, weight, "; ".join(filter(None, (target.note, note))))
                for one in several[:_MOST_CANDIDATES]
            ]
        return made

    def _with_definitions(self, found: list[Target]) -> list[Target]:
        """Add the definition of what a header declares: that is what people ask about."""
        if self._ways.group != "c" or len(found) != 1:
            return found
        target = found[0]
        symbol = self._world.symbol(target.id)
        if symbol is None or not symbol.path.endswith(_HEADERS):
            return found
        qualified = symbol.qualified
        same = [
            one
            for one in self._near(qualified.rpartition(".")[2])
            if one.qualified == qualified and not one.path.endswith(_HEADERS)
        ]
        return [*found, Target(same[0].id, target.weight)] if len(same) == 1 else found

    def _by_self(self, reference: Reference) -> list[Target] | None:
        """Follow `self.run()` and `super().run()`; None for other receivers."""
        receiver, name = reference.path, reference.name
        if receiver not in self._ways.own and receiver not in self._ways.base:
            return None
        own = self._own_type(reference.source)
        if own is None:
            return None
        if receiver in self._ways.own:
            return self._inherited(own, name, weight=SURE) or self._method_by_name(name)
        inherited = (
            self._inherited(base, name, weight=way.weight) for base, way in self._bases(own)
        )
        return next(filter(None, inherited), [])

    def _by_evidence(self, reference: Reference) -> list[Target] | None:
        """Follow a receiver whose type the text around it shows."""
        return self._member_of_type(reference.of, reference.name) if reference.of else None

    def _by_binding(self, reference: Reference) -> list[Target] | None:
        """Follow a receiver that an import binds; somebody else's modules lead nowhere."""
        receiver = reference.path
        whole = receiver
        while whole:
            if whole in self._bindings.modules:
                inner = receiver[len(whole) + 1 :]
                module = self._through(self._bindings.modules[whole], importer=self._path, hops=0)
                return self._down(module, inner, reference.name)
            whole = whole.rpartition(".")[0]
        root, _, inner = receiver.partition(".")
        bound = self._bound(root)
        return bound and self._down(bound, inner, reference.name)

    def _by_local(self, reference: Reference) -> list[Target] | None:
        """Follow a receiver that is defined in this file."""
        root, _, inner = reference.path.partition(".")
        local = self._local(root, reference.source)
        if local is None:
            return None
        found = self._down([Target(local.id, SURE)], inner, reference.name)
        return found or ([] if local.type in HOLDERS else None)

    def _by_neighbour(self, reference: Reference) -> list[Target] | None:
        """Follow a receiver that is a type of the same folder."""
        root, _, inner = reference.path.partition(".")
        types = self._in_folder(root, HOLDERS) if self._ways.is_folder_scope else []
        return self._down(types, inner, reference.name) if types else None

    def _by_type_name(self, reference: Reference) -> list[Target] | None:
        """Follow a receiver that looks like a type, and is one by its name alone."""
        root = reference.path
        types = self._by_name(root, HOLDERS) if root[:1].isupper() and "." not in root else []
        if not types:
            return None
        found = self._down(types, "", reference.name)
        return [Target(one.id, types[0].weight, types[0].note) for one in found]

    def _down(self, start: Sequence[Target], inner: str, name: str) -> list[Target]:
        """Go from what the first part of a receiver means to the member that is called."""
        wanted = f"{inner}.{name}" if inner else name
        for one in start:
            found = self._member(one, wanted, weight=SURE)
            if found:
                return found
        return []

    def _called_bare(self, reference: Reference) -> list[Target]:
        name = reference.name
        local = self._local(name, reference.source)
        if local is not None:
            return [Target(local.id, SURE)]
        if self._ways.is_bare:
            own = self._own_type(reference.source)
            found = self._inherited(own, name, weight=SURE) if own is not None else []
            if found:
                return found
        bound = self._bound(name)
        if bound is not None:
            return bound
        if self._ways.is_folder_scope:
            found = self._in_folder(name, None)
            if found:
                return found
        if name in self._ways.everyday:
            return []
        return self._by_name(name, None, tops_only=not self._ways.is_bare)

    def _inside(self, source: NodeId) -> str:
        """Return the qualified name of one of this file's own symbols."""
        return source[len(f"code:{self._path}#") :]

    def _local(self, name: str, source: NodeId) -> Symbol | None:
        """Look in the functions around `source`, then at the top of the file."""
        inside = self._inside(source)
        while inside:
            holder = self._outline.get(inside)
            if holder is not None and (holder.type in _CALLABLE or self._is_namespace(holder)):
                found = self._outline.get(f"{inside}.{name}")
                if found is not None:
                    return found
            inside = inside.rpartition(".")[0]
        return self._outline.get(name)

    @staticmethod
    def _is_namespace(symbol: Symbol) -> bool:
        return symbol.type == "namespace"

    def _own_type(self, source: NodeId) -> Symbol | None:
        inside = self._inside(source)
        while inside:
            holder = self._outline.get(inside)
            if holder is not None and holder.type in HOLDERS:
                return holder
            outer = inside.rpartition(".")[0]
            if holder is not None and outer and outer not in self._outline:
                return self._apart(outer)
            inside = outer
        return None

    def _apart(self, name: str) -> Symbol | None:
        """Find the type of a method that stands apart from it, as in Go, C++ and Rust."""
        if self._ways.is_folder_scope or self._ways.group == "c":
            for target in self._in_folder(name, _TYPES):
                return self._world.symbol(target.id)
        return None

    def _in_folder(self, name: str, types: frozenset[str] | None) -> list[Target]:
        """Look in the files of the same folder, which see each other."""
        folder = self._path.rpartition("/")[0]
        found: dict[str, Symbol] = {}
        for one in self._near(name, folder=folder):
            is_top = "." not in one.qualified and one.qualified
            if is_top and (types is None or one.type in types):
                found.setdefault(_plain(one.id), one)
        if len(found) <= 1:
            return [Target(one.id, SURE) for one in found.values()]
        note = f"one of {len(found)} named {name}"
        return [Target(one.id, AMBIGUOUS, note) for one in list(found.values())[:_MOST_CANDIDATES]]

    def _method_by_name(self, name: str) -> list[Target]:
        if name in self._ways.everyday:
            return []
        return self._by_name(name, _CALLABLE, members_only=True)

    def _member_of_type(self, of: str, name: str) -> list[Target] | None:
        """Return a member of a type that is known by local evidence; None if it is unknown."""
        types = self._type(of)
        if not types:
            return None if self._bound(of.partition(".")[0]) is None else []
        for one in types:
            found = self._member(one, name, weight=min(BY_TYPE, one.weight))
            if found:
                return found
        return []

    # Types and names

    def _typed(self, reference: Reference) -> list[Target]:
        whole = ".".join(filter(None, (reference.path, reference.name)))
        found = self._type(whole, source=reference.source)
        if reference.type is EdgeType.USES:
            # A use is everywhere: only what is certain counts.
            return [one for one in found if one.weight >= SURE]
        return found

    def _type(self, whole: str, *, source: NodeId | None = None) -> list[Target]:
        first, _, rest = whole.partition(".")
        around = "" if source is None else self._inside(source).rpartition(".")[0]
        key = f"{around}>{whole}"
        if key not in self._types:
            # Set first: a type may, in broken code, extend itself.
            self._types[key] = []
            self._types[key] = self._find_type(first, rest, whole, around)
        return self._types[key]

    def _find_type(self, first: str, rest: str, whole: str, around: str) -> list[Target]:
        while True:
            found = self._outline.get(f"{around}.{whole}" if around else whole)
            if found is not None:
                return [Target(found.id, SURE)]
            if not around:
                break
            around = around.rpartition(".")[0]
        bound = self._bound(first)
        if bound is not None:
            return (
                self._down(bound, rest.rpartition(".")[0], rest.rpartition(".")[2])
                if (rest and bound)
                else bound
            )
        if self._ways.is_folder_scope and (found_here := self._in_folder(first, None)):
            return self._down(found_here, "", rest) if rest else found_here
        if first in self._outline and rest:
            return self._member(Target(self._outline[first].id, SURE), rest, weight=SURE)
        return self._by_name(whole.rpartition(".")[2], _TYPES)

    def _near(self, name: str, *, folder: str | None = None) -> Sequence[Symbol]:
        """Return the symbols of a name that this file's language can reach."""
        if folder is not None and len(self._world.named(name)) > MOST_NAMED:
            return [
                symbol
                for path in self._world.folders.get(folder, ())
                if path != self._path and (symbol := self._world.outline(path).get(name))
            ]
        near = self._world.near(name, group=self._ways.group)
        if folder is None:
            return near
        package = _package(folder)
        return [one for one in near if _package(one.path.rpartition("/")[0]) == package]

    def _by_name(
        self,
        name: str,
        types: frozenset[str] | None,
        *,
        tops_only: bool = False,
        members_only: bool = False,
    ) -> list[Target]:
        """Take what has this name anywhere: one is likely, a few are possible, many are noise."""
        if len(self._world.named(name)) > MOST_NAMED:
            return []
        found: dict[NodeId, Symbol] = {}
        for one in self._near(name):
            is_member = "." in one.qualified
            if (
                (types is not None and one.type not in types)
                or (tops_only and is_member)
                or (members_only and not is_member)
                # Who makes an object means its class.
                or one.type == "constructor"
                or not one.qualified
            ):
                continue
            found.setdefault(NodeId(_plain(one.id)), one)
        if len(found) > _MOST_CANDIDATES:
            return []
        if len(found) == 1:
            return [Target(one.id, BY_NAME, "by name") for one in found.values()]
        note = f"one of {len(found)} named {name}"
        return [Target(one.id, AMBIGUOUS, note) for one in found.values()]


_BASES = frozenset({EdgeType.EXTENDS, EdgeType.IMPLEMENTS})


@lru_cache(maxsize=_FOLDERS_REMEMBERED)
def _package(folder: str) -> str:
    """Return a folder below its source root: tests stand in another tree of the same packages."""
    found = _SOURCE_ROOT.search(folder)
    return folder if found is None else folder[found.end() :]


def _plain(qualified: str) -> str:
    """Return a name without the ~2 of an overload."""
    stem, mark, number = qualified.rpartition("~")
    return stem if mark and number.isdigit() else qualified


def _context(reference: Reference, target: Target) -> str:
    if reference.context:
        return reference.context
    line = f"line {reference.line}" if reference.line else ""
    return "; ".join(filter(None, (line, target.note)))
