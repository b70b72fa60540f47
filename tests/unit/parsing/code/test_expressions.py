from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.parsing.code.expressions import (
    LONGEST_EXPRESSION,
    bare_type,
    called_in,
    callee_of,
    chain_of,
    made_by,
    names_in_type,
    targets_of,
)


@pytest.mark.parametrize(
    ("text", "path", "name"),
    [
        ("run", "", "run"),
        ("a.b.run", "a.b", "run"),
        ("a(1, (2)).b[c(d)].run", "a().b[]", "run"),
        ("std::fs::read", "std.fs", "read"),
        ("ptr->next->run", "ptr.next", "run"),
        ("a?.b?.run", "a.b", "run"),
        ("a&.run", "a", "run"),
        ("a:run", "a", "run"),
        ("Vec::<Vec<u8>>::new", "Vec", "new"),
        ("new Foo<Bar>(1).run", "Foo()", "run"),
        ("super().run", "super()", "run"),
        ("a\n    .b\n    .run", "a.b", "run"),
        ("this.#run", "this", "#run"),
        ("user.save!", "user", "save!"),
        ("größe.läuft", "größe", "läuft"),
    ],
)
def test_a_callee_is_a_receiver_and_a_name(text: str, path: str, name: str) -> None:
    found = callee_of(text)

    assert found is not None
    assert (found.path, found.name) == (path, name)
    assert found.text == (f"{path}.{name}" if path else name)


@pytest.mark.parametrize("text", ["", "f()", "table[key]", "(lambda: x)", "1", "'text'", "   "])
def test_what_is_called_may_have_no_name(text: str) -> None:
    assert callee_of(text) is None


def test_of_a_long_chain_only_the_last_name_is_kept() -> None:
    found = callee_of(".".join(f"step{n}(x)" for n in range(LONGEST_EXPRESSION)) + ".run")

    assert found is not None
    assert (found.path, found.name) == ("()", "run")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("client.get(url, x)", "client.get"),
        ("a.b(c(d)).e()", "a.b().e"),
        ("task", ""),
        ("a + b", ""),
    ],
)
def test_the_callee_of_a_call_is_found_in_its_text(text: str, expected: str) -> None:
    assert called_in(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ValueError('x')", "ValueError"),
        ("new errors.NotFound<T>(x)", "errors.NotFound"),
        ("Base[T]", "Base"),
        ("&dyn fmt::Display", "dyn"),
        ("'text'", ""),
    ],
)
def test_a_chain_is_what_a_text_begins_with(text: str, expected: str) -> None:
    assert chain_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", [("x", True)]),
        ("a.b", [("a.b", False)]),
        ("a[0]", [("a", False)]),
        ("a.b[c[1]].d", [("a.b.d", False)]),
        ("f(x).y", [("f.y", False)]),
        ("a, b", [("a", True), ("b", True)]),
        ("(a, [b, c.d])", [("a", True), ("b", True), ("c.d", False)]),
        ("a[0], b", [("a", False), ("b", True)]),
        ("*rest", [("*rest", False)]),
    ],
)
def test_an_assignment_has_targets(text: str, expected: list[tuple[str, bool]]) -> None:
    assert [tuple(one) for one in targets_of(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Client", "Client"),
        ("m.Client", "m.Client"),
        ("Optional[Client]", "Client"),
        ("Client | None", "Client"),
        ("None | Client", "Client"),
        ("Client | Other", ""),
        ("'Client'", "Client"),
        ("list[Client]", "list"),
        ("&'a mut Client<T>", "Client"),
        ("*net.Conn", "net.Conn"),
        ("Promise<Client>", "Client"),
        ("Option<Box<Client>>", "Client"),
        ("Client?", "Client"),
        ("()", ""),
        ("", ""),
    ],
)
def test_a_type_stands_for_one_class(text: str, expected: str) -> None:
    assert bare_type(text) == expected


def test_every_name_in_a_type_is_found_once() -> None:
    assert names_in_type("dict[str, m.User | str]") == ("dict", "str", "m.User")


@pytest.mark.parametrize(
    ("path", "expected"),
    [("Client()", "Client"), ("m.Client()", "m.Client"), ("make()", ""), ("Client", "")],
)
def test_a_call_of_a_type_makes_one(path: str, expected: str) -> None:
    assert made_by(path) == expected


@given(st.text(alphabet="ab.()[]{}<>:-?!&*,'\"\n ", max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    callee_of(text)
    called_in(text)
    chain_of(text)
    bare_type(text)
    names_in_type(text)
    assert all(target.text for target in targets_of(text))
