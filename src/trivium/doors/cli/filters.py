"""The table of filters -> options of a command, and the options given -> filters.

An option that is given again is an alternative; where no value could hold a comma, one between
two values means the same. Used by the commands that search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from trivium.filtering.fields import FIELDS, Takes
from trivium.filtering.given import separated

# The sender may be a script: comparing words costs their length squared.
_LONGEST_NAME = 60
_BEFORE = "filter_"
_METAVARS = {
    Takes.NUMBER: "N",
    Takes.DATE: "DATE",
    Takes.FIELDS: "KEY[=VALUE]",
    Takes.JSON: "JSON",
    Takes.EXPRESSION: "FILTERS",
}

Command = TypeVar("Command", bound=Callable[..., Any])


class FilterOption(click.Option):
    """An option that is a filter, for the help to set apart."""


class CommandWithFilters(click.Command):
    """A command whose help lists the filters, but for the common ones, under a heading."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then the filters."""
        groups: dict[str, list[tuple[str, str]]] = {"Options": [], "Filters": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                groups["Filters" if _is_apart(param) else "Options"].append(record)
        for heading, records in groups.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def _is_apart(param: click.Parameter) -> bool:
    if not isinstance(param, FilterOption) or param.name is None:
        return False
    return not FIELDS[_name_of(param.name)].is_common


def filter_options(command: Command) -> Command:
    """Give a command an option for each filter; they come as keywords named filter_..."""
    for name, field in reversed([*FIELDS.items()]):
        is_flag = field.takes is Takes.FLAG
        add = click.option(
            f"--{name}",
            f"{_BEFORE}{name.replace('-', '_')}",
            cls=FilterOption,
            is_flag=is_flag,
            multiple=not is_flag,
            metavar=_METAVARS.get(field.takes),
            help=field.help,
        )
        command = add(command)
    return command


def given_filters(given: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the filters that were given, each with its values."""
    found: dict[str, list[str]] = {}
    for keyword, value in given.items():
        name = _name_of(keyword)
        if value is True:
            found[name] = ["true"]
        elif isinstance(value, tuple) and value:
            found[name] = [part for one in value for part in separated(name, str(one))]
    return found


def _name_of(keyword: str) -> str:
    return keyword.removeprefix(_BEFORE).replace("_", "-")
