from __future__ import annotations

from pathlib import Path

import pytest

from trivium.config import KNOWN, Setting, Settings, Value, load
from trivium.errors import ConfigError


class Places:
    """A folder with a file of its own, and a user with another."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "project"
        self.folder.mkdir()
        self.user_file = place / "config.toml"
        self.folder_file = self.folder / "trivium.toml"
        self.environ = {"TRIVIUM_HOME": str(place / "home"), "TRIVIUM_CONFIG": str(self.user_file)}

    def load(self, flags: dict[str, Value] | None = None, **environ: str) -> Settings:
        return load(folder=self.folder, flags=flags, environ={**self.environ, **environ})


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_without_files_every_setting_has_its_default(places: Places) -> None:
    settings = places.load()

    assert settings.values == {
        key: Setting(known.default, "default") for key, known in KNOWN.items()
    }
    assert (settings.home, settings.home_origin) == (
        Path(places.environ["TRIVIUM_HOME"]),
        "TRIVIUM_HOME",
    )


def test_flag_beats_environment_beats_folder_beats_user_beats_default(places: Places) -> None:
    def size(flags: dict[str, Value] | None = None, **environ: str) -> Setting:
        return places.load(flags, **environ).values["chunking.size"]

    assert size() == Setting(1000, "default")
    places.user_file.write_text("[chunking]\nsize = 101\n")
    assert size() == Setting(101, str(places.user_file))
    places.folder_file.write_text("[chunking]\nsize = 102\n")
    assert size() == Setting(102, str(places.folder_file))
    assert size(TRIVIUM_CHUNKING__SIZE="103") == Setting(103, "TRIVIUM_CHUNKING__SIZE")
    assert size({"chunking.size": 104}, TRIVIUM_CHUNKING__SIZE="103") == Setting(104, "flag")


def test_without_a_folder_no_folder_file_is_read(places: Places) -> None:
    places.folder_file.write_text("[chunking]\nsize = 102\n")

    assert load(environ=places.environ).number("chunking.size") == 1000


def test_a_folders_file_may_say_what_to_ignore_how_to_cut_and_how_to_rank(places: Places) -> None:
    places.folder_file.write_text(
        '[files]\nignore = ["*.log"]\n[chunking]\nsize = 500\noverlap = 0\n'
        '[search]\nprofile = "rag"\n'
    )

    settings = places.load()

    assert settings.texts("files.ignore") == ("*.log",)
    assert (settings.number("chunking.size"), settings.number("chunking.overlap")) == (500, 0)
    assert settings.text("search.profile") == "rag"


REFUSED = [key for key, known in KNOWN.items() if not known.folder_may_set]


def list_or_number(default: Value) -> str:
    """Return a value of a setting's own kind, as a file has it."""
    return '["x"]' if isinstance(default, tuple) else "1"


@pytest.mark.parametrize("key", REFUSED)
def test_a_folders_file_may_set_nothing_else(places: Places, key: str) -> None:
    section, _, name = key.partition(".")
    default = KNOWN[key].default
    value = f'"{default}"' if isinstance(default, str) else list_or_number(default)
    places.folder_file.write_text(f"[{section}]\n{name} = {value}\n")

    with pytest.raises(ConfigError) as caught:
        places.load()

    assert str(caught.value).startswith(f"{places.folder_file}: {key} may not be set")
    assert "user file or the environment" in str(caught.value)


def test_addresses_models_and_limits_are_among_the_refused() -> None:
    assert {"embedding.model", "embedding.base_url", "files.max_bytes"} <= set(REFUSED)
    assert {key for key in KNOWN if key.startswith(("rerank.", "backend."))} <= set(REFUSED)


@pytest.mark.parametrize("key", REFUSED)
def test_the_users_own_file_may_set_everything(places: Places, key: str) -> None:
    section, _, name = key.partition(".")
    default = KNOWN[key].default
    word = KNOWN[key].choices[-1] if KNOWN[key].choices else "x"
    value = f'"{word}"' if isinstance(default, str) else list_or_number(default)
    places.user_file.write_text(f"[{section}]\n{name} = {value}\n")

    assert places.load().values[key].origin == str(places.user_file)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[chunking]\nsiez = 100\n", "unknown setting 'chunking.siez'.*'chunking.size'"),
        ("[chunking]\nsize = 'big'\n", "chunking.size must be a whole number of at least 50"),
        ("[chunking]\nsize = 49\n", "chunking.size must be a whole number of at least 50"),
        ("[chunking]\nsize = true\n", "chunking.size must be a whole number"),
        ("[search]\nprofile = 3\n", "search.profile must be text"),
        ("[files]\nignore = '*.log'\n", "files.ignore must be a list of texts"),
        ("[files]\nignore = [1]\n", "files.ignore must be a list of texts"),
        ("profile = 'rag'\n", r"profile must be a table such as \[search\]"),
        ("[chunking\n", "line 1"),
    ],
)
def test_a_mistake_in_a_file_names_the_file_and_the_key(
    places: Places, text: str, problem: str
) -> None:
    places.folder_file.write_text(text)

    with pytest.raises(ConfigError, match=problem) as caught:
        places.load()

    assert str(caught.value).startswith(f"{places.folder_file}: ")


def test_a_file_that_is_no_text_is_named(places: Places) -> None:
    places.user_file.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ConfigError, match=r"config\.toml"):
        places.load()


def test_a_file_that_is_a_folder_is_named(places: Places) -> None:
    places.folder_file.mkdir()

    with pytest.raises(ConfigError, match=r"trivium\.toml"):
        places.load()


def test_a_folder_that_is_a_file_has_no_settings(places: Places) -> None:
    file = places.folder / "a.md"
    file.write_text("")

    assert load(folder=file, environ=places.environ).values == places.load().values


def test_the_environment_reads_numbers_and_lists(places: Places) -> None:
    settings = places.load(
        TRIVIUM_FILES__MAX_BYTES="12", TRIVIUM_FILES__IGNORE="*.log, build/ ,", TRIVIUM_TOKEN="x"
    )

    assert settings.number("files.max_bytes") == 12
    assert settings.texts("files.ignore") == ("*.log", "build/")


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("TRIVIUM_CHUNKING__SIZE", "big", "TRIVIUM_CHUNKING__SIZE must be a whole number"),
        ("TRIVIUM_CHUNKING__SIZE", "1", "TRIVIUM_CHUNKING__SIZE: chunking.size must be"),
        ("TRIVIUM_CHUNKING__SIEZ", "100", "TRIVIUM_CHUNKING__SIEZ: unknown.*'chunking.size'"),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(
    places: Places, name: str, value: str, problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        load(environ={**places.environ, name: value})


def test_a_mistake_in_a_flag_says_that_it_was_one(places: Places) -> None:
    with pytest.raises(ConfigError, match=r"flag: unknown setting 'chunk\.size'"):
        places.load({"chunk.size": 100})
    with pytest.raises(ConfigError, match=r"flag: chunking\.size must be a whole number"):
        places.load({"chunking.size": "100"})


def test_the_key_of_a_service_comes_from_the_environment_and_is_not_shown(places: Places) -> None:
    settings = places.load(OPENAI_API_KEY="very-secret")

    assert settings.openai_key == "very-secret"
    assert "very-secret" not in repr(settings)
    assert places.load().openai_key is None


def test_so_does_the_key_of_a_rerank_service(places: Places) -> None:
    settings = places.load(TRIVIUM_RERANK_KEY="very-secret", OPENAI_API_KEY="another")

    assert settings.rerank_key == "very-secret"
    assert "very-secret" not in repr(settings)
    assert places.load(OPENAI_API_KEY="another").rerank_key is None


@pytest.mark.parametrize(("text", "value"), [("0", 0.0), ("0.25", 0.25), ("1", 1.0)])
def test_a_number_need_not_be_whole_where_a_share_is_meant(
    places: Places, text: str, value: float
) -> None:
    places.user_file.write_text(f"[rerank]\nweight = {text}\n")

    assert places.load().real("rerank.weight") == value
    assert isinstance(places.load().values["rerank.weight"].value, float)
    assert places.load(TRIVIUM_RERANK__WEIGHT=text).real("rerank.weight") == value


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("weight", "1.5", "rerank.weight must be a number from 0 to 1"),
        ("weight", "-0.1", "rerank.weight must be a number from 0 to 1"),
        ("weight", "nan", "rerank.weight must be a number from 0 to 1"),
        ("weight", "inf", "rerank.weight must be a number from 0 to 1"),
        ("weight", "much", "TRIVIUM_RERANK__WEIGHT must be a number, not 'much'"),
        ("depth", "1001", "rerank.depth must be a whole number from 0 to 1000"),
        ("depth", "2.5", "TRIVIUM_RERANK__DEPTH must be a whole number, not '2.5'"),
        ("timeout_s", "0", "rerank.timeout_s must be a whole number of at least 1"),
    ],
)
def test_a_number_outside_its_limits_is_refused(
    places: Places, name: str, text: str, problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        load(environ={**places.environ, f"TRIVIUM_RERANK__{name.upper()}": text})


@pytest.mark.parametrize("text", ["true", "'1'", "2", "[1]"])
def test_only_a_number_is_a_share(places: Places, text: str) -> None:
    places.user_file.write_text(f"[rerank]\nweight = {text}\n")

    with pytest.raises(ConfigError, match=r"rerank\.weight must be a number from 0 to 1"):
        places.load()


def test_without_a_home_the_platforms_folders_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_config_dir", lambda *_, **__: str(tmp_path))
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *_, **__: str(tmp_path / "data"))
    (tmp_path / "config.toml").write_text("[chunking]\nsize = 99\n")

    settings = load(environ={})

    assert (settings.home, settings.home_origin) == (tmp_path / "data", "default")
    assert settings.number("chunking.size") == 99


def test_a_home_may_start_with_a_tilde(places: Places) -> None:
    assert places.load(TRIVIUM_HOME="~/x").home == Path.home() / "x"


def test_a_single_text_is_read_as_a_list_and_a_text_of_digits_as_a_number() -> None:
    settings = Settings(
        Path(), "flag", {"files.ignore": Setting("a", "x"), "chunking.size": Setting("7", "x")}
    )

    assert settings.texts("files.ignore") == ("a",)
    assert settings.number("chunking.size") == 7
