"""The first lines of the installed command: signals end it well from here on."""

from __future__ import annotations

import sys
from contextlib import suppress

# Written out: there may be no memory to import the module that has the remedy.
NO_MEMORY = (
    "error[E405]: not enough memory\n"
    "  = help: use fewer points or a smaller topology, or raise the limits that ulimit shows"
)


def run() -> None:
    """`treemip.cli.main.run`, with the handlers of signals in place before all other imports."""
    try:
        from treemip.core.files.undo import leave_on_signals

        leave_on_signals()
        from treemip.cli.process import supervise

        supervise()
        from treemip.cli.main import run as begin

        begin()
    except KeyboardInterrupt:
        _end("interrupted", 130)
    except MemoryError:
        _end(NO_MEMORY, 2)
    except ImportError as error:
        from treemip.core.source.memory import is_memory_error

        if not is_memory_error(error):
            raise
        _end(NO_MEMORY, 2)


def _end(message: str, code: int) -> None:
    from treemip.core.files.undo import exit_now

    with suppress(OSError):
        sys.stderr.write(f"{message}\n")
        sys.stderr.flush()
    exit_now(code)
