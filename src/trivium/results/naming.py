"""A query and a node -> whether the query is a name of the node, or says it among other words.

A name is read as people say it: createStore, create_store and create store are one. Called by
results.evidence. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from trivium.analysis.identifiers import split
from trivium.query.intent import is_name
from trivium.types import Node

WHOLE, AMONG = 1.0, 0.5
_AROUND = "\"'` ()"
_APART = re.compile(r"[\W_]+")
_PARTS = re.compile(r"\W+")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum() and chr(code) != "\n")
_BELOW = " > "
# Which of several nodes of one name it is; what Markdown says of a heading; what a call is given.
_BESIDE = re.compile(r"~\d+$|\s*\{\s*#[^{}]*\}\s*$|\([^()]*\)\s*$")
# c is not the name of C++.
_SHORTEST = 3
# Nobody says more words of a name, or more parts of a path.
_MOST_WORDS = 8
_MOST_PARTS = 4
_LONGEST = 300
_REMEMBERED = 512


@dataclass(frozen=True, slots=True)
class _Said:
    """A query as it is said: all of it, and all that stands side by side in it.

    `text` is how it was typed, in lower case, `joined` without what parts names; it is shaped
    where it is written like code. `spaced` is it word by word, `shaped` has its words that are
    written like code, joined, and `plain` what stands side by side between those.
    """

    text: str
    joined: str
    is_shaped: bool
    whole: str
    runs: frozenset[str]
    spaced: str
    shaped: frozenset[str]
    plain: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Called:
    """What a node is called: by names of its `own`, and with its places by `every` name.

    `typed` is every name in lower case; `squeezed` has the letters and digits of each, and of
    its file without the ending.
    """

    own: frozenset[str]
    every: frozenset[str]
    typed: frozenset[str]
    squeezed: Mapping[str, str]


def exact(asked: str, named: frozenset[str], node: Node, *, is_held: bool = False) -> float:
    """Return 1 where a query is a name of a node, 0.5 where it is among other words, else 0.

    `named` is what the query asks for by the shape of its words, in lower case. Who writes
    FromRequest does not ask for from_request: that is half a name, as are the words of a path,
    since they name all that is in a file. `is_held` says that the node holds every word of the
    query: what is said beside its name does not take from it then.
    """
    said, called = _said(asked), _called(node.id, node.name, node.title, node.source.file_path)
    found = _exact(said, named, called)
    if not is_held or found == WHOLE:
        return found
    if _is_said_beside_others(said, called):
        return WHOLE
    is_among = any(one and one in said.runs for one in called.squeezed.values())
    return AMONG if is_among else found


def _is_said_beside_others(said: _Said, called: _Called) -> bool:
    """Say whether a part of a query would be a whole name if it stood alone."""
    if any(f" {one} " in said.spaced for one in called.typed):
        return True
    if said.shaped and not said.shaped.isdisjoint(map(_joined, called.every)):
        return True
    alike = [one for one in called.own if called.squeezed[one] in said.plain]
    return any(map(_has_several_words, alike))


def _exact(said: _Said, named: frozenset[str], called: _Called) -> float:
    if said.text in called.typed:
        return WHOLE
    # What is said is seen sooner than how many words it has, and most names are not said.
    pairs = called.squeezed.items()
    alike = [one for one, letters in pairs if letters and letters == said.whole]
    if not said.is_shaped and any(one in called.own and _has_several_words(one) for one in alike):
        return WHOLE
    if said.is_shaped and said.joined in map(_joined, called.every):
        return WHOLE
    if alike or not called.typed.isdisjoint(named):
        return AMONG
    runs = [one for one, letters in pairs if letters and letters in said.runs]
    return AMONG if any(map(_has_several_words, runs)) else 0.0


# With every key that is pressed, most hits are those of the key before.
@lru_cache(maxsize=_REMEMBERED)
def _called(node_id: str, name: str, title: str, path: str) -> _Called:
    stem = _without_ending(path.rpartition("/")[2])
    own = _names(node_id, name, title)
    every = own | _places(node_id, path, stem)
    return _Called(
        own,
        every,
        typed=frozenset(one.strip(_AROUND).casefold() for one in every),
        squeezed=_squeezed_all([*every, stem]),
    )


def _names(node_id: str, name: str, title: str) -> frozenset[str]:
    """Return what a node is called: its name, its title and where it stands in its file."""
    named = {name, title, node_id.partition("#")[2], name.rpartition(_BELOW)[2]}
    every = {*named, *(_BESIDE.sub("", one) for one in named)}
    return frozenset(one for one in every if one and len(one) <= _LONGEST)


def _places(node_id: str, path: str, stem: str) -> frozenset[str]:
    """Return the path of a node and its ends: of src/api/routes.py routes.py, api/routes.

    A file is called without its ending, as well; what is in it, if that tells it from others.
    """
    parts = path.split("/")[-_MOST_PARTS:]
    ends = {"/".join(parts[at:]) for at in range(len(parts))}
    every = {path, *ends, *(_without_ending(one) for one in ends if "/" in one)}
    if "#" not in node_id or _has_several_words(stem):
        every.add(stem)
    return frozenset(one for one in every if one and len(one) <= _LONGEST)


def _without_ending(name: str) -> str:
    return name.rpartition(".")[0] or name


def _has_several_words(name: str) -> bool:
    return sum(len(split(one)) for one in _APART.split(name)) > 1


def _joined(name: str) -> str:
    """Return a name without dots, slashes and colons, so that a.b is a/b and a::b."""
    return _PARTS.sub("", name).casefold()


def _squeezed(name: str) -> str:
    """Return letters and digits alone; nothing where these are too few to tell a name."""
    made = _APART.sub("", name).casefold()
    return made if len(made) >= _SHORTEST else ""


def _squeezed_all(names: Sequence[str]) -> dict[str, str]:
    """Return names with their letters and digits alone."""
    lines = "\n".join(names)
    if not lines.isascii() or lines.count("\n") >= len(names):
        return {one: _squeezed(one) for one in names}
    # In one go, as bytes: a tenth of the time.
    made = lines.lower().encode().translate(None, _NO_LETTERS).decode().split("\n")
    pairs = zip(names, made, strict=True)
    return {one: letters if len(letters) >= _SHORTEST else "" for one, letters in pairs}


@lru_cache(maxsize=_REMEMBERED)
def _said(asked: str) -> _Said:
    start = asked[:_LONGEST]
    whole = _squeezed(asked) if len(asked) <= _LONGEST else ""
    text = asked.strip(_AROUND).casefold()
    tokens = start.split()
    shaped = [one for one in tokens if is_name(one)]
    between = "\n".join("\t" if is_name(one) else one for one in tokens).split("\t")
    return _Said(
        text,
        _joined(asked),
        is_name(asked),
        whole,
        _runs(start),
        spaced=f" {' '.join(one.strip(_AROUND).casefold() for one in tokens)} ",
        shaped=frozenset(map(_joined, shaped)) - {""},
        plain=frozenset[str]().union(*map(_runs, between)),
    )


def _runs(text: str) -> frozenset[str]:
    """Return what stands side by side in a text, joined."""
    words = [one.casefold() for one in _APART.split(text) if one]
    return frozenset(
        "".join(words[first:last])
        for first in range(len(words))
        for last in range(first + 1, min(len(words), first + _MOST_WORDS) + 1)
    )
