from __future__ import annotations

import pytest

from trivium.testing.reading import reading
from trivium.types import EdgeType

SOURCE = """\
/// Points in the plane.
library geometry;

import 'dart:io' as io;
import 'package:path/path.dart' show join, split;
import 'src/shape.dart';
export 'src/circle.dart' show Circle;
part 'point.g.dart';

/// A point.
@immutable
abstract class Point<T> extends Base<T> with Named implements Shape, Other {
  final int x;
  static const origin = 0;

  Point(this.x, {required int y, String? label}) : super(x);
  Point.named(int a);
  factory Point.fromJson(Map<String, Object> json) => Point(1, y: 2);

  /// How far.
  int get length => x * 2;
  set length(int value) {
    _x = value;
  }

  @override
  Future<void> load(String url, [int retries = 1]) async {
    final client = Client();
    for (var i = 0; i < retries; i++) {
      if (i > 1) break;
      await client.get(url);
    }
    throw StateError('no $url');
  }

  bool operator ==(Object other) => true;
  void _reset() {}
  void draw();
}

mixin Named on Base {
  void rename() {}
}

extension Words on String {
  int get count => split(' ').length;
}

enum Color {
  red, green;

  void paint() {}
}

typedef Callback = void Function(int);

const kMax = 3;

void main(List<String> args) {
  print('${args.length} class Fake {}');
}

Stream<int> numbers() async* {
  yield 1;
}
"""


def test_declarations_are_found() -> None:
    assert reading("lib/point.dart", SOURCE).types == {
        "Point": "class",
        "Point.origin": "constant",
        "Point.Point": "constructor",
        "Point.named": "constructor",
        "Point.fromJson": "constructor",
        "Point.length": "method",
        "Point.length~2": "method",
        "Point.load": "method",
        "Point.==": "method",
        "Point._reset": "method",
        "Point.draw": "method",
        "Named": "trait",
        "Named.rename": "method",
        "Words": "class",
        "Words.count": "method",
        "Color": "enum",
        "Color.paint": "method",
        "Callback": "type",
        "kMax": "constant",
        "main": "function",
        "numbers": "function",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int f() => 1;\n", {"f": "function"}),
        ("external void f();\n", {"f": "function"}),
        ("abstract interface class A {}\n", {"A": "interface"}),
        ("class A = B with C;\n", {"A": "class"}),
        ("sealed class A {}\nbase mixin M {}\n", {"A": "class", "M": "trait"}),
        ("class A {\n  const A.zero();\n}\n", {"A": "class", "A.zero": "constructor"}),
        ("void f() {\n  int g(int a) => a;\n}\n", {"f": "function", "f.g": "function"}),
        ("var s = '''\nclass Fake {}\n''';\n", {}),
        ("class A { void f( {} }\nclass B { void g() {} }\n", {"B": "class", "B.g": "method"}),
    ],
)
def test_single_declarations_are_found(text: str, expected: dict[str, str]) -> None:
    found = reading("a.dart", text).types

    assert {name: found[name] for name in found if name in expected} == expected
    assert "Fake" not in found


def test_a_signature_and_its_body_are_one_node() -> None:
    node = reading("lib/point.dart", SOURCE).nodes["Point.load"]
    text = SOURCE[node.span.start : node.span.end]

    assert text.startswith("  @override\n")
    assert text.endswith("('no $url');\n  }")
    assert str(node.metadata["signature"]).startswith(
        "Future<void> load(String url, [int retries = 1])"
    )


def test_parameters_of_all_sorts_are_named() -> None:
    read = reading("lib/point.dart", SOURCE)

    assert read.metadata("Point.Point")["params"] == ("x", "y", "label")
    assert read.metadata("Point.load")["params"] == ("url", "retries")
    assert read.metadata("Point.fromJson")["params"] == ("json",)
    assert read.metadata("main")["params"] == ("args",)


def test_comments_belong_to_what_follows() -> None:
    read = reading("lib/point.dart", SOURCE)

    assert read.nodes[""].description == "Points in the plane."
    assert read.nodes["Point"].description == "A point."
    assert read.nodes["Point.length"].description == "How far."


def test_an_underscore_makes_private() -> None:
    read = reading("lib/point.dart", SOURCE)

    assert read.metadata("Point._reset")["exported"] is False
    assert read.metadata("Point._reset")["visibility"] == "private"
    assert read.metadata("Point.load")["exported"] is True


def test_imports_exports_and_parts() -> None:
    read = reading("lib/point.dart", SOURCE)

    assert read.references(EdgeType.IMPORTS) == [
        " > dart:io as io",
        " > package:path/path.dart.join as join",
        " > package:path/path.dart.split as split",
        " > src/shape.dart.*",
        " > point.g.dart.*",
    ]
    assert read.references(EdgeType.EXPORTS) == [" > src/circle.dart.Circle as Circle"]


def test_calls_keep_their_receiver_and_its_type() -> None:
    read = reading("lib/point.dart", SOURCE)

    assert read.metadata("Point.load")["calls"] == ("Client", "client.get", "StateError")
    assert "Point.load > client.get : Client" in read.references(EdgeType.CALLS)
    assert read.metadata("Words.count")["calls"] == ("split",)


def test_cascades_super_and_null_checks_are_calls_too() -> None:
    text = "void f() {\n  list..add(1);\n  super.g();\n  a?.b();\n  c!.d();\n  '${e(1)}';\n}\n"
    calls = reading("a.dart", text).metadata("f")["calls"]

    assert calls == ("list.add", "super.g", "a.b", "().d", "e")


def test_an_extension_without_a_name_has_that_of_its_type() -> None:
    assert reading("a.dart", "extension on List<int> {\n  void f() {}\n}\n").types == {
        "List": "class",
        "List.f": "method",
    }


def test_a_class_extends_one_and_implements_the_others() -> None:
    read = reading("lib/point.dart", SOURCE)

    assert "Point > Base" in read.references(EdgeType.EXTENDS)
    assert read.references(EdgeType.IMPLEMENTS) == [
        "Point > Named",
        "Point > Shape",
        "Point > Other",
    ]


def test_async_generators_and_errors_are_facts() -> None:
    read = reading("lib/point.dart", SOURCE)
    load = read.metadata("Point.load")

    assert load["async"] is True
    assert load["throws"] == ("StateError",)
    assert load["awaits"] == ("client.get",)
    assert (load["branches"], load["loops"], load["breaks"]) == (1, 1, 1)
    assert load["decorators"] == ("override",)
    assert read.metadata("numbers")["generator"] is True
