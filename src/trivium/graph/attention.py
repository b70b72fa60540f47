"""What is known of a node -> how much attention it deserves on a walk, 0 to 100.

The formula of SEMANTICS.md A3: near the question, well linked, a map or a framework, fresh, and
of a domain that the question names. Pure. Used by the collection's traverse.
"""

from __future__ import annotations

from collections.abc import Mapping

_SIMILAR = 40.0
_PER_LINK, _MOST_LINKS = 2.0, 20.0
_OF_TYPE: Mapping[str, float] = {"moc": 15.0, "framework": 10.0, "technique": 5.0}
_FRESH, _PER_DAY = 10.0, 0.1
_DOMAIN = 15.0
_MOST = 100.0


def attention(
    *, similarity: float, degree: int, type_: str, days: float, is_domain_named: bool
) -> float:
    """Return the score of a node; `days` have gone by since its file was changed."""
    score = (
        _SIMILAR * similarity
        + min(_MOST_LINKS, _PER_LINK * degree)
        + _OF_TYPE.get(type_, 0.0)
        + max(0.0, _FRESH - _PER_DAY * max(0.0, days))
        + (_DOMAIN if is_domain_named else 0.0)
    )
    return min(_MOST, score)
