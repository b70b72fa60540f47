"""Thumbs up and down, in process and in their file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.doors.http.conftest import Send

from trivium.doors.hosting import Hosting
from trivium.doors.judgements import Judgements
from trivium.errors import UsageError
from trivium.evaluation.datasets import load_judged


def test_a_judgement_is_kept_changed_and_taken_back(send: Send, get: Send) -> None:
    def judge(relevance: int | None) -> list[dict[str, object]]:
        body = {"query": "password", "id": "code:auth.py#hashed", "relevance": relevance}
        assert send("POST", "/api/judgements", json=body).json() == body
        found: list[dict[str, object]] = get("/api/judgements", q="password").json()["judgements"]
        return found

    assert [one["relevance"] for one in judge(1)] == [1]
    assert [one["relevance"] for one in judge(0)] == [0]
    assert judge(None) == []
    assert get("/api/judgements").json() == {"judgements": []}


def test_judgements_of_two_collections_are_apart(send: Send, get: Send, shops: Hosting) -> None:
    body = {"query": "plough", "id": "doc:plough.md#Plough", "relevance": 1, "collection": "farm"}
    send("POST", "/api/judgements", json=body)

    assert get("/api/judgements", q="plough").json()["judgements"] == []
    kept = get("/api/judgements", q="plough", collection="farm").json()["judgements"]
    assert [one["id"] for one in kept] == ["doc:plough.md#Plough"]
    assert Judgements.of(shops.upkeep("farm").collection).file.exists()


def test_what_is_not_there_cannot_be_judged_and_one_that_has_gone_can_be_withdrawn(
    send: Send, get: Send, shops: Hosting, folders: list[Path]
) -> None:
    def judge(wanted: str, relevance: int | None) -> int:
        body = {"query": "tabby", "id": wanted, "relevance": relevance}
        return send("POST", "/api/judgements", json=body).status_code

    def kept() -> list[str]:
        return [one["id"] for one in get("/api/judgements").json()["judgements"]]

    assert (judge("doc:no.md#No", 1), judge("doc:no.md#No", 0), kept()) == (404, 404, [])
    assert (judge("doc:guide.md#Cats", 1), kept()) == (200, ["doc:guide.md#Cats"])

    (folders[0] / "guide.md").unlink()
    shops.upkeep("shop").sync_now()

    assert judge("doc:guide.md#Cats", 0) == 404
    assert (judge("doc:guide.md#Cats", None), kept()) == (200, [])


def test_a_node_that_is_judged_by_its_name_is_kept_by_its_id(send: Send) -> None:
    body = {"query": "password", "id": "hashed", "relevance": 1}

    assert send("POST", "/api/judgements", json=body).json()["id"] == "code:auth.py#hashed"


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": "a", "id": "b"},
        {"query": "a", "id": "b", "relevance": 2},
        {"query": "a", "id": "b", "relevance": True},
        {"query": "a", "id": "b", "relevance": "1"},
        {"query": "", "id": "b", "relevance": 1},
        {"id": "b", "relevance": 1},
        {"query": "a", "id": "b", "relevance": 1, "grade": 1},
    ],
)
def test_what_is_no_judgement_is_refused(send: Send, wrong: dict[str, object]) -> None:
    assert send("POST", "/api/judgements", json=wrong).status_code == 422


def test_the_evaluation_reads_what_was_judged_last(tmp_path: Path) -> None:
    kept = Judgements(tmp_path / "judged" / "shop.jsonl")
    kept.put("how", "doc:a.md", 0)
    kept.put("how", "doc:a.md", 1)
    kept.put("how", "doc:b.md", 1)
    kept.put("what", "doc:c.md", 1)

    read = load_judged(kept.file)

    assert {one.text: dict(one.relevant) for one in read.queries} == {
        "how": {"doc:a.md": 1.0, "doc:b.md": 1.0},
        "what": {"doc:c.md": 1.0},
    }


def test_a_query_without_a_good_hit_says_nothing_about_a_ranking(tmp_path: Path) -> None:
    kept = Judgements(tmp_path / "shop.jsonl")
    kept.put("how", "doc:a.md", 1)
    kept.put("bad", "doc:a.md", 0)

    assert [one.text for one in load_judged(kept.file).queries] == ["how"]


def test_the_same_judgement_again_writes_nothing(tmp_path: Path) -> None:
    kept = Judgements(tmp_path / "shop.jsonl")
    kept.put("how", "doc:a.md", 1)
    kept.put("how", "doc:a.md", 1)
    kept.put("what", "doc:a.md", None)

    assert len(kept.file.read_text(encoding="utf-8").splitlines()) == 1


def test_a_line_that_a_crash_cut_is_dropped_and_lines_of_others_stay(tmp_path: Path) -> None:
    kept = Judgements(tmp_path / "shop.jsonl")
    own = {"query": "mine", "relevant": ["a.py", "b.py"]}
    kept.file.write_text(f'{json.dumps(own)}\n{{"query": "ho', encoding="utf-8")

    kept.put("how", "doc:a.md", 1)

    lines = kept.file.read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0]) == own
    assert json.loads(lines[1])["query"] == "how"
    assert len(lines) == 2


def test_text_that_is_none_stays_what_it_was(tmp_path: Path) -> None:
    kept = Judgements(tmp_path / "shop.jsonl")
    kept.put("odd \udcff", "doc:a\nb.md", 1)

    assert [(one.query, one.id) for one in kept.all()] == [("odd \udcff", "doc:a\nb.md")]


def test_a_file_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "shop.jsonl").mkdir()

    with pytest.raises(UsageError, match="cannot be"):
        Judgements(tmp_path / "shop.jsonl").put("a", "b", 1)
