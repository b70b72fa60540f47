"""What is shown of prose are whole sentences, wherever chunks are cut; of code, whole lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.snippets import SHOWN_CUT, faults
from hypothesis import given
from hypothesis import strategies as st

from trivium import config
from trivium.analysis.words import analyser
from trivium.backends.reference.store import ReferenceBackend
from trivium.collection import open_collection
from trivium.results.matching import Sought
from trivium.results.snippet import shown
from trivium.results.stretch import stretches
from trivium.testing.filling import write_texts
from trivium.testing.folders import write_files
from trivium.types import ChunkId

REPOSITORY = Path(__file__).parents[2]
QUERIES = (
    *("how are notes kept", "sentences of prose", "tokens with scopes", "vectors in lists"),
    *("what is masked", "a cursor that is damaged", "graph of callers", "profiles by name"),
    *("requests over HTTP", "an agent asks", "which files are skipped", "confidence of nonsense"),
    *("memory of a server", "typos and prefixes", "cluster", "write a backend", "main", "settings"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("whole")
    wanted = [
        one for kind in ("*.md", "docs/*.md", "benchmarks/*.py") for one in REPOSITORY.glob(kind)
    ]
    write_files(
        place, {str(one.relative_to(REPOSITORY)): one.read_text(encoding="utf-8") for one in wanted}
    )
    return place


def test_of_this_repository_whole_sentences_and_lines_are_shown(
    folder: Path, tmp_path: Path
) -> None:
    environ = {"TRIVIUM_HOME": str(tmp_path), "TRIVIUM_CONFIG": str(tmp_path / "none")}
    wrong, hits, cut = [], 0, 0
    with open_collection(folder, settings=config.load(environ=environ)) as collection:
        collection.sync()
        for query in QUERIES:
            for hit in collection.search(query, limit=20).results:
                text = (folder / hit.source.file_path).read_text(encoding="utf-8")
                found = faults(hit, text)
                hits, cut = hits + 1, cut + (SHOWN_CUT in found)
                wrong += [(hit.id, hit.snippet)] if set(found) - {SHOWN_CUT} else []
    assert hits > 200
    assert not wrong
    assert cut < hits / 8


# Each sentence has a number, so that the whole of one is known when it is seen.
LATIN = st.builds(
    lambda words, end: f"Say{' word' * words}, e.g. Two of 3.5 Mr. Smith's a.py{end}",
    st.integers(0, 30),
    st.sampled_from([".", "!", "?", '."', ".**"]),
)
JAPANESE = st.builds(
    lambda words, end: f"これは{'言葉' * words}です{end}",
    st.integers(0, 60),
    st.sampled_from("。\uff01\uff1f"),
)
BLOCKS = st.one_of(
    st.lists(LATIN, min_size=1, max_size=8).map(" ".join),
    st.lists(JAPANESE, min_size=1, max_size=8).map("".join),
    st.lists(LATIN, min_size=1, max_size=3).map(lambda some: "- " + "\n  ".join(some)),
    st.lists(LATIN, min_size=1, max_size=4).map(
        lambda some: "\n".join(f"| {one} | {one[:20]} |" for one in some)
    ),
    st.integers(1, 9).map(lambda level: f"Heading {level} of it"),
)
BEGINS = re.compile(r"(?:- |\| )?(?:Say|これは|Heading)")
ENDS = re.compile(r'(?:a\.py[.!?]["*]*|です[。\uff01\uff1f]|of it|\|)\Z')


@given(
    blocks=st.lists(BLOCKS, min_size=1, max_size=12),
    asked=st.sampled_from(["word", "言葉", "zebra"]),
)
def test_sentences_are_whole_wherever_chunks_are_cut(blocks: list[str], asked: str) -> None:
    backend = ReferenceBackend()
    write_texts(backend, {"a.txt": "\n\n".join(blocks) + "\n"})
    words_of = analyser("standard")
    sought = Sought(frozenset(words_of.terms(asked)), words_of)
    with backend.snapshot() as snapshot:
        ids = [ChunkId(f"doc:a.txt@{number}") for number in range(40)]
        found = snapshot.fetch(ids)
        assert found
        for one, stretch in zip(found, stretches(snapshot, found).values(), strict=True):
            snippet = shown(stretch, one.node, sought)
            assert snippet.text.startswith("…") or BEGINS.match(snippet.text), snippet.text
            assert snippet.text.endswith("…") or ENDS.search(snippet.text), snippet.text
            # Only what is longer than the room is cut, and all sentences here fit.
            if "|" not in snippet.text and not snippet.text.startswith("- "):
                assert "…" not in snippet.text or "Heading" in snippet.text
