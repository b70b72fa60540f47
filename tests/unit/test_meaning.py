"""Which models give a collection meaning, and when: the instant one at once, others behind it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import trivium
from trivium import config, profiles
from trivium.collection import Collection
from trivium.errors import ConfigError, MissingExtra, ModelError
from trivium.models.static import StaticEmbedder
from trivium.testing.embedders import WordEmbedder

Open = Callable[..., Collection]
OLD_S = 1_000_000_000


def write(path: Path, text: str, *, age_s: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (OLD_S - age_s, OLD_S - age_s))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop/cats.md", "# Cats\n\nA cat sleeps all day.\n", age_s=2)
    write(tmp_path / "shop/dogs.md", "# Dogs\n\nA dog wants to go out.\n", age_s=1)
    write(tmp_path / "shop/birds.md", "# Birds\n\nA bird sings.\n")
    return tmp_path / "shop"


@pytest.fixture
def opened(home: Path) -> Iterator[Open]:
    """Open with the settings of a user who has none but those given."""
    collections: list[Collection] = []

    def open_(folder: Path, **flags: config.Value) -> Collection:
        environ = {"TRIVIUM_HOME": str(home), "TRIVIUM_CONFIG": str(home / "config.toml")}
        given = {key.replace("__", "."): value for key, value in flags.items()}
        settings = config.load(folder=folder, flags=given, environ=environ)
        collections.append(trivium.open(folder, settings=settings))
        return collections[-1]

    yield open_
    for collection in collections:
        collection.close()


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, WordEmbedder]:
    """An instant and a slow model, in the place of all others."""
    made = {
        "static": WordEmbedder("static", strength=1, is_instant=True),
        "slow": WordEmbedder("slow", strength=9),
    }

    def load(name: str, **_: object) -> WordEmbedder:
        if name not in made:
            raise MissingExtra(f"The model {name!r}", extra=name)
        return made[name]

    monkeypatch.setattr("trivium.models.registry.load", load)
    return made


def test_the_first_answer_knows_meaning_without_any_setting(shop: Path, opened: Open) -> None:
    collection = opened(shop)
    collection.sync()

    answer = collection.search("kitten naps")

    assert (answer.method, answer.embedder, answer.degraded) == ("hybrid", "static", ())
    assert answer.results[0].source.file_path == "cats.md"
    assert answer.coverage.embedded == 1.0


def test_a_sync_embeds_what_is_new_and_nothing_twice(
    shop: Path, opened: Open, models: dict[str, WordEmbedder]
) -> None:
    collection = opened(shop)
    collection.sync()
    first = len(models["static"].documents)

    collection.sync()
    assert len(models["static"].documents) == first

    write(shop / "fish.md", "# Fish\n\nA fish swims.\n", age_s=-5)
    collection.sync()
    assert {"fish", "Fish"} & set(" ".join(models["static"].documents[first:]).split())
    assert not any("cat" in text for text in models["static"].documents[first:])


def test_a_slow_model_embeds_nothing_before_it_is_told_to(
    shop: Path, opened: Open, models: dict[str, WordEmbedder]
) -> None:
    collection = opened(shop, embedding__model="slow")
    collection.sync()

    assert models["slow"].documents == []
    assert collection.search("cat").embedder == "static"

    assert collection.embed() > 0
    assert collection.search("cat").embedder == "slow"
    assert collection.search("cat").degraded == ()


def test_of_code_the_instant_model_is_asked_too_and_each_of_them_once_for_a_query(
    tmp_path: Path, opened: Open, models: dict[str, WordEmbedder]
) -> None:
    write(tmp_path / "code/feed.py", "def feed(cat):\n    return cat\n")
    write(tmp_path / "code/walk.py", "def walk(dog):\n    return dog\n")
    for _ in range(2):
        collection = opened(tmp_path / "code", embedding__model="slow")
        collection.sync()
        collection.embed()
        answer = collection.search("how to feed a cat")
        collection.close()

        assert answer.embedder == "slow"
        assert "instant" in {part.name for part in answer.results[0].parts}
    assert models["slow"].queries == models["static"].queries == ["how to feed a cat"]


def test_an_instant_model_alone_keeps_no_vectors_of_queries(
    shop: Path, opened: Open, models: dict[str, WordEmbedder]
) -> None:
    collection = opened(shop)
    collection.sync()
    for _ in range(2):
        collection.search("cat naps")

    assert set(models["static"].queries) == {"cat naps"}
    assert len(models["static"].queries) > 1
    assert collection.status().queries == 0


@pytest.mark.usefixtures("models")
def test_while_the_better_vectors_are_behind_the_instant_ones_answer(
    shop: Path, opened: Open
) -> None:
    collection = opened(shop, embedding__model="slow")
    collection.sync()
    collection.embed()

    write(shop / "fish.md", "# Fish\n\nA fish swims.\n", age_s=-5)
    collection.sync()

    answer = collection.search("fish")
    assert (answer.embedder, answer.results[0].source.file_path) == ("static", "fish.md")


def test_a_model_that_fails_in_a_sync_leaves_words_and_is_tried_again(
    shop: Path, opened: Open, models: dict[str, WordEmbedder]
) -> None:
    models["static"].failure = "The table is damaged."
    collection = opened(shop)
    collection.sync()

    answer = collection.search("cat")
    assert (answer.method, answer.results[0].source.file_path) == ("bm25", "cats.md")
    assert [one.stage for one in answer.degraded] == ["vectors"]

    models["static"].failure = ""
    collection.sync()
    assert collection.search("cat").method == "hybrid"


@pytest.mark.usefixtures("models")
def test_a_model_that_cannot_be_had_is_named_while_the_instant_one_answers(
    shop: Path, opened: Open
) -> None:
    collection = opened(shop, embedding__model="big")
    collection.sync()

    answer = collection.search("cat")

    assert answer.embedder == "static"
    assert [(one.stage, "trivium[big]" in one.reason) for one in answer.degraded] == [
        ("vectors", True)
    ]
    with pytest.raises(MissingExtra):
        collection.embed()


def test_a_model_that_fails_at_a_query_is_named_while_the_instant_one_answers(
    shop: Path, opened: Open, models: dict[str, WordEmbedder]
) -> None:
    collection = opened(shop, embedding__model="slow")
    collection.sync()
    collection.embed()
    models["slow"].failure = "The service is busy."

    answer = collection.search("cat")

    assert (answer.embedder, answer.notes) == ("static", ())
    assert [(one.stage, one.reason) for one in answer.degraded] == [
        ("vectors", "The service is busy.")
    ]


def test_none_is_none(shop: Path, opened: Open, models: dict[str, WordEmbedder]) -> None:
    collection = opened(shop, embedding__model="none")
    collection.sync()

    assert collection.search("cat").method == "bm25"
    assert collection.embed() == 0
    assert models["static"].documents == []


@pytest.mark.usefixtures("models")
def test_a_collection_remembers_the_model_it_was_told_to_use(shop: Path, opened: Open) -> None:
    first = opened(shop)
    first.use("slow")
    first.sync()
    first.embed()

    again = opened(shop)

    assert again.status().model == "slow"
    assert again.search("cat").embedder == "slow"


@pytest.mark.usefixtures("models")
def test_a_setting_goes_before_what_a_collection_remembers(shop: Path, opened: Open) -> None:
    opened(shop).use("slow")

    assert opened(shop, embedding__model="static").status().model == "static"


def test_a_model_that_is_unknown_is_not_remembered(shop: Path, opened: Open) -> None:
    collection = opened(shop)

    with pytest.raises(ConfigError, match="static"):
        collection.use("statik")

    assert opened(shop).status().model == "static"


def test_status_says_how_many_texts_a_model_has_to_go_and_how_long_at_its_pace(
    shop: Path, opened: Open, models: dict[str, WordEmbedder]
) -> None:
    collection = opened(shop, embedding__model="slow")
    collection.sync()
    texts = len(models["static"].documents)

    filling = collection.status().filling
    assert filling is not None
    assert (filling.model, filling.texts, filling.seconds) == ("slow", texts, None)
    assert (filling.embedded, collection.status().embedded) == (0.0, 0.0)

    collection.embed()
    assert collection.status().filling is None

    write(shop / "fish.md", "# Fish\n\nA fish swims.\n", age_s=-5)
    collection.sync()
    filling = collection.status().filling
    assert filling is not None
    assert filling.texts == len(models["static"].documents) - texts
    assert filling.seconds is not None
    assert filling.seconds > 0


def test_what_was_opened_is_embedded_before_what_is_newer(
    shop: Path, opened: Open, models: dict[str, WordEmbedder]
) -> None:
    collection = opened(shop, embedding__model="slow")
    collection.sync()
    opened(shop).get("doc:cats.md")

    collection.embed()

    own = [text for text in models["slow"].documents if "\n" in text]
    assert ["cat" in own[0], "bird" in own[1], "dog" in own[-1]] == [True, True, True]


def test_to_be_found_or_packed_is_not_to_be_opened(
    shop: Path, opened: Open, models: dict[str, WordEmbedder]
) -> None:
    collection = opened(shop, embedding__model="slow")
    collection.sync()
    collection.search("cat")
    collection.disclose("cat")
    collection.context("cat")

    collection.embed()

    assert "bird" in models["slow"].documents[0]


def test_what_was_stored_but_not_published_is_said_to_be_so(
    shop: Path, opened: Open, models: dict[str, WordEmbedder]
) -> None:
    collection = opened(shop, embedding__model="slow")
    collection.sync()
    slow = models["slow"]
    with collection._backend.writer(wait_s=0) as writer:
        waiting = writer.pending(slow.model_id, limit=1000)
        vectors = slow.embed_documents([one.text for one in waiting])
        writer.put_vectors(slow.model_id, [one.key for one in waiting], vectors)

    status = collection.status()
    assert status.filling is not None
    assert (status.filling.texts, status.filling.embedded, status.embedded) == (0, 1.0, 1.0)

    collection.sync()
    assert collection.status().filling is None
    assert collection.search("cat").embedder == "slow"


@pytest.mark.parametrize("profile", profiles.names(Path("nowhere")))
def test_a_text_of_unknown_tokens_is_embedded_and_found_by_words_alone(
    tmp_path: Path, opened: Open, profile: str
) -> None:
    folder = tmp_path / "odd"
    write(folder / "cats.md", "# Cats\n\nA cat sleeps all day.\n")
    write(folder / "\U0001f980", "\u2d63\u2d63\u2d63\n")
    collection = opened(folder)
    collection.sync()

    answer = collection.search("cat \u2d63\u2d63\u2d63", search_mode="vector", profile=profile)

    assert (answer.coverage.embedded, answer.method) == (1.0, "vector")
    assert "\U0001f980" not in {hit.source.file_path for hit in answer.results}
    # graph-recall has a floor that a lone word does not reach.
    assert profile == "graph-recall" or answer.results


def test_a_query_of_unknown_tokens_says_so_and_words_answer(shop: Path, opened: Open) -> None:
    collection = opened(shop)
    collection.sync()

    answer = collection.search("\u2d63\u2d63\u2d63 \ua66e")

    assert (answer.method, answer.embedder) == ("bm25", "none")
    assert [(one.stage, one.reason) for one in answer.degraded] == [
        ("vectors", "static knows none of the words of this query")
    ]


@pytest.mark.usefixtures("models")
def test_a_model_that_is_asked_for_goes_before_a_stronger_one_that_left_vectors(
    shop: Path, opened: Open, models: dict[str, WordEmbedder]
) -> None:
    first = opened(shop)
    first.use("slow")
    first.sync()
    first.embed()
    first.use("static")

    answer = opened(shop).search("cat")

    assert (answer.embedder, answer.notes) == ("static", ())
    assert models["slow"].queries == []


@pytest.mark.usefixtures("models")
def test_where_nobody_asked_for_a_model_the_strongest_that_is_complete_answers(
    shop: Path, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.models.chosen._SHIPPED", ("static", "slow"))
    first = opened(shop, embedding__model="slow")
    first.sync()
    first.embed()
    first.export(tmp_path / "shop.trivium")
    (tmp_path / "other").mkdir()
    other = opened(tmp_path / "other")
    other.import_(tmp_path / "shop.trivium")

    answer = other.search("cat")

    assert (answer.embedder, answer.notes) == ("slow", ())


def test_a_table_that_fails_is_named_even_beside_a_stronger_model_that_embedded_nothing(
    shop: Path,
    opened: Open,
    models: dict[str, WordEmbedder],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trivium.models.chosen._SHIPPED", ("static", "slow"))
    models["static"].failure = "The table is damaged."
    collection = opened(shop)
    collection.sync()
    models["static"].failure = ""
    nothing_yet = collection.search("cat")

    assert [one.reason.partition(";")[0] for one in nothing_yet.degraded] == [
        "static has embedded nothing yet"
    ]


@pytest.mark.parametrize("model", ["openai:small", "statik"])
def test_a_model_that_is_set_wrong_stops_neither_a_search_nor_the_status(
    shop: Path, opened: Open, model: str
) -> None:
    collection = opened(shop, embedding__model=model)
    collection.sync()

    answer = collection.search("cat")

    assert (answer.embedder, answer.results[0].source.file_path) == ("static", "cats.md")
    assert [one.stage for one in answer.degraded] == ["vectors"]
    assert collection.status().model == model
    with pytest.raises(ConfigError):
        collection.embed()


def test_a_table_of_ones_own_that_is_not_there_leaves_the_shipped_one_to_answer(
    shop: Path, opened: Open, tmp_path: Path
) -> None:
    collection = opened(shop, embedding__model=f"static:{tmp_path / 'tuned.bin'}")
    collection.sync()

    answer = collection.search("kitten naps")

    assert answer.embedder == "static"
    assert "tuned.bin" in answer.degraded[0].reason
    assert "Reinstall" not in answer.degraded[0].reason


def test_a_file_that_is_not_there_is_not_remembered(
    shop: Path, opened: Open, tmp_path: Path
) -> None:
    collection = opened(shop)

    with pytest.raises(ModelError, match=r"tuned\.bin"):
        collection.use(f"static:{tmp_path / 'tuned.bin'}")

    assert opened(shop).status().model == "static"


def test_a_file_is_remembered_by_where_it_is(
    shop: Path, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tuned.bin").write_bytes(StaticEmbedder().path.read_bytes())
    monkeypatch.chdir(tmp_path)
    opened(shop).use("static:tuned.bin")
    monkeypatch.chdir(shop)

    assert opened(shop).status().model == f"static:{tmp_path / 'tuned.bin'}"


def test_an_imported_index_has_instant_vectors(shop: Path, opened: Open, tmp_path: Path) -> None:
    bare = opened(shop, embedding__model="none")
    bare.sync()
    bare.export(tmp_path / "shop.trivium")
    (tmp_path / "other").mkdir()

    other = opened(tmp_path / "other")
    other.import_(tmp_path / "shop.trivium")

    assert other.search("cat").embedder == "static"


def test_a_table_of_ones_own_is_named_by_its_file(shop: Path, opened: Open, tmp_path: Path) -> None:
    own = tmp_path / "tuned.bin"
    own.write_bytes(StaticEmbedder().path.read_bytes())
    collection = opened(shop, embedding__model=f"static:{own}")
    collection.sync()

    assert collection.search("kitten naps").embedder == "static:tuned.bin"
