"""The text of a profile file -> a Profile, checked key by key.

A mistake names the file, the line and the key. A profile may extend another: it then says only
what differs. Pure: text in, value out.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields as fields_of_class
from dataclasses import replace

from trivium.analysis.fields import check
from trivium.errors import ConfigError, unknown
from trivium.ranking.features import PAGE_SIGNS, SIGNS
from trivium.ranking.profile import (
    Boosts,
    Expansion,
    Fusion,
    Learned,
    Profile,
    Retrieval,
    Scope,
    shipped,
    text_of,
)
from trivium.types import EdgeType, Kind, View

Table = Mapping[str, object]

FUSIONS = ("rrf", "weighted", "blend", "zscore")
SIGNALS = ("text", "vectors", "instant", "degree")
ANALYSERS = ("standard", "simple", "graph", "graph-all", "code", "prose")
GROUPS = ("file", "node", "none")
INTENTS = ("code", "prose", "path", "url", "mixed")
_HEADER = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?")
_KEY = re.compile(r'\s*("?[\w.-]+"?)\s*=')
_K1, _B = 1.2, 0.75
# Names become parts of folders' names.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_NO_NAME = "a name has up to 60 letters, digits, - and _, and starts with a letter or digit."
_DEEPEST = 10_000
_MOST_WEIGHT = 100.0
_MOST_POWER = 10.0
_MOST_HITS = 1000


def read(text: str, *, origin: str, text_of: Callable[[str], str] = text_of) -> Profile:
    """Read a profile. Raises ConfigError that names `origin`, the line and the key.

    `text_of` gives the file of another profile, for `extends`.
    """
    raw = _extended(text, origin, text_of, seen=())
    top = _Reader(raw, origin, "", text)
    name = top.name("name")
    view, scopes = top.table("view"), top.table("scopes", optional=True)
    retrieve, fuse = top.table("retrieve"), top.table("fuse")
    boost, expand = top.table("boost", optional=True), top.table("expand", optional=True)
    learned = top.table("learned", optional=True)
    cut, limit = top.table("cut", optional=True), top.table("limit")
    most = limit.number("most", least=1)
    least = cut.optional_real("min_score")
    highest = cut.optional_real("highest")
    made = Profile(
        name=name,
        description=top.text("description"),
        scopes=_scopes(view, scopes, name, least=least, expand=dict(expand.peek())),
        merge=top.one_of("merge", ("score", "rrf"), default="score"),
        dialect=top.one_of("dialect", ("standard", "contract"), default="standard"),
        retrieval=_retrieval(retrieve),
        fusion=_fusion(fuse),
        boosts=_boosts(boost),
        learned=_learned(learned),
        expansion=_expansion(expand),
        highest=highest,
        empty=top.one_of("empty", ("nothing", "degree"), default="nothing"),
        group=top.one_of("group", GROUPS, default="node"),
        snippet=top.one_of("snippet", ("window", "start"), default="window"),
        default_limit=limit.number("default", least=1, most=most),
        most=most,
    )
    for table in (top, view, scopes, retrieve, fuse, boost, learned, expand, cut, limit):
        table.finish()
    return made


def _extended(
    text: str, origin: str, text_of: Callable[[str], str], *, seen: tuple[str, ...]
) -> dict[str, object]:
    """Return the tables of a file, laid over those of the profile it extends."""
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{origin}: {error}") from error
    base = raw.pop("extends", None)
    if base is None:
        return raw
    reader = _Reader({"extends": base}, origin, "", text)
    name = reader.text("extends")
    if name in seen:
        raise reader.refusal("extends", f"{name!r} extends itself.")
    try:
        below = text_of(name)
    except (FileNotFoundError, ConfigError):
        raise reader.refusal("extends", unknown("profile", name, shipped())) from None
    laid = _extended(below, f"{name}.toml", text_of, seen=(*seen, name))
    # On its own first: a mistake in it is not one of the file that extends it.
    read(below, origin=f"{name}.toml", text_of=text_of)
    return _laid(laid, raw)


def _laid(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    laid = dict(below)
    if "fields" in above:
        # The weights of the base by intent would count in the place of the new ones.
        laid.pop("intents", None)
    for key, value in above.items():
        under = laid.get(key)
        if not isinstance(under, dict) or not isinstance(value, dict):
            laid[key] = value
        elif key == "intents":
            laid[key] = {**under, **value}
        else:
            # Fields are one list: those of the base would count beside the new ones unasked.
            laid[key] = value if key == "fields" else _laid(under, value)
    return laid


def _boosts(table: _Reader) -> Boosts:
    plain = Boosts()
    names = (one.name for one in fields_of_class(Boosts) if one.name != "kinds")
    most = dict.fromkeys(("duplicate", "duplicate_at"), 1.0)
    return Boosts(
        **{
            name: table.real(name, default=getattr(plain, name), most=most.get(name, math.inf))
            for name in names
        },
        kinds=_kinds(table.table("kinds", optional=True)),
    )


def _kinds(table: _Reader) -> dict[str, float]:
    for key in table.names():
        if key not in tuple(Kind):
            raise table.refusal(key, f"there is no such kind: {', '.join(Kind)}.")
    return {key: table.real(key, most=_MOST_WEIGHT) for key in table.names()}


def _learned(table: _Reader) -> Learned:
    return Learned(
        weights=_signs(table.table("weights", optional=True), SIGNS),
        pages=_signs(table.table("pages", optional=True), PAGE_SIGNS),
        slower=table.real("slower", default=1.0, most=_MOST_WEIGHT),
    )


def _signs(table: _Reader, known: Collection[str]) -> dict[str, float]:
    for key in table.names():
        if key not in known:
            raise table.refusal(key, f"there is no such sign: {', '.join(known)}.")
    return {key: table.real(key, most=_MOST_WEIGHT) for key in table.names()}


def _retrieval(table: _Reader) -> Retrieval:
    return Retrieval(
        depth=table.number("depth", least=1, most=_DEEPEST),
        words=table.one_of("words", ("bm25", "points"), default="bm25"),
        meaning=table.one_of("meaning", ("raw", "positive", "half", "hundred"), default="raw"),
        floor=table.optional_real("floor"),
        complete=table.flag("complete", default=False),
        called=table.flag("called", default=False),
        typos=table.real("typos", default=0.0, most=1.0),
        synonyms=table.real("synonyms", default=0.0, most=1.0),
        abbreviations=table.flag("abbreviations", default=False),
    )


def _fusion(table: _Reader) -> Fusion:
    made = Fusion(
        method=table.one_of("method", FUSIONS),
        k=table.number("k", least=1, most=1_000_000, default=60),
        weights=table.table("weights").weights(),
        name_weights=table.table("name_weights", optional=True).weights(),
        instant_weights=table.table("instant_weights", optional=True).weights(),
        code_weights=table.table("code_weights", optional=True).weights(),
        instant_code_weights=table.table("instant_code_weights", optional=True).weights(),
        match_usual=table.real("match_usual", default=0.0, most=_MOST_WEIGHT),
        match_power=table.real("match_power", default=1.0, most=_MOST_POWER),
        normalise=table.one_of("normalise", ("none", "max", "minmax", "zscore"), default="none"),
        missing=table.one_of("missing", ("zero", "renormalise"), default="zero"),
        scale=table.one_of("scale", ("raw", "best"), default="raw"),
        alone=table.one_of("alone", ("fuse", "score"), default="fuse"),
        order=table.one_of("order", ("score", "rrf"), default="score"),
    )
    if not any(made.weights.values()):
        raise table.refusal("weights", "give at least one signal a weight above 0.")
    for name in ("instant_weights", "instant_code_weights"):
        if "instant" in getattr(made, name):
            raise table.refusal(f"{name}.instant", "the vectors are its own there.")
    return made


def _expansion(table: _Reader) -> Expansion:
    decay = table.table("decay", optional=True)
    made = Expansion(
        method=table.one_of("method", ("none", "spread", "context"), default="none"),
        depth=table.number("depth", least=0, most=10, default=1),
        seeds=table.number("seeds", least=1, most=500, default=5),
        decay={EdgeType(key): value for key, value in decay.shares(tuple(EdgeType)).items()},
        other=table.real("other", default=0.0, most=1.0),
        skip_incoming=frozenset(
            EdgeType(one) for one in table.texts("skip_incoming", tuple(EdgeType)) or ()
        ),
        per_hit=table.number("per_hit", least=1, most=_MOST_HITS, default=4),
        total=table.number("total", least=1, most=_MOST_HITS, default=40),
    )
    for inside in (decay, table):
        inside.finish()
    return made


def _scopes(
    view: _Reader, scopes: _Reader, name: str, *, least: float | None, expand: Table
) -> tuple[Scope, ...]:
    names = scopes.names()
    if not names:
        return (replace(_scope(view, name), min_score=least),)
    made: list[Scope] = []
    shared = view.rest()
    for key in names:
        if not _NAME.fullmatch(key):
            raise scopes.refusal(key, _NO_NAME)
        one = scopes.table(key)
        weight = one.real("weight", default=1.0)
        own = one.optional_real("min_score")
        around = one.table("expand", optional=True)
        expansion = _expansion(around.over(expand)) if around.names() else None
        scope = _scope(one.over(shared), f"{name}-{key}")
        made.append(
            replace(
                scope,
                weight=weight,
                min_score=least if own is None else own,
                expansion=expansion,
            )
        )
        _check_apart(scopes, key, made)
    return tuple(made)


def _check_apart(scopes: _Reader, key: str, made: list[Scope]) -> None:
    """Refuse a scope that has a kind of another: a node would be found twice."""
    *others, own = made
    for other in others:
        if own.view.kinds is None or other.view.kinds is None:
            raise scopes.refusal(key, "each of several scopes must say its kinds.")
        both = set(own.view.kinds) & set(other.view.kinds)
        if both:
            raise scopes.refusal(key, f"{', '.join(sorted(both))} is in another scope as well.")


def _scope(table: _Reader, name: str) -> Scope:
    plain, by_kind = table.table("fields").fields()
    kinds = table.texts("kinds", tuple(Kind))
    most = table.table("most", optional=True)
    for key, only in (("k1", _K1), ("b", _B)):
        if table.real(key, default=only) != only:
            raise table.refusal(key, f"it is {only} in every text index and cannot be changed.")
    view = View(
        name=name,
        analyser=table.one_of("analyser", ANALYSERS),
        fields=plain,
        combine=table.one_of("combine", ("repeat", "sum")),
        unit=table.one_of("unit", ("chunk", "node")),
        kinds=kinds,
        by_kind=by_kind,
        most=tuple((key, most.number(key, least=1)) for key in most.names()),
    )
    deep, _ = table.table("deep", optional=True).fields()
    intents = table.table("intents", optional=True)
    by_intent = {}
    for key in intents.names():
        if key not in INTENTS:
            raise intents.refusal(key, f"it is not one of {', '.join(INTENTS)}.")
        by_intent[key], _ = intents.table(key).fields()
    _check_fields(table, view, plain, key="fields")
    _check_fields(table, view, deep, key="deep")
    for key, fields in by_intent.items():
        _check_fields(intents, view, fields, key=key)
    table.finish()
    return Scope(name, view, deep=deep, intents=by_intent or None)


def _check_fields(
    table: _Reader, view: View, fields: tuple[tuple[str, float], ...], *, key: str
) -> None:
    if not fields and not view.by_kind:
        return
    try:
        check(replace(view, fields=fields))
    except ConfigError as error:
        raise table.refusal(key, str(error)) from error


class _Reader:
    """Takes keys out of a TOML table, each once, and knows where it stands."""

    def __init__(self, raw: Table, origin: str, place: str, text: str) -> None:
        self._raw = dict(raw)
        self._origin = origin
        self._place = place
        self._text = text

    def refusal(self, key: str, problem: str) -> ConfigError:
        line = _line_of(self._text, f"{self._place}{key}")
        where = f"{self._origin}, line {line}" if line else self._origin
        return ConfigError(f"{where}: {self._place}{key}: {problem}")

    def names(self) -> list[str]:
        """Return the keys that are left."""
        return list(self._raw)

    def peek(self) -> Table:
        """Return what is left without taking it."""
        return self._raw

    def rest(self) -> Table:
        """Take all that is left."""
        rest, self._raw = self._raw, {}
        return rest

    def over(self, below: Table) -> _Reader:
        """Return this table laid over another, both read as one; this one is then empty."""
        return _Reader(_laid(below, self.rest()), self._origin, self._place, self._text)

    def _take(self, key: str, kind: type | tuple[type, ...], default: object) -> object:
        value = self._raw.pop(key, default)
        if value is None:
            raise self.refusal(key, "it is missing.")
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.refusal(key, f"{value!r} has the wrong type.")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        return str(self._take(key, str, default))

    def name(self, key: str) -> str:
        value = self.text(key)
        if not _NAME.fullmatch(value):
            raise self.refusal(key, _NO_NAME)
        return value

    def one_of(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        value = self.text(key, default)
        if value not in choices:
            raise self.refusal(key, f"{value!r} is not one of {', '.join(choices)}.")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        value = self._raw.pop(key, default)
        if not isinstance(value, bool):
            raise self.refusal(key, f"{value!r} has the wrong type.")
        return value

    def number(
        self, key: str, *, least: int, most: int | None = None, default: int | None = None
    ) -> int:
        value = int(str(self._take(key, int, default)))
        if value < least:
            raise self.refusal(key, f"it must be at least {least}.")
        if most is not None and value > most:
            raise self.refusal(key, f"it must be at most {most}.")
        return value

    def real(self, key: str, default: float | None = None, *, most: float = math.inf) -> float:
        value = float(str(self._take(key, (int, float), default)))
        if not 0 <= value < math.inf:
            raise self.refusal(key, "it must be a number from 0 up.")
        if value > most:
            raise self.refusal(key, f"it must be at most {most:g}.")
        return value

    def optional_real(self, key: str, *, most: float = math.inf) -> float | None:
        return self.real(key, most=most) if key in self._raw else None

    def texts(self, key: str, choices: tuple[str, ...]) -> tuple[str, ...] | None:
        value = self._raw.pop(key, None)
        if value is None:
            return None
        if not isinstance(value, list) or any(one not in choices for one in value):
            raise self.refusal(key, f"it must be a list of {', '.join(choices)}.")
        return tuple(str(one) for one in value)

    def table(self, key: str, *, optional: bool = False) -> _Reader:
        value = self._take(key, dict, {} if optional else None)
        inside = value if isinstance(value, dict) else {}
        return _Reader(inside, self._origin, f"{self._place}{key}.", self._text)

    def weights(self) -> dict[str, float]:
        """Take one weight per signal."""
        for key in self._raw:
            if key not in SIGNALS:
                raise self.refusal(key, f"there is no such signal: {', '.join(SIGNALS)}.")
        return {key: self.real(key) for key in self.names()}

    def shares(self, choices: tuple[str, ...]) -> dict[str, float]:
        """Take a number from 0 to 1 for each key, which must be one of `choices`."""
        for key in self._raw:
            if key not in choices:
                raise self.refusal(key, f"it is not one of {', '.join(choices)}.")
        return {key: self.real(key, most=1.0) for key in self.names()}

    def fields(
        self,
    ) -> tuple[
        tuple[tuple[str, float], ...], tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
    ]:
        """Take the weights of fields, and those of fields that only one kind has."""
        plain: list[tuple[str, float]] = []
        by_kind: list[tuple[str, tuple[tuple[str, float], ...]]] = []
        for key in self.names():
            if not isinstance(self._raw[key], dict):
                plain.append((key, self.real(key, most=_MOST_WEIGHT)))
                continue
            if key not in tuple(Kind):
                raise self.refusal(key, f"it is not one of {', '.join(Kind)}.")
            inside = self.table(key)
            only = ((one, inside.real(one, most=_MOST_WEIGHT)) for one in inside.names())
            by_kind.append((key, tuple(only)))
        return tuple(plain), tuple(by_kind)

    def finish(self) -> None:
        """Refuse keys nobody asked for."""
        for key in self._raw:
            raise self.refusal(key, "there is no such key.")


def _line_of(text: str, dotted: str) -> int:
    """Return the line a key stands in, from 1; that of its table or above, if it is missing."""
    wanted = dotted.split(".")
    table: list[str] = []
    best, depth = 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.fullmatch(line):
            table = [part.strip().strip('"') for part in header[1].split(".")]
            if wanted[: len(table)] == table and len(table) > depth:
                best, depth = number, len(table)
            continue
        key = _KEY.match(line)
        if key is None:
            continue
        whole = [*table, *key[1].strip('"').split(".")]
        if whole == wanted[: len(whole)] and len(whole) > depth:
            best, depth = number, len(whole)
    return best
