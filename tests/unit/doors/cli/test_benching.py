import json
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest
from click.testing import CliRunner

from trivium.doors.cli.main import trivium


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRIVIUM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIVIUM_CONFIG", str(tmp_path / "none.toml"))
    root = tmp_path / "shop"
    root.mkdir()
    (root / "prices.md").write_text("# Prices\n\nPrices are rounded down.\n", encoding="utf-8")
    return root


def test_bench_prints_what_it_measured_and_draws_it(shop: Path, tmp_path: Path) -> None:
    picture = tmp_path / "speed.svg"

    asked = CliRunner().invoke(
        trivium, ["bench", str(shop), "--queries", "2", "--plot", str(picture)]
    )

    assert asked.exit_code == 0, asked.output
    assert "search, best" in asked.stdout
    assert "chunks per CPU-second" in asked.stdout
    drawn = "".join(Xml.fromstring(picture.read_text(encoding="utf-8")).itertext())  # noqa: S314
    assert "search by words alone" in drawn


def test_bench_gives_json(shop: Path) -> None:
    asked = CliRunner().invoke(trivium, ["bench", str(shop), "--queries", "2", "--json"])

    found = json.loads(asked.stdout)
    assert (found["files"], found["model"]) == (1, "static")
    assert {"name", "value", "unit", "p95"} == set(found["figures"][0])
