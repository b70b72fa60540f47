"""Nodes that are lost while somebody searches or writes, and come back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from cluster.nodes import RUNNING, Cluster, Node

from trivium.backends.base import Backend
from trivium.backends.opensearch.client import Client
from trivium.filtering.conditions import EVERYTHING
from trivium.query.grammar import Words
from trivium.testing import corpus
from trivium.testing.contract import MakeBackend
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import BODY, MODEL, ask, embed, vector_of, write

_BEFORE, _AFTER = 20, 60


@pytest.fixture
def nodes() -> Iterator[Cluster]:
    if not RUNNING or len(RUNNING[0].nodes) < 3:
        pytest.skip("needs three nodes of its own: make test-cluster NODES=3")
    (cluster,) = RUNNING
    yield cluster
    for one in cluster.nodes:
        if one.process is None:
            one.start()
    cluster.wait_until("green")


@pytest.fixture
def filled(make_collection: MakeBackend, nodes: Cluster) -> Backend:
    backend = make_collection()
    write(backend, corpus.generated()[:15])
    embed(backend)
    _asked(backend)
    nodes.wait_until("green")
    return backend


def _asked(backend: Backend) -> tuple[tuple[str, ...], tuple[str, ...]]:
    with backend.snapshot() as snapshot:
        space = snapshot.vectors(MODEL)
        assert space is not None
        words = snapshot.text(BODY).search(ask(Words("index query")), where=EVERYTHING, depth=10)
        near = space.search(vector_of("index"), where=EVERYTHING, depth=10)
        assert snapshot.fetch(words.ids)
        return words.ids, near.ids


def _manager(client: Client, cluster: Cluster) -> Node:
    found = client.ask("GET", "/_cluster/state/cluster_manager_node,nodes")
    name = found["nodes"][found["cluster_manager_node"]]["name"]
    return next(one for one in cluster.nodes if one.name == name)


@contextmanager
def _searching(backend: Backend, answers: list[object]) -> Iterator[threading.Event]:
    """Ask all the time in another thread; what fails stands among the answers."""
    enough, over = threading.Event(), threading.Event()

    def run() -> None:
        while not over.is_set() or len(answers) < _AFTER:
            try:
                answers.append(_asked(backend))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a failed query
                answers.append(error)
            if len(answers) >= _BEFORE:
                enough.set()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield enough
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("lost", ["a node with data", "the manager"])
def test_no_query_fails_when_a_node_is_lost(
    nodes: Cluster, filled: Backend, client: Client, lost: str
) -> None:
    right = _asked(filled)
    manager = _manager(client, nodes)
    victim = manager if lost == "the manager" else next(n for n in nodes.nodes if n is not manager)
    answers: list[object] = []

    with _searching(filled, answers) as enough:
        enough.wait()
        victim.kill()

    assert len(answers) >= _AFTER
    assert [one for one in answers if one != right] == []


def test_a_batch_is_written_while_a_node_is_gone_and_is_there_when_it_is_back(
    nodes: Cluster, filled: Backend, client: Client
) -> None:
    victim = next(one for one in nodes.nodes if one is not _manager(client, nodes))
    victim.kill()
    write(filled, [make_file("new.md", [Section("one", "walrus")])])
    victim.start()
    nodes.wait_until("green")

    with filled.snapshot() as snapshot:
        found = snapshot.text(BODY).search(ask(Words("walrus")), where=EVERYTHING, depth=9)
    assert found.ids == ("new.md#one@0",)


def test_everything_is_there_after_all_nodes_were_gone_at_once(
    nodes: Cluster, filled: Backend
) -> None:
    before = _asked(filled)
    for one in nodes.nodes:
        one.kill()
    for one in nodes.nodes:
        one.start()
    nodes.wait_until("green")

    assert _asked(filled) == before
