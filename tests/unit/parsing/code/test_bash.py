from __future__ import annotations

import pytest

from trivium.testing.reading import reading
from trivium.types import EdgeType

SCRIPT = """\
#!/usr/bin/env bash
# Deploys the site.
set -euo pipefail

source ./lib/log.sh
. "$ROOT/lib/net.sh"

export TARGET="live" REGION
readonly RETRIES=3
CACHE_DIR=/tmp/cache
quiet=1

# Uploads one file.
upload() {
  local file="$1"
  for i in 1 2 3; do
    if curl -T "$file" "$TARGET"; then
      break
    elif [[ $i == 2 ]]; then
      log_warn "slow"
    fi
  done
  cat <<EOF
fake() { upload "$file"; }
EOF
}

function main {
  upload a | tee log
  _cleanup "$(find_files .)"
}

_cleanup() (
  rm -r "$1"
)

main "$@"
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f() { :; }\n", {"f": "function"}),
        ("function f { :; }\n", {"f": "function"}),
        ("function f() ( cd x )\n", {"f": "function"}),
        ("ns::run() { :; }\n", {"ns.run": "function"}),
        ("if x; then\n  f() { :; }\nfi\n", {"f": "function"}),
        ("f() {\n  g() { :; }\n}\n", {"f": "function", "f.g": "function"}),
        ("export A=1\n", {"A": "variable"}),
        ("declare -rx B=1\n", {"B": "constant"}),
        ("readonly C=1\n", {"C": "constant"}),
        ("declare -a list=(1 2)\nx=1\n", {}),
        ("cat <<'EOF'\nf() { :; }\nEOF\n", {}),
        (
            "f() {\n  cat <<-EOF\n\t}\n\tg() { $x; }\n\tEOF\n}\nh() { :; }\n",
            {"f": "function", "h": "function"},
        ),
        ('echo "f() { :; }"\n# g() { :; }\n', {}),
        ("f() { :; }\ng() { if }\nh() { :; }\n", {"f": "function", "h": "function"}),
    ],
)
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    found = reading("bin/a.sh", text).types

    assert {
        name: type_ for name, type_ in found.items() if name != "g" or name in expected
    } == expected


def test_a_script_gives_its_functions_and_its_fixed_names() -> None:
    assert reading("bin/a.sh", SCRIPT).types == {
        "TARGET": "variable",
        "RETRIES": "constant",
        "CACHE_DIR": "variable",
        "upload": "function",
        "main": "function",
        "_cleanup": "function",
    }


def test_a_function_has_its_comment_and_no_parameters() -> None:
    upload = reading("bin/a.sh", SCRIPT).metadata("upload")

    assert upload["doc"] == "Uploads one file."
    assert upload["signature"] == "upload()"
    assert upload["params"] == ()


def test_the_comment_under_the_shebang_is_the_modules() -> None:
    assert reading("bin/a.sh", SCRIPT).nodes[""].description == "Deploys the site."


def test_what_begins_with_an_underscore_or_is_only_set_is_not_exported() -> None:
    read = reading("bin/a.sh", SCRIPT)

    assert [name for name in read.types if read.metadata(name)["exported"]] == [
        "TARGET",
        "upload",
        "main",
    ]


def test_a_sourced_file_is_imported_whole() -> None:
    read = reading("bin/a.sh", SCRIPT)

    assert read.references(EdgeType.IMPORTS) == [" > ./lib/log.sh.*", " > $ROOT/lib/net.sh.*"]


def test_commands_are_calls_and_builtins_are_not() -> None:
    assert reading("bin/a.sh", SCRIPT).references(EdgeType.CALLS) == [
        " > main",
        "upload > curl",
        "upload > log_warn",
        "upload > cat",
        "main > upload",
        "main > tee",
        "main > _cleanup",
        "main > find_files",
        "_cleanup > rm",
    ]


def test_control_flow_is_counted() -> None:
    upload = reading("bin/a.sh", SCRIPT).metadata("upload")

    assert (upload["branches"], upload["loops"], upload["breaks"]) == (2, 1, 1)


def test_a_file_without_extension_is_read_by_its_shebang() -> None:
    assert reading("bin/run", "#!/bin/sh\nf() { :; }\n").types == {"f": "function"}
