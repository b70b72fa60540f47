"""What tests of several sources share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.unit.sources.repositories import Made


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Give a repository to be filled; skips where pygit2 is not installed."""
    from tests.unit.sources.repositories import Made

    return Made(tmp_path.resolve() / "project")
