"""The static embedder, on tiny tables made here."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from trivium.errors import ModelError
from trivium.models import static as static_module
from trivium.models.static import StaticEmbedder, static
from trivium.models.static_table import (
    MAGIC,
    Table,
    plain_table,
    quantise,
    read_table,
    write_table,
)
from trivium.models.static_words import Numbering

GOLDEN = "df9da0ff507d89e499ca2e0392eb5f328ec072862fc28d2b4fd6a7f54886f681"
WORDS = ("parse", "http", "server", "cafe", "file", "s", "漢", "字", "漢字", "über"[1:])
MATRIX = np.eye(10, 12, dtype=np.float32)
WEIGHTS = np.array([1, 2, 1, 1, 1, 1, 1, 1, 1, 1], dtype=np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.bin"
    path.write_bytes(write_table(plain_table(WORDS, WEIGHTS, MATRIX, sizes=(6, 12))))
    return path


def unit(*parts: tuple[int, float]) -> NDArray[np.float32]:
    vector = np.zeros(12)
    for place, value in parts:
        vector[place] = value
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def test_a_vector_is_the_weighted_sum_of_its_words_with_damped_counts(model: Path) -> None:
    found = StaticEmbedder(model).embed_query("parse parse http")
    expected = unit((0, 2**0.7), (1, 2.0))
    assert np.allclose(found, expected, atol=1e-3)
    assert float(np.linalg.norm(found)) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("text", ["HTTPServer", "http_server", "httpServer", "Server HTTP"])
def test_identifiers_are_split_and_case_does_not_matter(model: Path, text: str) -> None:
    expected = unit((1, 2.0), (2, 1.0))
    assert np.allclose(StaticEmbedder(model).embed_query(text), expected, atol=1e-3)


def test_accents_are_folded(model: Path) -> None:
    embedder = StaticEmbedder(model)
    assert np.array_equal(embedder.embed_query("Café"), embedder.embed_query("cafe"))
    assert np.array_equal(embedder.embed_query("cafe\u0301"), embedder.embed_query("cafe"))


def test_an_unknown_word_is_cut_into_the_longest_entries() -> None:
    numbering = Numbering({"file": 0, "files": 1, "s": 2, "y": 3})
    assert numbering.numbers("files") == [1]
    assert numbering.numbers("filesy") == [1, 3]
    assert numbering.numbers("xfilexs") == [0, 2]


def test_runs_of_han_give_characters_and_pairs_that_are_known(model: Path) -> None:
    found = StaticEmbedder(model).embed_query("漢字")
    assert np.allclose(found, unit((8, 1.0)), atol=1e-3)
    longer = StaticEmbedder(model).embed_query("漢字人")
    assert np.allclose(longer, unit((6, 1.0), (7, 1.0), (8, 1.0)), atol=1e-3)


@pytest.mark.parametrize("text", ["", "  \n", "!?!", "日本", "\ud800"])
def test_text_without_a_known_token_gives_zeros(model: Path, text: str) -> None:
    embedder = StaticEmbedder(model)
    assert not embedder.embed_query(text).any()
    assert not embedder.embed_documents([text]).any()


def test_a_vector_does_not_depend_on_the_texts_beside_it(model: Path) -> None:
    texts = ["parse http files", "server cafe", "", "parse_file(http)"]
    embedder = StaticEmbedder(model)
    together = embedder.embed_documents(texts)
    for number, text in enumerate(texts):
        assert np.array_equal(together[number], embedder.embed_documents([text])[0])
        assert np.array_equal(together[number], StaticEmbedder(model).embed_query(text))


def test_the_order_of_words_does_not_change_a_bit() -> None:
    embedder = StaticEmbedder()
    one = embedder.embed_query("parse http server file cafe open the door and read all lines")
    other = embedder.embed_query("lines all read and door the open cafe file server http parse")
    assert one.tobytes() == other.tobytes()


def test_the_shipped_table_gives_the_same_bytes_on_every_machine() -> None:
    texts = ["parse a JSON file and close it", "def getUserById(self): return self.users[id]"]
    found = StaticEmbedder().embed_documents(texts).astype("<f4").tobytes()
    assert hashlib.sha256(found).hexdigest() == GOLDEN


def test_no_texts_give_an_empty_table(model: Path) -> None:
    assert StaticEmbedder(model).embed_documents([]).shape == (0, 12)


def test_ten_megabytes_of_text_give_a_vector(model: Path) -> None:
    found = StaticEmbedder(model).embed_query("http " * 2_000_000)
    assert np.allclose(found, unit((1, 1.0)), atol=1e-6)


def test_a_run_of_a_million_letters_is_passed_over_quickly(model: Path) -> None:
    assert StaticEmbedder(model).dimension == 12
    assert np.isfinite(StaticEmbedder(model).embed_query("s" * 1_000_000)).all()


def test_the_model_id_names_the_file_and_needs_no_reading_if_pinned(model: Path) -> None:
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    assert StaticEmbedder(model).model_id == StaticEmbedder(model, sha256=digest).model_id
    absent = StaticEmbedder(model.with_name("absent"), sha256=digest)
    assert absent.model_id == StaticEmbedder(model).model_id
    other = model.with_name("other.bin")
    other.write_bytes(write_table(plain_table(WORDS, 2 * WEIGHTS, MATRIX, sizes=(12,))))
    assert StaticEmbedder(other).model_id != StaticEmbedder(model).model_id


def test_it_is_instant_and_weaker_than_a_transformer(model: Path) -> None:
    embedder = StaticEmbedder(model)
    assert (embedder.name, embedder.is_instant) == (f"static:{model.name}", True)
    assert 0 < embedder.strength < 20


def test_a_file_with_another_hash_is_refused(model: Path) -> None:
    with pytest.raises(ModelError, match=r"tiny\.bin is damaged or is not the file"):
        StaticEmbedder(model, sha256="0" * 64).embed_query("parse")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"Cannot read .*nothing\.bin"):
        StaticEmbedder(tmp_path / "nothing.bin").embed_query("parse")


def test_a_truncated_file_is_found_wherever_it_ends(model: Path) -> None:
    data = model.read_bytes()
    for length in range(0, len(data), 37):
        with pytest.raises(ModelError, match=r"truncated|not a static model"):
            read_table(data[:length], place="the file", remedy="Do something.")


def test_a_changed_byte_in_any_part_is_found(model: Path) -> None:
    data = bytearray(model.read_bytes())
    for place in (len(data) - 1, len(data) - 125, len(data) - 165):
        damaged = bytearray(data)
        damaged[place] ^= 1
        with pytest.raises(ModelError, match="is damaged"):
            read_table(bytes(damaged), place="the file", remedy="Do something.")


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"PK\x03\x04 something else", "not a static model"),
        (MAGIC + b"\xff\xff\xff\xff" + b"{}", "truncated"),
        (MAGIC + b"\x02\x00\x00\x00{}", "damaged header"),
        (MAGIC + b"\x02\x00\x00\x00[]", "damaged header"),
        (MAGIC + b"\x03\x00\x00\x00{{{", "damaged header"),
    ],
)
def test_other_bytes_are_refused(data: bytes, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        read_table(data, place="the file", remedy="Do something.")


def test_bytes_after_the_end_are_refused(model: Path) -> None:
    with pytest.raises(ModelError, match="after its end"):
        read_table(model.read_bytes() + b"x", place="the file", remedy="Do something.")


def test_repeated_words_are_refused() -> None:
    table = plain_table(("a", "a"), WEIGHTS[:2], MATRIX[:2], sizes=(12,))
    with pytest.raises(ModelError, match="repeated words"):
        read_table(write_table(table), place="the file", remedy="Do something.")


def test_weights_that_are_no_numbers_are_refused() -> None:
    table = plain_table(WORDS, np.full(10, np.nan, dtype=np.float32), MATRIX, sizes=(12,))
    with pytest.raises(ModelError, match="no numbers"):
        read_table(write_table(table), place="the file", remedy="Do something.")


def test_a_table_comes_back_as_it_was_written() -> None:
    table = plain_table(WORDS, WEIGHTS, MATRIX, sizes=(6, 12), version=3)
    found: Table = read_table(write_table(table), place="the file", remedy="Do something.")
    assert (found.name, found.version, found.sizes) == ("static", 3, (6, 12))
    assert found.words == WORDS
    assert np.array_equal(found.weights, WEIGHTS)
    assert np.array_equal(found.rows, table.rows)


def test_eight_bits_keep_a_row_within_half_a_step() -> None:
    matrix = np.random.default_rng(1).standard_normal((20, 16)).astype(np.float32)
    scales, rows = quantise(matrix)
    assert np.abs(matrix - rows * scales[:, None]).max() <= scales.max() * 0.5001
    assert not quantise(np.zeros((1, 4), dtype=np.float32))[1].any()


def test_the_file_of_the_package_is_the_one_that_is_pinned() -> None:
    embedder = static()
    path = Path(static_module.__file__).parent / static_module.FILE
    assert hashlib.sha256(path.read_bytes()).hexdigest() == static_module.SHA256
    assert path.stat().st_size <= 16_000_000
    assert embedder.embed_query("read a file").shape == (static_module.DIMENSION,)
    assert embedder.dimension == static_module.DIMENSION


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        (
            "convert a string to lower case",
            "def to_lowercase(text):\n    return text.lower()",
            "def open_socket(host, port):\n    return socket.create_connection((host, port))",
        ),
        ("weather forecast", "Tells the temperature and rain of tomorrow.", "Edits photographs."),
        ("heart attack", "Myocardial infarction damages cardiac muscle.", "Steel bridges corrode."),
    ],
)
def test_the_packages_table_knows_meaning(question: str, answer: str, other: str) -> None:
    embedder = static()
    asked = embedder.embed_query(question)
    right, wrong = embedder.embed_documents([answer, other])
    assert float(asked @ right) > float(asked @ wrong)


@pytest.mark.parametrize("text", ["検索エンジン", "поиск файлов", "검색", "φάκελος"])
def test_the_packages_table_does_not_break_other_scripts(text: str) -> None:
    vector = static().embed_query(text)
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-5)
