from __future__ import annotations

import pytest

from trivium.testing.reading import reading
from trivium.types import EdgeType

SOURCE = '''\
defmodule Shop.Cart do
  @moduledoc """
  Holds what a customer buys.

  More of it.
  """
  use GenServer
  alias Shop.{Item, Price}
  alias Shop.Repo, as: Store
  import Ecto.Query, only: [from: 2]
  require Logger
  @behaviour Shop.Container

  @timeout 5_000
  defstruct [:items, total: 0]

  @type t :: %__MODULE__{items: list}
  @callback init(options :: term) :: term

  @doc """
  Adds an item.
  """
  @spec add(t, Item.t(), keyword) :: t
  def add(cart, item, options \\\\ [])
  def add(%__MODULE__{} = cart, nil, _options), do: cart

  def add(cart, item, options) when is_list(options) do
    if options[:quiet] do
      cart
    else
      Logger.info("added #{inspect(item)}")
      item |> Price.of() |> round_up
    end
  end

  defp round_up(0), do: 0
  defp round_up(n), do: raise(ArgumentError, "#{n}")

  defmacro quick(cart, do: block) do
    quote do
      unquote(block)
    end
  end

  defmodule Line do
    def total(line), do: line.count * line.price
  end
end

defprotocol Shop.Printable do
  def print(thing)
end

defimpl Shop.Printable, for: Shop.Cart do
  def print(cart), do: Enum.map(cart.items, &print_item/1)
end
'''


def test_modules_functions_and_the_rest_are_found() -> None:
    assert reading("lib/cart.ex", SOURCE).types == {
        "Shop.Cart": "namespace",
        "Shop.Cart.timeout": "constant",
        "Shop.Cart.defstruct": "struct",
        "Shop.Cart.t": "type",
        "Shop.Cart.init": "method",
        "Shop.Cart.add": "function",
        "Shop.Cart.round_up": "function",
        "Shop.Cart.quick": "macro",
        "Shop.Cart.Line": "namespace",
        "Shop.Cart.Line.total": "function",
        "Shop.Printable": "interface",
        "Shop.Printable.print": "method",
        "Shop.Cart.print": "method",
    }


def test_the_clauses_of_one_function_are_one_node() -> None:
    read = reading("lib/cart.ex", SOURCE)
    node = read.nodes["Shop.Cart.add"]
    text = SOURCE[node.span.start : node.span.end]

    assert text.startswith('  @doc """')
    assert text.endswith("    end\n  end")
    assert node.metadata["signature"] == "def add(cart, item, options \\\\ [])"
    assert node.metadata["params"] == ("cart", "item", "options")
    assert node.description == "Adds an item."


def test_clauses_that_do_not_stand_together_are_nodes_of_their_own() -> None:
    text = "defmodule A do\n  def f(0), do: 1\n  def g(x), do: x\n  def f(n), do: n\nend\n"

    assert list(reading("a.ex", text).types) == ["A", "A.f", "A.g", "A.f~2"]


@pytest.mark.parametrize(
    ("line", "name", "parameters"),
    [
        ("def f, do: 1", "f", ()),
        ("def f(), do: 1", "f", ()),
        ("def f(a, b), do: 1", "f", ("a", "b")),
        ("def f(a) when a > 0, do: 1", "f", ("a",)),
        ("def f(a) when is_atom(a) and a != nil do\n  a\nend", "f", ("a",)),
        ('def f(:ok, "x", 1, _), do: 1', "f", ()),
        ("def f(a, b \\\\ nil)", "f", ("a", "b")),
        ("def valid?(a), do: a", "valid?", ("a",)),
        ("def a + b, do: 1", "+", ()),
        ("defdelegate size(map), to: Map", "size", ("map",)),
        ("defguard is_even(n) when rem(n, 2) == 0", "is_even", ("n",)),
    ],
)
def test_a_definition_has_its_name_and_its_parameters(
    line: str, name: str, parameters: tuple[str, ...]
) -> None:
    read = reading("a.ex", f"defmodule A do\n{line}\nend\n")

    assert list(read.types) == ["A", f"A.{name}"]
    assert read.metadata(f"A.{name}")["params"] == parameters


def test_the_module_has_its_moduledoc() -> None:
    node = reading("lib/cart.ex", SOURCE).nodes["Shop.Cart"]

    assert node.name == "Cart"
    assert node.description == "Holds what a customer buys."
    assert node.metadata["signature"] == "defmodule Shop.Cart"


def test_private_definitions_are_not_exported() -> None:
    read = reading("lib/cart.ex", SOURCE)

    assert read.metadata("Shop.Cart.add")["exported"] is True
    assert read.metadata("Shop.Cart.round_up")["exported"] is False
    assert read.metadata("Shop.Cart.round_up")["visibility"] == "private"
    assert read.metadata("Shop.Cart.timeout")["exported"] is False


def test_aliases_imports_and_uses_bind_modules() -> None:
    assert reading("lib/cart.ex", SOURCE).references(EdgeType.IMPORTS) == [
        " > GenServer as GenServer",
        " > Shop.Item as Item",
        " > Shop.Price as Price",
        " > Shop.Repo as Store",
        " > Ecto.Query.*",
        " > Logger as Logger",
    ]


def test_calls_are_found_in_pipes_and_captures_too() -> None:
    read = reading("lib/cart.ex", SOURCE)

    assert read.metadata("Shop.Cart.add")["calls"] == (
        "is_list",
        "Logger.info",
        "inspect",
        "Price.of",
        "round_up",
    )
    assert read.metadata("Shop.Cart.print")["calls"] == ("Enum.map", "print_item")
    assert read.metadata("Shop.Cart.round_up")["throws"] == ("ArgumentError",)


def test_a_module_implements_its_behaviours() -> None:
    references = reading("lib/cart.ex", SOURCE).references(EdgeType.IMPLEMENTS)

    assert "Shop.Cart > Shop.Container" in references


def test_tests_are_named_by_their_text() -> None:
    text = (
        "defmodule ATest do\n"
        '  test "adds #{1} and one", %{conn: conn} do\n    assert f(conn)\n  end\nend\n'
    )

    assert reading("test/a_test.exs", text).types == {
        "ATest": "namespace",
        "ATest.adds #{1} and one": "function",
    }


def test_an_error_in_the_middle_keeps_the_rest() -> None:
    text = "defmodule A do\n  def f(a), do: a\n  def g(, do: (\n  def h(b), do: b\nend\n"

    assert {name.rpartition(".")[2] for name in reading("a.ex", text).types} >= {"A", "f", "h"}


def test_text_that_looks_like_code_is_none() -> None:
    text = (
        'defmodule A do\n  def f do\n    """\n    def fake(x), do: x\n    """\n  end\n'
        "  # def also, do: 1\nend\n"
    )

    assert list(reading("a.ex", text).types) == ["A", "A.f"]
