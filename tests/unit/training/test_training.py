"""What a training draws, what it is punished for, and that it learns. Needs torch."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.training.teachers import unit_rows, write_teacher

from trivium.models.static import StaticEmbedder

torch = pytest.importorskip("torch", reason="training needs torch, which is no requirement here")

from training import data as drawn  # noqa: E402 - only where torch is
from training import losses, prepare, read, train  # noqa: E402
from training.corpus import Corpus  # noqa: E402

# What a sentence calls a thing, and what code calls it.
SAID = ("remove", "fetch", "store", "count", "merge", "split", "order", "check")
CODED = ("purge", "pull", "persist", "tally", "union", "divide", "rank", "verify")
THINGS = ("user", "file", "page", "queue", "token", "record", "image", "route", "event", "chunk")
REST = ("the", "of", "a", "def", "return", "data", "self", "result", "python")


def pairs(count: int = 400) -> list[list[str]]:
    chance = np.random.default_rng(3)
    made = []
    for number in range(count):
        does = int(chance.integers(len(SAID)))
        thing, other = (str(one) for one in chance.choice(THINGS, 2, replace=False))
        ask = f"{SAID[does]} the {thing} of a {other}"
        code = f"def {CODED[does]} {thing} data\n    result self {other}\n    return {thing} data"
        made.append([ask, code, "doc", "python", f"p{number // 10:03}"])
    return made


def made_data(count: int = 400, *, is_hard: bool = True) -> Any:
    """Return pairs with a teacher that likes texts by the words they share."""
    rows = pairs(count)
    words = [*SAID, *CODED, *THINGS, *REST]
    directions = unit_rows(words, 9)

    def guide(texts: list[str]) -> Any:
        sums = [sum((directions[w] for w in text.split()), np.zeros(384)) for text in texts]
        made = np.array([one / np.linalg.norm(one) for one in sums], dtype=np.float16)
        return drawn.Guide([torch.from_numpy(made)], [1.0])

    texts = Corpus(
        words=words,
        counts=np.ones(len(words)),
        pairs=rows,
        held={name: rows[:30] if name == "python" else [] for name in prepare.GROUPS},
        windows=prepare.windows(rows, 300, seed=1),
        phrases=prepare.phrases(words, np.ones(len(words)), 300, seed=2),
    )
    return drawn.Data(texts, guide, device="cpu", processes=1, is_hard=is_hard)


def test_a_batch_of_texts_is_the_flat_numbers_of_those_chosen() -> None:
    texts = prepare.numbered(["open file", "", "door door", "file"], ["open", "file", "door"], 1)
    numbers, factors, offsets = drawn.Bags(texts, "cpu").take(torch.tensor([3, 1, 2]))
    assert numbers.tolist() == [1, 2]
    assert offsets.tolist() == [0, 1, 1]
    assert factors[1] > factors[0]


def test_the_teachers_similarities_are_added_by_share_and_sharpness() -> None:
    first, second = torch.randn(4, 8), torch.randn(4, 8)
    guide = drawn.Guide([first, second], [1.0, 2.0])
    for share in (0.0, 0.3, 1.0):
        both = guide.take(slice(None), share)
        wanted = (1 - share) * (first @ first.T) + 2.0 * share * (second @ second.T)
        assert torch.allclose(both @ both.T, wanted, atol=1e-4)
    alone = drawn.Guide([second], [2.0]).take(slice(None), 0.3)
    assert torch.allclose(alone @ alone.T, 2.0 * (second @ second.T), atol=1e-4)


def test_equal_pairs_among_orthogonal_ones_cost_what_the_formula_says() -> None:
    barred = torch.zeros(4, 4, dtype=torch.bool)
    found = losses.contrast(torch.eye(4), barred, temperature=0.5)
    assert found.item() == pytest.approx(-math.log(math.exp(2) / (math.exp(2) + 3)), abs=1e-5)


def test_a_negative_that_is_barred_does_not_count() -> None:
    scores = torch.eye(4)
    scores[0, 1] = 1.0
    barred = torch.zeros(4, 4, dtype=torch.bool)
    before = losses.contrast(scores, barred, temperature=0.1)
    barred[0, 1] = True
    assert losses.contrast(scores, barred, temperature=0.1) < before


def test_an_answer_beyond_those_of_the_questions_is_a_negative_only() -> None:
    asks, answers = torch.eye(3, 4), torch.cat([torch.eye(3, 4), torch.eye(1, 4)])
    scores = losses.cosines(3.0 * asks, answers)
    found = losses.contrast(scores, torch.zeros(3, 4, dtype=torch.bool), temperature=0.5)
    alike, other = math.exp(2), math.exp(0)
    rows = [alike / (2 * alike + 2 * other), *[alike / (alike + 3 * other)] * 2]
    columns = [alike / (alike + 2 * other)] * 3
    wanted = -sum(map(math.log, rows)) / 6 - sum(map(math.log, columns)) / 6
    assert found.item() == pytest.approx(wanted, abs=1e-5)


def test_a_student_that_sees_what_the_teacher_sees_is_left_with_the_teachers_own_doubt() -> None:
    torch.manual_seed(1)
    guide = torch.nn.functional.normalize(torch.randn(6, 16), dim=-1)
    liked = guide @ guide.T
    found = losses.divergence(liked, liked, temperature=0.2, is_own=True)
    shares = torch.softmax((liked / 0.2).fill_diagonal_(-1e4), dim=-1)
    doubt = -(shares * torch.log(shares + 1e-30)).sum(-1).mean()
    assert found.item() == pytest.approx(doubt.item(), abs=1e-4)
    other = torch.randn(6, 16)
    scores = losses.cosines(other, other)
    assert losses.divergence(scores, liked, temperature=0.2, is_own=True) > found


def test_a_batch_is_of_one_group_and_no_pair_is_in_it_twice() -> None:
    data = made_data()
    torch.manual_seed(2)
    chosen = drawn.batch_of(data, 0, 90)
    assert len(chosen) == len(set(chosen.tolist())) <= 90
    assert len(chosen) > 60


def test_hard_answers_share_words_with_the_question_and_are_liked_less_than_its_own() -> None:
    data = made_data()
    rows = pairs()
    assert (data.hard_counts > 0).float().mean() > 0.9
    for number in range(0, len(rows), 20):
        own = float(
            data.ask_guide.parts[0][number].float() @ data.answer_guide.parts[0][number].float()
        )
        for other in data.hard[number][data.hard[number] >= 0].tolist():
            assert rows[other][1] != rows[number][1]
            assert set(rows[number][0].split()) & set(rows[other][1].split())
            liked = float(
                data.ask_guide.parts[0][number].float() @ data.answer_guide.parts[0][other].float()
            )
            assert liked < own - 0.02
    torch.manual_seed(1)
    chosen = torch.arange(40)
    met = drawn.hard_of(data, chosen)
    assert set(met.tolist()) <= set(data.hard[:40].flatten().tolist())


def test_pairs_without_hard_answers_are_drawn_without_them() -> None:
    data = made_data(is_hard=False)
    assert len(drawn.hard_of(data, torch.arange(40))) == 0


def test_an_average_of_students_averages_what_each_word_adds() -> None:
    rows = np.eye(3, 8, dtype=np.float32)
    one = losses.Student(rows, np.zeros(3, dtype=np.float32))
    other = losses.Student(-rows * np.float32(0.5), np.log(np.full(3, 2, dtype=np.float32)))
    same = train.average([one, one])
    assert torch.allclose(same.rows * torch.exp(same.weights)[:, None], one.rows, atol=1e-5)
    far = train.average([one, other])
    assert torch.allclose(far.rows * torch.exp(far.weights)[:, None], torch.zeros(3, 8), atol=1e-5)


def test_a_teacher_is_a_folder_and_perhaps_a_number() -> None:
    assert train.sharpened("a/b") == (Path("a/b"), 1.0)
    assert train.sharpened("a/b=2") == (Path("a/b"), 2.0)


def test_a_training_from_file_to_file_lowers_its_loss_and_finds_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The teacher does not know the words of code: only the pairs say what they mean.
    meanings = unit_rows([*SAID, *THINGS, *REST], 4)
    folder = write_teacher(tmp_path / "teacher", meanings)
    lines = "\n".join(json.dumps(row) for row in pairs(600))
    (tmp_path / "pairs.jsonl").write_text(lines, encoding="utf-8")
    monkeypatch.setattr(train, "_SAID_EVERY", 1)
    out, keep = tmp_path / "out", tmp_path / "keep"
    texts_of = ["--pairs", tmp_path / "pairs.jsonl", "--words-of", folder, "--teacher", folder]
    texts_of += ["--keep", keep, "--windows", 300, "--phrases", 300, "--processes", 1]
    monkeypatch.setattr(sys, "argv", ["read", *map(str, texts_of)])
    read.main()
    were_read = sorted(keep.iterdir())
    asked = [*texts_of, "--out", out, "--device", "cpu", "--hard", "--batch", 128, "--steps", 60]
    asked += ["--runs", "0wp", "--set", "all.seeds=1", "--set", "all.drop=0.0"]
    monkeypatch.setattr(sys, "argv", ["train", *map(str, asked)])
    train.main()
    said = capsys.readouterr().out
    # Training meant the same texts and had nothing left to read.
    assert sorted(keep.iterdir()) == were_read

    def lost(run: str) -> list[float]:
        return [
            float(one) for one in re.findall(rf"{run} step \d+ group python loss ([\d.]+)", said)
        ]

    follows = lost("w")
    assert len(follows) == 60
    assert np.mean(follows[-10:]) < np.mean(follows[:10]) - 0.2
    # Where pairs come in, another loss begins.
    tells = lost("p")[round(60 * 800 / 1150) :]
    assert np.mean(tells[-5:]) < np.mean(tells[:5]) - 0.05

    questions = sorted({row[0] for row in pairs(600)})[::9]
    texts = sorted({row[1] for row in pairs(600)})

    def right(name: str) -> float:
        """Return how often the best answer does what was asked to what was asked."""
        embedder = StaticEmbedder(out / f"{name}.bin")
        documents = embedder.embed_documents(texts)
        found = 0
        for ask in questions:
            does, _, thing, _, _, other = ask.split()
            best = texts[int((documents @ embedder.embed_query(ask)).argmax())]
            found += {CODED[SAID.index(does)], thing, other} <= set(best.split())
        return found / len(questions)

    assert right("0") < 0.5
    assert right("p") > 0.9
