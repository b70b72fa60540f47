"""What a file names and what it offers, as keys: who must be linked again when something changes.

A reference is linked again when one of its `wanted` keys comes or goes; a file makes keys come
and go when its `offers` differ. Symbols have their names as keys, files "/" and their stems,
headings "#" and their anchors. Called by backends when they write.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from trivium.analysis.slugs import slugify
from trivium.types import BY_ID, EdgeType, Kind, Node, Reference

_SEPARATORS = re.compile(r"::|[./\\:]+")
_NO_ANCHOR = re.compile(r"[^\w\- ]")
FOLDER_STEMS = frozenset({"index", "mod", "__init__", "readme", "main", "lib", "init", "skill"})
_BY_PATH = frozenset({EdgeType.IMPORTS, EdgeType.EXPORTS})
_BY_LINK = frozenset({EdgeType.REFERENCES, EdgeType.CLUSTERS})
_SHAPING = frozenset({EdgeType.IMPORTS, EdgeType.EXPORTS, EdgeType.EXTENDS})

Offer = tuple[str, str]

# What project files say, such as aliases of paths, may change every import that is not relative.
PROJECT = "//project"


def wanted(reference: Reference) -> set[str]:
    """Return the keys whose coming or going may change what a reference leads to."""
    if reference.of == BY_ID:
        return _id_keys(reference.path)
    if reference.type in _BY_LINK:
        return _link_keys(reference)
    if reference.type in _BY_PATH:
        parts = [part for part in _SEPARATORS.split(reference.path) if part]
        found = {_file_key(part) for part in (*parts[-2:], reference.name) if part}
        # Some imports mean all files of a folder.
        found |= {folder_key(part) for part in parts[-1:]}
        if not reference.path.startswith("."):
            found.add(PROJECT)
        return {*found, reference.name} - {""}
    # A receiver that looks like a type may be one anywhere.
    root = reference.path.partition(".")[0]
    return {reference.name, bare(reference.of), root if root[:1].isupper() else ""} - {""}


def _link_keys(reference: Reference) -> set[str]:
    if reference.of == "wikilink":
        keys = {_file_key(slugify(reference.name)), _file_key(stem_of(reference.name))}
        return keys | {_anchor_key(reference.path)}
    found = {_file_key(stem_of(reference.path))} if reference.path else set()
    return found | ({_anchor_key(reference.name)} if reference.name else set())


def _id_keys(target: str) -> set[str]:
    """Return what comes or goes with the node of an id: its file, its heading, its name."""
    # Folders may have # in their names: the file is one of these, and the name is last.
    place, mark, name = target.partition(":")[2].rpartition("#")
    if not mark:
        return {_file_key(stem_of(name))} if name else set()
    found = {_file_key(stem_of(place)), _file_key(stem_of(place.partition("#")[0]))}
    heading = name.rpartition("/")[2].partition("~")[0]
    return {*found, bare(name).partition("~")[0], _anchor_key(heading)} - {""}


def offers(path: str, nodes: Iterable[Node], references: Iterable[Reference]) -> set[Offer]:
    """Return what a file offers others, as pairs of a key and what makes it this one."""
    found: set[Offer] = {(key, path) for key in _path_keys(path)}
    if stem_of(path) == "__init__":
        # Whether a folder is a package decides where modules are looked for.
        found.add((PROJECT, path))
    for node in nodes:
        found |= _node_offers(node)
    for one in references:
        if one.type in _SHAPING:
            shape = f"{one.source} {one.type} {one.path} {one.name} {one.alias}"
            own = one.source.rpartition("#")[2].rpartition(".")[2]
            names = (one.name, one.alias) if one.type in _BY_PATH else (own,)
            found |= {(name, shape) for name in names if name}
            if one.name == "*":
                # What others get through this file changes, whatever its name.
                found |= {(key, shape) for key in _path_keys(path)}
    return found


def _node_offers(node: Node) -> set[Offer]:
    if node.kind is Kind.FILE:
        facts = node.metadata.get("project", ())
        return {(PROJECT, fact) for fact in facts} if isinstance(facts, tuple) else set()
    if node.kind is Kind.CODE:
        return {(node.name, f"{node.id} {node.type}")}
    if node.kind is Kind.SKILL and "#" not in node.id:
        return {(_file_key(node.id.partition(":")[2]), node.id)}
    if node.type == "section":
        return {(_anchor_key(node.name), node.id)}
    return set()


def _path_keys(path: str) -> set[str]:
    stem = stem_of(path)
    keys = {_file_key(stem), _file_key(slugify(stem))}
    folder = path.rpartition("/")[0].rpartition("/")[2]
    keys.add(folder_key(folder))
    if folder and stem.lower() in FOLDER_STEMS:
        keys |= {_file_key(folder), _file_key(slugify(folder))}
    return keys


def stem_of(path: str) -> str:
    """Return a file's name without its folder and endings: `a/b.spec.ts` -> b."""
    name = path.rstrip("/").rpartition("/")[2]
    return name.partition(".")[0] if not name.startswith(".") else name


def bare(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def anchor(heading: str) -> str:
    """Return the anchor that links use for a heading, as code hosts make them."""
    name = unicodedata.normalize("NFC", heading.strip().lstrip("#")).lower()
    return _NO_ANCHOR.sub("", name).replace(" ", "-")


def _file_key(stem: str) -> str:
    return f"/{stem.lower()}"


def folder_key(folder: str) -> str:
    """Return the key that every file of a folder offers; the root's has no name."""
    return f"/{folder.rpartition('/')[2].lower()}/"


def _anchor_key(name: str) -> str:
    return f"#{anchor(name)}"
