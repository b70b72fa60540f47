from __future__ import annotations

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType


def kotlin(text: str) -> Reading:
    return reading("src/a.kt", text)


SHOP = """\
/* Licensed to nobody. */
package com.acme.shop

import com.acme.money.Price
import com.acme.store.*
import java.util.Date as When

/** How many items fit into one basket. */
const val MAX_ITEMS = 100

/**
 * Sells things.
 *
 * @param name what is written above the door
 */
@Service
open class Shop<T : Item>(private val name: String, val store: Store<T>) : Base(name), Closeable {
    private val clock = Clock("UTC")
    lateinit var owner: Owner
    val isOpen: Boolean
        get() = clock.now() > 8

    constructor(store: Store<T>) : this("Nameless", store)

    /** Takes an order. */
    @Throws(IOException::class)
    suspend fun sell(order: Order, vararg tags: String, retry: (Int) -> Unit = {}): Receipt? {
        for (tag in tags) {
            if (tag.isEmpty()) continue
            val first = store.find(tag) ?: throw NotFound("no $tag in ${name.length}")
            owner.greet(first)
        }
        val receipt = Receipt(order)
        receipt.total += order.price
        return withContext(IO) { receipt }
    }

    override fun close() = store.close()

    companion object Factory {
        const val VERSION = "1"
        private val log = Logger("shop")

        fun create(store: Store<Item>): Shop<Item> = Shop(store)
    }
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fun f() {}\n", {"f": "function"}),
        ("class A\nclass B(val x: Int)\n", {"A": "class", "B": "class"}),
        ("data class P(val x: Int, val y: Int)\n", {"P": "class"}),
        ("interface I {\n    fun f()\n}\n", {"I": "interface", "I.f": "method"}),
        ("fun interface Op { fun run(x: Int) }\n", {"Op": "interface", "Op.run": "method"}),
        ("class A { fun f() {} }\nclass B { val x = 1 }\n",
         {"A": "class", "A.f": "method", "B": "class", "B.x": "variable"}),
        ("object O { fun f() {} }\n", {"O": "class", "O.f": "method"}),
        ("class A {\n    companion object {\n        fun of() = A()\n    }\n}\n",
         {"A": "class", "A.of": "method"}),
        ("enum class E(val n: Int) {\n    X(1),\n    Y(2) {\n"
         "        override fun g() {}\n    };\n\n    open fun g() {}\n}\n",
         {"E": "enum", "E.X": "constant", "E.Y": "constant", "E.g": "method"}),
        ("sealed class R {\n    class Ok(val x: Int) : R()\n    object No : R()\n}\n",
         {"R": "class", "R.Ok": "class", "R.No": "class"}),
        ("fun String.shout(): String = this + \"!\"\n", {"String.shout": "function"}),
        ("fun <T> List<T>?.second(): T = this!![1]\n", {"List.second": "function"}),
        ("val Foo.Bar.size: Int get() = 1\n", {"Foo.Bar.size": "variable"}),
        ("typealias Handler<T> = (T) -> Unit\n", {"Handler": "type"}),
        ("const val A = 1\nval LIMIT = 2\nvar other = 3\n",
         {"A": "constant", "LIMIT": "constant", "other": "variable"}),
        ("fun f() {\n    fun g() {}\n}\n", {"f": "function", "f.g": "function"}),
        ("val x = object : Runnable {\n    override fun run() {}\n}\n", {"x": "variable"}),
        ("class A {\n    constructor(x: Int)\n    constructor(y: String)\n}\n",
         {"A": "class", "A.constructor": "constructor", "A.constructor~2": "constructor"}),
        ("fun f(x: Int) {}\nfun f(x: String) {}\n", {"f": "function", "f~2": "function"}),
        ("class T {\n    fun `adds up`() {}\n}\n", {"T": "class", "T.adds up": "method"}),
        ("annotation class Ann\ninternal object O\n", {"Ann": "class", "O": "class"}),
        ("#!/usr/bin/env kotlin\nprintln(\"hi\")\n", {}),
    ],
)  # fmt: skip
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    assert kotlin(text).types == expected


def test_a_syntax_error_leaves_the_rest_alone() -> None:
    text = (
        "fun good() {}\n\nfun bad() {\n    if (x {\n"
        "    }\n}\n\nclass Fine {\n    fun still() {}\n}\n"
    )

    assert {"good", "Fine.still"} <= kotlin(text).types.keys()


def test_text_in_strings_is_no_code() -> None:
    text = 'val sql = """\n    class Fake { fun nope() {} }\n    ${run()}\n"""\nfun real() = 1\n'

    assert kotlin(text).types == {"sql": "variable", "real": "function"}


def test_the_doc_comment_and_the_annotations_belong_to_the_symbol() -> None:
    node = kotlin(SHOP).nodes["Shop"]

    assert SHOP[node.span.start :].startswith("/**\n * Sells things.")
    assert node.description == "Sells things."
    assert node.metadata["decorators"] == ("Service",)
    assert kotlin(SHOP).nodes[""].description == ""


def test_the_signature_ends_where_the_body_begins() -> None:
    shop = kotlin(SHOP)

    assert shop.metadata("Shop")["signature"] == (
        "open class Shop<T : Item>(private val name: String, val store: Store<T>)"
        " : Base(name), Closeable"
    )
    assert shop.metadata("Shop.sell")["signature"] == (
        "suspend fun sell(order: Order, vararg tags: String, retry: (Int) -> Unit = {}): Receipt?"
    )
    assert shop.metadata("Shop.close")["signature"] == "override fun close()"
    assert shop.metadata("Shop.isOpen")["signature"] == "val isOpen: Boolean"


def test_parameters_have_names_and_types() -> None:
    sell = kotlin(SHOP).metadata("Shop.sell")

    assert sell["params"] == ("order", "tags", "retry")
    assert sell["paramTypes"] == ("order: Order", "tags: String", "retry: (Int) -> Unit")
    assert sell["returnType"] == "Receipt?"


def test_what_a_function_does_is_counted() -> None:
    sell = kotlin(SHOP).metadata("Shop.sell")

    assert sell["async"] is True
    assert (sell["loops"], sell["branches"], sell["continues"]) == (1, 1, 1)
    assert sell["returns"] is True
    assert sell["throws"] == ("NotFound",)
    assert sell["mutates"] == ("receipt.total",)


def test_what_is_awaited_is_named() -> None:
    text = (
        "suspend fun f() {\n    val job = async { 1 }\n"
        "    client.get(1).await()\n    job.await()\n}\n"
    )

    assert kotlin(text).metadata("f")["awaits"] == ("client.get", "job")


def test_everything_but_private_and_internal_is_exported() -> None:
    text = (
        "class A(private val x: Int) {\n    fun f() {}\n    private fun g() {}\n"
        "    protected open fun h() {}\n}\ninternal class B {\n    fun i() {}\n}\n"
        "private val c = 1\n"
    )
    found = kotlin(text)

    assert [name for name in found.types if found.metadata(name)["exported"]] == ["A", "A.f"]
    assert found.metadata("A.h")["visibility"] == "protected"
    assert found.metadata("B")["visibility"] == "internal"


def test_imports_split_into_module_and_name() -> None:
    assert kotlin(SHOP).references(EdgeType.IMPORTS) == [
        " > com.acme.money.Price as Price",
        " > com.acme.store.*",
        " > java.util.Date as When",
    ]


def test_what_a_class_is_built_on() -> None:
    text = "interface A : B<C>, D\nobject O : E(), F\nclass G : H by i\n"

    assert kotlin(SHOP).references(EdgeType.EXTENDS) == ["Shop > Base"]
    assert kotlin(SHOP).references(EdgeType.IMPLEMENTS) == ["Shop > Closeable"]
    assert kotlin(text).references(EdgeType.EXTENDS) == ["A > B", "A > D", "O > E"]
    assert kotlin(text).references(EdgeType.IMPLEMENTS) == ["O > F", "G > H"]


def test_calls_know_the_type_of_their_receiver() -> None:
    calls = kotlin(SHOP).references(EdgeType.CALLS)

    assert "Shop.sell > store.find : Store" in calls
    assert "Shop.sell > owner.greet : Owner" in calls
    assert "Shop.isOpen > clock.now : Clock" in calls
    assert "Shop.sell > Receipt" in calls
    assert "Shop.create > Shop" in calls


def test_a_class_contains_what_its_companion_holds() -> None:
    edges = kotlin(SHOP).edges(EdgeType.CONTAINS)

    assert {"Shop > Shop.create", "Shop > Shop.VERSION", "Shop > Shop.sell"} <= set(edges)


def test_stored_properties_stay_in_the_text_of_their_class() -> None:
    nodes = kotlin(SHOP).nodes

    assert nodes["Shop.owner"].own == ()
    assert nodes["Shop.isOpen"].own != ()
    assert any("lateinit var owner" in SHOP[own.start : own.end] for own in nodes["Shop"].own)
