"""Choosing numbers by some queries and judging them by others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

import pytest

from trivium.errors import UsageError
from trivium.evaluation.knobs import (
    UNCHANGED,
    Circumstance,
    Knob,
    Setting,
    knobs,
    tables,
    turned,
)
from trivium.evaluation.tuning import Tuned, climbed, folded, tune
from trivium.ranking.profile import Profile, profile, shipped
from trivium.ranking.profile_file import read

ALL = Circumstance(
    has_vectors=True, is_instant=False, has_names=True, has_words_as_names=True, has_code=True
)
IDS = [f"q{number}" for number in range(40)]
ALONE = [""] * len(IDS)


def knob(key: str, *values: float, base: float) -> Knob:
    def same(one: Profile, value: float) -> Profile:
        raise AssertionError((one, value))

    return Knob(key, base, tuple(sorted({*values, base})), same, lambda value: {"t": {key: value}})


KNOBS = [knob("a", 0.0, 1.0, 2.0, base=1.0), knob("b", 0.0, 1.0, base=0.0)]


def peaked(a: float, b: float, *, height: float = 0.3) -> Callable[[Setting], list[float]]:
    """Score every query alike: the higher, the nearer the knobs are to `a` and `b`."""

    def scores(setting: Setting) -> list[float]:
        chosen = {"a": 1.0, "b": 0.0, **dict(setting)}
        away = abs(chosen["a"] - a) + abs(chosen["b"] - b)
        return [0.5 + height / (1 + away)] * len(IDS)

    return scores


def test_each_knob_is_turned_to_where_it_scores_most() -> None:
    assert climbed(KNOBS, peaked(2, 1), range(40), ALONE) == (("a", 2.0), ("b", 1.0))


def test_a_setting_that_is_the_base_is_no_change_at_all() -> None:
    assert climbed(KNOBS, peaked(1, 0), range(40), ALONE) == UNCHANGED


def test_what_gains_too_little_to_tell_from_chance_is_not_taken() -> None:
    assert climbed(KNOBS, peaked(2, 0, height=0.003), range(40), ALONE) == UNCHANGED


def test_of_values_that_gain_alike_the_nearest_to_the_base_is_taken() -> None:
    wide = [knob("a", 0.0, 2.0, 3.0, 9.0, base=1.0)]

    def scores(setting: Setting) -> list[float]:
        return [1.0 if dict(setting).get("a", 1.0) > 1 else 0.0] * len(IDS)

    assert climbed(wide, scores, range(40), ALONE) == (("a", 2.0),)


def test_numbers_are_chosen_by_the_queries_given_and_no_others() -> None:
    def scores(setting: Setting) -> list[float]:
        gain = dict(setting).get("a", 1.0)
        return [gain / 10 if at < 20 else 1 - gain / 10 for at in range(40)]

    assert climbed(KNOBS, scores, range(20), ALONE) == (("a", 2.0),)
    assert climbed(KNOBS, scores, range(20, 40), ALONE) == (("a", 0.0),)


def test_folds_are_equal_hold_every_query_once_and_are_the_same_every_time() -> None:
    parts = folded(IDS, ALONE, 5)
    assert [len(part) for part in parts] == [8] * 5
    assert sorted(at for part in parts for at in part) == list(range(40))
    assert parts == folded(IDS, ALONE, 5)
    assert parts[0] != list(range(8))


def test_a_group_is_never_torn_apart_by_folds() -> None:
    groups = [f"g{number % 7}" for number in range(40)]
    parts = folded(IDS, groups, 5)
    assert len(parts) == 5
    of_part = [{groups[at] for at in part} for part in parts]
    assert sum(map(len, of_part)) == 7
    assert set.union(*of_part) == set(groups)


def test_there_are_no_more_folds_than_groups() -> None:
    assert len(folded(IDS, [f"g{number % 6}" for number in range(40)], 10)) == 6


def tuned(scores: Callable[[Setting], Sequence[float]], groups: Sequence[str] = ALONE) -> Tuned:
    return tune(KNOBS, scores, ids=IDS, groups=groups)


def test_a_gain_that_every_query_has_holds_on_those_held_out() -> None:
    found = tuned(peaked(2, 0))
    assert found.setting == (("a", 2.0),)
    assert found.before == pytest.approx(0.5 + 0.3 / 2)
    assert found.held_out == found.fitted == pytest.approx(0.5 + 0.3)
    assert found.gain == pytest.approx(found.low) == pytest.approx(found.high)
    assert (found.wins, found.ties, found.losses) == (40, 0, 0)
    assert found.holds
    assert [one.setting for one in found.folds] == [(("a", 2.0),)] * 5


def by_chance(seed: int) -> Callable[[Setting], list[float]]:
    """Score each query by dice, another throw for each setting."""

    def scores(setting: Setting) -> list[float]:
        chance = Random(f"{seed} {setting}")  # noqa: S311 (test data, not a secret)
        return [chance.random() for _ in IDS]

    return scores


def test_dice_are_fitted_and_refused_in_nearly_every_game() -> None:
    games = [tuned(by_chance(seed)) for seed in range(60)]
    # Fitted to the queries it was chosen by, most games look won.
    assert sum(game.fitted > game.before for game in games) > 40
    # An interval of 95 % leaves 2.5 % above it; three games of sixty is chance too.
    assert sum(game.holds for game in games) <= 4


def test_nothing_better_than_the_base_holds_nothing() -> None:
    found = tuned(peaked(1, 0))
    assert (found.setting, found.gain, found.low, found.high) == (UNCHANGED, 0, 0, 0)
    assert not found.holds


def test_groups_count_alike_and_are_drawn_whole() -> None:
    groups = ["large" if at < 20 else f"g{at % 5}" for at in range(40)]

    def scores(setting: Setting) -> list[float]:
        gain = 0.6 if dict(setting).get("a") == 2 else 0.0
        return [0.2 if at < 20 else 0.2 + gain for at in range(40)]

    found = tuned(scores, groups)
    assert found.gain == pytest.approx(0.6 * 5 / 6)
    # One group of six gains nothing: drawn whole, it is sometimes drawn twice or three times.
    assert found.low == pytest.approx(0.6 * 3 / 6)


@pytest.mark.parametrize("count", [0, 1, 19])
def test_too_few_queries_are_refused(count: int) -> None:
    with pytest.raises(UsageError, match=f"{count} judged queries; tuning needs at least 20"):
        tune(KNOBS, peaked(2, 0), ids=IDS[:count], groups=ALONE[:count])


def test_too_few_groups_are_refused() -> None:
    with pytest.raises(UsageError, match="of 4 groups; at least 5 are needed"):
        tuned(peaked(2, 0), [f"g{number % 4}" for number in range(40)])


@pytest.mark.parametrize("folds", [-1, 0, 1])
def test_folds_that_make_no_sense_are_refused(folds: int) -> None:
    with pytest.raises(UsageError, match=f"folds is {folds}"):
        tune(KNOBS, peaked(2, 0), ids=IDS, groups=ALONE, folds=folds)


def keys(name: str, given: Circumstance = ALL) -> list[str]:
    return [one.key for one in knobs(profile(name), given)]


def test_only_what_can_make_a_difference_is_tuned() -> None:
    shares = ["fuse.weights.vectors", "fuse.code_weights.vectors", "fuse.name_weights.vectors"]
    assert keys("best")[:4] == [*shares, "boost.name"]
    assert keys("best", replace(ALL, has_vectors=False, has_code=False)) == ["boost.name"]
    assert "fuse.name_weights.vectors" not in keys("best", replace(ALL, has_words_as_names=False))
    assert "boost.name" not in keys("best", replace(ALL, has_names=False))
    assert not {"boost.file", "boost.again"} & set(keys("best", replace(ALL, has_code=False)))


def test_fields_are_tuned_only_where_the_index_keeps_them_apart() -> None:
    assert not any(key.startswith("view.fields") for key in keys("best"))
    view = profile("rag").view
    assert view.combine == "sum"
    named = [f"view.fields.{name}" for name, _ in view.fields[:-1]]
    assert [key for key in keys("rag") if key.startswith("view.fields")] == named


def test_an_instant_model_has_its_own_weights_tuned_where_there_are_such() -> None:
    base = profile("best")
    plain = replace(base, fusion=replace(base.fusion, instant_weights={}))
    (first, *_) = knobs(base, replace(ALL, is_instant=True))
    assert (first.key, first.base) == (
        "fuse.instant_weights.vectors",
        base.fusion.instant_weights["vectors"],
    )
    assert knobs(plain, replace(ALL, is_instant=True))[0].key == "fuse.weights.vectors"


def test_other_signals_keep_their_weight_when_words_and_meaning_share_theirs() -> None:
    base = profile("xplor")
    first = knobs(base, ALL)[0]
    weights = turned(base, (first,), ((first.key, 1.0),)).fusion.weights
    both = base.fusion.weights["text"] + base.fusion.weights["vectors"]
    assert weights == {**base.fusion.weights, "text": 0.0, "vectors": pytest.approx(both)}


def test_what_the_instant_model_says_beside_a_slower_one_is_meaning_too() -> None:
    base = profile("best")
    given = base.fusion.code_weights
    one = next(one for one in knobs(base, ALL) if one.key == "fuse.code_weights.vectors")

    def shared(meaning: float) -> Mapping[str, float]:
        return turned(base, (one,), ((one.key, meaning),)).fusion.code_weights

    assert one.base == pytest.approx((given["vectors"] + given["instant"]) / sum(given.values()))
    assert shared(one.base) == pytest.approx(given)
    assert shared(0.0) == pytest.approx({"text": 1.0, "vectors": 0.0, "instant": 0.0})
    half = shared(0.5)
    assert half["text"] == pytest.approx(0.5)
    assert half["instant"] / half["vectors"] == pytest.approx(
        given["instant"] / given["vectors"], rel=1e-3
    )


@pytest.mark.parametrize("name", shipped())
def test_every_value_written_to_a_file_reads_as_the_profile_that_was_measured(name: str) -> None:
    base = profile(name)
    every = knobs(base, ALL)
    for one in every:
        for value in one.values:
            setting = ((one.key, value),)
            lines = [f'extends = "{name}"', 'name = "mine"', 'description = "x"']
            for table, numbers in tables(every, setting).items():
                shown = {**dict(base.view.fields), **numbers} if "fields" in table else numbers
                lines += [f"[{table}]", *(f"{key} = {number:g}" for key, number in shown.items())]
            made = read("\n".join(lines), origin="mine.toml")
            measured = turned(base, every, setting)
            assert made.fusion == measured.fusion, setting
            assert made.boosts == measured.boosts, setting
            assert made.view.fields == measured.view.fields, setting
