"""Documentation -> questions whose answer is a page, as a table that `trivium eval` reads.

`headings` asks for the headings of a folder's Markdown pages, each of which stands in one page
only; `set` takes the questions of a judged set whose documents name the file they come from.
The ranking of code is fitted with both, so that it does not bury pages.

    python -m training.pages headings FOLDER --out headings.csv
    python -m training.pages set DATA/ray-docs-qa --split train --folder CHECKOUT --out ray.csv
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from trivium.evaluation import datasets

Row = tuple[str, str]

_HEADING = re.compile(r"^#{2,4}\s+(.+?)\s*#*$", re.MULTILINE)
_MARKS = re.compile(r"[`*_\[\]]|\(.*?\)|\{.*?\}")
# Not questions: names of code, versions, paths.
_NO_WORDS = re.compile(r"[()=<>/.:@]|\d\.\d")
_LOGS = re.compile(r"(^|/)(\.|node_modules|changelog|history)", re.IGNORECASE)
_NAMES_CODE = re.compile(r"[`_()]|\w\.\w|\b(code|class|function|method)\b|[a-z][A-Z]")
_LEAST, _MOST = 2, 8


def headings(folder: Path) -> list[Row]:
    """Return the headings of two to eight words that only one page of a folder has, and it."""
    found = []
    for path in sorted(folder.rglob("*.md")):
        name = path.relative_to(folder).as_posix()
        if not _LOGS.search(name):
            text = path.read_text(encoding="utf-8", errors="replace")
            found += [(heading, name) for heading in headings_of(text)]
    pages = Counter(heading for heading, _ in set(found))
    return [row for row in dict.fromkeys(found) if pages[row[0]] == 1]


def headings_of(text: str) -> Iterator[str]:
    """Return the headings of a page that could be asked, without their marks."""
    for match in _HEADING.finditer(text):
        heading = " ".join(_MARKS.sub("", match[1]).split())
        if _LEAST <= len(heading.split()) <= _MOST and not _NO_WORDS.search(heading):
            yield heading


def of_set(data: Path, *, split: str, folder: Path, about_code: bool) -> list[Row]:
    """Return the questions of a set and the files of their documents that the folder has."""
    dataset = datasets.load(data, split=split)
    path_of = {record.id: record.path for record in dataset.documents}
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for query in dataset.queries:
        if about_code or not _NAMES_CODE.search(query.text):
            for name in query.relevant:
                if (folder / path_of[name]).is_file():
                    found[query.text][path_of[name]] = None
    return [(text, ";".join(paths)) for text, paths in found.items()]


def drawn(rows: Iterable[Row], count: int) -> list[Row]:
    """Return so many rows, the same every time, by a hash of their questions."""
    by_chance = sorted(rows, key=lambda row: hashlib.sha256(row[0].encode()).digest())
    return by_chance[:count]


def write(rows: Sequence[Row], out: Path) -> None:
    """Write questions and their pages as `trivium eval` reads them."""
    with out.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("query", "relevant"))
        table.writerows(rows)


def main() -> None:
    """Write one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("headings", "set"))
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--split", default="train")
    parser.add_argument("--folder", type=Path, help="Where the documents of a set lie as files.")
    parser.add_argument("--about-code", action="store_true", help="Keep questions that name code.")
    given = parser.parse_args()
    if given.what == "headings":
        rows = headings(given.data)
    elif given.folder is None:
        parser.error("a set needs --folder")
    else:
        rows = of_set(
            given.data, split=given.split, folder=given.folder, about_code=given.about_code
        )
    rows = drawn(rows, given.count)
    write(rows, given.out)
    print(f"{len(rows)} questions in {given.out}")


if __name__ == "__main__":
    main()
