"""Flags, environment and files -> Settings; the only reader of the environment.

Order, highest first: flag, TRIVIUM_*, trivium.toml in the folder, the user's file,
default. A folder's file is untrusted: it may say what to ignore, how to cut and rank, and
nothing else. Runs once, at the door; every value knows where it came from.
"""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from trivium.errors import ConfigError

Value = str | int | float | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """One value, where it came from, and whether a folder's own file may set it."""

    value: Value
    origin: str


@dataclass(frozen=True, slots=True)
class _Known:
    default: Value
    help: str
    folder_may_set: bool = False
    least: int = 0
    most: float = math.inf
    choices: tuple[str, ...] = ()


KNOWN: Mapping[str, _Known] = {
    "embedding.model": _Known(
        "static",
        "what gives meaning: static, static:<file>, minilm, onnx:<folder>, openai:<model>, none",
    ),
    "embedding.base_url": _Known("", "address of an OpenAI-compatible service"),
    "embedding.dimensions": _Known(
        0, "numbers in a vector that a service is asked for; 0 is as many as the model gives"
    ),
    "embedding.threads": _Known(0, "threads that embed; 0 is one per core"),
    "embedding.queries_kept": _Known(
        1000, "queries whose vectors a collection keeps, by hash; 0 keeps none", most=100_000
    ),
    "embedding.most_tokens": _Known(
        1_000_000, "tokens for a service above which indexing asks first"
    ),
    "embedding.price_per_million_tokens": _Known(
        0.0, "what a service takes for a million tokens, to say what a run costs; 0 is unknown"
    ),
    "chunking.size": _Known(1000, "characters in a chunk of prose", folder_may_set=True, least=50),
    "chunking.overlap": _Known(
        200, "characters a chunk of prose shares with the one before", folder_may_set=True
    ),
    "text.tokenizer": _Known(
        "default",
        "which dictionary cuts text without spaces: default (none), japanese, korean, chinese",
        folder_may_set=True,
        choices=("default", "japanese", "korean", "chinese"),
    ),
    "search.profile": _Known("best", "ranking profile", folder_may_set=True),
    "search.synonyms": _Known(
        "",
        "file of words that mean the same; a folder may only name one inside it",
        folder_may_set=True,
    ),
    "rerank.model": _Known(
        "none", "what reads the best hits again: none, onnx:<folder>, or an http(s) address"
    ),
    "rerank.name": _Known("", "model name sent to that address"),
    "rerank.depth": _Known(50, "how many of the best are read again", most=1000),
    "rerank.weight": _Known(1.0, "how much the new score counts against the first order", most=1),
    "rerank.timeout_s": _Known(10, "longest that reading again may take, in seconds", least=1),
    "memory.place": _Known(
        "project",
        "where notes, tasks and skills are written: in the project, or in the user's folder",
        choices=("project", "user"),
    ),
    "files.ignore": _Known((), "patterns to leave out, as in .gitignore", folder_may_set=True),
    "records.tables": _Known((), "tables of SQLite files below the folder, as data/app.db:orders"),
    "files.max_bytes": _Known(1_000_000, "largest file that is read", least=1),
    "files.ask_above": _Known(
        100_000, "files in a folder above which indexing asks first", least=1
    ),
    "backend.kind": _Known(
        "embedded",
        "where an index is kept: embedded (on this machine), opensearch (on a cluster)",
        choices=("embedded", "opensearch"),
    ),
    "backend.urls": _Known((), "addresses of the nodes of a cluster, such as http://host:9200"),
    "backend.collection": _Known(
        "", "what an index is called on a cluster; empty is its folder with a hash of the path"
    ),
    "backend.under": _Known(
        "",
        "the folder of a collection that this one stands below, where several folders feed it; "
        "empty is all of it",
    ),
    "backend.user": _Known("", "who asks a cluster"),
    "backend.certificates": _Known(
        "", "file of certificates by which a cluster is trusted; empty is those of the system"
    ),
    "backend.shards": _Known(
        1, "shards of each index that is made on a cluster", least=1, most=1024
    ),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting, frozen."""

    home: Path
    home_origin: str
    values: Mapping[str, Setting] = field(default_factory=dict)
    openai_key: str | None = field(default=None, repr=False)
    rerank_key: str | None = field(default=None, repr=False)
    user_file: Path | None = None
    cluster_password: str = field(default="", repr=False)
    cluster_key: str = field(default="", repr=False)

    def text(self, key: str) -> str:
        """Return a setting that is text."""
        return str(self.values[key].value)

    def number(self, key: str) -> int:
        """Return a setting that is a whole number."""
        value = self.values[key].value
        return value if isinstance(value, int) else int(str(value))

    def real(self, key: str) -> float:
        """Return a setting that is a number."""
        return float(str(self.values[key].value))

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a setting that is a list."""
        value = self.values[key].value
        return value if isinstance(value, tuple) else (str(value),)

    def flagged(self, flags: Mapping[str, Value]) -> Settings:
        """Return the same with what was asked for by hand. Raises ConfigError."""
        given = {key: Setting(checked(key, one, "flag"), "flag") for key, one in flags.items()}
        return replace(self, values={**self.values, **given})


def load(
    *,
    folder: Path | None = None,
    flags: Mapping[str, Value] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Gather the settings for `folder`. Raises ConfigError that names file and key."""
    env = dict(os.environ) if environ is None else environ  # noqa: TID251 - the one reader
    values = {key: Setting(known.default, "default") for key, known in KNOWN.items()}
    user_file = _user_file(env)
    values |= _from_file(user_file, trusted=True)
    if folder is not None:
        values |= _from_file(folder / "trivium.toml", trusted=False)
    values |= _from_environment(env)
    home, origin = _home(env)
    keys = env.get("OPENAI_API_KEY"), env.get("TRIVIUM_RERANK_KEY")
    found = Settings(
        home,
        origin,
        values,
        *keys,
        user_file=user_file,
        cluster_password=env.get("TRIVIUM_CLUSTER_PASSWORD", ""),
        cluster_key=env.get("TRIVIUM_CLUSTER_KEY", ""),
    )
    return found.flagged(flags or {})


def _home(env: Mapping[str, str]) -> tuple[Path, str]:
    given = env.get("TRIVIUM_HOME")
    if given:
        return Path(given).expanduser(), "TRIVIUM_HOME"
    import platformdirs

    return Path(platformdirs.user_data_dir("trivium", appauthor=False)), "default"


def _user_file(env: Mapping[str, str]) -> Path:
    given = env.get("TRIVIUM_CONFIG")
    if given:
        return Path(given).expanduser()
    import platformdirs

    return Path(platformdirs.user_config_dir("trivium", appauthor=False)) / "config.toml"


def _from_file(path: Path, *, trusted: bool) -> dict[str, Setting]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    found: dict[str, Setting] = {}
    for section, table in raw.items():
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: {section} must be a table such as [search].")
        for name, value in table.items():
            key = f"{section}.{name}"
            known = _known(key, str(path))
            if not trusted and not known.folder_may_set:
                raise ConfigError(
                    f"{path}: {key} may not be set by a folder's own file. "
                    "Set it in your user file or the environment."
                )
            found[key] = Setting(checked(key, value, str(path)), str(path))
    return found


def _from_environment(env: Mapping[str, str]) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for name, text in env.items():
        if not name.startswith("TRIVIUM_") or "__" not in name:
            continue
        key = name.removeprefix("TRIVIUM_").lower().replace("__", ".", 1)
        known = _known(key, name)
        value: Value = text
        if isinstance(known.default, tuple):
            value = tuple(one.strip() for one in text.split(",") if one.strip())
        elif isinstance(known.default, int | float):
            try:
                value = type(known.default)(text)
            except ValueError as error:
                raise ConfigError(f"{name} must be {_sort(known)}, not {text!r}.") from error
        found[key] = Setting(checked(key, value, name), name)
    return found


def _known(key: str, origin: str) -> _Known:
    if key in KNOWN:
        return KNOWN[key]
    near = difflib.get_close_matches(key, KNOWN, n=1, cutoff=0.0)[0]
    raise ConfigError(f"{origin}: unknown setting {key!r}. Did you mean {near!r}?")


def _sort(known: _Known) -> str:
    return "a number" if isinstance(known.default, float) else "a whole number"


def checked(key: str, value: object, origin: str) -> Value:
    """Return a value that a setting may have. Raises ConfigError that names origin and key."""
    known = _known(key, origin)
    if isinstance(known.default, tuple):
        if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
            return tuple(value)
        raise ConfigError(f"{origin}: {key} must be a list of texts.")
    if isinstance(known.default, int | float):
        # A whole number is a number as well; true is neither.
        is_sort = type(value) in (int, type(known.default))
        if is_sort and isinstance(value, int | float) and known.least <= value <= known.most:
            return type(known.default)(value)
        limits = f"of at least {known.least}"
        if known.most < math.inf:
            limits = f"from {known.least} to {known.most:g}"
        raise ConfigError(f"{origin}: {key} must be {_sort(known)} {limits}.")
    if not isinstance(value, str):
        raise ConfigError(f"{origin}: {key} must be text.")
    if known.choices and value not in known.choices:
        near = difflib.get_close_matches(value, known.choices, n=1, cutoff=0.0)[0]
        raise ConfigError(
            f"{origin}: unknown {key} {value!r}. Did you mean {near!r}? "
            f"Use {', '.join(known.choices)}."
        )
    return value
