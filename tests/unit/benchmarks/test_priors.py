from __future__ import annotations

from benchmarks import recency
from benchmarks.priors import NOTHING, Past, beside_code, learned, ranked, skilled, weighed

SKILLS = {
    "ship": ("Ship a release", "How to ship a release of the shop."),
    "tag": ("Tag a release", "How to tag a release of the shop."),
    "bread": ("Bake bread", "Flour, water and time."),
}
TEXTS = {"one": "tag a release", "two": "tag the release", "three": "bake"}
JUDGED = {"one": {"tag": 1.0}, "two": {"tag": 1.0}, "three": {"bread": 1.0}}


def test_the_past_counts_uses_and_who_was_right() -> None:
    past = learned(SKILLS, TEXTS, JUDGED)

    assert past.uses == {"tag": 2, "bread": 1}
    assert past.sure["tag"] == 3 / 4


def test_numbers_that_are_dealt_out_are_the_same_of_others() -> None:
    past = Past({"ship": 5, "tag": 1}, {"ship": 0.2})
    dealt = past.dealt_out([*SKILLS], seed=3)

    assert sorted(dealt.uses.values()) == [1, 5]
    assert (past.uses, past.sure) != (dealt.uses, dealt.sure)


def test_a_skill_that_was_used_comes_before_its_like() -> None:
    def first(past: Past) -> str:
        with skilled(SKILLS, past) as snapshot:
            return ranked(snapshot, "a release of the shop", weighed("best", usage=0.4))[0]

    plain = first(NOTHING)
    other = "ship" if plain.endswith("tag.md") else "tag"
    assert first(Past({other: 64}, {})).endswith(f"{other}.md")


def test_code_stands_beside_every_page() -> None:
    own = beside_code(recency.made(6, seed=1))
    paths = {one.path for one in own.files}
    code = [one for one in own.queries if one.group == "code"]

    assert len(code) == len([one for one in own.queries if one.group == "page"]) == 6
    assert {one.right for one in own.queries} <= paths
