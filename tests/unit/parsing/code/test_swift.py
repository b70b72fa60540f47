from __future__ import annotations

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType


def swift(text: str) -> Reading:
    return reading("Sources/A.swift", text)


SHOP = """\
import Foundation
@testable import struct Vapor.Request

/// Sells things.
///
/// - Parameter name: what is written above the door
@available(iOS 13, *)
@MainActor
public final class Shop<T: Item>: Base<T>, Closable where T: Hashable {
    public static let shared = Shop(name: "none")
    private(set) var name: String = "x"
    let store: Store
    var clock = Clock()
    public var total: Int { store.count() }

    public init(name: String, _ size: Int = 3) throws {
        self.name = name
        super.init()
    }

    deinit { print("bye") }

    subscript(index: Int) -> T { store.at(index) }

    /// Takes an order.
    @discardableResult
    public func sell<R>(
        for order: Order,
        with block: @escaping (Int) async throws -> R,
        _ tags: String...
    ) async throws -> Receipt? {
        guard let first = tags.first else { throw ShopError.missing(order.id) }
        for tag in tags where tag != "" {
            if tag == "\\(first) {" { continue } else { break }
        }
        let receipt = Receipt(order: order)
        receipt.total += 1
        try await store.save(receipt)
        receipt.print()
        clock.tick()
        switch order.kind {
        case .small: return receipt
        default: return nil
        }
    }

    static func == (lhs: Shop, rhs: Shop) -> Bool { true }

    fileprivate func secret() {}
}

extension Shop: Codable where T: Equatable {
    func encoded() -> Data { Data() }
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("func f() {}\n", {"f": "function"}),
        ("class A {}\nstruct B {}\nactor C {}\nenum D {}\n",
         {"A": "class", "B": "struct", "C": "class", "D": "enum"}),
        ("protocol P: Q {\n    var n: Int { get }\n"
         "    func f(x: Int) -> Int?\n    init(x: Int)\n}\n",
         {"P": "interface", "P.n": "variable", "P.f": "method", "P.init": "constructor"}),
        ("struct A {\n    var x: Int\n    var y: Int { 1 }\n"
         "    static let z = 2\n    func f() {}\n}\n",
         {"A": "struct", "A.x": "variable", "A.y": "variable", "A.z": "constant", "A.f": "method"}),
        ("enum E: String {\n    case a = \"x\"\n    case b(Int)\n    func f() {}\n}\n",
         {"E": "enum", "E.a": "constant", "E.b": "constant", "E.f": "method"}),
        ("extension Array where Element == Int {\n    func sum() -> Int { 0 }\n}\n",
         {"Array.sum": "method"}),
        ("extension Foo.Bar {\n    func f() {}\n}\n", {"Foo.Bar.f": "method"}),
        ("class A {\n    init() {}\n    init?(x: Int) { nil }\n    deinit {}\n}\n",
         {"A": "class", "A.init": "constructor", "A.init~2": "constructor", "A.deinit": "method"}),
        ("class A {\n    subscript(i: Int) -> Int { 1 }\n}\n",
         {"A": "class", "A.subscript": "method"}),
        ("struct A {\n    static func == (a: A, b: A) -> Bool { true }\n"
         "}\nfunc + (a: A, b: A) -> A { a }\n",
         {"A": "struct", "A.==": "method", "+": "function"}),
        ("typealias Handler = (Int) -> Void\nlet top = 1\nvar other: Int { 2 }\n",
         {"Handler": "type", "top": "constant", "other": "variable"}),
        ("class A {\n    struct B {\n        func f() {}\n    }\n}\n",
         {"A": "class", "A.B": "struct", "A.B.f": "method"}),
        ("func f() {\n    func g() {}\n    let x = 1\n}\n", {"f": "function", "f.g": "function"}),
        ("#if DEBUG\nfunc a() {}\n"
         "#else\nfunc b() {}\n#endif\n", {"a": "function", "b": "function"}),
        ("macro str(_ x: Int) -> String = #externalMacro(module: \"a\", type: \"b\")\n",
         {"str": "macro"}),
        ("let s = \"\"\"\nclass Fake { func nope() {} }\n\"\"\"\nfunc real() {}\n",
         {"s": "constant", "real": "function"}),
        ("func `default`() {}\n", {"default": "function"}),
        ("// only\n", {}),
    ],
)  # fmt: skip
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    assert swift(text).types == expected


def test_a_syntax_error_leaves_the_rest_alone() -> None:
    text = (
        "func good() {}\n\nfunc bad( {}\n\nclass Fine {\n    func still() {}\n}\nfunc after() {}\n"
    )

    assert {"good", "still", "after"} <= {name.rpartition(".")[2] for name in swift(text).types}


def test_the_doc_comment_and_the_attributes_belong_to_the_symbol() -> None:
    node = swift(SHOP).nodes["Shop"]

    assert SHOP[node.span.start :].startswith("/// Sells things.")
    assert node.description == "Sells things."
    assert node.metadata["decorators"] == ("available", "MainActor")
    assert node.metadata["signature"] == (
        "public final class Shop<T: Item>: Base<T>, Closable where T: Hashable"
    )


def test_the_signature_is_one_line_without_the_body() -> None:
    assert swift(SHOP).metadata("Shop.sell")["signature"] == (
        "public func sell<R>( for order: Order, with block: @escaping (Int) async throws -> R,"
        " _ tags: String... ) async throws -> Receipt?"
    )
    assert swift(SHOP).metadata("Shop.total")["signature"] == "public var total: Int"


def test_parameters_go_by_their_inner_names() -> None:
    sell = swift(SHOP).metadata("Shop.sell")

    assert sell["params"] == ("order", "block", "tags")
    assert sell["paramTypes"] == (
        "order: Order",
        "block: (Int) async throws -> R",
        "tags: String",
    )
    assert sell["returnType"] == "Receipt?"
    assert swift(SHOP).metadata("Shop.init")["params"] == ("name", "size")


def test_only_public_and_open_are_exported() -> None:
    found = swift(SHOP)

    assert [name for name in found.types if found.metadata(name)["exported"]] == [
        "Shop",
        "Shop.shared",
        "Shop.total",
        "Shop.init",
        "Shop.sell",
    ]
    assert found.metadata("Shop.secret")["visibility"] == "private"
    assert found.metadata("Shop.encoded")["visibility"] == "internal"


def test_what_a_function_does_is_counted() -> None:
    sell = swift(SHOP).metadata("Shop.sell")

    assert sell["async"] is True
    assert (sell["loops"], sell["branches"]) == (1, 4)
    assert (sell["continues"], sell["breaks"]) == (1, 1)
    assert sell["throws"] == ("ShopError",)
    assert sell["awaits"] == ("store.save",)
    assert sell["mutates"] == ("receipt.total",)


def test_imports_name_modules() -> None:
    found = swift(SHOP)

    assert found.references(EdgeType.IMPORTS) == [" > Foundation.*", " > Vapor.Request.*"]
    assert found.metadata()["imports"] == ("Foundation", "Vapor.Request")


def test_only_the_first_type_of_a_class_is_its_base() -> None:
    found = swift(SHOP)

    assert found.references(EdgeType.EXTENDS) == ["Shop > Base"]
    assert found.references(EdgeType.IMPLEMENTS) == ["Shop > Closable", "Shop > Codable"]
    assert swift("struct P: Q, R {}\n").references(EdgeType.IMPLEMENTS) == ["P > Q", "P > R"]


def test_calls_know_the_type_of_their_receiver() -> None:
    calls = swift(SHOP).references(EdgeType.CALLS)

    assert "Shop.sell > store.save : Store" in calls
    assert "Shop.sell > clock.tick : Clock" in calls
    assert "Shop.sell > receipt.print : Receipt" in calls
    assert "Shop.sell > Receipt" in calls
    assert "Shop.subscript > store.at : Store" in calls


def test_an_index_is_no_call() -> None:
    assert swift("func f() { items[0] = map[1] }\n").references(EdgeType.CALLS) == []


def test_a_type_contains_what_its_extension_adds() -> None:
    assert "Shop > Shop.encoded" in swift(SHOP).edges(EdgeType.CONTAINS)


def test_stored_properties_stay_in_the_text_of_their_type() -> None:
    nodes = swift(SHOP).nodes

    assert nodes["Shop.store"].own == ()
    assert nodes["Shop.total"].own != ()
