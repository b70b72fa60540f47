"""Age counts for notes and tasks alone, where a profile says so; the same on every backend."""

from __future__ import annotations

from dataclasses import replace

from trivium.backends.base import Backend, FileHistory, Snapshot
from trivium.engine import search
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.profile import profile
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import Answer, ChunkId, Kind, NodeId

DAY_S = 86_400
NOW = 1738281600.0  # 2025-01-31
GAIN, HALF_LIFE = 0.2, 10.0


def ask(snapshot: Snapshot, *, gain: float, now: float | None = NOW) -> Answer:
    chosen = profile("best")
    boosts = replace(chosen.boosts, recency=gain, recency_days=HALF_LIFE)
    return search(
        snapshot,
        "zebra",
        options=SearchOptions(replace(chosen, boosts=boosts)),
        given=Circumstances("shop", now=now),
    )


def test_a_note_gains_by_its_age_and_code_does_not(any_backend: Backend) -> None:
    kinds = {"old.md": Kind.NOTE, "new.md": Kind.TASK, "code.py": Kind.CODE}
    files = []
    for path, kind in kinds.items():
        made = make_file(path, [Section("Zebra", "zebra", kind=kind)])
        # Ids as real ones are: with the kind before the path.
        nodes = {node.id: NodeId(f"{node.kind.value}:{node.id}") for node in made.nodes}
        files.append(
            replace(
                made,
                nodes=tuple(replace(one, id=nodes[one.id]) for one in made.nodes),
                edges=(),
                chunks=tuple(
                    replace(
                        one,
                        node_id=nodes[one.node_id],
                        id=ChunkId(f"{nodes[one.node_id]}@{one.id.rpartition('@')[2]}"),
                    )
                    for one in made.chunks
                ),
            )
        )
    write(any_backend, files)
    history = [
        FileHistory("old.md", "Ann", "2025-01-11", 1),
        FileHistory("new.md", "Ann", "2025-01-30", 1),
        FileHistory("code.py", "Ann", "2025-01-31", 1),
    ]
    with any_backend.writer(wait_s=0) as writer:
        writer.put_history(history, head="abc")
    with any_backend.snapshot() as snapshot:
        plain = {hit.node.source.file_path: hit for hit in ask(snapshot, gain=0).results}
        aged = {hit.node.source.file_path: hit for hit in ask(snapshot, gain=GAIN).results}
        timeless = ask(snapshot, gain=GAIN, now=None)

    gained = {path: aged[path].score - plain[path].score for path in kinds}
    assert abs(gained["old.md"] - GAIN * 0.5 ** (20 / HALF_LIFE)) < 1e-9
    assert abs(gained["new.md"] - GAIN * 0.5 ** (1 / HALF_LIFE)) < 1e-9
    assert gained["code.py"] == 0
    assert "changed 20 days ago" in {part.name for part in aged["old.md"].parts}
    assert {hit.id: hit.score for hit in timeless.results} == {
        hit.id: hit.score for hit in plain.values()
    }
