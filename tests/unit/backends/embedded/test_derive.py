"""What is published of vectors, while other collections of the store change them."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.backends.embedded import derive
from trivium.backends.embedded.store import EmbeddedBackend


def test_a_model_that_another_collection_forgets_meanwhile_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = EmbeddedBackend(tmp_path / "own", store=tmp_path / "store")
    # Listed a moment ago, and gone since.
    monkeypatch.setattr(derive, "_MODELS", "SELECT 'forgotten'")

    with backend.writer(wait_s=0) as writer:
        writer.publish()

    with backend.snapshot() as snapshot:
        assert snapshot.spaces() == []
    backend.close()
