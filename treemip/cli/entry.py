"""The first line of the installed command: Ctrl-C while modules are still being imported."""

from __future__ import annotations

import os
import sys


def run() -> None:
    """`treemip.cli.main.run`, which deals with Ctrl-C by itself once it is there."""
    try:
        from treemip.cli.main import run as begin

        begin()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        os._exit(130)
