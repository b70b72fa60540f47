from __future__ import annotations

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType


def scala(text: str) -> Reading:
    return reading("src/A.scala", text)


SHOP = """\
package com.acme
package shop

import scala.collection.mutable
import scala.util.{Try, Success => Ok, _}
import cats.syntax.all.*

/** Sells things.
  *
  * @param name what is written above the door
  */
@deprecated("old", "1")
abstract class Shop[T <: Item](val name: String, store: Store[T])(implicit ec: Context)
    extends Base[T](name) with Closeable with Logging {
  private lazy val clock = new Clock("UTC")
  var count = 0

  def this(store: Store[Item]) = this("none", store)(null)

  /** Takes an order. */
  @tailrec
  final def sell[R](order: Order, tags: String*)(retry: Int => R)(implicit log: Log): Future[R] = {
    for (tag <- tags if tag.nonEmpty) {
      log.info(s"a { brace ${order.id}")
    }
    if (order.isEmpty) throw new IllegalStateException("no order")
    val receipt = new Receipt(order)
    receipt.print()
    this.count = 4
    clock.tick()
    order.kind match {
      case 1 => store.save(receipt)
      case _ => Receipt.empty[R]()
    }
  }

  protected def close(): Unit = ()
}

object Shop {
  val Max = 100
  def apply(name: String): Shop[Item] = ???
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A { def f = 1 }\n", {"A": "class", "A.f": "method"}),
        ("object O { val X = 1; def f(x: Int): Int = x }\n",
         {"O": "class", "O.X": "constant", "O.f": "method"}),
        ("trait T { def f(x: Int): Int; val n: Int }\n",
         {"T": "trait", "T.f": "method", "T.n": "constant"}),
        ("case class P(x: Int, y: Int = 2)\ncase object N\n", {"P": "class", "N": "class"}),
        ("class A\nobject A { def apply() = new A }\n",
         {"A": "class", "A~2": "class", "A.apply": "method"}),
        ("enum Color(val rgb: Int) { case Red extends Color(1); case Green, Blue; def f = 1 }\n",
         {"Color": "enum", "Color.Red": "constant", "Color.Green": "constant",
          "Color.Blue": "constant", "Color.f": "method"}),
        ("class A { def this(x: Int) = this() }\n", {"A": "class", "A.this": "constructor"}),
        ("extension (s: String) def twice: String = s + s\n", {"String.twice": "method"}),
        ("extension [T](xs: List[T])\n  def second: T = xs(1)\n  def third: T = xs(2)\n",
         {"List.second": "method", "List.third": "method"}),
        ("given intOrd: Ordering[Int] with { def compare(a: Int, b: Int) = 1 }\n",
         {"intOrd": "class", "intOrd.compare": "method"}),
        ("def top(x: Int) = x\nval Limit = 1\ntype Id = Int\n",
         {"top": "function", "Limit": "constant", "Id": "type"}),
        ("object A:\n  def f(b: Int): Int =\n    b + 1\n"
         "  class B extends C:\n    def g = 2\nend A\n",
         {"A": "class", "A.f": "method", "A.B": "class", "A.B.g": "method"}),
        ("class A { def f = { def g = 1; g } }\n",
         {"A": "class", "A.f": "method", "A.f.g": "function"}),
        ("class A { def +(o: A): A = this; def f(x: Int) = 1; def f(x: String) = 2 }\n",
         {"A": "class", "A.+": "method", "A.f": "method", "A.f~2": "method"}),
        ("val x = new Runnable { def run() = () }\n", {"x": "constant"}),
        ("package object util { def z = 1 }\n", {"util": "class", "util.z": "method"}),
        ("class A { val s = \"\"\"class Fake { def nope = 1 }\"\"\" }\n",
         {"A": "class", "A.s": "constant"}),
        ("// only\n", {}),
    ],
)  # fmt: skip
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    assert scala(text).types == expected


def test_a_syntax_error_leaves_the_rest_alone() -> None:
    text = "object A {\n  def good = 1\n  def bad( = {\n  }\n  def fine = 2\n}\nclass After\n"

    assert {"good", "fine"} <= {name.rpartition(".")[2] for name in scala(text).types}


def test_the_doc_comment_and_the_annotations_belong_to_the_symbol() -> None:
    node = scala(SHOP).nodes["Shop"]

    assert SHOP[node.span.start :].startswith("/** Sells things.")
    assert node.description == "Sells things."
    assert node.metadata["decorators"] == ("deprecated",)
    assert node.metadata["signature"] == (
        "abstract class Shop[T <: Item](val name: String, store: Store[T])(implicit ec: Context)"
        " extends Base[T](name) with Closeable with Logging"
    )


def test_the_parameters_of_every_list_are_named() -> None:
    sell = scala(SHOP).metadata("Shop.sell")

    assert sell["params"] == ("order", "tags", "retry", "log")
    assert sell["paramTypes"] == (
        "order: Order",
        "tags: String*",
        "retry: Int => R",
        "log: Log",
    )
    assert sell["returnType"] == "Future[R]"
    assert sell["decorators"] == ("tailrec",)


def test_private_and_protected_are_not_exported() -> None:
    found = scala(SHOP)

    assert [name for name in found.types if not found.metadata(name)["exported"]] == [
        "Shop.clock",
        "Shop.close",
    ]
    assert found.metadata("Shop.close")["visibility"] == "protected"
    assert found.metadata("Shop.sell")["visibility"] == "public"


def test_an_import_may_bind_several_names() -> None:
    assert scala(SHOP).references(EdgeType.IMPORTS) == [
        " > scala.collection.mutable as mutable",
        " > scala.util.Try as Try",
        " > scala.util.Success as Ok",
        " > scala.util.*",
        " > cats.syntax.all.*",
    ]


def test_what_a_class_is_built_on() -> None:
    found = scala(SHOP)

    assert found.references(EdgeType.EXTENDS) == ["Shop > Base"]
    assert found.references(EdgeType.IMPLEMENTS) == ["Shop > Closeable", "Shop > Logging"]
    assert scala("trait A extends B with C[D]\n").references(EdgeType.EXTENDS) == [
        "A > B",
        "A > C",
    ]


def test_what_a_method_does_is_counted() -> None:
    sell = scala(SHOP).metadata("Shop.sell")

    assert (sell["loops"], sell["branches"]) == (1, 3)
    assert sell["throws"] == ("IllegalStateException",)
    assert sell["mutates"] == ("this.count",)
    assert sell["modifiers"] == ("final",)


def test_calls_know_the_type_of_their_receiver() -> None:
    calls = scala(SHOP).references(EdgeType.CALLS)

    assert "Shop.sell > log.info : Log" in calls
    assert "Shop.sell > receipt.print : Receipt" in calls
    assert "Shop.sell > clock.tick : Clock" in calls
    assert "Shop.sell > store.save : Store" in calls
    assert "Shop.sell > Receipt.empty" in calls
    assert "Shop.sell > Receipt" in calls


def test_the_values_of_a_class_stay_in_its_text() -> None:
    nodes = scala(SHOP).nodes

    assert nodes["Shop.count"].own == ()
    assert any("var count = 0" in SHOP[own.start : own.end] for own in nodes["Shop"].own)
