"""What a package says about its licence -> whether its text may be trained on.

Only the package's own metadata counts. One copyleft or unknown word and it is refused.
"""

from __future__ import annotations

import re

_REFUSED = re.compile(
    r"gpl|general public|affero|copyleft|mozilla|\bmpl|eclipse|\bepl|cddl|sspl|server side public"
    r"|business source|\bbusl|\bbsl-1\.1|elastic|proprietary|commercial|all rights reserved"
    r"|by-sa|by-nc|by-nd|non-?commercial|polyform|commons clause|cecill|\beupl|\bosl"
    r"|sleepycat|ms-rl|confidential"
    r"|see licen|unlicensed|no licen|other/proprietary|freeware|\bosi approved$",
    re.IGNORECASE,
)
_ALLOWED = re.compile(
    r"\bmit\b|\bmit[ -]|expat|\bbsd|0bsd|apache|\basl ?2|\bisc\b|\bcc0|unlicense|public domain"
    r"|\bpsf|python software foundation|\bzlib|\bncsa|\bzpl|zope public|\bwtfpl|\bbsl-1\.0|boost"
    r"|\bw3c|\bhpnd|blueoak|\bupl\b|\bafl-|academic free|unicode|\bicu\b|postgresql|artistic-2",
    re.IGNORECASE,
)
_TEXT = {
    "permission is hereby granted, free of charge": "MIT",
    "redistribution and use in source and binary forms": "BSD",
    "apache license": "Apache-2.0",
}
_LONGEST = 120


def allowed(statements: list[str]) -> str | None:
    """Return the licence by which a package may be used, or None.

    `statements` are what its metadata says: an expression, a field, classifiers.
    """
    said = [_short(one) for one in statements if one and one.strip()]
    if not said or any(_REFUSED.search(one) for one in said):
        return None
    named = [one for one in said if _ALLOWED.search(one)]
    return named[0][:_LONGEST] if named else None


def _short(statement: str) -> str:
    """Return a statement, or the name of the licence whose whole text it holds."""
    text = " ".join(statement.split())
    if len(text) <= _LONGEST:
        return text
    folded = text.lower()
    for phrase, name in _TEXT.items():
        if phrase in folded and "general public license" not in folded:
            return name
    return text[:_LONGEST]
