"""Cleaned pairs -> static tables: prepares, trains several runs, writes each as a model file.

Loss of a batch: symmetric InfoNCE over pairs (at 256, 128 and 64 numbers), the divergence of the
student's similarities from the teachers', and the angle to their projected vectors. A third of
a batch are neighbours in the teachers' space, a third runs of one package; beside them stand
answers that BM25 finds for the questions: all are negatives that are hard to tell apart. One
that the teachers prefer to the answer is not counted.

    python -m training.train --pairs pairs.jsonl.xz --extra extra.txt --out OUT --device cuda
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from training import pack, prepare, teacher
from trivium.models.static_table import plain_table, write_table
from trivium.models.static_words import COUNT_POWER

Tensor = torch.Tensor
SIZES = (64, 128, 256)
# The second teacher's similarities lie half as far apart as the first's.
SHARPEN = 2.0
# Of so many answers that BM25 finds for a question, those the teachers like less by a margin.
_FOUND, _MARGIN = 20, 0.03
_ASKED = 1024


@dataclass(frozen=True, slots=True)
class Run:
    """What makes one run differ from another."""

    name: str
    steps: int = 1500
    batch: int = 4096
    rate: float = 1e-2
    temperature: float = 0.05
    contrast: float = 1.0
    soften: float = 1.0
    align: float = 0.5
    window: float = 1.0
    shares: tuple[float, ...] = (0.32, 0.2, 0.24, 0.16, 0.08)
    drop: float = 0.15
    seed: int = 1
    seeds: int = 3
    # So many steps come first that only follow the teacher.
    warm: int = 0
    # The temperature at which the student's similarities are to be the teachers', and how much
    # the angle to the teachers' vectors counts in the first steps.
    likeness: float = 0.05
    warm_align: float = 1.0
    # How much the second teacher's similarities count, the first's being the rest.
    second: float = 0.5
    # Whether each question meets an answer that BM25 finds for it.
    hard: bool = True


# Each is trained with several seeds, and the average of those is what is written.
_LIGHT = {"soften": 0.2, "align": 0.1, "window": 0.2}
RUNS = (
    Run("l", steps=1400, warm=1400, seed=101),
    Run("n", steps=1150, warm=800, seed=111, **_LIGHT),
    Run("m", steps=1400, warm=1400, seed=121, second=1.0, hard=False),
    Run(
        "q",
        steps=1250,
        warm=800,
        seed=131,
        soften=0.5,
        align=0.3,
        window=0.5,
        rate=6e-3,
        drop=0.25,
        shares=(0.24, 0.18, 0.3, 0.2, 0.08),
    ),
    Run(
        "p",
        steps=1150,
        warm=800,
        seed=141,
        second=1.0,
        shares=(0.45, 0.3, 0.12, 0.1, 0.03),
        **_LIGHT,
    ),
    Run("s", steps=1400, warm=1400, seed=201, likeness=0.035),
    Run("t", steps=1400, warm=1400, seed=211, likeness=0.08),
    Run("v", steps=1400, warm=1400, seed=221, warm_align=0.0),
    Run("w", steps=700, warm=700, seed=231, batch=8192),
    Run(
        "x",
        steps=1150,
        warm=800,
        seed=241,
        contrast=0.5,
        soften=1.0,
        align=0.3,
        shares=(0.45, 0.3, 0.12, 0.1, 0.03),
    ),
    Run("o", steps=1150, warm=800, seed=111, hard=False, **_LIGHT),
    # Without a GPU: few windows, no vectors of pairs.
    Run("a", steps=700),
    Run("e", steps=1150, warm=800, seed=41, **_LIGHT),
    Run("g", steps=1400, warm=1400, seed=61),
)


class Bags:
    """Texts on the device; gives the flat numbers of a batch of them."""

    def __init__(self, texts: prepare.Texts, device: str) -> None:
        self.starts = torch.from_numpy(texts.starts).to(device)
        self.numbers = torch.from_numpy(texts.numbers).to(device)
        self.factors = torch.from_numpy(texts.factors).to(device)

    def take(self, chosen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return numbers, factors and the offsets at which each chosen text starts."""
        first = self.starts[chosen]
        lengths = self.starts[chosen + 1] - first
        offsets = torch.cumsum(lengths, 0) - lengths
        spread = torch.repeat_interleave(first - offsets, lengths)
        at = spread + torch.arange(len(spread), device=spread.device)
        return self.numbers[at].long(), self.factors[at], offsets


class Student(torch.nn.Module):
    """The table and its log weights."""

    def __init__(self, rows: np.ndarray[Any, Any], weights: np.ndarray[Any, Any]) -> None:
        super().__init__()
        self.rows = torch.nn.Parameter(torch.from_numpy(rows.copy()))
        self.weights = torch.nn.Parameter(torch.from_numpy(weights.copy()))

    def forward(self, bags: Bags, chosen: Tensor, drop: float) -> Tensor:
        numbers, factors, offsets = bags.take(chosen)
        scaled = factors * torch.exp(self.weights[numbers])
        if drop > 0:
            scaled = scaled * (torch.rand_like(scaled) >= drop)
        return functional.embedding_bag(
            numbers, self.rows, offsets, mode="sum", per_sample_weights=scaled
        )


class Guide:
    """The teachers' vectors of texts; similarities are products of what it gives."""

    def __init__(self, parts: list[Tensor]) -> None:
        self.parts = parts

    def take(self, chosen: Tensor | slice, second: float = 0.5) -> Tensor:
        """Return the teachers' vectors side by side, each as long as it counts."""
        if len(self.parts) == 1:
            return self.parts[0][chosen].float()
        counts = (1.0 - second, second * SHARPEN)
        return torch.cat(
            [
                part[chosen].float() * count**0.5
                for part, count in zip(self.parts, counts, strict=True)
                if count > 0
            ],
            dim=1,
        )


class Data:
    """Pairs, their groups and neighbours, and the teachers' vectors, all on the device."""

    def __init__(self, pairs: list[list[str]], asked: argparse.Namespace) -> None:
        began = time.monotonic()
        device, processes, folder = asked.device, asked.processes, asked.teacher[0]
        tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        extra = asked.extra.read_text(encoding="utf-8").split() if asked.extra else []
        self.words, counts = prepare.vocabulary(
            pairs,
            teacher_words=tokenizer["model"]["vocab"],
            extra=extra,
            size=asked.vocabulary,
            processes=processes,
        )
        say(f"vocabulary {len(self.words)}", began)

        asks = [row[0] for row in pairs]
        named = [f"{row[3]} {row[0]}" if row[3] else row[0] for row in pairs]
        answers = [row[1] for row in pairs]
        drawn = prepare.windows(pairs, asked.windows, seed=1, long_share=asked.long)
        drawn += prepare.phrases(self.words, counts, asked.phrases, seed=2)
        # Before the first use of the GPU, as processes are forked from this one.
        bags = [
            prepare.numbered(texts, self.words, processes)
            for texts in (asks, named, answers, drawn)
        ]
        self.asks, self.named, self.answers, self.drawn = (Bags(one, device) for one in bags)
        say("texts numbered", began)

        def encoded(texts: list[str], *, is_left_out: bool = False) -> Guide:
            size = teacher.DIMENSION
            if is_left_out:
                none = torch.zeros((1, size), dtype=torch.float16, device=device)
                return Guide([none.expand(len(texts), size) for _ in asked.teacher])
            made = [
                teacher.encode(texts, folder=one, device=device, max_length=asked.tokens)
                for one in asked.teacher
            ]
            return Guide([torch.from_numpy(one).to(device) for one in made])

        self.drawn_guide = encoded(drawn)
        say("teachers' vectors of windows and phrases", began)
        self.rows, self.weights, mean, projection = prepare.initial(
            self.words,
            counts,
            encoded(self.words).take(slice(None)).cpu().numpy(),
            self.drawn_guide.take(slice(0, asked.windows)).cpu().numpy(),
        )
        self.mean = torch.from_numpy(mean).to(device)
        self.projection = torch.from_numpy(projection).to(device)
        say("first table", began)
        # Without a GPU the teacher is slow: then only windows are distilled, not the pairs.
        self.ask_guide = encoded(asks, is_left_out=asked.plain)
        self.answer_guide = encoded(answers, is_left_out=asked.plain)
        say("teachers' vectors of pairs", began)
        self._arrange(pairs, device)
        say("groups and neighbours", began)
        self.hard = torch.full((len(pairs), _FOUND), -1, dtype=torch.int32, device=device)
        for group in self.groups if asked.hard else ():
            self._find_hard(group)
        self.hard_counts = (self.hard >= 0).sum(1)
        say(f"hard negatives {self.hard_counts.float().mean().item():.1f} a question", began)

    def _find_hard(self, chosen: Tensor) -> None:
        """Note the answers of the group that BM25 finds for each question, clearly wrong ones."""
        if len(chosen) <= 2 * _FOUND:
            return
        numbers, factors, offsets = self.answers.take(chosen)
        ends = torch.tensor([len(numbers)], device=offsets.device)
        starts = torch.cat([offsets, ends])
        lengths = torch.diff(starts)
        counts = factors ** (1.0 / COUNT_POWER)
        total = torch.zeros(len(chosen), device=chosen.device)
        rows = torch.repeat_interleave(torch.arange(len(chosen), device=chosen.device), lengths)
        total = total.index_add_(0, rows, counts)
        held = torch.bincount(numbers, minlength=len(self.words)).float()
        rarity = torch.log(1 + (len(chosen) - held + 0.5) / (held + 0.5))
        norm = 1.2 * (0.25 + 0.75 * total / total.mean())
        values = rarity[numbers] * counts * 2.2 / (counts + norm[rows])
        matrix = torch.sparse_csr_tensor(
            starts, numbers, values, size=(len(chosen), len(self.words)), device=chosen.device
        )
        for at in range(0, len(chosen), _ASKED):
            part = chosen[at : at + _ASKED]
            words, _, places = self.asks.take(part)
            place = torch.arange(len(words), device=part.device)
            columns = torch.searchsorted(places, place, right=True) - 1
            asked = torch.zeros((len(self.words), len(part)), device=part.device)
            asked[words, columns] = 1.0
            scores = torch.sparse.mm(matrix, asked).T.contiguous()
            best = scores.topk(_FOUND + 1, dim=1)
            found = chosen[best.indices]
            ask = self.ask_guide.take(part)[:, :, None]
            liked = torch.stack(
                [
                    (self.answer_guide.take(column)[:, None, :] @ ask).flatten()
                    for column in found.T
                ],
                dim=1,
            )
            own = (self.answer_guide.take(part)[:, None, :] @ ask).flatten()
            is_good = (best.values > 0) & (liked < own[:, None] - _MARGIN)
            is_good &= self.answer_keys[found] != self.answer_keys[part][:, None]
            order = torch.argsort(is_good.int(), dim=1, descending=True, stable=True)[:, :_FOUND]
            kept = torch.where(is_good, found, -1).gather(1, order)
            self.hard[part] = kept.int()

    def _arrange(self, pairs: list[list[str]], device: str) -> None:
        """Sort pairs into groups; inside each, by package and by nearness of their questions."""
        group = np.array([prepare.group_of(row) for row in pairs])
        packages = {name: number for number, name in enumerate(sorted({row[4] for row in pairs}))}
        package = np.array([packages[row[4]] for row in pairs])
        held = np.array([prepare.is_held(number) for number in package])
        self.held = {
            name: torch.from_numpy(np.flatnonzero((group == name) & held)[:4000]).to(device)
            for name in prepare.GROUPS
        }
        self.groups: list[Tensor] = []
        self.by_package: list[Tensor] = []
        self.by_nearness: list[Tensor] = []
        for name in prepare.GROUPS:
            chosen = np.flatnonzero((group == name) & ~held)
            self.groups.append(torch.from_numpy(chosen).to(device))
            order = chosen[np.argsort(package[chosen], kind="stable")]
            self.by_package.append(torch.from_numpy(order).to(device))
            self.by_nearness.append(self._near(self.groups[-1]))
        # Equal texts are no negatives of each other.
        keys = [hash(row[1][:200].lower()) for row in pairs]
        self.answer_keys = torch.tensor(keys, device=device)
        self.ask_keys = torch.tensor([hash(row[0].lower()) for row in pairs], device=device)

    def _near(self, chosen: Tensor) -> Tensor:
        """Return the pairs ordered by the cluster of their question."""
        if len(chosen) < 64:
            return chosen
        vectors = self.ask_guide.take(chosen)
        count = max(2, len(chosen) // 48)
        generator = torch.Generator(device=vectors.device).manual_seed(3)
        start = torch.randperm(len(chosen), device=vectors.device, generator=generator)[:count]
        centres = vectors[start]
        nearest = torch.zeros(len(chosen), dtype=torch.long, device=vectors.device)
        for _ in range(4):
            for at in range(0, len(chosen), 16_384):
                nearest[at : at + 16_384] = (vectors[at : at + 16_384] @ centres.T).argmax(1)
            sums = torch.zeros_like(centres).index_add_(0, nearest, vectors)
            centres = functional.normalize(sums + 1e-6, dim=-1)
        return chosen[torch.argsort(nearest, stable=True)]


def runs_of(order: Tensor, count: int, length: int) -> Tensor:
    """Return `count` places of an order, in runs of `length` that start anywhere."""
    starts = torch.randint(0, max(1, len(order) - length), (count // length,), device=order.device)
    return order[
        (starts[:, None] + torch.arange(length, device=order.device)).flatten() % len(order)
    ]


def batch_of(data: Data, group: int, size: int) -> Tensor:
    """Return a third drawn at random, a third of packages, a third of neighbours."""
    chosen = data.groups[group]
    third = min(size, len(chosen)) // 3
    parts = [
        chosen[torch.randint(0, len(chosen), (third,), device=chosen.device)],
        runs_of(data.by_package[group], third, 8),
        runs_of(data.by_nearness[group], third, 8),
    ]
    return torch.unique(torch.cat(parts))


def hard_of(data: Data, chosen: Tensor) -> Tensor:
    """Return, for each question that has any, one of the answers that BM25 finds for it."""
    counts = data.hard_counts[chosen]
    drawn = (torch.rand(len(chosen), device=chosen.device) * counts).long()
    found = data.hard[chosen, drawn.clamp_max(_FOUND - 1)]
    return torch.unique(found[counts > 0].long())


def contrast(asks: Tensor, answers: Tensor, barred: Tensor, temperature: float) -> Tensor:
    """Return symmetric InfoNCE, negatives that are barred left out."""
    scores = functional.normalize(asks, dim=-1) @ functional.normalize(answers, dim=-1).T
    scores = (scores / temperature).masked_fill(barred, -1e4)
    wanted = torch.arange(len(scores), device=scores.device)
    # Answers beyond those of the questions are negatives only.
    own = scores[:, : len(scores)].T
    return (functional.cross_entropy(scores, wanted) + functional.cross_entropy(own, wanted)) / 2


def divergence(
    student: Tensor, other: Tensor, guide: Tensor, guide_other: Tensor, temperature: float
) -> Tensor:
    """Return how far the student's order of `other` is from the teacher's.

    A text beside itself is left out: it would take nearly all of the teacher's attention.
    """
    scores = functional.normalize(student, dim=-1) @ functional.normalize(other, dim=-1).T
    scores = scores / temperature
    with torch.no_grad():
        wanted = guide @ guide_other.T / temperature
        if guide is guide_other:
            wanted.fill_diagonal_(-1e4)
        target = functional.softmax(wanted, dim=-1)
    if guide is guide_other:
        own = torch.eye(len(scores), dtype=torch.bool, device=scores.device)
        scores = scores.masked_fill(own, -1e4)
    return -(target * functional.log_softmax(scores, dim=-1)).sum(-1).mean()


def pair_loss(student: Student, data: Data, run: Run, chosen: Tensor, questions: Bags) -> Tensor:
    """Return the loss of telling pairs apart and of following the teachers' view of them."""
    columns = torch.cat([chosen, hard_of(data, chosen)]) if run.hard else chosen
    asks = student(questions, chosen, run.drop)
    answers = student(data.answers, columns, run.drop)
    guide_ask = data.ask_guide.take(chosen, run.second)
    guide_answer = data.answer_guide.take(columns, run.second)
    loss = torch.zeros((), device=chosen.device)
    if run.contrast > 0:
        with torch.no_grad():
            liked = guide_ask @ guide_answer.T
            barred = liked > liked.diagonal()[:, None] + 0.1
            for keys in (data.answer_keys, data.ask_keys):
                barred |= keys[chosen][:, None] == keys[columns][None, :]
            barred.fill_diagonal_(fill_value=False)
        for size, share in ((256, 1.0), (128, 0.3), (64, 0.15)):
            loss = loss + run.contrast * share * contrast(
                asks[:, :size], answers[:, :size], barred, run.temperature
            )
    if run.soften > 0:
        own, guide_own = answers[: len(chosen)], guide_answer[: len(chosen)]
        loss = loss + run.soften * 0.5 * (
            divergence(asks, answers, guide_ask, guide_answer, run.likeness)
            + divergence(own, asks, guide_own, guide_ask, run.likeness)
        )
    return loss


def window_loss(student: Student, data: Data, run: Run) -> Tensor:
    """Return how far the student is from the teachers over windows and phrases."""
    device = data.mean.device
    chosen = torch.randint(0, len(data.drawn.starts) - 1, (run.batch,), device=device)
    vectors = student(data.drawn, chosen, run.drop)
    guide = data.drawn_guide.take(chosen, run.second)
    loss = run.window * 0.5 * divergence(vectors, vectors, guide, guide, run.likeness)
    projected = (data.drawn_guide.take(chosen) - data.mean) @ data.projection
    away = 1 - functional.cosine_similarity(vectors, projected)
    return loss + run.align * away.mean()


def train(data: Data, run: Run, device: str, limit: float) -> Student:
    """Return the student after one run; `limit` seconds end it early."""
    torch.manual_seed(run.seed)
    student = Student(data.rows, data.weights).to(device)
    optimiser = torch.optim.Adam(student.parameters(), lr=run.rate, betas=(0.9, 0.99))
    began = time.monotonic()
    shares = torch.tensor(
        [
            share if len(group) >= 96 else 0.0
            for share, group in zip(run.shares, data.groups, strict=True)
        ]
    )
    first = replace(
        run, contrast=0.0, soften=float(run.soften > 0), align=run.warm_align, window=2.0
    )
    for step in range(run.steps):
        if time.monotonic() - began >= limit:
            break
        now, length, place = (
            (first, run.warm, step)
            if step < run.warm
            else (run, run.steps - run.warm, step - run.warm)
        )
        for part in optimiser.param_groups:
            part["lr"] = run.rate * min(1.0, (place + 1) / 50) * (1.0 - place / length)
        group = int(torch.multinomial(shares, 1))
        chosen = batch_of(data, group, run.batch)
        loss = pair_loss(student, data, now, chosen, data.named if step % 3 == 0 else data.asks)
        if now.window > 0:
            loss = loss + window_loss(student, data, now)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        if step % 250 == 0:
            kind = prepare.GROUPS[group]
            say(f"  {run.name} step {step} group {kind} loss {loss.item():.3f}", began)
    return student


@torch.no_grad()
def check(data: Data, student: Student) -> dict[str, float]:
    """Return the reciprocal rank of the answer among held-out pairs of each group."""
    found = {}
    for name, chosen in data.held.items():
        if len(chosen) < 20:
            continue
        asks = functional.normalize(student(data.asks, chosen, 0.0), dim=-1)
        answers = functional.normalize(student(data.answers, chosen, 0.0), dim=-1)
        scores = asks @ answers.T
        ranks = (scores > scores.diagonal()[:, None]).sum(1) + 1
        found[name] = round(float((1.0 / ranks).mean()), 4)
    return found


def average(students: list[Student]) -> Student:
    """Return the student whose weighted rows are the average of the others'."""
    total = torch.stack(
        [one.rows.detach() * torch.exp(one.weights.detach())[:, None] for one in students]
    ).mean(0)
    lengths = total.norm(dim=1).clamp_min(1e-6)
    rows = (total / lengths[:, None]).cpu().numpy()
    return Student(rows, torch.log(lengths).cpu().numpy()).to(total.device)


def save(path: Path, data: Data, student: Student, *, is_packed: bool = False) -> None:
    """Write one model file, or one that is smaller to carry."""
    weights = torch.exp(student.weights.detach()).cpu().numpy().astype(np.float32)
    rows = student.rows.detach().cpu().numpy().astype(np.float32)
    if is_packed:
        words = np.frombuffer("\n".join(data.words).encode(), dtype=np.uint8)
        made = {"rows": rows, "weights": weights, "words": words}
        pack.write(path.with_suffix(".xz"), made, steps={"rows": 0.11})
        return
    path.write_bytes(write_table(plain_table(data.words, weights, rows, sizes=SIZES)))


def say(what: str, began: float) -> None:
    """Print a line with the seconds since `began`."""
    print(f"{time.monotonic() - began:7.1f} s  {what}", flush=True)


def changed(run: Run, asked: argparse.Namespace) -> Run:
    """Return a run as the command line changes it."""
    changes: dict[str, Any] = {}
    for one in asked.set:
        place, _, value = one.partition("=")
        name, _, field = place.partition(".")
        if name in (run.name, "all"):
            changes[field] = type(getattr(run, field))(json.loads(value))
    if asked.steps:
        changes["steps"] = asked.steps
    if asked.batch:
        changes["batch"] = asked.batch
    if asked.plain:
        changes |= {"soften": 0.0, "hard": False}
    return replace(run, **changes)


def chosen_runs(asked: argparse.Namespace) -> Iterator[Run]:
    """Yield the runs that were asked for; a repeat has its number after its name."""
    for repeat in range(asked.repeats):
        for name in asked.runs.replace("0", ""):
            run = changed(next(run for run in RUNS if run.name == name), asked)
            label = f"{name}{repeat + 1}" if repeat else name
            yield replace(run, name=label, seed=run.seed + 500 * repeat)


def main() -> None:
    """Prepare once, then train each run that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--extra", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, action="append", help="one or two folders")
    parser.add_argument("--tokens", type=int, default=128, help="the most a teacher reads")
    parser.add_argument("--long", type=float, default=0.0, help="share of windows of chunk length")
    parser.add_argument("--hard", action="store_true", help="find hard negatives by BM25")
    parser.add_argument("--packed", action="store_true", help="write files for training.pack")
    parser.add_argument("--repeats", type=int, default=1, help="all runs again, with other seeds")
    parser.add_argument("--until", type=float, default=1e9, help="start no seed after so long")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--processes", type=int, default=14)
    parser.add_argument("--vocabulary", type=int, default=56_000)
    parser.add_argument("--windows", type=int, default=600_000)
    parser.add_argument("--phrases", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0, help="use only so many pairs")
    parser.add_argument("--plain", action="store_true", help="no teacher vectors of pairs")
    parser.add_argument("--runs", default="abcd")
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=90, help="the most one run may take")
    parser.add_argument(
        "--set", action="append", default=[], help="RUN.FIELD=VALUE, e.g. a.rate=.02"
    )
    asked = parser.parse_args()
    asked.teacher = asked.teacher or [Path("packages/minilm/trivium_minilm")]
    asked.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    torch.backends.cuda.matmul.allow_tf32 = True
    pairs = prepare.read_pairs(asked.pairs)
    if asked.limit:
        pairs = pairs[:: max(1, len(pairs) // asked.limit)]
    say(f"{len(pairs)} pairs", began)
    data = Data(pairs, asked)
    start = Student(data.rows, data.weights).to(asked.device)
    say(f"before training {check(data, start)}", began)
    if "0" in asked.runs:
        save(asked.out / "0.bin", data, start)
    writers: list[threading.Thread] = []
    for one_run in chosen_runs(asked):
        students = []
        for seed in range(one_run.seed, one_run.seed + one_run.seeds):
            if time.monotonic() - began > asked.until:
                break
            seconds = asked.seconds / one_run.seeds
            students.append(train(data, replace(one_run, seed=seed), asked.device, seconds))
            say(f"{one_run.name} seed {seed} {check(data, students[-1])}", began)
        if not students:
            break
        student = average(students)
        say(f"{one_run.name} {check(data, student)} {asdict(one_run)}", began)
        # Packing takes seconds in which the GPU need not wait.
        writer = threading.Thread(
            target=save,
            args=(asked.out / f"{one_run.name}.bin", data, student),
            kwargs={"is_packed": asked.packed},
        )
        writer.start()
        writers.append(writer)
    for writer in writers:
        writer.join()
    say("written", began)


if __name__ == "__main__":
    main()
