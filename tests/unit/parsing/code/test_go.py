from __future__ import annotations

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType


def go(text: str) -> Reading:
    return reading("a.go", f"package a\n\n{text}")


SERVER = """\
// Package shop sells things.
package shop

import (
	"context"
	"fmt"
	"net/http"

	. "example.com/shop/money"
	_ "example.com/shop/driver"
	log "example.com/logging/v2"
)

// MaxItems is how many fit into one basket.
const MaxItems = 100

const (
	// Open takes orders.
	Open State = iota
	Closed // until tomorrow
	hidden
)

var (
	ErrEmpty = errors.New("empty basket")
	cache    = map[string]int{}
)

type State int

// Store keeps orders.
type Store interface {
	io.Closer
	fmt.Stringer
	// Put adds one.
	Put(ctx context.Context, order *Order) (id int, err error)
	drop(id int)
}

type Server struct {
	*http.Server
	Options
	store Store
	names, tags []string `json:"names"`
	handlers map[string]func(*Order) error
}

// NewServer makes one.
func NewServer(store Store, opts ...Option) *Server {
	server := &Server{store: store}
	for _, opt := range opts {
		opt(server)
	}
	return server
}

// Sell puts an order into the store.
//
// It panics on none.
func (s *Server) Sell(ctx context.Context, order *Order, price, tax float64) (int, error) {
	if order == nil {
		panic("no order")
	}
	if len(order.Items) == 0 {
		return 0, ErrEmpty
	}
	id, err := s.store.Put(ctx, order)
	if err != nil {
		return 0, fmt.Errorf("sell: %w", err)
	}
	s.count++
	s.last = order
	s.handlers["x"] = nil
	log.Info("sold", id)
	return id, nil
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("func f() {}\n", {"f": "function"}),
        ("func (s *Server) Run() {}\n", {"Server.Run": "method"}),
        ("func (Server) Run() {}\n", {"Server.Run": "method"}),
        ("func (s *Server[K, V]) Run() {}\n", {"Server.Run": "method"}),
        ("func Map[T any, U any](x []T) []U { return nil }\n", {"Map": "function"}),
        ("type A struct { x int }\n", {"A": "struct"}),
        ("type A[T any] interface { M() }\n", {"A": "interface", "A.M": "method"}),
        ("type Number interface { ~int | ~float64 }\n", {"Number": "interface"}),
        ("type A int\ntype B = string\n", {"A": "type", "B": "type"}),
        ("type (\n\tA int\n\tB struct{}\n)\n", {"A": "type", "B": "struct"}),
        ("type Handler func(w Writer) error\n", {"Handler": "type"}),
        ("const Max = 1\nconst min = 2\n", {"Max": "constant"}),
        ("const (\n\tX = iota\n\tY\n\tz\n)\n", {"X": "constant", "Y": "constant"}),
        ("const X, Y = 1, 2\n", {"X": "constant"}),
        ('var ErrX = errors.New("x")\n', {"ErrX": "variable"}),
        ("var (\n\tA = 1\n\tb = 2\n\tC int\n)\n", {"A": "variable", "C": "variable"}),
        ("var Ünit = 1\nvar ärger = 2\n", {"Ünit": "variable"}),
        ("func init() {}\nfunc init() {}\n", {"init": "function", "init~2": "function"}),
        ("func TestSell(t *testing.T) {}\n", {"TestSell": "function"}),
        ("func f() { g := func() {}; type L struct{}; const K = 1 }\n", {"f": "function"}),
        ("func Größe() {}\nfunc 世界() {}\n", {"Größe": "function", "世界": "function"}),
        ("type A struct{}; func (A) M() {}\n", {"A": "struct", "A.M": "method"}),
        ("// only a comment\n", {}),
    ],
)  # fmt: skip
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    assert go(text).types == expected


def test_every_symbol_of_a_whole_file_is_found() -> None:
    assert reading("shop/server.go", SERVER).types == {
        "MaxItems": "constant",
        "Open": "constant",
        "Closed": "constant",
        "ErrEmpty": "variable",
        "State": "type",
        "Store": "interface",
        "Store.Put": "method",
        "Store.drop": "method",
        "Server": "struct",
        "NewServer": "function",
        "Server.Sell": "method",
    }


def test_syntax_errors_still_yield_the_good_parts() -> None:
    found = go(
        "func good() { a() }\n\nfunc bad( {\n\tif {\n}\n\n// Fine is.\nfunc fine(x int) { b() }\n"
    )

    assert found.types["good"] == found.types["fine"] == "function"
    assert found.metadata("good")["calls"] == ("a",)
    assert found.metadata("fine")["params"] == ("x",)
    assert found.nodes["fine"].description == "Fine is."


def test_the_comment_above_is_the_doc() -> None:
    found = go(
        "// Run runs\n// it.\n//go:noinline\n"
        "func Run(a, b int, rest ...string) (int, error) {\n\treturn 0, nil\n}\n"
    )
    node = found.nodes["Run"]

    assert node.description == "Run runs it."
    assert node.source.start_line == 3
    assert node.metadata["signature"] == "func Run(a, b int, rest ...string) (int, error)"
    assert node.metadata["params"] == ("a", "b", "rest")


def test_only_the_first_paragraph_of_a_doc_is_the_description() -> None:
    found = reading("shop/server.go", SERVER)

    assert found.nodes["Server.Sell"].description == "Sell puts an order into the store."
    assert found.nodes["Store.Put"].description == "Put adds one."
    assert found.nodes["Open"].description == "Open takes orders."


def test_a_comment_apart_belongs_to_nobody() -> None:
    assert go("// Far away.\n\nfunc f() {}\n").nodes["f"].description == ""


def test_a_block_comment_is_a_doc_too() -> None:
    assert go("/*\nRun runs.\n*/\nfunc Run() {}\n").nodes["Run"].description == "Run runs."


def test_a_constant_of_a_group_stays_in_the_text_of_its_group() -> None:
    found = reading("shop/server.go", SERVER)
    alone, grouped = found.nodes["MaxItems"], found.nodes["Closed"]

    assert SERVER[grouped.span.start : grouped.span.end] == "\tClosed // until tomorrow"
    assert grouped.own == ()
    assert alone.own == (alone.span,)
    assert alone.metadata["signature"] == "const MaxItems = 100"
    assert found.metadata("Open")["signature"] == "Open State = iota"


def test_unnamed_parameters_have_no_names() -> None:
    assert go("func f(int, string) {}\n").metadata("f")["params"] == ()


def test_a_huge_parameter_list_is_cut() -> None:
    types = [f"p{n}: Type{n}" for n in range(300)]
    found = go(f"func f({', '.join(types).replace(':', '')}) {{}}\n").metadata("f")

    assert found["params"] == tuple(f"p{n}" for n in range(100))
    assert found["paramTypes"] == tuple(types[:100])


def test_a_capital_exports() -> None:
    found = go("func F() {}\nfunc f() {}\nfunc Ä() {}\nfunc ä() {}\nfunc 世() {}\n")

    assert {name: found.metadata(name)["exported"] for name in found.types} == {
        "F": True,
        "f": False,
        "Ä": True,
        "ä": False,
        "世": False,
    }
    assert found.edges(EdgeType.EXPORTS) == [" > F", " > Ä"]
    assert found.metadata()["exports"] == ("F", "Ä")


def test_a_name_without_a_capital_is_seen_in_its_package() -> None:
    found = go("type S struct{}\nfunc (s S) Run() {}\nfunc (s S) run() {}\n")

    assert [found.metadata(name)["visibility"] for name in ("S", "S.Run", "S.run")] == [
        "public",
        "public",
        "package",
    ]


def test_a_type_contains_its_methods_wherever_they_stand() -> None:
    found = go("func (a A) M() {}\ntype A struct{}\nfunc (b B) M() {}\n")

    assert found.edges(EdgeType.CONTAINS) == ["A > A.M", " > A", " > B.M"]


def test_an_interface_contains_its_methods() -> None:
    found = reading("shop/server.go", SERVER)

    assert "Store > Store.Put" in found.edges(EdgeType.CONTAINS)
    assert found.metadata("Store.Put")["params"] == ("ctx", "order")
    assert found.metadata("Store.Put")["returnType"] == "(id int, err error)"
    assert found.metadata("Store.drop")["signature"] == "drop(id int)"


def test_the_module_has_the_package_comment_and_the_imports() -> None:
    module = reading("shop/server.go", SERVER).nodes[""]

    assert module.description == "Package shop sells things."
    assert module.metadata["imports"] == (
        "context",
        "fmt",
        "net/http",
        "example.com/shop/money",
        "example.com/shop/driver",
        "example.com/logging/v2",
    )


def test_imports_bind_the_last_part_of_their_path_or_their_alias() -> None:
    assert reading("shop/server.go", SERVER).references(EdgeType.IMPORTS) == [
        " > context as context",
        " > fmt as fmt",
        " > net/http as http",
        " > example.com/shop/money.*",
        " > example.com/shop/driver as _",
        " > example.com/logging/v2 as log",
    ]


def test_one_import_needs_no_parentheses() -> None:
    found = go('import `fmt`\nimport m "math/rand"\n')

    assert found.references(EdgeType.IMPORTS) == [" > fmt as fmt", " > math/rand as m"]


def test_an_embedded_type_is_extended() -> None:
    found = reading("shop/server.go", SERVER)

    assert found.references(EdgeType.EXTENDS) == [
        "Store > io.Closer",
        "Store > fmt.Stringer",
        "Server > http.Server",
        "Server > Options",
    ]
    assert found.metadata("Server")["extends"] == ("http.Server", "Options")


def test_an_embedded_generic_type_is_extended_by_its_name() -> None:
    found = go("type A struct {\n\tBase[int]\n\t*pkg.Other[K]\n\tinner struct{ Not }\n}\n")

    assert found.metadata("A")["extends"] == ("Base", "pkg.Other")


def test_a_union_of_types_extends_none_of_them() -> None:
    assert "extends" not in go("type N interface { ~int | Big }\n").metadata("N")


def test_parameters_and_results_have_their_types() -> None:
    found = reading("shop/server.go", SERVER).metadata("Server.Sell")

    assert found["params"] == ("ctx", "order", "price", "tax")
    assert found["paramTypes"] == (
        "ctx: context.Context",
        "order: *Order",
        "price: float64",
        "tax: float64",
    )
    assert found["returnType"] == "(int, error)"


def test_one_result_stands_without_parentheses() -> None:
    found = reading("shop/server.go", SERVER).metadata("NewServer")

    assert found["returnType"] == "*Server"
    assert found["params"] == ("store", "opts")


def test_nested_generics_are_kept_as_written() -> None:
    found = go(
        "func Group[K comparable, V any](in map[K][]Pair[K, Opt[V]]) chan<- Set[Pair[K, V]] {\n"
        "\treturn nil\n}\n"
    ).metadata("Group")

    assert found["paramTypes"] == ("in: map[K][]Pair[K, Opt[V]]",)
    assert found["returnType"] == "chan<- Set[Pair[K, V]]"


def test_fields_of_a_struct_have_their_types() -> None:
    assert reading("shop/server.go", SERVER).metadata("Server")["inferredTypes"] == (
        "store: Store",
        "names: []string",
        "tags: []string",
        "handlers: map[string]func(*Order) error",
    )


@pytest.mark.parametrize(
    ("statement", "type_"),
    [
        ("x := Foo{A: 1}", "Foo"),
        ("x := &pkg.Foo{}", "pkg.Foo"),
        ("x := new(Foo)", "Foo"),
        ("x := make(map[string]int)", "map[string]int"),
        ("x := []Foo{a, b}", "[]Foo"),
        ("x := y.(*Foo)", "*Foo"),
        ("x, ok := y.(Foo)", "Foo"),
        ("x := NewFoo(1)", "Foo"),
        ("x, err := pkg.NewFoo(1)", "pkg.Foo"),
        ("var x pkg.Foo = y", "pkg.Foo"),
        ("var x = Foo{}", "Foo"),
        ('x := "s"', "string"),
        ("x := 1", "int"),
        ("x := 1.5", "float64"),
        ("x := 'c'", "rune"),
        ("x := true", "bool"),
    ],
)
def test_a_local_variable_shows_its_type(statement: str, type_: str) -> None:
    found = go(f"func f() {{\n\t{statement}\n\tuse(x)\n}}\n").metadata("f")

    assert f"x: {type_}" in found["inferredTypes"]  # type: ignore[operator]


@pytest.mark.parametrize(
    "statement", ["x := open(1)", "x := pkg.Open(1)", "x := y + 1", "x := <-c"]
)
def test_where_nothing_shows_a_type_none_is_given(statement: str) -> None:
    assert "inferredTypes" not in go(f"func f() {{\n\t{statement}\n}}\n").metadata("f")


def test_calls_are_references_with_the_type_of_their_receiver() -> None:
    found = go(
        "type Client struct{ conn *net.Conn }\n"
        "func (c *Client) Run(ctx context.Context, other Client) {\n"
        "\tc.start()\n\tc.conn.Close()\n\tother.Run(ctx, other)\n\tctx.Done()\n"
        '\thttp.Get("x")\n\tgo work(1)\n\tdefer c.stop()\n'
        "\treq := &Request{}\n\treq.Send()\n\tmake([]int, len(x))\n\tfunc() { inner() }()\n"
        "\tMap[int, string](xs)\n\tsort.Slice[int](xs)\n\tstring(x)\n}\n"
    )

    assert found.references(EdgeType.CALLS) == [
        "Client.Run > c.start : Client",
        "Client.Run > c.conn.Close : net.Conn",
        "Client.Run > other.Run : Client",
        "Client.Run > ctx.Done : context.Context",
        "Client.Run > http.Get",
        "Client.Run > work",
        "Client.Run > c.stop : Client",
        "Client.Run > req.Send : Request",
        "Client.Run > inner",
        "Client.Run > Map",
        "Client.Run > sort.Slice",
        "Client.Run > Request",
    ]


def test_a_variable_of_the_package_is_a_receiver_of_a_known_type() -> None:
    found = go(
        "var Default = &Client{}\nvar pool *Pool\nfunc f() {\n\tDefault.Do()\n\tpool.Get()\n}\n"
    )

    assert "f > Default.Do : Client" in found.references(EdgeType.CALLS)
    assert "f > pool.Get : Pool" in found.references(EdgeType.CALLS)


def test_a_composite_literal_calls_its_type() -> None:
    found = go("func f() any {\n\treturn []any{Foo{}, &pkg.Bar{X: Baz[int]{}}}\n}\n")

    assert found.metadata("f")["calls"] == ("Foo", "pkg.Bar", "Baz")


def test_calls_outside_functions_are_the_modules() -> None:
    found = go("var table = build(1)\nvar Public = make2(2)\n")

    assert found.references(EdgeType.CALLS) == [" > build", "Public > make2"]


def test_a_chain_of_calls_names_each_link() -> None:
    found = go("func f() {\n\ta.B(1).C(x[0]).D()\n}\n")

    assert set(found.metadata("f")["calls"]) == {"a.B", "a.B().C", "a.B().C().D"}  # type: ignore[arg-type]


def test_control_flow_is_counted() -> None:
    found = go(
        "func f(x int, c chan int) int {\n"
        "\tif x > 1 {\n\t} else if x > 2 {\n\t} else {\n\t}\n"
        "\tfor i := range x {\n\t\tif i > 2 { continue }\n\t\tbreak\n\t}\n"
        "outer:\n\tfor {\n\t\tfor x < 3 { break outer }\n\t}\n"
        "\tswitch x {\n\tcase 1, 2:\n\tcase 3:\n\tdefault:\n\t}\n"
        "\tswitch y := z.(type) {\n\tcase int:\n\t}\n"
        "\tselect {\n\tcase <-c:\n\tdefault:\n\t}\n"
        "\treturn 1\n}\n"
    ).metadata("f")

    ifs, switch_cases, type_cases, select_cases = 3, 2, 1, 1
    assert found["branches"] == ifs + switch_cases + type_cases + select_cases
    assert (found["loops"], found["breaks"], found["continues"]) == (3, 2, 1)
    assert found["returns"] is True


def test_a_bare_return_gives_no_value() -> None:
    assert "returns" not in go("func f() {\n\treturn\n}\n").metadata("f")


def test_panics_and_returned_errors_are_thrown() -> None:
    found = go(
        "func f() (int, error) {\n\tif a {\n\t\tpanic(err)\n\t}\n"
        "\tif b {\n\t\treturn 0, ErrEmpty\n\t}\n\tif c {\n\t\treturn 0, &ParseError{Line: 1}\n\t}\n"
        "\tif d {\n\t\treturn 0, io.EOF\n\t}\n\treturn 0, err\n}\n"
    )

    assert found.metadata("f")["throws"] == ("panic", "ErrEmpty", "ParseError", "EOF")


def test_writes_and_mutations_are_told_apart() -> None:
    found = go(
        "func (s *S) f(p *int, m map[string]int) {\n"
        "\tx, err := g()\n\t_ = err\n\ty := 1\n\ty += x\n\tvar z = 2\n"
        '\ts.total = z\n\ts.n++\n\ts.list[0].name = "a"\n\tm["k"] = 1\n\t*p = 3\n'
        "\tdelete(s.seen, x)\n}\n"
    ).metadata("S.f")

    assert found["writes"] == ("x", "err", "y", "z")
    assert found["mutates"] == ("s.total", "s.n", "s.list.name", "m", "*p", "s.seen")


def test_what_is_only_assigned_is_not_read() -> None:
    found = go("func f(a int) {\n\tx := a + limit\n\ty:=2\n\tz = 3\n}\n").metadata("f")

    assert found["reads"] == ("a", "limit")


def test_keys_of_a_literal_strings_and_comments_are_not_read() -> None:
    found = go(
        'func f() any {\n\t// comment word\n\treturn T{Key: value, "text": `raw`}\n}\n'
    ).metadata("f")

    assert found["reads"] == ("value",)


def test_an_assignment_of_a_name_is_an_alias() -> None:
    found = go(
        "func f() {\n\ta := b\n\tc := d.e\n\ta = g\n\th, i := j, k\n\tl := m()\n\t_ = n\n}\n"
    ).metadata("f")

    assert found["aliases"] == ("a=b", "c=d.e", "a=g")


def test_types_and_imported_names_are_used() -> None:
    found = reading("shop/server.go", SERVER)
    uses = found.references(EdgeType.USES)

    assert "Server.Sell > context.Context" in uses
    assert "Server.Sell > Order" in uses
    assert "Server.Sell > ErrEmpty" in uses
    assert "NewServer > Store" in uses
    assert "Server > Store" in uses
    assert "Server.Sell > fmt" not in uses


def test_type_parameters_and_the_own_type_are_not_used() -> None:
    found = go("type S[K any] struct{}\nfunc (s *S[K]) f(k K, o Other) {}\n")

    assert found.references(EdgeType.USES) == ["S.f > Other"]


def test_a_function_on_one_line_is_read_in_full() -> None:
    found = go("func f(x int) (y int) { if x > 1 { return g(x) }; return 0 }; func h() { f(1) }\n")

    assert found.types == {"f": "function", "h": "function"}
    assert found.metadata("f")["calls"] == ("g",)
    assert found.metadata("f")["branches"] == 1
    assert found.references(EdgeType.CALLS) == ["f > g", "h > f"]


def test_generated_repetition_stays_within_bounds() -> None:
    calls = "".join(f"\tcall{n}(x{n})\n" for n in range(500))
    found = go(f"func f() {{\n{calls}}}\n").metadata("f")

    assert len(found["calls"]) == 200  # type: ignore[arg-type]
    assert len(found["reads"]) == 100  # type: ignore[arg-type]
