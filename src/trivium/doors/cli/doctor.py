"""Is everything here that Trivium needs? Every setting and where it came from."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from trivium import __version__
from trivium.analysis.words import analyser, edition
from trivium.config import KNOWN, Settings, load
from trivium.doors.cli.folder import indexed_root, remembered_model
from trivium.errors import TriviumError
from trivium.home import folder_of
from trivium.models.registry import load_from
from trivium.models.rerank import load_from as load_reranking
from trivium.whereabouts import settled

_PARTS = ("tantivy", "numkong", "numpy", "tree-sitter", "PyStemmer")
_EXTRAS = (
    ("onnxruntime", "minilm"),
    ("trivium-minilm", "minilm"),
    ("pygit2", "git"),
    ("mcp", "mcp"),
    ("starlette", "serve"),
    ("httpx", "opensearch"),
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    is_well: bool
    said: str


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that was looked at."""

    checks: tuple[Check, ...]
    settings: Settings

    @property
    def is_well(self) -> bool:
        """Whether everything that is needed is there."""
        return all(check.is_well for check in self.checks)

    def as_text(self) -> str:
        """Return the findings for a person."""
        lines = [
            f"{'ok ' if one.is_well else 'BAD'}  {one.name:<16} {one.said}" for one in self.checks
        ]
        own = self.settings.user_file
        there = "" if own is None or own.is_file() else ", not there yet"
        lines += ["", f"settings (home {self.settings.home}, from {self.settings.home_origin})"]
        lines += [] if own is None else [f"your own file: {own}{there}"]
        width = max(map(len, self.settings.values))
        for key, setting in self.settings.values.items():
            lines.append(
                f"  {key:<{width}} {setting.value!r:<12} {setting.origin:<12} {KNOWN[key].help}"
            )
        return "\n".join(lines)

    def as_data(self) -> dict[str, object]:
        """Return the findings as plain data."""
        return {
            "ok": self.is_well,
            "checks": [{"name": c.name, "ok": c.is_well, "said": c.said} for c in self.checks],
            "home": {"value": str(self.settings.home), "origin": self.settings.home_origin},
            "userFile": str(self.settings.user_file or ""),
            "settings": {
                key: {"value": one.value, "origin": one.origin}
                for key, one in self.settings.values.items()
            },
        }


def examine(folder: Path) -> Findings:
    """Look at the installation, the home folder and the model."""
    settings = load(folder=folder if folder.is_dir() else None)
    root = indexed_root(folder) or folder
    settings = settled(settings, folder_of(root, settings.home))
    checks = [
        Check("trivium", is_well=True, said=f"{__version__} on Python {platform.python_version()}")
    ]
    checks.append(Check("sqlite", is_well=True, said=sqlite3.sqlite_version))
    checks += [_installed(name) for name in _PARTS]
    checks += [_optional(name, extra) for name, extra in _EXTRAS]
    checks += [_home(settings.home), _model(settings, folder)]
    checks += [_tokenizer(settings), _rerank(settings), *_cluster(settings)]
    return Findings(tuple(checks), settings)


def _installed(name: str) -> Check:
    try:
        return Check(name, is_well=True, said=importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Check(name, is_well=False, said="missing; reinstall with: pip install trivium")


def _optional(name: str, extra: str) -> Check:
    try:
        return Check(name, is_well=True, said=importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Check(
            name, is_well=True, said=f"not installed (optional: pip install 'trivium[{extra}]')"
        )


def _home(home: Path) -> Check:
    place = home
    while not place.exists() and place != place.parent:
        place = place.parent
    free = shutil.disk_usage(place).free
    can_write = os.access(place, os.W_OK)
    said = f"{home}, {free / 1e9:.0f} GB free" if can_write else f"{place} cannot be written"
    return Check("home", is_well=can_write, said=said)


def _model(settings: Settings, folder: Path) -> Check:
    """Whether the model that a search of the folder would ask can be: one text is given to it."""
    setting = settings.values["embedding.model"]
    root = indexed_root(folder.expanduser().resolve())
    is_set = setting.origin != "default"
    remembered = None
    # What is wrong with a cluster is a check of its own.
    with suppress(TriviumError):
        remembered = None if is_set or root is None else remembered_model(root)
    name = str(setting.value) if remembered is None else remembered
    why = "" if remembered is None else ", which the index of this folder remembers"
    try:
        embedder = load_from(settings, name)
        if embedder is None:
            return Check("model", is_well=True, said=f"{name}: words only{why}")
        embedder.embed_query("a first query")
    except TriviumError as error:
        # Searches go on with the instant one; but whoever set this one wants it.
        said = f"{name}{why}," if why else name
        return Check("model", is_well=False, said=f"{said} is not available: {error}")
    return Check("model", is_well=True, said=f"{embedder.name} ({embedder.model_id}){why}")


def _tokenizer(settings: Settings) -> Check:
    """Whether the dictionary that is set is there: without it no search is answered."""
    name = settings.text("text.tokenizer")
    if name == "default":
        return Check("tokenizer", is_well=True, said="default: no dictionary")
    try:
        analyser(f"standard+{name}")
    except TriviumError as error:
        return Check("tokenizer", is_well=False, said=f"{name} is not available: {error}")
    return Check(
        "tokenizer", is_well=True, said=f"{name} ({', '.join(edition(f'standard+{name}'))})"
    )


def _rerank(settings: Settings) -> Check:
    """Whether what is to read the best hits again can: one text is given to it."""
    name = settings.text("rerank.model")
    try:
        reranking = load_reranking(settings)
        if reranking is None:
            is_off = name in ("", "none")
            said = "none" if is_off else f"{name} is left out: rerank.depth or rerank.weight is 0"
            return Check("rerank", is_well=True, said=said)
        reranking.reranker.score("a first query", ["a first text"])
    except TriviumError as error:
        # Searches go on without it; but whoever set it wants it. An address may hold a password.
        return Check("rerank", is_well=False, said=f"rerank.model is not available: {error}")
    return Check("rerank", is_well=True, said=f"{reranking.reranker.name} reads again")


def _cluster(settings: Settings) -> list[Check]:
    """Whether the cluster that keeps the index can do it and has room; none on this machine."""
    if settings.text("backend.kind") == "embedded":
        return []
    from trivium.backends.registry import reach

    try:
        client = reach(settings)
    except TriviumError as error:
        return [Check("cluster", is_well=False, said=str(error))]
    from trivium.backends.opensearch.checks import problems, short_of_space, summary

    try:
        wrong = [*problems(client), *short_of_space(client)]
        said = f"{summary(client)} at {client.urls[0]}"
    except TriviumError as error:
        return [Check("cluster", is_well=False, said=str(error))]
    finally:
        client.close()
    found = [Check("cluster", is_well=not wrong, said=said)]
    return found + [Check("cluster", is_well=False, said=one) for one in wrong]
