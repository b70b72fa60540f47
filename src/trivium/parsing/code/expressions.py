"""The text of an expression or a type -> the names in it that count.

Works on text alone, so one set of rules serves every language: arguments, indexes and type
arguments are taken out, `::`, `->` and `?.` become dots. Used by the reader's parts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

# Longer expressions are read from their end (what is called) or their start (what is awaited):
# the links of a chain of 100,000 calls would be longer than the file by its square.
LONGEST_EXPRESSION = 300
_DEEPEST = 12

_SIMPLE = re.compile(r"(?:[^\W\d]|\$)[\w$]*(?:\.[\w$#]+)*")
_INNERMOST = re.compile(r"\([^()\[\]{}]*\)|\[[^()\[\]{}]*\]|\{[^()\[\]{}]*\}")
_TYPE_ARGUMENTS = re.compile(r"(?:::|\.)?<[^<>]*>")
_NOT_DOTS = re.compile(r"\s*(?:\?\.|!\.|!!\.|&\.|::|->|\?->|\.)\s*")
_MAKING = re.compile(r"^(?:new|await|typeof|throw)\s+")
_CALLEE = re.compile(r"(?:(.*)[.:])?((?:[^\W\d]|[$#@])[\w$]*[!?]?)")
_CHAIN = re.compile(r"[&*\s]*((?:[^\W\d]|[$@#])[\w$]*(?:\.[\w$#]+)*)")
_NAMES = re.compile(r"(?:[^\W\d]|[$@])[\w$]*(?:\.[\w$#]+)*")
_INDEX = re.compile(r"(?<=[\w\x02])(?:\[[^\[\]]*\]|\([^()]*\))")
_TARGETS = re.compile(r"(?:[^\W\d]|[$@])[\w$\x02]*(?:\.[\w$#\x02]+)*")
_QUOTED = re.compile(r"""(["'`]).*\1""", re.DOTALL)
_NOTHING = re.compile(
    r"\b(?:None|null|undefined|nil|void)\b|\b(?:mut|const|dyn|impl|ref|final|struct|class)\s"
)
_WRAPPERS = frozenset({
    "Optional", "Annotated", "Final", "ClassVar", "Awaitable", "Promise", "Readonly", "Partial",
    "Box", "Rc", "Arc", "Option", "Required", "Type", "type",
})  # fmt: skip


class Callee(NamedTuple):
    """What is called: `path` is the receiver as written, without arguments; `text` is both."""

    path: str
    name: str
    text: str


@lru_cache(maxsize=32_768)
def callee_of(text: str) -> Callee | None:
    """Read a callee expression; None if what is called has no name."""
    if _SIMPLE.fullmatch(text):
        path, _, name = text.rpartition(".")
        return Callee(path, name, text)
    is_cut = len(text) > LONGEST_EXPRESSION
    found = _CALLEE.fullmatch(_flat(text[-LONGEST_EXPRESSION:]))
    if found is None:
        last = _NAMES.findall(text[-LONGEST_EXPRESSION:]) if is_cut else ()
        return joined("()", last[-1].rpartition(".")[2]) if last else None
    path = "()" if is_cut else shown(found[1] or "")
    return joined(path, found[2])


def joined(path: str, name: str) -> Callee:
    """Return the callee `name` of the receiver `path`, "" if there is none."""
    return Callee(path, name, f"{path}.{name}" if path else name)


@lru_cache(maxsize=8_192)
def receiver_of(text: str) -> str:
    """Return a receiver as it is written, without arguments."""
    if _SIMPLE.fullmatch(text):
        return text
    return "()" if len(text) > LONGEST_EXPRESSION else shown(_flat(text))


def called_in(text: str) -> str:
    """Return the callee of a call's own text, `client.get` of `client.get(url)`; "" if none."""
    flat = _flat(text[:LONGEST_EXPRESSION])
    bare = flat.rstrip("\x01\x02\x03;")
    if bare != flat and _CALLEE.fullmatch(bare):
        return shown(bare)
    chain = _CHAIN.match(flat)
    return chain[1] if chain is not None and len(text) > LONGEST_EXPRESSION else ""


def is_simple(text: str) -> bool:
    """Tell whether a text is one name, dotted or not."""
    return _SIMPLE.fullmatch(text) is not None


def chain_of(text: str) -> str:
    """Return the dotted name a text begins with: `errors.NotFound` of `new errors.NotFound(x)`."""
    chain = _CHAIN.match(_flat(text[:LONGEST_EXPRESSION]))
    return "" if chain is None else chain[1]


class Target(NamedTuple):
    """What an assignment changes: a name of its own, or a part of something that has one."""

    text: str
    is_name: bool


@lru_cache(maxsize=8_192)
def targets_of(text: str) -> tuple[Target, ...]:
    """Return the targets of an assignment: `a.b` of `a.b[0]`, both of `a, b`."""
    if _SIMPLE.fullmatch(text):
        return (Target(text, "." not in text),)
    bare = _without_indexes(text[:LONGEST_EXPRESSION])
    flat = re.sub("[\x01\x02\x03]", "", _flat(bare))
    if flat and "," not in flat and not text.lstrip().startswith(("(", "[", "{")):
        return (Target(flat, is_name=False),)
    found = _TARGETS.findall(_NOT_DOTS.sub(".", bare))
    return tuple(
        Target(one.replace("\x02", ""), "." not in one and "\x02" not in one) for one in found
    )


@lru_cache(maxsize=8_192)
def names_in_type(text: str) -> tuple[str, ...]:
    """Return every name in a type, dotted as written: dict and models.User of dict[models.User]."""
    return tuple(dict.fromkeys(_NAMES.findall(_NOT_DOTS.sub(".", text))))


@lru_cache(maxsize=8_192)
def bare_type(text: str) -> str:
    """Return the one class a type stands for, with its qualifier; "" if there is not one.

    `Optional[Client]`, `Client | None`, `&'a mut Client` and `Client<T>` are all a Client.
    """
    raw = re.sub(r"'\w+\s", " ", _NOTHING.sub(" ", text)).strip(" \"'`|&*?!:;()[]")
    head = _NAMES.match(_NOT_DOTS.sub(".", raw))
    if head is None:
        return ""
    rest = raw[head.end() :].strip()
    if head[0].rpartition(".")[2] in _WRAPPERS and rest[:1] in ("[", "<"):
        return bare_type(rest.strip("[]<> ").partition(",")[0])
    return "" if "|" in _flat(rest) else head[0]


def made_by(path: str) -> str:
    """Return the type of a receiver that is a call of one: Client of `Client()`; else ""."""
    name = path.removesuffix("()")
    last = name.rpartition(".")[2].lstrip("_")
    return name if name != path and last[:1].isupper() and _SIMPLE.fullmatch(name) else ""


def shown(flat: str) -> str:
    """Put the brackets back that were taken out."""
    return flat.replace("\x01", "()").replace("\x02", "[]").replace("\x03", "{}")


def _flat(text: str) -> str:
    """Return an expression with each bracketed part as one mark and all separators as dots."""
    for _ in range(_DEEPEST):
        shorter = _INNERMOST.sub(_mark, text)
        if shorter == text:
            break
        text = shorter
    if "<" in text:
        text = text.replace("->", ".")
        for _ in range(_DEEPEST):
            shorter = _TYPE_ARGUMENTS.sub("", text)
            if shorter == text:
                break
            text = shorter
    text = _NOT_DOTS.sub(".", _QUOTED.sub('""', _MAKING.sub("", text.strip())))
    return text.replace("?\x01", "\x01").replace("!\x01", "\x01")


def _mark(found: re.Match[str]) -> str:
    return {"(": "\x01", "[": "\x02"}.get(found[0][0], "\x03")


def _without_indexes(text: str) -> str:
    for _ in range(_DEEPEST):
        shorter = _INDEX.sub("\x02", text)
        if shorter == text:
            return text
        text = shorter
    return text
