"""bench: how fast a folder of one's own is indexed and searched. Registered by main."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium.doors.cli.folder import FOLDER
from trivium.doors.cli.judged import check_can_write, write_text
from trivium.doors.cli.screen import AS_JSON, Progress, say, show, show_json
from trivium.results.present import counted, printable

if TYPE_CHECKING:
    from trivium.speed import Figure, Speed

# From here on a decimal says nothing.
_LARGE = 100
_ROW, _LEFT, _BAR, _RIGHT = 26, 190, 420, 150


@click.command()
@FOLDER
@click.option("--model", default="static", show_default=True, help="What gives meaning.")
@click.option(
    "--queries", default=50, show_default=True, type=click.IntRange(2, 1000), help="How many."
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the times of a search as a picture (SVG).",
)
@AS_JSON
def bench(folder: Path, *, model: str, queries: int, plot: Path | None, as_json: bool) -> None:
    """Measure how fast FOLDER is indexed and searched on this machine.

    Makes an index of its own and removes it; FOLDER and its index are not touched.
    """
    from trivium.speed import measure

    if plot is not None:
        check_can_write(plot)
    with Progress("looking for files") as progress:
        found = measure(folder, model=model, count=queries, progress=progress)
    if plot is not None:
        write_text(plot, _picture(found))
        say(f"The picture is in {plot}.")
    if as_json:
        show_json(
            {
                "root": found.root,
                "files": found.files,
                "chunks": found.chunks,
                "model": found.model,
                "figures": [
                    {"name": one.name, "value": one.value, "unit": one.unit, "p95": one.high}
                    for one in found.figures
                ],
            }
        )
        return
    show(
        f"{printable(found.root)}: {counted(found.files, 'file')}, "
        f"{counted(found.chunks, 'chunk')}, {found.model}"
    )
    show(_table(found.figures))


def _table(figures: Sequence[Figure]) -> str:
    width = max(len(one.name) for one in figures)
    lines = []
    for one in figures:
        high = "" if one.high is None else f", 95 % within {_number(one.high)}"
        lines.append(f"  {one.name:<{width}}  {_number(one.value):>9} {one.unit}{high}")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= _LARGE else f"{value:.3g}"


def _picture(found: Speed) -> str:
    """Return bars of what each way to search takes, to the median and to 95 of 100."""
    shown = [one for one in found.figures if one.high is not None]
    most = max((one.high or 0.0 for one in shown), default=1.0) or 1.0
    rows = []
    for at, one in enumerate(shown):
        top = 40 + at * _ROW
        middle, high = (_BAR * value / most for value in (one.value, one.high or 0.0))
        rows.append(
            f'<text x="{_LEFT - 8}" y="{top + 13}" text-anchor="end">{html.escape(one.name)}</text>'
            f'<rect x="{_LEFT}" y="{top}" width="{high:.1f}" height="16" fill="#c9d6e8"/>'
            f'<rect x="{_LEFT}" y="{top}" width="{middle:.1f}" height="16" fill="#4a74a8"/>'
            f'<text x="{_LEFT + high + 6:.1f}" y="{top + 13}">'
            f"{_number(one.value)} ms, 95 %: {_number(one.high or 0.0)}</text>"
        )
    height = 50 + len(shown) * _ROW
    title = f"CPU time of a search: {found.chunks:,} chunks, {found.model}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _BAR + _RIGHT}" '
        f'height="{height}" font-family="sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="white"/>'
        f'<text x="8" y="22" font-size="14">{html.escape(title)}</text>{"".join(rows)}</svg>\n'
    )
