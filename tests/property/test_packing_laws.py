"""The laws of packing, for any files, hits and budgets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.results.context import Piece, pieces_of
from trivium.results.fill import Stage, Step, Weights, fill
from trivium.results.present import printable
from trivium.results.sheet import Lines, Sheet, tokens_of
from trivium.results.steps import Steps
from trivium.types import ChunkId, Hit, Kind, Location, Node, NodeId, Span

LINES = st.one_of(
    st.just(""),
    st.sampled_from(
        ["def f():", "    return 1", "\t}", "\x1b[31mred", "東京都に住む", "word " * 40]
    ),
    st.text(
        alphabet=st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=30
    ),
)
BUDGETS = st.integers(1, 400)


@dataclass(frozen=True)
class Case:
    steps: Steps
    hits: tuple[Hit, ...]

    def packed(self, max_tokens: int, weights: Weights | None = None) -> tuple[Piece, ...]:
        weights = Weights() if weights is None else weights
        return pieces_of(self.steps, self.hits, max_tokens=max_tokens, weights=weights)


def node_of(path: str, name: str, lines: Lines) -> Node:
    source = Location(path, lines.first, lines.last)
    return Node(NodeId(f"code:{path}#{name}"), Kind.CODE, "function", name, source, Span(0, 0), ())


def hit_of(node: Node, sheet: Sheet, window: Lines) -> Hit:
    return Hit(
        id=node.id,
        chunk_id=ChunkId(f"{node.id}@0"),
        node=node,
        score=1.0,
        score_type="bm25",
        parts=(),
        snippet=sheet.text(window),
        highlights=(),
        start_line=window.first,
        end_line=window.last,
        text=sheet.text(window),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    files = draw(st.lists(st.lists(LINES, min_size=1, max_size=30), min_size=1, max_size=4))
    steps = Steps()
    hits: list[Hit] = []
    for number, lines in enumerate(files):
        steps.sheets[f"f{number}.py"] = Sheet.of("\n".join(lines), place=f"src/f{number}.py")
    for _ in range(draw(st.integers(0, 6))):
        path = draw(st.sampled_from(sorted(steps.sheets)))
        sheet = steps.sheets[path]
        first = draw(st.integers(1, len(sheet.lines)))
        wanted = [Lines(first, first)]
        for _ in range(2):
            low = draw(st.integers(1, wanted[-1].first))
            wanted.append(Lines(low, draw(st.integers(wanted[-1].last, len(sheet.lines)))))
        rank = len(hits) + 1
        node = node_of(path, f"name{rank}", wanted[-1])
        after: int | None = None
        for span, stage in zip(wanted, (Stage.WINDOW, Stage.CHUNK, Stage.WHOLE), strict=True):
            kept = sheet.trimmed(span.first, span.last)
            if kept is None:
                break
            words = frozenset(sheet.text(kept).split()) if after is None else frozenset()
            steps.all.append(
                Step(path, kept, node, node.name, rank, stage, after=after, words=words)
            )
            after = len(steps.all) - 1
        if after is not None:
            hits.append(hit_of(node, sheet, wanted[0]))
    return Case(steps, tuple(hits))


def without_words(step: Step) -> Step:
    """Make a step that repeats nothing."""
    return replace(step, words=frozenset())


def shown(pieces: tuple[Piece, ...]) -> set[tuple[str, int]]:
    return {
        (piece.path, line)
        for piece in pieces
        for line in range(piece.start_line, piece.end_line + 1)
    }


@given(cases(), BUDGETS)
def test_what_is_printed_never_takes_more_than_the_budget(case: Case, max_tokens: int) -> None:
    pieces = case.packed(max_tokens)
    printed = "\n\n".join(f"{one.heading}\n{printable(one.text)}" for one in pieces) + "\n"

    used = sum(piece.tokens for piece in pieces)
    assert used <= max_tokens
    assert not pieces or tokens_of(len(printed)) <= used


@given(cases(), BUDGETS)
def test_the_tokens_counted_while_filling_are_those_of_the_pieces(
    case: Case, max_tokens: int
) -> None:
    pieces = case.packed(max_tokens)
    first = case.steps.all[:1]
    if first and case.steps.sheets[first[0].path].tokens(first[0].lines, "name1") <= max_tokens:
        taken = fill(case.steps.all, case.steps.sheets, max_tokens=max_tokens, weights=Weights())

        assert taken.tokens == sum(piece.tokens for piece in pieces)


@given(cases(), BUDGETS)
def test_no_line_is_shown_twice_and_lines_that_touch_are_one_piece(
    case: Case, max_tokens: int
) -> None:
    pieces = case.packed(max_tokens)

    for one, other in pairwise(pieces):
        if one.path == other.path:
            assert one.end_line + 1 < other.start_line
    assert len(shown(pieces)) == sum(one.end_line - one.start_line + 1 for one in pieces)
    paths = [piece.path for piece in pieces]
    assert sum(a != b for a, b in pairwise(paths)) == max(0, len(set(paths)) - 1)


@given(cases(), BUDGETS, st.integers(0, 400))
def test_a_larger_budget_never_loses_the_best_hit(case: Case, max_tokens: int, more: int) -> None:
    def of_best(pieces: tuple[Piece, ...]) -> set[tuple[str, int]]:
        first = case.steps.all[0]
        wanted = {(first.path, n) for n in range(first.lines.first, first.lines.last + 1)}
        return wanted & shown(pieces)

    small, large = case.packed(max_tokens), case.packed(max_tokens + more)

    if small:
        assert of_best(small)
        assert of_best(small) <= of_best(large)
    else:
        assert not case.hits or max_tokens * 4 < len("src/f0.py:10-10  name1") + 5


@given(cases(), BUDGETS)
def test_the_same_question_gives_the_same_pieces(case: Case, max_tokens: int) -> None:
    assert case.packed(max_tokens) == case.packed(max_tokens)


@given(cases(), BUDGETS)
def test_a_line_is_cut_only_if_it_is_longer_than_the_budget(case: Case, max_tokens: int) -> None:
    pieces = case.packed(max_tokens)

    for piece in pieces:
        lines = case.steps.sheets[piece.path].lines[piece.start_line - 1 : piece.end_line]
        if piece.is_cut:
            assert len(pieces) == len(lines) == 1
            assert piece.text in lines[0]
            assert tokens_of(len(printable(lines[0])) + len(piece.heading)) > max_tokens - 2
        else:
            assert piece.text == "\n".join(lines)


@given(cases())
@settings(max_examples=50)
def test_a_budget_that_is_large_enough_shows_everything(case: Case) -> None:
    case = replace(case, steps=replace(case.steps, all=[*map(without_words, case.steps.all)]))
    everything = {
        (step.path, line)
        for step in case.steps.all
        for line in range(step.lines.first, step.lines.last + 1)
    }

    assert everything <= shown(case.packed(1_000_000))


@given(cases(), BUDGETS)
def test_files_come_in_the_order_of_their_best_hits(case: Case, max_tokens: int) -> None:
    best: dict[str, int] = {}
    for piece in case.packed(max_tokens):
        rank = min(one.rank for one in piece.nodes)
        best[piece.path] = min(rank, best.get(piece.path, rank))

    assert list(best.values()) == sorted(best.values())
