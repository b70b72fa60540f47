"""cases.toml and the tests -> docs/seeds.md: which case of which seed holds, and what shows it.

A case holds if a test carries its number, since all tests pass; one without a test must stand
among those that are open or not planned. Run: python tests/acceptance/seeds_page.py > docs/seeds.md
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent
_TEST = re.compile(r"^(?:    )?def (test_g(\d+)_\w+)", re.MULTILINE)
_HEAD = """# The five seeds, case by case

Five documents started this project, each describing one search system. What they do was written
down as 130 cases; those with `!` mend what a seed gets wrong. Each case is a test that carries its
number, `test_g42_...`, most of them asked of the embedded and of the reference backend alike, by
the public API. This page is made from the tests (`make seeds`), and a test holds it to them.
"""


def tests_by_case() -> dict[int, list[tuple[str, str]]]:
    """Return the tests that carry the number of a case: file and name."""
    found: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    for file in sorted(TESTS.rglob("test_*.py")):
        for name, number in _TEST.findall(file.read_text(encoding="utf-8")):
            found[int(number)].append((file.relative_to(TESTS).as_posix(), name))
    return found


def page() -> str:
    """Return the page."""
    data = tomllib.loads((HERE / "cases.toml").read_text(encoding="utf-8"))
    tests = tests_by_case()
    waiting = {int(number): why for number, why in data["open"].items()}
    never = {int(number): why for number, why in data["not-planned"].items()}
    numbers = [int(number) for seed in data["seed"] for number in seed["cases"]]
    holding = [number for number in numbers if number in tests and number not in waiting]
    in_part = [number for number in waiting if number in tests]
    lines = [_HEAD]
    lines.append(
        f"{len(holding)} of {len(numbers)} cases hold, {len(in_part)} in part, "
        f"{_count(waiting, tests)} are open; {_count(never, tests)} are not planned.\n"
    )
    for seed in data["seed"]:
        lines += [f"## {seed['title']}\n", "| case | what | state | tests |", "|---|---|---|---|"]
        for key, what in seed["cases"].items():
            number = int(key)
            lines.append(
                f"| G{number} | {_cell(what)} | {_state(number, tests, waiting, never)} | "
                f"{_shown(tests.get(number, []))} |"
            )
        lines.append("")
    return "\n".join(lines)


def _count(some: dict[int, str], tests: dict[int, list[tuple[str, str]]]) -> int:
    return sum(number not in tests for number in some)


def _state(
    number: int,
    tests: dict[int, list[tuple[str, str]]],
    waiting: dict[int, str],
    never: dict[int, str],
) -> str:
    if number in tests:
        return f"in part; open: {waiting[number]}" if number in waiting else "holds"
    if number in waiting:
        return f"open: {waiting[number]}"
    return f"not planned: {never[number]}" if number in never else "MISSING"


def _shown(found: list[tuple[str, str]]) -> str:
    files = dict.fromkeys(file for file, _ in found)
    return "<br>".join(f"`{file}`: {sum(one == file for one, _ in found)}" for file in files)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    sys.stdout.write(page())
