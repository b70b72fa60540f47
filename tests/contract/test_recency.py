"""Age counts for notes and tasks alone, where a profile says so; the same on every backend."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivium.backends.base import Backend, FileContent, FileHistory, Snapshot
from trivium.engine import search
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.profile import profile
from trivium.ranking.recency import recency
from trivium.testing.corpus import Section, make_file
from trivium.testing.filling import write
from trivium.types import Answer, ChunkId, Hit, Kind, NodeId

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


def make_note(path: str, kind: Kind, text: str = "zebra") -> FileContent:
    made = make_file(path, [Section("Zebra", text, kind=kind)])
    # Ids as real ones are: with the kind before the path.
    nodes = {node.id: NodeId(f"{node.kind.value}:{node.id}") for node in made.nodes}
    return replace(
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


def test_a_note_gains_by_its_age_and_code_does_not(any_backend: Backend) -> None:
    kinds = {"old.md": Kind.NOTE, "new.md": Kind.TASK, "code.py": Kind.CODE}
    files = [make_note(path, kind) for path, kind in kinds.items()]
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


@pytest.mark.parametrize("kind", [Kind.NOTE, Kind.TASK])
def test_by_a_small_gain_the_newer_of_two_that_say_the_same_comes_first(
    any_backend: Backend, kind: Kind
) -> None:
    boosts = replace(profile("best").boosts, recency=0.05, recency_days=30.0)
    files = {
        "one.md": (kind, "zebra crossing painted", "2024-12-01"),
        "two.md": (kind, "zebra crossing painted", "2025-01-30"),
        "page.md": (Kind.DOC, "zebra crossing painted", "2025-01-31"),
        "six.md": (kind, "zebra crossing painted by hand", "2020-01-01"),
    }
    write(any_backend, [make_note(path, one, text) for path, (one, text, _) in files.items()])
    with any_backend.writer(wait_s=0) as writer:
        history = [FileHistory(path, "Ann", day, 1) for path, (_, _, day) in files.items()]
        writer.put_history(history, head="abc")

    def found(text: str, *, now: float | None) -> list[Hit]:
        options = SearchOptions(replace(profile("best"), boosts=boosts))
        given = Circumstances("shop", now=now)
        with any_backend.snapshot() as snapshot:
            return list(search(snapshot, text, options=options, given=given).results)

    def paths(hits: list[Hit]) -> list[str]:
        return [hit.node.source.file_path for hit in hits]

    plain, aged = (
        found("zebra crossing painted", now=None),
        found("zebra crossing painted", now=NOW),
    )
    assert paths(plain).index("one.md") < paths(plain).index("two.md")
    assert paths(aged)[0] == "two.md"
    gained = {
        path: next(hit.score for hit in aged if hit.source.file_path == path)
        - next(hit.score for hit in plain if hit.source.file_path == path)
        for path in files
    }
    assert gained["page.md"] == 0
    assert gained["two.md"] == pytest.approx(
        boosts.recency * recency(1, half_life_days=boosts.recency_days)
    )
    # What matches better is not passed by what is newer.
    assert paths(found("zebra crossing painted by hand", now=NOW))[0] == "six.md"
