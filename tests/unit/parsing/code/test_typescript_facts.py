# ruff: noqa: E501 - each source stands on one line
from __future__ import annotations

from collections.abc import Sequence

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType, MetaValue

SHOP = """/** Sells things. */
import axios, { type Config, get as fetchIt } from 'axios';
import * as models from './models';
import './side.css';
export * from './errors';
export * as all from './all';
export { a as b, c } from './other';

export const LIMIT = 10;

/** A shop. */
@Injectable()
export default class Shop<T> extends models.Base<T> implements Open, Closed<T> {
  static MAX = 3;
  static #count = 0;
  private readonly items: Item[] = [];
  handler = async (event: Event) => this.sell(event);

  constructor(private readonly client: Client, public name = 'x') {
    super();
    this.cache = new Cache<string>();
  }

  get size(): number { return this.items.length; }
  set size(value: number) { this.resize(value); }

  @Post('/sell')
  async sell(order: models.Order, retries?: number): Promise<Receipt> {
    for (const item of this.items) {
      if (!item) continue;
      switch (item.kind) { case 1: break; default: }
    }
    try {
      const answer = await this.client.post(`/sell/${order.id}`);
      this.items.push(answer);
      return new Receipt(answer);
    } catch (problem) {
      throw new OutOfStock(order);
    }
  }

  protected *walk(): Generator<Item> { yield* this.items; }
}

export interface Open extends Door, Window<Glass> { at: Date; open(): void }
export enum State { Open = 1, Closed }
export const api = {
  get: async (id: number): Promise<Shop> => fetchIt(id),
  post() { return axios.post(LIMIT); },
  get first() { return 1; },
  nested: { deep() {} },
};
"""


def typescript(text: str) -> Reading:
    return reading("src/a.ts", text)


def facts(body: str, key: str) -> MetaValue | None:
    """Return one fact of a function with this body."""
    return typescript(f"function f(p, q) {{\n{body}\n}}\n").metadata("f").get(key)


def test_every_symbol_of_a_whole_file_is_found() -> None:
    assert typescript(SHOP).types == {
        "LIMIT": "constant",
        "Shop": "class",
        "Shop.MAX": "constant",
        "Shop.#count": "constant",
        "Shop.handler": "method",
        "Shop.constructor": "constructor",
        "Shop.size": "method",
        "Shop.size~2": "method",
        "Shop.sell": "method",
        "Shop.walk": "method",
        "Open": "interface",
        "State": "enum",
        "State.Open": "constant",
        "State.Closed": "constant",
        "api": "constant",
        "api.get": "method",
        "api.post": "method",
        "api.first": "method",
    }


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("import a from './a';", [" > ./a.default as a"]),
        ("import { a } from './a';", [" > ./a.a as a"]),
        ("import { a as b } from './a';", [" > ./a.a as b"]),
        ("import { default as a } from './a';", [" > ./a.default as a"]),
        ("import a, { b } from './a';", [" > ./a.default as a", " > ./a.b as b"]),
        ("import * as a from './a';", [" > ./a as a"]),
        ("import type { A } from './a';", [" > ./a.A as A"]),
        ("import './a';", [" > ./a"]),
        ("import a = require('./a');", [" > ./a as a"]),
        ("const a = require('./a');", [" > ./a as a"]),
        ("const { a, b: c } = require('./a');", [" > ./a.a as a", " > ./a.b as c"]),
        ("const a = require('./a').b;", [" > ./a.b as a"]),
        ("require('./a');", [" > ./a"]),
        ("const a = await import('./a');", [" > ./a as a"]),
        ("function f() { return import('./a'); }", [" > ./a"]),
        ("const s = \"import a from './a'\";", []),
        ("require(name);", []),
    ],
)
def test_every_kind_of_import_is_a_binding(statement: str, expected: list[str]) -> None:
    assert typescript(f"{statement}\n").references(EdgeType.IMPORTS) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("export * from './a';", [" > ./a.*"]),
        ("export * as ns from './a';", [" > ./a.* as ns"]),
        ("export { a, b as c } from './a';", [" > ./a.a as a", " > ./a.b as c"]),
        ("export { default } from './a';", [" > ./a.default as default"]),
        ("import { a } from './a';\nexport { a };", [" > ./a.a as a"]),
        ("function f() {}\nexport { f as g };", [" > f as g"]),
        ("export default class A {}", [" > A as default"]),
        ("function f() {}\nexport default f;", [" > f as default"]),
        ("export function f() {}", []),
    ],
)
def test_what_is_handed_on_is_a_reference(statement: str, expected: list[str]) -> None:
    assert typescript(f"{statement}\n").references(EdgeType.EXPORTS) == expected


def test_the_module_exports_its_own_symbols() -> None:
    found = typescript(SHOP)

    assert found.edges(EdgeType.EXPORTS) == [
        " > LIMIT",
        " > Shop",
        " > Open",
        " > State",
        " > api",
    ]
    assert found.metadata()["imports"] == (
        "axios", "./models", "./side.css", "./errors", "./all", "./other",
    )  # fmt: skip


def test_a_class_extends_and_implements() -> None:
    found = typescript(SHOP)

    assert found.references(EdgeType.EXTENDS) == [
        "Shop > models.Base",
        "Open > Door",
        "Open > Window",
    ]
    assert found.references(EdgeType.IMPLEMENTS) == ["Shop > Open", "Shop > Closed"]


def test_a_class_may_extend_what_a_call_makes() -> None:
    for path in ("a.js", "a.ts"):
        found = reading(path, "class A extends mixin(B, C) {}\nclass D extends e.F {}\n")

        assert found.references(EdgeType.EXTENDS) == ["A > mixin", "D > e.F"]


def test_calls_know_the_type_of_their_receiver() -> None:
    calls = typescript(SHOP).references(EdgeType.CALLS)

    assert "Shop.sell > this.client.post : Client" in calls
    assert "Shop.sell > Receipt" in calls
    assert "Shop.size~2 > this.resize : Shop" in calls
    assert "Shop.handler > this.sell : Shop" in calls
    assert "Shop.constructor > Cache" in calls
    assert "api.post > axios.post" in calls


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("run()", ("run",)),
        ("a.b?.c()", ("a.b.c",)),
        ("a!.b()", ("a.b",)),
        ("a.b<T>(1)", ("a.b",)),
        ("new Foo(1).bar()", ("Foo().bar", "Foo")),
        ("new ns.Foo", ("ns.Foo",)),
        ("a.b(x => c(x)).then(() => d())", ("a.b().then", "a.b", "c", "d")),
        ("(await a.b()).c()", ("().c", "a.b")),
        ("this.#run()", ("this.#run",)),
        ("a[0].b()", ("a[].b",)),
        ("`x${g(p)}`.trim()", ('"".trim', "g")),
        ("html`<p>${g()}</p>`", ("html", "g")),
        ("handlers[key]()", None),
        ("'run()'", None),
        ("/run()/.test(p)", None),
    ],
)
def test_callees_are_kept_as_written_without_arguments(
    expression: str, expected: Sequence[str] | None
) -> None:
    found = facts(f"const x = {expression};", "calls")

    if expected is None:
        assert "run" not in (found or ())  # type: ignore[operator]
    else:
        assert sorted(found or ()) == sorted(expected)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "key", "expected"),
    [
        ("if (p) {} else if (q) {} else {}", "branches", 2),
        ("const x = p ? 1 : 2;", "branches", 1),
        ("switch (p) { case 1: case 2: break; default: }", "branches", 2),
        ("try {} catch (e) {} finally {}", "branches", 1),
        ("for (;;) {} for (const a in p) {} while (q) {} do {} while (q);", "loops", 4),
        ("for (const a of p) { if (a) break; continue; }", "breaks", 1),
        ("for (const a of p) { if (a) break; continue; }", "continues", 1),
        ("return;", "returns", None),
        ("return 1;", "returns", True),
        ("throw new Err('x');", "throws", ("Err",)),
        ("throw errors.make();", "throws", ("make",)),
    ],
)
def test_control_flow_is_counted(body: str, key: str, expected: MetaValue | None) -> None:
    assert facts(body, key) == expected


def test_async_generators_await_and_yield() -> None:
    found = typescript(
        "export async function* f() {\n  await a.b(1);\n  for await (const x of c()) yield x;\n}\n"
    ).metadata("f")

    assert (found["async"], found["generator"]) == (True, True)
    assert found["awaits"] == ("a.b",)
    assert found["modifiers"] == ("export", "async")


@pytest.mark.parametrize(
    ("body", "writes", "mutates"),
    [
        ("let x = 1, y;", ("x", "y"), None),
        ("p = 1; q += 2; p++;", ("p", "q"), None),
        ("const { a, b: c, d = 1, ...e } = p;", ("a", "c", "d"), None),
        ("const [a, b] = p;", ("a", "b"), None),
        ("p.x = 1; this.y = 2; p.z[0] = 3;", None, ("p.x", "this.y", "p.z")),
        ("({ a, b: p.c } = q);", ("a",), ("p.c",)),
        ("p.push(1); q.list.sort();", None, ("p", "q.list")),
        ("delete p.x;", None, ("p.x",)),
        ("for (const a of p) {}", ("a",), None),
        ("p({ x: 1 });", None, None),
    ],
)
def test_names_are_written_and_the_rest_is_mutated(
    body: str, writes: Sequence[str] | None, mutates: Sequence[str] | None
) -> None:
    found = (facts(body, "writes"), facts(body, "mutates"))

    assert [None if one is None else sorted(one) for one in found] == [  # type: ignore[arg-type]
        None if one is None else sorted(one) for one in (writes, mutates)
    ]


def test_one_name_assigned_to_another_is_an_alias() -> None:
    assert facts("const x = p; let y = p.q; this.z = q; const w = p();", "aliases") == (
        "x=p",
        "y=p.q",
        "this.z=q",
    )


def test_imported_names_are_used_and_hidden_ones_are_not() -> None:
    found = typescript(
        "import { a, b, c } from './m';\nimport * as ns from './n';\n"
        "function f(b: number) {\n  a();\n  const c = 1;\n  return [a, b, c, ns.Thing.x];\n}\n"
        "function g() { return c.d; }\n"
    )

    assert found.metadata("f")["uses"] == ("ns.Thing",)
    assert found.metadata("g")["uses"] == ("c",)


def test_types_are_used_wherever_they_stand() -> None:
    found = typescript(
        "function f<T extends Bound>({ a }: Props, b: Map<string, Foo>): Promise<Bar> {\n"
        "  const c = b as unknown as Baz;\n  return make<Qux>(c);\n}\n"
    )

    assert {"Bound", "Props", "Foo", "Bar", "Baz", "Qux"} <= set(found.metadata("f")["uses"])  # type: ignore[arg-type]
    assert "T" not in found.metadata("f")["uses"]  # type: ignore[operator]


def test_parameters_results_and_fields_have_their_types() -> None:
    found = typescript(SHOP)

    assert found.metadata("Shop.sell")["paramTypes"] == ("order: models.Order", "retries: number")
    assert found.metadata("Shop.sell")["returnType"] == "Promise<Receipt>"
    assert found.metadata("Shop.constructor")["inferredTypes"] == ("name: string",)
    assert found.metadata("api.get")["returnType"] == "Promise<Shop>"
    assert set(found.metadata("Shop")["inferredTypes"]) == {  # type: ignore[arg-type]
        "items: Item[]",
        "client: Client",
        "cache: Cache",
    }
    assert found.metadata("Open")["inferredTypes"] == ("at: Date",)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("const x = new Foo();", ("x: Foo",)),
        ("const x = new ns.Foo<Bar>(1);", ("x: ns.Foo",)),
        ("const x: Foo = make();", ("x: Foo",)),
        ("const x = make() as Foo;", ("x: Foo",)),
        ("const x = 'a', y = 1, z = true;", ("x: string", "y: number", "z: boolean")),
        ("const x = [], y = {}, z = /a/;", ("x: Array", "y: object", "z: RegExp")),
        ("const x = new Foo(); const y = x;", ("x: Foo", "y: Foo")),
        ("return new Foo();", ("return: Foo",)),
        ("const x = make();", None),
    ],
)
def test_a_value_shows_its_type(body: str, expected: Sequence[str] | None) -> None:
    assert facts(body, "inferredTypes") == expected


def test_the_result_of_a_callback_is_not_that_of_the_function_around() -> None:
    found = typescript("function f(xs: X[]) {\n  return xs.map((x): Foo => x.y);\n}\n").metadata(
        "f"
    )

    assert "returnType" not in found
    assert found["paramTypes"] == ("xs: X[]",)


@pytest.mark.parametrize(
    ("member", "name", "expected"),
    [
        ("m() {}", "m", "public"),
        ("private m() {}", "m", "private"),
        ("protected static async m() {}", "m", "protected"),
        ("#m() {}", "#m", "private"),
        ("public m() {}", "m", "public"),
    ],
)
def test_members_say_who_may_see_them(member: str, name: str, expected: str) -> None:
    assert typescript(f"class A {{ {member} }}\n").metadata(f"A.{name}")["visibility"] == expected


def test_modifiers_and_decorators_are_kept() -> None:
    found = typescript(SHOP)

    assert found.metadata("Shop")["decorators"] == ("Injectable",)
    assert found.metadata("Shop")["modifiers"] == ("export", "default")
    assert found.metadata("Shop.sell")["decorators"] == ("Post",)
    assert found.metadata("Shop.size")["modifiers"] == ("get",)
    assert found.metadata("Shop.walk")["generator"] is True
    assert found.metadata("Shop.handler")["async"] is True


def test_decorators_of_fields_are_not_those_of_the_class() -> None:
    found = typescript("@A()\nclass C {\n  @B() name: string;\n  @D() m() {}\n}\n")

    assert found.metadata("C")["decorators"] == ("A",)
    assert found.metadata("C.m")["decorators"] == ("D",)


def test_members_of_an_enum_stay_in_its_text() -> None:
    text = "export enum E {\n  A = 1,\n  B,\n}\n"
    found = typescript(text)

    assert found.types == {"E": "enum", "E.A": "constant", "E.B": "constant"}
    assert (found.nodes["E.A"].own, found.nodes["E.B"].own) == ((), ())
    assert found.metadata("E.B")["exported"] is True
    assert text[found.nodes["E"].own[0].start :] == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "export const api = { get() {}, post: async () => {}, n: 1 };",
            {"api": "constant", "api.get": "method", "api.post": "method"},
        ),
        ("const o = { m() {} };", {"o": "constant", "o.m": "method"}),
        ("const o = { n: 1 };", {}),
        (
            "export default { data() {}, methods: { go() {} } };",
            {"default": "constant", "default.data": "method", "default.go": "method"},
        ),
        ("module.exports = { f, g() {}, h: () => 1 };", {"g": "function", "h": "function"}),
        ("function f() { const o = { m() {} }; }", {"f": "function"}),
    ],
)
@pytest.mark.parametrize("path", ["a.js", "a.ts"])
def test_methods_of_objects_at_the_top_are_found(
    path: str, text: str, expected: dict[str, str]
) -> None:
    assert reading(path, f"{text}\n").types == expected


def test_what_module_exports_lists_is_exported() -> None:
    found = reading(
        "a.js", "function f() {}\nfunction g() {}\nmodule.exports = { f, h() {}, i: g };\n"
    )

    assert {name: found.metadata(name)["exported"] for name in found.types} == {
        "f": True,
        "g": True,
        "h": True,
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "declare module 'foo' { export function bar(): void }",
            {"foo": "namespace", "foo.bar": "function"},
        ),
        ("declare global { interface Window { x: 1 } }", {"Window": "interface"}),
        ("namespace A.B { export const x = () => 1 }", None),
        (
            "abstract class A { abstract m(): void; n() {} }",
            {"A": "class", "A.m": "method", "A.n": "method"},
        ),
        ("class A { static { go(); } }", {"A": "class"}),
        ("export type Pair<T> = [T, T];", {"Pair": "type"}),
    ],
)
def test_declarations_of_types_are_found(text: str, expected: dict[str, str] | None) -> None:
    found = typescript(f"{text}\n")

    if expected is None:
        assert "namespace" in found.types.values()
    else:
        assert found.types == expected


@pytest.mark.parametrize("path", ["a.jsx", "a.tsx"])
def test_components_are_called_by_elements(path: str) -> None:
    found = reading(
        path,
        "import { Card } from './card';\nexport const App = ({ name }) => (\n"
        "  <Card title={t('x')} onClick={() => save(name)}>\n    <Foo.Bar /> some text <div id={name} />\n"
        "  </Card>\n);\n",
    )

    assert sorted(found.metadata("App")["calls"]) == ["Card", "Foo.Bar", "save", "t"]  # type: ignore[arg-type]
    assert not {"div", "some", "text"} & set(found.metadata("App")["reads"])  # type: ignore[arg-type]


def test_overloads_are_all_there_and_keep_their_types() -> None:
    found = typescript(
        "function f(a: number): number;\nfunction f(a: string): string;\n"
        "function f(a: any) { return a; }\n"
    )

    assert [found.metadata(name).get("returnType") for name in ("f", "f~2", "f~3")] == [
        "number",
        "string",
        None,
    ]


def test_syntax_errors_leave_the_facts_of_the_rest_alone() -> None:
    found = typescript(
        "import { a } from './a';\nfunction good() { return a.b(); }\nconst = ;\n"
        "class Fine extends Base { m() { throw new E(); } }\n"
    )

    assert found.metadata("good")["calls"] == ("a.b",)
    assert found.metadata("Fine.m")["throws"] == ("E",)
    assert found.references(EdgeType.EXTENDS) == ["Fine > Base"]
