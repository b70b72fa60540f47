"""A project's own file -> what it says about where modules are found.

tsconfig.json, package.json, go.mod, Cargo.toml, pyproject.toml and their like. Facts are short
texts, "alias @/* src/*", so that they can be kept with the file's node. Nothing is executed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

_MOST_FACTS = 200
_LONGEST_FACT = 300
_LINE_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r",(?=\s*[}\]])")
_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_PUB_NAME = re.compile(r"^name:\s*['\"]?([\w-]+)", re.MULTILINE)


def project_facts(path: str, text: str) -> tuple[str, ...]:
    """Return what a project file says; nothing for other files and for broken ones."""
    name = path.rpartition("/")[2]
    read = _READERS.get(name)
    if read is None and name.startswith("tsconfig.") and name.endswith(".json"):
        read = _tsconfig
    if read is None:
        return ()
    try:
        facts = dict.fromkeys(one for one in read(text) if len(one) <= _LONGEST_FACT)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        # A file that is no more than half written says nothing yet.
        return ()
    return tuple(facts)[:_MOST_FACTS]


def _tsconfig(text: str) -> Iterator[str]:
    options = _lenient(text).get("compilerOptions", {})
    base = str(options.get("baseUrl", "."))
    if "baseUrl" in options:
        yield f"base {base}"
    for pattern, targets in options.get("paths", {}).items():
        for target in targets:
            yield f"alias {pattern} {base}/{target}"


def _package_json(text: str) -> Iterator[str]:
    raw = json.loads(text)
    if isinstance(raw.get("name"), str):
        yield f"package {raw['name']}"
    for key in ("source", "types", "module", "main"):
        if isinstance(raw.get(key), str):
            yield f"entry {raw[key]}"
    imports = raw.get("imports", {})
    for pattern, target in imports.items() if isinstance(imports, dict) else ():
        if isinstance(target, str):
            yield f"alias {pattern} {target}"


def _go_mod(text: str) -> Iterator[str]:
    if found := _GO_MODULE.search(text):
        yield f"module {found[1]}"


def _cargo(text: str) -> Iterator[str]:
    raw = tomllib.loads(text)
    name = raw.get("package", {}).get("name")
    if name:
        yield f"crate {str(name).replace('-', '_')}"
    if entry := raw.get("lib", {}).get("path"):
        yield f"entry {entry}"


def _pyproject(text: str) -> Iterator[str]:
    tool: dict[str, Any] = tomllib.loads(text).get("tool", {})
    setuptools = tool.get("setuptools", {})
    for root in setuptools.get("package-dir", {}).values():
        yield f"root {root}"
    packages = setuptools.get("packages", {})
    for root in packages.get("find", {}).get("where", ()) if isinstance(packages, dict) else ():
        yield f"root {root}"
    for package in tool.get("poetry", {}).get("packages", ()):
        if "from" in package:
            yield f"root {package['from']}"
    wheel = tool.get("hatch", {}).get("build", {}).get("targets", {}).get("wheel", {})
    for package in wheel.get("packages", ()):
        yield f"root {str(package).rpartition('/')[0] or '.'}"
    for root in wheel.get("sources", ()):
        yield f"root {root}"


def _composer(text: str) -> Iterator[str]:
    raw = json.loads(text)
    for key in ("autoload", "autoload-dev"):
        for prefix, folder in raw.get(key, {}).get("psr-4", {}).items():
            if isinstance(folder, str):
                yield f"alias {prefix}* {folder.rstrip('/')}/*"


def _pubspec(text: str) -> Iterator[str]:
    if found := _PUB_NAME.search(text):
        yield f"package {found[1]}"


def _lenient(text: str) -> dict[str, Any]:
    """Read JSON with comments and last commas, as compilers do."""
    bare = _LINE_COMMENT.sub(lambda found: found[1] or "", text)
    raw = json.loads(_LAST_COMMA.sub("", bare))
    return raw if isinstance(raw, dict) else {}


_READERS: dict[str, Callable[[str], Iterator[str]]] = {
    "tsconfig.json": _tsconfig,
    "jsconfig.json": _tsconfig,
    "package.json": _package_json,
    "go.mod": _go_mod,
    "Cargo.toml": _cargo,
    "pyproject.toml": _pyproject,
    "composer.json": _composer,
    "pubspec.yaml": _pubspec,
}


# The stems of their names, for finding them among many files.
PROJECT_STEMS = tuple(sorted({name.partition(".")[0].lower() for name in _READERS}))


def is_project_file(path: str) -> bool:
    """Whether a file of this name can hold facts."""
    name = path.rpartition("/")[2]
    return name in _READERS or (name.startswith("tsconfig.") and name.endswith(".json"))
