"""What the programs `works.py` share: a spec over a small table, solved."""

from __future__ import annotations

from treemip import load, loads
from treemip.api.result import Result

IRIS = """
data "iris.csv" { label class; scale minmax; }
topology complete(depth = 1);
split univariate by binoct;
"""
"""Its best tree has 50 errors."""


def solved(text: str = IRIS, **options: object) -> Result:
    """The result for a text, whose files are those of specs/data, proven and verified."""
    return proven(loads(text, base="specs/data").compile().solve(**options))


def solved_file(path: str) -> Result:
    return proven(load(path).compile().solve())


def proven(result: Result) -> Result:
    assert result.status == "optimal" and result.verified, (result.status, result.problems)
    return result
