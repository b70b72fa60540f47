"""Settings and an index -> the models that give it meaning, which of its texts they embed, when.

The instant model embeds with each sync; the set one fills in behind, what was opened most
first. Held by the collection. Safe to use from many threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from trivium import filling, indexer
from trivium.backends.base import Backend, Snapshot, Space
from trivium.config import Settings
from trivium.errors import MissingExtra, ModelError, UsageError
from trivium.models.base import PROBE, Embedder, Served
from trivium.models.bill import SAMPLE, Bill, Renewal, estimate
from trivium.models.chosen import Chosen, choose
from trivium.models.kept import QueryVectors
from trivium.models.once import Once
from trivium.models.registry import load_from
from trivium.opened import OpenedFiles

# Files whose texts are embedded before others.
_MOST_FIRST = 200


@dataclass(frozen=True, slots=True)
class Filling:
    """How many texts a model has yet to embed, and how long that takes at its last pace.

    `embedded` is the share of chunks that have a vector, of which a process that was killed may
    have published fewer: where no text is left, the next sync does that.
    """

    model: str
    model_id: str
    embedded: float
    texts: int
    seconds: float | None = None


class Meaning:
    """The models of one collection."""

    def __init__(
        self,
        settings: Settings,
        backend: Backend,
        *,
        queries: QueryVectors,
        opened: OpenedFiles,
    ) -> None:
        self._settings = settings
        self._queries = queries
        self._opened = opened
        self._backend = backend
        self._used = ""
        self._chosen = Once(self._choose)

    @property
    def model(self) -> str:
        """The name of the model that is set; else that the collection remembers; else static."""
        setting = self._settings.values["embedding.model"]
        is_set = setting.origin != "default"
        kept = "" if is_set else self._backend.meta().get("model", "")
        return self._used or kept or str(setting.value)

    @property
    def preferred(self) -> str:
        """The name of the model that someone asked for; empty if nobody did.

        It goes before stronger ones that have left vectors here.
        """
        is_asked = (
            self._used
            or self._settings.values["embedding.model"].origin != "default"
            or self._backend.meta().get("model")
        )
        own = self.chosen.own
        return own.name if is_asked and own is not None else ""

    @property
    def chosen(self) -> Chosen:
        """The embedders, none of which has read its files yet."""
        return self._chosen()

    def use(self, model: str) -> None:
        """Have a model give meaning from now on, and the collection remember it.

        One of files is named by where these are, wherever the next search is made from.
        """
        model = _placed(model)
        found = load_from(self._settings, model)
        if found is not None and not isinstance(found, Served):
            # Reads what is needed to know its name: a file that is not there is said now.
            _ = found.model_id
        self._used = model
        self._chosen = Once(self._choose)
        with self._backend.writer(wait_s=5.0) as writer:
            writer.note({"model": model})

    def embed(
        self,
        progress: indexer.Progress,
        *,
        say: Callable[[str], None],
        yes: bool,
        retries: bool = False,
    ) -> int:
        """Give every chunk a vector of the set model; return how many texts were embedded.

        With `retries`, a service is given the texts again for which it had none. Raises
        UsageError before it is sent more than settings allow, unless `yes`.
        """
        own = self._own()
        if own is None:
            return 0
        due = None if yes else self.bill(retries=retries)
        if due is not None and due.is_large:
            raise UsageError(due.refusal())
        return indexer.embed(
            self._backend,
            own,
            progress=progress,
            say=say,
            first=lambda: self._opened.most(_MOST_FIRST),
            # Other models would give zeros again: for text that is empty, or has no known word.
            retries=retries and isinstance(own, Served),
        )

    def renewal(self) -> Renewal | None:
        """Say whether the set model gives vectors of another length now; forgets nothing.

        Asks a service for the vector of one word, unless none of its vectors is kept.
        """
        own = self._own()
        if own is None or own.is_instant:
            return None
        kept = self._kept_length(own)
        if kept is None or own.dimension == kept:
            return None
        due = None
        if isinstance(own, Served):
            # As many texts as a model of which nothing is kept would have to embed.
            due = self._bill_of(own, space="")
        return Renewal(own.name, kept, own.dimension, due)

    def renew(self, *, yes: bool) -> None:
        """Forget the vectors of the set model if it gives others now, of another length.

        Raises UsageError, and forgets nothing, if a service would have to be sent more than
        settings allow, unless `yes`.
        """
        own = self._own()
        due = None if yes else self.bill(renews=True)
        if due is not None and due.is_large:
            raise UsageError(due.refusal())
        found = self.renewal()
        if own is None or found is None:
            return
        if found.is_large and not yes:
            raise UsageError(found.refusal())
        with self._backend.as_it_is().writer(wait_s=5.0) as writer:
            writer.forget_vectors(own.model_id)
        self._queries.forget()

    def bill(self, *, renews: bool = False, retries: bool = False) -> Bill | None:
        """Return what embedding now would send to a service; None if nothing. Sends nothing.

        One that `renews` sends a word more, if it has to know how long vectors are; one that
        `retries`, the texts that have zeros.
        """
        own = self._own()
        if not isinstance(own, Served):
            return None
        is_asked = renews and self._kept_length(own) is not None
        return self._bill_of(own, space=own.model_id, asks=is_asked, retries=retries)

    def _bill_of(
        self, own: Embedder, *, space: str, asks: bool = False, retries: bool = False
    ) -> Bill | None:
        """Return what is sent for the texts without a vector in a space, those of zeros too."""
        with self._backend.as_it_is().writer(wait_s=5.0) as writer:
            count = writer.count_pending(space)
            some = [*writer.pending(space, limit=SAMPLE)] if count else []
            again = writer.count_blank(space) if retries else 0
            if again and len(some) < SAMPLE:
                some += writer.blank(space, limit=SAMPLE - len(some))
        texts = [*(one.text for one in some), *((PROBE,) if asks else ())]
        count += again + asks
        return estimate(own, count=count, sample=texts, settings=self._settings)

    def _kept_length(self, own: Embedder) -> int | None:
        with self._backend.as_it_is().writer(wait_s=5.0) as writer:
            return writer.vector_length(own.model_id)

    def filling(self, snapshot: Snapshot) -> Filling | None:
        """Say how far the set model is; None if all can be searched, or there is none."""
        own = self.chosen.own
        if own is None:
            return None
        try:
            model_id = own.model_id
        except (ModelError, MissingExtra):
            return None
        left = snapshot.unembedded(model_id)
        published = {space.model_id: space.coverage for space in snapshot.spaces()}
        share = snapshot.embedded(model_id)
        if not left and published.get(model_id, 0.0) >= share:
            return None
        pace = float(self._backend.meta().get(filling.pace_key(model_id), 0))
        return Filling(own.name, model_id, share, left, left / pace if pace > 0 else None)

    def blank(self, snapshot: Snapshot) -> Mapping[str, int]:
        """Return how many chunks of which files a service gave no vector for.

        Of other models, zeros are what such a text has.
        """
        own = self.chosen.own
        return snapshot.blank(own.model_id) if isinstance(own, Served) else {}

    def coverage(self, spaces: Iterable[Space]) -> float:
        """Return the share of texts that the set model has embedded: 0 if it cannot be had."""
        own = self.chosen.own
        if own is None:
            return 0.0
        found = {space.model_id: space.coverage for space in spaces}
        try:
            return found.get(own.model_id, 0.0)
        except (ModelError, MissingExtra):
            return 0.0

    @property
    def problem(self) -> str:
        """Why the set model cannot be had; empty if it can, or if none is set."""
        chosen = self.chosen
        if chosen.problem is not None or chosen.own is None:
            return str(chosen.problem or "")
        try:
            # Some read their files to know this.
            _ = chosen.own.model_id
        except (ModelError, MissingExtra) as error:
            return str(error)
        return ""

    def _own(self) -> Embedder | None:
        chosen = self.chosen
        if chosen.problem is not None:
            raise chosen.problem
        return chosen.own

    def _choose(self) -> Chosen:
        return choose(self._settings, self.model, queries=self._queries)


def _placed(model: str) -> str:
    kind, colon, place = model.partition(":")
    if kind not in ("static", "onnx") or not place:
        return model
    return f"{kind}{colon}{Path(place).expanduser().resolve()}"
