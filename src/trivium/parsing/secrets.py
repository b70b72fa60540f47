"""Text -> the same text with keys, tokens, passwords and private keys masked, and how many.

Runs on every document before anything of it is stored. The number of lines never changes, so
line numbers stay true; what a secret looks like is data (secrets.toml). Called by the indexer.
"""

from __future__ import annotations

import base64
import binascii
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

# Base 62 text of this length has a second group of digits more often than not.
_LONG = 16
_SHORT = 8
_FEWEST_DISTINCT = 6
_FEWEST_PAIRS = 4
_FEWEST_CLASSES = 3
_SHORTEST_SETTING = 3
_LONGEST_KEY = 64
# The pattern reads this much of a value without quotes; a longer one is followed to its end.
_LONGEST_BARE = 128
# Chosen by hand, then measured on 3,000 generated base 62 keys of each length, in quotes: 3.8 %
# are missed at 16 characters, 1.5 % at 20, 0.1 % at 32. Keys of letters alone fare worse: 5.7 %
# at 20, and outside quotes all of them. In 31 MB of Python's library one value is masked wrongly.
_WORDS = 0.5
_WORDS_WITH_DIGITS = 0.75

_CAMEL_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_DIGIT_GROUPS = re.compile(r"\d+")
_HEX = re.compile(r"(?:[0-9a-f-]+|[0-9A-F-]+)\Z")
_NUMBER = re.compile(r"[\d.,:+-]+\Z")
_NAME_PARTS = re.compile(r"[._-]")
_REST_OF_WORD = re.compile(r"\S*")
_QUOTED = ("double", "single", "element", "block")
# What stands in the place of a secret is none.
_MARK = re.compile(r"\[masked:[a-z0-9-]+\]")
_TEMPLATE_PASSWORD = re.compile(
    r"[$%{\[(*]|(?:pass|password|passwd|pwd|pw|secret|token|key)\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and how many there were."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class _Rule:
    """Where to try a pattern, and what its match must pass to be a secret."""

    name: str
    keywords: tuple[str, ...]
    folded: tuple[bytes, ...]
    pattern: str
    passes: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class _FileRule:
    """A pattern that runs over all of a file whose path fits."""

    name: str
    paths: re.Pattern[str]
    pattern: re.Pattern[str]
    passes: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class _Config:
    """Which files hold settings, which settings are secret, and which values are not."""

    paths: re.Pattern[str]
    bare: re.Pattern[str]
    translations: re.Pattern[str]
    pattern: re.Pattern[str]
    cut: re.Pattern[str]
    words: frozenset[str]
    placeholders: re.Pattern[str]
    references: re.Pattern[str]
    locations: re.Pattern[str]
    keys: tuple[tuple[str, tuple[bytes, ...]], ...]


@dataclass(frozen=True, slots=True)
class _Rules:
    """secrets.toml, compiled."""

    rules: tuple[_Rule, ...]
    files: tuple[_FileRule, ...]
    templates: frozenset[str]
    config: _Config
    pairs: frozenset[str]
    placeholders: re.Pattern[str]
    references: re.Pattern[str]


@dataclass(frozen=True, slots=True, order=True)
class _Found:
    """A secret's place. Of two that start together the rule that stands first gives the name."""

    start: int
    order: int
    end: int
    name: str


def mask(text: str, *, path: str = "") -> Masked:
    """Replace each secret by a mark such as [masked:github-token].

    In files that hold little else, such as .env, every value is a secret; in configuration, the
    value of a key named like one.
    """
    rules = _rules()
    # Latin-1 has one byte per character, so a position found in `folded` holds in `text`.
    folded = text.encode("latin-1", "replace").lower()
    found = [
        _Found(start=start, order=order, end=end, name=rule.name)
        for order, rule in enumerate(rules.rules)
        for start, end in _find(text, folded=folded, rule=rule)
    ]
    found.extend(_find_by_path(text, folded=folded, path=path.lower()))
    return _replace(text, sorted(found)) if found else Masked(text=text, count=0)


def _find(text: str, *, folded: bytes, rule: _Rule) -> Iterator[tuple[int, int]]:
    """Where one rule's secrets stand. The pattern runs only where a keyword begins."""
    for start in _starts(text, folded=folded, rule=rule):
        match = _compiled(rule.pattern).match(text, start)
        if match is None:
            continue
        groups = match.groupdict()
        bare = groups.get("bare")
        group = "secret" if bare is None else "bare"
        value = match[group]
        if rule.passes(value) and (bare is None or _is_bare_secret(value)):
            yield match.span(group)


def _starts(text: str, *, folded: bytes, rule: _Rule) -> Iterator[int]:
    for keyword in rule.keywords:
        at = text.find(keyword)
        while at >= 0:
            yield at
            at = text.find(keyword, at + 1)
    for word in rule.folded:
        at = folded.find(word)
        while at >= 0:
            yield at
            at = folded.find(word, at + 1)


def _replace(text: str, found: list[_Found]) -> Masked:
    """Put a mark in place of each value; values that overlap become one, and keep their lines."""
    pieces: list[str] = []
    count, done = 0, 0
    for one in found:
        if one.start >= done:
            pieces += [text[done : one.start], f"[masked:{one.name}]"]
            count += 1
        if one.end > done:
            pieces.append("\n" * text.count("\n", max(one.start, done), one.end))
            done = one.end
    return Masked(text="".join([*pieces, text[done:]]), count=count)


def _find_by_path(text: str, *, folded: bytes, path: str) -> Iterator[_Found]:
    """Find what is a secret only in this kind of file, after the rules that hold everywhere."""
    rules = _rules()
    order = len(rules.rules)
    is_template = not rules.templates.isdisjoint(_NAME_PARTS.split(path.rpartition("/")[2]))
    for rule in rules.files:
        if is_template or rule.paths.search(path) is None:
            continue
        for match in rule.pattern.finditer(text):
            if rule.passes(match["secret"]) and _MARK.fullmatch(match["secret"]) is None:
                start, end = match.span("secret")
                yield _Found(start=start, order=order, end=end, name=rule.name)
    config = rules.config
    if config.paths.search(path) is None or config.translations.search(path) is not None:
        return
    has_bare = config.bare.search(path) is not None
    for name, keywords in config.keys:
        for keyword in keywords:
            for start, end in _settings(text, folded=folded, keyword=keyword, has_bare=has_bare):
                yield _Found(start=start, order=order + 1, end=end, name=name)


def _settings(
    text: str, *, folded: bytes, keyword: bytes, has_bare: bool
) -> Iterator[tuple[int, int]]:
    """Where the values of keys that end in one keyword stand, left to right."""
    config = _rules().config
    at = folded.find(keyword)
    while at >= 0:
        following = at + len(keyword)
        match = config.pattern.match(text, at)
        if match is not None and (has_bare or match["bare"] is None):
            start, end, value = _setting(match)
            key = text[max(0, at - _LONGEST_KEY) : following]
            if _is_setting(value) and not _is_label(value, key=key):
                rest = _REST_OF_WORD.match(text, end) if end - start == _LONGEST_BARE else None
                # What lies inside a value is masked already: a long line is read once.
                following = end if rest is None else rest.end()
                yield start, following
        at = folded.find(keyword, following)


def _setting(match: re.Match[str]) -> tuple[int, int, str]:
    """Return where a setting's value stands, and as much of it as tells whether it is a secret."""
    group = next((name for name in _QUOTED if match[name] is not None), "bare")
    value = match[group]
    start, end = match.span(group)
    if group != "bare":
        return start, end, value.partition("\n")[0].strip()
    cut = _rules().config.cut.search(value)
    if cut is not None:
        value = value[: cut.start()]
        end = start + len(value)
    return start, end, "" if _NUMBER.match(value) is not None else value


def _is_label(value: str, *, key: str) -> bool:
    """Whether a value says again what its key says, as in "apiKey": "API key"."""
    words = "".join(c for c in value.lower() if c.isalnum())
    return "".join(c for c in key.lower() if c.isalnum()).endswith(words)


def _is_setting(value: str) -> bool:
    """Stands for itself, as the value of a key that names a secret."""
    config = _rules().config
    if len(value) < _SHORTEST_SETTING or value.lower() in config.words:
        return False
    if not value.isascii() and value.isalpha():
        return False
    words = value.split()
    if len(words) > 1 and not any(map(_has_letters_and_digits, words)):
        return False
    if config.references.match(value) is not None or config.placeholders.search(value) is not None:
        return False
    return config.locations.match(value) is None or _is_random(value)


def _has_letters_and_digits(word: str) -> bool:
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


def _is_literal(value: str) -> bool:
    return _rules().config.references.match(value) is None


def _is_basic(value: str) -> bool:
    """Whether base 64 hides a name, a colon and a password."""
    try:
        return b":" in base64.b64decode(value, validate=True)[1:-1]
    except binascii.Error:
        return False


def _is_any(value: str) -> bool:
    return bool(value)


def _is_varied(value: str) -> bool:
    """Not a run of a few characters, as in ghp_xxxxxxxx."""
    tail = value[value.rfind("_", 0, -_SHORT) + 1 :]
    return len(set(tail)) >= _FEWEST_DISTINCT


def _is_mixed(value: str) -> bool:
    """Letters of both cases, or letters and digits: encoded, not a word."""
    is_word = value.isalpha() and (value.islower() or value.isupper() or value.istitle())
    return _is_varied(value) and not is_word


def _is_url_password(value: str) -> bool:
    return "masked:" not in value and _TEMPLATE_PASSWORD.match(value) is None


def _is_written(value: str) -> bool:
    """Stands for itself: not a placeholder, a reference, a path or an address."""
    rules = _rules()
    return rules.references.match(value) is None and rules.placeholders.search(value) is None


def _is_written_random(value: str) -> bool:
    return _is_random(value) and _is_written(value)


def _is_random(value: str) -> bool:
    """Whether the letters and digits of a value do not read as words."""
    if len(set(value)) < _FEWEST_DISTINCT + 2 or len(value) < _LONG:
        return False
    if _HEX.match(value) is not None:
        return any(c.isdigit() for c in value)
    groups = len(_DIGIT_GROUPS.findall(value))
    return _share_of_words(value) < (_WORDS_WITH_DIGITS if groups > 1 else _WORDS)


def _share_of_words(value: str) -> float:
    """Return the share of neighbouring letters that words have; 0 where few letters meet."""
    pairs = _rules().pairs
    words = [word.lower() for word in _CAMEL_WORDS.findall(value)]
    met = [a + b for word in words for a, b in pairwise(word)]
    return sum(pair in pairs for pair in met) / len(met) if len(met) >= _FEWEST_PAIRS else 0.0


def _is_password(value: str) -> bool:
    """As random, or short with both cases and digits placed as no word has them."""
    if not _is_written(value):
        return False
    if _is_random(value):
        return True
    groups = len(_DIGIT_GROUPS.findall(value))
    has_mark = any(not c.isalnum() and c not in "_-./:" for c in value)
    classes = sum((has_mark, groups > 0, value != value.lower(), value != value.upper()))
    return classes >= _FEWEST_CLASSES and (
        has_mark or groups > 1 or _share_of_words(value) < _WORDS
    )


def _is_bare_secret(value: str) -> bool:
    """Outside quotes, what could be a name in a program is not a secret unless it is random."""
    if not any(c.isdigit() for c in value):
        return False
    is_name = value.replace("_", "a").replace(".", "a").isalnum()
    return not is_name or (_is_random(value) and "." not in value)


_CHECKS: dict[str, Callable[[str], bool]] = {
    "any": _is_any,
    "varied": _is_varied,
    "mixed": _is_mixed,
    "url": _is_url_password,
    "random": _is_random,
    "written": _is_written_random,
    "password": _is_password,
    "literal": _is_literal,
    "basic": _is_basic,
    "config": _is_setting,
}


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a rule when its keyword is met: most never are, and all of them take a while."""
    return re.compile(pattern)


@cache
def _rules() -> _Rules:
    """Read the rule file on first use."""
    data = tomllib.loads(
        resources.files("trivium.parsing").joinpath("secrets.toml").read_text("utf-8")
    )
    words = data["words"]
    return _Rules(
        rules=tuple(
            _Rule(
                name=rule["name"],
                keywords=() if rule.get("ignore_case", False) else tuple(rule["keywords"]),
                folded=tuple(word.encode() for word in rule["keywords"])
                if rule.get("ignore_case", False)
                else (),
                pattern=rule["pattern"],
                passes=_CHECKS[rule["check"]],
            )
            for rule in data["rule"]
        ),
        pairs=frozenset(a + b for a, follow in words["pairs"].items() for b in follow),
        placeholders=re.compile("|".join(map(re.escape, words["placeholders"])), re.IGNORECASE),
        references=re.compile(words["references"]),
        files=tuple(
            _FileRule(
                name=rule["name"],
                paths=re.compile(rule["paths"]),
                pattern=re.compile(rule["pattern"]),
                passes=_CHECKS[rule["check"]],
            )
            for rule in data["file"]
        ),
        templates=frozenset(data["files"]["templates"]),
        config=_config(data["config"]),
    )


def _config(data: dict[str, Any]) -> _Config:
    return _Config(
        paths=re.compile(data["paths"]),
        bare=re.compile(data["bare"]),
        translations=re.compile(data["translations"]),
        pattern=re.compile(data["pattern"]),
        cut=re.compile(data["cut"]),
        words=frozenset(data["words"]),
        placeholders=re.compile(data["placeholders"]),
        references=re.compile(data["references"]),
        locations=re.compile(data["locations"]),
        keys=tuple(
            (key["name"], tuple(word.encode() for word in key["keywords"])) for key in data["keys"]
        ),
    )
