from __future__ import annotations

from pathlib import Path

import pytest

from trivium import config
from trivium.collection import Collection
from trivium.doors.cli.folder import places


@pytest.mark.parametrize(
    ("below", "given", "path", "place"),
    [
        ("", ".", "src/a.py", "src/a.py"),
        ("", "shop", "src/a.py", "shop/src/a.py"),
        ("src", ".", "src/a.py", "a.py"),
        ("src", "./src", "src/a.py", "src/a.py"),
        ("src", "/books/src", "src/a.py", "/books/src/a.py"),
    ],
)
def test_a_place_is_the_folder_as_given_and_what_comes_below_it(
    tmp_path: Path, below: str, given: str, path: str, place: str
) -> None:
    settings = config.load(environ={"TRIVIUM_HOME": str(tmp_path / "home")})
    with Collection(tmp_path, settings=settings, below=below) as collection:
        assert places(collection, Path(given))(path) == place


def test_a_file_that_is_not_below_the_folder_has_its_whole_path(tmp_path: Path) -> None:
    settings = config.load(environ={"TRIVIUM_HOME": str(tmp_path / "home")})
    with Collection(tmp_path, settings=settings, below="src") as collection:
        assert places(collection, Path("src"))("SRC/a.py") == str(tmp_path / "SRC" / "a.py")
