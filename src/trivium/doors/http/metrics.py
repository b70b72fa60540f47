"""What the server has done and holds -> text in the format that Prometheus reads.

Counts and sums only, kept in memory; names of paths are those of routes, so that nothing of what
was asked becomes a label.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Histogram:
    counts: list[int] = field(default_factory=lambda: [0] * (len(_BUCKETS) + 1))
    total_s: float = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(_BUCKETS, seconds)] += 1
        self.total_s += seconds


@dataclass(frozen=True, slots=True)
class Gauge:
    """A number as it is now: its name, what it means, and a value for each set of labels."""

    name: str
    help: str
    values: Mapping[Labels, float]


class Metrics:
    """What was counted and measured since the start. Safe to use from many threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._requests: dict[Labels, int] = defaultdict(int)
        self._latencies: dict[Labels, _Histogram] = defaultdict(_Histogram)
        self._stages: dict[Labels, _Histogram] = defaultdict(_Histogram)

    def request(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        with self._guard:
            self._requests[("method", method), ("route", route), ("status", str(status))] += 1
            self._latencies[(("route", route),)].add(seconds)

    def stage(self, name: str, seconds: float) -> None:
        """Count a stage of a search."""
        with self._guard:
            self._stages[(("stage", name),)].add(seconds)

    def text(self, gauges: Sequence[Gauge]) -> str:
        """Return everything, with what is so now."""
        with self._guard:
            lines = [
                *_head("trivium_requests_total", "counter", "Requests answered."),
                *(
                    f"trivium_requests_total{_labels(labels)} {count}"
                    for labels, count in sorted(self._requests.items())
                ),
                *_histograms("trivium_request_seconds", "How long requests took.", self._latencies),
                *_histograms(
                    "trivium_stage_seconds", "How long the stages of searches took.", self._stages
                ),
            ]
        for one in gauges:
            lines += _head(one.name, "gauge", one.help)
            lines += [f"{one.name}{_labels(key)} {value:g}" for key, value in one.values.items()]
        return "\n".join(lines) + "\n"


def _histograms(name: str, said: str, found: Mapping[Labels, _Histogram]) -> Iterator[str]:
    yield from _head(name, "histogram", said)
    for labels, one in sorted(found.items()):
        below = 0
        for limit, count in zip((*map(str, _BUCKETS), "+Inf"), one.counts, strict=True):
            below += count
            yield f"{name}_bucket{_labels((*labels, ('le', limit)))} {below}"
        yield f"{name}_sum{_labels(labels)} {one.total_s:.6f}"
        yield f"{name}_count{_labels(labels)} {below}"


def _head(name: str, kind: str, said: str) -> list[str]:
    return [f"# HELP {name} {said}", f"# TYPE {name} {kind}"]


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels) + "}"


def _escaped(value: str) -> str:
    shown = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    # A folder's name may hold bytes that are no text.
    return shown.encode("utf-8", "replace").decode()
