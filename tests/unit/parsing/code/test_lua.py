from __future__ import annotations

import pytest

from trivium.testing.reading import reading
from trivium.types import EdgeType

MODULE = """\
--- Loads and watches settings.
local M = {}
local util = require("app.util")
local split = require("app.text").split

--- Reads a file.
---@param path string
---@return table
function M.load(path, ...)
  local lines = split(util.read(path))
  for _, line in ipairs(lines) do
    if line == "" then
      break
    end
  end
  return lines
end

function M:watch(path)
  self.path = path
  self:start(path)
end

local function start_timer(interval)
  return interval
end

M.stop = function(force) start_timer(0) end

return M
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("function f() end\n", {"f": "function"}),
        ("local function f() end\n", {"f": "function"}),
        ("local f = function() end\n", {"f": "function"}),
        ("function a.b.c() end\n", {"a.b.c": "function"}),
        ("function a.b:c() end\n", {"a.b.c": "method"}),
        ("a.b = function() end\n", {"a.b": "function"}),
        ("local m = {}\nreturn m\n", {"m": "namespace"}),
        ("local cache = {}\n", {}),
        ("local Stack = {}\n", {"Stack": "namespace"}),
        ("local Dog = Animal:extend()\n", {"Dog": "class"}),
        ("local Dog = setmetatable({}, { __index = Animal })\n", {"Dog": "class"}),
        ("local defaults = { width = 80 }\n", {"defaults": "constant"}),
        ("local MAX_SIZE = 10\n", {"MAX_SIZE": "constant"}),
        (
            "local handlers = {\n  open = function(a) end,\n  size = 1,\n}\n",
            {"handlers": "constant", "handlers.open": "function"},
        ),
        ("return {\n  setup = function() end,\n}\n", {"setup": "function"}),
        (
            "function outer()\n  local function inner() end\nend\n",
            {"outer": "function", "outer.inner": "function"},
        ),
        ("local s = [[\nfunction fake() end\n]]\n--[[ function also() end ]]\n", {}),
        (
            "function good() end\nfunction bad( end\nfunction fine() end\n",
            {"good": "function", "fine": "function"},
        ),
    ],
)
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    found = reading("lua/a.lua", text).types

    assert {name: type_ for name, type_ in found.items() if name != "bad"} == expected


def test_a_module_table_contains_what_carries_its_name() -> None:
    read = reading("lua/a.lua", MODULE)

    assert read.types == {
        "M": "namespace",
        "M.load": "function",
        "M.watch": "method",
        "start_timer": "function",
        "M.stop": "function",
    }
    assert read.edges(EdgeType.CONTAINS) == [
        " > M",
        "M > M.load",
        "M > M.watch",
        " > start_timer",
        "M > M.stop",
    ]


def test_a_function_has_its_signature_its_comment_and_its_parameters() -> None:
    read = reading("lua/a.lua", MODULE)

    assert read.metadata("M.load")["signature"] == "function M.load(path, ...)"
    assert read.metadata("M.load")["doc"] == "Reads a file."
    assert read.metadata("M.load")["params"] == ("path",)
    assert read.metadata("M.watch")["params"] == ("path",)
    assert read.metadata("M.stop")["params"] == ("force",)
    assert read.metadata("start_timer")["signature"] == "local function start_timer(interval)"
    assert (
        read.nodes["M.load"].source.start_line
        == MODULE[: MODULE.index("--- Reads")].count("\n") + 1
    )


def test_an_empty_function_has_no_end_in_its_signature() -> None:
    assert reading("a.lua", "function f(a) end\n").metadata("f")["signature"] == "function f(a)"


def test_what_is_local_or_begins_with_an_underscore_is_not_exported() -> None:
    read = reading("lua/a.lua", "function M._reset() end\nfunction global() end\n" + MODULE)

    assert [name for name in read.types if not read.metadata(name)["exported"]] == [
        "M._reset",
        "M",
        "start_timer",
    ]


def test_what_is_local_is_private() -> None:
    read = reading("lua/a.lua", MODULE)

    assert read.metadata("start_timer")["visibility"] == "private"
    assert read.metadata("M.load")["visibility"] == "public"


def test_require_binds_a_module_or_one_of_its_fields() -> None:
    read = reading(
        "lua/a.lua", MODULE + 'require "app.init"\nlocal ok = pcall(require, "app.extra")\n'
    )

    assert read.references(EdgeType.IMPORTS) == [
        " > app.util as util",
        " > app.text.split as split",
        " > app.init as init",
        " > app.extra as extra",
    ]
    assert read.metadata()["imports"] == ("app.util", "app.text", "app.init", "app.extra")


def test_calls_keep_their_receiver() -> None:
    assert reading("lua/a.lua", MODULE).references(EdgeType.CALLS) == [
        "M.load > split",
        "M.load > util.read",
        "M.load > ipairs",
        "M.watch > self.start : M",
        "M.stop > start_timer",
    ]


def test_a_class_extends_what_it_was_made_from() -> None:
    text = "local Dog = Animal:extend()\nlocal Cat = setmetatable({}, { __index = base.Animal })\n"

    assert reading("a.lua", text).references(EdgeType.EXTENDS) == [
        "Dog > Animal",
        "Cat > base.Animal",
    ]


def test_control_flow_and_writes_are_counted_for_the_function_they_stand_in() -> None:
    load = reading("lua/a.lua", MODULE).metadata("M.load")

    assert (load["branches"], load["loops"], load["breaks"], load["returns"]) == (1, 1, 1, True)
    assert reading("lua/a.lua", MODULE).metadata("M.watch")["mutates"] == ("self.path",)


def test_an_object_made_by_new_has_its_class_as_type() -> None:
    text = "function run()\n  local timer = Timer.new(1)\n  timer:start()\nend\n"
    read = reading("a.lua", text)

    assert read.metadata("run")["inferredTypes"] == ("timer: Timer",)
    assert "run > timer.start : Timer" in read.references(EdgeType.CALLS)
