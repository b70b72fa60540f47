from __future__ import annotations

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType


def csharp(text: str) -> Reading:
    return reading("src/A.cs", text)


SHOP = """\
using System;
using static System.Math;
using Json = Newtonsoft.Json;

namespace Acme.Shop;

/// <summary>
/// Sells things.
/// </summary>
[ApiController, Route("shop")]
public partial class Shop<T> : Base<T>, IDisposable where T : class, new()
{
    public const int MaxItems = 100;
    private readonly IStore _store;
    private static readonly Dictionary<string, List<T>> Cache = new();

    public string Name { get; set; } = "none";
    public int Count => _store.Count();
    public event EventHandler Sold;

    public Shop(IStore store, string name = "none") : base(name)
    {
        _store = store;
    }

    /// <summary>Takes an order.</summary>
    [HttpPost("{id}")]
    public async Task<Receipt> SellAsync(Order order, CancellationToken token, params string[] tags)
    {
        foreach (var tag in tags)
        {
            if (tag == "") continue;
            throw new ArgumentException($"no {tag} in {Name.Length}");
        }
        var receipt = new Receipt(order);
        receipt.Total += order.Price;
        await _store.SaveAsync(receipt, token);
        receipt.Print();
        return order.Kind switch { 1 => receipt, _ => null };
    }

    public static Shop<T> operator +(Shop<T> left, Shop<T> right) => left;

    void IDisposable.Dispose() { }

    private class Entry { }
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A { void F() {} }\n", {"A": "class", "A.F": "method"}),
        ("struct S { }\nreadonly record struct R(int X);\n", {"S": "struct", "R": "class"}),
        ("public record Person(string First, string Last);\n", {"Person": "class"}),
        ("interface IA { int F(int x); int N { get; } }\n",
         {"IA": "interface", "IA.F": "method", "IA.N": "variable"}),
        ("enum E : byte { A, B = 2 }\n", {"E": "enum", "E.A": "constant", "E.B": "constant"}),
        ("namespace A.B { class C { } }\n", {"A.B": "namespace", "A.B.C": "class"}),
        ("namespace A.B;\nclass C { }\n", {"C": "class"}),
        ("class A { public A() { } public A(int x) : this() { } ~A() { } }\n",
         {"A": "class", "A.A": "constructor", "A.A~2": "constructor", "A.A~3": "method"}),
        ("class A { int X { get; set; } int Y => 1; int Z { get { return 1; } } }\n",
         {"A": "class", "A.X": "variable", "A.Y": "variable", "A.Z": "variable"}),
        ("class A { public int this[int i] => 1; }\n", {"A": "class", "A.this": "method"}),
        ("class A { public static A operator -(A a) => a; "
         "public static implicit operator int(A a) => 1; }\n",
         {"A": "class", "A.-": "method", "A.int": "method"}),
        ("class A { const int X = 1; static readonly int Y = 2; int z; event E W; }\n",
         {"A": "class", "A.X": "constant", "A.Y": "constant", "A.W": "variable"}),
        ("delegate int Op(int a, int b);\n", {"Op": "type"}),
        ("class A { void F() { int G(int x) => x; } }\n",
         {"A": "class", "A.F": "method", "A.F.G": "function"}),
        ("class A { class B { void F<T>(List<Dictionary<string, T>> x) {} } }\n",
         {"A": "class", "A.B": "class", "A.B.F": "method"}),
        ("partial class A { partial void F(); }\npartial class A { partial void F() { } }\n",
         {"A": "class", "A.F": "method", "A~2": "class", "A.F~2": "method"}),
        ("#if DEBUG\nclass A { }\n#else\nclass B { }\n#endif\n", {"A": "class", "B": "class"}),
        ("class P(int a, string b) : Base(a) { }\n", {"P": "class"}),
        ("class A {\n    string s = @\"class Fake { }\";\n"
         "    string t = \"\"\"\n        class No { }\n        \"\"\";\n}\n",
         {"A": "class"}),
        ("Console.WriteLine(args.Length);\n", {}),
    ],
)  # fmt: skip
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    assert csharp(text).types == expected


def test_a_syntax_error_leaves_the_rest_alone() -> None:
    text = (
        "class A {\n    void Good() { }\n    void Bad( { }\n    void Fine() { }\n}\nclass B { }\n"
    )

    assert {"Good", "Fine", "B"} <= {name.rpartition(".")[2] for name in csharp(text).types}


def test_the_doc_comment_loses_its_tags() -> None:
    found = csharp(SHOP)

    assert found.nodes["Shop"].description == "Sells things."
    assert found.nodes["Shop.SellAsync"].description == "Takes an order."


def test_attributes_belong_to_the_symbol_and_are_no_part_of_its_signature() -> None:
    found = csharp(SHOP)

    assert found.metadata("Shop")["signature"] == (
        "public partial class Shop<T> : Base<T>, IDisposable where T : class, new()"
    )
    assert found.metadata("Shop")["decorators"] == ("ApiController", "Route")
    assert found.metadata("Shop.SellAsync")["decorators"] == ("HttpPost",)
    assert found.metadata("Shop.SellAsync")["signature"] == (
        "public async Task<Receipt> SellAsync(Order order, CancellationToken token,"
        " params string[] tags)"
    )
    assert found.metadata("Shop.Shop")["signature"] == (
        'public Shop(IStore store, string name = "none")'
    )


def test_parameters_have_names_and_types() -> None:
    sell = csharp(SHOP).metadata("Shop.SellAsync")

    assert sell["params"] == ("order", "token", "tags")
    assert sell["paramTypes"] == (
        "order: Order",
        "token: CancellationToken",
        "tags: string[]",
    )
    assert sell["returnType"] == "Task<Receipt>"


def test_the_parameters_of_a_lambda_are_not_the_methods() -> None:
    text = "class A { void F(ref int a, out string b) { Run((x, y) => x + y); } }\n"

    assert csharp(text).metadata("A.F")["params"] == ("a", "b")


def test_only_public_is_exported() -> None:
    found = csharp(SHOP)
    exported = [name for name in found.types if found.metadata(name)["exported"]]

    assert exported == [
        "Shop",
        "Shop.MaxItems",
        "Shop.Name",
        "Shop.Count",
        "Shop.Sold",
        "Shop.Shop",
        "Shop.SellAsync",
        "Shop.+",
    ]
    assert found.metadata("Shop.Entry")["visibility"] == "private"


def test_the_members_of_a_public_interface_are_exported() -> None:
    found = csharp("public interface IA { void F(); }\ninterface IB { void G(); }\n")

    assert found.metadata("IA.F")["exported"] is True
    assert found.metadata("IB.G")["exported"] is False


def test_what_a_method_does_is_counted() -> None:
    sell = csharp(SHOP).metadata("Shop.SellAsync")

    assert sell["async"] is True
    assert (sell["loops"], sell["branches"], sell["continues"]) == (1, 3, 1)
    assert sell["throws"] == ("ArgumentException",)
    assert sell["awaits"] == ("_store.SaveAsync",)
    assert sell["mutates"] == ("receipt.Total",)


def test_yield_makes_a_generator() -> None:
    text = "class A { IEnumerable<int> F() { yield return 1; } }\n"

    assert csharp(text).metadata("A.F")["generator"] is True


def test_a_using_imports_a_namespace() -> None:
    assert csharp(SHOP).references(EdgeType.IMPORTS) == [
        " > System.*",
        " > System.Math.*",
        " > Newtonsoft.Json as Json",
    ]


def test_by_custom_an_interface_begins_with_i() -> None:
    found = csharp(SHOP)

    assert found.references(EdgeType.EXTENDS) == ["Shop > Base"]
    assert found.references(EdgeType.IMPLEMENTS) == ["Shop > IDisposable"]
    assert csharp("interface IA : IB, IC<int> { }\n").references(EdgeType.EXTENDS) == [
        "IA > IB",
        "IA > IC",
    ]


def test_calls_know_the_type_of_their_receiver() -> None:
    calls = csharp(SHOP).references(EdgeType.CALLS)

    assert "Shop.SellAsync > _store.SaveAsync : IStore" in calls
    assert "Shop.SellAsync > receipt.Print : Receipt" in calls
    assert "Shop.SellAsync > Receipt" in calls
    assert "Shop.Count > _store.Count : IStore" in calls


def test_properties_without_code_stay_in_the_text_of_their_class() -> None:
    nodes = csharp(SHOP).nodes

    assert nodes["Shop.Name"].own == ()
    assert nodes["Shop.Count"].own != ()
