"""Names asked for as people write them: is what is called so first, and is it there at all?

Asks a folder for 60 of its methods as Class.method and for 60 functions and classes whose name
nothing else has, chosen by chance and the same every time, with the instant model.
Run: python -m benchmarks.names [FOLDER]
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.measure import Row, arguments, report
from trivium import config
from trivium.collection import Collection, open_collection
from trivium.types import Kind, Node

_ASKED = 60
_LISTED = 100
_TYPES = ("function", "method", "class")


def main() -> None:
    """Print how many are first, among ten, and not listed."""
    parser = arguments(__doc__ or "")
    parser.add_argument("folder", nargs="?", type=Path, default=Path("src"))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        settings = config.load(environ={"TRIVIUM_HOME": home, "TRIVIUM_CONFIG": f"{home}/none"})
        with open_collection(chosen.folder, settings=settings) as collection:
            collection.sync()
            report("names", _rows(collection), to=chosen.json)


def _rows(collection: Collection) -> list[Row]:
    nodes = sorted(
        (one for one in collection.nodes() if one.kind is Kind.CODE and one.type in _TYPES),
        key=lambda one: one.id,
    )
    counts = Counter(_qualified(one).rpartition(".")[2] for one in nodes)
    methods = [one for one in nodes if one.type == "method" and "._" not in _qualified(one)]
    alone = [one for one in nodes if "." not in _qualified(one) and counts[_qualified(one)] == 1]
    chance = random.Random(5)  # noqa: S311 - not secret
    return [
        _row(collection, "Class.method", _some(chance, methods), _qualified),
        _row(collection, "a name of one", _some(chance, alone), _qualified),
    ]


def _some(chance: random.Random, nodes: Sequence[Node]) -> list[Node]:
    return chance.sample(list(nodes), min(_ASKED, len(nodes)))


def _qualified(node: Node) -> str:
    return node.id.partition("#")[2].partition("~")[0]


def _row(
    collection: Collection, title: str, nodes: Sequence[Node], ask: Callable[[Node], str]
) -> Row:
    places = []
    for node in nodes:
        found = collection.search(ask(node), limit=_LISTED, group="node").results
        places.append(next((at for at, hit in enumerate(found) if hit.id == node.id), _LISTED))
    return {
        "asked as": title,
        "names": len(nodes),
        "first": sum(at == 0 for at in places),
        "in ten": sum(at < 10 for at in places),
        "not listed": sum(at == _LISTED for at in places),
    }


if __name__ == "__main__":
    main()
