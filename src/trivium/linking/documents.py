"""Links, wikilinks and names in prose -> the documents, sections, files and symbols they mean."""

from __future__ import annotations

from posixpath import join

from trivium.analysis.slugs import slugify
from trivium.linking.imports import relative
from trivium.linking.keys import anchor
from trivium.linking.targets import AMBIGUOUS, SURE, Target
from trivium.linking.world import MOST_NAMED, World
from trivium.types import BY_ID, PROXY, NodeId, Reference, Symbol

_ENDINGS = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt", ".html")
_FOLDER_PAGES = ("README.md", "readme.md", "index.md", "_index.md", "index.rst", "index.html")
_MOST_MENTIONED = 3


def document_targets(reference: Reference, *, path: str, world: World) -> list[Target]:
    """Return what a link leads to: a section if its anchor is one, else the document or file.

    A link by id leads to that node, or to a proxy of one in another collection.
    """
    if reference.of == BY_ID:
        return _by_id(NodeId(reference.path), world=world)
    if reference.of == "wikilink":
        return _wikilink(reference, path=path, world=world)
    file = path
    if reference.path:
        found = _file(reference.path, path=path, world=world)
        if found is None:
            return []
        file = found
    return _at(file, reference.name, world=world)


def _by_id(target: NodeId, *, world: World) -> list[Target]:
    is_there = target.startswith(PROXY) or world.path_of(target) is not None
    return [Target(target, SURE)] if is_there else []


def _file(written: str, *, path: str, world: World) -> str | None:
    folder = path.rpartition("/")[0]
    clean = written.split("?", 1)[0]
    base = clean.lstrip("/") if clean.startswith("/") else relative(folder, clean)
    if base is None:
        return None
    base = base.rstrip("/")
    for one in (base, *(base + ending for ending in _ENDINGS)):
        if one in world.paths:
            return one
    for page in _FOLDER_PAGES:
        if join(base, page) in world.paths:
            return join(base, page)
    return base if world.has_folder(base) or base == "" else None


def _at(file: str, heading: str, *, world: World) -> list[Target]:
    if file not in world.paths:
        return [Target(NodeId(f"file:{file or '.'}"), SURE)]
    nodes = world.sections(file)
    if heading:
        wanted = anchor(heading)
        for one in nodes:
            if one.partition("#")[2] and anchor(_last(one)) == wanted:
                return [Target(one, SURE)]
    if nodes:
        return [Target(nodes[0], SURE)]
    return [Target(NodeId(f"file:{file}"), SURE)]


def _last(node_id: NodeId) -> str:
    """Return the heading at the end of a section's id; the ~2 of equal ones becomes -1."""
    name = node_id.partition("#")[2].rpartition("/")[2]
    stem, mark, number = name.rpartition("~")
    return f"{stem}-{int(number) - 1}" if mark and number.isdigit() else name


def _wikilink(reference: Reference, *, path: str, world: World) -> list[Target]:
    heading = reference.path.lstrip("#")
    if not reference.name:
        return _at(path, heading, world=world)
    skill = NodeId(f"skill:{slugify(reference.name)}")
    home = world.path_of(skill)
    if home is not None:
        return _skill_at(skill, heading, home=home, world=world)
    direct = _file(reference.name, path=path, world=world)
    if direct is not None and direct in world.paths:
        return _at(direct, heading, world=world)
    title = reference.name.rpartition("/")[2]
    found = [one for one in world.documents(title) if one.endswith(_ENDINGS)]
    if not found:
        return []
    own = path.split("/")[:-1]
    nearest = min(found, key=lambda one: (-_shared(one.split("/"), own), len(one), one))
    return _at(nearest, heading, world=world)


def _skill_at(skill: NodeId, heading: str, *, home: str, world: World) -> list[Target]:
    """Return the section of a skill that a link names as links do, else the skill."""
    found = _at(home, heading, world=world) if heading else []
    return [one for one in found if one.id.startswith(f"{skill}#")] or [Target(skill, SURE)]


def _shared(parts: list[str], own: list[str]) -> int:
    count = 0
    for one, other in zip(parts, own, strict=False):
        if one != other:
            break
        count += 1
    return count


def mention_targets(reference: Reference, *, world: World) -> list[Target]:
    """Return the symbols that prose names exactly; a name that many have means none of them."""
    found = world.named(reference.name)
    if len(found) > MOST_NAMED:
        return []
    if reference.path:
        whole = f"{reference.path}.{reference.name}"
        exact = [one for one in found if _is_called(one, whole)]
        return _few(exact, whole)
    return _few([one for one in found if one.qualified], reference.name)


def _is_called(symbol: Symbol, whole: str) -> bool:
    qualified = symbol.qualified.partition("~")[0]
    if qualified == whole or qualified.endswith("." + whole):
        return True
    # `module.function`, where the module is a file.
    dotted = symbol.path.rpartition(".")[0].replace("/", ".")
    return f"{dotted}.{qualified}".endswith("." + whole) or f"{dotted}.{qualified}" == whole


def _few(found: list[Symbol], name: str) -> list[Target]:
    distinct = {one.id.partition("~")[0]: one for one in reversed(found)}
    tops = {key: one for key, one in distinct.items() if "." not in one.qualified}
    chosen = tops if len(tops) == 1 else distinct
    if len(chosen) > _MOST_MENTIONED:
        return []
    if len(chosen) == 1:
        return [Target(one.id, SURE) for one in chosen.values()]
    note = f"one of {len(chosen)} named {name}"
    return [Target(one.id, AMBIGUOUS, note) for one in sorted(chosen.values(), key=lambda s: s.id)]
