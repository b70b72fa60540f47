# ruff: noqa: E501 - each source stands on one line
from __future__ import annotations

from collections.abc import Sequence

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType, MetaValue

SHOP = '''"""Sells things."""
from __future__ import annotations

import json
import os.path as paths
from collections import abc
from typing import TYPE_CHECKING

from . import models
from .errors import OutOfStock, ShopError as Failure

if TYPE_CHECKING:
    from .clients import Client

try:
    import fast_json
except ImportError:
    fast_json = None

LIMIT = 10
app = FastAPI()


class Shop(models.Base, abc.Sized, metaclass=Meta):
    """A shop."""

    RATE: float = 0.2
    name: str

    def __init__(self, client: Client, stock=3) -> None:
        self.client = client
        self.cache = Cache()
        self.items = []

    @property
    def size(self) -> int:
        return len(self.items)

    @size.setter
    def size(self, value: int) -> None:
        self._size = value

    async def sell(self, order: models.Order, *, retries: int = LIMIT) -> Receipt | None:
        """Sell it."""
        for attempt in range(retries):
            if order.done:
                continue
            try:
                answer = await self.client.post("/sell", json.dumps(order))
            except Failure as problem:
                raise problem
            if answer.ok:
                break
        else:
            raise OutOfStock(order)
        self.items.append(answer)
        total = sum(x for x in self.items if x)
        return Receipt(total)

    def _walk(self):
        yield from self.items


@app.get("/")
def index(request):
    def inner():
        return super().run()

    shop = Shop(request.client)
    shop.sell(order=None)
    return shop
'''


def python(text: str) -> Reading:
    return reading("shop/a.py", text)


def facts(body: str, key: str) -> MetaValue | None:
    """Return one fact of a function with this body."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return python(f"def f(p, q):\n{lines}").metadata("f").get(key)


def test_every_symbol_of_a_whole_file_is_found() -> None:
    assert python(SHOP).types == {
        "LIMIT": "constant",
        "app": "variable",
        "Shop": "class",
        "Shop.RATE": "constant",
        "Shop.__init__": "constructor",
        "Shop.size": "method",
        "Shop.size~2": "method",
        "Shop.sell": "method",
        "Shop._walk": "method",
        "index": "function",
        "index.inner": "function",
    }


def test_imports_are_bindings_wherever_they_stand() -> None:
    assert python(SHOP).references(EdgeType.IMPORTS) == [
        " > json as json",
        " > os.path as paths",
        " > collections.abc as abc",
        " > typing.TYPE_CHECKING as TYPE_CHECKING",
        " > ..models as models",
        " > .errors.OutOfStock as OutOfStock",
        " > .errors.ShopError as Failure",
        " > .clients.Client as Client",
        " > fast_json as fast_json",
    ]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("import a", [" > a as a"]),
        ("import a.b.c", [" > a.b.c as a"]),
        ("import a.b.c as d", [" > a.b.c as d"]),
        ("import a, b as c", [" > a as a", " > b as c"]),
        ("from a import *", [" > a.*"]),
        ("from .. import a", [" > ...a as a"]),
        ("from ..a.b import (c, d as e,)", [" > ..a.b.c as c", " > ..a.b.d as e"]),
        ("from __future__ import annotations", []),
        ("def f():\n    import a", [" > a as a"]),
        ("imports = 'import a'", []),
    ],
)
def test_an_import_binds_what_python_binds(statement: str, expected: list[str]) -> None:
    assert python(f"{statement}\n").references(EdgeType.IMPORTS) == expected


def test_a_reference_keeps_path_name_and_line() -> None:
    (found,) = python("x = 1\nfrom ..a import b as c\n").parsed.references

    assert (found.path, found.name, found.alias, found.line) == ("..a", "b", "c", 2)


def test_base_classes_are_extended_and_keywords_are_not() -> None:
    found = python("class A(B, m.C, Generic[T], make(D), metaclass=M, total=False): pass\n")

    assert found.references(EdgeType.EXTENDS) == ["A > B", "A > m.C", "A > Generic", "A > make"]
    assert found.metadata("A")["extends"] == ("B", "m.C", "Generic", "make")


def test_calls_know_the_type_of_their_receiver() -> None:
    calls = python(SHOP).references(EdgeType.CALLS)

    assert "Shop.sell > self.client.post : Client" in calls
    assert "Shop.sell > self.items.append : list" in calls
    assert "Shop.sell > Receipt" in calls
    assert "index > shop.sell : Shop" in calls
    assert "index > app.get : FastAPI" in calls
    assert "index.inner > super().run" in calls
    assert "app > FastAPI" in calls


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("run()", ["run"]),
        ("a.b.c()", ["a.b.c"]),
        ("a.b(1).c(2)", ["a.b().c", "a.b"]),
        ("a[0].b()", ["a[].b"]),
        ("f()()", ["f"]),
        ("table[key]()", None),
        ("(lambda: 1)()", None),
        ("', '.join(p)", ['"".join']),
        ("f'{g(p)}'.strip()", ['f"".strip', "g"]),
        ("a.b(\n    c.d(),\n)", ["a.b", "c.d"]),
        ("a . b ()", ["a.b"]),
        ("Client(p).get()", ["Client().get", "Client"]),
        ("'run()'", None),
        ("[g(x) for x in p]", ["g"]),
    ],
)
def test_callees_are_kept_as_written_without_arguments(
    expression: str, expected: list[str] | None
) -> None:
    assert facts(f"x = {expression}", "calls") == (None if expected is None else tuple(expected))


def test_the_result_of_a_constructor_is_a_receiver_with_a_type() -> None:
    calls = python("def f():\n    Client(1).get()\n    'a'.strip()\n").references(EdgeType.CALLS)

    assert calls == ["f > Client().get : Client", "f > Client", 'f > "".strip : str']


def test_a_receiver_that_is_a_field_of_a_known_type_has_its_type() -> None:
    text = (
        "class Pool:\n    conn: Connection\n\n"
        "def f(pool: Pool):\n    pool.conn.close()\n    pool.other.close()\n"
    )

    assert python(text).references(EdgeType.CALLS) == [
        "f > pool.conn.close : Connection",
        "f > pool.other.close as local",
    ]


def test_the_receiver_self_is_of_the_class_around() -> None:
    text = "class A:\n    def f(self):\n        def g():\n            self.h()\n        self.h()\n"

    assert python(text).references(EdgeType.CALLS) == [
        "A.f > self.h : A",
        "A.f.g > self.h : A",
    ]


def test_a_nested_function_owns_what_it_does() -> None:
    found = python(
        "def f():\n    for x in y: pass\n    def g():\n        while a:\n            if b: break\n"
    )

    assert (found.metadata("f")["loops"], found.metadata("f.g")["loops"]) == (1, 1)
    assert found.metadata("f.g")["branches"] == 1
    assert not {"branches", "breaks"} & found.metadata("f").keys()


@pytest.mark.parametrize(
    ("body", "key", "expected"),
    [
        ("if p: pass\nelif q: pass\nelse: pass", "branches", 2),
        ("x = 1 if p else 2", "branches", 1),
        ("match p:\n    case 1: pass\n    case _: pass", "branches", 2),
        ("try: pass\nexcept A: pass\nexcept (B, C): pass\nfinally: pass", "branches", 2),
        ("x = [y for y in p if y]", "branches", 1),
        ("for x in p: pass\nwhile q: pass", "loops", 2),
        ("x = {y: z for y in p for z in y}", "loops", 2),
        ("for x in p:\n    break", "breaks", 1),
        ("for x in p:\n    continue", "continues", 1),
        ("return", "returns", None),
        ("return 1", "returns", True),
        ("yield 1", "generator", True),
        ("yield", "generator", True),
        ("x = yield from p", "generator", True),
        ("pass", "branches", None),
    ],
)
def test_control_flow_is_counted(body: str, key: str, expected: int | None) -> None:
    assert facts(body, key) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("raise ValueError('x')", ("ValueError",)),
        ("raise errors.NotFound from None", ("NotFound",)),
        ("raise ValueError\nraise ValueError(1)", ("ValueError",)),
        ("try: pass\nexcept KeyError as e:\n    raise e", ("KeyError",)),
        ("try: pass\nexcept KeyError:\n    raise", None),
    ],
)
def test_what_is_raised_is_known_by_its_type(body: str, expected: Sequence[str] | None) -> None:
    assert facts(body, "throws") == expected


def test_async_functions_await() -> None:
    found = python(
        "async def f(c):\n    a = await c.get(1)\n    await other\n    async with await c.open() as o:\n"
        "        async for x in o: yield x\n"
    ).metadata("f")

    assert (found["async"], found["generator"], found["loops"]) == (True, True, 1)
    assert found["awaits"] == ("c.get", "other", "c.open")
    assert found["modifiers"] == ("async",)


@pytest.mark.parametrize(
    ("body", "writes", "mutates"),
    [
        ("x = 1", ("x",), None),
        ("x: int = 1", ("x",), None),
        ("x: int", None, None),
        ("x += 1", ("x",), None),
        ("x, (y, *z) = p", ("x", "y", "z"), None),
        ("p.x = 1", None, ("p.x",)),
        ("p.x[0].y = 1", None, ("p.x.y",)),
        ("p[0] = 1", None, ("p",)),
        ("x, p.y = q", ("x",), ("p.y",)),
        ("p.append(1)\nq.x.update(p)", None, ("p", "q.x")),
        ("if (x := p): pass", ("x",), None),
        ("for x, y in p: pass", ("x", "y"), None),
        ("with p as x: pass", ("x",), None),
        ("del p[0], q.x", None, ("p", "q.x")),
        ("p(x=1)", None, None),
    ],
)
def test_names_are_written_and_the_rest_is_mutated(
    body: str, writes: Sequence[str] | None, mutates: Sequence[str] | None
) -> None:
    assert (facts(body, "writes"), facts(body, "mutates")) == (writes, mutates)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = p", ("p",)),
        ("x = 1\nreturn x", ("x",)),
        ("x = 'p q'  # r", None),
        ("return f'{p} q {r!r}'", ("p", "r")),
        ("return p.a.b + self.c.d", ("p", "self.c")),
        ("return g(p, key=q)", ("p", "q")),
        ("return 1e5 + 0x1F + 1_000j", None),
        ("return not p and None is True", ("p",)),
        ("return p==q", ("p", "q")),
        ("x = p.get(q)", ("p", "q")),
        ('return rb"p"', None),
    ],
)
def test_names_in_code_are_read(body: str, expected: Sequence[str] | None) -> None:
    assert facts(body, "reads") == expected


def test_one_name_assigned_to_another_is_an_alias() -> None:
    assert facts("x = p\ny = p.q\nself.z = q\nw = p()\nv = 1\nu = u", "aliases") == (
        "x=p",
        "y=p.q",
        "self.z=q",
    )


def test_imported_names_and_those_of_the_module_are_used() -> None:
    found = python(
        "import cfg\nfrom m import helper, Kind, tool\nimport n as alias\n\nLIMIT = 1\n\n"
        "def other(): pass\n\n"
        "def f(tool, k: Kind = Kind.A):\n    x = cfg.DEBUG\n    y = helper()\n"
        "    return LIMIT, other, tool, alias.B.c, helper.attr, unknown\n"
    )

    assert found.metadata("f")["uses"] == ("Kind", "cfg.DEBUG", "LIMIT", "other", "alias.B")
    assert [one for one in found.references(EdgeType.USES) if one.startswith("f")] == [
        "f > Kind",
        "f > cfg.DEBUG",
        "f > LIMIT",
        "f > other",
        "f > alias.B",
    ]


def test_types_in_annotations_are_used() -> None:
    found = python(
        "def f(a: dict[str, Foo], b: 'm.Bar | None', *c: T) -> list[Baz]:\n    x: Qux = 1\n"
    )

    assert found.metadata("f")["uses"] == ("Foo", "m.Bar", "Qux", "Baz")


def test_parameters_and_results_have_their_types() -> None:
    found = python(SHOP)

    assert found.metadata("Shop.sell")["paramTypes"] == ("order: models.Order", "retries: int")
    assert found.metadata("Shop.sell")["returnType"] == "Receipt | None"
    assert found.metadata("Shop.__init__")["paramTypes"] == ("client: Client",)
    assert found.metadata("Shop.__init__")["inferredTypes"] == ("stock: int",)
    assert "returnType" not in found.metadata("index")


def test_parameters_of_every_kind_have_types() -> None:
    found = python("def f(a: A, b: B = 1, /, *c: C, d: D, **e: 'E') -> 'F': ...\n").metadata("f")

    assert found["paramTypes"] == ("a: A", "b: B", "c: C", "d: D", "e: 'E'")
    assert found["returnType"] == "'F'"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = Foo()", ("x: Foo",)),
        ("x = m.Foo(1)", ("x: m.Foo",)),
        ("x = await Foo()", ("x: Foo",)),
        ("x = _Private()", ("x: _Private",)),
        ("x = make()", None),
        ("x = Foo().make()", None),
        ("x = 'a'\ny = 1\nz = 1.5\nw = True", ("x: str", "y: int", "z: float", "w: bool")),
        ("x = []\ny = {}\nz = (1,)\nw = {1}", ("x: list", "y: dict", "z: tuple", "w: set")),
        ("x = [y for y in p]", ("x: list",)),
        ("x: Foo = make()", ("x: Foo",)),
        ("x = Foo()\ny = x", ("x: Foo", "y: Foo")),
        ("with Foo() as x: pass", ("x: Foo",)),
        ("return Foo()", ("return: Foo",)),
        ("x = Foo()\nreturn x", ("x: Foo", "return: Foo")),
        ("if p:\n    return 1\nreturn 'a'", ("return: int", "return: str")),
        ("x = None", None),
    ],
)
def test_a_value_shows_its_type(body: str, expected: Sequence[str] | None) -> None:
    assert facts(body, "inferredTypes") == expected


def test_the_fields_of_a_class_have_their_types() -> None:
    found = python(
        "@dataclass\nclass P:\n    x: int\n    y: list[Q] = field()\n"
        "    def f(self, z: Z):\n        self.z = z\n        self.w = W()\n        self.x = 'a'\n"
    ).metadata("P")

    assert found["inferredTypes"] == ("x: int", "y: list[Q]", "w: W", "z: Z")
    assert found["decorators"] == ("dataclass",)


def test_decorators_are_named_without_arguments() -> None:
    found = python("@a\n@b.c(d, e=1)\n@f()\nclass A:\n    @staticmethod\n    def g(): pass\n")

    assert found.metadata("A")["decorators"] == ("a", "b.c", "f")
    assert found.metadata("A.g")["decorators"] == ("staticmethod",)
    assert found.metadata("A.g")["modifiers"] == ("staticmethod",)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("f", "public"), ("_f", "private"), ("__f", "private"), ("__f__", "public")],
)
def test_an_underscore_makes_private(name: str, expected: str) -> None:
    assert python(f"def {name}(): pass\n").metadata(name)["visibility"] == expected


def test_enums_are_known_by_their_base_and_their_members_are_constants() -> None:
    found = python(
        "class E(str, enum.Enum):\n    A = 1\n    B = auto()\nclass F(IntFlag):\n  pass\n"
    )

    assert found.types == {"E": "enum", "E.A": "constant", "E.B": "constant", "F": "enum"}


def test_the_constants_of_a_class_stay_in_its_text() -> None:
    text = "class A:\n    MAX = 1\n    lower = 2\n\n    def f(self): pass\n"
    found = python(text)

    assert found.types == {"A": "class", "A.MAX": "constant", "A.f": "method"}
    assert found.nodes["A.MAX"].own == ()
    assert [text[one.start : one.end] for one in found.nodes["A"].own] == [
        "class A:\n    MAX = 1\n    lower = 2\n\n"
    ]
    assert "A > A.MAX" in found.edges(EdgeType.CONTAINS)


@pytest.mark.parametrize(
    ("statement", "type_"),
    [
        ("app = FastAPI()", "variable"),
        ("app: App = web.Application(1)", "variable"),
        ("log = logging.getLogger(__name__)", None),
        ("app = make()", None),
        ("add = lambda a, b: a + b", "function"),
        ("type Pair[T] = tuple[T, T]", "type"),
    ],
)
def test_of_the_variables_of_a_module_instances_are_found(
    statement: str, type_: str | None
) -> None:
    assert list(python(f"{statement}\n").types.values()) == ([] if type_ is None else [type_])


def test_the_module_exports_what_it_may() -> None:
    found = python("def f(): pass\ndef _g(): pass\nclass A: pass\n")

    assert found.edges(EdgeType.EXPORTS) == [" > f", " > A"]
    assert found.metadata()["exports"] == ("f", "A")


def test_what_all_lists_is_exported_be_it_imported() -> None:
    found = python(
        "from .a import x, y as z\nfrom .b import w\n__all__ = ['x', 'z', 'f']\n"
        "__all__ += ['_g']\ndef f(): pass\ndef _g(): pass\ndef h(): pass\n"
    )

    assert found.edges(EdgeType.EXPORTS) == [" > f", " > _g"]
    assert found.references(EdgeType.EXPORTS) == [" > .a.x as x", " > .a.y as z"]
    assert found.metadata()["exports"] == ("f", "_g", "x", "z")


def test_code_of_the_module_itself_has_facts_too() -> None:
    found = python("import sys\nx = run(sys.argv)\nif x:\n    stop()\n")

    assert found.metadata()["calls"] == ("run", "stop")
    assert found.metadata()["branches"] == 1
    assert found.references(EdgeType.USES) == [" > sys.argv"]


def test_type_parameters_are_no_types_to_look_for() -> None:
    found = python("def f[T: Bound](a: T, b: T2) -> list[T]: ...\nclass A[K]:\n    x: K\n")

    assert found.types == {"f": "function", "A": "class"}
    assert found.references(EdgeType.USES) == []


def test_overloads_are_all_there_and_keep_their_types() -> None:
    found = python(
        "@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\n"
        "def f(a): return a\n"
    )

    assert [found.metadata(name).get("returnType") for name in ("f", "f~2", "f~3")] == [
        "int",
        "str",
        None,
    ]
    assert found.metadata("f")["modifiers"] == ("overload",)


def test_a_lambda_inside_a_function_is_part_of_it() -> None:
    found = python("def f():\n    g = lambda x: h(x)\n    return map(lambda y: i(y), [])\n")

    assert found.types == {"f": "function"}
    assert found.metadata("f")["calls"] == ("h", "map", "i")


def test_syntax_errors_leave_the_facts_of_the_rest_alone() -> None:
    found = python(
        "import a\n\ndef good():\n    return a.b()\n\ndef bad(x):\n    x = = 1\n\n\n"
        "class Fine(Base):\n    def m(self):\n        raise E()\n"
    )

    assert found.metadata("good")["calls"] == ("a.b",)
    assert "Fine > Base" in found.references(EdgeType.EXTENDS)


def test_facts_count_code_points_not_bytes() -> None:
    found = python("größe = 'é😀'\n\n\ndef 点(é: Größe):\n    é.größer()  # ü\n    return größe\n")

    assert found.metadata("点")["paramTypes"] == ("é: Größe",)
    assert found.metadata("点")["calls"] == ("é.größer",)
    assert found.references(EdgeType.CALLS) == ["点 > é.größer : Größe"]


def test_lists_are_bounded() -> None:
    many = range(300)
    body = "".join(f"    v{n} = f{n}(w{n})\n" for n in many)
    found = python(f"def f():\n{body}").metadata("f")

    assert [len(found[key]) for key in ("calls", "writes", "reads")] == [200, 100, 100]  # type: ignore[arg-type]


def test_references_are_bounded() -> None:
    text = "".join(f"def f{n}():\n    g{n}()\n" for n in range(5_100))

    assert len(python(text).parsed.references) == 5_000
