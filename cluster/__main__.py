"""`python -m cluster [NODES] [pytest arguments]`: start nodes, run the tests of the cluster, stop.

Where no cluster can be had it says so and ends well: the tests are then not run, not passed.
With TRIVIUM_CLUSTER_URL they run on the cluster that is there; TRIVIUM_CLUSTER_SHARDS says how
many shards each index has.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cluster.artefacts import HERE, NotResolved
from cluster.nodes import NotStarted, started

URL = "TRIVIUM_CLUSTER_URL"
_CASES = HERE.parent / "tests" / "acceptance"


def main(arguments: list[str]) -> int:
    """Return the exit status of the tests; 0 if they could not be run."""
    count = int(arguments[0]) if arguments else 1
    if named := os.environ.get(URL, ""):
        return _tested(named, arguments[1:])
    try:
        try:
            return _on_nodes(count, arguments[1:])
        except NotStarted as error:
            sys.stderr.write(f"cluster: once more, since it did not start. {error}\n")
            return _on_nodes(count, arguments[1:])
    except NotResolved as error:
        sys.stderr.write(f"cluster: the tests were NOT RUN. {error}\n")
        return 0


def _on_nodes(count: int, options: list[str]) -> int:
    with started(count) as cluster:
        return _tested(",".join(cluster.urls), options)


def _tested(urls: str, options: list[str]) -> int:
    sys.stderr.write(f"cluster: {urls}\n")
    os.environ[URL] = urls
    # In this process, so that tests can take nodes away and bring them back.
    status = int(pytest.main([str(HERE / "tests"), *options]))
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return status
    # Then every acceptance case, as on the other backends. One at a time: collections lend each
    # other vectors, and these have models of one name that give each case vectors of its own.
    cases = [sys.executable, "-m", "pytest", str(_CASES), "-k", "opensearch", "-n", "0", *options]
    asked = subprocess.run(cases, check=False).returncode
    return status if asked == pytest.ExitCode.NO_TESTS_COLLECTED else asked


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
