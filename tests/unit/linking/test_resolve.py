# ruff: noqa: E501 - each file of a case stands on one line
from __future__ import annotations

from collections.abc import Mapping

from trivium.backends.reference.store import ReferenceBackend
from trivium.linker import link
from trivium.linking.targets import AMBIGUOUS, BY_NAME, BY_TYPE, OVERLOAD, SURE
from trivium.testing.filling import write
from trivium.testing.promises_linking import source
from trivium.types import Edge, EdgeType

CALLS, EXTENDS, IMPLEMENTS = EdgeType.CALLS, EdgeType.EXTENDS, EdgeType.IMPLEMENTS
IMPORTS, USES, MENTIONS = EdgeType.IMPORTS, EdgeType.USES, EdgeType.MENTIONS
REFERENCES = EdgeType.REFERENCES


def linked(files: Mapping[str, str]) -> list[Edge]:
    """Return the edges of a folder with these files."""
    backend = ReferenceBackend()
    write(backend, [source(*one) for one in files.items()])
    link(backend, wait_s=0)
    with backend.snapshot() as snapshot:
        ids = [node.id for path in files for node in snapshot.content(path).nodes]  # type: ignore[union-attr]
        return list(snapshot.edges(ids))


def of(edges: list[Edge], type_: EdgeType) -> dict[str, float]:
    """Return the edges of one type as "source > target" with their weights."""
    return {
        f"{_short(edge.source)} > {_short(edge.target)}": edge.weight
        for edge in edges
        if edge.type is type_
    }


def _short(node_id: str) -> str:
    return node_id.partition(":")[2]


class TestPython:
    def test_a_name_is_looked_for_around_it_first(self) -> None:
        edges = linked(
            {
                "a.py": "def outer():\n    def run(): ...\n    run()\n\ndef run(): ...\n\ndef other():\n    run()\n",
                "b.py": "def run(): ...\n",
            }
        )

        assert of(edges, CALLS) == {
            "a.py#outer > a.py#outer.run": SURE,
            "a.py#other > a.py#run": SURE,
        }

    def test_methods_of_self_are_found_in_the_class_and_its_bases(self) -> None:
        edges = linked(
            {
                "base.py": "class Root:\n    def close(self): ...\n\nclass Base(Root):\n    def open(self): ...\n",
                "a.py": "from base import Base\n\nclass Child(Base):\n    def own(self): ...\n"
                "    def run(self):\n        self.own()\n        self.open()\n        self.close()\n",
            }
        )

        assert of(edges, CALLS) == {
            "a.py#Child.run > a.py#Child.own": SURE,
            "a.py#Child.run > base.py#Base.open": SURE,
            "a.py#Child.run > base.py#Root.close": SURE,
        }
        assert of(edges, EXTENDS) == {
            "a.py#Child > base.py#Base": SURE,
            "base.py#Base > base.py#Root": SURE,
        }

    def test_super_skips_the_class_itself(self) -> None:
        edges = linked(
            {
                "a.py": "class A:\n    def run(self): ...\n\nclass B(A):\n    def run(self):\n        super().run()\n"
            }
        )

        assert of(edges, CALLS) == {"a.py#B.run > a.py#A.run": SURE}

    def test_imports_bind_names_modules_and_aliases(self) -> None:
        edges = linked(
            {
                "pkg/__init__.py": "",
                "pkg/util.py": "def run(): ...\n\nclass Tool:\n    def use(self): ...\n    @staticmethod\n    def make(): ...\n",
                "a.py": "from pkg.util import run as go\n\ndef one():\n    go()\n",
                "b.py": "import pkg.util\n\ndef two():\n    pkg.util.run()\n",
                "c.py": "from pkg import util as u\n\ndef three():\n    u.Tool.make()\n",
            }
        )

        assert of(edges, CALLS) == {
            "a.py#one > pkg/util.py#run": SURE,
            "b.py#two > pkg/util.py#run": SURE,
            "c.py#three > pkg/util.py#Tool.make": SURE,
        }
        assert of(edges, IMPORTS) == {
            "a.py > pkg/util.py": SURE,
            "b.py > pkg/util.py": SURE,
            "c.py > pkg/util.py": SURE,
        }

    def test_re_exports_are_followed_to_the_definition(self) -> None:
        edges = linked(
            {
                "pkg/__init__.py": "from .deep import *\nfrom .util import run\n",
                "pkg/util.py": "def run(): ...\n",
                "pkg/deep.py": "def dive(): ...\n",
                "a.py": "from pkg import run, dive\n\ndef main():\n    run()\n    dive()\n",
            }
        )

        assert of(edges, CALLS) == {
            "a.py#main > pkg/util.py#run": SURE,
            "a.py#main > pkg/deep.py#dive": SURE,
        }

    def test_the_type_of_a_receiver_shows_which_method_is_meant(self) -> None:
        edges = linked(
            {
                "store.py": "class Store:\n    def save(self): ...\n\nclass Other:\n    def save(self): ...\n",
                "a.py": "from store import Store\n\ndef one(thing: Store):\n    thing.save()\n\n"
                "def two():\n    made = Store()\n    made.save()\n",
            }
        )

        calls = of(edges, CALLS)
        assert calls["a.py#one > store.py#Store.save"] == BY_TYPE
        assert calls["a.py#two > store.py#Store.save"] == BY_TYPE
        assert "a.py#one > store.py#Other.save" not in calls

    def test_the_only_one_of_a_name_is_likely_and_said_to_be_so(self) -> None:
        edges = linked(
            {
                "store.py": "class Store:\n    def persist(self): ...\n",
                "a.py": "def one(thing):\n    thing.persist()\n",
            }
        )

        (edge,) = [one for one in edges if one.type is CALLS]
        assert (edge.weight, edge.context) == (BY_NAME, "line 2; by name")

    def test_a_few_of_a_name_are_all_possible_and_many_are_none(self) -> None:
        few = {f"s{n}.py": f"class S{n}:\n    def persist(self): ...\n" for n in range(3)}
        many = {f"s{n}.py": f"class S{n}:\n    def persist(self): ...\n" for n in range(6)}
        caller = {"a.py": "def one(thing):\n    thing.persist()\n"}

        edges = linked({**few, **caller})
        assert of(edges, CALLS) == {f"a.py#one > s{n}.py#S{n}.persist": AMBIGUOUS for n in range(3)}
        assert {edge.context for edge in edges if edge.type is CALLS} == {
            "line 2; one of 3 named persist"
        }
        assert of(linked({**many, **caller}), CALLS) == {}

    def test_what_belongs_to_somebody_else_is_never_guessed(self) -> None:
        edges = linked(
            {
                "store.py": "def dumps(): ...\n\nclass Store:\n    def loads(self): ...\n    def get(self): ...\n",
                "a.py": "import json\nfrom json import dumps\n\ndef one(d):\n    json.loads('')\n    dumps(1)\n    d.get(1)\n",
            }
        )

        assert of(edges, CALLS) == {}

    def test_types_in_annotations_are_uses(self) -> None:
        edges = linked(
            {
                "store.py": "class Store: ...\n\nLIMIT = 3\n",
                "a.py": "from store import LIMIT, Store\n\ndef one(thing: Store) -> int:\n    return LIMIT\n",
            }
        )

        assert {"a.py#one > store.py#Store", "a.py#one > store.py#LIMIT"} <= set(of(edges, USES))

    def test_a_class_that_extends_itself_does_no_harm(self) -> None:
        edges = linked({"a.py": "class A(A):\n    def run(self):\n        self.none()\n"})

        assert of(edges, CALLS) == {}

    def test_a_folder_may_be_called_by_a_language(self) -> None:
        edges = linked(
            {
                "C#/a.py": "from b import go\n\ndef f():\n    go()\n    own()\n\ndef own(): ...\n",
                "C#/b.py": "def go(): ...\n",
            }
        )

        assert of(edges, CALLS) == {"C#/a.py#f > C#/b.py#go": SURE, "C#/a.py#f > C#/a.py#own": SURE}
        assert of(edges, IMPORTS) == {"C#/a.py > C#/b.py": SURE}

    def test_bases_that_go_round_in_circles_over_files_do_no_harm(self) -> None:
        edges = linked(
            {
                "other.py": "from third import Y\nclass X(Y.Z): pass\n",
                "third.py": "from other import X\nclass Y(X.Z): pass\n",
                "main.py": "from other import X\nclass A(X):\n    def f(self): self.foo()\n",
            }
        )

        assert of(edges, EXTENDS) == {"main.py#A > other.py#X": SURE}

    def test_modules_that_bring_each_other_do_no_harm(self) -> None:
        files = {
            f"m{number}.py": "".join(f"from m{other} import *\n" for other in range(12))
            for number in range(12)
        }

        assert of(linked({**files, "a.py": "from m0 import nothing\nnothing()\n"}), CALLS) == {}

    def test_what_a_function_calls_its_own_hides_what_others_call_so(self) -> None:
        edges = linked(
            {
                "client.py": "def run(): ...\n\ndef helper(): ...\n",
                "a.py": "import client\nfrom client import helper\n\ndef run(): ...\n\ndef f(run, client, helper):\n    run()\n    client.run()\n    helper()\n",
            }
        )

        assert of(edges, CALLS) == {}

    def test_a_method_of_a_base_that_is_known_by_name_alone_is_no_surer(self) -> None:
        edges = linked(
            {
                "base.py": "class Base:\n    def work(self): ...\n",
                "a.py": "class A(Base):\n    def f(self): self.work()\n",
            }
        )

        assert of(edges, CALLS) == {"a.py#A.f > base.py#Base.work": BY_NAME}


class TestOtherLanguages:
    def test_a_header_of_the_system_is_not_one_of_ours(self) -> None:
        edges = linked(
            {
                "absl/memory/memory.h": "int make();\n",
                "x/a.cc": "#include <memory>\n#include <time.h>\nint f() { return 1; }\n",
                "absl/time/time.h": "int now();\n",
            }
        )

        assert of(edges, IMPORTS) == {}

    def test_two_definitions_in_a_go_package_are_both_possible(self) -> None:
        edges = linked(
            {
                "p/a_linux.go": "package p\n\nfunc Open() {}\n",
                "p/a_windows.go": "package p\n\nfunc Open() {}\n",
                "p/u.go": "package p\n\nfunc Use() { Open() }\n",
            }
        )

        assert set(of(edges, CALLS).values()) == {AMBIGUOUS}

    def test_a_function_at_the_top_of_a_kotlin_file_is_imported(self) -> None:
        edges = linked(
            {
                "src/main/kotlin/p/Util.kt": "package p\nfun helper() {}\n",
                "src/main/kotlin/q/Main.kt": "package q\nimport p.helper\nfun main() { helper() }\n",
            }
        )

        assert of(edges, CALLS) == {
            "src/main/kotlin/q/Main.kt#main > src/main/kotlin/p/Util.kt#helper": SURE
        }

    def test_languages_stay_apart(self) -> None:
        edges = linked(
            {
                "a.py": "def main():\n    render_page()\n",
                "b.js": "export function render_page() {}\n",
                "c.go": "package c\n\nfunc render_page() {}\n",
            }
        )

        assert of(edges, CALLS) == {}

    def test_typescript_finds_imports_defaults_barrels_and_this(self) -> None:
        edges = linked(
            {
                "src/cart.ts": "export default class Cart {\n  add() { this.check() }\n  check() {}\n}\n"
                "export function total() {}\n",
                "src/index.ts": "export * from './cart'\nexport { default as Basket } from './cart'\n",
                "src/main.ts": "import Cart from './cart'\nimport { total } from './index'\n"
                "export function run() {\n  total()\n  const cart = new Cart()\n  cart.add()\n}\n",
            }
        )

        calls = of(edges, CALLS)
        assert calls["src/cart.ts#Cart.add > src/cart.ts#Cart.check"] == SURE
        assert calls["src/main.ts#run > src/cart.ts#total"] == SURE
        assert calls["src/main.ts#run > src/cart.ts#Cart.add"] == BY_TYPE

    def test_javascript_and_typescript_are_one(self) -> None:
        edges = linked(
            {
                "a.js": "import { run } from './b'\nrun()\n",
                "b.ts": "export function run() {}\n",
            }
        )

        assert of(edges, CALLS) == {"a.js > b.ts#run": SURE}

    def test_go_files_of_a_folder_see_each_other(self) -> None:
        edges = linked(
            {
                "go.mod": "module example.com/shop\n",
                "store/store.go": "package store\n\ntype Store struct{}\n\nfunc (s *Store) Save() { s.check() }\n",
                "store/check.go": "package store\n\nfunc (s *Store) check() { helper() }\n\nfunc helper() {}\n",
                "main.go": 'package main\n\nimport "example.com/shop/store"\n\nfunc New() {}\n\n'
                "func main() {\n\tstore.Open()\n\tNew()\n}\n",
                "store/open.go": "package store\n\nfunc Open() *Store { return &Store{} }\n",
            }
        )

        calls = of(edges, CALLS)
        assert calls["store/check.go#Store.check > store/check.go#helper"] == SURE
        assert calls["main.go#main > store/open.go#Open"] == SURE
        assert calls["main.go#main > main.go#New"] == SURE
        assert calls["store/store.go#Store.Save > store/check.go#Store.check"] >= BY_NAME

    def test_java_calls_methods_of_the_class_its_base_and_its_package(self) -> None:
        edges = linked(
            {
                "src/com/acme/Base.java": "package com.acme;\n\npublic class Base {\n  void open() {}\n}\n",
                "src/com/acme/Tool.java": "package com.acme;\n\npublic class Tool {\n  static void use() {}\n}\n",
                "src/com/acme/web/Page.java": "package com.acme.web;\n\nimport com.acme.Base;\nimport com.acme.Tool;\n\n"
                "public class Page extends Base {\n  void run() {\n    open();\n    own();\n    Tool.use();\n  }\n"
                "  void own() {}\n}\n",
            }
        )

        page = "src/com/acme/web/Page.java#Page"
        assert of(edges, CALLS) == {
            f"{page}.run > src/com/acme/Base.java#Base.open": SURE,
            f"{page}.run > {page}.own": SURE,
            f"{page}.run > src/com/acme/Tool.java#Tool.use": SURE,
        }
        assert of(edges, EXTENDS) == {f"{page} > src/com/acme/Base.java#Base": SURE}

    def test_a_java_test_sees_its_package_in_another_tree_and_a_new_object_means_its_class(
        self,
    ) -> None:
        edges = linked(
            {
                "src/main/java/com/acme/Cart.java": "package com.acme;\n\npublic class Cart {\n  public Cart() {}\n}\n",
                "src/test/java/com/acme/CartTest.java": "package com.acme;\n\npublic class CartTest {\n  void run() {\n    new Cart();\n  }\n}\n",
                "src/main/java/com/other/Shop.java": "package com.other;\n\npublic class Shop {\n  void run() {\n    new Cart();\n  }\n}\n",
            }
        )

        cart = "src/main/java/com/acme/Cart.java#Cart"
        assert of(edges, CALLS) == {
            f"src/test/java/com/acme/CartTest.java#CartTest.run > {cart}": SURE,
            f"src/main/java/com/other/Shop.java#Shop.run > {cart}": BY_NAME,
        }

    def test_a_call_leads_to_every_overload_and_says_so(self) -> None:
        edges = linked(
            {
                "A.java": 'class A {\n  void f(int a) {}\n  void f(String s) {}\n  void g() { f("x"); }\n}\n'
            }
        )

        assert of(edges, CALLS) == {
            "A.java#A.g > A.java#A.f": OVERLOAD,
            "A.java#A.g > A.java#A.f~2": OVERLOAD,
        }
        contexts = {edge.context for edge in edges if edge.type is CALLS}
        assert contexts == {"line 4; one of 2 overloads"}

    def test_rust_follows_use_and_impl(self) -> None:
        edges = linked(
            {
                "Cargo.toml": '[package]\nname = "shop"\n',
                "src/lib.rs": "mod store;\nuse crate::store::Store;\n\npub fn run() {\n    let s = Store::open();\n    s.save();\n}\n",
                "src/store.rs": "pub struct Store;\n\nimpl Store {\n    pub fn open() -> Self { Store }\n    pub fn save(&self) { self.check() }\n    fn check(&self) {}\n}\n",
            }
        )

        calls = of(edges, CALLS)
        assert calls["src/lib.rs#run > src/store.rs#Store.open"] == SURE
        assert calls["src/store.rs#Store.save > src/store.rs#Store.check"] == SURE
        assert calls["src/lib.rs#run > src/store.rs#Store.save"] >= BY_NAME
        assert of(edges, IMPORTS)["src/lib.rs > src/store.rs"] == SURE

    def test_super_in_a_module_of_the_same_file_means_the_file(self) -> None:
        edges = linked(
            {
                "Cargo.toml": '[package]\nname = "shop"\n',
                "src/lib.rs": "pub mod cart;\npub fn total() {}\n",
                "src/cart.rs": "pub fn add() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    fn it_adds() { add(); }\n}\n",
                "src/page.rs": "use super::total;\npub fn show() { total(); }\n",
            }
        )

        assert of(edges, IMPORTS) == {
            "src/lib.rs > src/cart.rs": SURE,
            "src/page.rs > src/lib.rs": SURE,
        }
        assert of(edges, CALLS) == {
            "src/cart.rs#tests.it_adds > src/cart.rs#add": SURE,
            "src/page.rs#show > src/lib.rs#total": SURE,
        }

    def test_c_calls_through_a_header(self) -> None:
        edges = linked(
            {
                "include/cart.h": "int total(int a);\n",
                "src/main.c": '#include "cart.h"\n\nint main(void) {\n  return total(1);\n}\n',
            }
        )

        assert of(edges, IMPORTS) == {"src/main.c > include/cart.h": SURE}
        assert of(edges, CALLS) == {"src/main.c#main > include/cart.h#total": SURE}

    def test_c_calls_through_headers_that_include_each_other(self) -> None:
        edges = linked(
            {
                "one.h": '#include "two.h"\nint first(void);\n',
                "two.h": '#include "one.h"\n#include "three.h"\n',
                "three.h": "int last(void);\nint first(void);\n",
                "main.c": '#include "one.h"\nint main(void) { return first() + last() + none(); }\n',
            }
        )

        assert of(edges, CALLS) == {
            "main.c#main > one.h#first": SURE,
            "main.c#main > three.h#last": SURE,
        }


class TestDocuments:
    def test_links_lead_to_documents_sections_files_and_folders(self) -> None:
        edges = linked(
            {
                "docs/a.md": "# A\n\nSee [the guide](guide.md#first-steps). Also [code](../src/run.py), "
                "[here](#a) and [all](./more/).\n",
                "docs/guide.md": "# Guide\n\n## First steps\n\ntext\n",
                "docs/more/README.md": "# More\n",
                "src/run.py": "def run(): ...\n",
            }
        )

        assert of(edges, REFERENCES) == {
            "docs/a.md#A > docs/guide.md#First steps": SURE,
            "docs/a.md#A > src/run.py": SURE,
            "docs/a.md#A > docs/more/README.md": SURE,
        }
        context = next(one.context for one in edges if one.target.endswith("#First steps"))
        assert context.startswith("See")
        assert "the guide" in context

    def test_a_broken_link_leads_nowhere(self) -> None:
        edges = linked({"a.md": "# A\n\n[x](none.md) [y](../../out.md) [[Nobody]]\n"})

        assert of(edges, REFERENCES) == {}

    def test_wikilinks_find_the_nearest_page_of_that_name(self) -> None:
        edges = linked(
            {
                "notes/a.md": "# A\n\nLike [[Thought Records#Use|TR]] says.\n",
                "notes/thought-records.md": "# Thought Records\n\n## Use\n\ntext\n",
                "other/deep/thought-records.md": "# Other\n",
            }
        )

        assert of(edges, REFERENCES) == {"notes/a.md#A > notes/thought-records.md#Use": SURE}

    def test_prose_mentions_symbols_by_their_exact_names(self) -> None:
        edges = linked(
            {
                "docs/a.md": "# A\n\nCall `check_order()` or `Store.save`. Nothing about Check_Order.\n",
                "shop.py": "def check_order(): ...\n\nclass Store:\n    def save(self): ...\n",
            }
        )

        assert of(edges, MENTIONS) == {
            "docs/a.md#A > shop.py#check_order": SURE,
            "docs/a.md#A > shop.py#Store.save": SURE,
        }

    def test_a_name_that_several_have_is_marked_as_such(self) -> None:
        edges = linked(
            {
                "a.md": "# A\n\nUse `save_all`.\n",
                "x.py": "def save_all(): ...\n",
                "y.py": "def save_all(): ...\n",
            }
        )

        assert of(edges, MENTIONS) == {
            "a.md#A > x.py#save_all": AMBIGUOUS,
            "a.md#A > y.py#save_all": AMBIGUOUS,
        }
