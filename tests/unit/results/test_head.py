from __future__ import annotations

import pytest

from trivium.parsing.parse import parse
from trivium.results.head import head
from trivium.results.sheet import Sheet
from trivium.types import Document

PYTHON = '''"""Who may come in.

More on that.
"""
import os


@decorated
class Guard(Base):
    """Lets people in.

    One by one.
    """

    def check(
        self, password: str
    ) -> bool:
        """Compare the hash."""
        return helper(password)

    def silent(self):
        return 1
'''
GO = """package main

// Foo does it.
func (c *Cmd) Foo(a int) error {
	return nil
}

// Bar is told at length,
// and at greater length,
// and on,
// and on.
func Bar() {
	return
}
"""
GUIDE = "# Guide\n\nText.\n\n## Install\n\nRun it.\n"


def head_of(path: str, text: str, node_id: str) -> str | None:
    sheet = Sheet.of(text, place=path)
    node = next(one for one in parse(Document(path, text)).nodes if one.id == node_id)
    lines = head(node, sheet)
    return None if lines is None else sheet.text(lines)


@pytest.mark.parametrize(
    ("path", "text", "node", "shown"),
    [
        ("a.py", PYTHON, "code:a.py", '"""Who may come in.'),
        (
            "a.py",
            PYTHON,
            "code:a.py#Guard",
            'class Guard(Base):\n    """Lets people in.',
        ),
        (
            "a.py",
            PYTHON,
            "code:a.py#Guard.check",
            "    def check(\n        self, password: str\n    ) -> bool:\n"
            '        """Compare the hash."""',
        ),
        ("a.py", PYTHON, "code:a.py#Guard.silent", "    def silent(self):"),
        ("b.go", GO, "code:b.go#Cmd.Foo", "// Foo does it.\nfunc (c *Cmd) Foo(a int) error {"),
        ("b.go", GO, "code:b.go#Bar", "func Bar() {"),
        ("b.go", GO, "code:b.go", None),
        ("g.md", GUIDE, "doc:g.md#Install", "## Install"),
    ],
)
def test_a_head_is_a_signature_and_how_the_documentation_begins(
    path: str, text: str, node: str, shown: str | None
) -> None:
    assert head_of(path, text, node) == shown
