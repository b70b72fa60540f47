"""The commands on the page of tuning run as they stand there, where there is something to gain."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from trivium.evaluation.datasets import load_judged

PAGE = (Path(__file__).parents[2] / "docs" / "tuning.md").read_text(encoding="utf-8")
WORDS = (
    *("amber", "basalt", "cedar", "delta", "ember", "fjord", "granite", "harbor", "island"),
    *("jasper", "kelp", "lagoon", "meadow", "nettle", "orchid", "pebble", "quartz", "raven"),
    *("saffron", "timber", "umber", "violet", "willow", "yarrow", "zephyr"),
)


def fenced(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_judged_queries_on_the_page_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "judged.csv"
    file.write_text(fenced("csv"), encoding="utf-8")
    queries = load_judged(file).queries
    assert dict(queries[2].relevant) == {"guide.md": 2.0, "src/limits.py": 1.0}
    assert [query.group for query in queries] == ["login", "login", "api"]


def test_every_command_on_the_page_runs_and_tuning_gains(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    rows = ["query,relevant"]
    for number, word in enumerate(WORDS):
        # Meaning takes the short note for nearer; words see which says it more often.
        ledger = "invoice ledger tax account budget payment audit office report total " * 3
        wanted = f"# Note\n\n{f'{word} ' * 6}{ledger}\n"
        (folder / f"n{number}-long.md").write_text(wanted, encoding="utf-8")
        (folder / f"n{number}-short.md").write_text(f"# Note\n\n{word}\n", encoding="utf-8")
        rows.append(f"where is all that about {word},n{number}-long.md")
    (folder / "judged.csv").write_text("\n".join(rows), encoding="utf-8")
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "static",
        "HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    commands = fenced("sh").splitlines()
    assert commands[0].startswith("trivium tune ")
    for command in commands:
        done = subprocess.run(
            shlex.split(command),
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    assert (folder / "report.html").stat().st_size > 0
