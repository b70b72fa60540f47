"""The text of one symbol -> where input enters it, where it could do harm, and what flows between.

Follows input line by line through simple assignments; it does not understand the language, so it
finds candidates for a person to look at, not faults. Rules are data (risk.toml). Pure, bounded by
counts instead of a clock, and never raises. Called by parse() for each symbol's own text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from trivium.parsing.risk_rules import Family, Rule, family_of, need
from trivium.parsing.risk_text import (
    LONGEST_REGION,
    close_of,
    commas,
    only_code,
    receiver,
    statements,
)
from trivium.types import NO_METADATA, Metadata, MetaValue

_MOST_CHARACTERS = 200 * 1024
_MOST_LINES = 3000
_MOST_FLOWS = 150
_MOST_ENTRIES = 100
# Bounds on what one symbol can cost: rules matched, names kept, sources of one name.
_MOST_MATCHES = 500
_MOST_NAMES = 1000
_MOST_SOURCES_OF_ONE = 5
_MOST_PARTS = 5
# Added to every flow, since that both stand in one symbol says something.
_EXTRA = 0.1
_SEVERITIES = ("low", "medium", "high")

_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)*")
# Python's name=value and R's: the name is the callee's.
_ARGUMENT_NAME = re.compile(r" ?=(?!=)")
_WORD_AFTER = re.compile(r"[$\w.\->\[\]]*")
_SEPARATOR = re.compile(r"->|::|\?\.")
_ASSIGNMENT = re.compile(r"(?<![=!<>+\-*/%&|^.:?~])(?:[:+.]?=|\|\|=|\?\?=|<-)(?![=>~])")
_GENERIC = re.compile(r"<[^<>=]{0,200}>")
_ANNOTATION = re.compile(r"(?<!:):(?!:)")
_LOOPS = (
    re.compile(
        r"\bfor(?:each)?\b\s*(?:await\s*)?\(?\s*(?P<names>[^();=]{1,80}?)\s+(?:in|of)\s+(?P<from>.+)"
    ),
    re.compile(r"\bforeach\s*\((?P<from>.+?)\s+as\s+(?P<names>[^)]{1,80})"),
    re.compile(r"\bfor\s*\((?P<names>[^();=:]{1,80}?)\s*:\s*(?P<from>[^:].*)"),
    re.compile(r"(?P<from>.+?)\.each\w*\s*(?:do|\{)\s*\|(?P<names>[^|]{1,80})\|"),
)
_DEFINES = re.compile(
    r"\b(?:function|def|fn|func|fun|sub|defp|class|macro)\s+\*?\s*(?:[\w.]+[.:])?\Z"
)
_CONTROLS = re.compile(r"\b(?:if|while|for|switch|match|unless|until|when|return|else)\b")
_BODY = re.compile(r"\s*(?:(?::|->|throws\b|const\b)[^;{}()=]{0,80})?\{")
_WRITTEN = re.compile(r"(?:\.\w{1,80}|\[[^\]\n]{0,80}\]){0,9}\s{0,9}=(?![=>~])")

# The rules of one source on its way, and the categories of sinks it was made harmless for.
_Taint = dict[str, tuple[Rule, frozenset[str]]]
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Clues:
    """What of a family's rules stands in a file: its words, and the rules that have one."""

    family: Family
    words: tuple[str, ...]
    sources: tuple[Rule, ...]
    sinks: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class _Match:
    """A rule and where it matched; `var` is the variable that takes a source's input."""

    rule: Rule
    start: int
    end: int
    var: str = ""


@dataclass(frozen=True, slots=True)
class _Cover:
    """A stretch of code that a sanitizer makes harmless; `clears` None is for every sink."""

    start: int
    end: int
    clears: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class _Given:
    """The variables that get a value, where the value stands, and whether it is added to theirs."""

    names: list[str]
    start: int
    end: int
    is_added: bool


@dataclass(slots=True)
class _Trail:
    """What is known of the variables so far, and what was found."""

    family: Family
    text: str
    code: str
    sources: list[_Match]
    sanitizers: list[_Match]
    needs: frozenset[str]
    tainted: dict[str, _Taint] = field(default_factory=dict)
    holding: dict[str, set[str]] = field(default_factory=dict)
    flows: dict[str, float] = field(default_factory=dict)


def may_hold_risk(text: str, *, language: str) -> bool:
    """Whether a text could hold a source or sink: a quick look, made for whole files."""
    family = family_of(language)
    if family is None:
        return False
    return next(_words_in(text, family), None) is not None


def clues_in(text: str, *, language: str) -> Clues | None:
    """Return the rules that could match somewhere in a file; None if there are none."""
    family = family_of(language)
    words = () if family is None else tuple(_words_in(text, family))
    if family is None or not words:
        return None
    rules = frozenset[Rule]().union(*(family.rules_of[word] for word in words))
    sources, sinks = (
        tuple(rule for rule in some if rule in rules) for some in (family.sources, family.sinks)
    )
    return Clues(family, words, sources, sinks)


def risks(text: str, *, language: str, clues: Clues | None = None) -> Metadata:
    """Return the risk metadata of a symbol; empty where no rule matches.

    The clues are those of the file it stands in, found here if none are given.
    `riskFlowConfidence` has one entry for each of `riskFlows`: source * sink + 0.1, at most 1.
    """
    clues = clues or clues_in(text, language=language)
    if clues is None:
        return NO_METADATA
    family = clues.family
    looked_at = _seen(text, family)
    if not any(word in looked_at for word in clues.words):
        return NO_METADATA
    text = _cut(text)
    code = only_code(text, family)
    looked_at = _seen(code, family)
    found = _matches(clues.sources, code, looked_at)
    sources = [source for source in found if _is_read(source, code)]
    sinks = _matches(clues.sinks, code, looked_at)
    if not sources and not sinks:
        return NO_METADATA
    trail = _Trail(
        family=family,
        text=text,
        code=code,
        sources=sources,
        sanitizers=_matches(family.sanitizers, code, looked_at) if sources and sinks else [],
        needs=frozenset(match.rule.needs for match in sinks if match.rule.needs),
    )
    reached = _follow(trail, sinks)
    return _metadata([match.rule for match in sources], reached, trail.flows)


def _seen(text: str, family: Family) -> str:
    return text.lower() if family.ignore_case else text


def _words_in(text: str, family: Family) -> Iterator[str]:
    """Return the words of sources and sinks that stand in a text."""
    looked_at = _seen(text, family)
    for piece, words in family.words:
        if piece in looked_at:
            yield from (word for word in words or (piece,) if word in looked_at)


def _metadata(sources: list[Rule], sinks: list[Rule], flows: Mapping[str, float]) -> Metadata:
    rules = [*sources, *sinks]
    if not rules:
        return NO_METADATA
    metadata: dict[str, MetaValue] = {
        "riskTags": _distinct(tag for rule in rules for tag in rule.tags),
        "riskCategories": _distinct(rule.category for rule in rules),
        "riskSources": _distinct(rule.name for rule in sources),
        "riskSinks": _distinct(rule.name for rule in sinks),
        "riskFlows": tuple(flows),
        "riskFlowConfidence": tuple(f"{confidence:.2f}" for confidence in flows.values()),
        "riskSeverity": max((rule.severity for rule in rules), key=_SEVERITIES.index),
    }
    return {key: value for key, value in metadata.items() if value}


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:_MOST_ENTRIES]


def _cut(text: str) -> str:
    """Leave off what is past the bounds: such texts are data, not code."""
    text = text[:_MOST_CHARACTERS]
    if text.count("\n") <= _MOST_LINES:
        return text
    return "\n".join(text.split("\n", _MOST_LINES)[:_MOST_LINES])


def _matches(rules: Iterable[Rule], code: str, looked_at: str) -> list[_Match]:
    """Find the rules of one sort in the code, in order."""
    found: list[_Match] = []
    for rule in rules:
        if not any(word in looked_at for word in rule.words):
            continue
        for match in rule.pattern.finditer(code):
            if len(found) >= _MOST_MATCHES:
                break
            var = next((value for value in match.groups() if value), "")
            found.append(_Match(rule, match.start(), match.end(), var))
    return sorted(found, key=lambda one: one.start)


def _follow(trail: _Trail, sinks: list[_Match]) -> list[Rule]:
    """Go through the statements in order; return the sinks that are ones, and note the flows."""
    if not trail.sources and not any(sink.rule.needs or sink.rule.unless for sink in sinks):
        return [
            sink.rule
            for sink in sinks
            if not sink.rule.needs_flow and not _is_definition(sink, trail.code)
        ]
    found: list[Rule] = []
    starts = [sink.start for sink in sinks]
    covers = [_cover(one, trail.code) for one in trail.sanitizers]
    at = 0
    has_flows = bool(trail.sources)
    for start, end in statements(trail.code, has_blocks=trail.family.has_blocks):
        until = bisect_right(starts, end - 1)
        for sink in sinks[at:until]:
            if _is_definition(sink, trail.code):
                continue
            is_sink = _has_needed(sink, trail, end)
            region = _region(sink, trail.code, end)
            taint = _taint(trail, *region, covers) if is_sink and has_flows else {}
            reached = _note(trail, sink.rule, taint)
            if is_sink and (reached or not sink.rule.needs_flow):
                found.append(sink.rule)
        at = until
        if has_flows or trail.needs:
            _assign(trail, start, end, covers)
    return found


def _note(trail: _Trail, sink: Rule, taint: _Taint) -> bool:
    """Note a flow from each source that was not made harmless for this sink."""
    reached = False
    for source, cleared in taint.values():
        if sink.category in cleared:
            continue
        reached = True
        flow = f"{source.name}->{sink.name}"
        confidence = min(1.0, source.confidence * sink.confidence + _EXTRA)
        if flow in trail.flows or len(trail.flows) < _MOST_FLOWS:
            trail.flows[flow] = max(confidence, trail.flows.get(flow, 0.0))
    return reached


def _taint(trail: _Trail, start: int, end: int, covers: list[_Cover]) -> _Taint:
    """Return the sources whose input a stretch of code holds."""
    found: _Taint = {}
    end = min(end, start + LONGEST_REGION)
    here = [cover for cover in covers if cover.start < end and cover.end > start]
    for source in _between(trail.sources, start, end):
        _join(found, {source.rule.name: (source.rule, _NOTHING)}, _cleared(here, source.start))
    if trail.tainted:
        for name in _NAME.finditer(trail.code, start, end):
            if _ARGUMENT_NAME.match(trail.code, name.end()) is not None:
                continue
            for path in _prefixes(name[0]):
                if path in trail.tainted:
                    _join(found, trail.tainted[path], _cleared(here, name.start()))
    return found


def _between(matches: list[_Match], start: int, end: int) -> Iterator[_Match]:
    first = bisect_right(matches, start - 1, key=lambda one: one.start)
    for match in matches[first:]:
        if match.start >= end:
            return
        yield match


def _join(found: _Taint, more: _Taint, cleared: frozenset[str] | None) -> None:
    """Add sources; one that came two ways is harmless only for what both made it harmless for."""
    if cleared is None:
        return
    for name, (rule, before) in more.items():
        made = before | cleared
        known = found.get(name)
        if known is not None:
            made &= known[1]
        elif len(found) >= _MOST_SOURCES_OF_ONE:
            continue
        found[name] = (rule, made)


def _cleared(covers: list[_Cover], at: int) -> frozenset[str] | None:
    """Return the categories that sanitizers protect at a place; None where they protect all."""
    cleared = _NOTHING
    for cover in covers:
        if cover.start <= at < cover.end:
            if cover.clears is None:
                return None
            cleared |= cover.clears
    return cleared


def _prefixes(path: str) -> Iterator[str]:
    """Yield a, a.b and a.b.c for a.b.c, as far as names of variables go."""
    parts = _SEPARATOR.sub(".", path).split(".", _MOST_PARTS)[:_MOST_PARTS]
    for count in range(1, len(parts) + 1):
        yield ".".join(parts[:count])


def _assign(trail: _Trail, start: int, end: int, covers: list[_Cover]) -> None:
    """Pass on, or take away, what a statement gives to its variables."""
    given = _assigned(trail.code, start, min(end, start + LONGEST_REGION))
    if given is not None:
        _give(trail, given, covers)
    for source in _between(trail.sources, start, end):
        if source.var and len(trail.tainted) < _MOST_NAMES:
            trail.tainted[source.var] = {source.rule.name: (source.rule, _NOTHING)}


def _give(trail: _Trail, given: _Given, covers: list[_Cover]) -> None:
    taint = _taint(trail, given.start, given.end, covers)
    for name in given.names:
        if given.is_added:
            _join(taint, trail.tainted.get(name, {}), _NOTHING)
        if taint and (name in trail.tainted or len(trail.tainted) < _MOST_NAMES):
            trail.tainted[name] = taint
        elif not taint:
            trail.tainted.pop(name, None)
    for one in trail.needs:
        known = trail.holding.setdefault(one, set())
        if _holds(trail, one, given.start, given.end):
            known.update(given.names if len(known) < _MOST_NAMES else ())
        elif not given.is_added:
            known.difference_update(given.names)


def _assigned(code: str, start: int, end: int) -> _Given | None:
    """Return what an assignment or a loop gives to its variables; None for other statements."""
    found = _ASSIGNMENT.search(code, start, end)
    if found is not None:
        left = code[start : found.start()]
        if left.count("(") == left.count(")"):
            return _Given(_variables(left), found.end(), end, is_added=found[0] in ("+=", ".="))
    statement = code[start:end]
    if "for" in statement or "each" in statement:
        for loop in _LOOPS:
            each = loop.search(statement)
            if each is not None:
                first, last = (start + at for at in each.span("from"))
                return _Given(_variables(each["names"]), first, last, is_added=False)
    return None


def _variables(left: str) -> list[str]:
    """Return the names on the left of an assignment, without types and keywords."""
    left = _GENERIC.sub(" ", left)
    if "{" not in left:
        left = _ANNOTATION.split(left, maxsplit=1)[0]
    if not left.lstrip().endswith("]") or left.lstrip().startswith("["):
        parts = left.replace("[", ",").replace("]", ",").split(",")
    else:
        parts = [left[: left.find("[")]]
    names = [_NAME.findall(part) for part in parts[:20]]
    return [_SEPARATOR.sub(".", found[-1]) for found in names if found]


def _has_needed(sink: _Match, trail: _Trail, end: int) -> bool:
    """Whether a sink's arguments hold what makes it one, such as a word of SQL."""
    rule = sink.rule
    if not rule.needs and rule.unless is None:
        return True
    is_call = trail.code[sink.end - 1] == "("
    close = min(close_of(trail.code, sink.end) if is_call else end, sink.end + LONGEST_REGION)
    if rule.unless is not None and rule.unless.search(trail.text, sink.start, close) is not None:
        return False
    return not rule.needs or _holds(trail, rule.needs, sink.start, close)


def _holds(trail: _Trail, name: str, start: int, end: int) -> bool:
    end = min(end, start + LONGEST_REGION)
    if need(name).search(trail.text, start, end) is not None:
        return True
    known = trail.holding.get(name)
    if not known:
        return False
    names = _NAME.finditer(trail.code, start, end)
    return any(_SEPARATOR.sub(".", one[0]) in known for one in names)


def _region(sink: _Match, code: str, end: int) -> tuple[int, int]:
    """Return the stretch of code that reaches a sink."""
    takes = sink.rule.takes
    if takes == "match":
        return sink.start, sink.end
    if takes == "before":
        return receiver(code, sink.start), sink.start
    if code[sink.end - 1] != "(":
        return sink.end, end
    *ends, close = commas(code, sink.end)
    if isinstance(takes, int):
        edges = [sink.end, *ends, close]
        return (edges[takes - 1], edges[takes]) if takes < len(edges) else (close, close)
    return sink.end, close


def _cover(sanitizer: _Match, code: str) -> _Cover:
    """Return the stretch of code that a sanitizer makes harmless."""
    clears, covers = sanitizer.rule.clears, sanitizer.rule.covers
    if covers == "before":
        return _Cover(receiver(code, sanitizer.start), sanitizer.end, clears)
    if covers == "match":
        return _Cover(sanitizer.start, sanitizer.end, clears)
    if covers == "rest":
        line = code.find("\n", sanitizer.end)
        return _Cover(sanitizer.start, len(code) if line < 0 else line, clears)
    if covers == "after":
        word = _WORD_AFTER.match(code, sanitizer.end)
        end = sanitizer.end if word is None else word.end()
        return _Cover(sanitizer.start, end, clears)
    return _Cover(sanitizer.start, close_of(code, sanitizer.end), clears)


def _is_read(source: _Match, code: str) -> bool:
    """Whether input is taken here: what is defined or written to gives none."""
    return bool(source.var) or (
        _WRITTEN.match(code, source.end) is None
        and _DEFINES.search(code, max(0, source.start - 40), source.start) is None
    )


def _is_definition(sink: _Match, code: str) -> bool:
    """Whether a name with parentheses is defined here, not called."""
    if _DEFINES.search(code, max(0, sink.start - 40), sink.start) is not None:
        return True
    if code[sink.end - 1] != "(":
        return False
    if _BODY.match(code, close_of(code, sink.end) + 1) is None:
        return False
    line = code[max(0, code.rfind("\n", 0, sink.start), sink.start - 200) : sink.start]
    return _CONTROLS.search(line) is None and "=" not in line
