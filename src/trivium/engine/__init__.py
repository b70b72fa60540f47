"""A query and a state of an index -> an answer, stage by stage."""

from trivium.engine.spine import search

__all__ = ["search"]
