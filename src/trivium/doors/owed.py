"""Folders in which something changed -> those that no sync has taken in yet.

Held by the upkeep of a collection.
"""

from __future__ import annotations

import threading

from trivium.doors.following import NOWHERE, Folders, both


class Owed:
    """Where something changed that no sync has taken in. Safe to use from many threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._folders: Folders = None

    @property
    def folders(self) -> Folders:
        """The folders to look at; None is all."""
        return self._folders

    def note(self, folders: Folders) -> None:
        """Add to what is owed."""
        with self._guard:
            self._folders = both(self._folders, folders)

    def take(self) -> Folders:
        """Return what is owed, which whoever took it must see to."""
        with self._guard:
            taken, self._folders = self._folders, NOWHERE
            return taken
