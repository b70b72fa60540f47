"""One tool as data: what it is called, what it takes and gives, and what answers it.

Each tool set is a tuple of these, in the order they are listed in. Imports nothing of the
engine: the list of tools is sent before anything is searched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trivium.doors import finding
from trivium.doors.answers import Strict
from trivium.doors.mcp.budget import Reply
from trivium.doors.mcp.schema import Schema


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool. `answer` gets the collection and the request, already checked.

    `waits` says that it wants the folder gone through before it answers, for a while;
    `is_strict` that an argument it lacks is an error of the protocol, as in seed 004;
    `names_all` that its result says which collections there are; `is_of_many` that several may
    be asked at once, and `answer` gets them all; `is_about_one` that its id may be of any
    collection, where none is named; `about` is the argument that names a node, which may be an
    address of another collection; `writes` that it changes something, and
    `replaces` that what was there before may be gone then; `quotes` that it tells what files of
    memory say, which is masked for who may not change them.
    """

    name: str
    title: str
    description: str
    takes: type[Strict]
    gives: Schema
    answer: Callable[[Any, Any], Reply]
    waits: bool = True
    is_strict: bool = False
    names_all: bool = False
    is_of_many: bool = False
    is_about_one: bool = False
    about: str = "id"
    writes: bool = False
    replaces: bool = False
    quotes: bool = False

    def collection_of(self, request: Strict) -> str | None:
        """Return the collection that a request names, if it names one. Raises RequestInvalid."""
        named: str | None = getattr(request, "collection", None)
        return finding.collection_of(str(getattr(request, self.about, "")), named)

    @property
    def input_schema(self) -> Schema:
        """What it takes, as a JSON schema."""
        return self.takes.model_json_schema(by_alias=True)
