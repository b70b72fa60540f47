"""Files to be kept -> the same, or BackendRefused where they could not be kept whole.

For stores that have no constraints of their own to refuse them with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from trivium.backends.base import FileContent
from trivium.errors import BackendRefused


def check_whole(contents: Collection[FileContent]) -> None:
    """Raise BackendRefused for an id that is there twice, and for a chunk of no node."""
    refuse_repeats((node.id for content in contents for node in content.nodes), what="node")
    refuse_repeats((chunk.id for content in contents for chunk in content.chunks), what="chunk")
    for content in contents:
        own = {node.id for node in content.nodes}
        for chunk in content.chunks:
            if chunk.node_id not in own:
                raise BackendRefused(
                    f"Chunk {chunk.id} of {content.state.path} belongs to {chunk.node_id}, "
                    "which is no node of that file."
                )


def refuse_repeats(ids: Iterable[str], *, what: str) -> None:
    """Raise BackendRefused for the first id that is there twice."""
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise BackendRefused(f"The {what} {one} is there twice. Nothing was written.")
        seen.add(one)
