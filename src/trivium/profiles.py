"""A name or a file -> a ranking profile: a shipped one, one of the user's, or any TOML file.

The user's own stand in `$TRIVIUM_HOME/profiles`. A shipped name is never hidden by a file: what
`graph` means is the same for everyone. Called by the collection and the doors.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from trivium.analysis.words import analyser, with_tokenizer
from trivium.errors import ConfigError, unknown
from trivium.ranking import profile as ranking
from trivium.ranking.profile import Profile
from trivium.ranking.profile_file import read

_ENDING = ".toml"
_MOST_BYTES = 1_000_000


def names(home: Path) -> list[str]:
    """Return the names of all profiles: the shipped ones, then the user's own."""
    shipped = ranking.shipped()
    own = sorted(path.stem for path in folder_of(home).glob(f"*{_ENDING}"))
    return [*shipped, *(name for name in own if name not in shipped)]


def folder_of(home: Path) -> Path:
    """Return where a user's profiles stand."""
    return home / "profiles"


def load(name: str, *, home: Path) -> Profile:
    """Return a profile by its name or the path of its file.

    Raises ConfigError that names the nearest one, or the file, line and key of a mistake.
    """
    if name in ranking.shipped():
        return ranking.profile(name)
    file = file_of(name, home)
    text = text_of(str(file), home=home)
    made = read(text, origin=str(file), text_of=lambda base: text_of(base, home=home))
    if not name.endswith(_ENDING) and made.name != name:
        raise ConfigError(f"{file}: name: it is {made.name!r}; the file is called {name!r}.")
    return made


def tokenized(profile: Profile, tokenizer: str) -> Profile:
    """Return a profile whose views have the dictionary that is set; loads none."""
    scopes = (replace(one, view=with_tokenizer(one.view, tokenizer)) for one in profile.scopes)
    return replace(profile, scopes=tuple(scopes))


def check_dictionaries(profile: Profile) -> None:
    """Load the dictionaries of a profile's views. Raises MissingExtra if one is not installed."""
    for scope in profile.scopes:
        analyser(scope.view.analyser)


def text_of(name: str, *, home: Path) -> str:
    """Return the text of a profile's file. Raises ConfigError if there is none."""
    if name in ranking.shipped():
        return ranking.text_of(name)
    file = file_of(name, home)
    try:
        with file.open("rb") as opened:
            return opened.read(_MOST_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from error


def file_of(name: str, home: Path) -> Path:
    """Return the file of a profile that is not shipped. Raises ConfigError if there is none."""
    is_path = name.endswith(_ENDING)
    try:
        file = Path(name).expanduser() if is_path else folder_of(home) / f"{name}{_ENDING}"
        if (is_path or Path(name).name == name) and file.is_file():
            return file
    except (OSError, RuntimeError, ValueError) as error:
        # Too long, of a user who does not exist, or with a NUL in it.
        raise ConfigError(f"There is no profile {name[:60]!r}: {error}") from error
    if is_path:
        raise ConfigError(f"There is no profile file {name}.")
    raise ConfigError(unknown("profile", name, names(home)))
