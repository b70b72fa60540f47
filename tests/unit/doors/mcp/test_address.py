from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.doors.mcp import address
from trivium.doors.mcp.address import Address
from trivium.errors import NotFound

NAMES = st.text(min_size=1).filter(lambda name: name not in (".", "..") and "/" not in name)


@given(
    collection=NAMES,
    steps=st.lists(NAMES, min_size=1, max_size=4),
    lines=st.none() | st.tuples(st.integers(1, 9_999), st.integers(1, 9_999)),
)
def test_an_address_that_is_written_is_read_as_what_it_was(
    collection: str, steps: list[str], lines: tuple[int, int] | None
) -> None:
    path = "/".join(steps)
    first, last = (None, None) if lines is None else lines
    try:
        text = address.written(collection, path, start_line=first, end_line=last)
    except UnicodeEncodeError:
        return

    assert address.read(text) == Address(collection, path, lines)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "trivium://",
        "trivium://shop",
        "file:///etc/passwd",
        "trivium://shop/../x",
        "trivium://shop/a/%2E%2E/%2E%2E/x",
        "trivium://shop//etc/passwd",
        "trivium://shop/a.py#L0",
        "trivium://shop/a.py#L1-L2-L3",
    ],
)
def test_what_leads_nowhere_is_refused(text: str) -> None:
    with pytest.raises(NotFound):
        address.read(text)
