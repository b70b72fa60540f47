"""Memory from elsewhere and to elsewhere: vaults, folders of agents, JSON; round and round."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.collection import Collection
from trivium.errors import NotFound, UsageError

Open = Callable[[str], Collection]
PNG = b"\x89PNG\r\n"
VAULT: dict[str, bytes] = {
    "Home.md": b"# Welcome\n\nSee [[My Plan|the plan]] and ![[map.png]].\n",
    "Work/My Plan.md": (
        b"---\naliases: [plan]\ntags: [work, zebra]\n# mine\n---\n\nA zebra. #inline\n"
    ),
    "Work/My Plan 2.md": "Ü\r\nWindows lines\r\n".encode(),
    "Work/empty.md": b"",
    "assets/map.png": PNG,
    "Titled.md": b"---\ntitle: Titled\nfoo: bar\n---\nBody\n",
}
AGENTS: dict[str, bytes] = {
    "AGENTS.md": b"# Rules\n\nUse tabs.\n",
    "sub/CLAUDE.md": b"Be brief about walruses.\n",
    ".claude/skills/pdf/SKILL.md": (
        b"---\nname: pdf-tools\ndescription: Reads PDF files.\nlicense: MIT\n---\n"
        b"\n# PDF\n\nRun it.\n"
    ),
    ".claude/skills/pdf/scripts/read.py": b"print(1)\n",
    "src/other.py": b"x = 1\n",
}


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return folder


def read(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    settings = config.load(environ=environ)
    all_: list[Collection] = []

    def open_(name: str) -> Collection:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        all_.append(trivium.open(folder, settings=settings))
        all_[-1].sync()
        return all_[-1]

    yield open_
    for one in all_:
        one.close()


def ids(collection: Collection, query: str) -> list[str]:
    return [hit.id for hit in collection.search(query).results]


def test_a_vault_comes_in_is_found_and_goes_out_byte_for_byte(tmp_path: Path, opened: Open) -> None:
    vault = write(tmp_path / "vault", VAULT | {".obsidian/app.json": b"{}"})
    shop = opened("shop")

    taken = shop.memory.import_from(vault)

    assert taken.left_out == {}
    assert set(taken.ids) == {
        "note:home",
        "note:my-plan",
        "note:my-plan-2",
        "note:empty",
        "note:titled",
    }
    plan = shop.notes.get("my-plan")
    assert (plan.title, plan.tags, plan.problems) == ("My Plan", ("work", "zebra"), ())
    assert ids(shop, "zebra") == ["note:my-plan"]
    assert [one.name for one in shop.notes.attachments("home")] == ["map.png"]
    assert "note:my-plan" in [one.other for one in shop.notes.links("home")]

    given = shop.memory.export_to(tmp_path / "out", form="vault")

    assert given.left_out == {}
    assert read(tmp_path / "out") == VAULT


def test_what_is_taken_in_again_changes_nothing_and_what_changed_is_named(
    tmp_path: Path, opened: Open
) -> None:
    vault = write(tmp_path / "vault", VAULT)
    shop = opened("shop")
    shop.memory.import_from(vault, form="vault")

    again = shop.memory.import_from(vault, form="vault")
    assert (again.ids, again.same, again.left_out) == ([], 5, {})

    (vault / "Titled.md").write_bytes(b"---\ntitle: Titled\n---\nA walrus.\n")
    refused = shop.memory.import_from(vault, form="vault")
    assert list(refused.left_out) == ["Titled.md"]
    assert ids(shop, "walrus") == []
    replaced = shop.memory.import_from(vault, form="vault", replace=True)
    assert replaced.ids == ["note:titled"]
    assert ids(shop, "walrus") == ["note:titled"]
    (copy,) = (shop.root / ".trivium" / "conflicts").iterdir()
    assert b"foo: bar" in copy.read_bytes()


def test_skills_and_guides_of_agents_come_in_and_go_out_again(tmp_path: Path, opened: Open) -> None:
    folder = write(tmp_path / "agents", AGENTS)
    shop = opened("shop")

    taken = shop.memory.import_from(folder)

    assert set(taken.ids) == {"skill:pdf-tools", "note:agents", "note:claude-sub"}
    skill = shop.skills.get("pdf-tools")
    assert (skill.title, skill.description) == ("pdf-tools", "Reads PDF files.")
    assert [one.name for one in shop.skills.attachments("pdf-tools")] == ["read.py"]
    assert ids(shop, "walruses") == ["note:claude-sub"]

    shop.memory.export_to(tmp_path / "out", form="agents")

    assert read(tmp_path / "out") == {
        path: data for path, data in AGENTS.items() if path != "src/other.py"
    }


def test_skills_of_our_own_go_to_other_programs_and_come_back(tmp_path: Path, opened: Open) -> None:
    shop, farm = opened("shop"), opened("farm")
    shop.skills.create(
        "Ship it", "How to ship.", steps=["Test", "Tag"], triggers=["a release is due"]
    )
    shop.skills.attach("ship-it", "list.txt", b"one")
    shop.notes.create("Private")

    given = shop.memory.export_to(tmp_path / "out", form="agents")
    back = farm.memory.import_from(tmp_path / "out")

    assert list(given.left_out) == ["note:private"]
    text = (tmp_path / "out" / "ship-it" / "SKILL.md").read_text(encoding="utf-8")
    assert 'name: "ship-it"\ndescription: "How to ship. a release is due"\n' in text
    assert back.ids == ["skill:ship-it"]
    first, second = shop.skills.get("ship-it"), farm.skills.get("ship-it")
    for field in ("title", "description", "steps", "triggers", "created"):
        assert getattr(first, field) == getattr(second, field)
    assert farm.skills.attachment("ship-it", "list.txt") == b"one"


def test_all_of_memory_goes_through_json_byte_for_byte(tmp_path: Path, opened: Open) -> None:
    shop, farm = opened("shop"), opened("farm")
    shop.notes.create("Why", "Because.", tags=["a"])
    shop.tasks.create("Launch", type="epic")
    shop.tasks.create("Do", "It.", epic="launch", due="2026-12-24", estimate=2.5)
    shop.skills.create("Ship", steps=["a"], links=[("references", "note:why")])
    shop.notes.attach("why", "plan.png", PNG)
    (shop.root / ".trivium/notes/by-hand.md").write_text("No front matter.\n\nodd: [\n")

    shop.memory.export_to(tmp_path / "memory.json")
    taken = farm.memory.import_from(tmp_path / "memory.json")

    assert taken.left_out == {}
    assert len(taken.ids) == 5
    assert read(farm.root / ".trivium") == read(shop.root / ".trivium")
    assert ids(farm, "because") == ["note:why"]
    assert farm.tasks.get("do").epic == "launch"


def test_json_of_other_programs_needs_no_files(tmp_path: Path, opened: Open) -> None:
    shop = opened("shop")
    items = [
        {"kind": "note", "title": "One", "content": "A zebra.", "tags": ["a"]},
        {"kind": "task", "title": "Two", "status": "todo", "dueDate": "2026-01-31"},
        {"kind": "note", "content": "no title"},
        {"kind": "sheep", "title": "x"},
        {"kind": "task", "title": "x", "status": "lost"},
        {"kind": "note", "slug": "../x", "title": "x"},
        7,
        {"kind": "note", "title": "x", "file": "half \ud800"},
        {"kind": "note", "title": "x", "file": 7},
        {
            "kind": "note",
            "file": "# Three\n\nx\n",
            "attachments": [{"filename": "../a", "data": "eA=="}],
        },
    ]
    (tmp_path / "some.json").write_text(json.dumps(items))

    taken = shop.memory.import_from(tmp_path / "some.json")

    assert taken.ids == ["note:one", "task:two", "note:three"]
    assert list(taken.left_out) == [f"item {number}" for number in range(3, 11)]
    assert not (shop.root / ".trivium" / "attachments").exists()
    assert shop.tasks.get("two").due == "2026-01-31"


def test_nothing_is_written_outside_of_the_folder(tmp_path: Path, opened: Open) -> None:
    shop = opened("shop")
    notes = shop.root / ".trivium" / "notes"
    notes.mkdir(parents=True)
    for number, path in enumerate(("../evil.md", "/tmp/evil.md", ".git/hooks/x.md", "a\\b.md")):  # noqa: S108 - a path of an attacker
        (notes / f"n{number}.md").write_text(f"---\ntrivium-path: {json.dumps(path)}\n---\nx\n")
    out = tmp_path / "out"
    (out / "linked").mkdir(parents=True)
    (notes / "link.md").write_text('---\ntrivium-path: "away/x.md"\n---\nx\n')
    (out / "away").symlink_to(tmp_path)

    given = shop.memory.export_to(out, form="vault")

    assert sorted(given.paths) == ["n0.md", "n1.md", "n2.md", "n3.md"]
    assert list(given.left_out) == ["away/x.md"]
    assert not (tmp_path / "evil.md").exists()
    assert not (tmp_path / "x.md").exists()


def test_a_file_that_is_there_is_not_replaced_unless_asked_for(
    tmp_path: Path, opened: Open
) -> None:
    shop = opened("shop")
    shop.notes.create("Why", "New.")
    out = write(tmp_path / "out", {"why.md": b"mine"})

    first = shop.memory.export_to(out, form="vault")
    assert list(first.left_out) == ["why.md"]
    assert (out / "why.md").read_bytes() == b"mine"
    shop.memory.export_to(out, form="vault", replace=True)
    assert b"New." in (out / "why.md").read_bytes()
    assert shop.memory.export_to(out, form="vault").same == 1


def test_what_cannot_be_taken_in_is_named(tmp_path: Path, opened: Open) -> None:
    shop = opened("shop")
    vault = write(
        tmp_path / "vault",
        {"bad.md": b"\xff\xfe", "zero.md": b"a\0b", "long.md": b"x" * 1_200_000, "lone.pdf": b"x"},
    )
    (vault / "link.md").symlink_to(tmp_path / "secret.md")

    taken = shop.memory.import_from(vault, form="vault")

    assert taken.ids == []
    assert set(taken.left_out) == {"bad.md", "zero.md", "long.md", "lone.pdf"}
    with pytest.raises(NotFound):
        shop.memory.import_from(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="'vault'"):
        shop.memory.import_from(vault, form="valt")
    with pytest.raises(UsageError):
        shop.memory.import_from(vault, form="json")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(UsageError, match="cannot be read"):
        shop.memory.import_from(tmp_path / "broken.json")


def test_a_long_line_of_half_pictures_comes_in(tmp_path: Path, opened: Open) -> None:
    shop = opened("shop")
    half = b"![" * 200_000 + b"\n" + b"![[" * 100_000
    vault = write(tmp_path / "vault", {"odd.md": half, "map.png": PNG})

    # By the square of its length this would take minutes.
    taken = shop.memory.import_from(vault, form="vault")

    assert taken.ids == ["note:odd"]
