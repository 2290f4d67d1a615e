"""The first lines of the installed command: signals end it well from here on."""

from __future__ import annotations

import os
import sys


def run() -> None:
    """`treemip.cli.main.run`, with the handlers of signals in place before all other imports."""
    try:
        from treemip.emit.interrupts import leave_on_signals

        leave_on_signals()
        from treemip.cli.main import run as begin

        begin()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        os._exit(130)
