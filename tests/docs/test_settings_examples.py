"""Settings as the docs show them can be read, and the make targets they name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trivium import config

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    pytest.param(code, id=f"{name}-{number}")
    for name in ("embeddings", "rerank", "settings")
    for number, code in enumerate(
        FENCE.findall((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
    )
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_of_settings_can_be_read(code: str, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(code, encoding="utf-8")
    found = config.load(environ={"TRIVIUM_HOME": str(tmp_path), "TRIVIUM_CONFIG": str(file)})
    assert any(one.origin == str(file) for one in found.values.values())


def test_every_make_target_of_the_page_on_embeddings_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.findall(
        r"^make (\w+)", (ROOT / "docs" / "embeddings.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
