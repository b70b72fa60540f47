from __future__ import annotations

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType


def rust(text: str) -> Reading:
    return reading("src/a.rs", text)


def body(statements: str) -> Reading:
    """Read statements as the body of the function f."""
    return rust(f"fn f() {{\n    {statements}\n}}\n")


SHOP = """\
//! Sells things.
//!
//! More of it.
#![warn(missing_docs)]

use std::collections::{btree_map::{self, Entry as Slot}, HashMap};
use std::fmt;
use crate::store::*;
use super::money::Rate as Price;
pub use self::order::Order;
pub(crate) use error::{Error, Result};
extern crate serde as ser;

mod order;
pub mod error;

/// How many fit into one basket.
pub const MAX_ITEMS: usize = 100;
static POOL: Pool = Pool::new();

/// A shop.
///
/// It keeps orders.
#[derive(Debug, Clone, serde::Serialize)]
// between
#[serde(rename_all = "camelCase")]
pub struct Shop<'a, S: Store + 'a> where S: Send {
    /// The store.
    pub store: S,
    orders: HashMap<String, Vec<Order>>,
    title: &'a str,
}

/** What state it is in. */
#[non_exhaustive]
pub enum State { Open, Closed { until: Date }, Sold(u8) }

/// Keeps orders.
pub trait Store: Send + fmt::Debug + Keep<Order> {
    const LIMIT: usize = 10;
    type Key: Ord;

    fn put(&mut self, order: Order) -> Result<Self::Key, Error>;

    /// Is it empty?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a, S> Shop<'a, S>
where
    S: Store + Send,
{
    pub const EMPTY: usize = 0;

    /// Makes one.
    pub fn new(store: S, title: &'a str) -> Self {
        Self { store, orders: HashMap::new(), title }
    }

    #[tracing::instrument(skip(self))]
    #[inline]
    pub async fn sell(&mut self, mut order: Order, (price, tax): (u32, u32)) -> Result<u64, Error> {
        let client = Client::connect("db").await?;
        if order.is_empty() {
            return Err(Error::Empty);
        }
        client.send(&order).await?;
        self.total += price;
        self.store.put(order.clone())?;
        Self::log(&order);
        info!("sold {}", describe(&order));
        Ok(1)
    }

    fn log(order: &Order) {}
}

impl<'a, S> fmt::Display for Shop<'a, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.title)
    }
}

impl Drop for State {
    fn drop(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sells() {
        assert_eq!(make(1).sell(2), 3);
    }
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fn f() {}\n", {"f": "function"}),
        ("pub async unsafe fn f<'a, T: X>(x: &'a T) {}\n", {"f": "function"}),
        (
            "struct A;\nstruct B(u8);\nunion U { a: u8 }\n",
            {"A": "struct", "B": "struct", "U": "struct"},
        ),
        (
            "enum E { A, B(u8), C { x: u8 } }\n",
            {"E": "enum", "E.A": "constant", "E.B": "constant", "E.C": "constant"},
        ),
        (
            "trait T { fn a(&self); fn b() {} }\n",
            {"T": "trait", "T.a": "method", "T.b": "method"},
        ),
        (
            "trait T { const N: u8; type Item: X; }\n",
            {"T": "trait", "T.N": "constant", "T.Item": "type"},
        ),
        ("impl A { fn new() {} }\n", {"A.new": "method"}),
        ("impl A { const N: u8 = 1; }\n", {"A.N": "constant"}),
        ("impl<T> fmt::Display for x::A<T> { fn fmt() {} }\n", {"A.fmt": "method"}),
        (
            "impl X for A { fn f() {} }\nimpl Y for A { fn f() {} }\n",
            {"A.f": "method", "A.f~2": "method"},
        ),
        ("impl<'a> T for &'a A { type X = u8; fn f() {} }\n", {"A.f": "method"}),
        (
            "mod tests { fn t() { fn u() {} } }\n",
            {"tests": "namespace", "tests.t": "function", "tests.t.u": "function"},
        ),
        (
            "mod a { mod b { static S: u8 = 1; type T = u8; const C: u8 = 1; } }\n",
            {
                "a": "namespace",
                "a.b": "namespace",
                "a.b.S": "constant",
                "a.b.T": "type",
                "a.b.C": "constant",
            },
        ),
        (
            "mod a { struct A; impl A { fn f() {} } }\n",
            {"a": "namespace", "a.A": "struct", "a.A.f": "method"},
        ),
        ("mod other;\n", {}),
        ("pub const MAX: u8 = 1;\nstatic S: u8 = 1;\n", {"MAX": "constant", "S": "constant"}),
        ("const _: () = check();\nfn f() { const IN: u8 = 1; }\n", {"f": "function"}),
        ("macro_rules! m { () => {} }\n", {"m": "macro"}),
        ("type A = u8;\n", {"A": "type"}),
        ('extern "C" { fn c(x: u8); static G: u8; }\n', {"c": "function", "G": "constant"}),
        ("fn f() { let g = |x: u8| -> u8 { x }; }\n", {"f": "function"}),
        ("fn größe() {}\nstruct Über;\n", {"größe": "function", "Über": "struct"}),
        ("// only\n/* comments */\n", {}),
    ],
)
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    assert rust(text).types == expected


def test_every_symbol_of_a_whole_file_is_found() -> None:
    assert rust(SHOP).types == {
        "MAX_ITEMS": "constant",
        "POOL": "constant",
        "Shop": "struct",
        "State": "enum",
        "State.Open": "constant",
        "State.Closed": "constant",
        "State.Sold": "constant",
        "Store": "trait",
        "Store.LIMIT": "constant",
        "Store.Key": "type",
        "Store.put": "method",
        "Store.is_empty": "method",
        "Shop.EMPTY": "constant",
        "Shop.new": "method",
        "Shop.sell": "method",
        "Shop.log": "method",
        "Shop.fmt": "method",
        "State.drop": "method",
        "tests": "namespace",
        "tests.sells": "function",
    }


def test_variants_and_associated_items_stay_in_the_text_around_them() -> None:
    found = rust(SHOP)
    held = [name for name, node in found.nodes.items() if node.own == ()]

    assert held == [
        "State.Open",
        "State.Closed",
        "State.Sold",
        "Store.LIMIT",
        "Store.Key",
        "Shop.EMPTY",
    ]


def test_variants_are_seen_where_their_enum_is() -> None:
    found = rust("pub enum E { A }\nenum F { B }\n")

    assert (found.metadata("E.A")["exported"], found.metadata("F.B")["exported"]) == (True, False)
    assert found.metadata("E.A")["visibility"] == "public"


def test_syntax_errors_still_yield_the_good_parts() -> None:
    found = rust("fn good() { a(); }\n\nfn bad( {}\n\n/// Fine.\nfn fine(x: u8) { b(); }\n")

    assert found.metadata("good")["calls"] == ("a",)
    assert found.metadata("fine")["params"] == ("x",)
    assert found.nodes["fine"].description == "Fine."


def test_doc_comments_and_attributes_belong_to_the_symbol() -> None:
    text = "use a;\n\n/// A point.\n/// In space.\n#[derive(Debug)]\npub struct P { x: u8 }\n"
    node = rust(text).nodes["P"]

    assert text[node.span.start : node.span.end] == text[8:-1]
    assert node.description == "A point. In space."
    assert node.metadata["signature"] == "pub struct P"


def test_doc_comments_are_read_in_all_their_shapes() -> None:
    found = rust(SHOP)

    assert found.nodes[""].description == "Sells things."
    assert found.nodes["Shop"].description == "A shop."
    assert found.nodes["State"].description == "What state it is in."
    assert found.nodes["Store.is_empty"].description == "Is it empty?"
    assert found.nodes["MAX_ITEMS"].description == "How many fit into one basket."


def test_an_inner_doc_comment_describes_the_module_it_stands_in() -> None:
    found = rust("mod a {\n    //! Inner doc.\n    //! More.\n\n    fn f() {}\n}\n")

    assert found.nodes["a"].description == "Inner doc. More."
    assert found.nodes["a.f"].description == ""


def test_an_inner_doc_comment_is_not_that_of_the_item_below() -> None:
    found = rust("//! The crate.\nfn f() {}\n")

    assert found.nodes[""].description == "The crate."
    assert found.nodes["f"].description == ""


def test_attributes_and_derives_are_decorators() -> None:
    found = rust(SHOP)

    assert found.metadata("Shop")["decorators"] == (
        "derive",
        "Debug",
        "Clone",
        "serde",
        "Serialize",
    )
    assert found.metadata("State")["decorators"] == ("non_exhaustive",)
    assert found.metadata("Shop.sell")["decorators"] == ("tracing.instrument", "inline")
    assert found.metadata("tests")["decorators"] == ("cfg",)
    assert found.metadata("tests.sells")["decorators"] == ("test",)


def test_attributes_of_statements_and_imports_are_nobodys_decorators() -> None:
    found = rust(
        "#[cfg(unix)]\nuse a::b;\n#[inline]\nfn f() {\n    #[allow(x)]\n    let y = 1;\n}\n"
        "struct S {\n    #[serde(skip)]\n    x: u8,\n}\n"
    )

    assert found.metadata("f")["decorators"] == ("inline",)
    assert "decorators" not in found.metadata("S")
    assert "decorators" not in found.metadata()


def test_a_comment_behind_an_attribute_changes_nothing() -> None:
    found = rust("/// Does it.\n#[test]\n#[ignore] // too slow\nfn f() {}\n")

    assert found.nodes["f"].description == "Does it."
    assert found.metadata("f")["decorators"] == ("test", "ignore")


def test_parameters_leave_out_self() -> None:
    found = rust("impl A { fn f(&mut self, a: u8, mut b: u8, (c, d): (u8, u8)) {} }\n")

    assert found.metadata("A.f")["params"] == ("a", "b", "c", "d")


def test_pub_exports_and_so_does_a_public_trait() -> None:
    found = rust(
        "pub fn f() {}\nfn g() {}\npub trait T { fn h(); }\n"
        "impl A { pub fn i() {} fn j() {} }\npub(crate) fn k() {}\n"
    )

    assert {name: found.metadata(name)["exported"] for name in found.types} == {
        "f": True,
        "g": False,
        "T": True,
        "T.h": True,
        "A.i": True,
        "A.j": False,
        "k": False,
    }


def test_visibility_has_four_degrees() -> None:
    found = rust(
        "pub fn a() {}\npub(crate) fn b() {}\npub(super) fn c() {}\npub(in crate::x) fn d() {}\n"
        "fn e() {}\npub trait T { fn f(); }\n"
    )

    assert {name: found.metadata(name)["visibility"] for name in found.types} == {
        "a": "public",
        "b": "internal",
        "c": "internal",
        "d": "internal",
        "e": "private",
        "T": "public",
        "T.f": "public",
    }


def test_modifiers_are_words_before_the_name() -> None:
    found = rust(
        'pub const unsafe extern "C" fn f() {}\npub static mut S: u8 = 1;\nasync fn g() {}\n'
    )

    assert found.metadata("f")["modifiers"] == ("pub", "const", "unsafe", "extern")
    assert found.metadata("S")["modifiers"] == ("pub", "static", "mut")
    assert found.metadata("g")["modifiers"] == ("async",)


def test_an_async_function_is_one_by_its_signature_alone() -> None:
    found = rust(
        "pub(crate) async fn a() {}\nfn b() { spawn(async { 1 }) }\n"
        "trait T { async fn c(&self); }\nfn asynchronous() {}\n"
    )

    assert [name for name in found.types if found.metadata(name).get("async")] == ["a", "T.c"]


def test_a_struct_contains_the_functions_of_its_impl_blocks() -> None:
    found = rust(
        "struct A;\nimpl A { fn f() {} }\nimpl X for A { fn h() {} }\nimpl B { fn g() {} }\n"
    )

    assert found.edges(EdgeType.CONTAINS) == [" > A", "A > A.f", "A > A.h", " > B.g"]


def test_the_header_of_an_impl_block_is_the_modules_text() -> None:
    text = "impl A {\n    fn f() {}\n}\n"
    module = rust(text).nodes[""]

    assert [text[own.start : own.end] for own in module.own] == ["impl A {\n", "\n}\n"]


def test_implementing_a_trait_is_the_types_doing() -> None:
    found = rust(SHOP)

    assert found.references(EdgeType.IMPLEMENTS) == ["Shop > fmt.Display", "State > Drop"]
    assert found.metadata("Shop")["implements"] == ("fmt.Display",)


def test_a_trait_implemented_for_a_type_of_another_file_is_left_out() -> None:
    assert rust("impl From<A> for Elsewhere {}\n").references(EdgeType.IMPLEMENTS) == []


def test_supertraits_are_extended() -> None:
    found = rust(SHOP)

    assert found.references(EdgeType.EXTENDS) == [
        "Store > Send",
        "Store > fmt.Debug",
        "Store > Keep",
    ]
    assert found.metadata("Store")["extends"] == ("Send", "fmt.Debug", "Keep")


def test_lifetimes_are_not_extended() -> None:
    assert rust("trait T: 'static + Sync {}\n").metadata("T")["extends"] == ("Sync",)


def test_imports_are_kept_as_written() -> None:
    assert rust(SHOP).metadata()["imports"] == (
        "std::collections::btree_map",
        "std::collections::btree_map::Entry",
        "std::collections::HashMap",
        "std::fmt",
        "crate::store",
        "super::money::Rate",
        "self::order::Order",
        "error::Error",
        "error::Result",
        "serde",
        "order",
        "error",
        "super",
    )


def test_a_tree_of_imports_is_one_binding_per_name() -> None:
    assert rust(SHOP).references(EdgeType.IMPORTS) == [
        " > std::collections::btree_map as btree_map",
        " > std::collections::btree_map.Entry as Slot",
        " > std::collections.HashMap as HashMap",
        " > std.fmt as fmt",
        " > crate::store.*",
        " > super::money.Rate as Price",
        " > serde as ser",
        " > order as order",
        " > error as error",
        " > super.*",
    ]


def test_what_is_imported_in_public_is_handed_on() -> None:
    found = rust(SHOP)

    assert found.references(EdgeType.EXPORTS) == [
        " > self::order.Order as Order",
        " > error.Error as Error",
        " > error.Result as Result",
    ]
    assert set(found.metadata()["exports"]) == {  # type: ignore[arg-type]
        "MAX_ITEMS",
        "Shop",
        "State",
        "Store",
        "Order",
        "Error",
        "Result",
    }


def test_comments_in_a_tree_of_imports_are_no_names() -> None:
    found = rust("use a::{\n    // why\n    b, /* not c */\n    d::{self, *},\n};\n")

    assert found.references(EdgeType.IMPORTS) == [" > a.b as b", " > a::d as d", " > a::d.*"]


def test_a_tree_of_imports_may_have_no_root_or_begin_at_the_crates() -> None:
    found = rust("use {a::b, c};\nuse ::d::e;\n")

    assert found.references(EdgeType.IMPORTS) == [" > a.b as b", " > c as c", " > d.e as e"]


def test_parameters_and_results_have_their_types() -> None:
    found = rust(SHOP)

    assert found.metadata("Shop.new")["paramTypes"] == ("store: S", "title: &'a str")
    assert found.metadata("Shop.new")["returnType"] == "Self"
    assert found.metadata("Shop.sell")["returnType"] == "Result<u64, Error>"
    assert found.metadata("Store.put")["paramTypes"] == ("order: Order",)
    assert found.metadata("Store.put")["returnType"] == "Result<Self::Key, Error>"


def test_nested_generics_and_bounds_are_kept_as_written() -> None:
    found = rust(
        "fn f<T>(a: Box<dyn Fn(&T) -> Option<Vec<T>> + 'static>) -> impl Iterator<Item = (T, u8)>\n"
        "where\n    T: Clone,\n{\n    a\n}\n"
    ).metadata("f")

    assert found["paramTypes"] == ("a: Box<dyn Fn(&T) -> Option<Vec<T>> + 'static>",)
    assert found["returnType"] == "impl Iterator<Item = (T, u8)>"
    assert found["returns"] is True


def test_a_huge_parameter_list_is_cut() -> None:
    types = [f"p{n}: Type{n}" for n in range(250)]
    found = rust(f"fn f({', '.join(types)}) {{}}\n").metadata("f")

    assert found["params"] == tuple(f"p{n}" for n in range(100))
    assert found["paramTypes"] == tuple(types[:100])


def test_fields_have_their_types() -> None:
    assert rust(SHOP).metadata("Shop")["inferredTypes"] == (
        "store: S",
        "orders: HashMap<String, Vec<Order>>",
        "title: &'a str",
    )


@pytest.mark.parametrize(
    ("statement", "type_"),
    [
        ("let x: Vec<Foo> = y.into();", "Vec<Foo>"),
        ("let x = Foo { a: 1 };", "Foo"),
        ("let mut x = &Foo { a: 1 };", "Foo"),
        ("let x = Foo(1);", "Foo"),
        ("let x = Foo::new(1);", "Foo"),
        ("let x = Foo::with_size(1)?;", "Foo"),
        ("let x = a::Foo::connect(1).await?;", "a.Foo"),
        ("let x = Foo::open(1).unwrap();", "Foo"),
        ('let x = String::from("a");', "String"),
        ("let x = y as Foo;", "Foo"),
        ('let x = "s";', "&str"),
        ("let x = 1;", "i32"),
        ("let x = 1.5;", "f64"),
        ("let x = 'c';", "char"),
        ("let x = true;", "bool"),
    ],
)
def test_a_local_variable_shows_its_type(statement: str, type_: str) -> None:
    assert body(statement).metadata("f")["inferredTypes"] == (f"x: {type_}",)


@pytest.mark.parametrize(
    "statement",
    ["let x = make();", "let x = Some(1);", "let x = Foo::count();", "let x = y.new();"],
)
def test_where_nothing_shows_a_type_none_is_given(statement: str) -> None:
    assert "inferredTypes" not in body(statement).metadata("f")


def test_calls_are_references_with_the_type_of_their_receiver() -> None:
    calls = [one for one in rust(SHOP).references(EdgeType.CALLS) if one.startswith("Shop.sell >")]

    assert set(calls) == {
        "Shop.sell > Client.connect",
        "Shop.sell > order.is_empty : Order",
        "Shop.sell > client.send : Client",
        "Shop.sell > self.store.put : S",
        "Shop.sell > order.clone : Order",
        "Shop.sell > Self.log : Shop",
        "Shop.sell > info",
        "Shop.sell > describe",
    }


@pytest.mark.parametrize(
    ("expression", "call"),
    [
        ("a::b::run(1);", "a.b.run"),
        ("crate::run();", "crate.run"),
        ("x.collect::<Vec<_>>();", "x.collect"),
        ("Foo::<T>::bar();", "Foo.bar"),
        ("<T as Trait>::bar();", "bar"),
        ("x.0.run();", "x.0.run"),
        ("a.b(1)?.c();", "a.b().c"),
        ("Foo { a: 1 };", "Foo"),
        ("a::Kind::Bar { a: 1 };", "a.Kind.Bar"),
        ("my_macro!(1);", "my_macro"),
        ("a::log!(1);", "a.log"),
        ("assert!(check(1));", "check"),
        ("vec![go(1), 2];", "go"),
        ("let g = |x| inner(x);", "inner"),
    ],
)
def test_calls_are_read_in_all_their_shapes(expression: str, call: str) -> None:
    assert f"f > {call}" in body(expression).references(EdgeType.CALLS)


def test_a_static_is_a_receiver_of_a_known_type() -> None:
    found = rust("static POOL: Pool = make();\nfn f() { POOL.get(); }\n")

    assert "f > POOL.get : Pool" in found.references(EdgeType.CALLS)


def test_what_every_file_has_is_not_called() -> None:
    found = body('println!("{}", Some(1)); vec![Ok(2), Err(3)]; assert_eq!(1, 1); Self { a: 1 };')

    assert "calls" not in found.metadata("f")


def test_awaited_calls_are_named() -> None:
    found = rust(SHOP)

    assert found.metadata("Shop.sell")["awaits"] == ("Client.connect", "client.send")
    assert found.metadata("Shop.sell")["async"] is True
    assert body("future.await; a.b(1).c().await").metadata("f")["awaits"] == (
        "future",
        "a.b().c",
    )


def test_panics_and_returned_errors_are_thrown() -> None:
    found = body(
        'if a { panic!("x") } if b { return Err(ParseError::Eof); } if c { todo!() }\n'
        "if d { return Err(e); } if g { Err(io::Error::new(1))? } Err(Bad { x: 1 })"
    )

    assert found.metadata("f")["throws"] == ("panic", "ParseError", "todo", "Error", "Bad")


def test_control_flow_is_counted() -> None:
    found = rust(
        "fn f(x: u8) -> u8 {\n"
        "    if x > 1 {} else if let Some(y) = z {} else {}\n"
        "    for i in 0..3 { continue; }\n    while x < 3 { break; }\n"
        "    'a: loop { break 'a; }\n"
        "    match x { 1 | 2 => {}, n if n > 3 => {}, _ => {} }\n"
        "    let Some(k) = o else { return 1 };\n    2\n}\n"
    ).metadata("f")

    ifs, arms, let_else = 2, 2, 1
    assert found["branches"] == ifs + arms + let_else
    assert (found["loops"], found["breaks"], found["continues"]) == (3, 2, 1)
    assert found["returns"] is True


@pytest.mark.parametrize("result", ["", " -> ()", " -> !"])
def test_a_function_that_gives_nothing_does_not_return(result: str) -> None:
    assert "returns" not in rust(f"fn f(){result} {{ g(); return; }}\n").metadata("f")


def test_a_nested_functions_loops_are_its_own() -> None:
    found = rust("fn f() { fn g() { loop {} } for x in y {} }\n")

    assert (found.metadata("f")["loops"], found.metadata("f.g")["loops"]) == (1, 1)


def test_writes_and_mutations_are_told_apart() -> None:
    found = body(
        "let x = 1; let (a, b) = c; let d; d = 2; d += x;\n"
        "self.n = 3; self.m.k += 1; v[0] = 1; *p = 2;"
    ).metadata("f")

    assert found["writes"] == ("x", "a", "b", "d")
    assert found["mutates"] == ("self.n", "self.m.k", "v", "*p")


def test_what_a_collection_is_told_to_change_is_mutated() -> None:
    found = body("names.push(1); self.map.insert(1, 2); names.len();").metadata("f")

    assert found["mutates"] == ("names", "self.map")


def test_reads_leave_out_strings_comments_lifetimes_and_what_is_assigned() -> None:
    found = rust(
        "impl A {\n    fn f<'a>(&self) {\n        let x: &'a u8 = limit; // comment word\n"
        '        use_it("text", self.total, T { key: value });\n    }\n}\n'
    )

    assert found.metadata("A.f")["reads"] == ("limit", "self.total", "value")


def test_an_assignment_of_a_name_is_an_alias() -> None:
    found = body("let a = b; let c = self.d; e = g; self.h = i.j; let k = l + 1;").metadata("f")

    assert found["aliases"] == ("a=b", "c=self.d", "e=g", "self.h=i.j")


def test_types_are_used_but_not_the_words_of_the_language() -> None:
    uses = rust(SHOP).references(EdgeType.USES)

    assert "Shop > HashMap" in uses
    assert "Shop > Order" in uses
    assert "Shop.fmt > fmt.Formatter" in uses
    assert "Shop.sell > Error" in uses
    assert not [one for one in uses if one.endswith(("> S", "> String", "> Vec"))]


def test_the_bounds_of_type_parameters_are_used() -> None:
    found = rust("fn f<T: Read + io::Write>(x: T) where T: Other<u8>, {}\n")

    assert found.references(EdgeType.USES) == ["f > Read", "f > io.Write", "f > Other"]


def test_a_module_on_one_line_is_read_in_full() -> None:
    found = rust("mod m{pub fn f(x:u8)->u8{if x>1{g(x)}else{0}}fn h(){f(1);}}struct Z;\n")

    assert found.types == {"m": "namespace", "m.f": "function", "m.h": "function", "Z": "struct"}
    assert found.metadata("m.f")["branches"] == 1
    assert found.references(EdgeType.CALLS) == ["m.f > g", "m.h > f"]
