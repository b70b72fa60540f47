"""What lies near a query in meaning but not on its page -> searches to go on with.

They are names and headings that a person would type, of nodes whose vectors are near the
query's, so whoever asked in other words than the texts use learns theirs. Called by the engine,
after the page is cut.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from trivium.analysis.identifiers import split
from trivium.analysis.starts import may_hold, starts_of_all
from trivium.analysis.words import analyser
from trivium.backends.base import Named, Snapshot
from trivium.ranking.cut import node_of
from trivium.types import PROSE, Gathered, Hit, Kind, Node, NodeId

MOST = 5
# Most of what is near is shown already, or has a name that nobody types.
_LOOKED_AT = 60
# What is less than half as near as the nearest is another matter.
_NEAR = 0.5
# A heading sums up the text below it, so where that is this near the heading is, too.
_VERY_NEAR = 0.8
# A symbol may be near for one line in it: a word that this many of the nearest names share, and
# that is twice as common there as farther off, is what the query is about.
_NEAREST = 20
_SHARED_BY = 3
_TIMES_AS_COMMON = 2
_SHORT = 2
# Nobody types more.
_LONGEST = 60
_REMEMBERED = 4096

# What people ask for by name. A constant or a field is found by what it belongs to.
_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "protocol", "record", "type"})
_ASKED_FOR = frozenset({*_TYPES, "function", "method", "macro", "component", "object", "table"})
_EXAMPLE = "code block"

_PUBLIC_NAME = re.compile(r"[^\W\d_]\w*")
_TEST_NAME = re.compile(r"[Tt]ests?(?:_.*|[A-Z\d].*)?")
_NUMBER = re.compile(r"^(?:\d+[.)]|\d+(?:\.\d+)+\.?)\s+")
_ASIDE = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])\s*")
_NEVER_TYPED = re.compile(r"[|<>{}=*`…\\]")


@dataclass(frozen=True, slots=True)
class _Label:
    """What a person would type for a node; labels of the same `words` say the same."""

    text: str
    words: frozenset[str]

    @property
    def is_telling(self) -> bool:
        """Whether there are words enough to know what it is about; is, to and by tell nothing."""
        return sum(len(word) > _SHORT or not word.isascii() for word in self.words) > 1

    def says_no_more_than(self, other: _Label) -> bool:
        """Whether all of it is in the other one, whatever the order, case or separators."""
        return self.words <= other.words or _letters(self.text) == _letters(other.text)


def related(
    snapshot: Snapshot, gathered: Sequence[Gathered], hits: Sequence[Hit], *, query: str
) -> tuple[str, ...]:
    """Return up to five searches near the query in meaning; none without vectors."""
    near = _near(gathered)
    if not near:
        return ()
    nodes = snapshot.names(list(near))
    asked = _labelled(query)
    known = [asked, *(_labelled(_name(hit.node)) for hit in hits)]
    shown = {hit.node.id for hit in hits}
    topic = asked.words | _topic([nodes[one] for one in near if one in nodes])
    starts = starts_of_all(topic)
    found: list[str] = []
    for one, nearness in near.items():
        node = nodes.get(one)
        if node is None or one in shown:
            continue
        is_summed_up = node.kind in PROSE and nearness >= _VERY_NEAR
        # Seen off the name before anything is made of it: most are of other topics.
        if not is_summed_up and not may_hold(f"{node.name} {node.title}", starts):
            continue
        label = _label(node)
        if label is None or not (is_summed_up or label.words & topic):
            continue
        # What says no more than the query, a hit or another suggestion leads nowhere new.
        if any(label.says_no_more_than(other) for other in known):
            continue
        known.append(label)
        found.append(label.text)
        if len(found) == MOST:
            break
    return tuple(found)


def _near(gathered: Sequence[Gathered]) -> dict[NodeId, float]:
    """Return the nodes nearest in meaning, nearest first, each as a share of the nearest."""
    pairs = [
        (cosine, one)
        for each in gathered
        for ranking in each.rankings
        if ranking.name == "vectors"
        for one, cosine in zip(ranking.ids[:_LOOKED_AT], ranking.scores, strict=False)
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1]))
    if not pairs or pairs[0][0] <= 0:
        return {}
    near: dict[NodeId, float] = {}
    for cosine, one in pairs:
        if cosine >= _NEAR * pairs[0][0]:
            near.setdefault(NodeId(node_of(one)), cosine / pairs[0][0])
    return near


def _topic(nodes: Sequence[Named]) -> frozenset[str]:
    """Return the words that several of the nearest names share, and those farther off do not."""
    names = [_name(node) for node in nodes]
    nearest = Counter(word for name in names[:_NEAREST] for word in _labelled(name).words)
    shared = {word: count for word, count in nearest.items() if count >= _SHARED_BY}
    starts = starts_of_all(shared)
    others = [_labelled(name).words for name in names[_NEAREST:] if may_hold(name, starts)]
    times = _TIMES_AS_COMMON * _NEAREST / max(len(names) - _NEAREST, _NEAREST)
    return frozenset(
        word
        for word, count in shared.items()
        if count >= times * sum(word in words for words in others)
    )


def _label(node: Named) -> _Label | None:
    """Return what a person would type to find a node; None for one that nobody asks for."""
    if node.kind is Kind.CODE:
        text = _name(node) if _is_asked_for(node) else ""
    else:
        text = _heading(node) if node.kind in PROSE and node.type != _EXAMPLE else ""
    is_typed = 0 < len(text) <= _LONGEST and not _NEVER_TYPED.search(text)
    label = _labelled(text) if is_typed and not node.metadata.get("marks") else None
    return label if label is not None and label.words else None


def _is_asked_for(node: Named) -> bool:
    """Whether others may use a symbol, and its name alone tells what it is."""
    # The ~2 of an overload is no part of its name.
    qualified = [*node.id.rpartition("#")[2].partition("~")[0].split("."), node.name]
    is_public = node.metadata.get("visibility", "public") == "public"
    is_public = is_public and all(_PUBLIC_NAME.fullmatch(name) for name in qualified)
    # One word is enough for a type, not for what is done: read, close and is_open are everywhere.
    is_telling = node.type in _TYPES or _labelled(node.name).is_telling
    is_test = any(_TEST_NAME.fullmatch(name) for name in qualified)
    return node.type in _ASKED_FOR and is_public and is_telling and not is_test


def _heading(node: Named) -> str:
    """Return a heading without its number; one of a single word with the title above it.

    Nothing for one such as What it is, which tells nobody what it is about.
    """
    heading = _ASIDE.sub(" ", _NUMBER.sub("", _name(node))).strip(" .:-")
    if _labelled(heading).is_telling or heading == node.title:
        return heading
    title = node.title.partition(":")[0].strip()
    return "" if " " in heading else f"{title} {heading}".strip()


def _name(node: Named | Node) -> str:
    return " ".join((node.name or node.title).split())


def _labelled(text: str) -> _Label:
    # Names come back from query to query; a query may be long and does not.
    return _labelled_before(text) if len(text) <= _LONGEST else _label_of(text)


def _label_of(text: str) -> _Label:
    parts = (part for word in text.split() for part in split(word) or [word])
    return _Label(text, frozenset(analyser("standard").words(" ".join(parts))))


_labelled_before = lru_cache(_REMEMBERED)(_label_of)


@lru_cache(_REMEMBERED)
def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
