"""What a cluster says when something is wrong -> an error of our own tree.

The status of an answer is not enough: an answer that is fine may hold only a part of what there
is, and rows of it may have failed. Called by the client and by what makes rows into lines.
"""

from __future__ import annotations

from typing import Any

from trivium.errors import (
    BackendError,
    BackendRefused,
    BackendTimeout,
    BackendUnavailable,
    IndexUnusable,
)

# What JSON gives: the shape of an answer is known where it is asked for.
Json = dict[str, Any]

BUSY = (429, 502, 503, 504)
NOT_FOUND = 404
_CONFLICT = 409
_NO_ACCESS = (401, 403)
_LOST = (
    "node_not_connected_exception",
    "node_disconnected_exception",
    "node_closed_exception",
    "connect_transport_exception",
    "no_shard_available_action_exception",
)
_BLOCKS = ("cluster_block_exception", "index_create_block_exception")


class Conflict(BackendError):
    """Another process changed the document first."""


class Gone(BackendError):
    """There is no such index."""


def failure(status: int, error: object, what: str) -> Exception:  # noqa: PLR0911 - one per case
    """Return the error of our tree for what the cluster said."""
    kind, said = _said(error)
    if kind in ("index_not_found_exception", "alias_not_found_exception"):
        return Gone(f"{what}: {said}")
    if status == NOT_FOUND:
        return IndexUnusable(
            "What was being read was held too long and is gone. Ask again; the index is whole."
        )
    if status == _CONFLICT:
        return Conflict(f"{what}: {said}")
    if kind in _BLOCKS:
        return BackendRefused(
            f"The cluster does not take what is written now: {said}. See that its disks have "
            "space left, then remove the block."
        )
    if status in _NO_ACCESS:
        return BackendRefused(
            f"The cluster does not let us do this ({said}). See that the user and password or the "
            "API key are right and may read and write these indexes."
        )
    if kind in _LOST or "no node found for id" in said:
        return BackendUnavailable(f"A node of the cluster was lost: {said}. Try again.")
    if status in BUSY:
        return BackendUnavailable(f"The cluster cannot do this now: {said}. Try again.")
    if "time_exceeded" in kind or "Time exceeded" in said:
        return BackendTimeout(f"The cluster did not finish in time: {said}.")
    return BackendRefused(f"The cluster refused {what}: {said} ({kind}, {status}).")


def _said(error: object) -> tuple[str, str]:
    """Return the sort of an error and its words, of the cause where there is one."""
    if not isinstance(error, dict):
        return "", str(error)
    causes = error.get("root_cause") or [error]
    first = causes[0]
    return str(first.get("type", "")), str(first.get("reason", ""))


def whole(answer: Json) -> Json:
    """Return an answer that holds all there is; raises for one that holds a part."""
    shards = answer["_shards"]
    if answer.get("timed_out"):
        raise BackendTimeout("The cluster answered with only a part of what it has. Try again.")
    if shards["successful"] + shards["skipped"] < shards["total"]:
        raise BackendUnavailable("Some shards of the index cannot be read now. Try again.")
    return answer
