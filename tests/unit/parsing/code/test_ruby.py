from __future__ import annotations

import pytest

from trivium.testing.reading import Reading, reading
from trivium.types import EdgeType


def ruby(text: str) -> Reading:
    return reading("lib/a.rb", text)


SHOP = """\
# frozen_string_literal: true

require "json"
require_relative "../store/base"

module Acme
  # Sells things.
  #
  # Open all night.
  class Shop < Base::Store
    include Enumerable
    extend ActiveSupport::Concern

    MAX_ITEMS = 100
    Line = Struct.new(:item, :price) do
      def total; price; end
    end

    attr_reader :name

    class << self
      def open(name, *args, size: 1, **options, &block)
        new(name, size)
      end
    end

    # Makes one of nothing.
    def self.empty = new("")

    def initialize(name, size = 1)
      @name = name
      @client = Http::Client.new(name)
      @@count += 1
    end

    def sell(order, (first, rest), retries: 3)
      return nil if order.empty?

      order.lines.each do |line|
        next unless line.valid?
        raise ArgumentError, "no #{line.name}" if line.price < 0
      end
      self.total = order.sum
      response = @client.post("/orders", <<~JSON)
        { "def": "#{order.id}" }
      JSON
      order.lines << Line.new(1)
      Acme::Receipt.print(response)
    rescue Timeout => error
      raise Failed.new(error)
    end

    def empty? = @lines.empty?
    def name=(value); @name = value; end
    def +(other); end
    def [](index); end

    private

    def secret; end

    public

    def open_again; end

    private def hidden(x); end
  end
end
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f; end\n", {"f": "function"}),
        ("class A\n  def f; end\nend\n", {"A": "class", "A.f": "method"}),
        ("module A\n  class B\n    def f; end\n  end\nend\n",
         {"A": "namespace", "A.B": "class", "A.B.f": "method"}),
        ("class A::B < C\n  def f; end\nend\n", {"A.B": "class", "A.B.f": "method"}),
        ("module A\n  def self.f; end\n  module_function\n  def g; end\nend\n",
         {"A": "namespace", "A.f": "method", "A.g": "method"}),
        ("class A\n  class << self\n    def f; end\n    private\n    def g; end\n  end\nend\n",
         {"A": "class", "A.f": "method", "A.g": "method"}),
        ("def Foo.bar; end\n", {"Foo.bar": "method"}),
        ("class A\n  def initialize; end\nend\n", {"A": "class", "A.initialize": "constructor"}),
        ("class A\n  def ok?; end\n  def go!; end\n"
         "  def x=(v); end\n  def ==(o); end\n  def [](i); end\nend\n",
         {"A": "class", "A.ok?": "method", "A.go!": "method", "A.x=": "method", "A.==": "method",
          "A.[]": "method"}),
        ("class A\n  define_method(:f) { |x| x }\nend\n", {"A": "class", "A.f": "method"}),
        ("class A\n  private def f; end\nend\n", {"A": "class", "A.f": "method"}),
        ("A = 1\nB = Struct.new(:x) do\n  def f; end\nend\n",
         {"A": "constant", "B": "class", "B.f": "method"}),
        ("class A\n  X = %w[a b].freeze\nend\n", {"A": "class", "A.X": "constant"}),
        ("class A\n  def f; end\nend\nclass A\n  def f; end\nend\n",
         {"A": "class", "A.f": "method", "A~2": "class", "A.f~2": "method"}),
        ("if x\n  def f; end\nelse\n  def f; end\nend\n", {"f": "method", "f~2": "method"}),
        ("def f = 1\ndef g(x) = x\n", {"f": "function", "g": "function"}),
        ("s = <<~RUBY\n  class Fake\n    def nope; end\n  end\nRUBY\ndef real; end\n",
         {"real": "function"}),
        ("class A\n  included do\n    def f; end\n  end\nend\n", {"A": "class", "A.f": "method"}),
        ("# only\n__END__\ndef f; end\n", {}),
    ],
)  # fmt: skip
def test_symbols_are_found(text: str, expected: dict[str, str]) -> None:
    assert ruby(text).types == expected


def test_a_syntax_error_leaves_the_rest_alone() -> None:
    text = "class A\n  def good; end\n  def bad(; end\n  def fine; end\nend\ndef after; end\n"

    assert {"good", "fine", "after"} <= {name.rpartition(".")[2] for name in ruby(text).types}


def test_the_comment_above_is_the_doc() -> None:
    found = ruby(SHOP)

    assert found.nodes["Acme.Shop"].description == "Sells things."
    assert found.nodes["Acme.Shop.empty"].description == "Makes one of nothing."
    assert found.nodes[""].description == ""


def test_the_signature_has_no_body() -> None:
    found = ruby(SHOP)

    assert found.metadata("Acme.Shop")["signature"] == "class Shop < Base::Store"
    assert found.metadata("Acme.Shop.sell")["signature"] == (
        "def sell(order, (first, rest), retries: 3)"
    )
    assert found.metadata("Acme.Shop.secret")["signature"] == "def secret"
    assert found.metadata("Acme.Shop.hidden")["signature"] == "private def hidden(x)"


def test_parameters_of_every_kind_are_named() -> None:
    found = ruby(SHOP)

    assert found.metadata("Acme.Shop.open")["params"] == (
        "name", "args", "size", "options", "block",
    )  # fmt: skip
    assert found.metadata("Acme.Shop.sell")["params"] == ("order", "first", "rest", "retries")


def test_a_bare_private_hides_what_follows() -> None:
    found = ruby(SHOP)

    assert [
        found.metadata(f"Acme.Shop.{name}")["exported"]
        for name in ("sell", "secret", "open_again", "hidden")
    ] == [True, False, True, False]
    assert found.metadata("Acme.Shop.secret")["visibility"] == "private"


def test_required_files_are_imported_with_all_their_names() -> None:
    found = ruby(SHOP)

    assert found.references(EdgeType.IMPORTS) == [" > json.*", " > ../store/base.*"]
    assert found.metadata()["imports"] == ("json", "../store/base")


def test_mixins_are_implemented() -> None:
    found = ruby(SHOP)

    assert found.references(EdgeType.EXTENDS) == ["Acme.Shop > Base.Store"]
    assert found.references(EdgeType.IMPLEMENTS) == [
        "Acme.Shop > Enumerable",
        "Acme.Shop > ActiveSupport.Concern",
    ]


def test_what_a_method_does_is_counted() -> None:
    sell = ruby(SHOP).metadata("Acme.Shop.sell")

    assert (sell["loops"], sell["branches"], sell["continues"]) == (1, 4, 1)
    assert sell["throws"] == ("ArgumentError", "Failed")
    assert "self.total" in sell["mutates"]  # type: ignore[operator]
    assert sell["writes"] == ("response",)


def test_calls_know_the_type_of_their_receiver() -> None:
    calls = ruby(SHOP).references(EdgeType.CALLS)

    assert "Acme.Shop.sell > @client.post : Http.Client" in calls
    assert "Acme.Shop.sell > Acme.Receipt.print" in calls
    assert "Acme.Shop.sell > Line" in calls
    assert "Acme.Shop.initialize > Http.Client" in calls
    assert not any(call.endswith((" > raise", " > require")) for call in calls)


def test_a_class_contains_its_singleton_methods() -> None:
    edges = ruby(SHOP).edges(EdgeType.CONTAINS)

    assert {
        "Acme > Acme.Shop",
        "Acme.Shop > Acme.Shop.open",
        "Acme.Shop > Acme.Shop.empty",
        "Acme.Shop.Line > Acme.Shop.Line.total",
    } <= set(edges)
