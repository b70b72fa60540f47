"""What every backend promises, as tests: subclass BackendContract and say how to make one.

    class TestMine(BackendContract):
        @pytest.fixture
        def make_backend(self, tmp_path: Path) -> MakeBackend:
            numbers = itertools.count()
            return lambda: MyBackend(tmp_path / str(next(numbers)))

Each call of `make_backend` must give a new, empty backend. For an exact comparison of
scores with the reference backend, subclass parity.BackendParity in the same way.
"""

from __future__ import annotations

from trivium.testing.promises import MakeBackend
from trivium.testing.promises_feeds import FeedPromises
from trivium.testing.promises_filters import FilterPromises
from trivium.testing.promises_linking import LinkingPromises
from trivium.testing.promises_queries import QueryPromises
from trivium.testing.promises_syntax import SyntaxPromises
from trivium.testing.promises_text import TextPromises
from trivium.testing.promises_units import UnitPromises
from trivium.testing.promises_vectors import VectorPromises
from trivium.testing.promises_writing import WritingPromises

__all__ = ["BackendContract", "MakeBackend"]


class BackendContract(
    WritingPromises,
    TextPromises,
    UnitPromises,
    QueryPromises,
    SyntaxPromises,
    FilterPromises,
    VectorPromises,
    LinkingPromises,
    FeedPromises,
):
    """All promises together."""
