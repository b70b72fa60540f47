from __future__ import annotations

import inspect

import pytest

from trivium import errors
from trivium.doors import failures
from trivium.errors import BackendUnavailable, ChunkNotFound, TriviumError, UsageError

CLASSES = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, TriviumError)
]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_class_has_its_statuses(kind: type[TriviumError]) -> None:
    assert kind in failures.TABLE


def test_an_error_never_ends_a_command_like_an_answer() -> None:
    found, nothing_found = 0, 1

    assert not {one.exit for one in failures.TABLE.values()} & {found, nothing_found}


@pytest.mark.parametrize("kind", [one for one in CLASSES if issubclass(one, UsageError)])
def test_what_the_caller_can_put_right_is_status_400(kind: type[TriviumError]) -> None:
    assert failures.TABLE[kind].http == 400


def test_a_class_from_elsewhere_has_the_statuses_of_its_nearest_base() -> None:
    class Gone(ChunkNotFound):
        pass

    assert failures.statuses(Gone("x")) == failures.TABLE[ChunkNotFound]


def test_an_unreachable_store_says_after_how_many_whole_seconds_to_try_again() -> None:
    error = BackendUnavailable("The store is away.", retry_after_s=1.2)

    assert failures.statuses(error).http == 503
    assert failures.retry_after_s(error) == 2
    assert failures.retry_after_s(UsageError("no")) is None
