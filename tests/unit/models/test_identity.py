"""The id of a vector space is plain and changes with any of its parts."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from trivium.models.identity import space_id

part_lists = st.lists(st.text() | st.integers(), max_size=4)


@given(st.text(), part_lists)
def test_an_id_is_safe_as_a_file_name(name: str, parts: list[str | int]) -> None:
    assert re.fullmatch(r"[A-Za-z0-9._-]*-[0-9a-f]{8}", space_id(name, parts))


@given(part_lists, part_lists)
def test_only_equal_parts_share_an_id(first: list[str | int], second: list[str | int]) -> None:
    assert (space_id("m", first) == space_id("m", second)) == (first == second)


def test_a_name_keeps_what_is_plain_in_it() -> None:
    assert space_id("openai:org/text-embedding-3", []).startswith("openai-org-text-embedding-3-")
