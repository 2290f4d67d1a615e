"""count: how many points a spec's table has."""

from __future__ import annotations

from pathlib import Path

from treemip.cli.console import DONE


def count(spec: Path) -> int:
    """Count the points."""
    from treemip import load

    print(len(load(spec).compile().instance.table.y))
    return DONE
