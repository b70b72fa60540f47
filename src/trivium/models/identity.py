"""Everything that gives a vector its meaning -> the short id of its vector space.

An id is safe as a file name and a column value. Two embedders share one only if their vectors
may be compared; the embedders call this, and nothing else makes ids.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence


def space_id(name: str, parts: Sequence[str | int]) -> str:
    """Return `name`, made plain, and the first 8 hex digits of the hash of `parts`."""
    digest = hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}-{digest[:8]}"
