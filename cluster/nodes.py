"""A number -> so many nodes of one cluster on loopback, each a process of its own.

A node keeps its data in a folder of its own and may be killed and started again. Called by the
tests of the cluster and by `python -m cluster`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cluster.artefacts import NotResolved, cache, class_path

_HEAP = "512m"
# What a node takes beside its heap, and what its data may take in memory.
_BESIDE_MB, _DATA_MB = 500, 2000
_PATIENCE_S = 600.0
_STOPPED_S = 60.0
_LISTENING = "127.0.0.1"

_SETTINGS = """\
cluster.name: {cluster}
node.name: {name}
network.host: {host}
http.port: {http}
transport.port: {transport}
discovery.seed_hosts: [{seeds}]
cluster.initial_cluster_manager_nodes: [{first}]
# A machine with a nearly full disk is still good enough for a test.
cluster.routing.allocation.disk.threshold_enabled: false
"""


class NotStarted(NotResolved):
    """Nodes did not come up, or not as well as was waited for; the next try may go better."""


@dataclass(slots=True)
class Node:
    """One node: where it keeps its data, where it answers, and its process while it runs."""

    name: str
    folder: Path
    http: int
    transport: int
    heap: str = _HEAP
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://{_LISTENING}:{self.http}"

    def start(self) -> None:
        """Start the process; does not wait until it answers."""
        log = (self.folder / "log").open("ab")
        # Quick to start and frugal: a test runs for minutes, beside others.
        heap = (
            f"-Xms{self.heap}",
            f"-Xmx{self.heap}",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
        )
        with log:
            self.process = subprocess.Popen(
                ["java", *heap, "-cp", class_path(), "Node", str(self.folder)],
                stdout=log,
                stderr=log,
                stdin=subprocess.PIPE,
            )

    def stop(self) -> None:
        """Ask the process to end, and wait until it has."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End the process at once, as a machine that loses its power."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(_STOPPED_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdin is not None:
            process.stdin.close()


@dataclass(slots=True)
class Cluster:
    """Nodes that know each other."""

    nodes: list[Node] = field(default_factory=list)

    @property
    def urls(self) -> list[str]:
        """Where the nodes that run answer."""
        return [one.url for one in self.nodes if one.process is not None]

    def wait_until(self, status: str = "green", *, timeout_s: float = _PATIENCE_S) -> None:
        """Wait until every node that runs has joined, and the cluster is as healthy as that."""
        running = len(self.urls)
        path = f"/_cluster/health?wait_for_status={status}&wait_for_nodes={running}&timeout=5s"
        last = "it did not answer"
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            self._check_alive()
            try:
                with urllib.request.urlopen(self.urls[0] + path, timeout=30) as answer:
                    health = json.load(answer)
            except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
                last = str(error)
                time.sleep(0.5)
                continue
            if not health["timed_out"]:
                return
            last = f"it is {health['status']} with {health['number_of_nodes']} nodes"
        raise NotStarted(f"The cluster was not {status} in {timeout_s:.0f} s: {last}.")

    def _check_alive(self) -> None:
        for one in self.nodes:
            if one.process is not None and one.process.poll() is not None:
                said = (one.folder / "log").read_text(encoding="utf-8", errors="replace")
                raise NotStarted(f"The node {one.name} ended by itself:\n{said[-2000:]}")

    def stop(self) -> None:
        """Stop all nodes."""
        for one in self.nodes:
            one.stop()


# The cluster of this process, for tests that take nodes away.
RUNNING: list[Cluster] = []


@contextmanager
def started(count: int, *, heap: str = _HEAP) -> Iterator[Cluster]:
    """Run a new, empty cluster of `count` nodes; it and its data are gone afterwards."""
    class_path()
    _check_memory(count * (_megabytes(heap) + _BESIDE_MB))
    home = _scratch() / f"trivium-cluster-{_free_ports(1)[0]}"
    cluster = Cluster(_made(home, count, heap))
    try:
        for one in cluster.nodes:
            one.start()
        cluster.wait_until()
        RUNNING.append(cluster)
        yield cluster
    finally:
        RUNNING.clear()
        cluster.stop()
        shutil.rmtree(home, ignore_errors=True)


def _scratch() -> Path:
    """Return where nodes keep their data: in memory where there is room for it.

    An index is made in half a second there, on a busy disk in several.
    """
    memory = Path("/dev/shm")  # noqa: S108 - each cluster has a folder of its own there
    has_room = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _DATA_MB << 20
    return memory if has_room else cache()


def _check_memory(needed_mb: int) -> None:
    free_mb = _free_mb()
    if free_mb is not None and free_mb < needed_mb:
        raise NotResolved(f"The nodes need {needed_mb:,} MB of memory; {free_mb:,} MB are free.")


def _free_mb() -> int | None:
    """Return how much memory is left here, or to this container; None where nobody says."""
    found: list[int] = []
    with suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        line = next(one for one in lines if one.startswith("MemAvailable"))
        found.append(int(line.split()[1]) >> 10)
    with suppress(OSError, ValueError):
        most, used = (
            int((Path("/sys/fs/cgroup") / name).read_text(encoding="ascii"))
            for name in ("memory.max", "memory.current")
        )
        found.append((most - used) >> 20)
    return min(found, default=None)


def _megabytes(heap: str) -> int:
    return int(heap[:-1]) * {"m": 1, "g": 1024}[heap[-1]]


def _made(home: Path, count: int, heap: str) -> list[Node]:
    ports = _free_ports(2 * count)
    nodes = [
        Node(f"node{at}", home / f"node{at}", ports[2 * at], ports[2 * at + 1], heap)
        for at in range(count)
    ]
    seeds = ", ".join(f'"{_LISTENING}:{one.transport}"' for one in nodes)
    first = ", ".join(f'"{one.name}"' for one in nodes)
    for one in nodes:
        config = one.folder / "config"
        config.mkdir(parents=True)
        text = _SETTINGS.format(
            cluster=home.name,
            name=one.name,
            host=_LISTENING,
            http=one.http,
            transport=one.transport,
            seeds=seeds,
            first=first,
        )
        (config / "opensearch.yml").write_text(text, encoding="utf-8")
    return nodes


def _free_ports(count: int) -> Sequence[int]:
    held = [socket.socket() for _ in range(count)]
    try:
        for one in held:
            one.bind((_LISTENING, 0))
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()
