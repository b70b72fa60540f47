"""What tests of seed 001 share: its numbers, and functions to be found."""

from __future__ import annotations

import math

K = 60
BODY_ONLY = "[view.fields]\nbody = 1\n"
# Cosines with the vector of the query, whole numbers of which 127 is the largest.
QUERY, NINE_TENTHS, OPPOSITE = (127, 0, 0), (127, 61, 8), (-127, 0, 0)
COSINE = 127 / math.sqrt(127**2 + 61**2 + 8**2)


def function(name: str, body: str = "return 1;", *, exported: bool = False) -> str:
    return f"{'export ' if exported else ''}function {name}() {{\n  {body}\n}}\n"


WORDS = {
    "ab.txt": "alpha beta",
    "ba.txt": "beta alpha",
    "ag.txt": "alpha gamma",
    "g.txt": "gamma",
    "x.txt": "xylophone",
}
