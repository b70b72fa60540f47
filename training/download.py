"""Names of packages -> their archives and project pages, from PyPI and npm.

`pages` asks PyPI for the metadata and README of random projects; `archives` fetches the source
of the packages listed in packages.txt; `small` the sources of projects whose page was fetched.
Copyleft, unknown licences and the repositories of the judged sets are passed over. Every run
goes on where the last one stopped.

    python -m training.download pages --into DATA --pypi ADDRESS --npm ADDRESS --minutes 10
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import threading
import time
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from training.licences import allowed

# Addresses of the two registries, by name; whoever runs this gives them.
REGISTRIES: dict[str, str] = {}
_LARGEST = 25_000_000
_SMALL = (8_000, 600_000)
_TIMEOUT = 40
_SHORTEST_README = 600
_LONGEST_README = 30_000
# The repositories of semble's development half, Ray and MDN: their text is judged on.
_BARRED_REPOSITORIES = re.compile(
    r"abseil|haskell/aeson|aio-libs/aiohttp|alamofire|tokio-rs|spf13/cobra|elixir-ecto|elixir-plug"
    r"|fastapi/fastapi|tiangolo/fastapi|google/gson|kotlinx.coroutines|laravel/framework|lazy\.nvim"
    r"|libuv|nvm-sh|pydantic/|rails/rails|reduxjs|telescope\.nvim|vapor/vapor|vitest-dev|xmonad"
    r"|zigtools|ray-project|mdn/|howiehwong|metatool|codesearchnet|cosqa|conala|scifact",
    re.IGNORECASE,
)
_BARRED_NAMES = re.compile(
    r"^(aiohttp|fastapi|fastapi-slim|pydantic.*|ray|ray-.*|redux|@reduxjs/.*|react-redux|vitest"
    r"|@vitest/.*|@mdn/.*|mdn-.*|@rails/.*|uvloop|libuv|rails|nvm|tokio|axum|absl-py|laravel-.*"
    r"|beir|mteb|ir[-_]datasets|trivium.*)$",
    re.IGNORECASE,
)

_TOOL = re.compile(r"mcp|plugin|skill|-tools?$|-api$|-client$|-sdk$|agent-|-bot$|langchain-")


def is_barred(name: str, addresses: list[str]) -> bool:
    """Say whether a package belongs to a repository that the judged sets were made from."""
    joined = " ".join(one for one in addresses if one)
    return bool(_BARRED_NAMES.match(name) or _BARRED_REPOSITORIES.search(joined))


def fetch(address: str, *, limit: int = _LARGEST) -> bytes:
    """Return what an address holds, at most `limit` bytes of it or an error."""
    with urllib.request.urlopen(address, timeout=_TIMEOUT) as answer:  # noqa: S310 - always https
        data: bytes = answer.read(limit + 1)
    if len(data) > limit:
        raise ValueError("too large")
    return data


def pypi_page(name: str) -> dict[str, Any] | None:
    """Return what PyPI says about a project, or None if it may not or need not be used."""
    found = json.loads(fetch(f"{REGISTRIES['pypi']}/pypi/{urllib.parse.quote(name)}/json"))
    info = found["info"]
    classifiers = [
        one.rpartition("::")[2]
        for one in info.get("classifiers") or []
        if one.startswith("License ::")
    ]
    statements = [info.get("license_expression") or "", info.get("license") or "", *classifiers]
    licence = allowed(statements)
    addresses = [info.get("home_page") or "", *(info.get("project_urls") or {}).values()]
    if licence is None or is_barred(name, addresses):
        return None
    files = [
        {"kind": one["packagetype"], "url": one["url"], "size": one["size"]}
        | {"sha256": one["digests"]["sha256"], "file": one["filename"]}
        for one in found.get("urls") or []
    ]
    return {
        "source": "pypi",
        "name": name,
        "version": info["version"],
        "licence": licence,
        "summary": info.get("summary") or "",
        "keywords": info.get("keywords") or "",
        "readme": (info.get("description") or "")[:_LONGEST_README],
        "format": info.get("description_content_type") or "",
        "files": files,
    }


def npm_page(name: str) -> dict[str, Any] | None:
    """Return what npm says about the latest version of a package, or None."""
    quoted = urllib.parse.quote(name, safe="@")
    found = json.loads(fetch(f"{REGISTRIES['npm']}/{quoted}/latest"))
    licence = found.get("license")
    if isinstance(licence, dict):
        licence = licence.get("type")
    repository = found.get("repository")
    address = repository.get("url", "") if isinstance(repository, dict) else repository or ""
    kept = allowed([licence]) if isinstance(licence, str) else None
    if kept is None or is_barred(name, [address]):
        return None
    dist = found["dist"]
    file = {"kind": "npm", "url": dist["tarball"], "size": dist.get("unpackedSize", 0) // 4}
    return {
        "source": "npm",
        "name": name,
        "version": found["version"],
        "licence": kept,
        "summary": found.get("description") or "",
        "keywords": " ".join(str(one) for one in found.get("keywords") or []),
        "readme": "",
        "format": "",
        "files": [file | {"sha256": "", "file": name.replace("/", "+") + ".tgz"}],
    }


class Pages:
    """The pages fetched so far: a file of JSON lines that only grows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, dict[str, Any] | None] = {}
        self._lock = threading.Lock()
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.known[row["key"]] = row["page"]
        self._file = path.open("a", encoding="utf-8")

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the page of `pypi:NAME` or `npm:NAME`, from the file or the registry."""
        if key not in self.known:
            source, _, name = key.partition(":")
            try:
                page = pypi_page(name) if source == "pypi" else npm_page(name)
            except (OSError, ValueError, KeyError):
                page = None
            with self._lock:
                self.known[key] = page
                self._file.write(json.dumps({"key": key, "page": page}) + "\n")
        return self.known[key]


def sampled_names(count: int, seed: int) -> list[str]:
    """Return names of random PyPI projects, the same for the same seed and list.

    A fifth are tools, servers and clients by their names: what they say they do is rare in code.
    """
    listed = fetch(f"{REGISTRIES['pypi']}/simple/", limit=200_000_000).decode()
    names = sorted(set(re.findall(r'<a href="(?:/simple/)?([^/"]+)/"', listed)))
    drawn = random.Random(seed)
    tools = [name for name in names if _TOOL.search(name)]
    some = drawn.sample(tools, min(count // 5, len(tools)))
    chosen = list(dict.fromkeys(some + drawn.sample(names, min(count - len(some), len(names)))))
    drawn.shuffle(chosen)
    return chosen


def save_archive(page: dict[str, Any], folder: Path) -> str | None:
    """Fetch a package's source (an sdist before a wheel); return the file's name, or None."""
    order = {"sdist": 0, "npm": 0, "bdist_wheel": 1}
    files = [one for one in page["files"] if one["kind"] in order and one["size"] <= _LARGEST]
    for one in sorted(files, key=lambda file: order[file["kind"]]):
        path = folder / page["source"] / one["file"]
        if path.exists():
            return str(path)
        try:
            # Some mirrors give addresses relative to a project's page in the simple index.
            data = fetch(
                urllib.parse.urljoin(f"{REGISTRIES['pypi']}/simple/{page['name']}/", one["url"])
            )
        except (OSError, ValueError):
            continue
        if one["sha256"] and hashlib.sha256(data).hexdigest() != one["sha256"]:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return str(path)
    return None


def _small_source(page: dict[str, Any]) -> bool:
    low, high = _SMALL
    sdists = [one for one in page["files"] if one["kind"] == "sdist"]
    return bool(sdists) and low <= sdists[0]["size"] <= high


def main() -> None:
    """Run one of the three steps until it is done or its minutes are over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("pages", "archives", "small"))
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--pypi", required=True, help="address of the registry of Python packages")
    parser.add_argument("--npm", required=True, help="address of the registry of npm packages")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--seed", type=int, default=5)
    asked = parser.parse_args()
    REGISTRIES.update(pypi=asked.pypi.rstrip("/"), npm=asked.npm.rstrip("/"))
    asked.into.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * asked.minutes
    # Two steps may run side by side: each writes a file of its own.
    pages = Pages(asked.into / ("listed.jsonl" if asked.step == "archives" else "pages.jsonl"))
    folder = asked.into / "archives"

    def one(key: str) -> bool:
        if time.monotonic() > end:
            return False
        page = pages.get(key)
        if page is None:
            return False
        if asked.step == "pages":
            return len(page["readme"]) >= _SHORTEST_README
        return save_archive(page, folder) is not None

    if asked.step == "pages":
        keys = [f"pypi:{name}" for name in sampled_names(asked.count, asked.seed)]
    elif asked.step == "archives":
        keys = (Path(__file__).parent / "packages.txt").read_text(encoding="utf-8").split()
    else:
        keys = [
            key
            for key, page in pages.known.items()
            if page is not None and len(page["readme"]) >= _SHORTEST_README and _small_source(page)
        ][: asked.count]
    with ThreadPoolExecutor(asked.threads) as pool:
        used = sum(pool.map(one, keys))
    print(f"{asked.step}: {used} of {len(keys)} usable")


if __name__ == "__main__":
    main()
