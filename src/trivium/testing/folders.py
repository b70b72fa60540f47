"""Names and texts -> a folder of files, and a collection that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from trivium.collection import Collection


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write files, in folders that are made."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def filled(collection: Collection, files: Mapping[str, str]) -> Collection:
    """Write files into the folder of a collection, take them in and embed them."""
    write_files(collection.root, files)
    collection.sync()
    collection.embed()
    return collection
