"""Files, edits by hand, API calls and crashes in any order: nothing acknowledged is lost."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from trivium.errors import NotFound, VersionConflict
from trivium.memory import front, limits
from trivium.memory.catalog import Catalog
from trivium.memory.desk import Desk
from trivium.memory.files import Files
from trivium.memory.items import Link
from trivium.types import EdgeType, Kind

SLUG = "note"
# Where there is one: databases that are made and dropped wait for no disk.
MEMORY = Path("/dev/shm")  # noqa: S108 - each story has a folder of its own
PATH = Path("notes") / f"{SLUG}.md"


class Crash(BaseException):
    """The process ends here."""


class Story(RuleBasedStateMachine):
    """One note that a person and an API write at the same time, on a machine that fails.

    `text` and `tag` are what the file must say; None where there must be no file. Texts of the
    person are never lost unless they wrote over them, or the API had shown them first.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
        # Crashes are of the process here, and what it wrote is there without waiting for a disk.
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(os, "fsync", lambda _: None)
        self.count = 0
        self.steps_left = -1
        self.text: str | None = None
        self.tag = ""
        self.unseen: str | None = None
        self.to_be_kept: set[str] = set()
        self.by_version: dict[int, str] = {}
        self.desk = self.restarted()

    def teardown(self) -> None:
        self.patch.undo()
        shutil.rmtree(self.folder)

    def restarted(self) -> Desk:
        return Desk(
            Files([self.folder / ".trivium"], step=self.step),
            Catalog(self.folder / "memory.db"),
            take_in=lambda *_: None,
            holder_of=lambda _: None,
            clock=lambda: 1_780_000_000.0 + self.count,
        )

    def step(self, name: str) -> None:
        del name
        if self.steps_left == 0:
            raise Crash
        self.steps_left -= 1

    @property
    def file(self) -> Path:
        return self.folder / ".trivium" / PATH

    def token(self, who: str) -> str:
        self.count += 1
        return f"{who}-{self.count}."

    # What the API is asked for

    @precondition(lambda self: self.text is None)
    @rule()
    def create(self) -> None:
        text = self.token("api")
        if self.survives(lambda: self.desk.create(Kind.NOTE, {"title": SLUG, "content": text}, {})):
            self.text, self.tag, self.unseen = text, "", None
        else:
            self.look(texts={None, text}, tags={""})

    @rule(expects=st.sampled_from(["nothing", "what is there", "something old"]))
    def change_text(self, expects: str) -> None:
        text = self.token("api")
        before = self.text, self.unseen
        expected = None
        if expects == "what is there" and self.text is not None:
            expected = self.shown()
        if expects == "something old":
            expected = 0
        try:
            done = self.survives(
                lambda: self.desk.update(Kind.NOTE, SLUG, {"content": text}, expected=expected)
            )
        except NotFound:
            assert before[0] is None
            return
        except VersionConflict:
            assert expects == "something old"
            return
        if expects == "what is there":
            before = before[0], None
        if done:
            assert expects != "something old"
            self.replaced(before[1])
            self.text, self.unseen = text, None
        elif self.look(texts={before[0], text}, tags={self.tag}) == text:
            self.replaced(before[1])

    @rule()
    def change_tag(self) -> None:
        tag = self.token("tag")
        try:
            done = self.survives(lambda: self.desk.update(Kind.NOTE, SLUG, {"tags": [tag]}))
        except NotFound:
            assert self.text is None
            return
        if done:
            # A change of one field has written, and so seen, the whole file.
            self.tag, self.unseen = tag, None
        else:
            self.look(texts={self.text}, tags={self.tag, tag})

    @rule()
    def delete(self) -> None:
        before = self.text, self.unseen
        try:
            done = self.survives(lambda: self.desk.delete(Kind.NOTE, [SLUG]))
        except NotFound:
            assert self.text is None
            return
        if done or self.look(texts={None, before[0]}, tags={self.tag}) is None:
            self.replaced(before[1])
            self.text, self.tag, self.unseen = None, "", None

    @rule()
    def show(self) -> None:
        with suppress(NotFound):
            self.shown()

    @rule()
    def list(self) -> None:
        self.desk.look(Kind.NOTE, whole=True)

    # What the person does

    @rule(in_place=st.booleans())
    def write_by_hand(self, in_place: bool) -> None:
        text = self.token("hand")
        said = f"---\ntitle: mine\ntags: [{self.tag}]\n---\n\n{text}\n" if self.tag else text
        if self.file.exists() and self.tag == "":
            old = self.file.read_text()
            assert self.text is not None
            said = old.replace(self.text, text) if self.text else text
        self.file.parent.mkdir(parents=True, exist_ok=True)
        if in_place or not self.file.exists():
            self.file.write_text(said)
        else:
            aside = self.file.with_name(".editor.swp")
            aside.write_text(said)
            aside.replace(self.file)
        self.text = self.unseen = text

    @precondition(lambda self: self.text is not None)
    @rule()
    def remove_by_hand(self) -> None:
        self.file.unlink()
        self.text, self.tag, self.unseen = None, "", None

    # What fails

    @rule(steps=st.integers(0, 8))
    def crash_soon(self, steps: int) -> None:
        self.steps_left = steps

    @rule()
    def lose_what_was_seen(self) -> None:
        self.desk.catalog.forget()
        # Nobody can tell any more that the person's edit was not shown.
        self.unseen = None
        self.by_version = {}

    # What must hold

    @invariant()
    def the_file_says_what_was_last_said(self) -> None:
        if self.text is None:
            assert not self.file.exists()
            return
        reading = front.read(Kind.NOTE, SLUG, self.file.read_text())
        assert reading.values["content"] == self.text
        assert reading.values.get("tags", ()) == ((self.tag,) if self.tag else ())
        assert reading.problems == ()

    @invariant()
    def what_a_person_wrote_and_nobody_saw_is_somewhere(self) -> None:
        copies = "".join(path.read_text() for path in Files([self.folder / ".trivium"]).conflicts())
        assert all(text in copies for text in self.to_be_kept)

    @invariant()
    def a_fresh_look_sees_the_same(self) -> None:
        fresh = Catalog(self.folder / f"fresh-{self.count}.db")
        desk = Desk(
            Files([self.folder / ".trivium"]),
            fresh,
            take_in=lambda *_: None,
            holder_of=lambda _: None,
        )
        desk.look(Kind.NOTE)
        self.steps_left, kept = -1, self.steps_left
        self.desk.look(Kind.NOTE, whole=True)
        self.steps_left = kept
        assert set(fresh.rows(Kind.NOTE)) == set(self.desk.catalog.rows(Kind.NOTE))
        fresh.forget()

    def shown(self) -> int:
        """Have the API show the note; equal versions are equal texts."""
        note = self.desk.get(Kind.NOTE, SLUG)
        said = self.file.read_text()
        assert self.by_version.setdefault(note.version, said) == said
        assert note.version == max(self.by_version)
        self.unseen = None
        return note.version

    def replaced(self, unseen: str | None) -> None:
        if unseen is not None:
            self.to_be_kept.add(unseen)

    def survives(self, call: object) -> bool:
        """Whether a call returned; if it crashed, another process begins."""
        assert callable(call)
        try:
            call()
        except Crash:
            self.steps_left = -1
            self.desk = self.restarted()
            return False
        return True

    def look(self, *, texts: set[str | None], tags: set[str]) -> str | None:
        """Take what the file says after a crash, which must be one of these."""
        if not self.file.exists():
            assert None in texts
            self.text, self.tag, self.unseen = None, "", None
            return None
        values = front.read(Kind.NOTE, SLUG, self.file.read_text()).values
        text, found = str(values["content"]), values.get("tags", ())
        tag = str(found[0]) if isinstance(found, tuple) and found else ""
        assert text in texts
        assert tag in tags
        if text != self.text:
            self.unseen = None
        self.text, self.tag = text, tag
        return text


TestStory = Story.TestCase
TestStory.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)

line = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=60)
texts = st.text(
    st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\n\t-#:'\"[]{}|>&*!%@`"),
    max_size=200,
)
FIELDS = {
    "title": line.filter(lambda text: bool(text.strip())),
    "description": texts,
    "steps": st.lists(
        texts.filter(lambda text: "\u2028" not in text and "\u2029" not in text), max_size=5
    ),
    "triggers": st.lists(line, max_size=5),
    "tags": st.lists(line, max_size=5),
    "confidence": st.floats(0, 1),
    "usage_count": st.integers(0, 1000),
    "links": st.just((Link(EdgeType.DEPENDS_ON, "skill:a b: #c"),)),
}


@given(st.fixed_dictionaries(FIELDS), st.booleans())
def test_whatever_is_written_is_read_again(given_: dict[str, object], with_returns: bool) -> None:
    values = limits.checked(Kind.SKILL, given_)
    text = front.fresh(Kind.SKILL, values, version=7)
    if with_returns:
        text = text.replace("\n", "\r\n")

    reading = front.read(Kind.SKILL, "slug", text)

    assert reading.version == 7
    assert reading.problems == ()
    for name, value in values.items():
        assert reading.values.get(name) == value or value in ("", ())


@given(st.text(max_size=200) | st.text("-:\n# []{}\"'|>ab\t\r", max_size=200), texts)
def test_any_file_can_be_read_and_changed_or_says_why_not(text: str, content: str) -> None:
    content = limits.checked(Kind.NOTE, {"content": content})["content"]  # type: ignore[assignment]
    before = front.read(Kind.NOTE, "slug", text)
    if any("never closed" in said for said in before.problems):
        return

    changed = front.changed(Kind.NOTE, text, {"content": content}, version=3)
    after = front.read(Kind.NOTE, "slug", changed)

    assert after.values["content"] == content
    assert after.version == 3
    assert front.changed(Kind.NOTE, changed, {"content": content}, version=3) == changed
