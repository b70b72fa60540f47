"""What is shown of hits: whole sentences of prose and whole lines of code, or parts of them?

Asks a folder for the titles of some of its sections and for what some of its code is said to do,
chosen by chance and the same every time, and looks each snippet up in its file. The judge knows
nothing of how snippets are made: it looks at what stands before and behind them. `--show` prints
those that are not whole.
Run: python -m benchmarks.snippets [FOLDER] [--show]
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.measure import Row, arguments, cpu_ms, middle, report
from trivium import config
from trivium.collection import Collection, open_collection
from trivium.types import Hit, Kind, Node

_ASKED = 60
_PROSE = (Kind.DOC, Kind.SKILL, Kind.NOTE, Kind.TASK)
_CUT = "…"
SHOWN_CUT = "cut, and shown so"
_CLOSING = r"[\"'”\u2019)\]」』\uff09*_`]*"
_END = re.compile(rf"[.!?…:。\uff01\uff1f।؟]{_CLOSING}\Z")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|Mr|Mrs|Dr|Fig|[A-Z])\.\Z")
# A line that stands for itself, and one that is nothing but a mark.
_MARKED = re.compile(
    r"\s*(?:[-*+•]\s|\d{1,3}[.)]\s|#{1,6}\s|[|>=~]|```|---|\.\. |:\w+:|<|\[[^\]]+\]:)"
)
_BARE = re.compile(r"[\s>*+•#-]*(?:\d{1,3}[.)]\s*)?")


def main() -> None:
    """Print how many snippets begin or end inside of a sentence or a line."""
    parser = arguments(__doc__ or "")
    parser.add_argument("folder", nargs="?", type=Path, default=Path())
    parser.add_argument("--show", action="store_true", help="print those that are not whole")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        settings = config.load(environ={"TRIVIUM_HOME": home, "TRIVIUM_CONFIG": f"{home}/none"})
        with open_collection(chosen.folder, settings=settings) as collection:
            collection.sync()
            report("snippets", _rows(collection, shows=chosen.show), to=chosen.json)


def _rows(collection: Collection, *, shows: bool) -> list[Row]:
    nodes = sorted(collection.nodes(), key=lambda one: one.id)
    queries = [
        *_some([one.name for one in nodes if one.kind in _PROSE]),
        *_some([one.description for one in nodes if _is_told(one)]),
    ]
    found: dict[tuple[str, str], Hit] = {}
    times = []
    for query in queries:
        times.append(cpu_ms(lambda text=query: collection.search(text)))  # type: ignore[misc]
        for hit in collection.search(query).results:
            found.setdefault((hit.id, hit.snippet), hit)
    texts: dict[str, str] = {}
    counts: dict[str, Counter[str]] = {"prose": Counter(), "lines": Counter()}
    for hit in found.values():
        path = hit.source.file_path
        if path not in texts:
            texts[path] = _read(collection.root / path)
        found_wrong = faults(hit, texts[path])
        counts["prose" if _is_prose(hit.node) else "lines"].update(["hits", *found_wrong])
        if shows and found_wrong not in ([], [SHOWN_CUT]):
            print(f"{', '.join(found_wrong)}: {path}:{hit.start_line}\n{hit.snippet}\n")
    columns = ("hits", "begins inside", "ends inside", SHOWN_CUT, "says nothing")
    return [
        {
            "of": sort,
            **{column: counted[column] for column in columns},
            "CPU ms of a search": middle(times),
        }
        for sort, counted in counts.items()
    ]


def _is_told(node: Node) -> bool:
    return node.kind is Kind.CODE and len(node.description.split()) > 3


def _some(texts: Sequence[str]) -> list[str]:
    asked = sorted({" ".join(text.split()) for text in texts} - {""})
    chance = random.Random(5)  # noqa: S311 - not secret
    return chance.sample(asked, min(_ASKED, len(asked)))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")


def faults(hit: Hit, text: str) -> list[str]:
    """Return what is wrong with what is shown of a hit, by the text of its file."""
    return list((_faults_of_prose if _is_prose(hit.node) else _faults_of_lines)(hit, text))


def _is_prose(node: Node) -> bool:
    return node.kind in _PROSE and node.type != "code block"


def _faults_of_prose(hit: Hit, text: str) -> Iterator[str]:
    shown = hit.snippet
    is_cut_before, is_cut_behind = shown.startswith(_CUT), shown.endswith(_CUT)
    inner = shown[is_cut_before : len(shown) - is_cut_behind]
    start = text.find(inner, _start_of_line(text, hit.start_line))
    if start < 0 or not inner:
        # Masked, or made from what is no text.
        return
    end = start + len(inner)
    if is_cut_before or is_cut_behind:
        yield SHOWN_CUT
    if not is_cut_before and not _begins_whole(text, start):
        yield "begins inside"
    if not is_cut_behind and not _ends_whole(text, end):
        yield "ends inside"


def _faults_of_lines(hit: Hit, text: str) -> Iterator[str]:
    lines = text.split("\n")[hit.start_line - 1 :]
    for shown, line in zip(hit.snippet.split("\n"), lines, strict=False):
        if shown.rstrip() == line.rstrip():
            continue
        if not shown.startswith(_CUT) and not line.startswith(shown.rstrip(_CUT)):
            yield "begins inside"
        elif _CUT in (shown[:1], shown[-1:]):
            yield SHOWN_CUT
        else:
            yield "ends inside"
    if "__main__" in hit.snippet and not hit.highlights:
        yield "says nothing"


def _start_of_line(text: str, line: int) -> int:
    return sum(len(one) + 1 for one in text.split("\n")[: line - 1])


def _begins_whole(text: str, at: int) -> bool:
    line = text.rfind("\n", 0, at) + 1
    if at == line and _is_code(text, at):
        return True
    if not _BARE.fullmatch(text, line, at):
        return _is_end(text[line:at].rstrip())
    before = text[:line].rstrip("\n").rpartition("\n")[2] if line else ""
    is_apart = line < 2 or text[line - 2] == "\n"
    return (
        is_apart
        or bool(re.fullmatch(r"\S+", text[line:].partition("\n")[0]))
        or not before.strip()
        or bool(_MARKED.match(text, line) or _stands_alone(before))
        or _is_end(before.rstrip())
    )


def _ends_whole(text: str, at: int) -> bool:
    stop = text.find("\n", at)
    stop = len(text) if stop < 0 else stop
    rest = text[at:stop]
    if rest.strip():
        # A full stop inside of a name ends nothing.
        return _is_end(text[:at]) and (rest[0].isspace() or text[at - 1] > "\u2fff")
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    if _is_code(text, start):
        return True
    following = text[stop + 1 :].partition("\n")[0]
    is_apart = not following.strip() or bool(_MARKED.match(following))
    return is_apart or _stands_alone(line) or _is_end(line)


def _stands_alone(line: str) -> bool:
    """Whether a line is a heading, the row of a table, a fence, or an entry of one word."""
    return bool(re.match(r"\s*(?:#{1,6}\s|[|=~]|```|---)|\S+\Z", line))


def _is_code(text: str, line: int) -> bool:
    """Whether the line that starts here is code: indented, or between fences."""
    is_fenced = len(re.findall(r"^\s*```", text[:line], re.MULTILINE)) % 2 == 1
    return is_fenced or text.startswith(("    ", "\t"), line)


def _is_end(text: str) -> bool:
    last = text[-40:]
    return bool(_END.search(last)) and not _ABBREVIATION.search(last)


if __name__ == "__main__":
    main()
