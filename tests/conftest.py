import os

import pytest
from hypothesis import settings

# The suite is shipped outside the tests: without this its failures would say only False.
pytest.register_assert_rewrite("trivium.testing")

# No example has a time limit: the first one imports a parser, and machines are busy.
settings.register_profile("trivium", deadline=None)
settings.load_profile("trivium")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a third of the time, tests wait for servers and browsers."""
    is_told = hasattr(os, "sched_getaffinity")
    return (len(os.sched_getaffinity(0)) if is_told else os.cpu_count() or 1) + 1
