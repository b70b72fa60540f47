from __future__ import annotations

import pytest

from trivium.errors import ConfigError
from trivium.writing.feed import ALL, BEGUN, WITHDRAWN, Feed, feed_under, feeds_in, refuse_mixed

_SHOP = Feed("services/shop")
_AT = "2026-01-01T00:00:00+00:00"


def test_who_has_all_of_an_index_calls_paths_as_it_does() -> None:
    assert (ALL.placed("a/b.py"), ALL.local("a/b.py")) == ("a/b.py", "a/b.py")
    known = {"a": 1, "b": 2}
    assert (ALL.of(known), ALL.beside(known)) == (known, {})


def test_a_feed_holds_what_is_below_its_folder_and_not_what_only_starts_alike() -> None:
    assert (_SHOP.placed("a.py"), _SHOP.placed("")) == ("services/shop/a.py", "services/shop")
    assert _SHOP.local("services/shop/a.py") == "a.py"
    assert _SHOP.local("services/shops/a.py") is None
    assert _SHOP.local("services/shop") is None


@pytest.mark.parametrize(
    "given", ["/a", "a/", "a//b", "../a", "a/../b", ".", ".git", "a\\b", "a\nb", "a" * 201]
)
def test_a_feed_is_named_by_a_plain_path(given: str) -> None:
    with pytest.raises(ConfigError, match=r"backend\.under"):
        feed_under(given)


def test_the_times_of_feeds_say_which_there_are() -> None:
    meta = {"synced docs": _AT, "synced old": WITHDRAWN, "synced new": BEGUN, "name": "x"}
    assert feeds_in(meta) == ["docs", "new"]
    assert Feed("docs").synced_at(meta) == _AT
    assert (Feed("new").synced_at(meta), Feed("old").synced_at(meta)) == ("", "")
    assert ALL.synced_at({"indexed_at": _AT}) == _AT


@pytest.mark.parametrize(
    ("feed", "meta", "said"),
    [
        (ALL, {"synced docs": _AT, "indexed_at": _AT}, "fed by several folders"),
        (ALL, {"synced docs": WITHDRAWN, "indexed_at": _AT}, "fed by several folders"),
        (Feed("docs"), {"indexed_at": _AT, "root": "somewhere"}, "all of one folder, somewhere"),
        (Feed("services"), {"synced services/shop": _AT}, "within each other"),
        (Feed("services/shop/in"), {"synced services/shop": _AT}, "within each other"),
    ],
)
def test_nobody_takes_what_others_feed_for_its_own(
    feed: Feed, meta: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        refuse_mixed(feed, meta, name="shop")


@pytest.mark.parametrize(
    ("feed", "meta"),
    [
        (ALL, {}),
        (ALL, {"indexed_at": _AT}),
        (Feed("docs"), {}),
        (Feed("docs"), {"synced docs": _AT, "synced shop": _AT, "indexed_at": _AT}),
        (Feed("docs"), {"synced docs": WITHDRAWN, "indexed_at": _AT}),
    ],
)
def test_who_fits_in_is_let_in(feed: Feed, meta: dict[str, str]) -> None:
    refuse_mixed(feed, meta, name="shop")


def test_each_feed_remembers_its_own_commit() -> None:
    said = _SHOP.with_head("", "aaa")
    said = Feed("docs of all").with_head(said, "bbb")
    said = _SHOP.with_head(said, "ccc")

    assert _SHOP.head_of(said) == "ccc"
    assert Feed("docs of all").head_of(said) == "bbb"
    assert Feed("other").head_of(said) == ""
    assert (ALL.with_head("aaa", "bbb"), ALL.head_of("aaa")) == ("bbb", "aaa")
