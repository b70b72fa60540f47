"""What every backend promises about links: all of them found, and found again after a change."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping

from trivium.backends.base import Backend, FileContent, FileHistory
from trivium.linker import link
from trivium.sources.base import Entry, Raw
from trivium.testing.filling import write
from trivium.testing.promises import MakeBackend, Promises
from trivium.types import Edge, EdgeType, NodeId
from trivium.writing.digest import Cutting, digest

_STORE = """\
class Store:
    def save(self):
        return check(self)

def check(one):
    return one
"""
_SHOP = "from store import Store, check\n\ndef buy():\n    Store().save()\n    return check(1)\n"


def source(path: str, text: str) -> FileContent:
    """Return a file as the indexer would write it."""
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return digest(Raw(Entry(path, len(text), 1), text, sha256), Cutting())


def linked_edges(backend: Backend, ids: list[NodeId]) -> list[str]:
    """Return the edges of nodes in a shape to compare, those of containment left out."""
    with backend.snapshot() as snapshot:
        return sorted(
            _shown(edge)
            for edge in snapshot.edges(ids)
            if edge.type not in (EdgeType.CONTAINS, EdgeType.EXPORTS)
        )


def _shown(edge: Edge) -> str:
    return f"{edge.source} {edge.type.value} {edge.target} {edge.weight:.2f}"


def _all_edges(backend: Backend) -> list[str]:
    with backend.snapshot() as snapshot:
        ids = [
            node.id
            for path in snapshot.files()
            if (content := snapshot.content(path)) is not None
            for node in content.nodes
        ]
        return sorted(map(_shown, snapshot.edges(ids)))


class LinkingPromises(Promises):
    """How references become edges, and when they are looked at again."""

    def test_a_file_waits_until_it_is_linked(self, backend: Backend) -> None:
        write(backend, [source("store.py", _STORE), source("shop.py", _SHOP)])

        with backend.writer(wait_s=0) as writer:
            assert writer.count_unlinked() == 2
            assert {one.path for one in writer.unlinked(limit=9)} == {"store.py", "shop.py"}
            assert len(writer.unlinked(limit=1)) == 1

        assert link(backend, wait_s=0) == 2

        with backend.writer(wait_s=0) as writer:
            assert (writer.count_unlinked(), writer.unlinked(limit=9)) == (0, [])
        assert link(backend, wait_s=0) == 0

    def test_calls_lead_into_other_files(self, backend: Backend) -> None:
        write(backend, [source("store.py", _STORE), source("shop.py", _SHOP)])
        link(backend, wait_s=0)

        assert linked_edges(backend, [NodeId("code:store.py#check")]) == [
            "code:shop.py#buy calls code:store.py#check 1.00",
            "code:store.py#Store.save calls code:store.py#check 1.00",
        ]
        with backend.snapshot() as snapshot:
            edges = snapshot.edges_of(NodeId("code:shop.py"))
            assert Edge(
                NodeId("code:shop.py"),
                NodeId("code:store.py"),
                EdgeType.IMPORTS,
                context="line 1",
            ) in list(edges)

    def test_linking_can_stop_early_and_goes_on(self, backend: Backend) -> None:
        write(backend, [source("store.py", _STORE), source("shop.py", _SHOP)])

        assert link(backend, wait_s=0, most=1) == 1
        with backend.snapshot() as snapshot:
            assert snapshot.census().unlinked == snapshot.count_unlinked() == 1
        assert link(backend, wait_s=0) == 1

    def test_a_target_that_moves_is_followed(self, backend: Backend) -> None:
        write(
            backend,
            [source("store.py", "def run(): ...\n"), source("a.py", "import store\nstore.run()\n")],
        )
        link(backend, wait_s=0)

        write(backend, [source("store.py", "def walk(): ...\n")])
        link(backend, wait_s=0)
        assert linked_edges(backend, [NodeId("code:a.py")]) == [
            "code:a.py imports code:store.py 1.00"
        ]

        write(backend, [source("store.py", "def run(): ...\n")])
        link(backend, wait_s=0)
        assert "code:a.py calls code:store.py#run 1.00" in linked_edges(
            backend, [NodeId("code:a.py")]
        )

    def test_a_file_that_goes_takes_its_edges_along(self, backend: Backend) -> None:
        write(backend, [source("store.py", _STORE), source("shop.py", _SHOP)])
        link(backend, wait_s=0)

        write(backend, [], removed=["store.py"])
        link(backend, wait_s=0)

        assert linked_edges(backend, [NodeId("code:shop.py"), NodeId("code:shop.py#buy")]) == []

    def test_changes_one_by_one_end_where_a_new_index_would(
        self, make_backend: MakeBackend
    ) -> None:
        for seed in range(6):
            chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
            backend = make_backend()
            files: dict[str, str] = {}
            for _ in range(12):
                changed, removed = _change(files, chance)
                write(backend, [source(*one) for one in changed.items()], removed=removed)
                link(backend, wait_s=0)
            fresh = make_backend()
            write(fresh, [source(*one) for one in files.items()])
            link(fresh, wait_s=0)

            assert _all_edges(backend) == _all_edges(fresh), f"seed {seed}"

    def test_everything_can_be_linked_anew(self, backend: Backend) -> None:
        write(backend, [source("store.py", _STORE), source("shop.py", _SHOP)])
        link(backend, wait_s=0)
        before = _all_edges(backend)

        with backend.writer(wait_s=0) as writer:
            writer.unlink()
            assert writer.count_unlinked() == 2
        link(backend, wait_s=0)

        assert _all_edges(backend) == before

    def test_symbols_are_found_by_their_exact_names(self, backend: Backend) -> None:
        write(
            backend,
            [
                source("a.py", "def Run(): ...\ndef run(): ...\n"),
                source("b.py", "def run(): ...\n"),
            ],
        )

        with backend.snapshot() as snapshot:
            found = snapshot.symbols(["run", "walk"], most=9)
            assert {name: [one.id for one in some] for name, some in found.items()} == {
                "run": ["code:a.py#run", "code:b.py#run"]
            }
            assert len(snapshot.symbols(["run"], most=1)["run"]) == 1
            assert [one.qualified for one in snapshot.outline("a.py")] == ["", "Run", "run"]
            assert snapshot.outline("none.py") == []

    def test_the_census_counts_by_sort(self, backend: Backend) -> None:
        write(backend, [source("store.py", _STORE), source("shop.py", _SHOP)])
        link(backend, wait_s=0)

        with backend.snapshot() as snapshot:
            census = snapshot.census()
        assert dict(census.kinds) == {"code": 6, "file": 2}
        assert dict(census.languages) == {"python": 2}
        assert census.edges["calls"] == 4
        assert (census.unlinked, dict(census.failures)) == (0, {})

    def test_history_is_kept_apart_from_the_files(self, backend: Backend) -> None:
        known = FileHistory("a.py", "Ada", "2026-01-02T03:04:05+00:00", 7)
        with backend.writer(wait_s=0) as writer:
            writer.put_history([known, FileHistory("b.py", "Bob", "2026-01-01", 1)], head="c0ffee")
        write(backend, [source("a.py", "x = 1\n")])

        with backend.snapshot() as snapshot:
            assert snapshot.history("a.py") == known
            assert snapshot.history("none.py") is None
            assert snapshot.history_head() == "c0ffee"
        with backend.writer(wait_s=0) as writer:
            writer.put_history([], head="", forget=True)
        with backend.snapshot() as snapshot:
            assert snapshot.history("a.py") is None


_NAMES = ("run", "walk", "stop", "Store", "Shop")
_PATHS = ("a.py", "b.py", "pkg/__init__.py", "pkg/c.py", "pkg/d.py", "web/e.ts", "web/f.ts")


def _change(files: dict[str, str], chance: random.Random) -> tuple[Mapping[str, str], list[str]]:
    """Change one or two files at random; return what to write and what to remove."""
    changed: dict[str, str] = {}
    removed: list[str] = []
    for path in chance.sample(_PATHS, chance.randint(1, 2)):
        if path in files and chance.random() < 0.3:
            del files[path]
            removed.append(path)
        else:
            files[path] = changed[path] = _text(path, chance)
    return changed, removed


def _text(path: str, chance: random.Random) -> str:
    lines = []
    if path.endswith(".ts"):
        other = "./f" if path == "web/e.ts" else "./e"
        lines.append(f"import {{ {chance.choice(_NAMES)} }} from '{other}'")
        lines += [
            f"export function {name}() {{ {chance.choice(_NAMES)}() }}"
            for name in chance.sample(_NAMES, 2)
        ]
        return "\n".join(lines) + "\n"
    for _ in range(chance.randint(0, 2)):
        module = chance.choice(("a", "b", "pkg", "pkg.c", ".c", ".d"))
        lines.append(f"from {module} import {chance.choice((*_NAMES, '*', 'c'))}")
    for name in chance.sample(_NAMES, chance.randint(1, 3)):
        if name[0].isupper():
            base = chance.choice(("", "(Store)", "(Shop)"))
            lines += [f"class {name}{base}:", f"    def {chance.choice(_NAMES[:3])}(self):"]
            lines.append(f"        self.{chance.choice(_NAMES[:3])}()")
        else:
            lines += [f"def {name}(one):", f"    one.{chance.choice(_NAMES[:3])}()"]
            lines.append(f"    {chance.choice(_NAMES)}()")
    return "\n".join(lines) + "\n"
