"""How many requests a second `trivium serve` answers, how soon, and whether its memory stays flat.

A server process over the corpus, a client process of our own (asyncio, plain HTTP/1.1 on
connections that stay open) with 1, 8 and 64 connections, and the same queries in this process
without a server beside them. Figures of the clock are only good on a quiet machine; processor
time for each request holds on any. Run: python -m benchmarks.serve [--seconds 10] [--minutes 10]
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from benchmarks.corpus import Prepared, environment_for, prepare, queries, settings_for
from benchmarks.measure import Row, arguments, cpu_ms, report, verdict
from trivium.collection import Collection

_CONNECTIONS = (1, 8, 64)
_QUERIES = 200
_ALONE = 50
_SAMPLE_S = 5.0
_READY_TRIES = 6000
_MOST_GROWTH = 1.1
_PERCENT = 100
# A busy machine is slow, and that is no error of the server.
_FLAGS = ("--timeout", "300")


@dataclass(frozen=True, slots=True)
class Load:
    """What one run of the client saw."""

    requests: int
    seconds: float
    errors: int
    latencies_ms: Sequence[float]

    def percentile(self, share: int) -> float:
        """Return the latency that `share` percent stay below."""
        cuts = statistics.quantiles(self.latencies_ms, n=_PERCENT, method="inclusive")
        return cuts[share - 1]


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs."""

    pid: int
    port: int

    def cpu_s(self) -> float:
        """Return the processor time it has used."""
        fields = (
            Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        )
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mb(self) -> float:
        """Return its memory that no file backs."""
        text = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        line = next(one for one in text.splitlines() if one.startswith("RssAnon"))
        return int(line.split()[1]) / 1024


def main() -> None:
    """Measure and report."""
    if sys.argv[1:2] == ["--client"]:
        _client(*sys.argv[2:])
        return
    parser = arguments(__doc__ or "", chunks=100_000)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each load lasts")
    parser.add_argument("--minutes", type=float, default=0.0, help="how long memory is watched")
    parser.add_argument("--model", default="static")
    asked = parser.parse_args()
    corpus = prepare(asked.cache, chunks=asked.chunks)
    texts = queries(corpus, count=_QUERIES)
    with tempfile.TemporaryDirectory() as place:
        # A copy, so that the corpus of the other benchmarks stays as it is.
        home = Path(place) / "home"
        shutil.copytree(corpus.home, home)
        rows: list[Row] = [_alone(corpus, home, asked.model, texts)]
        with _serving(corpus, home, asked.model) as served:
            _load(served, texts, connections=8, seconds=min(3.0, asked.seconds))
            rows += [
                _row(served, texts, connections=one, seconds=asked.seconds) for one in _CONNECTIONS
            ]
            title = f"serve, {corpus.chunks:,} chunks, {asked.model}"
            report(title, rows, to=asked.json)
            if asked.minutes:
                watched = _watch(served, texts, minutes=asked.minutes)
                report("serve, memory", watched, to=asked.json)


def _alone(corpus: Prepared, home: Path, model: str, texts: Sequence[str]) -> Row:
    """Ask in this process, one query after the other."""
    with Collection(corpus.root, settings=settings_for(home, model=model)) as collection:
        collection.sync(yes=True)
        collection.embed()
        for text in texts[:_ALONE]:
            collection.search(text)
        took: list[float] = []

        def ask() -> None:
            for text in texts:
                began = time.perf_counter()
                collection.search(text)
                took.append(1000 * (time.perf_counter() - began))

        used = cpu_ms(ask)
    load = Load(len(took), sum(took) / 1000, 0, took)
    return _shown("in process", load, cpu_s=used / 1000)


def _row(served: Served, texts: Sequence[str], *, connections: int, seconds: float) -> Row:
    before = served.cpu_s()
    load = _load(served, texts, connections=connections, seconds=seconds)
    return _shown(f"{connections} connections", load, cpu_s=served.cpu_s() - before)


def _shown(name: str, load: Load, *, cpu_s: float) -> Row:
    return {
        "asked by": name,
        "requests": load.requests,
        "requests/s": load.requests / load.seconds,
        "p50 ms": load.percentile(50),
        "p99 ms": load.percentile(99),
        "CPU ms a request": 1000 * cpu_s / load.requests,
        "errors": load.errors,
        "target: no error": verdict(load.errors, most=0),
    }


def _watch(served: Served, texts: Sequence[str], *, minutes: float) -> list[Row]:
    """Keep 8 connections busy, and look at the server's memory."""
    child = _start_client(served, texts, connections=8, seconds=60 * minutes)
    seen: list[float] = []
    is_over = threading.Event()

    def look() -> None:
        while not is_over.wait(_SAMPLE_S):
            seen.append(served.resident_mb())

    looking = threading.Thread(target=look)
    looking.start()
    # What the client writes at its end is more than a pipe holds: it is read meanwhile.
    load = _read(child)
    is_over.set()
    looking.join()
    part = max(1, len(seen) // 5)
    fifths = [statistics.mean(seen[at : at + part]) for at in range(0, 5 * part, part)]
    return [
        {
            "minutes": minutes,
            "requests": load.requests,
            "errors": load.errors,
            "MB, mean of each fifth": ", ".join(f"{one:.0f}" for one in fifths),
            "MB, most": max(seen),
            "target: last x 1.1 of second at most": verdict(
                fifths[-1] / fifths[1], most=_MOST_GROWTH
            ),
        }
    ]


@contextmanager
def _serving(corpus: Prepared, home: Path, model: str) -> Iterator[Served]:
    starts = "import sys; from trivium.doors.cli.main import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", starts, "serve", str(corpus.root), "--port", "0", *_FLAGS]
    # A child gets this process's environment and what the run needs.
    env = {**os.environ, **environment_for(home, model=model)}  # noqa: TID251
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, env=env, stderr=log)
        try:
            served = Served(process.pid, _port(log.fileno()))
            _wait(served)
            yield served
        finally:
            process.terminate()
            process.wait()


def _port(log: int) -> int:
    for _ in range(_READY_TRIES):
        said = os.pread(log, 100_000, 0).decode(errors="replace")
        if "http://" in said and said.endswith("\n"):
            line = next(one for one in said.splitlines() if "http://" in one)
            return int(line.rpartition(":")[2])
        time.sleep(0.1)
    sys.exit(f"the server did not start: {said}")


def _wait(served: Served) -> None:
    """Wait until the folder has been gone through and nothing more is to be embedded."""
    address = f"http://127.0.0.1:{served.port}"
    for _ in range(_READY_TRIES):
        with urllib.request.urlopen(f"{address}/health") as answer:  # noqa: S310
            is_ready = json.load(answer)["status"] == "ok"
        if is_ready:
            with urllib.request.urlopen(f"{address}/api/status") as answer:  # noqa: S310
                status = json.load(answer)
            if status["progress"] is None and status["filling"] is None:
                return
        time.sleep(0.1)
    sys.exit("the server did not get ready")


def _load(served: Served, texts: Sequence[str], *, connections: int, seconds: float) -> Load:
    child = _start_client(served, texts, connections=connections, seconds=seconds)
    return _read(child)


def _start_client(
    served: Served, texts: Sequence[str], *, connections: int, seconds: float
) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "benchmarks.serve", "--client"]
    numbers = [str(served.port), str(connections), str(seconds)]
    child = subprocess.Popen([*command, *numbers], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    child.stdin.write(json.dumps(list(texts)).encode())
    child.stdin.close()
    return child


def _read(child: subprocess.Popen[bytes]) -> Load:
    assert child.stdout is not None
    data = json.load(child.stdout)
    child.wait()
    return Load(data["requests"], data["seconds"], data["errors"], data["latencies_ms"])


def _client(port: str, connections: str, seconds: str) -> None:
    """Keep connections busy for some seconds; write what came of it to standard output."""
    texts = json.load(sys.stdin)
    json.dump(asyncio.run(_busy(int(port), int(connections), float(seconds), texts)), sys.stdout)


async def _busy(port: int, connections: int, seconds: float, texts: list[str]) -> dict[str, object]:
    latencies: list[float] = []
    statuses: Counter[int] = Counter()
    numbers = count()
    began = time.perf_counter()

    async def keep_asking() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
        while time.perf_counter() - began < seconds:
            query = urllib.parse.quote_plus(texts[next(numbers) % len(texts)])
            asked = time.perf_counter()
            writer.write(
                f"GET /api/search?q={query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
            )
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length")
            )
            await reader.readexactly(length)
            latencies.append(1000 * (time.perf_counter() - asked))
            statuses[int(head[9:12])] += 1
        writer.close()

    done = await asyncio.gather(
        *(keep_asking() for _ in range(connections)), return_exceptions=True
    )
    broken = sum(isinstance(one, Exception) for one in done)
    well = statuses[200]
    return {
        "requests": statuses.total(),
        "seconds": time.perf_counter() - began,
        "errors": statuses.total() - well + broken,
        "latencies_ms": latencies,
    }


if __name__ == "__main__":
    main()
