"""The tool set `memory`: seed 003's tools to write, read, link and list notes, tasks and skills.

The searches of the three are in the set `graph`.
"""

from __future__ import annotations

from dataclasses import replace

from trivium.doors.mcp.memory_epics import EPICS
from trivium.doors.mcp.memory_notes import NOTES
from trivium.doors.mcp.memory_skills import SKILLS
from trivium.doors.mcp.memory_tasks import TASKS

TOOLS = tuple(replace(one, quotes=not one.writes) for one in (*NOTES, *TASKS, *EPICS, *SKILLS))
