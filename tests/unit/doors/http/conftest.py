"""The application in this process, over two small folders."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from trivium import config
from trivium.doors.hosting import Hosting
from trivium.doors.http.app import Rules, build
from trivium.doors.http.guard import Names

PORT = 7700
BASE = f"http://127.0.0.1:{PORT}"
Send = Callable[..., httpx.Response]


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    shop, farm = tmp_path / "shop", tmp_path / "farm"
    shop.mkdir()
    farm.mkdir()
    (shop / "auth.py").write_text(
        "import hashlib\n\n\ndef hashed(text: str) -> str:\n"
        '    """Hash a password."""\n    return hashlib.sha256(text.encode()).hexdigest()\n\n\n'
        "def check(text: str) -> bool:\n    return hashed(text) == text\n",
        encoding="utf-8",
    )
    (shop / "guide.md").write_text(
        "# Guide\n\nHow to reset a password.\n\n## Cats\n\nA tabby.\n", encoding="utf-8"
    )
    (shop / "key.txt").write_text(
        "first\ntoken = ghp_0123456789abcdefghijABCDEFGHIJ012345\nlast\n", encoding="utf-8"
    )
    (farm / "plough.md").write_text("# Plough\n\nA plough.\n", encoding="utf-8")
    return [shop, farm]


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    environ = {
        "TRIVIUM_HOME": str(tmp_path / "home"),
        "TRIVIUM_CONFIG": str(tmp_path / "none.toml"),
        "TRIVIUM_EMBEDDING__MODEL": "none",
    }
    return config.load(environ=environ)


@pytest.fixture
def shops(folders: list[Path], settings: config.Settings) -> Iterator[Hosting]:
    made = Hosting(folders, settings=settings)
    for name in made.names:
        made.upkeep(name).sync_now()
        made.upkeep(name).collection.link()
    yield made
    made.close()


@pytest.fixture
def rules() -> Rules:
    return Rules(Names(PORT))


@pytest.fixture
def send(shops: Hosting, rules: Rules) -> Send:
    """Send a request to one application, which remembers from one to the next."""
    app = build(shops, rules=rules)

    def sent(method: str, address: str, **more: Any) -> httpx.Response:
        async def send_it() -> httpx.Response:
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
                return await client.request(method, address, **more)

        return asyncio.run(send_it())

    return sent


@pytest.fixture
def get(send: Send) -> Send:
    return lambda address, **params: send("GET", address, params=params)
