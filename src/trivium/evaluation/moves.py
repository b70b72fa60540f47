"""Two results of one set -> the queries that moved most, asked again with their explanations.

Only those few are kept whole: a report on many sets stays small. Called by run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trivium.evaluation.bench import Contender, Prepared
from trivium.evaluation.datasets import Target
from trivium.evaluation.measure import Measure, Question, Result, first_bearers
from trivium.results import present
from trivium.types import Hit, Part

MOST_MOVES = 5
_PAGE = 10
_LONGEST_SNIPPET = 400


@dataclass(frozen=True, slots=True)
class Listed:
    """One hit of a list, with the parts of its score; `grade` is None where it is not judged.

    `finds` names what it is the first to find; empty if nothing.
    """

    rank: int
    id: str
    label: str
    place: str
    score: float
    parts: tuple[Part, ...]
    reason: str
    snippet: str
    grade: float | None = None
    finds: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """What one contender answered: its score, its first ten, and what it found of the relevant.

    A relevant document is None where it is not among the first hundred, or all there are.
    """

    profile: str
    value: float
    first: tuple[Listed, ...]
    relevant: tuple[Listed | None, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A query that two contenders answered, side by side; alone, `after` is the same as `before`.

    `relevant` names what should have been found, with its grade, in the order of the sides.
    """

    query_id: str
    text: str
    fold: str
    relevant: tuple[tuple[str, float], ...]
    before: Side
    after: Side

    @property
    def difference(self) -> float:
        """What the query gained."""
        return self.after.value - self.before.value


@dataclass(frozen=True, slots=True)
class Moves:
    """Of one set: the queries that lost most and those that gained most, the largest first.

    Where one contender was measured alone, `worse` are those it did worst on.
    """

    name: str
    split: str
    before: str
    after: str
    worse: tuple[Move, ...]
    better: tuple[Move, ...]


def moves(
    prepared: Prepared,
    contenders: tuple[Contender, Contender],
    results: tuple[Result, Result],
    *,
    most: int = MOST_MOVES,
) -> Moves:
    """Find the queries that moved most in nDCG@10 and ask them again."""
    old, new = ({score.query_id: score for score in one.scores} for one in results)
    changes = {
        one: new[one].values[Measure.NDCG_10] - old[one].values[Measure.NDCG_10] for one in new
    }
    # Stable: queries that moved alike stay in the order of the set.
    order = sorted(changes, key=lambda one: changes[one])
    return Moves(
        prepared.name,
        prepared.split,
        contenders[0].name,
        contenders[1].name,
        _asked(prepared, [one for one in order if changes[one] < 0][:most], contenders, results),
        _asked(
            prepared,
            [one for one in reversed(order) if changes[one] > 0][:most],
            contenders,
            results,
        ),
    )


def worst(
    prepared: Prepared, contender: Contender, result: Result, *, most: int = MOST_MOVES
) -> Moves:
    """Find the queries a single contender did worst on and ask them again."""
    imperfect = [score for score in result.scores if score.values[Measure.NDCG_10] < 1]
    order = sorted(imperfect, key=lambda score: score.values[Measure.NDCG_10])[:most]
    both, ids = (contender, contender), [score.query_id for score in order]
    asked = _asked(prepared, ids, both, (result, result))
    return Moves(prepared.name, prepared.split, contender.name, contender.name, asked, ())


def _asked(
    prepared: Prepared,
    ids: Sequence[str],
    contenders: tuple[Contender, Contender],
    results: tuple[Result, Result],
) -> tuple[Move, ...]:
    questions = {question.id: question for question in prepared.questions}
    return tuple(_move(prepared, questions[one], contenders, results) for one in ids)


def _move(
    prepared: Prepared,
    question: Question,
    contenders: tuple[Contender, Contender],
    results: tuple[Result, Result],
) -> Move:
    wanted = {one: gain for one, gain in question.gains.items() if gain > 0}
    before = _side(prepared, question, contenders[0], results[0])
    is_alone = contenders[0] is contenders[1]
    after = before if is_alone else _side(prepared, question, contenders[1], results[1])
    named = tuple((_named(question, one), gain) for one, gain in wanted.items())
    return Move(question.id, question.text, question.fold, named, before, after)


def _side(prepared: Prepared, question: Question, contender: Contender, result: Result) -> Side:
    answer = prepared.ask(question, contender)
    shown = prepared.shown(question, answer)
    kept = [
        (hit, one.names)
        for hit, one in zip(answer.results, shown, strict=True)
        if not one.is_repeat
    ]
    finds = first_bearers([names for _, names in kept], question.gains)
    listed = [
        _listed(rank, hit, question.gains.get(found) if found else None, found)
        for rank, ((hit, _), found) in enumerate(zip(kept, finds, strict=True), 1)
    ]
    wanted = [one for one, gain in question.gains.items() if gain > 0]
    by_name = {one.finds: one for one in listed if one.finds}
    value = next(one for one in result.scores if one.query_id == question.id)
    return Side(
        contender.name,
        value.values[Measure.NDCG_10],
        tuple(listed[:_PAGE]),
        tuple(by_name.get(one) for one in wanted),
    )


def _listed(rank: int, hit: Hit, grade: float | None, finds: str) -> Listed:
    source = hit.node.source
    return Listed(
        rank=rank,
        id=hit.id,
        label=hit.node.title or present.label(hit.node),
        place=f"{source.file_path}:{source.start_line}-{source.end_line}",
        score=hit.score,
        parts=hit.parts,
        reason=hit.reason,
        snippet=hit.snippet[:_LONGEST_SNIPPET],
        grade=grade,
        finds=finds,
    )


def _named(question: Question, name: str) -> str:
    """Return what to call something relevant: of a repository its file and lines."""
    return _written(question.targets[int(name)]) if question.targets else name


def _written(target: Target) -> str:
    if target.lines is None:
        return target.path
    start, end = target.lines
    return f"{target.path}:{start}-{end}"
