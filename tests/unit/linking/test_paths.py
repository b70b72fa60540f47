"""The paths of an index, changed file by file, are those made anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trivium.linking.world import Paths

NAMES = (
    "a.py",
    "index/index.js",
    "src/__init__.py",
    "src/b.py",
    "doc/My Plan.md",
    "doc/my-plan.md",
)
some = st.frozensets(st.sampled_from(NAMES))


def facts(paths: Paths) -> object:
    lists = (paths.by_stem, paths.by_module, paths.folders, paths.by_slug)
    kept = [{name: found for name, found in one.items() if found} for one in lists]
    named = {name: sorted(found) for name, found in paths.folders_by_name.items()}
    return kept, paths.all, paths.above, named


@given(some, st.lists(st.tuples(some, some)), st.booleans())
def test_changed_paths_are_those_made_anew(
    first: frozenset[str], steps: list[tuple[frozenset[str], frozenset[str]]], asks_slugs: bool
) -> None:
    paths, now = Paths(first), set(first)
    if asks_slugs:
        assert len(paths.by_slug) <= len(first)
    for came, went in steps:
        paths.change(came=came - went, went=went)
        now = (now - went) | (came - went)

        assert facts(paths) == facts(Paths(now))
