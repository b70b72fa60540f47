"""Judged sets, and queries that nothing answers -> what spoke for every hit, one per line.

Asks each set its own queries, and such as it cannot answer: no words, words by chance, and the
queries of a set on another subject. training.calibrate fits confidence to what comes out.

    python -m training.confidence gather --data DATA --home HOME --out ROWS [--repos FOLDER]
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType

from trivium.evaluation import datasets
from trivium.evaluation.bench import Bench, Contender, Prepared
from trivium.evaluation.measure import Question
from trivium.evaluation.sets import Place, Sort, sampled
from trivium.models import registry
from trivium.ranking.profile import profile

# The splits to fit by; sets that have a test split only are taken as they are.
SPLITS = {
    "scifact": "train",
    "ray-docs-qa": "train",
    "conala": "train",
    "cosqa": "dev",
    "skills-metatool": "dev",
    "movies-msrd": "dev",
    "jaquad-ja": "train",
    "cmrc2018-zh": "dev",
    "cranfield": "test",
    "cisi": "test",
    "npl-vaswani": "test",
    "csn-challenge": "test",
    "mdn-anchors-en": "test",
    "mdn-anchors-ja": "test",
    "mdn-anchors-ko": "test",
}
REPOSITORIES = "semble-dev"
# What a set is about: queries on one thing are asked of sets on another.
TOPICS = {
    "scifact": "medicine",
    "cranfield": "flight",
    "npl-vaswani": "radio",
    "cisi": "libraries",
    "movies-msrd": "films",
    "skills-metatool": "tools",
    "jaquad-ja": "facts",
    "cmrc2018-zh": "facts",
}
FOREIGN = {
    "skills-metatool": ("scifact", "cosqa", "cranfield"),
    "jaquad-ja": ("mdn-anchors-ja", "cosqa"),
    "cmrc2018-zh": ("mdn-anchors-ja", "cosqa"),
    "mdn-anchors-ja": ("jaquad-ja", "scifact"),
    "mdn-anchors-ko": ("jaquad-ja", "scifact"),
}
STRANGERS = ("scifact", "movies-msrd", "cosqa", "cranfield")
ASKED = 250
OF_EACH_SORT = 60
SHOWN = 10
SEED = 7


def gather(
    data: Path, *, home: Path, repos: Path | None, model: str, names: Sequence[str]
) -> Iterator[dict[str, object]]:
    """Yield what spoke for each of the first hits of every query, and whether it was right."""
    embedder = None if model == "words" else registry.load(model, threads=1)
    contender = Contender("best", profile("best"), embedder)
    for name in names:
        bench = Bench(home=home, contenders=(contender,), repositories=repos, limit=ASKED)
        sort = Sort.REPOSITORIES if name == REPOSITORIES else Sort.RECORDS
        with bench.prepared(Place(data / name, sort, SPLITS.get(name, ""))) as prepared:
            for kind, question in _questions(prepared, data):
                yield from _rows(prepared, contender, kind, question)


def _rows(
    prepared: Prepared, contender: Contender, kind: str, question: Question
) -> Iterator[dict[str, object]]:
    answer = prepared.ask(question, contender, limit=SHOWN)
    found = [prepared.names_of(question, hit) for hit in answer.results]
    gains = [max((question.gains.get(one, -1.0) for one in names), default=-1.0) for names in found]
    for place, (hit, gain) in enumerate(zip(answer.results, gains, strict=True), 1):
        if hit.evidence is not None:
            yield {
                "set": prepared.name,
                "kind": kind,
                "query": f"{question.fold}{question.id}",
                "rank": place,
                # -1: nobody judged it. Grade 1 of csn-challenge is "somewhat".
                "gain": gain,
                "code": hit.node.kind.value == "code" or bool(hit.node.language),
                **asdict(hit.evidence),
            }


def _questions(prepared: Prepared, data: Path) -> Iterator[tuple[str, Question]]:
    """Yield the questions of a set, and such that nothing in it can answer."""
    yield from (("real", one) for one in prepared.questions)
    fold = sorted(prepared.backends)
    nobody = Question("", "", MappingProxyType({}))
    chance = random.Random(SEED)
    texts = [("nonsense", one) for one in nonsense(chance, OF_EACH_SORT)]
    texts += [("foreign", one) for one in _foreign(prepared.name, data)]
    if prepared.name != REPOSITORIES:
        records = list(datasets.read_records(data / prepared.name))
        texts += [("salad", one) for one in salads(chance, [one.text for one in records])]
    for number, (kind, text) in enumerate(texts):
        yield (
            kind,
            replace(nobody, id=f"{kind}-{number}", text=text, fold=fold[number % len(fold)]),
        )


def nonsense(chance: random.Random, count: int) -> list[str]:
    """Return queries of words that are none: letters by chance, keys side by side, syllables."""
    keys = ("qwertyuiop", "asdfghjkl", "zxcvbnm")

    def letters() -> str:
        return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 10)))

    def smash() -> str:
        row = chance.choice(keys)
        at = chance.randrange(len(row) - 3)
        return row[at : at + chance.randint(3, 6)]

    def syllables() -> str:
        return "".join(
            chance.choice("bdfgklmnprstvz") + chance.choice("aeiou")
            for _ in range(chance.randint(2, 4))
        )

    return [
        " ".join(chance.choice((letters, smash, syllables))() for _ in range(chance.randint(1, 4)))
        for _ in range(count)
    ]


def salads(chance: random.Random, texts: Sequence[str]) -> list[str]:
    """Return queries of known words that have nothing to do with each other."""
    made = []
    for _ in range(OF_EACH_SORT):
        words = []
        for text in chance.choices(texts, k=chance.randint(3, 6)):
            found = re.findall(r"[a-z]{4,}|[\u3040-\u9fff\uac00-\ud7a3]{2,4}", text.lower())
            words += [chance.choice(found)] if found else []
        made.append(" ".join(words) or "salad")
    return made


def _foreign(name: str, data: Path) -> list[str]:
    own = TOPICS.get(name, "computing")
    others = FOREIGN.get(name) or [
        one for one in STRANGERS if TOPICS.get(one, "computing") != own and one != name
    ]
    found: list[str] = []
    for other in others:
        split = datasets.load(data / other, split=SPLITS[other])
        asked = [Question(one.id, one.text, one.relevant) for one in split.queries]
        found += [one.text for one in sampled(asked, OF_EACH_SORT // len(others))]
    return found


def main() -> None:
    """Gather or fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_subparsers(dest="what", required=True)
    asking = what.add_parser("gather")
    asking.add_argument("--data", type=Path, required=True)
    asking.add_argument("--home", type=Path, required=True, help="Where indexes are kept.")
    asking.add_argument("--repos", type=Path, help=f"Where the repositories of {REPOSITORIES} lie.")
    asking.add_argument("--model", default="static", help="A model, or: words")
    asking.add_argument("--sets", default="", help="Names with commas between; all by default.")
    asking.add_argument("--out", type=Path, required=True, help="A folder; one file for each run.")
    given = parser.parse_args()
    if given.what == "gather":
        names = given.sets.split(",") if given.sets else [*SPLITS]
        given.out.mkdir(parents=True, exist_ok=True)
        for name in names:
            rows = gather(
                given.data, home=given.home, repos=given.repos, model=given.model, names=[name]
            )
            file = given.out / f"{name}-{given.model.rpartition('/')[2]}.jsonl"
            with file.open("w", encoding="utf-8") as out:
                for row in rows:
                    out.write(json.dumps(row) + "\n")
            print(file, flush=True)


if __name__ == "__main__":
    main()
