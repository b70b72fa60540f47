from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pytest

from trivium.linking.imports import module_of
from trivium.linking.languages import ways_of
from trivium.linking.projects import Projects, gathered
from trivium.linking.world import Paths, World
from trivium.types import Node, NodeId, Reference, Symbol


class Nothing:
    """A store that holds no symbols: imports are settled by paths alone."""

    def symbols(self, names: Sequence[str], *, most: int) -> Mapping[str, Sequence[Symbol]]:
        del names, most
        return {}

    def outline(self, path: str) -> Sequence[Symbol]:
        del path
        return ()

    def headings(self, path: str) -> Sequence[NodeId]:
        del path
        return ()

    def references(self, path: str) -> tuple[Reference, ...]:
        del path
        return ()

    def nodes(self, ids: Sequence[NodeId]) -> Mapping[NodeId, Node]:
        del ids
        return {}


def found(
    language: str,
    written: str,
    *,
    paths: Iterable[str],
    importer: str,
    name: str = "",
    projects: Projects | None = None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files an import leads to and the names that are left over."""
    world = World(Nothing(), Paths(paths), projects=projects or Projects())
    module = module_of(written, name=name, importer=importer, ways=ways_of(language), world=world)
    return module.paths, module.rest


PYTHON = (
    "src/shop/__init__.py",
    "src/shop/cart.py",
    "src/shop/api/__init__.py",
    "src/shop/api/views.py",
    "tests/helpers.py",
    "tests/test_cart.py",
    "tools/json.py",
)


@pytest.mark.parametrize(
    ("written", "name", "importer", "path", "rest"),
    [
        ("shop.cart", "", "tests/test_cart.py", "src/shop/cart.py", ()),
        ("shop.cart", "Cart", "tests/test_cart.py", "src/shop/cart.py", ("Cart",)),
        ("shop", "cart", "tests/test_cart.py", "src/shop/cart.py", ()),
        ("shop", "", "tests/test_cart.py", "src/shop/__init__.py", ()),
        ("shop", "VERSION", "tests/test_cart.py", "src/shop/__init__.py", ("VERSION",)),
        ("shop.api", "*", "tests/test_cart.py", "src/shop/api/__init__.py", ()),
        (".", "cart", "src/shop/__init__.py", "src/shop/cart.py", ()),
        (".cart", "Cart", "src/shop/__init__.py", "src/shop/cart.py", ("Cart",)),
        ("..cart", "Cart", "src/shop/api/views.py", "src/shop/cart.py", ("Cart",)),
        (".", "views", "src/shop/api/__init__.py", "src/shop/api/views.py", ()),
        ("helpers", "", "tests/test_cart.py", "tests/helpers.py", ()),
    ],
)
def test_python_modules_are_found_from_package_roots(
    written: str, name: str, importer: str, path: str, rest: tuple[str, ...]
) -> None:
    assert found("python", written, name=name, paths=PYTHON, importer=importer) == ((path,), rest)


@pytest.mark.parametrize(
    ("written", "importer"),
    [
        ("json", "src/shop/cart.py"),
        ("os.path", "src/shop/cart.py"),
        ("api.views", "tests/test_cart.py"),
        ("....cart", "src/shop/api/views.py"),
    ],
)
def test_modules_of_others_lead_nowhere(written: str, importer: str) -> None:
    assert found("python", written, paths=PYTHON, importer=importer) == ((), ())


def test_a_root_that_the_project_names_is_a_root() -> None:
    paths = ("code/shop/__init__.py", "code/shop/cart.py", "tests/test_cart.py")

    assert found("python", "shop.cart", paths=paths, importer="tests/t.py") == ((), ())
    projects = gathered([("pyproject.toml", ("root code",))])
    assert found("python", "shop.cart", paths=paths, importer="tests/t.py", projects=projects) == (
        ("code/shop/cart.py",),
        (),
    )


TYPESCRIPT = (
    "app/src/main.ts",
    "app/src/util.ts",
    "app/src/ui/index.tsx",
    "app/src/ui/Button.tsx",
    "app/src/types.d.ts",
    "packages/core/src/index.ts",
    "packages/core/src/math.ts",
)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("./util", "app/src/util.ts"),
        ("./util.js", "app/src/util.ts"),
        ("./ui", "app/src/ui/index.tsx"),
        ("./ui/Button", "app/src/ui/Button.tsx"),
        ("./types", "app/src/types.d.ts"),
        ("../src/util?raw", "app/src/util.ts"),
        ("@/ui/Button", "app/src/ui/Button.tsx"),
        ("~ui", "app/src/ui/index.tsx"),
        ("@acme/core", "packages/core/src/index.ts"),
        ("@acme/core/math", "packages/core/src/math.ts"),
    ],
)
def test_typescript_paths_aliases_and_workspace_packages(written: str, path: str) -> None:
    projects = gathered(
        [
            ("app/tsconfig.json", ("alias @/* ./src/*", "alias ~ui ./src/ui")),
            ("packages/core/package.json", ("package @acme/core", "entry dist/index.js")),
        ]
    )

    assert found(
        "typescript", written, paths=TYPESCRIPT, importer="app/src/main.ts", projects=projects
    ) == ((path,), ())


@pytest.mark.parametrize("written", ["react", "../../../etc/passwd", "./none", "@acme/other"])
def test_typescript_imports_that_are_not_here_lead_nowhere(written: str) -> None:
    assert found("typescript", written, paths=TYPESCRIPT, importer="app/src/main.ts") == ((), ())


def test_an_alias_holds_below_its_own_project_only() -> None:
    projects = gathered([("app/tsconfig.json", ("alias @/* ./src/*",))])

    assert found(
        "typescript", "@/util", paths=TYPESCRIPT, importer="packages/core/src/index.ts",
        projects=projects,
    ) == ((), ())  # fmt: skip


def test_go_imports_lead_to_all_files_of_a_package_but_its_tests() -> None:
    paths = ("go.mod", "main.go", "store/store.go", "store/sql.go", "store/store_test.go")
    projects = gathered([("go.mod", ("module example.com/shop",))])

    assert found(
        "go", "example.com/shop/store", paths=paths, importer="main.go", projects=projects
    ) == (("store/sql.go", "store/store.go"), ())
    assert found(
        "go", "example.com/shopping", paths=paths, importer="main.go", projects=projects
    ) == ((), ())


@pytest.mark.parametrize(
    ("path", "name", "importer", "file", "rest"),
    [
        ("crate::store", "Store", "core/src/lib.rs", "core/src/store.rs", ("Store",)),
        ("crate::api::http", "get", "core/src/store.rs", "core/src/api/http.rs", ("get",)),
        ("crate::api", "", "core/src/store.rs", "core/src/api/mod.rs", ()),
        ("super::http", "get", "core/src/api/ws.rs", "core/src/api/http.rs", ("get",)),
        ("self::http", "", "core/src/api/mod.rs", "core/src/api/http.rs", ()),
        ("store", "", "core/src/lib.rs", "core/src/store.rs", ()),
        ("shop_core::store", "Store", "cli/src/main.rs", "core/src/store.rs", ("Store",)),
        ("shop_core", "VERSION", "cli/src/main.rs", "core/src/lib.rs", ("VERSION",)),
    ],
)
def test_rust_paths_lead_to_modules_of_this_and_other_crates(
    path: str, name: str, importer: str, file: str, rest: tuple[str, ...]
) -> None:
    paths = (
        "core/src/lib.rs", "core/src/store.rs", "core/src/api/mod.rs", "core/src/api/http.rs",
        "core/src/api/ws.rs", "cli/src/main.rs",
    )  # fmt: skip
    projects = gathered(
        [("core/Cargo.toml", ("crate shop_core",)), ("cli/Cargo.toml", ("crate shop_cli",))]
    )

    assert found("rust", path, name=name, paths=paths, importer=importer, projects=projects) == (
        (file,),
        rest,
    )


@pytest.mark.parametrize("path", ["std::fmt", "serde"])
def test_crates_of_others_lead_nowhere(path: str) -> None:
    projects = gathered([("Cargo.toml", ("crate shop",))])
    paths = ("src/lib.rs", "src/store.rs")

    assert found("rust", path, paths=paths, importer="src/store.rs", projects=projects) == ((), ())


@pytest.mark.parametrize(
    ("language", "written", "name", "paths", "path"),
    [
        ("java", "com.acme.shop", "Cart", ("a/src/main/java/com/acme/shop/Cart.java",), 0),
        ("kotlin", "com.acme", "Cart", ("src/com/acme/Cart.kt",), 0),
        ("scala", "acme.shop", "Cart", ("src/acme/shop/Cart.scala",), 0),
        ("c", "shop/cart.h", "", ("include/shop/cart.h", "src/main.c"), 0),
        ("c++", "cart.hpp", "", ("src/cart.hpp",), 0),
        ("ruby", "shop/cart", "", ("lib/shop/cart.rb",), 0),
        ("php", "App\\Models", "User", ("src/App/Models/User.php",), 0),
        ("lua", "shop.cart", "", ("lua/shop/cart.lua",), 0),
        ("shell", "./lib.sh", "", ("main/lib.sh",), 0),
        ("haskell", "Shop.Cart", "", ("src/Shop/Cart.hs",), 0),
        ("zig", "cart.zig", "", ("main/cart.zig",), 0),
        ("dart", "cart.dart", "", ("main/cart.dart",), 0),
        ("r", "R/cart.R", "", ("R/cart.R",), 0),
    ],
)
def test_every_language_finds_its_files(
    language: str, written: str, name: str, paths: tuple[str, ...], path: int
) -> None:
    files, rest = found(language, written, name=name, paths=paths, importer="main/start")

    assert (files, rest) == ((paths[path],), ())


def test_the_nearest_of_several_files_is_taken() -> None:
    paths = ("one/include/cart.h", "two/include/cart.h")

    assert found("c", "cart.h", paths=paths, importer="two/src/main.c")[0] == (paths[1],)


def test_packages_of_dart_are_found_by_their_names() -> None:
    projects = gathered([("app/pubspec.yaml", ("package shop",))])

    assert found(
        "dart", "package:shop/src/cart.dart", paths=("app/lib/src/cart.dart",),
        importer="app/bin/main.dart", projects=projects,
    ) == (("app/lib/src/cart.dart",), ())  # fmt: skip


def test_a_namespace_prefix_of_php_leads_to_its_folder() -> None:
    projects = gathered([("composer.json", ("alias App\\* app/*",))])

    assert found(
        "php", "App\\Models", name="User", paths=("app/Models/User.php",),
        importer="public/index.php", projects=projects,
    ) == (("app/Models/User.php",), ())  # fmt: skip
