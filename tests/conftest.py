import pytest
from hypothesis import settings

# The suite is shipped outside the tests: without this its failures would say only False.
pytest.register_assert_rewrite("trivium.testing")

# No example has a time limit: the first one imports a parser, and machines are busy.
settings.register_profile("trivium", deadline=None)
settings.load_profile("trivium")
