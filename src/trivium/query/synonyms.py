"""Groups of words that mean the same, and a query -> the query with those beside its words.

A line of a list is `a, b, c`, where each stands for the others, or `a => b, c`, where only the
first is widened; # starts a remark. One step is taken: what stands for a word is not widened in
turn, so rings do no harm. Pure: who reads the file is trivium.synonyms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources

from trivium.analysis.identifiers import split_cased
from trivium.analysis.words import Analyser
from trivium.errors import ConfigError
from trivium.query.grammar import AllOf, Expression, Phrase, Query, Words, widened, words

MOST_LINES = 10_000
MOST_IN_A_GROUP = 50
# Of what stands for a word, and of the words of a query that are looked up.
_MOST_FOR_A_WORD = 20
_MOST_WIDENED = 32
_LONGEST = 100
_WORD = re.compile(r"\w[\w.+#-]*")


@dataclass(frozen=True, slots=True)
class Synonyms:
    """Pairs of a word and what may stand for it, in the order of the list, all lower case."""

    pairs: tuple[tuple[str, str], ...] = ()

    def __or__(self, other: Synonyms) -> Synonyms:
        """Return both lists, the pairs of this one first."""
        return Synonyms(tuple(dict.fromkeys((*self.pairs, *other.pairs))))


NO_SYNONYMS = Synonyms()


def read(text: str, *, origin: str) -> Synonyms:
    """Read a list. Raises ConfigError that names `origin`, the line and what is wrong with it."""
    lines = text.removeprefix("\ufeff").splitlines()
    if len(lines) > MOST_LINES:
        raise ConfigError(f"{origin}: {len(lines):,} lines; the most is {MOST_LINES:,}.")
    pairs: dict[tuple[str, str], None] = {}
    for number, line in enumerate(lines, 1):
        said = line.partition("#")[0].strip() if line.lstrip().startswith("#") else _said(line)
        if said:
            pairs.update(dict.fromkeys(_pairs(said, where=f"{origin}, line {number}")))
    return Synonyms(tuple(pairs))


def _said(line: str) -> str:
    """Return a line without the remark behind it; a # inside a word, as in c#, starts none."""
    return re.split(r"\s#", line, maxsplit=1)[0].strip()


def _pairs(line: str, *, where: str) -> list[tuple[str, str]]:
    left, arrow, right = line.partition("=>")
    if "=>" in right:
        raise ConfigError(f"{where}: there are two arrows. Write a => b, c.")
    if arrow:
        from_, to = _members(left, where=where), _members(right, where=where)
        several = next((one for one in from_ if " " in one), None)
        if several is not None:
            raise ConfigError(f"{where}: {several!r} is no single word. Only one is widened.")
        return [(one, other) for one in from_ for other in to if one != other]
    group = _members(line, where=where)
    if len(group) == 1:
        raise ConfigError(f"{where}: {group[0]!r} stands alone. Write a, b or a => b.")
    return [(one, other) for one in group if " " not in one for other in group if one != other]


def _members(line: str, *, where: str) -> list[str]:
    members = [" ".join(one.lower().split()) for one in line.split(",")]
    if len(members) > MOST_IN_A_GROUP:
        raise ConfigError(f"{where}: {len(members)} words; a group has at most {MOST_IN_A_GROUP}.")
    for one in members:
        if not one:
            raise ConfigError(f"{where}: a word is missing beside a comma or an arrow.")
        if len(one) > _LONGEST or not all(map(_WORD.fullmatch, one.split())):
            raise ConfigError(f"{where}: {one[:40]!r} is no word.")
    return list(dict.fromkeys(members))


@cache
def abbreviations() -> Synonyms:
    """Return the list for code that comes with the program."""
    file = resources.files("trivium.query").joinpath("abbreviations.txt")
    return read(file.read_text(encoding="utf-8"), origin="abbreviations.txt")


def with_synonyms(query: Query, synonyms: Synonyms, *, words_of: Analyser, weight: float) -> Query:
    """Return the query with what means the same beside its words, for words alone.

    Identifiers are names, and looked for as they are.
    """
    known = _by_term(synonyms, words_of)
    typed = words(query)
    own = {term for text in typed for term in words_of.terms(text)}
    beside: dict[str, tuple[Expression, ...]] = {}
    pairs: list[tuple[str, str]] = []
    for text in typed:
        others = known.get(words_of.stem(text.lower()), ()) if len(split_cased(text)) == 1 else ()
        others = tuple(one for one in others if not own.issuperset(words_of.terms(one)))
        if others and len(beside) < _MOST_WIDENED:
            beside[text] = tuple(_looked_for(one, words_of, weight) for one in others)
            pairs += [(text, one) for one in others]
    if not beside:
        return query
    said = [f"{text} = {one}" for text, one in pairs]
    return replace(
        query,
        root=widened(query.root, beside),
        notes=(*query.notes, f"looked for what means the same as well: {', '.join(said)}"),
        near=(*query.near, *said),
        instead=(*query.instead, *pairs),
    )


def _looked_for(text: str, words_of: Analyser, weight: float) -> Expression:
    if " " not in text and len(words_of.words(text)) > 1:
        # Any of the terms of k8s would find whatever holds a k.
        return Phrase(text)
    several = tuple(Words(one, weight) for one in text.split())
    return several[0] if len(several) == 1 else AllOf(several)


@lru_cache(32)
def _by_term(synonyms: Synonyms, words_of: Analyser) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for word, other in synonyms.pairs:
        found.setdefault(words_of.stem(word), {})[other] = None
    return {term: tuple(others)[:_MOST_FOR_A_WORD] for term, others in found.items()}
