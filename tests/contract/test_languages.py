# ruff: noqa: RUF001 - letters and marks of other scripts are what is tested
"""A question in Japanese, Korean, Chinese and others finds its paragraph, on every backend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from trivium import indexer
from trivium.backends.base import Backend, Snapshot
from trivium.engine import search
from trivium.models.registry import load
from trivium.options import Circumstances, SearchOptions
from trivium.ranking.profile import profile
from trivium.testing.filling import write_texts
from trivium.types import Answer, Hit

TEXTS = {
    "ja/fuji.md": "富士山は活火山である。標高は3776メートルで、日本の最高峰である。",
    "ja/tokyo.md": "東京は日本の首都である。どこに行っても人が多いですか、と聞かれることがある。",
    "ja/server.md": "サーバーを再起動する前に、データベースのバックアップを作成します。",
    "ko/array.md": "배열의 길이는 length 속성으로 알 수 있습니다. 값을 바꾸면 배열이 잘립니다.",
    "ko/install.md": "프로그램을 설치하려면 먼저 저장소를 복제합니다. 무엇이든 어떻게 하는가?",
    "zh/moon.md": "月球是地球唯一的天然卫星，平均距离约三十八万公里。",
    "zh/author.md": "《红楼梦》的作者通常认为是曹雪芹。什么是小说？哪里有多少读者？",
    "ru/book.md": "Пушкин написал роман «Евгений Онегин» в стихах.",
    "ar/city.md": "القاهرة هي عاصمة مصر وأكبر مدنها.",
    "th/food.md": "ต้มยำกุ้งเป็นอาหารไทยที่มีรสเปรี้ยวและเผ็ด",
    "fr/cafe.md": "Le café est torréfié à Orléans.",
}


@pytest.fixture
def snapshot(any_backend: Backend) -> Iterator[Snapshot]:
    write_texts(any_backend, TEXTS)
    static = load("static")
    assert static is not None
    indexer.embed(any_backend, static)
    with any_backend.snapshot() as held:
        yield held


def answer(snapshot: Snapshot, text: str, *, search_mode: str = "hybrid") -> Answer:
    static = load("static")
    assert static is not None
    options = SearchOptions(profile("best"), 5, search_mode=search_mode)
    given = Circumstances("languages", embedders=(static,))
    return search(snapshot, text, options=options, given=given)


def found(snapshot: Snapshot, text: str, *, search_mode: str = "hybrid") -> Sequence[Hit]:
    return answer(snapshot, text, search_mode=search_mode).results


def best(snapshot: Snapshot, text: str) -> Hit:
    return found(snapshot, text)[0]


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("富士山の標高は何メートルですか?", "ja/fuji.md"),
        ("日本の首都はどこですか", "ja/tokyo.md"),
        ("ｻｰﾊﾞの再起動", "ja/server.md"),
        ("배열 길이를 어떻게 알 수 있나요?", "ko/array.md"),
        ("값", "ko/array.md"),
        ("프로그램의 설치", "ko/install.md"),
        ("红楼梦的作者是谁？", "zh/author.md"),
        ("地球的卫星是什么", "zh/moon.md"),
        ("роман в стихах", "ru/book.md"),
        ("عاصمة مصر", "ar/city.md"),
        ("อาหารไทย", "th/food.md"),
        ("cafe torrefie", "fr/cafe.md"),
    ],
)
def test_a_question_finds_its_paragraph(snapshot: Snapshot, question: str, path: str) -> None:
    assert best(snapshot, question).node.source.file_path == path


def test_an_answer_says_where_meaning_had_no_say(snapshot: Snapshot) -> None:
    said = [(one.stage, one.reason) for one in answer(snapshot, "富士山の標高").degraded]

    assert said == [("vectors", "static knows English; words alone rank this query")]
    assert answer(snapshot, "cafe torrefie").degraded == ()


@pytest.mark.parametrize(
    ("question", "marked"),
    [
        ("富士山の標高は何メートルですか?", {"富士山", "標高", "メートル"}),
        ("서버와 배열의 길이", {"배열", "길이"}),
        ("红楼梦的作者是谁？", {"红楼梦", "作者"}),
    ],
)
def test_what_was_asked_for_is_marked_and_function_words_are_not(
    snapshot: Snapshot, question: str, marked: set[str]
) -> None:
    hit = best(snapshot, question)

    shown = [hit.snippet[start:end] for start, end in hit.highlights]
    for word in marked:
        assert any(word in one for one in shown), shown
    assert not {"です", "何", "谁", "의"}.intersection(shown)


@pytest.mark.parametrize("question", ["日本の首都はどこですか", "배열 길이", "роман в стихах"])
def test_what_a_model_of_english_cannot_read_is_answered_as_by_words_alone(
    snapshot: Snapshot, question: str
) -> None:
    hybrid, words = found(snapshot, question), found(snapshot, question, search_mode="keyword")

    assert [(hit.id, hit.score) for hit in hybrid] == [(hit.id, hit.score) for hit in words]


def test_what_words_do_not_find_is_left_to_meaning(snapshot: Snapshot) -> None:
    assert found(snapshot, "highest mountain")
