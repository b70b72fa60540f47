from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from trivium.doors.installing import AGENTS, Change, agent_named, entry_of, planned, write
from trivium.errors import UsageError

COMMAND = "/opt/venv/bin/trivium"
ARGUMENTS = ["mcp", '/home/ana/it\'s a "shop"']
OTHER = {"command": "other", "args": ["--deep"]}


def plan(name: str, home: Path, *, called: str = "trivium", replaces: bool = False) -> Change:
    agent = agent_named(name)
    return planned(
        agent,
        entry_of(agent, COMMAND, ARGUMENTS),
        file=agent.file(home / "shop", home),
        name=called,
        replaces=replaces,
    )


def read(file: Path) -> dict[str, object]:
    text = file.read_text(encoding="utf-8")
    return tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_without_a_file_gets_one_with_our_server(tmp_path: Path, name: str) -> None:
    change = plan(name, tmp_path)
    write(change)

    agent = AGENTS[name]
    entry = {**(agent.extra or {}), "command": COMMAND, "args": ARGUMENTS}
    assert change.is_new
    assert read(change.file) == {agent.key: {"trivium": entry}}
    assert change.file.is_relative_to(tmp_path)


@pytest.mark.parametrize("name", AGENTS)
def test_what_is_there_is_kept_and_a_second_time_changes_nothing(tmp_path: Path, name: str) -> None:
    agent = AGENTS[name]
    file = agent.file(tmp_path / "shop", tmp_path)
    file.parent.mkdir(parents=True, exist_ok=True)
    if agent.is_toml:
        file.write_text(
            f'# mine\nmodel = "x"\n\n[{agent.key}.other]\ncommand = "other"\nargs = ["--deep"]\n',
            encoding="utf-8",
        )
    else:
        kept = {"model": "é", agent.key: {"other": OTHER}}
        file.write_text(json.dumps(kept), encoding="utf-8")
    before = read(file)

    write(plan(name, tmp_path))
    once = file.read_text(encoding="utf-8")
    write(plan(name, tmp_path))

    assert file.read_text(encoding="utf-8") == once
    after = read(file)
    servers = after.pop(agent.key)
    assert isinstance(servers, dict)
    assert servers.pop("trivium")["command"] == COMMAND
    assert {**after, agent.key: servers} == before
    if agent.is_toml:
        assert once.startswith("# mine\n")


def test_another_server_of_the_same_name_is_replaced_only_if_asked(tmp_path: Path) -> None:
    file = AGENTS["cursor"].file(tmp_path / "shop", tmp_path)
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"mcpServers": {"trivium": OTHER}}), encoding="utf-8")

    with pytest.raises(UsageError, match=r"has a server 'trivium' already.*--name"):
        plan("cursor", tmp_path)
    write(plan("cursor", tmp_path, called="shop"))
    write(plan("cursor", tmp_path, replaces=True))

    servers = read(file)["mcpServers"]
    assert isinstance(servers, dict)
    assert servers["trivium"]["command"] == servers["shop"]["command"] == COMMAND


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("vscode", '{\n  // my servers\n  "servers": {}\n}\n'),
        ("vscode", "[]"),
        ("vscode", '{"servers": []}'),
        ("codex", "[mcp_servers"),
        ("codex", '[mcp_servers.trivium]\ncommand = "other"\n'),
    ],
)
def test_a_file_that_cannot_be_added_to_is_left_as_it_is(
    tmp_path: Path, name: str, text: str
) -> None:
    file = AGENTS[name].file(tmp_path / "shop", tmp_path)
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match=str(file)):
        plan(name, tmp_path)

    assert file.read_text(encoding="utf-8") == text


def test_a_file_that_a_link_leads_to_is_changed_and_keeps_its_rights(tmp_path: Path) -> None:
    file = AGENTS["claude"].file(tmp_path / "shop", tmp_path)
    file.parent.mkdir()
    real = tmp_path / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    real.chmod(0o600)
    file.symlink_to(real)

    write(plan("claude", tmp_path))

    assert file.is_symlink()
    assert "mcpServers" in real.read_text(encoding="utf-8")
    assert real.stat().st_mode & 0o777 == 0o600


def test_an_unknown_agent_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="'cursor'"):
        agent_named("curser")
