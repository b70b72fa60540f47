"""Judged queries and a profile -> a profile file whose numbers fit the collection.

Asks the queries again and again through the engine, so that what is tuned is what a search
does; only the vectors of queries are kept. Called by the command line.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trivium import profiles
from trivium.backends.base import Backend
from trivium.errors import UsageError
from trivium.evaluation.bench import Bench, Contender, Prepared
from trivium.evaluation.knobs import Circumstance, Knob, Setting, knobs, tables, turned
from trivium.evaluation.measure import first_bearers
from trivium.evaluation.metrics import ndcg
from trivium.evaluation.sets import Place, Sort
from trivium.evaluation.tuning import LEAST_GROUPS, Tuned
from trivium.evaluation.tuning import tune as choose
from trivium.models.base import Embedder
from trivium.query.intent import is_name, names_in
from trivium.ranking.profile import Profile, shipped
from trivium.ranking.profile_file import read
from trivium.results.present import one_line
from trivium.types import Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MADE_BY = "# Made by trivium tune"
_ENDING = ".toml"
_PAGE = 10


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be tuned, and what the file is to be called and to extend."""

    place: Place
    base: str
    out: Path
    folds: int = 5


@dataclass(frozen=True, slots=True)
class Tuning:
    """What came of tuning: the numbers, what they were, and the file's text."""

    name: str
    base: str
    queries: int
    groups: int
    tried: int
    tuned: Tuned
    knobs: tuple[Knob, ...]

    @property
    def changes(self) -> dict[str, tuple[float, float]]:
        """Every number that changed: what it was and what it is."""
        was = {knob.key: knob.base for knob in self.knobs}
        return {key: (was[key], value) for key, value in self.tuned.setting}


def check_out(out: Path, base: str, *, home: Path) -> None:
    """Raise UsageError, before long work, if no profile can be written as `out`."""
    if out.suffix != _ENDING:
        raise UsageError(f"{out}: the file of a profile ends in {_ENDING}.")
    if out.stem in shipped():
        raise UsageError(f"{out}: {out.stem!r} is the name of a shipped profile; take another.")
    if out.expanduser().exists() and not _is_ours(out.expanduser()):
        raise UsageError(f"{out} is there already and was not made by trivium tune.")
    empty = _text([], out.stem, base=base, description="", changed={})
    read(empty, origin=str(out), text_of=lambda name: profiles.text_of(name, home=home))


def tune(bench: Bench, request: Request) -> Tuning:
    """Tune the only contender of `bench` on one set."""
    (contender,) = bench.contenders
    if contender.embedder is not None:
        contender = replace(contender, embedder=_Remembering(contender.embedder))
    with bench.prepared(request.place) as prepared:
        every = knobs(contender.profile, _circumstance(prepared, contender))
        if not every:
            raise UsageError(
                f"Profile {contender.profile.name} has no number that could be tuned here: it "
                "ranks by one signal, and its fields are one in the index."
            )
        asking = _Asking(bench, prepared, contender, every)
        groups = _groups(bench, prepared)
        tuned = choose(
            every,
            asking.scores,
            ids=[question.id for question in prepared.questions],
            groups=groups,
            folds=request.folds,
            say=bench.say,
        )
        return Tuning(
            prepared.name,
            request.base,
            len(prepared.questions),
            len(set(groups)),
            len(asking.known),
            tuned,
            every,
        )


def file_text(tuning: Tuning, base: Profile, out: Path, *, is_forced: bool) -> str:
    """Return the file of the tuned profile: what was measured, then only what differs."""
    tuned = tuning.tuned
    lines = [
        f"on {one_line(tuning.name)}: {tuning.queries} judged queries, {len(tuned.folds)} folds.",
        f"Held out, nDCG@10 {tuned.before:.4f} -> {tuned.held_out:.4f}: {tuned.gain:+.4f}, "
        f"95 % interval {tuned.low:+.4f} to {tuned.high:+.4f}.",
    ]
    if is_forced and not tuned.holds:
        lines.append("Written with --force: the interval holds 0, so the gain may be chance.")
    changed = tables(tuning.knobs, tuned.setting)
    if "view.fields" in changed:
        # Fields are one list in a file: those that stay are written too.
        changed["view.fields"] = {**dict(base.view.fields), **changed["view.fields"]}
    description = f"{base.name}, tuned on {tuning.queries} judged queries."
    return _text(lines, out.stem, base=tuning.base, description=description, changed=changed)


def _text(
    lines: Sequence[str],
    name: str,
    *,
    base: str,
    description: str,
    changed: dict[str, dict[str, float]],
) -> str:
    first = f"{MADE_BY} {' '.join(lines[:1])}".rstrip()
    comment = [first, *(f"# {line}" for line in lines[1:])]
    head = [f"extends = {_quoted(base)}", f"name = {_quoted(name)}"]
    made = [*comment, *head, f"description = {_quoted(description)}"]
    for table in sorted(changed):
        made += ["", f"[{table}]"]
        made += [f"{key} = {number:g}" for key, number in changed[table].items()]
    return "\n".join(made) + "\n"


def _quoted(text: str) -> str:
    """Write a TOML string; JSON escapes all that TOML wants escaped but DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _is_ours(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(MADE_BY)) == MADE_BY.encode()
    except OSError:
        return False


def _circumstance(prepared: Prepared, contender: Contender) -> Circumstance:
    texts = [question.text for question in prepared.questions]
    embedder = contender.embedder
    return Circumstance(
        has_vectors=embedder is not None and contender.search_mode == "hybrid",
        is_instant=embedder is not None and embedder.is_instant,
        has_names=any(names_in(text) for text in texts),
        has_words_as_names=any(is_name(text) for text in texts),
        has_code=any(_has_code(backend) for backend in prepared.backends.values()),
    )


def _has_code(backend: Backend) -> bool:
    with backend.snapshot() as snapshot:
        return snapshot.census().kinds.get(Kind.CODE, 0) > 0


def _groups(bench: Bench, prepared: Prepared) -> list[str]:
    """Return what each query belongs to: its repository, or the group its judge gave it."""
    if prepared.sort is Sort.OWN:
        return [question.group for question in prepared.questions]
    groups = [question.fold for question in prepared.questions]
    if 1 < len(set(groups)) < LEAST_GROUPS:
        bench.say(f"{len(set(groups))} repositories are too few to hold out; queries are instead")
        return [""] * len(groups)
    return groups


@dataclass(slots=True)
class _Asking:
    """Scores every query by a setting, each setting once."""

    bench: Bench
    prepared: Prepared
    contender: Contender
    knobs: tuple[Knob, ...]
    known: dict[Setting, list[float]] = field(default_factory=dict)

    def scores(self, setting: Setting) -> list[float]:
        if setting not in self.known:
            profile = turned(self.contender.profile, self.knobs, setting)
            self.known[setting] = self._asked(replace(self.contender, profile=profile))
        return self.known[setting]

    def _asked(self, contender: Contender) -> list[float]:
        values = []
        total = len(self.prepared.questions)
        stage = f"setting {len(self.known) + 1}"
        for done, question in enumerate(self.prepared.questions, 1):
            answer = self.prepared.ask(question, contender, limit=_PAGE)
            shown = self.prepared.shown(question, answer)
            names = [one.names for one in shown if not one.is_repeat]
            ranked = first_bearers(names, question.gains)
            values.append(ndcg(ranked, gains=question.gains, k=_PAGE))
            self.bench.progress(stage, done, total)
        return values


@dataclass(slots=True)
class _Remembering:
    """An embedder that embeds each query once, however often it is asked."""

    own: Embedder
    known: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.own.name

    @property
    def model_id(self) -> str:
        return self.own.model_id

    @property
    def dimension(self) -> int:
        return self.own.dimension

    @property
    def is_instant(self) -> bool:
        return self.own.is_instant

    @property
    def strength(self) -> int:
        return self.own.strength

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.own.embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        if text not in self.known:
            self.known[text] = self.own.embed_query(text)
        return self.known[text]
