"""What is like a node: near in meaning, linked with it or with the same; on every backend."""

from __future__ import annotations

import math

import pytest

from trivium import indexer, linker
from trivium.alike import MOST, WEIGHTS, Weights, alike
from trivium.backends.base import Backend, Snapshot
from trivium.errors import UsageError
from trivium.filtering.conditions import EVERYTHING, Filter, build
from trivium.lookups import find
from trivium.ranking.profile import profile
from trivium.testing.embedders import WordEmbedder
from trivium.testing.filling import write_texts
from trivium.types import Answer, Hit, NodeId

HASH = "def hash_password(text):\n    salt = new_salt()\n    return digest(text, salt)\n"
IMPORTS = "from auth import hash_password\n\n\n"
TEXTS = {
    "auth.py": f"{HASH}\n\ndef new_salt():\n    return bytes(range(16))\n",
    "login.py": f"{IMPORTS}def login(name):\n    return hash_password(name)\n",
    "signup.py": f"{IMPORTS}def sign_up(who):\n    return hash_password(who)\n",
    "old.py": HASH,
    "cats.py": "def feed(tabby):\n    tabby.purr()\n",
    "guide.md": "# Cats\n\nA tabby purrs.\n\n## Passwords\n\nHow text is hashed with salt.\n",
}


def ask(snapshot: Snapshot, wanted: str, *, where: Filter = EVERYTHING, limit: int = 10) -> Answer:
    return alike(
        snapshot,
        find(snapshot, wanted),
        view=profile("best").view,
        embedders=(WordEmbedder(),),
        where=where,
        limit=limit,
    )


def hits_of(backend: Backend, wanted: str, *, where: Filter = EVERYTHING) -> dict[str, Hit]:
    with backend.snapshot() as snapshot:
        return {hit.id: hit for hit in ask(snapshot, wanted, where=where).results}


@pytest.fixture
def filled(any_backend: Backend) -> Backend:
    write_texts(any_backend, TEXTS)
    indexer.embed(any_backend, WordEmbedder())
    linker.link(any_backend)
    return any_backend


def test_a_copy_comes_first_and_is_marked_as_one(filled: Backend) -> None:
    with filled.snapshot() as snapshot:
        first, *others = ask(snapshot, "code:auth.py#hash_password").results

    assert first.id == "code:old.py#hash_password"
    assert first.is_duplicate
    assert first.reason.startswith("nearly the same text")
    assert not any(hit.is_duplicate for hit in others)


def test_neither_the_node_nor_what_it_lies_in_or_holds_is_like_it(filled: Backend) -> None:
    found = hits_of(filled, "code:auth.py#hash_password")
    assert found.keys().isdisjoint({"code:auth.py#hash_password", "code:auth.py", "file:auth.py"})

    of_the_page = hits_of(filled, "doc:guide.md")
    assert not [one for one in of_the_page if one.startswith(("doc:guide.md", "file:guide.md"))]


def test_what_calls_it_is_like_it_by_that_much(filled: Backend) -> None:
    found = hits_of(filled, "code:auth.py#hash_password")

    parts = {part.name: part.value for part in found["code:login.py#login"].parts}
    with filled.snapshot() as snapshot:
        (degree,) = snapshot.degrees([NodeId("code:login.py#login")]).values()
    # Who is linked with everything tells little.
    assert parts["linked: calls"] == pytest.approx(WEIGHTS.linked / math.log(2 + degree))


def test_two_that_call_the_same_have_links_in_common(filled: Backend) -> None:
    login = hits_of(filled, "code:login.py#login")["code:signup.py#sign_up"]

    # login() is linked with hash_password() alone, and so is sign_up(): all it has in common.
    parts = {part.name: part.value for part in login.parts}
    assert parts["1 link in common"] == pytest.approx(WEIGHTS.shared)


def test_the_parts_add_up_and_meaning_is_a_share_of_the_cosine(filled: Backend) -> None:
    for hit in hits_of(filled, "code:auth.py#hash_password").values():
        assert hit.score == math.fsum(part.value for part in hit.parts)
        for part in hit.parts:
            name, _, cosine = part.name.partition(" ")
            if name == "meaning":
                assert part.value == pytest.approx(
                    WEIGHTS.meaning * float(cosine), abs=WEIGHTS.meaning * 0.005
                )


def test_what_is_like_a_file_are_other_files_each_once(filled: Backend) -> None:
    with filled.snapshot() as snapshot:
        paths = [hit.source.file_path for hit in ask(snapshot, "code:auth.py").results]

    assert len(paths) == len(set(paths))
    assert "auth.py" not in paths
    assert {"login.py", "signup.py", "old.py"} <= set(paths)


def test_a_filter_leaves_only_what_it_allows(filled: Backend) -> None:
    found = hits_of(filled, "code:auth.py#hash_password", where=build({"path": "login.py"}))
    assert found
    assert {hit.source.file_path for hit in found.values()} == {"login.py"}


def test_a_shorter_list_is_the_start_of_a_longer_one(filled: Backend) -> None:
    with filled.snapshot() as snapshot:
        every = ask(snapshot, "code:auth.py#hash_password", limit=MOST)
        some = ask(snapshot, "code:auth.py#hash_password", limit=2)
        for limit in (0, MOST + 1):
            with pytest.raises(UsageError, match="give 1 to 100"):
                ask(snapshot, "code:auth.py#hash_password", limit=limit)

    assert some.results == every.results[:2]
    assert some.total == every.total == len(every.results)
    order = [(-hit.score, hit.chunk_id) for hit in every.results]
    assert order == sorted(order)


def test_without_vectors_the_words_of_its_name_answer_and_that_is_said(
    any_backend: Backend,
) -> None:
    write_texts(any_backend, TEXTS)
    with any_backend.snapshot() as snapshot:
        answer = ask(snapshot, "code:auth.py#hash_password")

    assert answer.results[0].id == "code:old.py#hash_password"
    assert answer.method == "bm25"
    assert answer.embedder == "none"
    assert [one.stage for one in answer.degraded] == ["vectors"]


def test_a_chunk_stands_for_its_node(filled: Backend) -> None:
    by_chunk = hits_of(filled, "code:auth.py#hash_password@0")
    assert by_chunk == hits_of(filled, "code:auth.py#hash_password")


def test_a_node_without_text_or_links_has_nothing_like_it(any_backend: Backend) -> None:
    write_texts(any_backend, {"empty.md": "", "other.md": "# Other\n\nWords.\n"})
    indexer.embed(any_backend, WordEmbedder())
    with any_backend.snapshot() as snapshot:
        answer = ask(snapshot, "file:empty.md")
    assert answer.results == ()


def test_other_weights_change_the_parts_and_not_what_is_found(filled: Backend) -> None:
    with filled.snapshot() as snapshot:
        answers = [
            alike(
                snapshot,
                find(snapshot, "code:login.py#login"),
                view=profile("best").view,
                embedders=(WordEmbedder(),),
                weights=weights,
            ).results
            for weights in (WEIGHTS, Weights(meaning=0.0, linked=0.0, shared=1.0))
        ]

    assert {hit.id for hit in answers[0]} == {hit.id for hit in answers[1]}
    shared = {
        hit.id: part.value / WEIGHTS.shared
        for hit in answers[0]
        for part in hit.parts
        if part.name.endswith("in common")
    }
    assert shared
    assert {hit.id: hit.score for hit in answers[1] if hit.score} == pytest.approx(shared)
