"""A batch of texts -> how far the student is from what it should say of them.

Symmetric InfoNCE tells pairs apart; the divergence compares the student's similarities with the
teachers'; the angle is that to their projected vectors. The student is the table in training.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from numpy.typing import NDArray
from torch.nn import functional  # type: ignore[import-not-found]

from training.data import Bags, Data, hard_of
from training.runs import Run

# torch is not there when the tree is checked.
Tensor = Any


class Student(torch.nn.Module):  # type: ignore[misc]  # as above
    """The table and its log weights."""

    def __init__(self, rows: NDArray[np.float32], weights: NDArray[np.float32]) -> None:
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
