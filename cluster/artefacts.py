"""The files of Maven Central that a node is made of -> a class path.

They are fetched by Maven, held against their known hashes and kept outside the repository: in
the folder that TRIVIUM_CLUSTER_CACHE names, else under build/. Called by nodes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
_CACHE = "TRIVIUM_CLUSTER_CACHE"
_LONGEST_FETCH_S = 900


class NotResolved(Exception):
    """The cluster cannot be had on this machine; the message says what is missing."""


def cache() -> Path:
    """Return the folder in which the artefacts and the nodes' own folders are kept."""
    named = os.environ.get(_CACHE, "")
    return Path(named) if named else HERE.parent / "build" / "cluster"


def class_path() -> str:
    """Return what `java -cp` needs, fetched and compiled now if it is not there yet."""
    for program in ("java", "javac"):
        if shutil.which(program) is None:
            raise NotResolved(f"{program} is not installed; a JDK from 17 up is needed.")
    jars, plugin, classes = cache() / "jars", cache() / "knn", cache() / "classes"
    wanted = _known_hashes()
    if not _are_there(jars, wanted):
        _fetch(jars)
        _check(jars, wanted)
    if not plugin.is_dir():
        (archive,) = jars.glob("opensearch-knn-*.zip")
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(plugin)
    path = os.pathsep.join((str(classes), f"{jars}/*", f"{plugin}/*"))
    _compile(classes, path)
    return path


def _known_hashes() -> dict[str, str]:
    lines = (HERE / "artefacts.sha256").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(maxsplit=1) for line in lines)
    return {name: digest for digest, name in pairs}


def _are_there(jars: Path, wanted: dict[str, str]) -> bool:
    return all((jars / name).is_file() for name in wanted)


def _fetch(jars: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise NotResolved("mvn is not installed, and the artefacts have not been fetched before.")
    command = [
        maven,
        "--quiet",
        "--batch-mode",
        f"--file={HERE / 'pom.xml'}",
        "dependency:copy-dependencies",
        f"-DoutputDirectory={jars.resolve()}",
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_LONGEST_FETCH_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NotResolved("Maven did not fetch the artefacts in time.") from error
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        raise NotResolved(f"Maven could not fetch the artefacts: {said[0] if said else 'no word'}")


def _check(jars: Path, wanted: dict[str, str]) -> None:
    for name, digest in wanted.items():
        file = jars / name
        if not file.is_file():
            raise NotResolved(f"Maven did not bring {name}.")
        if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            file.unlink()
            raise NotResolved(f"{name} is not the file it should be: its hash differs.")


def _compile(classes: Path, path: str) -> None:
    source = HERE / "Node.java"
    made = classes / "Node.class"
    if made.is_file() and made.stat().st_mtime >= source.stat().st_mtime:
        return
    classes.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["javac", "-d", str(classes), "-cp", path, str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NotResolved(f"The launcher could not be compiled: {done.stderr.strip()}")
