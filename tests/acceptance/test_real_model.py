"""Cases of all five seeds asked with the shipped model, on both backends.

Elsewhere a test chooses the cosines. Here they come from the model: a text that shares no word
with the query is found by what it means, and its score is the profile's formula of the cosine
that the explanation shows, which is the one the model gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

import trivium
from trivium import config
from trivium.analysis.fields import embedding_text
from trivium.backends.reference.store import ReferenceBackend
from trivium.collection import Collection
from trivium.models.minilm import minilm
from trivium.models.onnx import OnnxEmbedder
from trivium.testing.folders import filled
from trivium.types import Answer, Hit

FILES = {
    "guides/signing-in.md": "# Signing in\n\nType your secret phrase to open your account.\n",
    "guides/bread.md": "# Bread\n\nBake the dough until its crust is brown.\n",
    "guides/cat.md": "# A cat\n\nIt slept on the windowsill all afternoon.\n",
    "guides/lorry.md": "# Lorry\n\nThe lorry brings parcels to the shop.\n",
    "src/dates.py": (
        'def parse_day(text):\n    """Turn written days into dates."""\n    return strptime(text)\n'
        '\n\ndef send_mail(address):\n    """Deliver a letter."""\n    return post(address)\n'
    ),
    "skills/calm.md": (
        "---\nname: Slow breathing\ndescription: Count to four while air flows in and out\n---\n\n"
        "# Slow breathing\n\nUse it before an exam.\n"
    ),
    "skills/plan.md": (
        "---\nname: Week plan\ndescription: Put chores on days\n---\n\n"
        "# Week plan\n\nWrite chores down.\n"
    ),
}
SIGNING_IN = "doc:guides/signing-in.md#Signing in"
BREAD = "doc:guides/bread.md#Bread"
CAT = "doc:guides/cat.md#A cat"
LORRY = "doc:guides/lorry.md#Lorry"
K = 60
# An index keeps the numbers of a vector in 127 steps of the largest.
KEPT = 5e-3
# Cosines and BM25 are 32-bit floats.
CLOSE = 1e-6


@pytest.fixture(scope="module")
def model() -> OnnxEmbedder:
    return minilm(threads=1)


@pytest.fixture(scope="module", params=["embedded", "reference"])
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Collection]:
    """The files above, embedded by the shipped model."""
    place = tmp_path_factory.mktemp(request.param)
    (place / "shop").mkdir()
    environ = {"TRIVIUM_HOME": str(place / "home"), "TRIVIUM_CONFIG": str(place / "none.toml")}
    settings = config.load(
        folder=place / "shop", flags={"embedding.model": "minilm"}, environ=environ
    )
    backend = ReferenceBackend() if request.param == "reference" else None
    with trivium.open(place / "shop", settings=settings, backend=backend) as collection:
        yield filled(collection, FILES)


def cosine(hit: Hit) -> float:
    """Return the cosine of a hit that its explanation shows."""
    assert hit.breakdown is not None
    shown = hit.breakdown["ann"]
    assert isinstance(shown, dict)
    return float(shown["score"])


def cosine_by(model: OnnxEmbedder, query: str, hit: Hit, collection: Collection) -> float:
    """Return what the model itself says of a query and the text of a hit."""
    chunk = collection.get(hit.chunk_id).chunks[0]
    vectors = model.embed_documents([embedding_text(hit.node, chunk)])
    return float(vectors[0] @ model.embed_query(query))


def node_ids(answer: Answer) -> list[str]:
    return [hit.node.id for hit in answer.results]


def found_by_no_word(collection: Collection, query: str, *, profile: str) -> bool:
    return not collection.search(query, profile=profile, search_mode="keyword").results


@pytest.mark.parametrize(
    ("profile", "query", "wanted"),
    [
        ("xplor", "user authentication", SIGNING_IN),
        ("xplor", "sleeping pet", CAT),
        ("contract", "sleeping pet", CAT),
        ("contract", "recipe for making a loaf", BREAD),
        ("ember", "recipe loaf", BREAD),
        ("ember", "freight vehicle", LORRY),
        ("graph", "user authentication", SIGNING_IN),
        ("graph", "freight vehicle", LORRY),
        ("rag", "recipe loaf", BREAD),
        ("rag", "sleeping pet", CAT),
        ("best", "user authentication", SIGNING_IN),
        ("best", "freight vehicle", LORRY),
    ],
)
def test_g67_what_shares_no_word_with_the_query_is_found_by_what_it_means(
    shop: Collection, model: OnnxEmbedder, profile: str, query: str, wanted: str
) -> None:
    answer = shop.search(query, profile=profile, kind="doc", explain=True)

    assert found_by_no_word(shop, query, profile=profile)
    assert (answer.method, answer.embedder, answer.degraded) == ("hybrid", "minilm", ())
    first = answer.results[0]
    assert first.node.id == wanted
    assert cosine(first) == pytest.approx(cosine_by(model, query, first, shop), abs=KEPT)


@pytest.mark.parametrize("query", ["user authentication", "sleeping pet"])
def test_g11_without_a_word_meaning_and_degree_are_the_score(shop: Collection, query: str) -> None:
    answer = shop.search(query, profile="xplor", explain=True)

    assert len(answer.results) > 1
    for hit in answer.results:
        degree = len(shop.get(hit.node.id).edges)
        expected = 0.6 * 0 + 0.3 * max(0.0, cosine(hit)) + 0.1 * min(1, degree / 20)
        assert hit.score == pytest.approx(expected, abs=CLOSE)


def test_g11_what_has_the_word_has_six_tenths_more(shop: Collection) -> None:
    answer = shop.search("lorry", profile="xplor", kind="doc", explain=True)

    # The section, and the document, which has its name and no text of its own.
    first, second, *others = answer.results
    assert (first.node.id, second.node.id) == (LORRY, "doc:guides/lorry.md")
    degrees = [len(shop.get(hit.node.id).edges) for hit in (first, second)]
    assert first.score == pytest.approx(
        0.6 + 0.3 * cosine(first) + 0.1 * degrees[0] / 20, abs=CLOSE
    )
    assert second.score == pytest.approx(0.6 + 0.1 * degrees[1] / 20, abs=CLOSE)
    assert others
    assert all("text" not in {part.name for part in hit.parts} for hit in others)


def test_xplor_rrf_has_the_order_of_cosines_where_no_word_is_found(shop: Collection) -> None:
    answer = shop.search("sleeping pet", profile="xplor-rrf", explain=True)

    found = [cosine(hit) for hit in answer.results]
    assert found == sorted(found, reverse=True)
    assert answer.results[0].node.id == CAT


def test_g67_and_g33_meaning_alone_is_a_cosine_that_symbols_multiply(shop: Collection) -> None:
    query = "convert strings into calendar values"
    answer = shop.search(query, profile="contract", mode="code", explain=True)

    assert found_by_no_word(shop, query, profile="contract")
    assert node_ids(answer)[0] == "code:src/dates.py#parse_day"
    for hit in answer.results:
        assert hit.score == pytest.approx(1.2 * 1.1 * cosine(hit), abs=CLOSE)
        assert hit.score_type == "ann"


def test_g58_first_by_words_and_by_meaning_is_first_of_both_lists(shop: Collection) -> None:
    answer = shop.search("lorry", profile="contract", mode="prose", explain=True)

    first, second = answer.results[:2]
    assert (first.node.id, first.score_type) == (LORRY, "rrf")
    assert first.score == pytest.approx(1 / (K + 1) + 1 / (K + 1), rel=1e-12)
    assert second.score == 1 / (K + 2)


def test_g59_meaning_alone_is_half_of_one_and_the_cosine(shop: Collection) -> None:
    answer = shop.search("sleeping pet", profile="contract-blend", mode="prose", explain=True)

    assert node_ids(answer)[0] == CAT
    for hit in answer.results:
        assert hit.score == pytest.approx((1 + cosine(hit)) / 2, abs=CLOSE)


@pytest.mark.parametrize("query", ["recipe loaf", "freight vehicle"])
def test_g74_meaning_alone_counts_forty_times_the_cosine(shop: Collection, query: str) -> None:
    answer = shop.search(query, profile="ember", explain=True)

    for hit in answer.results:
        assert hit.score == pytest.approx(0.6 * 0 + 0.4 * 100 * cosine(hit), abs=1e-4)


def test_g73_points_and_the_cosine_of_the_model_add_up(shop: Collection) -> None:
    answer = shop.search("lorry parcels road", profile="ember", explain=True)

    first = answer.results[0]
    # In the title, twice in the text, and a second term once; the third is nowhere.
    points = 15 + 2 * 2 + 2 * 1
    assert first.node.id == LORRY
    assert first.score == pytest.approx(0.6 * points + 0.4 * 100 * cosine(first), abs=1e-4)


def test_g77_what_the_model_finds_no_nearer_than_a_tenth_is_dropped(
    shop: Collection, model: OnnxEmbedder
) -> None:
    query = "recipe loaf"
    answer = shop.search(query, profile="ember", kind="doc", limit=100, explain=True)

    everything = shop.search(query, profile="rag", kind="doc", limit=100)
    by_model = {hit.node.id: cosine_by(model, query, hit, shop) for hit in everything.results}
    assert set(by_model) == {SIGNING_IN, BREAD, CAT, LORRY}
    # None is so near to a tenth that how vectors are kept would decide.
    assert all(abs(one - 0.1) > KEPT for one in by_model.values())
    assert set(node_ids(answer)) == {one for one, near in by_model.items() if near > 0.1}
    assert len(answer.results) < len(everything.results)


def test_g98_where_no_word_is_found_the_rank_by_meaning_is_the_score(shop: Collection) -> None:
    answer = shop.search(
        "user authentication", profile="graph", kind="doc", bfs_depth=0, explain=True
    )

    found = [cosine(hit) for hit in answer.results]
    assert found == sorted(found, reverse=True)
    assert node_ids(answer)[0] == SIGNING_IN
    assert [hit.score for hit in answer.results] == [
        pytest.approx((K + 1) / (K + rank)) for rank in range(1, 1 + len(found))
    ]


def test_g99_and_g100_meaning_alone_is_a_cosine_and_goes_on_to_the_document(
    shop: Collection,
) -> None:
    answer = shop.search(
        "user authentication",
        profile="graph",
        kind="doc",
        search_mode="vector",
        seeds=1,
        min_score=0.2,
        explain=True,
    )

    first, second = answer.results
    assert (first.node.id, second.node.id) == (SIGNING_IN, "doc:guides/signing-in.md")
    assert first.score == pytest.approx(cosine(first), abs=CLOSE)
    assert second.score == pytest.approx(0.8 * cosine(first), abs=CLOSE)


def test_g106_a_skill_is_recalled_for_what_it_is_good_for(shop: Collection) -> None:
    query = "relaxation exercise nervous people"
    answer = shop.search(query, profile="graph-recall", bfs_depth=0, explain=True)

    assert found_by_no_word(shop, query, profile="graph-recall")
    assert {one.partition("#")[0] for one in node_ids(answer)[:2]} == {"skill:slow-breathing"}
    assert answer.results[0].score == 1.0


def test_g2_and_g121_both_lists_stand_above_the_nearest_by_meaning_alone(shop: Collection) -> None:
    answer = shop.search("shop loaf", profile="rag", kind="doc", explain=True)

    # One has a word of the query, the other what the other word means.
    first, second = answer.results[:2]
    assert (first.node.id, second.node.id) == (LORRY, BREAD)
    assert cosine(second) > cosine(first)
    assert first.score == pytest.approx(1 / (K + 1) + 1 / (K + 2), rel=1e-12)
    assert second.score == 1 / (K + 1)


@pytest.mark.parametrize("query", ["recipe loaf", "sleeping pet", "user authentication"])
def test_g7_the_order_of_meaning_alone_is_that_of_the_model(
    shop: Collection, model: OnnxEmbedder, query: str
) -> None:
    answer = shop.search(query, profile="rag", kind="doc")

    by_model = [cosine_by(model, query, hit, shop) for hit in answer.results]
    assert all(one >= other - KEPT for one, other in pairwise(by_model))
    assert [hit.score for hit in answer.results] == [1 / (K + rank) for rank in range(1, 1 + 4)]
