"""The options of the table of filters, and what is made of them."""

from __future__ import annotations

import re

import click
import pytest

from trivium.doors.cli.filters import given_filters
from trivium.doors.cli.main import main
from trivium.doors.cli.main import trivium as commands
from trivium.filtering.fields import FIELDS


def test_every_filter_is_an_option_with_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["search", "--help"])
    shown = capsys.readouterr().out
    options, filters = shown.split("\nFilters:\n")

    for name, field in FIELDS.items():
        part = options if field.is_common else filters
        assert re.search(rf"^  --{name}\b", part, re.MULTILINE), name
        assert field.help.split()[0] in part
    assert "QUERY" not in filters


def test_no_filter_takes_the_name_of_another_option() -> None:
    params = commands.commands["search"].params
    names = [name for one in params if isinstance(one, click.Option) for name in one.opts]

    assert len(names) == len(set(names))


def test_what_was_not_given_is_no_filter() -> None:
    assert given_filters({"filter_lang": (), "filter_async": False}) == {}


def test_options_given_again_are_alternatives_and_so_are_commas() -> None:
    given = {
        "filter_ext": (".ts,.tsx", "js"),
        "filter_risk_tag": ("a",),
        "filter_async": True,
        "filter_author": ("Smith, John",),
        "filter_filter": ("lang:js,ts x",),
    }

    assert given_filters(given) == {
        "ext": [".ts", ".tsx", "js"],
        "risk-tag": ["a"],
        "async": ["true"],
        "author": ["Smith, John"],
        "filter": ["lang:js,ts x"],
    }
