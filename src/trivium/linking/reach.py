"""A file -> what it sees through imports that bring every name: `import *`, `#include`.

The way through them is the same for every name, so it is gone once for a file and each name is
looked up along it. Files import each other in circles, and by many ways; each is gone through
once. Used by the resolver. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from trivium.linking.keys import wanted
from trivium.linking.world import Module, Outline, World
from trivium.types import Reference, Symbol

# Where an import of a file leads, by the path of that file.
Leads = Callable[[Reference, str], Module]


@dataclass(frozen=True, slots=True)
class _Step:
    """One file on the way: what it has, and what it binds by name, if it was gone through."""

    outline: Outline
    by_name: Mapping[str, Reference]
    keys: frozenset[str]


class Winding(Exception):
    """A name cannot be looked up along the way: one of the imports brings names of a part."""


class Reach:
    """The files behind the imports of one that bring every name, in the order they are asked."""

    def __init__(
        self, own: Iterable[Reference], path: str, *, world: World, leads: Leads, most_hops: int
    ) -> None:
        self._world = world
        self._leads = leads
        self._most_hops = most_hops
        self._seen: set[str] = set()
        self._through: set[str] = set()
        self._steps: list[_Step] = []
        self._asked = 0
        self._winds = False
        for star in own:
            self._go(star, path, hops=0)

    def find(self, name: str) -> Symbol | None:
        """Return what `name` is along the way; Winding where the way depends on the name."""
        if self._winds:
            raise Winding
        for number, step in enumerate(self._steps, 1):
            found = step.outline.get(name)
            if found is not None or name in step.by_name:
                self._asked = max(self._asked, number)
                if found is None:
                    raise Winding
                return found
        self._asked = len(self._steps)
        return None

    def keys(self) -> set[str]:
        """Return whose coming or going may change what was found."""
        return set[str]().union(*(step.keys for step in self._steps[: self._asked]))

    def _go(self, star: Reference, importer: str, *, hops: int) -> None:
        module = self._leads(star, importer)
        self._winds = self._winds or bool(module.rest)
        for path in module.paths:
            self._visit(path, hops=hops)

    def _visit(self, path: str, *, hops: int) -> None:
        is_through = hops < self._most_hops and path not in self._through
        if not is_through:
            if path not in self._seen:
                self._seen.add(path)
                self._steps.append(_Step(self._world.outline(path), {}, frozenset()))
            return
        self._seen.add(path)
        self._through.add(path)
        bindings = self._world.bindings(path)
        keys = frozenset[str]().union(*map(wanted, bindings.stars))
        self._steps.append(_Step(self._world.outline(path), bindings.by_name, keys))
        for star in bindings.stars:
            self._go(star, path, hops=hops + 1)
