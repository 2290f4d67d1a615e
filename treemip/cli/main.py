"""`treemip`: the commands, and what becomes of their errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from typing import Annotated

import typer

from treemip import __version__
from treemip.cli.console import BAD_INPUT, DONE, EXIT_CODES, INTERRUPTED, complain, note
from treemip.cli.process import begin, end
from treemip.cli.unexpected import reported
from treemip.cli.unknown_options import instead
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.memory import REMEDY, is_memory_error

# Some versions of typer import click, others carry a copy; this finds the class in both.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]

# Where each command is: a process runs one, and imports and declares no other.
COMMANDS = {
    "compile": "compiling.compile_spec",
    "export": "exporting.export",
    "solve": "solving.solve",
    "decode": "solving.decode",
    "verify": "trees.verify",
    "predict": "trees.predict",
    "score": "scoring.score",
    "show": "trees.show",
    "explain": "describing.explain",
    "stats": "describing.stats",
    "diagnose": "diagnosing.diagnose",
    "check": "checking.check",
    "fmt": "checking.fmt",
    "list": "checking.list_library",
}


class Interrupted(Exception):
    """Ctrl-C inside a command; typer would end the program without a word."""


class ReaderGone(Exception):
    """A closed pipe inside a command; typer would end the program with 1, which is no tree's
    fault."""


def _interruptible(command: Callable[..., int]) -> Callable[..., int]:
    @wraps(command)
    def run(*arguments: object, **options: object) -> int:
        try:
            return command(*arguments, **options)
        except KeyboardInterrupt:
            raise Interrupted from None
        except BrokenPipeError:
            raise ReaderGone from None

    return run


def _app(arguments: Sequence[str]) -> typer.Typer:
    """The program with the command that is asked for, or with all where none is known."""
    app = typer.Typer(
        name="treemip",
        help="Optimal decision trees: from the paper's algebra to any solver, and back.",
        epilog=EXIT_CODES,
        invoke_without_command=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_everything)
    for name in [arguments[0]] if arguments and arguments[0] in COMMANDS else COMMANDS:
        module, function = COMMANDS[name].split(".")
        command = getattr(import_module(f"treemip.cli.{module}"), function)
        app.command(name, epilog=EXIT_CODES)(_interruptible(command))
    return app


def _version(asked: bool) -> None:
    if asked:
        print(f"treemip {__version__}")
        raise typer.Exit


def _everything(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> int:
    if context.invoked_subcommand is None:
        note(context.get_help())
    return BAD_INPUT


def main(arguments: list[str] | None = None) -> int:
    """Run one command; its exit code. Arguments default to those of the process."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        return _app(given)(given, prog_name="treemip", standalone_mode=False) or DONE
    except TreemipError as error:
        complain(error.diagnostics)
        return BAD_INPUT
    except UsageError as error:
        context = getattr(error, "ctx", None)
        asked = context.command_path if context else "treemip"
        option = str(getattr(error, "option_name", ""))
        remedy = instead(asked, option)
        message = f"no such option: {option}" if remedy else _sentence(error)
        complain([Diagnostic.outside("E902", message, remedy or f"see: {asked} --help")])
        return BAD_INPUT
    except (typer.Abort, Interrupted, KeyboardInterrupt):
        note("interrupted")
        return INTERRUPTED
    except (ReaderGone, BrokenPipeError):
        # The reader, such as `head`, has what it wanted. Python would complain at its own exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (MemoryError, ImportError, OSError, RuntimeError) as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    """The end of a command that memory or disk did not suffice for. Raises all other errors."""
    if is_memory_error(error):
        complain([Diagnostic.outside("E405", "there is not enough memory", REMEDY)])
        return BAD_INPUT
    if not isinstance(error, OSError):
        raise error
    what = f"'{error.filename}'" if error.filename else "the output"
    reason = error.strerror or str(error)
    complain([Diagnostic.outside("E603", f"{what} cannot be written: {reason}")])
    return BAD_INPUT


def _sentence(error: Exception) -> str:
    """The parser's message in the style of all others: no capital, no full stop."""
    said = error.format_message() if hasattr(error, "format_message") else str(error)
    text = " ".join(said.split()).rstrip(".")
    return text[:1].lower() + text[1:]


def run() -> None:
    """The entry of the installed command."""
    begin()
    end(reported(main))


if __name__ == "__main__":
    run()
