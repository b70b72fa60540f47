"""Leave out of a file of pins what another one pins word for word, and have it read that one.

Called by `make lock`: python requirements/beside.py requirements/run.txt requirements/core.txt
"""

from __future__ import annotations

import sys
from pathlib import Path


def main(file: Path, base: Path) -> None:
    """Write `file` anew, as what it has beside `base`."""
    known = set(_pins(base.read_text(encoding="utf-8")))
    head, *pins = _split(file.read_text(encoding="utf-8"))
    own = [one for one in pins if _pin(one) not in known]
    file.write_text(f"-r {base.name}\n{head}{''.join(own)}", encoding="utf-8")


def _pins(text: str) -> list[str]:
    return [_pin(one) for one in _split(text)[1:]]


def _pin(entry: str) -> str:
    """Return the pin with its hashes, without the remarks on who wants it."""
    return "".join(line for line in entry.splitlines() if not line.lstrip().startswith("#"))


def _split(text: str) -> list[str]:
    """Return the head of a file, then each pin with the lines that belong to it."""
    parts = [""]
    for line in text.splitlines(keepends=True):
        if line[0].isalnum():
            parts.append(line)
        elif not line.startswith("-r "):
            parts[-1] += line
    return parts


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
