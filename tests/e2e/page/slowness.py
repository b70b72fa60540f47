"""Make the page slow on purpose, to find tests that go on before the page has.

`TRIVIUM_SLOW_PAGE=answered pytest tests/e2e/page` runs the tests with each answer 400 ms late;
`sent` holds each request back as long, `random:7` does both by chance (0 to 800 ms, by that seed),
`cpu` gives the page a sixth of the processor. A test must hold under each.
"""

from __future__ import annotations

import os
from typing import Any

LATE_MS = 400
CPU_SHARE = 6
# Chance by a seed: the same delays in the same order (mulberry32).
LATE = """([before, after, seed]) => {
  const send = globalThis.fetch.bind(globalThis);
  const wait = ms => new Promise(done => setTimeout(done, ms));
  let state = seed;
  const chance = () => {
    if (!seed) return 1;
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  globalThis.fetch = async (address, options) => {
    await wait(before * chance());
    const reply = await send(address, options);
    await wait(after * chance());
    options?.signal?.throwIfAborted();
    return reply;
  };
}"""


def slowed(page: Any) -> Any:
    """Make a page as slow as the environment asks for; without that, leave it as it is."""
    asked = os.environ.get("TRIVIUM_SLOW_PAGE", "")  # noqa: TID251 - of the tests, not of the program
    way, _, seed = asked.partition(":")
    if way == "cpu":
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SHARE})
    elif way:
        before, after = {
            "sent": (LATE_MS, 0),
            "answered": (0, LATE_MS),
            "random": (LATE_MS, LATE_MS),
        }[way]
        page.add_init_script(f"({LATE})([{before}, {after}, {int(seed or 0)}])")
    return page
