"""Notes and skills, as a collection gives them out; tasks have a module of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trivium.memory.catalog import Wanted
from trivium.memory.items import PAGE, Note, Skill, Values
from trivium.memory.shelf import Page, Shelf, linked
from trivium.types import Kind

if TYPE_CHECKING:
    from trivium.types import Answer

_LEAST_RECALLED = 0.3


class Notes(Shelf[Note]):
    """What is to be remembered."""

    kind = Kind.NOTE

    def create(
        self,
        title: str,
        content: str = "",
        *,
        tags: Sequence[str] = (),
        links: Sequence[tuple[str, str]] = (),
    ) -> Note:
        """Write a note; `links` are pairs of a type and the id it leads to."""
        made = linked(links, self.kind)
        return self._create({"title": title, "content": content, "tags": tags, "links": made})

    def update(self, given: str, *, expected_version: int | None = None, **fields: object) -> Note:
        """Change fields: title, content, tags. Raises VersionConflict, NotFound, UsageError."""
        return self._update(given, fields, expected_version=expected_version)

    def list(
        self,
        *,
        filter: str = "",
        tag: str | None = None,
        sort: str = "updated",
        limit: int = PAGE,
        offset: int = 0,
    ) -> Page[Note]:
        """Return a page of notes whose title or slug contains `filter`."""
        return self._list(Wanted(words=filter, tag=tag), sort=sort, limit=limit, offset=offset)


class Skills(Shelf[Skill]):
    """How things are done."""

    kind = Kind.SKILL
    sorts = ("updated", "created", "title", "usage", "confidence")

    def create(
        self,
        title: str,
        description: str = "",
        *,
        steps: Sequence[str] = (),
        triggers: Sequence[str] = (),
        input_hints: Sequence[str] = (),
        file_patterns: Sequence[str] = (),
        tags: Sequence[str] = (),
        source: str = "user",
        confidence: float = 1.0,
        links: Sequence[tuple[str, str]] = (),
    ) -> Skill:
        """Write a skill; `triggers` say in words when it is to be used."""
        return self._create(
            {
                "title": title,
                "description": description,
                "steps": steps,
                "triggers": triggers,
                "input_hints": input_hints,
                "file_patterns": file_patterns,
                "tags": tags,
                "source": source,
                "confidence": confidence,
                "links": linked(links, self.kind),
            }
        )

    def update(self, given: str, *, expected_version: int | None = None, **fields: object) -> Skill:
        """Change fields. Raises VersionConflict, NotFound, UsageError."""
        return self._update(given, fields, expected_version=expected_version)

    def list(
        self,
        *,
        filter: str = "",
        tag: str | None = None,
        source: str | None = None,
        sort: str = "updated",
        limit: int = PAGE,
        offset: int = 0,
    ) -> Page[Skill]:
        """Return a page of skills whose title or slug contains `filter`."""
        wanted = Wanted(words=filter, tag=tag, source=source)
        return self._list(wanted, sort=sort, limit=limit, offset=offset)

    def recall(
        self,
        context: str,
        *,
        limit: int | None = None,
        min_score: float = _LEAST_RECALLED,
        search_mode: str = "hybrid",
        explain: bool = False,
    ) -> Answer:
        """Return the skills for what someone is about to do, told in a sentence or two."""
        return self._ground.search(
            context,
            profile="graph-recall",
            kind=self.kind.value,
            limit=limit,
            min_score=min_score,
            search_mode=search_mode,
            explain=explain,
        )

    def bump(self, given: str) -> Skill:
        """Count that a skill was used now."""
        now = self._desk.now()

        def count(values: Values) -> Values:
            used = values.get("usage_count")
            return {"usage_count": (used if isinstance(used, int) else 0) + 1, "last_used": now}

        return self._amend(self._slug(given), count)
