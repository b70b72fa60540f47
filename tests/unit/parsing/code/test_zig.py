from __future__ import annotations

import pytest

from trivium.testing.reading import reading
from trivium.types import EdgeType

SOURCE = """\
//! Points in the plane.
const std = @import("std");
const geometry = @import("geometry.zig");
const Shape = @import("shape.zig").Shape;

/// A point.
pub const Point = struct {
    x: f32 = 0,
    y: f32,

    pub const origin = Point{ .x = 0, .y = 0 };

    /// Makes one.
    pub fn init(x: f32, y: f32) Point {
        return .{ .x = x, .y = y };
    }

    fn check(self: *const Point) !void {
        if (self.x > 0) return error.OutOfRange;
        while (true) {
            break;
        }
        try geometry.validate(self.x);
    }
};

pub fn List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn push(self: *@This(), item: T) void {
            self.items.append(item);
        }
    };
}

test "a point starts at zero" {
    const point = Point.init(0, 0);
    try std.testing.expect(point.x == 0);
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fn f() void {}\n", {"f": "function"}),
        ("pub inline fn f(comptime T: type, x: T) T { return x; }\n", {"f": "function"}),
        ('extern "c" fn printf(format: [*]const u8, ...) c_int;\n', {"printf": "function"}),
        ("const E = enum { a, b };\n", {"E": "enum"}),
        ("const U = union(enum) { a: u8, b };\n", {"U": "struct"}),
        ("const Failure = error{ A, B };\n", {"Failure": "enum"}),
        ("pub const max: usize = 10;\nconst hidden = 3;\n", {"max": "constant"}),
        ("var counter: u32 = 0;\n", {"counter": "variable"}),
        ('const std = @import("std");\nconst mem = std.mem;\n', {}),
        ("test {\n    _ = 1;\n}\n", {}),
        (
            "const A = struct {\n    const B = struct {\n        fn f() void {}\n    };\n};\n",
            {"A": "struct", "A.B": "struct", "A.B.f": "method"},
        ),
        ('const s = "fn fake() void {}";\nconst t =\n    \\\\fn also() void {}\n;\n', {}),
        (
            "fn good() void {}\nfn bad() void { if }\nfn fine() void {}\n",
            {"good": "function", "fine": "function"},
        ),
    ],
)
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    found = reading("src/a.zig", text).types

    assert {name: type_ for name, type_ in found.items() if not name.startswith("bad")} == expected


def test_a_container_is_named_by_its_constant_and_holds_its_methods() -> None:
    read = reading("src/a.zig", SOURCE)

    assert read.types == {
        "Point": "struct",
        "Point.origin": "constant",
        "Point.init": "method",
        "Point.check": "method",
        "List": "struct",
        "List.push": "method",
        "a point starts at zero": "function",
    }
    assert "Point > Point.init" in read.edges(EdgeType.CONTAINS)


def test_signature_comment_and_parameters() -> None:
    read = reading("src/a.zig", SOURCE)

    assert read.metadata("Point")["signature"] == "pub const Point"
    assert read.metadata("Point.init")["signature"] == "pub fn init(x: f32, y: f32) Point"
    assert read.metadata("Point.init")["doc"] == "Makes one."
    assert read.metadata("Point.init")["params"] == ("x", "y")
    assert read.metadata("Point.init")["paramTypes"] == ("x: f32", "y: f32")
    assert read.metadata("Point.init")["returnType"] == "Point"
    assert read.metadata("Point.check")["params"] == ()
    assert read.metadata("List")["params"] == ("T",)
    assert read.nodes[""].description == "Points in the plane."


def test_pub_and_export_are_seen_from_outside() -> None:
    read = reading("src/a.zig", SOURCE + "export fn start() void {}\nfn helper() void {}\n")

    assert [name for name in read.types if read.metadata(name)["exported"]] == [
        "Point",
        "Point.origin",
        "Point.init",
        "List",
        "List.push",
        "start",
    ]
    assert read.metadata("Point.init")["visibility"] == "public"
    assert read.metadata("helper")["visibility"] == "private"


def test_imports_bind_a_module_or_one_declaration_of_it() -> None:
    read = reading("src/a.zig", SOURCE + 'usingnamespace @import("extra.zig");\n')

    assert read.references(EdgeType.IMPORTS) == [
        " > std as std",
        " > geometry.zig as geometry",
        " > shape.zig.Shape as Shape",
        " > extra.zig.*",
    ]


def test_calls_keep_their_receiver_and_its_type() -> None:
    text = "fn run(list: *List) void {\n    list.push(1);\n    helper();\n}\n"

    assert reading("a.zig", text).references(EdgeType.CALLS) == [
        "run > list.push : List",
        "run > helper",
    ]


def test_control_flow_and_errors_are_facts_of_the_function() -> None:
    check = reading("src/a.zig", SOURCE).metadata("Point.check")

    assert (check["branches"], check["loops"], check["breaks"]) == (1, 1, 1)
    assert check["throws"] == ("OutOfRange",)
