"""The command line of every peer: `python with_X.py soct|binoct DEPTH TABLE.csv MODEL.mps`."""

from __future__ import annotations

import sys
from collections.abc import Callable


def run(**builders: Callable[[str, int, str], None]) -> None:
    """Call the builder that the first argument names with (table, depth, target)."""
    if len(sys.argv) != 5 or sys.argv[1] not in builders:
        sys.exit(f"usage: {sys.argv[0]} {'|'.join(builders)} DEPTH TABLE.csv MODEL.mps")
    _, formulation, depth, table, target = sys.argv
    builders[formulation](table, int(depth), target)
