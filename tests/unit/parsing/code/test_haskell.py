from __future__ import annotations

import pytest

from trivium.testing.reading import reading
from trivium.types import EdgeType

SOURCE = """\
{-# LANGUAGE OverloadedStrings #-}
-- | Trees and how to walk them.
module Data.Tree
  ( Tree (..)
  , insert
  , (<+>)
  ) where

import qualified Data.Map as M
import Data.List (sort, nub)
import Data.Maybe
import Prelude hiding (lookup)

-- | A binary tree.
data Tree a
  = Leaf
  | Branch { left :: Tree a, value :: a }
  deriving (Show, Eq)

newtype Depth = Depth { depth :: Int }

type Name = String

-- | Puts a value in.
--
-- Keeps the order.
insert :: Ord a => a -> Tree a -> Tree a
insert x Leaf = Branch Leaf x
insert x tree
  | x < value tree = go x tree
  | otherwise = M.findWithDefault tree x cache
  where
    go y t = balance (insert y t)

hidden :: Int
hidden = 3

(<+>) :: Tree a -> Tree a -> Tree a
a <+> b = merge a b

class Eq a => Shape a where
  -- | How large.
  area :: a -> Double
  area _ = 0

instance Show a => Shape (Tree a) where
  area tree = fromIntegral (size tree)
"""


def test_declarations_are_found() -> None:
    assert reading("src/Data/Tree.hs", SOURCE).types == {
        "Tree": "struct",
        "Depth": "struct",
        "Name": "type",
        "insert": "function",
        "hidden": "function",
        "<+>": "function",
        "Shape": "trait",
        "Shape.area": "method",
        "Tree.area": "method",
    }


def test_a_type_signature_and_all_equations_are_one_node() -> None:
    node = reading("src/Data/Tree.hs", SOURCE).nodes["insert"]
    text = SOURCE[node.span.start : node.span.end]

    assert text.startswith("-- | Puts a value in.")
    assert text.endswith("balance (insert y t)")
    assert node.metadata["signature"] == "insert :: Ord a => a -> Tree a -> Tree a"
    assert node.metadata["params"] == ("x",)
    assert node.description == "Puts a value in."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("main = print 1\n", {"main": "function"}),
        ("f x y = x\n", {"f": "function"}),
        ("f :: Int -> Int\nf 0 = 1\nf n = n * f (n - 1)\n", {"f": "function"}),
        ("f 0 = 1\n\ng x = x\n", {"f": "function", "g": "function"}),
        ("x `op` y = x\n", {"op": "function"}),
        ("f x\n  | x > 0, y <- x = 1\n  | otherwise = 2\n", {"f": "function"}),
        ("f x = case x of\n  Just y -> y\n  Nothing -> 0\n", {"f": "function"}),
        ("data A where\n  B :: Int -> A\n", {"A": "struct"}),
        ("type family F a where\n  F Int = Bool\n", {"F": "type"}),
        ('s = "f x = x"\n-- g x = x\n{- h x = x -}\n', {"s": "function"}),
        ("f x = x\n\ng = 1 +\n\nh x = x\n", {"f": "function", "h": "function"}),
    ],
)
def test_single_declarations_are_found(text: str, expected: dict[str, str]) -> None:
    found = reading("a.hs", text).types

    assert {
        name: type_ for name, type_ in found.items() if name != "g" or "g" in expected
    } == expected


def test_a_module_exports_what_its_header_lists() -> None:
    read = reading("src/Data/Tree.hs", SOURCE)

    assert read.metadata("insert")["exported"] is True
    assert read.metadata("Tree")["exported"] is True
    assert read.metadata("<+>")["exported"] is True
    assert read.metadata("hidden")["exported"] is False
    assert reading("a.hs", "module A where\nf x = x\n").metadata("f")["exported"] is True


def test_the_module_and_the_types_have_their_comments() -> None:
    read = reading("src/Data/Tree.hs", SOURCE)

    assert read.nodes[""].description == "Trees and how to walk them."
    assert read.nodes["Tree"].description == "A binary tree."
    assert read.nodes["Shape.area"].description == "How large."


def test_imports_bind_names_modules_or_everything() -> None:
    assert reading("src/Data/Tree.hs", SOURCE).references(EdgeType.IMPORTS) == [
        " > Data.Map as M",
        " > Data.List.sort as sort",
        " > Data.List.nub as nub",
        " > Data.Maybe.*",
        " > Prelude.*",
    ]


def test_calls_are_applications_and_operands_of_composition() -> None:
    read = reading("src/Data/Tree.hs", SOURCE + "\nrun = mapM_ print . sort $ nub xs\n")

    assert read.metadata("insert")["calls"] == (
        "value",
        "go",
        "M.findWithDefault",
        "balance",
        "insert",
    )
    assert read.metadata("run")["calls"] == ("mapM_", "sort", "nub")


def test_classes_extend_and_types_implement() -> None:
    read = reading("src/Data/Tree.hs", SOURCE)

    assert read.references(EdgeType.EXTENDS) == ["Shape > Eq"]
    assert read.references(EdgeType.IMPLEMENTS) == ["Tree > Show", "Tree > Eq", "Tree > Shape"]


def test_guards_and_alternatives_are_branches() -> None:
    assert reading("src/Data/Tree.hs", SOURCE).metadata("insert")["branches"] == 2
