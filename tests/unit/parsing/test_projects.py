from __future__ import annotations

import pytest

from trivium.parsing.projects import is_project_file, project_facts


@pytest.mark.parametrize(
    ("path", "text", "facts"),
    [
        (
            "app/tsconfig.json",
            '{// comments\n "compilerOptions": {"baseUrl": "src", /* and */ '
            '"paths": {"@/*": ["*"], "~ui": ["ui/index"],},},}',
            ("base src", "alias @/* src/*", "alias ~ui src/ui/index"),
        ),
        (
            "tsconfig.base.json",
            '{"compilerOptions": {"paths": {"#x": ["./x", "./y"]}}}',
            ("alias #x ././x", "alias #x ././y"),
        ),
        (
            "package.json",
            '{"name": "@acme/ui", "main": "dist/index.js", "imports": {"#db": "./src/db.js"}}',
            ("package @acme/ui", "entry dist/index.js", "alias #db ./src/db.js"),
        ),
        (
            "go.mod",
            "// shop\nmodule example.com/shop/v2\n\ngo 1.22\n",
            ("module example.com/shop/v2",),
        ),
        ("Cargo.toml", '[package]\nname = "shop-core"\n', ("crate shop_core",)),
        (
            "pyproject.toml",
            '[tool.hatch.build.targets.wheel]\npackages = ["src/shop"]\n'
            '[tool.setuptools.package-dir]\n"" = "lib"\n',
            ("root lib", "root src"),
        ),
        ("pubspec.yaml", "name: shop\nversion: 1\n", ("package shop",)),
        (
            "composer.json",
            '{"autoload": {"psr-4": {"App\\\\": "app/"}}}',
            ("alias App\\* app/*",),
        ),
    ],
)
def test_project_files_say_where_modules_are(path: str, text: str, facts: tuple[str, ...]) -> None:
    assert is_project_file(path)
    assert project_facts(path, text) == facts


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", "{ broken"),
        ("package.json", "[" * 100_000),
        ("package.json", '"text"'),
        ("tsconfig.json", '{"compilerOptions": {"paths": 7}}'),
        ("tsconfig.json", '{"compilerOptions": []}'),
        ("Cargo.toml", "[package\n"),
        ("Cargo.toml", 'package = "x"'),
        ("pyproject.toml", "tool = 3"),
        ("go.mod", ""),
        ("other.json", '{"name": "x"}'),
    ],
)
def test_broken_and_other_files_say_nothing(path: str, text: str) -> None:
    assert project_facts(path, text) == ()


def test_a_string_that_looks_like_a_comment_is_kept() -> None:
    text = '{"compilerOptions": {"paths": {"a//b": ["x/*y"]}}}'

    assert project_facts("tsconfig.json", text) == ("alias a//b ./x/*y",)
