from __future__ import annotations

from pathlib import Path

from trivium.sources.base import Raw
from trivium.sources.files import FolderSource, text_of
from trivium.sources.memory import WithMemory


def write(root: Path, *paths: str, text: str = "text\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def listed(source: FolderSource | WithMemory, folders: frozenset[str] | None = None) -> list[str]:
    return [entry.path for entry in source.list(folders, known=["a.py"]).entries]


def test_memory_is_listed_though_git_and_others_ignore_it_and_nothing_beside_it(
    tmp_path: Path,
) -> None:
    write(
        tmp_path,
        "a.py",
        ".trivium/notes/why.md",
        ".trivium/tasks/ship.md",
        ".trivium/skills/deploy.md",
        ".trivium/notes/.half.md",
        ".trivium/notes/.1-2-3.tmp",
        ".trivium/notes/picture.png",
        ".trivium/notes/deep/x.md",
        ".trivium/conflicts/notes-why.1.md",
        ".trivium/other.md",
    )
    (tmp_path / ".git").mkdir()
    write(tmp_path, ".gitignore", ".triviumignore", text=".trivium/\n*.md\n")

    source = FolderSource(tmp_path, extra_ignores=("*.md",))

    assert [one for one in listed(source) if not one.endswith("ignore")] == [
        ".trivium/notes/why.md",
        ".trivium/skills/deploy.md",
        ".trivium/tasks/ship.md",
        "a.py",
    ]


def test_memory_of_a_folder_below_is_not_that_of_the_root(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", text=".trivium/\n")
    write(tmp_path, "sub/.trivium/notes/why.md")

    assert listed(FolderSource(tmp_path)) == [".gitignore"]
    assert listed(FolderSource(tmp_path / "sub")) == [".trivium/notes/why.md"]


def test_a_note_may_be_larger_than_other_files_and_have_one_long_line(tmp_path: Path) -> None:
    write(tmp_path, ".trivium/notes/long.md", "long.md", text="x" * 20_000)
    source = FolderSource(tmp_path, max_file_bytes=10_000)

    assert listed(source) == [".trivium/notes/long.md"]
    assert text_of(".trivium/notes/long.md", b"x" * 20_000) == "x" * 20_000


def test_memory_kept_elsewhere_has_the_paths_it_would_have_and_hides_the_same(
    tmp_path: Path,
) -> None:
    project, place = tmp_path / "project", tmp_path / "user"
    write(project, "a.py", ".trivium/notes/both.md", ".trivium/notes/shared.md")
    write(place, ".trivium/notes/both.md", ".trivium/tasks/mine.md", text="of the user\n")
    source = WithMemory(FolderSource(project), place=place)

    assert listed(source) == [
        ".trivium/notes/both.md",
        ".trivium/notes/shared.md",
        ".trivium/tasks/mine.md",
        "a.py",
    ]
    read = {entry.path: source.read(entry) for entry in source.list().entries}
    texts = {path: one.text for path, one in read.items() if isinstance(one, Raw)}
    assert texts[".trivium/notes/both.md"] == "of the user\n"
    assert texts[".trivium/notes/shared.md"] == "text\n"


def test_one_folder_of_memory_is_looked_at_alone(tmp_path: Path) -> None:
    project, place = tmp_path / "project", tmp_path / "user"
    write(project, "a.py")
    write(place, ".trivium/notes/mine.md", ".trivium/tasks/other.md")
    source = WithMemory(FolderSource(project), place=place)

    listing = source.list(frozenset({".trivium/notes"}), known=["a.py"])

    assert [entry.path for entry in listing.entries] == [".trivium/notes/mine.md"]
    assert listing.looked is not None
    assert ".trivium/notes" in listing.looked
    assert ".trivium/tasks" not in listing.looked


def test_an_empty_project_stays_empty_whatever_memory_there_is(tmp_path: Path) -> None:
    project, place = tmp_path / "project", tmp_path / "user"
    project.mkdir()
    write(place, ".trivium/notes/mine.md")

    assert listed(WithMemory(FolderSource(project), place=place)) == []
