from __future__ import annotations

from collections.abc import Mapping

from trivium.results.fill import Role, Stage, Step, Weights, fill, title
from trivium.results.sheet import Lines, Sheet
from trivium.types import Kind, Location, Node, NodeId, Span

SHEETS: Mapping[str, Sheet] = {
    name: Sheet.of("\n".join(f"line {n} of {name}" for n in range(1, 101)), place=name)
    for name in ("a.py", "b.py", "c.py")
}
WEIGHTS = Weights(fall=1.0, window=1.0, chunk=0.5, whole=0.5, again=0.5)


def step(
    path: str,
    first: int,
    last: int,
    *,
    rank: int,
    stage: Stage = Stage.WINDOW,
    after: int | None = None,
    role: Role = Role.HIT,
    words: str = "",
) -> Step:
    node = Node(
        NodeId(f"code:{path}#f{rank}"),
        Kind.CODE,
        "function",
        f"f{rank}",
        Location(path, first, last),
        Span(0, 0),
        (),
    )
    lines = Lines(first, last)
    given = frozenset(words.split())
    return Step(path, lines, node, f"f{rank}", rank, stage, role, "", after, given)


def taken(steps: list[Step], *, max_tokens: int = 10_000, weights: Weights = WEIGHTS) -> list[int]:
    return list(fill(steps, SHEETS, max_tokens=max_tokens, weights=weights).steps)


def test_a_hit_of_a_higher_rank_comes_first() -> None:
    steps = [step("a.py", 1, 5, rank=1), step("b.py", 1, 5, rank=2), step("c.py", 1, 5, rank=3)]

    assert taken(steps) == [0, 1, 2]


def test_a_few_lines_of_the_next_hit_come_before_many_more_of_the_best() -> None:
    steps = [
        step("a.py", 1, 5, rank=1),
        step("a.py", 1, 90, rank=1, stage=Stage.WHOLE, after=0),
        step("b.py", 1, 5, rank=2),
    ]

    assert taken(steps) == [0, 2, 1]


def test_a_whole_function_comes_at_once_where_it_is_cheap() -> None:
    steps = [
        step("a.py", 1, 5, rank=1),
        step("a.py", 1, 7, rank=1, stage=Stage.WHOLE, after=0),
        step("b.py", 1, 5, rank=2),
    ]

    assert taken(steps) == [0, 1, 2]


def test_another_hit_of_a_file_that_is_shown_is_worth_less() -> None:
    steps = [
        step("a.py", 1, 5, rank=1),
        step("a.py", 50, 54, rank=2),
        step("b.py", 50, 54, rank=3),
    ]

    assert taken(steps) == [0, 2, 1]
    assert taken(steps, weights=Weights(fall=1.0, again=1.0)) == [0, 1, 2]


def test_what_much_repeats_a_text_that_is_shown_comes_last() -> None:
    steps = [
        step("a.py", 1, 5, rank=1, words="a b c d"),
        step("b.py", 1, 5, rank=2, words="a b c d e"),
        step("c.py", 1, 5, rank=9, words="e f g h"),
    ]

    assert taken(steps) == [0, 2, 1]


def test_a_copy_of_a_text_that_is_shown_is_left_out() -> None:
    steps = [
        step("a.py", 1, 5, rank=1, words="a b c d"),
        step("b.py", 1, 5, rank=2, words="d c b a"),
        step("b.py", 1, 9, rank=2, stage=Stage.WHOLE, after=1),
    ]

    assert taken(steps) == [0]


def test_texts_that_share_few_words_are_not_repeats() -> None:
    steps = [
        step("a.py", 1, 5, rank=1, words="a b c d"),
        step("b.py", 1, 5, rank=2, words="a x y z"),
        step("c.py", 1, 5, rank=3, words="e f g h"),
    ]

    assert taken(steps) == [0, 1, 2]


def test_what_does_not_fit_is_passed_over_with_all_that_comes_after_it() -> None:
    steps = [
        step("a.py", 1, 2, rank=1),
        step("a.py", 1, 90, rank=1, stage=Stage.CHUNK, after=0),
        step("a.py", 1, 92, rank=1, stage=Stage.WHOLE, after=1),
        step("b.py", 1, 2, rank=9),
    ]

    assert taken(steps, max_tokens=60) == [0, 3]


def test_the_best_hit_comes_before_what_is_worth_more_for_a_token() -> None:
    steps = [step("a.py", 1, 40, rank=1), step("b.py", 1, 1, rank=2)]

    assert taken(steps) == [0, 1]


def test_lines_between_two_that_are_shown_cost_less_than_others() -> None:
    # Of the same worth; the second joins two pieces, and so saves a heading.
    steps = [
        step("a.py", 1, 5, rank=1),
        step("b.py", 1, 5, rank=2),
        step("a.py", 6, 10, rank=2),
    ]

    assert taken(steps, weights=Weights(fall=1.0, again=1.0)) == [0, 2, 1]


def test_the_tokens_are_those_of_all_pieces() -> None:
    steps = [step("a.py", 1, 5, rank=1), step("a.py", 50, 55, rank=2), step("b.py", 1, 2, rank=3)]

    made = fill(steps, SHEETS, max_tokens=10_000, weights=WEIGHTS)

    assert made.tokens == (
        SHEETS["a.py"].tokens(Lines(1, 5), "f1")
        + SHEETS["a.py"].tokens(Lines(50, 55), "f2")
        + SHEETS["b.py"].tokens(Lines(1, 2), "f3")
    )


def test_a_piece_is_named_after_its_best_hit_and_not_what_belongs_to_another() -> None:
    steps = [
        step("a.py", 1, 1, rank=1, role=Role.HOLDS),
        step("a.py", 2, 5, rank=3),
        step("a.py", 6, 9, rank=2),
    ]

    assert title(steps, Lines(1, 9)) == "f2"
    assert title(steps, Lines(1, 1)) == "f1"


def test_nothing_to_show_takes_nothing() -> None:
    assert taken([]) == []
