from pathlib import Path

import pytest

from trivium import config
from trivium.backends.base import Backend
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.backends.opensearch.store import OpenSearchBackend
from trivium.backends.registry import open_backend
from trivium.errors import ConfigError


def _opened(tmp_path: Path, **environ: str) -> Backend:
    place = {"TRIVIUM_HOME": str(tmp_path), "TRIVIUM_CONFIG": str(tmp_path / "none.toml")}
    return open_backend(
        config.load(environ={**place, **environ}),
        folder=tmp_path / "shop-1a2b",
        store=tmp_path / "store",
        meta={},
        views=(),
    )


def test_an_index_is_kept_on_this_machine_unless_asked_otherwise(tmp_path: Path) -> None:
    assert isinstance(_opened(tmp_path), EmbeddedBackend)


def test_an_index_on_a_cluster_is_called_after_its_folder_or_as_it_is_said(tmp_path: Path) -> None:
    asked = {"TRIVIUM_BACKEND__KIND": "opensearch", "TRIVIUM_BACKEND__URLS": "http://a,http://b"}

    made = _opened(tmp_path, **asked)
    named = _opened(tmp_path, **asked, TRIVIUM_BACKEND__COLLECTION="shop")

    assert isinstance(made, OpenSearchBackend)
    assert isinstance(named, OpenSearchBackend)
    assert (made.name, named.name) == ("shop-1a2b", "shop")
    made.close()
    named.close()


def test_a_cluster_without_an_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="TRIVIUM_BACKEND__URLS"):
        _opened(tmp_path, TRIVIUM_BACKEND__KIND="opensearch")


def test_a_folder_may_not_say_where_its_index_is_kept(tmp_path: Path) -> None:
    (tmp_path / "trivium.toml").write_text('[backend]\nurls = ["http://evil"]\n', encoding="utf-8")

    with pytest.raises(ConfigError, match=r"backend\.urls may not be set"):
        config.load(folder=tmp_path, environ={"TRIVIUM_CONFIG": str(tmp_path / "none.toml")})


def test_secrets_come_from_the_environment_and_are_not_shown(tmp_path: Path) -> None:
    environ = {"TRIVIUM_CLUSTER_PASSWORD": "s3cret", "TRIVIUM_CLUSTER_KEY": "k3y"}

    settings = config.load(environ={**environ, "TRIVIUM_CONFIG": str(tmp_path / "none.toml")})

    assert (settings.cluster_password, settings.cluster_key) == ("s3cret", "k3y")
    assert "s3cret" not in repr(settings)
    assert "k3y" not in repr(settings)
