from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

import trivium
from trivium import config
from trivium.collection import Collection

_MANY = 120


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    """Open a folder in which very many have the words of one name."""
    place = tmp_path_factory.mktemp("called")
    root = place / "shop"
    deep = root / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "basket.py").write_text(
        "class Basket:\n    def search(self, key):\n        return key\n\n\n"
        "def resume(page):\n    return page\n",
        encoding="utf-8",
    )
    for number in range(_MANY):
        (root / f"search{number}.py").write_text(
            f'def search{number}(basket):\n    """Search the basket; search, basket, search."""\n',
            encoding="utf-8",
        )
    (root / "notes.md").write_text(
        "".join(f"# Going on {one}\n\nWhere one continues a break.\n\n" for one in range(20)),
        encoding="utf-8",
    )
    environ = {"TRIVIUM_HOME": str(place / "home"), "TRIVIUM_CONFIG": str(place / "none.toml")}
    with trivium.open(root, settings=config.load(environ=environ)) as collection:
        collection.sync()
        yield collection


@pytest.mark.parametrize(
    "written", ["Basket.search", "Basket::search", "Basket#search", "`Basket.search`"]
)
def test_a_method_is_found_by_its_class_however_many_have_its_words(
    shop: Collection, written: str
) -> None:
    found = shop.search(written, group="node")

    assert found.results[0].id == "code:a/b/c/basket.py#Basket.search"


def test_what_is_called_the_one_word_of_a_query_is_before_what_only_means_it(
    shop: Collection,
) -> None:
    found = shop.search("resume")

    assert found.results[0].id == "code:a/b/c/basket.py#resume"


def test_filters_hold_for_what_is_called_so(shop: Collection) -> None:
    found = shop.search("Basket.search", filters={"path": "search1"}, group="node", limit=100)

    assert found.results
    assert all(hit.source.file_path.startswith("search1") for hit in found.results)


def test_the_part_for_the_name_adds_up_with_the_others(shop: Collection) -> None:
    first = shop.search("Basket.search", group="node", explain=True).results[0]

    assert "is called so" in [part.name for part in first.parts]
    assert first.score == math.fsum(part.value for part in first.parts)


def test_a_name_among_other_words_is_not_all_that_is_asked(shop: Collection) -> None:
    found = shop.search("where is Basket.search used", group="node", limit=100)

    assert all("is called so" not in [part.name for part in hit.parts] for hit in found.results)


@pytest.mark.parametrize("text", ["", ".", "::", "#", "a", "..search", "x" * 5000, "ba\x00sket"])
def test_what_is_no_name_is_looked_for_as_words(shop: Collection, text: str) -> None:
    assert shop.search(text).results is not None
