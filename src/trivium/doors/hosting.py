"""Folders -> the collections of one process, by name, each kept fresh from its first use on.

Nothing is opened, and nothing of the engine imported, before a collection is asked for; models
are shared by all. Safe to use from many threads. Used by the HTTP and the MCP door.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from trivium.doors import wanted
from trivium.doors.wanted import Wanted
from trivium.errors import BackendUnavailable, NotFound, UsageError, unknown

if TYPE_CHECKING:
    from trivium.config import Settings
    from trivium.doors.upkeep import Upkeep

Value = TypeVar("Value")

_ALL = ("*", "all")


class Hosting:
    """The collections that one process answers for.

    `settings` hold for all of them; None is what each folder says.
    """

    def __init__(
        self,
        folders: Sequence[str | Path | Wanted],
        *,
        default: str | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._given = tuple(folders)
        self._settings = settings
        self._wanted = default
        self._guard = threading.RLock()
        # Never changed but replaced, so that reading them waits for nobody who opens one.
        self._folders: Mapping[str, Path] | None = None
        self._opened: Mapping[str, Upkeep] = {}
        self._is_started = False
        self._is_stopped = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the collections, in the order they were given.

        Raises UsageError if one is no folder, or two are one collection.
        """
        return tuple(self._named())

    @property
    def default(self) -> str:
        """The name of the collection that answers where none is named."""
        names = self.names
        if self._wanted is None:
            return names[0]
        if self._wanted not in names:
            raise UsageError(unknown("collection", self._wanted, names))
        return self._wanted

    @property
    def is_stopped(self) -> bool:
        """Whether it is going down."""
        return self._is_stopped

    def folder(self, name: str) -> Path:
        """Return the folder of a collection, without opening it. Raises NotFound."""
        return self._named()[self._known(name)]

    def is_open(self, name: str) -> bool:
        """Whether a collection has been asked for since the start."""
        return name in self._opened

    def opened(self) -> tuple[Upkeep, ...]:
        """Return what has been asked for so far; opens nothing, and waits for nothing."""
        return tuple(self._opened.values())

    def upkeep(self, name: str | None = None) -> Upkeep:
        """Return a collection, or the default one; opened and started at its first use.

        Raises NotFound that names those there are.
        """
        found = self._opened.get(self._known(name))
        if found is not None:
            return found
        with self._guard:
            known = self._known(name)
            found = self._opened.get(known)
            return self._open(known) if found is None else found

    def chosen(self, given: Sequence[str]) -> tuple[str, ...]:
        """Return the collections that are named, each once; none is the default.

        A text may be a name, several with commas, or * for all. Raises NotFound.
        """
        known = self._named()
        parts = [
            part.strip()
            for text in given
            for part in ([text] if text in known else text.split(","))
        ]
        meant = [name for one in parts for name in (known if self._is_all(one) else [one])]
        return tuple(dict.fromkeys(map(self._known, meant))) or (self.default,)

    def _is_all(self, name: str) -> bool:
        return name in _ALL and name not in self._named()

    def start(self) -> None:
        """Keep what is open, and the default, fresh in the background; others from first use."""
        with self._guard:
            self._is_started = True
            self.upkeep()
            for one in self._opened.values():
                one.start()

    def stop(self) -> None:
        """Ask everything that runs to end; return at once."""
        self._is_stopped = True
        for one in self.opened():
            one.stop()

    def close(self) -> None:
        """Stop, wait for what runs and let go of all collections."""
        self.stop()
        for one in self.opened():
            one.close()

    def add(self, folder: Path, *, name: str | None = None) -> Upkeep:
        """Answer for one more folder; one that is there already is returned.

        Raises UsageError if it is no folder, or another has its name.
        """
        one = wanted.named(folder, name)
        with self._guard:
            named = self._named()
            place, name = one.folder, self._name(one)
            if named.get(name, place) != place:
                raise _two(name, named[name], place, hint="Give this one another: name.")
            self._folders = {**named, name: place}
            return self.upkeep(name)

    def remove(self, name: str) -> None:
        """Answer for a collection no more; its index stays. Raises NotFound, UsageError."""
        with self._guard:
            known = self._known(name)
            if len(self._named()) == 1:
                raise UsageError(f"{known!r} is the only collection here; end the server instead.")
            if self._wanted == known:
                self._wanted = None
            gone = self._opened.get(known)
            self._folders = _without(self._named(), known)
            self._opened = _without(self._opened, known)
        if gone is not None:
            gone.close()

    def _known(self, name: str | None) -> str:
        """Return the name of a collection that is here. Raises NotFound."""
        if name is None:
            return self.default
        names = self._named()
        if name not in names:
            listed = ", ".join(map(repr, names))
            raise NotFound(f"No collection {name[:100]!r} here. This server has {listed}.")
        return name

    def _open(self, name: str) -> Upkeep:
        from trivium.collection import open_collection
        from trivium.doors.upkeep import Upkeep

        if self._is_stopped:
            raise BackendUnavailable("The server is going down.")
        collection = open_collection(self._named()[name], settings=self._settings)
        # As it is called here, which its answers repeat.
        collection.name = name
        made = Upkeep(collection)
        self._opened = {**self._opened, name: made}
        if self._is_started:
            made.start()
        return made

    def _named(self) -> Mapping[str, Path]:
        if self._folders is None:
            with self._guard:
                self._folders = self._by_name() if self._folders is None else self._folders
        return self._folders

    def _by_name(self) -> dict[str, Path]:
        if not self._given:
            raise UsageError("Give at least one folder.")
        named: dict[str, Path] = {}
        for one in map(wanted.wanted, self._given):
            place, name = one.folder, self._name(one)
            if named.setdefault(name, place) != place:
                hint = f"Give one of them another, as in: {place.parent.name or 'other'}={place}"
                raise _two(name, named[name], place, hint=hint)
        return named

    def _name(self, one: Wanted) -> str:
        """Return what a collection is called: as was said, or after the folder of its index."""
        from trivium.config import load
        from trivium.home import find_root

        place = one.folder
        settings = load() if self._settings is None else self._settings
        root = find_root(place, settings.home)
        if root != place and not place.is_dir():
            raise UsageError(f"{place} is not a folder. Give the folder that is to be searched.")
        return one.name or (place if root is None else root).name or "root"


def _without(those: Mapping[str, Value], name: str) -> dict[str, Value]:
    return {key: value for key, value in those.items() if key != name}


def _two(name: str, first: Path, second: Path, *, hint: str) -> UsageError:
    return UsageError(
        f"{first} and {second} are both called {name!r}, and requests name one of them. {hint}"
    )
