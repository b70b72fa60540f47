"""cases.toml and the tests -> docs/seeds.md: which case of which seed holds, and what shows it.

A case holds if a test carries its number, since all tests pass; one without a test must stand
among those that are open or not planned. Which backends a test is run on is asked of pytest.
Run: python tests/acceptance/seeds_page.py > docs/seeds.md
"""

from __future__ import annotations

import io
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
BACKENDS = frozenset({"embedded", "reference"})
# A fixture that holds one collection on each backend, for tests that compare them.
ON_EACH = "pair"
_NUMBERS = re.compile(r"test_((?:(?:and_)?g\d+_)+)")
_HEAD = """# The five seeds, case by case

Five documents started this project, each describing one search system. What they do was written
down as 130 cases; those with `!` mend what a seed gets wrong. Each case is a test that carries its
number, `test_g42_...`. Where a case needs a collection it is asked of one through the public API,
once on the embedded and once on the reference backend; tests of a function alone are more.
This page is made from the tests (`make seeds`), and a test holds it to them.
"""


@dataclass(slots=True)
class Shown:
    """The tests that carry the number of a case, by file, and the backends they are run on."""

    tests: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    backends: set[str] = field(default_factory=set)

    @property
    def is_on_both(self) -> bool:
        return self.backends >= BACKENDS


@dataclass(slots=True)
class Collected:
    """What pytest would run, as a plugin of it."""

    cases: defaultdict[int, Shown] = field(default_factory=lambda: defaultdict(Shown))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            for number in numbers_of(item.name):
                shown = self.cases[number]
                shown.tests[item.path.relative_to(TESTS).as_posix()].add(item.name.split("[")[0])
                shown.backends |= _backends(item)


def numbers_of(name: str) -> list[int]:
    """Return the cases a test carries: test_g41_g43_and_g53_on_... has three."""
    found = _NUMBERS.match(name)
    return [int(one) for one in re.findall(r"\d+", found[1])] if found else []


def _backends(item: pytest.Item) -> frozenset[str]:
    if ON_EACH in getattr(item, "fixturenames", ()):
        return BACKENDS
    return BACKENDS & set(re.split(r"[\[\]-]", item.name))


def tests_by_case() -> Mapping[int, Shown]:
    """Return for each case the tests that carry its number. Raises RuntimeError if some fail."""
    files = [
        str(file)
        for file in sorted(TESTS.rglob("test_*.py"))
        if "def test_g" in file.read_text(encoding="utf-8")
    ]
    collected, said = Collected(), io.StringIO()
    with redirect_stdout(said):
        code = pytest.main(
            ["--collect-only", "-p", "no:cacheprovider", *files], plugins=[collected]
        )
    if code != pytest.ExitCode.OK:
        raise RuntimeError(said.getvalue())
    return collected.cases


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
        lines += [
            f"## {seed['title']}\n",
            "| case | what | state | asked of | tests |",
            "|---|---|---|---|---|",
        ]
        for key, what in seed["cases"].items():
            number = int(key)
            lines.append(
                f"| G{number} | {_cell(what)} | {_state(number, tests, waiting, never)} | "
                f"{_asked_of(tests.get(number))} | {_files(tests.get(number))} |"
            )
        lines.append("")
    return "\n".join(lines)


def _count(some: dict[int, str], tests: Mapping[int, Shown]) -> int:
    return sum(number not in tests for number in some)


def _state(
    number: int,
    tests: Mapping[int, Shown],
    waiting: dict[int, str],
    never: dict[int, str],
) -> str:
    if number in tests:
        return f"in part; open: {waiting[number]}" if number in waiting else "holds"
    if number in waiting:
        return f"open: {waiting[number]}"
    return f"not planned: {never[number]}" if number in never else "MISSING"


def _asked_of(shown: Shown | None) -> str:
    if shown is None:
        return ""
    return "both backends" if shown.is_on_both else ", ".join(sorted(shown.backends)) or "functions"


def _files(shown: Shown | None) -> str:
    found = shown.tests if shown is not None else {}
    return "<br>".join(f"`{file}`: {len(names)}" for file, names in sorted(found.items()))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    sys.stdout.write(page())
