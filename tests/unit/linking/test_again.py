"""After a change the edges are those a new index would have: who must be linked again is."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.backends.base import Backend
from trivium.backends.embedded.store import EmbeddedBackend
from trivium.linker import link
from trivium.testing.filling import write
from trivium.testing.promises_linking import source
from trivium.types import NodeId

Files = dict[str, str]
Change = dict[str, str | None]

CASES: dict[str, tuple[Files, Change]] = {
    "a barrel gains a file it named before": (
        {
            "a.ts": "import {foo} from './b'\nfoo()\n",
            "b.ts": "export * from './c'\n",
            "d.ts": "export function foo(){}\n",
        },
        {"c/index.ts": "export * from '../d'\n"},
    ),
    "a Go package gains a file": (
        {
            "go.mod": "module ex.com/m\n",
            "main.go": 'package main\nimport "ex.com/m/util"\nfunc main(){ util.A() }\n',
            "util/a.go": "package util\nfunc A(){}\n",
        },
        {"util/zzz.go": "package util\nfunc Z(){}\n"},
    ),
    "a Java package gains a class": (
        {
            "src/p/A.java": "package p;\nimport com.x.*;\nclass A { void f(){ new B(); } }\n",
            "src/com/x/B.java": "package com.x;\npublic class B {}\n",
        },
        {"src/com/x/Other.java": "package com.x;\npublic class Other {}\n"},
    ),
    "a folder becomes a package": (
        {"pkg/main.py": "from core import go\ngo()\n", "pkg/core.py": "def go(): pass\n"},
        {"pkg/__init__.py": ""},
    ),
    "a receiver turns out to be a type": (
        {
            "a.py": "def f():\n    Foo.work()\n",
            "b.py": "class Base:\n    def work(self): pass\n",
            "e.py": "class Else:\n    def work(self): pass\n",
        },
        {"c.py": "from b import Base\nclass Foo(Base):\n    pass\n"},
    ),
    "a base is exchanged two files away": (
        {
            "a.py": "from b import C\ndef f(c: C):\n    c.run2()\n",
            "b.py": "from d import D\nclass C(D): pass\n",
            "d.py": "class D:\n    def run2(self): pass\n",
            "e.py": "class E:\n    def run2(self): pass\n",
        },
        {"b.py": "from e import E\nclass C(E): pass\n"},
    ),
    "a path alias is added": (
        {
            "tsconfig.json": '{"compilerOptions": {"baseUrl": "."}}',
            "src/a.ts": "import {q} from '@/q'\nq()\n",
            "src/q.ts": "export function q(){}\n",
        },
        {"tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}'},
    ),
    "a page that was linked to comes": (
        {"a.md": "see [[My Page]] and [g](guide/)\n"},
        {"x/my-page.md": "# T\n", "guide/other.txt": "x\n"},
    ),
    "a name that many have loses some": (
        {
            **{f"m{n}.js": "function common(){}\n" for n in range(66)},
            "p.py": "def go():\n    common()\n",
            "q.py": "def common(): pass\n",
        },
        {f"m{n}.js": None for n in range(5)},
    ),
    "a definition joins its header": (
        {"a.c": '#include "h.h"\nvoid m(){ f(); }\n', "h.h": "void f(void);\n"},
        {"f.c": '#include "h.h"\nvoid f(void){}\n'},
    ),
    "a header behind a header includes another": (
        {
            "a.c": '#include "h.h"\nvoid m(){ f(); g(); }\n',
            "h.h": '#include "i.h"\nvoid g(void);\n',
            "i.h": "int one;\n",
            "far/j.h": "void f(void);\n",
            "other/k.h": "void f(void);\n",
        },
        {"i.h": '#include "far/j.h"\nint one;\n'},
    ),
    "a star behind a star leads elsewhere": (
        {
            "a.py": "from b import *\ndef m(): f()\n",
            "b.py": "from c import *\n",
            "c.py": "from d import f\n",
            "d.py": "def f(): pass\n",
            "e.py": "def f(): pass\n",
        },
        {"c.py": "from e import *\n"},
    ),
}


def edges(backend: Backend) -> list[str]:
    with backend.snapshot() as snapshot:
        ids: list[NodeId] = []
        for path in snapshot.files():
            content = snapshot.content(path)
            ids += [] if content is None else [node.id for node in content.nodes]
        return sorted(map(repr, snapshot.edges(ids)))


def embedded(folder: Path) -> EmbeddedBackend:
    return EmbeddedBackend(folder / "index", store=folder / "store")


@pytest.mark.parametrize("case", CASES)
def test_after_a_change_the_edges_are_those_of_a_new_index(case: str, tmp_path: Path) -> None:
    before, change = CASES[case]
    changed = embedded(tmp_path / "changed")
    write(changed, [source(*one) for one in before.items()])
    link(changed)
    written = {path: text for path, text in change.items() if text is not None}
    removed = [path for path, text in change.items() if text is None]
    write(changed, [source(*one) for one in written.items()], removed=removed)
    link(changed)

    fresh = embedded(tmp_path / "fresh")
    now = {path: text for path, text in (before | written).items() if path not in removed}
    write(fresh, [source(*one) for one in now.items()])
    link(fresh)

    assert edges(changed) == edges(fresh)
    changed.close()
    fresh.close()
