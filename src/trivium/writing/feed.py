"""Which part of an index is one source's: all of it, or what stands below a folder of its own.

Several sources may feed one collection, each from a machine of its own. What a sync finds gone is
then gone from its feed alone. Pure. Used by the indexer and the folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from trivium.errors import ConfigError

Value = TypeVar("Value")

# What an index remembers of a feed that is being synced for the first time, and of one that left.
BEGUN, WITHDRAWN = "begun", "withdrawn"
_SYNCED = "synced "
_MOST_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Feed:
    """What one source brings to an index; `under` is the folder it stands below, or empty."""

    under: str = ""

    @property
    def is_all(self) -> bool:
        """Whether nobody else feeds the index."""
        return not self.under

    def holds(self, path: str) -> bool:
        """Whether a path of the index is of this feed."""
        return self.is_all or path.startswith(f"{self.under}/")

    def of(self, known: Mapping[str, Value]) -> Mapping[str, Value]:
        """Return what of these paths is of this feed."""
        return (
            known if self.is_all else {path: one for path, one in known.items() if self.holds(path)}
        )

    def beside(self, known: Mapping[str, Value]) -> dict[str, Value]:
        """Return what of these paths is of others."""
        return {path: one for path, one in known.items() if not self.holds(path)}

    def placed(self, path: str) -> str:
        """Return the path in the index of what the source calls `path`; "" is its root."""
        return "/".join(one for one in (self.under, path) if one)

    def local(self, path: str) -> str | None:
        """Return what the source calls a path of the index; None if it is another's."""
        if self.is_all:
            return path
        return path.removeprefix(f"{self.under}/") if self.holds(path) else None

    @property
    def synced_key(self) -> str:
        """Under which name an index remembers when this feed was last synced."""
        return "indexed_at" if self.is_all else f"{_SYNCED}{self.under}"

    def synced_at(self, meta: Mapping[str, str]) -> str:
        """Return when this feed was last synced to the end; empty if never."""
        said = meta.get(self.synced_key, "")
        return "" if said in (BEGUN, WITHDRAWN) else said

    def head_of(self, said: str) -> str:
        """Return up to which commit the history of this feed is known, of all that is said."""
        return said if self.is_all else _heads(said).get(self.under, "")

    def with_head(self, said: str, head: str) -> str:
        """Return what is to be said of all feeds once this one is known up to `head`."""
        if self.is_all:
            return head
        heads = {**_heads(said), self.under: head}
        return "\n".join(f"{sha} {under}" for under, sha in sorted(heads.items()) if sha)


ALL = Feed()


def feeds_in(meta: Mapping[str, str]) -> list[str]:
    """Return the folders of an index that are fed each by a source of its own."""
    found = (key for key, said in meta.items() if key.startswith(_SYNCED) and said != WITHDRAWN)
    return sorted(key.removeprefix(_SYNCED) for key in found)


def feed_under(given: str) -> Feed:
    """Return the feed that a setting names. Raises ConfigError if it is no plain path."""
    steps = given.split("/")
    is_plain = all(one and not one.startswith(".") and one.isprintable() for one in steps)
    if given and (not is_plain or "\\" in given or len(given) > _MOST_CHARACTERS):
        raise ConfigError(
            f"backend.under is {given[:_MOST_CHARACTERS]!r}. Give the folder of the collection "
            "that this one stands below, such as services/shop."
        )
    return Feed(given)


def refuse_mixed(feed: Feed, meta: Mapping[str, str], *, name: str) -> None:
    """Raise ConfigError where a source would take what others feed for its own, or the reverse."""
    there = feeds_in(meta)
    is_shared = any(key.startswith(_SYNCED) for key in meta)
    if feed.is_all and is_shared:
        raise ConfigError(
            f"{name} is fed by several folders ({_some(there)}): say below which this one stands, "
            "with --under, or give another name."
        )
    if not feed.is_all and not is_shared and meta.get("indexed_at"):
        raise ConfigError(
            f"{name} is all of one folder, {meta.get('root', '')}: nothing can stand beside it. "
            "Give another name."
        )
    for other in there:
        if other != feed.under and (feed.holds(f"{other}/") or Feed(other).holds(feed.under)):
            raise ConfigError(f"{feed.under} and {other} lie within each other in {name}.")


def _heads(said: str) -> dict[str, str]:
    lines = (line.partition(" ") for line in said.splitlines() if " " in line)
    return {under: sha for sha, _, under in lines}


def _some(names: Iterable[str]) -> str:
    return ", ".join(names)[:_MOST_CHARACTERS]
