"""A query and a node -> whether the query is a name of the node, or says it among other words.

A name is read as people say it: createStore, create_store and create store are one. Called by
results.evidence. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from trivium.analysis.identifiers import split
from trivium.types import Node

WHOLE, AMONG = 1.0, 0.5
_AROUND = "\"'` ()"
_APART = re.compile(r"[\W_]+")
_BELOW = " > "
# Which of several nodes of one name it is; what Markdown says of a heading; what a call is given.
_BESIDE = re.compile(r"~\d+$|\s*\{\s*#[^{}]*\}\s*$|\([^()]*\)\s*$")
# c is not the name of C++.
_SHORTEST = 3
# Nobody says more words of a name, or more parts of a path.
_MOST_WORDS = 8
_MOST_PARTS = 4
_LONGEST = 300
_REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class _Said:
    """A query as it is said: as a whole, and all that stands side by side in it."""

    whole: str
    runs: frozenset[str]


def exact(asked: str, named: frozenset[str], node: Node) -> float:
    """Return 1 where a query is a name of a node, 0.5 where it is among other words, else 0.

    `named` is what the query asks for by the shape of its words, in lower case. One word that is
    the name of a file, as index, is a name of the file, and of what is in it only one among others.
    """
    names, stem, said = _names_of(node), _stem(node), _said(asked)
    folded = {one.casefold() for one in names}
    spoken = {_squeezed(one) for one in names}
    if "#" not in node.id or _has_several_words(stem):
        spoken.add(_squeezed(stem))
    if asked.strip(_AROUND).casefold() in folded or said.whole in spoken - {""}:
        return WHOLE
    several = {_squeezed(one) for one in (*names, stem) if _has_several_words(one)}
    is_among = folded & named or several & said.runs or said.whole == _squeezed(stem) != ""
    return AMONG if is_among else 0.0


def _names_of(node: Node) -> set[str]:
    """Return all that people may call a node: its name, its title, its path and the ends of these.

    Of src/api/routes.py#Router.add: add, Router.add, routes.py, api/routes.py and so on.
    """
    path = node.source.file_path
    named = {node.name, node.title, node.id.partition("#")[2]}
    whole = {*named, *(_BESIDE.sub("", one) for one in named)}
    parts = path.split("/")[-_MOST_PARTS:]
    ends = {"/".join(parts[at:]) for at in range(len(parts))}
    every = {*whole, node.name.rpartition(_BELOW)[2], path, *ends}
    every |= {_without_ending(one) for one in ends if "/" in one}
    return {one for one in every if one and len(one) <= _LONGEST}


def _stem(node: Node) -> str:
    return _without_ending(node.source.file_path.rpartition("/")[2])


def _without_ending(name: str) -> str:
    return name.rpartition(".")[0] or name


def _has_several_words(name: str) -> bool:
    return sum(len(split(one)) for one in _APART.split(name)) > 1


def _squeezed(name: str) -> str:
    """Return letters and digits alone; nothing where these are too few to tell a name."""
    made = _APART.sub("", name).casefold()
    return made if len(made) >= _SHORTEST else ""


@lru_cache(maxsize=_REMEMBERED)
def _said(asked: str) -> _Said:
    words = [one.casefold() for one in _APART.split(asked[:_LONGEST]) if one]
    runs = {
        "".join(words[first:last])
        for first in range(len(words))
        for last in range(first + 1, min(len(words), first + _MOST_WORDS) + 1)
    }
    return _Said(_squeezed(asked) if len(asked) <= _LONGEST else "", frozenset(runs))
