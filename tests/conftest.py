import pytest

# The suite is shipped outside the tests: without this its failures would say only False.
pytest.register_assert_rewrite("trivium.testing")
