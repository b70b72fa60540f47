"""A folder and its settings -> its opened index, and what is kept beside it.

Everything else that a Collection does starts from here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self

from trivium import config, profiles
from trivium.asked import Place
from trivium.backends.base import Backend, Snapshot
from trivium.backends.registry import name_on_cluster, open_backend
from trivium.errors import ConfigError, unknown
from trivium.folder import Folder, fingerprint
from trivium.home import folder_of, store_of
from trivium.meaning import Meaning
from trivium.models.kept import QueryVectors
from trivium.models.static import static
from trivium.opened import OpenedFiles
from trivium.ranking.profile import Profile
from trivium.ranking.profile import profile as shipped_profile
from trivium.writing.feed import Feed


class Held:
    """One folder's index and what belongs to it."""

    def __init__(
        self,
        root: Path,
        *,
        settings: config.Settings,
        below: str = "",
        file: str = "",
        backend: Backend | None = None,
    ) -> None:
        self.root = root
        self.name = root.name or "root"
        self.settings = settings
        self._folder = folder_of(root, settings.home)
        self._queries = QueryVectors(
            self._folder / "queries.db", most=settings.number("embedding.queries_kept")
        )
        self._backend = backend or self._store(settings)
        self._backend.introduce(self._meta)
        self._kept = Folder(root, settings=settings, backend=self._backend)
        feed = self._kept.feed
        self._place = Place(root, below and feed.placed(below), file and feed.placed(file))
        self._lexicon = static()
        self._opened = OpenedFiles(self._folder / "opened.db")
        self._meaning = Meaning(settings, self._backend, queries=self._queries, opened=self._opened)

    @property
    def _meta(self) -> dict[str, str]:
        """What an index is to remember of the collection."""
        made = fingerprint(self.settings)
        return {"root": str(self.root), "name": self.name, "fingerprint": made}

    def _store(self, settings: config.Settings) -> Backend:
        """Return the store that settings name for the index."""
        return open_backend(
            settings,
            folder=self._folder,
            store=store_of(self.root, settings.home),
            meta=self._meta,
            views=(self._tokenized(shipped_profile("best")).view,),
        )

    @property
    def identity(self) -> str:
        """What tells it from every other collection, also from one of the same name."""
        return self._folder.name

    @property
    def kept_in(self) -> str:
        """Where the index is: a folder of this machine, or a name on a cluster."""
        if self.settings.text("backend.kind") == "embedded":
            return str(self._folder)
        urls = " ".join(self.settings.texts("backend.urls"))
        return f"{name_on_cluster(self.settings, self._folder)} on {urls}"

    @property
    def remembered_model(self) -> str | None:
        """The model that the index was told to use."""
        return self._backend.meta().get("model")

    @property
    def state(self) -> str:
        """What changes whenever the index does, by whichever process; not with each sync."""
        meta = self._backend.meta()
        with self._backend.snapshot() as snapshot:
            spaces = [f"{one.model_id}:{one.coverage:.6f}" for one in snapshot.spaces()]
        kept = (meta.get(one, "") for one in ("incarnation", "revision", "seq"))
        return " ".join((*kept, *sorted(spaces)))

    @property
    def below(self) -> str:
        """The folder below the root that searches are limited to; empty for all of it."""
        return self._place.below

    @property
    def feed(self) -> Feed:
        """What of the collection this folder feeds; nearly always all of it."""
        return self._kept.feed

    @property
    def is_indexed(self) -> bool:
        """Whether a sync has ended here, and nobody has removed what it brought."""
        return self._kept.is_indexed()

    def profile(self, given: str | None = None) -> Profile:
        """Return the profile that is asked for or set; a folder may only name one, not a file."""
        setting = self.settings.values["search.profile"]
        name = given or str(setting.value)
        is_folders = given is None and setting.origin == str(self.root / "trivium.toml")
        if is_folders and name not in profiles.names(self.settings.home):
            known = profiles.names(self.settings.home)
            raise ConfigError(unknown("profile", name, known))
        found = self._tokenized(profiles.load(name, home=self.settings.home))
        # Here, where it can be said: a dictionary that is not installed stops no worker.
        profiles.check_dictionaries(found)
        return found

    def _tokenized(self, found: Profile) -> Profile:
        return profiles.tokenized(found, self.settings.text("text.tokenizer"))

    def _is_there(self, snapshot: Snapshot) -> Callable[[str], bool] | None:
        """Return what tells whether a file still stands in the folder; None where none is."""
        is_here = snapshot.contents().origin == "folder" and not self._kept.behind.is_empty
        return self._kept.is_there if is_here and self.root.is_dir() else None

    def close(self) -> None:
        """Let go of open files."""
        self._backend.close()

    def __enter__(self) -> Self:
        """Use as a context manager that closes at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()
