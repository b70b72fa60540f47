"""--crash-rounds and --crash-seed -> one test per round, named by its seed.

Repeat a round that failed with --crash-seed=<its number> --crash-rounds=1.
"""

from __future__ import annotations

import random
import zlib

import pytest

_ROUNDS = 30
_SEEDS = 1_000_000


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--crash-rounds", type=int, default=_ROUNDS, help="how often to kill -9")
    parser.addoption("--crash-seed", type=int, default=None, help="seed of the first round")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give `even_seed` and `odd_seed` half of the rounds each."""
    for parity, name in enumerate(("even_seed", "odd_seed")):
        if name in metafunc.fixturenames:
            seeds = _seeds(metafunc.config)
            metafunc.parametrize(name, [seed for seed in seeds if seed % 2 == parity])


def _seeds(config: pytest.Config) -> range:
    # The defaults stand here again: this file is read too late for its options to be known
    # when the whole tree is tested.
    rounds = int(config.getoption("crash_rounds", _ROUNDS))
    first = config.getoption("crash_seed", None)
    if first is None:
        first = _one_for_all_workers(config)
    return range(int(first), int(first) + rounds)


def _one_for_all_workers(config: pytest.Config) -> int:
    """Return a seed nobody chose; processes that share a run must find the same tests."""
    shared: dict[str, str] = getattr(config, "workerinput", {})
    if "testrunuid" in shared:
        return zlib.crc32(shared["testrunuid"].encode()) % _SEEDS
    if not hasattr(config, "_crash_seed"):
        config._crash_seed = random.randrange(_SEEDS)  # type: ignore[attr-defined]  # noqa: S311
    return int(config._crash_seed)  # type: ignore[attr-defined]
