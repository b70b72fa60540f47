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


def cosines(one: Tensor, other: Tensor) -> Tensor:
    """Return the cosine of each row with each row of the other."""
    return functional.normalize(one, dim=-1) @ functional.normalize(other, dim=-1).T


def contrast(scores: Tensor, barred: Tensor, temperature: float) -> Tensor:
    """Return symmetric InfoNCE of cosines, question by answer, barred negatives left out."""
    scores = (scores / temperature).masked_fill(barred, -1e4)
    wanted = torch.arange(len(scores), device=scores.device)
    # Answers beyond those of the questions are negatives only.
    own = scores[:, : len(scores)].T
    return (functional.cross_entropy(scores, wanted) + functional.cross_entropy(own, wanted)) / 2


def divergence(
    scores: Tensor, liked: Tensor, temperature: float, *, is_own: bool = False
) -> Tensor:
    """Return how far the student's cosines are from what the teachers like, row by row.

    Where texts are compared with themselves (`is_own`), a text beside itself is left out: it would
    take nearly all of the teachers' attention.
    """
    scores, liked = scores / temperature, liked / temperature
    if is_own:
        beside = torch.eye(len(scores), dtype=torch.bool, device=scores.device)
        scores, liked = scores.masked_fill(beside, -1e4), liked.masked_fill(beside, -1e4)
    return functional.cross_entropy(scores, functional.softmax(liked, dim=-1))


def pair_loss(student: Student, data: Data, run: Run, chosen: Tensor, questions: Bags) -> Tensor:
    """Return the loss of telling pairs apart and of following the teachers' view of them."""
    columns = torch.cat([chosen, hard_of(data, chosen)]) if run.hard else chosen
    asks = student(questions, chosen, run.drop)
    answers = student(data.answers, columns, run.drop)
    guide = data.ask_guide.take(chosen, run.second)
    liked = guide @ data.answer_guide.take(columns, run.second).T
    scores = cosines(asks, answers)
    loss = torch.zeros((), device=chosen.device)
    if run.contrast > 0:
        barred = liked > liked.diagonal()[:, None] + 0.1
        for keys in (data.answer_keys, data.ask_keys):
            barred |= keys[chosen][:, None] == keys[columns][None, :]
        barred.fill_diagonal_(fill_value=False)
        loss = loss + run.contrast * contrast(scores, barred, run.temperature)
        for size, share in ((128, 0.3), (64, 0.15)):
            less = cosines(asks[:, :size], answers[:, :size])
            loss = loss + run.contrast * share * contrast(less, barred, run.temperature)
    if run.soften > 0:
        own = slice(None), slice(0, len(chosen))
        loss = loss + run.soften * 0.5 * (
            divergence(scores, liked, run.likeness)
            + divergence(scores[own].T, liked[own].T, run.likeness)
        )
    return loss


def window_loss(student: Student, data: Data, run: Run) -> Tensor:
    """Return how far the student is from the teachers over windows and phrases."""
    device = data.mean.device
    chosen = torch.randint(0, len(data.drawn.starts) - 1, (run.batch,), device=device)
    vectors = student(data.drawn, chosen, run.drop)
    guide = data.drawn_guide.take(chosen, run.second)
    scores = cosines(vectors, vectors)
    loss = run.window * 0.5 * divergence(scores, guide @ guide.T, run.likeness, is_own=True)
    projected = (data.drawn_guide.take(chosen) - data.mean) @ data.projection
    away = 1 - functional.cosine_similarity(vectors, projected)
    return loss + run.align * away.mean()
