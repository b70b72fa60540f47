"""Notes, tasks and skills in the index: written, found, linked and filtered; on every backend."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import trivium
from trivium import config
from trivium.backends.base import Backend
from trivium.collection import Collection
from trivium.errors import NotFound, UsageError
from trivium.types import Answer

AUTH = (
    'def hash_password(text):\n    """Passwords are hashed with a salt."""\n    return salt(text)\n'
)
LOGIN = "def log_in(name):\n    return name\n"


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    home = tmp_path / "home"
    environ = {"TRIVIUM_HOME": str(home), "TRIVIUM_CONFIG": str(home / "none.toml")}
    return config.load(flags={"embedding.model": "none"}, environ=environ)


@pytest.fixture
def shop(any_backend: Backend, tmp_path: Path, settings: config.Settings) -> Iterator[Collection]:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "auth.py").write_text(AUTH)
    (folder / "login.py").write_text(LOGIN)
    (folder / ".gitignore").write_text(".trivium/\n")
    (folder / ".git").mkdir()
    with trivium.open(folder, settings=settings, backend=any_backend) as collection:
        collection.sync()
        yield collection


def ids(answer: Answer) -> list[str]:
    return [hit.id for hit in answer.results]


def test_what_was_written_changed_and_deleted_is_so_in_the_next_search(shop: Collection) -> None:
    note = shop.notes.create("Why argon", "The zebra decided.")
    assert ids(shop.search("zebra")) == [note.id]
    shop.notes.update(note.id, content="The okapi decided.")
    assert ids(shop.search("zebra")) == []
    assert ids(shop.search("okapi")) == [note.id]
    shop.notes.delete(note.id)
    assert ids(shop.search("okapi")) == []


def test_each_kind_is_searched_alone_and_all_together_with_code(shop: Collection) -> None:
    shop.notes.create("Salt one", "salt")
    shop.tasks.create("Salt two", "salt")
    shop.skills.create("Salt three", "salt")

    assert ids(shop.notes.search("salt")) == ["note:salt-one"]
    assert ids(shop.tasks.search("salt")) == ["task:salt-two"]
    assert ids(shop.skills.search("salt")) == ["skill:salt-three"]
    kinds = {one.partition(":")[0] for one in ids(shop.search("salt"))}
    assert {"note", "task", "skill", "code"} <= kinds


def test_a_title_alone_is_enough_to_be_found(shop: Collection) -> None:
    shop.tasks.create("Feed the zebra")
    shop.skills.create("Groom the zebra")

    assert set(ids(shop.search("zebra"))) == {"task:feed-the-zebra", "skill:groom-the-zebra"}
    assert ids(shop.tasks.search("zebra", profile="graph")) == ["task:feed-the-zebra"]


def test_tasks_are_filtered_by_their_fields(shop: Collection) -> None:
    shop.tasks.create(
        "One", "salt", status="todo", priority="high", assignee="ana", due="2026-01-31"
    )
    shop.tasks.create("Two", "salt", tags=["kitchen"])

    for filters in (
        {"status": "todo"},
        {"priority": "high"},
        {"assignee": "Ana"},
        {"due-before": "2026-02-01"},
    ):
        assert ids(shop.search("salt", filters=filters)) == ["task:one"], filters
    assert ids(shop.search("salt tag:kitchen")) == ["task:two"]
    assert ids(shop.tasks.search("salt", filters={"status": "backlog"})) == ["task:two"]


def test_a_skill_is_recalled_by_its_triggers(shop: Collection) -> None:
    shop.skills.create("Deploy", "How it goes live", triggers=["ship a release to production"])
    shop.skills.create("Feed cats", "Twice a day")
    shop.notes.create("Release", "ship a release")

    assert ids(shop.recall("I am about to ship a release")) == ["skill:deploy"]


def test_links_lead_to_code_and_back_and_break_when_it_is_renamed(shop: Collection) -> None:
    target = "code:auth.py#hash_password"
    note = shop.notes.create("Why", "Because.", links=[("references", target)])

    assert [(one.id, one.type) for one in shop.find_linked(target)] == [(note.id, "references")]
    assert [one.is_broken for one in shop.notes.links(note.id)] == [False]
    assert shop.notes.get(note.id).broken == ()
    assert note.id in {one.node.id for one in shop.neighbors(target).found}

    (shop.root / "auth.py").rename(shop.root / "passwords.py")
    shop.sync()

    (link,) = shop.notes.links(note.id)
    assert (link.other, link.is_broken) == (target, True)
    assert shop.notes.get(note.id).broken == (target,)
    assert [one.target for _, one in shop.check().broken] == [target]

    (shop.root / "passwords.py").rename(shop.root / "auth.py")
    shop.sync()
    assert [one.is_broken for one in shop.notes.links(note.id)] == [False]
    assert note.id in {one.node.id for one in shop.neighbors(target).found}


def test_every_type_of_link_that_leads_nowhere_is_told(shop: Collection) -> None:
    task = shop.tasks.create("Ship")
    shop.tasks.create("Pack", links=[("subtask_of", task.id), ("references", task.id)])
    assert shop.check().broken == ()

    shop.tasks.delete(task.id)

    assert [(one.source, one.target) for _, one in shop.check().broken] == [
        ("task:pack", task.id)
    ] * 2
    assert [one.is_broken for one in shop.tasks.links("pack")] == [True, True]


def test_a_link_to_what_is_not_there_is_refused(shop: Collection) -> None:
    note = shop.notes.create("Why")

    with pytest.raises(NotFound, match=r"code:gone\.py is not there"):
        shop.notes.link(note.id, "references", "code:gone.py")
    with pytest.raises(UsageError, match="No collection is called elsewhere"):
        shop.notes.link(note.id, "references", "@elsewhere::code:a.py")
    with pytest.raises(NotFound):
        shop.notes.create("Other", links=[("references", "code:gone.py")])

    assert shop.notes.get(note.id).links == ()


def test_a_function_is_found_with_the_note_beside_it(shop: Collection) -> None:
    target = "code:auth.py#hash_password"
    shop.notes.create("Decision", "Argon, not bcrypt.", links=[("references", target)])

    answer = shop.search("passwords hashed", kind="code", expand="context")
    assert ids(answer)[0] == target

    answer = shop.search("passwords hashed", expand="context", limit=1)
    assert ids(answer) == [target, "note:decision"]
    assert answer.results[1].score_type == "context"
    assert answer.results[1].reason.startswith("note:decision")


def test_what_the_text_of_a_note_names_is_linked_too(shop: Collection) -> None:
    shop.notes.create("Entry", "People come in by `log_in`.")

    found = shop.find_linked("code:login.py#log_in")

    assert [(one.id, one.type) for one in found] == [("note:entry", "mentions")]


def test_subtasks_and_epics_are_edges(shop: Collection) -> None:
    epic = shop.tasks.create("Launch", type="epic")
    ship = shop.tasks.create("Ship", epic=epic.slug)
    part = shop.tasks.create("Pack", links=[("subtask_of", ship.id)])

    assert {one.node.id for one in shop.neighbors(ship.id).found} >= {epic.id, part.id}
    assert [(one.direction, one.type, one.other) for one in shop.tasks.links(ship.id)] == [
        ("out", "subtask_of", epic.id),
        ("in", "subtask_of", part.id),
    ]


def test_a_proxy_is_linked_to_and_never_found(
    shop: Collection, tmp_path: Path, settings: config.Settings
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "far.py").write_text("def zebra():\n    return 1\n")
    with trivium.open(other, settings=settings) as collection:
        collection.sync()
    proxy = "@other::code:far.py#zebra"

    note = shop.notes.create("Far", "okapi", links=[("references", proxy)])

    assert [one.is_broken for one in shop.notes.links(note.id)] == [False]
    assert [one.id for one in shop.find_linked(proxy)] == [note.id]
    for profile in ("best", "graph"):
        assert not [
            one for one in ids(shop.search("okapi", profile=profile)) if one.startswith("@")
        ]
    assert not [one for one in shop.neighbors(note.id).found if one.node.id.startswith("@")]

    (other / "far.py").write_text("def okapi():\n    return 1\n")
    with trivium.open(other, settings=settings) as collection:
        collection.sync()
    assert [one.is_broken for one in shop.notes.links(note.id)] == [True]
    shop.notes.update(note.id, links=[])
    assert shop.notes.links(note.id) == []


def test_bad_front_matter_keeps_the_file_and_reports_it(shop: Collection) -> None:
    folder = shop.root / ".trivium" / "notes"
    folder.mkdir(parents=True)
    (folder / "bad.md").write_text("---\ntitle: zebra\n\nnever closed\n")
    shop.sync()

    assert ids(shop.search("zebra")) == ["note:bad"]
    assert "never closed" in shop.status().census.failures[".trivium/notes/bad.md"]
    assert "never closed" in shop.memory.problems()[".trivium/notes/bad.md"]


def test_a_skill_of_the_folder_keeps_its_id_beside_one_in_memory(shop: Collection) -> None:
    (shop.root / "skills" / "deploy").mkdir(parents=True)
    (shop.root / "skills" / "deploy" / "SKILL.md").write_text("---\nname: deploy\n---\nzebra\n")
    shop.sync()

    made = shop.skills.create("Deploy", "okapi")

    assert made.id == "skill:deploy~2"
    assert ids(shop.search("okapi")) == [made.id]
    assert ids(shop.search("zebra")) == ["skill:deploy"]


def test_a_profile_of_ones_own_prefers_a_kind_and_says_so(
    shop: Collection, settings: config.Settings
) -> None:
    shop.notes.create("Aside", "Among other things someone mentioned a salt here once, long ago.")
    own = settings.home / "profiles"
    own.mkdir(parents=True, exist_ok=True)
    text = 'extends = "best"\nname = "{name}"\n[boost.kinds]\n{kind} = 50\n'
    for name in ("note", "code"):
        (own / f"{name}-first.toml").write_text(text.format(name=f"{name}-first", kind=name))

    first = {
        name: shop.search("salt", profile=f"{name}-first", explain=True).results[0]
        for name in ("note", "code")
    }

    assert {name: hit.node.kind.value for name, hit in first.items()} == {
        "note": "note",
        "code": "code",
    }
    parts = {part.name: part.value for part in first["note"].parts}
    assert parts["what kind it is"] > 0
