"""The last resort: an error that no part of treemip expected, which is a fault of treemip."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress

from treemip import __version__

SHOW = "TREEMIP_TRACEBACK"
"""Environment variable: where it is set, the traceback is shown instead of written to a file."""

BAD_INPUT = 2


def reported(command: Callable[[], int]) -> int:
    """The command's exit code; 2 after an error that it did not expect, which is then told."""
    try:
        return command()
    except RecursionError:
        _tell("error[E111]: something in the input is nested too deeply")
    except Exception as error:
        if os.environ.get(SHOW):
            _tell(traceback.format_exc().rstrip())
        else:
            _tell(_message(error, _written(traceback.format_exc())))
    return BAD_INPUT


def _message(error: Exception, path: str) -> str:
    from treemip.source.render import shortened, visible

    what = shortened(visible(f"{type(error).__name__}: {error}"), 200)
    where = f"the traceback is in {path}" if path else f"set {SHOW}=1 to see the traceback"
    return (
        f"error: treemip {__version__} failed, and that is a fault of treemip itself\n"
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
