"""Where a cluster for the tests cannot be had, that is said, and is no failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cluster import __main__ as tested
from cluster import artefacts, nodes


@pytest.fixture(autouse=True)
def _no_cluster_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(tested.URL, raising=False)


def test_without_java_the_tests_are_told_as_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")

    assert tested.main(["3"]) == 0
    said = capsys.readouterr().err
    assert "NOT RUN" in said
    assert "java is not installed" in said


def test_with_too_little_memory_the_tests_are_told_as_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(nodes, "class_path", lambda: "")
    monkeypatch.setattr(nodes, "_free_mb", lambda: 1000)

    assert tested.main(["3"]) == 0
    assert "3,036 MB of memory; 1,000 MB are free" in capsys.readouterr().err


def test_nodes_that_do_not_start_are_tried_once_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tries: list[int] = []

    @contextmanager
    def started(count: int) -> Iterator[nodes.Cluster]:
        tries.append(count)
        raise nodes.NotStarted("not green")
        yield

    monkeypatch.setattr(tested, "started", started)

    assert tested.main(["3"]) == 0
    assert tries == [3, 3]
    assert "NOT RUN. not green" in capsys.readouterr().err


def test_a_file_that_is_not_the_one_it_should_be_is_not_used(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.jar").write_bytes(b"other")

    with pytest.raises(artefacts.NotResolved, match="hash differs"):
        artefacts._check(tmp_path, {"a.jar": "0" * 64})
