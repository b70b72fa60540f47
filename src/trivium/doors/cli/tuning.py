"""tune: judged queries -> a profile whose numbers fit a collection, if that holds on others.

Prints what was gained on queries held out, and sets the exit status. Registered by main.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trivium.doors.cli.judged import (
    COLLECTION,
    LIMIT_QUERIES,
    REPOSITORIES,
    SPLIT,
    check_can_write,
    load_profiles,
    write_text,
)
from trivium.doors.cli.screen import (
    AS_JSON,
    FOUND,
    NOTHING_FOUND,
    Progress,
    say,
    show,
    show_json,
)
from trivium.errors import UsageError

if TYPE_CHECKING:
    from trivium.evaluation.sets import Place
    from trivium.evaluation.tune import Tuning

_OUT = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("judged", type=click.Path(path_type=Path, exists=True))
@COLLECTION
@REPOSITORIES
@SPLIT
@click.option("--profile", default="best", show_default=True, help="What to start from.")
@click.option("--out", required=True, type=_OUT, help="File of the profile, such as mine.toml.")
@click.option("--force", is_flag=True, help="Write it even if the gain may be chance.")
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True)
@click.option("--search-mode", default="hybrid", show_default=True, help="hybrid, keyword, vector.")
@click.option("--model", help="What gives meaning; else what is set.")
@LIMIT_QUERIES
@AS_JSON
def tune(
    judged: Path,
    *,
    collection: Path | None,
    repos: Path | None,
    split: str | None,
    profile: str,
    out: Path,
    force: bool,
    folds: int,
    search_mode: str,
    model: str | None,
    limit_queries: int | None,
    as_json: bool,
) -> None:
    """Find weights for a collection from judged queries, and write them as a profile.

    JUDGED is a CSV or JSONL file (with --collection), a BEIR folder (its train split, or dev),
    or a folder with repos.json (with --repos). The file is written only if the gain on queries
    held out is more than chance.

    Exit status: 0 written, 1 the gain may be chance and nothing was written, 2 error.
    """
    from trivium.config import load
    from trivium.evaluation.bench import Bench, Contender
    from trivium.evaluation.tune import Request, check_out, file_text
    from trivium.evaluation.tune import tune as tuned_on
    from trivium.models.registry import load_from

    # Those of the folder that is asked, as a search in it has.
    settings = load(folder=collection)
    base = str(Path(profile).expanduser().resolve()) if profile.endswith(".toml") else profile
    (start,) = load_profiles([base], settings)
    check_can_write(out)
    check_out(out, base, home=settings.home)
    place = _only_set(judged, split=split, has_repositories=repos is not None)
    embedder = load_from(settings, "none" if search_mode == "keyword" else model)
    with Progress() as progress:
        bench = Bench(
            home=settings.home,
            contenders=(Contender(start.name, start, embedder, search_mode),),
            repositories=repos,
            collection=collection,
            limit=limit_queries,
            progress=progress,
            say=say,
        )
        tuning = tuned_on(bench, Request(place, base, out, folds))
    is_written = bool(tuning.changes) and (tuning.tuned.holds or force)
    if is_written:
        write_text(out, file_text(tuning, start, out, is_forced=force))
    if as_json:
        show_json(_data(tuning, out if is_written else None))
    else:
        show(_words(tuning))
    _say_what_came(tuning, out, is_written=is_written)
    raise click.exceptions.Exit(FOUND if is_written else NOTHING_FOUND)


def _only_set(judged: Path, *, split: str | None, has_repositories: bool) -> Place:
    from trivium.evaluation.sets import TO_FIT, places

    found = places(
        [judged], split=split, has_repositories=has_repositories, say=say, preferred=TO_FIT
    )
    if len(found) != 1:
        raise UsageError(f"{judged} holds {len(found)} sets; give one: weights are for one.")
    return found[0]


def _words(tuning: Tuning) -> str:
    tuned = tuning.tuned
    lines = [
        f"nDCG@10, {tuning.queries} queries of {tuning.name}, {tuning.tried} settings tried",
        f"  {tuning.base}: {tuned.before:.4f}",
        f"  tuned, on queries held out: {tuned.held_out:.4f}",
        f"  gain: {tuned.gain:+.4f}, 95 % interval {tuned.low:+.4f} to {tuned.high:+.4f}, "
        f"won {tuned.wins}, tied {tuned.ties}, lost {tuned.losses}",
    ]
    width = max(map(len, tuning.changes), default=0)
    lines += [
        f"  {key.ljust(width)}  {old:g} -> {new:g}" for key, (old, new) in tuning.changes.items()
    ]
    return "\n".join(lines)


def _say_what_came(tuning: Tuning, out: Path, *, is_written: bool) -> None:
    if not tuning.changes:
        say(f"Nothing is written: no other numbers do better than those of {tuning.base}.")
    elif not is_written:
        say(
            "Nothing is written: the interval is not all above 0, so the gain may be chance. "
            "Judge more queries, or write it all the same with --force."
        )
    else:
        may_be = "" if tuning.tuned.holds else " The gain may be chance; the file says so."
        say(f"Written to {out}; use it with --profile {out}.{may_be}")


def _data(tuning: Tuning, written: Path | None) -> dict[str, object]:
    tuned = tuning.tuned
    return {
        "set": tuning.name,
        "profile": tuning.base,
        "measure": "nDCG@10",
        "queries": tuning.queries,
        "groups": tuning.groups,
        "settings_tried": tuning.tried,
        "before": tuned.before,
        "held_out": tuned.held_out,
        "fitted": tuned.fitted,
        "gain": tuned.gain,
        "low": tuned.low,
        "high": tuned.high,
        "wins": tuned.wins,
        "ties": tuned.ties,
        "losses": tuned.losses,
        "holds": tuned.holds,
        "changes": {key: {"from": old, "to": new} for key, (old, new) in tuning.changes.items()},
        "folds": [
            {"queries": one.queries, "gain": one.gain, "setting": dict(one.setting)}
            for one in tuned.folds
        ],
        "tried": {knob.key: list(knob.values) for knob in tuning.knobs},
        "written": None if written is None else str(written),
    }
