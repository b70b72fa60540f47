"""How long memory takes where there is much of it: python -m benchmarks.memory [--notes 100000].

Writes so many notes beside one file of code into a folder, indexes it, and measures pages of a
list and writes (create, change, link, delete, each with the search that has to see it) by Python,
by HTTP and by MCP, the last two in server processes of their own. Processor time of all threads,
the background of a server included. `--folder` keeps what was made, for the next run. Asserts
that each search finds what was written, and nothing else.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import trivium
from benchmarks.measure import Row, arguments, cpu_ms, middle, report, resident_mb
from benchmarks.serve import Served
from trivium import config

if TYPE_CHECKING:
    from mcp import Client

    from trivium.collection import Collection

Made = TypeVar("Made")

_COUNT = 100_000
_TIMES = 9
# Of the first, each pays for what is read once.
_FIRST = 2
_WORDS = ("zebra", "okapi", "heron", "tapir", "otter", "lemur", "quoll", "civet")
_FUNCTION = "code:src/auth.py#hash_password"
_CODE = 'def hash_password(text):\n    """Make a password safe to keep."""\n    return text\n'
# Until files are two seconds old, lists look at them again.
_SETTLED_S = 2.5


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--notes", type=int, default=_COUNT)
    parser.add_argument("--folder", type=Path, help="where to make it, and to keep it")
    parser.add_argument("--times", type=int, default=_TIMES, help="how often each is measured")
    asked = parser.parse_args()
    place = asked.folder or Path(tempfile.mkdtemp())
    try:
        measure(place, asked.notes, times=asked.times, to=asked.json)
    finally:
        if asked.folder is None:
            shutil.rmtree(place)


def measure(place: Path, count: int, *, times: int, to: Path | None) -> None:
    """Measure a folder of so many notes, made now if it is not there."""
    folder = place / "project"
    if not folder.exists():
        _fill(folder, count)
    with trivium.open(folder, settings=config.load(environ=_environment(place))) as shop:
        shop.sync(yes=True)
        first = cpu_ms(shop.notes.list)
        time.sleep(_SETTLED_S)
        shop.notes.list()
        title = f"{count:,} notes: reading, CPU ms (first look {first:,.0f})"
        report(title, _reading(shop, count), to=to)
        rows = [_writing("Python", _ByPython(shop), times=times, used=None)]
    with _serving(folder, place) as by_http:
        rows.append(_writing("HTTP", by_http, times=times, used=by_http.served))
    asyncio.run(_tooled(folder, place, rows, times=times))
    report(f"{count:,} notes: writing, CPU ms", rows, to=to)


def _reading(shop: Collection, count: int) -> list[Row]:
    notes = shop.notes
    asked: dict[str, Callable[[], object]] = {
        "list, first page": notes.list,
        "list, page 2000": lambda: notes.list(offset=min(50_000, max(0, count - 25))),
        "list by title": lambda: notes.list(sort="title"),
        "list by tag": lambda: notes.list(tag="zebra"),
        "list by part of the title": lambda: notes.list(filter="okapi 77"),
        "get": lambda: notes.get(f"note-{min(777, count - 1)}"),
        "search": lambda: shop.search("about the okapi"),
    }
    return [
        {"what": what, "ms": middle([cpu_ms(ask) for _ in range(_TIMES)])}
        for what, ask in asked.items()
    ]


class Door(Protocol):
    """Who writes a note and looks for it."""

    def create(self, title: str, content: str) -> str: ...
    def update(self, node_id: str, content: str) -> None: ...
    def link(self, node_id: str) -> None: ...
    def delete(self, node_id: str) -> None: ...
    def found(self, word: str) -> list[str]: ...


def _writing(name: str, door: Door, *, times: int, used: Served | None) -> Row:
    """Write some notes; return what each step took, in the middle, and the memory after it."""
    taken: dict[str, list[float]] = {}

    def timed(what: str, act: Callable[..., Made], *given: str) -> Made:
        before = _used_ms(used)
        made = act(*given)
        taken.setdefault(what, []).append(_used_ms(used) - before)
        return made

    for number in range(_FIRST + times):
        word = f"w{os.getpid()}x{name.lower()}x{number}"
        changed = f"changed{word}"
        made = timed("create", door.create, f"One more {word}", word)
        assert timed("search", door.found, word) == [made], word
        timed("update", door.update, made, f"{word} {changed}")
        assert timed("search", door.found, changed) == [made], word
        timed("link", door.link, made)
        timed("delete", door.delete, made)
        assert made not in timed("search", door.found, changed), word
    share = _FIRST / (_FIRST + times)
    shown = {what: middle(all_[round(share * len(all_)) :]) for what, all_ in taken.items()}
    memory = resident_mb()[1] if used is None else used.resident_mb()
    print(f"{name} is measured", flush=True)
    return {"door": name, **shown, "MB": round(memory)}


def _used_ms(used: Served | None) -> float:
    """Return the processor time of this process, or of another, with all threads it had."""
    if used is None:
        return time.process_time_ns() / 1e6
    # As clock_getcpuclockid(3) makes it: the clock of a process, in the kernel's own count.
    return time.clock_gettime_ns((~used.pid << 3) | 2) / 1e6


@dataclass(frozen=True, slots=True)
class _ByPython:
    shop: Collection

    def create(self, title: str, content: str) -> str:
        return self.shop.notes.create(title, content).id

    def update(self, node_id: str, content: str) -> None:
        self.shop.notes.update(node_id, content=content)

    def link(self, node_id: str) -> None:
        self.shop.notes.link(node_id, "references", _FUNCTION)

    def delete(self, node_id: str) -> None:
        self.shop.notes.delete(node_id)

    def found(self, word: str) -> list[str]:
        return [hit.id for hit in self.shop.search(f'"{word}"', search_mode="keyword").results]


@dataclass(frozen=True, slots=True)
class _ByHttp:
    served: Served

    def ask(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.served.port}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            return json.loads(answer.read())

    def create(self, title: str, content: str) -> str:
        return str(self.ask("POST", "/api/notes", {"title": title, "content": content})["id"])

    def update(self, node_id: str, content: str) -> None:
        self.ask("PATCH", f"/api/notes/{node_id}", {"content": content})

    def link(self, node_id: str) -> None:
        body = {"type": "references", "target": _FUNCTION}
        self.ask("POST", f"/api/notes/{node_id}/links", body)

    def delete(self, node_id: str) -> None:
        self.ask("DELETE", f"/api/notes/{node_id}")

    def found(self, word: str) -> list[str]:
        body = {"query": f'"{word}"', "searchMode": "keyword"}
        return [hit["id"] for hit in self.ask("POST", "/api/search", body)["results"]]


@contextmanager
def _serving(folder: Path, place: Path) -> Iterator[_ByHttp]:
    process = subprocess.Popen(
        [*_COMMAND, "serve", str(folder), "--port", "0", "--timeout", "300"],
        env=_environment(place),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = next(one for one in process.stderr if "http://" in one)
        port = int(line.partition("http://127.0.0.1:")[2].split("/")[0].split()[0])
        door = _ByHttp(Served(process.pid, port))
        while door.ask("GET", "/health")["status"] != "ok":
            time.sleep(0.1)
        yield door
    finally:
        process.terminate()
        process.wait()


@dataclass(frozen=True, slots=True)
class _ByTool:
    """Tools of a client that lives in a loop of another thread."""

    client: Client
    loop: asyncio.AbstractEventLoop

    def _call(self, name: str, **given: object) -> Any:  # noqa: ANN401 - JSON
        made = asyncio.run_coroutine_threadsafe(self.client.call_tool(name, given), self.loop)
        result = made.result()
        assert not result.is_error, result.content
        return result.structured_content

    def create(self, title: str, content: str) -> str:
        return str(self._call("notes_create", title=title, content=content)["noteId"])

    def update(self, node_id: str, content: str) -> None:
        self._call("notes_update", noteId=node_id, content=content)

    def link(self, node_id: str) -> None:
        self._call("notes_create_link", fromId=node_id, toId=_FUNCTION, kind="references")

    def delete(self, node_id: str) -> None:
        self._call("notes_delete", noteId=node_id)

    def found(self, word: str) -> list[str]:
        found = self._call("search", query=f'"{word}"')
        return [hit["id"] for hit in found["results"]]


async def _tooled(folder: Path, place: Path, rows: list[Row], *, times: int) -> None:
    from mcp import Client, StdioServerParameters

    mark = place / "mcp.pid"
    # The client keeps its server to itself: the server says who it is.
    code = f"import os, pathlib; pathlib.Path({str(mark)!r}).write_text(str(os.getpid())); {_MAIN}"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", code, "mcp", str(folder), "--tools", "memory"],
        env=_environment(place),
    )
    async with Client(server) as client:
        await client.call_tool("notes_list", {})
        door = _ByTool(client, asyncio.get_running_loop())
        used = Served(int(mark.read_text()), 0)
        rows.append(await asyncio.to_thread(_writing, "MCP", door, times=times, used=used))


_MAIN = "import sys; from trivium.doors.cli.main import main; main(sys.argv[1:])"
_COMMAND = (sys.executable, "-c", _MAIN)


def _environment(place: Path) -> dict[str, str]:
    return {
        "TRIVIUM_HOME": str(place / "home"),
        "TRIVIUM_CONFIG": str(place / "none.toml"),
        "PATH": os.defpath,
        "PYTHONPATH": str(Path(trivium.__file__).parents[1]),
    }


def _fill(folder: Path, count: int) -> None:
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "auth.py").write_text(_CODE)
    notes = folder / ".trivium" / "notes"
    notes.mkdir(parents=True)
    for number in range(count):
        word = _WORDS[number % len(_WORDS)]
        stamp = f"2026-{1 + number % 12:02}-{1 + number % 28:02}T00:00:00Z"
        text = f"---\ntitle: Note {word} {number}\ntags: [{word}]\ncreated: {stamp}\n"
        body = f"updated: {stamp}\nversion: 1\n---\n\nAbout the {word}.\n"
        (notes / f"note-{number}.md").write_text(text + body)


if __name__ == "__main__":
    main()
