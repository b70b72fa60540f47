"""What comes into memory and goes out again is what it was, byte for byte, or is named."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.backends.reference.store import ReferenceBackend
from trivium.errors import UsageError
from trivium.memory.ground import Ground
from trivium.memory.memory import Memory
from trivium.types import Answer

# As Obsidian writes them: aliases, nested tags, links to headings and blocks, embeds, comments.
FRONTS = (
    "",
    "---\naliases: [plan, The plan]\ntags: [work, work/2026/q4]\n# mine\ncssclass: wide\n---\n",
    "---\ntitle: Named\ntags:\n  - a/b/c\n  - '#odd'\nfoo: {bar: 1}\n---\n",
    "---\nname: by name\nstatus: lost\nlinks: [[soil]]\n---\n",
    "---\ntrivium-made: no\ntitle: \n---\n",
    "---\n---\n",
    "---\nnever: closed\n",
    "\ufeff---\ntitle: Marked\n---\n",
)
PIECES = (
    "# Heading\n\nText with #inline/nested tags.\n",
    "See [[My Plan#The heading|there]], [[My Plan#^block-1]] and [[Same]].\n",
    "A block. ^block-1\n",
    "![[map.png]] ![[sub/map.png|300]] ![[My Plan#The heading]]\n",
    "![shown](log.txt) ![gone](gone.png) [left](left.pdf)\n",
    "> [!note] A callout\n> with ==marks== and $$x^2$$\n",
    "```dataview\nLIST FROM #work\n```\n%% hidden %%\n",
    "- [ ] a box\n- [x] done\n",
    "Ü 漢字 🦓\u2028 line\n",
    "no end of line",
    "---\n",
)
NOTES = ("My Plan.md", "Same.md", "sub/Same.md", "sub/deep/Ünïcode näme.md", "a.b.md", "con~2.md")
OTHERS = ("map.png", "sub/map.png", "sub/log.txt", "left.pdf")
SKILLS = ("pdf/SKILL.md", ".claude/skills/ship/SKILL.md", "AGENTS.md", "sub/CLAUDE.md")
BESIDE = ("pdf/run.py", "pdf/scripts/more.py", ".claude/skills/ship/list.txt")


def homes(skills: Iterable[str]) -> list[str]:
    return [one.removesuffix("SKILL.md") for one in skills if one.endswith("/SKILL.md")]


texts = st.builds(
    lambda front, pieces, end: (front + "".join(pieces)).replace("\n", end).encode(),
    st.sampled_from(FRONTS),
    st.lists(st.sampled_from(PIECES), max_size=5),
    st.sampled_from(["\n", "\n", "\r\n"]),
)
data = st.sampled_from([b"\x89PNG\r\n\x00", b"one\ntwo\n", b"", b"\xff\xfe"])
vaults = st.builds(
    lambda notes, others: {**notes, **others},
    st.dictionaries(st.sampled_from(NOTES), texts, min_size=1),
    st.dictionaries(st.sampled_from(OTHERS), data),
)
folders = st.builds(
    # A file that lies beside no skill is none of theirs.
    lambda skills, others: {
        **skills,
        **{path: held for path, held in others.items() if any(map(path.startswith, homes(skills)))},
    },
    st.dictionaries(st.sampled_from(SKILLS), texts, min_size=1),
    st.dictionaries(st.sampled_from(BESIDE), data),
)


def memory_in(place: Path) -> Memory:
    def no_search(query: str, **options: object) -> Answer:
        raise UsageError(f"{query} {options}")

    ground = Ground(
        ReferenceBackend(), search=no_search, sync=lambda _: None, elsewhere=lambda *_: None
    )
    return Memory((place / ".trivium",), place / "memory.db", ground=ground)


def laid_out(folder: Path, files: dict[str, bytes]) -> Path:
    for path, held in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(held)
    return folder


def read(folder: Path) -> dict[str, bytes]:
    found = [one for one in folder.rglob("*") if one.is_file()]
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in found}


def check_nothing_is_lost(files: dict[str, bytes], form: str) -> None:
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        source = laid_out(place / "source", files)
        memory = memory_in(place / "first")
        taken = memory.import_from(source, form=form)
        given = memory.export_to(place / "out", form=form)
        out = read(place / "out")

        assert out == {path: files[path] for path in files if path not in taken.left_out}
        assert given.left_out == {}
        again = memory.import_from(source, form=form)
        assert (again.ids, again.left_out) == ([], taken.left_out)
        assert again.same == len(taken.ids)

        # By JSON into another memory, and out of that: still the same.
        memory.export_to(place / "all.json")
        other = memory_in(place / "second")
        assert other.import_from(place / "all.json").left_out == {}
        other.export_to(place / "out2", form=form)
        assert read(place / "out2") == out
        assert read(place / "second" / ".trivium") == read(place / "first" / ".trivium")


@given(vaults)
@settings(max_examples=60, deadline=None)
def test_a_vault_goes_out_as_it_came_in(files: dict[str, bytes]) -> None:
    check_nothing_is_lost(files, "vault")


@given(folders)
@settings(max_examples=60, deadline=None)
def test_a_folder_of_agents_goes_out_as_it_came_in(files: dict[str, bytes]) -> None:
    check_nothing_is_lost(files, "agents")
