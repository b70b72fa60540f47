"""How a cluster is reached, as options of commands -> settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import click

from trivium.config import Value
from trivium.errors import UsageError
from trivium.writing.feed import feed_under

Command = TypeVar("Command", bound=Callable[..., None])

_OPTIONS = (
    click.option(
        "--url", "urls", multiple=True, help="Address of a node of a cluster; repeatable."
    ),
    click.option("--user", help="Who asks it; the password is TRIVIUM_CLUSTER_PASSWORD."),
    click.option("--certificates", help="File of certificates by which it is trusted."),
)


def reached(command: Command) -> Command:
    """Give a command the options that say how a cluster is reached."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def kept_by(reach: Mapping[str, Value], *, name: str | None, under: str | None) -> dict[str, Value]:
    """Return what a command says of where an index is kept, as settings; nothing if it does not."""
    if name is None:
        if reach or under is not None:
            raise UsageError("--url, --user, --certificates and --under go with --collection NAME.")
        return {}
    # A place that cannot be is said before a cluster is asked.
    feed = feed_under(under or "")
    named: dict[str, Value] = {"backend.kind": "opensearch", "backend.collection": name}
    return {**named, **reach, "backend.under": feed.under}


def reached_by(
    urls: tuple[str, ...], user: str | None, certificates: str | None
) -> dict[str, Value]:
    """Return what these options say, as settings."""
    given = {"urls": urls or None, "user": user, "certificates": certificates}
    return {f"backend.{key}": value for key, value in given.items() if value is not None}
