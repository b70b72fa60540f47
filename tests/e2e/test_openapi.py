"""What /openapi.json says is what the server does: made-up requests find nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.server import filled, serving, soon

from trivium.doors.tokens import Right, Tokens

COMMAND = Path(sys.executable).parent / "schemathesis"
# A request that fits its schema may still name a profile that is not there, or a damaged cursor:
# that is 400, as the contract has it. A note as long as notes may be is too large for a body.
CONFIG = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "400", "401", "403", "404", "409", "413", "429", "5xx"]

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "408", "409", "413", "422", "429", "5xx"]
"""


@pytest.fixture(autouse=True)
def installed() -> None:
    if not COMMAND.exists():
        pytest.skip("schemathesis is not installed: make setup")


def run(address: str, place: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    config = place / "schemathesis.toml"
    config.write_text(CONFIG, encoding="utf-8")
    return subprocess.run(
        [
            COMMAND,
            "--config-file",
            config,
            "run",
            f"{address}/openapi.json",
            "--max-examples=4",
            "--generation-deterministic",
            "--request-timeout=60",
            "--no-color",
            *flags,
        ],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )


def test_made_up_requests_are_answered_as_described(tmp_path: Path) -> None:
    with serving([filled(tmp_path / "shop")], tmp_path / "home") as running:
        assert soon(running.is_ready)

        found = run(str(running.client.base_url).rstrip("/"), tmp_path, "--phases=coverage,fuzzing")

        assert found.returncode == 0, found.stdout
        assert running.client.get("/health").status_code == 200
        assert "ERROR" not in "".join(running.lines)


def test_no_request_gets_past_a_token(tmp_path: Path) -> None:
    home = tmp_path / "home"
    token = Tokens(home).add("tester", Right.READ)
    folder = filled(tmp_path / "shop")
    with serving([folder], home, "--require-token", token=token) as running:
        assert soon(running.is_ready)
        checks = "--checks=ignored_auth,not_a_server_error"
        header = f"-HAuthorization: Bearer {token}"

        address = str(running.client.base_url).rstrip("/")
        found = run(address, tmp_path, "--phases=fuzzing", checks, header)

        assert found.returncode == 0, found.stdout
