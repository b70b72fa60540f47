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
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch  # type: ignore[import-not-found]
from torch.nn import functional  # type: ignore[import-not-found]

from training import corpus, pack, prepare, teacher, vectors
from training.data import Data, Guide, batch_of
from training.losses import Student, pair_loss, window_loss
from training.runs import Run, chosen_runs
from trivium.models.static_table import plain_table, write_table

SIZES = (64, 128, 256)
_SAID_EVERY = 250


def train(data: Data, run: Run, device: str, limit: float) -> Student:
    """Return the student after one run; `limit` seconds end it early."""
    torch.manual_seed(run.seed)
    student: Student = Student(data.rows, data.weights).to(device)
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
        if step % _SAID_EVERY == 0:
            kind = prepare.GROUPS[group]
            say(f"  {run.name} step {step} group {kind} loss {loss.item():.3f}", began)
    return student


@torch.no_grad()  # type: ignore[untyped-decorator]  # torch is not there when it is checked
def check(data: Data, student: Student) -> dict[str, float]:
    """Return the reciprocal rank of the answer among held-out pairs of each group."""
    found = {}
    for name, held in data.held.items():
        chosen = torch.arange(held.count, device=data.mean.device)
        asks = functional.normalize(student(held.asks, chosen, 0.0), dim=-1)
        answers = functional.normalize(student(held.answers, chosen, 0.0), dim=-1)
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
    made: Student = Student(rows, torch.log(lengths).cpu().numpy()).to(total.device)
    return made


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
    """Print a line with the seconds since `began`, and those of the processor."""
    spent = time.process_time()
    print(f"{time.monotonic() - began:7.1f} s ({spent:7.1f} of a core)  {what}", flush=True)


def sharpened(named: str) -> tuple[Path, float]:
    """Return the folder and the sharpness of a teacher given as FOLDER or FOLDER=NUMBER."""
    folder, _, sharpness = named.partition("=")
    return Path(folder), float(sharpness or 1)


def guide_of(texts: list[str], asked: argparse.Namespace, began: float) -> Guide:
    """Return the teachers' vectors: kept ones if they have a folder, else made on the device."""
    parts, sharpness = [], []
    for folder, sharp in map(sharpened, asked.teacher):
        if asked.keep is None:
            made = teacher.encode(
                texts, folder=folder, device=asked.device, max_length=asked.tokens
            )
        else:
            made = vectors.encode(
                texts,
                folder=folder,
                keep=asked.keep,
                max_length=asked.tokens,
                processes=asked.processes,
                say=lambda what: say(what, began),
            ).vectors
        parts.append(torch.from_numpy(made).to(asked.device))
        sharpness.append(sharp)
    return Guide(parts, sharpness)


def main() -> None:
    """Prepare once, then train each run that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    corpus.add_arguments(parser)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--teacher", action="append", required=True, help="FOLDER[=SHARPNESS]")
    parser.add_argument("--keep", type=Path, help="where training.read keeps vectors; needs no GPU")
    parser.add_argument("--hard", action="store_true", help="find hard negatives by BM25")
    parser.add_argument("--packed", action="store_true", help="write files for training.pack")
    parser.add_argument("--repeats", type=int, default=1, help="all runs again, with other seeds")
    parser.add_argument("--until", type=float, default=1e9, help="start no seed after so long")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--runs", default="wtp")
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=90, help="the most one run may take")
    parser.add_argument(
        "--set", action="append", default=[], help="RUN.FIELD=VALUE, e.g. w.rate=.02"
    )
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    torch.backends.cuda.matmul.allow_tf32 = True
    texts = corpus.read(asked)
    say(f"{len(texts.pairs)} pairs, {len(texts.words)} words", began)
    data = Data(
        texts,
        lambda each: guide_of(each, asked, began),
        device=asked.device,
        processes=asked.processes,
        is_hard=asked.hard,
        say=lambda what: say(what, began),
    )
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
