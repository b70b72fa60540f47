"""This repository -> pictures of the web page, of its own files: `make screenshots`.

A copy of the tracked files is served, so that neither the place of this checkout nor its history
is in a picture. Pictures have at most 256 colours, which makes them a third as large.
"""

from __future__ import annotations

import argparse
import base64
import shutil
import struct
import subprocess
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright
from tests.e2e.page.browsing import Server, is_ready, opened, serving, soon, until
from tests.e2e.page.conftest import BROWSERS

ROOT = Path(__file__).parents[3]
SHOWN_ROOT = "/home/ana/code/trivium"
COLOURS = 256
# The tasks of the board: status, title, priority, in how many days they are due, epic, by whom.
OPENED = "Mask secrets that are split over two lines"
OPEN_TASK = "task:mask-secrets-that-are-split-over-two-lines"
ABOUT = "code:src/trivium/parsing/secrets.py#Masked"
LANGUAGES, RELEASE = "answer-in-any-language", "the-first-release"
TEXT = (
    "A key that a formatter broke in two is not seen by any rule.\n\n"
    "- [x] collect such keys\n- [ ] join what ends in a backslash\n- [ ] measure `mask` again\n"
)
TASKS: Sequence[tuple[str, str, str, int, str | None, str | None]] = (
    ("backlog", "Read tables of PDF files", "low", 0, None, None),
    ("backlog", "Stem Finnish", "medium", 0, LANGUAGES, None),
    ("backlog", "Show who changed a line last", "medium", 0, None, "ben"),
    ("todo", "Split Thai into words", "high", -2, LANGUAGES, "ana"),
    ("todo", "Write how to move an index", "medium", 12, RELEASE, None),
    ("in_progress", OPENED, "critical", 1, RELEASE, "ana"),
    ("in_progress", "Ask two folders at once", "medium", 0, None, "cem"),
    ("review", "Say why a file was passed over", "medium", 3, RELEASE, "ben"),
    ("done", "Find names by their parts", "medium", 0, None, "cem"),
    ("done", "One page for all settings", "low", -9, RELEASE, "ana"),
)
# As many colours are kept as they are: paper and sheet differ by little.
EXACT = 96
FIVE_BITS, MIDDLE = 0xF8F8F8, 0x040404
PIXELS = """async png => {
  const picture = await createImageBitmap(await (await fetch(png)).blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const drawn = canvas.getContext('2d');
  drawn.drawImage(picture, 0, 0);
  const { data } = drawn.getImageData(0, 0, picture.width, picture.height);
  let text = '';
  for (let at = 0; at < data.length; at += 32768)
    text += String.fromCharCode(...data.subarray(at, at + 32768));
  return [picture.width, picture.height, btoa(text)];
}"""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: the address, what to do there, what to wait for."""

    name: str
    address: str
    awaits: str
    scheme: str = "light"
    profile: str = ""
    width: int = 1360
    height: int = 860
    file: str = ""
    more: dict[str, Any] = field(default_factory=dict)


PICTURES = (
    # First, since it lists the slow ones of the searches before it.
    Picture("status", "/?view=status", ".card"),
    Picture("search", "/?q=where+are+secrets+masked", ".code .row.focus"),
    Picture("search-dark", "/?q=fuse+rankings", ".code .row.focus", scheme="dark"),
    Picture("explain", "/?q=fuse+rankings&pane=explain&profile=rag", "#sum", profile="best"),
    Picture("graph", "/?q=rank_by_degree&pane=graph", ".drawing .named", scheme="dark"),
    Picture(
        "phone",
        "/?q=where+are+secrets+masked",
        ".hit",
        width=390,
        height=780,
        more={"has_touch": True, "is_mobile": True, "device_scale_factor": 1.5},
    ),
    # Last, since what it shows has to be written down first.
    Picture("board", f"/?view=tasks&item={OPEN_TASK}", ".reads", height=720, file="board.png"),
)


def main() -> None:
    """Write every picture, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*", help="Only these.")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = copied(Path(place) / "trivium")
        found = next(filter(None, map(shutil.which, BROWSERS)), None)
        browser = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-lcd-text"]
        )
        with serving([folder], Path(place) / "home") as server:
            if not soon(lambda: is_ready(server, folder.name)):
                raise SystemExit("The server did not come to an end with its folder.")
            for picture in PICTURES:
                if not given.names or picture.name in given.names:
                    if picture.name == "board":
                        write_tasks(server)
                        soon(lambda: is_fresh(server))
                    name = picture.file or f"page-{picture.name}.png"
                    take(browser, server, picture, given.out / name)
        browser.close()


def write_tasks(server: Server) -> None:
    """Write down some tasks about this repository, to be seen on the board."""
    for title in ("Answer in any language", "The first release"):
        written(server, {"title": title, "type": "epic"})
    for status, title, priority, days, epic, who in TASKS:
        due = (date.today() + timedelta(days=days)).isoformat() if days else None
        fields = {"title": title, "status": status, "priority": priority, "dueDate": due}
        text = "" if title != OPENED else TEXT
        links = [{"type": "references", "target": ABOUT}] if text else []
        more = {"description": text, "links": links, "epic": epic, "assignee": who}
        written(server, {**fields, **more})


def is_fresh(server: Server) -> bool:
    """Say whether all that was written is in the index."""
    status = server.client.get("/api/status").json()
    return status["progress"] is None and not status["dirtyFiles"]


def written(server: Server, fields: dict[str, Any]) -> None:
    """Write down one task."""
    server.client.post("/api/tasks", json=fields).raise_for_status()


def copied(folder: Path) -> Path:
    """Copy the tracked files of this repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def take(browser: Any, server: Server, picture: Picture, file: Path) -> None:
    """Take one picture."""
    size = {"width": picture.width, "height": picture.height}
    look = {"color_scheme": picture.scheme, "reduced_motion": "reduce"}
    with opened(browser, server.address, **size, **look, **picture.more) as page:
        page.route("**/api/status*", nowhere)
        page.goto(picture.address)
        page.wait_for_selector(picture.awaits)
        if picture.profile:
            page.select_option("#profile", picture.profile)
            page.wait_for_selector(".moved")
        page.wait_for_selector("#state[data-sort='fresh']")
        page.wait_for_selector("body:not(.busy)")
        page.evaluate("document.activeElement.blur()")
        until(page, "document.querySelector('[aria-busy=true]') === null")
        shot = page.screenshot()
        blank = browser.new_page()
        width, height, pixels = blank.evaluate(
            PIXELS, "data:image/png;base64," + base64.b64encode(shot).decode()
        )
        blank.close()
    file.write_bytes(palette_png(width, height, base64.b64decode(pixels)))


def nowhere(route: Any) -> None:
    """Answer with a place that is nobody's."""
    answer = route.fetch()
    data = {**answer.json(), "root": SHOWN_ROOT, "folder": ""}
    route.fulfill(response=answer, json=data)


def palette_png(width: int, height: int, pixels: bytes) -> bytes:
    """Encode pixels with the 256 colours that stand for most of them."""
    rgb = np.frombuffer(pixels, dtype=np.uint8).reshape(-1, 4)[:, :3].astype(np.uint32)
    packed = (rgb[:, 0] << 16) | (rgb[:, 1] << 8) | rgb[:, 2]
    values, of_pixel, counts = np.unique(packed, return_inverse=True, return_counts=True)
    exact = values[np.argsort(-counts, kind="stable")[:EXACT]]
    # What is rarer, the edges of letters, shares what is left by its five highest bits.
    rare = ~np.isin(values, exact)
    coarse, of_rare = np.unique(values[rare] & FIVE_BITS, return_inverse=True)
    weights = np.bincount(of_rare.ravel(), weights=counts[rare], minlength=len(coarse))
    common = coarse[np.argsort(-weights, kind="stable")[: COLOURS - len(exact)]] | MIDDLE
    palette = _channels(np.concatenate([exact, common]))
    distances = ((_channels(values)[:, None, :] - palette[None, :, :]) ** 2).sum(axis=2)
    rows = distances.argmin(axis=1).astype(np.uint8)[of_pixel.ravel()].reshape(height, width)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    colours = palette.astype(np.uint8).tobytes()
    parts: Sequence[tuple[bytes, bytes]] = (
        (b"IHDR", header),
        (b"PLTE", colours),
        (b"IDAT", zlib.compress(raw, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(map(_chunk, parts))


def _channels(packed: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.stack([(packed >> shift) & 0xFF for shift in (16, 8, 0)], axis=1).astype(np.int32)


def _chunk(part: tuple[bytes, bytes]) -> bytes:
    name, data = part
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


if __name__ == "__main__":
    main()
