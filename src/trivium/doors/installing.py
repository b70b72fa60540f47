"""The name of an agent -> the file that tells it of its MCP servers, with ours in it.

Keeps all that is there: a file that cannot be read as what it should be is not touched, and an
entry of our name that says something else is not replaced unless asked. Written aside and
renamed. Used by `trivium install`.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trivium.errors import UsageError, unknown

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Agent:
    """Where an agent keeps its servers: a file of the project or of the person, and the key.

    `extra` is what an entry has beside its command.
    """

    title: str
    file: Callable[[Path, Path], Path]
    key: str = "mcpServers"
    extra: Mapping[str, str] | None = None

    @property
    def is_toml(self) -> bool:
        """Whether its file is TOML; all others are JSON."""
        return self.file(Path(), Path()).suffix == ".toml"


def _desktop(_: Path, home: Path) -> Path:
    places = {
        "darwin": home / "Library" / "Application Support" / "Claude",
        "win32": home / "AppData" / "Roaming" / "Claude",
    }
    folder = places.get(sys.platform, home / ".config" / "Claude")
    return folder / "claude_desktop_config.json"


AGENTS: Mapping[str, Agent] = {
    "claude": Agent("Claude Code", lambda project, _: project / ".mcp.json"),
    "claude-desktop": Agent("Claude Desktop", _desktop),
    "codex": Agent("Codex", lambda _, home: home / ".codex" / "config.toml", "mcp_servers"),
    "cursor": Agent("Cursor", lambda project, _: project / ".cursor" / "mcp.json"),
    "gemini": Agent("Gemini CLI", lambda project, _: project / ".gemini" / "settings.json"),
    "vscode": Agent(
        "VS Code",
        lambda project, _: project / ".vscode" / "mcp.json",
        "servers",
        {"type": "stdio"},
    ),
    "windsurf": Agent(
        "Windsurf", lambda _, home: home / ".codeium" / "windsurf" / "mcp_config.json"
    ),
}


@dataclass(frozen=True, slots=True)
class Change:
    """What a file is to hold; `text` is all of it, `added` what was not there before."""

    file: Path
    text: str
    added: str
    is_new: bool


def agent_named(name: str) -> Agent:
    """Return an agent. Raises UsageError that names the nearest."""
    if name not in AGENTS:
        raise UsageError(unknown("agent", name, tuple(AGENTS)))
    return AGENTS[name]


def entry_of(agent: Agent, command: str, arguments: Sequence[str]) -> Entry:
    """Return how an agent is told of our server."""
    return {**(agent.extra or {}), "command": command, "args": list(arguments)}


def planned(agent: Agent, entry: Entry, *, file: Path, name: str, replaces: bool) -> Change:
    """Return the file with our entry. Raises UsageError where that would lose something."""
    known = _read(file)
    text, added = (
        _in_toml(agent, entry, known, file=file, name=name)
        if agent.is_toml
        else _in_json(agent, entry, known, file=file, name=name, replaces=replaces)
    )
    return Change(file, text, added, is_new=not file.exists())


def write(change: Change) -> None:
    """Write a file aside and put it in place. Raises UsageError if it cannot be written."""
    # What a link leads to is changed, not the link.
    file = change.file.resolve()
    aside = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text(change.text, encoding="utf-8")
        if file.exists():
            aside.chmod(file.stat().st_mode & 0o777)
        aside.replace(file)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise UsageError(f"{change.file} cannot be written: {error.strerror}") from error


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read ({error}), and is left as it is.") from error


def _in_json(
    agent: Agent, entry: Entry, known: str, *, file: Path, name: str, replaces: bool
) -> tuple[str, str]:
    added = json.dumps({agent.key: {name: entry}}, indent=2, ensure_ascii=False)
    try:
        data = json.loads(known) if known.strip() else {}
    except ValueError as error:
        raise UsageError(
            f"{file} cannot be read as JSON ({error}), and is left as it is. Add this to it:\n"
            f"{added}"
        ) from error
    servers = data.get(agent.key, {}) if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(servers, dict):
        raise UsageError(f"{file} has no object {agent.key!r} to add to, and is left as it is.")
    _check_same(servers.get(name), entry, file=file, name=name, replaces=replaces)
    data[agent.key] = {**servers, name: entry}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n", added


def _in_toml(agent: Agent, entry: Entry, known: str, *, file: Path, name: str) -> tuple[str, str]:
    lines = [f"[{agent.key}.{_quoted(name)}]"]
    # A string of JSON is one of TOML as well.
    lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    added = "\n".join(lines)
    try:
        data = tomllib.loads(known)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{file} cannot be read as TOML ({error}), and is left as it is. Add this to it:\n"
            f"{added}"
        ) from error
    servers = data.get(agent.key, {})
    there = servers.get(name) if isinstance(servers, dict) else servers
    if there is not None:
        _check_same(there, entry, file=file, name=name, replaces=False)
        return known, added
    before = f"{known.rstrip()}\n\n" if known.strip() else ""
    return f"{before}{added}\n", added


def _quoted(name: str) -> str:
    is_bare = name.isascii() and all(one.isalnum() or one in "-_" for one in name)
    return name if is_bare else json.dumps(name, ensure_ascii=False)


def _check_same(there: object, entry: Entry, *, file: Path, name: str, replaces: bool) -> None:
    if there is None or there == entry or replaces:
        return
    raise UsageError(
        f"{file} has a server {name!r} already, another one: {json.dumps(there, default=str)}. "
        "Give --name for one beside it; --replace puts ours in its place in a JSON file."
    )
