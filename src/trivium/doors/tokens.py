"""$TRIVIUM_HOME/tokens.json: who may ask a server that others can reach, and for what.

Kept are hashes: a token is shown once, when it is made. They are long and random, so one round
of SHA-256 is enough. Used by the HTTP door and `trivium token`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path

from trivium.aside import write_aside
from trivium.errors import ConfigError, NotFound, UsageError, unknown

_PREFIX = "trv_"
_BYTES = 32
_LONGEST_NAME = 60
_MOST_TOKENS = 1000


class Right(IntEnum):
    """What a token lets do; each may do what the ones before it may."""

    READ = 1
    WRITE = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        """What a person calls it."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Token:
    """One that is kept: its name, what it lets do, its hash and when it was made."""

    name: str
    right: Right
    sha256: str
    made: str


def right_of(word: str) -> Right:
    """Return a right by its name. Raises UsageError that names the nearest."""
    known = {one.word: one for one in Right}
    if word not in known:
        raise UsageError(unknown("scope", word, list(known)))
    return known[word]


class Tokens:
    """The tokens of one person's settings; a change of the file counts from the next request."""

    def __init__(self, home: Path) -> None:
        self.file = home / "tokens.json"
        self._guard = threading.Lock()
        self._read: tuple[tuple[int, int], tuple[Token, ...]] | None = None

    def all(self) -> tuple[Token, ...]:
        """Return the tokens. Raises ConfigError if the file cannot be read."""
        try:
            found = self.file.stat()
        except FileNotFoundError:
            return ()
        stamp = (found.st_mtime_ns, found.st_size)
        with self._guard:
            if self._read is None or self._read[0] != stamp:
                self._read = (stamp, self._parsed())
            return self._read[1]

    def find(self, given: str) -> Token | None:
        """Return the token that was shown; takes as long whichever it is, or none."""
        digest = _digest(given)
        found = None
        for one in self.all():
            if hmac.compare_digest(one.sha256, digest):
                found = one
        return found

    def add(self, name: str, right: Right) -> str:
        """Make a token and return it: the only time it can be seen. Raises UsageError."""
        kept = self.all()
        if not name or len(name) > _LONGEST_NAME or not name.isprintable():
            raise UsageError(f"A token's name has 1 to {_LONGEST_NAME} characters, all printable.")
        if any(one.name == name for one in kept):
            raise UsageError(f"There is a token {name!r}. Give another name, or remove it first.")
        if len(kept) >= _MOST_TOKENS:
            raise UsageError(f"There are {_MOST_TOKENS} tokens. Remove some first.")
        made = _PREFIX + secrets.token_urlsafe(_BYTES)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._write((*kept, Token(name, right, _digest(made), now)))
        return made

    def remove(self, name: str) -> None:
        """Forget a token; whoever has it is refused from now on. Raises NotFound."""
        kept = self.all()
        if not any(one.name == name for one in kept):
            listed = ", ".join(repr(one.name) for one in kept) or "none"
            raise NotFound(f"No token {name[:_LONGEST_NAME]!r}. There are: {listed}.")
        self._write(tuple(one for one in kept if one.name != name))

    def _write(self, tokens: tuple[Token, ...]) -> None:
        rows = [
            {"name": one.name, "scope": one.right.word, "sha256": one.sha256, "made": one.made}
            for one in tokens
        ]
        self.file.parent.mkdir(parents=True, exist_ok=True)
        data = json.dumps(rows, indent=1, ensure_ascii=False).encode()
        try:
            # For its owner alone.
            write_aside(self.file, data, mode=0o600)
        except OSError as error:
            raise UsageError(f"{self.file} cannot be written: {error.strerror}") from error

    def _parsed(self) -> tuple[Token, ...]:
        try:
            rows = json.loads(self.file.read_text(encoding="utf-8"))
            return tuple(
                Token(
                    str(one["name"]), right_of(one["scope"]), str(one["sha256"]), str(one["made"])
                )
                for one in rows
            )
        except (OSError, ValueError, KeyError, TypeError, UsageError) as error:
            raise ConfigError(
                f"{self.file} cannot be read as tokens ({error}). "
                "Remove it and make them anew: trivium token add NAME"
            ) from error


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
