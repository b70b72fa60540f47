"""An Outcome -> one HTML page that needs nothing else: no scripts, no fonts, no addresses.

Every text that came from data is escaped and made printable, and stands in an element of its
own direction, so that none of it can steer the page. Called by the command line.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from importlib import resources
from statistics import fmean

from trivium.evaluation.measure import Measure, Result
from trivium.evaluation.moves import Listed, Move, Moves, Side
from trivium.evaluation.run import Outcome
from trivium.evaluation.significance import ROUNDS, Comparison
from trivium.results.present import printable

_LONGEST = 300
_MOST_RELEVANT = 20
_PLOT_WIDTH, _PLOT_HEIGHT = 160, 14
_SHOWN = Measure.NDCG_10
_LEGEND = f"""<p class="quiet">{_SHOWN}, higher is better; the mean is over the sets. An
interval holds 95 % of {ROUNDS:,} draws of the queries, with replacement, of whole repositories
where a set has such; one that leaves out 0 is coloured. Won, tied and lost count queries.</p>
"""
_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Ranking quality</title>
<style>
{style}</style>
</head>
<body>
"""


def page(outcome: Outcome) -> str:
    """Return the whole page."""
    style = resources.files("trivium.evaluation").joinpath("page.css").read_text(encoding="utf-8")
    return "".join(
        (
            _HEAD.format(style=style),
            "<h1>Ranking quality</h1>\n",
            _LEGEND,
            _scores(outcome.results),
            _differences([one for one in outcome.comparisons if one.measure is _SHOWN]),
            _measures(outcome.results),
            *(_moves(one) for one in outcome.moves),
            "</body>\n</html>\n",
        )
    )


def _safe(text: str, *, most: int = _LONGEST) -> str:
    """Escape a text, made printable and no longer than is of use."""
    kept = text if len(text) <= most else f"{text[:most]}…"
    return html.escape(printable(kept), quote=True)


def _own(text: str, *, name: str = "") -> str:
    """Return a text in an element that keeps its direction to itself."""
    opening = f'<bdi class="{name}">' if name else "<bdi>"
    return f"{opening}{_safe(text)}</bdi>"


def _table(header: Sequence[str], rows: Iterable[str], *, texts: int, foot: str = "") -> str:
    heads = "".join(
        f'<th class="text">{one}</th>' if index < texts else f"<th>{one}</th>"
        for index, one in enumerate(header)
    )
    ending = f"<tfoot>{foot}</tfoot>" if foot else ""
    body = "\n".join(rows)
    return (
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>{body}</tbody>{ending}</table></div>\n"
    )


def _row(cells: Sequence[str], *, texts: int) -> str:
    made = (
        f'<td class="text">{one}</td>' if index < texts else f"<td>{one}</td>"
        for index, one in enumerate(cells)
    )
    return f"<tr>{''.join(made)}</tr>"


def _scores(results: Sequence[Result]) -> str:
    """Lay out sets as rows and profiles as columns; the best of a row stands out."""
    profiles = list(dict.fromkeys(result.profile for result in results))
    sets = list(dict.fromkeys((result.name, result.split) for result in results))
    found = {(one.name, one.split, one.profile): one for one in results}
    rows, columns = [], []
    for name, split in sets:
        of_set = [found[name, split, profile] for profile in profiles]
        values = [one.means.get(_SHOWN, 0.0) for one in of_set]
        columns.append(values)
        cells = [_own(name), _own(split), str(of_set[0].queries), *_marked(values)]
        rows.append(_row(cells, texts=2))
    foot = ""
    if len(sets) > 1:
        means = [fmean(column) for column in zip(*columns, strict=True)]
        foot = _row(["mean", "", "", *_marked(means)], texts=2)
    header = ["set", "split", "queries", *map(_own, profiles)]
    return "<h2>Scores</h2>\n" + _table(header, rows, texts=2, foot=foot)


def _marked(values: Sequence[float]) -> list[str]:
    best = max(values)
    several = len(values) > 1
    return [
        f"<strong>{value:.4f}</strong>" if several and value == best else f"{value:.4f}"
        for value in values
    ]


def _differences(comparisons: Sequence[Comparison]) -> str:
    if not comparisons:
        return ""
    reach = max(max(abs(one.low), abs(one.high)) for one in comparisons) or 1.0
    rows = [
        _row(
            [
                _own(one.name),
                _own(one.split),
                _own(one.after),
                f'<span class="{_colour(one)}">{one.difference:+.4f}</span>',
                f"{one.low:+.4f} to {one.high:+.4f}",
                f'<span class="{_colour(one)}">{_plot(one, reach)}</span>',
                f"{one.wins} / {one.ties} / {one.losses}",
            ],
            texts=3,
        )
        for one in comparisons
    ]
    header = ["set", "split", "profile", "difference", "95 % interval", "", "won / tied / lost"]
    title = f"<h2>Differences to {_own(comparisons[0].before)}</h2>\n"
    return title + _table(header, rows, texts=3)


def _colour(one: Comparison) -> str:
    if one.low > 0:
        return "good"
    return "bad" if one.high < 0 else "quiet"


def _plot(one: Comparison, reach: float) -> str:
    """Draw an interval on a scale that all of a table share; the line in the middle is 0."""

    def at(value: float) -> str:
        return f"{(value / reach + 1) / 2 * (_PLOT_WIDTH - 8) + 4:.1f}"

    middle = _PLOT_HEIGHT // 2
    said = f"{one.difference:+.4f}, {one.low:+.4f} to {one.high:+.4f}"
    return (
        f'<svg width="{_PLOT_WIDTH}" height="{_PLOT_HEIGHT}" role="img" aria-label="{said}">'
        f'<line class="zero" x1="{at(0)}" x2="{at(0)}" y1="0" y2="{_PLOT_HEIGHT}"/>'
        f'<line class="range" x1="{at(one.low)}" x2="{at(one.high)}" y1="{middle}" y2="{middle}"/>'
        f'<circle class="mean" cx="{at(one.difference)}" cy="{middle}" r="3.5"/></svg>'
    )


def _measures(results: Sequence[Result]) -> str:
    rows = []
    for result in results:
        means = result.means
        cells = [_own(result.name), _own(result.split), _own(result.profile)]
        cells += [f"{means[one]:.4f}" if one in means else "-" for one in Measure]
        rows.append(_row([*cells, f"{result.seconds_per_query * 1000:.1f}"], texts=3))
    header = ["set", "split", "profile", *map(str, Measure), "ms/query"]
    return "<h2>All measures</h2>\n" + _table(header, rows, texts=3)


def _moves(moves: Moves) -> str:
    split = f' <span class="quiet">{_own(moves.split)}</span>' if moves.split else ""
    if moves.before == moves.after:
        title = f"<h2>{_own(moves.name)}{split}: {_own(moves.after)}</h2>\n"
        return title + _several("Queries it did worst on", moves.worse, "Every query is perfect.")
    return (
        f"<h2>{_own(moves.name)}{split}: {_own(moves.before)} → {_own(moves.after)}</h2>\n"
        + _several("Queries that got worse most", moves.worse, "None got worse.")
        + _several("Queries that got better most", moves.better, "None got better.")
    )


def _several(title: str, moves: Sequence[Move], none: str) -> str:
    if not moves:
        return f'<h3>{title}</h3>\n<p class="quiet">{none}</p>\n'
    return f"<h3>{title}</h3>\n" + "".join(_move(one) for one in moves)


def _move(move: Move) -> str:
    before, after = move.before, move.after
    is_alone = before is after
    colour = "good" if move.difference > 0 else "bad"
    change = (
        f"<b>{after.value:.4f}</b>"
        if is_alone
        else f'<b class="{colour}">{move.difference:+.4f}</b>'
        f'<span class="quiet">{before.value:.4f} → {after.value:.4f}</span> '
    )
    fold = f' <span class="quiet">{_own(move.fold)}</span>' if move.fold else ""
    sides = (after,) if is_alone else (before, after)
    lists = "".join(_list(side) for side in sides)
    return (
        f"<details><summary>{change}{_own(move.text, name='name')}{fold} "
        f'<span class="quiet">{_own(move.query_id)}</span></summary>\n<div>'
        f"{_relevant(move, sides)}"
        f'<div class="sides">{lists}</div></div></details>\n'
    )


def _relevant(move: Move, sides: Sequence[Side]) -> str:
    """Show for all that is relevant its rank on each side, and the parts of its score there."""
    rows = []
    every = [
        (name, grade, [side.relevant[index] for side in sides])
        for index, (name, grade) in enumerate(move.relevant)
    ]
    every.sort(key=lambda one: min(_rank_or_last(listed) for listed in one[2]))
    for name, grade, found in every[:_MOST_RELEVANT]:
        cells = "".join(f"<td>{_rank(one)}</td>" for one in found)
        reasons = "".join(f'<td class="why">{_parts(one)}</td>' for one in found)
        rows.append(
            f'<tr><td class="text">{_own(name)}</td><td>{grade:g}</td>{cells}{reasons}</tr>'
        )
    names = [_own(side.profile) for side in sides]
    header = ["relevant", "grade", *(f"rank, {one}" for one in names)]
    whys = "".join(f'<th class="text">score, {one}</th>' for one in names)
    heads = "".join(
        f'<th class="text">{one}</th>' if not index else f"<th>{one}</th>"
        for index, one in enumerate(header)
    )
    body = "\n".join(rows)
    left = len(every) - len(rows)
    more = f'<p class="quiet">and {left} more that are relevant</p>\n' if left else ""
    return (
        f'<h4>What is relevant, and why it stands where it does</h4><div class="wide"><table>'
        f"<thead><tr>{heads}{whys}</tr></thead><tbody>{body}</tbody></table></div>\n{more}"
    )


def _rank(listed: Listed | None) -> str:
    return '<span class="bad">not found</span>' if listed is None else str(listed.rank)


def _rank_or_last(listed: Listed | None) -> float:
    return math.inf if listed is None else listed.rank


def _parts(listed: Listed | None) -> str:
    if listed is None:
        return '<span class="quiet">-</span>'
    parts = "<br>".join(f"{part.value:+.4f} {_own(part.name)}" for part in listed.parts)
    return f'{listed.score:.4f} = <br>{parts}<br><span class="quiet">{_own(listed.reason)}</span>'


def _list(side: Side) -> str:
    items = "".join(_item(one) for one in side.first)
    nothing = '<p class="quiet">Nothing was found.</p>' if not side.first else ""
    title = f"<h4>{_own(side.profile)}, {_SHOWN} {side.value:.4f}</h4>"
    return f"<section>{title}<ol>{items}</ol>{nothing}</section>"


def _item(one: Listed) -> str:
    is_relevant = one.grade is not None and one.grade > 0
    colour = "good" if is_relevant else "quiet"
    grade = "" if one.grade is None else f' <span class="{colour}">grade {one.grade:g}</span>'
    opening = '<li class="found">' if is_relevant else "<li>"
    snippet = f'<pre dir="auto">{_safe(one.snippet, most=len(one.snippet))}</pre>'
    return (
        f'{opening}<span class="score">{one.score:.4f}</span><span class="rank">{one.rank}</span>'
        f'{_own(one.label)}{grade}<span class="place">{_own(one.place)}</span>'
        f"{snippet if one.snippet else ''}</li>"
    )
