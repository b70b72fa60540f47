"""Repositories made commit by commit, and their history, for tests. Needs pygit2."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trivium.sources.history import History, history

pygit2 = pytest.importorskip("pygit2")

START = 1_700_000_000
HOUR = 3600


def iso(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")


@dataclass
class Made:
    """A repository made commit by commit: each says all files it holds."""

    top: Path
    commits: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.repository = pygit2.init_repository(self.top, initial_head="main")

    def tree(self, files: dict[str, str | bytes]) -> str:
        builder = self.repository.TreeBuilder()
        below: dict[str, dict[str, str | bytes]] = {}
        for path, content in files.items():
            folder, _, rest = path.partition("/")
            if rest:
                below.setdefault(folder, {})[rest] = content
            else:
                data = content if isinstance(content, bytes) else content.encode()
                builder.insert(path, self.repository.create_blob(data), 0o100644)
        for folder, inner in below.items():
            builder.insert(folder, self.tree(inner), 0o040000)
        return str(builder.write())

    def commit(
        self,
        files: dict[str, str | bytes],
        *,
        by: str = "Ana",
        follows: list[str] | None = None,
        at: int | None = None,
        tree: str | None = None,
    ) -> str:
        """Add a commit an hour after the last one and check it out, files and all."""
        time = START + HOUR * len(self.commits) if at is None else at
        who = pygit2.Signature(by, "a@example.org", time, 0)
        parents = self.commits[-1:] if follows is None else follows
        id_ = str(
            self.repository.create_commit(
                None, who, who, "message", tree or self.tree(files), parents
            )
        )
        (self.top / ".git" / "refs" / "heads" / "main").write_text(id_)
        self.commits.append(id_)
        for path, content in files.items():
            place = self.top / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return id_


def read(root: Path, *, since: str | None = None, most_commits: int = 1000) -> History:
    found = history(root, since=since, most_commits=most_commits)
    assert found is not None
    return found
