"""The code of the symbols -> the names each one reads, and those it uses from elsewhere.

Names are told by their shape in code whose strings and comments are blanked, one pass over the
bytes for all languages; calls, base types and targets of assignments are none. Used by the
makers of references.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from trivium.parsing.code.behaviour import Behaviour
from trivium.parsing.code.entries import first
from trivium.parsing.code.expressions import names_in_type
from trivium.parsing.code.ground import Ground
from trivium.parsing.code.imports import WHOLE, Binding
from trivium.parsing.code.layout import SCOPE
from trivium.parsing.code.symbol import HOLDERS, Symbol
from trivium.parsing.code.table import Table
from trivium.parsing.code.typed import NO_TYPES, Types

# What may stand in a name is kept and all else made white space, which is four times as fast as
# a regular expression. A token keeps the `=` or the quote after it: then it is written to, names
# an argument, or is the prefix of a string, and in each case is not read.
_KEPT = frozenset(b"$_.=\"'0123456789" + bytes(range(65, 91)) + bytes(range(97, 123)))
_TO_TOKENS = bytes(one if one in _KEPT or one > 127 else 32 for one in range(256))  # noqa: PLR2004
_NOT_READ = b"=\"'"
_NO_NAME = b".0123456789=\"'"
_LONGEST_NAME = 200
_MOST_WORDS = 100_000
_MOST_COMPARISONS = 1_000_000
_BASES = ("extends", "implements")


class _Word(NamedTuple):
    """A dotted name: its first part, its second, and what of it is read."""

    chain: str
    head: str
    member: str
    read: str


class _Words(dict[bytes, _Word | None]):
    """What the words of a language's programs are; None for what is no name.

    Kept from one document to the next, because most words of a program are in all of them.
    """

    def __init__(self, table: Table) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, raw: bytes) -> _Word | None:
        """Look at a word for the first time."""
        if len(self) >= _MOST_WORDS:
            self.clear()
        word = self[raw] = self._read(raw)
        return word

    def _read(self, raw: bytes) -> _Word | None:
        raw = raw.rpartition(b"=")[2]
        if not 0 < len(raw) <= _LONGEST_NAME or raw[0] in _NO_NAME or raw[-1] in _NOT_READ:
            return None
        chain = raw.decode("utf-8", "replace").replace("..", ".").rstrip(".")
        head, _, rest = chain.partition(".")
        # A $ alone is where a template lets code in, as in `${name}`.
        if head in self._table.keywords or head == "$":
            return None
        member = rest.partition(".")[0]
        if head in self._table.receivers:
            return _Word(chain, head, member, f"{head}.{member}" if member else "")
        return _Word(chain, head, member, head)


@cache
def _words_of(table: Table) -> _Words:
    return _Words(table)


class Uses:
    """Reads the names in one document's code; symbol -1 is the module and stands last."""

    def __init__(
        self,
        symbols: Sequence[Symbol],
        bindings: Iterable[Binding],
        ground: Ground,
        table: Table,
    ) -> None:
        self._symbols = symbols
        self._ground = ground
        self._table = table
        imported = [one for one in bindings if one.alias and not one.is_export]
        self._modules = frozenset(one.alias for one in imported if one.name == WHOLE)
        self._tops = frozenset(one.name for one in symbols if one.parent < 0 and one.type != SCOPE)
        self._bound = self._tops.union(one.alias for one in imported)
        self._words = _words_of(table)
        self._headers: list[list[bytes]] = [[] for _ in range(len(symbols) + 1)]
        self._bodies: list[list[bytes]] = [[] for _ in range(len(symbols) + 1)]
        if table.keywords:
            self._share_code()

    def of(self, number: int, behaviour: Behaviour, types: Types) -> Iterable[str]:
        """Return the names a symbol uses, dotted, and note them and what it reads."""
        is_typed = types is not NO_TYPES and bool(self._table.keywords)
        used = dict.fromkeys(self._type_names(number, types)) if is_typed else {}
        called = {callee.text for callee in behaviour.calls}
        for key in _BASES:
            if key in behaviour.lists:
                called.update(behaviour.lists[key])
        local = self._local(number, behaviour, types)
        if body := self._bodies[number]:
            raws = b" ".join(body).split()
            words = self._known(raws)
            passed = self._passed(number, types, used)
            passed.update(_only_written(behaviour, raws))
            reads = {
                read: None
                for chain, _, _, read in words
                if read not in passed and (chain != read or chain not in called)
            }
            if reads:
                behaviour.lists["reads"] = first(reads)
            self._use(words, used, local=local, called=called)
        if header := self._headers[number]:
            words = self._known(b" ".join(header).split())
            self._use(words, used, local=local, called=called)
        if used:
            behaviour.lists["uses"] = first(used)
        return used

    def _known(self, raws: Iterable[bytes]) -> list[_Word]:
        """Return the dotted names among some words, each once."""
        words = self._words
        return [word for raw in dict.fromkeys(raws) if (word := words[raw])]

    def _use(
        self,
        words: Iterable[_Word],
        used: dict[str, None],
        *,
        local: frozenset[str],
        called: set[str],
    ) -> None:
        """Add the names that an import or the top of the module binds."""
        bound = self._bound
        for chain, head, member, _ in words:
            if head in bound and head not in local and not (chain in called or head in called):
                is_inside = head in self._modules or (head[0].islower() and member[:1].isupper())
                used[f"{head}.{member}" if member and is_inside else head] = None

    def _passed(self, number: int, types: Types, used: Iterable[str]) -> set[str]:
        """Return the names whose place in the code shows no reading: annotations, fields."""
        passed = {"", *(chain.partition(".")[0] for chain in used)}
        if number >= 0 and self._symbols[number].type in HOLDERS:
            passed.update(types.declared)
        return passed

    def _share_code(self) -> None:
        """Give each symbol the code that is its own, that of its header apart."""
        ground = self._ground
        code = ground.code.replace(b"==", b"  ")
        for separator in self._table.separators:
            code = code.replace(separator.encode(), b"." * len(separator))
        code = code.translate(_TO_TOKENS)
        for number, start, end in ground.parts():
            body = self._symbols[number].body_start if number >= 0 else 0
            if start < body:
                self._headers[number].append(code[start : min(body, end)])
            if body < end:
                self._bodies[number].append(code[max(start, body) : end])

    def _local(self, number: int, behaviour: Behaviour, types: Types) -> frozenset[str]:
        """Return the names that hide those of the module: its own, parameters, variables."""
        if number < 0:
            return self._tops
        symbol = self._symbols[number]
        written = behaviour.lists.get("writes", ())
        return frozenset((symbol.name, *symbol.parameters, *written, *types.declared))

    def _type_names(self, number: int, types: Types) -> Iterator[str]:
        keywords = self._table.keywords
        own = ""
        if number >= 0:
            symbol = self._symbols[number]
            is_member = symbol.holder >= 0 or symbol.is_apart
            own = (".", *symbol.qualified.split("."))[-2] if is_member else symbol.name
        for text in (*types.declared.values(), types.result, *types.named):
            for chain in names_in_type(text) if text else ():
                head, last = chain.partition(".")[0], chain.rpartition(".")[2]
                # A single capital is a parameter of the type, not a type.
                is_type = last[:1].isupper() and not last[1:].isdigit() and len(last) > 1
                if (head in self._bound or is_type) and head not in keywords and chain != own:
                    yield chain


def _only_written(behaviour: Behaviour, words: Sequence[bytes]) -> Iterator[str]:
    """Return the variables whose one place in the code is where they are written."""
    written = behaviour.lists.get("writes", ())
    if len(written) * len(words) > _MOST_COMPARISONS:
        return
    for name in written:
        if words.count(name.encode("utf-8", "replace")) == 1:
            yield name
