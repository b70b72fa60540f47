from __future__ import annotations

import resource

import pytest

from trivium.doors.http import wire


@pytest.mark.parametrize(
    ("soft", "hard", "most", "asked"),
    [
        (256, 256, 128, 256),
        (1024, 1024, 768, 1024),
        (1024, 4096, 4096 - 256, 4096),
        (1024, 1_000_000, 4096, 4096 + 256),
        (1024, resource.RLIM_INFINITY, 4096, 4096 + 256),
        (20_000, 20_000, 4096, None),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, 4096, None),
    ],
)
def test_connections_leave_files_for_the_index(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, most: int, asked: int | None
) -> None:
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: given.append(both))

    assert wire.most_connections.__wrapped__() == most
    assert given in ([], [(asked, hard)])
    assert not given or asked is not None
