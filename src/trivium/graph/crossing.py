"""Nodes of several collections -> the edges between those of equal names.

Nothing is merged: nodes stay what they are, and an edge says that they may be about the same
thing. Bounded for each name. Pure. Used when collections are searched together.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain, combinations, islice, product

from trivium.types import Edge, EdgeType, Node, NodeId


def cross_domain(
    nodes: Iterable[Node], *, collection_of: Mapping[NodeId, str], most: int = 20
) -> list[Edge]:
    """Link each two nodes of equal name, whatever its case, that are of different collections.

    Ids must tell nodes of different collections apart. At most `most` edges for one name,
    in the order of collections and ids; the source is of the collection that comes first.
    """
    named: defaultdict[str, defaultdict[str, set[NodeId]]] = defaultdict(lambda: defaultdict(set))
    for node in nodes:
        name = unicodedata.normalize("NFC", node.name.strip()).casefold()
        if name and not node.id.startswith("@"):
            named[name][collection_of[node.id]].add(node.id)
    edges: list[Edge] = []
    for name in sorted(named):
        members = [sorted(named[name][collection]) for collection in sorted(named[name])]
        # Lazy: two collections of a thousand equal names have a million pairs.
        pairs = chain.from_iterable(product(one, other) for one, other in combinations(members, 2))
        edges += [
            Edge(source, target, EdgeType.CROSS_DOMAIN, context=f"both named {name}")
            for source, target in islice(pairs, most)
        ]
    return edges
