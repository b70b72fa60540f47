"""`python -m cluster [NODES] [pytest arguments]`: start nodes, run the tests of the cluster, stop.

Where no cluster can be had it says so and ends well: the tests are then not run, not passed.
With TRIVIUM_CLUSTER_URL they run on the cluster that is there; TRIVIUM_CLUSTER_SHARDS says how
many shards each index has.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import nullcontext

import pytest

from cluster.artefacts import HERE, NotResolved
from cluster.nodes import started

URL = "TRIVIUM_CLUSTER_URL"
_CASES = HERE.parent / "tests" / "acceptance"


def main(arguments: list[str]) -> int:
    """Return the exit status of the tests; 0 if they could not be run."""
    count = int(arguments[0]) if arguments else 1
    named = os.environ.get(URL, "")
    try:
        with nullcontext() if named else started(count) as cluster:
            urls = named if cluster is None else ",".join(cluster.urls)
            sys.stderr.write(f"cluster: {urls}\n")
            os.environ[URL] = urls
            # In this process, so that tests can take nodes away and bring them back.
            status = int(pytest.main([str(HERE / "tests"), *arguments[1:]]))
            # Then every acceptance case, as on the other backends.
            cases = [sys.executable, "-m", "pytest", str(_CASES), "-k", "opensearch", "-n", "0"]
            return status or subprocess.run([*cases, *arguments[1:]], check=False).returncode
    except NotResolved as error:
        sys.stderr.write(f"cluster: the tests were NOT RUN. {error}\n")
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
