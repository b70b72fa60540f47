"""A folder, a server of its own process and a page in a browser, for the tests of the page."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from tests.e2e.page.slowness import slowed

import trivium

LAUNCH = """
import sys
from pathlib import Path
from trivium.doors.http.serve import Serving, run
port, needs = int(sys.argv[1]), sys.argv[2] == "token"
serving = Serving(port=port, require_token=needs)
run(folders=[Path(one) for one in sys.argv[3:]], serving=serving)
"""
TRIES = 1200
WAIT_MS = 60_000
# Text from right to left: a title, and a sentence about passwords.
GUIDE = "\u062f\u0644\u064a\u0644"
SECRET_IS_KEPT = (
    "\u0643\u0644\u0645\u0629 \u0627\u0644\u0633\u0631 "
    "\u0645\u062d\u0641\u0648\u0638\u0629 \u0628\u0623\u0645\u0627\u0646"
)
# What a file of the test folder would run if its text became part of the page.
HOSTILE = "<img src=x onerror=\"window.ran='yes'\"><script>window.ran='yes'</script>"


@dataclass
class Server:
    """A running server and how to reach it."""

    address: str
    process: subprocess.Popen[str]
    client: httpx.Client

    def stop(self) -> None:
        """End the process, as a person does with Ctrl-C."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)


def soon(is_so: Callable[[], bool]) -> bool:
    """Look until something is so, a bounded number of times."""
    pause = threading.Event()
    return any(is_so() or pause.wait(0.05) for _ in range(TRIES))


def until(page: Any, expression: str) -> None:
    """Wait for something to be so in the page.

    The page's own rules forbid what Playwright's waiting for an expression does there.
    """
    for _ in range(TRIES):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    raise AssertionError(expression)


def catching(page: Any) -> None:
    """Let requests be caught from the start.

    A busy page asks past a catch that is set up while it is open.
    """
    page.route("**/api/**", lambda route: route.continue_())


def arrived(page: Any, kept: list[Any]) -> None:
    """Wait for a request that the test holds back."""
    for _ in range(TRIES):
        if kept:
            return
        page.wait_for_timeout(100)
    raise AssertionError("nothing was asked for")


@contextmanager
def serving(folders: list[Path], home: Path, *, port: int = 0, token: str = "") -> Iterator[Server]:
    """Serve folders from a process of its own until the end, or until it is stopped.

    With a `token` the server asks for one, and this one is shown to it by `client`.
    """
    environ = {
        "TRIVIUM_HOME": str(home),
        "TRIVIUM_CONFIG": str(home / "none.toml"),
        # The same source as the tests', installed or not.
        "PYTHONPATH": str(Path(trivium.__file__).parents[1]),
        "LC_ALL": "C.UTF-8",
    }
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, str(port), "token" if token else "", *map(str, folders)],
        env=environ,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    # Read on to the end, or the process stops at a full pipe.
    reader = threading.Thread(target=process.stderr.read, daemon=True)
    try:
        line = next(one for one in process.stderr if "http://" in one)
        reader.start()
        shown = {"Authorization": f"Bearer {token}"} if token else {}
        address = line.split()[-1]
        with httpx.Client(base_url=address, trust_env=False, timeout=60, headers=shown) as client:
            yield Server(address, process, client)
    finally:
        process.kill()
        process.wait()
        if reader.ident is not None:
            reader.join()
        process.stderr.close()


def is_ready(server: Server, name: str) -> bool:
    """Say whether a folder has been read, and its texts embedded."""
    status = server.client.get("/api/status", params={"collection": name}).json()
    return bool(status.get("files")) and status["progress"] is None and bool(status["spaces"])


def filled(folder: Path) -> Path:
    """Write a small folder with something of everything."""
    files = {
        "src/auth.py": (
            '"""Passwords and sessions."""\n\nimport hashlib\n\nSALT = "pepper"\n\n\n'
            "def hash_password(password: str) -> str:\n"
            '    """Passwords are hashed before they are stored."""\n'
            "    return hashlib.sha256((SALT + password).encode()).hexdigest()\n\n\n"
            "def check_password(password: str, stored: str) -> bool:\n"
            '    """Compare a password with the hash that is stored."""\n'
            "    return hash_password(password) == stored\n"
        ),
        "src/login.py": (
            "from auth import check_password\n\n\n"
            "def login(name: str, password: str) -> bool:\n"
            '    """Let a person in who knows the password."""\n'
            '    return check_password(password, "stored")\n'
        ),
        "web/retry.ts": (
            "// Retries a request with backoff.\n"
            "export async function retry(send: () => Promise<void>): Promise<void> {\n"
            "  for (let attempt = 0; attempt < 3; attempt += 1) await send();\n}\n"
        ),
        "docs/guide.md": (
            "---\ntags: [handbook]\n---\n# Guide\n\nHow passwords are kept.\n\n## Install\n\n"
            "- take the **password** tool\n- run `install`\n\n| a | b |\n|---|---|\n| one | two |\n"
        ),
        "skills/review/SKILL.md": (
            "---\nname: review\ndescription: Review a change with care.\n---\n# Review\n\n"
            "1. Read the change of the password code\n2. Say what is wrong\n"
        ),
        "hostile.md": f"# Hostile {HOSTILE}\n\nA zebra is in {HOSTILE} here.\n",
        "hostile.py": f'def zebra_crossing() -> str:\n    return """{HOSTILE} zebra"""\n',
        "<b>zebra&amp;.txt": f"zebra {HOSTILE}\n",
        "arabic.md": f"# {GUIDE}\n\n{SECRET_IS_KEPT}\n",
        "turned.py": "# giraffe \u202e turned \u2066 around\nGIRAFFE = '\U0001f992 giraffe'\n",
        "picture.bin": "\0\0\0",
    }
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


@contextmanager
def opened(browser: Any, address: str, **given: Any) -> Iterator[Any]:
    """Open a page of its own; what goes wrong in it is an error of the test."""
    viewport = {"width": given.pop("width"), "height": given.pop("height")}
    context = browser.new_context(base_url=address, viewport=viewport, **given)
    context.set_default_timeout(WAIT_MS)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    made = slowed(context.new_page())
    wrong: list[str] = []
    made.on("pageerror", lambda error: wrong.append(str(error)))
    made.on("console", lambda said: wrong.append(said.text) if _is_ours(said) else None)
    try:
        yield made
        assert wrong == []
    finally:
        context.close()


def _is_ours(said: Any) -> bool:
    # A request that fails on purpose is told of by the browser as well.
    return said.type == "error" and not said.text.startswith("Failed to load resource")
