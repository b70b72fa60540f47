"""What eval and tune share: the options that name judged data, profiles, and files to write.

Called by the two commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium.errors import UsageError

if TYPE_CHECKING:
    from trivium.config import Settings
    from trivium.ranking.profile import Profile

SPLIT = click.option(
    "--split", help="Which judgements of a BEIR folder: train, dev, test (default: test, or dev)."
)
REPOSITORIES = click.option(
    "--repos", type=click.Path(path_type=Path), help="Where repositories are laid out."
)
COLLECTION = click.option(
    "--collection", type=click.Path(path_type=Path), help="Folder the queries ask."
)
LIMIT_QUERIES = click.option(
    "--limit-queries",
    type=click.IntRange(min=1),
    help="Ask only so many of a set, the same ones every time.",
)


def load_profiles(names: Sequence[str], settings: Settings) -> list[Profile]:
    """Return profiles by name or file, each once, with the dictionary that is set.

    Raises UsageError for two of one name: results could not be told apart.
    """
    from trivium import profiles

    tokenizer = settings.text("text.tokenizer")
    found: dict[str, Profile] = {}
    for name in dict.fromkeys(names):
        one = profiles.tokenized(profiles.load(name, home=settings.home), tokenizer)
        profiles.check_dictionaries(one)
        if one.name in found:
            raise UsageError(f"Two profiles are called {one.name!r}; give one another name.")
        found[one.name] = one
    return list(found.values())


def check_can_write(file: Path) -> None:
    """Raise UsageError, before long work, if there is no folder to write `file` in."""
    if not file.expanduser().absolute().parent.is_dir():
        raise UsageError(f"{file} cannot be written: {file.parent} is no folder.")


def write_text(file: Path, text: str) -> None:
    """Write a file whole or not at all. Raises UsageError if that cannot be done."""
    target = file.expanduser()
    aside = target.with_name(f".{target.name}.part")
    try:
        aside.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        aside.replace(target)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error
