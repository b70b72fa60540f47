"""What holds where several folders feed one index: each its own, and nobody another's."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.backends.base import Backend
from trivium.feeding import withdraw
from trivium.filtering.conditions import EVERYTHING
from trivium.indexer import embed, sync
from trivium.query.grammar import Words
from trivium.sources.files import FolderSource
from trivium.sources.under import Under
from trivium.testing.embedders import WordEmbedder
from trivium.testing.filling import BODY, ask
from trivium.testing.folders import write_files
from trivium.testing.promises import MakeBackend, Promises
from trivium.writing.digest import Cutting
from trivium.writing.feed import Feed, feeds_in

_SHOP, _DOCS = Feed("services/shop"), Feed("docs")
_NAMES = st.sampled_from(("a.md", "b.md", "in/c.md", "in/deep/d.py", "blob.bin"))
_TREES = st.dictionaries(_NAMES, st.sampled_from(("cat", "dog", "cat dog")), max_size=4)


def _feed(backend: Backend, feed: Feed, folder: Path) -> None:
    source = Under(FolderSource(folder), feed.under)
    sync(source, backend, cutting=Cutting(), feed=feed, wait_s=30)


def _held(backend: Backend) -> set[str]:
    with backend.snapshot() as snapshot:
        return {path for path in snapshot.files() if not path.endswith("/")}


def _folders(backend: Backend) -> set[str]:
    with backend.snapshot() as snapshot:
        return {path for path in snapshot.files() if path.endswith("/")}


def _made(folder: Path, files: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for old in sorted(folder.rglob("*"), reverse=True):
        old.rmdir() if old.is_dir() else old.unlink()
    texts = {name: text for name, text in files.items() if not name.endswith(".bin")}
    write_files(folder, texts)
    for name in files.keys() - texts.keys():
        (folder / name).write_bytes(b"\0\1\2" * 9)
    return folder


class FeedPromises(Promises):
    """Several sources, one index."""

    def test_each_folder_stands_below_its_own_and_takes_nothing_from_the_other(
        self, backend: Backend, tmp_path: Path
    ) -> None:
        shop = _made(tmp_path / "shop", {"price.md": "apples", "blob.bin": ""})
        docs = _made(tmp_path / "docs", {"price.md": "pears", "in/more.md": "plums"})
        _feed(backend, _SHOP, shop)
        _feed(backend, _DOCS, docs)
        both = {"services/shop/price.md", "docs/price.md", "docs/in/more.md"}
        assert _held(backend) == both

        (shop / "price.md").unlink()
        _feed(backend, _SHOP, shop)

        assert _held(backend) == both - {"services/shop/price.md"}
        with backend.snapshot() as snapshot:
            found = snapshot.text(BODY).search(ask(Words("pears")), where=EVERYTHING, depth=9)
            assert len(found.ids) == 1
            assert dict(snapshot.skipped()) == {"services/shop/blob.bin": "binary"}
        assert "services/shop/" not in _folders(backend)
        assert "docs/in/" in _folders(backend)

    def test_what_a_folder_is_withdrawn_with_leaves_the_others_whole(
        self, backend: Backend, tmp_path: Path
    ) -> None:
        _feed(backend, _SHOP, _made(tmp_path / "shop", {"a.md": "apples", "b.md": "plums"}))
        _feed(backend, _DOCS, _made(tmp_path / "docs", {"a.md": "pears"}))
        assert feeds_in(backend.meta()) == ["docs", "services/shop"]

        assert withdraw(backend, _SHOP) == 2

        assert _held(backend) == {"docs/a.md"}
        assert feeds_in(backend.meta()) == ["docs"]

    def test_two_who_feed_at_once_lose_nothing_of_each_other(
        self, backend: Backend, tmp_path: Path
    ) -> None:
        trees = {
            feed: {f"{number}.md": f"{feed.under} {number}" for number in range(40)}
            for feed in (_SHOP, _DOCS)
        }
        failures: list[BaseException] = []

        def run(feed: Feed, folder: Path) -> None:
            try:
                _feed(backend, feed, folder)
            except BaseException as error:
                failures.append(error)
                raise

        threads = [
            threading.Thread(target=run, args=(feed, _made(tmp_path / f"tree{order}", tree)))
            for order, (feed, tree) in enumerate(trees.items())
        ]
        for one in threads:
            one.start()
        for one in threads:
            one.join()

        assert failures == []
        assert _held(backend) == {
            f"{feed.under}/{name}" for feed, tree in trees.items() for name in tree
        }
        assert _folders(backend) >= {"docs/", "services/", "services/shop/"}

    def test_two_who_embed_at_once_embed_each_text_once(
        self, backend: Backend, tmp_path: Path
    ) -> None:
        # The last five are the same texts in both.
        for feed in (_SHOP, _DOCS):
            tree = {f"{one}.md": f"{feed.under} has {one} apples" for one in range(25)}
            tree |= {f"same{one}.md": f"both have {one} pears" for one in range(5)}
            _feed(backend, feed, _made(tmp_path / feed.under, tree))
        embedders = [WordEmbedder(), WordEmbedder()]
        threads = [
            threading.Thread(target=embed, args=(backend, one), kwargs={"wait_s": 30})
            for one in embedders
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

        texts = [text for one in embedders for text in one.documents]
        assert len(texts) == len(set(texts))
        with backend.snapshot() as snapshot:
            assert snapshot.unembedded(embedders[0].model_id) == 0
            assert len(texts) > 0

    @settings(
        max_examples=10,
        deadline=None,
        suppress_health_check=[
            HealthCheck.function_scoped_fixture,
            # Each backend has a class of its own that runs it.
            HealthCheck.differing_executors,
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
        ],
    )
    @given(steps=st.lists(st.tuples(st.sampled_from((_SHOP, _DOCS)), _TREES), max_size=4))
    def test_an_index_holds_what_each_folder_held_when_it_was_last_synced(
        self,
        make_backend: MakeBackend,
        tmp_path: Path,
        steps: list[tuple[Feed, dict[str, str]]],
    ) -> None:
        backend = make_backend()
        last: dict[Feed, dict[str, str]] = {}
        for feed, tree in steps:
            _feed(backend, feed, _made(tmp_path / feed.under, tree))
            last[feed] = tree

        wanted = {f"{feed.under}/{name}" for feed, tree in last.items() for name in tree}
        blobs = {path for path in wanted if path.endswith(".bin")}
        assert _held(backend) == wanted - blobs
        with backend.snapshot() as snapshot:
            assert set(snapshot.skipped()) == blobs
