"""What a query seems to ask for, as seed 001 guesses it (case G69)."""

from __future__ import annotations

import pytest

from trivium.query.intent import IntentType, intent

OBSERVED = [
    ("src/server/index.js", "path", 0.742, "medium"),
    ("https://example.com/docs/api", "url", 0.859, "high"),
    ("cacheHit && key", "code", 0.802, "high"),
    ("alpha", "mixed", 0.24, "low"),
    ("getUserById", "mixed", 0.415, "low"),
]


@pytest.mark.parametrize(("text", "type_", "confidence", "bucket"), OBSERVED)
def test_g69_the_values_observed_in_the_seed_are_met(
    text: str, type_: str, confidence: float, bucket: str
) -> None:
    found = intent(text)

    assert (found.type, found.bucket) == (type_, bucket)
    assert found.confidence == pytest.approx(confidence, abs=0.0071)


def test_g69_an_unsure_guess_abstains() -> None:
    assert intent("alpha").has_abstained
    assert intent("alpha").effective is IntentType.MIXED
    assert not intent("src/server/index.js").has_abstained
    assert intent("src/server/index.js").effective is IntentType.PATH


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("alpha", {}),
        ("get_user", {"code": 1}),
        ("a != b", {"code": 2}),
        ("foo(bar)", {"code": 2}),
        ("std::vector", {"code": 2}),
        ("x->y && z", {"code": 2 + 1}),
        ("how to configure", {"prose": 2}),
        ("how to", {}),
        ('"a b" "c d"', {"prose": 2 + 1}),
        ('"a" "c"', {"prose": 1}),
        ("東京都", {"prose": 2}),
        ("src/auth", {"path": 3}),
        ("./run", {"path": 3}),
        ("/etc/hosts", {"path": 3, "code": 1}),
        ("docs\\guide.md", {"path": 3, "code": 1}),
        ("in `src/a.py`, why", {"path": 3, "prose": 2, "code": 1}),
        ("www.example.com", {"url": 4, "prose": 1, "code": 1}),
        ("(see https://x.y)", {"url": 4, "prose": 1, "code": 1}),
    ],
)
def test_each_sign_gives_its_points(text: str, points: dict[str, int]) -> None:
    assert intent(text).scores == {"code": 0, "prose": 0, "path": 0, "url": 0} | points


@pytest.mark.parametrize("text", ["1/2", "a / b", "//", "// remark", "/", "x /= 2"])
def test_a_slash_alone_is_no_path(text: str) -> None:
    assert intent(text).scores["path"] == 0


def test_the_name_of_a_file_is_no_sign_of_code() -> None:
    assert intent("src/getUser.ts").effective is IntentType.PATH


def test_filters_and_operators_are_no_words_of_the_query() -> None:
    assert (
        intent("alpha lang:py path:src/auth -kind:code AND beta").scores
        == intent("alpha beta").scores
    )


def test_two_types_that_are_close_are_mixed() -> None:
    found = intent("where is src/auth.py used")

    assert found.scores["path"] - found.scores["prose"] == 1
    assert found.type is IntentType.MIXED


@pytest.mark.parametrize(
    "text",
    [
        *["", " ", "(" * 10_000, "a" * 10_000, "a/" * 5_000, "/" * 10_000, "aA_" * 3_333],
        *['"' * 9_999, "://" * 3_333, "a:" * 5_000, "a " * 5_000, "1/" * 5_000, "\ud800"],
    ],
)
def test_any_text_has_an_intent_with_a_confidence_from_0_to_1(text: str) -> None:
    found = intent(text)

    assert 0 <= found.confidence <= 1
    assert found.effective in (found.type, IntentType.MIXED)
