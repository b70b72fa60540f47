"""trivium: the command line.

Each command parses, calls a Collection once, prints and sets the exit status: 0 found,
1 nothing found, 2 error. Answers go to stdout, everything else to stderr.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import click

from trivium import __version__
from trivium.doors.cli import (
    asking,
    checking,
    installing,
    keeping,
    memory,
    memory_moving,
    moving,
    ranking,
    relating,
    serving,
    tuning,
)
from trivium.doors.cli.screen import FAILED, FOUND, INTERRUPTED, log_to_stderr, say
from trivium.errors import TriviumError

_COMMANDS: tuple[click.Command, ...] = (
    asking.search,
    asking.context,
    asking.get,
    relating.related,
    relating.graph,
    memory.note,
    memory.task,
    memory.skill,
    memory.recall,
    memory_moving.memory,
    ranking.compare,
    ranking.profiles,
    keeping.index,
    keeping.status,
    keeping.reset,
    keeping.collections,
    keeping.export,
    keeping.import_,
    moving.move,
    checking.doctor,
    checking.check,
    checking.evaluate,
    tuning.tune,
    serving.serve,
    serving.token,
    serving.mcp,
    installing.install,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="trivium")
@click.option("-v", "--verbose", is_flag=True, help="Log what happens to stderr.")
def trivium(*, verbose: bool) -> None:
    """Search a folder by words, meaning and structure, offline.

    \b
      trivium search "how are vectors stored" .     ask; the index is made on first use
      trivium index .                               take everything in; --model for better meaning
      trivium status .                              what is indexed, what was passed over
    """  # noqa: D301 - click takes the backspace as "leave these lines alone"
    if verbose:
        log_to_stderr()


for command in _COMMANDS:
    trivium.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an error raised on purpose becomes one line on stderr."""
    try:
        status = trivium.main(args=arguments, prog_name="trivium", standalone_mode=False)
    except click.exceptions.Exit as done:
        status = done.exit_code
    except click.Abort:
        say("Interrupted. What was finished is kept.")
        status = INTERRUPTED
    except click.ClickException as error:
        _say_what_is_wrong(error)
        status = FAILED
    except TriviumError as error:
        say(f"trivium: {error}")
        status = FAILED
    except BrokenPipeError:
        # The reader of our answer has gone, as with `| head`: that is no failure.
        sys.stderr.close()
        status = FOUND
    sys.exit(status or FOUND)


def _say_what_is_wrong(error: click.ClickException) -> None:
    shown = io.StringIO()
    error.show(file=shown)
    say(shown.getvalue().rstrip("\n"))
    asks = (asking.search.name, asking.context.name)
    command = _command_of(error) if isinstance(error, click.UsageError) else None
    if command not in asks:
        return
    if "unexpected extra argument" in error.message:
        say(f"Put a query of several words in quotes: trivium {command} 'required flags' FOLDER")
    if isinstance(error, click.NoSuchOption) and not error.option_name.startswith("--"):
        say(f"To exclude a word put -- before the query: trivium {command} -- 'cat -zebra'")


def _command_of(error: click.UsageError) -> str | None:
    return error.ctx.info_name if error.ctx is not None else None
