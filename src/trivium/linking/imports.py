"""An import as it is written -> the files it leads to.

One function for each style of linking/languages.toml. Never guesses: a module that is not
among the files is somebody else's, and leads nowhere. Used by the resolver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import join, normpath

from trivium.linking.languages import Ways
from trivium.linking.world import Module, World

# A package of more files than this is linked through what is called in it.
_MOST_FILES = 200
_SEARCHED_FOLDERS = frozenset({"", "include", "inc", "headers", "src", "lib", "app"})


NOWHERE = Module(())


def module_of(path: str, *, name: str, importer: str, ways: Ways, world: World) -> Module:
    """Return what an import of `name` from `path` leads to.

    `rest` holds `name`, unless the name is itself a file.
    """
    if ways.style == "path":
        return _with_rest(_by_path(path, importer=importer, ways=ways, world=world), name)
    if ways.style == "dotted":
        return _dotted(path, name=name, importer=importer, ways=ways, world=world)
    if ways.style == "go":
        return _with_rest(_go(path, world=world), name)
    if ways.style == "rust":
        return _rust(path, name=name, importer=importer, world=world)
    return NOWHERE


def _with_rest(paths: Iterable[str], name: str) -> Module:
    found = tuple(paths)
    return Module(found, (name,) if name and name != "*" else ()) if found else NOWHERE


def relative(folder: str, path: str) -> str | None:
    """Return a path that is written relative to a folder; None where it leads out of the root."""
    found = normpath(join(folder, path))
    if found == ".." or found.startswith(("../", "/")):
        return None
    return "" if found == "." else found


def _by_path(path: str, *, importer: str, ways: Ways, world: World) -> list[str]:
    folder = importer.rpartition("/")[0]
    written = path.split("?", 1)[0]
    if ways.package_prefix and written.startswith(ways.package_prefix):
        package, _, inside = written.removeprefix(ways.package_prefix).partition("/")
        root = (world.projects.packages or {}).get(package)
        return [] if root is None else _file(join(root, "lib", inside), ways, world)
    if written.startswith((".", "/")):
        base = relative(folder, written) if written[0] == "." else written.lstrip("/")
        return [] if base is None else _file(base, ways, world)
    if ways.group != "javascript":
        # Includes and their like may be written relative without a dot.
        base = relative(folder, written)
        found = _file(base, ways, world) if base is not None else []
        return found or (_searched(written, importer, ways, world) if ways.searches else [])
    return _aliased(written, importer, ways, world) or _in_package(written, ways, world)


def _file(base: str, ways: Ways, world: World) -> list[str]:
    """Return the file that `base` stands for: itself, with an ending, or a folder's own."""
    for one in _spellings(base, ways):
        if one in world.paths:
            return [one]
    return []


def _spellings(base: str, ways: Ways) -> Iterator[str]:
    yield base
    stem, dot, ending = base.rpartition(".")
    if dot:
        for other in ways.swaps.get(dot + ending, ()):
            yield stem + other
    for extension in ways.extensions:
        yield base + extension
    for index in sorted(ways.index):
        for extension in ways.extensions:
            yield join(base, index + extension)


def _aliased(path: str, importer: str, ways: Ways, world: World) -> list[str]:
    for alias in world.projects.aliases_for(importer):
        if path == alias.prefix or (not alias.is_exact and path.startswith(alias.prefix)):
            rest = path[len(alias.prefix) :]
            if found := _file(join(alias.target, rest) if rest else alias.target, ways, world):
                return found
    for folder, base in world.projects.bases:
        is_below = folder == "" or importer.startswith(folder + "/")
        if is_below and (found := _file(join(base, path), ways, world)):
            return found
    return []


def _in_package(path: str, ways: Ways, world: World) -> list[str]:
    """Look in the packages of this repository: a workspace imports its own by their names."""
    packages = world.projects.packages or {}
    parts = path.split("/")
    for length in (2, 1) if path.startswith("@") else (1,):
        folder = packages.get("/".join(parts[:length]))
        if folder is None:
            continue
        inside = "/".join(parts[length:])
        if inside:
            places = [join(folder, inside), join(folder, "src", inside)]
        else:
            places = [*(world.projects.entries or {}).get(folder, ()), folder, join(folder, "src")]
        for place in places:
            if found := _file(place, ways, world):
                return found
    return []


def _searched(path: str, importer: str, ways: Ways, world: World) -> list[str]:
    """Find a file by the end of its path, as compilers do along their search paths."""
    clean = normpath(path)
    if clean.startswith(("..", "/")):
        return []
    # What C includes is named with its ending.
    written = [clean] if ways.group == "c" else list(_spellings(clean, ways))
    stem = clean.rpartition("/")[2].partition(".")[0].lower()
    found = []
    for one in world.by_stem.get(stem, ()):
        ending = next((end for end in written if f"/{one}".endswith(f"/{end}")), None)
        if ending is None:
            continue
        root = one[: len(one) - len(ending)].rstrip("/")
        # A name alone may be the system's own: it counts only where one would look for it.
        if "/" in clean or root.rpartition("/")[2] in _SEARCHED_FOLDERS:
            found.append(one)
    return _nearest(found, importer)[:1]


def _dotted(path: str, *, name: str, importer: str, ways: Ways, world: World) -> Module:
    parts = [part for part in path.split(ways.separator) if part]
    if path.startswith(".") and ways.separator == ".":
        return _dotted_relative(path, parts, name, importer, ways, world)
    for alias in world.projects.aliases_for(importer):
        whole = ways.separator.join((*parts, *([name] if name else ())))
        if whole.startswith(alias.prefix) and alias.prefix.endswith("\\"):
            rest = whole[len(alias.prefix) :].replace("\\", "/")
            if found := _file(join(alias.target, rest), ways, world):
                return Module(tuple(found))
    wanted = [*parts, name] if name and name != "*" else parts
    for length in range(len(wanted), 0, -1):
        found = _below_roots(wanted[:length], importer, ways, world)
        if found:
            return Module(tuple(found[:1]), tuple(wanted[length:]))
    if name == "*" and parts:
        return Module(tuple(_in_folder("/".join(parts), importer, ways, world)))
    if ways.is_folder_scope and name and len(parts) > 0:
        # A function at the top of some file of the package.
        return _with_rest(_in_folder("/".join(parts), importer, ways, world), name)
    return NOWHERE


def _dotted_relative(
    path: str, parts: list[str], name: str, importer: str, ways: Ways, world: World
) -> Module:
    folder = importer.rpartition("/")[0]
    for _ in range(len(path) - len(path.lstrip(".")) - 1):
        if not folder:
            return NOWHERE
        folder = folder.rpartition("/")[0]
    wanted = [*parts, name] if name and name != "*" else parts
    for length in range(len(wanted), -1, -1):
        base = "/".join(filter(None, (folder, *wanted[:length])))
        for one in _spellings(base, ways):
            if one in world.paths and one != base:
                return Module((one,), tuple(wanted[length:]))
    return NOWHERE


def _below_roots(parts: list[str], importer: str, ways: Ways, world: World) -> list[str]:
    """Return the files of a module, nearest first, that lie below a folder modules start in."""
    tail = "/".join(parts)
    endings = [one for one in _spellings(tail, ways) if one != tail]
    found = []
    for path in world.by_module.get(parts[-1].lower(), ()):
        for ending in endings:
            if path == ending or path.endswith("/" + ending):
                root = path[: -len(ending)].rstrip("/")
                if _is_root(root, len(parts), importer, ways, world):
                    found.append(path)
    return _nearest(found, importer) if len(found) > 1 else found


def _is_root(root: str, depth: int, importer: str, ways: Ways, world: World) -> bool:
    if not ways.index or ways.language != "python":
        # Elsewhere a module's whole name stands in its path; one part alone may be anybody's.
        return depth > 1 or root == "" or importer.startswith(root + "/") or _is_named(root, ways)
    if any(join(root, index + ".py") in world.paths for index in ways.index):
        return False
    folder = importer.rpartition("/")[0]
    is_above = root in ("", folder) or importer.startswith(root + "/")
    return is_above or root in world.projects.roots or _is_named(root, ways)


def _is_named(root: str, ways: Ways) -> bool:
    return root.rpartition("/")[2] in ways.roots


def _in_folder(tail: str, importer: str, ways: Ways, world: World) -> list[str]:
    folders = world.folders_ending_in(tail)
    found = [
        path
        for folder in _nearest(folders, importer)[:1]
        for path in world.folders[folder]
        if path.endswith(ways.extensions)
    ]
    return found[:_MOST_FILES]


def _go(path: str, *, world: World) -> list[str]:
    for module, folder in world.projects.modules:
        if path == module or path.startswith(module + "/"):
            inside = path[len(module) :].strip("/")
            place = "/".join(filter(None, (folder, inside)))
            files = [one for one in world.folders.get(place, ()) if one.endswith(".go")]
            return [one for one in files if not one.endswith("_test.go")][:_MOST_FILES]
    return []


def _rust(path: str, *, name: str, importer: str, world: World) -> Module:
    parts = [part for part in path.replace("::", ".").split(".") if part]
    wanted = [*parts, name] if name and name != "*" else parts
    if not wanted:
        return NOWHERE
    for start, rest in _rust_starts(wanted, importer, world):
        for length in range(len(rest), -1, -1):
            base = "/".join(filter(None, (start, *rest[:length])))
            if length == 0 and base == start and len(rest) == len(wanted):
                # Nothing of a bare name was found: it is another crate's.
                break
            for one in _rust_files(base, is_start=length == 0):
                if one in world.paths:
                    return Module((one,), tuple(rest[length:]))
    return NOWHERE


def _rust_files(base: str, *, is_start: bool) -> Iterator[str]:
    if is_start:
        yield from (join(base, "lib.rs"), join(base, "main.rs"))
    yield from (f"{base}.rs", join(base, "mod.rs"))


def _rust_starts(wanted: list[str], importer: str, world: World) -> Iterator[tuple[str, list[str]]]:
    """Yield the folders a path may start in, with what is left of it."""
    crates = world.projects.crates or {}
    home = next((one for one in _folders_above(importer) if one in crates), "")
    source = join(home, "src") if home else "src"
    folder, _, file = importer.rpartition("/")
    stem = file.removesuffix(".rs")
    own = folder if stem in ("lib", "main", "mod") else join(folder, stem)
    if wanted[0] == "crate":
        yield source, wanted[1:]
    elif wanted[0] in ("self", "super"):
        place, rest = own, list(wanted)
        while rest and rest[0] in ("self", "super"):
            place = place.rpartition("/")[0] if rest[0] == "super" else place
            rest = rest[1:]
        yield place, rest
    else:
        for crate_folder, crate in sorted(crates.items()):
            if crate == wanted[0]:
                yield join(crate_folder, "src") if crate_folder else "src", wanted[1:]
        yield own, wanted


def _folders_above(path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while True:
        yield folder
        if not folder:
            return
        folder = folder.rpartition("/")[0]


def _nearest(paths: Iterable[str], importer: str) -> list[str]:
    """Order by how much of the importer's folder they share, then the shorter, then by name."""
    own = importer.split("/")[:-1]
    return sorted(set(paths), key=lambda path: (-_shared(path.split("/"), own), len(path), path))


def _shared(parts: list[str], own: list[str]) -> int:
    count = 0
    for one, other in zip(parts, own, strict=False):
        if one != other:
            break
        count += 1
    return count
