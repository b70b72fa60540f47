"""The facts of all project files -> where the modules of each folder are found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import join, normpath


@dataclass(frozen=True, slots=True)
class Alias:
    """Imports that begin with `prefix` are found below `target`; an exact one has no rest."""

    folder: str
    prefix: str
    target: str
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Projects:
    """What project files say, with folders relative to the root; "" is the root itself."""

    aliases: tuple[Alias, ...] = ()
    bases: tuple[tuple[str, str], ...] = ()
    packages: Mapping[str, str] | None = None
    entries: Mapping[str, tuple[str, ...]] | None = None
    modules: tuple[tuple[str, str], ...] = ()
    crates: Mapping[str, str] | None = None
    roots: tuple[str, ...] = ()

    def aliases_for(self, importer: str) -> Iterator[Alias]:
        """Yield the aliases that hold for a file, those of nearer projects first."""
        for one in self.aliases:
            if one.folder == "" or importer.startswith(one.folder + "/"):
                yield one


def gathered(facts: Iterable[tuple[str, Iterable[str]]]) -> Projects:
    """Put together the facts of project files, given by their paths."""
    aliases: list[Alias] = []
    bases: list[tuple[str, str]] = []
    packages: dict[str, str] = {}
    entries: dict[str, tuple[str, ...]] = {}
    modules: list[tuple[str, str]] = []
    crates: dict[str, str] = {}
    roots: list[str] = []
    for path, said in sorted(facts):
        folder = path.rpartition("/")[0]
        for fact in said:
            sort, _, rest = fact.partition(" ")
            if sort == "alias":
                pattern, _, target = rest.rpartition(" ")
                aliases.append(_alias(folder, pattern, target))
            elif sort == "base":
                bases.append((folder, _below(folder, rest)))
            elif sort == "package":
                packages.setdefault(rest, folder)
            elif sort == "entry":
                entries[folder] = (*entries.get(folder, ()), _below(folder, rest))
            elif sort == "module":
                modules.append((rest, folder))
            elif sort == "crate":
                crates.setdefault(folder, rest)
            elif sort == "root":
                roots.append(_below(folder, rest))
    # The nearest project wins, then the longest prefix.
    aliases.sort(key=lambda one: (-len(one.folder), -len(one.prefix), one.target))
    modules.sort(key=lambda one: (-len(one[0]), one[1]))
    return Projects(
        tuple(aliases), tuple(bases), packages, entries, tuple(modules), crates, tuple(roots)
    )


def _alias(folder: str, pattern: str, target: str) -> Alias:
    is_exact = not pattern.endswith("*")
    prefix = pattern.removesuffix("*")
    return Alias(folder, prefix, _below(folder, target.removesuffix("*")), is_exact)


def _below(folder: str, path: str) -> str:
    """Return a path of a project file, relative to the root; one that leads out stays out."""
    found = normpath(join(folder, path.replace("\\", "/").lstrip("/")))
    return "" if found == "." else found
