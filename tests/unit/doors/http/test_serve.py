from __future__ import annotations

import pytest

from trivium.doors.http.serve import check_address, listen
from trivium.errors import UsageError


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org", ""])  # noqa: S104
def test_an_address_others_can_reach_is_refused_with_the_reason(host: str) -> None:
    with pytest.raises(UsageError, match="no tokens yet"):
        check_address(host, 7700)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_loopback_is_allowed(host: str) -> None:
    check_address(host, 7700)


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_that_does_not_exist_is_refused(port: int) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        check_address("127.0.0.1", port)


def test_a_port_that_is_taken_is_an_error_that_says_so() -> None:
    with listen("127.0.0.1", 0) as first:
        taken = first.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {taken} of 127.0.0.1.*--port"):
            listen("127.0.0.1", taken)
