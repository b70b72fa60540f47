"""What a run would send is counted before it is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium import config
from trivium.models.base import Embedder
from trivium.models.bill import Bill, estimate
from trivium.models.remote import RemoteEmbedder
from trivium.testing.embedders import WordEmbedder


def settings(tmp_path: Path, **values: float) -> config.Settings:
    given = {"TRIVIUM_HOME": str(tmp_path), "TRIVIUM_CONFIG": str(tmp_path / "none.toml")}
    named = {f"TRIVIUM_EMBEDDING__{key.upper()}": str(value) for key, value in values.items()}
    return config.load(environ=given | named)


@pytest.fixture
def remote() -> RemoteEmbedder:
    return RemoteEmbedder("small", base_url="http://127.0.0.1:1/v1")


def test_a_model_that_runs_here_sends_nothing(tmp_path: Path) -> None:
    local: Embedder = WordEmbedder()
    assert estimate(local, count=9, sample=["a"], settings=settings(tmp_path)) is None


def test_nothing_waiting_is_nothing_to_send(tmp_path: Path, remote: RemoteEmbedder) -> None:
    assert estimate(remote, count=0, sample=[], settings=settings(tmp_path)) is None


def test_all_texts_are_counted_as_the_sample_is(tmp_path: Path, remote: RemoteEmbedder) -> None:
    sample = ["abc" * 10, "abc" * 30]
    made = estimate(remote, count=1000, sample=sample, settings=settings(tmp_path))
    assert made is not None
    assert (made.texts, made.tokens) == (1000, (10 + 30) * 1000 // 2)


def test_one_is_said_as_one(tmp_path: Path, remote: RemoteEmbedder) -> None:
    made = estimate(remote, count=1, sample=["abc"], settings=settings(tmp_path))
    assert str(made) == "openai:small: 1 text to send, about 1 token"


def test_the_cost_is_told_where_the_price_is_known(tmp_path: Path, remote: RemoteEmbedder) -> None:
    free = estimate(remote, count=5, sample=["abc"], settings=settings(tmp_path))
    assert str(free) == "openai:small: 5 texts to send, about 5 tokens"
    priced = settings(tmp_path, price_per_million_tokens=2.5)
    made = estimate(remote, count=2_000_000, sample=["abc"], settings=priced)
    assert made is not None
    assert made.cost == 2_000_000 * 2.5 / 1_000_000
    assert str(made).endswith("about 2,000,000 tokens, about 5.00 (at 2.5 per million)")


def test_more_than_the_setting_is_large() -> None:
    at_limit = Bill(model="m", texts=1, tokens=10, price=0.0, most_tokens=10)
    above = Bill(model="m", texts=1, tokens=11, price=0.0, most_tokens=10)
    assert not at_limit.is_large
    assert above.is_large
    assert "nothing was sent. Say --yes" in above.refusal()
