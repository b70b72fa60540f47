"""What spoke for hits, as training.confidence wrote it -> weights, tables and a plot.

Fits one logistic model without negative weights for each sort of evidence, and softens it by what
it overstates on sets that are left out in turn. For the figures each set is judged by
what is fitted to the others; what is written is fitted to all.

    python -m training.calibrate ROWS --plot docs/confidence.svg [--write src/.../confidence.toml]
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trivium.ranking.confidence import signs
from trivium.types import Evidence

Row = dict[str, Any]
Floats = NDArray[np.float64]

# Sets that judge one answer of several: what stands above the one that is known may be right.
SPARSE = frozenset(
    {"conala", "cosqa", "ray-docs-qa", "mdn-anchors-en", "mdn-anchors-ja", "mdn-anchors-ko"}
)
# Sets that say of what they judged whether it is wrong: the rest is left out.
GRADED = frozenset({"csn-challenge", "movies-msrd"})
FILES = {"words": "words", "static": "instant", "minilm": "transformer"}
# How much queries that nothing answers weigh beside those of a set.
UNANSWERED = 0.35
WEAK, NAME = 0.15, 0.8
_EDGES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_EVIDENCE = frozenset(one.name for one in fields(Evidence))


@dataclass(frozen=True, slots=True)
class Hits:
    """The hits of all queries as arrays: signs (n, signs), whether right, weights, origins.

    `even` are the weights where each of ten hits counts alike.
    """

    signs: Floats
    right: Floats
    weight: Floats
    even: Floats
    sets: NDArray[np.str_]
    kinds: NDArray[np.str_]
    is_first: NDArray[np.bool_]
    names: tuple[str, ...]

    def only(self, mask: NDArray[np.bool_]) -> Hits:
        """Return those where `mask` holds."""
        return Hits(
            self.signs[mask],
            self.right[mask],
            self.weight[mask],
            self.even[mask],
            self.sets[mask],
            self.kinds[mask],
            self.is_first[mask],
            self.names,
        )


def read(file: Iterable[Path]) -> list[Row]:
    """Return the rows of files."""
    return [json.loads(line) for one in file for line in one.open(encoding="utf-8")]


def known(rows: Sequence[Row]) -> list[Row]:
    """Leave out what nobody can say of: see SPARSE and GRADED.

    Of a sparse set, queries whose answer is not among the hits, and the hits above it.
    """
    by_query: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    kept = []
    for row in rows:
        if row["kind"] != "real" or row["set"] not in SPARSE | GRADED:
            kept.append(row)
        elif row["set"] in GRADED:
            kept += [row] if row["gain"] >= 0 else []
        else:
            by_query[row["set"], row["query"]].append(row)
    for found in by_query.values():
        ranks = [row["rank"] for row in found if row["gain"] > 0]
        kept += [row for row in found if ranks and row["rank"] >= min(ranks)]
    return kept


def hits_of(rows: Sequence[Row]) -> Hits:
    """Return rows as arrays; every set weighs alike, and in it the sorts of queries."""
    made = [signs(Evidence(**{key: row[key] for key in row.keys() & _EVIDENCE})) for row in rows]
    names = tuple(made[0])
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        places[row["set"], row["kind"]].append(at)
    kinds_of: defaultdict[str, int] = defaultdict(int)
    for name, kind in places:
        kinds_of[name] += kind != "real"
    weight, even = np.zeros(len(rows)), np.zeros(len(rows))
    for (name, kind), those in places.items():
        share = 1 - UNANSWERED if kind == "real" else UNANSWERED / kinds_of[name]
        # As people read: the first of ten counts twice as much as the second.
        looked = np.array([1 / rows[at]["rank"] for at in those])
        weight[those] = share * looked / looked.sum()
        even[those] = share / len(those)
    return Hits(
        np.array([[one[name] for name in names] for one in made]),
        np.array([float(row["gain"] > 0) for row in rows]),
        weight / weight.sum(),
        even / even.sum(),
        np.array([row["set"] for row in rows]),
        np.array([row["kind"] for row in rows]),
        np.array([row["rank"] == 1 for row in rows]),
        names,
    )


def fit(
    hits: Hits, *, start: Floats | None = None, damping: float = 1e-4, rounds: int = 200
) -> Floats:
    """Return the weights and, last, the intercept: Newton's steps, held at 0 or above."""
    signed = np.column_stack([hits.signs, np.ones(len(hits.right))])
    made = np.zeros(signed.shape[1]) if start is None else start.copy()
    kept = np.append(np.full(len(made) - 1, 2 * damping), 0.0)

    def loss(weights: Floats) -> float:
        raw = signed @ weights
        each = np.logaddexp(0, raw) - hits.right * raw
        return float(hits.weight @ each + (kept / 2) @ weights**2)

    for _ in range(rounds):
        said = likely(hits.signs, made)
        slope = signed.T @ (hits.weight * (said - hits.right)) + kept * made
        bent = signed.T @ (signed * (hits.weight * said * (1 - said))[:, None]) + np.diag(kept)
        is_free = (made > 0) | (slope < 0)
        is_free[-1] = True
        step = np.zeros_like(made)
        free = np.flatnonzero(is_free)
        step[free] = np.linalg.solve(bent[np.ix_(free, free)], slope[free])
        length = 1.0
        while length > 1e-6:
            after = made - length * step
            after[:-1] = np.maximum(0.0, after[:-1])
            if loss(after) <= loss(made):
                break
            length /= 2
        if np.abs(after - made).max() < 1e-7:
            break
        made = after
    return made


def softened(hits: Hits) -> Floats:
    """Return the weights of `fit`, as sure as they are right of a set that they have not seen.

    A model is surer of the sets it was fitted to than of others. A slope and a shift, fitted to
    what models of all other sets say of each set, take that back (after Platt 1999).
    """
    made = fit(hits)
    raw = np.zeros(len(hits.right))
    for name in np.unique(hits.sets):
        is_own = hits.sets == name
        others = fit(hits.only(~is_own), start=made)
        raw[is_own] = hits.signs[is_own] @ others[:-1] + others[-1]
    slope, shift = fit(replace(hits, signs=raw[:, None], names=("raw",)), damping=0.0)
    softer: Floats = slope * made
    softer[-1] += shift
    return softer


def likely(signed: Floats, weights: Floats) -> Floats:
    """Return the probability of each row."""
    made: Floats = 1 / (1 + np.exp(-(signed @ weights[:-1] + weights[-1])))
    return made


def left_out(hits: Hits, *, fitted: Callable[[Hits], Floats] = softened) -> Floats:
    """Return what is said of each set by the model of all the others."""
    said = np.zeros(len(hits.right))
    for name in np.unique(hits.sets):
        is_own = hits.sets == name
        said[is_own] = likely(hits.signs[is_own], fitted(hits.only(~is_own)))
    return said


def brier(said: Floats, right: Floats, weight: Floats) -> float:
    """Return the mean squared error of probabilities."""
    return float(np.average((said - right) ** 2, weights=weight)) if len(said) else float("nan")


def separation(real: Floats, others: Floats) -> float:
    """Return how often a real query has more confidence than another: the area under the curve."""
    if not len(real) or not len(others):
        return float("nan")
    ordered = np.sort(others)
    below = np.searchsorted(ordered, real, side="left")
    upto = np.searchsorted(ordered, real, side="right")
    return float((below + upto).mean() / 2 / len(others))


def reliability(said: Floats, hits: Hits) -> list[tuple[str, int, float, float]]:
    """Return for each range of confidence: hits, what was said, what was right."""
    rows = []
    for low, high in pairwise(_EDGES):
        mask = (said >= low) & ((said < high) | (high == 1.0))
        if mask.any():
            weight = hits.weight[mask]
            mean = float(np.average(said[mask], weights=weight))
            share = float(np.average(hits.right[mask], weights=weight))
            rows.append((f"{low:.2f} to {high:.2f}", int(mask.sum()), mean, share))
    return rows


def table(said: Floats, hits: Hits) -> list[str]:
    """Return a line for each set: errors, what was said of first hits, how well others part."""
    lines = [
        "| set | Brier | first hits: said | right | nonsense said | AUC | other subject said | AUC "
        "| words by chance said | AUC |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in np.unique(hits.sets):
        own = hits.sets == name
        first = own & hits.is_first
        real = first & (hits.kinds == "real")
        error = brier(said[own], hits.right[own], hits.weight[own])
        cells = [f"{error:.3f}", f"{said[real].mean():.2f}", f"{hits.right[real].mean():.2f}"]
        for kind in ("nonsense", "foreign", "salad"):
            others = said[first & (hits.kinds == kind)]
            if len(others):
                cells += [f"{others.mean():.2f}", f"{separation(said[real], others):.3f}"]
            else:
                cells += ["", ""]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def plot(curves: Mapping[str, Sequence[tuple[str, int, float, float]]]) -> str:
    """Return an SVG of what was said against what was right."""
    size, edge = 300, 40
    colours = {"words": "#888888", "instant": "#2266cc", "transformer": "#cc5522"}

    def at(x: float, y: float) -> str:
        return f"{edge + x * size:.1f},{edge / 2 + (1 - y) * size:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size + 2 * edge}" '
        f'height="{size + 2 * edge}" font-family="sans-serif" font-size="11">',
        f'<rect width="{size + 2 * edge}" height="{size + 2 * edge}" fill="white"/>',
        f'<polyline points="{at(0, 0)} {at(1, 0)} {at(1, 1)} {at(0, 1)} {at(0, 0)}" fill="none" '
        'stroke="#bbbbbb"/>',
        f'<polyline points="{at(0, 0)} {at(1, 1)}" stroke="#bbbbbb" stroke-dasharray="4"/>',
    ]
    for tick in (0.0, 0.5, 1.0):
        x, y = at(tick, 0).split(",")
        parts.append(f'<text x="{x}" y="{float(y) + 14}" text-anchor="middle">{tick:g}</text>')
        x, y = at(0, tick).split(",")
        parts.append(f'<text x="{float(x) - 5}" y="{y}" text-anchor="end">{tick:g}</text>')
    for place, (name, rows) in enumerate(curves.items()):
        colour = colours[name]
        points = " ".join(at(said, right) for _, _, said, right in rows)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        for _, _, said, right in rows:
            x, y = at(said, right).split(",")
            parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>')
        parts.append(f'<text x="{edge + 8}" y="{38 + 14 * place}" fill="{colour}">{name}</text>')
    middle, below = edge + size / 2, size + edge + 12
    parts.append(f'<text x="{middle}" y="{below}" text-anchor="middle">confidence</text>')
    turned = f'transform="rotate(-90 12 {middle})"'
    parts.append(f'<text x="12" y="{middle}" {turned} text-anchor="middle">right</text>')
    return "\n".join([*parts, "</svg>", ""])


def settings(made: Mapping[str, tuple[tuple[str, ...], Floats]]) -> str:
    """Return the file that trivium reads."""
    lines = [
        "# How likely a hit answers its query: made by training/calibrate.py (docs/confidence.md).",
        "# Below `weak` a hit is called weak; one whose name is the query has at least `name`.",
        f"weak = {WEAK}",
        f"name = {NAME}",
    ]
    for sort, (names, weights) in made.items():
        lines += ["", f"[evidence.{sort}]", f"intercept = {weights[-1]:.3f}"]
        lines += ["", f"[evidence.{sort}.weights]"]
        lines += [f"{name} = {one:.3f}" for name, one in zip(names, weights, strict=False)]
    return "\n".join([*lines, ""])


def main() -> None:
    """Fit all sorts of evidence and print the figures as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, help="The folder that training.confidence filled.")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--write", type=Path, help="The settings to replace.")
    given = parser.parse_args()
    made, curves = {}, {}
    for file, sort in FILES.items():
        every_row = read(sorted(given.rows.glob(f"*-{file}.jsonl")))
        rows = [row for row in every_row if row["sort"] == sort]
        hits = hits_of(known(rows))
        said = left_out(hits, fitted=softened)
        made[sort] = (hits.names, softened(hits))
        curves[sort] = reliability(said, hits)
        every = hits_of(rows)
        base = float(np.average(hits.right, weights=hits.weight))
        none = brier(np.full(len(said), base), hits.right, hits.weight)
        judged = brier(left_out(every, fitted=fit), every.right, every.weight)
        error = brier(said, hits.right, hits.weight)
        print(f"### {sort}\n\n{len(hits.right):,} hits. Brier score {error:.4f}; {none:.4f} for")
        print(f"saying {base:.2f} of all; {judged:.4f} if what nobody judged is wrong;")
        print(f"{brier(said, hits.right, hits.even):.4f} where each of ten hits counts alike.\n")
        print("\n".join(table(said, hits)), end="\n\n")
        print("| confidence | hits | said | right |\n|---|---|---|---|")
        for span, count, mean, share in curves[sort]:
            print(f"| {span} | {count:,} | {mean:.2f} | {share:.2f} |")
        first, real = hits.is_first, hits.kinds == "real"
        below = [
            f"{kind} {float((said[first & (hits.kinds == kind)] < WEAK).mean()):.2f}"
            for kind in ("real", "nonsense", "foreign", "salad")
        ]
        wrong = first & real & (hits.right == 0)
        right = first & real & (hits.right == 1)
        print(f"\nFirst hits that are weak: {', '.join(below)};", end=" ")
        print(
            f"right {(said[right] < WEAK).mean():.2f}, wrong {(said[wrong] < WEAK).mean():.2f}.\n"
        )
    if given.plot is not None:
        given.plot.write_text(plot(curves), encoding="utf-8")
    if given.write is not None:
        given.write.write_text(settings(made), encoding="utf-8")


if __name__ == "__main__":
    main()
