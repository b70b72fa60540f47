from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.analysis.words import analyser
from trivium.results.lines import lines
from trivium.results.matching import Sought, marked
from trivium.results.prose import prose
from trivium.results.shortening import Snippet
from trivium.results.snippet import start
from trivium.results.stretch import Stretch, whole
from trivium.types import Span

STANDARD, SIMPLE = analyser("standard"), analyser("simple")


def shown(text: str, query: str, *, first_line: int = 1) -> Snippet:
    wanted = frozenset(STANDARD.terms(query))
    return lines(whole(text, first_line=first_line), Sought(wanted, STANDARD))


def marks_in(text: str, query: str, *, how: str = "standard") -> list[str]:
    words_of = analyser(how)
    ranges, _ = marked(text, frozenset(words_of.terms(query)), words_of)
    return [text[first:last] for first, last in ranges]


def test_the_window_starts_a_line_before_the_first_match() -> None:
    text = "\n".join(f"line {number}" for number in range(9)) + "\ncat\nafter"

    snippet = shown(text, "cat", first_line=100)

    assert snippet.text == "line 8\ncat\nafter"
    assert snippet.first_line == 108
    assert snippet.marks == ((7, 10),)
    assert snippet.words == ("cat",)


def test_a_blank_line_is_no_lead_in() -> None:
    assert shown("first\n" * 6 + "\ncat\n", "cat").text == "cat"


def test_the_window_with_most_different_words_wins() -> None:
    text = "cat cat cat\n" + "x\n" * 9 + "the cat and the dog\n"

    assert shown(text, "cat dog").text == "x\nthe cat and the dog"


def test_of_equal_windows_the_first_wins() -> None:
    text = "cat\n" + "x\n" * 9 + "cat\n"

    assert shown(text, "cat").first_line == 1


def test_without_a_match_the_first_lines_that_say_something_are_shown() -> None:
    text = "\n\n" + "\n".join(f"line {number}" for number in range(9))

    snippet = shown(text, "cat")

    assert snippet.text == "\n".join(f"line {number}" for number in range(6))
    assert (snippet.first_line, snippet.marks, snippet.words) == (3, (), ())


def test_blank_lines_and_spaces_at_ends_are_not_shown() -> None:
    assert shown("cat  \n\n  \n", "cat").text == "cat"


def test_nothing_but_white_space_shows_nothing() -> None:
    assert shown("  \n \n", "cat").text == ""


def test_a_long_line_is_shown_from_shortly_before_its_first_match() -> None:
    text = "word " * 100 + "cat " + "more " * 100

    snippet = shown(text, "cat")

    assert len(snippet.text) <= 240
    assert snippet.text.startswith("…word word")
    assert snippet.text.endswith("more…")
    assert snippet.text.strip("…") in text
    assert [snippet.text[first:last] for first, last in snippet.marks] == ["cat"]


def test_a_long_line_that_matches_early_or_not_at_all_is_shown_from_its_start() -> None:
    text = "cat " + "word " * 100

    assert shown(text, "cat").text == text[:238].rstrip() + "…"
    assert shown(text, "dog").text == text[:238].rstrip() + "…"


def test_a_long_line_without_spaces_still_shows_its_match() -> None:
    text = "," * 400 + "cat" + "," * 400

    snippet = shown(text, "cat")

    assert [snippet.text[first:last] for first, last in snippet.marks] == ["cat"]
    assert len(snippet.text) == 240
    assert snippet.text[0] == snippet.text[-1] == "…"


def test_200_characters_are_followed_by_dots_only_if_there_are_more() -> None:
    wanted = frozenset({"a"})

    for text, expected in [("a" * 200, "a" * 200), ("a" * 201, "a" * 200 + "...")]:
        assert start(text, first_line=1, sought=Sought(wanted, SIMPLE)).text == expected


def test_the_dots_are_never_marked() -> None:
    snippet = start("cat " * 60, first_line=7, sought=Sought(frozenset({"cat"}), SIMPLE))

    assert snippet.marks[-1] == (196, 199)
    assert snippet.first_line == 7


@pytest.mark.parametrize(
    ("text", "query", "marks"),
    [
        ("Hashing passwords", "hash password", ["Hashing", "passwords"]),
        ("getUserById(x)", "user", ["getUserById"]),
        ("a cat-dog", "dog cat", ["cat", "dog"]),
        ("東京都に住む", "東京", ["東京"]),
        ("東京都に住む", "東京都", ["東京都"]),
        ("住む京", "東京都", ["京"]),
        ("東京tower", "tower", ["tower"]),
        ("東京tower", "東京", ["東京"]),
        ("東京tower", "東京 tower", ["東京tower"]),
        ("コード検索", "検索 コード", ["コード検索"]),
        ("コードと検索", "検索 コード", ["コード", "検索"]),
        ("no match", "cat", []),
        ("no query", "", []),
    ],
)
def test_the_words_that_match_are_marked(text: str, query: str, marks: list[str]) -> None:
    assert marks_in(text, query) == marks


def test_an_analyser_that_keeps_runs_whole_marks_them_whole() -> None:
    assert marks_in("東京都に住む", "東京都に住む", how="simple") == ["東京都に住む"]
    assert marks_in("東京都に住む", "東京", how="simple") == []


def test_matched_words_come_as_they_stand_in_the_text_one_for_each_term() -> None:
    wanted = frozenset(STANDARD.terms("hash passwords user"))

    _, words = marked("Passwords: hashing, hash_password, getUserName", wanted, STANDARD)

    assert words == ("Passwords", "hashing", "User")


def test_an_identifier_asked_for_as_a_whole_is_its_parts_or_itself() -> None:
    assert marked("password_hash_hash", frozenset({"hash", "password"}), STANDARD)[1] == (
        "password",
        "hash",
    )
    assert marked("hash_password", frozenset({"hashpassword"}), STANDARD)[1] == ("hash_password",)


@pytest.mark.parametrize("word", ["dying", "lying", "tying", "skies", "tries", "Über", "ﬁnd"])
def test_a_word_is_marked_however_far_its_term_is_from_it(word: str) -> None:
    wanted = frozenset(analyser("standard").terms(word))

    assert marked(f"x {word} y", wanted, analyser("standard"))[0] == ((2, 2 + len(word)),)


def test_an_identifier_parted_after_two_letters_is_marked_by_its_whole() -> None:
    wanted = frozenset(analyser("standard").terms("tostring"))

    for name in ("to_string", "to__string", "toString", "ToString"):
        assert marked(f"x {name} y", wanted, STANDARD)[0] == ((2, 2 + len(name)),)


FILLER = "Nothing of note happens in this sentence at all, which goes on for quite a while. " * 5


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("tring is enough. A cat sleeps here.", "cat", "A cat sleeps here."),
        ("tring is a cat here.", "cat", "…is a cat here."),
        ("cat is enough here.", "cat", "…cat is enough here."),
        ("\u200d\U0001f469 and a cat.", "cat", "…and a cat."),
        ("x" * 100 + " cat.", "cat", "…" + "x" * 100 + " cat."),
        ("cat", "dog", "…cat"),
        ("one ", "dog", "…one"),
    ],
)
def test_what_is_known_in_part_only_is_shown_as_cut(text: str, query: str, expected: str) -> None:
    inside = Span(0, len(text))
    snippet = prose(Stretch(text, 1, inside, is_cut_before=True), sought_for(query))

    assert snippet.text == expected
    assert [snippet.text[first:last] for first, last in snippet.marks] == [
        word for word in ("cat",) if query == word
    ]
    assert prose(whole(text), sought_for(query)).text == text.rstrip()


def test_what_goes_on_behind_is_cut_where_a_clause_or_a_word_ends() -> None:
    text = "A cat sleeps here, on the old grey sofa that nobody els"
    inside = Span(0, len(text))

    snippet = prose(Stretch(text, 1, inside, is_cut_behind=True), sought_for("cat"))

    assert snippet.text == "A cat sleeps here, on the old grey sofa that nobody…"


def test_a_chunk_that_begins_and_ends_inside_of_sentences_is_shown_with_the_rest_of_them() -> None:
    before, own, behind = "Lead in. The tabby c", "at sleeps on the so", "fa. It purrs. More of"
    stretch = Stretch(
        before + own + behind, 7, Span(len(before), len(before + own)), True, is_cut_behind=True
    )

    snippet = prose(stretch, sought_for("sleeps"))

    assert snippet.text == "The tabby cat sleeps on the sofa. It purrs."
    assert [snippet.text[first:last] for first, last in snippet.marks] == ["sleeps"]


def sought_for(query: str, *phrases: str) -> Sought:
    return Sought(frozenset(STANDARD.terms(query)), STANDARD, phrases)


def test_prose_is_shown_in_whole_sentences_and_the_line_is_theirs() -> None:
    text = f"{FILLER}\nThe tabby cat sleeps. It purrs.\n{FILLER}"
    found = prose(whole(text, first_line=10), sought_for("tabby purr"))

    assert found.text.startswith("The tabby cat sleeps. It purrs.")
    assert found.text.endswith("while.")
    assert found.text in text
    assert found.first_line == 11
    assert [found.text[first:last] for first, last in found.marks] == ["tabby", "purrs"]


def test_prose_without_a_match_shows_its_first_sentences() -> None:
    found = prose(whole(f"First here. {FILLER}"), sought_for("zebra"))
    assert found.text.startswith("First here. Nothing of note")
    assert found.marks == ()


def test_the_sentence_nearest_in_meaning_is_shown_and_marked_where_no_word_matches() -> None:
    asked: list[list[str]] = []

    def nearest(texts: Sequence[str]) -> int:
        asked.append(list(texts))
        return texts.index("Felines rest.")

    sought = Sought(frozenset({"tabbi"}), STANDARD, nearest=nearest)
    found = prose(whole(f"{FILLER} Felines rest. {FILLER}"), sought)

    (mark,) = found.marks
    assert found.text[slice(*mark)] == "Felines rest."
    assert len(asked) == 1


def test_meaning_is_not_asked_where_a_word_matches() -> None:
    def nearest(_: Sequence[str]) -> int:
        raise AssertionError

    sought = Sought(frozenset({"tabbi"}), STANDARD, nearest=nearest)
    found = prose(whole(f"{FILLER} A tabby."), sought)
    assert [found.text[first:last] for first, last in found.marks] == ["tabby"]


def test_a_phrase_is_marked_from_its_first_word_to_its_last() -> None:
    sought = sought_for("how to reset", "how to reset")
    found = prose(whole("Learn How  to\nreset it."), sought)
    assert [found.text[first:last] for first, last in found.marks] == ["How  to\nreset"]


def test_one_endless_sentence_is_cut_between_words_around_its_match() -> None:
    text = "word " * 400 + "tabby " + "word " * 400
    found = prose(whole(text), sought_for("tabby"))
    assert len(found.text) <= 320
    assert [found.text[first:last] for first, last in found.marks] == ["tabby"]
    assert found.text.startswith("…word ")
    assert found.text.endswith(" word…")
    assert set(found.text.strip("…").split()) == {"word", "tabby"}


@pytest.mark.parametrize("cut", [lines, prose])
def test_no_cut_goes_through_a_flag(cut: Callable[..., Snippet]) -> None:
    found = cut(whole("🇯🇵" * 2000), sought_for("zebra"))
    assert found.text.endswith("🇯🇵…")
    assert len(found.text.rstrip("…")) % 2 == 0


def start_of(stretch: Stretch, sought: Sought) -> Snippet:
    return start(stretch.text, first_line=stretch.first_line, sought=sought)


@pytest.mark.parametrize("cut", [lines, prose, start_of])
def test_a_minified_line_and_right_to_left_text_are_marked_where_they_match(
    cut: Callable[..., Snippet],
) -> None:
    minified = "var a=1;" * 20_000 + "tabby()" + ";b=2" * 20_000
    found = cut(whole(minified), sought_for("tabby"))
    assert len(found.text) <= 320
    for first, last in found.marks:
        assert found.text[first:last] == "tabby"

    hebrew = "החתול ישן על הספה. הכלב רץ בגן."
    found = cut(whole(hebrew), sought_for("הכלב"))
    assert [found.text[first:last] for first, last in found.marks] == ["הכלב"]


@pytest.mark.parametrize("text", ["", " \n ", "\n\n\n"])
def test_prose_without_words_shows_nothing(text: str) -> None:
    assert prose(whole(text, first_line=3), sought_for("cat")) == Snippet("", (), 3, ())


@given(st.text(max_size=600), st.text(max_size=20))
def test_what_is_shown_of_prose_stands_in_it_and_marks_lie_inside(text: str, query: str) -> None:
    found = prose(whole(text), sought_for(query, query))
    # A cut is shown; what the text has of dots itself stands in it.
    assert found.text in text or found.text.strip("…") in text
    assert len(found.text) <= 320
    at = 0
    for first, last in found.marks:
        assert at <= first < last <= len(found.text)
        at = last


def test_a_heading_that_matches_brings_what_stands_below_it() -> None:
    text = "## Tabby\n\n" + "word " * 200 + "end."
    found = prose(whole(text), sought_for("tabby"))
    assert found.text.startswith("## Tabby\n\nword word")
    assert 160 < len(found.text) <= 320


def test_pairs_of_letters_that_overlap_are_told_as_the_word_they_are_of() -> None:
    query = "パスワード"
    text = "保存されたパスワードを比べる。"

    marks, words = marked(text, frozenset(STANDARD.terms(query)), STANDARD)

    assert [text[first:last] for first, last in marks] == [query]
    assert words == (query,)


FRONT = "---\ntitle: Growing tomatoes\ntags: [garden]\n---\n"


@pytest.mark.parametrize("query", ["tomatoes", "garden tomatoes", "zebra"])
def test_front_matter_is_not_shown_where_the_text_below_it_tells_as_much(query: str) -> None:
    found = prose(whole(f"{FRONT}Tomatoes want sun.\n"), sought_for(query))

    assert found.text == "Tomatoes want sun."
    assert found.first_line == 1 + FRONT.count("\n")


@pytest.mark.parametrize("below", ["They want sun.\n", "\n", ""])
def test_front_matter_is_shown_where_it_alone_matches(below: str) -> None:
    found = prose(whole(FRONT + below), sought_for("garden"))

    assert "tags: [garden]" in found.text
    assert found.first_line == 1


def test_lines_that_divide_are_no_front_matter_after_the_first() -> None:
    found = prose(whole("---\n" * 5000 + "A tabby."), sought_for("tabby"))

    assert found.text.endswith("tabby.")


def test_a_list_without_marks_is_shown_in_a_few_lines() -> None:
    found = prose(whole("\n".join(["one", "tabby", *"abcdefghijklm"])), sought_for("tabby"))
    assert found.text.split("\n") == ["tabby", *"abcdefg"]
