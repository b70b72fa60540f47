from __future__ import annotations

import pytest

from trivium.parsing.blocks import language_of, symbols_in


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("", ""),
        ("py", "python"),
        ("python", "python"),
        ("Python3", "python"),
        ("python title=x", "python"),
        ("{.python .wide}", "python"),
        ("{python}", "python"),
        ("{code-block} python", "python"),
        ("js{1,3}", "javascript"),
        ("rust,no_run", "rust"),
        ("ts", "typescript"),
        ("typescript", "typescript"),
        ("bash", "shell"),
        ("console", "shell"),
        ("golang", "go"),
        ("c++", "c++"),
        ("cpp", "c++"),
        ("c#", "c#"),
        ("csharp", "c#"),
        ("yml", "yaml"),
        ("dockerfile", "docker"),
        ("makefile", "make"),
        ("node", "javascript"),
        ("txt", "text"),
        ("mermaid", "mermaid"),
        ("readme", "readme"),
        ("!!", ""),
        ("x" * 100, "x" * 40),
    ],
)
def test_a_fence_has_the_language_its_tag_means(tag: str, language: str) -> None:
    assert language_of(tag) == language


@pytest.mark.parametrize(
    ("language", "code", "symbols"),
    [
        (
            "python",
            "LIMIT = 3\nclass A(B):\n    async def run(self):\n        x = 1\n",
            "LIMIT A run",
        ),
        ("python", ">>> def f(): ...\n>>> x = f()\n", "f x"),
        ("javascript", "export default function* go() {}\nconst a = 1, b = 2\n", "go a"),
        ("typescript", "export interface A {}\ndeclare type B = A\nenum C {}\n", "A B C"),
        ("go", "func (s *Server) Run() {}\ntype Server struct {}\n", "Run Server"),
        ("rust", "pub(crate) fn go() {}\nimpl A {}\nmacro_rules! m {}\n", "go m"),
        ("java", "public abstract class A {\n  private static final int X = 1;\n}\n", "A"),
        ("ruby", "module M\n  def self.make\n", "M make"),
        ("sql", "CREATE TABLE IF NOT EXISTS shop.orders (id int);\n", "orders"),
        ("shell", "build() {\n  :\n}\n", "build"),
        ("", "def f():\n", "f"),
        ("text", "class of 1999\n", ""),
        ("yaml", "type: x\n", ""),
        ("python", "def f(): ...\ndef f(): ...\n", "f"),
        ("python", "undef x\nreturn def_x\n", ""),
    ],
)
def test_the_names_a_block_defines_are_found(language: str, code: str, symbols: str) -> None:
    assert symbols_in(code, language=language) == tuple(symbols.split())


def test_there_is_an_end_to_the_names_of_a_block() -> None:
    code = "".join(f"def f{number}(): ...\n" for number in range(500))

    assert len(symbols_in(code, language="python")) == 100
    assert symbols_in("def " + "x" * 300, language="python") == ()
