"""The texts of a training and the teachers' vectors -> what a batch is drawn from, on the device.

Pairs are sorted into groups and, inside each, by package and by nearness in the teachers' space;
beside each question stand answers that BM25 finds for it and the teachers do not like.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]
from torch.nn import functional  # type: ignore[import-not-found]

from training import prepare
from training.corpus import Corpus
from trivium.models.static_words import COUNT_POWER

# torch is not there when the tree is checked.
Tensor = Any
# Of so many answers that BM25 finds for a question, those the teachers like less by a margin.
FOUND, _MARGIN = 20, 0.03
_ASKED = 1024
_FEWEST_HELD = 20


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


@dataclass(frozen=True, slots=True)
class Guide:
    """The teachers' vectors of texts; similarities are products of what it gives.

    A teacher's sharpness says how many times its similarities are to lie further apart.
    """

    parts: Sequence[Tensor]
    sharpness: Sequence[float]

    def take(self, chosen: Tensor | slice, second: float = 0.5) -> Tensor:
        """Return the teachers' vectors side by side, each as long as it counts."""
        shares = (1.0,) if len(self.parts) == 1 else (1.0 - second, second)
        counts = [share * sharp for share, sharp in zip(shares, self.sharpness, strict=True)]
        return torch.cat(
            [
                part[chosen].float() * count**0.5
                for part, count in zip(self.parts, counts, strict=True)
                if count > 0
            ],
            dim=1,
        )


def joined(first: Guide, second: Guide) -> Guide:
    """Return the vectors of the first texts, then those of the second."""
    parts = [torch.cat(pair) for pair in zip(first.parts, second.parts, strict=True)]
    return Guide(parts, first.sharpness)


@dataclass(frozen=True, slots=True)
class Held:
    """Questions and answers of packages that are kept from training."""

    asks: Bags
    answers: Bags
    count: int


class Data:
    """Pairs, their groups and neighbours, and the teachers' vectors, all on the device."""

    def __init__(
        self,
        corpus: Corpus,
        guide: Callable[[list[str]], Guide],
        *,
        device: str,
        processes: int,
        is_hard: bool,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.words = corpus.words
        drawn = [*corpus.windows, *corpus.phrases]

        def bags(texts: list[str]) -> prepare.Texts:
            return prepare.numbered(texts, corpus.words, processes)

        # Before the first use of the GPU, as processes are forked from this one.
        made = [bags(texts) for texts in (corpus.asks, corpus.named, corpus.answers, drawn)]
        held = {
            name: (bags([row[0] for row in rows]), bags([row[1] for row in rows]))
            for name, rows in corpus.held.items()
            if len(rows) >= _FEWEST_HELD
        }
        self.asks, self.named, self.answers, self.drawn = (Bags(one, device) for one in made)
        self.held = {
            name: Held(Bags(asks, device), Bags(answers, device), len(asks.starts) - 1)
            for name, (asks, answers) in held.items()
        }
        say("texts numbered")
        # One after the other, as they were read: kept vectors are found by whole blocks.
        self.drawn_guide = joined(guide(corpus.windows), guide(corpus.phrases))
        say("teachers' vectors of windows and phrases")
        self.rows, self.weights, mean, projection = prepare.initial(
            self.words,
            corpus.counts,
            guide(self.words).take(slice(None)).cpu().numpy(),
            self.drawn_guide.take(slice(0, len(corpus.windows))).cpu().numpy(),
        )
        self.mean = torch.from_numpy(mean).to(device)
        self.projection = torch.from_numpy(projection).to(device)
        say("first table")
        self.ask_guide = guide(corpus.asks)
        self.answer_guide = guide(corpus.answers)
        say("teachers' vectors of pairs")
        self.arrange(corpus.pairs, device)
        say("groups and neighbours")
        self.hard = torch.full((len(corpus.pairs), FOUND), -1, dtype=torch.int32, device=device)
        for group in self.groups if is_hard else ():
            self._find_hard(group)
        self.hard_counts = (self.hard >= 0).sum(1)
        say(f"hard negatives {self.hard_counts.float().mean().item():.1f} a question")

    def _find_hard(self, chosen: Tensor) -> None:
        """Note the answers of the group that BM25 finds for each question, clearly wrong ones."""
        if len(chosen) <= 2 * FOUND:
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
        with warnings.catch_warnings():
            # That this kind of matrix is new, which is said with every one.
            warnings.simplefilter("ignore", UserWarning)
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
            best = scores.topk(FOUND + 1, dim=1)
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
            order = torch.argsort(is_good.int(), dim=1, descending=True, stable=True)[:, :FOUND]
            kept = torch.where(is_good, found, -1).gather(1, order)
            self.hard[part] = kept.int()

    def arrange(self, pairs: Sequence[Sequence[str]], device: str) -> None:
        """Sort pairs into groups; inside each, by package and by nearness of their questions."""
        group = np.array([prepare.group_of(row) for row in pairs])
        packages = {name: number for number, name in enumerate(sorted({row[4] for row in pairs}))}
        package = np.array([packages[row[4]] for row in pairs])
        self.groups: list[Tensor] = []
        self.by_package: list[Tensor] = []
        self.by_nearness: list[Tensor] = []
        for name in prepare.GROUPS:
            chosen = np.flatnonzero(group == name)
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
    found = data.hard[chosen, drawn.clamp_max(FOUND - 1)]
    return torch.unique(found[counts > 0].long())
