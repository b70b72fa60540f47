"""Measures at several sizes -> curves as SVG, both axes in powers of ten."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

_WIDTH, _HEIGHT, _LEFT, _TOP, _BELOW, _RIGHT = 320, 190, 44, 24, 30, 92
_COLOURS = ("#0b6e99", "#b3541e", "#4a7c2c", "#7a4b94")
_FLOOR = "#888888"

Points = Sequence[tuple[float, float]]


def panels(charts: Mapping[str, Mapping[str, Points]], *, floor: str) -> str:
    """Return one picture with a chart for each title, two in a row; `floor` is drawn in grey."""
    rows = -(-len(charts) // 2)
    whole = f'width="{2 * _WIDTH}" height="{rows * _HEIGHT}"'
    made = [f'<svg xmlns="http://www.w3.org/2000/svg" {whole} font-family="sans-serif">']
    made.append(f'<rect {whole} fill="#ffffff"/>')
    for number, (title, lines) in enumerate(charts.items()):
        place = f"{number % 2 * _WIDTH},{number // 2 * _HEIGHT}"
        made.append(f'<g transform="translate({place})" font-size="10">')
        made += _chart(title, lines, floor=floor)
        made.append("</g>")
    return "\n".join([*made, "</svg>", ""])


def _chart(title: str, lines: Mapping[str, Points], *, floor: str) -> list[str]:
    every = [point for points in lines.values() for point in points if min(point) > 0]
    if not every:
        return []
    left, right = _ends([x for x, _ in every])
    low, high = _ends([y for _, y in every])

    def at(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - left) / (right - left)
        up = (math.log10(y) - low) / (high - low)
        wide, tall = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BELOW
        return round(_LEFT + across * wide, 1), round(_HEIGHT - _BELOW - up * tall, 1)

    made = [f'<text x="{_LEFT}" y="14" font-size="11" font-weight="bold">{title}</text>']
    for power in range(low, high + 1):
        _, y = at(10**left, 10**power)
        made.append(f'<path d="M{_LEFT} {y}H{_WIDTH - _RIGHT}" stroke="#dddddd"/>')
        made.append(f'<text x="{_LEFT - 4}" y="{y + 3}" text-anchor="end">{_short(power)}</text>')
    for power in range(left, right + 1):
        x, _ = at(10**power, 10**low)
        text = f'<text x="{x}" y="{_HEIGHT - _BELOW + 14}" text-anchor="middle">'
        made.append(f"{text}{_short(power)}</text>")
    colours = iter(_COLOURS)
    for name, points in lines.items():
        colour = _FLOOR if name == floor else next(colours)
        places = [at(*point) for point in points if min(point) > 0]
        if places:
            path = " ".join(f"{x},{y}" for x, y in places)
            made.append(f'<polyline points="{path}" fill="none" stroke="{colour}"/>')
            x, y = places[-1]
            made.append(f'<text x="{x + 4}" y="{y + 3}" fill="{colour}">{name}</text>')
    return made


def _ends(values: Sequence[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _short(power: int) -> str:
    value = 10.0**power
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"
