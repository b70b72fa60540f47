from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.analysis.slugs import slugify
from trivium.parsing.detect import FileType
from trivium.parsing.markdown import markdown
from trivium.parsing.skills import (
    PREVIEW,
    TYPES,
    SectionPreview,
    is_skill,
    sections,
    skill,
)
from trivium.types import Document, EdgeType, Kind, Location, Node, NodeId, Parsed, Span

MARKDOWN = FileType(Kind.DOC, "markdown", "markdown")
EXAMPLE = """---
name: Thought Records
description: Write a thought down. Use when it will not go away.
type: technique
domain: therapy
tags: [writing, cbt]
---
# Thought records

They come from [[Cognitive Reframing]]. See `run()`.

## When to use

- A thought **returns**
  every day
- After a [conflict](conflict.md)

## Steps

1. Write it down
   - in ink
2. Rate it

```
3. no step
```

## Notes

Nothing.
"""


def read(path: str, text: str, *, apart: bool = False) -> Parsed:
    return skill(Document(path, text), MARKDOWN, apart=apart)


def facts(text: str, *, front: str = "") -> dict[str, object]:
    found = dict(read("a/SKILL.md", f"---\nname: x\n{front}---\n{text}").nodes[0].metadata)
    found.pop("headings", None)
    found.pop("previews", None)
    return {key: value for key, value in found.items() if key != "name"}


class TestWhatIsASkill:
    @pytest.mark.parametrize("path", ["SKILL.md", "a/skill.md", "x/y/Skill.MD"])
    def test_a_file_of_that_name_in_any_case(self, path: str) -> None:
        assert is_skill(Document(path, "text"))

    @pytest.mark.parametrize("type_", sorted(TYPES))
    def test_a_note_of_a_type_of_skill_graphs(self, type_: str) -> None:
        assert is_skill(Document("notes/a.md", f"---\ntype: {type_}\n---\n"))
        assert is_skill(Document("notes/a.md", f"---\ntype: [{type_.upper()}]\n---\n"))

    @pytest.mark.parametrize("path", ["skills/a.md", "x/.claude/skills/b/c.md", "Skills/a.mdx"])
    def test_a_file_with_a_description_below_a_folder_of_skills(self, path: str) -> None:
        assert is_skill(Document(path, "---\ndescription: d\n---\n"))

    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ("skills/a.md", "# A\n"),
            ("skills/a.md", "---\ntitle: d\n---\n"),
            ("skills.md", "---\ndescription: d\n---\n"),
            ("notes/a.md", "---\ndescription: d\ntype: report\n---\n"),
            ("skills/a.txt", "---\ndescription: d\ntype: skill\n---\n"),
            ("skills/a.md", " ---\ntype: skill\n---\n"),
            ("myskill.md", ""),
        ],
    )
    def test_nothing_else(self, path: str, text: str) -> None:
        assert not is_skill(Document(path, text))


class TestSlugs:
    @pytest.mark.parametrize(
        ("title", "slug"),
        [
            ("Thought Records", "thought-records"),
            ("Thought Records.md", "thought-records"),
            ("  a \t b  ", "a-b"),
            ("What? (C++ & Go!)", "what-c--go"),
            ("思考記録 ノート", "思考記録-ノート"),
            ("Cafe\u0301", "café"),
            ("snake_case", "snake_case"),
            ("!?", ""),
        ],
    )
    def test_a_title_keeps_its_letters_in_lower_case(self, title: str, slug: str) -> None:
        assert slugify(title) == slug

    @pytest.mark.parametrize(
        ("path", "front", "slug"),
        [
            ("x/a b/SKILL.md", "name: The Name\ntitle: T\n", "the-name"),
            ("x/a b/SKILL.md", "title: The Title\n", "the-title"),
            ("x/a b/SKILL.md", "", "a-b"),
            ("SKILL.md", "", "skill"),
            ("x/My Note.md", "type: claim\n", "my-note"),
            ("x/note.md", "name: '!?'\n", "note"),
        ],
    )
    def test_it_is_named_by_front_matter_then_by_folder_or_file(
        self, path: str, front: str, slug: str
    ) -> None:
        assert read(path, f"---\n{front}---\n").nodes[0].id == f"skill:{slug}"

    def test_it_is_never_empty(self) -> None:
        path = "?/SKILL!.md"
        digest = hashlib.sha256(b"!/?.md").hexdigest()

        assert read("!/?.md", "").nodes[0].id == f"skill:{digest[:8]}"
        assert read(path, "").nodes[0].id == "skill:skill"

    def test_apart_it_differs_by_path(self) -> None:
        ids = [read(path, "", apart=True).nodes[0].id for path in ("a/x.md", "b/x.md")]

        assert ids == [
            f"skill:x~{hashlib.sha256(path).hexdigest()[:4]}" for path in (b"a/x.md", b"b/x.md")
        ]
        assert len(set(ids)) == 2


class TestNodes:
    def test_the_skill_and_its_sections_have_ids_without_a_path(self) -> None:
        parsed = read("skills/records/SKILL.md", EXAMPLE)
        main = parsed.nodes[0]

        assert (main.id, main.kind, main.type) == (
            "skill:thought-records",
            Kind.SKILL,
            "technique",
        )
        assert main.name == "Thought Records"
        assert main.description == "Write a thought down. Use when it will not go away."
        assert (main.domain, main.tags) == ("therapy", ("writing", "cbt"))
        assert [node.id for node in parsed.nodes if node.type == "section"] == [
            f"skill:thought-records#{name}"
            for name in ("Thought records", "When to use", "Steps", "Notes")
        ]
        assert {node.kind for node in parsed.nodes} == {Kind.SKILL}

    def test_spans_edges_and_references_are_those_of_the_document(self) -> None:
        document = Document("skills/records/SKILL.md", EXAMPLE)
        as_document, as_skill = markdown(document, MARKDOWN), skill(document, MARKDOWN)
        known = {node.id for node in as_skill.nodes}

        assert [node.own for node in as_skill.nodes] == [node.own for node in as_document.nodes]
        assert len(as_skill.edges) == len(as_document.edges)
        assert all(edge.source in known and edge.target in known for edge in as_skill.edges)
        assert [one.name for one in as_skill.references] == [
            one.name for one in as_document.references
        ]
        assert all(one.source in known for one in as_skill.references)
        links = [one for one in as_skill.references if one.type is EdgeType.REFERENCES]
        assert [(one.source, one.name or one.path) for one in links] == [
            ("skill:thought-records#Thought records", "Cognitive Reframing"),
            ("skill:thought-records#When to use", "conflict.md"),
        ]

    def test_without_a_type_it_is_a_skill_and_without_a_name_its_title_is(self) -> None:
        main = read("skills/a/SKILL.md", "# A title\n").nodes[0]

        assert (main.type, main.name, main.domain) == ("skill", "A title", "skills")


class TestUse:
    def test_triggers_and_steps_come_from_lists_below_their_headings(self) -> None:
        metadata = read("skills/records/SKILL.md", EXAMPLE).nodes[0].metadata

        assert metadata["triggers"] == (
            "A thought returns every day",
            "After a conflict",
            "it will not go away.",
        )
        assert metadata["steps"] == ("Write it down", "Rate it")

    def test_front_matter_comes_first(self) -> None:
        front = (
            "triggers: [a, b]\nsteps:\n  - c\n  - d\nwhen-to-use: x, not y\nglobs: '*.a, *.b'\n"
            "argument-hint: <file>, maybe\nsource: a book\nconfidence: 0.75\nusage_count: 12\n"
        )

        assert facts("", front=front) == {
            "triggers": ("a", "b", "x, not y"),
            "steps": ("c", "d"),
            "when-to-use": "x, not y",
            "globs": "*.a, *.b",
            "filePatterns": ("*.a", "*.b"),
            "argument-hint": "<file>, maybe",
            "inputHints": ("<file>, maybe",),
            "source": "a book",
            "confidence": 0.75,
            "usage_count": "12",
            "usageCount": 12,
        }

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("## Triggers\n* a\n* [ ] b\n", ("a", "b")),
            ("## 1. When to use this skill\n1. a\n2) b\n", ("a", "b")),
            ("## When to use it 🎯\n\nOnly at night.\n", ("Only at night.",)),
            ("Text\n**When to use:** a\n", ("a",)),
            ("- Use this skill when b\n", ("b",)),
            ("Use whenever c\n", ("c",)),
            ("## トリガー\n- あ\n", ("あ",)),
            ("## Triggers\n- [[a|the A]]\n- [[b]]\n- a\n- a\n", ("the A", "b", "a")),
        ],
    )
    def test_ways_to_say_when(self, text: str, expected: tuple[str, ...]) -> None:
        assert facts(text) == {"triggers": expected}

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("## Instructions\n- a\n- b\n", ("a", "b")),
            ("## Step-by-step procedure\n- x\n1. a\n2. b\n", ("a", "b")),
            ("## How to do it\n1. a\n\n   more\n\n2. b\n   and c\n", ("a", "b and c")),
            ("## Workflow\n### 1. Gather\nx\n### 2) Sort\ny\n", ("Gather", "Sort")),
            ("## Step 1: Gather\n- x\n## Step 2 - Sort\n", ("Gather", "Sort")),
            ("## 手順\n1. あ\n", ("あ",)),
        ],
    )
    def test_ways_to_say_how(self, text: str, expected: tuple[str, ...]) -> None:
        assert facts(text) == {"steps": expected}

    def test_inputs_are_hints(self) -> None:
        assert facts("## Required inputs\n- a file\n") == {"inputHints": ("a file",)}

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "## Ideas\n- a\n",
            "Use for loops.\n",
            "## Steps\n\nNo list.\n",
            "## When not to use\n- a\n",
            "## When to use `a_model`\n- a\n",
        ],
    )
    def test_what_is_not_said_is_left_out(self, text: str) -> None:
        assert facts(text) == {}

    @pytest.mark.parametrize("value", ["high", "nan", "1e999", "[1]", ""])
    def test_a_confidence_that_is_no_number_stays_what_it_is(self, value: str) -> None:
        assert not isinstance(facts("", front=f"confidence: {value}\n")["confidence"], float)

    def test_there_are_only_so_many_values_of_so_many_characters(self) -> None:
        items = "".join(f"1. {n} {'x' * 300}\n" for n in range(150))
        steps = facts(f"## Steps\n{items}")["steps"]

        assert isinstance(steps, tuple)
        assert len(steps) == 100
        assert {len(one) for one in steps} == {200}


class TestMapsOfContent:
    LIST = "".join(f"- [[note {n}]]\n" for n in range(5))

    def types(self, text: str) -> set[EdgeType]:
        return {one.type for one in read("a/SKILL.md", text).references if one.of}

    def test_in_a_map_links_are_clusters(self) -> None:
        text = "---\ntype: moc\n---\nSee [[a]] and [b](b.md) and `Code.run()`.\n"

        assert self.types(text) == {EdgeType.CLUSTERS}
        assert {one.type for one in read("a/SKILL.md", text).references} == {
            EdgeType.CLUSTERS,
            EdgeType.MENTIONS,
        }

    def test_a_list_of_links_is_a_map(self) -> None:
        assert self.types(f"# All\n\nAn intro.\n\n{self.LIST}") == {EdgeType.CLUSTERS}
        assert read("a/SKILL.md", self.LIST).nodes[0].type == "moc"

    @pytest.mark.parametrize(
        "text",
        [
            "".join(f"- [[note {n}]]\n" for n in range(4)),
            "".join(f"[[note {n}]]\n" for n in range(5)),
            LIST + "a line\n" * 5,
            f"---\ntype: claim\n---\n{LIST}",
        ],
    )
    def test_other_notes_are_none(self, text: str) -> None:
        assert self.types(text) == {EdgeType.REFERENCES}
        assert read("a/SKILL.md", text).nodes[0].type != "moc"


class TestSections:
    def test_a_preview_is_the_headings_own_lines_joined(self) -> None:
        text = "# A\n\none\n  two\n\n## B\n\n- x\n\nLong title\n---\nthree\n"
        nodes = markdown(Document("a.md", text), MARKDOWN).nodes

        assert sections(text, nodes) == [
            SectionPreview("A", "one two", 1),
            SectionPreview("B", "- x", 2),
            SectionPreview("Long title", "three", 2),
        ]

    def test_it_has_at_most_400_characters(self) -> None:
        text = f"# A\n{'word ' * 1000}"
        (one,) = sections(text, markdown(Document("a.md", text), MARKDOWN).nodes)

        assert one.preview == ("word " * 1000)[:PREVIEW].rstrip()

    def test_headings_of_other_markups_are_left_out_too(self) -> None:
        text = "=====\nTitle\n=====\nText below.\n"
        node = Node(
            id=NodeId("doc:a.rst#Title"),
            kind=Kind.DOC,
            type="section",
            name="Title",
            source=Location("a.rst", 1, 4),
            span=Span(0, len(text)),
            own=(Span(0, len(text)),),
        )

        assert sections(text, [node]) == [SectionPreview("Title", "Text below.", 1)]


PIECES = st.sampled_from(
    ["---\n", "name: x\n", "type: moc\n", "triggers: [a\n", "description: >\n  x\n", "# Steps\n",
     "## When to use\n", "- ", "1. ", "a", "\n", "```\n", "[[x]]", "[a](b)", "**", "use when: ",
     "===\n", "    ", "日本", "\x00", "é", "|", ":", "confidence: 1e400\n", "`f()` "]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    path=st.sampled_from(["SKILL.md", "skills/a/b.md", "?.md", "a/skills/.md"]),
    text=st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=100),
)
def test_any_text_is_covered_once_and_nothing_is_raised(path: str, text: str) -> None:
    document = Document(path, text)
    is_skill(document)
    parsed = skill(document, MARKDOWN)
    ids = [node.id for node in parsed.nodes]
    owned = sorted((one.start, one.end) for node in parsed.nodes for one in node.own)

    assert len(set(ids)) == len(ids)
    assert all(len(one) > len("skill:") and one.startswith("skill:") for one in ids)
    assert all(edge.source in ids and edge.target in ids for edge in parsed.edges)
    at = 0
    for start, end in owned:
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        at = end
    assert not text[at:].strip()
    assert all(len(one.preview) <= PREVIEW for one in sections(text, parsed.nodes))


@pytest.mark.parametrize(
    "piece",
    ["## Steps\n", "## Steps\n### x\n", "- [[a]]\n", "1. a\n", "use when: ", "#", "\n", "[[",
     "```\n", "## Triggers\n- a\n", "a: b\n"],
)  # fmt: skip
def test_much_of_one_pattern_takes_no_more_than_its_length(piece: str) -> None:
    text = "---\n" + piece * (200_000 // len(piece))

    assert skill(Document("SKILL.md", text), MARKDOWN).nodes[0].id == "skill:skill"
