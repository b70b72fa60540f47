"""skills_create, skills_bump_usage and the like: how things are done, and how often that helped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from trivium.doors.mcp.memory_notes import LINK
from trivium.doors.mcp.memory_shelf import (
    YES,
    Attaching,
    Detaching,
    InCollection,
    Page,
    Project,
    Relation,
    Target,
    TargetGraph,
    Tools,
    Version,
)
from trivium.doors.mcp.offer import Offer
from trivium.doors.mcp.schema import COUNT, NUMBER, TEXT, TEXTS, keyed, listed
from trivium.doors.memory import (
    Confidence,
    Description,
    FilePatterns,
    Id,
    InputHints,
    Source,
    Steps,
    Tags,
    Title,
    Triggers,
)
from trivium.types import EdgeType, Kind

if TYPE_CHECKING:
    from trivium.doors.answers import Data
    from trivium.doors.mcp.budget import Reply
    from trivium.doors.upkeep import Upkeep
    from trivium.memory.items import Skill

SkillId = Annotated[Id, Field(description="The id of a skill.")]
_From = Annotated[Source | None, Field(description="user or learned.")]
_TOOLS = Tools(Kind.SKILL, "skillId", "skill_id", "skills")


class Create(InCollection):
    """A new skill."""

    title: Title
    description: Description
    steps: Steps | None = None
    triggers: Triggers | None = None
    input_hints: InputHints | None = None
    file_patterns: FilePatterns | None = None
    tags: Tags | None = None
    source: _From = None
    confidence: Confidence | None = None


class One(InCollection):
    """A skill."""

    skill_id: SkillId


class Update(One):
    """What is to change of a skill."""

    title: Title | None = None
    description: Description | None = None
    steps: Steps | None = None
    triggers: Triggers | None = None
    input_hints: InputHints | None = None
    file_patterns: FilePatterns | None = None
    tags: Tags | None = None
    source: _From = None
    confidence: Confidence | None = None
    expected_version: Version = None


class SkillPage(Page):
    """A page of skills."""

    source: _From = None


class Between(InCollection):
    """A link between two skills."""

    from_id: SkillId
    to_id: SkillId
    kind: Annotated[
        Literal["depends_on", "related_to", "variant_of"],
        Field(description="What the first is to the second."),
    ]


class Unlink(InCollection):
    """A link that is to go."""

    skill_id: SkillId
    target_id: Target
    target_graph: TargetGraph = None
    project_id: Project = None


class Link(Unlink):
    """A link that is to be made."""

    kind: Annotated[
        Literal["references", "related_to", "depends_on", "variant_of"],
        Field(description="To other things than skills: references or related_to."),
    ]


class Attach(One, Attaching):
    """A file for a skill."""


class Detach(One, Detaching):
    """A file of a skill."""


def _get(upkeep: Upkeep, request: One) -> Reply:
    return _TOOLS.got(upkeep, request, _RELATIONS)


_RELATIONS: Mapping[Relation, str] = {
    (EdgeType.DEPENDS_ON, "out"): "dependsOn",
    (EdgeType.DEPENDS_ON, "in"): "dependedBy",
    (EdgeType.RELATED_TO, "out"): "related",
    (EdgeType.RELATED_TO, "in"): "related",
    (EdgeType.VARIANT_OF, "out"): "variants",
    (EdgeType.VARIANT_OF, "in"): "variants",
}


def _list(upkeep: Upkeep, request: SkillPage) -> Reply:
    return _TOOLS.page(upkeep, request, _row)


def _row(skill: Skill) -> Data:
    return {
        "id": skill.id,
        "title": skill.title,
        "source": skill.source,
        "confidence": skill.confidence,
        "usageCount": skill.usage_count,
        "tags": list(skill.tags),
        "updatedAt": skill.updated,
    }


def _bump(upkeep: Upkeep, request: One) -> Reply:
    made = _TOOLS.shelf(upkeep).bump(request.skill_id)
    return _TOOLS.written(made, bumped=True, usageCount=made.usage_count)


def _found(skill: Skill) -> Data:
    return {"skillId": skill.id, "title": skill.title, "tags": list(skill.tags)}


_SKILL = {
    "id": TEXT,
    "title": TEXT,
    "description": TEXT,
    "steps": TEXTS,
    "triggers": TEXTS,
    "source": TEXT,
    "confidence": NUMBER,
    "usageCount": COUNT,
    "tags": TEXTS,
    "version": COUNT,
    "dependsOn": TEXTS,
    "dependedBy": TEXTS,
    "related": TEXTS,
    "variants": TEXTS,
    "crossLinks": listed(LINK),
}
_ROW = {
    "id": TEXT,
    "title": TEXT,
    "source": TEXT,
    "confidence": NUMBER,
    "usageCount": COUNT,
    "tags": TEXTS,
    "updatedAt": TEXT,
}
_ENDS = ("skill_id", "target_id")

SKILLS = (
    _TOOLS.creating(
        Create,
        "Write down a skill",
        "Write down how something is done: its steps, and in words when to do it.",
    ),
    _TOOLS.updating(
        Update,
        "Change fields of a skill. What is left out stays.",
    ),
    _TOOLS.delete(One),
    Offer(
        "skills_get",
        "Read a skill",
        "Read a skill, what it depends on, what depends on it, and its variants.",
        One,
        keyed(_SKILL),
        _get,
    ),
    Offer(
        "skills_list",
        "List skills",
        "List skills, those that changed last first.",
        SkillPage,
        keyed({"results": listed(keyed(_ROW)), "total": COUNT}),
        _list,
    ),
    Offer(
        "skills_bump_usage",
        "Count a use of a skill",
        "Say that a skill was used now and helped; often used ones rank a little higher.",
        One,
        keyed({"skillId": TEXT, "bumped": YES, "usageCount": COUNT, "version": COUNT}),
        _bump,
        writes=True,
    ),
    _TOOLS.link(
        "skills_link",
        Between,
        ("from_id", "to_id"),
        description="Say that a skill depends on another, is a variant of it or related to it.",
    ),
    _TOOLS.link(
        "skills_create_link",
        Link,
        _ENDS,
        description="Link a skill to the code, document, file, note or task that it is about.",
    ),
    _TOOLS.unlink(Unlink, _ENDS),
    _TOOLS.find_linked(_found, {}),
    _TOOLS.attach(Attach),
    _TOOLS.detach(Detach),
)
