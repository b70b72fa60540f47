"""What is one hit: a file of code, a node, or a chunk; the same on every backend."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trivium import indexer
from trivium.backends.base import Backend, Snapshot
from trivium.engine import search
from trivium.errors import UsageError
from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.profile import profile
from trivium.retrieval.files import files_of
from trivium.testing.embedders import WordEmbedder
from trivium.testing.filling import write_texts
from trivium.types import Answer, ChunkId

TEXTS = {
    "src/router.py": (
        '"""Routes."""\n\n\ndef match(path):\n    return route(path)\n\n\n'
        "def route(path):\n    return path\n"
    ),
    "src/other.py": "def send(route):\n    return route\n",
    "C#/first.cs": "class First { void Route() { } }\n",
    "C#/second.cs": "class Second { void Route() { } }\n",
    "guide.md": "# Route\n\nOne route.\n\n## Route again\n\nAnother route.\n",
}


@pytest.fixture
def snapshot(any_backend: Backend) -> Iterator[Snapshot]:
    write_texts(any_backend, TEXTS)
    indexer.embed(any_backend, WordEmbedder())
    with any_backend.snapshot() as held:
        yield held


def ask(
    snapshot: Snapshot,
    text: str,
    *,
    group: str | None = None,
    limit: int | None = None,
    where: Filter = EVERYTHING,
) -> Answer:
    options = SearchOptions(profile("best"), limit, where, group=group)
    return search(
        snapshot, text, options=options, given=Circumstances("shop", embedders=(WordEmbedder(),))
    )


def test_code_has_one_hit_for_each_file_and_names_its_other_nodes(snapshot: Snapshot) -> None:
    answer = ask(snapshot, "route")

    code = [hit for hit in answer.results if hit.node.kind == "code"]
    paths = [hit.node.source.file_path for hit in code]
    assert sorted(paths) == ["C#/first.cs", "C#/second.cs", "src/other.py", "src/router.py"]
    (router,) = [hit for hit in code if hit.node.source.file_path == "src/router.py"]
    assert router.id == "code:src/router.py#route"
    assert "code:src/router.py#match@0" in [one.id for one in router.passages]
    assert answer.total == len(answer.results)


def test_sections_of_a_document_stay_hits_of_their_own(snapshot: Snapshot) -> None:
    hits = [hit.id for hit in ask(snapshot, "route").results if hit.node.kind == "doc"]

    assert len(hits) > 1


def test_grouped_by_node_or_not_at_all_every_node_of_a_file_is_a_hit(snapshot: Snapshot) -> None:
    nodes = [hit.id for hit in ask(snapshot, "route", group="node").results]
    chunks = [hit.id for hit in ask(snapshot, "route", group="none").results]

    assert {"code:src/router.py#route", "code:src/router.py#match"} <= set(nodes)
    assert {"code:src/router.py#route@0", "code:src/router.py#match@0"} <= set(chunks)


def test_a_filter_that_tells_nodes_apart_asks_for_nodes(snapshot: Snapshot) -> None:
    functions = ask(snapshot, "route", where=build({"type": "function", "path": "router.py"}))
    typed = ask(snapshot, "route type:function path:router.py")
    files = ask(snapshot, "route", where=build({"path": "router.py"}))

    wanted = {"code:src/router.py#route", "code:src/router.py#match"}
    assert {hit.id for hit in functions.results} == {hit.id for hit in typed.results} == wanted
    assert len(files.results) == 1


def test_a_shorter_page_of_files_is_the_start_of_a_longer_one(snapshot: Snapshot) -> None:
    whole = [hit.id for hit in ask(snapshot, "route again").results]

    for limit in range(len(whole) + 1):
        assert [hit.id for hit in ask(snapshot, "route again", limit=limit).results] == whole[
            :limit
        ]


def test_an_unknown_group_names_the_nearest(snapshot: Snapshot) -> None:
    with pytest.raises(UsageError, match="'file'"):
        ask(snapshot, "route", group="fiel")


def test_the_file_of_an_id_is_known_where_a_folder_has_a_sign_of_names(
    snapshot: Snapshot,
) -> None:
    ids = [
        ChunkId("code:src/router.py#match@0"),
        ChunkId("code:C#/first.cs#First@0"),
        ChunkId("code:C#/first.cs@0"),
        ChunkId("doc:guide.md@0"),
    ]

    assert files_of(snapshot, ids) == {
        ids[0]: "src/router.py",
        ids[1]: "C#/first.cs",
        ids[2]: "C#/first.cs",
    }
