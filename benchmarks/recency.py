"""What age is worth among notes and tasks: generated ones that supersede each other, and queries.

Each subject has notes of different days that say the same of it with another outcome, in other
words and at other lengths, and a page. Asked in general, the newest is right; asked for what only
one of them says, that one, and mostly it is an older one; asked for what only the page says, the
page. Gains are chosen on one such set and shown on another. No one judged these: they tell what a
gain does, not how people ask. Run: python -m benchmarks.recency [--subjects N]
"""

from __future__ import annotations

import random
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.measure import Row, arguments, report
from trivium import indexer
from trivium.backends.base import Backend, FileContent, Snapshot
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.engine import search
from trivium.models.static import static
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.cut import Group
from trivium.ranking.profile import profile
from trivium.ranking.recency import by_recency
from trivium.sources.base import Entry, Raw
from trivium.testing.filling import write
from trivium.types import ChunkId, Kind, NodeId, Part, Scored
from trivium.writing.digest import Cutting, digest

NOW = 1_760_000_000
_DAY_S = 86_400
_BILLION = 1_000_000_000
GAINS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
HALF_LIVES = (30.0, 90.0, 365.0)
# What stands lower is not lifted to the top by any of these.
_ENTRIES = 30
GROUPS = ("newest", "detail", "page")
_OWNERS = ("billing", "search", "checkout", "catalogue", "payroll", "shipping", "login", "reports")
_PARTS = ("service", "worker", "gateway", "importer", "dashboard", "mailer", "scheduler", "archive")
# What is asked, the ways to say it, and what it may be.
_ASPECTS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "which database does the {subject} use",
        (
            "The {subject} keeps its rows in {value}.",
            "Database of the {subject}: {value}.",
            "We decided that the {subject} uses {value} as its database.",
        ),
        ("postgres", "sqlite", "mysql", "cassandra", "dynamo"),
    ),
    (
        "where does the {subject} run",
        (
            "The {subject} runs on {value}.",
            "We moved the {subject}; it runs on {value} from this week on.",
            "Machines: the {subject} now has its place on {value}.",
        ),
        ("two rented servers", "the old cluster", "kubernetes", "a single box", "spot instances"),
    ),
    (
        "who is on call for the {subject}",
        (
            "On call for the {subject}: {value}.",
            "{value} answers pages of the {subject} until further notice.",
            "Rota: the {subject} is with {value}.",
        ),
        ("the data team", "Ann and Bela", "platform", "whoever deploys", "the night shift"),
    ),
    (
        "how often is the {subject} backed up",
        (
            "Backups of the {subject} are taken {value}.",
            "The {subject} is backed up {value}.",
            "Backup of the {subject}: {value}, kept for a month.",
        ),
        ("every night", "hourly", "each Sunday", "before a release", "twice a day"),
    ),
)
_DETAILS = (
    "This follows the outage of {thing} in which {other} was lost.",
    "The reason was a limit in {thing} that {other} ran into.",
    "Until then {thing} had stood in the way of {other}.",
    "It was tried first with {thing} and then with {other}.",
)
_THINGS = (
    *("the certificate rotation", "a disk array", "the coupon import", "leap seconds"),
    *("the invoice numbering", "a broken switch", "the Frankfurt move", "long sessions"),
    *("the audit log", "unicode postcodes", "the ledger export", "a memory leak"),
    *("the holiday traffic", "expired tokens", "the tax tables", "slow thumbnails"),
)
_FILLING = (
    "Everyone was told in the meeting.",
    "Nothing changes for customers.",
    "Questions go to the channel of the team.",
    "The runbook is to be read again by the end of the month.",
    "We look at it again when the numbers are in.",
    "Costs stay about the same.",
)


@dataclass(frozen=True, slots=True)
class Written:
    """A file: its text, its kind, and how many days ago it was written."""

    path: str
    text: str
    kind: Kind
    age_days: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, the file that answers it, and why that one: newest, detail or page."""

    text: str
    right: str
    group: str


@dataclass(frozen=True, slots=True)
class Set:
    """Files and the queries about them."""

    files: tuple[Written, ...]
    queries: tuple[Asked, ...]


def made(subjects: int, *, seed: int) -> Set:
    """Return a set; the same numbers give the same one."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    names = [f"{owner} {part}" for owner in _OWNERS for part in _PARTS]
    files: list[Written] = []
    queries: list[Asked] = []
    for number in range(subjects):
        subject = names[number % len(names)]
        question, sayings, values = _ASPECTS[(number // len(names)) % len(_ASPECTS)]
        slug = f"{subject.replace(' ', '-')}-{number}"
        asked = question.format(subject=subject)
        kind = Kind.TASK if chance.random() < 0.3 else Kind.NOTE
        age = 2 ** chance.uniform(0, 9.5)
        for version, value in enumerate(chance.sample(values, chance.randint(2, 4))):
            thing, other = chance.sample(_THINGS, 2)
            detail = chance.choice(_DETAILS).format(thing=thing, other=other)
            said = chance.choice(sayings).format(subject=subject, value=value)
            more = chance.sample(_FILLING, chance.randint(0, 4))
            title = chance.choice([subject.capitalize(), f"The {subject}", said.rstrip(".")])
            path = f"notes/{slug}-{version}.md"
            text = f"# {title}\n\n{' '.join([said, detail, *more])}\n"
            files.append(Written(path, text, kind, age))
            if version == 0:
                queries.append(Asked(asked, path, "newest"))
            queries.append(Asked(f"{asked} {thing} {other}", path, "detail"))
            age += 2 ** chance.uniform(1, 8.5)
        page, thing = f"handbook/{slug}.md", chance.choice(_THINGS)
        text = f"# Handbook: {subject}\n\nHow the {subject} handles {thing}, step by step.\n"
        files.append(Written(page, text, Kind.DOC, 2 ** chance.uniform(0, 10)))
        queries.append(Asked(f"how the {subject} handles {thing}", page, "page"))
    return Set(tuple(files), tuple(queries))


@contextmanager
def filled(made_: Set) -> Iterator[Backend]:
    """Give a backend that holds the files, as notes, tasks and pages, with their vectors."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with closing(EmbeddedBackend(place / "index", store=place / "store")) as backend:
            write(backend, [_content(one) for one in made_.files])
            indexer.embed(backend, static())
            yield backend


def _content(written: Written) -> FileContent:
    """Return a file as it is taken in, its nodes of the kind that is wanted."""
    changed_ns = int((NOW - written.age_days * _DAY_S) * _BILLION)
    raw = Raw(Entry(written.path, len(written.text), changed_ns), written.text, written.path)
    content = digest(raw, Cutting())
    ids = {
        node.id: NodeId(node.id.replace(f"{Kind.DOC}:", f"{written.kind}:", 1))
        for node in content.nodes
    }
    kinds = {Kind.DOC: written.kind}
    return replace(
        content,
        nodes=tuple(
            replace(one, id=ids[one.id], kind=kinds.get(one.kind, one.kind))
            for one in content.nodes
        ),
        edges=tuple(
            replace(one, source=ids.get(one.source, one.source), target=ids[one.target])
            for one in content.edges
            if one.target in ids
        ),
        references=(),
        chunks=tuple(
            replace(
                one,
                node_id=ids[one.node_id],
                id=ChunkId(f"{ids[one.node_id]}@{one.id.rpartition('@')[2]}"),
            )
            for one in content.chunks
        ),
    )


@dataclass(frozen=True, slots=True)
class Found:
    """All entries of a query in order, without regard to age: their files and their ages."""

    asked: Asked
    groups: tuple[Group, ...]
    paths: Mapping[ChunkId, str]
    ages: Mapping[ChunkId, float]


def ask(snapshot: Snapshot, asked: Asked, ages: Mapping[str, float], *, has_model: bool) -> Found:
    """Ask one query, and keep what ordering by age needs."""
    best = profile("best")
    plain = replace(best, boosts=replace(best.boosts, recency=0.0))
    given = Circumstances("notes", embedders=(static(),) if has_model else (), now=NOW)
    hits = search(
        snapshot, asked.text, options=SearchOptions(plain, limit=_ENTRIES), given=given
    ).results
    return Found(
        asked,
        tuple(Group(Scored(hit.chunk_id, (Part("score", hit.score),))) for hit in hits),
        {hit.chunk_id: hit.source.file_path for hit in hits},
        {
            hit.chunk_id: ages[hit.source.file_path]
            for hit in hits
            if hit.node.kind in (Kind.NOTE, Kind.TASK)
        },
    )


def first(found: Sequence[Found], group: str, *, gain: float, half_life: float) -> float:
    """Return how often the right file comes first."""
    return statistics.fmean(
        _is_first(one, gain=gain, half_life=half_life) for one in found if one.asked.group == group
    )


def _is_first(found: Found, *, gain: float, half_life: float) -> bool:
    ordered = by_recency(found.groups, found.ages, gain=gain, half_life_days=half_life)
    return bool(ordered) and found.paths[ordered[0].best.chunk_id] == found.asked.right


Setting = tuple[float, float]
SETTINGS: tuple[Setting, ...] = (
    (0.0, HALF_LIVES[0]),
    *((gain, half_life) for gain in GAINS[1:] for half_life in HALF_LIVES),
)
Shares = Mapping[Setting, Mapping[str, float]]


def shares(found: Sequence[Found]) -> Shares:
    """Return how often the right file comes first, by setting and by why it is right."""
    return {
        (gain, half_life): {
            group: first(found, group, gain=gain, half_life=half_life) for group in GROUPS
        }
        for gain, half_life in SETTINGS
    }


def chosen(ways: Sequence[Shares]) -> Setting:
    """Return what lifts most of the newest, of all that lose nothing else in any way of asking.

    Of equal ones the smallest gain.
    """

    def harms(setting: Setting) -> bool:
        return any(
            one[setting][group] < one[SETTINGS[0]][group] for one in ways for group in GROUPS[1:]
        )

    harmless = [one for one in SETTINGS if not harms(one)]
    return max(harmless, key=lambda one: (sum(way[one]["newest"] for way in ways), -one[0]))


def table(made_: Shares) -> list[Row]:
    """Return a row for each setting."""
    return [
        {
            "gain": f"{gain:g}",
            "half-life": f"{half_life:g} days" if gain else "",
            **{group: f"{share:.3f}" for group, share in row.items()},
        }
        for (gain, half_life), row in made_.items()
    ]


def main() -> None:
    """Measure and report."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--subjects", type=int, default=128)
    given = parser.parse_args()
    for name, seed in (("chosen on", 1), ("shown on", 2)):
        own = made(given.subjects, seed=seed)
        ages = {one.path: one.age_days for one in own.files}
        ways: list[Shares] = []
        with filled(own) as backend, backend.snapshot() as snapshot:
            for way, has_model in (("words and meaning", True), ("words", False)):
                found = [ask(snapshot, one, ages, has_model=has_model) for one in own.queries]
                ways.append(shares(found))
                title = f"{name}, {len(own.files)} files, {len(found)} queries, {way}"
                report(title, table(ways[-1]), to=given.json)
        gain, half_life = chosen(ways)
        print(f"\n{name}: the best that loses nothing is {gain:g}, {half_life:g} days", flush=True)


if __name__ == "__main__":
    main()
