"""`treemip`: one command is run, and its errors become messages and exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress

from treemip import __version__
from treemip.cli.console import BAD_INPUT, DONE, INTERRUPTED, complain, note
from treemip.cli.options import COMMANDS
from treemip.cli.parser import function_of, help_of, overview, usage_error, values_of
from treemip.cli.process import begin, end
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.memory import REMEDY, is_memory_error
from treemip.core.source.suggest import did_you_mean


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code. Arguments default to those of the process."""
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except TreemipError as error:
        complain(error.diagnostics)
        return BAD_INPUT
    except KeyboardInterrupt:
        note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader, such as `head`, has what it wanted. Python would complain at its own exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (MemoryError, ImportError, OSError, RuntimeError) as error:
        return _failed(error)


def _run(arguments: Sequence[str]) -> int:
    if not arguments:
        note(overview())
        return BAD_INPUT
    name, *words = arguments
    if name not in COMMANDS:
        return _without_command(name)
    values = values_of(name, words)
    if values is None:
        print(help_of(name))
        return DONE
    return function_of(name)(**values)


def _without_command(word: str) -> int:
    """--version and --help. Raises E902 for anything else that is no command."""
    if word == "--version":
        print(f"treemip {__version__}")
    elif word in ("-h", "--help"):
        print(overview())
    elif word.startswith("-"):
        raise usage_error(f"no such option: {word}")
    else:
        raise usage_error(f"no such command '{word}'", near=did_you_mean(word, COMMANDS))
    return DONE


def _failed(error: Exception) -> int:
    """The end of a command that memory or disk did not suffice for. Raises all other errors."""
    if is_memory_error(error):
        complain([Diagnostic.outside("E405", "not enough memory", REMEDY)])
        return BAD_INPUT
    if not isinstance(error, OSError):
        raise error
    what = f"'{error.filename}'" if error.filename else "the output"
    reason = error.strerror or str(error)
    complain([Diagnostic.outside("E603", f"{what} cannot be written: {reason}")])
    return BAD_INPUT


# ------------------------------------------------------------------- the last resort

SHOW = "TREEMIP_TRACEBACK"
"""Environment variable: where it is set, the traceback is shown instead of written to a file."""


def reported(command: Callable[[], int]) -> int:
    """The command's exit code; 2 after an error that it did not expect, which is then told."""
    try:
        return command()
    except RecursionError:
        _tell("error[E111]: something in the input is nested too deeply")
    except Exception as error:
        if is_memory_error(error):  # it came up while another error was told
            _tell("error[E405]: not enough memory\n  = help: " + REMEDY)
        elif os.environ.get(SHOW):
            _tell(traceback.format_exc().rstrip())
        else:
            _tell(_message(error, _written(traceback.format_exc())))
    return BAD_INPUT


def _message(error: Exception, path: str) -> str:
    from treemip.core.source.render import shortened, visible

    what = shortened(visible(f"{type(error).__name__}: {error}"), 200)
    where = f"the traceback is in {path}" if path else f"set {SHOW}=1 to see the traceback"
    return (
        f"error: treemip {__version__} failed, and this is a bug in treemip\n"
        f"  {what}\n"
        f"  = help: please report it with the command, its input and the traceback; {where}"
    )


def _written(text: str) -> str:
    """The file that a traceback was written to; empty where none can be."""
    from tempfile import NamedTemporaryFile

    with suppress(OSError):
        with NamedTemporaryFile(
            "w", prefix="treemip-", suffix=".txt", encoding="utf-8", errors="replace", delete=False
        ) as file:
            file.write(f"treemip {__version__}, Python {sys.version}\n{sys.argv}\n\n{text}")
        return file.name
    return ""


def _tell(text: str) -> None:
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def run() -> None:
    """The entry of the installed command."""
    begin()
    end(reported(main))


if __name__ == "__main__":
    run()
