"""The document of a skill -> what it says about its use: when, how, with what.

Front matter comes first, then lists below headings that say so, then sentences that do. What a
skill does not say is left out. Called by skill().
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping

from trivium.parsing.front import first_text, words
from trivium.parsing.markdown import without_markup
from trivium.types import MetaValue, Node, NodeId, Parsed

ITEM = re.compile(r"([ \t]*)(?:[-*+•]|(\d{1,9})[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")

_MOST_VALUES = 100
_LONGEST_VALUE = 200
_LONGEST_ITEM = 1000
_LARGEST = 2**53

_NOT_IN_KEY = re.compile(r"[\s_\-]+")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_WIKILINK = re.compile(r"\[\[([^\[\]|]*)(?:\|([^\[\]|]*))?\]\]")
_SENTENCE_END = re.compile("(?<=[.!?])\\s+|(?<=[\u3002\uff01\uff1f])")
_AROUND_WORDS = re.compile(r"^[\W\d_]+|[\W_]+$")

_TRIGGERS = re.compile(
    r"triggers?\b.*|when to (?:use|apply|invoke|trigger|activate)(?: (?:this|it|the)\b.*)?"
    r"|(?:use|activate|apply) (?:this )?(?:skill )?when\b.*|activation\b.*|トリガー|使うとき",
    re.IGNORECASE,
)
_STEPS = re.compile(
    r"(?:steps?(?!\s*\d)|instructions?|procedure|workflow)\b.*|how to\b.*|手順|ステップ"
    r"|(?:\S+ ){1,4}(?:steps|instructions|procedure|workflow)",
    re.IGNORECASE,
)
_ONE_STEP = re.compile(r"step\s*\d+\b\W*(\w.*)", re.IGNORECASE)
_INPUTS = re.compile(r"(?:required |expected )?(?:inputs?|arguments?|parameters?)", re.IGNORECASE)
_USE_WHEN = re.compile(
    r"[\W_]*(?:when to use|use when(?:ever)?|use this (?:skill )?(?:when(?:ever)?|if|for))\b"
    r"(?:\W*:)?[\W_]*(\S.*)",
    re.IGNORECASE,
)

# Where front matter keeps a fact, by the name the fact goes out under.
_KEYS = {
    "triggers": ("triggers", "trigger", "whentouse", "usewhen"),
    "steps": ("steps",),
    "inputHints": ("inputhints", "inputhint", "inputs", "arguments", "argumenthint"),
    "filePatterns": ("filepatterns", "filepattern", "globs", "paths", "appliesto"),
}
# Those that are a sentence, not a list with commas.
_WHOLE = frozenset({"trigger", "whentouse", "usewhen", "inputhint", "argumenthint"})
_NUMBERS = {"confidence": ("confidence",), "usageCount": ("usagecount", "usecount")}


def usage(text: str, parsed: Parsed) -> dict[str, MetaValue]:
    """Return what front matter and the text say about the use of a skill."""
    front = parsed.nodes[0].metadata
    given = {_NOT_IN_KEY.sub("", key.rpartition(".")[2]): value for key, value in front.items()}
    description = first_text(front, "description", "summary")
    found: dict[str, Iterable[str]] = {
        name: [one for key in keys for one in _listed(given, key)] for name, keys in _KEYS.items()
    }
    found["triggers"] = [
        *found["triggers"],
        *_under(text, parsed, _TRIGGERS, or_paragraph=True),
        *_used_when(_SENTENCE_END.split(description)),
        *_used_when(line for node in parsed.nodes for line in _prose(text, node)),
    ]
    found["steps"] = [*found["steps"], *_under(text, parsed, _STEPS, or_sections=True)] or [
        step[1] for node in parsed.nodes if (step := _ONE_STEP.fullmatch(_bare(node.name)))
    ]
    found["inputHints"] = [*found["inputHints"], *_under(text, parsed, _INPUTS)]
    facts: dict[str, MetaValue] = {}
    for name, values in found.items():
        lines = (" ".join(value.split())[:_LONGEST_VALUE] for value in values)
        kept = tuple(dict.fromkeys(filter(None, lines)))
        if kept:
            facts[name] = kept[:_MOST_VALUES]
    for name, keys in _NUMBERS.items():
        for number in (_number(given.get(key)) for key in keys):
            if number is not None:
                facts[name] = int(number) if name == "usageCount" else number
    return facts


def _listed(given: Mapping[str, MetaValue], key: str) -> tuple[str, ...]:
    value = given.get(key, "")
    return (value,) if key in _WHOLE and isinstance(value, str) else words(value)


def _number(value: MetaValue | None) -> float | None:
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < _LARGEST else None


def one_line(text: str) -> str:
    """Return the words of a piece of Markdown on one line."""
    shown = _WIKILINK.sub(lambda link: link[2] or link[1], text[:_LONGEST_ITEM])
    return " ".join(without_markup(shown).split())


def _under(
    text: str,
    parsed: Parsed,
    heading: re.Pattern[str],
    *,
    or_paragraph: bool = False,
    or_sections: bool = False,
) -> Iterator[str]:
    """Yield the list items below headings of a kind; where there are none, what stands for them."""
    inside = _sections_by_parent(parsed) if or_sections else {}
    for node in parsed.nodes:
        if node.type != "section" or not heading.fullmatch(_bare(node.name)):
            continue
        items = _items(_prose(text, node)) or inside.get(node.id, [])
        if not items and or_paragraph:
            items = [node.description]
        yield from map(one_line, items)


def _bare(heading: str) -> str:
    """Return a heading without numbers, signs and pictures around its words."""
    return _AROUND_WORDS.sub("", heading)


def _sections_by_parent(parsed: Parsed) -> dict[NodeId, list[str]]:
    names = {node.id: node.name for node in parsed.nodes if node.type == "section"}
    found: dict[NodeId, list[str]] = {}
    for edge in parsed.edges:
        if edge.target in names:
            found.setdefault(edge.source, []).append(_bare(names[edge.target]))
    return found


def _items(lines: Iterable[str]) -> list[str]:
    """Return the outermost list items, the numbered ones if there are any, each on one line."""
    items: list[str] = []
    numbered: list[bool] = []
    outermost = -1
    is_open = False
    for line in lines:
        item = ITEM.fullmatch(line)
        if item is not None:
            indent = len(item[1].expandtabs(4))
            outermost = indent if outermost < 0 else outermost
            is_open = indent <= outermost + 1
            if is_open:
                items.append(item[3])
                numbered.append(item[2] is not None)
        elif is_open and line.strip() and len(items[-1]) < _LONGEST_ITEM:
            items[-1] += " " + line.strip()
        else:
            is_open = False
    if any(numbered):
        return [one for one, is_numbered in zip(items, numbered, strict=True) if is_numbered]
    return items


def _prose(text: str, node: Node) -> Iterator[str]:
    """Yield the lines of a node's own text that stand in no fence, its heading left out."""
    fence = ""
    for part in node.own:
        for number, line in enumerate(text[part.start : part.end].split("\n")):
            mark = _FENCE.match(line)
            if fence:
                is_end = mark is not None and mark[1].startswith(fence)
                fence = "" if is_end and not line.strip(" \t`~") else fence
            elif mark is not None:
                fence = mark[1]
                yield ""
            elif number or node.type != "section":
                yield line


def _used_when(lines: Iterable[str]) -> Iterator[str]:
    """Yield what follows "when to use" or "use when" at the start of a line or sentence."""
    for line in lines:
        said = _USE_WHEN.fullmatch(line[:_LONGEST_ITEM].strip())
        if said is not None:
            yield one_line(said[1])
