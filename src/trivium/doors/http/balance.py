"""A process of many threads -> one that gets more done: how memory and turns are handed out.

Searches compute in Python, which runs one thread at a time. Where each may hold on for longer,
fewer turns are lost in handing over; with few arenas, what one thread frees serves another; what
was made before the first request is not looked through for garbage again. Called once by serve.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import sys

log = logging.getLogger(__name__)

# At 5 ms, Python's own, and eight threads, 8 connections got less done than one on two quiet cores.
_SWITCH_S = 0.02
# Each thread of glibc has an arena of its own otherwise, and none gives back what it has had.
_ARENAS = 2
_M_ARENA_MAX = -8
# With Python's own 700, looking for garbage took 1.2 CPU ms of a search at 95,146 chunks; now .2.
_MADE_BEFORE_LOOKING = (20_000, 20, 20)


def balance() -> None:
    """Set all of it for this process; a system without glibc hands out memory its own way."""
    sys.setswitchinterval(_SWITCH_S)
    gc.set_threshold(*_MADE_BEFORE_LOOKING)
    gc.freeze()
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    if not mallopt(_M_ARENA_MAX, _ARENAS):
        log.debug("the number of arenas cannot be set here")
