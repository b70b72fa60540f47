"""Profiles by name and by file: shipped ones, the user's own, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium import profiles
from trivium.errors import ConfigError

MINE = 'extends = "rag"\nname = "mine"\ndescription = "My own."\n[fuse]\nk = 7\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = profiles.folder_of(tmp_path)
    folder.mkdir()
    (folder / "mine.toml").write_text(MINE, encoding="utf-8")
    return tmp_path


def test_a_users_profiles_stand_beside_the_shipped_ones(home: Path) -> None:
    names = profiles.names(home)

    assert names[-1] == "mine"
    assert {"best", "rag", "xplor"} <= set(names)
    assert profiles.load("mine", home=home).fusion.k == 7


def test_a_profile_may_be_given_by_its_path(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text(MINE.replace("mine", "elsewhere"), encoding="utf-8")

    assert profiles.load(str(file), home=home).name == "elsewhere"


def test_a_shipped_name_means_the_same_for_everyone(home: Path) -> None:
    hiding = profiles.folder_of(home) / "rag.toml"
    hiding.write_text(MINE.replace('name = "mine"', 'name = "rag"'), encoding="utf-8")

    assert profiles.load("rag", home=home).fusion.k == 60
    assert profiles.names(home).count("rag") == 1


def test_a_profile_may_extend_another_of_the_users_own(home: Path) -> None:
    text = 'extends = "mine"\nname = "more"\n[limit]\ndefault = 3\n'
    (profiles.folder_of(home) / "more.toml").write_text(text, encoding="utf-8")

    made = profiles.load("more", home=home)

    assert (made.fusion.k, made.default_limit, made.description) == (7, 3, "My own.")


def test_a_file_that_is_changed_is_read_again(home: Path) -> None:
    file = profiles.folder_of(home) / "mine.toml"
    assert profiles.load("mine", home=home).fusion.k == 7
    file.write_text(MINE.replace("k = 7", "k = 11"), encoding="utf-8")

    assert profiles.load("mine", home=home).fusion.k == 11


@pytest.mark.parametrize("name", ["min", "../profiles/mine", "/etc/passwd", "", "mine/"])
def test_what_is_no_name_of_a_profile_is_unknown(home: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="Unknown profile"):
        profiles.load(name, home=home)


def test_a_file_that_is_not_there_is_named(home: Path) -> None:
    with pytest.raises(ConfigError, match=r"no profile file nowhere\.toml"):
        profiles.load("nowhere.toml", home=home)


def test_the_name_in_a_file_is_that_of_the_file(home: Path) -> None:
    (profiles.folder_of(home) / "yours.toml").write_text(MINE, encoding="utf-8")

    with pytest.raises(ConfigError, match=r"yours\.toml: name: it is 'mine'"):
        profiles.load("yours", home=home)


def test_a_mistake_in_a_users_file_names_it_with_line_and_key(home: Path) -> None:
    file = profiles.folder_of(home) / "mine.toml"
    file.write_text(MINE.replace("k = 7", "k = 0"), encoding="utf-8")

    with pytest.raises(ConfigError, match=r"mine\.toml, line 5: fuse\.k: it must be at least 1"):
        profiles.load("mine", home=home)


def test_the_text_of_every_profile_can_be_shown(home: Path) -> None:
    assert profiles.text_of("mine", home=home) == MINE
    assert 'name = "xplor"' in profiles.text_of("xplor", home=home)


def test_a_file_that_is_no_text_is_an_error(home: Path) -> None:
    (profiles.folder_of(home) / "mine.toml").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ConfigError, match=r"mine\.toml"):
        profiles.load("mine", home=home)
