"""Runs every benchmark. Run: python -m benchmarks [--cache FOLDER] [--json FILE]."""

from __future__ import annotations

import subprocess
import sys

NAMES = ("startup", "query", "typing", "indexing", "embedding", "size", "structure")


def main() -> None:
    """Run each in a process of its own, with the options given here."""
    for name in NAMES:
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *sys.argv[1:]], check=True)


if __name__ == "__main__":
    main()
