"""A cluster -> what keeps it from holding collections, each with the next step.

Asked before the first index of a collection is made, so that a cluster that cannot do it says
so at once and not in the middle of the work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trivium.backends.opensearch.client import Client
from trivium.backends.opensearch.said import Json
from trivium.errors import BackendRefused

# Older ones score vectors on another scale, newer ones score words on another.
_FROM, _BELOW = (2, 19), (3, 0)
_DISK = "cluster.routing.allocation.disk"
# The worst first: each is told once.
_WATERMARKS = (
    ("flood_stage", "what is on it can be read and no longer written"),
    ("high", "its shards are moved to other nodes"),
    ("low", "no new shards are put on it"),
)
_PLUGIN = re.compile(r"(^|\.)(opensearch-knn|KNNPlugin)$")


def check(client: Client) -> None:
    """Raise BackendRefused for the first thing that is wrong."""
    for problem in problems(client):
        raise BackendRefused(problem)


def problems(client: Client) -> Iterator[str]:
    """Yield what is wrong with a cluster, in one sentence each and what to do about it."""
    about = client.ask("GET", "/").get("version", {})
    if about.get("distribution") != "opensearch":
        yield (
            f"What answers at {client.urls[0]} is no OpenSearch. "
            "Give the address of an OpenSearch cluster."
        )
        return
    number = str(about.get("number", ""))
    if not _FROM <= _version(number) < _BELOW:
        yield f"The cluster runs OpenSearch {number}; from 2.19 up, below 3, is needed. Update it."
    fields = {"filter_path": "nodes.*.name,nodes.*.roles,nodes.*.plugins.name"}
    for node in client.ask("GET", "/_nodes/plugins", params=fields).get("nodes", {}).values():
        if "data" in node.get("roles", ()) and not _has_plugin(node):
            yield (
                f"The node {node['name']} has no k-NN plugin. Install it on every node with: "
                "opensearch-plugin install opensearch-knn"
            )
    yield from _unhealthy(client)


def _unhealthy(client: Client) -> Iterator[str]:
    health = client.ask("GET", "/_cluster/health")
    if health["status"] == "red":
        yield (
            "The cluster is red: some of its shards cannot be read. See that all nodes run: "
            f"{health['number_of_data_nodes']} with data do now."
        )
    blocks = client.ask("GET", "/_cluster/state/blocks").get("blocks", {}).get("global", {})
    for block in blocks.values():
        yield (
            f"The cluster is closed: {block['description']}. See that its disks have space left, "
            "then remove the block."
        )


def summary(client: Client) -> str:
    """Return what a cluster is, in a line."""
    number = client.ask("GET", "/").get("version", {}).get("number", "of an unknown version")
    health = client.ask("GET", "/_cluster/health")
    nodes = health["number_of_data_nodes"]
    return f"OpenSearch {number}, {nodes} {'node' if nodes == 1 else 'nodes'}, {health['status']}"


def short_of_space(client: Client) -> Iterator[str]:
    """Yield which nodes have so full a disk that the cluster acts on it, and how."""
    told = client.ask(
        "GET", "/_cluster/settings", params={"include_defaults": "true", "flat_settings": "true"}
    )
    said = {**told.get("defaults", {}), **told.get("persistent", {}), **told.get("transient", {})}
    if str(said.get(f"{_DISK}.threshold_enabled", "true")) != "true":
        return
    fields = {"filter_path": "nodes.*.name,nodes.*.fs.total"}
    for node in client.ask("GET", "/_nodes/stats/fs", params=fields).get("nodes", {}).values():
        space = node.get("fs", {}).get("total", {})
        total, free = space.get("total_in_bytes", 0), space.get("available_in_bytes", 0)
        for name, effect in _WATERMARKS:
            mark = str(said.get(f"{_DISK}.watermark.{name}", ""))
            if mark and total and _is_over(mark, total=total, free=free):
                yield (
                    f"The node {node['name']} has {free / 1e9:.1f} GB of its disk left, over the "
                    f"watermark {name} ({mark}): {effect}. Make room, or add a node."
                )
                break


def _is_over(mark: str, *, total: int, free: int) -> bool:
    """Whether a disk is fuller than a mark allows: a share that is used, or bytes to be free."""
    found = re.fullmatch(r"([\d.]+)\s*(%|[kmgtp]?b)", mark.strip().lower())
    if found is None:
        # A plain number is the share that may be used.
        return bool(re.fullmatch(r"[\d.]+", mark)) and 1 - free / total > float(mark)
    number, unit = float(found[1]), found[2]
    if unit == "%":
        return 100 * (1 - free / total) > number
    return bool(free < number * 1024 ** "bkmgtp".index(unit[0]))


def _version(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", number)[:2])


def _has_plugin(node: Json) -> bool:
    return any(_PLUGIN.search(one["name"]) for one in node.get("plugins", ()))
