"""docs/seeds.md says what the tests show: no case is forgotten, none is claimed."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


@cache
def made() -> str:
    script = ROOT / "tests" / "acceptance" / "seeds_page.py"
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, encoding="utf-8", check=True
    )
    return done.stdout


def test_the_page_of_the_seeds_is_the_one_the_tests_make() -> None:
    page = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")

    assert page == made(), "run: make seeds"


def test_every_case_holds_or_says_why_not() -> None:
    assert "MISSING" not in made()


def test_every_case_that_holds_is_asked_of_both_backends() -> None:
    rows = [line.split(" | ") for line in made().splitlines() if line.startswith("| G")]
    holding = {row[0]: row[-2] for row in rows if row[-3] == "holds"}

    assert len(holding) > 100
    assert {case: asked for case, asked in holding.items() if asked != "both backends"} == {}
