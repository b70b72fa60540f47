from __future__ import annotations

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType


def php(text: str) -> Reading:
    return reading("src/a.php", f"<?php\n{text}")


SHOP = """\
<html><body>class Html {}<?= $title ?>
<?php

declare(strict_types=1);

namespace App\\Shop;

use App\\Models\\{Order, Receipt as Paper};
use App\\Store\\Store;
use function App\\helper;
require_once 'lib/setup.php';

/**
 * Sells things.
 *
 * @template T
 */
#[Entity(table: 'shops')]
abstract class Shop extends Base implements Countable, \\ArrayAccess
{
    use HasFactory, SoftDeletes;

    const MAX = 100;
    protected ?Clock $clock = null;
    public string $label { get => $this->name; }

    public function __construct(private readonly Store $store, string $name = 'none', int ...$sizes)
    {
        parent::__construct($name);
        $this->name = $name;
    }

    /** Takes an order. */
    #[Route('/sell')]
    public static function sell(Order|int $order, ?Paper &$paper, callable $then = null): ?Paper
    {
        foreach ($order->lines as $index => $line) {
            if (!$line) { continue; } elseif ($line->free) { break; }
        }
        $this->store->save($order);
        $this->clock?->tick();
        $mail = new Mail("to {$order->name}");
        $mail->send();
        helper($order);
        Log::info('sold');
        $text = <<<EOT
        class Fake { function nope() {} }
        EOT;
        if ($order === null) {
            throw new \\InvalidArgumentException('no order');
        }
        return match (true) { $order => new Paper(), default => null };
    }

    abstract protected function close(): void;

    private function secret() {}
}
?>
<p>function html() {}</p>
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("function f() {}\n", {"f": "function"}),
        ("class A { function f() {} }\n", {"A": "class", "A.f": "method"}),
        ("final readonly class A { function __construct() {} }\n",
         {"A": "class", "A.__construct": "constructor"}),
        ("interface I extends J { public function f(); }\n", {"I": "interface", "I.f": "method"}),
        ("trait T { private $x = 1; function f() {} }\n",
         {"T": "trait", "T.x": "variable", "T.f": "method"}),
        ("enum Suit: string { case Hearts = 'H'; const X = 1; function f() {} }\n",
         {"Suit": "enum", "Suit.Hearts": "constant", "Suit.X": "constant", "Suit.f": "method"}),
        ("namespace A\\B { class C {} }\n", {"A.B": "namespace", "A.B.C": "class"}),
        ("namespace A\\B;\nclass C {}\n", {"C": "class"}),
        ("const A = 1;\ndefine('B', 2);\n", {"A": "constant", "B": "constant"}),
        ("class A { const X = 1; public int $y = 2, $z; public string $w { get => 1; } }\n",
         {"A": "class", "A.X": "constant", "A.y": "variable", "A.w": "variable"}),
        ("if (!function_exists('f')) { function f() {} }\n", {"f": "function"}),
        ("$x = new class extends B { function f() {} };\n$g = fn($y) => $y;\n", {}),
        ("function f() { function g() {} }\n", {"f": "function", "f.g": "function"}),
        ("class A {}\nclass A {}\n", {"A": "class", "A~2": "class"}),
        ("?>\n<b><?php if ($x): ?><i>function f() {}</i><?php endif ?>\n", {}),
        ("// only\n# comments\n", {}),
    ],
)  # fmt: skip
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    assert php(text).types == expected


def test_a_syntax_error_leaves_the_rest_alone() -> None:
    text = (
        "class A {\n  function good() {}\n  function bad( {}\n"
        "  function fine() {}\n}\nfunction after() {}\n"
    )

    assert {"good", "after"} <= {name.rpartition(".")[2] for name in php(text).types}


def test_html_and_heredocs_are_no_code() -> None:
    assert reading("a.php", SHOP).types == {
        "Shop": "class",
        "Shop.MAX": "constant",
        "Shop.clock": "variable",
        "Shop.label": "variable",
        "Shop.__construct": "constructor",
        "Shop.sell": "method",
        "Shop.close": "method",
        "Shop.secret": "method",
    }


def test_the_doc_comment_and_the_attributes_belong_to_the_symbol() -> None:
    found = reading("a.php", SHOP)

    assert found.nodes["Shop"].description == "Sells things."
    assert found.metadata("Shop")["decorators"] == ("Entity",)
    assert found.metadata("Shop")["signature"] == (
        "abstract class Shop extends Base implements Countable, \\ArrayAccess"
    )
    assert found.metadata("Shop.sell")["decorators"] == ("Route",)
    assert found.metadata("Shop.sell")["signature"] == (
        "public static function sell(Order|int $order, ?Paper &$paper, callable $then = null)"
        ": ?Paper"
    )


def test_parameters_have_names_and_types() -> None:
    found = reading("a.php", SHOP)

    assert found.metadata("Shop.__construct")["params"] == ("$store", "$name", "$sizes")
    assert found.metadata("Shop.sell")["params"] == ("$order", "$paper", "$then")
    assert found.metadata("Shop.sell")["paramTypes"] == (
        "$order: Order|int",
        "$paper: ?Paper",
        "$then: callable",
    )
    assert found.metadata("Shop.sell")["returnType"] == "?Paper"


def test_private_and_protected_are_not_exported() -> None:
    found = reading("a.php", SHOP)

    assert [
        found.metadata(f"Shop.{name}")["exported"] for name in ("sell", "close", "secret", "MAX")
    ] == [True, False, False, True]
    assert found.metadata("Shop.close")["visibility"] == "protected"
    assert found.metadata("Shop.sell")["visibility"] == "public"


def test_imports_are_split_and_grouped() -> None:
    assert reading("a.php", SHOP).references(EdgeType.IMPORTS) == [
        " > App\\Models.Order as Order",
        " > App\\Models.Receipt as Paper",
        " > App\\Store.Store as Store",
        " > App.helper as helper",
        " > lib/setup.php.*",
    ]


def test_what_a_class_is_built_on() -> None:
    found = reading("a.php", SHOP)

    assert found.references(EdgeType.EXTENDS) == ["Shop > Base"]
    assert found.references(EdgeType.IMPLEMENTS) == [
        "Shop > Countable",
        "Shop > ArrayAccess",
        "Shop > HasFactory",
        "Shop > SoftDeletes",
    ]


def test_calls_know_the_type_of_their_receiver() -> None:
    calls = reading("a.php", SHOP).references(EdgeType.CALLS)

    assert "Shop.sell > $this.store.save : Store" in calls
    assert "Shop.sell > $this.clock.tick : Clock" in calls
    assert "Shop.sell > $mail.send : Mail" in calls
    assert "Shop.sell > Log.info" in calls
    assert "Shop.sell > helper" in calls
    assert "Shop.sell > Mail" in calls
    assert "Shop.__construct > parent.__construct" in calls


def test_what_a_method_does_is_counted() -> None:
    sell = reading("a.php", SHOP).metadata("Shop.sell")

    assert (sell["loops"], sell["branches"]) == (1, 5)
    assert (sell["continues"], sell["breaks"]) == (1, 1)
    assert sell["throws"] == ("InvalidArgumentException",)
    assert sell["returns"] is True
    assert sell["modifiers"] == ("public", "static")
    assert reading("a.php", SHOP).metadata("Shop.__construct")["mutates"] == ("$this.name",)


def test_yield_makes_a_generator() -> None:
    assert php("function f() { yield 1; }\n").metadata("f")["generator"] is True


def test_constants_and_properties_stay_in_the_text_of_their_class() -> None:
    nodes = reading("a.php", SHOP).nodes

    assert nodes["Shop.MAX"].own == ()
    assert nodes["Shop.clock"].own == ()
    assert nodes["Shop.label"].own != ()
