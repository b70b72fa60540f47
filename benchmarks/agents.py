"""How soon an MCP server replies beside a bare one on the same SDK, and what agents take in memory.

A reply is that to `tools/list`, the second message of every host; processor time of the server
until then, by turns, so that a busy spell falls on all alike. Memory is that of 1 and of 8 agents
which have each searched once: a server each, or one that they share (`--connect`). Shared pages
count in parts (PSS). Run: python -m benchmarks.agents [--folder src] [--model static]
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.corpus import environment_for
from benchmarks.measure import Row, arguments, middle, report, verdict

_TIMES = 11
_MOST = 1.2
_AGENTS = (1, 8)
_TICKS = os.sysconf("SC_CLK_TCK")
_BARE = """
import asyncio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import ListToolsResult, Tool

async def listed(context, params):
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    return ListToolsResult(tools=[Tool(name="search", description="Search.", input_schema=schema)])

async def main():
    server = Server("bare", on_list_tools=listed)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())

asyncio.run(main())
"""
_GREETING: list[dict[str, Any]] = [
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "benchmark", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
]


def search() -> dict[str, Any]:
    """Return a search with a word that no query had: the vector of one asked before is kept."""
    query = f"where is a snapshot opened {uuid.uuid4().hex}"
    return {
        "id": 3,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": query}},
    }


class Agent:
    """A process that is spoken to over its standard input and output."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._began = time.perf_counter()
        # A child gets this process's environment and what the run needs.
        env = {**os.environ, **environment}  # noqa: TID251
        self._process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def say(self, messages: Sequence[Mapping[str, Any]]) -> float:
        """Send messages; return the seconds since the start when the last was answered."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        for message in messages:
            stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        stdin.flush()
        while json.loads(stdout.readline()).get("id") != messages[-1]["id"]:
            pass
        return time.perf_counter() - self._began

    def cpu_ms(self) -> float:
        """Return the processor time it has taken so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2]
        user, system = fields.split()[11:13]
        return 1000 * (int(user) + int(system)) / _TICKS

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=120)


def memory_mb(pid: int) -> tuple[float, float]:
    """Return the resident memory of a process, and its share of it, in MB."""
    found = {}
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    for line in text.splitlines()[1:]:
        name, _, value = line.partition(":")
        found[name] = int(value.split()[0]) / 1024
    return found["Rss"], found["Pss"]


@contextmanager
def agents(
    command: Sequence[str], environment: Mapping[str, str], count: int
) -> Iterator[list[Agent]]:
    """Have so many agents greet and search."""
    with ExitStack() as stack:
        made = []
        for _ in range(count):
            agent = Agent(command, environment)
            stack.callback(agent.end)
            agent.say(_GREETING)
            made.append(agent)
        for agent in made:
            agent.say([search()])
        yield made


def first_replies(trivium: Sequence[str], environment: Mapping[str, str]) -> list[Row]:
    """Return the processor time and the seconds until tools are listed."""
    cases = {
        "a bare server": [sys.executable, "-c", _BARE],
        "trivium mcp": trivium,
        "trivium mcp --tools xplor,graph": [*trivium, "--tools", "xplor,graph"],
        "trivium mcp --connect, a server runs": [*trivium, "--connect"],
    }
    spent: dict[str, list[float]] = {name: [] for name in cases}
    took: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(_TIMES + 1):
        for name, command in cases.items():
            agent = Agent(command, environment)
            seconds = agent.say(_GREETING)
            used = agent.cpu_ms()
            agent.end()
            # The first round fills the caches, and starts the server that is shared.
            if turn:
                spent[name].append(used)
                took[name].append(1000 * seconds)
    bare = middle(spent["a bare server"])
    return [
        {
            "process": name,
            "CPU ms": round(middle(spent[name])),
            "x bare": round(middle(spent[name]) / bare, 2),
            "least clock ms": round(min(took[name])),
            "": verdict(middle(spent[name]) / bare, most=_MOST) if name.startswith("tri") else "",
        }
        for name in cases
    ]


def memory(trivium: Sequence[str], environment: Mapping[str, str], home: Path) -> list[Row]:
    """Return what agents take, each with a server of its own or all with one."""
    rows: list[Row] = []
    for count in _AGENTS:
        for name, command in (("each its own", trivium), ("shared", [*trivium, "--connect"])):
            with agents(command, environment, count) as made:
                pids = [agent.pid for agent in made]
                servers = shared(home) if name == "shared" else []
                sizes = [memory_mb(pid) for pid in (*pids, *servers)]
            rows.append(
                {
                    "agents": count,
                    "server": name,
                    "processes": len(sizes),
                    "RSS MB": round(sum(resident for resident, _ in sizes)),
                    "PSS MB": round(sum(share for _, share in sizes)),
                    "PSS MB each agent": round(sum(share for _, share in sizes) / count),
                }
            )
    return rows


def shared(home: Path) -> list[int]:
    """Return the servers that run for others."""
    return [int(file.stem) for file in (home / "servers").glob("*.json")]


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--folder", type=Path, default=Path("src"))
    parser.add_argument("--model", default="static")
    asked = parser.parse_args()
    command = str(Path(sys.executable).with_name("trivium"))
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        environment = environment_for(home, model=asked.model)
        subprocess.run(
            [command, "index", str(asked.folder)],
            env={**os.environ, **environment},  # noqa: TID251
            check=True,
        )
        trivium = [command, "mcp", str(asked.folder)]
        try:
            title = f"First reply to tools/list, median of {_TIMES} processes"
            report(title, first_replies(trivium, environment), to=asked.json)
            title = f"Memory after a search, {asked.folder}, {asked.model}"
            report(title, memory(trivium, environment, home), to=asked.json)
        finally:
            for pid in shared(home):
                os.kill(pid, signal.SIGTERM)


if __name__ == "__main__":
    main()
