"""Sets and contenders -> an Outcome: results, what separates them, and the queries that moved.

Every contender is asked the same questions of the same indexes, set by set. Called by the
command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trivium.evaluation.bench import Bench, Contender, Prepared
from trivium.evaluation.measure import Measure, Question, Result, Shown, measure
from trivium.evaluation.moves import Moves, moves, worst
from trivium.evaluation.sets import Place
from trivium.evaluation.significance import Comparison, compare, compare_means


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that a run found. Comparisons are to the first contender, set by set and in the mean.

    They are there for every measure; the mean is over the sets, and there if they are several.
    """

    results: tuple[Result, ...]
    comparisons: tuple[Comparison, ...] = ()
    moves: tuple[Moves, ...] = ()


def run(bench: Bench, places: Sequence[Place]) -> Outcome:
    """Measure every contender on every set."""
    results: list[Result] = []
    moved: list[Moves] = []
    for place in places:
        with bench.prepared(place) as prepared:
            made = [_measured(bench, prepared, one) for one in bench.contenders]
            moved += _moved(prepared, bench.contenders, made)
        results += made
    return Outcome(tuple(results), tuple(comparisons(results)), tuple(moved))


def comparisons(results: Sequence[Result]) -> list[Comparison]:
    """Compare each profile with the first, on every set and then in the mean."""
    profiles = list(dict.fromkeys(result.profile for result in results))
    by_profile = {
        profile: [result for result in results if result.profile == profile] for profile in profiles
    }
    found = []
    for other in profiles[1:]:
        pairs = list(zip(by_profile[profiles[0]], by_profile[other], strict=True))
        for one in Measure:
            found += [compare(before, after, measure=one) for before, after in pairs]
            if len(pairs) > 1:
                found.append(compare_means(pairs, measure=one))
    return found


def _measured(bench: Bench, prepared: Prepared, contender: Contender) -> Result:
    total, done = len(prepared.questions), 0
    degraded: dict[str, int] = {}

    def ask(question: Question) -> list[Shown]:
        nonlocal done
        answer = prepared.ask(question, contender)
        for one in answer.degraded:
            said = f"{one.stage}: {one.reason}"
            degraded[said] = degraded.get(said, 0) + 1
        done += 1
        bench.progress("asking", done, total)
        return prepared.shown(question, answer)

    result = measure(
        prepared.questions,
        ask,
        name=prepared.name,
        split=prepared.split,
        profile=contender.name,
    )
    # A number that words alone made must not pass for one of both.
    for said, count in degraded.items():
        bench.say(f"{prepared.name}, {contender.name}: {count} of {total} queries: {said}")
    return result


def _moved(
    prepared: Prepared, contenders: Sequence[Contender], results: Sequence[Result]
) -> list[Moves]:
    first, *others = zip(contenders, results, strict=True)
    if not others:
        return [worst(prepared, *first)]
    return [
        moves(prepared, (first[0], contender), (first[1], result)) for contender, result in others
    ]
