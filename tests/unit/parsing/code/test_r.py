from __future__ import annotations

import sys

import pytest

from trivium.parsing.code import table
from trivium.parsing.parse import parse
from trivium.testing.reading import reading
from trivium.types import Document, EdgeType, Kind

SOURCE = """\
# Reads and cleans surveys.
library(dplyr)
require("ggplot2")
source("R/util.R")
requireNamespace("jsonlite")

MAX_ROWS <- 100

#' Reads a survey.
#'
#' @param path where it is
#' @export
read_survey <- function(path, sep = ",", ...) {
  rows <- utils::read.csv(path, sep = sep)
  for (i in seq_len(nrow(rows))) {
    if (is.na(rows[i, 1])) next
    if (i > MAX_ROWS) stop("too many")
  }
  dplyr::filter(rows, ok)
  return(rows)
}

print.survey = function(x, ...) UseMethod("print")

`my fun` <- function() 1

.hidden <<- \\(x) x

Person <- R6::R6Class("Person",
  inherit = Thing,
  public = list(
    name = NULL,
    initialize = function(name) {
      self$name <- name
    },
    greet = function(other) {
      self$speak(other)
    }
  )
)

setClass("Shape", contains = "Base", representation(name = "character"))
setGeneric("area", function(shape) standardGeneric("area"))
setMethod("area", "Circle", function(shape) 3.14 * shape@r^2)
"""


def test_functions_classes_and_constants_are_found() -> None:
    assert reading("R/survey.R", SOURCE).types == {
        "MAX_ROWS": "constant",
        "read_survey": "function",
        "print.survey": "function",
        "my fun": "function",
        ".hidden": "function",
        "Person": "class",
        "Person.initialize": "constructor",
        "Person.greet": "method",
        "Shape": "class",
        "area": "function",
        "Circle.area": "method",
    }


def test_a_dot_in_a_name_is_no_qualifier() -> None:
    assert reading("R/survey.R", SOURCE).nodes["print.survey"].name == "print.survey"


def test_a_function_has_signature_comment_and_parameters() -> None:
    read = reading("R/survey.R", SOURCE)

    assert read.metadata("read_survey")["signature"] == (
        'read_survey <- function(path, sep = ",", ...)'
    )
    assert read.metadata("read_survey")["doc"] == "Reads a survey."
    assert read.metadata("read_survey")["params"] == ("path", "sep")
    assert read.metadata("Circle.area")["params"] == ("shape",)
    assert read.nodes[""].description == "Reads and cleans surveys."


def test_a_leading_dot_hides() -> None:
    read = reading("R/survey.R", SOURCE)

    assert read.metadata(".hidden")["exported"] is False
    assert read.metadata("read_survey")["exported"] is True


def test_library_and_source_bring_in_everything() -> None:
    assert reading("R/survey.R", SOURCE).references(EdgeType.IMPORTS) == [
        " > dplyr.*",
        " > ggplot2.*",
        " > R/util.R.*",
        " > jsonlite as jsonlite",
    ]


def test_calls_keep_their_receiver() -> None:
    read = reading("R/survey.R", SOURCE)

    assert read.metadata("read_survey")["calls"] == (
        "utils.read.csv",
        "seq_len",
        "nrow",
        "is.na",
        "stop",
        "dplyr.filter",
    )
    assert "Person.greet > self.speak : Person" in read.references(EdgeType.CALLS)


def test_classes_extend_by_inherit_and_contains() -> None:
    assert reading("R/survey.R", SOURCE).references(EdgeType.EXTENDS) == [
        "Person > Thing",
        "Shape > Base",
    ]


def test_control_flow_is_counted() -> None:
    survey = reading("R/survey.R", SOURCE).metadata("read_survey")

    assert (survey["branches"], survey["loops"], survey["continues"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f = function(x) x^2\n", ["f"]),
        ("outer <- function() {\n  inner <- function() 1\n}\n", ["outer", "outer.inner"]),
        ("a$b <- function() 1\n", ["a.b"]),
        ('s <- "f <- function() 1"\n# g <- function() 1\n', []),
        ('r"(f <- function() 1)"\n', []),
        ("f <- function(x) x\ng <- function( {\nh <- function(x) x\n", ["f"]),
    ],
)
def test_awkward_texts(text: str, expected: list[str]) -> None:
    assert list(reading("a.R", text).types)[: len(expected)] == expected


def test_without_its_grammar_a_file_is_text_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "semble_grammars", None)
    table.load.cache_clear()
    try:
        parsed = parse(Document("a.R", SOURCE))
    finally:
        table.load.cache_clear()

    assert "semble_grammars" in parsed.failure
    module = next(node for node in parsed.nodes if node.kind is Kind.CODE)
    assert module.type == "module"
    assert module.span.end == len(SOURCE)
