from __future__ import annotations

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType


def java(text: str) -> Reading:
    return reading("src/A.java", text)


def body(statements: str) -> Reading:
    """Read statements as the body of the method A.f."""
    return java(f"class A {{\n    void f() {{\n        {statements}\n    }}\n}}\n")


SHOP = """\
/*
 * Copyright 2020 The Authors. All rights reserved.
 */
package com.acme.shop;

import static com.acme.money.Rates.*;
import static java.util.Objects.requireNonNull;

import com.acme.store.Store;
import java.util.*;
import java.util.function.Function;

/**
 * Sells things.
 *
 * <p>More of it.
 *
 * @param <T> what is sold
 */
@Service
@Table(name = "shop", indexes = {@Index(columnList = "id")})
public final class Shop<T extends Item> extends base.AbstractShop<T>
    implements Closeable, Function<Order, Receipt> {

  private static final Logger LOGGER = Logger.getLogger("shop");

  /** How many fit into one basket. */
  public static final int MAX_ITEMS = 100;

  static final Store FALLBACK = new MemoryStore();

  private static final long serialVersionUID = 1L;

  /** The open orders. */
  private final Map<String, List<Order>> orders = new HashMap<>();

  private Store store;
  protected int sold, returned;
  public String title;

  @Inject
  public Shop(final Store store, @Nullable String title) {
    super(title);
    this.store = store;
    this.title = title;
  }

  /**
   * Sells one order.
   *
   * @return the receipt
   */
  @Override
  @Transactional(readOnly = false)
  public synchronized Receipt apply(Order order) throws SoldOutException, io.StoreException {
    requireNonNull(order);
    if (order.isEmpty()) {
      throw new IllegalArgumentException("empty");
    }
    var receipt = new Receipt(order);
    store.put(order);
    this.store.flush();
    sold++;
    orders.computeIfAbsent(order.id(), key -> new ArrayList<>()).add(order);
    LOGGER.info("sold");
    return receipt;
  }

  <U> U convert(Function<? super Order, ? extends U> how, Order... all) {
    return how.apply(all[0]);
  }

  public interface Listener {
    int LIMIT = 3;

    void onSold(Receipt receipt);

    default void onError(Exception error) {}
  }

  enum State {
    OPEN,
    CLOSED {
      @Override
      boolean sells() {
        return false;
      }
    };

    boolean sells() {
      return true;
    }
  }

  record Line(String sku, int count) implements Comparable<Line> {
    Line {
      if (count < 1) throw new IllegalArgumentException(sku);
    }

    public int compareTo(Line other) {
      return count - other.count;
    }
  }
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A {}\n", {"A": "class"}),
        (
            "class A { A() {} A(int x) {} }\n",
            {"A": "class", "A.A": "constructor", "A.A~2": "constructor"},
        ),
        (
            "class A { void f() {} void f(int x) {} }\n",
            {"A": "class", "A.f": "method", "A.f~2": "method"},
        ),
        (
            "class A { static class B { void g() {} } }\n",
            {"A": "class", "A.B": "class", "A.B.g": "method"},
        ),
        (
            "interface I { void f(); default void g() {} }\n",
            {"I": "interface", "I.f": "method", "I.g": "method"},
        ),
        (
            "enum E { X { void q() {} }, Y; void m() {} }\n",
            {
                "E": "enum",
                "E.X": "constant",
                "E.X.q": "method",
                "E.Y": "constant",
                "E.m": "method",
            },
        ),
        (
            "record R(int a) { R { } int b() { return a; } }\n",
            {"R": "class", "R.R": "constructor", "R.b": "method"},
        ),
        ("@interface Ann { int v(); int K = 1; }\n", {"Ann": "interface", "Ann.K": "constant"}),
        (
            "class A { Object f() { return new B() { void anon() {} int x; }; } }\n",
            {"A": "class", "A.f": "method"},
        ),
        (
            "class A<T extends B<T>> { <U> U f(U u) { return u; } }\n",
            {"A": "class", "A.f": "method"},
        ),
        ("class Größe { void über() {} }\n", {"Größe": "class", "Größe.über": "method"}),
        (
            "class A { static final int MAX = 1; final static long MIN = 2; int x; }\n",
            {"A": "class", "A.MAX": "constant", "A.MIN": "constant"},
        ),
        (
            "class A { final int MAX = 1; static final int max = 2; static int M = 3; }\n",
            {"A": "class"},
        ),
        (
            "class A { public int x; /** Why. */ int y; /* no */ int z; }\n",
            {"A": "class", "A.x": "variable", "A.y": "variable"},
        ),
        ("interface I { int LIMIT = 3; }\n", {"I": "interface", "I.LIMIT": "constant"}),
        (
            "class A { void f() { class L { void g() {} } } }\n",
            {"A": "class", "A.f": "method", "A.f.L": "class", "A.f.L.g": "method"},
        ),
        ("class A { static { f(); } { g(); } }\n", {"A": "class"}),
        ("sealed interface S permits X, Y {}\n", {"S": "interface"}),
        ("", {}),
        ("// only\n/* comments */\n", {}),
    ],
)
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    assert java(text).types == expected


def test_every_symbol_of_a_whole_file_is_found() -> None:
    assert java(SHOP).types == {
        "Shop": "class",
        "Shop.MAX_ITEMS": "constant",
        "Shop.FALLBACK": "constant",
        "Shop.orders": "variable",
        "Shop.title": "variable",
        "Shop.Shop": "constructor",
        "Shop.apply": "method",
        "Shop.convert": "method",
        "Shop.Listener": "interface",
        "Shop.Listener.LIMIT": "constant",
        "Shop.Listener.onSold": "method",
        "Shop.Listener.onError": "method",
        "Shop.State": "enum",
        "Shop.State.OPEN": "constant",
        "Shop.State.CLOSED": "constant",
        "Shop.State.CLOSED.sells": "method",
        "Shop.State.sells": "method",
        "Shop.Line": "class",
        "Shop.Line.Line": "constructor",
        "Shop.Line.compareTo": "method",
    }


def test_constants_and_fields_stay_in_the_text_of_their_class() -> None:
    found = java(SHOP)
    held = [name for name, node in found.nodes.items() if node.own == ()]

    assert held == [
        "Shop.MAX_ITEMS",
        "Shop.FALLBACK",
        "Shop.orders",
        "Shop.title",
        "Shop.Listener.LIMIT",
        "Shop.State.OPEN",
    ]
    assert found.nodes["Shop.MAX_ITEMS"].description == "How many fit into one basket."


def test_what_lies_in_a_class_is_contained_in_it() -> None:
    edges = java(SHOP).edges(EdgeType.CONTAINS)

    assert " > Shop" in edges
    assert "Shop > Shop.State" in edges
    assert "Shop.State > Shop.State.CLOSED" in edges
    assert "Shop.State.CLOSED > Shop.State.CLOSED.sells" in edges


def test_syntax_errors_still_yield_the_good_parts() -> None:
    found = java(
        "class A {\n  void good() { a(); }\n  void bad( { }\n}\n"
        "class B {\n  /** Fine. */\n  void fine(int x) { b(); }\n}\n"
    )

    names = {node.name: node for node in found.nodes.values()}
    assert names["good"].metadata["calls"] == ("a",)
    assert names["fine"].metadata["params"] == ("x",)
    assert names["fine"].description == "Fine."


def test_annotations_and_javadoc_belong_to_the_symbol() -> None:
    text = (
        "/** The A. */\n@Deprecated\npublic class A {\n"
        "    /** Does f. */\n    @Override\n    public void f() {}\n}\n"
    )
    found = java(text)
    outer, inner = found.nodes["A"], found.nodes["A.f"]

    assert outer.span.start == 0
    assert text[inner.span.start : inner.span.end].startswith("    /** Does f. */\n")
    assert (outer.description, inner.description) == ("The A.", "Does f.")
    assert outer.metadata["signature"] == "public class A"
    assert inner.metadata["signature"] == "public void f()"


def test_a_comment_between_annotations_and_name_changes_nothing() -> None:
    found = java(
        "class A {\n    /** Does f. */\n    @Override // always\n    /* so */ @Deprecated\n"
        "    public void f() {}\n}\n"
    )

    assert found.nodes["A.f"].description == "Does f."
    assert found.metadata("A.f")["decorators"] == ("Override", "Deprecated")
    assert found.metadata("A.f")["visibility"] == "public"


def test_tags_of_javadoc_are_not_the_description() -> None:
    found = java(SHOP)

    assert found.nodes["Shop"].description == "Sells things."
    assert found.nodes["Shop.apply"].description == "Sells one order."
    assert found.nodes["Shop.orders"].description == "The open orders."


def test_a_licence_is_not_the_modules_description() -> None:
    assert java(SHOP).nodes[""].description == ""


def test_decorators_are_the_annotations_of_the_declaration_itself() -> None:
    found = java(SHOP)

    assert found.metadata("Shop")["decorators"] == ("Service", "Table")
    assert found.metadata("Shop.Shop")["decorators"] == ("Inject",)
    assert found.metadata("Shop.apply")["decorators"] == ("Override", "Transactional")
    assert found.metadata("Shop.State.CLOSED.sells")["decorators"] == ("Override",)
    assert "decorators" not in found.metadata("Shop.convert")


def test_annotations_inside_a_method_are_not_its_own() -> None:
    found = java(
        'class A { void f(@Nullable int a) { @SuppressWarnings("x") int b = 1;\n'
        "  new B() { @Override public void g() {} }; } }\n"
    )

    assert "decorators" not in found.metadata("A.f")


def test_modifiers_and_visibility_are_words_before_the_name() -> None:
    found = java(SHOP)

    assert found.metadata("Shop")["modifiers"] == ("public", "final")
    assert found.metadata("Shop.MAX_ITEMS")["modifiers"] == ("public", "static", "final")
    assert found.metadata("Shop.apply")["modifiers"] == ("public", "synchronized")
    assert found.metadata("Shop.Listener.onError")["modifiers"] == ("default",)
    assert {name: found.metadata(name)["visibility"] for name in list(found.types)[:9]} == {
        "Shop": "public",
        "Shop.MAX_ITEMS": "public",
        "Shop.FALLBACK": "package",
        "Shop.orders": "private",
        "Shop.title": "public",
        "Shop.Shop": "public",
        "Shop.apply": "public",
        "Shop.convert": "package",
        "Shop.Listener": "public",
    }


def test_members_of_an_interface_are_public_unless_they_say_otherwise() -> None:
    found = java("interface I {\n  void f();\n  private void g() {}\n  int X = 1;\n}\n")

    assert [found.metadata(name)["visibility"] for name in ("I", "I.f", "I.g", "I.X")] == [
        "package",
        "public",
        "private",
        "public",
    ]


def test_constants_of_an_enum_are_seen_where_it_is() -> None:
    found = java(
        "public enum E {\n  OPEN, CLOSED(1) { };\n\n  private static final int MAX = 1;\n}\n"
    )

    assert [
        (found.metadata(name)["exported"], found.metadata(name)["visibility"])
        for name in ("E.OPEN", "E.CLOSED", "E.MAX")
    ] == [(True, "public"), (True, "public"), (False, "private")]


def test_public_exports_and_so_does_a_public_interface() -> None:
    found = java(
        "public class A { public void f() {} void g() {} public interface I { void h(); } }\n"
    )

    assert [found.metadata(name)["exported"] for name in ("A", "A.f", "A.g", "A.I.h")] == [
        True,
        True,
        False,
        True,
    ]
    assert found.edges(EdgeType.EXPORTS) == [" > A"]


def test_parameters_are_named() -> None:
    found = java("class A { void f(final int a, @X List<String> b, String... rest) {} }\n")

    assert found.metadata("A.f")["params"] == ("a", "b", "rest")


def test_parameters_and_results_have_their_types() -> None:
    found = java(SHOP)

    assert found.metadata("Shop.Shop")["paramTypes"] == ("store: Store", "title: String")
    assert found.metadata("Shop.apply")["returnType"] == "Receipt"
    assert found.metadata("Shop.convert")["returnType"] == "U"
    assert found.metadata("Shop.convert")["paramTypes"] == (
        "how: Function<? super Order, ? extends U>",
        "all: Order",
    )
    assert found.metadata("Shop.Listener.onError")["returnType"] == "void"
    assert "returnType" not in found.metadata("Shop.Shop")


def test_nested_generics_and_arrays_are_kept_as_written() -> None:
    found = java(
        "class A { Map<String, List<? extends Set<int[]>>>[] f(Map.Entry<K, V[]> e) { } }\n"
    ).metadata("A.f")

    assert found["returnType"] == "Map<String, List<? extends Set<int[]>>>[]"
    assert found["paramTypes"] == ("e: Map.Entry<K, V[]>",)


def test_a_huge_parameter_list_is_cut() -> None:
    parameters = ", ".join(f"Type{n} p{n}" for n in range(250))
    found = java(f"class A {{ void f({parameters}) {{}} }}\n").metadata("A.f")

    assert found["params"] == tuple(f"p{n}" for n in range(100))
    assert found["paramTypes"] == tuple(f"p{n}: Type{n}" for n in range(100))


def test_fields_have_their_types() -> None:
    found = java(SHOP).metadata("Shop")["inferredTypes"]

    assert isinstance(found, tuple)
    assert {"store: Store", "sold: int", "returned: int"} <= set(found)


def test_the_header_of_a_record_declares_its_fields() -> None:
    assert java(SHOP).metadata("Shop.Line")["inferredTypes"] == ("sku: String", "count: int")


@pytest.mark.parametrize(
    ("statement", "type_"),
    [
        ("Foo x = make();", "Foo"),
        ("final List<Foo> x = null;", "List<Foo>"),
        ("var x = new Foo(1);", "Foo"),
        ("var x = new Foo<>(1) { };", "Foo"),
        ("var x = (Foo) y;", "Foo"),
        ("var x = List.of(1);", "List"),
        ('var x = "s";', "String"),
        ("var x = 1;", "int"),
        ("var x = 1.5;", "double"),
        ("var x = true;", "boolean"),
        ("for (Foo x : all) {}", "Foo"),
        ("try (Foo x = open()) {}", "Foo"),
        ("try {} catch (FooException x) {}", "FooException"),
        ("if (o instanceof Foo x) {}", "Foo"),
        ("switch (o) { case Foo x -> go(); }", "Foo"),
    ],
)
def test_a_local_variable_shows_its_type(statement: str, type_: str) -> None:
    assert body(statement).metadata("A.f")["inferredTypes"] == (f"x: {type_}",)


@pytest.mark.parametrize(
    "statement", ["var x = make();", "var x = a.of(1);", "for (var x : all) {}", "var x = y + 1;"]
)
def test_where_nothing_shows_a_type_none_is_given(statement: str) -> None:
    assert "inferredTypes" not in body(statement).metadata("A.f")


def test_imports_are_kept_as_written() -> None:
    assert java(SHOP).metadata()["imports"] == (
        "com.acme.money.Rates",
        "java.util.Objects.requireNonNull",
        "com.acme.store.Store",
        "java.util",
        "java.util.function.Function",
    )


def test_imports_bind_a_class_a_static_member_or_all() -> None:
    assert java(SHOP).references(EdgeType.IMPORTS) == [
        " > com.acme.money.Rates.*",
        " > java.util.Objects.requireNonNull as requireNonNull",
        " > com.acme.store.Store as Store",
        " > java.util.*",
        " > java.util.function.Function as Function",
    ]


def test_superclasses_and_interfaces_are_told_apart() -> None:
    found = java(SHOP)

    assert found.references(EdgeType.EXTENDS) == ["Shop > base.AbstractShop"]
    assert found.references(EdgeType.IMPLEMENTS) == [
        "Shop > Closeable",
        "Shop > Function",
        "Shop.Line > Comparable",
    ]
    assert found.metadata("Shop")["implements"] == ("Closeable", "Function")


def test_an_interface_extends_interfaces() -> None:
    found = java("interface I extends J, a.K<L> {}\nenum E implements I { X }\n")

    assert found.references(EdgeType.EXTENDS) == ["I > J", "I > a.K"]
    assert found.references(EdgeType.IMPLEMENTS) == ["E > I"]


def test_calls_are_references_with_the_type_of_their_receiver() -> None:
    calls = [one for one in java(SHOP).references(EdgeType.CALLS) if one.startswith("Shop.apply >")]

    assert set(calls) == {
        "Shop.apply > requireNonNull",
        "Shop.apply > order.isEmpty : Order",
        "Shop.apply > IllegalArgumentException",
        "Shop.apply > Receipt",
        "Shop.apply > store.put : Store",
        "Shop.apply > this.store.flush : Store",
        "Shop.apply > orders.computeIfAbsent : Map",
        "Shop.apply > orders.computeIfAbsent().add",
        "Shop.apply > order.id : Order",
        "Shop.apply > ArrayList",
        "Shop.apply > LOGGER.info : Logger",
    }


def test_a_constant_is_a_receiver_of_a_known_type() -> None:
    found = java("class A { static final Client CLIENT = make(); void f() { CLIENT.send(); } }\n")

    assert "A.f > CLIENT.send : Client" in found.references(EdgeType.CALLS)


@pytest.mark.parametrize(
    ("expression", "call"),
    [
        ("this.run();", "this.run : A"),
        ("super.run();", "super.run"),
        ("new Foo<>(1);", "Foo"),
        ("new a.b.Foo() { void g() {} };", "a.b.Foo"),
        ("Foo.<String>bar(1);", "Foo.bar"),
        ("list.forEach(this::go);", "this.go : A"),
        ("map(Foo::bar);", "Foo.bar"),
        ("map(Foo::new);", "Foo"),
        ('"text".length();', '"".length : String'),
        ("a[0].b.run();", "a[].b.run"),
        ("((Foo) x).run();", "().run"),
    ],
)
def test_calls_are_read_in_all_their_shapes(expression: str, call: str) -> None:
    assert f"A.f > {call}" in body(expression).references(EdgeType.CALLS)


def test_what_an_anonymous_class_does_the_method_around_it_does() -> None:
    found = body("run(new Task() { public void go() { inner(); if (x) { return; } } });")

    assert set(found.metadata("A.f")["calls"]) == {"run", "Task", "inner"}  # type: ignore[arg-type]
    assert found.metadata("A.f")["branches"] == 1


def test_initialisers_belong_to_the_class() -> None:
    found = java("class A { static { load(); } int x = start(); static final B C = make(); }\n")

    assert found.references(EdgeType.CALLS) == ["A > load", "A > start", "A.C > make"]


def test_thrown_are_the_throws_clause_and_what_is_made_to_be_thrown() -> None:
    found = java(SHOP)

    assert found.metadata("Shop.apply")["throws"] == (
        "SoldOutException",
        "StoreException",
        "IllegalArgumentException",
    )
    assert found.metadata("Shop.Line.Line")["throws"] == ("IllegalArgumentException",)
    assert "throws" not in body("try { } catch (E e) { throw e; }").metadata("A.f")


def test_control_flow_is_counted() -> None:
    found = body(
        "if (a) {} else if (b) {} else {}\n"
        "for (int i = 0; i < 3; i++) { continue; }\n"
        "for (var x : xs) { break; }\nwhile (a) {} do { } while (b);\n"
        "switch (x) { case 1: case 2: break; default: }\n"
        "int y = switch (x) { case A, B -> 1; default -> 2; };\n"
        "try { } catch (E e) { } catch (F f) { } finally { }\n"
        "int z = a ? 1 : 2;\nreturn;"
    ).metadata("A.f")

    ifs, cases, arms, catches, ternaries = 2, 2, 1, 2, 1
    assert found["branches"] == ifs + cases + arms + catches + ternaries
    assert (found["loops"], found["breaks"], found["continues"]) == (4, 2, 1)
    assert "returns" not in found


def test_a_return_with_a_value_is_noted() -> None:
    assert java("class A { int f() { return 1; } }\n").metadata("A.f")["returns"] is True


def test_a_nested_methods_loops_are_its_own() -> None:
    found = body("class L { void g() { while (x) {} } }\nfor (;;) {}")

    assert found.metadata("A.f")["loops"] == 1
    assert found.metadata("A.f.L.g")["loops"] == 1


def test_writes_and_mutations_are_told_apart() -> None:
    found = body(
        "int x = 1, y; y = 2; x += y; this.n = x; this.m++; a[0] = 1; o.p.q = 2; --z;"
    ).metadata("A.f")

    assert found["writes"] == ("x", "y", "z")
    assert found["mutates"] == ("this.n", "this.m", "a", "o.p.q")


def test_what_a_collection_is_told_to_change_is_mutated() -> None:
    found = body("names.add(1); this.map.put(1, 2); names.size();").metadata("A.f")

    assert found["mutates"] == ("names", "this.map")


def test_reads_leave_out_strings_comments_and_what_is_assigned() -> None:
    found = body("int x = limit; // comment word\nuse(\"text\", 'c', this.total, other.part);")

    assert found.metadata("A.f")["reads"] == ("limit", "this.total", "other")


def test_an_assignment_of_a_name_is_an_alias() -> None:
    found = body("A a = b; a = c.d; this.e = g; int h = i + 1; j += k;").metadata("A.f")

    assert found["aliases"] == ("a=b", "a=c.d", "this.e=g")


def test_types_are_used_but_not_the_words_of_the_language() -> None:
    uses = java(SHOP).references(EdgeType.USES)

    assert "Shop.apply > Order" in uses
    assert "Shop.apply > Receipt" in uses
    assert "Shop.convert > Function" in uses
    assert "Shop.convert > U" not in uses
    assert not [one for one in uses if one.endswith("> String")]


def test_a_class_on_one_line_is_read_in_full() -> None:
    found = java("class A{int f(int x){return g(x)>1?2:3;}void h(){f(1);}}class B extends A{}\n")

    assert found.types == {"A": "class", "A.f": "method", "A.h": "method", "B": "class"}
    assert found.metadata("A.f")["branches"] == 1
    assert found.references(EdgeType.CALLS) == ["A.f > g", "A.h > f"]
    assert found.metadata("B")["extends"] == ("A",)


def test_a_module_declaration_is_a_namespace_that_requires_others() -> None:
    found = reading("src/module-info.java", "module com.acme {\n  requires java.sql;\n}\n")

    assert found.types == {"com.acme": "namespace"}
    assert found.metadata()["imports"] == ("java.sql",)
