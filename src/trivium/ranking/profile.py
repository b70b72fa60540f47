"""A ranking profile: every number of a ranking, as data.

Profiles are TOML files; those in `profiles/` are shipped, users may add their own. Read
here and checked key by key: a mistake names the file and the key. Pure: text in, value out.
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from trivium.analysis.fields import check
from trivium.errors import ConfigError
from trivium.types import Kind, View

Table = Mapping[str, object]

FUSIONS = ("rrf", "zscore")
RETRIEVERS = ("text", "vectors")


@dataclass(frozen=True, slots=True)
class Fusion:
    """How rankings become one: by reciprocal rank, or by blending scores."""

    method: str
    k: int
    weights: Mapping[str, float]
    name_weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Profile:
    """One way to rank."""

    name: str
    description: str
    view: View
    depth: int
    fusion: Fusion
    name_boost: float
    file_boost: float
    file_again: float
    groups_by_node: bool
    snippet: str
    default_limit: int
    most: int


def shipped() -> list[str]:
    """Return the names of the profiles in the package."""
    folder = resources.files("trivium.ranking").joinpath("profiles")
    names = (entry.name for entry in folder.iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


@cache
def profile(name: str) -> Profile:
    """Return a shipped profile. An unknown name raises ConfigError with the nearest one."""
    names = shipped()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.0)[0]
        raise ConfigError(
            f"Unknown profile {name!r}. Did you mean {near!r}? Profiles: {', '.join(names)}."
        )
    file = resources.files("trivium.ranking").joinpath("profiles", f"{name}.toml")
    return read(file.read_text(encoding="utf-8"), origin=f"{name}.toml")


def read(text: str, *, origin: str) -> Profile:
    """Read a profile. Raises ConfigError that names `origin` and the key."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{origin}: {error}") from error
    top = _Reader(raw, origin, "")
    view, fuse, limit = top.table("view"), top.table("fuse"), top.table("limit")
    retrieve, boost = top.table("retrieve"), top.table("boost", optional=True)
    name = top.text("name")
    most = limit.number("most", least=1)
    made = Profile(
        name=name,
        description=top.text("description"),
        view=_view(view, name),
        depth=retrieve.number("depth", least=1),
        fusion=Fusion(
            method=fuse.one_of("method", FUSIONS),
            k=fuse.number("k", least=1, default=60),
            weights=fuse.table("weights").weights(),
            name_weights=fuse.table("name_weights", optional=True).weights(),
        ),
        name_boost=boost.real("name", default=0.0),
        file_boost=boost.real("file", default=0.0),
        file_again=boost.real("again", default=1.0),
        groups_by_node=top.one_of("group", ("node", "none"), default="node") == "node",
        snippet=top.one_of("snippet", ("window", "start"), default="window"),
        default_limit=limit.number("default", least=1, most=most),
        most=most,
    )
    for table in (top, view, fuse, limit, retrieve, boost):
        table.finish()
    return made


def _view(table: _Reader, name: str) -> View:
    fields = table.table("fields").whole_numbers()
    kinds = table.texts("kinds", tuple(Kind))
    view = View(
        name=name,
        analyser=table.one_of("analyser", ("standard", "simple", "graph")),
        fields=tuple(fields.items()),
        combine=table.one_of("combine", ("repeat", "sum")),
        unit=table.one_of("unit", ("chunk",)),
        kinds=kinds,
    )
    try:
        check(view)
    except ConfigError as error:
        raise table.refusal("fields", str(error)) from error
    return view


class _Reader:
    """Takes keys out of a TOML table, each once, and knows where it stands."""

    def __init__(self, raw: Table, origin: str, place: str) -> None:
        self._raw = dict(raw)
        self._origin = origin
        self._place = place

    def refusal(self, key: str, problem: str) -> ConfigError:
        return ConfigError(f"{self._origin}: {self._place}{key}: {problem}")

    def _take(self, key: str, kind: type | tuple[type, ...], default: object) -> object:
        value = self._raw.pop(key, default)
        if value is None:
            raise self.refusal(key, "it is missing.")
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.refusal(key, f"{value!r} has the wrong type.")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        return str(self._take(key, str, default))

    def one_of(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        value = self.text(key, default)
        if value not in choices:
            raise self.refusal(key, f"{value!r} is not one of {', '.join(choices)}.")
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

    def real(self, key: str, default: float | None = None) -> float:
        value = float(str(self._take(key, (int, float), default)))
        if not 0 <= value < math.inf:
            raise self.refusal(key, "it must be a number from 0 up.")
        return value

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
        return _Reader(inside, self._origin, f"{self._place}{key}.")

    def weights(self) -> dict[str, float]:
        """Take one weight per retriever."""
        for key in self._raw:
            if key not in RETRIEVERS:
                raise self.refusal(key, f"there is no such retriever: {', '.join(RETRIEVERS)}.")
        return {key: self.real(key) for key in list(self._raw)}

    def whole_numbers(self) -> dict[str, int]:
        return {key: self.number(key, least=1) for key in list(self._raw)}

    def finish(self) -> None:
        """Refuse keys nobody asked for."""
        for key in self._raw:
            raise self.refusal(key, "there is no such key.")
