"""What use, confidence and kind are worth in a ranking: python -m benchmarks.priors DATA.

Skills: those of skills-metatool (DATA is the folder that holds the set), written as skills of
memory. Half of its judged requests are the past: each request counts as a use of the skill that it
is judged to need, and a skill is as sure as the share of those requests that it came first for
rightly. The other half is asked, by `best` and by `graph-recall`. Beside that the same numbers
are dealt out by chance, which no weight may make much worse: uses that say nothing.

Kinds: generated notes, tasks, pages and code about the same subjects (benchmarks.recency), and
queries of which each is answered by one of them. No one judged these.
"""

from __future__ import annotations

import random
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import recency
from benchmarks.measure import Row, arguments, report
from benchmarks.recency import Asked, Set, Written
from trivium import indexer
from trivium.analysis.slugs import slugify
from trivium.backends.base import Backend, Snapshot
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.engine import search
from trivium.evaluation.datasets import load
from trivium.evaluation.metrics import ndcg
from trivium.memory import front
from trivium.memory.items import Values
from trivium.models.static import static
from trivium.options import Circumstances, SearchOptions
from trivium.parsing.shelves import path_in_memory
from trivium.ranking.profile import Boosts, Profile, profile
from trivium.sources.base import Entry, Raw
from trivium.testing.filling import write
from trivium.types import Kind
from trivium.writing.digest import Cutting, digest

USAGE = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
CONFIDENCE = (0.0, 0.05, 0.1, 0.2, 0.4)
KINDS = (-0.1, -0.05, 0.0, 0.05, 0.1, 0.2)
PROFILES = ("best", "graph-recall")
_SHOWN = 10

Judged = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Past:
    """What is known of each skill from before: how often it was used, and how sure it is."""

    uses: Mapping[str, int]
    sure: Mapping[str, float]

    def dealt_out(self, skills: Sequence[str], *, seed: int) -> Past:
        """Return the same numbers, of other skills."""
        others = random.Random(seed).sample(skills, len(skills))  # noqa: S311 - repeatable
        new = dict(zip(skills, others, strict=True))
        return Past(
            {new[one]: count for one, count in self.uses.items()},
            {new[one]: share for one, share in self.sure.items()},
        )


NOTHING = Past({}, {})


@contextmanager
def skilled(skills: Mapping[str, tuple[str, str]], past: Past) -> Iterator[Snapshot]:
    """Give an index of skills, each with its title, its text and what is known of it."""
    contents = []
    for slug, (title, text) in skills.items():
        values: Values = {
            "title": title,
            "description": text,
            "usage_count": past.uses.get(slug, 0),
            "confidence": past.sure.get(slug, 1.0),
        }
        path = path_in_memory(Kind.SKILL, slug)
        whole = front.fresh(Kind.SKILL, values)
        contents.append(digest(Raw(Entry(path, len(whole), 0), whole, path), Cutting()))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with closing(EmbeddedBackend(place / "index", store=place / "store")) as backend:
            write(backend, contents)
            indexer.embed(backend, static())
            with backend.snapshot() as snapshot:
                yield snapshot


def ranked(snapshot: Snapshot, text: str, chosen: Profile) -> list[str]:
    """Return the paths that answer a query, in order, each once."""
    given = Circumstances("skills", embedders=(static(),), now=recency.NOW)
    options = SearchOptions(chosen, limit=_SHOWN)
    hits = search(snapshot, text, options=options, given=given).results
    return list(dict.fromkeys(hit.source.file_path for hit in hits))


def weighed(name: str, **weights: object) -> Profile:
    """Return a profile with other weights of use, confidence or kinds, and none of age."""
    found = profile(name)
    plain = replace(found.boosts, usage=0.0, confidence=0.0, recency=0.0)
    boosts: Boosts = replace(plain, **weights)  # type: ignore[arg-type]
    return replace(found, boosts=boosts)


def learned(skills: Mapping[str, tuple[str, str]], texts: Mapping[str, str], past: Judged) -> Past:
    """Return what the requests of the past have taught."""
    uses: Counter[str] = Counter()
    firsts: Counter[str] = Counter()
    rights: Counter[str] = Counter()
    plain = weighed("best")
    with skilled(skills, NOTHING) as snapshot:
        for query, gains in past.items():
            uses.update(gains)
            found = ranked(snapshot, texts[query], plain)
            first = _slug(found[0]) if found else ""
            firsts[first] += 1
            rights[first] += first in gains
    # Two more of which one was right: a skill that came first once is not sure of anything.
    sure = {one: (rights[one] + 1) / (count + 2) for one, count in firsts.items() if one}
    return Past(uses, sure)


def _slug(path: str) -> str:
    return Path(path).stem


def score(snapshot: Snapshot, asked: Judged, texts: Mapping[str, str], chosen: Profile) -> float:
    """Return the mean nDCG@10."""
    return statistics.fmean(
        ndcg([_slug(one) for one in ranked(snapshot, texts[query], chosen)], gains=gains, k=_SHOWN)
        for query, gains in asked.items()
    )


def on_skills(folder: Path, *, queries: int, to: Path | None) -> None:
    """Measure weights of use and confidence."""
    data = load(folder, split="dev")
    slugs = {one.id: slugify(one.id) for one in data.documents}
    skills = {slugs[one.id]: (one.title or one.id, one.text) for one in data.documents}
    texts = {one.id: one.text for one in data.queries}
    judged = {
        one.id: {slugs[found]: gain for found, gain in one.relevant.items() if gain > 0}
        for one in data.queries
    }
    ids = sorted(judged)
    past = {one: judged[one] for one in ids[::2][:queries]}
    asked = {one: judged[one] for one in ids[1::2][:queries]}
    known = learned(skills, texts, past)
    for name, told in (("as learned", known), ("by chance", known.dealt_out([*skills], seed=1))):
        with skilled(skills, told) as snapshot:
            rows: list[Row] = []
            for which in PROFILES:
                settings = [
                    *({"usage": one} for one in USAGE),
                    *({"confidence": one} for one in CONFIDENCE[1:]),
                ]
                row: dict[str, str | int | float] = {"profile": which}
                for one in settings:
                    ((key, value),) = one.items()
                    found = score(snapshot, asked, texts, weighed(which, **one))
                    row[f"{key} {value:g}"] = f"{found:.3f}"
                rows.append(row)
            report(f"skills, {name}: nDCG@10 of {len(asked)} requests", rows, to=to)


def beside_code(own: Set) -> Set:
    """Return a set with a file of code for each page, and a query that the code answers."""
    files, queries = [*own.files], [*own.queries]
    for one in own.queries:
        if one.group != "page":
            continue
        subject, _, thing = one.text.removeprefix("how the ").partition(" handles ")
        path = f"src/{Path(one.right).stem.replace('-', '_')}.py"
        name = slugify(thing).replace("-", "_")
        said = f'    """Try {thing} of the {subject} again."""\n    return {name}\n'
        files.append(Written(path, f"def retry_{name}({name}):\n{said}", Kind.DOC, 100.0))
        queries.append(Asked(f"where {thing} of the {subject} is tried again", path, "code"))
    return Set(tuple(files), tuple(queries))


def on_kinds(subjects: int, *, to: Path | None) -> None:
    """Measure gains of notes and tasks against pages and code."""
    groups = (*recency.GROUPS, "code")
    for name, seed in (("chosen on", 1), ("shown on", 2)):
        own = beside_code(recency.made(subjects, seed=seed))
        with recency.filled(own) as backend:
            rows = [{"gain": f"{gain:g}", **_firsts(backend, own, groups, gain)} for gain in KINDS]
        title = (
            f"kinds, {name}: {len(own.files)} files, {len(own.queries)} queries, right one first"
        )
        report(title, rows, to=to)


def _firsts(backend: Backend, own: Set, groups: Sequence[str], gain: float) -> dict[str, str]:
    chosen = weighed("best", kinds={Kind.NOTE.value: gain, Kind.TASK.value: gain})
    right: dict[str, list[bool]] = {group: [] for group in groups}
    with backend.snapshot() as snapshot:
        for one in own.queries:
            right[one.group].append(ranked(snapshot, one.text, chosen)[:1] == [one.right])
    return {group: f"{statistics.fmean(shares):.3f}" for group, shares in right.items()}


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "")
    parser.add_argument("data", type=Path)
    parser.add_argument("--queries", type=int, default=1000, help="of each half")
    parser.add_argument("--subjects", type=int, default=64)
    parser.add_argument("--only", choices=("skills", "kinds"))
    given = parser.parse_args()
    if given.only != "kinds":
        on_skills(given.data / "skills-metatool", queries=given.queries, to=given.json)
    if given.only != "skills":
        on_kinds(given.subjects, to=given.json)


if __name__ == "__main__":
    main()
