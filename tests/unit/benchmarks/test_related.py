from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.related import SHOWN, Case, cases_of, chosen, found, grid, table

from trivium import indexer, linker
from trivium.alike import WEIGHTS, Weights
from trivium.backends.reference.store import ReferenceBackend
from trivium.evaluation.datasets import RepositoryQuery, RepositoryTask, Target
from trivium.lookups import find
from trivium.models.static import static
from trivium.testing.filling import write_texts

TEXTS = {
    "auth.py": "def hash_password(text):\n    return salted(text)\n",
    "login.py": "from auth import hash_password\n\n\ndef login(password):\n"
    "    return hash_password(password)\n",
    "cats.py": "def feed(tabby):\n    tabby.purr()\n",
}
TASK = RepositoryTask(
    "shop",
    "python",
    "1",
    Path("shop"),
    (
        RepositoryQuery("1", "password", (Target("auth.py"), Target("login.py", (1, 2)))),
        RepositoryQuery("2", "cats", (Target("cats.py"), Target("gone.py"))),
        RepositoryQuery("3", "twice", (Target("cats.py", (1, 1)), Target("cats.py", (2, 2)))),
    ),
)


@pytest.fixture
def backend() -> ReferenceBackend:
    made = ReferenceBackend()
    write_texts(made, TEXTS)
    indexer.embed(made, static())
    linker.link(made)
    return made


def test_each_right_file_is_asked_for_where_there_are_several(backend: ReferenceBackend) -> None:
    with backend.snapshot() as snapshot:
        cases = cases_of(snapshot, TASK)
        scores = [found(snapshot, case, WEIGHTS) for case in cases]

    assert [(one.question, str(one.node.id), set(one.others)) for one in cases] == [
        ("1", "code:auth.py", {"login.py"}),
        ("1", "code:login.py", {"auth.py"}),
    ]
    assert scores == [1.0, 1.0]


def test_weights_are_chosen_on_other_repositories_than_they_are_measured_on(
    backend: ReferenceBackend,
) -> None:
    with backend.snapshot() as snapshot:
        node = find(snapshot, "auth.py")
    names = [f"r{number}" for number in range(6)]
    cases = [Case(name, "1", node, frozenset({"login.py"})) for name in names]
    # On the first it is right alone, on all others wrong.
    odd = Weights(1, 0, 0)
    scores = {WEIGHTS: [0.0, *[0.5] * 5], odd: [1.0, *[0.4] * 5]}
    rows = chosen(scores, cases)

    assert rows[0]["chosen"] == "0.6 / 0.05 / 0.35"
    assert (rows[0]["kept back"], rows[1]["chosen"]) == ("0.000", "1 / 0 / 0")
    assert rows[-1]["there"] == f"{(1 + 5 * 0.4) / 6:.3f}"


def test_all_weights_add_up_to_one_and_those_that_are_set_are_shown() -> None:
    for one in grid():
        assert one.meaning + one.linked + one.shared == pytest.approx(1)
    assert WEIGHTS in grid()


def test_the_table_says_what_each_has_and_what_is_set_is_against_nothing(
    backend: ReferenceBackend,
) -> None:
    with backend.snapshot() as snapshot:
        cases = cases_of(snapshot, TASK)
    rows = table({one: [0.25, 0.75] for one in SHOWN}, cases)

    assert {row["nDCG@10"] for row in rows} == {"0.500"}
    assert [row["against what is set"] for row in rows].count("") == 1
